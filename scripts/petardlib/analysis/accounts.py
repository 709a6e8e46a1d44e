"""An analysis as records that can be joined to the positions and games they describe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from petardlib.analysis.judge import MARKS, GameReport, Thresholds, judge_game, read_test, solved
from petardlib.analysis.tasks import key_of
from petardlib.play.inputs import Item

Record = dict[str, Any]


@dataclass
class Account:
    """Counts over the moves of one side of a game, or of a player in all games."""

    player: str
    games: int = 0
    moves: int = 0
    accuracy_sum: float = 0.0
    marks: dict[str, int] = field(default_factory=lambda: dict.fromkeys(MARKS, 0))
    missed_wins: int = 0

    def add(self, report: GameReport, white: bool) -> None:
        """Count a side of a game."""
        self.games += 1
        for ply in report.plies:
            if ply.white == white:
                self.moves += 1
                self.accuracy_sum += ply.accuracy
                self.marks[ply.mark] += 1
                self.missed_wins += ply.missed_win is not None

    @property
    def accuracy(self) -> float | None:
        """The average over all moves, in per cent."""
        return self.accuracy_sum / self.moves if self.moves else None

    def to_json(self) -> Record:
        """The account as part of a record."""
        accuracy = None if self.accuracy is None else round(self.accuracy, 2)
        counts = {"games": self.games, "moves": self.moves, "accuracy": accuracy}
        return {"player": self.player, **counts, **self.marks, "missed_wins": self.missed_wins}


def players_of(item: Item) -> tuple[str, str]:
    """The names of White and Black."""
    return item.headers.get("White", "White"), item.headers.get("Black", "Black")


def sides(item: Item, report: GameReport) -> tuple[Account, Account]:
    """White's account of a game, and Black's."""
    white, black = (Account(name) for name in players_of(item))
    white.add(report, True)
    black.add(report, False)
    return white, black


def players(judged: Iterable[tuple[Item, GameReport]]) -> list[Account]:
    """An account of each player over all games, in the order in which they first play."""
    accounts: dict[str, Account] = {}
    for item, report in judged:
        for name, white in zip(players_of(item), (True, False), strict=True):
            accounts.setdefault(name, Account(name)).add(report, white)
    return list(accounts.values())


def joined(
    items: list[Item], engines: list[str], records: dict[str, Record], limits: Thresholds
) -> Iterator[Record]:
    """All records in the order of the input, each with its place there and its verdict."""
    judged: dict[str, list[tuple[Item, GameReport]]] = {engine: [] for engine in engines}
    game = 0
    for number, item in enumerate(items, start=1):
        game += item.is_game
        for engine in engines:
            report = judge_game(item, engine, records, limits) if item.is_game else None
            yield from _positions(item, number, engine, records, report)
            if report is not None:
                judged[engine].append((item, report))
                white, black = sides(item, report)
                yield {
                    "kind": "game",
                    "item": number,
                    "game": game,
                    "title": item.title,
                    "engine": engine,
                    "result": item.result or item.headers.get("Result"),
                    "white": white.to_json(),
                    "black": black.to_json(),
                }
    for engine in engines:
        if judged[engine]:
            told = [account.to_json() for account in players(judged[engine])]
            yield {"kind": "summary", "engine": engine, "players": told}


def bare(record: Record) -> Record:
    """An analysis without what the input had to do with it."""
    joined = ("item", "title", "move", "mark", "loss", "missed_win", "solved")
    return {name: value for name, value in record.items() if name not in joined}


def _positions(
    item: Item,
    number: int,
    engine: str,
    records: dict[str, Record],
    report: GameReport | None,
) -> Iterator[Record]:
    test = read_test(item)
    for ply in range(len(item.moves) + 1) if item.is_game else [len(item.moves)]:
        record = records.get(key_of(engine, item.variant, item.fen, item.moves[:ply]))
        if record is None:
            continue
        judged = report.plies[ply] if report and ply < len(report.plies) else None
        yield {
            **record,
            "item": number,
            "title": item.title,
            "move": item.moves[ply] if ply < len(item.moves) else None,
            "mark": judged.mark if judged else None,
            "loss": round(judged.loss, 4) if judged else None,
            "missed_win": judged.missed_win if judged else None,
            "solved": solved(test, record) if test else None,
        }
