"""The referee: decides which moves are legal and when a game is over, independent of the players.

Breakthrough, on boards that pyffish supports (12 files, 10 ranks), is refereed by pyffish. Every
call to pyffish costs one to two milliseconds, because it sets up its tables each time; so during
the game the rules of the package `petard` accept moves, pyffish is asked only when they refuse
one, and it replays the whole game in one call before the result counts. Everything else (taller
boards, Freeling's game) is refereed by a separate process of an engine that knows the extensions
`moves` and `d`.
"""

from __future__ import annotations

from types import ModuleType

from petardlib.base.errors import EngineFault, UserError
from petardlib.play.engine import Engine
from petardlib.play.spec import EngineSpec
from petardlib.rules import boardtext
from petardlib.rules.positions import (
    Verdict,
    board_of,
    enemy_is_bare,
    plain_fen,
    try_move,
    verdict_of,
)

PYFFISH_FILES, PYFFISH_RANKS = 12, 10


def pyffish() -> ModuleType:
    """The library, loaded lazily: loading takes half a second, too long for `--help`."""
    import pyffish as library

    return library


class Referee:
    """Follows one game. Subclasses know the rules."""

    def __init__(self, fen: str) -> None:
        """Start at a position."""
        self.start = fen
        self.moves: list[str] = []
        self.boards: list[str] | None = None

    def play(self, move: str) -> bool:
        """Play a move if it is legal; whether it was."""
        raise NotImplementedError

    def verdict(self) -> Verdict | None:
        """The result of the position that is reached, or None."""
        raise NotImplementedError

    def legal_moves(self) -> list[str]:
        """The legal moves of the position that is reached."""
        raise NotImplementedError

    def fen(self) -> str:
        """The position that is reached."""
        raise NotImplementedError

    def confirm(self) -> tuple[int, Verdict | None]:
        """A final check of the whole game: how many moves stand, and the result after them."""
        return len(self.moves), self.verdict()

    def close(self) -> None:
        """Release whatever the referee holds."""


class PyffishReferee(Referee):
    """Breakthrough refereed by pyffish (Fairy-Stockfish's rules)."""

    def __init__(self, fen: str) -> None:
        """Start at a position of at most 12 x 10 squares."""
        super().__init__(fen)
        self.quick = board_of(fen)
        self.variant = load_variant(self.quick.files, self.quick.ranks)

    def _ask(self, moves: list[str]) -> list[str]:
        legal: list[str] = pyffish().legal_moves(self.variant, self.start, moves)
        return legal

    def play(self, move: str) -> bool:
        """Play a move if it is legal; pyffish has the last word on a refusal."""
        known = try_move(self.quick, move)
        if not known and move not in self._ask(self.moves):
            return False
        self.moves.append(move)
        if not known:
            self.quick = board_of(pyffish().get_fen(self.variant, self.start, self.moves))
        return True

    def verdict(self) -> Verdict | None:
        """The result by the quick rules; `confirm` asks pyffish."""
        return verdict_of(self.quick)

    def legal_moves(self) -> list[str]:
        """The legal moves according to pyffish."""
        return self._ask(self.moves)

    def fen(self) -> str:
        """The position that is reached."""
        return plain_fen(self.quick)

    def confirm(self) -> tuple[int, Verdict | None]:
        """Replay all moves in pyffish: each is checked, and so is the end."""
        count = len(self.moves)
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
            return count, verdict if enemy_is_bare(self.quick) else None
        value = pyffish().game_result(self.variant, self.start, self.moves[:count])
        first = boardtext.side_to_move(self.start) == "w"
        white_to_move = first == (count % 2 == 0)
        white_wins = (value > 0) == white_to_move
        result = "1/2-1/2" if value == 0 else ("1-0" if white_wins else "0-1")
        if verdict is None or verdict.result != result:
            verdict = Verdict(result, "the game is over by pyffish's rules")
        return count, verdict


