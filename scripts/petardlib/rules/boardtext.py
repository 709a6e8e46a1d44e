"""Positions and moves as text: FEN rows of any size, EPD lines, squares, mirror images.

Nothing here knows which moves are legal; that is the referee's job.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from petardlib.base.errors import UserError

TROYKA = "breakthrough"
FREELING = "freeling"
MOST_FILES = 26
"""Each is named by one letter."""
FREELING_START = "ppppp/ppppp/5/5/5/5/5/PPPPP/PPPPP w 0 1"

_CELL = re.compile(r"[0-9]{1,2}|.")
_SQUARE = r"[a-z][0-9]{1,2}"
_MOVE = re.compile(rf"({_SQUARE})[-x]?({_SQUARE})((?:!{_SQUARE})*)[*+#!?]*$")


def is_number(text: str) -> bool:
    """Whether a text consists of ASCII digits (`isdigit` accepts others too)."""
    return text.isascii() and text.isdigit()


@dataclass(frozen=True)
class EpdLine:
    """One line of an EPD file: the position and its operations (``bm``, ``id``, ...)."""

    fen: str
    ops: dict[str, str] = field(default_factory=dict)


def start_fen(width: int, height: int) -> str:
    """The start position of Breakthrough on a board of ``width`` files and ``height`` ranks."""
    if width < 2 or height < 4 or width * height > 128 or width > MOST_FILES:
        raise UserError(
            f"board {width}x{height}: expected 2 to 26 files, 4 or more ranks, at most 128 squares"
        )
    empty = [str(width)] * (height - 4)
    return "/".join(["p" * width] * 2 + empty + ["P" * width] * 2) + " w 0 1"


def parse_size(text: str) -> tuple[int, int]:
    """``"8x8"`` as (files, ranks)."""
    found = re.fullmatch(r"([0-9]{1,3})x([0-9]{1,3})", text.strip().lower())
    if not found:
        raise UserError(f"board '{text}': expected FILESxRANKS, for example 8x8")
    size = int(found[1]), int(found[2])
    start_fen(*size)
    return size


def expand_rows(rows: str) -> list[list[str]]:
    """The squares of a FEN's piece field, top rank first; an empty square is ``""``."""
    board: list[list[str]] = []
    for number, row in enumerate(rows.split("/"), start=1):
        cells: list[str] = []
        for token in _CELL.findall(row):
            if is_number(token):
                cells.extend([""] * int(token))
            elif token in "pPdD":
                cells.append(token)
            else:
                raise UserError(f"FEN '{rows}': unknown character '{token}' in row {number}")
        if board and len(cells) != len(board[0]):
            raise UserError(
                f"FEN '{rows}': row {number} has {len(cells)} squares, row 1 has {len(board[0])}"
            )
        board.append(cells)
    if not board[0]:
        raise UserError(f"FEN '{rows}': the first row is empty")
    return board


def join_rows(board: list[list[str]]) -> str:
    """The inverse of `expand_rows`."""
    rows = []
    for cells in board:
        text, empty = "", 0
        for cell in [*cells, None]:
            if cell == "":
                empty += 1
                continue
            if empty:
                text += str(empty)
                empty = 0
            if cell:
                text += cell
        rows.append(text)
    return "/".join(rows)


def board_size(fen: str) -> tuple[int, int]:
    """(files, ranks) of a FEN."""
    board = expand_rows(fen.split()[0])
    return len(board[0]), len(board)


def side_to_move(fen: str) -> str:
    """``"w"`` or ``"b"``."""
    return fen.split()[1]


