"""A UCI engine that plays and analyses: nothing that it writes is trusted."""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import tempfile
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from petardlib.base.errors import EngineError
from petardlib.play.proofwatch import ProofWatch
from petardlib.play.spec import EngineSpec
from petardlib.play.uci import (
    ANSWER_FORM,
    BESTMOVE,
    START_8X8,
    Info,
    Option,
    multipv_of,
    parse_infos,
    parse_option,
    pv_of,
    says_more,
)
from petardlib.play.uciprocess import UciProcess
from petardlib.rules.positions import (
    BREAKTHROUGH,
    FREELING,
    fairy_variant,
    size_of,
    start_board,
)

STOP_GRACE_MS = 1_000.0
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


class Engine(UciProcess):
    """A running engine. Every method may raise `EngineError`; then `close` it."""

    def __init__(self, spec: EngineSpec) -> None:
        """Start the process and do the handshake, which makes its options known."""
        self.spec = spec
        self.options: dict[str, Option] = {}
        self.id_name = ""
        self.start_fen = START_8X8
        self.go_sent = 0.0
        self._ini: str | None = None
        super().__init__(spec.cmd, spec.dir, self._log_file(spec))
        # No clock runs; it may have a large network or proof to read.
        self.timeout_ms = max(self.timeout_ms, spec.limit.hang)
        try:
            self._handshake()
        except BaseException:
            self.close()
            raise

    @staticmethod
    def _log_file(spec: EngineSpec) -> Path | None:
        """A file of its own for each process, as several may run at a time."""
        name = re.sub(r"[^\w.-]+", "_", spec.name)
        return Path(spec.log, f"{name}-{uuid.uuid4().hex[:8]}.log") if spec.log else None

    def _handshake(self) -> None:
        self.send("uci")
        for _, line in self.lines_until(time.perf_counter() + self.timeout_ms / 1000):
            if line == "uciok":
                return
            if line.startswith("id name "):
                self.id_name = line.removeprefix("id name ")
            elif option := parse_option(line):
                self.options[option.name.lower()] = option
        raise self._error("stalled", "no uciok (does it flush its output after every line?)")

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
        files, ranks = size_of(fen)
        known = self.options.get("uci_variant")
        if known is not None:
            value = self._variant(variant, files, ranks, known.choices)
            if "uci_variant" not in own:
                self.set_option("UCI_Variant", value)
                if variant == FREELING or value.lower() != variant:
                    # Of a variant with a name of its own the engine knows the start.
                    self.start_fen = start_board(variant, f"{files}x{ranks}").fen()
        elif variant != BREAKTHROUGH or (files, ranks) != (8, 8):
            # One that has no such option probably plays Breakthrough on 8x8 and nothing else.
            game = variant if variant != BREAKTHROUGH else f"on {files}x{ranks}"
            raise self._error("setup", f"has no option UCI_Variant, so it cannot play {game}")
        for name, text in self.spec.options.items():
            if not self.has_option(name):
                raise self._error("setup", f"has no option '{name}'{self._similar(name)}")
            # Variants may come from a file named in another option.
            declared = self.options[name.lower()] if name.lower() != "uci_variant" else Option(name)
            if objection := declared.objection(text):
                raise self._error("setup", f"option '{name}': {objection}")
            self.set_option(name, text)
        # An engine that cannot read a file, say, would go on with another and spoil the match.
        self._heed(self.ask())

    def _variant(self, variant: str, files: int, ranks: int, choices: list[str]) -> str:
        """The value of ``UCI_Variant`` for a game on a board, as the engine spells it."""
        spelt = {choice.lower(): choice for choice in choices}
        if variant not in spelt:
            raise self._error("setup", f"does not know the variant {variant}")
        if variant == BREAKTHROUGH and (files, ranks) != (8, 8):
            if self.has_option("VariantPath") and not any(
                name.lower() == "variantpath" for name in self.spec.options
            ):
                return self._declare_size(files, ranks)
            if files == ranks and f"{variant}{files}" in spelt:
                return spelt[f"{variant}{files}"]
        return spelt[variant]

    def _similar(self, name: str) -> str:
        found = difflib.get_close_matches(name.lower(), self.options, 1)
        return f"; did you mean '{self.options[found[0]].name}'?" if found else ""

    def _heed(self, said: list[str]) -> None:
        """Turn a refusal into an error: the engine would go on with something else."""
        if refusal := next(filter(REFUSAL.match, said), None):
            raise self._error("setup", refusal.removeprefix("info string "), alive=True)

    def position(self, fen: str, moves: Sequence[str]) -> str:
        """The ``position`` line; the start position by name, for engines that read no FEN."""
        head = "position startpos" if fen == self.start_fen else f"position fen {fen}"
        return f"{head} moves {' '.join(moves)}" if moves else head

    def try_position(self, position: str) -> None:
        """Send a position that the engine may refuse, which is then an error."""
        self._heed(self.ask(position))

    def _declare_size(self, width: int, height: int) -> str:
        """Teach Fairy-Stockfish a board size through its variants file."""
        name, text = fairy_variant(width, height)
        with tempfile.NamedTemporaryFile("w", suffix=".ini", delete=False) as file:
            file.write(text)
        self._ini = file.name
        self.set_option("VariantPath", file.name)
        return name

    def new_game(self) -> None:
        """Send ``ucinewgame``, and wait until the engine is ready."""
        self.ask("ucinewgame")

    def think(self, position: str, go: str, budget_ms: float, timed: bool = True) -> Reply:
        """Send a position and ``go``; the reply must come within ``budget_ms``.

        The clock runs from the moment the command was written to the moment the ``bestmove`` line
        was read.
        """
        self._drain()
        start = self.go_sent = self.send(position, go)
        last: dict[int, str] = {}
        proof = ProofWatch()
        for stamp, line in self.lines_until(start + budget_ms / 1000):
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
                # An answer may be read before the thread that wrote the question goes on.
                elapsed = max(0.0, stamp - start) * 1000
                if elapsed > budget_ms:
                    raise self._late(elapsed, budget_ms)
                move = self._move_of(line)
                infos = parse_infos(last)
                proof.judge(infos)
                return Reply(move, elapsed, infos)
        elapsed = (time.perf_counter() - start) * 1000
        worse = self._stop()
        if worse is not None and worse.kind != "stalled":
            raise worse
        late = self._late(elapsed, budget_ms)
        if worse is not None or not timed:
            late.kind, late.alive = "stalled", worse is None
        raise late

    def _late(self, elapsed: float, budget: float) -> EngineError:
        detail = f"no move after {elapsed:.0f} ms, {budget:.0f} ms allowed"
        error = self._error("time forfeit", detail, alive=True)
        error.elapsed_ms = round(elapsed, 1)
        return error

    def check_prover(self) -> None:
        """Refuse an engine that cannot `prove`."""
        if not self.id_name.startswith("petard"):
            raise self._error("setup", "is not petard and has no prover (--prove)")

    def prove(self, position: str, seconds: float) -> tuple[str | None, list[str]]:
        """Who wins the position, ``white`` or ``black``, and a line; None if it is not proven."""
        self.check_prover()
        self._drain()
        self.send(position, f"go prove movetime {max(1, round(1000 * seconds))}")
        proof, moves = ProofWatch(), list[str]()
        deadline = time.perf_counter() + 2 * seconds + self.timeout_ms / 1000
        for _, line in self.lines_until(deadline):
            proof.hear(line)
            if line.startswith("info depth"):
                moves = pv_of(line)
            elif line.startswith("bestmove"):
                return proof.winner, moves
        raise self._error("stalled", "no end of the proof")

    def _move_of(self, line: str) -> str:
        found = BESTMOVE.match(line)
        if not found:
            raise self._error("garbage", f"malformed '{line[:60]}': {ANSWER_FORM}")
        return found[1]

    def _drain(self) -> None:
        """Drop unsolicited output; a move in it means that the engine is out of step."""
        self._bytes = 0
        self._fill(0.0)
        while self._lines:
            line = self._read_line(0.0)
            if line and line[1].startswith("bestmove"):
                raise self._error("garbage", f"unexpected '{line[1][:60]}'")
            if not self._lines:
                self._fill(0.0)

    def _stop(self) -> EngineError | None:
        """Ask a late engine to stop; None if it then answers, else what is wrong with it."""
        try:
            self.send("stop")
            for _, line in self.lines_until(time.perf_counter() + STOP_GRACE_MS / 1000):
                if line.startswith("bestmove"):
                    return None
        except EngineError as error:
            return error
        return self._error("stalled", "does not stop")

    def close(self, timeout_s: float = 0.3) -> None:
        """Ask the engine to quit, then kill its whole process group."""
        super().close(timeout_s)
        if self._ini:
            with contextlib.suppress(OSError):
                os.unlink(self._ini)  # noqa: PTH108
            self._ini = None
