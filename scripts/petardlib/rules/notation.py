"""Moves and games as people paste them: SAN, `a2-a3`, Little Golem's lists, trmph links.

SAN is what XBoard (``d4#``), Fairy-Stockfish (``Ped3``) and other chess programs write for a pawn:
the square that is entered, before it the file or the rank that is left where that is not clear.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from petardlib.base.errors import UserError
from petardlib.rules import boardtext
from petardlib.rules.board import Board

TRMPH = "https://trmph.com/breakthrough/board#"
RESULTS = ("1-0", "0-1", "1/2-1/2", "*", "resign", "resigns", "resigned")

# What can be read as "takes" is not read as the file x.
# What can be read as "takes" is not read as the file x.
_SAN = re.compile(r"P?([a-z])??([0-9]{1,2})??(x)?([a-z][0-9]{1,2})(?:=[A-Za-z])?[*+#!?]*$")
_LINK = re.compile(r"\S*#([0-9]{1,3})(?:x([0-9]{1,3}))?,((?:[a-z][0-9]{1,2}){2,}|)$")


def coordinates(word: str) -> str | None:
    """A move that names both squares as ``a2b3``; None for any other."""
    if re.match("P[0-9]", word) and word != word.upper():
        # A capital stands for the man, not for the sixteenth file.
        return None
    for text in (word, word.removeprefix("P")):
        try:
            return boardtext.normal_move(text)
        except UserError:
            continue
    return None


def read_move(word: str, board: Board | None) -> str:
    """A move in any notation as ``a2b3``; ``board`` is asked where a square is left out."""
    move = coordinates(word)
    if move is not None:
        return move
    found = _SAN.match(word)
    if not found or board is None:
        raise UserError(f"'{word}' is not a move such as a2b3")
    file, rank, takes, target = found.groups()
    legal = [move for move in board.legal_moves() if _entered(move) == target]
    fitting = [
        move
        for move in legal
        if (not file or move[0] == file)
        and (not rank or _left(move)[1:] == rank)
        and (not takes or board.is_capture(move))
    ]
    if len(fitting) > 1 and not (file or rank or takes):
        # A pawn's move straight ahead is the one that needs no more than its square.
        fitting = [move for move in fitting if move[0] == target[0]] or fitting
    if not fitting:
        raise UserError(f"illegal move {word}")
    if len(fitting) > 1:
        raise UserError(f"'{word}' may be {' or '.join(fitting)}")
    return fitting[0]


def _left(move: str) -> str:
    squares = boardtext.move_squares(move)
    return squares[0] if squares else ""


def _entered(move: str) -> str:
    squares = boardtext.move_squares(move)
    return squares[1] if squares else ""


def read_moves(words: Iterable[str], variant: str, fen: str) -> list[str]:
    """The moves of a game in any notation; coordinates alone are not checked here."""
    moves: list[str] = []
    board: Board | None = None
    for ply, word in enumerate(words, start=1):
        if board is None and coordinates(word) is None and variant == boardtext.TROYKA:
            board = Board(fen)
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
    if not board.is_legal(move):
        raise UserError(f"ply {ply}: illegal move {move}")
    board.apply(move)


def movetext_words(text: str) -> list[str]:
    """The moves of a list such as ``1.a2-a3 b7xa6 2. b2xa3 {good} 1-0``, without the rest."""
    words = re.sub(r"\{[^}]*\}", " ", text).split()
    plain = (re.sub(r"^[0-9]+\.+", "", word) for word in words)
    return [word for word in plain if word and word.lower() not in RESULTS]


def read_link(text: str) -> tuple[tuple[int, int], list[str]] | None:
    """Board size and moves of a trmph link (``board#8,g2h3b7b6``); None if it is none."""
    found = _LINK.match(text.strip())
    if not found:
        return None
    squares = re.findall(r"[a-z][0-9]{1,2}", found[3])
    if len(squares) % 2:
        raise UserError(f"'{text}': the last move lacks a square")
    moves = [squares[at] + squares[at + 1] for at in range(0, len(squares), 2)]
    return (int(found[1]), int(found[2] or found[1])), moves


def _check_start(fen: str) -> tuple[int, int]:
    size = boardtext.board_size(fen)
    if fen.split()[:2] != boardtext.start_fen(*size).split()[:2]:
        raise UserError(f"this form tells games from the start position only, not from {fen}")
    return size


def golem_text(fen: str, moves: list[str]) -> str:
    """A game from the start position as Little Golem lists it: ``1. a2-a3 b7xa6 2. ...``."""
    _check_start(fen)
    board = Board(fen)
    words = []
    for ply, move in enumerate(moves):
        if ply % 2 == 0:
            words.append(f"{ply // 2 + 1}.")
        words.append(_left(move) + ("x" if board.is_capture(move) else "-") + _entered(move))
        board.apply(move)
    return " ".join(words)


def trmph_link(fen: str, moves: list[str]) -> str:
    """A game from the start position as a link that opens it."""
    files, ranks = _check_start(fen)
    size = str(files) if files == ranks else f"{files}x{ranks}"
    return f"{TRMPH}{size},{''.join(moves)}"
