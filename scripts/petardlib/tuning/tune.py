"""Tuning an engine's numbers: listing them, games that compare two sets, and the loop."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import msgspec

from petardlib.base.errors import EngineError, UserError
from petardlib.base.journal import Count, Journal
from petardlib.jobs.pool import Pool
from petardlib.play.engine import Engine
from petardlib.play.openings import Opening
from petardlib.play.schedule import Plan
from petardlib.play.spec import EngineSpec
from petardlib.play.tournament import check_engines
from petardlib.play.uci import Option
from petardlib.stats.games import Fault
from petardlib.tuning.spsa import Parameter, Spsa, Theta, Values

PLUS, MINUS = "theta+", "theta-"

GENERAL_OPTIONS = {"hash", "threads", "multipv", "move overhead", "uci_elo", "skill level"}
"""Numbers that any engine may have and that are not part of its search."""
OTHERS = "small", "wide"
"""How the names of a parameter's other values begin, for other boards and evaluations."""


@dataclass(frozen=True)
class Tally:
    """How a match of theta+ against theta- went."""

    wins: int
    losses: int
    draws: int = 0


@dataclass(frozen=True)
class Progress:
    """The state after an iteration."""

    iteration: int
    tally: Tally
    theta: Theta
    seconds: float


Match = Callable[[int, Values, Values], Tally]


def read_options(spec: EngineSpec) -> dict[str, Option]:
    """The options that the engine lists, by lower-case name."""
    try:
        engine = Engine(spec)
    except EngineError as error:
        raise UserError(f"engine '{spec.name}': {error.report()}") from None
    engine.close()
    return engine.options


def _parameter(option: Option) -> Parameter | None:
    """A spin option with all its numbers, as a parameter; None for others."""
    try:
        default, low, high = int(option.default), int(option.min), int(option.max)
    except ValueError:
        return None
    if option.type != "spin" or not low <= default <= high or low == high:
        return None
    return Parameter(option.name, default, low, high)


def choose_parameters(options: dict[str, Option], wanted: str) -> list[Parameter]:
    """``all`` numbers of the search, or those in a comma-separated list, in the engine's order."""
    found = {
        name: parameter
        for name, option in options.items()
        if name not in GENERAL_OPTIONS and (parameter := _parameter(option))
    }
    if not found:
        raise UserError(
            "the engine lists no search parameters; petard does if it is built with "
            "cargo build --release --features tune"
        )
    if wanted == "all":
        return list(found.values())
    names = [name.strip() for name in wanted.split(",")]
    for name in names:
        if name.lower() not in found:
            known = ", ".join(parameter.name for parameter in found.values())
            raise UserError(f"--params: no parameter '{name}' to tune; the engine has {known}")
    lower = {name.lower() for name in names}
    return [parameter for name, parameter in found.items() if name in lower]


class GameMatch:
    """Matches between two settings of one engine: each opening is played with both colours."""

    def __init__(self, spec: EngineSpec, openings: list[Opening], games: int, pool: Pool) -> None:
        """Every iteration plays ``games`` from the next openings, cycling through them."""
        self.spec, self.openings, self.pool = spec, openings, pool
        self.pairs = games // 2

    def check(self, values: Values) -> None:
        """Check before the first game that the engine accepts the values and can play."""
        plan = self._plan(0, values, values)
        plan.openings = self.openings
        check_engines(plan)

    def _plan(self, iteration: int, plus: Values, minus: Values) -> Plan:
        first = iteration * self.pairs
        count = len(self.openings)
        return Plan(
            engines=[self._seat(PLUS, plus), self._seat(MINUS, minus)],
            openings=[self.openings[(first + i) % count] for i in range(self.pairs)],
            games=2 * self.pairs,
        )

    def _seat(self, name: str, values: Values) -> EngineSpec:
        numbers = {option: str(value) for option, value in values.items()}
        return replace(self.spec, name=name, options={**self.spec.options, **numbers})

    def __call__(self, iteration: int, plus: Values, minus: Values) -> Tally:
        """Play the games of an iteration; an engine's fault ends the tuning and is not a result."""
        plan = self._plan(iteration, plus, minus)
        wins = draws = 0
        for _, record in self.pool.run(plan.jobs(set())):
            if record.fault:
                raise UserError(_fault_text(record.fault, iteration, plus, minus))
            wins += (record.result, record.white) in (("1-0", PLUS), ("0-1", MINUS))
            draws += record.result == "1/2-1/2"
        return Tally(wins, plan.total - wins - draws, draws)


def _fault_text(fault: Fault, iteration: int, plus: Values, minus: Values) -> str:
    values = plus if fault.engine == PLUS else minus
    settings = " ".join(f"{name}={value}" for name, value in values.items())
    words = "\n".join(f"    {line}" for line in fault.dialogue[-6:])
    return (
        f"iteration {iteration + 1}: the engine failed at ply {fault.ply} of a game: "
        f"{fault.kind}: {fault.detail}\n"
        f"  with {settings}\n{words}\n"
        "the iterations before it are kept; the same command resumes from there"
    )


class Iteration(msgspec.Struct):
    """A finished iteration: what was played, its games from plus's view, and theta after it."""

    iteration: Count
    plus: Values
    minus: Values
    wins: Count
    losses: Count
    draws: Count
    theta: Theta
    kind: Literal["iteration"] = "iteration"


def resume(journal: Journal[Iteration], spsa: Spsa) -> tuple[int, Theta]:
    """The number of finished iterations, and theta after them."""
    theta = spsa.start()

    def take(record: Iteration) -> None:
        nonlocal theta
        theta = {p.name: record.theta[p.name] for p in spsa.parameters}
        if not all(math.isfinite(value) for value in theta.values()):
            raise ValueError("theta")

    journal.read(take)
    return journal.count, theta


def tune(
    spsa: Spsa,
    iterations: int,
    match: Match,
    journal: Journal[Iteration],
    report: Callable[[Progress], None] | None,
) -> Theta:
    """Do the iterations that the journal does not hold yet; returns theta after the last one.

    If stopped at any point and called again with the same journal, it ends with the same result.
    """
    done, theta = resume(journal, spsa)
    pairs = spsa.pairs // iterations
    for iteration in range(done, iterations):
        began = time.perf_counter()
        pair = iteration * pairs + 1
        probe = spsa.probe(theta, pair)
        tally = match(iteration, probe.plus, probe.minus)
        theta = spsa.moved(theta, pair, probe.flips, tally.wins - tally.losses)
        counts = tally.wins, tally.losses, tally.draws
        journal.append(Iteration(iteration, probe.plus, probe.minus, *counts, theta))
        if report is not None:
            report(Progress(iteration, tally, theta, time.perf_counter() - began))
    return theta


def rust_lines(parameters: list[Parameter], theta: Theta) -> list[str]:
    """The parameters as rows of the table in ``src/search/params.rs``."""
    lines = []
    values = {p.name: f"{round(theta[p.name]):_}" for p in parameters}
    for p in parameters:
        prefix, _, base = p.name.partition("_")
        if prefix in OTHERS:
            # Another value of a parameter: stands in its row, or here in a row without the rest.
            if base not in values:
                lines.append(f"    {base} = .., {prefix} = {values[p.name]};")
            continue
        others = [
            f", {prefix} = {values[name]}"
            for prefix in OTHERS
            if (name := f"{prefix}_{p.name}") in values
        ]
        lines.append(f"    {p.name} = {values[p.name]}, {p.low:_}..={p.high:_}{''.join(others)};")
    return lines
