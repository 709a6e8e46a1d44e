"""Match statistics and ratings against published figures."""

from __future__ import annotations

import csv
import io
import itertools
import math
import random
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from petardlib.play.display import cross_table, print_whole
from petardlib.stats.games import GameRecord, MoveLog
from petardlib.stats.match import (
    Sprt,
    elo_of,
    log_likelihood_ratio,
    logistic,
    match_stats,
    sprt_bounds,
)
from petardlib.stats.ratings import rate
from petardlib.stats.summary import Summary

DATA = Path(__file__).resolve().parent / "data"


def fishtest() -> list[dict[str, str]]:
    lines = (DATA / "fishtest.csv").read_text().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


@pytest.mark.parametrize("row", fishtest(), ids=lambda row: row["test"])
def test_llr_is_fishtests(row: dict[str, str]) -> None:
    counts = [int(row[f"p{n}"]) for n in range(5)]
    llr = log_likelihood_ratio(counts, float(row["elo0"]), float(row["elo1"]), row["model"])
    # Published with two decimals
    assert llr == pytest.approx(float(row["llr"]), abs=0.011)


@pytest.mark.parametrize("elo1", [250, 800, 2000])
@pytest.mark.parametrize("counts", [(2, 0, 9, 0, 19), (0, 0, 0, 0, 20), (20, 0, 3, 0, 0)])
def test_llr_of_distant_hypotheses(counts: tuple[int, ...], elo1: int) -> None:
    llr = log_likelihood_ratio(counts, 0, elo1)
    assert math.isfinite(llr)
    mirrored = log_likelihood_ratio(counts[::-1], 0, -elo1)
    assert mirrored == pytest.approx(llr, abs=1e-6)
    if counts[0] > counts[-1]:
        assert llr < 0


def test_sprt_bounds_are_walds() -> None:
    low, high = sprt_bounds(0.05, 0.05)
    assert (round(low, 2), round(high, 2)) == (-2.94, 2.94)


# Elo, its error, LOS %, pairs, normalised Elo, its error, pairs ratio: as fishtest published them
FIXED_GAMES = [
    (-1.50, 1.5, 2.3, (143, 6697, 14452, 6415, 164), -2.95, 2.9, 0.96),
    (0.24, 0.9, 69.9, (0, 87, 4819, 94, 0), 1.81, 6.8, 1.08),
    (4.69, 1.4, 100.0, (154, 6440, 16053, 7148, 205), 9.38, 2.8, 1.12),
    (2.22, 1.3, 100.0, (1, 137, 4659, 203, 0), 12.00, 6.8, 1.47),
    (0.15, 1.4, 58.3, (166, 6959, 15527, 6991, 163), 0.30, 2.8, 1.00),
]


@pytest.mark.parametrize("row", FIXED_GAMES)
def test_elo_is_fishtests(row: tuple[Any, ...]) -> None:
    elo, error, los, counts, nelo, nelo_error, ratio = row
    stats = match_stats(counts)
    assert stats is not None
    assert stats.elo.value == pytest.approx(elo, abs=0.005)
    assert stats.elo.error == pytest.approx(error, abs=0.051)
    assert stats.los is not None and 100 * stats.los == pytest.approx(los, abs=0.06)
    assert stats.nelo.value == pytest.approx(nelo, abs=0.005)
    assert stats.nelo.error == pytest.approx(nelo_error, abs=0.051)
    assert stats.ratio == pytest.approx(ratio, abs=0.005)


def test_elo_scale() -> None:
    assert elo_of(0.75) == pytest.approx(190.85, abs=0.01)
    assert logistic(elo_of(0.6)) == pytest.approx(0.6)
    assert elo_of(1.0) == math.inf


def test_edge_cases() -> None:
    assert match_stats([0, 0, 0, 0, 0]) is None
    for pairs in (1, 7):
        swept = match_stats([0, 0, 0, 0, pairs])
        assert swept is not None and swept.elo.value == math.inf and swept.los_text() == "?"
    equal = match_stats([0, 0, 9, 0, 0])
    assert equal is not None and equal.elo.value == 0 and equal.los == 0.5
    assert log_likelihood_ratio([0] * 5, 0, 5) == 0


def test_sprt_errs_as_often_as_it_says() -> None:
    """In drawless games at the strength of H0 and of H1, about alpha and beta go wrong."""
    rng = random.Random(5)
    sprt = Sprt(0, 60, 0.1, 0.1, "logistic")
    wrong = {0: 0, 60: 0}
    runs = 120
    for elo in wrong:
        for _ in range(runs):
            counts = [0] * 5
            verdict = None
            while verdict is None:
                for _ in range(4):
                    won = sum(rng.random() < logistic(elo) for _ in range(2))
                    counts[2 * won] += 1
                _, verdict = sprt.verdict(counts)
            wrong[elo] += verdict == ("H1" if elo == 0 else "H0")
    # 10% is promised; four deviations above would be 21%.
    assert all(count <= 0.21 * runs for count in wrong.values()), wrong


# Home team, away team, home wins, away wins: American League East 1987 (Agresti, Categorical Data
# Analysis, 2nd edition, page 438; also the data set `baseball` of the R package BradleyTerry2)
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
HOME_AWAY = (
    ("", "4-3", "4-2", "4-3", "6-1", "4-2", "6-0"),
    ("3-3", "", "4-2", "4-3", "6-0", "6-1", "4-3"),
    ("2-5", "4-3", "", "2-4", "4-3", "4-2", "6-0"),
    ("3-3", "5-1", "2-5", "", "4-3", "4-2", "6-1"),
    ("5-1", "2-5", "3-3", "4-2", "", "5-2", "6-0"),
    ("2-5", "3-3", "3-4", "4-3", "4-2", "", "2-4"),
    ("2-5", "1-5", "1-6", "2-4", "1-6", "3-4", ""),
)


