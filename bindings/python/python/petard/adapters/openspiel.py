"""OpenSpiel (``open_spiel``): its Breakthrough states, and petard as a bot.

In OpenSpiel player 0 is Black, who starts at the top and moves first; squares and colours are
petard's, so only the side that moves first differs.
"""

from __future__ import annotations

from typing import Any

import pyspiel

from petard._petard import Board, IllegalMoveError, Move
from petard.engine import Engine, Limit


def start_board(game: Any) -> Board:
    """The start of an OpenSpiel game of Breakthrough: Black moves first.

    On boards of fewer than six ranks each side has one row of pieces there, not two. Raises
    `ValueError` for other games.
    """
    name = game.get_type().short_name
    # kaggle-environments wraps its games.
    if name not in ("breakthrough", "breakthrough_proxy"):
        raise ValueError(f"'{name}' is not breakthrough")
    parameters = game.get_parameters()
    files, ranks = parameters.get("columns", 8), parameters.get("rows", 8)
    filled = 2 if ranks >= 6 else 1
    rows = ["p" * files] * filled + [str(files)] * (ranks - 2 * filled) + ["P" * files] * filled
    return Board.from_fen(f"{'/'.join(rows)} b 0 1")


def board_from_state(state: Any) -> Board:
    """The board of a state, with the moves that led there."""
    board = start_board(state.get_game())
    for ply, action in enumerate(state.history()):
        board.push_uci(action_to_uci(state, action, ply % 2))
    return board


def action_to_uci(state: Any, action: int, player: int | None = None) -> str:
    """An action's move, such as ``a7b6``."""
    mover = state.current_player() if player is None else player
    text: str = state.action_to_string(mover, action)
    return text.removesuffix("*")


def action_from_move(state: Any, move: Move) -> int:
    """The action of a move that is legal in the state.

    Raises `IllegalMoveError` if it is not.
    """
    uci = move.uci()
    for action in state.legal_actions():
        if action_to_uci(state, action) == uci:
            return int(action)
    raise IllegalMoveError(f"'{uci}' is illegal")


def state_from_board(board: Board, game: Any = None) -> Any:
    """The state of a board that was played from OpenSpiel's start, where Black moves first.

    ``game`` is by default OpenSpiel's Breakthrough on a board of that size. Raises `ValueError` if
    the board was not played from there: OpenSpiel builds its states from moves.
    """
    if game is None:
        size = {"rows": board.ranks, "columns": board.files}
        game = pyspiel.load_game("breakthrough", size)
    if board.root() != start_board(game):
        raise ValueError("the board was not played from the start of the game with Black to move")
    state = game.new_initial_state()
    for move in board.move_stack:
        state.apply_action(action_from_move(state, move))
    return state


class PetardBot(pyspiel.Bot):  # type: ignore[misc]
    """Petard as an OpenSpiel bot, for ``pyspiel.evaluate_bots`` and the like.

    ``limit`` is what ends the search for each move, by default a tenth of a second.
    """

    def __init__(self, limit: Limit | None = None, *, engine: Engine | None = None) -> None:
        """Create it, with its own engine unless one is given."""
        pyspiel.Bot.__init__(self)
        self._limit = limit or Limit(time=0.1)
        self._engine = engine or Engine(hash=16)

    def step(self, state: Any) -> int:
        """The action to play in the state."""
        result = self._engine.play(board_from_state(state), self._limit)
        if result.move is None:
            raise ValueError("the game is over")
        return action_from_move(state, result.move)

    def restart(self) -> None:
        """Start a new game."""
        self._engine.new_game()

    def restart_at(self, state: Any) -> None:
        """Start from a state."""
        self._engine.new_game()

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        """Take another player's move: ignored, as states say all there is to know."""
