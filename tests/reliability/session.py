"""A petard process, driven line by line, and what the system reports about it."""

from __future__ import annotations

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from petardlib.base.errors import EngineError
from petardlib.play.uciprocess import UciProcess

__all__ = ["EngineError", "Session"]


class Session(UciProcess):
    """A process and its lines."""

    timeout_ms = math.inf

    def __init__(self, *command: str) -> None:
        super().__init__(command)

    def best(self, limits: str) -> str:
        """The answer to a search."""
        self.send(f"go {limits}")
        return self.read_until("bestmove")[-1].split()[1]

    def status(self, name: str) -> int:
        """A number from /proc/PID/status: `VmRSS` in kB, `Threads`, ..."""
        text = Path(f"/proc/{self.pid}/status").read_text()
        return int(next(line for line in text.splitlines() if line.startswith(name)).split()[1])

    def handles(self) -> int:
        """How many files it has open."""
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))
