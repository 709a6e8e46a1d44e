"""The network while it is trained: a model in PyTorch.

By construction, a position and its mirror image have the same value. Hidden units come in pairs:
the second of a pair sees the board mirrored, with the first one's weights and output weights. In
the engine's file both have rows of their own, so the engine need not know about it, and since it
adds integers, the two values are exactly equal.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from petardlib.training.network import (
    ACTIVATION_ONE,
    FINER,
    LARGEST_OUTPUT,
    LARGEST_SECOND,
    OUTPUT_ONE,
    SECOND_ONE,
    SECOND_OUTPUT_ONE,
    General,
    Network,
    SecondLayer,
    Shape,
    distances,
    pieces_on,
    seen_otherwise,
    windows,
)

CHUNK = 256  # positions that a processor works on at a time

# The engine's scale: a score of x centipawns wins with 1 / (1 + 10 ** (-x / 400)).
CENTIPAWNS_PER_LOGIT = 400.0 / float(np.log(10.0))


class _Accumulators(torch.autograd.Function):
    """The rows of every position's windows summed, with the bias, and clipped.

    Written by hand because it is nearly all of the training's work, and PyTorch is slow at it on a
    CPU: for the gradient of the table it sorts all row indices, although it is enough to sort each
    window's few patterns and sum up again; and it streams each step's numbers through memory,
    although a few positions at a time fit in the cache.
    """

    @staticmethod
    def forward(
        ctx: torch.autograd.function.FunctionCtx,
        table: torch.Tensor,
        bias: torch.Tensor,
        index: torch.Tensor,
    ) -> torch.Tensor:
        units = torch.empty(len(index), table.shape[1], device=table.device)
        size = CHUNK if units.device.type == "cpu" else len(units)
        for at in range(0, len(units), size):
            part = slice(at, at + size)
            places = index[part].to(table.device)
            torch.add(functional.embedding_bag(places, table, mode="sum"), bias, out=units[part])
            units[part].clamp_(0, 1)
        ctx.save_for_backward(units, index)
        ctx.rows = len(table)
        return units

    @staticmethod
    def backward(
        ctx: torch.autograd.function.FunctionCtx, gradient: torch.Tensor
    ) -> tuple[torch.Tensor | None, ...]:
        units, index = ctx.saved_tensors
        slope = gradient * ((units > 0) & (units < 1))
        places, ends = _by_row(index.numpy(), ctx.rows)
        for_table = functional.embedding_bag(
            torch.from_numpy(places).to(units.device),
            slope,
            torch.from_numpy(ends).to(units.device),
            mode="sum",
            include_last_offset=True,
        )
        return for_table, slope.sum(0), None


def _by_row(index: NDArray[np.int32], rows: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The positions with each row, row by row, and where those of each row start."""
    by_window = index.T - index.min(axis=0)[:, None]
    small = by_window.astype(np.uint8 if by_window.max() < 256 else np.uint16)
    positions = np.argsort(small, axis=1, kind="stable").astype(np.int32).reshape(-1)
    ends = np.zeros(rows + 1, dtype=np.int32)
    np.cumsum(np.bincount(index.reshape(-1), minlength=rows), out=ends[1:])
    return positions, ends


def quantised(values: torch.Tensor, one: float, kind: type) -> NDArray[Any]:
    """Weights as integers, where `one` stands for 1."""
    return np.rint(values.detach().cpu().numpy().astype(np.float64) * one).astype(kind)


