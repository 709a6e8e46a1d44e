"""Tournaments, gauntlets and sequential tests between UCI engines that play Breakthrough."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from petardlib.base.errors import UserError
from petardlib.base.files import check_outputs, check_own
from petardlib.commands.cli import (
    add_engine_options,
    check_numbers,
    engines_of,
    guarded,
    make_console,
    referee_of,
)
from petardlib.jobs.pool import DaskPool, LocalPool, Pool
from petardlib.play.openings import Opening, arrange, load_openings, shipped
from petardlib.play.schedule import FORMATS, Plan
from petardlib.play.spec import EngineFile, read_toml, split_words
from petardlib.play.tournament import (
    GameFile,
    Output,
    check_engines,
    header,
    journal_beside,
    run,
    verdict_of,
)
from petardlib.report import MARK
from petardlib.rules import boardtext
from petardlib.rules.notation import golem_text, trmph_link
from petardlib.rules.pgn import write_game
from petardlib.stats.match import Sprt

UNDECIDED = 3
MOST_ELO = 2000
SPRT_HELP = "defaults: elo0=0 elo1=10 alpha=0.05 beta=0.05 model=normalized (or logistic)"
MATCH_PATHS = ("openings", "json", "pgn", "golem", "trmph", "html")
MATCH_KEYS = (
    "format", "games", "sprt", "variant", "board", "order", "plies", "seed", "max_plies",
    "concurrency", "event", *MATCH_PATHS,
)  # fmt: skip

EXAMPLES = """\
exit status: 0 complete, or H1 accepted with --sprt; 1 H0 accepted; 3 --sprt undecided after all
games; 2 an error; 130 stopped

examples:
  two settings of one engine, 100 ms a move, from the project's own openings:
    tournament.py --engine name=a cmd=target/release/petard \\
                  --engine name=b cmd=target/release/petard option.Hash=16 \\
                  --each movetime=100 --games 20 --pgn games.pgn --html report.html
  is a new version better? stop as soon as that is known:
    tournament.py --engine name=new cmd=./new --engine name=old cmd=./old \\
                  --each tc=1+0.01 --sprt elo0=0 elo1=10 --games 20000 --json match.jsonl
  engines (and, in a table [match], any of these settings) from a file, on a Dask cluster:
    tournament.py --toml engines.toml --dask tcp://host:8786 --json games.jsonl
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_engine_options(p, "movetime=100")
    what = p.add_argument_group("games")
    what.add_argument(
        "--format",
        choices=FORMATS,
        default="round-robin",
        help="round-robin (default); gauntlet: the first against all; ladder: each against the "
        "next two on the list",
    )
    what.add_argument(
        "--games",
        type=int,
        default=100,
        metavar="N",
        help="games per pairing, an even number: each opening with both colours (default 100)",
    )
    what.add_argument(
        "--sprt",
        nargs="*",
        metavar="KEY=VALUE",
        help=f"sequential test of two engines over pairs of games; {SPRT_HELP}; --games is the "
        "maximum played",
    )
    what.add_argument(
        "--variant",
        choices=(boardtext.TROYKA, boardtext.FREELING),
        default=boardtext.TROYKA,
        help="which Breakthrough",
    )
    what.add_argument("--board", metavar="WxH", help="board without --openings (default 8x8)")
    what.add_argument(
        "--openings",
        metavar="FILE",
        help="EPD, PGN, lines of moves or links; 'none' for the start position only "
        "(default: the project's own set for the board)",
    )
    what.add_argument(
        "--order",
        choices=("sequential", "random"),
        default="random",
        help="order of the openings (default random, by --seed)",
    )
    what.add_argument(
        "--plies",
        type=int,
        default=0,
        metavar="N",
        help="moves taken from each game of the openings (default all)",
    )
    what.add_argument("--seed", type=int, default=1, help="seed of the order (default 1)")
    what.add_argument(
        "--max-plies",
        type=int,
        metavar="N",
        help="score longer games as draws "
        "(default: never in Breakthrough, which ends by itself; 600 in Freeling's)",
    )
    what.add_argument(
        "--referee",
        metavar="COMMAND",
        help="engine with `moves` and `d`, asked where pyffish cannot referee "
        "(default: the first engine that has them, in a separate process)",
    )
    add_output_options(p)
    return p


