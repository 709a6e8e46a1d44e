"""What an analysis says about the moves that were played, and about test positions."""

from __future__ import annotations

import functools
import json
import math
import statistics
from dataclasses import dataclass, field, replace
from typing import Any

from petardlib import page_file
from petardlib.analysis.records import Analysis
from petardlib.base.errors import UserError
from petardlib.play.inputs import Item, read_move_list
from petardlib.rules.positions import is_white
from petardlib.rules.score import Score

MARKS = ("best", "good", "inaccuracy", "mistake", "blunder")


@functools.cache
def numbers() -> dict[str, Any]:
    """The numbers of a review; the page of ``petard serve`` reads them from the same file."""
    found: dict[str, Any] = json.loads(page_file("data/judgement.json").read_text("utf-8"))
    return found


def _number(name: str) -> Any:  # noqa: ANN401
    return field(default_factory=lambda: float(numbers()[name]))


@dataclass(frozen=True)
class Thresholds:
    """The losses of win probability from which a move is marked as worse.

    ``scale`` is the score in centipawns that means odds of ten to one.
    """

    inaccuracy: float = _number("inaccuracy")
    mistake: float = _number("mistake")
    blunder: float = _number("blunder")
    scale: float = _number("scale")

    def mark(self, loss: float) -> str:
        """The mark of a move that gives away ``loss``."""
        for name in ("blunder", "mistake", "inaccuracy"):
            if loss >= getattr(self, name):
                return name
        return "good"


@dataclass
class Ply:
    """A move that was played, from its mover's view.

    ``chance`` is the win probability before the move with best play, ``after`` the one that the
    played move leaves; ``missed_win`` is set where a proven win was certainly given away: the
    moves to its end, or 0 if only the win is proven, not its length.
    """

    ply: int
    white: bool
    move: str
    best: str
    chance: float
    after: float
    loss: float
    mark: str
    accuracy: float
    missed_win: int | None
    score: str
    depth: int
    pv: list[str]


@dataclass
class GameReport:
    """One engine's judgement of one game. ``curve`` is White's win probability at each position."""

    engine: str
    plies: list[Ply] = field(default_factory=list)
    curve: list[float] = field(default_factory=list)

    def accuracy(self, white: bool) -> float | None:
        """How accurate a side's moves were together, in per cent.

        This is the average of their mean, weighted by how open the game was when they were played,
        and their harmonic mean, in which no move counts less than the floor, so that one blunder
        does not decide alone. Otherwise the moves of a game that is decided, which can lose nothing
        more, would make any play look accurate. After Lichess's published method
        (lichess.org/page/accuracy). ``web/js/model/judge.js`` does the same.
        """
        moves = [
            (ply.accuracy, weight)
            for ply, weight in zip(self.plies, self.weights, strict=True)
            if ply.white == white
        ]
        if not moves:
            return None
        mean = sum(value * weight for value, weight in moves) / sum(weight for _, weight in moves)
        floor = float(numbers()["total"]["floor"])
        harmonic = len(moves) / sum(1 / max(value, floor) for value, _ in moves)
        return (mean + harmonic) / 2

    @property
    def weights(self) -> list[float]:
        """What each move counts in its side's accuracy."""
        return _openness(self.curve)

    def count(self, white: bool, mark: str) -> int:
        """How many of a side's moves have a mark."""
        return sum(ply.white == white and ply.mark == mark for ply in self.plies)

    def missed(self, white: bool) -> int:
        """How many proven wins a side gave away."""
        return sum(ply.white == white and ply.missed_win is not None for ply in self.plies)


