"""How hard a puzzle is: the rating at which half of the answers are right, on petard's own scale.

The levels of ``UCI_Elo`` are asked, near the rating that their answers so far suggest, and a
logistic curve of the slope of Elo ratings is fitted to all answers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from petard import Engine, Limit
from petard._petard import ELO_RANGE
from petardlib.puzzles.miner import Found

ASKS = 10, 24
"""Levels that are asked about a puzzle, at least and at most."""
ENOUGH_DEVIATION = 95
"""Fewer than the most are asked if the rating is as certain as this."""
SPREAD = 200
"""How far from the rating so far they are: the standard deviation."""
PRIOR = 1200.0, 900.0
"""What is believed about a puzzle before the first answer: mean and standard deviation."""
SCALE = math.log(10) / 400
ENOUGH = Limit(nodes=1_000_000)
"""More than any level takes."""


@dataclass(frozen=True)
class Difficulty:
    """A puzzle's rating, its standard deviation, and of how many answers how many were right."""

    rating: int
    deviation: int
    asked: int
    right: int


def fit(answers: Sequence[tuple[int, bool]]) -> tuple[float, float]:
    """The rating at which half of these answers would be right, and its standard deviation.

    Answers are levels and whether they were right. The likeliest rating, by Newton's method; the
    prior matters only where all answers are alike.
    """
    mean, deviation = PRIOR
    rating = mean
    for _ in range(50):
        slope = (mean - rating) / deviation**2
        curve = 1 / deviation**2
        for level, right in answers:
            chance = 1 / (1 + 10 ** ((rating - level) / 400))
            slope += SCALE * (chance - right)
            curve += SCALE**2 * chance * (1 - chance)
        step = slope / curve
        rating += max(-400.0, min(400.0, step))
        if abs(step) < 0.01:
            break
    return rating, curve**-0.5


class Rater:
    """Asks the levels of an engine in this process."""

    def __init__(self) -> None:
        self._engine = Engine(hash=1)
        self._engine.set_option("UCI_LimitStrength", True)
        # The levels are measured without proofs of whole boards.
        self._engine.set_option("ProofFile", "<empty>")

    def close(self) -> None:
        """End the engine."""
        self._engine.close()

    def rate(self, puzzle: Found, seed: int) -> Difficulty:
        """Ask about a puzzle."""
        random = Random(seed)
        answers: list[tuple[int, bool]] = []
        rating = PRIOR[0]
        deviation = PRIOR[1]
        while len(answers) < ASKS[0] or (len(answers) < ASKS[1] and deviation > ENOUGH_DEVIATION):
            # A level always answers alike, so no two are the same.
            level = round(random.gauss(rating, SPREAD))
            level = max(ELO_RANGE[0], min(ELO_RANGE[1], level))
            if level in (known for known, _ in answers):
                level += random.choice([-1, 1]) * random.randrange(1, SPREAD)
                level = max(ELO_RANGE[0], min(ELO_RANGE[1], level))
            answers.append((level, self.solves(puzzle, level)))
            rating, deviation = fit(answers)
        right = sum(right for _, right in answers)
        return Difficulty(round(rating), round(deviation), len(answers), right)

    def solves(self, puzzle: Found, level: int) -> bool:
        """Whether an engine of this level finds all moves of the solution."""
        self._engine.set_option("UCI_Elo", level)
        self._engine.new_game()
        board = puzzle.board()
        for number, move in enumerate(puzzle.moves[1:]):
            if number % 2 == 0:
                answer = self._engine.play(board, ENOUGH).move
                if answer is None or answer.uci() != move:
                    return False
            board.push_uci(move)
        return True
