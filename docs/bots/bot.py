"""A bot for Breakthrough: it steps onto the last rank if it can, else it moves at random."""

import random
import re
import string
import sys

START = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w"
FILES = [*string.ascii_lowercase, "aa", "ab", "ac", "ad", "ae", "af"]


def read_fen(fen):
    """The squares, board[rank][file] counted from 0, and the pieces that are to move."""
    rows, side = fen.split()[:2]
    for count in range(len(FILES), 0, -1):
        rows = rows.replace(str(count), "." * count)
    return [list(row) for row in reversed(rows.split("/"))], "P" if side == "w" else "p"


def legal_moves(board, side):
    for rank, row in enumerate(board):
        ahead = rank + 1 if side == "P" else rank - 1
        for file in range(len(row)):
            for to in (file - 1, file, file + 1):
                if row[file] == side and 0 <= to < len(row):
                    target = board[ahead][to]
                    if target == "." or (target != side and to != file):
                        yield file, rank, to, ahead


def make_move(board, file, rank, to, ahead):
    board[ahead][to], board[rank][file] = board[rank][file], "."


def worth(board, file, rank, to, ahead):
    """How good a move looks. To make the bot stronger, begin here."""
    if ahead == 0 or ahead == len(board) - 1:
        return 100  # it wins
    return random.random()


board, side = read_fen(START)
for line in sys.stdin:
    head, _, tail = line.strip().partition(" moves ")
    if head == "uci":
        print("id name bot.py\nid author you")
        print("option name UCI_Variant type combo default breakthrough var breakthrough\nuciok")
    elif head == "isready":
        print("readyok")
    elif head.startswith("position"):
        board, side = read_fen(START if "startpos" in head else head.removeprefix("position fen "))
        for file, rank, to, ahead in re.findall(r"([a-z]+)(\d+)([a-z]+)(\d+)", tail):
            make_move(board, FILES.index(file), int(rank) - 1, FILES.index(to), int(ahead) - 1)
            side = "p" if side == "P" else "P"
    elif head.startswith("go"):
        moves = list(legal_moves(board, side))
        scores = [worth(board, *move) for move in moves]
        file, rank, to, ahead = moves[scores.index(max(scores))]
        best = f"{FILES[file]}{rank + 1}{FILES[to]}{ahead + 1}"
        print(f"info depth 1 score cp 1 pv {best}\nbestmove {best}")
    elif head == "quit":
        break
    sys.stdout.flush()
