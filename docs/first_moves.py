"""Draws the winning first moves that the table of `docs/solved.md` names.

    python docs/first_moves.py

writes `docs/images/first-moves.svg`. It needs the Python package.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import petard
import petard.svg

DOCS = Path(__file__).resolve().parent
PICTURE = DOCS / "images" / "first-moves.svg"
SCALE = 0.55
GAP = 24
TITLE = 22


class Row(NamedTuple):
    """A solved board: its winner, and its winning first moves by name."""

    name: str
    winner: str
    proven: list[str]
    unchecked: list[str]
    is_complete: bool
    """Whether the other first moves win too."""


def rows(page: str) -> list[Row]:
    """The solved boards of the page."""
    row = re.compile(r"^\| (\d+x\d+) \| (first|second) \|([^|]*)\|([^|]*)\|", re.MULTILINE)
    move = re.compile(r"\b[a-z]\d+[a-z]\d+\b")
    return [
        Row(name, winner, move.findall(proven), move.findall(others), "all" in others)
        for name, winner, proven, others in row.findall(page)
    ]


def dashed(picture: str) -> list[str]:
    """The arrows of a picture, as those of moves that have no check."""
    arrows = re.findall(r'<g fill="#15781b".*?</g>', picture)
    return [
        arrow.replace("#15781b", "#555").replace("<line ", '<line stroke-dasharray="7 5" ')
        for arrow in arrows
    ]


def draw(page: str) -> str:
    """The picture: a board for each row that names moves, side by side."""
    parts, x, height = [], 0.0, 0.0
    for row in rows(page):
        name = row.name
        if not row.proven or row.is_complete:
            continue
        files, ranks = map(int, name.split("x"))
        board = petard.Board(name)
        size = round(SCALE * (45 * max(files, ranks) + 30))
        proven, unchecked = (
            petard.svg.board(board, size=size, arrows=[board.parse_uci(move) for move in moves])
            for moves in (row.proven, row.unchecked)
        )
        inner = proven.removesuffix("</svg>") + "".join(dashed(unchecked)) + "</svg>"
        width = SCALE * (45 * files + 30)
        parts.append(
            f'<text x="{x + width / 2:g}" y="15" font-size="14" font-family="sans-serif"'
            f' text-anchor="middle">{name}</text>'
            + inner.replace("<svg ", f'<svg x="{x:g}" y="{TITLE}" ', 1)
        )
        x += width + GAP
        height = max(height, TITLE + SCALE * (45 * ranks + 30))
    width = x - GAP + 20
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -6 {width:g} {height + 16:g}"'
        f' width="{width:g}" height="{height + 16:g}" role="img">'
        "<title>Winning first moves</title>"
        f'<rect x="-10" y="-6" width="{width:g}" height="{height + 16:g}" fill="#fff"/>'
        + "\n".join(parts)
        + "</svg>\n"
    )


def main() -> None:
    """Write the picture."""
    PICTURE.write_text(draw((DOCS / "solved.md").read_text()))


if __name__ == "__main__":
    main()
