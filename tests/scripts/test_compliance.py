"""The steps by which fastchess checks whether it can run an engine, and the bots of the guide."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PATIENCE, ROOT, run_script

BOTS = ROOT / "docs/bots"


def compliance(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "scripts/compliance.py"), *command],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def test_petard_passes_all_steps(petard: str) -> None:
    done = compliance(petard)
    assert done.returncode == 0, done.stdout
    assert "all 40 steps passed" in done.stdout


def test_a_step_that_fails_is_named() -> None:
    # It introduces itself and then says nothing.
    script = "print('id name x\\nid author y\\nuciok', flush=True); input()"
    done = compliance(sys.executable, "-c", script)
    assert done.returncode == 1 and "failed: step 2, it is ready" in done.stdout, done.stdout
    assert "answer `isready` with `readyok`" in done.stdout
    assert compliance("/nowhere/at/all").returncode == 2


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
        done = compliance(*command)
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
