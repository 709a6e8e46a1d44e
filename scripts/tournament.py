#!/usr/bin/env python3
"""Tournaments, gauntlets and sequential tests between UCI engines that play Breakthrough."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from petardlib import boardtext
from petardlib.cli import add_engine_options, check_writable, guarded, make_console
from petardlib.errors import UserError
from petardlib.openings import Opening, arrange, load_openings, shipped
from petardlib.pool import DaskPool, LocalPool, Pool
from petardlib.schedule import FORMATS, Plan
from petardlib.spec import EngineSpec, load_engines, split_words
from petardlib.stats import Sprt
from petardlib.tournament import Output, check_engines, header, run

EXAMPLES = """\
examples:
  two settings of one engine, 100 ms a move, from the project's own openings:
    tournament.py --engine name=a cmd=target/release/petard \\
                  --engine name=b cmd=target/release/petard option.Hash=16 \\
                  --each movetime=100 --games 20 --pgn games.pgn --html report.html
  is a new version better? stop as soon as that is known:
    tournament.py --engine name=new cmd=./new --engine name=old cmd=./old \\
                  --each tc=1+0.01 --sprt elo0=0 elo1=10 --games 20000 --json match.jsonl
  engines from a file, on a Dask cluster:
    tournament.py --toml engines.toml --dask tcp://host:8786 --json games.jsonl
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_engine_options(p)
    what = p.add_argument_group("games")
    what.add_argument(
        "--format",
        choices=FORMATS,
        default="round-robin",
        help="gauntlet: the first against all; ladder: each against the next two of the list",
    )
    what.add_argument(
        "--games",
        type=int,
        default=100,
        metavar="N",
        help="games of each pairing, an even number: each opening with both colours (default 100)",
    )
    what.add_argument(
        "--sprt",
        nargs="*",
        metavar="KEY=VALUE",
        help="sequential test of two engines over pairs of games: elo0=0 elo1=10 alpha=0.05 "
        "beta=0.05 model=normalized|logistic; --games is the most that is played",
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
        help="EPD or PGN; 'none' for the start position only "
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
        help="moves taken from each PGN opening (default all)",
    )
    what.add_argument("--seed", type=int, default=1, help="seed of the order (default 1)")
    what.add_argument(
        "--max-plies",
        type=int,
        metavar="N",
        help="call longer games drawn "
        "(default: never in Troyka's game, which ends by itself; 600 in freeling)",
    )
    what.add_argument(
        "--referee",
        metavar="COMMAND",
        help="engine with `moves` and `d`, asked where pyffish cannot judge "
        "(default: the first of the engines that has them, as its own process)",
    )
    where = p.add_argument_group("work and results")
    where.add_argument("--concurrency", type=int, default=1, metavar="N", help="games at a time")
    where.add_argument(
        "--dask", metavar="ADDRESS", help="play on the Dask cluster of this scheduler"
    )
    where.add_argument("--pgn", type=Path, metavar="FILE", help="games as PGN")
    where.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="games as JSON lines; also what a killed run is resumed from "
        "(default with --pgn: FILE.jsonl beside it)",
    )
    where.add_argument("--html", type=Path, metavar="FILE", help="a report to look at")
    where.add_argument("--event", default="petard tournament", help="name of the tournament")
    return p


def read_sprt(words: list[str] | None, engines: int) -> Sprt | None:
    """The settings of ``--sprt``."""
    if words is None:
        return None
    if engines != 2:
        raise UserError(f"--sprt wants two engines, not {engines}")
    values = split_words(words)
    model = values.pop("model", "normalized")
    if model not in ("normalized", "logistic"):
        raise UserError(f"model={model}: want normalized or logistic")
    numbers = {}
    for key, text in values.items():
        if key not in ("elo0", "elo1", "alpha", "beta"):
            raise UserError(f"--sprt: unknown word '{key}='")
        try:
            numbers[key] = float(text)
        except ValueError:
            raise UserError(f"--sprt {key}={text}: not a number") from None
    sprt = Sprt(**numbers, model=model)
    if sprt.elo1 <= sprt.elo0:
        raise UserError("--sprt: elo1 must be more than elo0")
    if not (0 < sprt.alpha < 0.5 and 0 < sprt.beta < 0.5):
        raise UserError("--sprt: alpha and beta must lie between 0 and 0.5")
    return sprt


def read_openings(args: argparse.Namespace) -> list[Opening]:
    """The openings in the order in which they are played."""
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
    openings = load_openings(path, args.plies) if path else [Opening(start, [], "start position")]
    sizes = {boardtext.board_size(opening.fen) for opening in openings}
    if len(sizes) > 1:
        raise UserError(f"{path}: openings on boards of different sizes")
    return arrange(openings, args.order, args.seed)


def main() -> int:
    """Run a tournament; 0 when it is complete, 130 when it was stopped."""
    args = parser().parse_args()
    check_writable(args.pgn, args.json, args.html)
    console = make_console()
    engines = load_engines(args.engine, args.each, args.toml, {"movetime": 100})
    if len(engines) < 2:
        raise UserError("a tournament needs at least two engines (--engine or --toml)")
    for name in ("games", "concurrency"):
        if getattr(args, name) < 1:
            raise UserError(f"--{name} must be at least 1")
    sprt = read_sprt(args.sprt, len(engines))
    freeling = args.variant == boardtext.FREELING
    plan = Plan(
        engines=engines,
        openings=read_openings(args),
        format=args.format,
        games=args.games,
        variant=args.variant,
        max_plies=args.max_plies if args.max_plies is not None else 600 * freeling,
    )
    if args.referee:
        judge = load_engines([["name=referee", f"cmd={args.referee}"]], [], None)[0]
        plan.judge = EngineSpec("referee", judge.cmd)
    if plan.pairs_each > len(plan.openings):
        console.print(
            f"[yellow]note:[/] {plan.pairs_each} pairs but {len(plan.openings)} openings: they are "
            "used again, and engines that always answer alike will repeat games"
        )
    check_engines(plan)
    plan.header = header(plan, args.event, args.seed, args.order, sprt)
    output = Output(plan, args.json, args.pgn, args.event)
    try:
        pool: Pool = DaskPool(args.dask) if args.dask else LocalPool(args.concurrency)
        summary, stopped = run(plan, output, pool, console, sprt)
        if args.html and summary.games:
            from petardlib.report.tournament import write_report

            write_report(args.html, args.event, list(output.journal), summary, sprt)
            console.print(f"report: {args.html}", soft_wrap=True)
    finally:
        output.close()
    return 130 if stopped else 0


if __name__ == "__main__":
    sys.exit(guarded(main))
