"""Tuning: the method on known objectives, and whole runs on the command line."""

from __future__ import annotations

import math
import os
import random
import re
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from test_tournament import OPENINGS, wait_for_lines

from conftest import PATIENCE, ROOT, living, run_script, start_script, wait_until, workers_of
from petardlib.base.errors import UserError
from petardlib.base.journal import Journal, decoder
from petardlib.jobs.pool import LocalExecutor, Pool
from petardlib.play.openings import load_openings
from petardlib.play.schedule import Plan
from petardlib.play.spec import load_engines
from petardlib.play.uci import parse_option
from petardlib.tuning.spsa import R_END, Parameter, Spsa, Values
from petardlib.tuning.tune import Iteration, Tally, choose_parameters, resume, rust_lines, tune

WIDE = Parameter("Wide", 40, 0, 100)
NARROW = Parameter("Narrow", 4, 0, 6)
HEADER = {"kind": "tuning"}


def spsa(pairs: int = 1000, seed: int = 1, r_end: float = R_END) -> Spsa:
    return Spsa([WIDE, NARROW], pairs, seed, r_end)


# ---- the method ---------------------------------------------------------------------------------


def test_gains_end_where_they_are_named() -> None:
    s = spsa(1000)
    assert WIDE.c_end == 5 and NARROW.c_end == 0.5
    for p in (WIDE, NARROW):
        assert s.perturbation(p, 1000) == pytest.approx(p.c_end)
        assert s.step(p, 1000) == pytest.approx(R_END * p.c_end)
        # Spall: a_k = a / (A + k)^0.602, c_k = c / k^0.101
        assert s.perturbation(p, 1) == pytest.approx(p.c_end * 1000**0.101)
        slowing = (1100 / 101) ** 0.602 / 1000**0.101
        assert s.step(p, 1) == pytest.approx(R_END * p.c_end * slowing)


def test_probes_stay_in_range_differ_and_are_right_on_average() -> None:
    s = spsa(10_000)
    theta = {"Wide": 40.25, "Narrow": 5.9}
    sums = {"plus": 0.0, "minus": 0.0}
    flips = set()
    for pair in range(1, 4001):
        probe = s.probe(theta, pair)
        assert probe == s.probe(theta, pair)
        for values in (probe.plus, probe.minus):
            assert 0 <= values["Wide"] <= 100 and 0 <= values["Narrow"] <= 6
        # With 5.9 of at most 6, the range may limit one side; 40 is free.
        assert probe.plus["Wide"] != probe.minus["Wide"]
        assert (probe.plus["Wide"] > probe.minus["Wide"]) == (probe.flips["Wide"] > 0)
        flips.add((probe.flips["Wide"], probe.flips["Narrow"]))
        sums["plus"] += probe.plus["Wide"]
        sums["minus"] += probe.minus["Wide"]
    assert len(flips) == 4
    mean = (sums["plus"] + sums["minus"]) / 8000
    assert mean == pytest.approx(40.25, abs=0.05)
    assert s.probe(theta, 5) != spsa(10_000, seed=2).probe(theta, 5)


def test_theta_moves_towards_the_winner_and_stays_in_range() -> None:
    s = spsa(10)
    theta = {"Wide": 99.999, "Narrow": 3.0}
    flips = {"Wide": 1, "Narrow": -1}
    moved = s.moved(theta, 10, flips, 2)
    assert moved["Wide"] == 100
    assert moved["Narrow"] == pytest.approx(3 - 2 * R_END * 0.5)
    assert s.moved(theta, 10, flips, 0) == theta


@dataclass
class Quadratic:
    """An engine that loses Elo with the square of the distance from the best values."""

    best: Values
    games: int
    calls: int = 0
    stop_at: int = -1

    def strength(self, values: Values) -> float:
        ways = ((values[p.name] - self.best[p.name]) / p.c_end for p in (WIDE, NARROW))
        return -3.0 * sum(way**2 for way in ways)

    def __call__(self, iteration: int, plus: Values, minus: Values) -> Tally:
        if iteration == self.stop_at:
            raise KeyboardInterrupt
        self.calls += 1
        elo = self.strength(plus) - self.strength(minus)
        chance = 1 / (1 + math.pow(10, -elo / 400))
        rng = random.Random(iteration)
        wins = sum(rng.random() < chance for _ in range(self.games))
        return Tally(wins, self.games - wins)


@pytest.mark.parametrize("best", [{"Wide": 70, "Narrow": 2}, {"Wide": 10, "Narrow": 5}])
def test_a_quadratic_engine_is_tuned_to_its_best(best: Values) -> None:
    journal = Journal(None, HEADER, decoder(Iteration))
    theta = tune(spsa(32_000), 2000, Quadratic(best, 32), journal, lambda _: None)
    assert abs(theta["Wide"] - best["Wide"]) < 5
    assert abs(theta["Narrow"] - best["Narrow"]) < 0.75
    assert journal.count == 2000
    journal.close()


