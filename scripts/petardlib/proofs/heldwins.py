"""Which proven wins the players of a game have kept."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from petardlib.jobs.slot import Keep
from petardlib.proofs.solvejob import JobLimits, SolverCache
from petardlib.rules.positions import board_of


@dataclass(frozen=True)
class Win:
    """A move in a position that its mover wins by proof.

    The win is ``held``, ``thrown`` (the other side wins now), or ``undecided`` if that could not be
    proven. ``better`` is a winning move, and ``number`` that of the move as players count.
    """

    ply: int
    number: int
    white: bool
    move: str
    state: str
    better: str


@dataclass(frozen=True)
class HeldTask:
    """A game of which every position is proven, as far as the limits allow."""

    engine: str
    fen: str
    moves: tuple[str, ...]
    limits: JobLimits

    def run(self, keep: Keep) -> list[Win]:
        """Prove the positions from the end, where proofs are short and help the longer ones."""
        solvers = keep.get(SolverCache)
        board = board_of(self.fen)
        fens, sides, numbers = [board.fen()], [board.turn], list[int]()
        for move in self.moves:
            numbers.append(board.fullmove_number)
            board.push_uci(move)
            fens.append(board.fen())
            sides.append(board.turn)
        outcome = board.outcome()
        winner = outcome.winner if outcome else self._winner(solvers, fens[-1], sides[-1])[0]
        wins = []
        for ply in reversed(range(len(self.moves))):
            after, mover = winner, sides[ply]
            winner, better = self._winner(solvers, fens[ply], mover)
            if winner is mover:
                state = {mover: "held", not mover: "thrown", None: "undecided"}[after]
                wins.append(Win(ply + 1, numbers[ply], mover, self.moves[ply], state, better))
        return wins[::-1]

    def _winner(self, solvers: SolverCache, fen: str, mover: bool) -> tuple[bool | None, str]:
        answer = solvers.ask(self.engine, self.limits, fen)
        winner = None if answer.wins is None else answer.wins == mover
        return winner, answer.move or ""


@dataclass
class Account:
    """The proven wins of one player over all games."""

    player: str
    held: int = 0
    thrown: int = 0
    undecided: int = 0

    @property
    def decided(self) -> int:
        """All whose end is known."""
        return self.held + self.thrown

    def to_json(self) -> dict[str, Any]:
        """The account as part of a result."""
        return asdict(self)
