"""The top of a proof: a proof-number tree whose leaves are run as jobs.

Proof-number search: Allis, van der Meulen, van den Herik, "Proof-number search", 1994. Jobs at its
leaves, and pending leaves that count as harder than they are so that others are chosen: Wu, Lin,
Sun et al., "Job-level proof number search", 2013; Saffidine, Jouandeau, Cazenave, "Solving
Breakthrough with race patterns and job-level proof number search", 2011. Giving a leaf's children
the numbers that an unfinished search below it has found is PN² (Allis 1994, Breuker 1998).
Following a move until it is clearly harder than its best rival is the (1 + epsilon) of Pawlewicz
and Lew, "Improving depth-first PN-search", 2006.

Numbers are from the view of the side to move: `phi` is how hard its win looks to prove, `delta` its
loss. A position that is reached in several ways is one node with several parents.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from petardlib.rules.keys import Rules

INFINITE = 1 << 62
"""The number of what cannot be proven."""
LARGEST = 1 << 60
"""The largest finite number."""
SWITCH_FACTOR = 2.5
"""The child followed last may be this many times harder than the easiest one."""
PENDING = 2
"""The factor on a leaf's numbers while a job is working on it."""

Numbers = tuple[int, int]
WON: Numbers = (0, INFINITE)
LOST: Numbers = (INFINITE, 0)


class Node:
    """A position of the tree."""

    __slots__ = (
        "children",
        "delta",
        "free",
        "key",
        "last",
        "left",
        "parents",
        "phi",
        "running",
        "seen",
    )

    def __init__(self, key: str, left: int) -> None:
        """A leaf about which nothing is known."""
        self.key = key
        self.left = left
        self.phi = self.delta = 1
        # The numbers, with pending leaves counted as harder.
        self.seen: Numbers = (1, 1)
        # Whether a job can be found in the node or below it.
        self.free = True
        self.running = False
        # The child followed last.
        self.last: Node | None = None
        self.parents: list[Node] = []
        self.children: list[Node] | None = None

    @property
    def wins(self) -> bool | None:
        """Whether the side to move wins, if that is known."""
        return True if self.phi == 0 else False if self.delta == 0 else None

    def __lt__(self, other: Node) -> bool:
        """Children come before their parents."""
        return self.left < other.left


def combine(children: Iterable[Numbers]) -> Numbers:
    """The numbers of a node from those of its children.

    It wins if the other side loses one child, and loses if the other side wins them all.
    """
    phi, delta = INFINITE, 0
    for child_phi, child_delta in children:
        phi = min(phi, child_delta)
        delta += child_phi
    if phi == 0:
        return WON
    if phi == INFINITE:
        return LOST
    return min(phi, LARGEST), min(delta, LARGEST)


