#!/usr/bin/env python3
"""Games on the clock while every core is busy with other work.

    tests/reliability/load.py PETARD [--games N] [--clock MS] [--increment MS] [--movetime MS]
        [--board WxH] [--busy N]

The engine plays itself; what each move took is measured from the last byte of `go` to the line
`bestmove`. Linux counts how long each thread was ready to run and had no core
(/proc/PID/task/TID/schedstat): where the engine's threads and this program together waited for
longer than a move was late, the machine was late and not the engine. A game is lost on time when
a clock runs out, and with --movetime when a move is late. Exit status 1: one was, and the engine
had the time.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

from session import Session

BUSY = [sys.executable, "-c", "while True: pass"]


def waited(*processes: int) -> float:
    """Milliseconds that all threads of these processes have waited for a core."""
    total = 0
    for process in processes:
        for thread in Path(f"/proc/{process}/task").iterdir():
            with contextlib.suppress(OSError):  # it has just ended
                total += int((thread / "schedstat").read_text().split()[1])
    return total / 1e6


def spread(values: list[float]) -> str:
    """Some of the values in order."""
    values = sorted(values)
    shares = (0.5, 0.9, 0.99, 0.999, 1)
    return ", ".join(
        f"{share:.1%} {values[int(share * (len(values) - 1))]:.1f}" for share in shares
    )


def main() -> int:
    """Plays."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("petard")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--clock", type=int, default=1000, help="ms for each side")
    parser.add_argument("--increment", type=int, default=10, help="ms")
    parser.add_argument("--movetime", type=int, help="ms for a move, in place of a clock")
    parser.add_argument("--board", default="8x8")
    parser.add_argument("--busy", type=int, default=os.cpu_count(), help="processes beside it")
    args = parser.parse_args()
    busy = [subprocess.Popen(BUSY) for _ in range(args.busy)]
    over: list[float] = []
    waits: list[float] = []
    late = excused = 0
    try:
        session = Session(args.petard)
        session.ask(
            "setoption name Move Overhead value 10",
            f"setoption name Board value {args.board}",
        )
        processes = (session.process.pid, os.getpid())
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
                before = waited(*processes)
                begin = time.monotonic()
                move = session.best(limits)
                end = time.monotonic()
                if move == "(none)":
                    break
                used = 1000 * (end - begin)
                wait = waited(*processes) - before
                over.append(used - allowed)
                waits.append(wait)
                if used > allowed:
                    late += 1
                    excused += wait > used - allowed
                    if wait <= used - allowed:
                        print(f"late by {used - allowed:.1f} ms; waited {wait:.1f} ms for a core")
                if not args.movetime:
                    clocks[side] = max(1, clocks[side] - used) + args.increment
                    side = 1 - side
                session.send(f"play {move}")
        session.quit()
    finally:
        for process in busy:
            process.kill()
    own = [beyond - wait for beyond, wait in zip(over, waits, strict=True)]
    print(f"{args.games} games, {len(over)} moves")
    for name, values in (
        ("ms beyond the limit", over),
        ("waited for a core, ms", waits),
        ("beyond the limit without the wait", own),
    ):
        print(f"{name}: {spread(values)}")
    print(f"{late} late, {excused} of them for want of a core")
    return 0 if late == excused else 1


if __name__ == "__main__":
    sys.exit(main())