def _openness(curve: list[float]) -> list[float]:
    """How much the chances vary around each move, in per cent. ``curve`` has one value more."""
    total = numbers()["total"]
    (shortest, longest), (least, most) = total["window"], total["weight"]
    size = min(longest, max(shortest, len(curve) // 10))
    weights = []
    for move in range(len(curve) - 1):
        start = max(0, min(move + 2 - size, len(curve) - size))
        deviation = statistics.pstdev(curve[start : start + size])
        weights.append(min(most, max(least, 100 * deviation)))
    return weights


def accuracy(loss: float) -> float:
    """A move's accuracy in per cent, from the win probability it lost.

    The curve is the one that Lichess publishes for its accuracy figure (lichess.org/page/accuracy).
    """
    curve = numbers()["accuracy"]
    value = curve["factor"] * math.exp(-curve["decay"] * loss) - curve["offset"]
    return min(100.0, max(0.0, float(value)))


def _final_chance(item: Item, white: bool) -> float:
    white_score = {"1-0": 1.0, "0-1": 0.0}.get(item.result or "", 0.5)
    return white_score if white else 1.0 - white_score


def judge_game(
    item: Item, engine: str, records: list[Analysis | None], limits: Thresholds
) -> GameReport | None:
    """Judge every move of a game; None unless all its positions were analysed.

    ``records`` are the analyses of its positions, in their order.
    """
    report = GameReport(engine)
    found: list[Analysis | None] = []
    for ply, record in enumerate(records):
        over = ply == len(item.moves) and item.result is not None
        if not over and (record is None or not record.lines):
            return None
        found.append(None if over else record)
    chances = []
    for ply, record in enumerate(found):
        white = is_white(item.boards[ply])
        if record is None:
            chances.append(_final_chance(item, white))
        else:
            chances.append(record.lines[0].score.win_probability(limits.scale))
        report.curve.append(chances[-1] if white else 1.0 - chances[-1])
    for ply, move in enumerate(item.moves):
        record = found[ply]
        assert record is not None
        following = found[ply + 1]
        report.plies.append(
            _judge_ply(
                item, ply, move, record, following, chances[ply], 1.0 - chances[ply + 1], limits
            )
        )
    return report


def _judge_ply(
    item: Item,
    ply: int,
    move: str,
    record: Analysis,
    following: Analysis | None,
    chance: float,
    after: float,
    limits: Thresholds,
) -> Ply:
    line, best = record.lines[0], record.best
    score = line.score
    known = following.lines[0].score if following else None
    if score.proven is not None and known is not None and not known.is_proven:
        # A proof of only one cannot be compared: use what the search thinks of both.
        chance = replace(score, proven=None, wdl=None).win_probability(limits.scale)
    # The next position was searched deeper into this line; a best move loses nothing by that.
    loss = 0.0 if move == best else max(0.0, chance - after)
    white = is_white(item.boards[ply])
    won = score.is_proven and score.win_probability() == 1.0
    is_missed = won and move != best and _is_given_away(item, known, white)
    mark = "best" if move == best else limits.mark(loss)
    return Ply(
        ply=ply + 1,
        white=white,
        move=move,
        best=best,
        chance=chance,
        after=after,
        loss=loss,
        mark=mark,
        accuracy=accuracy(loss),
        # Of some wins only that they are wins is known.
        missed_win=(score.mate or 0) if is_missed else None,
        score=score.text(),
        depth=line.depth,
        pv=line.pv,
    )


def _is_given_away(item: Item, following: Score | None, white: bool) -> bool:
    """Whether a move in a won position certainly does not win.

    A search that merely does not confirm the win proves nothing: most such moves still win.
    """
    if following is None:
        return item.result != ("1-0" if white else "0-1")
    return following.is_proven and following.win_probability() == 1.0


@dataclass(frozen=True)
class Test:
    """What an EPD line asks: one of these moves, none of those, or a win within ``dm`` moves."""

    bm: tuple[str, ...] = ()
    am: tuple[str, ...] = ()
    dm: int | None = None


def read_test(item: Item) -> Test | None:
    """The test of an item, None if it has none."""
    dm = item.ops.get("dm")
    if dm is not None and not (dm.isascii() and dm.isdigit() and len(dm) < 6):
        raise UserError(f"{item.title}: dm '{dm}' is not a number of moves")
    test = Test(read_move_list(item, "bm"), read_move_list(item, "am"), int(dm) if dm else None)
    return test if test != Test() else None


def solved(test: Test, record: Analysis) -> bool:
    """Whether an analysis passes the test: everything that it asks must hold."""
    if test.bm and record.best not in test.bm:
        return False
    if test.am and record.best in test.am:
        return False
    if test.dm is not None:
        mate = record.main.mate if record.main else None
        return mate is not None and 0 < mate <= test.dm
    return True
