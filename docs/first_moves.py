"""Draws the winning first moves that the table of `docs/solved.md` names.

    python docs/first_moves.py

writes `docs/images/first-moves.svg`. It needs the Python package.
"""

from __future__ import annotations

import re
from pathlib import Path

import petard
import petard.svg

DOCS = Path(__file__).resolve().parent
PICTURE = DOCS / "images" / "first-moves.svg"
SCALE = 0.55
GAP = 24
TITLE = 22


def rows(page: str) -> list[tuple[str, str, list[str]]]:
    """Each solved board of the page: its name, its winner, its winning first moves by name."""
    table = re.findall(r"^\| (\d+x\d+) \| (first|second) \| *([^|]*?) *\|", page, re.MULTILINE)
    found: dict[str, tuple[str, str, list[str]]] = {}
    for name, winner, moves in table:
        words = re.findall(r"\b[a-z]\d+[a-z]\d+\b", moves)
        found.setdefault(name, (name, winner, words))
    return list(found.values())


def draw(page: str) -> str:
    """The picture: a board for each row that names moves, side by side."""
    parts, x, height = [], 0.0, 0.0
    for name, _, moves in rows(page):
        if not moves:
            continue
        files, ranks = map(int, name.split("x"))
        board = petard.Board(name)
        arrows = [board.parse_uci(move) for move in moves]
        longest = SCALE * (45 * max(files, ranks) + 30)
        inner = petard.svg.board(board, size=round(longest), arrows=arrows)
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
