#!/usr/bin/env python3
"""How much memory petard takes: Linux only.

    tests/reliability/memory.py PETARD positions [COUNT]
    tests/reliability/memory.py PETARD hash [MEGABYTES ...]
    tests/reliability/memory.py PETARD limits

`positions`: searches COUNT positions of random games, on several boards and of both games, in one
session, and watches its resident size. `hash`: the resident size after a search, for each size of
the hash table. `limits`: addresses, threads and files run out at various steps of a session. Exit
status 1: it grew, took more than 5% + 20 MB beyond what was requested, or was silent.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time

from session import EngineError, Session

MB = 1024
ALLOWED = 20 * MB

# How each position is searched.
LIMITS = ("nodes 1", "depth 1", "nodes 20", "nodes 50", "mate 1 nodes 20")


def positions(petard: str, count: int) -> bool:
    """Whether the size stays the same after the first tenth."""
    generator = random.Random(22)
    session = Session(petard)
    # The weakest strength plays at random.
    session.ask(
        "setoption name Hash value 16",
        "setoption name UCI_LimitStrength value true",
        "setoption name UCI_Elo value -110",
    )
    first, last, done, reported = 0, 0, 0, 0
    begin = time.monotonic()
    while done < count:
        if generator.random() < 0.2:
            session.ask("setoption name UCI_Variant value freeling", "ucinewgame")
        else:
            board = f"{generator.randint(4, 10)}x{generator.randint(5, 10)}"
            session.ask(f"setoption name Board value {board}", "ucinewgame")
        moves: list[str] = []
        while len(moves) < 60 and (move := session.best("nodes 1")) != "(none)":
            moves.append(move)
            session.send(f"play {move}")
        done += len(moves)
        # And everything once more, as fast as the lines can be sent.
        for ply in range(len(moves)):
            session.send(f"position startpos moves {' '.join(moves[:ply])}")
            for limits in LIMITS:
                session.send(f"go {limits}")
        for _ in range(len(moves) * len(LIMITS)):
            session.read_until("bestmove")
            done += 1
        size = session.status("VmRSS")
        last = max(last, size)
        if done <= count / 10:
            first = max(first, size)
        if done >= reported:
            reported += count // 20
            threads, handles = session.status("Threads"), session.handles()
            seconds = time.monotonic() - begin
            print(
                f"{done} searches, {size / MB:.1f} MB, {threads} threads, {handles} files, "
                f"{seconds:.0f} s",
                flush=True,
            )
    session.quit()
    print(f"most: {first / MB:.1f} MB in the first tenth, {last / MB:.1f} MB overall")
    return last <= first + 2 * MB


def hash_sizes(petard: str, sizes: list[int]) -> bool:
    """Whether the resident size is what was requested."""
    holds = True
    base = Session(petard)
    base.ask("setoption name Hash value 1", "go nodes 1000")
    least = base.status("VmRSS")
    base.quit()
    print(f"with 1 MB: {least / MB:.1f} MB")
    for size in sizes:
        session = Session(petard)
        session.ask(f"setoption name Hash value {size}")
        session.best("nodes 300000")
        found = session.status("VmRSS")
        smaller = min(1, size)
        session.ask(f"setoption name Hash value {smaller}")
        after = session.status("VmRSS")
        session.quit()
        right = found <= size * MB * 1.05 + ALLOWED and after <= least + ALLOWED
        holds = holds and right
        print(
            f"Hash {size}: {found / MB:.1f} MB, and {after / MB:.1f} MB after shrinking to "
            f"{smaller} MB{'' if right else ': TOO MUCH'}",
            flush=True,
        )
    return holds


# The steps of a session; a limit is set before each of them in turn.
STEPS = (
    "uci",
    "setoption name Hash value 64",
    "setoption name Threads value 4",
    "position startpos moves a2a3 a7a6",
    "setoption name Board value 10x10",
    "setoption name UCI_Variant value freeling",
    "setoption name EvalFile value <built-in>",
    "go prove nodes 2000",
    "bench 3",
    "setoption name Hash value 512",
    "setoption name Threads value 32",
    "ucinewgame",
)
REFUSALS = ("refused", "not enough", "cannot", "error")


def do(session: Session, line: str) -> list[str]:
    """Does a step to its end; returns what is reported."""
    if line.startswith("go"):
        session.send(line)
        return session.read_until("bestmove")
    reported = session.ask(line)
    # `bench` continues after `readyok`; the next command waits for its end.
    return reported + do(session, "go nodes 1") if line.startswith("bench") else reported


def limits(petard: str) -> bool:
    """Whether every step is answered and searches still work, whatever runs out before it."""
    holds = True
    for kind in ("as", "nproc", "nofile"):
        # Root may start any number of threads.
        is_root = kind == "nproc" and os.geteuid() == 0
        user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if is_root else []
        for step in range(len(STEPS)):
            session = Session(*user, petard)
            for line in STEPS[:step]:
                do(session, line)
            session.ask()
            process = session.pid
            most = {
                "as": 1024 * session.status("VmSize") + (8 << 20),
                "nproc": 0,
                "nofile": session.handles() if kind == "nofile" else 0,
            }[kind]
            subprocess.run([*user, "prlimit", f"--pid={process}", f"--{kind}={most}"], check=True)
            reported = []
            try:
                for line in (*STEPS[step:], "position startpos", "go nodes 500"):
                    reported += do(session, line)
                move = reported[-1].split()[1]
                status = session.quit()
            except EngineError as error:
                move, status = str(error), -1
                session.close()
            is_refused = any("not enough memory" in line for line in reported)
            right = status == 0 and (move != "(none)" or is_refused)
            holds = holds and right
            refused = sum(any(word in line for word in REFUSALS) for line in reported)
            mark = "" if right else ": FAILED"
            print(f"{kind} before '{STEPS[step]}': {refused} refused, {move}{mark}", flush=True)
    return holds


def main() -> int:
    """Runs the requested measurement."""
    match sys.argv[1:]:
        case [petard, "positions", *count]:
            holds = positions(petard, int(count[0]) if count else 1_000_000)
        case [petard, "hash", *sizes]:
            holds = hash_sizes(petard, [int(size) for size in sizes] or [1, 16, 64, 256, 1024])
        case [petard, "limits"]:
            holds = limits(petard)
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    print("held" if holds else "FAILED")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
