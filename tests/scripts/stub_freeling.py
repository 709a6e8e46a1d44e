"""Stands in for an engine that knows a second game, with draws and passes, via `moves` and `d`.

The game is Breakthrough's on Freeling's board, plus passing: three passes in a row are a draw. It is not
Freeling's game; the tests are about the scripts asking the engine and nobody else.
"""

from __future__ import annotations

import sys
import time
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import petard

from petardlib.rules.positions import board_of, legal_moves, plain_fen, verdict_of

PEACEFUL = "peaceful" in sys.argv


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def follow(line: str) -> tuple[petard.Board, list[str]]:
    words = line.split()
    tail = words.index("moves") if "moves" in words else len(words)
    board, moves = board_of(" ".join(words[2:tail])), words[tail + 1 :]
    for move in moves:
        if move == "pass":
            board.set_fen(f"{board.board_fen()} {'b' if board.turn else 'w'}")
        else:
            board.push_uci(move)
    return board, moves


def outcome(board: petard.Board, moves: list[str]) -> str:
    if moves[-3:] == ["pass"] * 3:
        return "draw"
    verdict = verdict_of(board)
    return {None: "none", "1-0": "white wins", "0-1": "black wins"}[verdict and verdict.result]


def legal(board: petard.Board, moves: list[str]) -> list[str]:
    return [] if outcome(board, moves) != "none" else [*legal_moves(board), "pass"]


def choose(board: petard.Board, moves: list[str]) -> str:
    options = legal(board, moves)
    if not options:
        return "(none)"
    if PEACEFUL and len(moves) > 6:
        return "pass"
    return options[zlib.crc32((plain_fen(board) + str(len(moves))).encode()) % len(options)]


def main() -> None:
    position = ""
    for line in sys.stdin:
        words = line.split()
        if not words:
            continue
        if words[0] == "uci":
            say("id name stub\noption name UCI_Variant type combo default breakthrough")
            say("option name UCI_Variant type combo default freeling var breakthrough var freeling")
            say("uciok")
        elif words[0] == "isready":
            say("readyok")
        elif words[0] == "position":
            position = line
        elif words[0] == "go":
            board, moves = follow(position)
            best = choose(board, moves)
            say(f"info depth 1 score cp 0 wdl 300 400 300 nodes 1 pv {best}")
            say(f"bestmove {best}")
        elif words[0] == "moves":
            if "slow" in sys.argv:
                time.sleep(1.2)
            say(" ".join(["moves:", *legal(*follow(position))]))
        elif words[0] == "d":
            board, moves = follow(position)
            side = "white" if board.turn else "black"
            say(f"  9 p p p p p\nFen: {plain_fen(board)}\nKey: 0123456789abcdef\nSide: {side}")
            say(f"Outcome: {outcome(board, moves)}")
        elif words[0] == "quit":
            return


if __name__ == "__main__":
    main()
