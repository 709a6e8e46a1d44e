"""What the games of a tournament add up to."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from petardlib.rules.positions import is_white
from petardlib.stats.games import POINTS, GameRecord
from petardlib.stats.match import MatchStats, match_stats
from petardlib.stats.ratings import RatingList, rate


@dataclass
class Duel:
    """Two engines' games against each other, from the view of ``first``."""

    first: str
    second: str
    won: int = 0
    lost: int = 0
    drawn: int = 0
    pairs: list[int] = field(default_factory=lambda: [0] * 5)
    half: dict[object, float] = field(default_factory=dict)

    @property
    def games(self) -> int:
        """Games played."""
        return self.won + self.lost + self.drawn

    @property
    def points(self) -> float:
        """Points of ``first``."""
        return self.won + self.drawn / 2

    def add(self, pair: object, own: float) -> None:
        """Count a game in which ``first`` scored ``own`` points."""
        self.won += own == 1.0
        self.lost += own == 0.0
        self.drawn += own == 0.5
        if pair in self.half:
            self.pairs[round(2 * (self.half.pop(pair) + own))] += 1
        else:
            self.half[pair] = own

    def pentanomial(self) -> list[int]:
        """Finished pairs by their points: 0, 1/2, 1, 3/2, 2."""
        return list(self.pairs)

    def stats(self) -> MatchStats | None:
        """Statistics over the finished pairs."""
        return match_stats(self.pentanomial())


@dataclass
class EngineUse:
    """One engine's behaviour over all its games."""

    name: str
    games: int = 0
    points: float = 0.0
    white_games: int = 0
    white_points: float = 0.0
    moves: int = 0
    time_ms: float = 0.0
    longest_ms: float = 0.0
    depth_sum: int = 0
    depth_moves: int = 0
    nodes: int = 0
    claims: int = 0
    """Moves whose reported score was a forced win or loss."""
    claims_held: int = 0
    """How many of these agree with the game's result."""
    faults: Counter[str] = field(default_factory=Counter)


class Summary:
    """Grows by one game at a time; every figure can be read at any moment."""

    def __init__(self, names: Iterable[str]) -> None:
        """Start empty; ``names`` fixes the order of the engines."""
        self.names = list(names)
        self.duels: dict[tuple[str, str], Duel] = {}
        self.use = {name: EngineUse(name) for name in self.names}
        self.games = 0
        self.results: Counter[str] = Counter()
        self.plies: list[int] = []
        self.overheads_us: list[int] = []
        self.faults: list[GameRecord] = []
        self._colours: dict[tuple[str, str], tuple[float, float]] = {}

    def add(self, record: GameRecord, pair: object = None) -> None:
        """Count one game; ``pair`` is what it shares with another, by default its own field."""
        white, black = record.white, record.black
        points = POINTS[record.result]
        self.games += 1
        self.results[record.result] += 1
        self.plies.append(len(record.moves))
        if record.overhead_us is not None:
            self.overheads_us.append(record.overhead_us)
        first, second = sorted((white, black), key=self.names.index)
        duel = self.duels.setdefault((first, second), Duel(first, second))
        duel.add(record.pair if pair is None else pair, points if first == white else 1.0 - points)
        before = self._colours.get((white, black), (0.0, 0.0))
        self._colours[white, black] = (before[0] + points, before[1] + 1.0)
        self._count_use(record, points)
        if record.fault:
            use = self.use[record.fault.engine]
            use.faults[record.fault.kind] += 1
            self.faults.append(record)
            # The move that came too late, or never, took time as well.
            use.longest_ms = max(use.longest_ms, record.fault.elapsed_ms or 0.0)

    def _count_use(self, record: GameRecord, points: float) -> None:
        white_first = is_white(record.fen)
        for name, own, colour in (
            (record.white, points, 0),
            (record.black, 1.0 - points, 1),
        ):
            use = self.use[name]
            use.games += 1
            use.points += own
            if colour == 0:
                use.white_games += 1
                use.white_points += own
            first = (colour if white_first else 1 - colour) ^ (record.book % 2)
            for move in record.log[first::2]:
                use.moves += 1
                use.time_ms += move.ms
                use.longest_ms = max(use.longest_ms, move.ms)
                if move.depth is not None:
                    use.depth_sum += move.depth
                    use.depth_moves += 1
                use.nodes += move.nodes or 0
                if move.score and move.score.is_proven:
                    use.claims += 1
                    use.claims_held += own == move.score.win_probability()

    @property
    def faults_decide(self) -> bool:
        """Whether faults have decided so many games that the score needs a warning: one in ten."""
        return 10 * len(self.faults) >= self.games > 0

    @property
    def nothing_measured(self) -> bool:
        """Whether every game was lost by a fault, so that points say nothing about strength."""
        return self.games > 0 and len(self.faults) == self.games

    def claims_text(self, name: str) -> str:
        """How many of an engine's claims of a forced win or loss came true.

        If one did not, it was wrong, or else the engine or its opponent let the game slip.
        """
        use = self.use[name]
        return f"{use.claims_held}/{use.claims}" if use.claims else "-"

    def duel(self, a: str, b: str) -> Duel | None:
        """The duel of two engines from the view of ``a``, None if they have not met."""
        if (a, b) in self.duels:
            return self.duels[a, b]
        other = self.duels.get((b, a))
        if other is None:
            return None
        return Duel(a, b, other.lost, other.won, other.drawn, other.pairs[::-1])

    def ratings(self, anchor: tuple[str, float] | None = None) -> RatingList | None:
        """The maximum-likelihood rating list of the games so far."""
        return rate(self.rating_rows(), anchor=anchor)

    def rating_rows(self) -> list[tuple[str, str, float, float]]:
        """(white, black, White's points, games) for each pairing and colour."""
        return [(white, black, *won) for (white, black), won in self._colours.items()]

    @property
    def white_share(self) -> float | None:
        """White's share of the points."""
        if not self.games:
            return None
        return (self.results["1-0"] + self.results["1/2-1/2"] / 2) / self.games

    def length_text(self) -> str:
        """Shortest, median and longest game in plies."""
        if not self.plies:
            return "-"
        return f"{min(self.plies)} / {statistics.median(self.plies):g} / {max(self.plies)}"

    def overhead_us(self) -> float | None:
        """The median over games of the runner's median overhead per move, microseconds."""
        return statistics.median(self.overheads_us) if self.overheads_us else None
