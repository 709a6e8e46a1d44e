"""Whole tournaments on the command line."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from test_pgn import referee_again
from test_rate import record

from conftest import (
    PATIENCE,
    SCRIPTS,
    line_count,
    living,
    run_script,
    start_fen,
    start_script,
    wait_until,
)
from petard import pgn
from petardlib.commands.cli import guarded
from petardlib.play.inputs import Reading
from petardlib.play.openings import Opening
from petardlib.play.schedule import Plan
from petardlib.play.spec import EngineSpec
from petardlib.play.tournament import Output
from petardlib.report.charts import line_chart
from petardlib.stats.games import decode_game
from petardlib.stats.summary import Summary

OPENINGS = SCRIPTS / "data" / "openings-8x8.epd"
# For engines that must not lose on time, however slow the machine
PATIENT = ("movetime=500", f"margin={1000 * PATIENCE}")
MOVING = ("start", "duration_s", "overhead_us", "log")


def games_of(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text().splitlines(keepends=True)
    records = [json.loads(line) for line in lines if line.endswith("\n")]
    assert records[0]["kind"] == "tournament"
    return records[1:]


def essence(path: Path) -> list[dict[str, Any]]:
    """The games by number, without anything that depends on time."""
    games = [{k: v for k, v in game.items() if k not in MOVING} for game in games_of(path)]
    return sorted(games, key=lambda game: game["index"])


def test_round_robin(toy: str, tmp_path: Path) -> None:
    done = run_script(
        "tournament.py",
        *("--engine", "name=a", f"cmd={toy}"),
        *("--engine", "name=b", f"cmd={toy} pause"),
        *("--engine", "name=c", f"cmd={toy} illegal 9"),
        *("--each", *PATIENT),
        *("--games", 4, "--workers", 2, "--seed", 7),
        *("--pgn", tmp_path / "g.pgn", "--html", tmp_path / "r.html"),
        *("--json", tmp_path / "result", "--standings", tmp_path / "s.md"),
        *("--log", tmp_path / "log"),
    )
    assert done.returncode == 5, done.stderr
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
    result = json.loads((tmp_path / "result").read_text())
    assert result["games"] == 12 and len(result["pairings"]) == 3 and result["faults"] >= 1
    assert sum(engine["points"] for engine in result["engines"]) == 12
    for text in (
        "Cross table",
        "Ratings",
        "illegal move: a1a8",
        "> go movetime 500",
        "White's share",
    ):
        assert text in done.stdout, text
    assert (tmp_path / "r.html").stat().st_size > 20_000
    standings = (tmp_path / "s.md").read_text().splitlines()
    assert [line.split("|")[3].strip() for line in standings[2:]] == ["8"] * 3
    # One file for each process of an engine.
    logs: dict[str, str] = {}
    for path in (tmp_path / "log").iterdir():
        name = path.name.split("-")[0]
        logs[name] = logs.get(name, "") + path.read_text()
    assert sorted(logs) == ["a", "b", "c"]
    assert re.search(r"^\d+\.\d{6} > uci$", logs["a"], re.MULTILINE)
    assert re.search(r"^\d+\.\d{6} < bestmove a1a8$", logs["c"], re.MULTILINE)
    comments = {text.partition(" # ")[2] for text in logs["a"].splitlines() if " # " in text}
    own = (game for game in games if "a" in (game["white"], game["black"]))
    named = {f"game {game['index'] + 1}: {game['white']} - {game['black']}" for game in own}
    assert comments == {"check before the first game", *named}


def test_gauntlet_and_toml(toy: str, tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(
        f"[each]\nmovetime = 500\nmargin = {1000 * PATIENCE}\n"
        + "".join(f'[[engine]]\nname = "{n}"\ncmd = "{toy}"\n' for n in "xyz")
    )
    done = run_script(
        "tournament.py",
        *("--toml", tmp_path / "e.toml", "--format", "gauntlet", "--games", 2),
        *("--board", "6x6", "--resume", tmp_path / "g.jsonl", "--quiet"),
    )
    assert done.returncode == 0, done.stderr
    # No line for each game, but the tables.
    assert " plies)" not in done.stdout and "Cross table" in done.stdout
    games = essence(tmp_path / "g.jsonl")
    assert len(games) == 4 and all("x" in (game["white"], game["black"]) for game in games)
    assert all(game["fen"].count("/") == 5 for game in games)


def test_a_rebuilt_engine_does_not_go_on_with_a_match(toy: str, tmp_path: Path) -> None:
    engine, report = tmp_path / "engine", tmp_path / "r.html"
    engine.write_text(f"#!/bin/sh\nexec {toy}\n")
    engine.chmod(0o755)
    words = [*("--engine", "name=a", f"cmd={engine}", "--engine", "name=b", f"cmd={toy}")]
    words += ["--each", *PATIENT, "--games", "2", "--resume", str(tmp_path / "g.jsonl")]
    words += ["--html", str(report), "--json", str(tmp_path / "result")]
    assert run_script("tournament.py", *words).returncode == 0
    header = json.loads((tmp_path / "g.jsonl").read_text().splitlines()[0])
    assert [program["id"] for program in header["programs"].values()] == ["toy"] * 2
    found = json.loads((tmp_path / "result").read_text())["engines"]
    for one in found:
        assert one["sha256"] == header["programs"][one["name"]]["sha256"] in report.read_text()
    engine.write_text(f"#!/bin/sh\n# rebuilt\nexec {toy}\n")
    again = run_script("tournament.py", *words)
    assert again.returncode == 2 and "the program of 'a' has changed since" in again.stderr
    # Journals of earlier versions do not say what the programs were.
    lines = (tmp_path / "g.jsonl").read_text().splitlines()
    del header["programs"]
    (tmp_path / "g.jsonl").write_text("\n".join([json.dumps(header), *lines[1:], ""]))
    resumed = run_script("tournament.py", *words)
    assert resumed.returncode == 0 and "2 games are already played" in resumed.stdout


def test_on_a_ladder_each_meets_the_next_two() -> None:
    engines = [EngineSpec(name=name, cmd=[name]) for name in "abcde"]
    plan = Plan(engines=engines, openings=[], format="ladder", games=2)
    met = ["".join(engine.name for engine in pairing) for pairing in plan.pairings()]
    assert met == ["ab", "ac", "bc", "bd", "cd", "ce", "de"]
    assert plan.total == 14


def test_in_a_gauntlet_several_seeds_meet_all_others() -> None:
    engines = [EngineSpec(name=name, cmd=[name]) for name in "abcd"]
    plan = Plan(engines=engines, openings=[], format="gauntlet", seeds=2, games=2)
    met = ["".join(engine.name for engine in pairing) for pairing in plan.pairings()]
    assert met == ["ac", "ad", "bc", "bd"]


def test_summaries_are_written_while_games_are_played(tmp_path: Path) -> None:
    engines = [EngineSpec(name=name, cmd=[name]) for name in "ab"]
    plan = Plan(engines=engines, openings=[Opening(start_fen())], header={"kind": "tournament"})
    output, written = Output(plan, tmp_path / "g.jsonl", []), list[int]()
    output.summaries = [lambda summary: written.append(summary.games)]
    summary = Summary("ab")
    output.report(summary)
    summary.add(record("a", "b", "1-0"))
    output.report(summary)
    output.report(summary, last=True)
    output.close()
    assert written == [1, 1]


def command(toy: str, out: Path, gate: Path, games: int = 16, seed: int = 3) -> list[object]:
    """A tournament that stops after a few games until the gate is there."""
    words: list[object] = ["tournament.py", "--engine", "name=a", f"cmd={toy} gate 40 {gate}"]
    words += ["--engine", "name=b", f"cmd={toy} fair 3 tunable"]
    words += ["--each", "nodes=1", f"hang={1000 * PATIENCE}"]
    words += ["--games", games, "--workers", 2, "--seed", seed]
    words += ["--resume", out / "g.jsonl", "--pgn", out / "g.pgn"]
    return words


def wait_for_lines(path: Path, count: int) -> None:
    wait_until(lambda: line_count(path) >= count)


def test_killed_and_resumed_equals_uninterrupted(toy: str, tmp_path: Path) -> None:
    whole, broken, gate = tmp_path / "whole", tmp_path / "broken", tmp_path / "gate"
    for kill in range(3):
        lines = line_count(broken / "g.jsonl")
        process = start_script(*command(toy, broken, gate))
        wait_for_lines(broken / "g.jsonl", max(2, lines + 1))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert 1 <= len(games_of(broken / "g.jsonl")) < 16
        if kill == 1:
            # As if the kill had come in the middle of a write
            with (broken / "g.jsonl").open("a") as file:
                file.write('{"kind":"game","index":')
            with (broken / "g.pgn").open("a") as file:
                file.write('[Event "half')
    gate.touch()
    for folder in (broken, whole):
        assert run_script(*command(toy, folder, gate)).returncode == 0
    assert essence(broken / "g.jsonl") == essence(whole / "g.jsonl")
    assert referee_again((broken / "g.pgn").read_text()) == 16
    # More of the same: the existing games are kept.
    before = games_of(broken / "g.jsonl")
    more = run_script(*command(toy, broken, gate, games=18))
    assert "16 games are already played" in more.stdout
    assert games_of(broken / "g.jsonl")[:16] == before and len(games_of(broken / "g.jsonl")) == 18
    # Another tournament in the same file is refused, naming what differs.
    other = run_script(*command(toy, broken, gate, seed=4))
    assert other.returncode == 2 and "different openings, seed" in other.stderr


def test_stopped_without_a_file_it_promises_nothing(toy: str) -> None:
    process = start_script(
        *("tournament.py", "--games", 500, "--engine", "name=a", f"cmd={toy} pause"),
        *("--engine", "name=b", f"cmd={toy} pause", "--each", *PATIENT),
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout
    while not process.stdout.readline().startswith("1/500"):
        pass
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "resumes from here" not in out and "with --resume FILE the same command would" in out


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_stops_cleanly_and_leaves_no_process(
    toy: str, tmp_path: Path, sign: signal.Signals
) -> None:
    marker = f"pause {10_000_000 + int(time.time() * 1000) % 1_000_000}"
    process = start_script(
        *("tournament.py", "--games", 500, "--engine", "name=a", f"cmd={toy} {marker}"),
        *("--engine", "name=b", f"cmd={toy} {marker}", "--each", *PATIENT),
        *("--resume", tmp_path / "g"),
    )
    wait_for_lines(tmp_path / "g", 3)
    process.send_signal(sign)
    out, err = process.communicate(timeout=PATIENCE)
    if sign is not signal.SIGKILL:
        assert process.returncode == 130
        assert "stopped" in out and "Cross table" in out and "Traceback" not in err
    wait_until(lambda: not living(marker))


@pytest.mark.parametrize("sign", [None, signal.SIGINT, signal.SIGTERM])
def test_what_an_engine_starts_ends_with_it(
    toy: str, tmp_path: Path, sign: signal.Signals | None
) -> None:
    """Also a program in the background, of an engine that is a shell script."""
    engine, gate, marker = tmp_path / "engine", tmp_path / "gate", f"sleep 4321{os.getpid()}"
    engine.write_text(f"#!/bin/sh\n{marker} &\nexec {toy} gate 3 {gate}\n")
    engine.chmod(0o755)
    process = start_script(
        *("tournament.py", "--engine", "name=a", f"cmd={engine}", "--engine", "name=b"),
        *(f"cmd={engine}", "--each", "nodes=1", "--games", 2, "--workers", 2),
    )
    wait_until(lambda: len(living(marker)) >= 2, process)
    if sign is None:
        gate.touch()
    else:
        process.send_signal(sign)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == (130 if sign else 0), err
    wait_until(lambda: not living(marker))


def test_sprt_ends_with_a_verdict(petard: str, toy: str, tmp_path: Path) -> None:
    words = [
        *("--engine", "name=strong", f"cmd={petard}"),
        *("--engine", "name=weak", f"cmd={toy}"),
        *("--each", "nodes=50", "--games", "400", "--openings", str(OPENINGS)),
        *("--sprt", "elo0=0", "elo1=300", "model=logistic", "--resume", str(tmp_path / "s.jsonl")),
    ]
    done = run_script("tournament.py", *words)
    assert done.returncode == 0, done.stderr
    assert "H1 accepted" in done.stdout and "SPRT logistic [0, 300]" in done.stdout
    count = len(games_of(tmp_path / "s.jsonl"))
    assert 4 <= count < 60
    again = run_script("tournament.py", *words)
    assert "H1 accepted" in again.stdout and len(games_of(tmp_path / "s.jsonl")) == count


def test_start_of_every_game_is_checked(toy: str, tmp_path: Path) -> None:
    base = ["tournament.py", "--engine", "name=a", f"cmd={toy}", "--engine", "name=b"]
    for words, fault in (
        ([f"cmd={toy} dead"], "engine 'b': crash: exited with code 3"),
        ([f"cmd={toy} chess", "--board", "6x6"], "has no option UCI_Variant, so it cannot play on"),
        ([f"cmd={toy}", "option.Nonsense=1"], "has no option 'Nonsense'"),
        ([f"cmd={toy}", "--openings", "/no/such/file"], "No such file"),
        ([f"cmd={toy}", "--sprt", "elo0=5", "elo1=1"], "elo1 must be more"),
        ([f"cmd={toy}", "--board", "3x3"], "board 3x3"),
        ([f"cmd={toy}", "--variant", "freeling"], "does not know the variant freeling"),
        ([f"cmd={toy}", "--games", "0"], "--games 0: must be at least 1"),
        ([f"cmd={toy}", "--games", "3"], "--games 3: expected an even number"),
        ([f"cmd={toy}", "--max-plies", "-5"], "--max-plies -5: must be at least 0"),
        ([f"cmd={toy}", "--plies", "-1"], "--plies -1: must be at least 0"),
        ([f"cmd={toy}", "--sprt", "elo1=3000"], "--sprt elo1=3000: must be from -2000 to 2000"),
        ([f"cmd={toy}", "--sprt", "elo0"], "'elo0': expected KEY=VALUE; defaults: elo0=0 elo1="),
        ([f"cmd={toy}", "--sprt", "elo0=nan"], "--sprt elo0=nan: not a number"),
        ([f"cmd={toy}", "--sprt", "alpha=inf"], "--sprt alpha=inf: not a number"),
        ([f"cmd={toy}", "option.UCI_Varient=x"], "did you mean 'UCI_Variant'?"),
        ([f"cmd={toy}", "--board", "6x6", "--openings", str(OPENINGS)], "openings on 8x8, but"),
        (
            [f"cmd={toy}", "--trmph", str(tmp_path / "t")],
            "--trmph: this format only covers Breakthrough from the start",
        ),
        ([f"cmd={toy}", "--html", "/dev/null/x.html"], "cannot write in /dev/null"),
        ([f"cmd={toy}", "--dask", "tcp://127.0.0.1:1"], "--dask"),
    ):
        done = run_script(*base, *words)
        assert done.returncode == 2, (words, done.stdout)
        assert fault in done.stderr.replace("\n", " "), done.stderr
        assert "Traceback" not in done.stderr


def test_all_engines_that_do_not_start_are_named_at_once(toy: str) -> None:
    engines = [("a", f"{toy} dead"), ("b", toy), ("c", f"{toy} dead")]
    words = [word for name, cmd in engines for word in ("--engine", f"name={name}", f"cmd={cmd}")]
    done = run_script("tournament.py", *words)
    assert done.returncode == 2
    found = [line for line in done.stderr.splitlines() if "exited with code 3" in line]
    assert found == [
        "error: engine 'a': crash: exited with code 3",
        "engine 'c': crash: exited with code 3",
    ]


def test_pgn_openings_become_book_moves(toy: str, tmp_path: Path) -> None:
    (tmp_path / "o.pgn").write_text('[Event "x"]\n\n1. a2a3 a7a6 2. b2b3 *\n')
    done = run_script(
        "tournament.py",
        *("--engine", "name=a", f"cmd={toy}", "--engine", "name=b", f"cmd={toy}"),
        *("--each", *PATIENT, "--games", 2, "--openings", tmp_path / "o.pgn"),
        *("--resume", tmp_path / "g.jsonl", "--pgn", tmp_path / "g.pgn"),
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


def test_a_refused_opening_is_named(petard: str, toy: str, tmp_path: Path) -> None:
    big, picky = "/".join(["12"] * 12) + " w 0 1", "p11/" + "12/" * 8 + "11P w 0 1"
    for fen, cmd, fault in (
        (big, petard, "board size 12x12 is not supported"),
        (picky, f"{toy} picky", "position refused: board size 12x10"),
        ("8/8/8/8/8/8/P6p/8 w 70000 1", petard, "counter '70000'"),
    ):
        (tmp_path / "o.epd").write_text(f"{fen}\n")
        words = ["--engine", "name=a", f"cmd={cmd}", "--engine", "name=b", f"cmd={cmd}"]
        done = run_script("tournament.py", *words, "--openings", tmp_path / "o.epd", "--games", 2)
        assert done.returncode == 2 and fault in done.stderr, done.stderr
        assert fen in done.stderr and "Traceback" not in done.stderr


def test_what_lacks_in_an_engine_is_reported_without_its_dialogue(toy: str) -> None:
    words = ["--engine", "name=a", f"cmd={toy}", "option.Nonsense=1", "--engine", "name=b"]
    done = run_script("tournament.py", *words, f"cmd={toy}")
    assert done.returncode == 2
    assert done.stderr == "error: engine 'a': setup: has no option 'Nonsense'\n"


def test_faults_alone_measure_nothing(toy: str, tmp_path: Path) -> None:
    done = run_script(
        "tournament.py",
        *("--engine", "name=slow", f"cmd={toy} deaf 1", "movetime=1", "margin=0"),
        *("--engine", "name=fast", f"cmd={toy}", PATIENT[1], "movetime=500", "--games", 4),
        *("--resume", tmp_path / "g", "--json", tmp_path / "j", "--html", tmp_path / "h.html"),
    )
    assert done.returncode == 4, done.stderr
    result = json.loads((tmp_path / "j").read_text())
    for line in result["engines"] + result["pairings"]:
        assert line["elo"] is None
    assert [line.get("error") for line in result["engines"]] == [None, None]
    assert "<h2>Ratings" not in (tmp_path / "h.html").read_text()
    assert "no valid games: an error ended each of the 4 games (4 by time forfeit)" in done.stdout
    assert "the points below count these errors, not strength" in done.stdout
    assert "movetime=" in done.stdout and "margin=" in done.stdout and "--workers" in done.stdout
    assert "Elo" not in done.stdout, done.stdout
    # The move that was too late counts among the longest.
    summary = Summary(["slow", "fast"])
    for game in games_of(tmp_path / "g"):
        summary.add(decode_game(json.dumps(game)))
        assert game["fault"]["elapsed_ms"] > 1
    assert summary.use["slow"].longest_ms > 1


def test_some_faults_give_a_warning(toy: str) -> None:
    done = run_script(
        *("tournament.py", "--engine", "name=a", f"cmd={toy}", "--engine", "name=b", f"cmd={toy}"),
        *("--engine", "name=c", f"cmd={toy} illegal 1", "--each", *PATIENT, "--games", 2),
    )
    assert done.returncode == 5 and "errors decided 4 of 6 games" in done.stdout


def test_the_verdict_is_in_the_exit_status(petard: str, toy: str) -> None:
    for good, bad, games, status, text in (
        ("a", "b", 400, 0, "H1 accepted"),
        ("b", "a", 400, 1, "H0 accepted"),
        ("a", "b", 2, 3, "undecided"),
    ):
        commands = {good: petard, bad: toy}
        done = run_script(
            "tournament.py",
            *("--engine", "name=a", f"cmd={commands['a']}"),
            *("--engine", "name=b", f"cmd={commands['b']}", "--each", "nodes=50"),
            *("--games", games, "--sprt", "elo0=0", "elo1=300", "model=logistic"),
        )
        assert done.returncode == status and text in done.stdout, done.stdout


def test_a_fault_of_the_scripts_is_no_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    def fail(_argv: object) -> int:
        raise ZeroDivisionError("unforeseen")

    assert guarded(fail) == 2
    assert "unforeseen" in capsys.readouterr().err


def match(toy: str, name: str = "a") -> list[str]:
    engines = ["--engine", f"name={name}", f"cmd={toy}", "--engine", "name=b", f"cmd={toy}"]
    return [*engines, "--each", *PATIENT, "--games", "2", "--sprt"]


def test_a_closed_pipe_is_no_verdict(toy: str) -> None:
    """As with `| head`; status 1 would mean that H0 is accepted."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, str(SCRIPTS / "tournament.py"), *match(toy)]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, timeout=PATIENCE)
    os.close(writing)
    assert (done.returncode, done.stderr) == (2, b"")


