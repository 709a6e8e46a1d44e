"""Freeling's game: rules by an engine's `moves` and `d`, draws, passes, boards in reports."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from conftest import HERE, run_script
from petardlib.play.openings import Opening
from petardlib.play.schedule import Plan
from petardlib.play.spec import build
from petardlib.play.tournament import choose_referee
from petardlib.rules.boardtext import FREELING, FREELING_START, board_size
from petardlib.rules.pgn import read_games
from test_tournament import PATIENT, games_of

STUB = f"{sys.executable} {HERE / 'stub_freeling.py'}"


def test_tournament_with_draws(tmp_path: Path) -> None:
    done = run_script(
        "tournament.py",
        *("--engine", "name=a", f"cmd={STUB}", "--engine", "name=b", f"cmd={STUB} peaceful"),
        *("--each", *PATIENT, "--variant", "freeling", "--games", 4),
        *("--pgn", tmp_path / "f.pgn", "--html", tmp_path / "f.html"),
    )
    assert done.returncode == 0, done.stderr
    games = games_of(tmp_path / "f.pgn.jsonl")
    assert len(games) == 4 and all(game["fault"] is None for game in games)
    assert all(len(game["boards"]) == len(game["moves"]) for game in games)
    assert {board_size(board) for game in games for board in game["boards"]} == {(5, 9)}
    (first, *_) = read_games((tmp_path / "f.pgn").read_text())
    assert first.moves == games[0]["moves"] and first.variant == "freeling"


def test_draw_is_half_a_point(tmp_path: Path) -> None:
    done = run_script(
        "tournament.py",
        *("--engine", "name=a", f"cmd={STUB} peaceful", "--engine", "name=b"),
        *(f"cmd={STUB} peaceful", "--each", *PATIENT, "--variant", "freeling"),
        *("--games", 2, "--json", tmp_path / "f.jsonl", "--pgn", tmp_path / "f.pgn"),
    )
    assert done.returncode == 0, done.stderr
    assert [game["result"] for game in games_of(tmp_path / "f.jsonl")] == ["1/2-1/2"] * 2
    assert "drawn 2" in done.stdout and "0, 0, 1, 0, 0" in done.stdout
    assert "--" in (tmp_path / "f.pgn").read_text()


def test_a_referee_is_found_however_slow_the_machine_is() -> None:
    plan = Plan([build({"cmd": f"{STUB} slow"})], [Opening(FREELING_START)], variant=FREELING)
    choose_referee(plan)
    assert plan.referee is not None


def test_analysis_of_a_game(tmp_path: Path) -> None:
    (tmp_path / "g.pgn").write_text('[Variant "freeling"]\n\n1. b2b3 pass 2. a2a3 b8b7 *\n')
    done = run_script(
        "analyse.py",
        *(tmp_path / "g.pgn", "--engine", "name=s", f"cmd={STUB}", "nodes=1"),
        *("--json", tmp_path / "g.jsonl", "--html", tmp_path / "g.html"),
    )
    assert done.returncode == 0, done.stderr
    records = [json.loads(line) for line in (tmp_path / "g.jsonl").read_text().splitlines()[1:]]
    records = [record for record in records if record["kind"] == "analysis"]
    assert len(records) == 5
    for record in records:
        assert record["lines"][0]["wdl"] == [300, 400, 300]
        assert len(record["lines"][0]["boards"]) == len(record["lines"][0]["pv"])
    line = json.dumps(records[0]["lines"][0]["pv"], separators=(",", ":"))
    assert f'"pv":{line}' in (tmp_path / "g.html").read_text()


def test_petard_plays_it(petard: str, tmp_path: Path) -> None:
    """The real game, as petard plays it."""
    asked = run_script(
        "analyse.py",
        *(
            "--variant",
            "freeling",
            "--position",
            "startpos",
            "--engine",
            f"cmd={petard}",
            "depth=1",
        ),
    )
    assert asked.returncode == 0, asked.stderr
    assert FREELING_START.split()[0] in asked.stdout
    done = run_script(
        "tournament.py",
        *("--engine", "name=a", f"cmd={petard}", "--engine", "name=b", f"cmd={petard}"),
        *("--each", "nodes=300", "--variant", "freeling", "--games", 2, "--max-plies", 300),
        *("--pgn", tmp_path / "f.pgn"),
    )
    assert done.returncode == 0, done.stderr
    assert all(game["fault"] is None for game in games_of(tmp_path / "f.pgn.jsonl"))
