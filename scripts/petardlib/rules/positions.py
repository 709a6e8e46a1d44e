"""Positions and moves as the scripts meet them, all read by the package `petard`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from petard import Board, IllegalMoveError, InvalidFenError, InvalidMoveError, Move, Termination
from petard.notation import push_words, split_epd
from petardlib.base.errors import UserError

BREAKTHROUGH = "breakthrough"
FREELING = "freeling"
VARIANTS = (BREAKTHROUGH, FREELING)
Result = Literal["1-0", "0-1", "1/2-1/2"]


@dataclass(frozen=True)
class Verdict:
    """How a game ended, and why."""

    result: Result
    reason: str


@dataclass(frozen=True)
class EpdLine:
    """One line of an EPD file: the position and its operations (``bm``, ``id``, ...)."""

    board: Board
    ops: dict[str, str]


def start_board(variant: str = BREAKTHROUGH, size: str | None = None) -> Board:
    """The start position of a game; ``size`` is ``FILESxRANKS``, 8x8 by default."""
    if variant == FREELING:
        if size and size.strip().lower() != "5x9":
            raise UserError(f"board {size}: the variant freeling is played on 5x9")
        return Board.freeling()
    size = (size or "8x8").strip().lower()
    if not re.fullmatch(r"[0-9]{1,3}x[0-9]{1,3}", size):
        raise UserError(f"board '{size}': expected FILESxRANKS, for example 8x8")
    try:
        return Board(size)
    except InvalidFenError as error:
        raise UserError(f"board {size}: {error}") from None


def board_of(fen: str, variant: str = BREAKTHROUGH) -> Board:
    """The position of a FEN, by the engine's rules."""
    if variant == BREAKTHROUGH and set("Dd") & set(*fen.split()[:1]):
        raise UserError(f"'{fen}': pairs (D, d) belong to the variant freeling")
    try:
        return Board.from_fen(" ".join(fen.split()), variant)
    except InvalidFenError as error:
        raise UserError(f"FEN '{fen}': {error}") from None


def normal_fen(fen: str, variant: str = BREAKTHROUGH) -> str:
    """A FEN in the form of four fields, as the engine writes it."""
    return board_of(fen, variant).fen()


def six_field_fen(fen: str) -> str:
    """The form that Cute Chess and PGN files want: ``rows w - - 0 1``."""
    rows, side, *counters = fen.split()
    return " ".join([rows, side, "-", "-", *counters])


def squares_of(move: str) -> tuple[str, str]:
    """From where to where a move of Breakthrough such as ``a2b3`` goes."""
    cut = next(at for at in range(1, len(move)) if move[at].isalpha())
    return move[:cut], move[cut:]


def size_of(fen: str) -> tuple[int, int]:
    """Files and ranks of a FEN."""
    rows = fen.split()[0].split("/")
    cells = re.findall(r"[0-9]+|.", rows[0])
    return sum(int(cell) if cell.isdecimal() else 1 for cell in cells), len(rows)


def is_white(fen: str) -> bool:
    """Whether White is to move."""
    return fen.split()[1] == "w"


def parse_epd(line: str, variant: str = BREAKTHROUGH) -> EpdLine:
    """One EPD or FEN line; operations follow the position and end with ``;``."""
    fen, ops = split_epd(line)
    return EpdLine(board_of(fen, variant), {name.lower(): value for name, value in ops.items()})


def play_words(board: Board, words: Iterable[str]) -> None:
    """Play moves in any notation; an error names the ply."""
    try:
        push_words(board, words)
    except (InvalidMoveError, IllegalMoveError) as error:
        raise UserError(str(error)) from None


def try_move(board: Board, move: str) -> bool:
    """Play a move (as ``a2b3``) if it is legal; whether it was."""
    try:
        board.push_uci(move)
    except ValueError:
        return False
    return True


def uci_moves(board: Board) -> list[str]:
    """The moves played so far."""
    return [move.uci() for move in board.move_stack]


def legal_moves(board: Board) -> list[str]:
    """All legal moves, ordered by source square as the side to move counts squares."""
    if board.variant == FREELING:
        return sorted(board.legal_moves.uci())
    towards = 1 if board.turn else -1

    def place(move: Move) -> tuple[int, int, str, str]:
        start, end = move.from_square or "", move.to_square or ""
        file = start.rstrip("0123456789")
        return towards * int(start[len(file) :]), len(file), file, end

    return [move.uci() for move in sorted(board.legal_moves, key=place)]


def verdict_of(board: Board) -> Verdict | None:
    """The result, or None while the game goes on."""
    outcome = board.outcome()
    if outcome is None:
        return None
    winner, loser = ("White", "Black") if outcome.winner else ("Black", "White")
    reason = {
        Termination.ARRIVED: f"{winner} reaches the far rank",
        Termination.NO_PIECES: f"{loser} has no pieces left",
        Termination.BLOCKED: f"{loser} has no legal move",
        Termination.REPETITION: "draw by repetition",
    }
    results: dict[bool | None, Result] = {True: "1-0", False: "0-1", None: "1/2-1/2"}
    return Verdict(results[outcome.winner], reason[outcome.termination])


def position_key(board: Board) -> str:
    """Equal for positions that differ only in their counters or by mirroring."""
    rows = min(board.board_fen(), board.flip_horizontal().board_fen())
    return f"{rows} {'w' if board.turn else 'b'}"


def fairy_variant(files: int, ranks: int) -> tuple[str, str]:
    """The name and the Fairy-Stockfish configuration of Breakthrough on a board size."""
    name = f"breakthrough_{files}x{ranks}"
    start = start_board(size=f"{files}x{ranks}").fen()
    text = (
        f"[{name}:breakthrough]\nmaxFile = {files}\nmaxRank = {ranks}\nstartFen = {start}\n"
        f"flagRegionWhite = *{ranks}\nflagRegionBlack = *1\n"
        # Names of the same settings in Fairy-Stockfish 11, which Debian ships
        f"whiteFlag = *{ranks}\nblackFlag = *1\n"
    )
    return name, text
