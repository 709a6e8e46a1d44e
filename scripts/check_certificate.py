#!/usr/bin/env python3
"""Checks a certificate that `petard solve --certificate FILE` has written.

Written only from the rules of Breakthrough and the description of the file
format in protocol.md; it shares no code with the engine.

A certificate holds positions with the winner to move and one move for each.
A position is *good* if it is in the file, or if the winner wins it within the
number of plies named in the header, which is searched for here. The proof
holds if every move in the file ends the game in the winner's favour or leaves
only replies that lead to good positions, and if the position in the header is
good or leaves only such replies. Men only move forward, so no argument goes
round in a circle.

In this program the board is turned so that the winner always moves up. Sets of
men are whole numbers: bit `rank * files + file`.
"""

from __future__ import annotations

import argparse
import sys
import time
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

TITLE = "breakthrough certificate 1"


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

    def up(self, men: int, others: int) -> list[tuple[int, int]]:
        """The moves of men that go up, as sets of one square each: from, to."""
        files, free = self.files, self.all & ~men
        moves = []
        for targets, step in (
            ((men & self.not_first) << files - 1 & free, files - 1),
            (men << files & free & ~others, files),
            ((men & self.not_last) << files + 1 & free, files + 1),
        ):
            while targets:
                target = targets & -targets
                targets ^= target
                moves.append((target >> step, target))
        return moves

    def down(self, men: int, others: int) -> list[tuple[int, int]]:
        """The moves of men that go down."""
        files, free = self.files, self.all & ~men
        moves = []
        for targets, step in (
            ((men & self.not_last) >> files - 1 & free, files - 1),
            (men >> files & free & ~others, files),
            ((men & self.not_first) >> files + 1 & free, files + 1),
        ):
            while targets:
                target = targets & -targets
                targets ^= target
                moves.append((target << step, target))
        return moves

    def mirrored(self, men: int) -> int:
        """The set with files reversed."""
        row = (1 << self.files) - 1
        result = 0
        for rank in range(self.ranks):
            bits = men >> rank * self.files & row
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

    def men(self, number: int) -> tuple[int, int]:
        """The inverse of `number`: the men of the winner and of the loser."""
        sets = [0, 0, 0]
        for square in range(self.files * self.ranks):
            number, digit = divmod(number, 3)
            sets[digit] |= 1 << square
        if number:
            raise CertificateError("a position has more squares than the board")
        return sets[1], sets[2]


def parse_fen(fen: str) -> tuple[Board, int, int, bool]:
    """Board, White's men, Black's men, whether White is to move."""
    words = fen.split()
    if len(words) < 2 or words[1] not in "wb":
        raise CertificateError(f"not a position: {fen!r}")
    rows = []
    for text in words[0].split("/"):
        row, digits = "", ""
        for character in [*text, ""]:
            if character.isdigit():
                digits += character
                continue
            row += "." * int(digits or "0") + character
            digits = ""
        rows.append(row)
    rows.reverse()
    board = Board(len(rows[0]), len(rows))
    squares = "".join(rows)
    if len(squares) != board.files * board.ranks or set(squares) - set(".Pp"):
        raise CertificateError(f"not a position: {fen!r}")
    white = sum(1 << i for i, man in enumerate(squares) if man == "P")
    black = sum(1 << i for i, man in enumerate(squares) if man == "p")
    return board, white, black, words[1] == "w"


@dataclass
class Certificate:
    """What a file says."""

    board: Board
    winner: int
    loser: int
    winner_moves: bool
    depth: int
    positions: list[int]
    moves: list[int]


def turned(board: Board, men: int) -> int:
    """The set with ranks reversed."""
    row = (1 << board.files) - 1
    result = 0
    for rank in range(board.ranks):
        bits = men >> rank * board.files & row
        result |= bits << (board.ranks - 1 - rank) * board.files
    return result


