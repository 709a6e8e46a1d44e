"""Proof-number arithmetic on toy trees, and whole searches with jobs from dice and an oracle."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conftest import FACTOR, start_fen
from petard import Board
from petardlib.base.errors import UserError
from petardlib.jobs.pool import LocalExecutor, Pool, Result
from petardlib.proofs.jobproof import prove_from
from petardlib.proofs.jobsearch import JobSearch
from petardlib.proofs.ledger import Ledger
from petardlib.proofs.pntree import INFINITE, LARGEST, LOST, WON, Node, Tree, combine
from petardlib.proofs.solvejob import Job, JobLimits, SolveTask
from petardlib.rules.keys import Rules, board_at, key_of, moves_of


class Toy:
    """A game drawn as a tree: positions are letters, moves the letters below them."""

    def __init__(self, moves: dict[str, str], results: dict[str, bool] | None = None) -> None:
        self.below, self.results = moves, results or {}

    def result(self, cells: str) -> bool | None:
        return self.results.get(cells)

    def moves(self, cells: str) -> dict[str, str]:
        return {cells + after: after for after in self.below.get(cells, "")}

    def left(self, cells: str) -> int:
        return 1 + max((self.left(after) for after in self.moves(cells).values()), default=0)


def tree_of(moves: dict[str, str], results: dict[str, bool] | None = None) -> Tree:
    toy: Any = Toy(moves, results)
    return Tree("r", toy)


@pytest.mark.parametrize(
    ("children", "numbers"),
    [
        ([(3, 4), (2, 7)], (4, 5)),
        ([(3, 4)], (4, 3)),
        ([WON, (2, 7)], (7, 2)),
        ([LOST, (2, 7)], WON),
        ([WON, WON], LOST),
        ([], LOST),
        ([(LARGEST, LARGEST)] * 5, (LARGEST, LARGEST)),
        ([(1, LARGEST), WON], (LARGEST, 1)),
    ],
)
def test_numbers(children: list[tuple[int, int]], numbers: tuple[int, int]) -> None:
    assert combine(children) == numbers
    assert combine(reversed(children)) == numbers


def test_a_tree_by_hand() -> None:
    tree = tree_of({"r": "ab", "a": "cd", "b": "e"})
    root, nodes = tree.root, tree.nodes
    assert tree.select() is root
    tree.expand(root, {"a": (3, 4), "b": (2, 7)})
    assert (root.phi, root.delta) == (4, 5)
    assert tree.select() is nodes["a"]
    tree.expand(nodes["a"], {"c": (10, 1), "d": (20, 5)})
    assert (nodes["a"].phi, nodes["a"].delta) == (1, 30)
    assert (root.phi, root.delta) == (7, 3)
    # The other move is now clearly easier.
    assert tree.select() is nodes["b"]
    tree.decide(nodes["b"], True)
    assert (root.phi, root.delta) == (30, 1)
    assert tree.select() is nodes["c"]
    tree.decide(nodes["c"], True)
    assert (root.phi, root.delta) == (20, 5) and root.wins is None
    tree.decide(nodes["d"], True)
    assert nodes["a"].wins is False and root.wins is True
    assert tree.select() is None and tree.select_running() is None


def test_a_lost_root() -> None:
    tree = tree_of({"r": "ab"}, {"a": True})
    tree.expand(tree.root, {"a": (5, 5), "b": (2, 7)})
    assert tree.nodes["a"].wins is True, "the rules know better than the job"
    assert tree.select() is tree.nodes["b"]
    tree.decide(tree.nodes["b"], True)
    assert tree.root.wins is False and (tree.root.phi, tree.root.delta) == LOST


def test_a_finished_root() -> None:
    tree = tree_of({}, {"r": False})
    assert tree.root.wins is False and tree.select() is None


def test_leaves_in_hand_are_left_to_others() -> None:
    tree = tree_of({"r": "abc"})
    tree.expand(tree.root, {"a": (9, 4), "b": (9, 6), "c": (9, 50)})
    chosen = []
    while (node := tree.select()) is not None:
        tree.running(node, True)
        chosen.append(node.key)
    assert chosen == ["a", "b", "c"]
    # Leaves in hand count as harder, but only for the selection.
    assert tree.root.seen == (8, 54) and (tree.root.phi, tree.root.delta) == (4, 27)
    assert tree.select_running() is tree.nodes["a"]
    tree.running(tree.nodes["b"], False)
    assert tree.select() is tree.nodes["b"]
    # When a leaf in hand is opened, it has leaves without a job.
    tree.running(tree.nodes["b"], True)
    tree.expand(tree.nodes["a"])
    assert tree.nodes["a"].wins is False, "there are no moves"


def test_a_move_is_followed_until_it_is_clearly_harder() -> None:
    tree = tree_of({"r": "ab", "a": "c", "b": "d"})
    tree.expand(tree.root, {"a": (9, 10), "b": (9, 11)})
    a, b = tree.nodes["a"], tree.nodes["b"]
    assert tree.select() is a
    for delta, expected in ((12, a), (27, a), (28, b), (27, b), (28, b), (4, a)):
        a.delta = delta
        tree.running(a, False)
        assert tree.select() is expected, delta


def test_a_position_reached_in_two_ways_is_one() -> None:
    tree = tree_of({"r": "ab", "a": "cx", "b": "cy"})
    tree.expand(tree.root, {"a": (5, 5), "b": (5, 5)})
    nodes = tree.nodes
    tree.expand(nodes["a"], {"c": (3, 8), "x": (4, 9)})
    tree.expand(nodes["b"], {"c": (3, 8), "y": (1, 1)})
    assert len(nodes) == 6 and nodes["c"].parents == [nodes["a"], nodes["b"]]
    assert (nodes["a"].phi, nodes["a"].delta) == (8, 7)
    assert (nodes["b"].phi, nodes["b"].delta) == (1, 4)
    tree.running(nodes["c"], True)
    assert nodes["a"].seen == (9, 10) and nodes["b"].seen == (1, 7)
    tree.decide(nodes["c"], False)
    assert nodes["a"].wins is True and nodes["b"].wins is True and tree.root.wins is False


def test_work_that_no_longer_matters() -> None:
    tree = tree_of({"r": "ab", "a": "c", "b": "cd"})
    tree.expand(tree.root, {"a": (5, 5), "b": (5, 5)})
    tree.expand(tree.nodes["a"], {"c": (3, 8)})
    tree.expand(tree.nodes["b"], {"c": (3, 8), "d": (1, 1)})
    assert tree.matters(tree.nodes["c"]) and tree.matters(tree.nodes["d"])
    tree.decide(tree.nodes["b"], True)
    assert tree.matters(tree.nodes["c"]) and not tree.matters(tree.nodes["d"])
    tree.decide(tree.nodes["c"], True)
    assert not tree.matters(tree.nodes["c"])
    assert tree.root.wins is True and not tree.matters(tree.root)


def test_guesses_keep_the_numbers_of_the_position() -> None:
    tree = Tree(key_of(Board(start_fen(5, 5))))
    tree.expand(tree.root)
    children = tree.root.children or []
    assert len(children) == 7, "mirror images are one"
    assert all(child.phi > 0 and child.delta > 0 for child in children)
    numbers = {child.key: (1000, 3000) for child in children}
    tree.expand(tree.root, numbers)
    child = children[0]
    tree.expand(child)
    assert 0.9 < child.phi / 1000 < 1.1 and 0.9 < child.delta / 3000 < 1.1


class Oracle:
    """Who wins, by exhaustive search on bits, which shares nothing with the rules of the tree."""

    def __init__(self, files: int, ranks: int) -> None:
        squares = files * ranks
        last = sum(1 << (squares - files + file) for file in range(files))
        turned = [int(f"{bits:0{squares}b}"[::-1], 2) for bits in range(1 << squares)]
        steps = [
            [(1 << at, 1 << at + files + aside, bool(aside)) for aside in (0, -1, 1)
             if 0 <= at % files + aside < files]
            for at in range(squares - files)
        ]  # fmt: skip

        @cache
        def wins(own: int, other: int) -> bool:
            """Whether the side that moves up wins; the board is turned after every move."""
            if turned[other] & last or not own:
                return False
            if not other:
                return True
            for start, end, aside in (step for steps_of in steps for step in steps_of):
                if own & start and not end & (own if aside else own | other):
                    after = own ^ start | end
                    if end & last or not wins(turned[other & ~end], turned[after]):
                        return True
            return False

        def read(key: str) -> bool:
            rows = [re.sub(r"[0-9]+", lambda run: "." * int(run[0]), row) for row in key.split("/")]
            cells = "".join(row[::-1] for row in rows)
            own, other = (int("".join("01"[cell == one] for cell in cells), 2) for one in "Pp")
            return wins(own, other)

        self.wins = cache(read)


class DicePool(Pool):
    """Jobs that find the truth, or often only an approximation, in any order."""

    def __init__(self, oracle: Oracle, size: int, seed: int) -> None:
        super().__init__(LocalExecutor(size))
        self.oracle, self.size = oracle, size
        self.rng = random.Random(seed)
        self.tasks: list[SolveTask] = []
        self.cancelled = 0
        # After this many results, someone presses Ctrl-C.
        self.most: int | None = None

    @property
    def capacity(self) -> int:
        return self.size

    @property
    def pending(self) -> int:
        return len(self.tasks)

    def submit(self, task: Any) -> None:
        assert all(task.pos != other.pos for other in self.tasks), "a job twice at a time"
        self.tasks.append(task)

    def wait(self, timeout: float | None = None) -> Result | None:
        if not self.tasks:
            return None
        if self.most is not None:
            if self.most == 0:
                raise KeyboardInterrupt
            self.most -= 1
        task = self.tasks.pop(self.rng.randrange(len(self.tasks)))
        return task, self.record(task)

    def cancel(self, task: Any) -> None:
        self.tasks = [other for other in self.tasks if other is not task]
        self.cancelled += 1

    def close(self) -> None:
        self.tasks.clear()

    def prospects(self, board: Board) -> dict[str, list[int | None]]:
        found: dict[str, list[int | None]] = {}
        for name, after in moves_of(board).items():
            wins = self.oracle.wins(after)
            if Rules().result(after) is not None or (wins and self.rng.random() < 0.2):
                found[name] = [None, 0] if wins else [0, None]
            else:
                found[name] = [self.rng.randint(1, 99), self.rng.randint(1, 99)]
        return found

    def record(self, task: SolveTask) -> Job:
        return msgspec.convert(self._record(task), Job)

    def _record(self, task: SolveTask) -> dict[str, Any]:
        board = board_at(task.pos)
        record = {"pos": task.pos, "nodes": 7, "s": 0.25, "limit": task.limits.to_json()}
        if self.rng.random() < 0.3 or Rules().left(task.pos) < 8:
            wins = self.oracle.wins(key_of(board))
            return {**record, "result": "win" if wins else "loss"}
        opened = {"": self.prospects(board)}
        while self.rng.random() < 0.4:
            board.push(self.rng.choice(list(board.legal_moves)))
            if board.is_game_over():
                break
            line = " ".join(move.uci() for move in board.move_stack)
            opened[line] = self.prospects(board)
        return {**record, "result": "unknown", "opened": opened}


LIMITS = JobLimits(nodes=7, seconds=None, hash=1)
ORACLES: dict[tuple[int, int], Oracle] = {}


@pytest.mark.parametrize("size", [(2, 4), (3, 4), (2, 5), (2, 6), (3, 5)])
@pytest.mark.parametrize("workers", [1, 2, 5, 16])
def test_searches_find_the_winner(tmp_path: Path, size: tuple[int, int], workers: int) -> None:
    """Stopped after any number of jobs, any number of times, with any number of workers."""
    board, fen = Board(start_fen(*size)), start_fen(*size)
    oracle = ORACLES.setdefault(size, Oracle(*size))
    root = key_of(board)
    splits = cancelled = 0
    for seed in range(2 * FACTOR):
        rng = random.Random(seed)
        path = tmp_path / f"{seed}.jsonl"
        while True:
            ledger = Ledger(path, fen)
            search = JobSearch(board, ledger)
            pool = DicePool(oracle, workers, rng.randrange(1 << 30))
            before = ledger.count
            pool.most = rng.randint(1, 20)
            with contextlib.suppress(KeyboardInterrupt):
                search.run(pool, "", LIMITS, None, None, 1.0)
            assert ledger.count == before + search.run_jobs
            cancelled += pool.cancelled
            numbers = [(child.phi, child.delta) for child in search.tree.root.children or ()]
            if numbers and search.wins is None:
                assert combine(numbers) == (search.tree.root.phi, search.tree.root.delta)
            proof = prove_from(root, ledger)
            assert proof.wins == search.wins
            ledger.close()
            if search.wins is not None:
                break
        assert search.wins == oracle.wins(root)
        assert 1 <= proof.jobs <= ledger.count or board.is_game_over()
        if search.wins:
            after = moves_of(board).get(search.winning_move() or "")
            # A job that proves the root alone need not name a move.
            assert after is None or not oracle.wins(after)
        splits += path.read_text().count('"split"')
    assert (splits > 0) == (workers > 1), splits
    if workers == 16:
        assert cancelled > 0


def test_the_tree_knows_what_the_ledger_proves(tmp_path: Path) -> None:
    """However many plies below its own position a job reports, and whatever is there already."""
    board, fen = Board(start_fen(2, 5)), start_fen(2, 5)
    oracle = ORACLES.setdefault((2, 5), Oracle(2, 5))
    for seed in range(15, 37):
        ledger = Ledger(tmp_path / f"{seed}", fen)
        search = JobSearch(board, ledger)
        finished = search.finished

        def checked(
            job: Job,
            finished: Callable[[Job], None] = finished,
            nodes: dict[str, Node] = search.tree.nodes,
            ledger: Ledger = ledger,
        ) -> None:
            finished(job)
            for key, node in nodes.items():
                assert node.wins is not None or prove_from(key, ledger).wins is None

        search.finished = checked  # type: ignore[method-assign]
        search.run(DicePool(oracle, 2, seed), "", LIMITS, None, None, 1.0)
        ledger.close()


def test_every_position_is_right_on_the_way(tmp_path: Path) -> None:
    """Whatever the tree and the replayed ledger consider decided really is."""
    board, fen = Board(start_fen(3, 5)), start_fen(3, 5)
    oracle = ORACLES.setdefault((3, 5), Oracle(3, 5))
    for seed in range(5):
        ledger = Ledger(tmp_path / f"{seed}", fen)
        search = JobSearch(board, ledger)
        search.run(DicePool(oracle, 3, seed), "", LIMITS, None, None, 1.0)
        for node in search.tree.nodes.values():
            assert node.wins in (None, oracle.wins(node.key))
            for upper, lower in pairwise([node, *(node.children or [])][:2]):
                assert lower.left < upper.left
            assert INFINITE >= node.phi >= 0 <= node.delta <= INFINITE
        again = JobSearch(board, ledger)
        assert again.wins == search.wins
        ledger.close()


def test_contradictions_are_reported(tmp_path: Path) -> None:
    board, fen = Board(start_fen(2, 4)), start_fen(2, 4)
    ledger = Ledger(tmp_path / "l", fen)
    won = Job(pos="pp/pp/PP/PP", result="win", nodes=1, s=0.0)
    ledger.add_job(won)
    with pytest.raises(UserError, match=r"pp/pp/PP/PP .* both won and lost"):
        ledger.add_job(msgspec.structs.replace(won, result="loss"))
    ledger.close()
    # Results that follow from jobs are compared, too.
    ledger = Ledger(tmp_path / "m", fen)
    root = key_of(board)
    for after in moves_of(board).values():
        if ledger.wins(after) is None:
            ledger.add_job(msgspec.structs.replace(won, pos=after))
    ledger.add_split(root)
    search = JobSearch(board, ledger)
    assert search.wins is False
    search.tasks[root] = SolveTask("", root, LIMITS)
    with pytest.raises(UserError, match="contradict each other"):
        search.finished(won)
    ledger.close()
