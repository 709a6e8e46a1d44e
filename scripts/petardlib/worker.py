"""A process that runs tasks: one per line on standard input, its record on standard output."""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from typing import Any

from petardlib.base.errors import UserError
from petardlib.base.process import die_with_parent


def perform(task: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    """Do one task: ``play``, ``analyse``, ``solve``, ``check`` leaves, or ``datagen``."""
    if task["do"] == "play":
        from petardlib.play.game import Job, Players, play_game

        players = state.setdefault("players", Players())
        return play_game(Job(**task["job"]), players)
    if task["do"] == "solve":
        from petardlib.proofs.solvejob import Solvers, solve_task

        return solve_task(task, state.setdefault("solvers", Solvers()))
    if task["do"] == "check":
        from petardlib.proofs.checkjob import Certificates, check_task

        return check_task(task, state.setdefault("certificates", Certificates()))
    if task["do"] == "datagen":
        from petardlib.training.datajob import Networks, generate_task

        return generate_task(task, state.setdefault("networks", Networks()))
    from petardlib.analysis.tasks import Analysts, analyse_task

    return analyse_task(task, state.setdefault("analysts", Analysts()))


def main() -> None:
    """Serve until standard input ends."""
    die_with_parent()
    if os.getppid() != int(sys.argv[1]):
        # The parent was killed before it could take this process with it.
        return
    # Only records may reach the parent, whatever a library prints.
    records = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    state: dict[str, Any] = {}

    def leave(*_: object) -> None:
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        for line in sys.stdin.buffer:
            try:
                record = perform(json.loads(line), state)
            except UserError as error:
                record = {"error": str(error)}
            except Exception:
                record = {"error": "internal error in a worker:\n" + traceback.format_exc()}
            records.write(json.dumps(record).encode() + b"\n")
            records.flush()
    finally:
        for keeper in state.values():
            keeper.close()


if __name__ == "__main__":
    main()