class Tree:
    """The tree above the jobs."""

    def __init__(self, root: str, rules: Rules | None = None) -> None:
        """A tree of one leaf, the position with the key ``root``."""
        self.rules = rules or Rules()
        self.nodes: dict[str, Node] = {}
        self.root = self._node(root)
        if self.root.wins is not None:
            self.root.free = False

    def _node(self, key: str) -> Node:
        """The node of a position, created if there is none."""
        node = self.nodes.get(key)
        if node is None:
            node = self.nodes[key] = Node(key, self.rules.left(key))
            result = self.rules.result(key)
            if result is not None:
                node.phi, node.delta = node.seen = WON if result else LOST
                node.free = False
        return node

    def select(self) -> Node | None:
        """The most important leaf without a job; None if there is none."""
        node = self.root
        if not node.free:
            return None
        while node.children is not None:
            best = min((child for child in node.children if child.free), key=_disproof)
            last = node.last
            if (
                last is not None
                and last.free
                and _disproof(last) <= SWITCH_FACTOR * _disproof(best)
            ):
                best = last
            node.last = best
            node = best
        return node

    def select_running(self) -> Node | None:
        """The most important leaf with a job; None if there is none."""
        node = self.root
        if node.wins is not None:
            return None
        while node.children is not None:
            node = min((child for child in node.children if child.wins is None), key=_disproof)
        return node if node.running else None

    def running(self, node: Node, running: bool) -> None:
        """Note that a job for the node has started or ended."""
        node.running = running
        self._refresh([node])

    def decide(self, node: Node, wins: bool) -> None:
        """Note that the winner is known."""
        node.phi, node.delta = WON if wins else LOST
        self._refresh([node])

    def expand(self, node: Node, known: dict[str, Numbers] | None = None) -> None:
        """Make the children of a node leaves, or give them better numbers.

        ``known`` are numbers by position, as found by a job. Without them, new children get
        numbers from material and mobility, scaled so that the node keeps its own.
        """
        fresh: list[Node] = []
        if node.children is None:
            count = len(self.nodes)
            keys = dict.fromkeys(self.rules.moves(node.key).values())
            node.children = [self._node(key) for key in keys]
            for child in node.children:
                child.parents.append(node)
            fresh = list(self.nodes.values())[count:]
        if known is None:
            self._guess(node, [child for child in fresh if child.wins is None])
        else:
            for child in node.children:
                numbers = known.get(child.key)
                if numbers is None or child.wins is not None:
                    continue
                if 0 in numbers or child.children is None:
                    child.phi, child.delta = numbers
        self._refresh([*node.children, node])

    def _guess(self, node: Node, children: list[Node]) -> None:
        """Set initial numbers, by the formula that the engine uses for its own leaves."""
        for child in children:
            cells = child.key
            quarters = max(-48, min(48, 9 * (cells.count("P") - cells.count("p"))))
            weight = 2.0 ** (quarters / 4)
            mobility = len(self.rules.moves(cells))
            child.phi = max(1, round(64 / weight))
            child.delta = max(1, round(64 * mobility * weight))
        if not children or (node.phi, node.delta) == (1, 1):
            return
        phi, delta = combine((child.phi, child.delta) for child in children)
        for child in children:
            child.phi = _scaled(child.phi, node.delta, delta)
            child.delta = _scaled(child.delta, node.phi, phi)

    def _refresh(self, changed: list[Node]) -> None:
        """Update the numbers of nodes, and of all nodes above them that this changes."""
        heap = list(dict.fromkeys(changed))
        heapq.heapify(heap)
        waiting = set(heap)
        while heap:
            node = heapq.heappop(heap)
            waiting.discard(node)
            before = (node.phi, node.delta, node.seen, node.free)
            self._update(node)
            if (node.phi, node.delta, node.seen, node.free) == before and node not in changed:
                continue
            for parent in node.parents:
                if parent not in waiting:
                    waiting.add(parent)
                    heapq.heappush(heap, parent)

    @staticmethod
    def _update(node: Node) -> None:
        if node.children is not None and node.wins is None:
            node.phi, node.delta = combine((child.phi, child.delta) for child in node.children)
        if node.wins is not None:
            node.seen, node.free = (node.phi, node.delta), False
        elif node.children is not None:
            node.seen = combine(child.seen for child in node.children)
            node.free = any(child.free for child in node.children)
        else:
            factor = PENDING if node.running else 1
            node.seen = min(node.phi * factor, LARGEST), min(node.delta * factor, LARGEST)
            node.free = not node.running

    def matters(self, node: Node) -> bool:
        """Whether the winner of a node could still decide the root."""
        seen, stack = {node}, [node]
        while stack:
            node = stack.pop()
            if node.wins is not None:
                continue
            if node is self.root:
                return True
            fresh = [parent for parent in node.parents if parent not in seen]
            seen.update(fresh)
            stack += fresh
        return False


def _disproof(node: Node) -> int:
    return node.seen[1]


def _scaled(number: int, wanted: int, found: int) -> int:
    return max(1, min(LARGEST, number * wanted // max(1, found)))
