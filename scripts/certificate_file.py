"""The files that `check_certificate.py` checks, and the board and moves it needs for that.

Like that program, it is written only from docs/certificates.md, and shares no code with the
engine. The board is turned so that the winner always moves up. Sets of pieces are integers: bit
`rank * files + file`.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field
from pathlib import Path

TITLE = "breakthrough certificate 1"
SHORT_TITLE = "breakthrough certificate 2"
# The most nodes a leaf may claim to take.
MAX_NODES = 1_000_000_000
# The most squares of a board, and the most plies to look ahead.
MAX_SQUARES = 80
MAX_DEPTH = 9


class CertificateError(Exception):
    """The file is malformed, or it does not prove what it claims."""


@dataclass
class Board:
    """A board's shape and the sets of squares that moves need."""

    files: int
    ranks: int
    all: int = field(init=False)
    not_first: int = field(init=False)
    not_last: int = field(init=False)
    top: int = field(init=False)
    bottom: int = field(init=False)

    def __post_init__(self) -> None:
        """Makes the sets from the shape."""
        row = (1 << self.files) - 1
        column = sum(1 << rank * self.files for rank in range(self.ranks))
        self.all = (1 << self.files * self.ranks) - 1
        self.not_first = self.all & ~column
        self.not_last = self.all & ~(column << self.files - 1)
        self.bottom = row
        self.top = row << self.files * (self.ranks - 1)

    def up(self, pieces: int, others: int) -> list[tuple[int, int]]:
        """The moves of pieces that move up, as single-square sets: from, to."""
        files, free = self.files, self.all & ~pieces
        moves = []
        for targets, step in (
            ((pieces & self.not_first) << files - 1 & free, files - 1),
            (pieces << files & free & ~others, files),
            ((pieces & self.not_last) << files + 1 & free, files + 1),
        ):
            while targets:
                target = targets & -targets
                targets ^= target
                moves.append((target >> step, target))
        return moves

    def down(self, pieces: int, others: int) -> list[tuple[int, int]]:
        """The moves of pieces that move down."""
        files, free = self.files, self.all & ~pieces
        moves = []
        for targets, step in (
            ((pieces & self.not_last) >> files - 1 & free, files - 1),
            (pieces >> files & free & ~others, files),
            ((pieces & self.not_first) >> files + 1 & free, files + 1),
        ):
            while targets:
                target = targets & -targets
                targets ^= target
                moves.append((target << step, target))
        return moves

    def mirrored(self, pieces: int) -> int:
        """The set with files reversed."""
        row = (1 << self.files) - 1
        result = 0
        for rank in range(self.ranks):
            bits = pieces >> rank * self.files & row
            text = format(bits, f"0{self.files}b")[::-1]
            result |= int(text, 2) << rank * self.files
        return result

    def number(self, winner: int, loser: int) -> int:
        """A position as a number in base 3."""
        result = 0
        for square in reversed(range(self.files * self.ranks)):
            digit = (winner >> square & 1) + 2 * (loser >> square & 1)
            result = 3 * result + digit
        return result

    def pieces(self, number: int) -> tuple[int, int]:
        """The inverse of `number`: the pieces of the winner and of the loser."""
        sets = [0, 0, 0]
        for square in range(self.files * self.ranks):
            number, digit = divmod(number, 3)
            sets[digit] |= 1 << square
        if number:
            raise CertificateError("a position has more squares than the board")
        return sets[1], sets[2]


def whole(text: str) -> int:
    """A number in its only allowed spelling: no sign, blank or leading zero."""
    if re.fullmatch("0|[1-9][0-9]{0,18}", text) is None:
        raise CertificateError(f"not a whole number: {text!r}")
    return int(text)


def parse_row(text: str) -> str:
    """The squares of a row of a position."""
    if re.fullmatch(r"([Pp]|[1-9][0-9]?)+", text) is None or re.search(r"[0-9]{3}", text):
        raise CertificateError(f"not a row of a position: {text!r}")
    return re.sub("[0-9]+", lambda run: "." * int(run.group()), text)


