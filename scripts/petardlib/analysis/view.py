"""An analysis on the terminal and as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from petardlib.analysis.accounts import Account, sides
from petardlib.analysis.judge import GameReport
from petardlib.analysis.records import Line
from petardlib.analysis.result import Judged
from petardlib.base.files import replace_text
from petardlib.play.inputs import Item
from petardlib.rules.positions import board_of, is_white

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
SQUARE = re.compile(r"[a-z]{1,2}[0-9]{1,2}")
VIEW = "scores and chances are those of the side to move"
COLUMNS = (
    "item", "title", "ply", "fen", "view", "engine", "line", "move", "best", "score",
    "win_probability", "depth", "nodes", "time_ms", "pv", "loss", "mark", "missed_win", "solved",
    "result",
)  # fmt: skip


def _drawn(item: Item, last: str | None) -> str:
    """The board in plain text, White at the bottom; the last move's squares are marked."""
    board = board_of(item.boards[-1], item.variant)
    pieces, marked = board.piece_map(), SQUARE.findall(last or "")[:2]
    files = [(chr(96 + n // 26) if n >= 26 else "") + chr(97 + n % 26) for n in range(board.files)]
    lines = []
    for rank in range(board.ranks, 0, -1):
        line = f"{rank:>2} "
        for name in (f"{file}{rank}" for file in files):
            text = {"P": "O", "p": "X", "D": "8", "d": "%"}.get(pieces.get(name, ""), ".")
            line += f"[{text}]" if name in marked else f" {text} "
        lines.append(line)
    lines.append("   " + "".join(f"{file:^3}" for file in files))
    return "\n".join(lines)


def print_position(console: Console, judged: Judged, scale: float) -> None:
    """Draw the board, and print each engine's lines."""
    item = judged.item
    last = item.moves[-1] if item.moves else None
    console.print(Text(item.title, style="bold"))
    console.print(Text(_drawn(item, last)))
    console.print(Text(item.boards[-1], style="dim"), soft_wrap=True)
    if item.result is not None:
        console.print(f"game over: {item.result}, {item.reason}")
        return
    side = "White" if is_white(item.boards[-1]) else "Black"
    table = Table(title=f"{side} to move; scores are {side}'s", title_justify="left")
    for heading in ("engine", "#", "score", "win", "depth", "nodes", "time", "line"):
        table.add_column(heading, justify="left" if heading in ("engine", "line") else "right")
    for found in judged.found:
        if found.last and not found.last.lines:
            table.add_row(escape(found.engine), *["", "-", "-", "", "", ""], found.last.best)
        for number, line in enumerate(found.last.lines if found.last else [], start=1):
            score = line.score
            table.add_row(
                escape(found.engine) if number == 1 else "",
                str(number),
                score.text(),
                f"{score.win_probability(scale):.1%}",
                f"{line.depth}/{line.seldepth}",
                f"{line.nodes:,}",
                f"{line.time_ms / 1000:.2f}s",
                escape(" ".join(line.pv)),
            )
    console.print(table)


def print_set(console: Console, judged: list[Judged], scale: float) -> None:
    """Print one line per position and engine, and the totals of tests."""
    asked = sum(one.test is not None for one in judged)
    table = Table(caption=VIEW, caption_justify="left")
    for heading in ("position", "engine", "best", "score", "win", "depth", "line"):
        table.add_column(
            heading, justify="right" if heading in ("score", "win", "depth") else "left"
        )
    if asked:
        table.add_column("solved")
    totals: Counter[str] = Counter()
    for one in judged:
        for found in one.found:
            record, item = found.last, one.item
            line = record.main if record else None
            cells = ["", "", "", ""]
            if line is not None:
                score = line.score
                win = f"{score.win_probability(scale):.1%}"
                cells = [score.text(), win, str(line.depth), escape(" ".join(line.pv[:8]))]
            best = f"game over: {item.result}" if item.result else "-"
            row = [escape(item.title), escape(found.engine), record.best if record else best]
            totals[found.engine] += bool(found.solved)
            answer = {True: "[green]yes", False: "[red]no", None: ""}[found.solved]
            table.add_row(*row, *cells, *([answer] if asked else []))
    console.print(table)
    if asked:
        for engine, count in totals.items():
            console.print(f"{escape(engine)}: {count} of {asked} solved")


def print_game(console: Console, item: Item, reports: list[GameReport]) -> None:
    """Print a game's moves with their marks, and each side's accuracy."""
    for report in reports:
        title = escape(f"{item.title} by {report.engine}")
        table = Table(title=title, title_justify="left", caption=VIEW, caption_justify="left")
        for heading in ("ply", "move", "mark", "score", "win", "lost", "best", "line"):
            right = heading in ("ply", "score", "win", "lost")
            table.add_column(heading, justify="right" if right else "left")
        for ply in report.plies:
            mark = Text(ply.mark, style=MARK_STYLES[ply.mark])
            if ply.missed_win is not None:
                missed = (
                    f"missed win in {ply.missed_win}" if ply.missed_win else "proven win given away"
                )
                mark.append(f", {missed}", style="bold magenta")
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
        accuracy = "-" if account.accuracy is None else f"{account.accuracy:.1f}%"
        counts = [str(account.marks[mark]) for mark in PLURALS]
        table.add_row(
            escape(account.player),
            str(account.games),
            str(account.moves),
            accuracy,
            *counts,
            str(account.missed_wins),
        )
    console.print(table)


def rows(judged: list[Judged], scale: float) -> Iterable[Record]:
    """Everything that was found, one row per line of play."""
    for one in judged:
        item = one.item
        if item.result is not None and not item.is_game:
            yield {**_place_cells(one, len(item.moves)), "result": item.result}
        for found in one.found:
            for place in found.places:
                if place.record is None:
                    continue
                is_last = place is found.places[-1]
                # An engine may give a move and nothing else.
                for number, line in enumerate(place.record.lines or [None], start=1):
                    first = number == 1
                    verdict = place.judged if first else None
                    yield {
                        **_place_cells(one, place.ply),
                        "engine": found.engine,
                        "line": number,
                        "move": item.moves[place.ply] if place.ply < len(item.moves) else "",
                        "best": place.record.best,
                        **(_line_cells(line, scale) if line else {}),
                        "loss": f"{verdict.loss:.4f}" if verdict else "",
                        "mark": verdict.mark if verdict else "",
                        "missed_win": verdict.missed_win if verdict else "",
                        "solved": ""
                        if found.solved is None or not (first and is_last)
                        else found.solved,
                    }


def _place_cells(one: Judged, ply: int) -> Record:
    fen = one.item.boards[ply]
    return {
        "item": one.number,
        "title": one.item.title,
        "ply": ply,
        "fen": fen,
        # Whose view scores and chances are: that of the side to move.
        "view": "white" if is_white(fen) else "black",
    }


def _line_cells(line: Line, scale: float) -> Record:
    score = line.score
    return {
        "score": score.text(),
        "win_probability": f"{score.win_probability(scale):.4f}",
        "depth": line.depth,
        "nodes": line.nodes,
        "time_ms": line.time_ms,
        "pv": " ".join(line.pv),
    }


def write_csv(path: Path, table: Iterable[Record]) -> None:
    """Write `rows` to a file."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(table)
    replace_text(path, [text.getvalue()])
