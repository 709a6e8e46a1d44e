"""An engine for the tests: it plays fair, or misbehaves in the way its argument names.

    toy_engine.py [MODE] [PLY] [tunable]
    toy_engine.py gate COUNT FILE

A gate lets through COUNT searches, and the others once the file exists.

The fault shows at the engine's move number PLY (default 3), or at once for startup modes. The word
"tunable" gives it numbers to set, which change how it plays.
"""

from __future__ import annotations

import os
import random
import sys
import time
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from petardlib.rules.positions import board_of, legal_moves, start_board

MODE = sys.argv[1] if len(sys.argv) > 1 else "fair"
AT = int(sys.argv[2]) if len(sys.argv) > 2 else 3
# The game and the board of "startpos"
VARIANT = ["breakthrough", "8x8"]
NUMBERS = {"Width": 40, "Reach": 3} if "tunable" in sys.argv else {}


# Protocol words in any order, with invalid numbers
NOISE = [
    "info",
    "depth",
    "score",
    "cp",
    "mate",
    "wdl",
    "multipv",
    "pv",
    "string",
    "lowerbound",
    "nodes",
    "time",
    "option",
    "name",
    "type",
    "var",
    "id",
    "uciok",
    "readyok",
    "-1",
    "0",
    "7",
    "99999999999999999999",
    "²",
    "٣",
    "1e9",
    "nan",
    "\u2028",
    "a2a3",
    "z9z9",
    "(none)",
    ">",
    "<",
    "{",
    "}",
    "[",
    "]",
]
NOISE += [" ", "  ", "\t", "info ", "info depth 3 score cp ", " multipv ²", " score mate "]


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def choose(line: str) -> str:
    """A move that depends only on the position: forward if possible, else by a hash."""
    words = line.split()
    tail = words.index("moves") if "moves" in words else len(words)
    board = start_board(*VARIANT)
    if words[1] == "fen":
        board = board_of(" ".join(words[2:tail]), VARIANT[0])
    board.push_line(words[tail + 1 :])
    moves = legal_moves(board)
    if not moves:
        return "(none)"
    if VARIANT[0] == "freeling":
        return "pass" if MODE == "passes" else moves[zlib.crc32(board.fen().encode()) % len(moves)]
    last = board.ranks if board.turn else 1
    wins = [move for move in moves if int(move[3:]) == last]
    seed = board.board_fen() + "wb"[not board.turn] + "".join(map(str, NUMBERS.values()))
    return wins[0] if wins else moves[zlib.crc32(seed.encode()) % len(moves)]


def misbehave(position: str) -> bool:
    """Do what MODE says instead of answering; False to continue normally."""
    if MODE == "illegal":
        say("bestmove a1a8")
    elif MODE == "backwards":
        say("bestmove c3c2")
    elif MODE == "capitals":
        say(f"bestmove {choose(position).upper()}")
    elif MODE == "none":
        say("bestmove (none)")
    elif MODE == "silence":
        time.sleep(3600)
    elif MODE == "deaf":
        time.sleep(0.4)
        say(f"bestmove {choose(position)}")
    elif MODE == "crash":
        sys.stderr.write("toy: something terrible\n")
        sys.stderr.flush()
        os._exit(7)
    elif MODE == "abort":
        os.abort()
    elif MODE == "flood":
        block = "info string " + "x" * 100 + "\n"
        while True:
            sys.stdout.write(block * 1000)
    elif MODE == "longline":
        sys.stdout.write("info string " + "y" * 10_000_000)
        sys.stdout.flush()
        time.sleep(3600)
    elif MODE == "garbage":
        sys.stdout.buffer.write(b"\xff\xfe\x00\x01 bestmove a2a3\n")
        sys.stdout.buffer.flush()
    elif MODE == "malformed":
        say("bestmove")
    elif MODE == "unfinished":
        say(f"bestmove {choose(position)} ponder")
    elif MODE == "spaced":
        say(f" info\tdepth 2  multipv  1 score  cp\t-20 nodes 3 pv  {choose(position)}")
        say(f"\tinfo depth 2  multipv  2 score  cp 30 nodes 3 pv {choose(position)}")
        say(f"  bestmove\t{choose(position)}")
    elif MODE == "bounds":
        # The second and the third score prove nothing.
        say(f"info depth 1 score cp 10 nodes 1 pv {choose(position)}")
        say("info depth 2 score mate 3 upperbound nodes 2 pv z1z2")
        say("info depth 2 score mate -3 lowerbound nodes 2 pv z1z2")
        say(f"bestmove {choose(position)}")
    elif MODE == "closed":
        os.close(1)
        time.sleep(3600)
    elif MODE == "noise":
        rng = random.Random(position)
        for _ in range(40):
            say("".join(rng.choice(NOISE) for _ in range(rng.randint(0, 12))))
        say(f"bestmove {choose(position)}")
    elif MODE == "double":
        move = choose(position)
        say(f"bestmove {move}")
        say(f"bestmove {move}")
    else:
        return False
    return True


def main() -> None:
    if MODE == "dead":
        sys.exit(3)
    if MODE == "mute":
        time.sleep(3600)
    position = "position startpos"
    move_number = searches = 0
    for line in sys.stdin:
        words = line.split()
        if not words:
            continue
        if words[0] == "uci":
            say("id name toy\nid author tests")
            say("option name Hash type spin default 16 min 1 max 1024")
            say("option name File type string default <empty>")
            say("option name Ponder type check default false")
            for name, value in NUMBERS.items():
                say(f"option name {name} type spin default {value} min 0 max {2 * value}")
            if MODE != "chess":
                sizes = " ".join(f"var breakthrough{n}" for n in ("", "5", "6", "7"))
                sizes += " var freeling" if MODE in ("freeling", "passes") else ""
                say(f"option name UCI_Variant type combo default breakthrough {sizes}")
            say("uciok")
        elif words[0] == "isready":
            say("readyok")
        elif words[0] == "ucinewgame":
            move_number = 0
        elif MODE == "refusing" and words[0] == "setoption" and words[2] == "File":
            say(f"info string File '{words[4]}' refused: it is empty")
        elif words[:3] == ["setoption", "name", "UCI_Variant"]:
            size = words[4].removeprefix("breakthrough") or "8"
            known = ["breakthrough", f"{size}x{size}"]
            VARIANT[:] = ["freeling", "5x9"] if words[4] == "freeling" else known
        elif words[0] == "setoption" and words[2] in NUMBERS:
            NUMBERS[words[2]] = int(words[4])
        elif words[0] == "position" and MODE == "picky" and "12/12/" in line:
            say("info string position refused: board size 12x10 is not supported")
        elif words[0] == "position":
            position = line
        elif words[0] == "go":
            move_number += 1
            searches += 1
            while MODE == "gate" and searches > AT and not Path(sys.argv[3]).exists():
                time.sleep(0.02)
            if MODE == "pause":
                time.sleep(0.01)
            if MODE == "gate" or move_number < AT or not misbehave(position):
                say(f"info depth 1 score cp 10 nodes 1 pv {choose(position)}")
                if MODE == "chatty":
                    say("info string the score of this move is final")
                say(f"bestmove {choose(position)}")
        elif words[0] == "quit":
            return


if __name__ == "__main__":
    main()
