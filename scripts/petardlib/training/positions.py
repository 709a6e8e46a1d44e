"""Training positions: kept as sets of squares, unpacked to boards when needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from petardlib.training import records

PROVEN = 10_000  # centipawns: a score that means as much as a result
VALIDATION = 30  # games per thousand that are kept for validation


@dataclass(frozen=True)
class Positions:
    """Positions of one board as their movers see them; on 8x8 each takes 19 bytes.

    `own` and `enemy` are sets of squares (positions, height, bytes), the mover's own first rank
    lowest: those with at least one piece, and in Freeling's game those with two. `score` is in
    centipawns and `result` is 0, 1 or 2 for loss, draw and win, from the mover's view.
    """

    board: tuple[int, int]
    own: NDArray[np.uint8]
    enemy: NDArray[np.uint8]
    score: NDArray[np.int16]
    result: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.score)

    @property
    def height(self) -> int:
        """The most pieces on a square."""
        return int(self.own.shape[1])

    def cells(self, chosen: NDArray[np.int64] | slice) -> NDArray[np.uint8]:
        """The boards of some positions: (positions, rank, file), each cell as networks see it."""
        own, enemy = self.own[chosen], self.enemy[chosen]
        # An enemy's state is `height` plus its pieces.
        cells = self.height * records.unpacked(enemy[:, 0], self.board)
        for layer in range(self.height):
            cells += records.unpacked(own[:, layer], self.board)
            cells += records.unpacked(enemy[:, layer], self.board)
        return cells

    def select(self, mask: NDArray[np.bool_]) -> Positions:
        """The positions that the mask selects."""
        columns = (self.own, self.enemy, self.score, self.result)
        return Positions(self.board, *(column[mask] for column in columns))


def of_movers(found: records.Records) -> Positions:
    """Recorded positions as their movers see them."""
    black = found.black_to_move

    def seen(set_of_white: int, set_of_black: int) -> NDArray[np.uint8]:
        turned = records.packed(records.unpacked(found.sets[:, set_of_black], found.board)[:, ::-1])
        return np.where(black[:, None], turned, found.sets[:, set_of_white])

    # White's and Black's pieces, then White's and Black's pairs.
    layers = range(0, found.sets.shape[1], 2)
    result = np.where(black, 2 - found.result, found.result).astype(np.uint8)
    # What is proven needs no estimate.
    exact = np.where(result == 2, PROVEN, -PROVEN)
    return Positions(
        found.board,
        np.stack([seen(layer, layer + 1) for layer in layers], axis=1),
        np.stack([seen(layer + 1, layer) for layer in layers], axis=1),
        np.where(found.is_proven, exact, found.score).astype(np.int16),
        result,
    )


def _joined(parts: Sequence[Positions]) -> Positions:
    names = ("own", "enemy", "score", "result")
    columns = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
    return Positions(parts[0].board, *columns)


def load(
    paths: list[Path], most_score: int, keep_noisy: bool
) -> tuple[list[Positions], list[Positions]]:
    """All usable positions, board by board: those to train on, and those held out.

    Whole games are held out. Raises OSError or RecordError.
    """
    train: dict[tuple[int, int], list[Positions]] = {}
    held_out: dict[tuple[int, int], list[Positions]] = {}
    game_of_all: int | None = None
    games = 0
    for path in paths:
        for found in records.chunks(path):
            if game_of_all not in (None, found.header.game):
                raise records.RecordError(f"{path} holds positions of another game")
            game_of_all = found.header.game
            game = np.cumsum(found.is_first) + games
            games = int(game[-1])
            keep = np.abs(found.score.astype(np.int32)) <= most_score
            if not keep_noisy:
                keep &= ~found.is_noisy
            is_held_out = game * 2654435761 % 1000 < VALIDATION
            positions = of_movers(found)
            train.setdefault(found.board, []).append(positions.select(keep & ~is_held_out))
            held_out.setdefault(found.board, []).append(positions.select(keep & is_held_out))
    if not train:
        raise records.RecordError("there are no positions")
    return [_joined(parts) for parts in train.values()], [
        _joined(parts) for parts in held_out.values()
    ]
