"""Grows an opening book from the start position by searches, as jobs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from petardlib.base.errors import UserError
from petardlib.base.files import check_outputs, replace_bytes
from petardlib.base.process import Interrupt
from petardlib.commands.cli import (
    add_result_options,
    add_resume_option,
    add_worker_options,
    check_json,
    check_numbers,
    guarded,
    make_console,
    make_pool,
    write_json,
)
from petardlib.openingbook.file import TITLE
from petardlib.openingbook.run import Growth, Progress, Run
from petardlib.play.spec import load_engines
from petardlib.rules.positions import start_board

EPILOG = """\
The book grows by drop-out expansion (Lincke 2000): the line that gives up least is searched next,
and every ply costs a little too (--step), so that the book becomes broad near the start and long
where play is good. A search gives the values of a position's --lines best moves; they are backed up
by negamax, mirror images are one position, and what is proven is exact. Every finished search is a
line of the --resume file; after any stop the same command resumes from there, with more --positions
the book grows on, and with --positions 1 it is only written again.

On a board for which the engine has a proof (option.ProofFile=FILE), positions need no search: the
book keeps one winning move where the winner moves, and every reply where the loser does.

exit status: 0 done, 2 an error, 130 stopped (the book is written)

examples:
  a book of 8x8, grown by one engine:
    opening_book.py --resume 8x8.jsonl --out 8x8.book --positions 1000
  on a cluster:
    opening_book.py --resume 8x8.jsonl --out 8x8.book --positions 20000 --dask tcp://host:8786
  6x6 from its proof:
    opening_book.py --board 6x6 --resume 6x6.jsonl --out 6x6.book --positions 2000 \\
                    --engine option.ProofFile=docs/certificates/6x6.proof
"""


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("--board", default="8x8", metavar="WxH", help="board (default 8x8)")
    p.add_argument("--out", type=Path, metavar="FILE", help="the book, written at the end")
    growth = p.add_argument_group("growth")
    growth.add_argument(
        "--positions", type=int, default=1000, metavar="N", help="total (default 1000)"
    )
    growth.add_argument(
        "--nodes",
        type=int,
        default=2_000_000,
        metavar="N",
        help="nodes per search (default 2,000,000)",
    )
    growth.add_argument(
        "--deeper",
        type=int,
        default=3,
        metavar="PLIES",
        help="twice the nodes for each ply by which a position is nearer to the start than this "
        "(default 3)",
    )
    growth.add_argument(
        "--lines",
        type=int,
        default=5,
        metavar="N",
        help="best moves that a search reports (default 5); at the start, all",
    )
    growth.add_argument(
        "--step", type=int, default=2, metavar="CP", help="what a ply costs (default 2)"
    )
    growth.add_argument(
        "--max-ply", type=int, default=60, metavar="N", help="plies from the start (default 60)"
    )
    where = p.add_argument_group("work")
    where.add_argument(
        "--engine",
        nargs="+",
        default=["name=petard"],
        metavar="KEY=VALUE",
        help="settings of the engine: cmd=COMMAND dir=FOLDER option.NAME=VALUE "
        "(default: target/release/petard, else petard on PATH)",
    )
    add_worker_options(where, "searches")
    add_resume_option(where, "searches", required=True)
    add_result_options(where, "the result as a JSON object")
    return p


def run_command(argv: Sequence[str] | None) -> int:
    """Grow a book; 0 when it has all its positions, 130 when stopped."""
    args = parser().parse_args(argv)
    check_numbers(
        args, positions=1, nodes=1, deeper=0, lines=1, step=0, max_ply=1, workers=1, report=0.0
    )
    check_json(args.json)
    check_outputs({"--resume": args.resume, "--out": args.out})
    if args.out is not None and args.out.is_file():
        with args.out.open("rb") as file:
            if file.read(len(TITLE)) != TITLE:
                raise UserError(f"--out {args.out}: not an opening book; choose a different file")
    (engine,) = load_engines([args.engine], [])
    if engine.limit.bounded:
        raise UserError("--engine: the limit of a search is --nodes")
    growth = Growth(args.lines, args.nodes, min(args.deeper, 10), args.max_ply)
    console = make_console(stderr=True)
    stopped = False

    def report(progress: Progress) -> None:
        console.print(progress.text(), soft_wrap=True)

    run = Run(args.resume, start_board(size=args.board), args.step)
    try:
        if run.searches:
            console.print(f"resumed: {run.searches} searches are already there", soft_wrap=True)
        pool = make_pool(args, console)
        try:
            with Interrupt():
                shown = None if args.quiet else report
                run.work(pool, engine, growth, args.positions, shown, args.report)
        except KeyboardInterrupt:
            stopped = True
            console.print("stopped; the same command resumes from here", soft_wrap=True)
        finally:
            pool.close()
    finally:
        run.close()
    progress = run.progress()
    if args.out is not None:
        replace_bytes(args.out, [run.book()])
    print(progress.text())
    write_json(args.json, {"stopped": stopped, **asdict(progress)})
    return 130 if stopped else 0


def main(argv: Sequence[str] | None = None) -> int:
    return guarded(run_command, argv)
