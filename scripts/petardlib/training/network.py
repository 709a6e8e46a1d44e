"""The network's file, its inputs and its arithmetic, in NumPy.

The format is specified in `src/eval/nnue/mod.rs`. Inputs are the contents
of every window of `files x ranks` squares, as each side sees the board. With
squares that hold at most `height` pieces (1 in Breakthrough, 2 in Freeling's) a
cell is 0 if it is empty, n with n own pieces, `height + n` with n enemies; cells
are numbered row by row from the lower left, and the pattern is the number in
base `2 * height + 1` with the first cell as the lowest digit.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"PETARDN1"
GENERAL_MAGIC = b"PETARDN2"
STACKS_MAGIC = b"PETARDN3"
HEADER = struct.Struct("<8sBBHHBBi")
# Bytes of the payload, the second window or zeros, mirrored, pairs of units in the second layer
LENGTHS = struct.Struct("<IBBBB")
HEADER_BYTES = HEADER.size + 4 + LENGTHS.size
OCTETS = 8  # a rank in a set of squares is a byte
ACTIVATION_ONE = 255  # a hidden unit's 1.0
OUTPUT_ONE = 64  # an output weight's 1.0
LARGEST_OUTPUT = 127
SECOND_ONE = 256  # a weight's 1.0 in the second layer; that of its units is ACTIVATION_ONE ** 2
LARGEST_SECOND = 2048
SECOND_OUTPUT_ONE = 1024  # an output weight's 1.0 there
WITH_HALVES = (64, 128, 256, 512)  # widths of networks that can be mirrored
FINER = 16  # how many times finer shared weights are than those of an accumulator


class NetworkError(ValueError):
    """The file is not a petard network."""


@dataclass(frozen=True)
class Shape:
    """What a network sees and how large it is: `board` and `window` are (files, ranks).

    `height` is the most pieces on a square. There may be a `second` kind of window, and
    `second_pairs` of units in a second layer.
    """

    board: tuple[int, int]
    window: tuple[int, int]
    hidden: int
    buckets: int
    height: int = 1
    second: tuple[int, int] | None = None
    second_pairs: int = 0

    @property
    def kinds(self) -> list[Shape]:
        """The same shape with each kind of window alone."""
        windows = [self.window] if self.second is None else [self.window, self.second]
        return [replace(self, window=window, second=None) for window in windows]

    @property
    def places(self) -> tuple[int, int]:
        """Places of the first kind of window, (across, up)."""
        return self.board[0] - self.window[0] + 1, self.board[1] - self.window[1] + 1

    @property
    def windows(self) -> int:
        """All places of the first kind of window on the board."""
        return self.places[0] * self.places[1]

    @property
    def squares(self) -> int:
        """Squares of the board."""
        return self.board[0] * self.board[1]

    @property
    def max_pieces(self) -> int:
        """Pieces at the start: two ranks a side."""
        return 4 * self.board[0]

    @property
    def states(self) -> int:
        """The number of states of a square."""
        return 2 * self.height + 1

    @property
    def patterns(self) -> int:
        """The number of patterns in a window of the first kind."""
        return int(self.states ** (self.window[0] * self.window[1]))

    @property
    def rows(self) -> int:
        """Rows of the first layer, those of the first kind of window first."""
        return sum(kind.windows * kind.patterns for kind in self.kinds)

    def bucket(self, pieces: NDArray[np.int64]) -> NDArray[np.int64]:
        """The set of output weights for so many pieces on the board."""
        return np.minimum((pieces - 1) * self.buckets // self.max_pieces, self.buckets - 1)


@dataclass(frozen=True)
class SecondLayer:
    """A quantised second layer: pairs of units that see both accumulators.

    `weights` is (pairs, 2 * hidden), those of the second units being the same with the halves of
    each accumulator exchanged; `output` is (buckets, pairs) and `bias` (pairs).
    """

    weights: NDArray[np.int16]
    output: NDArray[np.int16]
    bias: NDArray[np.int32]

    def value(self, clipped: NDArray[np.int64], bucket: int) -> int:
        """What it adds to the output, given the accumulators, clipped and squared: (2, hidden)."""
        halves = (clipped >> 8).reshape(2, 2, -1)
        both = np.stack([halves, halves[:, ::-1]]).reshape(2, -1)
        units = both @ self.weights.astype(np.int64).T + self.bias
        active = (np.clip(units, 0, ACTIVATION_ONE**2) >> 6).sum(axis=0)
        total = int(active @ self.output[bucket].astype(np.int64))
        return _truncated(4 * total, ACTIVATION_ONE)


@dataclass(frozen=True)
class Network:
    """A quantised network.

    `rows` is (rows, hidden), `bias` (hidden), `output` (buckets, 2 * hidden),
    `output_bias` (buckets); `scale` is centipawns per logit.
    """

    shape: Shape
    scale: int
    rows: NDArray[np.int16]
    bias: NDArray[np.int16]
    output: NDArray[np.int16]
    output_bias: NDArray[np.int32]
    second_layer: SecondLayer | None = None

    @property
    def is_mirrored(self) -> bool:
        """Whether the right half of the board mirrors the left one."""
        if self.shape.hidden not in WITH_HALVES:
            return False
        image = seen_otherwise(self.shape, mirrored=True, turned=False)
        return np.array_equal(self.rows, _halves_exchanged(self.rows[image]))

    def to_bytes(self) -> bytes:
        """The file's contents: half of the rows, if the network is mirrored."""
        shape, is_mirrored = self.shape, self.is_mirrored
        rows = self.rows[left_half(shape)] if is_mirrored else self.rows
        payload = rows.astype("<i2").tobytes() + self.bias.astype("<i2").tobytes()
        payload += _behind(self.output, self.output_bias, self.second_layer)
        header = HEADER.pack(
            MAGIC if shape.height == 1 else STACKS_MAGIC,
            *shape.window,
            shape.hidden,
            shape.buckets,
            *shape.board,
            self.scale,
        )
        second = shape.second or (0, 0)
        rest = LENGTHS.pack(len(payload), *second, is_mirrored, shape.second_pairs) + payload
        # The checksum covers all other bytes.
        return header + struct.pack("<I", zlib.crc32(header + rest)) + rest

    def evaluate(self, own: int, enemy: int) -> int:
        """Centipawns from the mover's view, exactly what the engine computes.

        `own` and `enemy` are sets of squares (bit `8 * rank + file`) as the
        mover sees the board: their own first rank is the lowest.
        """
        sets = [np.array([pieces], dtype=np.uint64) for pieces in (own, enemy)]
        return self.value(board(sets[0], sets[1], self.shape.board)[0])

    def value(self, squares: NDArray[np.uint8]) -> int:
        """The same for the cells (rank, file) of a board."""
        cells = squares[None]
        hidden = []
        for view in (cells, other_side(cells, self.shape.height)):
            index = windows(view, self.shape)[0]
            sums = self.bias.astype(np.int64) + self.rows[index].astype(np.int64).sum(axis=0)
            hidden.append(np.clip(sums, 0, ACTIVATION_ONE) ** 2)
        bucket = int(self.shape.bucket(pieces_on(cells, self.shape.height))[0])
        total = int(np.concatenate(hidden) @ self.output[bucket].astype(np.int64))
        # Rust's division rounds towards zero.
        value = _truncated(total, ACTIVATION_ONE) + int(self.output_bias[bucket])
        if self.second_layer:
            value += self.second_layer.value(np.stack(hidden), bucket)
        return _truncated(value * self.scale, ACTIVATION_ONE * OUTPUT_ONE)


