"""Positions of Breakthrough by the rules of the package `petard`, as the scripts need them.

A referee has pyffish confirm everything that these rules accept.
"""

from __future__ import annotations

from dataclasses import dataclass

from petard import Board, InvalidFenError, Move, Termination

from petardlib.base.errors import UserError
from petardlib.rules import boardtext


@dataclass(frozen=True)
class Verdict:
    """How a game ended: ``1-0``, ``0-1`` or ``1/2-1/2``, and why."""

    result: str
    reason: str


def board_of(fen: str) -> Board:
    """A position to play moves in."""
    if set("Dd") & set(fen.split()[0]):
        raise UserError(f"'{fen}': pairs (D, d) belong to the variant freeling")
    try:
        return Board(fen)
    except InvalidFenError as error:
        raise UserError(f"'{fen}': {error}") from None


def try_move(board: Board, move: str) -> bool:
    """Play a move (as ``a2b3``) if it is legal; whether it was."""
    try:
        board.push_uci(move)
    except ValueError:
        return False
    return True


def legal_moves(board: Board) -> list[str]:
    """All legal moves, ordered by source square as the side to move counts squares."""
    towards = 1 if board.turn else -1

    def place(move: Move) -> tuple[int, str, str]:
        start, end = move.from_square or "", move.to_square or ""
        return towards * int(start[1:]), start[0], end[0]

    return [move.uci() for move in sorted(board.legal_moves, key=place)]


def verdict_of(board: Board) -> Verdict | None:
    """The result, or None while the game goes on."""
    outcome = board.outcome()
    if outcome is None:
        return None
    winner, loser = ("White", "Black") if outcome.winner else ("Black", "White")
    reason = {
        Termination.ARRIVED: f"{winner} reaches the far rank",
        Termination.NO_PIECES: f"{loser} has no pieces left",
        Termination.BLOCKED: f"{loser} has no legal move",
        Termination.REPETITION: "draw by repetition",
    }
    return Verdict(outcome.result(), reason[outcome.termination])


def enemy_is_bare(board: Board) -> bool:
    """Whether the side that is not to move has no pieces."""
    return ("p" if board.turn else "P") not in board.board_fen()


def plain_fen(board: Board) -> str:
    """The FEN of the position, without counters."""
    return boardtext.normal_fen(" ".join(board.fen().split()[:2]))