class Model(nn.Module):
    """Windows to hidden units of both sides, squared clipped ReLU, one output per bucket.

    There may be a second layer of clipped units, which also adds to the output. Subclasses define
    what a window's contents are worth.
    """

    def __init__(
        self, window: tuple[int, int], hidden: int, buckets: int, second_pairs: int = 0
    ) -> None:
        super().__init__()
        self.window, self.buckets = window, buckets
        self.pairs, self.second_pairs = hidden // 2, second_pairs
        self.second = nn.Parameter(torch.randn(second_pairs, 2, 2, self.pairs) * 0.1)
        self.second_bias = nn.Parameter(torch.full((second_pairs,), 0.1))
        # The layer starts out adding nothing.
        self.second_output = nn.Parameter(torch.zeros(buckets, second_pairs))
        self.output = nn.Parameter(torch.randn(buckets, 2, self.pairs) * 0.1)
        self.output_bias = nn.Parameter(torch.zeros(buckets))
        self._images: dict[tuple[int, int, bool], torch.Tensor] = {}

    def shape_on(self, board: tuple[int, int]) -> Shape:
        """The shape of the network for a board."""
        sizes = 2 * self.pairs, self.buckets
        return Shape(board, self.window, *sizes, second_pairs=self.second_pairs)

    def groups(self, rate: float, second_rate: float, decay: float) -> list[dict[str, Any]]:
        """The weights by how fast they learn, as an optimiser takes them."""
        second = [self.second, self.second_bias, self.second_output]
        rest = [part for part in self.parameters() if all(part is not other for other in second)]
        groups = [{"params": rest, "lr": rate, "weight_decay": decay}]
        if self.second_pairs:
            groups.append({"params": second, "lr": second_rate, "weight_decay": 0.0})
        return groups

    def first_rows(self, shape: Shape) -> torch.Tensor:
        """The rows of the first units of all pairs: (rows, pairs)."""
        raise NotImplementedError

    def first_bias(self, shape: Shape) -> torch.Tensor:
        """The bias of the first units of all pairs."""
        raise NotImplementedError

    def table(self, shape: Shape) -> torch.Tensor:
        """The rows: (rows, hidden), the second units of all pairs last."""
        first = self.first_rows(shape)
        return torch.cat([first, first[self._seen(shape, True)]], dim=1)

    def _seen(self, shape: Shape, mirrored: bool) -> torch.Tensor:
        key = *shape.board, mirrored
        if key not in self._images:
            images = torch.from_numpy(seen_otherwise(shape, mirrored, not mirrored))
            self._images[key] = images.to(self.output.device)
        return self._images[key]

    def forward(self, cells: NDArray[np.uint8]) -> torch.Tensor:
        """The logit of the mover's win, for boards of one size (positions, rank, file)."""
        shape = self.shape_on((cells.shape[2], cells.shape[1]))
        # The positions of each bucket together.
        bucket = shape.bucket(pieces_on(cells, shape.height))
        order = np.argsort(bucket, kind="stable")
        index = torch.from_numpy(windows(cells[order], shape))
        table = self.table(shape)
        # One sum over long rows is cheaper than one per side.
        both = torch.cat([table, table[self._seen(shape, False)]], dim=1)
        bias = self.first_bias(shape).repeat(4)
        units = _Accumulators.apply(both, bias, index).square()
        counts = np.bincount(bucket, minlength=self.buckets).tolist()
        parts = enumerate(torch.split(units, counts))
        said = torch.cat([self._outputs(part, number) for number, part in parts])
        return said[torch.from_numpy(np.argsort(order, kind="stable")).to(said.device)]

    def _outputs(self, units: torch.Tensor, bucket: int) -> torch.Tensor:
        """The output of some positions of one bucket, from their accumulators squared."""
        linear = self.output_weights()[bucket]
        second = self.second.flatten(1), self.second.flip(2).flatten(1)
        said = units @ torch.cat([linear[None], *second]).t()
        active = (said[:, 1:] + self.second_bias.repeat(2)).clamp(0, 1)
        total = said[:, 0] + active @ self.second_output[bucket].repeat(2)
        return total + self.output_bias[bucket]

    def output_weights(self) -> torch.Tensor:
        """The output weights: (buckets, 2 * hidden)."""
        return self.output.repeat(1, 1, 2).flatten(1)

    def clip(self) -> None:
        """Keeps the weights where they can be quantised."""
        most = LARGEST_OUTPUT / OUTPUT_ONE
        with torch.no_grad():
            self.output.clamp_(-most, most)
            most = LARGEST_SECOND / SECOND_ONE
            self.second.clamp_(-most, most)
            most = np.iinfo(np.int16).max / SECOND_OUTPUT_ONE
            self.second_output.clamp_(-most, most)

    def outputs(self) -> tuple[NDArray[np.int16], NDArray[np.int32], SecondLayer | None]:
        """Output weights and bias and the second layer, as integers."""
        one = ACTIVATION_ONE * OUTPUT_ONE
        weights = quantised(self.output_weights(), OUTPUT_ONE, np.int16)
        layer = None
        if self.second_pairs:
            layer = SecondLayer(
                quantised(self.second.flatten(1), SECOND_ONE, np.int16),
                quantised(self.second_output, SECOND_OUTPUT_ONE, np.int16),
                quantised(self.second_bias, ACTIVATION_ONE**2, np.int32),
            )
        return weights, quantised(self.output_bias, one, np.int32), layer

    def begin_behind(self, network: Network | General) -> None:
        """Starts with a network's weights behind the accumulators."""
        output = torch.from_numpy(network.output.astype(np.float32) / OUTPUT_ONE)
        one = ACTIVATION_ONE * OUTPUT_ONE
        with torch.no_grad():
            self.output.copy_(output.reshape(self.buckets, 2, 2, self.pairs)[:, :, 0])
            self.output_bias.copy_(torch.from_numpy(network.output_bias / one))
            if layer := network.second_layer:
                weights = torch.from_numpy(layer.weights.astype(np.float32) / SECOND_ONE)
                self.second.copy_(weights.view_as(self.second))
                self.second_bias.copy_(torch.from_numpy(layer.bias / ACTIVATION_ONE**2))
                self.second_output.copy_(torch.from_numpy(layer.output / SECOND_OUTPUT_ONE))

    def export(self, factor: float = 1.0) -> Network | General:
        """The quantised network; `factor` scales its logits."""
        raise NotImplementedError


