#!/usr/bin/env python3
"""A match of petard against Fairy-Stockfish with pyffish as the referee.

    tests/referee_match.py PETARD FAIRY_STOCKFISH [--games 100] [--movetime 50]

Every move is checked against Fairy-Stockfish's rules (pyffish), and timed from
the moment the `go` is written to the moment the `bestmove` is read. Exit status
0: petard made no illegal or late move and did not crash, whatever the score.
Openings are random, and each is played with both colours.
"""

import argparse
import random
import sys
import time
from pathlib import Path

import pyffish

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))
from petardlib.base.errors import EngineError
from petardlib.play.uciprocess import UciProcess

VARIANT = "breakthrough"


class Engine(UciProcess):
    """A UCI engine that plays the variant."""

    timeout_ms = 60_000.0

    def __init__(self, name, command):
        self.name = name
        super().__init__([command])
        self.send("uci")
        self.read_until("uciok")
        self.send(f"setoption name UCI_Variant value {VARIANT}")
        self.slowest = 0.0

    def play(self, fen, moves, movetime):
        """The engine's move and the seconds it took."""
        self.send(f"position fen {fen} moves {' '.join(moves)}")
        begin = time.monotonic()
        self.send(f"go movetime {movetime}")
        move = self.read_until("bestmove")[-1].split()[1]
        used = time.monotonic() - begin
        self.slowest = max(self.slowest, used)
        return move, used


def random_opening(generator, plies):
    """Random moves from the start position that do not end the game."""
    fen = pyffish.start_fen(VARIANT)
    moves = []
    for _ in range(plies):
        moves.append(generator.choice(pyffish.legal_moves(VARIANT, fen, moves)))
    return moves


def play_game(players, opening, options, faults):
    """Plays a game between (white, black); returns the index of the winner."""
    fen = pyffish.start_fen(VARIANT)
    moves = list(opening)
    for player in players:
        player.ask("ucinewgame")
    while True:
        legal = pyffish.legal_moves(VARIANT, fen, moves)
        # Optional ends (50 moves) belong to chess; this game has none.
        is_over, _ = pyffish.is_immediate_game_end(VARIANT, fen, moves)
        if is_over or not legal:
            # Whoever moved last has arrived, or captured the last piece.
            return 1 - len(moves) % 2
        player = players[len(moves) % 2]
        move, used = player.play(fen, moves, options.movetime)
        if move not in legal:
            faults.append(f"illegal: {player.name} played {move} after {' '.join(moves)}")
            return 1 - len(moves) % 2
        late = 1000 * used - options.movetime
        if late > options.margin:
            faults.append(f"late: {player.name} by {late:.0f} ms")
        moves.append(move)


def main():
    """Plays the match; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("petard", help="petard's binary")
    parser.add_argument("opponent", help="Fairy-Stockfish's binary")
    parser.add_argument("--games", type=int, default=100, help="an even number")
    parser.add_argument("--movetime", type=int, default=50, help="milliseconds per move")
    parser.add_argument(
        "--margin",
        type=int,
        default=50,
        help="milliseconds past the move time before a move is late, for the pipes and the "
        "scheduler of a busy machine; the engine's own time is counted in full",
    )
    parser.add_argument("--plies", type=int, default=4, help="random plies per opening")
    parser.add_argument("--seed", type=int, default=1, help="seed of the openings")
    options = parser.parse_args()

    generator = random.Random(options.seed)
    engines = [Engine("petard", options.petard), Engine("opponent", options.opponent)]
    score, as_white, faults = [0, 0], 0, []
    try:
        for number in range(options.games):
            if number % 2 == 0:
                opening = random_opening(generator, options.plies)
            order = engines if number % 2 == 0 else engines[::-1]
            winner = order[play_game(order, opening, options, faults)]
            score[engines.index(winner)] += 1
            as_white += winner is engines[0] and number % 2 == 0
        for engine in engines:
            if status := engine.quit():
                faults.append(f"{engine.name} ended with status {status}")
    except EngineError as error:
        faults.append(error.report())
    # A fault of unknown origin counts, too.
    own = [fault for fault in faults if "opponent" not in fault]
    for fault in faults:
        print(fault)
    print(
        f"{sum(score)} games at {options.movetime} ms: petard {score[0]} wins ({as_white} as "
        f"White), {score[1]} losses; {len(own)} faults (margin {options.margin} ms); slowest "
        f"answers {1000 * engines[0].slowest:.0f} and {1000 * engines[1].slowest:.0f} ms"
    )
    return 1 if own or sum(score) != options.games else 0


if __name__ == "__main__":
    sys.exit(main())
