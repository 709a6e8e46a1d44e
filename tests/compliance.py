#!/usr/bin/env python3
"""The steps of fastchess's `--compliance`, with positions of Breakthrough.

fastchess uses them to check that it can run an engine; its own positions are chess positions. Exit
status 0: all steps passed. No step is timed: an engine is given up after a minute of silence.
"""

from __future__ import annotations

import argparse
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Callable

PATIENCE = 60.0
MIDDLE = "position fen 1ppp2pp/pp3p2/2p5/4pP2/3P4/2P3P1/PP2P2P/PPP1P3 w - - 0 27"
BLACK = "position fen pppppppp/pppppppp/8/8/8/4P3/PPPP1PPP/PPPPPPPP b - - 0 1"
GAME = "position startpos moves e2e3 e7e6"


class Silence(Exception):
    """Nothing more comes."""


class Engine:
    """A process that speaks UCI, and its output."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.said: list[str] = []
        self.infos: list[str] = []
        self.introduction: list[str] = []
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self.process.stdout or ():
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def send(self, line: str) -> bool:
        """Writes a line; returns whether that worked."""
        if line.startswith("go"):
            self.infos = []
        try:
            print(line, file=self.process.stdin, flush=True)
        except OSError:
            return False
        return True

    def read(self, beginning: str) -> str:
        """The next line that starts with `beginning`; the lines before it are kept."""
        while True:
            try:
                line = self._lines.get(timeout=PATIENCE)
            except queue.Empty:
                line = None
            if line is None:
                raise Silence(f"no line '{beginning}...'")
            self.said.append(line)
            if line.startswith("info ") and " string " not in line:
                self.infos.append(line)
            if line.startswith(beginning):
                return line

    def start(self) -> bool:
        """Sends `uci` and reads the introduction."""
        self.send("uci")
        self.read("uciok")
        self.introduction = list(self.said)
        return True

    def is_ready(self) -> bool:
        """Whether the engine says that it is ready."""
        return self.send("isready") and self.read("readyok") == "readyok"

    def has(self, beginning: str) -> bool:
        """Whether a line of the introduction starts with `beginning` and continues."""
        return any(re.match(beginning + r" \S", line) for line in self.introduction)

    def answers(self) -> bool:
        """Whether it answers with a move."""
        words = self.read("bestmove").split()
        return (
            len(words) > 1
            and re.fullmatch("[a-h][1-8][a-h][1-8]", words[1]) is not None
        )

    def told(self) -> bool:
        """Whether there was a line of information."""
        return bool(self.infos)

    def is_sound(self) -> bool:
        """Whether its numbers are integers."""
        words = self.infos[-1].split()
        pairs = zip(words, [*words[1:], ""], strict=True)
        return all(
            value and "." not in value
            for name, value in pairs
            if name in ("time", "nps", "score")
        )

    def has_score(self) -> bool:
        """Whether it reported a score."""
        return re.search(r" score (cp|mate) -?[0-9]+", self.infos[-1]) is not None


Step = tuple[str, Callable[[], bool]]


def search(engine: Engine, go: str) -> list[Step]:
    """The steps of a search: a move, information, its form, and a score."""
    return [
        (f"send {go}", lambda: engine.send(go)),
        (f"read bestmove after {go}", engine.answers),
        (f"information after {go}", engine.told),
        (f"valid numbers after {go}", engine.is_sound),
        (f"a score after {go}", engine.has_score),
    ]


def steps(engine: Engine) -> list[Step]:
    """All steps in order, forty as in fastchess."""
    game = "go wtime 100 btime 100"
    return [
        ("start the engine", engine.start),
        ("it is ready", engine.is_ready),
        ("id name", lambda: engine.has("id name")),
        ("id author", lambda: engine.has("id author")),
        ("send ucinewgame", lambda: engine.send("ucinewgame")),
        ("send position startpos", lambda: engine.send("position startpos")),
        ("it is ready after startpos", engine.is_ready),
        ("send position fen", lambda: engine.send(MIDDLE)),
        ("it is ready after fen", engine.is_ready),
        *search(engine, "go wtime 100"),
        ("send a position with Black to move", lambda: engine.send(BLACK)),
        *search(engine, "go btime 100"),
        *search(engine, "go wtime 100 winc 100 btime 100 binc 100"),
        *search(engine, "go btime 100 binc 100 wtime 100 winc 100"),
        ("a score again", engine.has_score),
        ("send ucinewgame again", lambda: engine.send("ucinewgame")),
        ("send position startpos again", lambda: engine.send("position startpos")),
        (f"send {game}", lambda: engine.send(game)),
        ("read the first move", engine.answers),
        ("valid numbers", engine.is_sound),
        ("send position startpos moves", lambda: engine.send(GAME)),
        (f"send {game} again", lambda: engine.send(game)),
        ("read the second move", engine.answers),
        ("valid numbers again", engine.is_sound),
    ]


def main() -> int:
    """Runs the steps up to the first failure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("petard", help="the engine")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    args = parser.parse_args()
    try:
        engine = Engine([args.petard, *args.arguments])
    except OSError as error:
        print(f"{args.petard}: {error.strerror}", file=sys.stderr)
        return 2
    all_steps = steps(engine)
    try:
        for number, (name, action) in enumerate(all_steps, start=1):
            try:
                reason = "" if action() else "check failed"
            except (Silence, IndexError) as error:
                reason = str(error)
            if reason:
                print(f"failed: step {number}, {name}: {reason}; it said:")
                print("\n".join(f"    {line}" for line in engine.said[-12:]))
                return 1
            print(f"passed: step {number}, {name}")
    finally:
        engine.process.kill()
        engine.process.wait()
    print(f"all {len(all_steps)} steps passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
