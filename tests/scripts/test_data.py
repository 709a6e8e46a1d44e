"""Recorded positions and the fit of the evaluation to them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import fit
import numpy as np
import pytest

from conftest import PATIENCE
from petardlib import records


@pytest.fixture(scope="module")
def recorded(petard: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small file of positions from self-play."""
    path = tmp_path_factory.mktemp("data") / "games.bin"
    datagen(petard, path, 600)
    return path


def datagen(petard: str, path: Path, positions: int) -> None:
    """Record positions with one thread, which a seed determines."""
    words = ["--positions", str(positions), "--nodes", "100", "--threads", "1", "--seed", "5"]
    command = [petard, "datagen", str(path), *words]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)


def count(bits: int) -> int:
    """The number of bits set."""
    return bits.bit_count()


def test_records_are_positions(recorded: Path) -> None:
    data = records.read(recorded)
    assert (data.files, data.ranks) == (8, 8)
    assert len(data) >= 600
    assert not np.any(data.white & data.black)
    for white, black in zip(data.white, data.black, strict=True):
        assert 1 <= count(int(white)) <= 16
        assert 1 <= count(int(black)) <= 16
    # Nobody has arrived, and games begin where they are marked.
    assert not np.any(data.white >> np.uint64(56))
    assert not np.any(data.black & np.uint64(0xFF))
    assert data.is_first[0]
    assert set(np.unique(data.result)) == {0, 2}
    # Sides take turns within a game.
    plies = data.ply.astype(int)
    assert np.all((plies % 2 == 1) == data.black_to_move)


def test_a_seed_determines_the_file(petard: str, recorded: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.bin"
    datagen(petard, again, 600)
    assert again.read_bytes() == recorded.read_bytes()


def test_a_run_goes_on_behind_its_file(petard: str, recorded: Path, tmp_path: Path) -> None:
    longer = tmp_path / "longer.bin"
    # With part of a record at the end, as a killed run may leave it.
    longer.write_bytes(recorded.read_bytes() + b"torn")
    datagen(petard, longer, 900)
    before, after = recorded.read_bytes(), longer.read_bytes()
    assert after.startswith(before)
    assert len(records.read(longer)) >= 900
    assert len(after) % 16 == 0


def test_what_is_not_a_file_of_positions_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other"
    path.write_bytes(b"x" * 64)
    with pytest.raises(records.RecordError, match="not a file of petard positions"):
        records.read(path)


def test_the_fit_finds_weights_that_made_the_results() -> None:
    random = np.random.default_rng(1)
    x = random.integers(-3, 4, (60_000, fit.FEATURES)).astype(np.int8)
    x[:, 5:] = 0
    true = np.array([90.0, -40.0, 10.0, 0.0, 150.0])
    chance = fit.sigmoid((x[:, :5] @ true + 15.0) * fit.SCALE)
    result = (random.random(len(x)) < chance).astype(float)
    weights, _ = fit.fit(x, result, np.zeros(fit.FEATURES + 1), 1e-9, 200)
    assert np.allclose(weights[:5], true, atol=5)
    assert weights[-1] == pytest.approx(15.0, abs=5)


def test_weights_are_written_and_read_back(tmp_path: Path) -> None:
    weights = np.arange(fit.FEATURES + 1) - 30.5
    path = tmp_path / "weights.rs"
    path.write_text(fit.rust(weights), encoding="utf-8")
    assert np.allclose(fit.prior(path), weights)


def test_features_of_recorded_positions(petard: str, recorded: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows"
    subprocess.run([petard, "features", str(recorded), str(rows)], check=True, timeout=PATIENCE)
    x, score, result, game, noisy = fit.load(rows)
    data = records.read(recorded)
    assert np.array_equal(score, data.score)
    assert np.array_equal(noisy, data.is_noisy)
    assert game[-1] == data.is_first.sum()
    mover_won = (data.result == 2) != data.black_to_move
    assert np.array_equal(result == 1.0, mover_won)
    # The first group counts men by square: own less enemy.
    own = [count(int(s)) for s in np.where(data.black_to_move, data.black, data.white)]
    enemy = [count(int(s)) for s in np.where(data.black_to_move, data.white, data.black)]
    assert np.array_equal(x[:, :32].sum(axis=1), np.array(own) - np.array(enemy))