def parse_fen(fen: str) -> tuple[Board, int, int, bool]:
    """Board, White's pieces, Black's pieces, whether White is to move."""
    fields = fen.split(" ")
    if len(fields) != 4 or fields[1] not in ("w", "b"):
        raise CertificateError(f"not a position: {fen!r}")
    for counter in fields[2:]:
        whole(counter)
    rows = [parse_row(text) for text in fields[0].split("/")]
    rows.reverse()
    board = Board(len(rows[0]), len(rows))
    if any(len(row) != board.files for row in rows):
        raise CertificateError(f"rows differ in length: {fen!r}")
    if board.ranks < 2 or board.files * board.ranks > MAX_SQUARES:
        raise CertificateError(f"the board is too small or too large: {fen!r}")
    squares = "".join(rows)
    white = sum(1 << i for i, piece in enumerate(squares) if piece == "P")
    black = sum(1 << i for i, piece in enumerate(squares) if piece == "p")
    return board, white, black, fields[1] == "w"


@dataclass
class Certificate:
    """What a file says."""

    fen: str
    side: str
    board: Board
    winner: int
    loser: int
    winner_moves: bool
    depth: int
    leaf_nodes: int | None
    positions: list[int]
    moves: list[int]


def turned(board: Board, pieces: int) -> int:
    """The set with ranks reversed."""
    row = (1 << board.files) - 1
    result = 0
    for rank in range(board.ranks):
        bits = pieces >> rank * board.files & row
        result |= bits << (board.ranks - 1 - rank) * board.files
    return result


def read(path: Path) -> Certificate:
    """Reads a certificate; checks its form, not its claims."""
    data = path.read_bytes()
    is_short = data.startswith(SHORT_TITLE.encode())
    if is_short:
        data, checksum = data[:-4], data[-4:]
        if zlib.crc32(data).to_bytes(4, "little") != checksum:
            raise CertificateError("the checksum is wrong: the file is damaged or incomplete")
    head, separator, body = data.partition(b"\n\n")
    try:
        lines = head.decode("ascii").split("\n")
    except UnicodeDecodeError as error:
        raise CertificateError("the header is not ASCII") from error
    names = ["fen", "winner", "depth", *["leaf-nodes"] * is_short, "entries"]
    title = SHORT_TITLE if is_short else TITLE
    if not separator or len(lines) != 1 + len(names) or lines[0] != title:
        raise CertificateError("not a certificate: the header is malformed")
    values = []
    for line, name in zip(lines[1:], names, strict=True):
        found, _, value = line.partition(" ")
        if found != name:
            raise CertificateError(f"expected {name!r}, found {line!r}")
        values.append(value)
    fen, side, depth, count = values[0], values[1], whole(values[2]), whole(values[-1])
    leaf_nodes = whole(values[3]) if is_short else None
    if leaf_nodes is not None and not 1 <= leaf_nodes <= MAX_NODES:
        raise CertificateError(f"leaf-nodes {leaf_nodes} is not from 1 to {MAX_NODES}")
    board, white, black, white_moves = parse_fen(fen)
    if side == "white":
        winner, loser, winner_moves = white, black, white_moves
    elif side == "black":
        winner, loser = turned(board, black), turned(board, white)
        winner_moves = not white_moves
    else:
        raise CertificateError(f"the winner is neither white nor black: {side!r}")
    if depth % 2 == 0 or depth > MAX_DEPTH:
        raise CertificateError(f"depth {depth} is not an odd number from 1 to {MAX_DEPTH}")
    numbers = parse_numbers(body)
    if len(numbers) != 2 * count:
        raise CertificateError(f"{len(numbers)} numbers for {count} entries")
    positions, last = [], 0
    for difference in numbers[::2]:
        if difference == 0:
            raise CertificateError("positions are not in ascending order")
        last += difference
        positions.append(last)
    return Certificate(
        fen, side, board, winner, loser, winner_moves, depth, leaf_nodes, positions, numbers[1::2]
    )


def parse_numbers(body: bytes) -> list[int]:
    """The numbers in LEB128, each in its shortest encoding."""
    numbers, number, shift = [], 0, 0
    for byte in body:
        number |= (byte & 0x7F) << shift
        if byte == 0 and shift:
            raise CertificateError("a number is longer than necessary")
        shift += 7
        if byte < 0x80:
            numbers.append(number)
            number = shift = 0
    if shift:
        raise CertificateError("the last number is incomplete")
    return numbers
