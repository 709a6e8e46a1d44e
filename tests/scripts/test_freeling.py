"""Freeling's game: draws and passes, in tournaments and analyses."""

from __future__ import annotations

import json
from pathlib import Path

from test_tournament import PATIENT, games_of

from conftest import run_script
from petard import Board, pgn


def test_tournament(toy: str, tmp_path: Path) -> None:
    done = run_script(
        "tournament.py",
        *("--engine", "name=a", f"cmd={toy} freeling", "--engine", "name=b", f"cmd={toy} passes"),
        *("--each", *PATIENT, "--variant", "freeling", "--games", 4, "--max-plies", 200),
        *("--pgn", tmp_path / "f.pgn", "--html", tmp_path / "f.html"),
    )
    assert done.returncode == 0, done.stderr
    games = games_of(tmp_path / "f.pgn.jsonl")
    assert len(games) == 4 and all(game["fault"] is None for game in games)
    for game, found in zip(games, pgn.read_games((tmp_path / "f.pgn").read_text()), strict=True):
        board = Board.freeling()
        board.push_line(game["moves"])
        assert found.mainline_moves() == board.move_stack
        assert game["result"] == board.result() or game["termination"] == "adjudication"


def test_draw_is_half_a_point(toy: str, tmp_path: Path) -> None:
    done = run_script(
        "tournament.py",
        *("--engine", "name=a", f"cmd={toy} passes", "--engine", "name=b"),
        *(f"cmd={toy} passes", "--each", *PATIENT, "--variant", "freeling"),
        *("--games", 2, "--resume", tmp_path / "f.jsonl", "--pgn", tmp_path / "f.pgn"),
    )
    assert done.returncode == 0, done.stderr
    games = games_of(tmp_path / "f.jsonl")
    assert [game["result"] for game in games] == ["1/2-1/2"] * 2
    assert {game["reason"] for game in games} == {"draw by repetition"}
    assert "drawn 2" in done.stdout and "0, 0, 1, 0, 0" in done.stdout
    assert "--" in (tmp_path / "f.pgn").read_text()


def test_analysis_of_a_game(toy: str, tmp_path: Path) -> None:
    (tmp_path / "g.pgn").write_text('[Variant "freeling"]\n\n1. b2a1 pass 2. pass b8a9 *\n')
    done = run_script(
        "analyse.py",
        *(tmp_path / "g.pgn", "--engine", "name=s", f"cmd={toy} freeling", "nodes=1"),
        *("--resume", tmp_path / "g.jsonl", "--html", tmp_path / "g.html"),
    )
    assert done.returncode == 0, done.stderr
    records = [json.loads(line) for line in (tmp_path / "g.jsonl").read_text().splitlines()[1:]]
    records = [record for record in records if record["kind"] == "analysis"]
    assert len(records) == 5
    line = json.dumps(records[0]["lines"][0]["pv"], separators=(",", ":"))
    assert f'"pv":{line}' in (tmp_path / "g.html").read_text()


def test_petard_plays_it(petard: str, tmp_path: Path) -> None:
    """The real game, as petard plays it."""
    asked = run_script(
        *("analyse.py", "--variant", "freeling", "--position", "startpos"),
        *("--engine", f"cmd={petard}", "depth=1"),
    )
    assert asked.returncode == 0, asked.stderr
    assert Board.freeling().board_fen() in asked.stdout
    done = run_script(
        "tournament.py",
        *("--engine", "name=a", f"cmd={petard}", "--engine", "name=b", f"cmd={petard}"),
        *("--each", "nodes=300", "--variant", "freeling", "--games", 2, "--max-plies", 300),
        *("--pgn", tmp_path / "f.pgn"),
    )
    assert done.returncode == 0, done.stderr
    assert all(game["fault"] is None for game in games_of(tmp_path / "f.pgn.jsonl"))
