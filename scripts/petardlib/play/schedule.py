"""Which games a tournament consists of, in the order they are started."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from petardlib.play.game import Adjudication, Job
from petardlib.play.openings import Opening
from petardlib.play.spec import EngineSpec
from petardlib.rules.positions import BREAKTHROUGH

FORMATS = ("round-robin", "gauntlet", "ladder")

RUNGS = 2
"""How many of the next engines in the list an engine meets on a ladder."""


@dataclass
class Plan:
    """Everything that determines the games: the same plan always gives the same jobs."""

    engines: list[EngineSpec]
    openings: list[Opening]
    format: str = "round-robin"
    games: int = 100
    seeds: int = 1
    variant: str = BREAKTHROUGH
    max_plies: int = 0
    adjudication: Adjudication = field(default_factory=Adjudication)
    header: dict[str, Any] = field(default_factory=dict)
    programs: dict[str, dict[str, str]] = field(default_factory=dict)
    """What each engine is: its ``id name``, and the hash of its files."""

    def pairings(self) -> list[tuple[EngineSpec, EngineSpec]]:
        """Who meets whom.

        In a gauntlet the seeds, the first engines, meet all others. On a ladder each engine meets
        the next two in the list, so that engines far apart in strength are compared through those
        between them.
        """
        if self.format == "gauntlet":
            seeds, rest = self.engines[: self.seeds], self.engines[self.seeds :]
            return [(seed, other) for seed in seeds for other in rest]
        reach = RUNGS if self.format == "ladder" else len(self.engines)
        return [
            (a, b) for i, a in enumerate(self.engines) for b in self.engines[i + 1 : i + 1 + reach]
        ]

    @property
    def pairs_each(self) -> int:
        """Openings per pairing, each played twice; an odd number of games is rounded up."""
        return (self.games + 1) // 2

    @property
    def total(self) -> int:
        """The number of games."""
        return 2 * self.pairs_each * len(self.pairings())

    def jobs(self, done: set[int]) -> Iterator[Job]:
        """All games except those whose index is in ``done``.

        All pairings play an opening before the next one begins, so that a tournament stopped early
        is still fair.
        """
        index = 0
        pairings = self.pairings()
        for number in range(self.pairs_each):
            opening = self.openings[number % len(self.openings)]
            for place, (first, second) in enumerate(pairings):
                for white, black in ((first, second), (second, first)):
                    if index not in done:
                        yield Job(
                            index=index,
                            pair=number * len(pairings) + place,
                            round=number + 1,
                            white=white,
                            black=black,
                            fen=opening.fen,
                            variant=self.variant,
                            book=opening.moves,
                            opening=opening.label,
                            max_plies=self.max_plies,
                            adjudication=self.adjudication,
                        )
                    index += 1
