"""The report of a tournament."""

from __future__ import annotations

import math
import statistics
from pathlib import Path
from typing import Any

from markupsafe import Markup

from petardlib.play.display import ranking
from petardlib.play.schedule import Plan
from petardlib.play.spec import EngineSpec
from petardlib.report.charts import histogram, legend, line_chart, rating_chart, split_chart
from petardlib.report.review import (
    TEMPLATES,
    PageFound,
    PageItem,
    PageLine,
    PagePlace,
    PageScore,
    PageTable,
    Review,
    plain_game,
    write_review,
)
from petardlib.stats.games import POINTS, Fault, GameRecord
from petardlib.stats.match import Z95, Sprt, sprt_bounds
from petardlib.stats.summary import Summary

Record = dict[str, Any]
ABOUT = "Each position is as the engine to move saw it. Arrow keys step through the moves."


def write_report(
    path: Path,
    title: str,
    records: list[GameRecord],
    summary: Summary,
    sprt: Sprt | None,
    plan: Plan | None = None,
) -> None:
    """Write the report of all games to one file."""
    records = sorted(records, key=lambda record: record.index)
    order = ranking(summary)
    rated = None if summary.nothing_measured else summary.ratings()
    limits = {
        name: text
        for r in records
        for name, text in zip((r.white, r.black), r.controls, strict=True)
    }
    score_title, score_chart = _score(records, summary, order)
    variant = records[0].variant
    write_review(
        path,
        title,
        Review([_item(record) for record in records], [_list(records)], ABOUT),
        "tournament.html.j2",
        report_style=Markup((TEMPLATES / "report.css").read_text("utf-8")),
        subtitle=f"{len(order)} engines, {summary.games} games of {variant}, {_dates(records)}",
        tiles=_tiles(summary),
        match=_match(summary, sprt) if len(summary.names) == 2 else None,
        order=order,
        ratings_chart=rating_chart([(r.name, r.elo, r.error) for r in rated.ratings])
        if rated
        else None,
        rating_note=_rating_note(rated) if rated else "",
        score_title=score_title,
        score_chart=score_chart,
        cross=_cross(summary, order),
        colour_chart=split_chart([_split(summary, name) for name in order]),
        length_chart=histogram(summary.plies, "plies", statistics.median(summary.plies)),
        use=[_use(summary, name, limits.get(name, "-")) for name in order],
        engines=[_engine(spec, plan.programs.get(spec.name, {})) for spec in plan.engines]
        if plan
        else [],
        faults=[_fault(one, one.fault) for one in summary.faults if one.fault],
    )


def _dates(records: list[GameRecord]) -> str:
    days = sorted({record.start[:10] for record in records})
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def _item(record: GameRecord) -> PageItem:
    """A game; each position is as the engine to move saw it."""
    headers = {"White": record.white, "Black": record.black, "Result": record.result}
    # Nobody has looked at the last position; after an error, there is a note on it.
    places = [PagePlace(None, []) for _ in range(len(record.moves) - record.book + 1)]
    for at, note in enumerate(record.log[: len(places)]):
        ply = record.book + at
        played = record.moves[ply : ply + 1]
        nps = round(note.nodes / note.ms * 1000) if note.nodes and note.ms else 0
        lines = (
            [PageLine(PageScore.of(note.score), played, note.depth or 0, note.nodes or 0, nps)]
            if note.score
            else []
        )
        places[at] = PagePlace(None, lines)
    return PageItem(
        f"{record.index + 1}. {record.white} - {record.black} {record.result}",
        plain_game(record.fen, record.variant, record.moves, headers),
        is_game=True,
        end=None,
        reason=record.reason,
        found=[PageFound("the players", places)],
    )


def _list(records: list[GameRecord]) -> PageTable:
    head = ["#", "White", "Black", "result", "plies", "opening", "end"]
    rows: list[list[str | int]] = [
        [
            record.index + 1,
            record.white,
            record.black,
            record.result,
            len(record.moves),
            record.opening,
            f"error: {record.reason}" if record.fault else record.reason,
        ]
        for record in records
    ]
    return PageTable("Games", head, rows, opens=True)


def _tiles(summary: Summary) -> list[tuple[str, str]]:
    share = summary.white_share or 0.0
    tiles = [
        (str(summary.games), "games"),
        (f"{share:.1%}", "White's share of the points"),
        (f"{statistics.median(summary.plies):g}", "plies, median length"),
        (str(len(summary.faults)), "games lost to errors"),
    ]
    if summary.results["1/2-1/2"]:
        tiles.insert(2, (str(summary.results["1/2-1/2"]), "draws"))
    overhead = summary.overhead_us()
    if overhead is not None:
        tiles.append((f"{overhead / 1000:.2f} ms", "runner's overhead per move"))
    return tiles


