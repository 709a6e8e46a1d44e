"""Whole tournaments through the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from conftest import PATIENCE, SCRIPTS, line_count, living, run_script, wait_until
from petardlib.schedule import Plan
from petardlib.spec import EngineSpec
from test_pgn import referee_again

OPENINGS = SCRIPTS / "data" / "openings-8x8.epd"
# For engines that shall not lose on time, however slow the machine
PATIENT = ("movetime=500", f"margin={1000 * PATIENCE}")
MOVING = ("start", "duration_s", "overhead_us", "log")


def games_of(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text().splitlines(keepends=True)
    records = [json.loads(line) for line in lines if line.endswith("\n")]
    assert records[0]["kind"] == "tournament"
    return records[1:]


def essence(path: Path) -> list[dict[str, Any]]:
    """The games without what depends on the hour, by their number."""
    games = [{k: v for k, v in game.items() if k not in MOVING} for game in games_of(path)]
    return sorted(games, key=lambda game: game["index"])


def test_round_robin(toy: str, tmp_path: Path) -> None:
    done = run_script(
        "tournament.py",
        *("--engine", "name=a", f"cmd={toy}"),
        *("--engine", "name=b", f"cmd={toy} pause"),
        *("--engine", "name=c", f"cmd={toy} illegal 9"),
        *("--each", *PATIENT),
        *("--games", 4, "--concurrency", 2, "--seed", 7),
        *("--pgn", tmp_path / "g.pgn", "--html", tmp_path / "r.html"),
    )
    assert done.returncode == 0, done.stderr
    games = essence(tmp_path / "g.pgn.jsonl")
    assert [game["index"] for game in games] == list(range(12))
    pairs: dict[int, list[dict[str, Any]]] = {}
    for game in games:
        pairs.setdefault(game["pair"], []).append(game)
    for one, two in pairs.values():
        assert one["fen"] == two["fen"]
        assert (one["white"], one["black"]) == (two["black"], two["white"])
    for name in "abc":
        assert sum(name in (game["white"], game["black"]) for game in games) == 8
    lost = [game for game in games if "c" in (game["white"], game["black"])]
    assert all(game["fault"]["engine"] == "c" for game in lost if game["fault"])
    assert any(game["fault"] for game in lost)
    assert referee_again((tmp_path / "g.pgn").read_text()) == 12
    for text in (
        "Cross table",
        "Ratings",
        "illegal move: a1a8",
        "> go movetime 500",
        "White's share",
    ):
        assert text in done.stdout, text
    assert (tmp_path / "r.html").stat().st_size > 20_000


def test_gauntlet_and_toml(toy: str, tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(
        f"[each]\nmovetime = 500\nmargin = {1000 * PATIENCE}\n"
        + "".join(f'[[engine]]\nname = "{n}"\ncmd = "{toy}"\n' for n in "xyz")
    )
    done = run_script(
        "tournament.py",
        *("--toml", tmp_path / "e.toml", "--format", "gauntlet", "--games", 2),
        *("--board", "6x6", "--json", tmp_path / "g.jsonl"),
    )
    assert done.returncode == 0, done.stderr
    games = essence(tmp_path / "g.jsonl")
    assert len(games) == 4 and all("x" in (game["white"], game["black"]) for game in games)
    assert all(game["fen"].count("/") == 5 for game in games)


def test_on_a_ladder_each_meets_the_next_two() -> None:
    engines = [EngineSpec(name=name, cmd=[name]) for name in "abcde"]
    plan = Plan(engines=engines, openings=[], format="ladder", games=2)
    met = ["".join(engine.name for engine in pairing) for pairing in plan.pairings()]
    assert met == ["ab", "ac", "bc", "bd", "cd", "ce", "de"]
    assert plan.total == 14


def command(fairy: str, out: Path, games: int = 16, seed: int = 3) -> list[str]:
    words: list[str | Path | int] = [sys.executable, SCRIPTS / "tournament.py"]
    words += ["--engine", "name=more", f"cmd={fairy}", "nodes=600"]
    words += ["--engine", "name=less", f"cmd={fairy}", "nodes=300"]
    words += ["--games", games, "--concurrency", 2, "--seed", seed]
    words += ["--json", out / "g.jsonl", "--pgn", out / "g.pgn"]
    return [str(word) for word in words]


def wait_for_lines(path: Path, count: int) -> None:
    wait_until(lambda: line_count(path) >= count)


def test_killed_and_resumed_equals_uninterrupted(fairy: str, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    subprocess.run(command(fairy, whole), check=True, capture_output=True, timeout=PATIENCE)
    for kill in range(3):
        process = subprocess.Popen(
            command(fairy, broken), stdout=subprocess.DEVNULL, start_new_session=True
        )
        wait_for_lines(broken / "g.jsonl", 2 + 4 * kill)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert 1 <= len(games_of(broken / "g.jsonl")) < 16
        if kill == 1:
            # As if the kill had hit the middle of a write
            with (broken / "g.jsonl").open("a") as file:
                file.write('{"kind":"game","index":')
            with (broken / "g.pgn").open("a") as file:
                file.write('[Event "half')
    subprocess.run(command(fairy, broken), check=True, capture_output=True, timeout=PATIENCE)
    assert essence(broken / "g.jsonl") == essence(whole / "g.jsonl")
    assert referee_again((broken / "g.pgn").read_text()) == 16
    # More of the same: the games that are there are kept.
    before = games_of(broken / "g.jsonl")
    more = subprocess.run(
        command(fairy, broken, games=18),
        check=True,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert "16 games are already played" in more.stdout
    assert games_of(broken / "g.jsonl")[:16] == before and len(games_of(broken / "g.jsonl")) == 18
    # Another tournament in the same file is refused, by what differs.
    other = subprocess.run(
        command(fairy, broken, seed=4), capture_output=True, text=True, timeout=PATIENCE
    )
    assert other.returncode == 2 and "differs in: openings, seed" in other.stderr


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_stops_cleanly_and_leaves_no_process(
    toy: str, tmp_path: Path, sign: signal.Signals
) -> None:
    marker = f"pause {10_000_000 + int(time.time() * 1000) % 1_000_000}"
    process = subprocess.Popen(
        [
            *(sys.executable, str(SCRIPTS / "tournament.py"), "--games", "500"),
            *("--engine", "name=a", f"cmd={toy} {marker}", "--engine", "name=b"),
            *(f"cmd={toy} {marker}", "--each", *PATIENT, "--json", str(tmp_path / "g")),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that runs the tests in the background ignores SIGINT for all of them.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    wait_for_lines(tmp_path / "g", 3)
    process.send_signal(sign)
    out, err = process.communicate(timeout=PATIENCE)
    if sign is not signal.SIGKILL:
        assert process.returncode == 130
        assert "stopped" in out and "Cross table" in out and "Traceback" not in err
    wait_until(lambda: not living(marker))


def test_sprt_ends_with_a_verdict(toy: str, tmp_path: Path) -> None:
    words = [
        *("--engine", "name=strong", f"cmd={toy}"),
        *("--engine", "name=weak", f"cmd={toy} illegal 4"),
        *("--each", *PATIENT, "--games", "400", "--openings", str(OPENINGS)),
        *("--sprt", "elo0=0", "elo1=300", "model=logistic", "--json", str(tmp_path / "s.jsonl")),
    ]
    done = run_script("tournament.py", *words)
    assert done.returncode == 0, done.stderr
    assert "H1 accepted" in done.stdout and "SPRT logistic [0, 300]" in done.stdout
    count = len(games_of(tmp_path / "s.jsonl"))
    assert 4 <= count < 60
    again = run_script("tournament.py", *words)
    assert "H1 accepted" in again.stdout and len(games_of(tmp_path / "s.jsonl")) == count


def test_start_of_every_game_is_checked(toy: str) -> None:
    base = ["tournament.py", "--engine", "name=a", f"cmd={toy}", "--engine", "name=b"]
    for words, fault in (
        ([f"cmd={toy} dead"], "engine 'b': crash: exited with code 3"),
        ([f"cmd={toy} chess"], "has no option UCI_Variant"),
        ([f"cmd={toy}", "option.Nonsense=1"], "has no option 'Nonsense'"),
        ([f"cmd={toy}", "--openings", "/no/such/file"], "No such file"),
        ([f"cmd={toy}", "--sprt", "elo0=5", "elo1=1"], "elo1 must be more"),
        ([f"cmd={toy}", "--board", "3x3"], "board 3x3"),
        ([f"cmd={toy}", "--board", "16x8"], "--referee COMMAND"),
        ([f"cmd={toy}", "--variant", "freeling"], "does not know the variant freeling"),
        ([f"cmd={toy}", "--games", "0"], "--games must be at least 1"),
        ([f"cmd={toy}", "--html", "/dev/null/x.html"], "cannot write in /dev/null"),
        ([f"cmd={toy}", "--dask", "tcp://127.0.0.1:1"], "--dask"),
    ):
        done = run_script(*base, *words)
        assert done.returncode == 2, (words, done.stdout)
        assert fault in done.stderr.replace("\n", " "), done.stderr
        assert "Traceback" not in done.stderr


def test_pgn_openings_become_book_moves(toy: str, tmp_path: Path) -> None:
    (tmp_path / "o.pgn").write_text('[Event "x"]\n\n1. a2a3 a7a6 2. b2b3 *\n')
    done = run_script(
        "tournament.py",
        *("--engine", "name=a", f"cmd={toy}", "--engine", "name=b", f"cmd={toy}"),
        *("--each", *PATIENT, "--games", 2, "--openings", tmp_path / "o.pgn"),
        *("--json", tmp_path / "g.jsonl", "--pgn", tmp_path / "g.pgn"),
    )
    assert done.returncode == 0, done.stderr
    for game in games_of(tmp_path / "g.jsonl"):
        assert game["moves"][:3] == ["a2a3", "a7a6", "b2b3"] and game["book"] == 3
        assert len(game["log"]) == len(game["moves"]) - 3
    assert "{book}" in (tmp_path / "g.pgn").read_text()


def test_help_is_complete() -> None:
    for script in ("tournament.py", "analyse.py", "openings.py"):
        done = run_script(script, "--help")
        assert done.returncode == 0 and "example" in done.stdout
