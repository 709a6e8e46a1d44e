"""Charts as SVG text; colours come from the page's style, so they fit both themes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from markupsafe import Markup

WIDTH = 560
SERIES = 8


def _svg(height: float, parts: list[str], label: str) -> Markup:
    body = "".join(parts)
    return Markup(
        f'<svg class="chart" viewBox="0 0 {WIDTH} {height:g}" role="img" '
        f'aria-label="{escape(label)}">{body}</svg>'
    )


def _text(x: float, y: float, text: str, anchor: str = "start", css: str = "") -> str:
    style = f' class="{css}"' if css else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{style}>{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, css: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{css}"/>'


def nice_ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round numbers covering an interval."""
    span = max(high - low, 1e-9)
    raw = span / max(1, count)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def colour(index: int) -> str:
    """The colour of a series."""
    return f"var(--s{index % SERIES})"


def rating_chart(rows: Sequence[tuple[str, float, float]]) -> Markup:
    """Ratings with error bars: (name, Elo, half-width)."""
    bounded = [(n, e, min(err, 1500.0)) for n, e, err in rows]
    low = min(e - err for _, e, err in bounded)
    high = max(e + err for _, e, err in bounded)
    pad = max(10.0, (high - low) * 0.04)
    low, high = low - pad, high + pad
    left, right, step = 170, 20, 38
    bottom = 10 + step * len(rows)

    def x(elo: float) -> float:
        return left + (elo - low) / (high - low) * (WIDTH - left - right)

    parts = []
    for tick in nice_ticks(low, high):
        parts.append(_line(x(tick), 6, x(tick), bottom, "zero" if tick == 0 else "axis"))
        parts.append(_text(x(tick), bottom + 16, f"{tick:+g}" if tick else "0", "middle"))
    for number, (name, elo, error) in enumerate(bounded):
        y = 10 + step * (number + 0.5)
        stroke = f'stroke="{colour(number)}"'
        parts.append(_text(0, y + 4, _short(name, 22), css="name"))
        for x1, x2, y1, y2 in (
            (x(elo - error), x(elo + error), y, y),
            (x(elo - error), x(elo - error), y - 5, y + 5),
            (x(elo + error), x(elo + error), y - 5, y + 5),
        ):
            parts.append(
                f'<line x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1}" y2="{y2}" {stroke} stroke-width="2"/>'
            )
        parts.append(
            f'<circle cx="{x(elo):.1f}" cy="{y}" r="5.5" fill="{colour(number)}">'
            f"<title>{escape(name)}: {elo:+z.1f} ± {error:.1f}</title></circle>"
        )
        parts.append(_text(x(elo), y - 9, f"{elo:+z.0f}", "middle"))
    return _svg(bottom + 22, parts, "ratings with error bars")


def line_chart(
    series: Sequence[tuple[str, Sequence[float]]],
    band: Sequence[tuple[float, float]] | None = None,
    percent: bool = False,
    middle: float = 0.0,
    first: int = 1,
) -> Markup:
    """Values over the games; ``band`` is drawn around the first series.

    Values start after game number ``first``; 0 means before all games.
    """
    count = max(len(values) for _, values in series)
    flat = [v for _, values in series for v in values] + [middle]
    if band:
        # The first few games say little; their wide band must not flatten the rest.
        settled = band[min(len(band) - 1, len(band) // 10) :]
        flat += [edge for pair in settled for edge in pair]
    low, high = min(flat), max(flat)
    pad = max((high - low) * 0.08, 0.02 if percent else 0.5)
    low, high = low - pad, high + pad
    if percent:
        low, high = max(0.0, low), min(1.0, high)
    left, right, top, bottom = 46, 12, 8, 250

    def x(index: float) -> float:
        return left + (index / max(1, count - 1)) * (WIDTH - left - right)

    def y(value: float) -> float:
        return bottom - (min(max(value, low), high) - low) / (high - low) * (bottom - top)

    parts = []
    for tick in nice_ticks(low, high):
        css = "zero" if abs(tick - middle) < 1e-9 else "axis"
        parts.append(_line(left, y(tick), WIDTH - right, y(tick), css))
        text = f"{tick:.0%}" if percent else f"{tick:+g}" if tick else "0"
        parts.append(_text(left - 6, y(tick) + 4, text, "end"))
    if low < middle < high:
        parts.append(_line(left, y(middle), WIDTH - right, y(middle), "zero"))
    for tick in nice_ticks(first, count + first - 1, 6):
        if tick == int(tick) and tick >= first:
            parts.append(_text(x(tick - first), bottom + 16, f"{tick:g}", "middle"))
    if band:
        up = " ".join(f"{x(i):.1f},{y(high_):.1f}" for i, (_, high_) in enumerate(band))
        down = " ".join(
            f"{x(i):.1f},{y(low_):.1f}" for i, (low_, _) in reversed([*enumerate(band)])
        )
        parts.append(f'<polygon points="{up} {down}" fill="{colour(0)}" opacity="0.15"/>')
    for number, (name, values) in enumerate(series):
        points = " ".join(f"{x(i):.1f},{y(v):.1f}" for i, v in enumerate(values))
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour(number)}" stroke-width="2" '
            f'stroke-linejoin="round"><title>{escape(name)}</title></polyline>'
        )
    parts.append(_text(WIDTH - right, bottom + 32, "games", "end"))
    return _svg(bottom + 38, parts, "score over games")