class BoardModel(Model):
    """The network for one board: rows for every place of the window."""

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape.window, shape.hidden, shape.buckets, shape.second_pairs)
        self.shape = shape
        self.rows = nn.Parameter(torch.zeros(shape.rows, self.pairs))
        # All patterns around a square share what the square alone is worth, so
        # that rare patterns have something to start from ("factoriser", as in
        # the trainers of Stockfish's networks). It is merged into the rows of
        # the first kind of window.
        states = shape.states - 1
        self.single = nn.Parameter(torch.randn(states, shape.squares, self.pairs) * 0.08)
        self.bias = nn.Parameter(torch.full((self.pairs,), 0.25))
        squares, counts = _cells(shape)
        self.register_buffer("squares", squares, persistent=False)
        self.register_buffer("counts", counts, persistent=False)

    def shape_on(self, board: tuple[int, int]) -> Shape:
        """The shape of the network, which is of one board."""
        return self.shape

    def begin_with(self, network: Network) -> None:
        """Starts from the weights of a network of the same shape, or without the second layer.

        Raises ValueError if its shape differs or its units are not mirrored pairs.
        """
        if network.shape not in (self.shape, replace(self.shape, second_pairs=0)):
            raise ValueError("the network has a different shape")
        rows, bias = (
            torch.from_numpy(part.astype(np.float32) / ACTIVATION_ONE)
            for part in (network.rows, network.bias)
        )
        self.begin_behind(network)
        with torch.no_grad():
            self.rows.copy_(rows[:, : self.pairs])
            self.single.zero_()
            self.bias.copy_(bias[: self.pairs])
            same = self.table(self.shape).equal(rows)
        if not (same and np.array_equal(self.outputs()[0], network.output)):
            raise ValueError("the network is not mirror-symmetric")

    def first_rows(self, shape: Shape) -> torch.Tensor:
        """The rows, with the factoriser merged in."""
        # (windows, cells, state, pairs): what a cell of a window adds in each state.
        worth = self.single[:, self.squares] * self.counts[None, :, :, None]
        worth = torch.cat([torch.zeros_like(worth[:1]), worth]).permute(1, 2, 0, 3)
        added = worth[:, 0]
        for cell in range(1, shape.window[0] * shape.window[1]):
            added = (worth[:, cell, :, None] + added[:, None]).flatten(1, 2)
        added = added.reshape(-1, self.pairs)
        return self.rows + functional.pad(added, (0, 0, 0, shape.rows - len(added)))

    def first_bias(self, shape: Shape) -> torch.Tensor:
        """The bias, which is the same for all positions."""
        return self.bias

    def export(self, factor: float = 1.0) -> Network:
        """The quantised network."""
        with torch.no_grad():
            return Network(
                self.shape,
                round(CENTIPAWNS_PER_LOGIT * factor),
                quantised(self.table(self.shape), ACTIVATION_ONE, np.int16),
                quantised(self.bias.repeat(2), ACTIVATION_ONE, np.int16),
                *self.outputs(),
            )


