"""The network while it is trained: a model in PyTorch.

The value of a position and of its mirror image is the same by construction. Hidden units come in
pairs: the second one of a pair sees the board mirrored, with the first one's weights and output
weights. In the engine's file both have rows of their own, so the engine knows nothing of it, and
since whole numbers are added there, the two values are equal exactly.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from petardlib.network import (
    ACTIVATION_ONE,
    LARGEST_OUTPUT,
    OUTPUT_ONE,
    Network,
    Shape,
    windows,
)

CHUNK = 256  # positions that a processor works on at a time

# The engine's scale: a score of x centipawns wins with 1 / (1 + 10 ** (-x / 400)).
CENTIPAWNS_PER_LOGIT = 400.0 / float(np.log(10.0))


class _Outputs(torch.autograd.Function):
    """All that is done for each position: rows summed up, clipped, squared and weighed.

    Written out because it is nearly all of the training's work, and PyTorch is slow at it on a
    processor: it sorts all places of rows for the gradient of the table, where it is enough to
    sort each window's few patterns and to sum up again; and it sends every step's numbers through
    the memory, where a few positions at a time stay in the cache.
    """

    @staticmethod
    def forward(
        ctx: torch.autograd.function.FunctionCtx,
        table: torch.Tensor,
        bias: torch.Tensor,
        weights: torch.Tensor,
        index: torch.Tensor,
        chosen: torch.Tensor,
    ) -> torch.Tensor:
        # `chosen` is 1 at a position's set of output weights and 0 elsewhere.
        units = torch.empty(len(index), table.shape[1], device=table.device)
        said = torch.empty(len(index), device=table.device)
        for part, sums, places in _chunks(units, index.to(table.device)):
            torch.add(functional.embedding_bag(places, table, mode="sum"), bias, out=sums)
            sums.clamp_(0, 1)
            said[part] = (sums.square() @ weights.t()).mul_(chosen[part]).sum(1)
        ctx.save_for_backward(weights, index, chosen)
        ctx.units, ctx.rows = units, len(table)
        return said

    @staticmethod
    def backward(
        ctx: torch.autograd.function.FunctionCtx, gradient: torch.Tensor
    ) -> tuple[torch.Tensor | None, ...]:
        weights, index, chosen = ctx.saved_tensors
        units, ctx.units = ctx.units, None
        aim = chosen * gradient[:, None]
        for_bias, for_weights = torch.zeros_like(weights[0]), torch.zeros_like(weights)
        for _, sums, aims in _chunks(units, aim):
            for_weights.addmm_(aims.t(), sums.square())
            slope = (aims @ weights).mul_(sums).mul_(sums < 1)
            for_bias.add_(slope.sum(0), alpha=2)
            torch.mul(slope, 2, out=sums)
        places, ends = _by_row(index.numpy(), ctx.rows)
        for_table = functional.embedding_bag(
            torch.from_numpy(places).to(units.device),
            units,
            torch.from_numpy(ends).to(units.device),
            mode="sum",
            include_last_offset=True,
        )
        return for_table, for_bias, for_weights, None, None


def _chunks(
    units: torch.Tensor, others: torch.Tensor
) -> Iterator[tuple[slice, torch.Tensor, torch.Tensor]]:
    size = CHUNK if units.device.type == "cpu" else len(units)
    for at in range(0, len(units), size):
        part = slice(at, at + size)
        yield part, units[part], others[part]


def _by_row(index: NDArray[np.int32], rows: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The positions that have each row, row after row, and where those of each row begin."""
    by_window = index.T - index.min(axis=0)[:, None]
    small = by_window.astype(np.uint8 if by_window.max() < 256 else np.uint16)
    positions = np.argsort(small, axis=1, kind="stable").astype(np.int32).reshape(-1)
    ends = np.zeros(rows + 1, dtype=np.int32)
    np.cumsum(np.bincount(index.reshape(-1), minlength=rows), out=ends[1:])
    return positions, ends


def seen_otherwise(shape: Shape, mirrored: bool, turned: bool) -> NDArray[np.int64]:
    """For every row that of the same men, the files reversed or as the other side sees them."""
    files, ranks = shape.window
    pattern = np.arange(shape.patterns)
    image = np.zeros_like(pattern)
    for cell in range(files * ranks):
        rank, file = divmod(cell, files)
        rank = ranks - 1 - rank if turned else rank
        file = files - 1 - file if mirrored else file
        state = pattern // 3**cell % 3
        image += ((3 - state) % 3 if turned else state) * 3 ** (rank * files + file)
    across, up = shape.places
    place = np.arange(shape.windows).reshape(up, across)
    place = place[:: -1 if turned else 1, :: -1 if mirrored else 1]
    return (place.reshape(-1, 1) * shape.patterns + image).reshape(-1)


