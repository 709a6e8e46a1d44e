"""Job-level proof-number search: the tree, the ledger and the workers brought together."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from petard import Board
from petardlib.base.errors import UserError
from petardlib.jobs.pool import Pool
from petardlib.proofs.ledger import Ledger
from petardlib.proofs.pntree import Node, Tree
from petardlib.proofs.solvejob import Job, JobLimits, SolveTask
from petardlib.rules.keys import board_at, key_of, moves_of

V = TypeVar("V")


@dataclass
class Progress:
    """How far a search is. ``jobs``, ``nodes`` and ``job_seconds`` count the whole ledger."""

    proof: int
    disproof: int
    jobs: int
    unknown: int
    running: int
    positions: int
    nodes: int
    job_seconds: float
    run_jobs: int
    run_nodes: int
    seconds: float

    def line(self) -> str:
        """The progress as one line."""
        return (
            f"time {self.seconds:.0f} s  proof {self.proof}  disproof {self.disproof}  "
            f"jobs {self.jobs} ({self.unknown} unknown, {self.running} running)  "
            f"positions {self.positions}  nodes {self.nodes}  "
            f"nodes/s {self.run_nodes / max(0.001, self.seconds):.0f}"
        )


class JobSearch:
    """A search that continues from whatever the ledger knows."""

    def __init__(self, board: Board, ledger: Ledger) -> None:
        """Build the tree above a position from the ledger."""
        self.board, self.ledger = board, ledger
        self.tree = Tree(key_of(board))
        self.tasks: dict[str, SolveTask] = {}
        self.run_jobs = self.run_nodes = 0
        self.begin = time.monotonic()
        self._apply([self.tree.root])

    def _apply(self, nodes: list[Node]) -> None:
        """Tell the tree what the ledger knows about nodes, and about those this uncovers."""
        ledger = self.ledger
        stack = list(nodes)
        while stack:
            node = stack.pop()
            wins = ledger.wins(node.key)
            if node.wins is not None:
                if wins is not None and wins != node.wins:
                    raise UserError(
                        f"jobs contradict each other about {node.key} (White to "
                        "move) or what follows from it; one of the engines is broken"
                    )
            elif wins is not None:
                self.tree.decide(node, wins)
            elif node.key in ledger.opened or node.key in ledger.split:
                self.tree.expand(node, ledger.opened.get(node.key))
                stack += [child for child in node.children or () if self._has_news(child)]

    def _has_news(self, node: Node) -> bool:
        """Whether the ledger knows more about a node than the tree."""
        if node.wins is not None:
            return False
        if self.ledger.wins(node.key) is not None:
            return True
        known = node.key in self.ledger.opened or node.key in self.ledger.split
        return known and node.children is None

    @property
    def wins(self) -> bool | None:
        """Whether the side to move at the root wins."""
        return self.tree.root.wins

    def next_task(self, engine: str, limits: JobLimits) -> SolveTask | None:
        """The most important job; None if none could be done now."""
        node = self.tree.select()
        while node is None:
            # All leaves are pending, and a worker is idle.
            busy = self.tree.select_running()
            if busy is None:
                return None
            self.ledger.add_split(busy.key)
            self._apply([busy])
            node = self.tree.select()
        self.tree.running(node, True)
        task = SolveTask(engine, node.key, limits)
        self.tasks[node.key] = task
        return task

    def finished(self, job: Job) -> None:
        """Add the record of a job."""
        node = self.tree.nodes[key_of(board_at(job.pos))]
        del self.tasks[node.key]
        inferred, opened = len(self.ledger.inferred), len(self.ledger.opened)
        self.ledger.add_job(job)
        self.run_jobs += 1
        self.run_nodes += job.nodes
        self.tree.running(node, False)
        # A job may report about positions several plies below its own, and other moves may have
        # brought them into the tree already.
        news = [*_added(self.ledger.inferred, inferred), *_added(self.ledger.opened, opened)]
        self._apply([node, *(self.tree.nodes[key] for key in news if key in self.tree.nodes)])

    def idle_tasks(self) -> list[SolveTask]:
        """Pending jobs that no longer matter; they are forgotten."""
        nodes = [self.tree.nodes[key] for key in self.tasks]
        idle = [node for node in nodes if not self.tree.matters(node)]
        for node in idle:
            self.tree.running(node, False)
        return [self.tasks.pop(node.key) for node in idle]

    def progress(self) -> Progress:
        """How far the search is."""
        root, ledger = self.tree.root, self.ledger
        return Progress(
            proof=root.phi,
            disproof=root.delta,
            jobs=ledger.count,
            unknown=ledger.unknown,
            running=len(self.tasks),
            positions=len(self.tree.nodes),
            nodes=ledger.nodes,
            job_seconds=ledger.seconds,
            run_jobs=self.run_jobs,
            run_nodes=self.run_nodes,
            seconds=time.monotonic() - self.begin,
        )

    def run(
        self,
        pool: Pool,
        engine: str,
        limits: JobLimits,
        seconds: float | None,
        report: Callable[[Progress], None] | None,
        every: float,
    ) -> None:
        """Run until the winner is known or time is up."""
        deadline = None if seconds is None else self.begin + seconds
        last_report = time.monotonic()
        while self.wins is None:
            now = time.monotonic()
            if deadline is not None and now >= deadline:
                return
            if report and now - last_report >= every:
                last_report = now
                report(self.progress())
            while pool.pending < pool.capacity:
                task = self.next_task(engine, limits)
                if task is None:
                    break
                pool.submit(task)
            ends = [last_report + every] if report else []
            ends += [deadline] if deadline is not None else []
            # A cluster may have grown in the meantime.
            ends.append(now + 5.0)
            result = pool.wait(max(0.0, min(ends) - now))
            if result is None:
                continue
            self.finished(result[1])
            for task in self.idle_tasks():
                pool.cancel(task)

    def winning_move(self) -> str | None:
        """A move that wins the root position."""
        if self.wins is not True:
            return None
        job = self.ledger.jobs.get(self.tree.root.key)
        reported = moves_of(board_at(job.pos)).get(job.move or "") if job else None
        for move, child in moves_of(self.board).items():
            node = self.tree.nodes.get(child)
            if child == reported or (node is not None and node.wins is False):
                return move
        return None


def _added(known: dict[str, V], count: int) -> list[str]:
    """The keys that a dictionary has got since it had ``count``."""
    return list(islice(reversed(known), len(known) - count))
