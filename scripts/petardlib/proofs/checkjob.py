"""One job of a check: `petard check` on some leaves of a short certificate, one thread."""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path

import msgspec

from petardlib.base.errors import UserError
from petardlib.base.journal import Count, Seconds
from petardlib.base.process import run_program
from petardlib.jobs.slot import Keep, LostTaskError

REFUSED = 1
# What follows the certificate's name, which may have that word in it.
REFUSES = "' REFUSED: "


class Summary(msgspec.Struct):
    """What `petard check --json` says at its end."""

    board: str
    fen: str
    winner: str
    proven: bool
    positions: Count
    seconds: Seconds
    leaf_nodes: Count
    all_leaves: Count
    leaves: Count
    nodes: Count
    checked: Count


class Leaves(msgspec.Struct):
    """A line of the ledger: leaves that hold, from the first up to the last, exclusive."""

    first: Count
    last: Count
    leaves: Count
    nodes: Count
    checked: Count
    s: Seconds


@dataclass
class Refusal:
    """Why the certificate is refused."""

    reason: str


def check_part(engine: str, path: Path, first: int, last: int, memory: int) -> Summary | Refusal:
    """Check the leaves from ``first`` up to ``last``, exclusive, with ``memory`` MB."""
    command = [engine, "check", str(path), "--leaves", f"{first}-{last}", "--threads", "1"]
    command += ["--memory", str(memory)]
    try:
        done = run_program([*command, "--json", "--quiet"], capture_output=True, text=True)
    except OSError as error:
        raise UserError(f"cannot start the engine '{engine}': {error.strerror}") from None
    if done.returncode < 0:
        # Whatever killed it: another worker redoes the job.
        raise LostTaskError(f"'{' '.join(command)}' was killed")
    if done.returncode == REFUSED and REFUSES in done.stderr:
        return Refusal(done.stderr.split(REFUSES, 1)[-1].strip())
    try:
        if done.returncode:
            raise ValueError
        return msgspec.json.decode(done.stdout.splitlines()[-1], type=Summary)
    except (ValueError, LookupError, msgspec.DecodeError):
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no output"]
        raise UserError(f"'{' '.join(command)}' fails: {lines[-1]}") from None


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

    def run(self, keep: Keep) -> Leaves | Refusal:
        """Check them; returns the record for the ledger."""
        first, last = self.leaves
        path = keep.get(Certificates).get(self.certificate)
        part = check_part(self.engine, path, first, last, self.memory)
        if isinstance(part, Refusal):
            return part
        if part.leaves != last - first:
            raise UserError(f"asked for leaves {first} to {last}, the engine checked {part.leaves}")
        return Leaves(first, last, part.leaves, part.nodes, part.checked, part.seconds)
