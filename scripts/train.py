#!/usr/bin/env python3
"""Train the network evaluation from recorded self-play, and write the engine's file.

Input is what `petard datagen` writes; several files may be given. Positions are
split by games: validation never sees a game that was trained on. Each position
is seen as its mover sees it, mirrored at random.

PyTorch is needed: pip install -r scripts/requirements-train.txt

Example:
    petard datagen games.bin --positions 10000000 --nodes 600
    python scripts/train.py games.bin --out network.nnue --plot network.png
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

try:
    import torch
    from torch import nn
except ModuleNotFoundError:
    # The help says what is needed, so it must not need it.
    torch = nn = None

from petardlib import network, records
from petardlib.network import ACTIVATION_ONE, LARGEST_OUTPUT, OUTPUT_ONE, Shape

# The engine's scale: a score of x centipawns wins with 1 / (1 + 10 ** (-x / 400)).
CENTIPAWNS_PER_LOGIT = 400.0 / float(np.log(10.0))
VALIDATION = 0.03  # share of the games kept for validation
CHUNK = 8192  # positions at a time where nothing is learned


@dataclass
class Data:
    """Positions as their movers see them: cells (n, squares), scores, results, games."""

    board: tuple[int, int]

    cells: torch.Tensor
    score: torch.Tensor
    result: torch.Tensor
    game: torch.Tensor

    def __len__(self) -> int:
        return len(self.score)

    def select(self, mask: torch.Tensor) -> Data:
        """The positions under the mask."""
        columns = (self.cells, self.score, self.result, self.game)
        return Data(self.board, *(column[mask] for column in columns))


def load(paths: list[Path], most_score: int, keep_noisy: bool) -> Data:
    """All positions fit for training, in the files' order."""
    parts: list[Data] = []
    games = 0
    boards: set[tuple[int, int]] = set()
    for path in paths:
        try:
            found = records.read(path)
        except (OSError, records.RecordError) as fault:
            sys.exit(f"train: {fault}")
        board = found.files, found.ranks
        boards.add(board)
        if len(boards) > 1:
            sys.exit(f"train: {path} holds positions of another board than the files before it")
        black = found.black_to_move
        own = np.where(black, network.turned(found.black, board[1]), found.white)
        enemy = np.where(black, network.turned(found.white, board[1]), found.black)
        result = np.where(black, 2 - found.result, found.result).astype(np.float32) / 2
        game = np.cumsum(found.is_first) + games
        games = int(game[-1]) if len(game) else games
        keep = np.abs(found.score.astype(np.int32)) <= most_score
        if not keep_noisy:
            keep &= ~found.is_noisy
        parts.append(
            Data(
                board,
                torch.from_numpy(
                    network.board(own[keep], enemy[keep], board).reshape(-1, board[0] * board[1])
                ),
                torch.from_numpy(found.score[keep].astype(np.float32)),
                torch.from_numpy(result[keep]),
                torch.from_numpy(game[keep].astype(np.int32)),
            )
        )
    return Data(
        boards.pop(),
        torch.cat([part.cells for part in parts]),
        torch.cat([part.score for part in parts]),
        torch.cat([part.result for part in parts]),
        torch.cat([part.game for part in parts]),
    )


def mirror(cells: torch.Tensor, board: tuple[int, int]) -> torch.Tensor:
    """The boards with their files reversed."""
    return cells.view(-1, board[1], board[0]).flip(2).reshape(cells.shape)


def other_side(cells: torch.Tensor, board: tuple[int, int]) -> torch.Tensor:
    """The boards as the other side sees them."""
    swapped = (3 - cells) % 3
    return swapped.view(-1, board[1], board[0]).flip(1).reshape(cells.shape)