class GeneralModel(Model):
    """The network for every board: rows by the distance of a window from ends and edges.

    An empty window adds nothing, so that large boards do not stand out by their emptiness.
    """

    ENDS, EDGES = 8, 4  # distances that are distinguished
    FILE_STEPS, RANK_STEPS = 14, 12  # sizes with a bias of their own
    MAX = 0.23  # for a part of a row, so that no sum of 105 windows overflows 16 bits

    def __init__(
        self, window: tuple[int, int], hidden: int, buckets: int, second_pairs: int = 0
    ) -> None:
        super().__init__(window, hidden, buckets, second_pairs)
        patterns = self.shape_on((2, 4)).patterns
        self.everywhere = nn.Parameter(torch.randn(patterns, self.pairs) * 0.1)
        self.ends = nn.Parameter(torch.zeros(2, self.ENDS, patterns, self.pairs))
        self.edges = nn.Parameter(torch.zeros(2, self.EDGES, patterns, self.pairs))
        self.bias = nn.Parameter(torch.full((self.pairs,), 0.25))
        self.file_steps = nn.Parameter(torch.zeros(self.FILE_STEPS, self.pairs))
        self.rank_steps = nn.Parameter(torch.zeros(self.RANK_STEPS, self.pairs))

    def begin_with(self, network: General) -> None:
        """Starts from the weights of a network of the same shape, or without the second layer.

        Raises ValueError if its shape differs or its units are not mirrored pairs.
        """
        one = ACTIVATION_ONE * FINER
        parts = (network.own, network.far, network.left, network.right)
        steps = (network.file_steps, network.rank_steps)
        own, far, left, right, bias, *both = (
            torch.from_numpy(part[..., : self.pairs].astype(np.float32) / one)
            for part in (*parts, network.bias, *steps)
        )
        ends, edges = torch.stack([own, far]), torch.stack([left, right])
        sizes = [part.shape for part in (ends, edges, bias, *both)]
        mine = (self.ends, self.edges, self.bias, self.file_steps, self.rank_steps)
        if (
            sizes != [part.shape for part in mine]
            or network.output.shape != self.output_weights().shape
            or network.second_pairs not in (0, self.second_pairs)
        ):
            raise ValueError("the network has a different shape")
        # What holds everywhere and the rest must each stay within their bounds.
        middle = ((own.amax(0) + own.amin(0)) / 2).clamp(-self.MAX, self.MAX)
        with torch.no_grad():
            self.everywhere.copy_(middle)
            ends[0] -= middle
            for part, value in zip(mine, (ends, edges, bias, *both), strict=True):
                part.copy_(value)
        self.begin_behind(network)
        made = replace(self.export(), scale=network.scale)
        if network.second_layer is None:
            made = replace(made, second_layer=None)
        if made.to_bytes() != network.to_bytes():
            raise ValueError("the network is not mirror-symmetric")

    def parts(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Rows by distance from the own and the far end, and from the edges; empty windows 0."""
        filled = torch.ones(self.ends.shape[2], 1, device=self.output.device)
        filled[0] = 0
        # What holds everywhere is merged into the part for the distance from the own end.
        ends = torch.stack([self.ends[0] + self.everywhere, self.ends[1]])
        return ends * filled, self.edges * filled

    def first_rows(self, shape: Shape) -> torch.Tensor:
        """The rows assembled from their parts."""
        ends, edges = self.parts()
        by_rank, by_file = distances(shape, self.ENDS, self.EDGES)
        rows = ends[0, by_rank[0]] + ends[1, by_rank[1]]
        columns = edges[0, by_file[0]] + edges[1, by_file[1]]
        return (rows[:, None] + columns[None]).flatten(0, 2)

    def first_bias(self, shape: Shape) -> torch.Tensor:
        """The bias for a board of this size."""
        steps = self.file_steps[: shape.board[0] - 2].sum(0)
        return self.bias + steps + self.rank_steps[: shape.board[1] - 4].sum(0)

    def clip(self) -> None:
        """Keeps the weights where they can be quantised on every board."""
        super().clip()
        with torch.no_grad():
            for part in (self.everywhere, self.ends, self.edges):
                part.clamp_(-self.MAX, self.MAX)

    def export(self, factor: float = 1.0) -> General:
        """The quantised network."""
        one = ACTIVATION_ONE * FINER
        # A window's mirror image, at the same place.
        image = seen_otherwise(self.shape_on(self.window), True, False)

        def both(part: torch.Tensor, other: torch.Tensor) -> NDArray[Any]:
            return quantised(torch.cat([part, other[:, image]], dim=2), one, np.int16)

        def twice(part: torch.Tensor) -> NDArray[Any]:
            return quantised(part.repeat(*[1] * (part.dim() - 1), 2), one, np.int16)

        with torch.no_grad():
            (own, far), (left, right) = self.parts()
            return General(
                self.window,
                round(CENTIPAWNS_PER_LOGIT * factor),
                both(own, own),
                both(far, far),
                both(left, right),
                both(right, left),
                twice(self.bias),
                twice(self.file_steps),
                twice(self.rank_steps),
                *self.outputs(),
            )


def _cells(shape: Shape) -> tuple[torch.Tensor, torch.Tensor]:
    """The squares of every window's cells, and whether that window counts the square.

    Each square is counted by exactly one of the windows that contain it.
    """
    (across, up), (files, ranks) = shape.places, shape.window
    squares = torch.zeros(shape.windows, files * ranks, dtype=torch.int64)
    counts = torch.zeros(shape.windows, files * ranks)
    for place in range(shape.windows):
        row, column = divmod(place, across)
        for cell in range(files * ranks):
            rank, file = row + cell // files, column + cell % files
            squares[place, cell] = rank * shape.board[0] + file
            counts[place, cell] = (min(rank, up - 1), min(file, across - 1)) == (row, column)
    return squares, counts
