"""A petard process, driven line by line, and what the system reports about it."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path


class Session:
    """A process and its lines."""

    def __init__(self, *command: str) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def send(self, *lines: str) -> None:
        """Writes lines."""
        assert self.process.stdin
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def until(self, beginning: str) -> list[str]:
        """All lines up to one starting with `beginning`; `EOFError` if the session ends first."""
        assert self.process.stdout
        lines = []
        for line in self.process.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith(beginning):
                return lines
        raise EOFError(f"no line '{beginning}...' after {lines[-3:]}")

    def ask(self, *lines: str) -> list[str]:
        """The lines up to `readyok`."""
        self.send(*lines, "isready")
        return self.until("readyok")

    def best(self, limits: str) -> str:
        """The answer to a search."""
        self.send(f"go {limits}")
        return self.until("bestmove")[-1].split()[1]

    def status(self, name: str) -> int:
        """A number from /proc/PID/status: `VmRSS` in kB, `Threads`, ..."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line for line in text.splitlines() if line.startswith(name)).split()[1])

    def handles(self) -> int:
        """How many files it has open."""
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def quit(self) -> tuple[int, float]:
        """Quits; returns the exit status, and how many seconds it took to exit."""
        begin = time.monotonic()
        self.send("quit")
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.stdout.close()
        status = self.process.wait(timeout=60)
        return status, time.monotonic() - begin
