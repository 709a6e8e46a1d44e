"""What is proven about positions: who wins, by which moves, and how long the loser can resist."""

from __future__ import annotations

from typing import NamedTuple

from petard import Board, Engine, Limit
from petardlib.proofs.solvejob import JobLimits, Solver, read_answer
from petardlib.puzzles.view import ends_of

HASH_MB = 16
QUICK_NODES = 100
"""A first look at a position: most are decided by then, and the others may not matter."""
DISTANCE_NODES = 200_000
"""Nodes that the distances of all replies to a move may take."""


class Answer(NamedTuple):
    """What is known of a position: whether the side to move wins, a move, and the nodes spent."""

    wins: bool | None
    move: str | None
    nodes: int


class Prover:
    """Proofs by `petard solve`, which keeps its table from position to position."""

    def __init__(self, program: str, nodes: int) -> None:
        """Prove with at most ``nodes`` nodes a position."""
        self._program, self._nodes = program, nodes
        self._solvers: dict[tuple[int, int, int], Solver] = {}
        self._engine = Engine(hash=8)
        self._known: dict[Board, Answer] = {}

    def forget(self) -> None:
        """Forget the answers: those of another game are of no use."""
        self._known.clear()

    def close(self) -> None:
        """End the processes."""
        for solver in self._solvers.values():
            solver.close()
        self._solvers.clear()
        self._engine.close()

    def prove(self, board: Board, *, quick: bool = False) -> tuple[bool | None, str | None]:
        """Whether the side to move wins, and a move that does; None where that is undecided."""
        if (outcome := board.outcome()) is not None:
            return outcome.winner is board.turn, None
        nodes = min(QUICK_NODES, self._nodes) if quick else self._nodes
        known = self._known.get(board)
        if known is None or (known.wins is None and known.nodes < nodes):
            known = self._asked(board, nodes)
            self._known[board.copy(stack=False)] = known
        return known.wins, known.move

    def _asked(self, board: Board, nodes: int) -> Answer:
        key, fen = (board.files, board.ranks, nodes), board.fen()
        if key not in self._solvers:
            self._solvers[key] = Solver(self._program, JobLimits(nodes, None, HASH_MB))
        answer = read_answer(self._solvers[key].ask(fen), fen)
        wins = {"win": True, "loss": False}.get(answer["result"])
        return Answer(wins, answer.get("move"), nodes)

    def wins(self, board: Board) -> bool | None:
        """Whether the side to move wins."""
        return self.prove(board)[0]

    def only_move(self, board: Board) -> str | None:
        """The only move that wins, all others being proven to lose; None if there is no such."""
        wins, move = self.prove(board, quick=True)
        if wins is None:
            wins, move = self.prove(board)
        if not wins or move is None:
            return None
        # Those that take or go far are more likely to win too, which ends this sooner.
        others = sorted(board.legal_moves.uci(), key=lambda other: _rank(board, other))
        open_moves = []
        for other in others:
            if other == move:
                continue
            after = board.copy(stack=False)
            after.push_uci(other)
            loses, _ = self.prove(after, quick=True)
            if loses is False:
                return None
            if loses is None:
                open_moves.append(after)
        return move if all(self.wins(after) for after in open_moves) else None

    def longest_replies(self, board: Board) -> tuple[int, list[str]] | None:
        """How many moves the lost side to move can hold out, and by which replies.

        Each number is exact: the search ends before its limit only when all distances are. None if
        it does not.
        """
        count = len(board.legal_moves)
        self._engine.new_game()
        lines = self._engine.analyse(board, Limit(nodes=DISTANCE_NODES), multipv=count)
        if len(lines) < count or max(line.nodes for line in lines) >= DISTANCE_NODES:
            return None
        lost = [(-line.score.mate, line.pv[0].uci()) for line in lines if line.score.mate]
        if len(lost) < count or min(lost)[0] <= 0:
            return None
        longest = max(lost)[0]
        return longest, sorted(move for moves, move in lost if moves == longest)


def _rank(board: Board, move: str) -> tuple[bool, int]:
    _, (_, to) = ends_of(move, board.turn, board)
    return not board.is_capture(board.parse_uci(move)), -to
