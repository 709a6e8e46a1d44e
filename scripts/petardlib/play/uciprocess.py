"""A process that speaks UCI, or any protocol of lines: every wait for it is bounded.

A thread for each of the process's pipes reads or writes it, so that no wait blocks on any system;
what is read gets its time where it is read. Standard error is kept for error reports.
"""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue

from petardlib.base.errors import EngineError
from petardlib.base.process import end_program, start_program

MAX_LINE = 64 * 1024
MAX_BYTES_PER_WAIT = 32 * 1024 * 1024
MAX_CHUNKS = 1024
"""How many pieces of output are read before anybody asks for them; the rest stays in the pipe."""
LONGEST_WAIT_S = 1000.0
SEND_SECONDS = 5.0
"""How long an engine may take to read what it is sent."""


class UciProcess:
    """A running process. Every method may raise `EngineError`; then `close` it."""

    timeout_ms = 15_000.0
    """How long to wait for a line, where nothing else is said."""

    def __init__(
        self, cmd: Sequence[str], folder: str | None = None, log: Path | None = None
    ) -> None:
        """Start the process, in ``folder`` if that is given; ``log`` takes all that is said."""
        self.dialogue: deque[str] = deque(maxlen=24)
        self._lines: deque[tuple[float, bytes]] = deque()
        self._tail = b""
        self._errors = b""
        self._bytes = 0
        self._eof = False
        self._log = log.open("w", encoding="utf-8", buffering=1) if log else None
        self._began = time.perf_counter()
        try:
            self._process = start_program(cmd, subprocess.PIPE, folder)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            if isinstance(error, OSError) and error.errno == errno.ENOEXEC:
                reason = "neither a program nor a script that begins with #! and its interpreter"
            raise EngineError("setup", f"cannot start {cmd[0]}: {reason}") from None
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._in = self._process.stdin.fileno()
        self._read: SimpleQueue[tuple[float, bytes]] = SimpleQueue()
        self._room = threading.Semaphore(MAX_CHUNKS)
        self._unsent: SimpleQueue[bytes | None] = SimpleQueue()
        self._sent: SimpleQueue[float | None] = SimpleQueue()
        self._is_closed = False
        self._threads = [
            threading.Thread(target=work, args=arguments, daemon=True)
            for work, *arguments in (
                (self._read_output, self._process.stdout.fileno()),
                (self._read_errors, self._process.stderr.fileno()),
                (self._write,),
            )
        ]
        self._errors_reader = self._threads[1]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def _error(self, kind: str, detail: str, alive: bool = False) -> EngineError:
        error = EngineError(kind, detail, alive)
        error.dialogue = self.last_words()
        return error

    def _read_output(self, fd: int) -> None:
        data = b"?"
        while data:
            self._room.acquire()
            try:
                data = b"" if self._is_closed else os.read(fd, 1 << 16)
            except OSError:
                data = b""
            self._read.put((time.perf_counter(), data))

    def _read_errors(self, fd: int) -> None:
        with contextlib.suppress(OSError, ValueError):
            while not self._is_closed and (data := os.read(fd, 1 << 16)):
                self._errors = (self._errors + data)[-2048:]
                self._write_log("!", data.decode("utf-8", "replace").rstrip())

    def _write(self) -> None:
        while (data := self._unsent.get()) is not None:
            left = memoryview(data)
            try:
                while left:
                    left = left[os.write(self._in, left) :]
            except OSError:
                self._sent.put(None)
            else:
                self._sent.put(time.perf_counter())

    def _fill(self, timeout_ms: float) -> None:
        """Wait at most ``timeout_ms`` for output, and take what is there."""
        try:
            wait = min(max(0.0, timeout_ms / 1000), LONGEST_WAIT_S)
            stamp, data = self._read.get(block=wait > 0, timeout=wait)
        except Empty:
            return
        self._room.release()
        if data:
            self._take(stamp, data)
        else:
            self._eof = True

    def _take(self, stamp: float, data: bytes) -> None:
        self._bytes += len(data)
        if self._bytes > MAX_BYTES_PER_WAIT:
            raise self._error(
                "flood", f"more than {MAX_BYTES_PER_WAIT >> 20} MiB of output at once"
            )
        *lines, self._tail = (self._tail + data).split(b"\n")
        if len(self._tail) > MAX_LINE or any(len(line) > MAX_LINE for line in lines):
            self._hear(max([*lines, self._tail], key=len)[:80])
            raise self._error("flood", f"a line of more than {MAX_LINE >> 10} KiB")
        self._lines.extend((stamp, line) for line in lines)

    def comment(self, text: str) -> None:
        """Write a line to the log that is not part of the dialogue."""
        self._write_log("#", text)

    def _write_log(self, sign: str, text: str) -> None:
        if self._log is not None:
            self._log.write(f"{time.perf_counter() - self._began:.6f} {sign} {text}\n")

    def _hear(self, raw: bytes) -> None:
        text = raw.decode("utf-8", "replace")
        self._write_log("<", text)
        self.dialogue.append("< " + (text if len(text) <= 200 else text[:197] + "..."))

    def _read_line(self, deadline: float) -> tuple[float, str] | None:
        """The next line and when it came; None when ``deadline`` (perf_counter, s) has passed."""
        while not self._lines:
            if self._eof:
                raise self._error("crash", self._exit_text())
            left = (deadline - time.perf_counter()) * 1000
            if left <= 0:
                return None
            self._fill(left)
        stamp, raw = self._lines.popleft()
        raw = raw.rstrip(b"\r")
        self._hear(raw)
        # A name in another encoding does no harm.
        text = raw.decode("utf-8", "replace")
        if not text.isprintable() and any(ord(c) < 32 and c != "\t" for c in text):
            raise self._error("garbage", f"a line with control characters: {raw[:60]!r}")
        # UCI allows any white space between words, and around them.
        return stamp, " ".join(text.split())

    def lines_until(self, deadline: float) -> Iterator[tuple[float, str]]:
        """Lines and when they came, until ``deadline`` (perf_counter, s)."""
        self._bytes = 0
        while (line := self._read_line(deadline)) is not None:
            yield line

    def send(self, *lines: str) -> float:
        """Write lines; returns when they were written (perf_counter, s).

        An engine that does not read them within a few seconds has stopped responding.
        """
        for line in lines:
            self._write_log(">", line)
            self.dialogue.append("> " + (line if len(line) <= 200 else line[:197] + "..."))
        self._unsent.put(("\n".join(lines) + "\n").encode())
        try:
            stamp = self._sent.get(timeout=SEND_SECONDS)
        except Empty:
            raise self._error("stalled", "does not read its input") from None
        if stamp is None:
            self._fill(100.0)
            raise self._error("crash", self._exit_text())
        return stamp

    def _exit_text(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.5)
        # What it said last may still be on its way.
        self._errors_reader.join(0.5)
        code = self._process.returncode
        if code is None:
            return "closed its output"
        return f"killed by signal {-code}" if code < 0 else f"exited with code {code}"

    def read_until(self, beginning: str) -> list[str]:
        """The lines up to the first with this beginning."""
        lines: list[str] = []
        for _, line in self.lines_until(time.perf_counter() + self.timeout_ms / 1000):
            lines.append(line)
            if line.startswith(beginning):
                return lines
        raise self._error("stalled", f"no {beginning} within {self.timeout_ms / 1000:g} s")

    def ask(self, *lines: str) -> list[str]:
        """Send lines and ``isready``; the lines before ``readyok``."""
        self.send(*lines, "isready")
        return self.read_until("readyok")[:-1]

    def quit(self, timeout_s: float = 60.0) -> int:
        """Send ``quit``; the exit status."""
        self.send("quit")
        try:
            status = self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise self._error("stalled", "does not quit") from None
        self.close()
        return status

    def last_words(self) -> list[str]:
        """The end of the dialogue and of standard error, for the report of an error."""
        errors = self.standard_error()[-6:]
        return [*list(self.dialogue)[-12:], *(f"! {line}" for line in errors)]

    def standard_error(self) -> list[str]:
        """The last lines that it wrote there."""
        lines = self._errors.decode("utf-8", "replace").strip().splitlines()[-12:]
        return [line[:200] for line in lines]

    def close(self, timeout_s: float = 0.3) -> None:
        """Ask the engine to quit, then kill its whole process group."""
        self._unsent.put(b"quit\n")
        self._unsent.put(None)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout_s)
        self._is_closed = True
        end_program(self._process)
        self._room.release()
        for thread in self._threads:
            # Only a process that outlives its group keeps a pipe open, and with it a thread.
            thread.join(timeout_s)
        if self._log is not None:
            self._log.close()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe:
                pipe.close()
