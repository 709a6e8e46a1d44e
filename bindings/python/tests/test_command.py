"""The command that comes with the package is the engine's."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import petard

SCRIPT = Path(sysconfig.get_path("scripts")) / "petard"


def run(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "petard", *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=300)


def test_the_protocol() -> None:
    done = run(text="uci\nposition startpos moves a2a3\ngo nodes 100\n")
    assert done.returncode == 0 and "uciok" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("bestmove ")


def test_tools_and_their_status() -> None:
    assert run("perft", "3").returncode == 0
    assert run("--version").stdout.startswith(f"petard {petard.__version__}")
    assert run("nonsense").returncode == 2
    unsolved = run("solve", "--board", "8x8", "--nodes", "100", "--quiet", "--threads", "1")
    assert unsolved.returncode == 3
    missing = run("check", "no such file")
    assert missing.returncode == 1 and "no such file" in missing.stderr


def test_the_command_is_installed() -> None:
    done = subprocess.run([SCRIPT, "perft", "2"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "484" in done.stdout
