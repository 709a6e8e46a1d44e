"""Finding puzzles in a game: positions with one winning move, and the line to where it is easy."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from petard import Board, Move
from petardlib.puzzles.endings import draw, taken_back
from petardlib.puzzles.likeness import Likeness
from petardlib.puzzles.prover import Prover, is_proven, winner_of
from petardlib.puzzles.view import is_easy, view_of

WALK_NODES = 1000
"""Nodes in which a position of the game itself is to be decided."""
MAX_UNDECIDED = 4
"""After so many undecided positions in a row, earlier ones are not tried."""
OTHER_MOVES = 20
"""Moves that were not played, of each position, whose answers are looked at too."""
LOOK_NODES = 400
"""Nodes of a look at a position; where its best move is plain by then it is no hard puzzle."""
HOPELESS = -100
"""Centipawns below which the position is given up then."""
PLAIN = 400
"""How much better than the second the best move is where it is plain, in centipawns."""
PLAIN_NODES = 2000
"""Nodes that the proof of a plain one may take."""
PLAIN_SHARE = 0.4
"""How many of the plain ones are tried: there are far more of them."""
LATER_LOOKS = ((1000, 0, 0), (3000, 300, -200))
"""Nodes of later looks at the others, and what the best move must be worth at least then, and the
second best at most, for a proof to be worthwhile."""
LAST_MOVES = 3
"""Where several moves win, the rest counts as easy if it takes no more than these."""
EASY_NODES = 1000
"""Or if `petard.solve` proves it within so many nodes."""
FORGET = 500
"""After so many endings what is known is forgotten."""
MAX_LENGTH = 12
"""Moves of the solver in a line."""


@dataclass(frozen=True)
class Found:
    """A puzzle: the position before the enemy's last move, that move, and the solution."""

    fen: str
    moves: list[str]
    rest: int
    """Moves that the win takes after the line at most; 0 if it is over or a mere run."""

    def board(self) -> Board:
        """The position that is asked."""
        board = Board.from_fen(self.fen)
        board.push_uci(self.moves[0])
        return board


