"""The tree of an opening book, and which position is searched next.

Drop-out expansion (Lincke, "Strategies for the Automatic Construction of Opening Books", 2000): a
line costs what its moves give up, each against the best move of its position, and a little for
every ply, so that the book grows both where play is good and near its root. The cheapest leaf is
next. Values are those of the searches at the leaves, backed up by negamax; what is proven stays
exact.

A search looks at a position's best moves only. What the others are worth is bounded by the worst of
those: as soon as that is better than what the searched moves have turned out to be, or costs less
than other leaves, they are searched too (Buro, "Toward Opening Book Learning", 1999).
"""

from __future__ import annotations

import heapq
from collections.abc import Collection
from dataclasses import dataclass, field

from petardlib.openingbook.values import PROVEN, before, is_proven
from petardlib.rules.keys import board_at, moves_of


@dataclass
class Node:
    """A position that has been searched, by its key."""

    children: dict[str, str]
    """The keys after each move; of two moves that are mirror images only the first."""
    found: dict[str, int] = field(default_factory=dict)
    """What the searches of this position say about its moves."""
    nodes: int = 0
    """Nodes of all searches of this position."""

    @property
    def others(self) -> list[str]:
        """The moves that no search has reported on."""
        return [move for move in self.children if move not in self.found]


@dataclass(frozen=True)
class Leaf:
    """A position to search: all of its moves, or those that no search has reported on."""

    key: str
    moves: tuple[str, ...]
    ply: int
    cost: int


def distinct_moves(key: str) -> dict[str, str]:
    """The keys after each move of a position; of two mirror images only the first."""
    found: dict[str, str] = {}
    for move, child in sorted(moves_of(board_at(key)).items()):
        if child not in found.values():
            found[move] = child
    return found


class Tree:
    """All that is known about the positions below one."""

    def __init__(self, root: str, step: int) -> None:
        """An empty book; ``step`` is what a ply costs, in centipawns."""
        self.root, self.step = root, step
        self.nodes: dict[str, Node] = {}
        self._values: dict[str, int] = {}
        self._parents: dict[str, set[str]] = {}

    def add(self, key: str, found: dict[str, int], nodes: int) -> None:
        """Enter what a search has found out."""
        node = self.nodes.get(key)
        if node is None:
            node = self.nodes[key] = Node(distinct_moves(key))
            for child in node.children.values():
                self._parents.setdefault(child, set()).add(key)
        if unknown := found.keys() - node.children.keys():
            raise ValueError(f"{min(unknown)} is no move of {key}")
        node.found.update(found)
        node.nodes += nodes
        self._forget(key)

    def _forget(self, key: str) -> None:
        """Drop the values that depend on a position's."""
        open_ = [key]
        while open_:
            key = open_.pop()
            if self._values.pop(key, None) is not None or key in self.nodes:
                open_ += [parent for parent in self._parents.get(key, ()) if parent in self._values]

    def move_value(self, node: Node, move: str) -> int | None:
        """What a move is worth: by what follows it, else by the search; None if unknown."""
        child = node.children[move]
        if child in self.nodes:
            deeper = before(self.value(child))
            # Proven by the search above, perhaps with a shorter end.
            own = node.found.get(move)
            return own if own is not None and is_proven(own) else deeper
        return node.found.get(move)

    def moves(self, key: str) -> dict[str, int]:
        """The moves that have a value, best first."""
        node = self.nodes[key]
        values = {move: self.move_value(node, move) for move in node.children}
        known = {move: value for move, value in values.items() if value is not None}
        return dict(sorted(known.items(), key=lambda item: (-item[1], item[0])))

    def others_value(self, key: str) -> int | None:
        """What the moves that no search has reported on are worth at most; None without any."""
        node = self.nodes[key]
        others = [move for move in node.others if node.children[move] not in self.nodes]
        return min(node.found.values()) if others and node.found else None

    def value(self, key: str) -> int:
        """What a searched position is worth to the side to move."""
        # Not recursive: a line of a book may be longer than Python's stack.
        open_ = [key]
        while open_:
            top = open_[-1]
            if top in self._values:
                open_.pop()
                continue
            node = self.nodes[top]
            below = [child for child in node.children.values() if child in self.nodes]
            if missing := [child for child in below if child not in self._values]:
                open_ += missing
                continue
            best = max(self.moves(top).values())
            rest = self.others_value(top)
            if rest is not None and (best < rest or best <= -PROVEN < rest):
                best = rest
            self._values[top] = best
            open_.pop()
        return self._values[key]

    def next_leaf(self, pending: Collection[tuple[str, bool]], max_ply: int) -> Leaf | None:
        """The cheapest leaf that is not ``pending`` (key, and whether for its other moves)."""
        queue: list[tuple[int, int, str, bool]] = [(0, 0, self.root, False)]
        done: set[str] = set()
        is_solved = self.root in self.nodes and is_proven(self.value(self.root))
        while queue:
            cost, ply, key, others = heapq.heappop(queue)
            if others:
                if (key, True) not in pending:
                    return Leaf(key, tuple(self.nodes[key].others), ply, cost)
                continue
            if key in done:
                continue
            done.add(key)
            node = self.nodes.get(key)
            if node is None:
                if (key, False) in pending:
                    continue
                return Leaf(key, tuple(distinct_moves(key)), ply, cost)
            if ply >= max_ply:
                continue
            self._expand(queue, node, (cost, ply, key), is_solved)
        return None

    def _expand(
        self,
        queue: list[tuple[int, int, str, bool]],
        node: Node,
        place: tuple[int, int, str],
        is_solved: bool,
    ) -> None:
        cost, ply, key = place
        best = self.value(key)
        for move, value in self.moves(key).items():
            child = node.children[move]
            # Where the result is known, the search plays it; a solved board's book is its proof.
            if (is_proven(value) and not is_solved) or board_at(child).is_game_over():
                continue
            if best >= PROVEN > value:
                continue
            given_up = 0 if is_proven(best) else best - value
            heapq.heappush(queue, (cost + given_up + self.step, ply + 1, child, False))
        rest = self.others_value(key)
        if rest is not None and not is_proven(rest) and not is_proven(best):
            heapq.heappush(queue, (cost + best - rest + self.step, ply, key, True))

    def searches(self) -> dict[str, int]:
        """How many searched positions there are from each on, itself included."""
        order: list[str] = []
        seen: set[str] = set()
        open_ = [(key, False) for key in self.nodes]
        while open_:
            key, is_done = open_.pop()
            if is_done:
                order.append(key)
            elif key not in seen:
                seen.add(key)
                open_.append((key, True))
                open_ += [(c, False) for c in self.nodes[key].children.values() if c in self.nodes]
        numbers = {key: number for number, key in enumerate(order)}
        below: dict[str, int] = {}
        for key in order:
            bits = 1 << numbers[key]
            for child in self.nodes[key].children.values():
                bits |= below.get(child, 0)
            below[key] = bits
        return {key: bits.bit_count() for key, bits in below.items()}

    def best_line(self, most: int = 40) -> list[str]:
        """The best moves from the root on, as the keys of the positions they lead to."""
        line: list[str] = []
        key = self.root
        while key in self.nodes and len(line) < most:
            move = next(iter(self.moves(key)))
            key = self.nodes[key].children[move]
            line.append(key)
        return line
