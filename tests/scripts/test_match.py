"""A real match: petard against Debian's Fairy-Stockfish."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_pgn import referee_again
from test_tournament import games_of

from conftest import PATIENCE, run_script


def test_petard_against_fairy_stockfish(petard: str, fairy: str, tmp_path: Path) -> None:
    done = run_script(
        "tournament.py",
        *("--engine", "name=petard", f"cmd={petard}", "option.Hash=16"),
        *("--engine", "name=fairy", f"cmd={fairy}"),
        *("--each", "tc=1+0.01", f"margin={1000 * PATIENCE}", "--games", 6, "--workers", 2),
        *("--pgn", tmp_path / "m.pgn", "--html", tmp_path / "m.html"),
    )
    assert done.returncode == 0, done.stderr
    games = games_of(tmp_path / "m.pgn.jsonl")
    assert len(games) == 6
    assert [game["fault"] for game in games] == [None] * 6
    assert {game["termination"] for game in games} == {"normal"}
    assert referee_again((tmp_path / "m.pgn").read_text()) == 6
    for text in ("petard against fairy", "Elo", "Ptnml(0-2)"):
        assert text in done.stdout


def test_small_boards(petard: str, fairy: str, tmp_path: Path) -> None:
    for board in ("6x6", "9x7"):
        done = run_script(
            "tournament.py",
            *("--engine", "name=petard", f"cmd={petard}", "--engine", "name=fairy", f"cmd={fairy}"),
            *("--each", "nodes=500", "--games", 2, "--board", board),
            *("--resume", tmp_path / f"{board}.jsonl"),
        )
        assert done.returncode == 0, done.stderr
        assert [game["fault"] for game in games_of(tmp_path / f"{board}.jsonl")] == [None, None]


@pytest.mark.parametrize("board", ["4x12", "27x4"])
def test_boards_that_pyffish_does_not_know(petard: str, tmp_path: Path, board: str) -> None:
    done = run_script(
        "tournament.py",
        *("--engine", "name=a", f"cmd={petard}", "--engine", "name=b", f"cmd={petard}"),
        *("--each", "nodes=200", "--games", 2, "--board", board),
        *("--resume", tmp_path / "t.jsonl"),
    )
    assert done.returncode == 0, done.stderr
    games = games_of(tmp_path / "t.jsonl")
    assert [game["fault"] for game in games] == [None, None]
    assert all("far rank" in game["reason"] for game in games)
    assert any(len(move) > 4 for game in games for move in game["moves"]), board
