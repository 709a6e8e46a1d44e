#!/usr/bin/env python3
"""How many nodes the leaves of a short certificate take in play.

    benches/book_leaves.py 6x6 docs/certificates/6x6.proof [--count 200] [--seed 1]

The first player, who must be the winner, plays by the proof, the second at random, until a position
is not in the file: a leaf, which the prover may take a million nodes to prove. Needs the Python
package.
"""

import argparse
import random
import subprocess

from petard import Board

ALLOWED = 2_000_000
MOST = ALLOWED // 2


def answer(session: subprocess.Popen[str], moves: list[str]) -> tuple[bool, int, str]:
    """Whether the position is proven, the nodes it took, and the move."""
    assert session.stdin and session.stdout
    words = f" moves {' '.join(moves)}" if moves else ""
    session.stdin.write(f"position startpos{words}\ngo nodes {ALLOWED}\n")
    session.stdin.flush()
    is_proven, nodes = False, 0
    for told in session.stdout:
        fields = told.split()
        if told.startswith("info string proof"):
            is_proven = True
        elif "nodes" in fields:
            nodes = int(fields[fields.index("nodes") + 1])
        elif told.startswith("bestmove"):
            return is_proven, nodes, fields[1]
    raise SystemExit("the engine ended")


def leaf(session: subprocess.Popen[str], board: Board) -> int | None:
    """The nodes of the first leaf of a game, `MOST` if it is not proven; `None` if it has none."""
    moves: list[str] = []
    while not board.is_game_over():
        is_proven, nodes, move = answer(session, moves)
        if is_proven and nodes > 0:
            return nodes
        if not is_proven:
            # What the rules alone decide is no leaf, and is found at once.
            return MOST if nodes >= MOST else None
        board.push_uci(move)
        moves.append(move)
        if not board.is_game_over():
            reply = str(random.choice(list(board.legal_moves)))
            board.push_uci(reply)
            moves.append(reply)
    return None


def main() -> None:
    """Plays and prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("board", help="files x ranks")
    parser.add_argument("proof", help="its short certificate")
    parser.add_argument("--petard", default="target/release/petard", help="the engine")
    parser.add_argument("--count", type=int, default=200, help="leaves")
    parser.add_argument("--seed", type=int, default=1, help="of the loser's moves")
    options = parser.parse_args()
    random.seed(options.seed)
    session = subprocess.Popen(
        [options.petard], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert session.stdin
    session.stdin.write(f"setoption name ProofFile value {options.proof}\n")
    session.stdin.write(f"setoption name Board value {options.board}\n")
    found: list[int] = []
    while len(found) < options.count:
        nodes = leaf(session, Board(options.board))
        if nodes is not None:
            found.append(nodes)
    session.stdin.close()
    session.wait()
    found.sort()
    parts = ", ".join(
        f"{part}% {found[min(len(found) * part // 100, len(found) - 1)]:,}"
        for part in (50, 75, 90, 95, 99)
    )
    late = sum(nodes >= MOST for nodes in found)
    print(f"{len(found)} leaves, {sum(found):,} nodes: {parts}; {late} not proven within {MOST:,}")


if __name__ == "__main__":
    main()
