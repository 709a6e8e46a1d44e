"""The Breakthrough engine petard for Python.

Names follow python-chess where both have the thing:

>>> import petard
>>> board = petard.Board()
>>> board.push_uci("b2b3")
Move.from_uci('b2b3')
>>> with petard.Engine() as engine:
...     info = engine.analyse(board, petard.Limit(nodes=1000))
>>> info.depth > 1
True

Boards and moves are `Board` and `Move`; `Engine` and `AsyncEngine` play and analyse in this
process; `solve` proves who wins; `evaluate`, `planes`, `features`, `legal_moves` and
`random_playouts` work on many positions at a time. Game files are in `petard.pgn`, other notations
in `petard.notation`, proven puzzles in `petard.puzzles`, pictures in `petard.svg`, and adapters for
OpenSpiel, kaggle-environments and python-chess in `petard.adapters`.
"""

from petard._petard import (
    Board,
    EngineBusyError,
    IllegalMoveError,
    InvalidFenError,
    InvalidMoveError,
    LegalMoves,
    Move,
    SolveError,
    __version__,
)
from petard._types import Outcome, Termination
from petard.arrays import (
    evaluate,
    features,
    legal_moves,
    network_shape,
    planes,
    random_playouts,
    squares,
)
from petard.engine import (
    Analysis,
    AsyncAnalysis,
    AsyncEngine,
    Engine,
    Info,
    Limit,
    PlayResult,
    Score,
    win_probability,
)
from petard.proofs import Proven, Solution, check_certificate, solve

WHITE = True
"""The side that moves first, up the board."""
BLACK = False
"""The other side."""

__all__ = [
    "BLACK",
    "WHITE",
    "Analysis",
    "AsyncAnalysis",
    "AsyncEngine",
    "Board",
    "Engine",
    "EngineBusyError",
    "IllegalMoveError",
    "Info",
    "InvalidFenError",
    "InvalidMoveError",
    "LegalMoves",
    "Limit",
    "Move",
    "Outcome",
    "PlayResult",
    "Proven",
    "Score",
    "Solution",
    "SolveError",
    "Termination",
    "__version__",
    "check_certificate",
    "evaluate",
    "features",
    "legal_moves",
    "network_shape",
    "planes",
    "random_playouts",
    "solve",
    "squares",
    "win_probability",
]
