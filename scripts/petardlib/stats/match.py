"""Statistics of a match of two engines, over pairs of games with the same opening.

Sources: the mathematics of fishtest and Michel Van den Bergh's notes, "A practical introduction to
the GSPRT" (generalised sequential probability ratio test), and "Comments on normalized Elo". Pairs
are counted by their points in five classes: 0, 1/2, 1, 3/2 and 2 of two games; in a game without
draws only 0, 1 and 2 occur.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

ELO_PER_NAT = 400.0 / math.log(10.0)
NORMALIZED_ELO_UNIT = 800.0 / math.log(10.0)
"""Normalised Elo for an expected score one standard deviation of a game above one half."""

Z95 = 1.959963984540054


def logistic(elo: float) -> float:
    """The expected score at an Elo difference."""
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


def elo_of(score: float) -> float:
    """The Elo difference of an expected score; infinite at 0 and 1."""
    if score <= 0.0:
        return -math.inf
    if score >= 1.0:
        return math.inf
    return -400.0 * math.log10(1.0 / score - 1.0) + 0.0


@dataclass(frozen=True)
class Estimate:
    """A value with the half-width of its 95% confidence interval, as fishtest prints it."""

    value: float
    error: float

    def text(self, digits: int = 1) -> str:
        """``+12.3 ± 4.5``; nothing can be estimated where one side won every pair."""
        if not math.isfinite(self.value):
            return "no estimate"
        error = f"{self.error:.{digits}f}" if math.isfinite(self.error) else "?"
        return f"{self.value:+z.{digits}f} ± {error}"


@dataclass(frozen=True)
class MatchStats:
    """Statistics from the pairs of a match."""

    pairs: int
    score: float
    elo: Estimate
    nelo: Estimate
    los: float | None  # the likelihood of superiority, where it can be known
    ratio: float | None

    def los_text(self) -> str:
        """``97.5%``."""
        return "?" if self.los is None else f"{self.los:.1%}"


def _moments(counts: Sequence[float]) -> tuple[float, float, float]:
    """(number of pairs, mean and variance of a pair's score, scaled to 0 to 1)."""
    total = float(sum(counts))
    values = [index / (len(counts) - 1) for index in range(len(counts))]
    mean = sum(v * n for v, n in zip(values, counts, strict=True)) / total
    variance = sum(n * (v - mean) ** 2 for v, n in zip(values, counts, strict=True)) / total
    return total, mean, variance


def match_stats(counts: Sequence[int]) -> MatchStats | None:
    """Elo, normalised Elo and likelihood of superiority from the five classes of pairs."""
    if sum(counts) == 0:
        return None
    total, mean, variance = _moments(counts)
    half = Z95 * math.sqrt(variance / total)
    # As in fishtest: the score's interval converted to Elo, and half of its width reported.
    low, high = (elo_of(min(max(mean + s * half, 0.0), 1.0)) for s in (-1, 1))
    width = (high - low) / 2
    if not math.isfinite(width) and 0.0 < mean < 1.0:
        # The interval reaches a score of 0 or 1: use the slope at the mean instead.
        width = half * ELO_PER_NAT / (mean * (1.0 - mean))
    # Pairs that all ended alike say nothing about their spread.
    elo = Estimate(elo_of(mean), width if variance > 0 else math.inf)
    sigma_game = math.sqrt(2.0 * variance)
    los: float | None
    if sigma_game > 0:
        nelo = Estimate(
            (mean - 0.5) / sigma_game * NORMALIZED_ELO_UNIT,
            Z95 / math.sqrt(2.0 * total) * NORMALIZED_ELO_UNIT,
        )
        los = 0.5 * (1.0 + math.erf((mean - 0.5) / math.sqrt(2.0 * variance / total)))
    else:
        nelo = Estimate(math.copysign(math.inf, mean - 0.5) if mean != 0.5 else 0.0, math.inf)
        los = 0.5 if mean == 0.5 else None
    middle = len(counts) // 2
    lost, won = sum(counts[:middle]), sum(counts[middle + 1 :])
    return MatchStats(int(total), mean, elo, nelo, los, won / lost if lost else None)


def sprt_bounds(alpha: float, beta: float) -> tuple[float, float]:
    """Wald's bounds on the log-likelihood ratio: (accept H0, accept H1)."""
    return math.log(beta / (1.0 - alpha)), math.log((1.0 - beta) / alpha)


def _root(f: Callable[[float], float], low: float, high: float) -> float:
    """The zero of a decreasing function between two poles, by bisection to the last bit or so."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if f(middle) > 0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def _mean(values: list[float], probs: list[float]) -> float:
    return sum(value * prob for value, prob in zip(values, probs, strict=True))


def _tilt(values: list[float], probs: list[float], target: float) -> list[float]:
    """The most likely distribution under the constraint that the mean of ``values`` is ``target``.

    By Lagrange, it is p_i / (1 + x (a_i - target)) with x such that the constraint holds.
    """
    shifted = [(prob, value - target) for prob, value in zip(probs, values, strict=True)]
    low, high = -1.0 / max(away for _, away in shifted), -1.0 / min(away for _, away in shifted)
    x = _root(lambda t: sum(p * away / (1.0 + t * away) for p, away in shifted), low, high)
    return [prob / (1.0 + x * away) for prob, away in shifted]


def _tilt_t_value(values: list[float], probs: list[float], target: float) -> list[float]:
    """The most likely distribution whose t-value, (mean - 1/2) / deviation, is ``target``.

    The constraint is not linear; it is linearised at the current guess and solved again until
    nothing changes. The first guess fulfils it: no other is sure to leave slopes of both signs.
    """
    away = 0.5 * target / math.hypot(1.0, target)
    guess = [0.5 - away, *[0.0] * (len(probs) - 2), 0.5 + away]
    for _ in range(100):
        mean = _mean(values, guess)
        sigma = math.sqrt(_mean([(value - mean) ** 2 for value in values], guess))
        # Gradient of mean - 1/2 - target * sigma with respect to the probabilities
        slopes = [
            value - 0.5 - target * sigma * (1.0 + ((mean - value) / sigma) ** 2) / 2.0
            for value in values
        ]
        following = _tilt(slopes, probs, 0.0)
        done = max(abs(new - old) for new, old in zip(following, guess, strict=True)) < 1e-9
        guess = following
        if done:
            break
    return guess


def log_likelihood_ratio(
    counts: Sequence[float], elo0: float, elo1: float, model: str = "normalized"
) -> float:
    """The generalised log-likelihood ratio of H1 (``elo1``) against H0 (``elo0``).

    ``model`` says which Elo the numbers are: ``logistic`` or ``normalized``.
    """
    if sum(counts) == 0:
        return 0.0
    # Empty classes get a thousandth of a pair, as in fishtest, to keep the logarithms finite.
    filled = [max(float(n), 1e-3) for n in counts]
    total = sum(filled)
    probs = [n / total for n in filled]
    values = [place / (len(counts) - 1) for place in range(len(counts))]
    if model == "logistic":
        p0, p1 = (_tilt(values, probs, logistic(elo)) for elo in (elo0, elo1))
    else:
        # A pair's score has the deviation of a game divided by the square root of two.
        p0, p1 = (
            _tilt_t_value(values, probs, math.sqrt(2.0) * elo / NORMALIZED_ELO_UNIT)
            for elo in (elo0, elo1)
        )
    return total * _mean([math.log(a / b) for a, b in zip(p1, p0, strict=True)], probs)


@dataclass(frozen=True)
class Sprt:
    """The settings of a sequential test."""

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05
    model: str = "normalized"

    def verdict(self, counts: Sequence[int]) -> tuple[float, str | None]:
        """The log-likelihood ratio, and ``H0`` or ``H1`` once it has left the bounds."""
        llr = log_likelihood_ratio(counts, self.elo0, self.elo1, self.model)
        low, high = sprt_bounds(self.alpha, self.beta)
        return llr, "H0" if llr <= low else "H1" if llr >= high else None
