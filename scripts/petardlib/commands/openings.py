"""Makes balanced openings: random plies, a window of win probability, no duplicates."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.progress import track

from petard import Board
from petardlib.base.errors import EngineError, UserError
from petardlib.base.files import check_outputs, replace_text
from petardlib.commands.cli import add_quiet_option, check_numbers, guarded, make_console
from petardlib.play.bookmaker import OpeningCriteria, make_book
from petardlib.play.spec import ENGINE_HELP, EngineSpec, load_engines
from petardlib.rules.positions import BREAKTHROUGH, FREELING, VARIANTS, start_board

EXAMPLES = """\
exit status: 0 done, 2 an error, 130 stopped; what was found before is kept

example:
  500 openings of 8 plies that the engine at depth 11 gives 40% to 60%:
    openings.py --engine cmd=target/release/petard depth=11 --count 500 --out openings.epd
The same seed, engine and depth or node limit give the same file.
"""


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument(
        "--engine",
        nargs="+",
        default=["name=petard"],
        metavar="KEY=VALUE",
        help=f"{ENGINE_HELP}; default limit: depth=10",
    )
    p.add_argument(
        "--count", type=int, default=100, metavar="N", help="number of openings (default 100)"
    )
    p.add_argument(
        "--plies", type=int, default=8, metavar="N", help="random plies in each (default 8)"
    )
    p.add_argument(
        "--window",
        nargs=2,
        type=float,
        default=(0.4, 0.6),
        metavar=("LOW", "HIGH"),
        help="win probability of the side to move (default 0.4 0.6)",
    )
    p.add_argument(
        "--centipawns",
        type=int,
        metavar="CP",
        help="bound on the engine's score instead of --window",
    )
    p.add_argument(
        "--scale",
        type=float,
        default=400.0,
        metavar="CP",
        help="centipawns that mean odds of ten to one, for engines without WDL (default 400)",
    )
    p.add_argument("--board", default="8x8", metavar="WxH", help="files x ranks (default 8x8)")
    p.add_argument(
        "--variant",
        choices=VARIANTS,
        default=BREAKTHROUGH,
        help="which game",
    )
    p.add_argument("--seed", type=int, default=1, help="seed of the random plies (default 1)")
    add_quiet_option(p)
    p.add_argument("--out", type=Path, metavar="FILE", help="EPD file (default standard output)")
    return p


def read_criteria(args: argparse.Namespace) -> OpeningCriteria:
    """What is asked for, checked."""
    check_numbers(args, count=1, plies=0, centipawns=0, scale=0.0, seed=0)
    low, high = args.window
    if not 0 <= low < high <= 1:
        raise UserError(f"--window {low:g} {high:g}: expected 0 <= LOW < HIGH <= 1")
    return OpeningCriteria(
        args.count, args.plies, low, high, args.centipawns, args.scale, args.seed
    )


def make(
    args: argparse.Namespace, spec: EngineSpec, start: Board, criteria: OpeningCriteria
) -> tuple[list[str], BaseException | None]:
    """The lines of the EPD file, and what cut the search short: Ctrl-C or a `UserError`."""
    lines: list[str] = []
    console = make_console(stderr=True)
    tried = 0
    end: BaseException | None = None
    try:
        book = make_book(spec, start, criteria)
        for found in track(
            book, "openings", total=criteria.count, console=console, disable=args.quiet
        ):
            score = found["score"]
            operation = f" ce {score.cp};" if score.cp is not None else ""
            # Four fields and operations: proper EPD
            rows, side = found["fen"].split()[:2]
            lines.append(
                f'{rows} {side} - -{operation} id "{args.board} s{criteria.seed} {len(lines) + 1}";'
            )
            tried = found["tried"]
    except KeyboardInterrupt as stop:
        end = stop
        console.print("stopped; keeping what was found" if lines else "stopped")
    except (EngineError, UserError) as error:
        reason = f"engine '{spec.name}': {error}" if isinstance(error, EngineError) else str(error)
        if not lines:
            raise UserError(reason) from None
        end = UserError(f"{reason}; what was found before is kept")
    console.print(f"{len(lines)} of {criteria.count} openings from {tried} positions tried")
    return lines, end


def run_command(argv: Sequence[str] | None) -> int:
    """Make a set of openings; 130 when stopped."""
    args = parser().parse_args(argv)
    check_outputs({"--out": args.out})
    start = start_board(args.variant, args.board)
    if args.variant == FREELING:
        args.board = FREELING
    spec = load_engines([args.engine], [], default={"depth": 10})[0]
    criteria = read_criteria(args)
    if args.out and args.out.exists():
        raise UserError(f"{args.out} exists; choose a different file")
    lines, end = make(args, spec, start, criteria)
    if not lines and end is not None:
        # Without an empty file, the next try needs no other name.
        raise end
    text = "".join(f"{line}\n" for line in lines)
    if args.out:
        replace_text(args.out, [text])
    else:
        sys.stdout.write(text)
    if end is not None:
        raise end
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    return guarded(run_command, argv)
