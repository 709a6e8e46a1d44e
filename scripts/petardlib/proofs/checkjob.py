"""One job of a check: `petard check` on some leaves of a short certificate, one thread."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from petardlib.base.errors import UserError
from petardlib.base.process import before_exec

REFUSED = 1
COUNTS = ("leaves", "nodes", "checked")


def packed(data: bytes) -> str:
    """A certificate as text, for a task."""
    return base64.b64encode(data).decode("ascii")


@dataclass
class Part:
    """What `petard check` says of some leaves: its summary, or why they are refused."""

    answer: dict[str, Any]
    refused: str | None = None


def check_part(engine: str, path: Path, first: int, last: int, memory: int) -> Part:
    """Check the leaves from ``first`` to before ``last``, with so many MB of memory."""
    command = [engine, "check", str(path), "--leaves", f"{first}-{last}", "--threads", "1"]
    command += ["--memory", str(memory)]
    try:
        done = subprocess.run(
            [*command, "--json", "--quiet"],
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=before_exec,
        )
    except OSError as error:
        raise UserError(f"cannot start the engine '{engine}': {error.strerror}") from None
    if done.returncode < 0:
        # Whatever killed it: the job is done again, by another worker.
        raise SystemExit(1)
    if done.returncode == REFUSED and "REFUSED" in done.stderr:
        return Part({}, done.stderr.split("REFUSED: ", 1)[-1].strip())
    try:
        answer = json.loads(done.stdout.splitlines()[-1])
        if done.returncode or not all(isinstance(answer[name], int) for name in COUNTS):
            raise ValueError
    except (ValueError, LookupError, TypeError):
        told = (done.stderr or done.stdout).strip().splitlines() or ["it says nothing"]
        raise UserError(f"'{' '.join(command)}' fails: {told[-1]}") from None
    return Part(answer)


class Certificates:
    """The files of a worker: each certificate once, whatever the number of jobs."""

    def __init__(self) -> None:
        """None yet."""
        self._folder = tempfile.TemporaryDirectory(prefix="petard-check-")
        self._known: dict[str, Path] = {}

    def get(self, text: str) -> Path:
        """Where the certificate of a task is."""
        data = base64.b64decode(text)
        # No CRC-32: that of a file that ends with its own is the same for all.
        checksum = hashlib.sha256(data).hexdigest()
        if checksum not in self._known:
            path = Path(self._folder.name) / checksum
            path.write_bytes(data)
            self._known[checksum] = path
        return self._known[checksum]

    def close(self) -> None:
        """Delete them."""
        self._folder.cleanup()


def check_task(task: dict[str, Any], certificates: Certificates) -> dict[str, Any]:
    """Do a job; the record for the ledger."""
    first, last = task["leaves"]
    path = certificates.get(task["certificate"])
    part = check_part(task["engine"], path, first, last, task["memory"])
    if part.refused is not None:
        return {"first": first, "last": last, "refused": part.refused}
    told = {name: part.answer[name] for name in COUNTS}
    if told["leaves"] != last - first:
        raise UserError(f"asked for leaves {first} to {last}, the engine tells of {told['leaves']}")
    return {"first": first, "last": last, **told, "s": part.answer["seconds"]}
