#!/usr/bin/env python3
"""Checks that a Breakthrough engine or bot speaks UCI and knows the rules.

    compliance.py ./bot
    compliance.py python3 bot.py

It sends what match runners send, much as fastchess's `--compliance` does, asks for moves where a
mistaken rule shows, for both colours and several times if the answers differ, and plays the first
moves of a game on every board that the engine names in its option UCI_Variant.
At the first error it says what was expected. A warning names what only some runners need.
docs/bots.md describes the protocol.

Exit status: 0 no error; 1 an error; 2 the engine cannot be started, or wrong arguments.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterator, Sequence

from petard import Board
from petardlib.base.errors import EngineError, UserError
from petardlib.commands.cli import guarded
from petardlib.play.spec import build
from petardlib.play.uci import ANSWER_FORM, BESTMOVE
from petardlib.play.uciprocess import UciProcess
from petardlib.rules.illegal import why_illegal
from petardlib.rules.positions import six_field_fen, start_board

RULES = [
    ("a single piece", "7p/8/8/8/4P3/8/8/8 w 0 1", ""),
    ("the first rank of the board and the second", "7p/p7/8/8/8/8/P6P/P6P w 0 1", ""),
    ("an enemy piece straight ahead", "8/8/8/3p4/3P4/8/8/8 w 0 1", ""),
    ("no free square ahead", "8/8/8/1p1p1p1p/pPpPpPpP/PpPpPpPp/pPpPpPpP/P1P1P1P1 w 0 1", ""),
    ("own pieces ahead", "7p/8/8/PPPPP3/PPPP4/PPP5/PP6/P7 w 0 1", ""),
    ("a capture as the only move", "8/8/8/pp6/P7/8/8/8 w 0 1", ""),
    ("the edges of the board", "8/8/8/p6p/P6P/8/8/8 w 0 1", ""),
    ("a move that wins", "pp6/P7/8/8/8/8/8/8 w 0 1", ""),
    ("pieces that have moved", "7p/8/8/8/8/8/P7/8 w 0 1", "a2a3 h8h7 a3a4 h7h6"),
    ("a piece that was captured", "8/8/7p/3p4/2P5/8/8/8 w 0 1", "c4d5"),
]
"""Positions, and moves from there, in which a mistaken rule leads to illegal moves."""

GO = "go movetime 50"
FEW, MANY = 3, 10
"""How often a position is asked about; many times if the first answers differ."""
PLIES = 14
MIDDLE = "1ppp2pp/pp3p2/2p5/4pP2/3P4/2P3P1/PP2P2P/PPP1P3 w 0 27"
BLACK = "pppppppp/pppppppp/8/8/8/4P3/PPPP1PPP/PPPPPPPP b 0 1"
WHOLE = re.compile(r"\b(?:depth|nodes|nps|time|score cp|score mate) (?!-?[0-9]+(?: |$))")


class Engine(UciProcess):
    """An engine, and what it has written."""

    def __init__(self, command: list[str], timeout_s: float) -> None:
        super().__init__(command)
        self.timeout_ms = 1000 * timeout_s
        self.introduction: list[str] = []
        self.start = Board()
        self.answers = self.without_info = self.without_score = 0
        self.slowest_s = 0.0
        self.malformed = ""
        self.scores: set[str] = set()
        self.size_error = ""
        self.hangs_at_quit = False
        self.asked = ""

    def sizes(self) -> list[str]:
        """The sizes of the boards that its option UCI_Variant names, empty for the one of 8x8."""
        options = [line for line in self.introduction if " name UCI_Variant " in line]
        return re.findall(r" var breakthrough([0-9]{0,2})(?= |$)", " ".join(options))

    def move(self, board: Board, go: str = GO, six_fields: bool = False) -> str:
        """Its move, which must be legal."""
        fen = board.root().fen()
        fen = six_field_fen(fen) if six_fields else fen
        head = "startpos" if fen == self.start.fen() else f"fen {fen}"
        moves = " ".join(["moves", *(move.uci() for move in board.move_stack)])
        position = f"position {head} {moves}" if board.move_stack else f"position {head}"
        side = "White (P, moves up)" if board.turn else "Black (p, moves down)"
        self.asked = f"it was sent: {position}\n\n{board}\n\n{side} is to move"
        sent = self.send(position, go)
        *lines, answer = self.read_until("bestmove")
        if go == GO:
            self.slowest_s = max(self.slowest_s, time.perf_counter() - sent)
        self.note([line for line in lines if line.startswith("info ") and " string " not in line])
        found = BESTMOVE.match(answer)
        if not found:
            raise UserError(f"`{answer}`: {ANSWER_FORM}")
        if reason := why_illegal(board, found[1]):
            raise UserError(reason)
        # A runner may take it for the answer to the next `go`.
        if second := next((line for line in self.ask() if line.startswith("bestmove")), None):
            raise UserError(f"`{second}`: a second `bestmove` for one `go`")
        self.asked = ""
        return found[1]

    def note(self, infos: list[str]) -> None:
        """Keep what is worth a warning about the `info` lines before an answer."""
        self.answers += 1
        self.without_info += not infos
        score = re.search(r" score (\w+ \S+)", infos[-1]) if infos else None
        self.without_score += bool(infos) and score is None
        self.scores |= {score[1]} if score else set()
        self.malformed = next(filter(WHOLE.search, infos), self.malformed)

    def leave(self) -> None:
        """Send `quit`; runners kill an engine that does not end."""
        try:
            self.quit(self.timeout_ms / 1000)
        except EngineError as error:
            if error.kind != "stalled":
                raise
            self.hangs_at_quit = True

    def warnings(self) -> Iterator[str]:
        """What does no harm here, but elsewhere."""
        form = "`info depth 1 score cp 1 pv a2a3`"
        if self.without_info:
            yield (
                f"no `info` line before {self.without_info} of {self.answers} moves; fastchess "
                f"needs one, such as {form}"
            )
        if self.without_score:
            yield f"`info` lines without `score cp N` or `score mate N`; fastchess needs {form}"
        if self.malformed:
            yield f"`{self.malformed}`: fastchess needs whole numbers"
        if not any(" name UCI_Variant " in line for line in self.introduction):
            yield "it lists no option UCI_Variant, so it is given games on 8x8 only"
        if self.size_error:
            size = "it lists `breakthrough`, so it is sent FENs of any size; on 6x6"
            yield f"{size}: {self.size_error}"
        if self.hangs_at_quit:
            yield f"it did not end within {self.timeout_ms / 1000:g} s of `quit`"
        if self.scores == {"cp 0"}:
            yield "`score cp 0` before every move; some runners end such games as draws"


def mirrored(moves: str) -> list[str]:
    """The moves with ranks counted from the other side of 8x8."""
    return re.sub(r"\d", lambda rank: str(9 - int(rank[0])), moves).split()


def colours(fen: str, moves: str) -> Iterator[Board]:
    """A position as it is, and with colours exchanged."""
    for board, played in ((Board(fen), moves.split()), (Board(fen).mirror(), mirrored(moves))):
        board.push_line(played)
        yield board


def checks(engine: Engine) -> Iterator[str]:
    """The steps: each is named, then taken."""
    yield "answer to uci"
    engine.send("uci")
    *engine.introduction, end = engine.read_until("uciok")
    if end != "uciok":
        raise UserError(f"`{end}`: expected `uciok`")
    for name in ("name", "author"):
        if not any(re.match(rf"id {name} \S", line) for line in engine.introduction):
            raise UserError(f"expected `id {name} {name.upper()}` before `uciok`")
    yield "answer to isready"
    sizes = engine.sizes()
    engine.ask(*["setoption name UCI_Variant value breakthrough"] * ("" in sizes))
    yield "a move from the start position"
    engine.ask("ucinewgame", "position startpos")
    engine.move(engine.start, "go wtime 1000 btime 1000")
    yield "a FEN with six fields, and clocks"
    for clocks in ("wtime 100", "wtime 100 winc 100 btime 100 binc 100"):
        engine.move(Board(MIDDLE), f"go {clocks}", six_fields=True)
    yield "Black to move, and clocks"
    for clocks in ("btime 100", "btime 100 binc 100 wtime 100 winc 100"):
        engine.move(Board(BLACK), f"go {clocks}")
    for title, fen, moves in RULES:
        for board in colours(fen, moves):
            yield f"{title}, {'White' if board.turn else 'Black'} to move"
            if len({engine.move(board) for _ in range(FEW)}) > 1:
                for _ in range(MANY - FEW):
                    engine.move(board)
    yield from play(engine)
    for size in filter(None, sizes):
        yield f"UCI_Variant breakthrough{size}"
        engine.start = start_board(size=f"{size}x{size}")
        engine.ask(f"setoption name UCI_Variant value breakthrough{size}")
        yield from play(engine)
    # Fairy-Stockfish learns other sizes from a file.
    if sizes == [""] and not any(" name VariantPath " in line for line in engine.introduction):
        yield "a FEN on 6x6, as it lists no variant of that size"
        try:
            engine.move(Board("6x6"))
        except (EngineError, UserError) as error:
            engine.size_error = str(error).splitlines()[0]
            return
    yield "an end at quit"
    engine.leave()


def play(engine: Engine) -> Iterator[str]:
    """The first moves of a game against itself, and the position reached as a FEN."""
    board = engine.start.copy()
    size = f"{board.files}x{board.ranks}"
    yield f"{PLIES} plies of a game on {size}"
    engine.ask("ucinewgame")
    while len(board.move_stack) < PLIES and not board.is_game_over():
        board.push_uci(engine.move(board))
    if not board.is_game_over():
        yield f"a FEN on {size}"
        for fen in (board.fen(), board.mirror().fen()):
            engine.move(Board(fen))


def explain(engine: Engine, step: str, error: EngineError | UserError) -> Iterator[str]:
    """What went wrong, and what the engine or its author has to say about it."""
    yield f"failed: {step}: {error.detail if isinstance(error, EngineError) else error}"
    if engine.asked:
        yield engine.asked
    kind = error.kind if isinstance(error, EngineError) else ""
    errors = engine.standard_error()
    if kind == "crash" and errors:
        yield "the bot stopped with this error:"
        yield from (f"    {line}" for line in errors)
        return
    if kind == "stalled":
        yield "write the answer as one line, and flush the output after it"
        if not engine.introduction:
            yield "if it only starts slowly: compliance.py --timeout 60"
    yield "the end of the dialogue (> sent, < received, ! standard error):"
    yield from (f"    {line}" for line in engine.last_words())


def run_command(argv: Sequence[str] | None) -> int:
    """Takes the steps up to the first error."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--timeout", type=float, default=10, metavar="S", help="seconds for an answer (default 10)"
    )
    parser.add_argument("engine", help="the program to check")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    args = parser.parse_args(argv)
    if not 0 < args.timeout < 1000:
        parser.error(f"--timeout {args.timeout:g}: must be more than 0 and less than 1000")
    try:
        engine = Engine(build({"cmd": [args.engine, *args.arguments]}).cmd, args.timeout)
    except EngineError as error:
        print(error.detail, file=sys.stderr)
        return 2
    number, step = 0, ""
    try:
        for number, step in enumerate(checks(engine), start=1):
            print(f"step {number}: {step}", flush=True)
    except (EngineError, UserError) as error:
        print("\n".join(explain(engine, f"step {number}, {step}", error)))
        return 1
    finally:
        engine.close()
    for warning in engine.warnings():
        print(f"warning: {warning}")
    slowest = f"the slowest after {1000 * engine.slowest_s:.0f} ms of `{GO}`"
    print(f"passed: all {number} steps, {engine.answers} moves, {slowest}")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    return guarded(run_command, argv)


if __name__ == "__main__":
    sys.exit(main())
