"""Standings of a tournament: places, points and tie-breaks, as CSV and Markdown."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace

from petardlib.stats.ratings import RatingList
from petardlib.stats.summary import Summary


@dataclass(frozen=True)
class Standing:
    """A player's line.

    Players are ranked by their share of the points, then by the points against those with the same
    share (``direct``), by Sonneborn and Berger's sum of the shares of the opponents from whom the
    points were taken, and by the number of games won. Those equal in all of these share a place.
    """

    place: int
    name: str
    games: int
    points: float
    share: float
    won: int
    drawn: int
    lost: int
    direct: float
    sonneborn_berger: float
    elo: float | None
    error: float | None


def standings(summary: Summary, rated: RatingList | None = None) -> list[Standing]:
    """The standings of all players who have played; ``rated`` are other ratings than usual."""
    rated = None if summary.nothing_measured else rated or summary.ratings()
    ratings = {line.name: line for line in rated.ratings} if rated else {}
    shares = {name: use.points / use.games for name, use in summary.use.items() if use.games}
    lines = []
    for name, share in shares.items():
        duels = [duel for other in shares if other != name and (duel := summary.duel(name, other))]
        line, own = ratings.get(name), summary.use[name]
        lines.append(
            Standing(
                place=0,
                name=name,
                games=own.games,
                points=own.points,
                share=round(share, 4),
                won=sum(duel.won for duel in duels),
                drawn=sum(duel.drawn for duel in duels),
                lost=sum(duel.lost for duel in duels),
                direct=sum(duel.points for duel in duels if shares[duel.second] == share),
                sonneborn_berger=round(sum(d.points * shares[d.second] for d in duels), 2),
                elo=_finite(line.elo) if line else None,
                error=_finite(line.error) if line else None,
            )
        )
    lines.sort(key=_rank)
    ranks = [_rank(one) for one in lines]
    return [replace(one, place=1 + ranks.index(_rank(one))) for one in lines]


def _rank(line: Standing) -> tuple[float, ...]:
    return -line.share, -line.direct, -line.sonneborn_berger, -line.won


def _finite(value: float) -> float | None:
    return round(value, 1) + 0.0 if math.isfinite(value) else None


COLUMNS = tuple(field.name for field in fields(Standing))
HEADINGS = (
    "#", "player", "games", "points", "score", "won", "drawn", "lost", "direct", "SB", "Elo", "±95%"
)  # fmt: skip


def as_csv(lines: Sequence[Standing]) -> str:
    """The standings as a CSV table."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(map(asdict, lines))
    return text.getvalue()


def cells(line: Standing) -> list[str]:
    """A line for people."""
    return [
        *(str(line.place), line.name, str(line.games), f"{line.points:g}", f"{line.share:.1%}"),
        *(str(line.won), str(line.drawn), str(line.lost)),
        *(f"{line.direct:g}", f"{line.sonneborn_berger:.2f}"),
        "-" if line.elo is None else f"{line.elo:z.0f}",
        "-" if line.error is None else f"{line.error:.0f}",
    ]


def as_markdown(lines: Sequence[Standing]) -> str:
    """The standings as a table in Markdown."""
    rows = [list(HEADINGS), ["--:", ":--", *["--:"] * (len(HEADINGS) - 2)]]
    rows += [[cell.replace("|", "\\|") for cell in cells(line)] for line in lines]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
