"""The parent's side of a process that runs tasks (`petardlib.worker`).

Each worker is a process of its own, so that neither the interpreter's lock nor a fault in one game
can affect another; the local pool and the machines of a Dask cluster use the same worker.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from typing import IO, Any

from petardlib import SCRIPTS_DIR
from petardlib.base.errors import UserError


class WorkerDied(Exception):  # noqa: N818 - named for what happened
    """A worker process ended while it held a job."""


class Worker:
    """The parent's side of a worker process."""

    def __init__(self) -> None:
        """Start the process; `submit` can be called at once."""
        path = os.pathsep.join(filter(None, [str(SCRIPTS_DIR), os.environ.get("PYTHONPATH", "")]))
        self._process = subprocess.Popen(
            # -P: modules in the working directory are none of ours.
            [sys.executable, "-P", "-m", "petardlib.worker", str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            # Ctrl-C is for the runner, which ends its workers itself.
            start_new_session=True,
        )
        assert self._process.stdin and self._process.stdout
        self._in: IO[bytes] = self._process.stdin
        self.out: IO[bytes] = self._process.stdout

    @property
    def pid(self) -> int:
        """The process id, for tests that kill it."""
        return self._process.pid

    def submit(self, task: dict[str, Any]) -> None:
        """Hand over a task without waiting for its result."""
        try:
            self._in.write(json.dumps(task).encode() + b"\n")
            self._in.flush()
        except OSError:
            raise WorkerDied from None

    def result(self) -> dict[str, Any]:
        """Wait for the record of the submitted task."""
        line = self.out.readline()
        if not line.endswith(b"\n"):
            raise WorkerDied
        record: dict[str, Any] = json.loads(line)
        if "error" in record:
            raise UserError(record["error"])
        return record

    def close(self) -> None:
        """End the process; its engines end with it."""
        with contextlib.suppress(OSError):
            self._in.close()
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(2.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.out.close()
