"""The quick rules against pyffish, and the referee's final check."""

from __future__ import annotations

import random

import pyffish
import pytest

from conftest import start_fen
from petardlib.base.errors import UserError
from petardlib.play.referee import Referee, load_variant, pyffish_knows
from petardlib.rules.positions import board_of, legal_moves, try_move, verdict_of

SIZES = [(8, 8), (5, 5), (6, 6), (7, 7), (4, 5), (2, 4), (12, 10), (9, 4), (3, 10)]


@pytest.mark.parametrize("size", SIZES)
def test_quick_rules_are_pyffishs(size: tuple[int, int]) -> None:
    """Random games: the same moves and the same outcome at every ply."""
    rng = random.Random(size[0] * 100 + size[1])
    variant, start = load_variant(*size), start_fen(*size)
    for _ in range(3):
        board = board_of(start)
        moves: list[str] = []
        while True:
            legal = pyffish.legal_moves(variant, start, moves)
            verdict = verdict_of(board)
            assert (verdict is not None) == (not legal)
            if verdict is not None:
                value = pyffish.game_result(variant, start, moves)
                white_to_move = len(moves) % 2 == 0
                assert (verdict.result == "1-0") == ((value > 0) == white_to_move)
                break
            assert sorted(legal_moves(board)) == sorted(legal)
            for move in legal:
                assert try_move(board.copy(), move)
            moves.append(rng.choice(legal))
            board.push_uci(moves[-1])


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/8/8/8/8/P7 b 0 1",
        "P7/8/8/8/8/8/7p/8 b 0 1",
        "8/8/8/8/8/8/7p/P7 w 0 1",
        "1p6/P7/8/8/8/8/7p/8 w 0 1",
        "p7/P7/8/8/8/8/8/8 w 0 1",
        "8/8/p7/P7/8/8/8/8 b 77 99",
    ],
)
def test_odd_positions(fen: str) -> None:
    variant = load_variant(8, 8)
    board = board_of(fen)
    legal = pyffish.legal_moves(variant, fen, [])
    assert sorted(legal_moves(board)) == sorted(legal)


def test_impossible_positions_are_refused() -> None:
    with pytest.raises(UserError, match="both sides have a piece on the far rank"):
        board_of("P7/8/8/8/8/8/8/p7 w 0 1")
    with pytest.raises(UserError, match="freeling"):
        board_of("D7/8/8/8/8/8/8/8 w 0 1")


def test_referee_refuses_what_pyffish_refuses() -> None:
    referee = Referee("breakthrough", start_fen(8, 8))
    for move in ("a2a4", "a2a2", "a1a2", "a7a6", "b3b4", "z9z8", "pass", "a2a3!b3"):
        assert not referee.play(move), move
    assert referee.play("a2b3") and referee.moves == ["a2b3"]
    assert referee.verdict() is None and referee.confirm() == (1, None)


def test_last_look_finds_what_slipped_through() -> None:
    """If the quick rules were wrong, replaying the game in pyffish would stop at that move."""
    referee = Referee("breakthrough", start_fen(8, 8))
    assert referee.play("a2a3")
    referee.board = board_of("pppppppp/1ppppppp/8/p7/8/P7/1PPPPPPP/PPPPPPPP w")
    referee.moves.append("a7a5")
    assert referee.play("a3a4")
    count, verdict = referee.confirm()
    assert count == 1 and verdict is None


def test_what_pyffish_knows() -> None:
    assert pyffish_knows("breakthrough", start_fen(12, 10))
    assert not pyffish_knows("breakthrough", start_fen(13, 8))
    assert not pyffish_knows("breakthrough", start_fen(8, 11))
    assert not pyffish_knows("freeling", "ppppp/ppppp/5/5/5/5/5/PPPPP/PPPPP w 0 1")