def add_output_options(p: argparse.ArgumentParser) -> None:
    """Options for where games are played and what is written."""
    where = p.add_argument_group("work and results")
    where.add_argument(
        "--concurrency", type=int, default=1, metavar="N", help="games at once (default 1)"
    )
    where.add_argument(
        "--dask", metavar="ADDRESS", help="play on the Dask cluster of this scheduler"
    )
    where.add_argument("--pgn", type=Path, metavar="FILE", help="games as PGN")
    where.add_argument("--golem", type=Path, metavar="FILE", help="games in Little Golem's format")
    where.add_argument("--trmph", type=Path, metavar="FILE", help="games as links to trmph.com")
    where.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="games as JSON lines; a killed run resumes from them "
        "(default with --pgn: FILE.jsonl beside it)",
    )
    where.add_argument("--html", type=Path, metavar="FILE", help="an HTML report")
    where.add_argument("--event", default="petard tournament", help="name of the tournament")


def read_sprt(words: list[str] | None, engines: int) -> Sprt | None:
    """The settings of ``--sprt``."""
    if words is None:
        return None
    if engines != 2:
        raise UserError(f"--sprt needs two engines, not {engines}")
    values = split_words(words, SPRT_HELP)
    model = values.pop("model", "normalized")
    if model not in ("normalized", "logistic"):
        raise UserError(f"model={model}: expected normalized or logistic")
    numbers = {}
    for key, text in values.items():
        if key not in ("elo0", "elo1", "alpha", "beta"):
            raise UserError(f"--sprt: unknown word '{key}='; {SPRT_HELP}")
        try:
            numbers[key] = float(text)
        except ValueError:
            numbers[key] = math.nan
        if not math.isfinite(numbers[key]):
            raise UserError(f"--sprt {key}={text}: not a number")
        if abs(numbers[key]) > MOST_ELO:
            raise UserError(f"--sprt {key}={text}: must be from -{MOST_ELO} to {MOST_ELO}")
    sprt = Sprt(**numbers, model=model)
    if sprt.elo1 <= sprt.elo0:
        raise UserError("--sprt: elo1 must be more than elo0")
    if not (0 < sprt.alpha < 0.5 and 0 < sprt.beta < 0.5):
        raise UserError("--sprt: alpha and beta must lie between 0 and 0.5")
    return sprt


def read_openings(args: argparse.Namespace) -> list[Opening]:
    """The openings in the order they are played."""
    if args.variant == boardtext.FREELING:
        start = boardtext.FREELING_START
        size = boardtext.board_size(start)
    else:
        size = boardtext.parse_size(args.board or "8x8")
        start = boardtext.start_fen(*size)
    path = None
    if args.openings is None:
        path = shipped(*size) if args.variant == boardtext.TROYKA else None
    elif args.openings != "none":
        path = Path(args.openings)
    openings = [Opening(start, [], "start position")]
    if path:
        openings = load_openings(path, args.plies, args.variant, args.board)
    sizes = {boardtext.board_size(opening.fen) for opening in openings}
    if len(sizes) > 1:
        raise UserError(f"{path}: openings on boards of different sizes")
    if args.board and sizes != {size}:
        found = "x".join(map(str, sizes.pop()))
        raise UserError(f"{path}: openings on {found}, but --board {args.board}")
    return arrange(openings, args.order, args.seed)


def game_files(args: argparse.Namespace, openings: list[Opening]) -> list[GameFile]:
    """The files that games are written to, beside the journal."""

    def line(record: dict[str, Any], write: Callable[[str, list[str]], str]) -> str:
        names = f"{record['white']} - {record['black']}"
        head = f"# game {record['index'] + 1}: {names} {record['result']}"
        return f"{head}\n{write(record['fen'], record['moves'])}\n"

    files = []
    if args.pgn:
        files.append(GameFile("--pgn", args.pgn, lambda record: write_game(record, args.event)))
    for option, path, write in (
        ("--golem", args.golem, golem_text),
        ("--trmph", args.trmph, trmph_link),
    ):
        if path is None:
            continue
        if args.variant != boardtext.TROYKA:
            raise UserError(f"{option}: this format only covers Breakthrough")
        try:
            for opening in openings:
                write(opening.fen, opening.moves)
        except UserError as error:
            raise UserError(f"{option}: {error} (--openings none, or moves)") from None
        files.append(GameFile(option, path, partial(line, write=write)))
    return files


