"""One training run of a network: its targets, its steps, and how good it has become."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from petardlib.training.model import CENTIPAWNS_PER_LOGIT, Model
from petardlib.training.positions import Positions

CHUNK = 8192  # positions at a time when only evaluating


@dataclass(frozen=True)
class Plan:
    """How a network is trained."""

    epochs: int
    batch: int
    rate: float
    second_rate: float  # that of the second layer
    decay: float
    blend: float  # share of the game's result in the target; the rest is the search's score
    seed: int
    device: str
    checkpoint: Path | None


def targets(data: Positions, chosen: NDArray[np.int64] | slice, blend: float) -> torch.Tensor:
    """The targets of some positions."""
    expected = 1 / (1 + np.exp(data.score[chosen] / np.float32(-CENTIPAWNS_PER_LOGIT)))
    return torch.from_numpy(blend * results(data, chosen) + np.float32(1 - blend) * expected)


def results(data: Positions, chosen: NDArray[np.int64] | slice) -> NDArray[np.float32]:
    """How the games of some positions ended for the mover: 0, 0.5 or 1."""
    return data.result[chosen].astype(np.float32) / np.float32(2)


def logits(model: Model, data: Positions) -> torch.Tensor:
    """The network's output for every position."""
    parts = (slice(at, at + CHUNK) for at in range(0, len(data), CHUNK))
    with torch.no_grad():
        return torch.cat([torch.empty(0), *(model(data.cells(part)).cpu() for part in parts)])


def fit_scale(said: torch.Tensor, result: torch.Tensor) -> float:
    """The factor on the logits under which they best predict the results.

    Half of the target is an estimate, which is nearer to even than results
    are; without this factor the win probabilities would be too cautious. It is
    1 if the results do not support the network's output at all.
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
    best = float(factor.detach())
    return best if best > 0.1 else 1.0


def calibration(said: NDArray[Any], result: NDArray[Any]) -> list[tuple[float, float, int]]:
    """Expected and observed share of wins, and positions, by tenths of the expected share."""
    table = []
    tenths = np.clip(said * 10, 0, 9).astype(int)
    for tenth in range(10):
        inside = tenths == tenth
        if count := int(inside.sum()):
            table.append((float(said[inside].mean()), float(result[inside].mean()), count))
    return table


class Run:
    """One training run: model, optimiser, schedule, and what has been seen."""

    def __init__(
        self, plan: Plan, model: Model, train: list[Positions], validation: list[Positions]
    ) -> None:
        self.plan = plan
        self.train, self.validation = train, validation
        self.model = model.to(plan.device)
        groups = self.model.groups(plan.rate, plan.second_rate, plan.decay)
        rates = [group["lr"] for group in groups]
        self.optimiser = torch.optim.AdamW(groups, fused=True)
        self.steps = sum(len(data) // plan.batch for data in train)
        # The rate rises for a tenth of the run, then falls to zero along a cosine.
        self.schedule = torch.optim.lr_scheduler.OneCycleLR(
            self.optimiser, rates, total_steps=self.steps * plan.epochs + 1, pct_start=0.1
        )
        self.history: list[dict[str, float]] = []
        if plan.checkpoint and plan.checkpoint.exists():
            self.resume(plan.checkpoint)

    def resume(self, path: Path) -> None:
        """Resumes from a checkpoint.

        Raises:
            ValueError: if it is none, or of another run.

        """
        try:
            state = torch.load(path, weights_only=True)
            found = dict(state["run"])
        except OSError:
            raise
        except Exception:  # torch.load promises no types
            raise ValueError(f"{path} is not a checkpoint of this script") from None
        differs = [name for name, value in self.identity().items() if found.get(name) != value]
        if differs:
            raise ValueError(f"{path}: the checkpoint of a run with other {', '.join(differs)}")
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.schedule.load_state_dict(state["schedule"])
        self.history = state["history"]

    def identity(self) -> dict[str, object]:
        """What a checkpoint must have in common with a run that resumes from it."""
        return {
            "epochs": self.plan.epochs,
            "batch": self.plan.batch,
            "rate": self.plan.rate,
            "second_rate": self.plan.second_rate,
            "decay": self.plan.decay,
            "blend": self.plan.blend,
            "seed": self.plan.seed,
            "positions": [[*data.board, len(data)] for data in self.train],
            # Different windows may take as many weights.
            "network": f"{type(self.model).__name__} {self.model.shape_on(self.train[0].board)}",
        }

    def save(self) -> None:
        """Writes the checkpoint; if interrupted, the old one remains."""
        path = self.plan.checkpoint
        if path is None:
            return
        state = {
            "run": self.identity(),
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "schedule": self.schedule.state_dict(),
            "history": self.history,
        }
        new = path.with_suffix(path.suffix + ".new")
        torch.save(state, new)
        new.replace(path)

    def step(self, data: Positions, chosen: NDArray[np.int64]) -> torch.Tensor:
        """Learns from these positions; returns the loss before the step."""
        aim = targets(data, chosen, self.plan.blend).to(self.plan.device)
        said = torch.sigmoid(self.model(data.cells(chosen)))
        loss = (said - aim).square().mean()
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        self.optimiser.step()
        self.schedule.step()
        self.model.clip()
        return loss.detach()

    def batches(self, number: int) -> Iterator[tuple[Positions, NDArray[np.int64]]]:
        """The batches of an epoch, each of one board, in random order."""
        dice, size = np.random.default_rng([self.plan.seed, number]), self.plan.batch
        orders = [dice.permutation(len(data)) for data in self.train]
        places = [(i, at) for i, o in enumerate(orders) for at in range(len(o) // size)]
        for place in dice.permutation(len(places)):
            board, at = places[place]
            yield self.train[board], orders[board][at * size : (at + 1) * size]

    def epoch(self) -> None:
        """Sees every position once, except the last ones of a board, which fill no batch."""
        number, began = len(self.history) + 1, time.monotonic()
        total = 0.0
        for step, (data, chosen) in enumerate(self.batches(number), 1):
            total += float(self.step(data, chosen))
            if step % 50 == 0 and sys.stderr.isatty():
                rate = step * self.plan.batch / (time.monotonic() - began)
                print(f"\r{step}/{self.steps} {rate:.0f}/s ", end="", file=sys.stderr)
        seconds = time.monotonic() - began
        validation, result = self.losses()
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
            f" (results {result:.6f}) {seconds:.0f} s,"
            f" {self.steps * self.plan.batch / seconds:.0f} positions per second",
            flush=True,
        )

    def held_out(self) -> tuple[torch.Tensor, NDArray[np.float32], torch.Tensor]:
        """For all held-out positions, the network's output, the results, and the targets."""
        every = slice(None)
        said = torch.cat([logits(self.model, data) for data in self.validation])
        result = np.concatenate([results(data, every) for data in self.validation])
        aims = [targets(data, every, self.plan.blend) for data in self.validation]
        return said, result, torch.cat(aims)

    def losses_by_board(self) -> dict[str, float]:
        """Mean squared error on the held-out games against the target, board by board."""
        found = {}
        for data in (data for data in self.validation if len(data)):
            aim = targets(data, slice(None), self.plan.blend)
            away = torch.sigmoid(logits(self.model, data)) - aim
            found["{}x{}".format(*data.board)] = float(away.square().mean())
        return found

    def losses(self) -> tuple[float, float]:
        """Mean squared error on the held-out games, against the target and the bare result."""
        said, result, aim = self.held_out()
        said = torch.sigmoid(said)
        away = said - torch.from_numpy(result)
        return float((said - aim).square().mean()), float(away.square().mean())
