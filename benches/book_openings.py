#!/usr/bin/env python3
"""Openings of a solved board: the winner's moves by its proof, the loser's at random.

    benches/book_openings.py 6x6 6x6.proof [--count 100] [--plies 6] [--seed 1] > 6x6.txt

Prints an opening a line, as moves, for `scripts/tournament.py --openings`: who moves first there
and plays by the proof must win every game. No two are the same, and none ends the game. Needs the
Python package.
"""

import argparse
import random
import subprocess
import sys

from petard import Board


def line(session: subprocess.Popen[str], board: Board, plies: int) -> list[str] | None:
    """Moves of an opening; `None` if the proof has no move, or the game is over."""
    assert session.stdin and session.stdout
    moves: list[str] = []
    for ply in range(plies):
        if ply % 2 == 0:
            words = f" moves {' '.join(moves)}" if moves else ""
            session.stdin.write(f"position startpos{words}\ngo nodes 100\n")
            session.stdin.flush()
            told = []
            for answer in session.stdout:
                told.append(answer.strip())
                if answer.startswith("bestmove"):
                    break
            if not any(answer.startswith("info string proof") for answer in told):
                return None
            move = told[-1].split()[1]
        else:
            move = str(random.choice(list(board.legal_moves)))
        board.push_uci(move)
        moves.append(move)
        if board.is_game_over():
            return None
    return moves


def main() -> None:
    """Plays and prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("board", help="files x ranks")
    parser.add_argument("proof", help="its short certificate")
    parser.add_argument("--petard", default="target/release/petard", help="the engine")
    parser.add_argument("--count", type=int, default=100, help="openings")
    parser.add_argument("--plies", type=int, default=6, help="moves of an opening")
    parser.add_argument("--seed", type=int, default=1, help="of the loser's moves")
    options = parser.parse_args()
    random.seed(options.seed)
    session = subprocess.Popen(
        [options.petard], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert session.stdin
    session.stdin.write(f"setoption name ProofFile value {options.proof}\n")
    session.stdin.write(f"setoption name Board value {options.board}\n")
    found: set[str] = set()
    for _ in range(100 * options.count):
        moves = line(session, Board(options.board), options.plies)
        if moves is not None and (text := " ".join(moves)) not in found:
            found.add(text)
            print(text)
        if len(found) == options.count:
            break
    session.stdin.close()
    session.wait()
    if len(found) < options.count:
        sys.exit(f"only {len(found)} openings found")


if __name__ == "__main__":
    main()
