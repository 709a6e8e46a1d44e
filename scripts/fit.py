#!/usr/bin/env python3
"""Fit the handcrafted evaluation's weights to the results of self-play.

Logistic regression ("Texel's tuning method", Peter Oesterlund 2014): the
weights under which `1 / (1 + 10 ** (-cp / 400))` predicts the recorded results
best. The input is what `petard features` writes; the output is the Rust file
of weights. The same input gives the same output.

Example:
    petard datagen games.bin --positions 1000000
    petard features games.bin games.features
    python scripts/fit.py games.features --write src/eval/handcrafted/weights.rs
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize, minimize_scalar

# The groups of features, as `src/eval/handcrafted/features.rs` orders them.
GROUPS: list[tuple[str, int]] = [
    ("men by square", 32),
    ("unattacked men", 8),
    ("attacked men that hold", 8),
    ("loose men, mover's", 8),
    ("loose men, to be taken", 8),
    ("guarded men", 8),
    ("doubly guarded men", 8),
    ("horizontal connections", 8),
    ("vertical connections", 8),
    ("passed men, mover's", 8),
    ("passed men, other's", 8),
    ("foremost man", 8),
    ("mobility", 1),
    ("column holes", 1),
    ("squares out of guard", 8),
    ("safe steps", 8),
]
FEATURES = sum(size for _, size in GROUPS)
TRAILER = 4  # score (2 bytes), result, flags
SCALE = np.log(10.0) / 400.0  # logits a centipawn
VALIDATION = 0.05  # share of the games kept for validation


def sigmoid(x: np.ndarray) -> np.ndarray:
    """The logistic function, without overflow."""
    return 0.5 * (1.0 + np.tanh(0.5 * x))


def load(path: Path) -> tuple[np.ndarray, ...]:
    """Rows of features, scores (centipawns), results (0 to 1), game numbers, noisiness."""
    raw = np.fromfile(path, dtype=np.uint8)
    row = FEATURES + TRAILER
    if raw.size == 0 or raw.size % row:
        sys.exit(f"fit: {path} is not a file of {FEATURES} features a row")
    rows = raw.reshape(-1, row)
    features = rows[:, :FEATURES].view(np.int8)
    score = rows[:, FEATURES : FEATURES + 2].copy().view("<i2")[:, 0].astype(np.float64)
    result = rows[:, FEATURES + 2].astype(np.float64) / 2.0
    game = np.cumsum(rows[:, FEATURES + 3] & 1)
    noisy = (rows[:, FEATURES + 3] & 2) != 0
    return features, score, result, game, noisy


def prior(path: Path) -> np.ndarray:
    """The weights of a Rust file as written by `rust`, in centipawns, tempo last."""
    text = path.read_text(encoding="utf-8")
    head, _, table = text.partition("= [\n")
    body = "\n".join(line for line in table.splitlines() if not line.strip().startswith("//"))
    tempo = re.search(r"TEMPO: i32 = (-?[\d_]+)", head)
    numbers = [int(n.replace("_", "")) for n in re.findall(r"-?\d[\d_]*", body)]
    if tempo is None or len(numbers) != FEATURES:
        sys.exit(f"fit: {path} is not a file of {FEATURES} weights")
    return np.array([*numbers, int(tempo[1].replace("_", ""))]) / 100.0


def calibrate(score: np.ndarray, result: np.ndarray) -> float:
    """The factor under which scores predict the results best."""

    def loss(factor: float) -> float:
        p = np.clip(sigmoid(score * factor * SCALE), 1e-7, 1 - 1e-7)
        return float(-(result * np.log(p) + (1 - result) * np.log(1 - p)).mean())

    return float(minimize_scalar(loss, bounds=(0.1, 10.0), method="bounded").x)


def fit(
    x: np.ndarray, target: np.ndarray, start: np.ndarray, ridge: float, iterations: int
) -> tuple[np.ndarray, float]:
    """Weights in centipawns (the last one is the tempo) and the loss reached."""
    x = np.hstack([x.astype(np.float32), np.ones((len(x), 1), np.float32)])
    # Features differ in spread by factors of a hundred: scaled to one, the
    # minimiser needs few steps.
    spread = np.maximum(x.std(axis=0), 1e-3)
    spread[-1] = 1.0
    x = x / spread

    def loss(scaled: np.ndarray) -> tuple[float, np.ndarray]:
        prediction = sigmoid(x @ scaled.astype(np.float32)).astype(np.float64)
        prediction = np.clip(prediction, 1e-7, 1 - 1e-7)
        entropy = -(target * np.log(prediction) + (1 - target) * np.log(1 - prediction)).mean()
        gradient = x.T @ (prediction - target).astype(np.float32) / len(x)
        away = (scaled / spread / SCALE - start) / 100.0
        penalty = ridge * np.square(away).sum()
        pull = 2 * ridge * away / spread / SCALE / 100.0
        return entropy + penalty, gradient.astype(np.float64) + pull

    found = minimize(
        loss,
        start * spread * SCALE,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": iterations, "ftol": 1e-10, "gtol": 1e-8},
    )
    return found.x / spread / SCALE, float(found.fun)


def rust(weights: np.ndarray) -> str:
    """The Rust file of weights."""
    hundredths = np.rint(weights * 100).astype(int)
    lines = [
        "//! The weights, in hundredths of a centipawn. Made by `scripts/fit.py`.",
        "",
        "use super::features::FEATURES;",
        "",
        "/// The worth of the turn.",
        f"pub const TEMPO: i32 = {hundredths[-1]};",
        "",
        "/// One weight a feature, in the order of the features.",
        "#[rustfmt::skip]",
        "pub const WEIGHTS: [i32; FEATURES] = [",
    ]
    first = 0
    for name, size in GROUPS:
        lines.append(f"    // {name}")
        for start in range(first, first + size, 8):
            numbers = hundredths[start : min(start + 8, first + size)]
            lines.append("    " + ", ".join(str(n) for n in numbers) + ",")
        first += size
    lines += ["];", ""]
    return "\n".join(lines)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("input", type=Path, nargs="+", help="files made by `petard features`")
    parser.add_argument("--write", type=Path, metavar="FILE", help="the Rust file to write")
    parser.add_argument(
        "--blend", type=float, default=0.0, help="share of the search's score in the target"
    )
    parser.add_argument(
        "--prior", type=Path, metavar="FILE", help="weights to start from and be pulled to"
    )
    parser.add_argument("--ridge", type=float, default=1e-4, help="the strength of that pull")
    parser.add_argument(
        "--quiet", action="store_true", help="leave out positions whose best move is a capture"
    )
    parser.add_argument("--iterations", type=int, default=400, help="at most")
    arguments = parser.parse_args()

    parts = [load(path) for path in arguments.input]
    x = np.concatenate([part[0] for part in parts])
    score = np.concatenate([part[1] for part in parts])
    result = np.concatenate([part[2] for part in parts])
    # Whole games go to validation: positions of one game are alike.
    noisy = np.concatenate([part[4] for part in parts])
    held = np.concatenate([part[3] for part in parts]) % round(1 / VALIDATION) == 0
    factor = calibrate(score, result)
    judged = sigmoid(score * SCALE * factor)
    target = (1 - arguments.blend) * result + arguments.blend * judged
    start = prior(arguments.prior) if arguments.prior else np.zeros(FEATURES + 1)
    used = ~held & ~noisy if arguments.quiet else ~held
    weights, loss = fit(x[used], target[used], start, arguments.ridge, arguments.iterations)

    predicted = sigmoid((x[held].astype(np.float64) @ weights[:-1] + weights[-1]) * SCALE)
    for name, guess in (("fitted", predicted), ("search", judged[held])):
        guess = np.clip(guess, 1e-7, 1 - 1e-7)
        outcome = result[held]
        entropy = -(outcome * np.log(guess) + (1 - outcome) * np.log(1 - guess)).mean()
        print(f"{name}: {entropy:.5f} bits of e a held-out position")
    print(f"scores are worth {factor:.2f} times their number")
    print(f"{used.sum()} positions, loss {loss:.5f}, tempo {weights[-1]:.1f} cp")
    if arguments.write:
        arguments.write.write_text(rust(weights), encoding="utf-8")


if __name__ == "__main__":
    main()