def read(path: Path) -> Certificate:
    """Reads a certificate; sees to its form, not to its truth."""
    data = path.read_bytes()
    head, separator, body = data.partition(b"\n\n")
    lines = head.decode("ascii", errors="replace").split("\n")
    if not separator or lines[0] != TITLE:
        raise CertificateError("not a certificate")
    header = dict(line.partition(" ")[::2] for line in lines[1:])
    try:
        board, white, black, white_moves = parse_fen(header["fen"])
        side, depth, count = header["winner"], int(header["depth"]), int(header["entries"])
    except (KeyError, ValueError) as fault:
        raise CertificateError(f"bad header: {fault}") from fault
    if side == "white":
        winner, loser, winner_moves = white, black, white_moves
    elif side == "black":
        winner, loser = turned(board, black), turned(board, white)
        winner_moves = not white_moves
    else:
        raise CertificateError(f"winner {side!r}")
    numbers, number, shift = [], 0, 0
    for byte in body:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(number)
            number = shift = 0
    if shift or len(numbers) != 2 * count:
        raise CertificateError("the file is not complete")
    positions, last = [], -1
    for difference in numbers[::2]:
        position = (0 if last < 0 else last) + difference
        if position <= last:
            raise CertificateError("positions are not in ascending order")
        positions.append(position)
        last = position
    return Certificate(board, winner, loser, winner_moves, depth, positions, numbers[1::2])


class Checker:
    """Checks a certificate and counts what it looks at."""

    def __init__(self, certificate: Certificate) -> None:
        """Takes what is to be checked."""
        self.certificate = certificate
        self.board = certificate.board
        self.searched = 0
        self.found: dict[tuple[int, int], bool] = {}

    def wins_within(self, winner: int, loser: int, plies: int) -> bool:
        """Whether the winner, to move, wins within so many plies."""
        board = self.board
        self.searched += 1
        moves = board.up(winner, loser)
        for _, target in moves:
            if target & board.top or not loser & ~target:
                return True
        if plies < 3:
            return False
        return any(
            self.all_replies(
                winner ^ (start | target),
                loser & ~target,
                lambda own, enemy: self.wins_within(own, enemy, plies - 2),
            )
            for start, target in moves
        )

    def all_replies(self, winner: int, loser: int, is_good: Callable[[int, int], bool]) -> bool:
        """Whether every move of the loser leads to a position that is good."""
        board = self.board
        for start, target in board.down(loser, winner):
            left = winner & ~target
            if target & board.bottom or not left:
                return False
            if not is_good(left, loser ^ (start | target)):
                return False
        return True

    def is_good(self, winner: int, loser: int) -> bool:
        """Whether a position is in the file, or won soon."""
        known = self.found.get((winner, loser))
        if known is None:
            number = self.canonical(winner, loser)
            positions = self.certificate.positions
            index = bisect_left(positions, number)
            known = index < len(positions) and positions[index] == number
            known = known or self.wins_within(winner, loser, self.certificate.depth)
            self.found[winner, loser] = known
        return known

    def canonical(self, winner: int, loser: int) -> int:
        """The smaller number of a position and its mirror image."""
        board = self.board
        return min(
            board.number(winner, loser),
            board.number(board.mirrored(winner), board.mirrored(loser)),
        )

    def check_entry(self, number: int, code: int) -> None:
        """Checks one position of the file with its move."""
        board = self.board
        winner, loser = board.men(number)
        if self.canonical(winner, loser) != number:
            raise CertificateError(f"{number} is not the smaller of two mirror images")
        if winner & board.top or loser & board.bottom or not winner or not loser:
            raise CertificateError(f"the game is over in {number}")
        square, direction = divmod(code, 3)
        start = 1 << square
        target = start << board.files - 1 + direction
        if (start, target) not in board.up(winner, loser):
            raise CertificateError(f"move {code} is not legal in {number}")
        if target & board.top or not loser & ~target:
            return
        if not self.all_replies(winner ^ (start | target), loser & ~target, self.is_good):
            raise CertificateError(f"a reply to move {code} refutes it in {number}")

    def check(self) -> None:
        """Checks everything."""
        certificate = self.certificate
        winner, loser = certificate.winner, certificate.loser
        if certificate.winner_moves:
            holds = self.is_good(winner, loser)
        else:
            holds = self.all_replies(winner, loser, self.is_good)
        if not holds:
            raise CertificateError("the position to prove is not covered")
        for number, code in zip(certificate.positions, certificate.moves, strict=True):
            self.check_entry(number, code)


def main() -> int:
    """Checks the file named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path)
    arguments = parser.parse_args()
    start = time.monotonic()
    try:
        certificate = read(arguments.file)
        checker = Checker(certificate)
        checker.check()
    except (CertificateError, OSError) as fault:
        print(f"{arguments.file}: REFUSED: {fault}", file=sys.stderr)
        return 1
    board = certificate.board
    side = "the side to move" if certificate.winner_moves else "the side not to move"
    print(
        f"{arguments.file}: {board.files}x{board.ranks}, proven: {side} wins;"
        f" {len(certificate.positions)} positions, {checker.searched} searched at depth"
        f" {certificate.depth}, {time.monotonic() - start:.1f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
