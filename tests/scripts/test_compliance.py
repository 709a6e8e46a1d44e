"""The steps by which fastchess checks whether it can run an engine, and the bots of the guide."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PATIENCE, ROOT, run_script

BOTS = ROOT / "docs/bots"


def test_petard_passes_all_steps(petard: str) -> None:
    done = run_script("compliance.py", petard)
    assert done.returncode == 0, done.stdout
    assert "passed: step 45, read a move of breakthrough" in done.stdout
    assert re.search(r"^all [0-9]+ steps passed$", done.stdout, re.MULTILINE)


def test_a_step_that_fails_is_named() -> None:
    # It introduces itself and then says nothing.
    script = "print('id name x\\nid author y\\nuciok', flush=True); input()"
    done = run_script("compliance.py", sys.executable, "-c", script)
    assert done.returncode == 1 and "failed: step 2, it is ready" in done.stdout, done.stdout
    assert "answer `isready` with `readyok`" in done.stdout
    assert run_script("compliance.py", "/nowhere/at/all").returncode == 2


BOT = """
import sys
for line in sys.stdin:
    if line == "uci\\n":
        print("id name x\\nid author y\\noption name UCI_Variant type combo default breakthrough "
              "var breakthrough var breakthrough6\\nuciok", flush=True)
    elif line == "isready\\n":
        print("readyok", flush=True)
    elif line.startswith("go"):
        print("info depth 1 time 1 score cp 1\\nbestmove", MOVE, flush=True)
    elif line.startswith("position"):
        MOVE = move(line)
"""


@pytest.mark.parametrize(
    ("move", "failed"),
    [
        ("lambda line: 'a1a8'", "step 11, .*: 'a1a8' is not a legal move in 1ppp2pp/"),
        (
            # Right on 8x8, whatever the board is.
            "lambda line: 'a2a3' if 'fen 1p' in line else 'e7e6' if ' b ' in line else 'd2d3'"
            " if 'moves' in line else 'g2g3'",
            "step 45, read a move of breakthrough6: 'g2g3' is not a legal move in pppppp/",
        ),
    ],
)
def test_every_move_must_be_legal_on_every_board(move: str, failed: str) -> None:
    done = run_script("compliance.py", sys.executable, "-c", f"move = {move}\n{BOT}")
    assert done.returncode == 1, done.stdout
    assert re.search(failed, done.stdout), done.stdout


def test_help_starts_no_engine() -> None:
    scripts = {
        "scripts/compliance.py": "engine",
        "tests/reliability/ready.py": "petard",
        "tests/reliability/soak.py": "petard",
    }
    for script, argument in scripts.items():
        done = subprocess.run(
            [sys.executable, str(ROOT / script), "--help"],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"usage: {script.rpartition('/')[2]} [-h] {argument}")


@pytest.fixture
def compiled(tmp_path: Path) -> str:
    """The bot in C, if there is a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    program = tmp_path / "bot"
    flags = ["-O2", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([compiler, *flags, "-o", program, BOTS / "bot.c"], check=True)
    return str(program)


def test_the_bots_of_the_guide_comply_and_play_by_the_rules(compiled: str, tmp_path: Path) -> None:
    script = [sys.executable, str(BOTS / "bot.py")]
    for command in (script, [compiled]):
        done = run_script("compliance.py", *command)
        assert done.returncode == 0, done.stdout
    result = tmp_path / "result.json"
    done = run_script(
        "tournament.py",
        *("--engine", "name=script", f"cmd={' '.join(script)}"),
        *("--engine", "name=compiled", f"cmd={compiled}"),
        *("--each", "movetime=1000", "--games", "4", "--workers", "1", "--json", result),
    )
    assert done.returncode == 0, done.stderr
    assert "illegal" not in done.stdout + done.stderr
    games = json.loads(result.read_text())
    assert games, done.stdout


def test_the_page_shows_the_bots_as_they_are() -> None:
    page = (ROOT / "docs/bots.md").read_text()
    assert f"```python\n{(BOTS / 'bot.py').read_text()}```" in page