def _match(summary: Summary, sprt: Sprt | None) -> dict[str, str] | None:
    duel = summary.duel(*summary.names)
    if duel is None:
        return None
    stats = None if summary.nothing_measured else duel.stats()
    match = {
        "first": duel.first,
        "second": duel.second,
        "points": f"{duel.points:g} of {duel.games}",
        "won": str(duel.won),
        "lost": str(duel.lost),
        "drawn": str(duel.drawn),
        "elo": stats.elo.text() if stats else "-",
        "nelo": stats.nelo.text() if stats else "-",
        "pairs": " · ".join(map(str, duel.pentanomial())),
        "los": stats.los_text() if stats else "-",
        "sprt": "",
    }
    if sprt:
        llr, verdict = sprt.verdict(duel.pentanomial())
        low, high = sprt_bounds(sprt.alpha, sprt.beta)
        meaning = {None: "undecided", "H0": "H0 accepted", "H1": "H1 accepted"}[verdict]
        match["sprt"] = (
            f"SPRT, {sprt.model} Elo [{sprt.elo0:g}, {sprt.elo1:g}], alpha {sprt.alpha:g}, beta "
            f"{sprt.beta:g}: LLR {llr:.2f} of ({low:.2f}, {high:.2f}): {meaning}"
        )
    return match


def _rating_note(rated: Any) -> str:  # noqa: ANN401
    note = (
        "Maximum likelihood, average 0, bars are 95%. White's advantage: "
        f"{rated.advantage:+z.0f} ± {rated.advantage_error:.0f} Elo."
    )
    if rated.with_prior:
        note += " Too one-sided for a finite maximum; regularised with imaginary draws."
    return note


def _score(records: list[GameRecord], summary: Summary, order: list[str]) -> tuple[str, Markup]:
    """For two engines the share of points with its error, for more the points above half."""
    if len(order) == 2:
        first = summary.names[0]
        shares: list[float] = []
        band: list[tuple[float, float]] = []
        total = 0.0
        for count, record in enumerate(records, start=1):
            points = POINTS[record.result]
            total += points if record.white == first else 1.0 - points
            share = total / count
            # Agresti-Coull interval: it does not collapse while one side wins every game
            shrunk = (total + 2) / (count + 4)
            half = Z95 * math.sqrt(shrunk * (1 - shrunk) / (count + 4))
            shares.append(share)
            band.append((shrunk - half, shrunk + half))
        chart = line_chart([(first, shares)], band, percent=True, middle=0.5)
        return f"Score of {first} over games, with 95% band", chart
    lines: dict[str, list[float]] = {name: [0.0] for name in order}
    for record in records:
        points = POINTS[record.result]
        for name, own in ((record.white, points), (record.black, 1.0 - points)):
            lines[name].append(lines[name][-1] + own - 0.5)
    chart = line_chart(list(lines.items()), first=0)
    return "Points above one half, over each engine's games", chart + legend(order)


def _cross(summary: Summary, order: list[str]) -> list[dict[str, Any]]:
    rows = []
    for name in order:
        cells: list[dict[str, Any] | None] = []
        for other in order:
            duel = summary.duel(name, other) if name != other else None
            if duel is None or not duel.games:
                cells.append(None)
                continue
            share = duel.points / duel.games
            cells.append(
                {
                    "text": f"{duel.points:g}/{duel.games}",
                    "colour": "good" if share >= 0.5 else "bad",
                    "weight": round(abs(share - 0.5) * 70),
                    "title": f"{name} against {other}: {share:.1%}, won {duel.won}, "
                    f"lost {duel.lost}, drawn {duel.drawn}",
                }
            )
        use = summary.use[name]
        rows.append(
            {
                "name": name,
                "cells": cells,
                "points": f"{use.points:g}/{use.games}",
                "share": f"{use.points / use.games:.1%}" if use.games else "-",
            }
        )
    return rows


def _split(summary: Summary, name: str) -> tuple[str, float, float]:
    use = summary.use[name]
    black_games = use.games - use.white_games
    white = use.white_points / use.white_games if use.white_games else math.nan
    black = (use.points - use.white_points) / black_games if black_games else math.nan
    return name, white, black


def _use(summary: Summary, name: str, limit: str) -> dict[str, str]:
    use = summary.use[name]
    moves = max(1, use.moves)
    return {
        "name": name,
        "limit": limit,
        "moves": f"{use.moves:,}",
        "ms": f"{use.time_ms / moves:.1f}",
        "longest": f"{use.longest_ms:.1f}",
        "depth": f"{use.depth_sum / use.depth_moves:.1f}" if use.depth_moves else "-",
        "nodes": f"{use.nodes / moves:,.0f}",
        "nps": f"{use.nodes / use.time_ms * 1000:,.0f}" if use.time_ms else "-",
        "claims": summary.claims_text(name),
        "faults": ", ".join(f"{count} {kind}" for kind, count in use.faults.items()),
    }


def _engine(spec: EngineSpec, program: dict[str, str]) -> dict[str, str]:
    return {
        "name": spec.name,
        "id": program.get("id", ""),
        "hash": program.get("sha256", ""),
        "command": " ".join(spec.cmd),
        "options": ", ".join(f"{name} = {value}" for name, value in spec.options.items()),
    }


def _fault(record: GameRecord, fault: Fault) -> dict[str, Any]:
    return {
        "number": record.index + 1,
        "engine": fault.engine,
        "kind": fault.kind,
        "detail": fault.detail,
        "dialogue": "\n".join(fault.dialogue),
    }
