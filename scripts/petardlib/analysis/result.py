"""What engines have found out about positions and games, put together and judged once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from petardlib.analysis.judge import (
    GameReport,
    Ply,
    Test,
    Thresholds,
    judge_game,
    read_test,
    solved,
)
from petardlib.analysis.records import Analysis
from petardlib.analysis.tasks import keys_of, plies_of
from petardlib.play.inputs import Item


@dataclass(frozen=True)
class Place:
    """A position of an item: its ply, its analysis if there is one, and the verdict on its move."""

    ply: int
    record: Analysis | None
    judged: Ply | None


@dataclass
class Found:
    """What one engine has found out about one item."""

    engine: str
    places: list[Place]
    report: GameReport | None = None
    """For a game of which every position was analysed."""
    solved: bool | None = None
    """Whether it has passed the item's test, if there is one and it was analysed."""

    @property
    def last(self) -> Analysis | None:
        """The analysis of the item's last position."""
        return self.places[-1].record


@dataclass
class Judged:
    """An item, its number in the input, and what each engine has found out."""

    item: Item
    number: int
    test: Test | None
    found: list[Found]


def judge_all(
    items: Iterable[Item], engines: list[str], records: dict[str, Analysis], limits: Thresholds
) -> list[Judged]:
    """Put the analyses of all items together."""
    judged = []
    for number, item in enumerate(items, start=1):
        test = read_test(item)
        found = [_found(item, test, engine, records, limits) for engine in engines]
        judged.append(Judged(item, number, test, found))
    return judged


def _found(
    item: Item, test: Test | None, engine: str, records: dict[str, Analysis], limits: Thresholds
) -> Found:
    analyses = [records.get(key) for key in keys_of(engine, item)]
    report = judge_game(item, engine, analyses, limits) if item.is_game else None
    plies = report.plies if report else []
    places = [
        Place(ply, record, plies[ply] if ply < len(plies) else None)
        for ply, record in zip(plies_of(item), analyses, strict=True)
    ]
    last = analyses[-1]
    passed = solved(test, last) if test and last is not None else None
    return Found(engine, places, report, passed)


def reports_of(judged: Iterable[Judged], engine: str) -> Iterator[tuple[Item, GameReport]]:
    """The games that an engine has judged, and its reports."""
    for one in judged:
        for found in one.found:
            if found.engine == engine and found.report is not None:
                yield one.item, found.report
