"""A process that speaks UCI, or any protocol of lines: every wait for it is bounded.

One thread talks to one process at a time through non-blocking pipes and `poll`, so a reply is seen
and timestamped within microseconds. Standard error is read too and kept for fault reports.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path

from petardlib.base.errors import EngineFault
from petardlib.base.process import before_exec

MAX_LINE = 64 * 1024
MAX_BYTES_PER_WAIT = 32 * 1024 * 1024
LONGEST_WAIT_MS = 1e6
"""Of one `poll` call, which takes at most 2**31 ms."""


class UciProcess:
    """A running process. Every method may raise `EngineFault`; then `close` it."""

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
            self._process = subprocess.Popen(
                cmd,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                bufsize=0,
                start_new_session=True,
                preexec_fn=before_exec,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise EngineFault("setup", f"cannot start {cmd[0]}: {reason}") from None
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._in = self._process.stdin.fileno()
        self._out = self._process.stdout.fileno()
        self._err = self._process.stderr.fileno()
        self._poll = select.poll()
        for fd in (self._in, self._out, self._err):
            os.set_blocking(fd, False)
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def _fault(self, kind: str, detail: str, alive: bool = False) -> EngineFault:
        fault = EngineFault(kind, detail, alive)
        fault.dialogue = self.last_words()
        return fault

    def _fill(self, timeout_ms: float) -> None:
        """Wait at most ``timeout_ms`` for output, and take what is there."""
        for fd, _ in self._poll.poll(min(max(0.0, timeout_ms), LONGEST_WAIT_MS)):
            try:
                data = os.read(fd, 1 << 16)
            except BlockingIOError:
                continue
            except OSError:
                data = b""
            if not data:
                self._poll.unregister(fd)
                self._eof = self._eof or fd == self._out
            elif fd == self._err:
                self._errors = (self._errors + data)[-2048:]
                self._write_log("!", data.decode("utf-8", "replace").rstrip())
            else:
                self._take(data)

    def _take(self, data: bytes) -> None:
        now = time.perf_counter()
        self._bytes += len(data)
        if self._bytes > MAX_BYTES_PER_WAIT:
            raise self._fault(
                "flood", f"more than {MAX_BYTES_PER_WAIT >> 20} MiB of output at once"
            )
        *lines, self._tail = (self._tail + data).split(b"\n")
        if len(self._tail) > MAX_LINE or any(len(line) > MAX_LINE for line in lines):
            self._hear(max([*lines, self._tail], key=len)[:80])
            raise self._fault("flood", f"a line of more than {MAX_LINE >> 10} KiB")
        self._lines.extend((now, line) for line in lines)

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
                raise self._fault("crash", self._exit_text())
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
            raise self._fault("garbage", f"a line with control characters: {raw[:60]!r}")
        # UCI allows any white space between words, and around them.
        return stamp, " ".join(text.split())

    def lines_until(self, deadline: float) -> Iterator[tuple[float, str]]:
        """Lines and when they came, until ``deadline`` (perf_counter, s)."""
        self._bytes = 0
        while (line := self._read_line(deadline)) is not None:
            yield line

    def send(self, *lines: str) -> None:
        """Write lines; an engine that does not read them within a few seconds is at fault."""
        for line in lines:
            self._write_log(">", line)
            self.dialogue.append("> " + (line if len(line) <= 200 else line[:197] + "..."))
        data = memoryview(("\n".join(lines) + "\n").encode())
        deadline = time.perf_counter() + 5.0
        while data:
            try:
                data = data[os.write(self._in, data) :]
            except BlockingIOError:
                # Its input is full; it may be blocked on its own output, so keep that moving.
                self._fill(10.0)
                if time.perf_counter() > deadline:
                    raise self._fault("stalled", "does not read its input") from None
            except OSError:
                self._fill(100.0)
                raise self._fault("crash", self._exit_text()) from None

    def _exit_text(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.5)
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
        raise self._fault("stalled", f"no {beginning} within {self.timeout_ms / 1000:g} s")

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
            raise self._fault("stalled", "does not quit") from None
        self.close()
        return status

    def last_words(self) -> list[str]:
        """The end of the dialogue and of standard error, for the report of a fault."""
        errors = self._errors.decode("utf-8", "replace").strip().splitlines()[-6:]
        return [*list(self.dialogue)[-12:], *(f"! {line[:200]}" for line in errors)]

    def close(self, timeout_s: float = 0.3) -> None:
        """Ask the engine to quit, then kill its whole process group."""
        if self._process.poll() is None:
            with contextlib.suppress(OSError):
                os.write(self._in, b"quit\n")
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout_s)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self._log is not None:
            self._log.close()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe:
                pipe.close()
