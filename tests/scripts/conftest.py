"""Where the tests find the scripts, the engines and the browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(SCRIPTS))
# Debian puts games where not every PATH looks.
os.environ["PATH"] += os.pathsep + "/usr/games"


def run_script(
    name: str, *words: str | Path, **options: object
) -> subprocess.CompletedProcess[str]:
    """Run one of the scripts to its end, from another directory than its own."""
    command = [sys.executable, str(SCRIPTS / name), *map(str, words)]
    values = {"cwd": "/", "capture_output": True, "text": True, "timeout": 120, **options}
    return subprocess.run(command, **values)


@pytest.fixture(scope="session")
def fairy() -> str:
    """Debian's Fairy-Stockfish."""
    path = shutil.which("fairy-stockfish")
    if path is None:
        pytest.skip("fairy-stockfish is not installed (Debian package fairy-stockfish)")
    return path


@pytest.fixture(scope="session")
def petard() -> str:
    """The engine of this repository."""
    path = Path(os.environ.get("PETARD", ROOT / "target" / "release" / "petard"))
    if not path.is_file():
        pytest.skip("petard is not built (cargo build --release) and PETARD names no binary")
    return str(path)


@pytest.fixture(scope="session")
def toy() -> str:
    """The command of the test engine; add a mode to make it misbehave."""
    return f"{sys.executable} {HERE / 'toy_engine.py'}"
