"""What is proven about positions: who wins, by which moves, and how long the loser can resist.

Two provers do this, both in this process. The engine's search is the quicker one at finding which
move wins, and it sees what is worth a proof; a win or a loss that it reports is certain.
`petard.solve`, which shares nothing with it but the rules, proves again what becomes a puzzle.
"""

from __future__ import annotations

from typing import NamedTuple

from petard import Board, Engine, Info, Limit, solve
from petardlib.puzzles.view import passed

HASH_MB = 4
FIRST_NODES = 200
"""Nodes of the search for another winning move; then each move gets a proof of its own."""
DISTANCE_NODES = 50_000
"""Nodes that the distances of all replies to a move may take."""
SOLVE_MB = 4
SOLVE_NODES = 1_000_000
"""Nodes that `petard.solve` may take for one move of a puzzle."""
THREAT_NODES = 60
"""Nodes in which a threat is seen, and the centipawns that it is worth at least."""
THREAT = 300


class Answer(NamedTuple):
    """What is known of a position: whether the side to move wins, a move, and the nodes spent."""

    wins: bool | None
    move: str | None
    nodes: int


class Resistance(NamedTuple):
    """The replies of a lost side that last longest, and for how many moves.

    The number is None if the search did not come to its end: then they are those of which it knows
    no end, or the latest end.
    """

    left: int | None
    replies: list[str]


class Prover:
    """Proofs of positions, with a table that is kept from one to the next."""

    def __init__(self) -> None:
        self._engine = Engine(hash=HASH_MB)
        # Only the search is to decide what is found, on solved boards too.
        self._engine.set_option("ProofFile", "<empty>")
        self._known: dict[Board, Answer] = {}

    def forget(self) -> None:
        """Forget everything: what is known of another game is of no use."""
        self._known.clear()
        self._engine.new_game()

    def close(self) -> None:
        """End the engine."""
        self._engine.close()

    def prove(self, board: Board, nodes: int) -> tuple[bool | None, str | None]:
        """Whether the side to move wins, and a move that does; None where that is undecided."""
        if (outcome := board.outcome()) is not None:
            return outcome.winner is board.turn, None
        known = self._known.get(board)
        if known is None or (known.wins is None and known.nodes < nodes):
            info = self._engine.analyse(board, Limit(nodes=nodes))
            wins = _wins(info)
            known = Answer(wins, info.pv[0].uci() if wins else None, nodes)
            self._known[board.copy(stack=False)] = known
        return known.wins, known.move

    def wins(self, board: Board, nodes: int) -> bool | None:
        """Whether the side to move wins."""
        return self.prove(board, nodes)[0]

    def only_move(self, board: Board, nodes: int) -> str | None:
        """The only move that wins, all others being proven to lose; None if there is no such."""
        wins, move = self.prove(board, nodes)
        if wins is None:
            solution = solve(board, hash=SOLVE_MB, nodes=nodes)
            wins = solution.winner is board.turn
            move = solution.move.uci() if solution.move else None
        if not wins or move is None:
            return None
        others = [other for other in board.legal_moves if other.uci() != move]
        another: bool | None = False
        if others:
            # Mostly there is another one, and this finds it.
            limit = Limit(nodes=FIRST_NODES)
            another = _wins(self._engine.analyse(board, limit, root_moves=others))
        if another is None:
            another = not is_proven(board, move, nodes)
        return None if another else move

    def best_two(self, board: Board, nodes: int) -> tuple[int, int]:
        """What the two best moves are worth to a search of so many nodes, in centipawns."""
        lines = self._engine.analyse(board, Limit(nodes=nodes), multipv=2)
        return lines[0].score.value, lines[-1].score.value

    def is_threatened(self, board: Board) -> bool:
        """Whether the side to move would be in trouble if it passed."""
        info = self._engine.analyse(passed(board), Limit(nodes=THREAT_NODES))
        return info.score.value > THREAT

    def resistance(self, board: Board) -> Resistance | None:
        """How long the lost side to move can hold out; None if the search sees no loss."""
        count = len(board.legal_moves)
        lines = self._engine.analyse(board, Limit(nodes=DISTANCE_NODES), multipv=count)
        ends = {line.pv[0].uci(): line.score.mate for line in lines}
        if len(ends) < count or any(end is not None and end > 0 for end in ends.values()):
            return None
        lost = {move: -end for move, end in ends.items() if end is not None}
        if len(lost) < count:
            return Resistance(None, sorted(ends.keys() - lost.keys()))
        longest = max(lost.values())
        # The search ends before its limit only when all distances are exact.
        is_exact = max(line.nodes for line in lines) < DISTANCE_NODES
        replies = sorted(move for move, moves in lost.items() if moves == longest)
        return Resistance(longest if is_exact else None, replies)


def _wins(info: Info) -> bool | None:
    return None if info.score.mate is None else info.score.mate > 0


def is_proven(board: Board, move: str, nodes: int | None = SOLVE_NODES) -> bool:
    """Whether `petard.solve` proves that this move wins and that every other one loses."""
    for other in board.legal_moves.uci():
        after = board.copy(stack=False)
        after.push_uci(other)
        winner = winner_of(after, nodes)
        if winner is None or (winner is board.turn) != (other == move):
            return False
    return True


def winner_of(board: Board, nodes: int | None = None) -> bool | None:
    """Who wins, White or Black, as `petard.solve` proves; None where that is undecided."""
    outcome = board.outcome()
    if outcome is not None:
        return outcome.winner
    return solve(board, hash=SOLVE_MB if nodes else 32, nodes=nodes).winner
