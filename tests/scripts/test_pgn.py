"""PGN: what is written is read back here and by python-chess, and refereed again by pyffish."""

from __future__ import annotations

import io
import random
from typing import Any

import chess
import chess.pgn
import pyffish
import pytest

from conftest import start_fen
from petard import Board, notation, pgn
from petardlib.base.errors import UserError
from petardlib.play.gamefiles import write_game
from petardlib.play.inputs import Item, Reading
from petardlib.stats.games import GameRecord, MoveLog


class Squares(chess.Board):
    """Stands in for a board of a game that python-chess knows; it only counts moves."""

    def __init__(self, fen: str | None = None, *, chess960: bool = False) -> None:
        super().__init__(None)

    def push(self, move: chess.Move) -> None:
        self.turn = not self.turn


class Reader(chess.pgn.BaseVisitor[Any]):
    """python-chess's own parser, reading moves as squares, since it does not know the rules."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}
        self.moves: list[str] = []
        self.comments: list[str] = []

    def begin_headers(self) -> chess.pgn.Headers:
        class Plain(chess.pgn.Headers):
            def variant(self) -> type[chess.Board]:
                return Squares

        return Plain({})

    def visit_header(self, name: str, value: str) -> None:
        self.headers[name] = value

    def parse_san(self, board: chess.Board, san: str) -> chess.Move:
        return chess.Move.from_uci(san)

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        self.moves.append(move.uci())

    def visit_comment(self, comment: object) -> None:
        self.comments.append(str(comment))

    def handle_error(self, error: Exception) -> None:
        raise error

    def result(self) -> Reader:
        return self


def read_with_python_chess(text: str) -> list[Reader]:
    stream = io.StringIO(text)
    games = []
    while (game := chess.pgn.read_game(stream, Visitor=Reader)) is not None:
        games.append(game)
    return games


def uci(game: pgn.Game) -> list[str]:
    return [move.uci() if move else "--" for move in game.mainline_moves()]


def item_of(text: str) -> Item:
    (item,) = Reading().text(text, "x")
    return item


def record(**changes: object) -> GameRecord:
    fen = "8/1p6/8/8/8/P7/8/8 b 0 7"
    base: dict[str, Any] = {
        "index": 3,
        "pair": 1,
        "round": 2,
        "white": 'a "quoted" name',
        "black": "b",
        "result": "1-0",
        "reason": "White {wins}",
        "termination": "normal",
        "variant": "breakthrough",
        "fen": fen,
        "opening": "set 5",
        "book": 1,
        "moves": ["b7b6", "a3a4", "b6b5", "a4b5"],
        "log": [
            MoveLog(10.0, 10, None, None, 3, 99),
            MoveLog(12.0),
            MoveLog(1.0, None, -3, None, 7, 5),
        ],
        "controls": ("10+0.1", "1000 nodes"),
        "start": "2026-01-02T03:04:05+00:00",
    }
    return GameRecord(**{**base, **changes})


def test_written_and_read_back() -> None:
    text = write_game(record(), "an event") + write_game(
        record(round=3, moves=[], log=[], book=0), "an event"
    )
    game, empty = pgn.read_games(text)
    assert uci(game) == ["b7b6", "a3a4", "b6b5", "a4b5"]
    assert game.start.fen() == "8/1p6/8/8/8/P7/8/8 b 0 7"
    assert game.headers["White"] == 'a "quoted" name'
    assert game.headers["FEN"] == "8/1p6/8/8/8/P7/8/8 b - - 0 7"
    assert game.headers["WhiteTimeControl"] == "10+0.1"
    comments = [node.comment for node in game.mainline()]
    assert comments == ["book", "+0.10/3 0.010s", "0.012s", "-M3/7 0.001s, White (wins)"]
    assert "7... b7b6 {book} 8. a3a4" in text
    assert uci(empty) == []
    theirs = read_with_python_chess(text)
    assert [one.moves for one in theirs] == [uci(game), []]
    # python-chess keeps the standard's backslashes
    plain = {key: value.replace('\\"', '"') for key, value in theirs[0].headers.items()}
    assert plain == game.headers
    assert [c.strip() for c in theirs[0].comments] == comments


def test_variations_and_other_writers_notations_are_left_out() -> None:
    text = """[Event "x"]