class Miner:
    """Looks for puzzles in one game after the other."""

    def __init__(self, prover: Prover, nodes: int) -> None:
        """With at most ``nodes`` nodes for a proof."""
        self._prover, self._nodes = prover, nodes
        self._random = Random(0)
        self._known = Likeness()
        self._answers: set[tuple[bool, str]] = set()

    def mine(self, start: Board, moves: list[Move], seed: int) -> list[Found]:
        """The puzzles of a game and of moves that could have been played in it, from its end."""
        self._prover.forget()
        self._random, self._known, self._answers = Random(seed), Likeness(), set()
        board = start.copy(stack=False)
        for move in moves:
            board.push(move)
        found: list[Found] = []
        undecided = 0
        for move in reversed(moves):
            board.pop()
            wins = self._prover.wins(board, WALK_NODES)
            undecided = undecided + 1 if wins is None else 0
            if undecided == MAX_UNDECIDED:
                break
            others = [other for other in board.legal_moves if other != move]
            if is_easy(board):
                # Whoever lets a sure win go is no example.
                others = []
            count = min(len(others), OTHER_MOVES)
            for last in [move, *self._random.sample(others, count)]:
                puzzle = self.after(board, last)
                if puzzle:
                    self._known.add(puzzle.board(), puzzle.moves[1:])
                    self._answers.add((not board.turn, puzzle.moves[1]))
                    found.append(puzzle)
        return found

    def after(self, before: Board, last: Move) -> Found | None:
        """The puzzle that the enemy's last move leaves, if it is one.

        None if it is like a known one, or if the same side has the same answer to one already.
        """
        board = before.copy(stack=False)
        board.push(last)
        if board.is_game_over() or not self._prover.is_threatened(board):
            # Who has time for a move mostly has several that win.
            return None
        if is_easy(board) or _is_forced(board):
            return None
        move = self._only_move(board)
        if move is None or (board.turn, move) in self._answers or self._known.has(board, move):
            return None
        line = self._solution(board, move)
        if line is None or not _is_proven(board, line[0]):
            return None
        return Found(before.fen(), [last.uci(), *line[0]], line[1])

    def of_ending(self, board: Board, random: Random) -> Found | None:
        """The puzzle that an ending is, if it is one, with a last move drawn at random."""
        if board.is_game_over() or is_easy(board) or _is_forced(board):
            return None
        move = self._only_move(board)
        if move is None or self._known.has(board, move):
            return None
        line = self._solution(board, move)
        if line is None or not _is_proven(board, line[0]):
            return None
        for before, last in taken_back(board, random):
            if not before.is_game_over() and not is_easy(before):
                return Found(before.fen(), [last.uci(), *line[0]], line[1])
        return None

    def endings(self, files: int, ranks: int, count: int, seed: int) -> list[Found]:
        """The puzzles among so many random endings."""
        random, self._known = Random(seed), Likeness()
        found: list[Found] = []
        for number in range(count):
            if number % FORGET == 0:
                self._prover.forget()
            puzzle = self.of_ending(draw(files, ranks, random), random)
            if puzzle:
                self._known.add(puzzle.board(), puzzle.moves[1:])
                found.append(puzzle)
        return found

    def _only_move(self, board: Board) -> str | None:
        """The only winning move, looked for as long as it seems that there is one."""
        best, second = self._prover.best_two(board, LOOK_NODES)
        if best < HOPELESS:
            return None
        if best - second > PLAIN:
            if self._random.random() >= PLAIN_SHARE:
                return None
            return self._prover.only_move(board, min(PLAIN_NODES, self._nodes))
        for nodes, winning, losing in LATER_LOOKS:
            best, second = self._prover.best_two(board, nodes)
            if best < winning or second > losing:
                return None
        return self._prover.only_move(board, self._nodes)

    def _solution(self, board: Board, move: str) -> tuple[list[str], int] | None:
        """The line of only moves that begins with this one, against the longest resistance.

        It ends where the win is over or easy. None if it comes to a position where several moves
        win though the rest is not easy.
        """
        line: list[str] = []
        at = board.copy(stack=False)
        while True:
            line.append(move)
            at.push_uci(move)
            if at.is_game_over() or view_of(at, not at.turn).runners(moves_first=False):
                return line, 0
            resistance = self._prover.resistance(at)
            if resistance is None or len(line) >= MAX_LENGTH:
                return None
            # Any of them is a fair defence; one that asks for another only move is the best.
            rest, choice = 0, None
            for reply in resistance.replies:
                after = at.copy(stack=False)
                after.push_uci(reply)
                if is_easy(after):
                    continue
                if (only := self._prover.only_move(after, self._nodes)) is not None:
                    choice = reply, only
                    break
                rest = max(rest, _rest(after, resistance.left))
            if choice is None:
                return (line, rest) if rest <= LAST_MOVES else None
            reply, move = choice
            line.append(reply)
            at.push_uci(reply)


def _rest(board: Board, left: int | None) -> int:
    """How many moves a win by several moves takes, if it is easy; more than `LAST_MOVES` if not."""
    if left is not None and left <= LAST_MOVES:
        return left
    return LAST_MOVES if winner_of(board, EASY_NODES) is board.turn else LAST_MOVES + 1


def _is_proven(board: Board, line: list[str]) -> bool:
    """Whether each of the solver's moves in a line is proven to be the only one that wins."""
    at = board.copy(stack=False)
    for number, move in enumerate(line):
        if number % 2 == 0 and not is_proven(at, move):
            return False
        at.push_uci(move)
    return True


def _is_forced(board: Board) -> bool:
    """Whether an enemy piece is about to arrive and only one piece can take it: anyone sees it."""
    view = view_of(board, board.turn)
    threats = [square for square in view.enemy if square[1] == 1]
    if not threats:
        return False
    takers = {
        (file + step, rank - 1)
        for file, rank in threats
        for step in (-1, 1)
        if (file + step, rank - 1) in view.own
    }
    return len(takers) < 2
