"""Speed compared with other packages, in one run: ``python benches/speed.py``.

Every row does the same thing in every package on the same positions; rows marked "built in" are
Python's own and show what a call or a list costs without any game. Rounds of all packages
alternate, times are CPU time, and the best round of each counts, so that a busy machine disturbs
all alike.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import chess
import numpy as np
import pyffish
import pyspiel

import petard
from petard.adapters.chess import BreakthroughBoard, to_chess
from petard.adapters.openspiel import start_board, state_from_board

ROUNDS = 5
Work = Callable[[], int]


def positions() -> list[petard.Board]:
    """Twenty positions of one random game, as OpenSpiel plays it: Black first."""
    board = start_board(pyspiel.load_game("breakthrough"))
    choice = random.Random(5)
    found: list[petard.Board] = []
    while not board.is_game_over() and len(found) < 20:
        board.push(choice.choice(list(board.legal_moves)))
        if len(board.move_stack) % 2 == 0 and not board.is_game_over():
            found.append(board.copy())
    return found


def seconds(work: Work) -> float:
    """CPU time per unit of the work, which returns how many units it did."""
    start = time.process_time()
    units = 0
    while time.process_time() - start < 0.1:
        units += work()
    return (time.process_time() - start) / units


def table(title: str, rows: dict[str, Work]) -> None:
    """Measure and print one table."""
    best = {name: float("inf") for name in rows}
    for _ in range(ROUNDS):
        for name, work in rows.items():
            best[name] = min(best[name], seconds(work))
    own = best["petard"]
    print(f"\n{title}")
    for name, time_ in best.items():
        print(f"  {name:<28} {time_ * 1e6:10.3f} us   {time_ / own:7.1f} x petard's")


def main() -> None:
    """Print all tables."""
    boards = positions()
    states = [state_from_board(board) for board in boards]
    fens = [board.fen() for board in boards]
    chess_boards = [BreakthroughBoard(fen.replace(" 0 ", " - - 0 ")) for fen in fens]
    assert to_chess(petard.Board()).fen() == BreakthroughBoard().fen()

    def legal_petard() -> int:
        for board in boards:
            list(board.legal_moves)
        return len(boards)

    def slice_petard() -> int:
        for board in boards:
            board.legal_moves[:]
        return len(boards)

    many = boards * 50

    def arrays_petard() -> int:
        petard.legal_moves(many)
        return len(many)

    lists = [list(board.legal_moves) for board in boards]

    def copied_lists() -> int:
        for moves in lists:
            moves.copy()
        return len(lists)

    def legal_spiel() -> int:
        for state in states:
            state.legal_actions()
        return len(states)

    def legal_ffish() -> int:
        for fen in fens:
            pyffish.legal_moves("breakthrough", fen, [])
        return len(fens)

    def legal_chess() -> int:
        for board in chess_boards:
            list(board.legal_moves)
        return len(chess_boards)

    table(
        "All legal moves of a position, per call",
        {
            "petard": legal_petard,
            "petard, legal_moves[:]": slice_petard,
            "petard, 1000 boards per call": arrays_petard,
            "pyspiel": legal_spiel,
            "pyffish": legal_ffish,
            "python-chess's board": legal_chess,
            "built-in copy of the list": copied_lists,
        },
    )

    def loop_petard() -> int:
        count = 0
        for board in boards:
            push, pop = board.push, board.pop
            for move in board.legal_moves:
                push(move)
                pop()
                count += 1
        return count

    def loop_set() -> int:
        count = 0
        for moves in lists:
            numbers: set[int] = set()
            add, pop = numbers.add, numbers.pop
            for _ in moves:
                add(1)
                pop()
                count += 1
        return count

    def loop_spiel() -> int:
        count = 0
        for state in states:
            player = state.current_player()
            apply, undo = state.apply_action, state.undo_action
            for action in state.legal_actions():
                apply(action)
                undo(player, action)
                count += 1
        return count

    def loop_ffish() -> int:
        count = 0
        for fen in fens:
            for move in pyffish.legal_moves("breakthrough", fen, []):
                pyffish.get_fen("breakthrough", fen, [move])
                count += 1
        return count

    def loop_chess() -> int:
        count = 0
        for board in chess_boards:
            for move in list(board.legal_moves):
                board.push(move)
                board.pop()
                count += 1
        return count

    table(
        "Every legal move played and taken back, per move",
        {
            "petard": loop_petard,
            "pyspiel": loop_spiel,
            "pyffish (one FEN each)": loop_ffish,
            "python-chess's board": loop_chess,
            "built-in set's add and pop": loop_set,
        },
    )

    def tree_petard() -> int:
        return sum(board.perft(2) for board in boards)

    def tree_spiel() -> int:
        count = 0
        for state in states:
            player = state.current_player()
            for action in state.legal_actions():
                state.apply_action(action)
                count += len(state.legal_actions())
                state.undo_action(player, action)
        return count

    table("Leaves of the two-ply tree, per leaf", {"petard": tree_petard, "pyspiel": tree_spiel})

    def games_petard() -> int:
        return int(petard.random_playouts(boards[0], 200, seed=1)[1].sum())

    def games_python() -> int:
        board, choice, plies = boards[0].copy(), random.choice, 0
        while moves := list(board.legal_moves):
            board.push(choice(moves))
            plies += 1
        return plies

    def games_spiel() -> int:
        state, choice, plies = states[0].clone(), random.choice, 0
        while not state.is_terminal():
            state.apply_action(choice(state.legal_actions()))
            plies += 1
        return plies

    table(
        "Random games, per ply",
        {
            "petard": games_petard,
            "petard, a loop in Python": games_python,
            "pyspiel, a loop in Python": games_spiel,
        },
    )

    arrays = petard.squares(boards)
    cells, turns = (np.tile(a, (100,) + (1,) * (a.ndim - 1)) for a in arrays)
    game = boards * 100
    print("\nStatic values from the network, positions per second and core")
    for name, work in {
        "boards of a game": lambda: len(petard.evaluate(game)),
        "arrays of a game": lambda: len(petard.evaluate((cells, turns))),
    }.items():
        best = min(seconds(work) for _ in range(ROUNDS))
        print(f"  {name:<28} {1 / best:12,.0f}")

    engine, board = petard.Engine(hash=16), petard.Board()
    print("\nOverhead of an analyse call beyond its search")
    info = engine.analyse(board, petard.Limit(depth=1))
    calls = 300
    overheads = []
    for _ in range(ROUNDS):
        start, searched = time.perf_counter(), 0.0
        for _ in range(calls):
            searched += engine.analyse(board, petard.Limit(depth=1)).time
        overheads.append((time.perf_counter() - start - searched) / calls)
    print(f"  {min(overheads) * 1e6:.1f} us (the search itself: {info.nodes} nodes)")
    print(f"\npython-chess {chess.__version__}, pyspiel {pyspiel.__name__}, {pyffish.info()}")


if __name__ == "__main__":
    main()
