"""The referee: decides which moves are legal and when a game is over, independent of the players.

The rules are those of the package `petard`. Breakthrough on boards that pyffish supports (12 files,
10 ranks) is also refereed by pyffish, which has the last word. Every call to it costs one to two
milliseconds, because it sets up its tables each time; so during the game it is asked only when
`petard` refuses a move, and it replays the whole game in one call before the result counts.
"""

from __future__ import annotations

import functools
from types import ModuleType

from petardlib.base.errors import UserError
from petardlib.rules.positions import (
    BREAKTHROUGH,
    Result,
    Verdict,
    board_of,
    fairy_variant,
    is_white,
    size_of,
    try_move,
    verdict_of,
)

PYFFISH_FILES, PYFFISH_RANKS = 12, 10


def pyffish() -> ModuleType:
    """The library, loaded lazily: loading takes half a second, too long for `--help`."""
    import pyffish as library

    return library


class Referee:
    """Follows one game from a position."""

    def __init__(self, variant: str, fen: str) -> None:
        """Start at a position."""
        self.start = fen
        self.board = board_of(fen, variant)
        self.moves: list[str] = []
        self._is_known = pyffish_knows(variant, fen)

    @functools.cached_property
    def _pyffish(self) -> str | None:
        return load_variant(*size_of(self.start)) if self._is_known else None

    def _ask(self, moves: list[str]) -> list[str]:
        legal: list[str] = pyffish().legal_moves(self._pyffish, self.start, moves)
        return legal

    def play(self, move: str) -> bool:
        """Play a move if it is legal; whether it was."""
        known = try_move(self.board, move)
        if not known and (self._pyffish is None or move not in self._ask(self.moves)):
            return False
        self.moves.append(move)
        if not known:
            self.board = board_of(pyffish().get_fen(self._pyffish, self.start, self.moves))
        return True

    def verdict(self) -> Verdict | None:
        """The result of the position that is reached, or None; `confirm` asks pyffish."""
        return verdict_of(self.board)

    def confirm(self) -> tuple[int, Verdict | None]:
        """A final check of the whole game: how many moves stand, and the result after them."""
        count = len(self.moves)
        if self._pyffish is None:
            return count, self.verdict()
        while True:
            try:
                legal = self._ask(self.moves[:count])
                break
            except (ValueError, SystemError):
                # An illegal move: pyffish raises ValueError, Python SystemError for how it does so
                count -= 1
        verdict = self.verdict() if count == len(self.moves) else None
        if legal:
            # pyffish lets a side play on against no pieces; by the rules, it has won.
            is_bare = ("p" if self.board.turn else "P") not in self.board.board_fen()
            return count, verdict if is_bare else None
        value = pyffish().game_result(self._pyffish, self.start, self.moves[:count])
        white_to_move = is_white(self.start) == (count % 2 == 0)
        white_wins = (value > 0) == white_to_move
        result: Result = "1/2-1/2" if value == 0 else ("1-0" if white_wins else "0-1")
        if verdict is None or verdict.result != result:
            verdict = Verdict(result, "the game is over by pyffish's rules")
        return count, verdict


_loaded: dict[tuple[int, int], str] = {}


def load_variant(files: int, ranks: int) -> str:
    """The name under which pyffish knows Breakthrough on this board."""
    if (files, ranks) not in _loaded:
        if (files, ranks) == (8, 8):
            name = BREAKTHROUGH
        else:
            name, config = fairy_variant(files, ranks)
            # pyffish complains on standard error about the two names known only to version 11
            config = "\n".join(
                x for x in config.splitlines() if x[:9] not in ("whiteFlag", "blackFlag")
            )
            pyffish().load_variant_config(config + "\n")
        if name not in pyffish().variants():
            raise UserError(f"pyffish does not support a board of {files}x{ranks}")
        _loaded[files, ranks] = name
    return _loaded[files, ranks]


def pyffish_knows(variant: str, fen: str) -> bool:
    """Whether a game from this position can be refereed by pyffish."""
    files, ranks = size_of(fen)
    return variant == BREAKTHROUGH and files <= PYFFISH_FILES and ranks <= PYFFISH_RANKS
