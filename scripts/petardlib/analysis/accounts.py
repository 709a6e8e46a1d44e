"""An analysis as records that can be joined to the positions and games they describe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from petardlib.analysis.judge import MARKS, GameReport
from petardlib.analysis.result import Found, Judged, reports_of
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
        moves = self.moves
        for ply in report.plies:
            if ply.white == white:
                self.moves += 1
                self.marks[ply.mark] += 1
                self.missed_wins += ply.missed_win is not None
        self.accuracy_sum += (report.accuracy(white) or 0.0) * (self.moves - moves)

    @property
    def accuracy(self) -> float | None:
        """The average over the games, by moves, in per cent."""
        return self.accuracy_sum / self.moves if self.moves else None

    def to_json(self) -> Record:
        """The account as part of a record."""
        accuracy = None if self.accuracy is None else round(self.accuracy, 2)
        counts = {"games": self.games, "moves": self.moves, "accuracy": accuracy}
        return {"player": self.player, **counts, **self.marks, "missed_wins": self.missed_wins}


def players_of(item: Item) -> tuple[str, str]:
    """The names of White and Black."""
    return item.tag("White") or "White", item.tag("Black") or "Black"


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


def joined(judged: list[Judged]) -> Iterator[Record]:
    """All records in the order of the input, each with its place there and its verdict."""
    game = 0
    for one in judged:
        item = one.item
        game += item.is_game
        if item.result is not None and not item.is_game:
            yield _finished(one)
        for found in one.found:
            yield from _positions(one, found)
            if found.report is not None:
                white, black = sides(item, found.report)
                yield {
                    "kind": "game",
                    "item": one.number,
                    "game": game,
                    "title": item.title,
                    "engine": found.engine,
                    "result": item.result or item.tag("Result") or None,
                    "white": white.to_json(),
                    "black": black.to_json(),
                }
    for engine in dict.fromkeys(found.engine for one in judged for found in one.found):
        reports = list(reports_of(judged, engine))
        if reports:
            accounts = [account.to_json() for account in players(reports)]
            yield {"kind": "summary", "engine": engine, "players": accounts}


def _finished(one: Judged) -> Record:
    item = one.item
    return {
        "kind": "finished",
        "item": one.number,
        "title": item.title,
        "ply": len(item.moves),
        "variant": item.variant,
        "start": item.fen,
        "moves": item.moves,
        "fen": item.boards[-1],
        "result": item.result,
        "reason": item.reason,
    }


def _positions(one: Judged, found: Found) -> Iterator[Record]:
    moves = one.item.moves
    for place in found.places:
        if place.record is None:
            continue
        judged = place.judged
        yield {
            **msgspec.to_builtins(place.record),
            "item": one.number,
            "title": one.item.title,
            "move": moves[place.ply] if place.ply < len(moves) else None,
            "mark": judged.mark if judged else None,
            "loss": round(judged.loss, 4) if judged else None,
            "missed_win": judged.missed_win if judged else None,
            "solved": found.solved if place is found.places[-1] else None,
        }