class EngineReferee(Referee):
    """Any game, refereed by a non-playing engine process that answers `moves` and `d`."""

    def __init__(self, fen: str, engine: Engine) -> None:
        """Start at a position; the engine must already be set up for the variant."""
        super().__init__(fen)
        self.engine = engine
        self._legal: list[str] = []
        self._fen = fen
        self._outcome = "none"
        self._look()
        # These boards cannot be derived from the moves without the rules, so they are kept.
        self.boards = []

    def _look(self) -> None:
        tail = f" moves {' '.join(self.moves)}" if self.moves else ""
        try:
            self.engine.try_position(f"position fen {self.start}{tail}")
        except EngineFault as fault:
            if fault.kind != "setup":
                raise
            raise UserError(f"{self.start}{tail}: the referee engine: {fault.detail}") from None
        answer = self.engine.ask("moves", "moves:")[-1]
        self._legal = [boardtext.normal_move(word) for word in answer.split()[1:]]
        for line in self.engine.ask("d", "Outcome:"):
            key, _, value = line.partition(":")
            if key == "Fen":
                self._fen = value.strip()
            elif key == "Outcome":
                self._outcome = value.strip()

    def play(self, move: str) -> bool:
        """Play a move if it is among the engine's `moves`."""
        if move not in self._legal:
            return False
        self.moves.append(move)
        self._look()
        if self.boards is not None:
            self.boards.append(self._fen)
        return True

    def verdict(self) -> Verdict | None:
        """The result by the engine's `d`."""
        known = {
            "white wins": Verdict("1-0", "White wins by the referee engine's rules"),
            "black wins": Verdict("0-1", "Black wins by the referee engine's rules"),
            "draw": Verdict("1/2-1/2", "draw by repetition"),
        }
        if self._outcome == "none" and not self._legal:
            raise EngineFault("setup", "the referee engine knows no legal move and no outcome")
        return known.get(self._outcome)

    def legal_moves(self) -> list[str]:
        """The legal moves by the engine's `moves`."""
        return list(self._legal)

    def fen(self) -> str:
        """The position by the engine's `d`."""
        return self._fen


_loaded: dict[tuple[int, int], str] = {}


def load_variant(width: int, height: int) -> str:
    """The name under which pyffish knows Breakthrough on this board."""
    if (width, height) not in _loaded:
        if (width, height) == (8, 8):
            name = boardtext.TROYKA
        else:
            name, config = boardtext.fairy_variant(width, height)
            # pyffish complains on standard error about the two names known only to version 11
            config = "\n".join(
                x for x in config.splitlines() if x[:9] not in ("whiteFlag", "blackFlag")
            )
            pyffish().load_variant_config(config + "\n")
        if name not in pyffish().variants():
            raise UserError(f"pyffish does not support a board of {width}x{height}")
        _loaded[width, height] = name
    return _loaded[width, height]


def pyffish_holds(variant: str, fen: str) -> bool:
    """Whether a game from this position can be refereed by pyffish."""
    width, height = boardtext.board_size(fen)
    return variant == boardtext.TROYKA and width <= PYFFISH_FILES and height <= PYFFISH_RANKS


class RefereeFactory:
    """Makes a referee for each game, and keeps one referee engine warm if one is needed."""

    def __init__(self, engine: EngineSpec | None) -> None:
        """``engine`` referees what pyffish cannot."""
        self.referee = engine
        self._engine: Engine | None = None
        self._key: tuple[str, int, int] | None = None

    def make(self, variant: str, fen: str) -> Referee:
        """A referee at a position."""
        if pyffish_holds(variant, fen):
            return PyffishReferee(fen)
        key = (variant, *boardtext.board_size(fen))
        if self._engine is None or self._key != key:
            self.close()
            if self.referee is None:
                raise UserError(
                    f"{variant} on {key[1]}x{key[2]} needs a referee engine (--referee)"
                )
            self._engine = Engine(self.referee)
            self._engine.set_up(variant, fen)
            self._key = key
        try:
            return EngineReferee(fen, self._engine)
        except EngineFault:
            self.close()
            raise

    def close(self) -> None:
        """End the referee engine."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None
