"""The rules that proofs by jobs rest on, against perft counts and the other Python rules."""

from __future__ import annotations

import random
from functools import cache

import pytest

from conftest import ROOT
from petardlib.base.errors import UserError
from petardlib.rules.boardtext import mirror_fen, start_fen
from petardlib.rules.positions import board_of, legal_moves, plain_fen, verdict_of
from petardlib.rules.turnboard import TurnBoard

MOST_LEAVES = 30_000


def counts() -> list[tuple[int, int, int, int, str]]:
    lines = (ROOT / "tests" / "data" / "perft.tsv").read_text().splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    return [(int(f), int(r), int(d), int(n), fen) for f, r, d, n, fen in rows]


def perft(board: TurnBoard, cells: str, depth: int) -> int:
    @cache
    def count(cells: str, depth: int) -> int:
        if depth == 0:
            return 1
        if board.result(cells) is not None:
            return 0
        moves = board.moves(cells)
        return len(moves) if depth == 1 else sum(count(after, depth - 1) for _, after in moves)

    return count(cells, depth)


def test_perft() -> None:
    done = 0
    for files, ranks, depth, nodes, fen in counts():
        if nodes > MOST_LEAVES:
            continue
        board = TurnBoard(files, ranks)
        cells = board.read(fen)
        assert perft(board, cells, depth) == nodes, (fen, depth)
        # Neither colour nor mirroring makes a difference.
        if nodes < 3000:
            assert perft(board, board.normal(cells), depth) == nodes
        done += 1
    assert done > 150


@pytest.mark.parametrize("size", [(8, 8), (5, 6), (2, 4), (4, 5), (3, 9), (9, 4)])
def test_random_games_as_on_the_other_board(size: tuple[int, int]) -> None:
    rng = random.Random(size[0])
    board = TurnBoard(*size)
    for _ in range(10):
        quick, cells = board_of(start_fen(*size)), board.read(start_fen(*size))
        white = True
        left = board.left(cells)
        while verdict_of(quick) is None:
            assert board.result(cells) is None
            fen = plain_fen(quick)
            assert board.read(fen) == cells
            mirrored = board.read(mirror_fen(fen))
            assert mirrored == board.mirrored(cells)
            assert board.normal(mirrored) == board.normal(cells)
            assert board.read(board.rows(cells) + " w") == cells
            moves = {m if white else board.flipped(m): after for m, after in board.moves(cells)}
            assert sorted(moves) == sorted(legal_moves(quick))
            move = rng.choice(sorted(moves))
            quick.push_uci(move)
            cells, white = moves[move], not white
            assert board.left(cells) < left
            left = board.left(cells)
        verdict = verdict_of(quick)
        assert verdict is not None
        assert board.result(cells) == ((verdict.result == "1-0") == white)


@pytest.mark.parametrize(
    ("fen", "wins"),
    [
        ("P3/4/4/p3/4 b", False),
        ("P3/4/4/p3/4 w", True),
        ("4/4/4/P3/p3 w", False),
        ("4/4/4/P3/4 w", True),
        ("4/4/4/P3/4 b", False),
        ("4/pp2/PP2/4/4 w", None),
        ("4/4/4/p3/P3 w", None),
        ("pp/pp/PP/PP w", None),
    ],
)
def test_odd_positions(fen: str, wins: bool | None) -> None:
    rows = fen.split()[0].split("/")
    board = TurnBoard(len(rows[0]) if rows[0].isalpha() else 4, len(rows))
    assert board.result(board.read(fen)) is wins


def test_blocked_pieces_lose() -> None:
    board = TurnBoard(2, 4)
    # Straight ahead is blocked, and the only diagonal holds an own piece.
    cells = board.read("2/p1/Pp/1P w")
    assert [move for move, _ in board.moves(cells)] == ["a2b3"]
    assert board.result(board.read("pp/PP/2/2 w")) is None


def test_wrong_positions_are_named() -> None:
    board = TurnBoard(4, 5)
    for fen, fault in (
        ("pppp/pppp/4/4/PPPP/PPPP w", "a position on 4x6, not on 4x5"),
        ("ppppp/5/5/5/PPPPP w", "a position on 5x5, not on 4x5"),
        ("D3/4/4/4/PPPP w", "freeling"),
        ("P3/4/4/4/p3 w", "both sides have a piece on the far rank"),
        ("pppp/pppx/4/4/PPPP w", "unknown character 'x'"),
        ("4/4/4/4/4 w", "no pieces"),
    ):
        with pytest.raises(UserError, match=fault):
            board.read(fen)
