"""Positions to learn from: kept as sets of squares, laid out as boards when they are needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from petardlib import network, records

VALIDATION = 30  # of a thousand games, those kept for validation


@dataclass(frozen=True)
class Positions:
    """Positions of one board as their movers see them, 19 bytes each.

    `own` and `enemy` are sets of squares, the mover's own first rank lowest; `score` is in
    centipawns and `result` 0, 1 or 2 for loss, draw and win, both from the mover's view.
    """

    board: tuple[int, int]
    own: NDArray[np.uint64]
    enemy: NDArray[np.uint64]
    score: NDArray[np.int16]
    result: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.score)

    def cells(self, chosen: NDArray[np.int64] | slice) -> NDArray[np.uint8]:
        """The boards of some positions: (positions, rank, file), 0 empty, 1 own, 2 enemy."""
        return network.board(self.own[chosen], self.enemy[chosen], self.board)


def _joined(parts: Sequence[Positions], board: tuple[int, int]) -> Positions:
    columns = []
    for name, kind in (("own", "u8"), ("enemy", "u8"), ("score", "i2"), ("result", "u1")):
        columns.append(np.concatenate([np.empty(0, kind), *(getattr(p, name) for p in parts)]))
    return Positions(board, *columns)


def load(paths: list[Path], most_score: int, keep_noisy: bool) -> tuple[Positions, Positions]:
    """All positions fit for training: those to train on, and those of games held out.

    Raises OSError or RecordError, also if the files are not all of one board.
    """
    train: list[Positions] = []
    held_out: list[Positions] = []
    games = 0
    board: tuple[int, int] | None = None
    for path in paths:
        for found in records.chunks(path):
            if board not in (None, (found.files, found.ranks)):
                raise records.RecordError(f"{path} holds positions of another board")
            board = found.files, found.ranks
            game = np.cumsum(found.is_first) + games
            games = int(game[-1])
            black = found.black_to_move
            positions = Positions(
                board,
                np.where(black, network.turned(found.black, board[1]), found.white),
                np.where(black, network.turned(found.white, board[1]), found.black),
                found.score,
                np.where(black, 2 - found.result, found.result).astype(np.uint8),
            )
            keep = np.abs(found.score.astype(np.int32)) <= most_score
            if not keep_noisy:
                keep &= ~found.is_noisy
            is_held_out = game * 2654435761 % 1000 < VALIDATION
            train.append(_select(positions, keep & ~is_held_out))
            held_out.append(_select(positions, keep & is_held_out))
    if board is None:
        raise records.RecordError("there are no positions")
    return _joined(train, board), _joined(held_out, board)


def _select(positions: Positions, mask: NDArray[np.bool_]) -> Positions:
    return Positions(
        positions.board,
        positions.own[mask],
        positions.enemy[mask],
        positions.score[mask],
        positions.result[mask],
    )
