"""The network's file and arithmetic: Python against the engine; training, where PyTorch is."""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from conftest import ROOT, run_script
from petardlib import network
from petardlib.network import Network, NetworkError, Shape

SHAPES = [
    Shape((8, 8), (2, 2), 32, 8),
    Shape((8, 8), (1, 1), 64, 1),
    Shape((8, 8), (3, 2), 32, 3),
    Shape((7, 7), (2, 3), 32, 8),
    Shape((6, 8), (2, 2), 96, 5),
]


def made_up(shape: Shape, seed: int) -> Network:
    """A network of random numbers that fit the arithmetic."""
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
    )


def random_position(board: tuple[int, int], dice: random.Random) -> tuple[str, int, int]:
    """A position text with, as the mover sees them, his men and the enemy's."""
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

    def men(side: list[tuple[int, int]]) -> int:
        seen = [(rank if white_moves else ranks - 1 - rank, file) for rank, file in side]
        return sum(1 << 8 * rank + file for rank, file in seen)

    sides = (white, black) if white_moves else (black, white)
    return fen, men(sides[0]), men(sides[1])


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_engine_says_what_numpy_says(shape: Shape, petard: str, tmp_path: Path) -> None:
    """Bit for bit, on random networks and positions of either side."""
    net = made_up(shape, 7)
    path = tmp_path / "made-up.nnue"
    path.write_bytes(net.to_bytes())
    dice = random.Random(3)
    cases = [random_position(shape.board, dice) for _ in range(30)]
    lines = [f"setoption name EvalFile value {path}"]
    for fen, _, _ in cases:
        lines += [f"position fen {fen}", "eval"]
    done = subprocess.run(
        [petard], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=60
    )
    said = re.findall(r"^Evaluation: (-?\d+) cp for (white|black)", done.stdout, re.M)
    assert len(said) == len(cases), done.stdout
    for (fen, own, enemy), (value, side) in zip(cases, said, strict=True):
        mover = "white" if " w " in fen else "black"
        expected = net.evaluate(own, enemy)
        assert int(value) == (expected if side == mover else -expected), fen


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
    """Turning twice gives the same board, and the same men."""
    numbers = np.random.default_rng(5)
    own = numbers.integers(0, 1 << 56, 50, dtype=np.uint64)
    enemy = ~own & numbers.integers(0, 1 << 56, 50, dtype=np.uint64)
    cells = network.board(own, enemy, (8, 7))
    assert np.array_equal(network.other_side(network.other_side(cells)), cells)
    turned = network.board(network.turned(enemy, 7), network.turned(own, 7), (8, 7))
    assert np.array_equal(turned, network.other_side(cells))


def test_training_writes_a_network_that_the_engine_takes(petard: str, tmp_path: Path) -> None:
    """A tiny run from data to file, then stopped and resumed; PyTorch is needed."""
    pytest.importorskip("torch", reason="scripts/requirements-train.txt is not installed")
    games = tmp_path / "games.bin"
    made = [petard, "datagen", str(games), "--positions", "4000", "--nodes", "60", "--threads", "1"]
    subprocess.run(made, check=True, capture_output=True, timeout=120)
    words = [games, "--hidden", "32", "--batch", "256", "--window", "2x2", "--threads", "1"]
    whole = tmp_path / "whole.nnue"
    first = run_script("train.py", *words, "--out", whole, "--epochs", "2")
    assert first.returncode == 0, first.stderr
    losses = [float(loss) for loss in re.findall(r"train (\d\.\d+)", first.stdout)]
    assert losses[1] < losses[0]
    net = network.read(whole)
    assert net.shape == Shape((8, 8), (2, 2), 32, 8)
    again = run_script("train.py", *words, "--out", tmp_path / "again.nnue", "--epochs", "2")
    assert again.returncode == 0
    assert (tmp_path / "again.nnue").read_bytes() == whole.read_bytes()
    told = subprocess.run(
        [petard],
        input=f"setoption name EvalFile value {whole}\neval\n",
        capture_output=True,
        text=True,
        timeout=60,
    ).stdout
    assert "2x2-32-8" in told


def test_bad_input_is_named(tmp_path: Path) -> None:
    """The message says what is wrong."""
    pytest.importorskip("torch", reason="scripts/requirements-train.txt is not installed")
    no_games = run_script("train.py", ROOT / "README.md", "--out", tmp_path / "n")
    assert no_games.returncode != 0
    assert "not a file of petard positions" in no_games.stderr
