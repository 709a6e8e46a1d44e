"""A bot for Breakthrough that moves at random, on boards of up to 26 files."""

import random
import re
import sys

while (line := sys.stdin.readline()) not in ("quit\n", ""):
    command, _, played = line.strip().partition(" moves ")
    if command == "uci":
        print("option name UCI_Variant type combo default breakthrough var breakthrough")
        print("id name random\nid author you\nuciok", flush=True)
    elif command == "isready":
        print("readyok", flush=True)
    elif command.startswith("position"):
        fen = command.replace("startpos", "fen pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w")
        rows, colour = re.sub(r"\d+", lambda run: "." * int(run[0]), fen).split()[2:4]
        ranks = enumerate(reversed(rows.split("/")), start=1)
        board = {(x, y): piece for y, row in ranks for x, piece in enumerate(row, ord("a"))}
        side, other, step = ("P", "p", 1) if colour == "w" else ("p", "P", -1)
        for x, y, to, ahead in re.findall(r"([a-z])(\d+)([a-z])(\d+)", played):
            board[ord(x), int(y)], board[ord(to), int(ahead)] = ".", side
            side, other, step = other, side, -step
    elif command.startswith("go"):
        moves = []
        for (x, y), piece in board.items():
            for to in (x - 1, x, x + 1) if piece == side else ():
                if board.get((to, y + step)) in (".", "." if to == x else other):
                    moves.append(f"{chr(x)}{y}{chr(to)}{y + step}")
        best = random.choice(moves)
        print(f"info depth 1 score cp 1 pv {best}\nbestmove {best}", flush=True)
