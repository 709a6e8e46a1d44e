"""Marking of games by proof."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import run_script

GAMES = """[White "Anna"]
[Black "Ben"]
[FEN "8/1P6/8/8/8/7P/2p5/8 w - - 0 1"]

1. h3h4 c2c1 0-1

[White "Ben"]
[Black "Anna"]
[FEN "8/1P6/8/8/8/7P/2p5/8 w - - 0 1"]

1. b7b8 1-0

[White "Ben"]
[Black "Anna"]

1. b2b3 *
"""


def test_wins_are_held_or_thrown_away(petard: str, tmp_path: Path) -> None:
    path, out = tmp_path / "g.pgn", tmp_path / "out.json"
    path.write_text(GAMES)
    words = [path, "--engine", f"cmd={petard}", "--nodes", 100, "--json", out]
    done = run_script("held_wins.py", *words)
    assert done.returncode == 0, done.stderr
    assert "Anna - Ben, ply 1 (move 1, White): h3h4 gives a win away; b7a8 wins" in done.stdout
    found = json.loads(out.read_text())
    counts = {one["player"]: (one["held"], one["thrown"]) for one in found["players"]}
    assert counts == {"Anna": (0, 1), "Ben": (2, 0)}
    assert [[win["state"] for win in game["wins"]] for game in found["games"]] == [
        ["thrown", "held"], ["held"], [],
    ]  # fmt: skip
    rows = [line.split("│")[1:-1] for line in done.stdout.splitlines() if "│" in line]
    assert [[cell.strip() for cell in row] for row in rows] == [
        ["Anna", "0", "1", "1", "0"], ["Ben", "2", "2", "0", "0"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("8/8/8/8/8/8/P7/8 w 0 1", "no games"),
        ('[Variant "freeling"]\n\n1. b2a1 *', "nothing can be proven about freeling"),
        ("1. Nf3", "'Nf3' is not a move"),
    ],
)
def test_refusals(text: str, fault: str) -> None:
    done = run_script("held_wins.py", "-", stdin=text.encode())
    assert done.returncode == 2 and fault in done.stderr
