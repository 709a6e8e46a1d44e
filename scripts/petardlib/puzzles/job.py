"""One job: games are played or read, and their puzzles found, rated and described."""

from __future__ import annotations

import time
from dataclasses import dataclass
from random import Random
from typing import Any

from petard import Board, Engine, Limit, Move
from petardlib.jobs.slot import Keep, LostTaskError
from petardlib.proofs.solvejob import EngineKilledError
from petardlib.puzzles.miner import mine
from petardlib.puzzles.prover import Prover
from petardlib.puzzles.rating import Rater
from petardlib.puzzles.themes import themes_of

RANDOM_PLIES = 4, 14
"""How many plies of a game are drawn at random."""


@dataclass(frozen=True)
class Effort:
    """What a job may spend on a move of a game and on a proof, in nodes."""

    play: int
    proof: int


class Workers:
    """The engines of a process."""

    def __init__(self) -> None:
        self.player = Engine(hash=4)
        # On a solved board it would play by the proof, and one side would never err.
        self.player.set_option("ProofFile", "<empty>")
        self.rater = Rater()
        self._prover: tuple[tuple[str, int], Prover] | None = None

    def prover(self, program: str, nodes: int) -> Prover:
        """The prover, replaced for another program or limit."""
        if self._prover is None or self._prover[0] != (program, nodes):
            self.drop()
            self._prover = (program, nodes), Prover(program, nodes)
        return self._prover[1]

    def drop(self) -> None:
        """End the prover."""
        if self._prover is not None:
            self._prover[1].close()
            self._prover = None

    def close(self) -> None:
        """End all."""
        self.player.close()
        self.rater.close()
        self.drop()


@dataclass(frozen=True)
class PuzzleTask:
    """Games to be mined, by start and moves; or how many to play on a board, by their seed."""

    program: str
    number: int
    effort: Effort
    board: str
    seed: int
    play: int = 0
    games: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def run(self, keep: Keep) -> dict[str, Any]:
        """Do it; returns the record for the ledger."""
        begin = time.monotonic()
        workers = keep.get(Workers)
        prover = workers.prover(self.program, self.effort.proof)
        random = Random(f"{self.board} {self.seed} {self.number}")
        games = [(Board.from_fen(fen), moves) for fen, moves in self.games]
        found = []
        try:
            for _ in range(self.play):
                played = play_game(workers.player, self.board, self.effort.play, random)
                games.append((Board(self.board), tuple(move.uci() for move in played)))
            for start, moves in games:
                seed = random.randrange(2**32)
                for puzzle in mine(prover, start, [Move.from_uci(move) for move in moves], seed):
                    difficulty = workers.rater.rate(puzzle, random.randrange(2**32))
                    found.append(
                        {
                            "fen": puzzle.fen,
                            "moves": puzzle.moves,
                            "rest": puzzle.rest,
                            "rating": difficulty.rating,
                            "deviation": difficulty.deviation,
                            "right": difficulty.right,
                            "themes": themes_of(prover, puzzle),
                        }
                    )
        except EngineKilledError as error:
            workers.drop()
            raise LostTaskError(str(error)) from None
        return {
            "job": self.number,
            "games": len(games),
            "puzzles": found,
            "s": round(time.monotonic() - begin, 3),
        }


def play_game(engine: Engine, board: str, nodes: int, random: Random) -> list[Move]:
    """A game of the engine against itself, after some random plies."""
    game = Board(board)
    for _ in range(random.randint(*RANDOM_PLIES)):
        if not game.is_game_over():
            game.push(random.choice(game.legal_moves[:]))
    engine.new_game()
    while not game.is_game_over():
        move = engine.play(game, Limit(nodes=nodes)).move
        assert move is not None
        game.push(move)
    return game.move_stack
