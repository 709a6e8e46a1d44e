"""One job: games are played or read, or endings drawn, and their puzzles found and rated."""

from __future__ import annotations

import time
from dataclasses import dataclass
from random import Random

import msgspec

from petard import Board, Engine, Limit, Move
from petardlib.base.journal import Count, Seconds
from petardlib.jobs.slot import Keep
from petardlib.puzzles.miner import Found, Miner
from petardlib.puzzles.prover import Prover
from petardlib.puzzles.rating import Rater
from petardlib.puzzles.themes import themes_of

MIN_RANDOM_PLIES = 4
"""How many plies of a game are drawn at random; at most twice as many as the board has ranks."""
MIN_PLAY = 5
"""A move of a game is searched with at least so many nodes: who sees little errs."""


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
        self.prover = Prover()
        self.rater = Rater()

    def close(self) -> None:
        """End all."""
        self.player.close()
        self.prover.close()
        self.rater.close()


class MinedPuzzle(msgspec.Struct):
    """A puzzle in a ledger."""

    fen: str
    moves: list[str]
    rating: int
    deviation: int
    themes: list[str]
    rest: int = 0
    asked: Count = 0
    right: Count = 0


class Mined(msgspec.Struct):
    """A line of the ledger: what a job has found."""

    job: Count
    games: Count
    puzzles: list[MinedPuzzle]
    s: Seconds = 0.0


@dataclass(frozen=True)
class PuzzleTask:
    """Games to be mined, by start and moves; or how many to play and endings to draw."""

    number: int
    effort: Effort
    board: str
    seed: int
    play: int = 0
    endings: int = 0
    games: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def run(self, keep: Keep) -> Mined:
        """Do it; returns the record for the ledger."""
        begin = time.monotonic()
        workers = keep.get(Workers)
        miner = Miner(workers.prover, self.effort.proof)
        random = Random(f"{self.board} {self.seed} {self.number}")
        games = [(Board.from_fen(fen), moves) for fen, moves in self.games]
        for _ in range(self.play):
            played = play_game(workers.player, self.board, self.effort.play, random)
            games.append((Board(self.board), tuple(move.uci() for move in played)))
        puzzles: list[Found] = []
        for start, moves in games:
            seed = random.randrange(2**32)
            puzzles += miner.mine(start, [Move.from_uci(move) for move in moves], seed)
        if self.endings:
            board = Board(self.board)
            seed = random.randrange(2**32)
            puzzles += miner.endings(board.files, board.ranks, self.endings, seed)
        found = []
        for puzzle in puzzles:
            difficulty = workers.rater.rate(puzzle, random.randrange(2**32))
            found.append(
                MinedPuzzle(
                    fen=puzzle.fen,
                    moves=puzzle.moves,
                    rest=puzzle.rest,
                    rating=difficulty.rating,
                    deviation=difficulty.deviation,
                    asked=difficulty.asked,
                    right=difficulty.right,
                    themes=themes_of(workers.prover, puzzle),
                )
            )
        return Mined(self.number, len(games), found, round(time.monotonic() - begin, 3))


def play_game(engine: Engine, board: str, nodes: int, random: Random) -> list[Move]:
    """A game of the engine against itself after random plies, with at most ``nodes`` a move."""
    game = Board(board)
    for _ in range(random.randint(MIN_RANDOM_PLIES, 2 * game.ranks - 2)):
        if not game.is_game_over():
            game.push(random.choice(game.legal_moves[:]))
    engine.new_game()
    while not game.is_game_over():
        few = round(min(nodes, MIN_PLAY) * (max(nodes / MIN_PLAY, 1.0) ** random.random()))
        move = engine.play(game, Limit(nodes=few)).move
        assert move is not None
        game.push(move)
    return game.move_stack
