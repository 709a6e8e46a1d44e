"""Simultaneous perturbation stochastic approximation, as used to tune engines.

J. C. Spall, "Implementation of the simultaneous perturbation algorithm for stochastic
optimization", IEEE Transactions on Aerospace and Electronic Systems 34 (1998), gives the method and
the exponents. The rest follows fishtest, where Stockfish is tuned: the measurement is a match of
theta+ against theta-, the gains are specified by their values at the end of the run, and time is
counted in pairs of games.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

ALPHA = 0.602
"""How fast the step shrinks (Spall)."""
GAMMA = 0.101
"""How fast the perturbation shrinks (Spall)."""
A_SHARE = 0.1
"""Spall's A, which holds the first steps back, as a share of all pairs."""
C_END_SHARE = 1 / 20
"""The perturbation at the end, as a share of a parameter's range (fishtest)."""
MIN_C_END = 0.5
"""The smallest such perturbation: with less, integers would often not differ."""
R_END = 0.002
"""The step at the end for one more game won, in perturbations (fishtest)."""

Values = dict[str, int]
Theta = dict[str, float]


@dataclass(frozen=True)
class Parameter:
    """An integer parameter of an engine."""

    name: str
    default: int
    low: int
    high: int

    @property
    def c_end(self) -> float:
        """How far theta+ and theta- are from theta at the end."""
        return max((self.high - self.low) * C_END_SHARE, MIN_C_END)

    def clamp(self, value: float) -> float:
        """The nearest value within the range."""
        return min(max(value, self.low), self.high)


@dataclass(frozen=True)
class Probe:
    """One question: is ``plus`` better than ``minus``? ``flips`` has each parameter's sign."""

    plus: Values
    minus: Values
    flips: dict[str, int]


@dataclass(frozen=True)
class Spsa:
    """The method for some parameters, a planned number of pairs of games, and a seed.

    Pairs are counted from 1. The same seed gives the same question for the same pair and theta.
    """

    parameters: list[Parameter]
    pairs: int
    seed: int
    r_end: float = R_END

    def start(self) -> Theta:
        """The starting point of the search."""
        return {p.name: float(p.default) for p in self.parameters}

    def perturbation(self, parameter: Parameter, pair: int) -> float:
        """Spall's c_k, which is ``c_end`` at the last pair."""
        return parameter.c_end * math.pow(self.pairs / pair, GAMMA)

    def step(self, parameter: Parameter, pair: int) -> float:
        """Spall's a_k / c_k: how far a parameter moves for one game won more than lost."""
        offset = A_SHARE * self.pairs
        a_end = self.r_end * parameter.c_end**2
        a_k = a_end * math.pow((offset + self.pairs) / (offset + pair), ALPHA)
        return a_k / self.perturbation(parameter, pair)

    def probe(self, theta: Theta, pair: int) -> Probe:
        """The two sets of values to play from this pair on.

        Values are rounded up or down at random, so that they are right on average, and both by the
        same draw, so that rounding itself makes no difference between them.
        """
        rng = random.Random(f"{self.seed} {pair}")
        plus, minus, flips = {}, {}, {}
        for p in self.parameters:
            flip = rng.choice((-1, 1))
            throw = rng.random()
            reach = flip * self.perturbation(p, pair)
            flips[p.name] = flip
            plus[p.name] = math.floor(p.clamp(theta[p.name] + reach) + throw)
            minus[p.name] = math.floor(p.clamp(theta[p.name] - reach) + throw)
        return Probe(plus, minus, flips)

    def moved(self, theta: Theta, pair: int, flips: dict[str, int], balance: int) -> Theta:
        """Theta after games from this pair on; theta+ won ``balance`` more of them than it lost."""
        return {
            p.name: p.clamp(theta[p.name] + self.step(p, pair) * balance * flips[p.name])
            for p in self.parameters
        }
