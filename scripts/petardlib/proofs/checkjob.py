"""One job of a check: `petard check` on some leaves of a short certificate, one thread."""

from __future__ import annotations

import hashlib
import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from petardlib.base.errors import UserError
from petardlib.base.process import before_exec
from petardlib.jobs.slot import Keep, LostTaskError

REFUSED = 1
# What follows the certificate's name, which may have that word in it.
REFUSES = "' REFUSED: "
COUNTS = ("leaves", "nodes", "checked")


@dataclass
class Part:
    """What `petard check` says about some leaves: its summary, or why they are refused."""

    answer: dict[str, Any]
    refused: str | None = None


def check_part(engine: str, path: Path, first: int, last: int, memory: int) -> Part:
    """Check the leaves from ``first`` up to ``last``, exclusive, with ``memory`` MB."""
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
        # Whatever killed it: another worker redoes the job.
        raise LostTaskError(f"'{' '.join(command)}' was killed")
    if done.returncode == REFUSED and REFUSES in done.stderr:
        return Part({}, done.stderr.split(REFUSES, 1)[-1].strip())
    try:
        answer = json.loads(done.stdout.splitlines()[-1])
        if done.returncode or not all(isinstance(answer[name], int) for name in COUNTS):
            raise ValueError
    except (ValueError, LookupError, TypeError):
        told = (done.stderr or done.stdout).strip().splitlines() or ["no output"]
        raise UserError(f"'{' '.join(command)}' fails: {told[-1]}") from None
    return Part(answer)


class Certificates:
    """A worker's files: each certificate once, however many jobs use it."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="petard-check-")
        self._known: dict[str, Path] = {}

    def get(self, data: bytes) -> Path:
        """The path of a task's certificate, which is written if it is new."""
        # Not CRC-32: it is the same for all files that end with their own.
        checksum = hashlib.sha256(data).hexdigest()
        if checksum not in self._known:
            path = Path(self._folder.name) / checksum
            path.write_bytes(data)
            self._known[checksum] = path
        return self._known[checksum]

    def close(self) -> None:
        self._folder.cleanup()


@dataclass(frozen=True)
class CheckTask:
    """Some leaves of a certificate: from the first up to the last, exclusive."""

    engine: str
    certificate: bytes
    leaves: tuple[int, int]
    memory: int

    def run(self, keep: Keep) -> dict[str, Any]:
        """Check them; returns the record for the ledger."""
        first, last = self.leaves
        path = keep.get(Certificates).get(self.certificate)
        part = check_part(self.engine, path, first, last, self.memory)
        if part.refused is not None:
            return {"first": first, "last": last, "refused": part.refused}
        counts = {name: part.answer[name] for name in COUNTS}
        if counts["leaves"] != last - first:
            raise UserError(
                f"asked for leaves {first} to {last}, the engine checked {counts['leaves']}"
            )
        return {"first": first, "last": last, **counts, "s": part.answer["seconds"]}
