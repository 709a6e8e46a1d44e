"""Tournaments, gauntlets and sequential tests between UCI engines that play Breakthrough."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from petardlib.base.errors import UserError
from petardlib.base.files import check_outputs, check_own
from petardlib.base.journal import Journal
from petardlib.commands.cli import (
    add_engine_options,
    add_quiet_option,
    add_worker_options,
    check_json,
    check_numbers,
    engines_of,
    guarded,
    make_console,
    make_pool,
    write_json,
)
from petardlib.play.game import Adjudication
from petardlib.play.gamefiles import LINE_FORMATS, GameFile, write_game, write_line
from petardlib.play.openings import Opening, arrange, load_openings, shipped
from petardlib.play.schedule import FORMATS, Plan
from petardlib.play.spec import EngineFile, read_toml, split_words
from petardlib.play.standings import check_standings, write_standings
from petardlib.play.tournament import (
    Output,
    check_engines,
    header,
    journal_beside,
    result_json,
    run,
    verdict_of,
)
from petardlib.report import MARK
from petardlib.rules.positions import BREAKTHROUGH, FREELING, VARIANTS, size_of, start_board
from petardlib.stats.games import GameRecord
from petardlib.stats.match import Sprt
from petardlib.stats.standings import standings
from petardlib.stats.summary import Summary

UNDECIDED, NO_VALID_GAMES, ERRORS_DECIDED = 3, 4, 5
MAX_ELO = 2000
SPRT_HELP = "defaults: elo0=0 elo1=10 alpha=0.05 beta=0.05 model=normalized (or logistic)"
MATCH_PATHS = (
    "openings", "resume", "json", "pgn", "golem", "trmph", "html", "standings", "log"
)  # fmt: skip
MATCH_TABLES = {"sprt": "{ elo1 = 10 }", "resign": "{ movecount = 3, score = 600 }"}
MATCH_KEYS = (
    "format", "games", "seeds", *MATCH_TABLES, "variant", "board", "order", "plies", "seed",
    "max_plies", "adjudicate", "workers", "event", *MATCH_PATHS,
)  # fmt: skip

EXAMPLES = """\
exit status: 0 complete, or H1 accepted with --sprt; 1 H0 accepted; 3 --sprt undecided after all
games; 4 no valid games: all were lost to errors; 5 errors decided one game in ten or more; 2 an
error; 130 stopped

examples:
  two settings of one engine, 100 ms a move, from the project's own openings:
    tournament.py --engine name=a cmd=target/release/petard \\
                  --engine name=b cmd=target/release/petard option.Hash=16 \\
                  --each movetime=100 --games 20 --pgn games.pgn --html report.html
  is a new version better? stop as soon as that is known:
    tournament.py --engine name=new cmd=./new --engine name=old cmd=./old \\
                  --each tc=1+0.01 --sprt elo0=0 elo1=10 --games 20000 --resume match.jsonl
  engines (and, in a table [match], any of these settings) from a file, on a Dask cluster:
    tournament.py --toml engines.toml --dask tcp://host:8786 --resume games.jsonl
