"""Moves and games as people paste them: SAN, ``a2-a3``, Little Golem's lists, trmph links.

SAN is what XBoard (``d4#``), Fairy-Stockfish (``Ped3``) and other chess programs write for a pawn:
the square entered, preceded by the file or rank it comes from where that is ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from petard._petard import Board, IllegalMoveError, InvalidMoveError, Move

TRMPH = "https://trmph.com/breakthrough/board#"
"""The start of every `trmph_link`."""
_SQUARE = r"a?[a-z][0-9]{1,2}"
_COORDINATES = re.compile(rf"({_SQUARE})[-x:]?({_SQUARE})((?:!{_SQUARE})*)[*+#!?]*$")
# An x that can mean "takes" is not read as the file x.
_SAN = re.compile(r"P?([a-z])??([0-9]{1,2})??(x)?([a-z][0-9]{1,2})(?:=[A-Za-z])?[*+#!?]*$")
_ENDING = re.compile(
    r"(?:1[-–—−‑]0|0[-–—−‑]1|1/2(?:[-–—−‑]1/2)?|½(?:[-–—−‑]½)?|\*|resign(?:s|ed)?\.?|timeouts?\.?|swap\.?)$",
    re.IGNORECASE,
)
_LINK = re.compile(
    rf"\S*#([0-9]{{1,3}})(?:x([0-9]{{1,3}}))?,((?:,*{_SQUARE}){{2,}}|),*$", re.IGNORECASE
)
_EPD = re.compile(
    r"""(\S+\ [wbWB]
        (?:\ (?:-|[KQkqA-Ha-h]+)\ (?:-|a?[a-z][1-9][0-9]?)(?![^\ ;]))?  # as in chess
        (?:\ [0-9]+\ [0-9]+(?![^\ ;]))?)                             # counters
        (?!(?:.*;)?\ ?moves\b)                                       # moves are no operation
        (?:\ ?;\ ?|\ (?=[A-Za-z]\w*(?:\ [^;]*)?;)|$)(.*)$""",
    re.VERBOSE,
)
"""A position with the fields that it can have, and the operations of an EPD."""


def coordinates(word: str) -> str | None:
    """A move that names both squares, such as ``a2b3``, or ``pass``; None for any other word."""
    if re.match("P[0-9]", word) and word != word.upper():
        # A capital P stands for the piece, not for the sixteenth file.
        return None
    for text in (word, word.removeprefix("P")):
        lower = text.strip().lower()
        if lower in ("pass", "0000", "--"):
            return "pass"
        found = _COORDINATES.match(lower)
        if found:
            return found[1] + found[2] + found[3]
    return None


def parse_move(board: Board, word: str) -> Move:
    """A move in any notation, which must be legal.

    Raises `InvalidMoveError` if it is not a move, `IllegalMoveError` if it is illegal or ambiguous.
    """
    text = coordinates(word)
    if text is not None:
        return board.parse_uci(text)
    found = _SAN.match(word.strip())
    if not found:
        raise InvalidMoveError(f"'{word[:30]}' is not a move such as a2b3")
    file, rank, takes, target = found.groups()
    fitting = [
        move
        for move in board.legal_moves
        if move.to_square == target
        and (not file or _file(move.from_square) == file)
        and (not rank or (move.from_square or "").lstrip("abcdefghijklmnopqrstuvwxyz") == rank)
        and (not takes or board.is_capture(move))
    ]
    if len(fitting) > 1 and not (file or rank or takes):
        # A bare target square means the step straight ahead.
        fitting = [move for move in fitting if _file(move.from_square) == _file(target)] or fitting
    if not fitting:
        raise IllegalMoveError(f"'{word}' is illegal")
    if len(fitting) > 1:
        choice = " or ".join(sorted(move.uci() for move in fitting))
        raise IllegalMoveError(f"'{word}' may be {choice}")
    return fitting[0]


def _file(square: str | None) -> str:
    return (square or "").rstrip("0123456789")


def push_words(board: Board, words: Iterable[str]) -> None:
    """Play moves in any notation: all or, if one is refused, none.

    Raises what `parse_move` raises; the message begins with the move's ply.
    """
    ahead = board.copy()
    moves = []
    for ply, word in enumerate(words, start=1):
        try:
            move = parse_move(ahead, word)
        except (InvalidMoveError, IllegalMoveError) as error:
            raise type(error)(f"ply {ply}: {error}") from None
        ahead.push(move)
        moves.append(move)
    for move in moves:
        board.push(move)


def split_epd(text: str) -> tuple[str, dict[str, str]]:
    """A FEN or EPD as a FEN and its operations by name: ``bm``, ``id``. Neither is checked.

    Operations follow the position and end with ``;``.
    """
    line = " ".join(text.split())
    found = _EPD.match(line)
    if not found:
        return line, {}
    operations = {}
    for operation in re.findall(r'((?:[^;"]|"[^"]*")+)', found[2]):
        name, _, value = operation.strip().partition(" ")
        if name:
            operations[name] = value.strip().strip('"')
    return found[1], operations


def read_epd(text: str, variant: str = "breakthrough") -> tuple[Board, dict[str, str]]:
    """The board of an EPD and its operations by name, as python-chess's ``Board.from_epd``.

    Raises `InvalidFenError` if the position is none.
    """
    fen, operations = split_epd(text)
    return Board.from_fen(fen, variant), operations


def is_ending(word: str) -> bool:
    """Whether a word of a move list says how the game ended: ``1-0``, ``resign``."""
    return _ENDING.match(word) is not None


def movetext_words(text: str) -> list[str]:
    """The moves of a list such as ``1.a2-a3 b7xa6 2. b2xa3 {good} 1-0``, and nothing else."""
    words = re.sub(r"\{[^}]*\}", " ", text).split()
    plain = (re.sub(r"^[0-9]+\.+", "", word) for word in words)
    return [word for word in plain if word and not is_ending(word)]


def read_golem(text: str, board: Board | None = None) -> Board:
    """The board after a move list as Little Golem shows it; any move notation will do.

    ``board`` is where the game starts, by default the start position on 8x8. Raises
    `InvalidMoveError` or `IllegalMoveError`, with the ply.
    """
    after = Board() if board is None else board.copy()
    push_words(after, movetext_words(text))
    return after


def is_link(text: str) -> bool:
    """Whether a text is a trmph link; its moves are not looked at."""
    return _LINK.match(text.strip()) is not None


def read_link(text: str) -> tuple[tuple[int, int], list[str]] | None:
    """Files, ranks and moves of a trmph link (``board#8,g2h3b7b6``); None for any other text.

    Raises `InvalidMoveError` if the last move lacks a square.
    """
    found = _LINK.match(text.strip())
    if not found:
        return None
    names = re.findall(_SQUARE, found[3].lower())
    if len(names) % 2:
        raise InvalidMoveError(f"'{text}': the last move lacks a square")
    moves = [names[at] + names[at + 1] for at in range(0, len(names), 2)]
    return (int(found[1]), int(found[2] or found[1])), moves


def read_trmph(text: str) -> Board:
    """The board of a trmph link, with its moves.

    Raises `InvalidMoveError` if it is not such a link, `IllegalMoveError` for an illegal move.
    """
    link = read_link(text)
    if link is None:
        raise InvalidMoveError(f"'{text}' is not a trmph link such as {TRMPH}8,b2b3")
    (files, ranks), moves = link
    board = Board(f"{files}x{ranks}")
    push_words(board, moves)
    return board


def _from_start(board: Board) -> Board:
    root = board.root()
    start = Board(f"{root.files}x{root.ranks}")
    if root.variant != start.variant or root != start:
        raise ValueError("this format only covers Breakthrough from the start position")
    return root


def golem_text(board: Board) -> str:
    """A game from the start position as Little Golem lists it: ``1. a2-a3 b7xa6 2. ...``.

    Raises `ValueError` for other games.
    """
    replay = _from_start(board)
    words = []
    for ply, move in enumerate(board.move_stack):
        if ply % 2 == 0:
            words.append(f"{ply // 2 + 1}.")
        sign = "x" if replay.is_capture(move) else "-"
        words.append(f"{move.from_square}{sign}{move.to_square}")
        replay.push(move)
    return " ".join(words)


def trmph_link(board: Board) -> str:
    """A game from the start position as a link that opens it.

    Raises `ValueError` for other games.
    """
    root = _from_start(board)
    size = str(root.files) if root.files == root.ranks else f"{root.files}x{root.ranks}"
    return f"{TRMPH}{size},{''.join(move.uci() for move in board.move_stack)}"
