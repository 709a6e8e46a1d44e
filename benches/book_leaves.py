#!/usr/bin/env python3
"""How many nodes the leaves of a short certificate take in play.

    benches/book_leaves.py 6x6 docs/certificates/6x6.proof [--count 200] [--seed 1]

The first player, who must be the winner, plays by the proof and the second at random, until a
position is not in the file: a leaf, which the prover may take a million nodes to prove. Needs the
Python package.
"""

import random

from book_play import answer, arguments, engine
from measure import Engine
from petard import Board

ALLOWED = 2_000_000
MOST = ALLOWED // 2


def leaf(player: Engine, board: Board) -> int | None:
    """The nodes of the first leaf of a game, `MOST` if it is not proven; `None` if it has none."""
    moves: list[str] = []
    while not board.is_game_over():
        is_proven, nodes, move = answer(player, moves, ALLOWED)
        if is_proven and nodes > 0:
            return nodes
        if not is_proven:
            # What the rules alone decide is not a leaf, and is found at once.
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
    parser = arguments(__doc__)
    parser.add_argument("--count", type=int, default=200, help="leaves")
    options = parser.parse_args()
    random.seed(options.seed)
    player = engine(options)
    found: list[int] = []
    while len(found) < options.count:
        nodes = leaf(player, Board(options.board))
        if nodes is not None:
            found.append(nodes)
    player.quit()
    found.sort()
    parts = ", ".join(
        f"{part}% {found[min(len(found) * part // 100, len(found) - 1)]:,}"
        for part in (50, 75, 90, 95, 99)
    )
    late = sum(nodes >= MOST for nodes in found)
    print(f"{len(found)} leaves, {sum(found):,} nodes: {parts}; {late} not proven within {MOST:,}")


if __name__ == "__main__":
    main()