"""


def parser() -> argparse.ArgumentParser:
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
        "--seeds",
        type=int,
        default=1,
        metavar="N",
        help="in a gauntlet the first N engines meet all others (default 1)",
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
        choices=VARIANTS,
        default=BREAKTHROUGH,
        help="which game",
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
        "--adjudicate",
        choices=("proven",),
        help="end a game when petard has proven who wins it (default: play to the end)",
    )
    what.add_argument(
        "--resign",
        nargs="+",
        metavar="KEY=VALUE",
        help="movecount=N score=CP [twosided=true]: an engine resigns after N moves in a row with "
        "a score of -CP centipawns or less; twosided: if its opponent agrees",
    )
    add_output_options(p)
    return p


def add_output_options(p: argparse.ArgumentParser) -> None:
    """Options for where games are played and what is written."""
    where = p.add_argument_group("work and results")
    add_worker_options(where, "games")
    where.add_argument("--pgn", type=Path, metavar="FILE", help="games as PGN")
    where.add_argument("--golem", type=Path, metavar="FILE", help="games in Little Golem's format")
    where.add_argument("--trmph", type=Path, metavar="FILE", help="games as links to trmph.com")
    where.add_argument(
        "--resume",
        type=Path,
        metavar="FILE",
        help="file of finished games as JSON lines; the same command resumes from there "
        "(default with --pgn: FILE.jsonl beside it)",
    )
    where.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="standings, pairings and verdict as a JSON object; - is standard output",
    )
    where.add_argument(
        "--standings",
        type=Path,
        metavar="FILE",
        help="standings with tie-breaks as CSV (.csv) or Markdown (.md), kept up to date",
    )
    where.add_argument(
        "--html", type=Path, metavar="FILE", help="an HTML report, kept up to date while games last"
    )
    where.add_argument(
        "--log", type=Path, metavar="FOLDER", help="everything sent to and received from engines"
    )
    where.add_argument("--event", default="petard tournament", help="name of the tournament")
    add_quiet_option(where)


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
            raise UserError(f"--sprt: unknown setting '{key}='; {SPRT_HELP}")
        try:
            numbers[key] = float(text)
        except ValueError:
            numbers[key] = math.nan
        if not math.isfinite(numbers[key]):
            raise UserError(f"--sprt {key}={text}: not a number")
        if abs(numbers[key]) > MAX_ELO:
            raise UserError(f"--sprt {key}={text}: must be from -{MAX_ELO} to {MAX_ELO}")
    sprt = Sprt(**numbers, model=model)
    if sprt.elo1 <= sprt.elo0:
        raise UserError("--sprt: elo1 must be more than elo0")
    if not (0 < sprt.alpha < 0.5 and 0 < sprt.beta < 0.5):
        raise UserError("--sprt: alpha and beta must lie between 0 and 0.5")
    return sprt


def read_adjudication(args: argparse.Namespace) -> Adjudication:
    """The settings of ``--adjudicate`` and ``--resign``."""
    known = "expected movecount=N score=CP [twosided=true]"
    values = split_words(args.resign or [], known)
    if unknown := values.keys() - {"movecount", "score", "twosided"}:
        raise UserError(f"--resign: unknown setting '{min(unknown)}='; {known}")
    two_sided = values.pop("twosided", "false")
    if two_sided not in ("true", "false"):
        raise UserError(f"--resign twosided={two_sided}: expected true or false")
    if args.resign and values.keys() != {"movecount", "score"}:
        raise UserError(f"--resign: {known}")
    for key, text in values.items():
        if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) == int(text)):
            raise UserError(f"--resign {key}={text}: expected a positive number")
    moves, score = int(values.get("movecount", 0)), int(values.get("score", 0))
    return Adjudication(args.adjudicate == "proven", moves, score, two_sided == "true")


def read_openings(args: argparse.Namespace) -> list[Opening]:
    """The openings in the order they are played."""
    start = start_board(args.variant, args.board)
    size = start.files, start.ranks
    path = None
    if args.openings is None:
        path = shipped(*size) if args.variant == BREAKTHROUGH else None
    elif args.openings != "none":
        path = Path(args.openings)
    openings = [Opening(start.fen(), [], "start position")]
    if path:
        openings = load_openings(path, args.plies, args.variant, args.board)
    sizes = {size_of(opening.fen) for opening in openings}
    if len(sizes) > 1:
        raise UserError(f"{path}: openings on boards of different sizes")
    if args.board and sizes != {size}:
        found = "x".join(map(str, sizes.pop()))
        raise UserError(f"{path}: openings on {found}, but --board {args.board}")
    return arrange(openings, args.order, args.seed)


def game_files(args: argparse.Namespace, openings: list[Opening]) -> list[GameFile]:
    """The files that games are written to, beside the journal."""

    def line(record: GameRecord, name: str) -> str:
        names = f"{record.white} - {record.black}"
        head = f"# game {record.index + 1}: {names} {record.result}"
        text = write_line(LINE_FORMATS[name], record.fen, record.moves)
        # A link has no place for a result, which its moves may not show.
        end = f" {record.result}" if name == "golem" else ""
        return f"{head}\n{text}{end}\n"

    files = []
    if args.pgn:
        files.append(GameFile("--pgn", args.pgn, lambda record: write_game(record, args.event)))
    for name, write in LINE_FORMATS.items():
        option, path = f"--{name}", getattr(args, name)
        if path is None:
            continue
        if args.variant != BREAKTHROUGH:
            raise UserError(f"{option}: this format only covers Breakthrough")
        try:
            for opening in openings:
                write_line(write, opening.fen, opening.moves)
        except UserError as error:
            raise UserError(f"{option}: {error} (--openings none, or moves)") from None
        files.append(GameFile(option, path, partial(line, name=name)))
    return files


def check(args: argparse.Namespace) -> None:
    """Refuse what makes no sense, and files that must not be written."""
    check_numbers(args, games=1, seeds=1, workers=1, plies=0, max_plies=0, seed=0)
    if args.games % 2:
        raise UserError(
            f"--games {args.games}: expected an even number, as each opening is played with both "
            "colours"
        )
    first = args.pgn or args.golem or args.trmph
    outputs = {
        "--resume": args.resume,
        "--json": args.json,
        "--pgn": args.pgn,
        "--golem": args.golem,
        "--trmph": args.trmph,
        "--html": args.html,
        "--standings": args.standings,
    }
    if args.resume is None:
        outputs["the journal"] = journal_beside(first)
    inputs = [args.toml] if args.toml else []
    if args.openings not in (None, "none"):
        inputs.append(Path(args.openings))
    check_outputs(outputs, inputs)
    check_own("--html", args.html, MARK)
    check_standings(args.standings)
    if args.log and args.log.exists() and not args.log.is_dir():
        raise UserError(f"--log {args.log}: not a folder")
    check_json(args.json)


def match_words(toml: EngineFile, path: Path) -> list[str]:
    """The ``[match]`` table of a TOML file as words of a command line."""
    words = []
    for key, value in toml.match.items():
        if key not in MATCH_KEYS:
            known = ", ".join(MATCH_KEYS)
            raise UserError(f"{path}: [match]: unknown key '{key}'; known keys: {known}")
        option = f"--{key.replace('_', '-')}"
        if key in MATCH_TABLES:
            if not isinstance(value, dict):
                example = MATCH_TABLES[key]
                raise UserError(f"{path}: [match]: {key}: expected a table such as {example}")
            words += [option, *(f"{name}={number}".lower() for name, number in value.items())]
            continue
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise UserError(f"{path}: [match]: {key} = {value!r}: expected a string or an integer")
        text = str(value)
        if key in MATCH_PATHS and not (key == "openings" and text == "none"):
            text = str(toml.folder / text)
        # With an equals sign, a value cannot be mistaken for an option.
        words.append(f"{option}={text}")
    return words


def read_arguments(argv: Sequence[str] | None) -> tuple[argparse.Namespace, EngineFile | None]:
    """The command line, which overrides the ``[match]`` table of a TOML file."""
    args = parser().parse_args(argv)
    if args.toml is None:
        return args, None
    toml = read_toml(args.toml)
    return parser().parse_args(
        [*match_words(toml, args.toml), *(sys.argv[1:] if argv is None else argv)]
    ), toml


def make_plan(args: argparse.Namespace, toml: EngineFile | None) -> Plan:
    """Everything that determines the games."""
    engines = engines_of(args, toml, {"movetime": 100})
    if len(engines) < 2:
        raise UserError("a tournament needs at least two engines (--engine or --toml)")
    if args.seeds > 1 and (args.format != "gauntlet" or args.seeds >= len(engines)):
        raise UserError(
            f"--seeds {args.seeds}: needs --format gauntlet and more engines than seeds"
        )
    if args.log:
        args.log.mkdir(parents=True, exist_ok=True)
        for spec in engines:
            spec.log = str(args.log.absolute())
    freeling = args.variant == FREELING
    return Plan(
        engines=engines,
        openings=read_openings(args),
        format=args.format,
        seeds=args.seeds,
        games=args.games,
        variant=args.variant,
        max_plies=args.max_plies if args.max_plies is not None else 600 * freeling,
        adjudication=read_adjudication(args),
    )


def summaries(
    args: argparse.Namespace, plan: Plan, journal: Journal[GameRecord], sprt: Sprt | None
) -> list[Callable[[Summary], object]]:
    """What writes the files that sum up the games so far."""
    found: list[Callable[[Summary], object]] = []
    if args.standings:
        found.append(lambda summary: write_standings(args.standings, standings(summary)))
    if args.html:
        from petardlib.report.tournament import write_report

        found.append(
            lambda summary: write_report(args.html, args.event, list(journal), summary, sprt, plan)
        )
    return found


def exit_status(stopped: bool, summary: Summary, sprt: Sprt | None) -> int:
    """The exit status, as documented in `--help`."""
    if stopped:
        return 130
    if summary.nothing_measured:
        return NO_VALID_GAMES
    if summary.faults_decide:
        return ERRORS_DECIDED
    return {"H1": 0, "H0": 1, None: UNDECIDED}[verdict_of(summary, sprt)] if sprt else 0


def run_command(argv: Sequence[str] | None) -> int:
    """Run a tournament; the exit status says how it ended."""
    args, toml = read_arguments(argv)
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
    if not args.quiet:
        console.print(f"checking that {len(plan.engines)} engines start", highlight=False)
    check_engines(plan)
    plan.header = header(plan, args.event, args.seed, args.order, sprt)
    output = Output(plan, args.resume, files)
    output.summaries = summaries(args, plan, output.journal, sprt)
    try:
        pool = make_pool(args, console)
        summary, stopped = run(plan, output, pool, console, sprt, args.quiet)
        if args.html and summary.games:
            console.print(f"report: {args.html}", soft_wrap=True, markup=False)
        head = {"event": args.event, "stopped": stopped}
        write_json(args.json, {**head, **result_json(plan, summary, sprt)})
    finally:
        output.close()
    return exit_status(stopped, summary, sprt)


def main(argv: Sequence[str] | None = None) -> int:
    return guarded(run_command, argv)
