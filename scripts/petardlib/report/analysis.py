"""The report of an analysis: games with their verdicts, positions with their lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from petardlib.analysis.accounts import players
from petardlib.analysis.judge import (
    GameReport,
    Thresholds,
    judge_game,
    numbers,
    read_test,
    score_of,
    solved,
)
from petardlib.analysis.tasks import key_of
from petardlib.play.inputs import Item
from petardlib.report import render, save

Record = dict[str, Any]


def write_report(
    path: Path,
    title: str,
    items: list[Item],
    engines: list[str],
    records: dict[str, Record],
    limits: Thresholds,
) -> None:
    """Write the report to one file; games that are not fully analysed are left out."""
    games = []
    found: dict[str, list[tuple[Item, GameReport]]] = {engine: [] for engine in engines}
    for item in items:
        if not item.is_game or not item.moves:
            continue
        judged = [judge_game(item, engine, records, limits) for engine in engines]
        reports = [report for report in judged if report is not None]
        if reports:
            games.append(_game(item, reports, records, limits))
        for report in reports:
            found[report.engine].append((item, report))
    positions = [
        _position(item, engines, records, limits.scale) for item in items if not item.is_game
    ]
    text = render(
        "analysis.html.j2",
        ["viewer.js", "analysis.js"],
        {"games": games, "positions": positions},
        title=title,
        subtitle=f"by {', '.join(engines)}",
        tiles=_tiles(games, positions, records),
        tests=_tests(items, engines, records),
        players=[(engine, players(pairs)) for engine, pairs in found.items() if len(pairs) > 1],
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
    games: list[Record], positions: list[Record], records: dict[str, Record]
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
    spent = sum(record["elapsed_ms"] for record in records.values()) / 1000
    tiles.append((f"{spent:.1f} s", "engine time"))
    return tiles


def _lines(record: Record | None, scale: float) -> list[Record]:
    lines = []
    for line in record["lines"] if record else []:
        score = score_of(line)
        lines.append(
            {
                "score": score.text(),
                "chance": round(score.win_probability(scale), 4),
                "depth": line["depth"],
                "nodes": line["nodes"],
                "pv": line["pv"],
            }
        )
    return lines


def _game(
    item: Item, reports: list[GameReport], records: dict[str, Record], limits: Thresholds
) -> Record:
    return {
        "title": item.title,
        "variant": item.variant,
        "white": item.headers.get("White", "White"),
        "black": item.headers.get("Black", "Black"),
        "result": item.result or item.headers.get("Result"),
        "reason": item.reason or item.headers.get("Termination", "as the file says"),
        "fen": item.fen,
        "moves": item.moves,
        "engines": [_report(item, report, records, limits) for report in reports],
    }


def _report(
    item: Item, report: GameReport, records: dict[str, Record], limits: Thresholds
) -> Record:
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
    lines = [
        _lines(
            records.get(key_of(report.engine, item.variant, item.fen, item.moves[:ply])),
            limits.scale,
        )
        for ply in range(len(item.moves) + 1)
    ]
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


def _position(item: Item, engines: list[str], records: dict[str, Record], scale: float) -> Record:
    test = read_test(item)
    told = []
    for engine in engines:
        record = records.get(key_of(engine, item.variant, item.fen, item.moves))
        told.append(
            {
                "name": engine,
                "best": record["best"] if record else None,
                "lines": _lines(record, scale),
                "solved": solved(test, record) if test and record else None,
            }
        )
    asked = "; ".join(f"{name} {item.ops[name]}" for name in ("bm", "am", "dm") if name in item.ops)
    return {
        "title": item.title,
        "variant": item.variant,
        "fen": item.boards[-1],
        "asked": asked,
        "result": item.result,
        "reason": item.reason,
        "engines": told,
    }


def _tests(items: list[Item], engines: list[str], records: dict[str, Record]) -> list[Record]:
    asked = [(item, test) for item in items if (test := read_test(item)) is not None]
    if not asked:
        return []
    rows = []
    for engine in engines:
        failed = []
        for item, test in asked:
            record = records.get(key_of(engine, item.variant, item.fen, item.moves))
            if record is None or not solved(test, record):
                failed.append(item.title)
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
