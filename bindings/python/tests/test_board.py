"""Boards and moves: python-chess's names, and the rules of both games."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys
from pathlib import Path

import pyffish
import pytest

import petard
from petard import Board, IllegalMoveError, InvalidFenError, InvalidMoveError, Move, Termination

ROOT = Path(__file__).resolve().parents[3]
SIZES = ["8x8", "6x6", "5x5", "7x7", "3x7", "10x10", "12x5", "2x64", "32x4", "9x4"]


def random_line(board: Board, seed: int, plies: int = 200) -> Board:
    """Plays random moves and checks what can be checked on the way."""
    choice = random.Random(seed)
    for _ in range(plies):
        moves = list(board.legal_moves)
        assert len(board.legal_moves) == len(moves) == len(set(moves))
        assert bool(board.legal_moves) is bool(moves) is not board.is_game_over()
        assert sorted(m.uci() for m in moves) == board.legal_moves.uci()
        if not moves:
            break
        board.push(choice.choice(moves))
    return board


def perft_rows() -> list[tuple[str, int, int]]:
    """Positions of any board with the counts of the engine's tests, the small ones."""
    lines = (ROOT / "tests/data/perft.tsv").read_text().splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    return [
        (fen, int(depth), int(nodes)) for _, _, depth, nodes, fen in rows if int(nodes) < 20_000
    ]


@pytest.mark.parametrize("size", SIZES)
def test_a_board_of_any_size(size: str) -> None:
    files, ranks = map(int, size.split("x"))
    board = Board(size)
    assert (board.files, board.ranks, board.variant) == (files, ranks, "breakthrough")
    assert board.turn is petard.WHITE
    end = random_line(board.copy(), 1)
    again = Board(size)
    for move in end.move_stack:
        assert move in again.legal_moves
        again.push_uci(move.uci())
    assert again == end and again.fen() == end.fen()
    for _ in range(len(end.move_stack)):
        again.pop()
    assert again == Board(size) and again.move_stack == []


@pytest.mark.parametrize("seed", range(6))
def test_pyffish_agrees(seed: int) -> None:
    board = Board()
    choice = random.Random(seed)
    start = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1"
    played: list[str] = []
    while not board.is_game_over():
        assert board.legal_moves.uci() == sorted(pyffish.legal_moves("breakthrough", start, played))
        move = choice.choice(list(board.legal_moves))
        board.push(move)
        played.append(move.uci())
        rows, side = pyffish.get_fen("breakthrough", start, played).split()[:2]
        assert board.fen().split()[:2] == [rows, side]
    assert pyffish.legal_moves("breakthrough", start, played) == []


def test_perft_is_what_others_count() -> None:
    rows = perft_rows()
    assert len(rows) > 100
    for fen, depth, nodes in rows:
        assert Board(fen).perft(depth) == nodes, fen


def test_perft_by_moves() -> None:
    assert Board().perft(4) == 256036
    assert Board("6x6").perft(3) == sum(Board("6x6").divide(3).values())
    assert Board().perft(0) == 1
    board = Board.freeling()
    count = 0
    for move in board.legal_moves:
        board.push(move)
        count += len(board.legal_moves)
        board.pop()
    assert board.perft(2) == count


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_perft_of_lines_without_end() -> None:
    # A count as deep as this once overflowed the stack. Ctrl-C ends it.
    script = (
        "import os, signal, threading, petard\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "try:\n"
        "    petard.Board.freeling().CALL\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    for call in ("perft(1_000_000)", "divide(1_000_000)"):
        done = subprocess.run(
            [sys.executable, "-c", script.replace("CALL", call)],
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.stdout == "interrupted\n", done.stderr
    assert Board("2x4").perft(4_000_000_000) == 0 and Board().divide(0) == {}


@pytest.mark.parametrize("number", [-1, 2**64, 2**70])
def test_numbers_out_of_range(number: int) -> None:
    for name, use in (
        ("depth", Board().perft),
        ("depth", Board().divide),
        ("seed", Board().random_playout),
        ("seed", lambda seed: petard.random_playouts(Board(), 1, seed=seed)),
        (
            "certificate_depth",
            lambda depth: petard.solve(Board("3x4"), certificate=True, certificate_depth=depth),
        ),
    ):
        with pytest.raises(
            ValueError, match=rf"^{name}(: {number} is out of range| must be an odd)"
        ):
            use(number)
    with pytest.raises(TypeError, match="depth: 'float' object"):
        Board().perft(1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="games: -1 is out of range"):
        petard.random_playouts(Board(), -1)
    # No board has so many files; and no list so many items.
    assert petard.network_shape(number, 8) is None is petard.network_shape(8, number)
    for index in (2**70, -(2**70)):
        with pytest.raises(IndexError, match="there are 22 legal moves"):
            Board().legal_moves[index]


def test_outcomes() -> None:
    assert Board().outcome() is None and Board().result() == "*"
    board = Board("pppp1ppp/ppppPppp/8/8/8/8/PPPP1PPP/PPPPPPPP w 0 20")
    board.push_uci("e7e8")
    outcome = board.outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.termination) == (petard.WHITE, Termination.ARRIVED)
    assert outcome.result() == board.result() == "1-0"
    assert not board.legal_moves and board.is_game_over()
    bare = Board("8/8/8/8/3p4/8/8/8 w 0 1")
    outcome = bare.outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.termination) == (petard.BLACK, Termination.NO_PIECES)