@dataclass(frozen=True)
class General:
    """A quantised network for every board: the weights that squares and boards share.

    `own` and `far` are (distances, patterns, hidden), by the distance of a window from the ends
    of the board, `left` and `right` the same by that from the edges; `file_steps` and
    `rank_steps` are (steps, hidden). These and `bias` have `FINER` times the resolution of an
    accumulator. The rest is as in `Network`.
    """

    window: tuple[int, int]
    scale: int
    own: NDArray[np.int16]
    far: NDArray[np.int16]
    left: NDArray[np.int16]
    right: NDArray[np.int16]
    bias: NDArray[np.int16]
    file_steps: NDArray[np.int16]
    rank_steps: NDArray[np.int16]
    output: NDArray[np.int16]
    output_bias: NDArray[np.int32]
    second_layer: SecondLayer | None = None

    def to_bytes(self) -> bytes:
        """The file's contents."""
        parts = [self.own, self.far, self.left, self.right, self.bias]
        parts += [self.file_steps, self.rank_steps]
        payload = b"".join(part.astype("<i2").tobytes() for part in parts)
        payload += _behind(self.output, self.output_bias, self.second_layer)
        header = HEADER.pack(
            GENERAL_MAGIC,
            *self.window,
            len(self.bias),
            len(self.output_bias),
            len(self.own),
            len(self.left),
            self.scale,
        )
        steps = len(self.file_steps), len(self.rank_steps)
        rest = LENGTHS.pack(len(payload), *steps, 0, self.second_pairs) + payload
        return header + struct.pack("<I", zlib.crc32(header + rest)) + rest

    @property
    def second_pairs(self) -> int:
        """Pairs of units in the second layer."""
        return len(self.second_layer.bias) if self.second_layer else 0

    def shape_on(self, size: tuple[int, int]) -> Shape:
        """The shape of the network of a board."""
        sizes = len(self.bias), len(self.output_bias)
        return Shape(size, self.window, *sizes, second_pairs=self.second_pairs)

    def on(self, size: tuple[int, int]) -> Network:
        """The network of a board."""
        shape = self.shape_on(size)
        by_rank, by_file = distances(shape, len(self.own), len(self.left))
        rows = self.own.astype(np.int32)[by_rank[0]] + self.far[by_rank[1]]
        columns = self.left.astype(np.int32)[by_file[0]] + self.right[by_file[1]]
        bias = self.bias.astype(np.int32)
        bias = bias + self.file_steps[: size[0] - 2].sum(axis=0)
        bias = bias + self.rank_steps[: size[1] - 4].sum(axis=0)
        return Network(
            shape,
            self.scale,
            _rounded(rows[:, None] + columns[None]).reshape(shape.rows, -1),
            _rounded(bias),
            self.output,
            self.output_bias,
            self.second_layer,
        )

    def reach(self) -> float:
        """How much of an accumulator's range the weights can fill, on the worst board."""
        worst = 0
        known: dict[tuple[int, ...], NDArray[np.int32]] = {}
        for size in boards():
            shape = self.shape_on(size)
            by_rank, by_file = distances(shape, len(self.own), len(self.left))
            total = np.abs(self.file_steps[: size[0] - 2].sum(axis=0, dtype=np.int32))
            total += np.abs(self.rank_steps[: size[1] - 4].sum(axis=0, dtype=np.int32))
            total += np.abs(self.bias.astype(np.int32))
            for own, far in by_rank.T:
                for left, right in by_file.T:
                    key = own, far, left, right
                    if key not in known:
                        row = self.own[own].astype(np.int32) + self.far[far]
                        row = row + self.left[left] + self.right[right]
                        known[key] = np.abs(row).max(axis=0)
                    total = total + known[key]
            worst = max(worst, int(total.max()))
        return worst / FINER / 32767


