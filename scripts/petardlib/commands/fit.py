"""Fit a handcrafted evaluation's weights to the results of self-play, for either game.

Logistic regression ("Texel's tuning method", Peter Oesterlund 2014): the
weights under which `1 / (1 + 10 ** (-cp / 400))` best predicts the recorded
results. The input is what `petard features` writes, which names the game; the
output is the Rust file of weights. The same input gives the same output.

Example:
    petard datagen games.bin --positions 1000000
    petard features games.bin games.features
    python scripts/fit.py games.features --write src/eval/handcrafted/weights.rs
"""

from __future__ import annotations

import argparse
import re
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from petardlib.base.errors import UserError
from petardlib.base.files import check_outputs, check_own, replace_text
from petardlib.commands.cli import check_numbers, guarded


@dataclass(frozen=True)
class Game:
    """A game with its features, in groups ordered as in its `features.rs`."""

    number: int
    folder: str  # of src/eval
    groups: tuple[tuple[str, int], ...]

    @property
    def features(self) -> int:
        """How many there are."""
        return sum(size for _, size in self.groups)


GAMES = (
    Game(
        0,
        "handcrafted",
        (
            ("pieces by square", 32),
            ("unattacked pieces", 8),
            ("attacked pieces that hold", 8),
            ("loose pieces, mover's", 8),
            ("loose pieces, to be taken", 8),
            ("guarded pieces", 8),
            ("doubly guarded pieces", 8),
            ("horizontal connections", 8),
            ("vertical connections", 8),
            ("passed pieces, mover's", 8),
            ("passed pieces, other's", 8),
            ("foremost piece", 8),
            ("mobility", 1),
            ("column holes", 1),
            ("unguardable squares", 8),
            ("safe steps", 8),
        ),
    ),
    Game(
        1,
        "freeling",
        (
            ("single pieces by square", 24),
            ("pairs by square", 24),
            ("explosions at hand, mover's", 8),
            ("explosions at hand, other's", 8),
            ("stacks under fire, mover's", 3),
            ("stacks under fire, other's", 3),
            ("pairs under fire, mover's", 1),
            ("pairs under fire, other's", 1),
            ("win threatened", 1),
            ("loaded side columns", 3),
            ("loaded inner columns", 3),
            ("loaded chains", 3),
            ("pieces side by side", 3),
            ("pieces before an open goal", 2),
            ("squares in reach", 2),
            ("foremost piece", 8),
            ("open home files", 1),
            ("number of pieces", 11),
        ),
    ),
)
HEADER = struct.Struct("<8sBxH4x")
MAGIC = b"PETARDF1"
TRAILER = 4  # score (2 bytes), result, flags
SCALE = np.log(10.0) / 400.0  # logits per centipawn
VALIDATION = 0.05  # share of the games kept for validation


def sigmoid(x: np.ndarray) -> np.ndarray:
    """The logistic function, without overflow."""
    return 0.5 * (1.0 + np.tanh(0.5 * x))


@dataclass(frozen=True)
class Rows:
    """Rows of features with the outcome of their positions, from the mover's view."""

    game_kind: Game
    features: np.ndarray
    score: np.ndarray  # centipawns
    result: np.ndarray  # 0 to 1
    game: np.ndarray  # counted from 1
    is_noisy: np.ndarray


def load(path: Path) -> Rows:
    """The rows of a file; an error says what is wrong with it."""
    data = path.read_bytes()
    if len(data) < HEADER.size or data[:8] != MAGIC:
        raise UserError(f"{path} is not a file of features")
    _, number, count = HEADER.unpack_from(data)
    kind = next((game for game in GAMES if game.number == number), None)
    if kind is None or kind.features != count:
        raise UserError(f"{path} has {count} features of game {number}, unknown to this script")
    raw = np.frombuffer(data, dtype=np.uint8, offset=HEADER.size)
    if raw.size == 0 or raw.size % (count + TRAILER):
        raise UserError(f"{path} ends within a row, or has none")
    rows = raw.reshape(-1, count + TRAILER)
    flags = rows[:, count + 3]
    return Rows(
        kind,
        features=rows[:, :count].view(np.int8),
        score=rows[:, count : count + 2].copy().view("<i2")[:, 0].astype(np.float64),
        result=rows[:, count + 2].astype(np.float64) / 2.0,
        game=np.cumsum(flags & 1),
        is_noisy=(flags & 2) != 0,
    )


