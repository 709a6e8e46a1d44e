"""Why a move is illegal, in words for whoever writes an engine."""

from __future__ import annotations

import re

from petard import Board
from petardlib.rules.positions import BREAKTHROUGH

MOVE = re.compile(r"([a-z]{1,2})([0-9]{1,2})([a-z]{1,2})([0-9]{1,2})")


def _file_number(file: str) -> int:
    """From 0: a to z, then aa to af."""
    return ord(file[-1]) - ord("a") + 26 * (len(file) - 1)


def why_illegal(board: Board, move: str) -> str:
    """The reason, empty if the move is legal; a move is written as ``a2b3``."""
    if move in board.legal_moves.uci():
        return ""
    if board.variant != BREAKTHROUGH:
        return f"{move} is illegal"
    if move == "(none)":
        return "(none): there is always a legal move"
    found = MOVE.fullmatch(move)
    if found is None:
        return f"'{move}' is not a move; write the squares from and to in small letters, as in a2b3"
    start, end = "".join(found.groups()[:2]), "".join(found.groups()[2:])
    for square in (start, end):
        try:
            board.piece_at(square)
        except ValueError:
            return f"{move}: there is no {square} on a board of {board.files}x{board.ranks}"
    side, own = ("White", "P") if board.turn else ("Black", "p")
    piece, target = board.piece_at(start), board.piece_at(end)
    if piece != own:
        what = "the square is empty" if piece is None else "that piece is the opponent's"
        return f"{move}: {side} is to move and has no piece on {start}; {what}"
    aside = abs(_file_number(found[3]) - _file_number(found[1]))
    ahead = (int(found[4]) - int(found[2])) * (1 if board.turn else -1)
    if ahead < 0:
        return f"{move} goes backwards; {side} moves {'up' if board.turn else 'down'}"
    if ahead != 1:
        return f"{move} goes {'two' if ahead == 2 else ahead or 'no'} ranks; a move goes one"
    if aside > 1:
        return f"{move} goes {aside} files aside; a move goes straight ahead or to the next file"
    if target == own:
        return f"{move}: {end} is occupied by a piece of its own side"
    if aside == 0:
        return f"{move} captures straight ahead; captures are diagonal"
    return f"{move} is illegal, since the game is over"
