#!/usr/bin/env python3
"""Games on the clock while every core is busy with other work.

    tests/reliability/load.py PETARD [--games N] [--clock MS] [--increment MS] [--movetime MS]
        [--busy N]

The engine plays itself; what each move took is measured from the last byte of `go` to the line
`bestmove`. A thread of this program only looks at the clock every millisecond: if it, too, stood
still for so long during a move that was late, the machine was late and not the engine. (Where
others want the cores too, the engine may be the one that has to wait; so only figures of a machine
without other work count.) Exit status 1: a move was late that the machine had not delayed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import threading
import time

from session import Session

BUSY = [sys.executable, "-c", "while True: pass"]


class Watch(threading.Thread):
    """Notes when this process stood still for more than a millisecond beyond its sleep."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.pauses: list[tuple[float, float]] = []

    def run(self) -> None:
        """Until the program ends."""
        last = time.monotonic()
        while True:
            time.sleep(0.001)
            now = time.monotonic()
            if now - last > 0.002:
                self.pauses.append((last, now))
            last = now

    def longest(self, begin: float, end: float) -> float:
        """The sum of all pauses within a move."""
        recent = self.pauses[-10_000:]
        return sum(b - a for a, b in recent if b > begin and a < end)


def main() -> int:
    """Plays."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("petard")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--clock", type=int, default=1000, help="ms for each side")
    parser.add_argument("--increment", type=int, default=10, help="ms")
    parser.add_argument("--movetime", type=int, help="ms for a move, in place of a clock")
    parser.add_argument("--busy", type=int, default=os.cpu_count(), help="processes beside it")
    args = parser.parse_args()
    busy = [subprocess.Popen(BUSY) for _ in range(args.busy)]
    watch = Watch()
    watch.start()
    over: list[float] = []
    late = excused = 0
    try:
        session = Session(args.petard)
        session.ask("setoption name Move Overhead value 10", "setoption name Board value 6x6")
        for _ in range(args.games):
            session.ask("ucinewgame", "position startpos")
            clocks, side = [args.clock, args.clock], 0
            while True:
                limits = (
                    f"movetime {args.movetime}"
                    if args.movetime
                    else f"wtime {clocks[0]:.0f} btime {clocks[1]:.0f} winc {args.increment} "
                    f"binc {args.increment}"
                )
                allowed = args.movetime or clocks[side]
                begin = time.monotonic()
                move = session.best(limits)
                end = time.monotonic()
                if move == "(none)":
                    break
                used = 1000 * (end - begin)
                over.append(used - allowed)
                if used > allowed:
                    pause = 1000 * watch.longest(begin, end)
                    late += 1
                    excused += pause > used - allowed
                    print(f"late by {used - allowed:.1f} ms; the watch paused {pause:.1f} ms")
                if not args.movetime:
                    clocks[side] = max(1, clocks[side] - used) + args.increment
                    side = 1 - side
                session.send(f"play {move}")
        session.quit()
    finally:
        for process in busy:
            process.kill()
    over.sort()
    shares = (0.5, 0.9, 0.99, 0.999, 1)
    spread = ", ".join(f"{share:.1%} {over[int(share * (len(over) - 1))]:.1f}" for share in shares)
    print(f"{len(over)} moves; ms beyond the limit: {spread}")
    print(f"{late} late, {excused} of them while the machine stood still")
    return 0 if late == excused else 1


if __name__ == "__main__":
    sys.exit(main())
