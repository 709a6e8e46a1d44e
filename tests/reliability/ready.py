#!/usr/bin/env python3
"""How quickly `readyok` comes, whatever else is running.

Starts one kind of work after another (searches with one and more threads, proofs, `perft`, and
searches with other commands queued behind them), sends `isready` ASKED times (default 2,000) at
random moments of each, and reports how long the answers took: the median, the 99th percentile and
the maximum, in milliseconds. Exit status 1: an answer took more than 50 ms. Run it on an idle
machine: other load shows in the times.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from session import Session

LIMIT = 0.05
BEGIN = (
    "position startpos",
    "setoption name Board value 8x8",
    "setoption name Threads value 1",
    "setoption name Hash value 64",
)
WORK = {
    "one thread": ("go infinite",),
    "eight threads": ("setoption name Threads value 8", "go infinite"),
    "ponder": ("go ponder wtime 1000 btime 1000",),
    "four lines": ("setoption name MultiPV value 4", "go infinite"),
    "prove": ("setoption name Board value 6x6", "position startpos", "go prove"),
    "perft": ("go perft 12",),
    "Freeling's game": ("setoption name UCI_Variant value freeling", "go infinite"),
    "queued commands": (
        "go infinite",
        *(f"setoption name Hash value {size}" for size in (1024, 16, 512) * 300),
    ),
}


def times(petard: str, work: tuple[str, ...], asked: int, generator: random.Random) -> list[float]:
    """The seconds that each answer took, ascending."""
    session = Session(petard)
    session.ask(*BEGIN)
    session.send(*work)
    session.ask()
    found = []
    for _ in range(asked):
        time.sleep(generator.random() / 100)
        begin = time.monotonic()
        session.ask()
        found.append(time.monotonic() - begin)
    session.quit()
    return sorted(found)


def main() -> int:
    """Measures, and reports the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("petard", help="the engine")
    parser.add_argument("asked", nargs="?", type=int, default=2000, help="questions (default 2000)")
    args = parser.parse_args()
    generator = random.Random(50)
    worst = 0.0
    for name, work in WORK.items():
        found = times(args.petard, work, args.asked, generator)
        shown = (found[len(found) // 2], found[len(found) * 99 // 100], found[-1])
        print(
            f"{name}:",
            ", ".join(f"{1000 * value:.2f}" for value in shown),
            "ms",
            flush=True,
        )
        worst = max(worst, found[-1])
    return 1 if worst > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