class Model(nn.Module if nn else object):
    """Windows to hidden units of both sides, squared clipped ReLU, one output a bucket."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.rows = nn.EmbeddingBag(shape.rows, shape.hidden, mode="sum")
        nn.init.zeros_(self.rows.weight)
        # What a single square is worth is shared by all patterns around it, so
        # that rare patterns start from something ("factoriser", as in the
        # trainers of Stockfish's networks). It is merged at the export.
        self.single = nn.Parameter(torch.randn(2 * shape.squares, shape.hidden) * 0.08)
        self.bias = nn.Parameter(torch.full((shape.hidden,), 0.25))
        self.output = nn.Parameter(torch.randn(shape.buckets, 2 * shape.hidden) * 0.1)
        self.output_bias = nn.Parameter(torch.zeros(shape.buckets))

    def windows(self, cells: torch.Tensor) -> torch.Tensor:
        """The active row of every window: (positions, windows)."""
        shape = self.shape
        boards = cells.view(-1, shape.board[1], shape.board[0]).to(torch.int32)
        across, up = shape.places
        index = torch.zeros(len(cells), up, across, dtype=torch.int32, device=cells.device)
        for rank in range(shape.window[1]):
            for file in range(shape.window[0]):
                power = 3 ** (rank * shape.window[0] + file)
                index += power * boards[:, rank : rank + up, file : file + across]
        first = torch.arange(shape.windows, dtype=torch.int32, device=cells.device)
        return index.reshape(len(cells), -1) + first * shape.patterns

    def hidden(self, cells: torch.Tensor) -> torch.Tensor:
        """One side's activations."""
        squares = torch.cat([cells == 1, cells == 2], dim=1).to(torch.float32)
        sums = self.rows(self.windows(cells)) + squares @ self.single + self.bias
        return sums.clamp(0, 1).square()

    def forward(self, cells: torch.Tensor) -> torch.Tensor:
        """The logit of the mover's win."""
        other = other_side(cells, self.shape.board)
        both = torch.cat([self.hidden(cells), self.hidden(other)], dim=1)
        men = (cells > 0).sum(dim=1)
        bucket = torch.div(
            (men - 1) * self.shape.buckets, self.shape.most_men, rounding_mode="floor"
        ).clamp(max=self.shape.buckets - 1)
        every = both @ self.output.t() + self.output_bias
        return every.gather(1, bucket[:, None]).squeeze(1)

    def clip(self) -> None:
        """Keeps the output weights where they can be quantised."""
        most = LARGEST_OUTPUT / OUTPUT_ONE
        with torch.no_grad():
            self.output.clamp_(-most, most)

    def export(self, factor: float = 1.0) -> network.Network:
        """The quantised network; `factor` stretches its logits."""
        shape = self.shape
        with torch.no_grad():
            rows = self.rows.weight.cpu().numpy().astype(np.float64)
            rows = rows.reshape(shape.windows, shape.patterns, shape.hidden)
            single = self.single.cpu().numpy().reshape(2, shape.squares, shape.hidden)
            pattern = np.arange(shape.patterns)
            across, up = shape.places
            for square in range(shape.squares):
                rank, file = divmod(square, shape.board[0])
                # Each square is told by one of the windows that hold it.
                corner = min(rank, up - 1), min(file, across - 1)
                cell = (rank - corner[0]) * shape.window[0] + file - corner[1]
                state = pattern // 3**cell % 3
                place = corner[0] * across + corner[1]
                for owner in (1, 2):
                    rows[place, state == owner] += single[owner - 1, square]

            def whole(values: np.ndarray, one: float, kind: type) -> np.ndarray:
                return np.rint(np.asarray(values, dtype=np.float64) * one).astype(kind)

            return network.Network(
                shape,
                round(CENTIPAWNS_PER_LOGIT * factor),
                whole(rows.reshape(shape.rows, shape.hidden), ACTIVATION_ONE, np.int16),
                whole(self.bias.cpu().numpy(), ACTIVATION_ONE, np.int16),
                whole(self.output.cpu().numpy(), OUTPUT_ONE, np.int16),
                whole(self.output_bias.cpu().numpy(), ACTIVATION_ONE * OUTPUT_ONE, np.int32),
            )


def targets(data: Data, blend: float) -> torch.Tensor:
    """What the network is to say: `blend` of the result, the rest of the score."""
    expected = torch.sigmoid(data.score / CENTIPAWNS_PER_LOGIT)
    return blend * data.result + (1 - blend) * expected


def losses(model: Model, data: Data, blend: float) -> tuple[float, float]:
    """Mean squared error to the target and to the bare result."""
    aim = targets(data, blend)
    total = torch.zeros(2)
    with torch.no_grad():
        for at in range(0, len(data), CHUNK):
            part = slice(at, at + CHUNK)
            said = torch.sigmoid(model(data.cells[part].to(device_of(model)))).cpu()
            total[0] += (said - aim[part]).square().sum()
            total[1] += (said - data.result[part]).square().sum()
    both = (total / max(len(data), 1)).tolist()
    return both[0], both[1]


