"""Finding puzzles in a game: positions with one winning move, and the line to where it is easy."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from petard import Board, Move
from petardlib.puzzles.likeness import Likeness
from petardlib.puzzles.prover import Prover
from petardlib.puzzles.view import is_easy, view_of

MAX_UNDECIDED = 3
"""After so many undecided positions in a row, earlier ones are not tried."""
OTHER_MOVES = 6
"""Moves that were not played, of each position, whose answers are looked at too."""
LAST_MOVES = 3
"""Where several moves win, the rest counts as trivial if it takes no more than these."""
MAX_LENGTH = 12
"""Moves of the solver in a line."""


@dataclass(frozen=True)
class Found:
    """A puzzle: the position before the enemy's last move, that move, and the solution."""

    fen: str
    moves: list[str]
    rest: int
    """Moves that the win takes after the line; 0 if it is over or a mere run."""

    def board(self) -> Board:
        """The position that is asked."""
        board = Board.from_fen(self.fen)
        board.push_uci(self.moves[0])
        return board


def mine(prover: Prover, start: Board, moves: list[Move], seed: int) -> list[Found]:
    """The puzzles of a game and of moves that could have been played in it, from its end back."""
    prover.forget()
    random = Random(seed)
    board = start.copy(stack=False)
    for move in moves:
        board.push(move)
    found: list[Found] = []
    known = Likeness()
    answers: set[tuple[bool, str]] = set()
    undecided = 0
    for move in reversed(moves):
        board.pop()
        undecided = undecided + 1 if prover.wins(board) is None else 0
        if undecided == MAX_UNDECIDED:
            break
        others = [other for other in board.legal_moves if other != move]
        if is_easy(board):
            # Whoever lets a sure win go is no example.
            others = []
        for last in [move, *random.sample(others, min(len(others), OTHER_MOVES))]:
            puzzle = puzzle_after(prover, board, last, known, answers)
            if puzzle:
                known.add(puzzle.board(), puzzle.moves[1:])
                answers.add((not board.turn, puzzle.moves[1]))
                found.append(puzzle)
    return found


def puzzle_after(
    prover: Prover, before: Board, last: Move, known: Likeness, answers: set[tuple[bool, str]]
) -> Found | None:
    """The puzzle that the enemy's last move leaves, if it is one.

    None if it is like a ``known`` one, or if the same side has the same answer to one already.
    """
    board = before.copy(stack=False)
    board.push(last)
    if board.is_game_over() or is_easy(board) or _is_forced(board):
        return None
    move = prover.only_move(board)
    if move is None or (board.turn, move) in answers or known.has(board, move):
        return None
    line = solution(prover, board, move)
    return line and Found(before.fen(), [last.uci(), *line[0]], line[1])


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


def solution(prover: Prover, board: Board, move: str) -> tuple[list[str], int] | None:
    """The line of only moves that begins with this one, against the longest resistance.

    It ends where the win is over or easy. None if it comes to a position where several moves win
    though the end is still far, or where a distance is undecided.
    """
    line: list[str] = []
    at = board.copy(stack=False)
    while True:
        line.append(move)
        at.push_uci(move)
        if at.is_game_over() or view_of(at, not at.turn).runners(moves_first=False):
            return line, 0
        resistance = prover.longest_replies(at)
        if resistance is None or len(line) >= MAX_LENGTH:
            return None
        # Any of the longest is a fair defence; one that asks for another only move is the best.
        left, replies = resistance
        ends, choice = [], None
        for reply in replies:
            after = at.copy(stack=False)
            after.push_uci(reply)
            if is_easy(after):
                ends.append(0)
            elif (only := prover.only_move(after)) is not None:
                choice = (reply, only)
                break
            else:
                ends.append(left)
        if choice is None:
            rest = max(ends)
            return (line, rest) if rest <= LAST_MOVES else None
        reply, move = choice
        line.append(reply)
        at.push_uci(reply)