def test_freeling_draws_by_repetition() -> None:
    board = Board.freeling()
    assert board.variant == "freeling" and (board.files, board.ranks) == (5, 9)
    for _ in range(4):
        assert not board.is_game_over()
        board.push(Move.null())
    outcome = board.outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.termination) == (None, Termination.REPETITION)
    assert board.result() == outcome.result() == "1/2-1/2"
    assert len(board.legal_moves) == 0
    with pytest.raises(IllegalMoveError, match="over"):
        board.push_uci("pass")
    board.pop()
    assert board.legal_moves and board.outcome() is None
    again = pickle.loads(pickle.dumps(board))
    again.push(Move.null())
    assert again.is_game_over()
    for seed in range(20):
        random_line(Board.freeling(), seed, 60)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("b2b4", IllegalMoveError),
        ("b7b6", IllegalMoveError),
        ("nonsense", InvalidMoveError),
        ("b2i3", InvalidMoveError),
        ("", InvalidMoveError),
        ("pass", ValueError),
    ],
)
def test_what_is_refused_changes_nothing(text: str, error: type[ValueError]) -> None:
    board = Board()
    board.push_uci("a2a3")
    board.push_uci("a7a6")
    before = (board.fen(), board.move_stack)
    with pytest.raises(error):
        board.push_uci(text)
    with pytest.raises(error, match="move 3: "):
        board.push_line(["h2h3", "h7h6", text])
    assert (board.fen(), board.move_stack) == before


def test_a_move_of_another_board_is_refused_and_an_equal_one_taken() -> None:
    board = Board("6x6")
    with pytest.raises(IllegalMoveError):
        board.push(Move.from_uci("h2h3"))
    assert Move.from_uci("h2h3") not in board.legal_moves
    assert "a2a3" not in board.legal_moves
    board.push(Move.from_uci("a2a3"))
    wide = Board("10x10")
    move = next(m for m in wide.legal_moves if m.uci() == "a2a3")
    assert move == Move.from_uci("a2a3") and hash(move) == hash(Move.from_uci("a2a3"))
    fresh = Board()
    fresh.push(move)
    assert fresh.peek() == move
    with pytest.raises(IllegalMoveError):
        fresh.push(Move.null())
    with pytest.raises(TypeError):
        fresh.push("a7a6")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    ["", "8", "1x9", "8x3", "99x99", "chess", "8/8", "ppp/ppp/3/PPP/PPP x", "p7/8/8/8/8/8/8/P8 w"],
)
def test_positions_that_are_none(text: str) -> None:
    with pytest.raises(InvalidFenError):
        Board(text)
    with pytest.raises(InvalidFenError):
        Board.from_fen(text)
    board = Board("6x6")
    with pytest.raises(InvalidFenError):
        board.set_fen(text)
    assert board == Board("6x6")


def test_fens_are_kept() -> None:
    fen = "1pppp1pp/pppppppp/2p1p3/P7/8/7P/1PPPPPPP/PPPPPPP1 w 0 5"
    board = Board(fen)
    assert board.fen() == fen and board.board_fen() == fen.split()[0]
    assert (board.ply, board.fullmove_number) == (8, 5)
    assert Board.from_fen(fen.replace(" 0 ", " - - 0 ")).fen() == fen
    board.reset()
    assert board == Board()
    pairs = "1d3/1d1d1/2p1P/1D1P1/2D2/5/3P1/5/5 b 33 35"
    assert Board.freeling(pairs).fen() == Board.from_fen(pairs, "freeling").fen() == pairs
    assert Board.freeling(pairs).piece_at("b9") == "d"
    with pytest.raises(ValueError, match="variant"):
        Board.from_fen(fen, "chess")


