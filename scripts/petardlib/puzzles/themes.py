"""What a puzzle is about, by exact tests."""

from __future__ import annotations

from petard import Board
from petardlib.puzzles.miner import Found
from petardlib.puzzles.prover import Prover
from petardlib.puzzles.view import View, ends_of, passed, view_of
from petardlib.rules.positions import squares_of

NODES = 10_000
"""Nodes for the proof that a theme takes."""
LENGTHS = {1: "oneMove", 2: "short", 3: "long"}


def themes_of(prover: Prover, puzzle: Found) -> list[str]:
    """The themes of a puzzle, sorted; `docs/puzzles.md` says what each means."""
    board = puzzle.board()
    white = board.turn
    solver = puzzle.moves[1::2]
    found = {LENGTHS.get(len(solver), "veryLong")}
    threatened = bool(view_of(board, not white).runners())
    captures = False
    for number, move in enumerate(puzzle.moves[1:]):
        before = board.copy(stack=False)
        board.push_uci(move)
        if number % 2:
            continue
        captures |= before.is_capture(before.parse_uci(move))
        found |= _themes_of_move(prover, before, move, board)
        if number == 0 and threatened and not view_of(board, not white).runners():
            found.add("onlyDefence")
    if threatened and not captures and puzzle.rest == 0:
        found.add("race")
    return sorted(found)


def _themes_of_move(prover: Prover, before: Board, move: str, after: Board) -> set[str]:
    """The themes of one move of the solution."""
    white = before.turn
    view = view_of(after, white)
    _, (file, rank) = ends_of(move, white, before)
    found = set()
    if after.is_game_over() or before.is_capture(before.parse_uci(move)):
        quiet = False
    else:
        quiet = not view.runners()
        if _is_given(view, file, rank):
            found.add("sacrifice")
        if (file, rank + 1) in view.enemy and _stops(prover, before, move):
            found.add("blocking")
    if quiet:
        found.add("quietMove")
    if not after.is_game_over():
        if len(view.runners()) > 1 and not view.runners(moves_first=False):
            found.add("doubleThreat")
        if prover.wins(passed(after), NODES) is False:
            found.add("zugzwang")
    return found


def _is_given(view: View, file: int, rank: int) -> bool:
    """Whether the enemy can take the piece on this square for nothing."""
    sides = (-1, 1)
    takers = any((file + side, rank + 1) in view.enemy for side in sides)
    return takers and not any((file + side, rank - 1) in view.own for side in sides)


def _stops(prover: Prover, before: Board, move: str) -> bool:
    """Whether the enemy, had the turn been passed, would win by a step to the square entered."""
    _, to = squares_of(move)
    origin = f"{to[0]}{int(to[1:]) + (1 if before.turn else -1)}"
    board = passed(before)
    board.push_uci(f"{origin}{to}")
    return prover.wins(board, NODES) is False
