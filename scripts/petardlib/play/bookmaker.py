"""Balanced openings: random plies, scored by an engine, no two alike up to a mirror image."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from petard import Board
from petardlib.base.errors import UserError
from petardlib.play.engine import Engine
from petardlib.play.limits import Clock, go_command
from petardlib.play.spec import EngineSpec
from petardlib.rules.positions import is_white, legal_moves, position_key
from petardlib.rules.score import Score

MAX_TRIES_EACH = 2000


@dataclass(frozen=True)
class OpeningCriteria:
    """What the openings must be like.

    ``low`` and ``high`` bound the win probability of the side to move; ``centipawns``, if set,
    bounds the engine's own score instead. ``plies`` random plies lead to each position.
    """

    count: int
    plies: int = 8
    low: float = 0.4
    high: float = 0.6
    centipawns: int | None = None
    scale: float = 400.0
    seed: int = 1

    def fits(self, score: Score) -> bool:
        """Whether a position with this score is balanced enough."""
        if score.is_proven:
            return False
        if self.centipawns is not None and score.cp is not None:
            return abs(score.cp) <= self.centipawns
        return self.low <= score.win_probability(self.scale) <= self.high


def random_position(start: Board, plies: int, rng: random.Random) -> Board | None:
    """A position after random legal moves; None if the game ends early."""
    board = start.copy()
    for _ in range(plies):
        if board.is_game_over():
            return None
        board.push_uci(rng.choice(legal_moves(board)))
    return None if board.is_game_over() else board


def make_book(
    spec: EngineSpec, start: Board, criteria: OpeningCriteria
) -> Iterator[dict[str, Any]]:
    """Openings one by one: ``fen``, ``score``, and how many positions were ``tried``.

    The same seed, engine and limits (depth or nodes, one thread) give the same openings.
    """
    rng = random.Random(criteria.seed)
    seen: set[str] = set()
    engine = Engine(spec)
    try:
        engine.set_up(start.variant, start.fen())
        found = tried = 0
        while found < criteria.count:
            tried += 1
            if tried > MAX_TRIES_EACH * criteria.count:
                raise UserError(
                    f"only {found} of {criteria.count} openings found in {tried - 1} tries: "
                    "allow a wider window or another number of plies"
                )
            board = random_position(start, criteria.plies, rng)
            if board is None or position_key(board) in seen:
                continue
            seen.add(position_key(board))
            fen = f"{board.board_fen()} {'w' if board.turn else 'b'} 0 1"
            score = score_position(engine, fen)
            if score is not None and criteria.fits(score):
                found += 1
                yield {"fen": fen, "score": score, "tried": tried}
    finally:
        engine.close()


def score_position(engine: Engine, fen: str) -> Score | None:
    """The engine's score of a position, searched with an empty table."""
    engine.new_game()
    position = engine.position(fen, [])
    engine.try_position(position)
    clock = Clock(engine.spec.limit)
    white = is_white(fen)
    # No game can be lost on time here.
    budget = clock.budget() + engine.spec.limit.hang
    reply = engine.think(position, go_command(clock, clock, white), budget, False)
    return reply.info.score if reply.info else None