def test_equality_hashing_and_copies() -> None:
    one, other = Board(), Board()
    one.push_line(["a2a3", "a7a6", "b2b3", "b7b6"])
    other.push_line(["b2b3", "b7b6", "a2a3", "a7a6"])
    assert one == other and hash(one) == hash(other) and one.key == other.key
    assert one != Board() and one != "board"
    assert Board("6x6") != Board()
    assert Board("5x9") != Board.freeling()
    for twin in (one.copy(), copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert twin == one and twin.move_stack == one.move_stack
        twin.pop()
        assert twin != one
    assert one.copy(stack=False).move_stack == []
    assert one.root() == Board()
    assert len({one, other, Board()}) == 2


def long_game(plies: int) -> Board:
    """A game of Freeling's that is not over after so many plies."""
    board, choice = Board.freeling(), random.Random(1)
    while len(board.move_stack) < plies:
        board.push(choice.choice(board.legal_moves))
        if board.is_game_over():
            for _ in range(min(20, len(board.move_stack))):
                board.pop()
    return board


@pytest.mark.parametrize("plies", [200, 2000])
def test_long_games_are_copied(plies: int) -> None:
    board = long_game(plies)
    for twin in (copy.deepcopy(board), pickle.loads(pickle.dumps(board))):
        assert twin == board and twin.move_stack == board.move_stack
        assert twin.root() == board.root()
        # What has occurred before counts there, too.
        passed = board.copy()
        while not passed.is_game_over():
            assert not twin.is_game_over()
            passed.push(Move.null())
            twin.push(Move.null())
        assert twin.result() == passed.result() == "1/2-1/2"


def test_moves_are_values() -> None:
    move = Move.from_uci("A2B3")
    assert (move.uci(), str(move), repr(move)) == ("a2b3", "a2b3", "Move.from_uci('a2b3')")
    assert (move.from_square, move.to_square) == ("a2", "b3")
    assert move and not Move.null() and Move.null().uci() == "pass"
    assert Move.null() == Move.from_uci("pass") and Move.null().from_square is None
    assert pickle.loads(pickle.dumps(move)) == copy.deepcopy(move) == move != Move.null()
    assert sorted([Move.from_uci("b2b3"), move]) == [move, Move.from_uci("b2b3")]
    assert Move.from_uci("af4af3").from_square == "af4"
    for text in ("", "a2", "a0a1", "a2b3q", "22", "a200a201"):
        with pytest.raises(InvalidMoveError):
            Move.from_uci(text)


def test_mirrors() -> None:
    board = Board()
    board.push_uci("a2b3")
    assert board.mirror().fen().split()[:2] == [
        "pppppppp/1ppppppp/1p6/8/8/8/PPPPPPPP/PPPPPPPP",
        "w",
    ]
    assert board.mirror().mirror() == board
    assert board.flip_horizontal().piece_at("g3") == "P"
    assert board.flip_horizontal().flip_horizontal() == board
    for variant in ("8x8", "5x7", "11x11", "freeling"):
        other = random_line(Board(variant), 3, 12)
        assert len(other.mirror().legal_moves) == len(other.legal_moves)
        assert other.mirror().flip_horizontal().mirror().flip_horizontal() == other


def test_pieces_text_and_picture() -> None:
    board = Board()
    board.push_uci("c2c3")
    assert board.piece_at("c3") == "P" and board.piece_at("c2") is None
    assert board.piece_map()["h8"] == "p" and len(board.piece_map()) == 32
    with pytest.raises(ValueError, match="i1"):
        board.piece_at("i1")
    assert str(board).splitlines()[0] == "  8  p p p p p p p p"
    assert repr(board) == f"Board('{board.fen()}')"
    assert eval(repr(board)) == board
    assert eval(repr(Board.freeling())) == Board.freeling()
    picture = board._repr_svg_()
    assert picture.startswith("<svg ") and picture.count("<circle") == 32
    assert petard.Board.freeling("1d3/1d1d1/2p1P/1D1P1/2D2/5/3P1/5/5 b 33 35")._repr_svg_()


def test_the_view_follows_the_board() -> None:
    board = Board()
    view = board.legal_moves
    assert len(view) == view.count() == 22
    for move in view:
        board.push(move)
        assert move not in view
        board.pop()
    board.push_uci("b2b3")
    assert all(m.from_square and m.from_square[1] in "78" for m in view)
    assert repr(view).startswith("<LegalMoves (a7a6")


def test_legal_moves_by_index_and_slice() -> None:
    boards = [Board(), Board("10x10"), Board.freeling(), Board().random_playout(seed=1)]
    for board in boards:
        moves = list(board.legal_moves)
        for index in range(-len(moves), len(moves)):
            assert board.legal_moves[index] is moves[index]
        for index in (len(moves), -len(moves) - 1, 10**6):
            with pytest.raises(IndexError, match=str(len(moves))):
                board.legal_moves[index]
        for part in (
            slice(None),
            slice(2, 5),
            slice(None, None, -1),
            slice(-3, None),
            slice(9, 1, -2),
            slice(5, 5),
            slice(900, 1000),
            slice(1, None, 7),
        ):
            assert board.legal_moves[part] == moves[part]
    assert random.Random(1).choice(Board().legal_moves) in Board().legal_moves
    with pytest.raises(TypeError):
        Board().legal_moves["a2a3"]  # type: ignore[call-overload]


def test_random_games() -> None:
    end = Board().random_playout(seed=7)
    assert end.is_game_over() and end.move_stack == Board().random_playout(seed=7).move_stack
    assert Board().random_playout().is_game_over()
    results, plies = petard.random_playouts(Board(), 400, seed=3)
    assert set(results.tolist()) == {1, -1} and 40 < plies.mean() < 90
    again, _ = petard.random_playouts(Board(), 400, seed=3)
    assert (results == again).all()
    results, _ = petard.random_playouts(Board.freeling(), 20, seed=3)
    assert len(results) == 20
    over = Board("pppp1ppp/ppppPppp/8/8/8/8/PPPP1PPP/PPPPPPPP w 0 20")
    over.push_uci("e7e8")
    results, plies = petard.random_playouts(over, 3)
    assert results.tolist() == [1, 1, 1] and plies.tolist() == [0, 0, 0]
