"""The file of an opening book; `docs/formats.md` describes the format."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from petard import Board
from petardlib.base.errors import UserError
from petardlib.rules.keys import as_white
from petardlib.rules.positions import squares_of

TITLE = b"petard opening book 1\n"
"""The first line."""


@dataclass(frozen=True)
class Entry:
    """A position: how many searched positions there are from it on, and its moves' values."""

    searches: int
    moves: dict[str, int]


def packed(board: Board) -> tuple[bytes, bool]:
    """A position as it is stored, and whether its files were reversed for that."""
    seen = as_white(board)
    plain, mirrored = _sets(seen), _sets(seen.flip_horizontal())
    return (mirrored, True) if mirrored < plain else (plain, False)


def _sets(board: Board) -> bytes:
    own = enemy = 0
    for square, piece in board.piece_map().items():
        bit = 1 << _number(square, board.files)
        if piece == "P":
            own |= bit
        else:
            enemy |= bit
    size = (board.files * board.ranks + 7) // 8
    return own.to_bytes(size, "little") + enemy.to_bytes(size, "little")


def _number(square: str, files: int) -> int:
    return (int(square[1:]) - 1) * files + ord(square[0]) - ord("a")


def _reversed(square: str, files: int) -> str:
    return chr(ord("a") + files - 1 - (ord(square[0]) - ord("a"))) + square[1:]


def _turned(square: str, board: Board) -> str:
    """A square as the side to move sees it, or back."""
    return square if board.turn else f"{square[0]}{board.ranks + 1 - int(square[1:])}"


def written(
    board: tuple[int, int], nodes: int, entries: Mapping[bytes, tuple[Board, Entry]]
) -> bytes:
    """The bytes of a book; ``nodes`` were searched for it."""
    files, ranks = board
    head = f"board {files}x{ranks}\nnodes {nodes}\npositions {len(entries)}\n\n"
    parts = [TITLE, head.encode()]
    for key, (seen, entry) in sorted(entries.items()):
        _, is_mirrored = packed(seen)
        parts += [key, struct.pack("<IB", entry.searches, len(entry.moves))]
        for move, value in entry.moves.items():
            ends = [_turned(square, seen) for square in squares_of(move)]
            if is_mirrored:
                ends = [_reversed(square, files) for square in ends]
            start, end = (_number(square, files) for square in ends)
            parts.append(struct.pack("<BBh", start, end, value))
    data = b"".join(parts)
    return data + struct.pack("<I", zlib.crc32(data))


class OpeningBook:
    """A book that was read."""

    def __init__(self, data: bytes, name: object = "this file") -> None:
        """Read a book; a `UserError` says what is wrong with the file."""
        if not data.startswith(TITLE):
            raise UserError(f"{name} is not an opening book of this version")
        if len(data) < 4 or zlib.crc32(data[:-4]) != struct.unpack("<I", data[-4:])[0]:
            raise UserError(f"{name} is damaged: its checksum is wrong")
        head, _, body = data[len(TITLE) : -4].partition(b"\n\n")
        fields = dict(line.split(" ", 1) for line in head.decode("ascii", "replace").splitlines())
        try:
            files, ranks = map(int, fields["board"].split("x"))
            self.board = files, ranks
            self.nodes, count = int(fields["nodes"]), int(fields["positions"])
            self._entries = self._read(body, count)
        except (KeyError, ValueError, struct.error):
            raise UserError(f"{name} is damaged") from None

    def __len__(self) -> int:
        """How many positions it has."""
        return len(self._entries)

    def _read(self, body: bytes, count: int) -> dict[bytes, tuple[int, list[tuple[int, int, int]]]]:
        files, ranks = self.board
        size, at = 2 * ((files * ranks + 7) // 8), 0
        entries = {}
        for _ in range(count):
            key = body[at : at + size]
            searches, moves = struct.unpack_from("<IB", body, at + size)
            at += size + 5
            entries[key] = (
                searches,
                [struct.unpack_from("<BBh", body, at + 4 * number) for number in range(moves)],
            )
            at += 4 * moves
        if at != len(body) or len(entries) != count:
            raise ValueError("length")
        return entries

    def positions(self) -> Iterator[Board]:
        """Its positions, each as the side to move sees it, whose pieces are White's."""
        files, ranks = self.board
        for key in self._entries:
            own, enemy = (
                int.from_bytes(half, "little")
                for half in (key[: len(key) // 2], key[len(key) // 2 :])
            )
            text = "".join(
                "P" if own >> bit & 1 else "p" if enemy >> bit & 1 else "1"
                for bit in range(files * ranks)
            )
            rows = (text[at : at + files] for at in range(files * (ranks - 1), -1, -files))
            joined = re.sub("1+", lambda run: str(len(run[0])), "/".join(rows))
            yield Board(f"{joined} w 0 1")

    def lookup(self, board: Board) -> Entry | None:
        """What the book has about a position: its moves with their values, best first."""
        if (board.files, board.ranks) != self.board:
            return None
        key, is_mirrored = packed(board)
        found = self._entries.get(key)
        if found is None:
            return None
        files = self.board[0]
        legal = {move.uci() for move in board.legal_moves}
        seen = as_white(board)
        # In a symmetric position a move's mirror image is one of its moves, too.
        is_symmetric = seen.board_fen() == seen.flip_horizontal().board_fen()
        moves: dict[str, int] = {}
        for *ends, value in found[1]:
            squares = [f"{chr(ord('a') + end % files)}{end // files + 1}" for end in ends]
            for mirror in [is_mirrored, not is_mirrored][: 1 + is_symmetric]:
                turned = [_reversed(square, files) if mirror else square for square in squares]
                move = "".join(_turned(square, board) for square in turned)
                if move in legal:
                    moves.setdefault(move, value)
        return Entry(found[0], moves)
