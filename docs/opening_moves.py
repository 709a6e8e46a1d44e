"""Updates `docs/openings.md`: the tables of first moves and the picture, from the built-in books.

    python docs/opening_moves.py

It needs the Python package.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import petard
import petard.svg

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "scripts"))

from petardlib import book_file  # noqa: E402
from petardlib.openingbook.file import Entry, OpeningBook  # noqa: E402
from petardlib.openingbook.opening import read_book  # noqa: E402
from petardlib.openingbook.values import is_proven, text  # noqa: E402
from petardlib.rules.keys import key_of  # noqa: E402

PAGE = DOCS / "openings.md"
PICTURE = DOCS / "images" / "openings.svg"
BOARDS = ("8x8", "7x7")
SCALE = 400
LINE = 8
"""Plies of a line that the table shows."""


def distinct(board: petard.Board, entry: Entry) -> dict[str, int]:
    """The moves of an entry, one of two mirror images."""
    found: dict[str, int] = {}
    seen: set[str] = set()
    for move, value in entry.moves.items():
        after = board.copy(stack=False)
        after.push_uci(move)
        if key_of(after) not in seen:
            seen.add(key_of(after))
            found[move] = value
    return found


def chance(value: int) -> str:
    """The mover's chance that a value stands for."""
    if is_proven(value):
        return text(value)
    return f"{100 / (1 + 10 ** (-value / SCALE)):.0f}%"


def line_after(book: OpeningBook, board: petard.Board) -> list[str]:
    """The best moves of the book from a position on."""
    board, line = board.copy(), list[str]()
    while len(line) < LINE and (entry := book.lookup(board)) and entry.moves:
        move = next(iter(entry.moves))
        line.append(move)
        board.push_uci(move)
    return line


def numbered(line: list[str]) -> str:
    """A line that Black begins, with the numbers of moves."""
    return " ".join(
        (f"{1 + (ply + 1) // 2}. " if ply % 2 else "1... " if ply == 0 else "") + move
        for ply, move in enumerate(line)
    )


def direction(board: petard.Board, move: str) -> str:
    """Whether a move goes towards the middle, towards the edge, or neither."""
    start, end = (abs(2 * "abcdefgh".index(file) - board.files + 1) for file in (move[0], move[2]))
    return "middle" if end < start else "edge" if end > start else ""


def directions(book: OpeningBook) -> str:
    """Where the book's best moves go, and where the legal ones do."""
    best, legal = Counter[str](), Counter[str]()
    for board in book.positions():
        entry = book.lookup(board)
        moves = [move.uci() for move in board.legal_moves]
        if entry and entry.moves:
            best[direction(board, next(iter(entry.moves)))] += 1
            legal.update(direction(board, move) for move in moves)
    chosen, possible = (
        {way: f"{count[way] / count.total():.0%}" for way in ("middle", "edge")}
        for count in (best, legal)
    )
    return (
        f"The book's best move goes diagonally towards the middle in {chosen['middle']} of its "
        f"positions, where {possible['middle']} of the legal moves do; towards the edge in "
        f"{chosen['edge']}, where {possible['edge']} do."
    )


def table(name: str) -> str:
    """The first moves of a board, best first."""
    book = read_book(book_file(f"{name}.book"))
    start = petard.Board(name)
    entry = book.lookup(start)
    assert entry is not None
    rows = ["| first move | value | White's chance | searches | the book's best line |"]
    rows.append("|---|---|---|---|---|")
    for move, value in distinct(start, entry).items():
        after = start.copy()
        after.push_uci(move)
        below = book.lookup(after)
        line = numbered(line_after(book, after)) or "-"
        count = below.searches if below else 0
        rows.append(f"| {move} | {text(value)} | {chance(value)} | {count} | {line} |")
    size = f"{len(book)} positions, {book.nodes / 1e6:.0f} million nodes. "
    return "\n".join(rows) + "\n\n" + size + directions(book)


def picture() -> str:
    """The best first moves on each board, side by side."""
    parts, x, height = [], 0, 0
    for name in BOARDS:
        book = read_book(book_file(f"{name}.book"))
        board = petard.Board(name)
        entry = book.lookup(board)
        assert entry is not None
        best = list(distinct(board, entry))[:3]
        size = 30 * board.files
        inner = petard.svg.board(board, size=size, arrows=[board.parse_uci(one) for one in best])
        parts.append(
            f'<text x="{x + size / 2:g}" y="15" font-size="14" font-family="sans-serif"'
            f' text-anchor="middle">{name}: {", ".join(best)}</text>'
            + inner.replace("<svg ", f'<svg x="{x}" y="22" ', 1)
        )
        x, height = x + size + 24, max(height, 22 + size)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -6 {x} {height + 16}"'
        f' width="{x}" height="{height + 16}" role="img"><title>The best first moves</title>'
        f'<rect x="-10" y="-6" width="{x}" height="{height + 16}" fill="#fff"/>'
        + "\n".join(parts)
        + "</svg>\n"
    )


def updated(page: str) -> str:
    """The page with the tables of the books as they are now."""
    for name in BOARDS:
        begin, end = f"<!-- {name} -->\n", f"\n<!-- end {name} -->"
        pattern = re.escape(begin) + ".*?" + re.escape(end)
        fresh = begin + table(name) + end
        # A backslash in the text would mean something to `re`.
        page, count = re.subn(pattern, fresh.replace("\\", r"\\"), page, flags=re.DOTALL)
        assert count == 1, name
    return page


def sizes(page: str) -> dict[str, int]:
    """How many positions the page says each book has."""
    rows = re.findall(r"^\| (\d+x\d+) \| ([\d,]+) \|", page, re.MULTILINE)
    return {name: int(count.replace(",", "")) for name, count in rows}


def main() -> None:
    """Write the page and the picture."""
    PAGE.write_text(updated(PAGE.read_text()))
    PICTURE.write_text(picture())


if __name__ == "__main__":
    main()