def prior(path: Path, features: int) -> np.ndarray:
    """The weights of a Rust file as written by `rust`, in centipawns, tempo last."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UserError(f"{path} is not a text file") from None
    head, _, table = text.partition("= [\n")
    body = "\n".join(line for line in table.splitlines() if not line.strip().startswith("//"))
    tempo = re.search(r"TEMPO: i32 = (-?[\d_]+)", head)
    numbers = [int(n.replace("_", "")) for n in re.findall(r"-?\d[\d_]*", body)]
    if tempo is None or len(numbers) != features:
        raise UserError(f"{path} is not a file of {features} weights")
    return np.array([*numbers, int(tempo[1].replace("_", ""))]) / 100.0


def draw_margin(logits: np.ndarray, results: np.ndarray) -> int:
    """The margin in centipawns around 0 that best explains the share of draws."""

    def loss(margin: int) -> float:
        win = sigmoid(logits - SCALE * margin)
        lose = sigmoid(-logits - SCALE * margin)
        draw = np.maximum(1 - win - lose, 1e-9)
        chosen = np.where(results == 1, win, np.where(results == 0, lose, draw))
        return float(-np.mean(np.log(chosen + 1e-12)))

    return min(range(0, 400, 5), key=loss)


def calibrate(score: np.ndarray, result: np.ndarray) -> float:
    """The factor under which scores best predict the results."""

    def loss(factor: float) -> float:
        p = np.clip(sigmoid(score * factor * SCALE), 1e-7, 1 - 1e-7)
        return float(-(result * np.log(p) + (1 - result) * np.log(1 - p)).mean())

    return float(minimize_scalar(loss, bounds=(0.1, 10.0), method="bounded").x)


def fit(
    x: np.ndarray, target: np.ndarray, start: np.ndarray, ridge: float, iterations: int
) -> tuple[np.ndarray, float]:
    """Weights in centipawns (the last one is the tempo) and the loss reached."""
    x = np.hstack([x.astype(np.float32), np.ones((len(x), 1), np.float32)])
    # The spread of features differs by factors of a hundred: scaled to one, the
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


def rust(game: Game, weights: np.ndarray) -> str:
    """The Rust file of a game's weights."""
    hundredths = np.rint(weights * 100).astype(int)
    lines = [
        "//! The weights, in hundredths of a centipawn. Made by `scripts/fit.py`.",
        "",
        "use super::features::FEATURES;",
        "",
        "/// The value of having the move.",
        f"pub const TEMPO: i32 = {hundredths[-1]};",
        "",
        "/// One weight per feature, in feature order.",
        "#[rustfmt::skip]",
        "pub const WEIGHTS: [i32; FEATURES] = [",
    ]
    first = 0
    for name, size in game.groups:
        lines.append(f"    // {name}")
        for start in range(first, first + size, 8):
            numbers = hundredths[start : min(start + 8, first + size)]
            lines.append("    " + ", ".join(str(n) for n in numbers) + ",")
        first += size
    lines += ["];", ""]
    return "\n".join(lines)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(
        description=__doc__,
        epilog="exit status: 0 done, 2 an error, 130 stopped",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("input", type=Path, nargs="+", help="files made by `petard features`")
    p.add_argument("--write", type=Path, metavar="FILE", help="the Rust file to write")
    p.add_argument(
        "--blend",
        type=float,
        default=0.0,
        metavar="P",
        help="share of the search's score in the target, from 0 to 1 (default 0)",
    )
    p.add_argument(
        "--prior",
        type=Path,
        metavar="FILE",
        help="weights to start from and be pulled towards (default: all zero)",
    )
    p.add_argument(
        "--ridge",
        type=float,
        default=1e-4,
        metavar="X",
        help="the strength of that pull (default 0.0001)",
    )
    p.add_argument(
        "--quiet", action="store_true", help="leave out positions whose best move is a capture"
    )
    p.add_argument(
        "--iterations", type=int, default=400, metavar="N", help="most iterations (default 400)"
    )
    return p


def run_command() -> int:
    """Fit, report, and write the weights."""
    arguments = parser().parse_args()
    check_numbers(arguments, blend=0, ridge=0, iterations=1)
    if arguments.blend > 1:
        raise UserError(f"--blend {arguments.blend:g}: must be at most 1")
    check_outputs({"--write": arguments.write}, arguments.input)
    check_own("--write", arguments.write, "Made by `scripts/fit.py`")

    parts = [load(path) for path in arguments.input]
    kind = parts[0].game_kind
    for path, part in zip(arguments.input, parts, strict=True):
        if part.game_kind is not kind:
            raise UserError(f"{path} is for a different game than the files before it")
    x = np.concatenate([part.features for part in parts])
    score = np.concatenate([part.score for part in parts])
    result = np.concatenate([part.result for part in parts])
    noisy = np.concatenate([part.is_noisy for part in parts])
    # Whole games are held out: positions of one game are alike.
    held = np.concatenate([part.game for part in parts]) % round(1 / VALIDATION) == 0
    factor = calibrate(score, result)
    judged = sigmoid(score * SCALE * factor)
    target = (1 - arguments.blend) * result + arguments.blend * judged
    size = kind.features
    start = prior(arguments.prior, size) if arguments.prior else np.zeros(size + 1)
    used = ~held & ~noisy if arguments.quiet else ~held
    if not used.any():
        raise UserError("no position is left to fit")
    weights, loss = fit(x[used], target[used], start, arguments.ridge, arguments.iterations)

    predicted = sigmoid((x[held].astype(np.float64) @ weights[:-1] + weights[-1]) * SCALE)
    if not held.any():
        print(f"fewer than {round(1 / VALIDATION)} games: none is held out to test the weights")
    for name, guess in (("fitted", predicted), ("search", judged[held])) if held.any() else ():
        guess = np.clip(guess, 1e-7, 1 - 1e-7)
        outcome = result[held]
        entropy = -(outcome * np.log(guess) + (1 - outcome) * np.log(1 - guess)).mean()
        print(f"{name}: {entropy:.5f} nats per held-out position")
    print(f"scores are scaled by {factor:.2f}")
    print(f"{used.sum()} positions, loss {loss:.5f}, tempo {weights[-1]:.1f} cp")
    if np.any(result == 0.5):
        logits = (x @ weights[:-1].astype(np.float32) + weights[-1]) * SCALE
        print(f"draw margin {draw_margin(logits, result)} cp")
    if arguments.write:
        replace_text(arguments.write, [rust(kind, weights)])
    return 0


def main() -> int:
    """The command."""
    return guarded(run_command)
