#!/usr/bin/env python3
"""Checks that a Breakthrough engine or bot speaks UCI well enough for match runners.

    compliance.py ./bot
    compliance.py python3 bot.py

Runs the steps of fastchess's `--compliance` with positions of Breakthrough, and asks for a move on
each other board that the engine names in its option UCI_Variant. At the first step that fails it
says what was expected and what the engine wrote. Every move must be legal. No step is timed: an
engine is given up after a minute of silence. docs/bots.md describes the protocol.

Exit status: 0 all steps passed; 1 one failed; 2 the engine cannot be started, or wrong arguments.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence

from petard import Board
from petardlib.base.errors import EngineError, UserError
from petardlib.play.inputs import Reading
from petardlib.play.uciprocess import UciProcess
from petardlib.rules.positions import board_of

MIDDLE = "position fen 1ppp2pp/pp3p2/2p5/4pP2/3P4/2P3P1/PP2P2P/PPP1P3 w - - 0 27"
BLACK = "position fen pppppppp/pppppppp/8/8/8/4P3/PPPP1PPP/PPPPPPPP b - - 0 1"
GAME = "position startpos moves e2e3 e7e6"


class Engine(UciProcess):
    """An engine, and what it has written."""

    timeout_ms = 60_000.0

    def __init__(self, command: list[str]) -> None:
        super().__init__(command)
        self.output: list[str] = []
        self.infos: list[str] = []
        self.introduction: list[str] = []
        self.size = "8x8"
        self.board = Board()

    def write(self, line: str) -> bool:
        """Writes a line; returns whether that worked."""
        if line.startswith("go"):
            self.infos = []
        if line.startswith("position"):
            self.board = board_of(Reading(size=self.size).line(line).boards[-1])
        self.send(line)
        return True

    def choose(self, variant: str, size: str) -> bool:
        """Sets the board."""
        self.size = size
        return self.write(f"setoption name UCI_Variant value {variant}")

    def boards(self) -> dict[str, str]:
        """The boards other than 8x8 that the introduction names, by variant."""
        options = [line for line in self.introduction if " name UCI_Variant " in line]
        names = re.findall(r" var (breakthrough([0-9]{1,2}))(?=\s|$)", " ".join(options))
        return {name: f"{files}x{files}" for name, files in names if files != "8"}

    def read(self, beginning: str) -> str:
        """The next line that starts with `beginning`; the lines before it are kept."""
        lines = self.read_until(beginning)
        self.output += lines
        is_info = [line.startswith("info ") and " string " not in line for line in lines]
        self.infos += [line for line, keeps in zip(lines, is_info, strict=True) if keeps]
        return lines[-1]

    def start(self) -> bool:
        """Sends `uci` and reads the introduction."""
        self.write("uci")
        self.read("uciok")
        self.introduction = list(self.output)
        return True

    def is_ready(self) -> bool:
        """Whether the engine says that it is ready."""
        return self.write("isready") and self.read("readyok") == "readyok"

    def has(self, beginning: str) -> bool:
        """Whether a line of the introduction starts with `beginning` and continues."""
        return any(re.match(beginning + r" \S", line) for line in self.introduction)

    def answers(self) -> bool:
        """Whether it answers with a legal move."""
        word = "".join(self.read("bestmove").split()[1:2])
        if word not in self.board.legal_moves.uci():
            raise UserError(f"'{word}' is not a legal move in {self.board.fen()}")
        return True

    def has_information(self) -> bool:
        """Whether there was a line of information."""
        return bool(self.infos)

    def is_sound(self) -> bool:
        """Whether its numbers are integers."""
        words = self.infos[-1].split()
        pairs = zip(words, [*words[1:], ""], strict=True)
        return all(
            value and "." not in value for name, value in pairs if name in ("time", "nps", "score")
        )

    def has_score(self) -> bool:
        """Whether it reported a score."""
        return re.search(r" score (cp|mate) -?[0-9]+", self.infos[-1]) is not None


Step = tuple[str, Callable[[], bool]]

ADVICE = [
    ("start", "answer `uci` with `id name`, `id author`, the options and `uciok`"),
    ("it is ready", "answer `isready` with `readyok` at once, and flush the output"),
    ("id ", "answer `uci` with `id name NAME` and `id author AUTHOR`"),
    ("read ", "answer `go` with `bestmove MOVE`, such as `bestmove a2a3`, and flush the output"),
    ("information", "write an `info` line before `bestmove`: `info depth 1 score cp 1 pv a2a3`"),
    ("valid numbers", "`time`, `nps` and `score` in `info` lines take whole numbers"),
    ("a score", "`info` lines have `score cp N` or `score mate N`"),
]
"""What an engine must do, by how the step begins that failed."""


def search(engine: Engine, go: str) -> list[Step]:
    """The steps of a search: a move, information, its form, and a score."""
    return [
        (f"send {go}", lambda: engine.write(go)),
        (f"read bestmove after {go}", engine.answers),
        (f"information after {go}", engine.has_information),
        (f"valid numbers after {go}", engine.is_sound),
        (f"a score after {go}", engine.has_score),
    ]


def on_board(engine: Engine, variant: str, size: str) -> list[Step]:
    """The steps of a move on another board."""
    return [
        (f"send UCI_Variant {variant}", lambda: engine.choose(variant, size)),
        (f"it is ready after {variant}", engine.is_ready),
        (f"send position startpos of {variant}", lambda: engine.write("position startpos")),
        (f"send go movetime 100 in {variant}", lambda: engine.write("go movetime 100")),
        (f"read a move of {variant}", engine.answers),
    ]


def steps(engine: Engine) -> list[Step]:
    """The steps on 8x8, forty as in fastchess."""
    game = "go wtime 100 btime 100"
    return [
        ("start the engine", engine.start),
        ("it is ready", engine.is_ready),
        ("id name", lambda: engine.has("id name")),
        ("id author", lambda: engine.has("id author")),
        ("send ucinewgame", lambda: engine.write("ucinewgame")),
        ("send position startpos", lambda: engine.write("position startpos")),
        ("it is ready after startpos", engine.is_ready),
        ("send position fen", lambda: engine.write(MIDDLE)),
        ("it is ready after fen", engine.is_ready),
        *search(engine, "go wtime 100"),
        ("send a position with Black to move", lambda: engine.write(BLACK)),
        *search(engine, "go btime 100"),
        *search(engine, "go wtime 100 winc 100 btime 100 binc 100"),
        *search(engine, "go btime 100 binc 100 wtime 100 winc 100"),
        ("a score again", engine.has_score),
        ("send ucinewgame again", lambda: engine.write("ucinewgame")),
        ("send position startpos again", lambda: engine.write("position startpos")),
        (f"send {game}", lambda: engine.write(game)),
        ("read the first move", engine.answers),
        ("valid numbers", engine.is_sound),
        ("send position startpos moves", lambda: engine.write(GAME)),
        (f"send {game} again", lambda: engine.write(game)),
        ("read the second move", engine.answers),
        ("valid numbers again", engine.is_sound),
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the steps up to the first failure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("engine", help="the program to check")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    args = parser.parse_args(argv)
    try:
        engine = Engine([args.engine, *args.arguments])
    except EngineError as error:
        print(error.detail, file=sys.stderr)
        return 2
    all_steps = steps(engine)
    try:
        # More steps follow once the engine has named its boards.
        for number, (name, action) in enumerate(all_steps, start=1):
            try:
                reason = "" if action() else "check failed"
                if number == 1:
                    for variant, size in engine.boards().items():
                        all_steps += on_board(engine, variant, size)
            except (EngineError, UserError, IndexError) as error:
                reason = str(error)
            if reason:
                print(f"failed: step {number}, {name}: {reason}")
                for beginning, advice in ADVICE:
                    if name.startswith(beginning):
                        print(f"an engine should {advice}" if advice[0] != "`" else advice)
                        break
                print("the last lines it wrote:")
                print("\n".join(f"    {line}" for line in engine.output[-12:]))
                return 1
            print(f"passed: step {number}, {name}")
    finally:
        engine.close()
    print(f"all {len(all_steps)} steps passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
