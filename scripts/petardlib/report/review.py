"""The page's own review in one HTML file, with all that it shows and no engine."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, Literal

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from petard import Termination, pgn
from petardlib import page_file
from petardlib.analysis.judge import numbers
from petardlib.base.files import replace_text
from petardlib.report import MARK
from petardlib.report.bundle import bundle
from petardlib.rules.positions import board_of
from petardlib.rules.score import Score

TEMPLATES = Path(__file__).resolve().parent / "templates"
SHEETS = ("base", "board", "layout", "game", "review")


class PageScore(msgspec.Struct, omit_defaults=True):
    """A score as the page has it."""

    cp: int | None = None
    mate: int | None = None
    wdl: tuple[float, float, float] | None = None

    @classmethod
    def of(cls, score: Score, scale: float = 400.0) -> PageScore:
        """A score; the page shows the chances that verdicts are made of, whatever their scale."""
        if score.mate is not None:
            return cls(mate=score.mate)
        chance = round(score.win_probability(scale), 4)
        return cls(score.cp, None, (chance, 0, round(1 - chance, 4)))


class PageLine(msgspec.Struct, omit_defaults=True):
    """A line of play; the page fills in what is left out."""

    score: PageScore
    pv: list[str]
    depth: int = 0
    nodes: int = 0
    nps: int = 0
    proven: Literal["won", "lost"] | None = None


class PagePlace(msgspec.Struct):
    """An analysed position."""

    best: str | None
    lines: list[PageLine]


class PageVerdict(msgspec.Struct):
    """A verdict on a move; ``weight`` is what it counts in the accuracy of its side."""

    move: str
    best: str
    loss: float
    mark: str
    accuracy: float
    missed: int | None
    white: bool
    weight: float


class PageFound(msgspec.Struct):
    """What an engine has found out about an item; the places are those at the end of its line."""

    engine: str
    places: list[PagePlace]
    verdicts: list[PageVerdict] = []
    note: str = ""


class PageEnd(msgspec.Struct):
    """Who has won by the rules, and the protocol's word for why."""

    winner: str
    reason: str | None

    @classmethod
    def of(cls, result: str, fen: str, variant: str) -> PageEnd:
        """The end of a game whose last position is given."""
        words = {Termination.ARRIVED: "arrived", Termination.NO_PIECES: "no pieces"}
        outcome = board_of(fen, variant).outcome()
        winner = {"1-0": "white", "0-1": "black"}.get(result, "draw")
        return cls(winner, words.get(outcome.termination) if outcome else None)


class PageItem(msgspec.Struct, rename="camel"):
    """A game, or a position with the moves that lead to it."""

    title: str
    pgn: str
    is_game: bool
    end: PageEnd | None
    reason: str
    found: list[PageFound]


class PageTable(msgspec.Struct, rename="camel"):
    """A table below the review; a row of ``opens`` leads to the item of the same number."""

    title: str
    head: list[str]
    rows: list[list[str | int]]
    opens: bool = False


class Review(msgspec.Struct):
    """All that a file shows."""

    items: list[PageItem]
    tables: list[PageTable] = []
    about: str = ""
    numbers: dict[str, Any] = msgspec.field(default_factory=numbers)


def plain_game(fen: str, variant: str, moves: list[str], headers: dict[str, str]) -> str:
    """A game without comments as PGN."""
    board = board_of(fen, variant)
    board.push_line(moves)
    game = pgn.Game.from_board(board)
    game.headers |= headers
    return pgn.write_game(game)


@functools.cache
def _script() -> str:
    return bundle("js/review.js")


def write_review(
    path: Path,
    title: str,
    review: Review,
    template: str = "review.html.j2",
    **values: object,
) -> None:
    """Write the file, whole or not at all; templates may show more above the review."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # Only these sequences could end or alter a script element; JSON allows the escapes.
    data = msgspec.json.encode(review).decode()
    data = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    sheets = [page_file(f"css/{name}.css") for name in SHEETS]
    style = "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)
    text = environment.get_template(template).render(
        data=Markup(data),
        mark=Markup(MARK),
        script=Markup(_script()),
        style=Markup(style),
        title=title,
        **values,
    )
    replace_text(path, [text])
