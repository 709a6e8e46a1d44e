"""An analysis as a review: games with their verdicts, positions with their lines."""

from __future__ import annotations

from pathlib import Path

from petard import pgn
from petardlib.analysis.accounts import players
from petardlib.analysis.judge import GameReport, Thresholds
from petardlib.analysis.records import Analysis, Line
from petardlib.analysis.result import Found, Judged, reports_of
from petardlib.report.review import (
    PageEnd,
    PageFound,
    PageItem,
    PageLine,
    PagePlace,
    PageScore,
    PageTable,
    PageVerdict,
    Review,
    plain_game,
    write_review,
)

MARKS = {
    "best": "best",
    "inaccuracy": "inaccuracies",
    "mistake": "mistakes",
    "blunder": "blunders",
}


def write_report(
    path: Path, title: str, judged: list[Judged], engines: list[str], limits: Thresholds
) -> None:
    """Write the review of all games and positions."""
    items = [_item(one, limits.scale) for one in judged]
    tables = _tests(judged, engines) + _players(judged, engines)
    write_review(path, title, Review(items, tables, _about(limits)))


def _item(one: Judged, scale: float) -> PageItem:
    item = one.item
    text = (
        pgn.write_game(item.game)
        if item.game
        else plain_game(item.fen, item.variant, item.moves, {})
    )
    return PageItem(
        f"{one.number}. {item.title}",
        text,
        item.is_game,
        PageEnd.of(item.result, item.boards[-1], item.variant) if item.result else None,
        item.reason or item.tag("Termination"),
        [_found(one, found, scale) for found in one.found],
    )


def _found(one: Judged, found: Found, scale: float) -> PageFound:
    asked = [f"{name} {one.item.ops[name]}" for name in ("bm", "am", "dm") if name in one.item.ops]
    passed = {True: "solved", False: "not solved", None: ""}[found.solved]
    return PageFound(
        found.engine,
        [_place(place.record, scale) for place in found.places],
        _verdicts(found.report) if found.report else [],
        ": ".join(part for part in (", ".join(asked), passed) if part),
    )


def _place(record: Analysis | None, scale: float) -> PagePlace:
    if record is None:
        return PagePlace(None, [])
    return PagePlace(record.best, [_line(line, scale) for line in record.lines])


def _line(line: Line, scale: float) -> PageLine:
    score = PageScore.of(line.score, scale)
    proven = {"won": "won", "lost": "lost"}.get(str(line.proven))
    return PageLine(score, line.pv, line.depth, line.nodes, line.nps, proven)  # type: ignore[arg-type]


def _verdicts(report: GameReport) -> list[PageVerdict]:
    return [
        PageVerdict(
            ply.move,
            ply.best,
            round(ply.loss, 4),
            ply.mark,
            round(ply.accuracy, 2),
            ply.missed_win,
            ply.white,
            round(weight, 3),
        )
        for ply, weight in zip(report.plies, report.weights, strict=True)
    ]


def _tests(judged: list[Judged], engines: list[str]) -> list[PageTable]:
    asked = [one for one in judged if one.test is not None]
    rows: list[list[str | int]] = []
    for place, engine in enumerate(engines):
        failed = [one.item.title for one in asked if not one.found[place].solved]
        count = len(asked) - len(failed)
        rows.append([engine, f"{count} of {len(asked)}", ", ".join(failed) or "none"])
    head = ["engine", "solved", "not solved"]
    return [PageTable("Test positions", head, rows)] if asked else []


def _players(judged: list[Judged], engines: list[str]) -> list[PageTable]:
    head = ["player", "games", "moves", "accuracy", *MARKS.values(), "missed wins"]
    tables = []
    for engine in engines:
        reports = list(reports_of(judged, engine))
        rows: list[list[str | int]] = [
            [
                one.player,
                one.games,
                one.moves,
                "-" if one.accuracy is None else f"{one.accuracy:.1f}%",
                *(one.marks[mark] for mark in MARKS),
                one.missed_wins,
            ]
            for one in players(reports)
        ]
        if len(reports) > 1:
            tables.append(PageTable(f"All {len(reports)} games by {engine}", head, rows))
    return tables


def _about(limits: Thresholds) -> str:
    shares = (limits.inaccuracy, limits.mistake, limits.blunder)
    return (
        f"A move that loses at least {' / '.join(f'{share:.0%}' for share in shares)} of win "
        "probability is an inaccuracy, a mistake or a blunder. A missed win is a proven win that "
        "was certainly given away."
    )
