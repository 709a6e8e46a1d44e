"""A proof recomputed from a ledger and the rules, without the tree of the search.

A position is proven if the game is over in it, if a job has proven it, if a move leads to a
position that the other side is proven to lose, or if all moves lead to positions that it is proven
to win. Moves are followed from positions that the ledger opens: those that unfinished jobs report,
and splits. Pieces only move forward, so the argument cannot be circular.
"""

from __future__ import annotations

from dataclasses import dataclass

from petardlib.proofs.ledger import Ledger
from petardlib.rules.keys import Rules

Value = tuple[bool, int]
"""Whether the side to move wins, and the most jobs that the proof needs."""


@dataclass
class JobProof:
    """What the ledger proves about a position, and by what."""

    wins: bool | None
    jobs: int = 0
    nodes: int = 0
    positions: int = 0


class _Prover:
    def __init__(self, ledger: Ledger) -> None:
        self.rules, self.ledger = Rules(), ledger
        self.values: dict[str, Value | None] = {}

    def children(self, key: str) -> list[str]:
        return list(dict.fromkeys(self.rules.moves(key).values()))

    def job_of(self, key: str) -> str | None:
        """The position of the job that proved this one."""
        job = self.ledger.jobs.get(key)
        if job is not None and job.wins is not None:
            return key
        inferred = self.ledger.inferred.get(key)
        return inferred[1] if inferred else None

    def value(self, key: str) -> Value | None:
        """What is proven about a position; None if nothing."""
        if key not in self.values:
            self.values[key] = self.compute(key)
        return self.values[key]

    def compute(self, key: str) -> Value | None:
        result = self.rules.result(key)
        if result is not None:
            return result, 0
        if self.job_of(key) is not None:
            wins = self.ledger.wins(key)
            assert wins is not None
            return wins, 1
        if key not in self.ledger.opened and key not in self.ledger.split:
            return None
        values = [self.value(child) for child in self.children(key)]
        lost = [value[1] for value in values if value is not None and not value[0]]
        if lost:
            return True, min(lost)
        if all(value is not None for value in values):
            return False, sum(value[1] for value in values if value is not None)
        return None

    def collect(self, root: str) -> tuple[set[str], set[str]]:
        """The positions of a proof of the root, and those of the jobs it depends on."""
        positions: set[str] = set()
        jobs: set[str] = set()
        stack = [root]
        while stack:
            key = stack.pop()
            if key in positions:
                continue
            positions.add(key)
            value = self.values[key]
            assert value is not None
            job = self.job_of(key)
            if self.rules.result(key) is not None:
                continue
            if job is not None:
                jobs.add(job)
                continue
            children = self.children(key)
            if value[0]:
                lost = [(self.values[c], c) for c in children]
                best = min(
                    (found[1], child) for found, child in lost if found is not None and not found[0]
                )
                children = [best[1]]
            stack += children
        return positions, jobs


def prove_from(key: str, ledger: Ledger) -> JobProof:
    """What the ledger proves about a position."""
    prover = _Prover(ledger)
    value = prover.value(key)
    if value is None:
        return JobProof(None)
    positions, jobs = prover.collect(key)
    records = [ledger.jobs[job] for job in jobs]
    return JobProof(
        wins=value[0],
        jobs=len(jobs),
        nodes=sum(record.nodes for record in records),
        positions=len(positions),
    )