def normal_fen(text: str) -> str:
    """Any form of FEN (rows and side, four or six fields) in the four-field form."""
    parts = text.split()
    if len(parts) < 2:
        raise UserError(f"FEN '{text}': no side to move")
    if parts[1] not in ("w", "b"):
        raise UserError(f"FEN '{text}': side to move is '{parts[1]}', expected w or b")
    files = len(expand_rows(parts[0])[0])
    if files > MOST_FILES:
        raise UserError(f"FEN '{text}': {files} files; the scripts know at most {MOST_FILES}")
    numbers = [part for part in parts[2:] if part != "-"]
    if not all(is_number(part) for part in numbers) or len(numbers) > 2:
        raise UserError(f"FEN '{text}': unexpected '{' '.join(parts[2:])}' after the side to move")
    half, full = ([*numbers, "0", "1"] if not numbers else [*numbers, "1"])[:2]
    return f"{parts[0]} {parts[1]} {half} {full}"


def six_field_fen(fen: str) -> str:
    """The form that Cute Chess and PGN files want: ``rows w - - 0 1``."""
    rows, side, half, full = normal_fen(fen).split()
    return f"{rows} {side} - - {half} {full}"


def parse_epd(line: str) -> EpdLine:
    """One EPD or FEN line; operations follow the position and end with ``;``."""
    parts = line.split()
    taken = min(len(parts), 2)
    while taken < len(parts) and taken < 6 and re.fullmatch(r"-|[0-9]+;?", parts[taken]):
        taken += 1
        if parts[taken - 1].endswith(";"):
            break
    fen = normal_fen(" ".join(parts[:taken]).rstrip(";"))
    ops: dict[str, str] = {}
    rest = " ".join(parts[taken:])
    for op in re.findall(r'((?:[^;"]|"[^"]*")+)', rest):
        name, _, value = op.strip().partition(" ")
        if name:
            ops[name] = value.strip().strip('"')
    return EpdLine(fen, ops)


def normal_move(text: str) -> str:
    """A move in any common notation (``a2-b3``, ``a2xb3``, ``b2c3*``) as ``a2b3``."""
    lower = text.strip().lower()
    if lower in ("pass", "0000", "--"):
        return "pass"
    found = _MOVE.match(lower)
    if not found:
        raise UserError(f"'{text}' is not a move such as a2b3")
    return found[1] + found[2] + found[3]


def move_squares(move: str) -> tuple[str, str] | None:
    """The squares that a normal move leaves and enters; None for a pass."""
    found = _MOVE.match(move)
    return (found[1], found[2]) if found else None


def mirror_fen(fen: str) -> str:
    """The same position with the files reversed."""
    rows, _, rest = fen.partition(" ")
    return join_rows([row[::-1] for row in expand_rows(rows)]) + " " + rest


def position_key(fen: str) -> str:
    """Equal for positions that differ only in their counters or by mirroring."""
    rows, side = fen.split()[:2]
    mirrored = mirror_fen(f"{rows} {side}").split()[0]
    return f"{min(rows, mirrored)} {side}"


def draw_board(fen: str, last_move: str | None = None) -> str:
    """The board in plain text, White at the bottom; the last move's squares are marked."""
    board = expand_rows(fen.split()[0])
    height = len(board)
    marked = move_squares(last_move) if last_move else None
    lines = []
    for row, cells in enumerate(board):
        rank = height - row
        line = f"{rank:>2} "
        for column, cell in enumerate(cells):
            name = f"{chr(ord('a') + column)}{rank}"
            text = {"P": "O", "p": "X", "D": "8", "d": "%"}.get(cell, ".")
            line += f"[{text}]" if marked and name in marked else f" {text} "
        lines.append(line)
    lines.append("   " + "".join(f" {chr(ord('a') + c)} " for c in range(len(board[0]))))
    return "\n".join(lines)


def fairy_variant(width: int, height: int) -> tuple[str, str]:
    """The name and the Fairy-Stockfish configuration of Breakthrough on a board size."""
    name = f"breakthrough_{width}x{height}"
    start = start_fen(width, height)
    text = (
        f"[{name}:breakthrough]\nmaxFile = {width}\nmaxRank = {height}\nstartFen = {start}\n"
        f"flagRegionWhite = *{height}\nflagRegionBlack = *1\n"
        # Names of the same settings in Fairy-Stockfish 11, which Debian ships
        f"whiteFlag = *{height}\nblackFlag = *1\n"
    )
    return name, text
