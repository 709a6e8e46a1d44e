#!/usr/bin/env python3
"""How often a short search claims a loss that a longer one does not confirm.

    benches/claimed_losses.py [--petard target/release/petard] [--games 25]

In games on 8x8, one move in five at random, every position from ply 24 on is
searched three times with 300 to 6,000 nodes, each time from an empty table. A
claimed loss is searched again with 300,000 nodes. Needs nothing but Python.
"""

import argparse
import random
import re

from measure import PETARD, Engine

LOSS = re.compile(r" score mate -")
# At most a loss is a loss, but "at least a loss" claims nothing.
EMPTY = re.compile(r" score mate -\d+ lowerbound")


def last_line(engine, position, nodes):
    """The last line that says anything, in a search from an empty table."""
    engine.ask("ucinewgame", position)
    engine.send(f"go nodes {nodes}")
    lines = [line for line in engine.read_until("bestmove") if " multipv 1 " in line]
    return next((line for line in reversed(lines) if not EMPTY.search(line)), "")


def main() -> None:
    """Plays and prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--petard", default=PETARD)
    parser.add_argument("--games", type=int, default=25)
    options = parser.parse_args()
    chance, engine = random.Random(5), Engine([options.petard])
    searches = claims = false = 0
    for _ in range(options.games):
        moves: list[str] = []
        while True:
            position = "position startpos" + (" moves " + " ".join(moves) if moves else "")
            engine.send(position, "moves")
            legal = engine.read_until("moves:")[-1].split()[1:]
            if not legal:
                break
            for _ in range(3 if len(moves) >= 24 else 0):
                searches += 1
                line = last_line(engine, position, chance.randrange(300, 6000))
                if LOSS.search(line):
                    claims += 1
                    if not LOSS.search(last_line(engine, position, 300_000)):
                        false += 1
                        print(position, line)
            engine.send(position, "go nodes 800")
            best = engine.read_until("bestmove")[-1].split()[1]
            moves.append(best if chance.random() < 0.8 else chance.choice(legal))
    engine.quit()
    print(f"{searches} searches, {claims} claimed losses, {false} of them not confirmed")


if __name__ == "__main__":
    main()