@pytest.mark.parametrize("stops", [[0], [1], [7], [3, 4, 11]])
def test_a_run_that_is_stopped_ends_as_one_that_is_not(tmp_path: Path, stops: list[int]) -> None:
    def go(path: Path, stop_at: int) -> int:
        journal = Journal(path, HEADER, decoder(Iteration))
        match = Quadratic({"Wide": 70, "Narrow": 2}, 8, stop_at=stop_at)
        try:
            tune(spsa(80, r_end=0.1), 20, match, journal, lambda _: None)
        except KeyboardInterrupt:
            pass
        finally:
            journal.close()
        return match.calls

    go(tmp_path / "whole", -1)
    calls = 0
    for stop_at in [*stops, -1]:
        calls += go(tmp_path / "parts", stop_at)
        with (tmp_path / "parts").open("a") as file:
            # What a kill in the middle of a write leaves
            file.write('{"kind":"iteration","it')
    assert calls == 20
    go(tmp_path / "parts", -1)
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()


# ---- what is tuned ------------------------------------------------------------------------------

LINES = """\
option name Hash type spin default 64 min 1 max 1024
option name UCI_Elo type spin default 2000 min 500 max 2000
option name RazorMargin type spin default 250 min 80 max 600
option name Ponder type check default false
option name NullDepth type spin default 3 min 2 max 99
option name Fixed type spin default 3 min 3 max 3
option name Odd type spin default 3""".splitlines()


def options(lines: list[str]) -> dict[str, Any]:
    parsed = [parse_option(line) for line in lines]
    return {option.name.lower(): option for option in parsed if option}


def test_numbers_are_read_from_the_engine() -> None:
    known = options(LINES)
    razor, null = Parameter("RazorMargin", 250, 80, 600), Parameter("NullDepth", 3, 2, 99)
    assert choose_parameters(known, "all") == [razor, null]
    assert choose_parameters(known, "NullDepth") == [null]
    assert choose_parameters(known, "nulldepth, RazorMargin") == [razor, null]
    for wrong in ("Hash", "Razor", "NullDepth,", ""):
        with pytest.raises(UserError, match="the engine has RazorMargin, NullDepth"):
            choose_parameters(known, wrong)
    with pytest.raises(UserError, match="--features tune"):
        choose_parameters(options(LINES[:2]), "all")


def test_values_are_printed_as_they_stand_in_the_source() -> None:
    source = (ROOT / "src" / "search" / "params.rs").read_text()
    rows = re.findall(r"^    (\w+) = (-?[\d_]+), (-?[\d_]+)\.\.=([\d_]+)(.*);$", source, re.M)
    parameters = []
    for name, default, low, high, others in rows:
        numbers = [int(number.replace("_", "")) for number in (default, low, high)]
        parameters.append(Parameter(name, *numbers))
        for prefix, value in re.findall(r", (small|wide) = ([\d_]+)", others):
            own = int(value.replace("_", ""))
            parameters.append(Parameter(f"{prefix}_{name}", own, *numbers[1:]))
    assert len(rows) > 20 and len(parameters) > len(rows) + 10
    theta = {p.name: p.default + 0.3 for p in parameters}
    lines = rust_lines(parameters, theta)
    assert len(lines) == len(rows)
    for line in lines:
        assert f"\n{line}\n" in source, line
    alone = rust_lines([p for p in parameters if p.name == "small_razor_margin"], theta)
    assert alone == [f"    razor_margin = .., small = {round(theta['small_razor_margin'])};"]


# ---- whole runs ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few openings, because every run checks them all at its start."""
    path = tmp_path_factory.mktemp("openings") / "few.epd"
    path.write_text("".join(OPENINGS.read_text().splitlines(keepends=True)[:8]))
    return path


def words(engine: str, state: Path, openings: Path, *more: object) -> list[str]:
    fixed = ["--games-per-iteration", "4", "--iterations", "5", "--r-end", "0.5", "--nodes", "10"]
    files = ["--resume", str(state), "--openings", str(openings)]
    return ["--engine", f"cmd={engine}", *files, *fixed, *map(str, more)]


