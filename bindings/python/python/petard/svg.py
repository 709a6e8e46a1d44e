"""Boards as pictures (SVG), for notebooks and pages."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from petard._petard import Board, Move

_LIGHT, _DARK, _MARKED, _ARROW = "#f0d9b5", "#b58863", "#cdd26a", "#15781b"
_FIELD, _MARGIN = 45, 15


def _file_name(file: int) -> str:
    return chr(ord("a") + file) if file < 26 else "a" + chr(ord("a") + file - 26)


def _place(name: str) -> tuple[int, int]:
    """File and rank of a square, from 0."""
    letters = name.rstrip("0123456789")
    file = ord(letters) - ord("a") if len(letters) == 1 else 26 + ord(letters[1]) - ord("a")
    return file, int(name[len(letters) :]) - 1


def _piece(x: float, y: float, piece: str) -> str:
    fill, line = ("#fff", "#333") if piece.isupper() else ("#333", "#000")
    circle = '<circle cx="{:g}" cy="{:g}" r="{:g}" fill="{}" stroke="{}" stroke-width="1.5"/>'
    if piece in "Dd":
        return circle.format(x - 5, y + 4, 13, fill, line) + circle.format(
            x + 5, y - 4, 13, fill, line
        )
    return circle.format(x, y, 15, fill, line)


def board(
    board: Board,
    *,
    size: int | None = None,
    lastmove: Move | None = None,
    arrows: Iterable[Move] = (),
    flipped: bool = False,
) -> str:
    """The board as the text of an SVG.

    ``size`` is the greater of width and height in pixels, by default 45 a square. ``lastmove`` (by
    default the board's own) is marked, ``arrows`` are drawn, ``flipped`` puts Black at the bottom.
    """
    files, ranks = board.files, board.ranks
    width, height = files * _FIELD + 2 * _MARGIN, ranks * _FIELD + 2 * _MARGIN
    scale = 1.0 if size is None else size / max(width, height)
    if lastmove is None and board.move_stack:
        lastmove = board.peek()
    marked = {lastmove.from_square, lastmove.to_square} if lastmove else set()

    def corner(file: int, rank: int) -> tuple[int, int]:
        column = files - 1 - file if flipped else file
        row = rank if flipped else ranks - 1 - rank
        return _MARGIN + column * _FIELD, _MARGIN + row * _FIELD

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width * scale:g}" height="{height * scale:g}" role="img">'
        f"<desc>{escape(board.fen())}</desc>"
        f'<rect width="{width}" height="{height}" fill="#fff"/>'
    ]
    pieces = board.piece_map()
    for rank in range(ranks):
        for file in range(files):
            x, y = corner(file, rank)
            name = f"{_file_name(file)}{rank + 1}"
            color = _DARK if (file + rank) % 2 == 0 else _LIGHT
            if name in marked:
                color = _MARKED
            parts.append(
                f'<rect x="{x}" y="{y}" width="{_FIELD}" height="{_FIELD}" fill="{color}"/>'
            )
            if name in pieces:
                parts.append(_piece(x + _FIELD / 2, y + _FIELD / 2, pieces[name]))
    text = (
        '<text x="{:g}" y="{:g}" font-size="11" font-family="sans-serif"'
        ' text-anchor="middle">{}</text>'
    )
    for file in range(files):
        parts.append(text.format(corner(file, 0)[0] + _FIELD / 2, height - 4, _file_name(file)))
    for rank in range(ranks):
        parts.append(text.format(_MARGIN / 2, corner(0, rank)[1] + _FIELD / 2 + 4, rank + 1))
    for move in arrows:
        if move.from_square and move.to_square:
            parts.append(_arrow(corner(*_place(move.from_square)), corner(*_place(move.to_square))))
    return "".join([*parts, "</svg>"])


def _arrow(start: tuple[int, int], end: tuple[int, int]) -> str:
    half = _FIELD / 2
    (x, y), (u, v) = (start[0] + half, start[1] + half), (end[0] + half, end[1] + half)
    dx, dy = u - x, v - y
    length = (dx * dx + dy * dy) ** 0.5 or 1.0
    dx, dy = dx / length, dy / length
    bx, by = u - 14 * dx, v - 14 * dy
    head = f"{u:g},{v:g} {bx - 7 * dy:g},{by + 7 * dx:g} {bx + 7 * dy:g},{by - 7 * dx:g}"
    return (
        f'<g fill="{_ARROW}" stroke="{_ARROW}" opacity="0.7"><line x1="{x:g}" y1="{y:g}" '
        f'x2="{bx:g}" y2="{by:g}" stroke-width="6"/><polygon points="{head}" stroke="none"/></g>'
    )
