"""The report of an analysis: games with their verdicts, positions with their lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from petardlib.analysis.accounts import players
from petardlib.analysis.judge import GameReport, Thresholds, numbers
from petardlib.analysis.records import Analysis
from petardlib.analysis.result import Found, Judged, reports_of
from petardlib.report import render, save

Record = dict[str, Any]


def write_report(
    path: Path, title: str, judged: list[Judged], engines: list[str], limits: Thresholds
) -> None:
    """Write the report to one file; games that are not fully analysed are left out."""
    scale = limits.scale
    games = [
        _game(one, scale)
        for one in judged
        if one.item.is_game and one.item.moves and any(found.report for found in one.found)
    ]
    positions = [_position(one, scale) for one in judged if not one.item.is_game]
    by_engine = [(engine, list(reports_of(judged, engine))) for engine in engines]
    text = render(
        "analysis.html.j2",
        ["viewer.js", "analysis.js"],
        {"games": games, "positions": positions},
        title=title,
        subtitle=f"by {', '.join(engines)}",
        tiles=_tiles(games, positions, judged),
        tests=_tests(judged, engines),
        players=[(engine, players(pairs)) for engine, pairs in by_engine if len(pairs) > 1],
        games=[f"{game['title']} {game['result'] or '*'}" for game in games],
        positions=bool(positions),
        engines=engines,
        curve=numbers()["accuracy"],
        thresholds=" / ".join(
            f"{share:.0%}" for share in (limits.inaccuracy, limits.mistake, limits.blunder)
        ),
    )
    save(path, text)


def _tiles(
    games: list[Record], positions: list[Record], judged: list[Judged]
) -> list[tuple[str, str]]:
    tiles = []
    if games:
        tiles.append((str(len(games)), "games"))
        moves = sum(len(game["moves"]) for game in games)
        tiles.append((str(moves), "moves judged"))
        plies = [ply for game in games for ply in game["engines"][0]["plies"]]
        blunders = sum(ply["mark"] == "blunder" for ply in plies)
        tiles.append((str(blunders), "blunders"))
        tiles.append((str(sum(ply["missed"] is not None for ply in plies)), "missed wins"))
    if positions:
        tiles.append((str(len(positions)), "positions"))
    # The same position may occur in several items.
    records = {
        place.record.key: place.record
        for one in judged
        for found in one.found
        for place in found.places
        if place.record
    }
    spent = sum(record.elapsed_ms for record in records.values()) / 1000
    tiles.append((f"{spent:.1f} s", "engine time"))
    return tiles


def _lines(record: Analysis | None, scale: float) -> list[Record]:
    lines = []
    for line in record.lines if record else []:
        score = line.score
        lines.append(
            {
                "score": score.text(),
                "chance": round(score.win_probability(scale), 4),
                "depth": line.depth,
                "nodes": line.nodes,
                "pv": line.pv,
            }
        )
    return lines


def _game(one: Judged, scale: float) -> Record:
    item = one.item
    return {
        "title": item.title,
        "variant": item.variant,
        "white": item.headers.get("White", "White"),
        "black": item.headers.get("Black", "Black"),
        "result": item.result or item.headers.get("Result"),
        "reason": item.reason or item.headers.get("Termination", "as the file says"),
        "fen": item.fen,
        "moves": item.moves,
        "engines": [_report(found, found.report, scale) for found in one.found if found.report],
    }


def _report(found: Found, report: GameReport, scale: float) -> Record:
    plies = [
        {
            "move": ply.move,
            "best": ply.best,
            "mark": ply.mark,
            "chance": round(ply.chance, 4),
            "loss": round(ply.loss, 4),
            "missed": ply.missed_win,
        }
        for ply in report.plies
    ]
    lines = [_lines(place.record, scale) for place in found.places]
    marks = ("best", "inaccuracy", "mistake", "blunder")
    sides = [
        {
            "accuracy": report.accuracy(white),
            "missed": report.missed(white),
            **{mark: report.count(white, mark) for mark in marks},
        }
        for white in (True, False)
    ]
    return {
        "name": report.engine,
        "curve": [round(chance, 4) for chance in report.curve],
        "plies": plies,
        "lines": lines,
        "arrows": [line[0]["pv"][0] if line and line[0]["pv"] else None for line in lines],
        "sides": sides,
    }


def _position(one: Judged, scale: float) -> Record:
    item = one.item
    engines = [
        {
            "name": found.engine,
            "best": found.last.best if found.last else None,
            "lines": _lines(found.last, scale),
            "solved": found.solved,
        }
        for found in one.found
    ]
    asked = "; ".join(f"{name} {item.ops[name]}" for name in ("bm", "am", "dm") if name in item.ops)
    return {
        "title": item.title,
        "variant": item.variant,
        "fen": item.boards[-1],
        "asked": asked,
        "result": item.result,
        "reason": item.reason,
        "engines": engines,
    }


def _tests(judged: list[Judged], engines: list[str]) -> list[Record]:
    asked = [one for one in judged if one.test is not None]
    if not asked:
        return []
    rows = []
    for place, engine in enumerate(engines):
        failed = [one.item.title for one in asked if not one.found[place].solved]
        count = len(asked) - len(failed)
        rows.append(
            {
                "engine": engine,
                "solved": count,
                "asked": len(asked),
                "share": f"{count / len(asked):.0%}",
                "failed": ", ".join(failed),
            }
        )
    return rows
