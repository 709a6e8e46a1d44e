#!/usr/bin/env python3
"""A bot for Breakthrough: it wins if it can, else captures if it can, else moves at random."""

import random
import re
import string

START = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1"


def parse(fen):
    """The pieces by (file, rank), the side to move, and the size of the board."""
    rows, side = fen.split()[:2]
    pieces = {}
    for rank, row in enumerate(reversed(rows.split("/")), 1):
        squares = re.sub(r"\d+", lambda run: "." * int(run.group()), row)
        pieces.update(((file, rank), piece) for file, piece in enumerate(squares) if piece != ".")
    return pieces, "P" if side == "w" else "p", len(squares), rank


def moves(pieces, side, files, ranks):
    """All legal moves, as pairs of squares."""
    for (file, rank), piece in pieces.items():
        target = rank + (1 if side == "P" else -1)
        for to in range(max(file - 1, 0), min(file + 2, files)):
            there = pieces.get((to, target))
            if (
                piece == side
                and 1 <= target <= ranks
                and (not there if to == file else there != side)
            ):
                yield (file, rank), (to, target)


def name(square):
    return f"{string.ascii_lowercase[square[0]]}{square[1]}"


def worth(move, pieces, ranks):
    """How good a move looks: this is the place to begin with improvements."""
    return 2 * (move[1][1] in (1, ranks)) + (move[1] in pieces), random.random()


game = parse(START)
while (line := input().split() or [""])[0] != "quit":
    if line[0] == "uci":
        print("id name bot.py\nid author you")
        print("option name UCI_Variant type combo default breakthrough var breakthrough\nuciok")
    elif line[0] == "isready":
        print("readyok")
    elif line[0] == "position":
        text, _, played = " ".join(line[1:]).partition(" moves ")
        game = parse(START if text.startswith("startpos") else text.removeprefix("fen "))
        for move in played.split():
            pieces, side, files, ranks = game
            start, end = (
                (string.ascii_lowercase.index(file), int(rank))
                for file, rank in re.findall(r"([a-z])(\d+)", move)
            )
            pieces[end] = pieces.pop(start)
            game = pieces, side.swapcase(), files, ranks
    elif line[0] == "go":
        legal = list(moves(*game))
        best = max(legal, key=lambda move: worth(move, game[0], game[3]), default=None)
        text = "(none)" if best is None else name(best[0]) + name(best[1])
        if best is not None:
            print(f"info depth 1 score cp 1 nodes {len(legal)} nps 1000 time 1 pv {text}")
        print(f"bestmove {text}")
    print(end="", flush=True)
