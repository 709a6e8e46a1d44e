"""Growing an opening book in jobs: the ledger, one line for each search, is all of its state."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from petard import Board
from petardlib.base.errors import UserError
from petardlib.base.journal import Journal, decoder
from petardlib.jobs.pool import Pool
from petardlib.openingbook.file import Entry, packed, written
from petardlib.openingbook.search import Search, SearchTask
from petardlib.openingbook.tree import Leaf, Tree
from petardlib.openingbook.values import text
from petardlib.play.spec import EngineSpec
from petardlib.rules.keys import board_at, key_of

KIND = "opening-book"


@dataclass(frozen=True)
class Growth:
    """How a book grows."""

    lines: int  # moves that a search looks at; at the root all
    nodes: int  # of a search
    deeper: int  # each ply that a position is nearer to the root than this doubles its nodes
    max_ply: int

    def nodes_at(self, ply: int) -> int:
        """The nodes of a search so many plies from the root."""
        return self.nodes << max(0, self.deeper - ply)


@dataclass
class Progress:
    """How far a run is. ``run_searches`` counts this run, the others the whole ledger."""

    positions: int
    searches: int
    nodes: int
    run_searches: int
    seconds: float
    value: str
    line: str

    def text(self) -> str:
        """The progress as one line."""
        return (
            f"time {self.seconds:.0f} s  positions {self.positions}  searches {self.searches}  "
            f"nodes {self.nodes}  value {self.value}  line {self.line}"
        )


class Run:
    """A run that continues from whatever its ledger holds."""

    def __init__(self, path: Path | None, start: Board, step: int) -> None:
        """Open or start the ledger of a board; that of another one is refused."""
        self.start = start
        self.tree = Tree(key_of(start), step)
        self.searches = self.nodes = self.run_searches = 0
        self.begin = time.monotonic()
        header = {"kind": KIND, "version": 1, "board": f"{start.files}x{start.ranks}"}
        self.journal = Journal(path, header, decoder(Search), durable=True)
        self.journal.read(self._take)

    def _take(self, search: Search) -> None:
        if not search.found:
            raise ValueError("found")
        board = board_at(search.pos)
        if (board.files, board.ranks) != (self.start.files, self.start.ranks):
            raise UserError(f"'{search.pos}' is a position of another board")
        self.tree.add(key_of(board), search.found, search.nodes)
        self.searches += 1
        self.nodes += search.nodes

    def work(
        self,
        pool: Pool,
        engine: EngineSpec,
        growth: Growth,
        positions: int,
        report: Callable[[Progress], None] | None,
        every: float,
    ) -> None:
        """Search until the book has so many positions, or nothing is left to search."""
        pending: set[tuple[str, bool]] = set()
        last_report = time.monotonic()

        def fill() -> None:
            while len(pending) < pool.capacity + pool.executor.spare:
                if len(self.tree.nodes) + len(pending) >= positions:
                    return
                leaf = self.tree.next_leaf(pending, growth.max_ply)
                if leaf is None:
                    return
                pending.add(self._place(leaf))
                lines = len(leaf.moves) if leaf.ply == 0 else growth.lines
                pool.submit(SearchTask(engine, leaf, lines, growth.nodes_at(leaf.ply)))

        fill()
        while result := pool.wait():
            task, record = result
            pending.discard(self._place(task.leaf))
            self._take(record)
            self.journal.append(record)
            self.run_searches += 1
            fill()
            if report and time.monotonic() - last_report >= every:
                last_report = time.monotonic()
                report(self.progress())

    def _place(self, leaf: Leaf) -> tuple[str, bool]:
        return leaf.key, leaf.key in self.tree.nodes

    def progress(self) -> Progress:
        """How far the run is."""
        tree = self.tree
        value = text(tree.value(tree.root)) if tree.root in tree.nodes else "?"
        return Progress(
            len(tree.nodes),
            self.searches,
            self.nodes,
            self.run_searches,
            time.monotonic() - self.begin,
            value,
            " ".join(self.best_line()) or "-",
        )

    def best_line(self) -> list[str]:
        """The best moves from the start position on."""
        board, moves = self.start.copy(), []
        wanted = self.tree.best_line()
        for key in wanted:
            for move in board.legal_moves:
                after = board.copy(stack=False)
                after.push(move)
                if key_of(after) == key:
                    board.push(move)
                    moves.append(move.uci())
                    break
        return moves

    def book(self) -> bytes:
        """The file of the book so far."""
        searches = self.tree.searches()
        entries = {}
        for key in self.tree.nodes:
            board = board_at(key)
            entry = Entry(searches[key], self.tree.moves(key))
            entries[packed(board)[0]] = board, entry
        return written((self.start.files, self.start.ranks), self.nodes, entries)

    def close(self) -> None:
        """Close the ledger."""
        self.journal.close()
