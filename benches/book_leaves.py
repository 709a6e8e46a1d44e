#!/usr/bin/env python3
"""How many nodes the leaves of a short certificate take in play.

    benches/book_leaves.py 6x6 docs/certificates/6x6.proof [--count 200] [--seed 1]
    benches/book_leaves.py 6x6 docs/certificates/6x6.proof --match match.jsonl

The first player, who must be the winner, plays by the proof and the second at random, until a
position is not in the file: a leaf, which the prover may take a million nodes to prove. Needs the
Python package.

With --match the positions are hard ones: from each game of that match (`scripts/tournament.py
--resume`) in which the engine named "proof" moved first, the first whose move it had not proven.
"""

import json
import random
from pathlib import Path

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


def unproven(path: str) -> list[list[str]]:
    """The moves before the first that was not proven, of each game with one; prints how many."""
    found: list[list[str]] = []
    games = lost = 0
    with Path(path).open(encoding="utf-8") as lines:
        for game in map(json.loads, lines):
            if game["kind"] != "game" or game["white"] != "proof":
                continue
            games += 1
            lost += game["result"] != "1-0"
            for ply, entry in enumerate(game["log"], game["book"]):
                # Milliseconds, centipawns, moves to the end, what is proven
                if ply % 2 == 0 and not ((entry[2] or 0) > 0 or entry[3] == "won"):
                    found.append(game["moves"][:ply])
                    break
    print(f"{games} games, {len(found)} with a move that is not proven, {lost} lost")
    return found


def main() -> None:
    """Plays and prints."""
    parser = arguments(__doc__)
    parser.add_argument("--count", type=int, default=200, help="leaves")
    parser.add_argument("--match", help="take the positions from this match instead")
    options = parser.parse_args()
    random.seed(options.seed)
    player = engine(options)
    found: list[int] = []
    if options.match:
        for moves in unproven(options.match):
            is_proven, nodes, _ = answer(player, moves, ALLOWED)
            found.append(nodes if is_proven else MOST)
    while not options.match and len(found) < options.count:
        taken = leaf(player, Board(options.board))
        if taken is not None:
            found.append(taken)
    player.quit()
    if not found:
        raise SystemExit("no leaves")
    found.sort()
    parts = ", ".join(
        f"{part}% {found[min(len(found) * part // 100, len(found) - 1)]:,}"
        for part in (50, 75, 90, 95, 99)
    )
    late = sum(nodes >= MOST for nodes in found)
    print(f"{len(found)} leaves, {sum(found):,} nodes: {parts}; {late} not proven within {MOST:,}")


if __name__ == "__main__":
    main()