[Variant "breakthrough6"]
[Result "0-1"]

; a comment to the end
1.a2-a3 a5xb4 $1 (1... b5b4 {not this} (1... c5c4)) 2.b2xa3 {[Event "no header"]
in a comment} 2...b5-b4 0-1
"""
    with pytest.raises(UserError, match=r"x, game 1: ply 3: 'b2a3' is illegal"):
        Reading().text(text, "x")
    item = item_of(text.replace("a5xb4", "a5-a4").replace("2.b2xa3", "2.b2-b3"))
    assert item.moves == ["a2a3", "a5a4", "b2b3", "b5b4"]
    assert item.fen.startswith("pppppp/pppppp/6/6/")


def test_tall_boards_and_the_other_game() -> None:
    item = item_of('[Variant "breakthrough6x7"]\n\n1. b2b3 *\n')
    assert item.fen.startswith("pppppp/pppppp/6/6/6/")
    item = item_of('[Variant "freeling"]\n\n1. b2a1 pass 2. -- *\n')
    assert item.moves == ["b2a1", "pass", "pass"] and item.variant == "freeling"
    item = item_of('[Variant "breakthrough27x4"]\n\n1. aa2z3 *\n')
    assert item.moves == ["aa2z3"]


def test_bad_move_names_the_game() -> None:
    text = '[Event "a"]\n\n1. a2a3 *\n\n[Event "b"]\n\n1. Nf3 *\n'
    with pytest.raises(UserError, match=r"file\.pgn, game 2: ply 1: 'Nf3'"):
        Reading().text(text, "file.pgn")
    with pytest.raises(UserError, match=r"file\.pgn, game 1: unclosed comment"):
        Reading().text('[Event "a"]\n\n1. b2b3 {better is g7g6', "file.pgn")


def referee_again(text: str) -> int:
    """Replay every game of a PGN text in pyffish alone; the number of games."""
    games = read_with_python_chess(text)
    ours = list(pgn.read_games(text))
    assert len(games) == len(ours)
    for theirs, own in zip(games, ours, strict=True):
        assert theirs.moves == uci(own)
        legal = pyffish.legal_moves("breakthrough", theirs.headers["FEN"], theirs.moves)
        if theirs.headers["Termination"] == "normal":
            assert legal == []
            value = pyffish.game_result("breakthrough", theirs.headers["FEN"], theirs.moves)
            white_first = theirs.headers["FEN"].split()[1] == "w"
            white_wins = (value > 0) == (white_first == (len(theirs.moves) % 2 == 0))
            assert theirs.headers["Result"] == ("1-0" if white_wins else "0-1")
    return len(games)


def test_san_is_read() -> None:
    text = """[Event "as XBoard saves it"]
[Variant "breakthrough"]
[FEN "8/1P6/8/8/8/7P/2p5/8 w - - 0 1"]

1. h4 c1=Q# {it has arrived} 0-1

[Event "as pyffish spells it"]

1. Pa3 Pa6 2. Pb3 (2. Pc3) Pb6 *
"""
    one, two = Reading().text(text, "f.pgn")
    assert one.moves == ["h3h4", "c2c1"]
    assert two.moves == ["a2a3", "a7a6", "b2b3", "b7b6"]
    with pytest.raises(UserError, match=r"f\.pgn, game 1: ply 2: 'b5' is illegal"):
        Reading().text('[Event "x"]\n\n1. a3 b5 *\n', "f.pgn")


def test_san_of_random_games_is_that_of_pyffish() -> None:
    rng = random.Random(11)
    for _ in range(6):
        fen = start_fen(8, 8)
        moves: list[str] = []
        words: list[str] = []
        while legal := pyffish.legal_moves("breakthrough", fen, moves):
            move = rng.choice(legal)
            here = pyffish.get_fen("breakthrough", fen, moves)
            words.append(pyffish.get_san("breakthrough", here, move))
            moves.append(move)
        board = Board(fen)
        notation.push_words(board, words)
        assert [move.uci() for move in board.move_stack] == moves
