"""Moves and games as people paste them, read by `petard.notation`; moves are strings here.

The legality of moves that name both squares is not checked here: that is the referee's job.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from petard import Board, IllegalMoveError, InvalidMoveError, notation
from petard.notation import movetext_words

from petardlib.base.errors import UserError
from petardlib.rules import boardtext
from petardlib.rules.positions import board_of, try_move

__all__ = ["golem_text", "movetext_words", "read_link", "read_move", "read_moves", "trmph_link"]


def read_move(word: str, board: Board | None) -> str:
    """A move in any notation as ``a2b3``; ``board`` fills in a square that is left out."""
    move = notation.coordinates(word)
    if move is not None:
        return boardtext.normal_move(word.removeprefix("P")) if "!" in word else move
    if board is None:
        raise UserError(f"'{word}' is not a move such as a2b3")
    try:
        return notation.parse_move(board, word).uci()
    except IllegalMoveError as error:
        told = str(error) if "may be" in str(error) else f"illegal move {word}"
        raise UserError(told) from None
    except InvalidMoveError as error:
        raise UserError(str(error)) from None


def read_moves(words: Iterable[str], variant: str, fen: str) -> list[str]:
    """The moves of a game in any notation; plain coordinates are not checked here."""
    moves: list[str] = []
    board: Board | None = None
    for ply, word in enumerate(words, start=1):
        needs_rules = notation.coordinates(word) is None and variant == boardtext.TROYKA
        if board is None and needs_rules:
            board = board_of(fen)
            for before, move in enumerate(moves, start=1):
                _play(board, move, before)
        try:
            moves.append(read_move(word, board))
        except UserError as error:
            raise UserError(f"ply {ply}: {error}") from None
        if board is not None:
            _play(board, moves[-1], ply)
    return moves


def _play(board: Board, move: str, ply: int) -> None:
    if not try_move(board, move):
        raise UserError(f"ply {ply}: illegal move {move}")


def read_link(text: str) -> tuple[tuple[int, int], list[str]] | None:
    """Board size and moves of a trmph link (``board#8,g2h3b7b6``); None if it is not one."""
    try:
        return notation.read_link(text)
    except InvalidMoveError as error:
        raise UserError(str(error)) from None


def _written(fen: str, moves: list[str], write: Callable[[Board], str]) -> str:
    size = boardtext.board_size(fen)
    if fen.split()[:2] != boardtext.start_fen(*size).split()[:2]:
        raise UserError(f"this format only covers games from the start position, not from {fen}")
    board = board_of(fen)
    board.push_line(moves)
    return write(board)


def golem_text(fen: str, moves: list[str]) -> str:
    """A game from the start position as Little Golem lists it: ``1. a2-a3 b7xa6 2. ...``."""
    return _written(fen, moves, notation.golem_text)


def trmph_link(fen: str, moves: list[str]) -> str:
    """A game from the start position as a trmph link that opens it."""
    return _written(fen, moves, notation.trmph_link)