def check(args: argparse.Namespace) -> None:
    """Refuse what makes no sense, and files that must not be written."""
    check_numbers(args, games=1, concurrency=1, plies=0, max_plies=0, seed=0)
    if args.games % 2:
        raise UserError(
            f"--games {args.games}: expected an even number, as each opening is played with both "
            "colours"
        )
    first = args.pgn or args.golem or args.trmph
    outputs = {
        "--json": args.json,
        "--pgn": args.pgn,
        "--golem": args.golem,
        "--trmph": args.trmph,
        "--html": args.html,
    }
    if args.json is None:
        outputs["the journal"] = journal_beside(first)
    inputs = [args.toml] if args.toml else []
    if args.openings not in (None, "none"):
        inputs.append(Path(args.openings))
    check_outputs(outputs, inputs)
    check_own("--html", args.html, MARK)


def match_words(toml: EngineFile, path: Path) -> list[str]:
    """The ``[match]`` table of a TOML file as words of a command line."""
    words = []
    for key, value in toml.match.items():
        if key not in MATCH_KEYS:
            known = ", ".join(MATCH_KEYS)
            raise UserError(f"{path}: [match]: unknown key '{key}'; known keys: {known}")
        option = f"--{key.replace('_', '-')}"
        if key == "sprt":
            if not isinstance(value, dict):
                raise UserError(f"{path}: [match]: sprt: expected a table such as {{ elo1 = 10 }}")
            words += [option, *(f"{name}={number}" for name, number in value.items())]
            continue
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise UserError(f"{path}: [match]: {key} = {value!r}: expected a string or an integer")
        text = str(value)
        if key in MATCH_PATHS and not (key == "openings" and text == "none"):
            text = str(toml.folder / text)
        # With an equals sign, a value cannot be mistaken for an option.
        words.append(f"{option}={text}")
    return words


def read_arguments() -> tuple[argparse.Namespace, EngineFile | None]:
    """The command line, which overrides the ``[match]`` table of a TOML file."""
    args = parser().parse_args()
    if args.toml is None:
        return args, None
    toml = read_toml(args.toml)
    return parser().parse_args([*match_words(toml, args.toml), *sys.argv[1:]]), toml


def make_plan(args: argparse.Namespace, toml: EngineFile | None) -> Plan:
    """Everything that determines the games."""
    engines = engines_of(args, toml, {"movetime": 100})
    if len(engines) < 2:
        raise UserError("a tournament needs at least two engines (--engine or --toml)")
    freeling = args.variant == boardtext.FREELING
    return Plan(
        engines=engines,
        openings=read_openings(args),
        format=args.format,
        games=args.games,
        variant=args.variant,
        max_plies=args.max_plies if args.max_plies is not None else 600 * freeling,
        referee=referee_of(args),
    )


def exit_status(stopped: bool, verdict: str | None, tested: bool) -> int:
    """The exit status, as documented in `--help`."""
    if stopped:
        return 130
    return {"H1": 0, "H0": 1, None: UNDECIDED}[verdict] if tested else 0


def run_command() -> int:
    """Run a tournament; the exit status says how it ended."""
    args, toml = read_arguments()
    check(args)
    console = make_console()
    plan = make_plan(args, toml)
    sprt = read_sprt(args.sprt, len(plan.engines))
    files = game_files(args, plan.openings)
    if plan.pairs_each > len(plan.openings):
        console.print(
            f"[yellow]note:[/] {plan.pairs_each} pairs but {len(plan.openings)} openings: they are "
            "reused, and deterministic engines will repeat games"
        )
    check_engines(plan)
    plan.header = header(plan, args.event, args.seed, args.order, sprt)
    output = Output(plan, args.json, files)
    try:
        pool: Pool = DaskPool(args.dask) if args.dask else LocalPool(args.concurrency)
        summary, stopped = run(plan, output, pool, console, sprt)
        if args.html and summary.games:
            from petardlib.report.tournament import write_report

            write_report(args.html, args.event, list(output.journal), summary, sprt)
            console.print(f"report: {args.html}", soft_wrap=True, markup=False)
    finally:
        output.close()
    return exit_status(stopped, verdict_of(summary, sprt), sprt is not None)


def main() -> int:
    """The command."""
    return guarded(run_command)