def averaged(first: General, second: General, share: float) -> General:
    """The network whose weights are so large a share of the first one's, the rest the second's.

    Between a network and what further training made of it, that is often better than either
    (Wortsman et al. 2022, "Robust fine-tuning of zero-shot models"). They must have one shape.
    """

    def both(one: float | NDArray[Any], other: float | NDArray[Any]) -> NDArray[Any]:
        return np.rint(share * np.asarray(one) + (1 - share) * np.asarray(other))

    def weights(one: General | SecondLayer, other: General | SecondLayer) -> dict[str, Any]:
        return {
            field.name: both(value, getattr(other, field.name)).astype(value.dtype)
            for field in fields(one)
            if isinstance(value := getattr(one, field.name), np.ndarray)
        }

    layer = None
    if given := first.second_layer or second.second_layer:
        # A layer that one of them lacks adds nothing there.
        none = replace(given, output=np.zeros_like(given.output))
        layers = first.second_layer or none, second.second_layer or none
        layer = replace(given, **weights(*layers))
    scale = int(both(first.scale, second.scale))
    return replace(first, scale=scale, second_layer=layer, **weights(first, second))


def boards() -> Iterator[tuple[int, int]]:
    """All boards on which the game can be played."""
    for files in range(2, 33):
        for ranks in range(4, 128 // files + 1):
            yield files, ranks


def distances(shape: Shape, ends: int, edges: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each row of windows, the distance from the own and the far end (2, rows).

    For each file, that from the left and right edge (2, files); both are capped at the last class.
    """
    across, up = shape.places
    row, file = np.arange(up), np.arange(across)
    return (
        np.minimum([row, row[::-1]], ends - 1),
        np.minimum([file, file[::-1]], edges - 1),
    )


def _rounded(sums: NDArray[np.int32]) -> NDArray[np.int16]:
    return ((sums + FINER // 2) // FINER).astype(np.int16)


def _truncated(value: int, divisor: int) -> int:
    quotient = abs(value) // divisor
    return quotient if value >= 0 else -quotient


def _contents(
    path: Path, magics: Sequence[bytes]
) -> tuple[bytes, tuple[int, ...], list[int], bytes]:
    """A network's magic, the numbers after it and those after the length, and the weights.

    Raises NetworkError if it is not a network, or is damaged.
    """
    data = path.read_bytes()
    if len(data) < HEADER_BYTES or data[:8] not in magics:
        raise NetworkError(f"{path} is not a petard network{_kind(data[:8], magics)}")
    (checksum,) = struct.unpack_from("<I", data, HEADER.size)
    length, *rest = LENGTHS.unpack_from(data, HEADER.size + 4)
    payload = data[HEADER_BYTES:]
    whole = zlib.crc32(data[HEADER.size + 4 :], zlib.crc32(data[: HEADER.size]))
    if len(payload) != length or whole != checksum:
        raise NetworkError(f"{path} is damaged: length or checksum is wrong")
    return data[:8], HEADER.unpack_from(data)[1:], rest, payload


def _kind(magic: bytes, wanted: Sequence[bytes]) -> str:
    if magic == GENERAL_MAGIC:
        return " of one board: it is for all boards"
    if magic in (MAGIC, STACKS_MAGIC) and GENERAL_MAGIC in wanted:
        return " for all boards: it is of one board"
    return ""


def _parts(path: Path, payload: bytes, sizes: Sequence[int]) -> list[bytes]:
    if sum(sizes) != len(payload):
        raise NetworkError(f"{path} is damaged: its shape does not fit its length")
    ends = np.cumsum(sizes)
    return [payload[end - size : end] for end, size in zip(ends, sizes, strict=True)]


def _behind(
    output: NDArray[np.int16], output_bias: NDArray[np.int32], layer: SecondLayer | None
) -> bytes:
    """The end of a file: all weights behind the accumulators."""
    shorts, longs = [output], [output_bias]
    if layer:
        shorts += [layer.weights, layer.output]
        longs += [layer.bias]
    parts = [part.astype("<i2") for part in shorts] + [part.astype("<i4") for part in longs]
    return b"".join(part.tobytes() for part in parts)


def _behind_sizes(hidden: int, buckets: int, pairs: int) -> list[int]:
    """The bytes of its parts."""
    return [4 * hidden * buckets, 4 * hidden * pairs, 2 * buckets * pairs, 4 * buckets, 4 * pairs]


def _read_behind(
    parts: Sequence[bytes], buckets: int
) -> tuple[NDArray[np.int16], NDArray[np.int32], SecondLayer | None]:
    """The weights in its parts."""
    output, weights, second_output = (np.frombuffer(part, "<i2") for part in parts[:3])
    output_bias, bias = (np.frombuffer(part, "<i4") for part in parts[3:])
    layer = None
    if pairs := len(bias):
        shapes = (pairs, -1), (buckets, pairs)
        layer = SecondLayer(weights.reshape(shapes[0]), second_output.reshape(shapes[1]), bias)
    return output.reshape(buckets, -1), output_bias, layer


def read_general(path: Path) -> General:
    """The network for every board in a file.

    Raises NetworkError if it is not one, or is damaged.
    """
    _, header, (file_steps, rank_steps, _, pairs), payload = _contents(path, [GENERAL_MAGIC])
    files, ranks, hidden, buckets, ends, edges, scale = header
    patterns = 3 ** (files * ranks)
    shapes = [
        *[(classes, patterns, hidden) for classes in (ends, ends, edges, edges)],
        *[(hidden,), (file_steps, hidden), (rank_steps, hidden)],
    ]
    sizes = [2 * int(np.prod(shape)) for shape in shapes]
    parts = _parts(path, payload, [*sizes, *_behind_sizes(hidden, buckets, pairs)])
    own, far, left, right, bias, by_files, by_ranks = (
        np.frombuffer(part, "<i2").reshape(shape)
        for part, shape in zip(parts, shapes, strict=False)
    )
    shared = (own, far, left, right, bias, by_files, by_ranks)
    return General((files, ranks), scale, *shared, *_read_behind(parts[len(shapes) :], buckets))


def read(path: Path) -> Network:
    """The network of one board in a file.

    Raises NetworkError if it is not one, or is damaged.
    """
    magic, header, rest, payload = _contents(path, [MAGIC, STACKS_MAGIC])
    *second, is_mirrored, pairs = rest
    files, ranks, hidden, buckets, wide, high, scale = header
    height = 1 if magic == MAGIC else 2
    other = (second[0], second[1]) if any(second) else None
    shape = Shape((wide, high), (files, ranks), hidden, buckets, height, other, pairs)
    kept = left_half(shape) if is_mirrored else np.ones(shape.rows, dtype=bool)
    sizes = [int(kept.sum()) * hidden * 2, hidden * 2]
    parts = _parts(path, payload, [*sizes, *_behind_sizes(hidden, buckets, pairs)])
    rows = np.empty((shape.rows, hidden), dtype=np.int16)
    rows[kept] = np.frombuffer(parts[0], "<i2").reshape(-1, hidden)
    if is_mirrored:
        image = seen_otherwise(shape, mirrored=True, turned=False)
        rows[~kept] = _halves_exchanged(rows[image[~kept]])
    return Network(
        shape,
        scale,
        rows,
        np.frombuffer(parts[1], "<i2"),
        *_read_behind(parts[2:], buckets),
    )


def board(
    own: NDArray[np.uint64], enemy: NDArray[np.uint64], size: tuple[int, int]
) -> NDArray[np.uint8]:
    """Cells (positions, rank, file): 0 empty, 1 own, 2 enemy."""

    def bits(pieces: NDArray[np.uint64]) -> NDArray[np.uint8]:
        octets = np.ascontiguousarray(pieces, dtype="<u8").view(np.uint8)
        every = np.unpackbits(octets, bitorder="little").reshape(-1, OCTETS, OCTETS)
        return np.ascontiguousarray(every[:, : size[1], : size[0]])

    return bits(own) + 2 * bits(enemy)


def exchanged(height: int) -> NDArray[np.uint8]:
    """For every state of a square, the state with the colours exchanged."""
    own = np.arange(1, height + 1, dtype=np.uint8)
    return np.concatenate([[0], own + height, own]).astype(np.uint8)


def other_side(cells: NDArray[np.uint8], height: int = 1) -> NDArray[np.uint8]:
    """The same boards as the other side sees them."""
    return exchanged(height)[cells[:, ::-1]]


def seen_otherwise(shape: Shape, mirrored: bool, turned: bool) -> NDArray[np.int64]:
    """For every row, that of the same pieces with files reversed or seen by the other side."""
    found, first = [], 0
    for kind in shape.kinds:
        found.append(first + _seen_of_kind(kind, mirrored, turned))
        first += kind.rows
    return np.concatenate(found)


def _seen_of_kind(shape: Shape, mirrored: bool, turned: bool) -> NDArray[np.int64]:
    files, ranks = shape.window
    states = exchanged(shape.height).astype(np.int64) if turned else np.arange(shape.states)
    pattern = np.arange(shape.patterns)
    image = np.zeros_like(pattern)
    for cell in range(files * ranks):
        rank, file = divmod(cell, files)
        rank = ranks - 1 - rank if turned else rank
        file = files - 1 - file if mirrored else file
        state = states[pattern // shape.states**cell % shape.states]
        image += state * shape.states ** (rank * files + file)
    across, up = shape.places
    place = np.arange(shape.windows).reshape(up, across)
    place = place[:: -1 if turned else 1, :: -1 if mirrored else 1]
    return (place.reshape(-1, 1) * shape.patterns + image).reshape(-1)


def left_half(shape: Shape) -> NDArray[np.bool_]:
    """The rows of the windows in the left half of the board, the middle included."""
    found = []
    for kind in shape.kinds:
        file = np.arange(kind.windows) % kind.places[0]
        found.append(np.repeat(file < (kind.places[0] + 1) // 2, kind.patterns))
    return np.concatenate(found)


def _halves_exchanged(rows: NDArray[np.int16]) -> NDArray[np.int16]:
    return np.roll(rows, rows.shape[1] // 2, axis=1)


def pieces_on(cells: NDArray[np.uint8], height: int = 1) -> NDArray[np.int64]:
    """The pieces on every board."""
    heights = np.arange(height + 1)
    of_state = np.concatenate([heights, heights[1:]])
    found: NDArray[np.int64] = of_state[cells].sum(axis=(1, 2))
    return found


def windows(cells: NDArray[np.uint8], shape: Shape) -> NDArray[np.int32]:
    """The active row of every window, kind by kind: (positions, windows)."""
    found, first = [], 0
    for kind in shape.kinds:
        across, up = kind.places
        index = np.zeros((len(cells), up, across), dtype=np.int32)
        for rank in range(kind.window[1]):
            for file in range(kind.window[0]):
                cell = cells[:, rank : rank + up, file : file + across]
                index += kind.states ** (rank * kind.window[0] + file) * cell.astype(np.int32)
        places = first + np.arange(kind.windows, dtype=np.int32) * kind.patterns
        found.append(index.reshape(len(cells), -1) + places)
        first += kind.rows
    return np.concatenate(found, axis=1)
