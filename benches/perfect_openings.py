#!/usr/bin/env python3
"""How many games of a match were won by the proven winner of the opening.

    benches/perfect_openings.py MATCH.jsonl [--nodes 30000000]

Needs the Python package. MATCH.jsonl is what `scripts/tournament.py --resume` wrote. Each opening
is proven by `petard solve`. If all openings are decided and both sides of a match play all of them
perfectly, every pair of games is split, and no player can score more against them.
"""

import argparse
import collections
import json
import pathlib

from measure import PETARD
from proven_wins import Prover

from petard import Board


def main() -> None:
    """Proves the openings and counts the games."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("match", type=pathlib.Path, help="JSON lines of a match")
    parser.add_argument("--petard", default=PETARD, help="prover")
    parser.add_argument("--nodes", type=int, default=30_000_000, help="most nodes per proof")
    options = parser.parse_args()
    prover = Prover(options.petard)
    winners: dict[str, str] = {}
    counts: collections.Counter[str] = collections.Counter()
    thrown: collections.Counter[str] = collections.Counter()
    for line in options.match.read_text().splitlines():
        game = json.loads(line)
        if game["kind"] != "game" or game["result"] not in ("1-0", "0-1"):
            continue
        board = Board(game["fen"])
        board.push_line(game["moves"][: game["book"]])
        fen = board.fen()
        if fen not in winners:
            winner, _ = prover.solve(fen, options.nodes)
            is_white_first = board.turn
            if winner == "unknown":
                winners[fen] = winner
            else:
                winners[fen] = "1-0" if (winner == "first") == is_white_first else "0-1"
        if winners[fen] == "unknown":
            counts["undecided"] += 1
        elif winners[fen] == game["result"]:
            counts["as proven"] += 1
        else:
            counts["thrown away"] += 1
            thrown[game["white" if winners[fen] == "1-0" else "black"]] += 1
    print(f"{len(winners)} openings, {counts.total()} games: {dict(counts)}")
    for name, number in thrown.items():
        print(f"{name} threw away {number} won games")


if __name__ == "__main__":
    main()