def device_of(model: Model) -> torch.device:
    """Where the model's numbers are."""
    return model.bias.device


def logits(model: Model, data: Data) -> torch.Tensor:
    """What the network says of every position."""
    with torch.no_grad():
        return torch.cat(
            [
                model(data.cells[at : at + CHUNK].to(device_of(model))).cpu()
                for at in range(0, len(data), CHUNK)
            ]
        )


def fit_scale(said: torch.Tensor, result: torch.Tensor) -> float:
    """The factor of the logits under which they predict the results best.

    Half of the target is an estimate, which is nearer to even than results
    are; without this factor the win probabilities would be too cautious.
    """
    factor = torch.ones(1, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([factor], max_iter=50)

    def closure() -> torch.Tensor:
        optimiser.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(
            said.double() * factor, result.double()
        )
        loss.backward()
        return loss

    optimiser.step(closure)
    return float(factor.detach())


def calibration(said: torch.Tensor, data: Data) -> list[tuple[float, float, int]]:
    """Expected and observed share of wins, and positions, by tenths of what was expected."""
    table = []
    for tenth in range(10):
        inside = (said * 10).floor().clamp(0, 9) == tenth
        count = int(inside.sum())
        if count:
            table.append((float(said[inside].mean()), float(data.result[inside].mean()), count))
    return table


def plot(
    path: Path, history: list[dict[str, float]], table: list[tuple[float, float, int]]
) -> None:
    """The losses by epoch, and expected against observed results."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.5))
    epochs = [entry["epoch"] for entry in history]
    for name in ("train", "validation"):
        left.plot(epochs, [entry[name] for entry in history], marker="o", label=name)
    left.set_xlabel("epoch")
    left.set_ylabel("mean squared error")
    left.legend()
    right.plot([0, 1], [0, 1], color="grey", linewidth=1)
    right.plot([row[0] for row in table], [row[1] for row in table], marker="o")
    right.set_xlabel("expected share of wins")
    right.set_ylabel("observed share of wins, games not trained on")
    figure.tight_layout()
    figure.savefig(path)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=Path, help="files of `petard datagen`")
    parser.add_argument("--out", type=Path, required=True, help="the network's file")
    parser.add_argument("--window", default="2x2", metavar="FxR", help="files x ranks of a window")
    parser.add_argument("--hidden", type=int, default=256, help="hidden units a side")
    parser.add_argument("--buckets", type=int, default=8, help="outputs, by men on the board")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch", type=int, default=8192)
    parser.add_argument("--rate", type=float, default=2e-3, help="highest learning rate")
    parser.add_argument("--decay", type=float, default=0.5, help="weight decay of AdamW")
    parser.add_argument("--blend", type=float, default=0.5, help="share of the result")
    parser.add_argument("--most-score", type=int, default=2500, help="leave out higher scores")
    parser.add_argument("--noisy", action="store_true", help="keep positions with captures best")
    parser.add_argument("--threads", type=int, default=0, help="0: all")
    parser.add_argument(
        "--device", default="cuda" if torch and torch.cuda.is_available() else "cpu"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--checkpoint", type=Path, help="kept after each epoch; resumed if there")
    parser.add_argument("--plot", type=Path, help="picture of losses and calibration")
    parser.add_argument("--report", type=Path, help="losses and calibration as JSON")
    return parser.parse_args()


def parse_shape(options: argparse.Namespace, board: tuple[int, int]) -> Shape:
    """The network's shape, or an end with what is wrong with it."""
    try:
        files, ranks = (int(part) for part in options.window.split("x"))
    except ValueError:
        sys.exit(f"train: a window is FxR, as 3x2, not {options.window!r}")
    if not (1 <= files <= board[0] and 1 <= ranks <= board[1] and files * ranks <= 9):
        sys.exit(f"train: a window holds 1 to 9 squares of the board, not {options.window}")
    if options.hidden % 32 or not 32 <= options.hidden <= 512:
        sys.exit("train: hidden units are a multiple of 32 up to 512")
    if not 1 <= options.buckets <= 16:
        sys.exit("train: there are 1 to 16 buckets")
    return Shape(board, (files, ranks), options.hidden, options.buckets)


class Run:
    """One training: model, optimiser, schedule, and what has been seen."""

    def __init__(self, options: argparse.Namespace, train: Data, validation: Data) -> None:
        torch.manual_seed(options.seed)
        self.options = options
        self.train, self.validation = train, validation
        self.model = Model(parse_shape(options, train.board)).to(options.device)
        self.optimiser = torch.optim.AdamW(
            self.model.parameters(), lr=options.rate, weight_decay=options.decay
        )
        self.steps = max(1, len(train) // options.batch)
        self.schedule = torch.optim.lr_scheduler.OneCycleLR(
            self.optimiser, options.rate, total_steps=self.steps * options.epochs + 1, pct_start=0.1
        )
        self.history: list[dict[str, float]] = []
        if options.checkpoint and options.checkpoint.exists():
            self.resume()

    def resume(self) -> None:
        """Goes on from the checkpoint."""
        state = torch.load(self.options.checkpoint, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.schedule.load_state_dict(state["schedule"])
        self.history = state["history"]

    def save(self) -> None:
        """Writes the checkpoint; a stop in between leaves the old one."""
        path = self.options.checkpoint
        if path is None:
            return
        state = {
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "schedule": self.schedule.state_dict(),
            "history": self.history,
        }
        new = path.with_suffix(path.suffix + ".new")
        torch.save(state, new)
        new.replace(path)

    def epoch(self, number: int) -> None:
        """Sees every position once."""
        options = self.options
        torch.manual_seed(options.seed * 1000 + number)
        order = torch.randperm(len(self.train))
        aim = targets(self.train, options.blend)
        total, began = 0.0, time.monotonic()
        for step in range(self.steps):
            chosen = order[step * options.batch : (step + 1) * options.batch]
            cells = self.train.cells[chosen]
            half = len(cells) // 2
            cells = torch.cat([mirror(cells[:half], self.train.board), cells[half:]])
            said = torch.sigmoid(self.model(cells.to(options.device)))
            loss = (said - aim[chosen].to(options.device)).square().mean()
            self.optimiser.zero_grad(set_to_none=True)
            loss.backward()
            self.optimiser.step()
            self.schedule.step()
            self.model.clip()
            total += float(loss.detach())
            if step % 50 == 0 and sys.stderr.isatty():
                rate = (step + 1) * options.batch / (time.monotonic() - began)
                print(f"\r{step}/{self.steps} {rate:.0f}/s ", end="", file=sys.stderr)
        validation, result = losses(self.model, self.validation, options.blend)
        seconds = time.monotonic() - began
        self.history.append(
            {
                "epoch": number,
                "train": total / self.steps,
                "validation": validation,
                "validation_result": result,
                "seconds": round(seconds, 1),
            }
        )
        print(
            f"epoch {number}: train {total / self.steps:.6f} validation {validation:.6f}"
            f" (results {result:.6f}) {seconds:.0f} s",
            flush=True,
        )


def main() -> None:
    """Trains and writes."""
    options = arguments()
    if torch is None:
        sys.exit("train: needs PyTorch (pip install -r scripts/requirements-train.txt)")
    if options.threads:
        torch.set_num_threads(options.threads)
    data = load(options.files, options.most_score, options.noisy)
    shape = parse_shape(options, data.board)
    held_out = (data.game * 2654435761 % 1000) < VALIDATION * 1000
    train, validation = data.select(~held_out), data.select(held_out)
    del data
    if len(train) < options.batch or len(validation) == 0:
        sys.exit(f"train: too few positions ({len(train)} to train on)")
    print(f"{len(train)} positions to train on, {len(validation)} held out, {shape}", flush=True)
    run = Run(options, train, validation)
    for number in range(len(run.history) + 1, options.epochs + 1):
        run.epoch(number)
        run.save()
        options.out.write_bytes(run.model.export().to_bytes())
    said = logits(run.model, validation)
    factor = fit_scale(said, validation.result)
    options.out.write_bytes(run.model.export(factor).to_bytes())
    table = calibration(torch.sigmoid(said * factor), validation)
    print(f"scale {factor:.3f}")
    print("expected  observed  positions")
    for expected, observed, count in table:
        print(f"{expected:8.3f}  {observed:8.3f}  {count:9}")
    if options.plot:
        plot(options.plot, run.history, table)
    if options.report:
        options.report.write_text(
            json.dumps({"history": run.history, "factor": factor, "calibration": table}, indent=1)
            + "\n"
        )


if __name__ == "__main__":
    main()
