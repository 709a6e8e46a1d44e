#!/usr/bin/env python3
"""Openings on a solved board: the winner plays by its proof, the loser at random.

    benches/book_openings.py 6x6 6x6.proof [--count 100] [--plies 6] [--seed 1] > 6x6.txt

Prints one opening per line, as moves, for `scripts/tournament.py --openings`: whoever moves first
and plays by the proof must win every game. No two are the same, and none ends the game. Needs the
Python package.
"""

import random
import sys

from book_play import answer, arguments, engine
from measure import Engine

from petard import Board


def line(player: Engine, board: Board, plies: int) -> list[str] | None:
    """Moves of an opening; `None` if the proof has no move, or the game is over."""
    moves: list[str] = []
    for ply in range(plies):
        if ply % 2 == 0:
            is_proven, _, move = answer(player, moves, 100)
            if not is_proven:
                return None
        else:
            move = str(random.choice(list(board.legal_moves)))
        board.push_uci(move)
        moves.append(move)
        if board.is_game_over():
            return None
    return moves


def main() -> None:
    """Plays and prints."""
    parser = arguments(__doc__)
    parser.add_argument("--count", type=int, default=100, help="openings")
    parser.add_argument("--plies", type=int, default=6, help="moves per opening")
    options = parser.parse_args()
    random.seed(options.seed)
    player = engine(options)
    found: set[str] = set()
    for _ in range(100 * options.count):
        moves = line(player, Board(options.board), options.plies)
        if moves is not None and (text := " ".join(moves)) not in found:
            found.add(text)
            print(text)
        if len(found) == options.count:
            break
    player.quit()
    if len(found) < options.count:
        sys.exit(f"only {len(found)} openings found")


if __name__ == "__main__":
    main()
