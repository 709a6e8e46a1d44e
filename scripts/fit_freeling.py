#!/usr/bin/env python3
"""Fits the evaluation of Freeling's game to self-play results.

Reads the files that `petard freeling features` writes and minimises the logistic
loss between the game's result (mixed with the search's score at the time) and
the sum of weighted features, under the engine's own reading of centipawns: a
score of x means an expected result of 1 / (1 + 10^(-x / 400)).

Writes the weights as plain numbers, tempo first, in hundredths of a centipawn:
the form that `petard freeling match --first FILE` plays with. With --rust it
also writes them as the module that the engine is built with. Needs numpy and
scipy (`pip install numpy scipy`).

Example:
    petard freeling data games.txt --games 2000
    petard freeling features games.txt games.features
    python scripts/fit_freeling.py games.features --output weights.txt
    petard freeling match --first weights.txt --second tuned
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

Rows = tuple[np.ndarray, np.ndarray, list[int], list[int], list[int]]

SCALE = np.log(10) / 400
MODULE = """\
//! Written by scripts/fit_freeling.py; not to be changed by hand.
//!
//! {origin}

use super::features::FEATURES;

/// The turn, in hundredths of a centipawn.
pub(super) const TEMPO: i32 = {tempo};

/// One weight a feature, in hundredths of a centipawn.
#[rustfmt::skip]
pub(super) const FEATURE_WEIGHTS: [i32; FEATURES] = [
{rows}
];
"""


def read(paths: list[Path]) -> Rows:
    """Results, scores and features (column 0 is the turn) of all lines."""
    results, scores, rows, columns, values = [], [], [], [], []
    for path in paths:
        with path.open(encoding="ascii") as lines:
            for line in lines:
                result, score, turn, *features = line.split()
                row = len(results)
                results.append(int(result) / 2)
                scores.append(int(score))
                rows.append(row)
                columns.append(0)
                values.append(int(turn))
                for feature in features:
                    index, number = feature.split(":")
                    rows.append(row)
                    columns.append(int(index) + 1)
                    values.append(int(number))
    return np.array(results), np.array(scores), rows, columns, values


def fit(
    matrix: csr_matrix, target: np.ndarray, decay: float, prior: np.ndarray
) -> tuple[np.ndarray, float]:
    """The weights, in logits, that minimise the loss, and the loss.

    `decay` pulls them towards the prior ones.
    """

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        logit = matrix @ weights
        away = weights - prior
        value = np.mean(np.logaddexp(0, logit) - target * logit)
        slope = matrix.T @ (1 / (1 + np.exp(-logit)) - target) / len(target)
        return value + decay * away @ away, slope + 2 * decay * away

    options = {"maxiter": 2000, "ftol": 1e-11, "gtol": 1e-7}
    found = minimize(loss, prior, jac=True, method="L-BFGS-B", options=options)
    return found.x, found.fun


def draw_margin(logits: np.ndarray, results: np.ndarray) -> int:
    """The margin in centipawns that explains the share of draws best."""

    def loss(margin: int) -> float:
        win = 1 / (1 + np.exp(-(logits - SCALE * margin)))
        lose = 1 / (1 + np.exp(logits + SCALE * margin))
        draw = np.maximum(1 - win - lose, 1e-9)
        chosen = np.where(results == 1, win, np.where(results == 0, lose, draw))
        return -np.mean(np.log(chosen + 1e-12))

    return min(range(0, 400, 5), key=loss)


def main() -> None:
    """Reads, fits, writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="+", type=Path, help="files of petard freeling features")
    parser.add_argument("--features", type=int, required=True, help="number of features")
    parser.add_argument("--output", type=Path, required=True, help="where the numbers go")
    parser.add_argument("--rust", type=Path, help="where the module goes")
    parser.add_argument("--origin", default="", help="a line on the data for the module")
    parser.add_argument(
        "--score-share", type=float, default=0.25, help="share of the search's score in the target"
    )
    parser.add_argument("--decay", type=float, default=1e-5, help="weight decay")
    parser.add_argument("--prior", type=Path, help="numbers of an earlier fit to start from")
    options = parser.parse_args()

    results, scores, rows, columns, values = read(options.data)
    shape = (len(results), options.features + 1)
    matrix = csr_matrix((values, (rows, columns)), shape=shape, dtype=np.float64)
    expected = 1 / (1 + np.exp(-SCALE * np.clip(scores, -3000, 3000)))
    target = (1 - options.score_share) * results + options.score_share * expected
    prior = np.zeros(options.features + 1)
    if options.prior:
        prior = np.array(options.prior.read_text("ascii").split(), float) * SCALE / 100
    logit_weights, loss = fit(matrix, target, options.decay, prior)
    weights = [round(100 * weight / SCALE) for weight in logit_weights]
    margin = draw_margin(matrix @ logit_weights, results)
    print(f"{len(results)} positions, loss {loss:.5f}, draw margin {margin} cp")
    options.output.write_text("\n".join(map(str, weights)) + "\n", encoding="ascii")
    if options.rust:
        numbers = [f"{weight}," for weight in weights[1:]]
        lines = [" ".join(numbers[i : i + 8]) for i in range(0, len(numbers), 8)]
        text = MODULE.format(
            origin=re.sub(r"\s+", " ", options.origin),
            tempo=weights[0],
            rows="\n".join("    " + line for line in lines),
        )
        options.rust.write_text(text, encoding="ascii")


if __name__ == "__main__":
    main()
