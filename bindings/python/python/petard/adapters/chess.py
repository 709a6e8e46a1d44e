"""python-chess: a board class for Breakthrough on 8x8, and petard behind its engine protocol.

>>> import chess.engine
>>> from petard.adapters.chess import BreakthroughBoard, popen
>>> with popen() as engine:
...     result = engine.play(BreakthroughBoard(), chess.engine.Limit(nodes=1000))
>>> result.move is not None
True

Games can be read and written with ``chess.pgn``, as the variant ``Breakthrough``.

python-chess knows squares up to h8 only, so other boards and Freeling's game do not work this way;
`petard.Engine` plays them all.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import chess
import chess.engine
import chess.variant

from petard._petard import Board, Move


class BreakthroughBoard(chess.Board):
    """Breakthrough on 8x8 as a variant of python-chess: its pieces are pawns.

    SAN names the file a piece comes from not only if it takes: ``bxa3``, but also ``ba3``; ``a3``
    is the step straight ahead.
    """

    aliases = ["Breakthrough"]  # noqa: RUF012
    uci_variant = "breakthrough"
    xboard_variant = None
    starting_fen = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w - - 0 1"

    def __init__(self, fen: str | None = starting_fen, *, chess960: bool = False) -> None:
        """Set up a position, by default the start."""
        super().__init__(fen, chess960=chess960)

    def reset(self) -> None:
        """Start over at the start position."""
        self.set_fen(type(self).starting_fen)

    def _has_lost(self, color: chess.Color) -> bool:
        goal = chess.BB_RANK_1 if color == chess.WHITE else chess.BB_RANK_8
        return not self.occupied_co[color] or bool(self.occupied_co[not color] & goal)

    def is_variant_end(self) -> bool:
        """Whether a side has won."""
        return self._has_lost(chess.WHITE) or self._has_lost(chess.BLACK)

    def is_variant_win(self) -> bool:
        """Whether the side to move has won."""
        return self._has_lost(not self.turn) and not self._has_lost(self.turn)

    def is_variant_loss(self) -> bool:
        """Whether the side to move has lost."""
        return self._has_lost(self.turn)

    def is_variant_draw(self) -> bool:
        """Never: there are no draws."""
        return False

    def has_insufficient_material(self, color: chess.Color) -> bool:
        """Never: every piece can win."""
        return False

    def status(self) -> chess.Status:
        """Always valid: python-chess's conditions are those of chess."""
        return chess.STATUS_VALID

    def checkers_mask(self) -> chess.Bitboard:
        """No checks: there are no kings."""
        return chess.BB_EMPTY

    def is_into_check(self, move: chess.Move) -> bool:
        """Never."""
        return False

    def was_into_check(self) -> bool:
        """Never."""
        return False

    def generate_pseudo_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """The moves by the rules of Breakthrough."""
        step = 8 if self.turn == chess.WHITE else -8
        own = self.occupied_co[self.turn]
        for start in chess.scan_forward(own & from_mask):
            file = chess.square_file(start)
            for side in (-1, 0, 1):
                end = start + step + side
                if not 0 <= file + side < 8 or not 0 <= end < 64:
                    continue
                blocked = own if side else self.occupied
                if chess.BB_SQUARES[end] & to_mask & ~blocked:
                    yield chess.Move(start, end)

    def generate_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """The same; none if the game is over."""
        if not self.is_variant_end():
            yield from self.generate_pseudo_legal_moves(from_mask, to_mask)

    def is_pseudo_legal(self, move: chess.Move) -> bool:
        """Whether the move is among them."""
        if not move or move.promotion or move.drop:
            return False
        masks = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
        return any(True for _ in self.generate_pseudo_legal_moves(*masks))

    def find_move(
        self,
        from_square: chess.Square,
        to_square: chess.Square,
        promotion: chess.PieceType | None = None,
    ) -> chess.Move:
        """The legal move between two squares: nothing is promoted.

        Raises `chess.IllegalMoveError` if there is none.
        """
        move = chess.Move(from_square, to_square, promotion)
        if not self.is_legal(move):
            raise chess.IllegalMoveError(f"{move.uci()} is illegal in {self.fen()}")
        return move

    def _algebraic_without_suffix(self, move: chess.Move, *, long: bool = False) -> str:
        text = super()._algebraic_without_suffix(move, long=long)
        file = chess.square_file(move.from_square)
        if long or file == chess.square_file(move.to_square) or self.is_capture(move):
            return text
        # In chess a pawn leaves its file only when it takes.
        return chess.FILE_NAMES[file] + text


# With this, chess.pgn knows the variant that such games name.
chess.variant.VARIANTS.append(BreakthroughBoard)


def to_chess(board: Board) -> BreakthroughBoard:
    """Convert a petard board to a python-chess board, with its moves.

    Raises `ValueError` unless it is one of Breakthrough on 8x8.
    """
    if board.variant != "breakthrough" or (board.files, board.ranks) != (8, 8):
        raise ValueError("python-chess only has 8x8 boards")
    rows, side, half, full = board.root().fen().split()
    copy = BreakthroughBoard(f"{rows} {side} - - {half} {full}")
    for move in board.move_stack:
        copy.push(chess.Move.from_uci(move.uci()))
    return copy


def from_chess(board: chess.Board) -> Board:
    """Convert a python-chess board to a petard board, with its moves.

    Raises `petard.InvalidFenError`, `petard.InvalidMoveError` (a promotion, a null move) or
    `petard.IllegalMoveError` if it is not Breakthrough.
    """
    copy = Board.from_fen(board.root().fen())
    for move in board.move_stack:
        copy.push(Move.from_uci(move.uci()))
    return copy


def popen(**arguments: Any) -> chess.engine.SimpleEngine:
    """Petard as a process that python-chess drives; the arguments are those of ``popen_uci``."""
    command = [sys.executable, "-m", "petard"]
    return chess.engine.SimpleEngine.popen_uci(command, **arguments)
