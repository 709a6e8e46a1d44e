"""A maximum-likelihood rating list, with a first-move advantage and standard errors.

The model is that of Bradley and Terry (1952) with an order effect, as in Agresti, "Categorical Data
Analysis", section on home-team advantage: White scores 1 / (1 + 10^(-(Rw - Rb + A) / 400)). A draw
counts as half a win and half a loss.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from petardlib.stats.match import ELO_PER_NAT, Z95

if TYPE_CHECKING:
    import numpy as np

PRIOR_DRAWS = 0.5
"""Weight, in games, of the imaginary draws that keep ratings finite if somebody always won."""


@dataclass(frozen=True)
class Rating:
    """One line of the list; Elo and the half-width of its 95% confidence."""

    name: str
    elo: float
    error: float
    games: int
    points: float


@dataclass(frozen=True)
class RatingList:
    """The list, best first, White's advantage in Elo, and whether imaginary draws were needed."""

    ratings: list[Rating]
    advantage: float
    advantage_error: float
    with_prior: bool


DIVERGED_NATS = 12.0
"""A fitted log-odds beyond this (one in 160,000) means that the maximum lies at infinity."""

Row = tuple[str, str, float, float]
"""(white, black, White's points, games)"""


def rate(
    rows: Iterable[Row],
    with_advantage: bool = True,
    anchor: tuple[str, float] | None = None,
) -> RatingList | None:
    """Rate all players of the games; None if there are no games.

    The rating of the ``anchor`` is given, and errors are those of differences to it. Without one
    the average is 0, and errors are relative to it.
    """
    rows = [row for row in rows if row[3] > 0]
    names = sorted({name for row in rows for name in row[:2]})
    if len(names) < 2:
        return None
    # Nobody waits for it before the first game.
    import numpy as np

    index = {name: number for number, name in enumerate(names)}
    games = dict.fromkeys(names, 0.0)
    points = dict.fromkeys(names, 0.0)
    for white, black, won, count in rows:
        games[white] += count
        games[black] += count
        points[white] += won
        points[black] += count - won
    # There is no finite maximum if somebody, or a colour in some combination, always won; the fit
    # then diverges. Imaginary draws then say that nobody is infinitely strong.
    strengths, covariance, with_prior = _fit(rows, index, with_advantage)
    if with_prior:
        met = sorted({tuple(sorted(row[:2])) for row in rows})
        draws = [
            (white, black, PRIOR_DRAWS / 2, PRIOR_DRAWS)
            for a, b in met
            for white, black in ((a, b), (b, a))
        ]
        strengths, covariance, _ = _fit([*rows, *draws], index, with_advantage)
    count = len(names)
    fixed = np.full(count, 1.0 / count)
    if anchor is not None:
        fixed = np.array([float(name == anchor[0]) for name in names])
    centre = np.eye(count) - fixed
    errors = np.sqrt(np.maximum(np.diag(centre @ covariance[:count, :count] @ centre.T), 0.0))
    elo = centre @ strengths[:count] * ELO_PER_NAT + (anchor[1] if anchor else 0.0)
    ratings = [
        Rating(
            name,
            float(elo[number]),
            float(Z95 * ELO_PER_NAT * errors[number]),
            round(games[name]),
            points[name],
        )
        for name, number in index.items()
    ]
    ratings.sort(key=lambda rating: -rating.elo)
    advantage = float(strengths[count] * ELO_PER_NAT) if with_advantage else 0.0
    spread = float(np.sqrt(covariance[count, count])) if with_advantage else 0.0
    return RatingList(ratings, advantage, Z95 * ELO_PER_NAT * spread, with_prior)


def _fit(
    rows: list[Row], index: dict[str, int], with_advantage: bool
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Newton's method on the log-likelihood.

    Returns strengths in nats, their covariance, and whether they diverged to infinity.
    """
    import numpy as np

    count = len(index)
    design = np.zeros((len(rows), count + (1 if with_advantage else 0)))
    for number, (white, black, _, _) in enumerate(rows):
        design[number, index[white]] += 1.0
        design[number, index[black]] -= 1.0
        if with_advantage:
            design[number, count] = 1.0
    won = np.array([row[2] for row in rows])
    weight = np.array([row[3] for row in rows])
    strengths = np.zeros(design.shape[1])
    inverse: np.ndarray = np.zeros((design.shape[1], design.shape[1]))
    for _ in range(100):
        chance = 1.0 / (1.0 + np.exp(-design @ strengths))
        gradient = design.T @ (won - weight * chance)
        information = design.T @ ((weight * chance * (1.0 - chance))[:, None] * design)
        # Only differences of strengths are determined: the pseudo-inverse leaves the rest at zero.
        inverse = np.linalg.pinv(information, rcond=1e-10, hermitian=True)
        step = inverse @ gradient
        longest = float(np.max(np.abs(step)))
        strengths += step * min(1.0, 2.0 / longest) if longest > 0 else step
        if longest < 1e-10:
            break
    diverged = bool(np.max(np.abs(design @ strengths)) > DIVERGED_NATS)
    return strengths, inverse, diverged


def groups(rows: Iterable[Row]) -> list[set[str]]:
    """The players in groups that have not met each other: ratings cannot compare them."""
    found: list[set[str]] = []
    for white, black, _, _ in rows:
        met = [group for group in found if group & {white, black}]
        found = [group for group in found if group not in met]
        found.append(set().union({white, black}, *met))
    return found