def split_chart(rows: Sequence[tuple[str, float, float]]) -> Markup:
    """Share of points as White and as Black, a pair of bars per engine."""
    left, right, step = 170, 56, 50
    bottom = step * len(rows)
    full = WIDTH - left - right
    parts = []
    for tick in (0.0, 0.5, 1.0):
        x = left + tick * full
        parts.append(_line(x, 4, x, bottom, "zero" if tick == 0.5 else "axis"))
        parts.append(_text(x, bottom + 16, f"{tick:.0%}", "middle"))
    for number, (name, white, black) in enumerate(rows):
        y = step * number + 6
        parts.append(_text(0, y + 22, _short(name, 22), css="name"))
        bars = ((white, "var(--piece-w)", "W"), (black, "var(--piece-b)", "B"))
        for place, (share, fill, letter) in enumerate(bars):
            top = y + place * 18
            if math.isnan(share):
                continue
            width = max(1.0, share * full)
            parts.append(
                f'<rect x="{left}" y="{top}" width="{width:.1f}" height="15" rx="3" '
                f'fill="{fill}" stroke="var(--muted)" stroke-width="1"/>'
            )
            parts.append(_text(left + share * full + 6, top + 12, f"{letter} {share:.0%}"))
    return _svg(bottom + 22, parts, "points by colour")


def histogram(values: Sequence[int], unit: str, median: float) -> Markup:
    """How often each range of values occurs."""
    low, high = min(values), max(values)
    width = next(w for w in (1, 2, 5, 10, 20, 50, 100, 1000) if (high - low) / w <= 24 or w == 1000)
    first = low // width
    bins = [0] * (high // width - first + 1)
    for value in values:
        bins[value // width - first] += 1
    left, right, top, bottom = 36, 12, 20, 190
    each = (WIDTH - left - right) / len(bins)
    tallest = max(bins)
    parts = []
    for tick in nice_ticks(0, tallest, 4):
        if tick == int(tick):
            y = bottom - tick / tallest * (bottom - top)
            parts.append(_line(left, y, WIDTH - right, y, "axis"))
            parts.append(_text(left - 6, y + 4, f"{tick:g}", "end"))
    every = max(1, len(bins) // 10)
    for number, amount in enumerate(bins):
        x = left + number * each
        height = amount / tallest * (bottom - top)
        start = (first + number) * width
        parts.append(
            f'<rect x="{x + 1:.1f}" y="{bottom - height:.1f}" width="{max(1.0, each - 2):.1f}" '
            f'height="{height:.1f}" rx="2" fill="{colour(1)}" opacity="0.8">'
            f"<title>{start} to {start + width - 1} {escape(unit)}: {amount}</title></rect>"
        )
        if number % every == 0:
            parts.append(
                _text(x + each / 2 if width == 1 else x, bottom + 16, str(start), "middle")
            )
    x = left + ((median - first * width) + (0.5 if width == 1 else 0)) / width * each
    parts.append(_line(x, top - 8, x, bottom, "zero"))
    parts.append(_text(x + 4, top - 6, f"median {median:g}"))
    parts.append(_text(WIDTH - right, bottom + 32, unit, "end"))
    return _svg(bottom + 38, parts, f"histogram of {unit}")


def legend(names: Sequence[str]) -> Markup:
    """The colour of each series."""
    items = "".join(
        f'<span><span class="swatch" style="background:{colour(n)}"></span>{escape(name)}</span>'
        for n, name in enumerate(names)
    )
    return Markup(f'<div class="legend">{items}</div>')


def _short(name: str, length: int) -> str:
    return name if len(name) <= length else name[: length - 1] + "…"