def test_what_is_not_unicode_is_an_error(toy: str) -> None:
    done = run_script("tournament.py", *match(toy, "\udcff"))
    assert done.returncode == 2 and "error: '" in done.stderr
    assert r"\udcff' is not text in UTF-8" in done.stderr and "Traceback" not in done.stderr


def test_modules_in_the_working_directory_are_none_of_ours(toy: str, tmp_path: Path) -> None:
    (tmp_path / "statistics.py").write_text("raise ImportError")
    process = start_script("tournament.py", *match(toy), cwd=tmp_path)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3 and "undecided" in out, err


def test_a_match_from_a_file(toy: str, tmp_path: Path) -> None:
    (tmp_path / "o.epd").write_text("8/1p6/8/8/8/8/6P1/8 w - - 0 1\n")
    (tmp_path / "m.toml").write_text(
        '[match]\ngames = 4\nopenings = "o.epd"\nresume = "g.jsonl"\nmax_plies = 50\n'
        f"workers = 2\n[each]\nmovetime = 500\nmargin = {1000 * PATIENCE}\n"
        + "".join(f'[[engine]]\nname = "{n}"\ncmd = "{toy}"\n' for n in "xy")
    )
    done = run_script("tournament.py", "--toml", tmp_path / "m.toml", "--games", 2)
    assert done.returncode == 0, done.stderr
    # The command line takes precedence.
    games = games_of(tmp_path / "g.jsonl")
    assert len(games) == 2 and games[0]["fen"] == "8/1p6/8/8/8/8/6P1/8 w 0 1"
    for line, fault in (
        ("elo = 5", "unknown key 'elo'; known keys: format, games"),
        ("games = 3", "--games 3: expected an even number"),
        ("games = 'x'", "argument --games: invalid int value: 'x'"),
        ("games = [1]", "games = [1]: expected a string or an integer"),
        ("sprt = 5", "sprt: expected a table"),
        ("sprt = { elo0 = 5, elo1 = 1 }", "elo1 must be more"),
        ("board = '--help'", "board '--help'"),
    ):
        (tmp_path / "m.toml").write_text(
            f"[match]\n{line}\n[[engine]]\nname='a'\ncmd='cat'\n[[engine]]\nname='b'\ncmd='cat'\n"
        )
        done = run_script("tournament.py", "--toml", tmp_path / "m.toml")
        assert done.returncode == 2 and fault in done.stderr, (line, done.stderr)


