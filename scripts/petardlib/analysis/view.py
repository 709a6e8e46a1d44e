"""An analysis on the terminal and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from petardlib.analysis.accounts import Account, sides
from petardlib.analysis.judge import GameReport, Thresholds, judge_game, read_test, score_of, solved
from petardlib.analysis.tasks import key_of
from petardlib.base.files import replace_text
from petardlib.play.inputs import Item
from petardlib.rules import boardtext

Record = dict[str, Any]
MARK_STYLES = {
    "best": "green",
    "good": "default",
    "inaccuracy": "yellow",
    "mistake": "dark_orange",
    "blunder": "bold red",
}
PLURALS = {
    "best": "best moves",
    "inaccuracy": "inaccuracies",
    "mistake": "mistakes",
    "blunder": "blunders",
}
MARK_SIGNS = {"best": "", "good": "", "inaccuracy": "?!", "mistake": "?", "blunder": "??"}
COLUMNS = (
    "item", "title", "ply", "fen", "engine", "line", "move", "best", "score", "win_probability",
    "depth", "nodes", "time_ms", "pv", "loss", "mark", "missed_win", "solved",
)  # fmt: skip


def record_of(item: Item, engine: str, records: dict[str, Record]) -> Record | None:
    """The analysis of an item's last position."""
    return records.get(key_of(engine, item.variant, item.fen, item.moves))


def print_position(
    console: Console, item: Item, engines: list[str], records: dict[str, Record], scale: float
) -> None:
    """Draw the board, and print each engine's lines."""
    last = item.moves[-1] if item.moves else None
    console.print(Text(item.title, style="bold"))
    console.print(Text(boardtext.draw_board(item.boards[-1], last)))
    console.print(Text(item.boards[-1], style="dim"), soft_wrap=True)
    if item.result is not None:
        console.print(f"the game is over: {item.result}, {item.reason}")
        return
    side = "White" if boardtext.side_to_move(item.boards[-1]) == "w" else "Black"
    table = Table(title=f"{side} to move", title_justify="left")
    for heading in ("engine", "#", "score", "win", "depth", "nodes", "time", "line"):
        table.add_column(heading, justify="left" if heading in ("engine", "line") else "right")
    for engine in engines:
        record = record_of(item, engine, records)
        for number, line in enumerate(record["lines"] if record else [], start=1):
            score = score_of(line)
            table.add_row(
                escape(engine) if number == 1 else "",
                str(number),
                score.text(),
                f"{score.win_probability(scale):.1%}",
                f"{line['depth']}/{line['seldepth']}",
                f"{line['nodes']:,}",
                f"{line['time_ms'] / 1000:.2f}s",
                escape(" ".join(line["pv"])),
            )
    console.print(table)


def print_set(
    console: Console,
    items: list[Item],
    engines: list[str],
    records: dict[str, Record],
    scale: float,
) -> None:
    """Print one line per position and engine, and the totals of tests."""
    tested = any(read_test(item) for item in items)
    table = Table()
    for heading in ("position", "engine", "best", "score", "win", "depth", "line"):
        table.add_column(
            heading, justify="right" if heading in ("score", "win", "depth") else "left"
        )
    if tested:
        table.add_column("solved")
    totals = dict.fromkeys(engines, 0)
    asked = 0
    for item in items:
        test = read_test(item)
        asked += test is not None
        for engine in engines:
            record = record_of(item, engine, records)
            if record is None or not record["lines"]:
                told = f"over: {item.result}" if item.result else "-"
                table.add_row(
                    escape(item.title),
                    escape(engine),
                    told,
                    "",
                    "",
                    "",
                    "",
                    *([""] if tested else []),
                )
                continue
            line = record["lines"][0]
            score = score_of(line)
            row = [
                escape(item.title),
                escape(engine),
                escape(record["best"]),
                score.text(),
                f"{score.win_probability(scale):.1%}",
                str(line["depth"]),
                escape(" ".join(line["pv"][:8])),
            ]
            if tested:
                passed = test is not None and solved(test, record)
                totals[engine] += passed
                row.append("" if test is None else "[green]yes" if passed else "[red]no")
            table.add_row(*row)
    console.print(table)
    if tested:
        for engine, count in totals.items():
            console.print(f"{escape(engine)}: {count} of {asked} solved")


