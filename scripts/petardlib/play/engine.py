"""A UCI engine as a process: every wait is bounded, and nothing that it writes is trusted.

One thread talks to one engine at a time through non-blocking pipes and `poll`, so a reply is seen
and timestamped within microseconds. Standard error is read too and kept for fault reports.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import select
import signal
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from petardlib.base.errors import EngineFault
from petardlib.base.process import before_exec
from petardlib.play.proofwatch import ProofWatch
from petardlib.play.spec import EngineSpec
from petardlib.play.uci import (
    BESTMOVE,
    Info,
    Option,
    multipv_of,
    parse_infos,
    parse_option,
    pv_of,
    says_more,
)
from petardlib.rules import boardtext

MAX_LINE = 64 * 1024
MAX_BYTES_PER_WAIT = 32 * 1024 * 1024
STARTUP_MS = 15_000.0
STOP_GRACE_MS = 1_000.0
LONGEST_WAIT_MS = 1e6
"""Of one `poll` call, which takes at most 2**31 ms."""
# How petard and Stockfish report that an option's value was not accepted.
REFUSAL = re.compile(r"info string (?=.*\b(refused|error)\b)", re.IGNORECASE)


@dataclass
class Reply:
    """An engine's answer to ``go``: its move, the last info on each line, and the time in ms."""

    move: str
    elapsed: float
    infos: dict[int, Info] = field(default_factory=dict)

    @property
    def info(self) -> Info | None:
        """The main line."""
        return self.infos.get(1)