def test_games_for_other_sites(toy: str, tmp_path: Path) -> None:
    command = [
        *("tournament.py", "--engine", "name=a", f"cmd={toy}", "--engine", "name=b", f"cmd={toy}"),
        *("--each", *PATIENT, "--games", 2, "--openings", "none"),
        *("--golem", tmp_path / "g.txt", "--trmph", tmp_path / "g.trmph"),
    ]
    done = run_script(*command)
    assert done.returncode == 0, done.stderr
    moves = [game["moves"] for game in games_of(tmp_path / "g.txt.jsonl")]
    for name in ("g.txt", "g.trmph"):
        items = Reading().files([str(tmp_path / name)])
        assert [item.moves for item in items] == moves


@pytest.mark.parametrize("test", [[], ["--sprt", "elo0=0", "elo1=300"]])
def test_a_match_that_errors_decide_ends_with_a_status_of_its_own(
    toy: str, tmp_path: Path, test: list[str]
) -> None:
    # The first of its processes only lists its options, the second plays, the others crash.
    engine = tmp_path / "engine"
    engine.write_text(
        f'#!/bin/sh\nif mkdir "{tmp_path}/one" 2>/dev/null; then exec {toy}; fi\n'
        f'if mkdir "{tmp_path}/two" 2>/dev/null; then exec {toy}; fi\nexec {toy} crash 1\n'
    )
    engine.chmod(0o755)
    words = [
        "--engine",
        "name=a",
        f"cmd={toy}",
        "--engine",
        "name=b",
        f"cmd={engine}",
        "restart=on",
    ]
    words += ["--each", *PATIENT, "--games", "4", "--openings", "none", "--workers", "1"]
    done = run_script("tournament.py", *words, *test)
    assert done.returncode == 5, (done.returncode, done.stdout)
    assert "warning: errors decided" in done.stdout and "no valid games" not in done.stdout


def test_results_of_games_for_other_sites_are_read_back(toy: str, tmp_path: Path) -> None:
    """Also where the moves do not show who has won."""
    games = tmp_path / "g.txt"
    command = ["tournament.py", "--engine", "name=a", f"cmd={toy}", "--engine", "name=b"]
    command += [f"cmd={toy} crash 2", "--each", *PATIENT, "--games", "2", "--openings", "none"]
    assert run_script(*command, "--golem", games).returncode == 4
    expected = [game["result"] for game in games_of(tmp_path / "g.txt.jsonl")]
    assert sorted(expected) == ["0-1", "1-0"]
    assert [game.result for game in pgn.read_games(games.read_text())] == expected


def test_charts_end_with_the_last_game() -> None:
    """Points above half start before the first game, shares after it."""
    for first, values in ((0, [0.0] * 9), (1, [0.5] * 8)):
        chart = str(line_chart([("a", values), ("b", values)], first=first))
        ticks = [int(text) for text in re.findall(r">(\d+)</text>", chart)]
        assert max(ticks) == 8, ticks
