"""Reader of the positions that `petard datagen` records.

The format is specified in `src/tools/datagen/record.rs`: a header of 16 bytes
and records of 16 bytes, little endian.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MAGIC = b"PETARDD1"
RECORD = np.dtype(
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
    """The file is not one of recorded positions."""


@dataclass(frozen=True)
class Records:
    """Recorded positions of one board, column by column.

    `white` and `black` are sets of squares (bit `8 * rank + file`), `score` is
    in centipawns from the mover's view, `result` is 0, 1 or 2 for White's loss,
    a draw, White's win.
    """

    files: int
    ranks: int
    white: NDArray[np.uint64]
    black: NDArray[np.uint64]
    black_to_move: NDArray[np.bool_]
    score: NDArray[np.int16]
    ply: NDArray[np.uint8]
    result: NDArray[np.uint8]
    is_first: NDArray[np.bool_]
    is_noisy: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.score)


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


def chunks(path: Path, size: int = CHUNK) -> Iterator[Records]:
    """The positions of a file in order, `size` at a time; part of a record at the end is dropped.

    Raises RecordError if it is not such a file.
    """
    with path.open("rb") as file:
        header = file.read(RECORD.itemsize)
        if len(header) < RECORD.itemsize or header[:8] != MAGIC:
            raise RecordError(f"{path} is not a file of petard positions")
        while data := file.read(size * RECORD.itemsize):
            raw = np.frombuffer(data, dtype=RECORD, count=len(data) // RECORD.itemsize)
            yield _decoded(header[8], header[9], raw)


def _decoded(files: int, ranks: int, raw: NDArray[np.void]) -> Records:
    black = _owners(raw["occupied"], raw["owners"])
    flags = raw["flags"]
    return Records(
        files=files,
        ranks=ranks,
        white=raw["occupied"] & ~black,
        black=black,
        black_to_move=(flags & 1) != 0,
        score=raw["score"],
        ply=raw["ply"],
        result=(flags >> 1) & 3,
        is_first=(flags & 8) != 0,
        is_noisy=(flags & 16) != 0,
    )


def read(path: Path) -> Records:
    """All positions of a file; part of a record at its end is dropped.

    Raises RecordError if it is not such a file.
    """
    data = path.read_bytes()
    if len(data) < RECORD.itemsize or data[:8] != MAGIC:
        raise RecordError(f"{path} is not a file of petard positions")
    count = len(data) // RECORD.itemsize - 1
    raw = np.frombuffer(data, dtype=RECORD, count=count, offset=RECORD.itemsize)
    return _decoded(data[8], data[9], raw)