def print_game(console: Console, item: Item, reports: list[GameReport]) -> None:
    """Print a game's moves with their marks, and each side's accuracy."""
    for report in reports:
        table = Table(title=escape(f"{item.title} by {report.engine}"), title_justify="left")
        for heading in ("ply", "move", "mark", "score", "win", "lost", "best", "line"):
            right = heading in ("ply", "score", "win", "lost")
            table.add_column(heading, justify="right" if right else "left")
        for ply in report.plies:
            mark = Text(ply.mark, style=MARK_STYLES[ply.mark])
            if ply.missed_win is not None:
                told = (
                    f"missed win in {ply.missed_win}" if ply.missed_win else "proven win given away"
                )
                mark.append(f", {told}", style="bold magenta")
            table.add_row(
                str(ply.ply),
                f"{'' if ply.white else '… '}{ply.move}{MARK_SIGNS[ply.mark]}",
                mark,
                ply.score,
                f"{ply.chance:.1%}",
                f"{ply.loss:.1%}" if ply.loss >= 0.0005 else "",
                "" if ply.move == ply.best else escape(ply.best),
                escape(" ".join(ply.pv[:6])),
            )
        console.print(table)
        for account, name in zip(sides(item, report), ("White", "Black"), strict=True):
            if account.moves:
                console.print(f"{name}: {account_text(account)}")


def account_text(account: Account) -> str:
    """An account in words: ``accuracy 91.2%, 10 best moves, 6 inaccuracies, ...``."""
    parts = [f"accuracy {account.accuracy:.1f}%"]
    for mark, plural in PLURALS.items():
        count = account.marks[mark]
        parts.append(f"{count} {mark + ' move' * (mark == 'best') if count == 1 else plural}")
    count = account.missed_wins
    parts.append(f"{count} missed win{'s' * (count != 1)}")
    return ", ".join(parts)


def print_players(console: Console, engine: str, accounts: list[Account], games: int) -> None:
    """Print what all games together say about each player."""
    title = escape(f"All {games} games by {engine}")
    table = Table(title=title, title_justify="left")
    table.add_column("player")
    for heading in ("games", "moves", "accuracy", *PLURALS.values(), "missed wins"):
        table.add_column(heading, justify="right")
    for account in accounts:
        told = "-" if account.accuracy is None else f"{account.accuracy:.1f}%"
        counts = [str(account.marks[mark]) for mark in PLURALS]
        table.add_row(
            escape(account.player),
            str(account.games),
            str(account.moves),
            told,
            *counts,
            str(account.missed_wins),
        )
    console.print(table)


def rows(
    items: list[Item], engines: list[str], records: dict[str, Record], limits: Thresholds
) -> Iterable[Record]:
    """Everything that was found, one row per line of play."""
    for number, item in enumerate(items, start=1):
        test = read_test(item)
        for engine in engines:
            report = judge_game(item, engine, records, limits) if item.is_game else None
            plies = range(len(item.moves) + 1) if item.is_game else [len(item.moves)]
            for ply in plies:
                record = records.get(key_of(engine, item.variant, item.fen, item.moves[:ply]))
                judged = report.plies[ply] if report and ply < len(report.plies) else None
                for place, line in enumerate(record["lines"] if record else [], start=1):
                    score = score_of(line)
                    first = place == 1
                    yield {
                        "item": number,
                        "title": item.title,
                        "ply": ply,
                        "fen": item.boards[ply],
                        "engine": engine,
                        "line": place,
                        "move": item.moves[ply] if ply < len(item.moves) else "",
                        "best": record["best"] if record else "",
                        "score": score.text(),
                        "win_probability": f"{score.win_probability(limits.scale):.4f}",
                        "depth": line["depth"],
                        "nodes": line["nodes"],
                        "time_ms": line["time_ms"],
                        "pv": " ".join(line["pv"]),
                        "loss": f"{judged.loss:.4f}" if judged and first else "",
                        "mark": judged.mark if judged and first else "",
                        "missed_win": judged.missed_win if judged and first else "",
                        "solved": solved(test, record) if test and record and first else "",
                    }


def write_csv(path: Path, table: Iterable[Record]) -> None:
    """Write `rows` to a file."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(table)
    replace_text(path, [text.getvalue()])