class Engine:
    """A running engine. Every method may raise `EngineFault`; then `close` it."""

    def __init__(self, spec: EngineSpec) -> None:
        """Start the process and do the handshake, which makes its options known."""
        self.spec = spec
        self.options: dict[str, Option] = {}
        self.id_name = ""
        self.dialogue: deque[str] = deque(maxlen=24)
        self.go_sent = 0.0
        self._lines: deque[tuple[float, bytes]] = deque()
        self._tail = b""
        self._errors = b""
        self._bytes = 0
        self._eof = False
        self._ini: str | None = None
        try:
            self._process = subprocess.Popen(
                spec.cmd,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=spec.dir,
                bufsize=0,
                start_new_session=True,
                preexec_fn=before_exec,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise EngineFault("setup", f"cannot start {spec.cmd[0]}: {reason}") from None
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._in = self._process.stdin.fileno()
        self._out = self._process.stdout.fileno()
        self._err = self._process.stderr.fileno()
        self._poll = select.poll()
        for fd in (self._in, self._out, self._err):
            os.set_blocking(fd, False)
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        try:
            self._handshake()
        except BaseException:
            self.close()
            raise

    # ---- pipes ----------------------------------------------------------------------------

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

    def _hear(self, raw: bytes) -> None:
        text = raw.decode("utf-8", "replace")
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
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise self._fault("garbage", f"a line that is not text: {raw[:60]!r}") from None
        if not text.isprintable() and any(ord(c) < 32 and c != "\t" for c in text):
            raise self._fault("garbage", f"a line with control characters: {raw[:60]!r}")
        # UCI allows any white space between words, and around them.
        return stamp, " ".join(text.split())

    def _lines_until(self, deadline: float) -> Iterator[tuple[float, str]]:
        self._bytes = 0
        while (line := self._read_line(deadline)) is not None:
            yield line

    def send(self, *lines: str) -> None:
        """Write lines; an engine that does not read them within a few seconds is at fault."""
        for line in lines:
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

    # ---- protocol -------------------------------------------------------------------------

    def _handshake(self) -> None:
        self.send("uci")
        for _, line in self._lines_until(time.perf_counter() + STARTUP_MS / 1000):
            if line == "uciok":
                return
            if line.startswith("id name "):
                self.id_name = line.removeprefix("id name ")
            elif option := parse_option(line):
                self.options[option.name.lower()] = option
        raise self._fault("stalled", "no uciok")

    def wait_ready(self, timeout_ms: float = STARTUP_MS) -> list[str]:
        """Send ``isready`` and wait for ``readyok``; the lines before it."""
        self.send("isready")
        said: list[str] = []
        for _, line in self._lines_until(time.perf_counter() + timeout_ms / 1000):
            if line == "readyok":
                return said
            said.append(line)
        raise self._fault("stalled", f"no readyok within {timeout_ms / 1000:g} s")

    def has_option(self, name: str) -> bool:
        """Whether the engine declared this option (names are case-insensitive)."""
        return name.lower() in self.options

    def set_option(self, name: str, value: str) -> None:
        """Send one option; a button has no value."""
        known = self.options.get(name.lower())
        suffix = "" if known and known.type == "button" else f" value {value}"
        self.send(f"setoption name {known.name if known else name}{suffix}")

    def set_up(self, variant: str, fen: str) -> None:
        """Send the variant that fits the board, then the user's options."""
        own = {name.lower() for name in self.spec.options}
        known = self.options.get("uci_variant")
        if known is None:
            raise self._fault("setup", f"has no option UCI_Variant, so it cannot play {variant}")
        if variant not in known.choices:
            raise self._fault("setup", f"does not know the variant {variant}")
        width, height = boardtext.board_size(fen)
        value = variant
        if variant == boardtext.TROYKA and (width, height) != (8, 8):
            if self.has_option("VariantPath") and "variantpath" not in own:
                value = self._declare_size(width, height)
            elif width == height and f"{variant}{width}" in known.choices:
                value = f"{variant}{width}"
        if "uci_variant" not in own:
            self.set_option("UCI_Variant", value)
        for name, text in self.spec.options.items():
            if not self.has_option(name):
                raise self._fault("setup", f"has no option '{name}'{self._similar(name)}")
            # Variants may come from a file named in another option.
            declared = self.options[name.lower()] if name.lower() != "uci_variant" else Option(name)
            if objection := declared.objection(text):
                raise self._fault("setup", f"option '{name}': {objection}")
            self.set_option(name, text)
        # An engine that cannot read a file, say, would go on with another and spoil the match.
        self._heed(self.wait_ready())

    def _similar(self, name: str) -> str:
        found = difflib.get_close_matches(name.lower(), self.options, 1)
        return f"; did you mean '{self.options[found[0]].name}'?" if found else ""

    def _heed(self, said: list[str]) -> None:
        """Turn a refusal into a fault: the engine would go on with something else."""
        if refusal := next(filter(REFUSAL.match, said), None):
            raise self._fault("setup", refusal.removeprefix("info string "), alive=True)

    def try_position(self, position: str) -> None:
        """Send a position that the engine may refuse, which is then a fault."""
        self.send(position)
        self._heed(self.wait_ready())

    def _declare_size(self, width: int, height: int) -> str:
        """Teach Fairy-Stockfish a board size through its variants file."""
        name, text = boardtext.fairy_variant(width, height)
        with tempfile.NamedTemporaryFile("w", suffix=".ini", delete=False) as file:
            file.write(text)
        self._ini = file.name
        self.set_option("VariantPath", file.name)
        return name

    def new_game(self) -> None:
        """Send ``ucinewgame``, and wait until the engine is ready."""
        self.send("ucinewgame")
        self.wait_ready()

    def think(self, position: str, go: str, budget_ms: float, timed: bool = True) -> Reply:
        """Send a position and ``go``; the reply must come within ``budget_ms``.

        The clock runs from the moment the command was written to the moment the ``bestmove`` line
        was read.
        """
        self._drain()
        self.send(position, go)
        start = self.go_sent = time.perf_counter()
        last: dict[int, str] = {}
        proof = ProofWatch()
        for stamp, line in self._lines_until(start + budget_ms / 1000):
            if line.startswith("info"):
                # A text may have any words in it, ` score ` among them.
                is_text = line.split(maxsplit=2)[1:2] == ["string"]
                if is_text or " score " in line:
                    if proof.hear(line) or is_text:
                        continue
                    number = multipv_of(line)
                    if says_more(line, last.get(number)):
                        last[number] = line
            elif line.startswith("bestmove"):
                elapsed = (stamp - start) * 1000
                if elapsed > budget_ms:
                    raise self._fault("time forfeit", _late(elapsed, budget_ms), alive=True)
                move = self._move_of(line)
                infos = parse_infos(last)
                proof.judge(infos)
                return Reply(move, elapsed, infos)
        late = _late((time.perf_counter() - start) * 1000, budget_ms)
        worse = self._stop()
        if worse is not None:
            raise worse if worse.kind != "stalled" else self._fault("stalled", late)
        raise self._fault("time forfeit" if timed else "stalled", late, alive=True)

    def prove(self, position: str, seconds: float) -> tuple[str | None, list[str]]:
        """Who wins the position, ``white`` or ``black``, and a line; None if it is not proven."""
        self._drain()
        self.send(position, f"go prove movetime {max(1, round(1000 * seconds))}")
        proof, moves = ProofWatch(), list[str]()
        deadline = time.perf_counter() + 2 * seconds + STARTUP_MS / 1000
        for _, line in self._lines_until(deadline):
            proof.hear(line)
            if line.startswith("info depth"):
                moves = pv_of(line)
            elif line.startswith("bestmove"):
                return proof.winner, moves
        raise self._fault("stalled", "no end of the proof")

    def _move_of(self, line: str) -> str:
        found = BESTMOVE.match(line)
        if not found:
            raise self._fault("garbage", f"malformed '{line[:60]}'")
        return found[1]

    def _drain(self) -> None:
        """Drop unsolicited output; a move in it means that the engine is out of step."""
        self._bytes = 0
        self._fill(0.0)
        while self._lines:
            line = self._read_line(0.0)
            if line and line[1].startswith("bestmove"):
                raise self._fault("garbage", f"unexpected '{line[1][:60]}'")
            if not self._lines:
                self._fill(0.0)

    def _stop(self) -> EngineFault | None:
        """Ask a late engine to stop; None if it then answers, else what is wrong with it."""
        try:
            self.send("stop")
            for _, line in self._lines_until(time.perf_counter() + STOP_GRACE_MS / 1000):
                if line.startswith("bestmove"):
                    return None
        except EngineFault as fault:
            return fault
        return self._fault("stalled", "does not stop")

    def ask(self, command: str, last_prefix: str, timeout_ms: float = 5_000.0) -> list[str]:
        """Send an extension command; the lines up to one that starts with ``last_prefix``."""
        self.send(command)
        lines = []
        for _, line in self._lines_until(time.perf_counter() + timeout_ms / 1000):
            lines.append(line)
            if line.startswith(last_prefix):
                self._heed(lines)
                return lines
        raise self._fault("stalled", f"no answer to '{command}'")

    def last_words(self) -> list[str]:
        """The end of the dialogue and of standard error, for the report of a fault."""
        errors = self._errors.decode("utf-8", "replace").strip().splitlines()[-6:]
        return [*list(self.dialogue)[-12:], *(f"! {line[:200]}" for line in errors)]

    def close(self, patience_s: float = 0.3) -> None:
        """Ask the engine to quit, then kill its whole process group."""
        if self._process.poll() is None:
            with contextlib.suppress(OSError):
                os.write(self._in, b"quit\n")
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(patience_s)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe:
                pipe.close()
        if self._ini:
            with contextlib.suppress(OSError):
                os.unlink(self._ini)  # noqa: PTH108
            self._ini = None


def _late(elapsed: float, budget: float) -> str:
    return f"no move after {elapsed:.0f} ms, {budget:.0f} ms allowed"
