#!/usr/bin/env python3
"""Timed games while every core is busy with other work.

    tests/reliability/load.py PETARD [--games N] [--clock MS] [--increment MS] [--movetime MS]
        [--board WxH] [--busy N]

The engine plays itself; each move is timed from the last byte of `go` to the `bestmove` line. Linux
counts how long each thread was ready to run but had no core (/proc/PID/task/TID/schedstat): if the
engine's threads and this program together waited longer than a move was late, the machine was late
and not the engine. The same holds if the machine itself stood still, as virtual ones do: a process
with top priority watches for that on each core. A game is lost on time when a clock runs out, and
with --movetime when a move is late. Exit status 1: a game was lost on time although the engine had
the time.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

from session import Session

BUSY = [sys.executable, "-c", "while True: pass"]


def watch(core: int, pauses: Connection) -> None:
    """Reports when this core did nothing for over a millisecond: the machine was stopped."""
    os.sched_setaffinity(0, {core})
    # Top priority; without the right to it, waits for the core would be counted twice.
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    last = time.monotonic()
    while True:
        time.sleep(0.0005)
        now = time.monotonic()
        if now - last > 0.0015:
            pauses.send((last, now))
        last = now


class Pauses:
    """Times when the machine itself stood still, if this program is allowed to watch for them."""

    def __init__(self) -> None:
        self.inboxes: list[Connection] = []
        self.known: list[tuple[float, float]] = []
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        except PermissionError:
            print("cannot tell when the machine itself stood still (this needs root)")
            return
        for core in os.sched_getaffinity(0):
            inbox, outbox = multiprocessing.Pipe(duplex=False)
            multiprocessing.Process(target=watch, args=(core, outbox), daemon=True).start()
            self.inboxes.append(inbox)

    def within(self, begin: float, end: float) -> float:
        """How many milliseconds a core stood still in a stretch of time."""
        time.sleep(0.01)  # the last one is reported when it is over
        for inbox in self.inboxes:
            while inbox.poll():
                self.known.append(inbox.recv())
        self.known = [pause for pause in self.known if pause[1] > begin]
        return 1000 * sum(max(0.0, min(b, end) - max(a, begin)) for a, b in self.known)


def waits_of(*processes: int) -> dict[str, int]:
    """How many nanoseconds each thread of these processes has waited for a core."""
    waits = {}
    for process in processes:
        for thread in Path(f"/proc/{process}/task").iterdir():
            with contextlib.suppress(OSError):  # it has just ended
                waits[thread.name] = int((thread / "schedstat").read_text().split()[1])
    return waits


def spread(values: list[float]) -> str:
    """Some percentiles of the values."""
    values = sorted(values)
    shares = (0.5, 0.9, 0.99, 0.999, 1)
    return ", ".join(
        f"{share:.1%} {values[int(share * (len(values) - 1))]:.1f}" for share in shares
    )


def main() -> int:
    """Plays the games."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("petard")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--clock", type=int, default=1000, help="ms for each side")
    parser.add_argument("--increment", type=int, default=10, help="ms")
    parser.add_argument("--movetime", type=int, help="ms per move, instead of a clock")
    parser.add_argument("--board", default="8x8")
    parser.add_argument("--busy", type=int, default=os.cpu_count(), help="busy processes")
    args = parser.parse_args()
    busy = [subprocess.Popen(BUSY) for _ in range(args.busy)]
    over: list[float] = []
    waits: list[float] = []
    late = waiting = stopped = 0
    pauses = Pauses()
    try:
        session = Session(args.petard)
        session.ask(
            "setoption name Move Overhead value 10",
            f"setoption name Board value {args.board}",
        )
        processes = (session.pid, os.getpid())
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
                before = waits_of(*processes)
                begin = time.monotonic()
                move = session.best(limits)
                end = time.monotonic()
                if move == "(none)":
                    break
                used = 1000 * (end - begin)
                after = waits_of(*processes)
                wait = sum(after[thread] - before.get(thread, 0) for thread in after) / 1e6
                over.append(used - allowed)
                waits.append(wait)
                if used > allowed:
                    late += 1
                    beyond = used - allowed
                    if wait > beyond:
                        waiting += 1
                    elif wait + (pause := pauses.within(begin, end)) > beyond:
                        stopped += 1
                    else:
                        print(f"late by {beyond:.1f} ms; waits {wait:.1f}, pauses {pause:.1f}")
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
        ("ms beyond the limit, less the wait", own),
    ):
        print(f"{name}: {spread(values)}")
    print(f"{late} late: {waiting} waiting for a core, {stopped} while the machine stood still")
    return 0 if late == waiting + stopped else 1


if __name__ == "__main__":
    sys.exit(main())
