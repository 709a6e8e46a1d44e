"""Reader of the positions that `petard datagen` records.

The format is specified in `src/tools/datagen/record.rs`: a header of 16 bytes
and records of equal length, little endian.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MAGIC = b"PETARDD"
HEADER_BYTES = 16
BREAKTHROUGH, FREELING = 0, 1  # the games
SETS = {BREAKTHROUGH: 2, FREELING: 4}  # sets of squares per position
OLD_RECORD = np.dtype(
    [
        ("occupied", "<u8"),
        ("owners", "<u4"),
        ("score", "<i2"),
        ("ply", "u1"),
        ("flags", "u1"),
    ]
)
CHUNK = 1 << 18  # records decoded at a time


class RecordError(ValueError):
    """The file does not hold recorded positions."""


@dataclass(frozen=True)
class Header:
    """What a file's records describe."""

    version: int
    files: int
    ranks: int
    game: int

    @property
    def record(self) -> np.dtype:
        """The layout of a record."""
        if self.version == 1:
            return OLD_RECORD
        size = -(-self.files * self.ranks // 8)
        sets = ("sets", "u1", (SETS[self.game], size))
        return np.dtype([sets, ("score", "<i2"), ("ply", "<u2"), ("flags", "u1")])


@dataclass(frozen=True)
class Records:
    """Recorded positions of one game and board, column by column.

    `sets` are sets of squares (positions, set, bytes), bit `files * rank + file`: White's and
    Black's pieces; in Freeling's game also White's and Black's pairs. `score` is in centipawns from
    the mover's view, `result` is 0, 1 or 2 for White's loss, a draw, White's win; it may be proven.
    """

    header: Header
    sets: NDArray[np.uint8]
    black_to_move: NDArray[np.bool_]
    score: NDArray[np.int16]
    ply: NDArray[np.uint16]
    result: NDArray[np.uint8]
    is_first: NDArray[np.bool_]
    is_noisy: NDArray[np.bool_]
    is_proven: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.score)

    @property
    def board(self) -> tuple[int, int]:
        """Files and ranks."""
        return self.header.files, self.header.ranks


def unpacked(sets: NDArray[np.uint8], board: tuple[int, int]) -> NDArray[np.uint8]:
    """Sets of squares (positions, bytes) as boards (positions, rank, file) of 0 and 1."""
    files, ranks = board
    bits = np.unpackbits(sets, axis=1, count=files * ranks, bitorder="little")
    return bits.reshape(-1, ranks, files)


def packed(squares: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The inverse of `unpacked`."""
    return np.packbits(squares.reshape(len(squares), -1), axis=1, bitorder="little")


def _owners(occupied: NDArray[np.uint64], owners: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """The squares whose owner bit is set: owner bits spread over the occupied squares."""
    black = np.zeros_like(occupied)
    left = occupied.copy()
    one = np.uint64(1)
    for index in range(32):
        lowest = left & (~left + one)
        taken = (owners >> np.uint32(index)) & np.uint32(1)
        black |= np.where(taken.astype(bool), lowest, np.uint64(0))
        left ^= lowest
    return black


def _old_sets(raw: NDArray[np.void], header: Header) -> NDArray[np.uint8]:
    """The sets of version 1 records, which have eight squares per rank."""
    black = _owners(raw["occupied"], raw["owners"])
    pieces = np.stack([raw["occupied"] & ~black, black], axis=1)
    octets = np.ascontiguousarray(pieces, dtype="<u8").view(np.uint8).reshape(-1, 8)
    squares = np.unpackbits(octets, axis=1, bitorder="little").reshape(-1, 8, 8)
    sets = packed(np.ascontiguousarray(squares[:, : header.ranks, : header.files]))
    return sets.reshape(len(raw), 2, -1)


def _decoded(header: Header, data: bytes) -> Records:
    kind = header.record
    raw = np.frombuffer(data, dtype=kind, count=len(data) // kind.itemsize)
    flags = raw["flags"]
    return Records(
        header,
        sets=_old_sets(raw, header) if header.version == 1 else raw["sets"],
        black_to_move=(flags & 1) != 0,
        score=raw["score"],
        ply=raw["ply"].astype(np.uint16),
        result=(flags >> 1) & 3,
        is_first=(flags & 8) != 0,
        is_noisy=(flags & 16) != 0,
        is_proven=(flags & 32) != 0,
    )


def read_header(data: bytes, path: Path) -> Header:
    """The header of a file.

    Raises RecordError if it is not one.
    """
    if len(data) < HEADER_BYTES or data[:7] != MAGIC or data[7:8] not in b"12":
        raise RecordError(f"{path} is not a file of petard positions")
    header = Header(int(data[7:8]), data[8], data[9], data[10])
    if header.game not in SETS:
        raise RecordError(f"{path} holds positions of an unknown game")
    return header


def chunks(path: Path, size: int = CHUNK) -> Iterator[Records]:
    """The positions of a file in order, `size` at a time; part of a record at the end is dropped.

    Raises RecordError if it is not such a file.
    """
    with path.open("rb") as file:
        header = read_header(file.read(HEADER_BYTES), path)
        whole = header.record.itemsize
        while len(data := file.read(size * whole)) >= whole:
            yield _decoded(header, data)


def read(path: Path) -> Records:
    """All positions of a file; part of a record at its end is dropped.

    Raises RecordError if it is not such a file.
    """
    parts = list(chunks(path))
    if not parts:
        return _decoded(read_header(path.read_bytes(), path), b"")
    columns = [field.name for field in fields(Records) if field.name != "header"]
    joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in columns}
    return replace(parts[0], **joined)