def baseball() -> list[tuple[str, str, float, float]]:
    rows = []
    for home, line in zip(TEAMS, HOME_AWAY, strict=True):
        for away, text in zip(TEAMS, line, strict=True):
            if text:
                won, lost = map(int, text.split("-"))
                rows.append((home, away, float(won), float(won + lost)))
    return rows


def test_ratings_are_agrestis() -> None:
    """Strengths relative to Baltimore, and the home advantage with its standard error."""
    rated = rate(baseball())
    assert rated is not None and not rated.with_prior
    nat = 400 / math.log(10)
    strength = {r.name: r.elo / nat for r in rated.ratings}
    relative = {name: value - strength["Baltimore"] for name, value in strength.items()}
    published = {
        "Boston": 1.1438,
        "Cleveland": 0.7047,
        "Detroit": 1.4754,
        "Milwaukee": 1.6196,
        "New York": 1.2813,
        "Toronto": 1.3271,
    }
    for name, value in published.items():
        assert relative[name] == pytest.approx(value, abs=5e-4), name
    assert rated.advantage / nat == pytest.approx(0.3023, abs=5e-4)
    assert rated.advantage_error / nat / 1.96 == pytest.approx(0.1309, abs=5e-4)


def test_ratings_without_advantage_are_agrestis() -> None:
    rated = rate(baseball(), with_advantage=False)
    assert rated is not None
    nat = 400 / math.log(10)
    strength = {r.name: r.elo / nat for r in rated.ratings}
    got = sorted(round(v - strength["Baltimore"], 2) for v in strength.values())
    assert got == [0, 0.68, 1.11, 1.25, 1.29, 1.44, 1.58]


def test_two_players_are_the_elo_formula() -> None:
    rated = rate([("a", "b", 75.0, 100.0), ("b", "a", 25.0, 100.0)])
    assert rated is not None
    assert rated.ratings[0].elo - rated.ratings[1].elo == pytest.approx(190.85, abs=0.01)
    # The difference of 200 games at 75%: standard error 400/ln 10 / sqrt(200 x 0.75 x 0.25)
    error = 1.96 * 400 / math.log(10) / math.sqrt(200 * 0.75 * 0.25)
    assert 2 * rated.ratings[0].error == pytest.approx(error, rel=1e-3)
    assert rated.advantage == pytest.approx(0, abs=1e-6)


def test_known_strengths_are_found_again() -> None:
    true = {"a": 120.0, "b": 40.0, "c": -30.0, "d": -130.0}
    rows = []
    for x in true:
        for y in true:
            if x != y:
                rows.append((x, y, 1000 * logistic(true[x] - true[y] + 25), 1000.0))
    rated = rate(rows)
    assert rated is not None
    assert {r.name: round(r.elo, 3) for r in rated.ratings} == true
    assert rated.advantage == pytest.approx(25, abs=1e-3)


def test_sweep_stays_finite_and_says_so() -> None:
    rated = rate([("a", "b", 10.0, 10.0), ("b", "a", 0.0, 10.0)])
    assert rated is not None and rated.with_prior
    assert 200 < rated.ratings[0].elo < 2000
    assert rate([]) is None


def test_sweep_with_one_colour_stays_finite() -> None:
    """Nobody won everything, but Black's wins and White's advantage could grow without bound."""
    rated = rate([("a", "b", 3.0, 5.0), ("b", "a", 0.0, 5.0)])
    assert rated is not None and rated.with_prior
    assert 50 < rated.ratings[0].elo < 500 and rated.ratings[0].name == "a"
    assert -800 < rated.advantage < 0
    all_white = rate([("a", "b", 5.0, 5.0), ("b", "a", 5.0, 5.0)])
    assert all_white is not None and all_white.with_prior
    assert all_white.ratings[0].elo == pytest.approx(0, abs=1e-6)
    assert 200 < all_white.advantage < 1500


def test_claims_of_forced_results_are_held_against_the_result() -> None:
    # After one book move, Black is the first to think.
    log = [MoveLog(1.0, None, 4), MoveLog(1.0, None, 3), MoveLog(1.0, None, -2), MoveLog(1.0, 150)]
    log.append(MoveLog(1.0))
    record = GameRecord("a", "b", "1-0", moves=["x"] * 6, book=1, log=log)
    summary = Summary(["a", "b", "c"])
    summary.add(record)
    assert summary.claims_text("a") == "1/1"
    assert summary.claims_text("b") == "1/2"
    assert summary.claims_text("c") == "-"
    record.log = [MoveLog(1.0, proven="lost"), MoveLog(1.0, proven="lost")]
    proven = Summary(["a", "b"])
    proven.add(record)
    assert (proven.claims_text("a"), proven.claims_text("b")) == ("0/1", "1/1")


def test_a_large_cross_table_is_printed_whole() -> None:
    names = [f"an engine called {number}" for number in range(20)]
    summary = Summary(names)
    for pair, (white, black) in enumerate(itertools.combinations(names, 2)):
        summary.add(GameRecord(white, black, "1-0", pair=pair))
        summary.add(GameRecord(black, white, "1-0", pair=pair))
    console = Console(file=io.StringIO(), width=120)
    print_whole(console, cross_table(summary))
    assert isinstance(console.file, io.StringIO) and console.width == 120
    text = console.file.getvalue()
    assert "…" not in text and all(f" {name} " in text for name in names)
    assert text.count(" 1/2 ") == 20 * 19 and text.count(" 19/38 ") == 20