def test_a_whole_run_and_one_that_goes_on(toy: str, few: Path, tmp_path: Path) -> None:
    engine = f"{toy} fair 3 tunable"
    state = tmp_path / "s.jsonl"
    done = run_script("tune.py", *words(engine, state, few, "--seed", 3))
    assert done.returncode == 0, done.stderr
    whole = state.read_bytes()
    assert whole.count(b"\n") == 6
    assert "5/5  theta+ " in done.stdout
    assert re.search(r"^    Width = \d+, 0\.\.=80;$", done.stdout, re.M), done.stdout
    assert "changed: Width 40 -> " in done.stdout, done.stdout

    # A kill in the middle of a line, two iterations in; other workers, the same result
    lines = whole.splitlines(keepends=True)
    state.write_bytes(b"".join(lines[:3]) + lines[3][:50])
    again = run_script("tune.py", *words(engine, state, few, "--seed", 3, "--workers", 1))
    assert again.returncode == 0, again.stderr
    assert "resumed: 2 of 5" in again.stdout
    assert state.read_bytes() == whole
    assert again.stdout.split("params.rs:")[1] == done.stdout.split("params.rs:")[1]

    # Nothing left to do
    finished = run_script("tune.py", *words(engine, state, few, "--seed", 3))
    assert finished.returncode == 0 and "resumed: 5 of 5" in finished.stdout
    assert state.read_bytes() == whole

    other = run_script("tune.py", *words(engine, state, few, "--seed", 4))
    assert other.returncode == 2 and "different openings, seed" in other.stderr


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_it_stops_cleanly_and_goes_on(
    toy: str, few: Path, tmp_path: Path, sign: signal.Signals
) -> None:
    marker = f"pause {20_000_000 + random.randrange(1_000_000)} tunable"
    state = tmp_path / "s.jsonl"
    command = words(f"{toy} {marker}", state, few)
    process = start_script("tune.py", *command)
    wait_for_lines(state, 3)
    process.send_signal(sign)
    out, err = process.communicate(timeout=PATIENCE)
    if sign is not signal.SIGKILL:
        assert process.returncode == 130, err
        assert "the same command resumes" in out and "params.rs" in out
        assert "Traceback" not in err
    wait_until(lambda: not living(marker))
    if sign is signal.SIGKILL:
        done = run_script("tune.py", *command)
        assert done.returncode == 0 and "resumed: " in done.stdout, done.stderr
        straight = tmp_path / "straight.jsonl"
        assert run_script("tune.py", *words(f"{toy} {marker}", straight, few)).returncode == 0
        assert straight.read_bytes() == state.read_bytes()


@pytest.mark.parametrize(
    ("mode", "more", "said"),
    [
        ("crash 5 tunable", (), ["iteration 1: the engine failed at ply", "exited with code 7"]),
        ("crash 5 tunable", (), ["! toy: something terrible", "Width=", "the same command"]),
        ("illegal 5 tunable", (), ["illegal move: a1a8"]),
        ("dead", (), ["exited with code 3"]),
        ("fair", (), ["lists no search parameters", "--features tune"]),
        ("fair 3 tunable", ("--params", "Depth"), ["no parameter 'Depth'", "has Width, Reach"]),
        ("fair 3 tunable", ("--games-per-iteration", 3), ["an even number"]),
        ("fair 3 tunable", ("--engine", "cmd=nowhere-to-be-found"), ["not found on PATH"]),
    ],
)
def test_what_goes_wrong_is_reported(
    toy: str, few: Path, tmp_path: Path, mode: str, more: tuple[object, ...], said: list[str]
) -> None:
    done = run_script("tune.py", *words(f"{toy} {mode}", tmp_path / "s", few, *more))
    assert done.returncode == 2, done.stdout
    for text in said:
        assert text in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


def test_options_that_are_tuned_or_limits_cannot_be_given(toy: str, tmp_path: Path) -> None:
    for word, said in (("option.Width=3", "is being tuned"), ("movetime=5", "--nodes")):
        engine = ["--engine", f"cmd={toy} fair 3 tunable", word]
        done = run_script("tune.py", *engine, "--resume", tmp_path / "s")
        assert done.returncode == 2 and said in done.stderr, done.stderr


def test_workers_are_kept_from_run_to_run(toy: str, few: Path) -> None:
    engines = load_engines([["name=a", f"cmd={toy}"], ["name=b", f"cmd={toy}"]], [], None)
    plan = Plan(engines, load_openings(few), games=4)
    pool = Pool(LocalExecutor(2))
    try:
        pids = []
        for _ in range(3):
            assert len(list(pool.run(plan.jobs(set())))) == 4
            pids.append(sorted(workers_of(os.getpid())))
        assert pids[0] == pids[1] == pids[2] and len(pids[0]) == 2
        # A worker that has died in between is replaced.
        os.kill(pids[0][0], signal.SIGKILL)
        assert len(list(pool.run(plan.jobs(set())))) == 4
        assert sorted(workers_of(os.getpid())) != pids[0]
    finally:
        pool.close()


@pytest.mark.parametrize(
    "theta", ["5", '{"Wide": 3}', '{"Wide": "x", "Narrow": 1}', '{"Wide": NaN, "Narrow": 1}']
)
def test_an_edited_state_is_named_by_its_line(tmp_path: Path, theta: str) -> None:
    path = tmp_path / "s"
    path.write_text(f'{{"kind":"tuning"}}\n{{"kind":"iteration","theta":{theta}}}\n')
    with pytest.raises(UserError, match="line 2: not a record"):
        resume(Journal(path, HEADER, decoder(Iteration)), spsa())
