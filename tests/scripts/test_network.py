"""The network's file and arithmetic: Python against the engine; training, if PyTorch is there."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import ROOT, SCRIPTS, run_program, run_script
from petardlib.training import network
from petardlib.training.network import General, Network, NetworkError, SecondLayer, Shape

SHAPES = [
    Shape((8, 8), (2, 2), 32, 8),
    Shape((8, 8), (1, 1), 64, 1),
    Shape((8, 8), (3, 2), 32, 3),
    Shape((7, 7), (2, 3), 32, 8),
    Shape((6, 8), (2, 2), 96, 5),
    Shape((7, 7), (2, 2), 64, 3, second_pairs=5),
]

MIRRORED = [
    Shape((8, 8), (2, 2), 64, 8),
    Shape((8, 8), (3, 1), 128, 1),
    Shape((6, 6), (2, 3), 64, 3),
    Shape((6, 6), (1, 3), 128, 2, second_pairs=8),
]

FREELING = [
    Shape((5, 9), (2, 2), 32, 8, 2),
    Shape((5, 9), (1, 2), 64, 8, 2, (2, 1)),
    Shape((5, 9), (3, 1), 32, 3, 2, (1, 4)),
    Shape((5, 9), (1, 2), 128, 4, 2, (2, 1), 8),
]


def made_up(shape: Shape, seed: int) -> Network:
    """A network of random numbers within the arithmetic's limits."""
    numbers = np.random.default_rng(seed)
    most = min(127, 30_000 // shape.hidden)

    def draw(limit: int, size: tuple[int, ...]) -> np.ndarray:
        return numbers.integers(-limit, limit + 1, size)

    return Network(
        shape,
        174,
        draw(40, (shape.rows, shape.hidden)).astype(np.int16),
        draw(300, (shape.hidden,)).astype(np.int16),
        draw(most, (shape.buckets, 2 * shape.hidden)).astype(np.int16),
        draw(3000, (shape.buckets,)).astype(np.int32),
        made_up_layer(shape) if shape.second_pairs else None,
    )


def made_up_layer(shape: Shape) -> SecondLayer:
    """A second layer of random numbers, some of whose units are clipped at either end."""
    numbers = np.random.default_rng(9)
    sizes = (shape.second_pairs, 2 * shape.hidden), (shape.buckets, shape.second_pairs)
    return SecondLayer(
        numbers.integers(-200, 201, sizes[0]).astype(np.int16),
        numbers.integers(-900, 901, sizes[1]).astype(np.int16),
        numbers.integers(-40_000, 40_001, shape.second_pairs).astype(np.int32),
    )


def made_up_in_pairs(shape: Shape, seed: int) -> Network:
    """A network with units in pairs: the second sees the board with its files reversed."""
    net, pairs = made_up(shape, seed), shape.hidden // 2
    image = network.seen_otherwise(shape, mirrored=True, turned=False)
    first = net.rows[:, :pairs]
    return replace(net, rows=np.concatenate([first, first[image]], axis=1))


def random_position(
    board: tuple[int, int], dice: random.Random, stride: int = 8
) -> tuple[str, int, int]:
    """A position's text with, as the mover sees them, their pieces and the enemy's.

    They are sets of squares, bit `stride * rank + file`.
    """
    files, ranks = board
    squares = [(rank, file) for rank in range(ranks) for file in range(files)]
    dice.shuffle(squares)
    white = [s for s in squares[: dice.randint(2, 2 * files)] if s[0] < ranks - 1]
    black = [s for s in squares[2 * files : 2 * files + dice.randint(2, 2 * files)] if s[0] > 0]
    white_moves = dice.random() < 0.5
    rows = []
    for rank in reversed(range(ranks)):
        row = "".join(
            "P" if (rank, file) in white else "p" if (rank, file) in black else "."
            for file in range(files)
        )
        rows.append(re.sub(r"\.+", lambda gap: str(len(gap[0])), row))
    fen = "/".join(rows) + (" w 0 1" if white_moves else " b 0 1")

    def pieces(side: list[tuple[int, int]]) -> int:
        seen = [(rank if white_moves else ranks - 1 - rank, file) for rank, file in side]
        return sum(1 << stride * rank + file for rank, file in seen)

    sides = (white, black) if white_moves else (black, white)
    return fen, pieces(sides[0]), pieces(sides[1])


def engine_values(petard: str, path: Path, fens: list[str], *first: str) -> list[int]:
    """The engine's values of positions with a network, from the mover's view."""
    lines = [*first, f"setoption name EvalFile value {path}"]
    for fen in fens:
        lines += [f"position fen {fen}", "eval"]
    done = run_program(petard, input="\n".join(lines) + "\n", ok=False)
    said = re.findall(r"^Evaluation: (-?\d+) cp for (white|black)", done.stdout, re.M)
    assert len(said) == len(fens), done.stdout
    return [
        int(value) if side == ("white" if " w " in fen else "black") else -int(value)
        for fen, (value, side) in zip(fens, said, strict=True)
    ]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_engine_says_what_numpy_says(shape: Shape, petard: str, tmp_path: Path) -> None:
    """Bit for bit, on random networks and positions of either side."""
    net = made_up(shape, 7)
    path = tmp_path / "made-up.nnue"
    path.write_bytes(net.to_bytes())
    dice = random.Random(3)
    cases = [random_position(shape.board, dice) for _ in range(30)]
    values = engine_values(petard, path, [fen for fen, _, _ in cases])
    for (fen, own, enemy), value in zip(cases, values, strict=True):
        assert value == net.evaluate(own, enemy), fen


def random_stacks(dice: random.Random) -> tuple[str, np.ndarray]:
    """A position's text in Freeling's game, and its cells as the mover sees them."""
    state = {".": 0, "P": 1, "D": 2, "p": 3, "d": 4}
    black_moves = dice.random() < 0.5
    rows = []
    for rank in range(9, 0, -1):
        # No piece has arrived, and outer files hold no pairs.
        letters = {9: ".pd", 1: ".PD"}.get(rank, "...PDpd")
        row = "".join(dice.choice(letters) for _ in range(5))
        singles = row.replace("D", "P").replace("d", "p")
        rows.append(singles[0] + row[1:4] + singles[4])
    cells = np.array([[state[letter] for letter in row] for row in rows[::-1]], dtype=np.uint8)
    if black_moves:
        cells = network.other_side(cells[None], 2)[0]
    fen = "/".join(re.sub(r"\.+", lambda gap: str(len(gap[0])), row) for row in rows)
    return f"{fen} {'b' if black_moves else 'w'} 0 1", cells


@pytest.mark.parametrize("shape", FREELING, ids=str)
def test_the_engine_says_what_numpy_says_of_freeling_s_game(
    shape: Shape, petard: str, tmp_path: Path
) -> None:
    """Bit for bit, with pairs, and with two kinds of windows."""
    net = made_up(shape, 8)
    path = tmp_path / "freeling.nnue"
    path.write_bytes(net.to_bytes())
    back = network.read(path)
    assert back.shape == shape
    assert np.array_equal(back.rows, net.rows)
    dice = random.Random(9)
    cases = [random_stacks(dice) for _ in range(30)]
    fens = [fen for fen, _ in cases]
    values = engine_values(petard, path, fens, "setoption name UCI_Variant value freeling")
    for (fen, cells), value in zip(cases, values, strict=True):
        assert value == net.value(cells), fen
    assert len(set(values)) > 20


@pytest.mark.parametrize("shape", MIRRORED, ids=str)
def test_of_a_mirrored_network_the_file_holds_half(
    shape: Shape, petard: str, tmp_path: Path
) -> None:
    """Reading it restores both halves, and the engine says what NumPy says."""
    net = made_up_in_pairs(shape, 11)
    nearly = replace(net, rows=net.rows.copy())
    nearly.rows[-1, 0] += 1
    assert net.is_mirrored and not nearly.is_mirrored
    path = tmp_path / "mirrored.nnue"
    path.write_bytes(net.to_bytes())
    middle = shape.places[0] % 2 * shape.places[1] * shape.patterns
    assert len(nearly.to_bytes()) - len(net.to_bytes()) == (shape.rows - middle) * shape.hidden
    back = network.read(path)
    assert back.shape == shape and np.array_equal(back.rows, net.rows)
    dice = random.Random(12)
    cases = [random_position(shape.board, dice) for _ in range(30)]
    values = engine_values(petard, path, [fen for fen, _, _ in cases])
    assert values == [net.evaluate(own, enemy) for _, own, enemy in cases]


def test_a_file_is_read_back_and_damage_is_seen(tmp_path: Path) -> None:
    """Truncated, longer, or with any byte changed: refused."""
    net = made_up(SHAPES[0], 1)
    path = tmp_path / "net.nnue"
    data = net.to_bytes()
    path.write_bytes(data)
    back = network.read(path)
    assert back.shape == net.shape
    assert back.scale == net.scale
    for part in ("rows", "bias", "output", "output_bias"):
        assert np.array_equal(getattr(back, part), getattr(net, part))
    damaged = [data[:-1], data + b"\0", b"", data[:20]]
    for at in (0, 8, 11, 15, 17, 21, 25, 29, 40, len(data) - 1):
        damaged.append(data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
    for bad in damaged:
        path.write_bytes(bad)
        with pytest.raises(NetworkError):
            network.read(path)


def test_what_the_other_side_sees_is_its_own_inverse() -> None:
    """Turning twice gives the same board."""
    cells = np.random.default_rng(5).integers(0, 3, (50, 7, 8), dtype=np.uint8)
    turned = network.other_side(cells)
    assert np.array_equal(network.other_side(turned), cells)
    assert np.array_equal(turned[:, 0] == 1, cells[:, -1] == 2)


def as_cells(own: int, enemy: int, board: tuple[int, int]) -> np.ndarray:
    """The board of two sets of squares (bit `32 * rank + file`)."""
    squares = [[32 * rank + file for file in range(board[0])] for rank in range(board[1])]
    states = [[(own >> s & 1) + 2 * (enemy >> s & 1) for s in row] for row in squares]
    return np.array(states, dtype=np.uint8)


def made_up_general(window: tuple[int, int], hidden: int, sizes: tuple[int, ...]) -> General:
    """A network for every board of random numbers."""
    numbers = np.random.default_rng(3)
    patterns = 3 ** (window[0] * window[1])

    def draw(limit: int, *size: int) -> np.ndarray:
        return numbers.integers(-limit, limit + 1, size).astype(np.int16)

    ends, edges, file_steps, rank_steps, buckets = sizes
    return General(
        window,
        174,
        draw(300, ends, patterns, hidden),
        draw(300, ends, patterns, hidden),
        draw(200, edges, patterns, hidden),
        draw(200, edges, patterns, hidden),
        draw(3000, hidden),
        draw(300, file_steps, hidden),
        draw(300, rank_steps, hidden),
        draw(min(127, 30_000 // hidden), buckets, 2 * hidden),
        draw(3000, buckets).astype(np.int32),
    )


@pytest.mark.parametrize("size", [(3, 4), (5, 5), (8, 8), (10, 10), (16, 8), (32, 4)], ids=str)
def test_the_engine_puts_a_board_s_network_together_as_numpy_does(
    size: tuple[int, int], petard: str, tmp_path: Path
) -> None:
    """Bit for bit, also where there is a built-in network."""
    plain = made_up_general((2, 2), 64, (8, 4, 14, 12, 8))
    nets = [
        plain,
        replace(plain, second_layer=made_up_layer(Shape((2, 4), (2, 2), 64, 8, second_pairs=3))),
        made_up_general((2, 3), 32, (3, 1, 0, 2, 3)),
    ]
    for net in nets:
        path = tmp_path / "general.nnue"
        path.write_bytes(net.to_bytes())
        dice = random.Random(6)
        cases = [random_position(size, dice, 32) for _ in range(15)]
        values = engine_values(petard, path, [fen for fen, _, _ in cases])
        board = net.on(size)
        for (fen, own, enemy), value in zip(cases, values, strict=True):
            assert value == board.value(as_cells(own, enemy, size)), fen
        assert len(set(values)) > 5
        assert net.reach() < 1


def mirrored(pieces: int, board: tuple[int, int]) -> int:
    """A set of squares with the files reversed."""
    squares = (square for square in range(64) if pieces >> square & 1)
    return sum(1 << square - square % 8 + board[0] - 1 - square % 8 for square in squares)


@pytest.fixture(params=[*SHAPES[1:], Shape((5, 5), (3, 3), 32, 2)], ids=str)
def model(request: pytest.FixtureRequest) -> Any:
    """A model of random numbers."""
    torch = pytest.importorskip("torch", reason="scripts/requirements-train.txt is not installed")
    from petardlib.training.model import BoardModel

    torch.manual_seed(1)
    made = BoardModel(request.param)
    torch.nn.init.normal_(made.rows, std=0.2)
    torch.nn.init.normal_(made.output_bias)
    torch.nn.init.normal_(made.second_output, std=0.2)
    return made


def test_a_trained_network_values_mirror_images_alike(model: Any) -> None:
    """Exactly, and like the model before quantisation."""
    shape, net, dice = model.shape, model.export(), random.Random(4)
    cases = [random_position(shape.board, dice)[1:] for _ in range(40)]
    own, enemy = (np.array(pieces, dtype=np.uint64) for pieces in zip(*cases, strict=True))
    said = model(network.board(own, enemy, shape.board)).detach().numpy() * net.scale
    for pieces, expected in zip(cases, said, strict=True):
        value = net.evaluate(*pieces)
        assert value == net.evaluate(*(mirrored(side, shape.board) for side in pieces))
        assert value == pytest.approx(expected, abs=0.25 * net.scale)


def test_a_training_with_a_second_layer_begins_where_a_network_without_stands(
    tmp_path: Path,
) -> None:
    """The layer adds nothing at first, and in the end it is averaged with none."""
    torch = pytest.importorskip("torch", reason="scripts/requirements-train.txt is not installed")
    from petardlib.training.model import BoardModel, GeneralModel

    start = network.read(ROOT / "src/eval/nnue/default-freeling.nnue")
    shape = replace(start.shape, second_pairs=4)
    made = BoardModel(shape)
    made.begin_with(replace(start, shape=replace(start.shape, second_pairs=0), second_layer=None))
    layer = made.export().second_layer
    assert layer is not None and not layer.output.any() and layer.weights.any()
    general = GeneralModel((1, 2), 64, 2, 3)
    torch.nn.init.normal_(general.second_output, std=0.2)
    after = general.export()
    mean = network.averaged(replace(after, second_layer=None), after, 0.5)
    assert mean.second_layer is not None and after.second_layer is not None
    assert np.array_equal(mean.second_layer.weights, after.second_layer.weights)
    assert np.array_equal(mean.second_layer.output, np.rint(after.second_layer.output / 2))


def test_a_training_begins_where_a_network_stands(model: Any, tmp_path: Path) -> None:
    """And refuses one of another shape, or one that was not trained here."""
    from petardlib.training.model import BoardModel

    net, other = model.export(), BoardModel(model.shape)
    path = tmp_path / "net.nnue"
    path.write_bytes(net.to_bytes())
    other.begin_with(network.read(path))
    again = other.export()
    assert again.to_bytes() == net.to_bytes()
    with pytest.raises(ValueError, match="a different shape"):
        other.begin_with(made_up(Shape((5, 6), (2, 2), 32, 2), 1))
    with pytest.raises(ValueError, match="not mirror-symmetric"):
        other.begin_with(made_up(model.shape, 1))


def test_training_for_every_board_begins_where_a_network_stands(tmp_path: Path) -> None:
    """The built-in one; one of another shape is refused."""
    pytest.importorskip("torch", reason="scripts/requirements-train.txt is not installed")
    from petardlib.training.model import GeneralModel

    path = ROOT / "src/eval/nnue/default.nnue"
    net = network.read_general(path)
    sizes = len(net.bias), len(net.output_bias)
    made = GeneralModel(net.window, *sizes)
    made.begin_with(net)
    with pytest.raises(ValueError, match="a different shape"):
        GeneralModel((2, 2), *sizes).begin_with(net)
    assert replace(made.export(), scale=net.scale).to_bytes() == path.read_bytes()


def test_a_network_of_the_other_kind_is_named(tmp_path: Path) -> None:
    """One of a board where one for all is wanted, and the other way round."""
    for_all = ROOT / "src/eval/nnue/default.nnue"
    with pytest.raises(NetworkError, match="it is for all boards"):
        network.read(for_all)
    path = tmp_path / "net.nnue"
    path.write_bytes(made_up(Shape((5, 6), (2, 2), 32, 2), 1).to_bytes())
    with pytest.raises(NetworkError, match="it is of one board"):
        network.read_general(path)


@pytest.mark.parametrize("shape", FREELING, ids=str)
def test_a_trained_network_for_freeling_s_game_values_mirror_images_alike(shape: Shape) -> None:
    """Exactly, and like the model."""
    torch = pytest.importorskip("torch", reason="scripts/requirements-train.txt is not installed")
    from petardlib.training.model import BoardModel

    torch.manual_seed(1)
    made = BoardModel(shape)
    torch.nn.init.normal_(made.rows, std=0.2)
    net, dice = made.export(), random.Random(4)
    cells = np.stack([random_stacks(dice)[1] for _ in range(40)])
    said = made(cells).detach().numpy() * net.scale
    for squares, expected in zip(cells, said, strict=True):
        value = net.value(squares)
        assert value == net.value(np.ascontiguousarray(squares[:, ::-1]))
        assert value == pytest.approx(expected, abs=0.25 * net.scale)


@pytest.mark.parametrize("board", [(2, 4), (5, 6), (8, 8), (12, 9), (32, 4)], ids=str)
def test_a_trained_network_for_every_board_values_mirror_images_alike(
    board: tuple[int, int],
) -> None:
    """Exactly, on every board, and like the model."""
    torch = pytest.importorskip("torch", reason="scripts/requirements-train.txt is not installed")
    from petardlib.training.model import GeneralModel

    torch.manual_seed(2)
    made = GeneralModel((2, 2), 32, 4)
    for part in (made.everywhere, made.ends, made.edges, made.file_steps, made.rank_steps):
        torch.nn.init.normal_(part, std=0.05)
    general = made.export()
    net, dice = general.on(board), random.Random(7)
    cases = [random_position(board, dice, 32)[1:] for _ in range(20)]
    cells = np.stack([as_cells(own, enemy, board) for own, enemy in cases])
    said = made(cells).detach().numpy() * net.scale
    for squares, expected in zip(cells, said, strict=True):
        value = net.value(squares)
        assert value == net.value(np.ascontiguousarray(squares[:, ::-1]))
        assert value == pytest.approx(expected, abs=0.25 * net.scale)
    assert len(set(said)) > 3
    # An empty window adds nothing.
    assert not general.own[:, 0].any()
    assert 0 < general.reach() < 1


def test_the_gradient_is_that_of_the_definition(model: Any) -> None:
    """Our own gradient against PyTorch's for the plain formula."""
    import torch
    from torch.nn import functional

    shape, dice = model.shape, random.Random(5)
    cases = [random_position(shape.board, dice)[1:] for _ in range(300)]
    own, enemy = (np.array(pieces, dtype=np.uint64) for pieces in zip(*cases, strict=True))
    cells = network.board(own, enemy, shape.board)

    def plain() -> torch.Tensor:
        table = model.table(shape)
        sides = []
        for view in (cells, network.other_side(cells)):
            index = torch.from_numpy(network.windows(view, shape)).long()
            sums = functional.embedding(index, table).sum(1) + model.bias.repeat(2)
            sides.append(sums.clamp(0, 1).square())
        units = torch.cat(sides, dim=1)
        every = units @ model.output_weights().t() + model.output_bias
        for seen in (units, units.view(-1, 2, 2, model.pairs).flip(2).flatten(1)):
            inner = (seen @ model.second.flatten(1).t() + model.second_bias).clamp(0, 1)
            every = every + inner @ model.second_output.t()
        pieces = torch.from_numpy((cells > 0).sum((1, 2)))
        bucket = ((pieces - 1) * shape.buckets // shape.max_pieces).clamp(max=shape.buckets - 1)
        return every.gather(1, bucket[:, None]).squeeze(1)

    factors = torch.randn(len(cases))
    values, gradients = [], []
    formulas: list[Callable[[], Any]] = [lambda: model(cells), plain]
    for formula in formulas:
        model.zero_grad()
        said = formula()
        (said * factors).sum().backward()
        values.append(said.detach())
        gradients.append([part.grad.clone() for part in model.parameters()])
    assert torch.allclose(*values, atol=1e-4)
    for ours, theirs in zip(*gradients, strict=True):
        assert torch.allclose(ours, theirs, rtol=1e-3, atol=1e-2)
        assert theirs.numel() == 0 or theirs.abs().max() > 1


@pytest.fixture(scope="module")
def games(petard: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few positions from self-play, for tests that need PyTorch."""
    pytest.importorskip("torch", reason="scripts/requirements-train.txt is not installed")
    path = tmp_path_factory.mktemp("games") / "games.bin"
    words = ["--positions", 4000, "--nodes", 60, "--threads", 1]
    run_program(petard, "datagen", path, *words)
    return path


SMALL = ["--hidden", "32", "--batch", "256", "--window", "2x2", "--threads", "1", "--epochs", "3"]


def test_training_writes_a_network_that_the_engine_takes(
    games: Path, petard: str, tmp_path: Path
) -> None:
    """A tiny run from data to file, with falling losses."""
    whole, report = tmp_path / "whole.nnue", tmp_path / "report.json"
    words = [games, *SMALL, "--out", whole, "--json", report, "--plot", tmp_path / "plot.png"]
    done = run_script("train.py", *words)
    assert done.returncode == 0, done.stderr
    reported = json.loads(report.read_text())
    losses = [epoch["train"] for epoch in reported["history"]]
    assert len(losses) == 3
    assert losses[2] < losses[1] < losses[0]
    assert sum(count for _, _, count in reported["calibration"]) > 50
    assert (tmp_path / "plot.png").stat().st_size > 1000
    net = network.read(whole)
    assert net.shape == Shape((8, 8), (2, 2), 32, 8)
    assert net.scale == round(400 / np.log(10) * reported["factor"])
    said = run_program(petard, input=f"setoption name EvalFile value {whole}\neval\n").stdout
    assert "2x2-32-8" in said


def test_training_for_every_board_takes_files_of_several(
    games: Path, petard: str, tmp_path: Path
) -> None:
    """And refuses them for a network for one board."""
    wide, path = tmp_path / "wide.bin", tmp_path / "general.nnue"
    limits = ["--positions", 1500, "--nodes", 60, "--threads", 1]
    run_program(petard, "datagen", wide, "--board", "10x6", *limits)
    refused = run_script("train.py", games, wide, *SMALL, "--out", path)
    assert refused.returncode == 2
    assert "different boards (8x8, 10x6) need --general" in refused.stderr
    done = run_script("train.py", games, wide, "--general", *SMALL, "--out", path)
    assert done.returncode == 0, done.stderr
    assert "10x6: " in done.stdout
    fens = ["10/3p6/10/10/2P7/10 w 0 1", "3/p2/3/3/P2/3 b 0 1"]
    assert len(engine_values(petard, path, fens)) == 2


def test_a_killed_training_goes_on_where_it_was(games: Path, tmp_path: Path) -> None:
    """Killed after the first epoch and started again, it ends with the same file."""
    whole, resumed, checkpoint = (tmp_path / name for name in ("whole", "resumed", "checkpoint"))
    assert run_script("train.py", games, *SMALL, "--out", whole).returncode == 0
    words = [games, *SMALL, "--out", resumed, "--resume", checkpoint]
    command = [sys.executable, str(SCRIPTS / "train.py"), *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        while not checkpoint.exists():
            assert run.poll() is None
            time.sleep(0.01)
        run.kill()
    again = run_script("train.py", *words)
    assert again.returncode == 0, again.stderr
    assert "epoch 1:" not in again.stdout
    assert "epoch 3:" in again.stdout
    assert resumed.read_bytes() == whole.read_bytes()


def test_a_checkpoint_of_another_run_is_refused(games: Path, tmp_path: Path) -> None:
    """Its network would be taken for that of this run."""
    words = [games, *SMALL, "--out", tmp_path / "net", "--resume", tmp_path / "checkpoint"]
    assert run_script("train.py", *words).returncode == 0
    for more, fault in ((["--blend", "0.25"], "blend"), (["--window", "3x2"], "network")):
        refused = run_script("train.py", *words, *more)
        assert refused.returncode == 2
        assert f"a run with other {fault}" in refused.stderr
    (tmp_path / "checkpoint").write_bytes(b"PK\x03\x04 checkpoint/data.pkl")
    refused = run_script("train.py", *words)
    assert refused.returncode == 2
    assert "is not a checkpoint of this script" in refused.stderr


@pytest.mark.parametrize("words", [("--batch", "0"), ("--rate", "nan"), ("--blend", "2")])
def test_training_with_numbers_that_make_no_sense(tmp_path: Path, words: tuple[str, str]) -> None:
    done = run_script("train.py", "games.bin", "--out", tmp_path / "net", *words)
    assert done.returncode == 2
    assert f"{words[0]} {words[1]}: " in done.stderr


def test_training_overwrites_neither_its_input_nor_other_files(tmp_path: Path) -> None:
    """Refused at once, before PyTorch is needed."""
    data, notes = tmp_path / "games.bin", tmp_path / "notes"
    data.write_bytes(b"PETARDD")
    notes.write_text("mine\n")
    for out, fault in ((data, "the same file as"), (notes, "not written by this script")):
        refused = run_script("train.py", data, "--out", out)
        assert refused.returncode == 2 and fault in refused.stderr, refused.stderr
    for option in ("--resume", "--plot", "--json"):
        refused = run_script("train.py", data, "--out", tmp_path / "net", option, notes)
        assert refused.returncode == 2
        assert f"{option} {notes}: this file was not written by this script" in refused.stderr
    assert data.read_bytes() == b"PETARDD" and notes.read_text() == "mine\n"


def test_bad_input_is_named(tmp_path: Path) -> None:
    """The message says what is wrong."""
    pytest.importorskip("torch", reason="scripts/requirements-train.txt is not installed")
    no_games = run_script("train.py", ROOT / "README.md", "--out", tmp_path / "n")
    assert no_games.returncode != 0
    assert "not a file of petard positions" in no_games.stderr


def test_help_needs_no_pytorch() -> None:
    """Neither does the message that says what is missing."""
    hidden = "import sys; sys.modules['torch'] = None; import runpy; sys.argv = sys.argv[1:]; "
    hidden += (
        f"sys.path.insert(0, {str(SCRIPTS)!r}); runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    script = str(SCRIPTS / "train.py")
    for words, status, said in ((["--help"], 0, "PyTorch"), (["x", "--out", "y"], 2, "PyTorch")):
        command = [sys.executable, "-c", hidden, script, *words]
        done = run_program(*command, ok=False)
        assert done.returncode == status, done.stderr
        assert said in done.stdout + done.stderr and "Traceback" not in done.stderr