class Model(nn.Module):
    """Windows to hidden units of both sides, squared clipped ReLU, one output a bucket."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        pairs = shape.hidden // 2
        self.rows = nn.Parameter(torch.zeros(shape.rows, pairs))
        # What a single square is worth is shared by all patterns around it, so
        # that rare patterns start from something ("factoriser", as in the
        # trainers of Stockfish's networks). It is merged into the rows.
        self.single = nn.Parameter(torch.randn(2, shape.squares, pairs) * 0.08)
        self.bias = nn.Parameter(torch.full((pairs,), 0.25))
        self.output = nn.Parameter(torch.randn(shape.buckets, 2, pairs) * 0.1)
        self.output_bias = nn.Parameter(torch.zeros(shape.buckets))
        for name, mirrored, turned in (("mirrored", True, False), ("turned", False, True)):
            images = torch.from_numpy(seen_otherwise(shape, mirrored, turned))
            self.register_buffer(name, images, persistent=False)
        squares, told = _told(shape)
        self.register_buffer("squares", squares, persistent=False)
        self.register_buffer("told", told, persistent=False)

    def table(self) -> torch.Tensor:
        """The rows, the factoriser in them: (rows, hidden), the second ones of all pairs last."""
        shape = self.shape
        cells = shape.window[0] * shape.window[1]
        # (windows, cells, state, pairs): what a cell of a window adds in each state.
        worth = self.single[:, self.squares] * self.told[None, :, :, None]
        worth = torch.cat([torch.zeros_like(worth[:1]), worth]).permute(1, 2, 0, 3)
        added = worth[:, 0]
        for cell in range(1, cells):
            added = (worth[:, cell, :, None] + added[:, None]).flatten(1, 2)
        first = self.rows + added.reshape(shape.rows, -1)
        return torch.cat([first, first[self.mirrored]], dim=1)

    def forward(self, cells: NDArray[np.uint8]) -> torch.Tensor:
        """The logit of the mover's win."""
        index = torch.from_numpy(windows(cells, self.shape))
        men = np.count_nonzero(cells.reshape(len(cells), -1), axis=1)
        bucket = torch.from_numpy(self.shape.bucket(men)).to(self.bias.device)
        table = self.table()
        # One sum of long rows is cheaper than one for each side.
        both = torch.cat([table, table[self.turned]], dim=1)
        chosen = functional.one_hot(bucket, self.shape.buckets).to(torch.float32)
        said = _Outputs.apply(both, self.bias.repeat(4), self.output_weights(), index, chosen)
        return said + self.output_bias[bucket]

    def output_weights(self) -> torch.Tensor:
        """The output weights: (buckets, 2 * hidden)."""
        return self.output.repeat(1, 1, 2).flatten(1)

    def clip(self) -> None:
        """Keeps the output weights where they can be quantised."""
        most = LARGEST_OUTPUT / OUTPUT_ONE
        with torch.no_grad():
            self.output.clamp_(-most, most)

    def export(self, factor: float = 1.0) -> Network:
        """The quantised network; `factor` stretches its logits."""

        def whole(values: torch.Tensor, one: float, kind: type) -> NDArray:
            return np.rint(values.cpu().numpy().astype(np.float64) * one).astype(kind)

        with torch.no_grad():
            return Network(
                self.shape,
                round(CENTIPAWNS_PER_LOGIT * factor),
                whole(self.table(), ACTIVATION_ONE, np.int16),
                whole(self.bias.repeat(2), ACTIVATION_ONE, np.int16),
                whole(self.output_weights(), OUTPUT_ONE, np.int16),
                whole(self.output_bias, ACTIVATION_ONE * OUTPUT_ONE, np.int32),
            )


def _told(shape: Shape) -> tuple[torch.Tensor, torch.Tensor]:
    """The squares of every window's cells, and whether the square is told by that window.

    Each square is told by one of the windows that hold it.
    """
    (across, up), (files, ranks) = shape.places, shape.window
    squares = torch.zeros(shape.windows, files * ranks, dtype=torch.int64)
    told = torch.zeros(shape.windows, files * ranks)
    for place in range(shape.windows):
        row, column = divmod(place, across)
        for cell in range(files * ranks):
            rank, file = row + cell // files, column + cell % files
            squares[place, cell] = rank * shape.board[0] + file
            told[place, cell] = (min(rank, up - 1), min(file, across - 1)) == (row, column)
    return squares, told
