"""Without what only POSIX has: every script starts, and a match is played to its end."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PATIENCE, SCRIPTS, living
from petardlib.base.process import split_command
from petardlib.stats.games import decode_game

WITHOUT_POSIX = """
import ctypes, os, select, selectors, subprocess, sys
# These have code of their own for other systems.
import loky, portalocker, psutil
import multiprocessing.popen_spawn_posix, multiprocessing.resource_tracker

for name in ("setsid", "setpgid", "getpgid", "killpg", "sched_getaffinity", "set_blocking", "nice"):
    delattr(os, name)
del select.poll
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty"):
    sys.modules[name] = None

class Popen(subprocess.Popen):
    def __init__(self, *args, preexec_fn=None, start_new_session=False, **more):
        if preexec_fn or start_new_session:
            raise ValueError("preexec_fn is not supported on Windows platforms")
        super().__init__(*args, **more)

def load(name=None, *more, **options):
    if name is None:
        raise TypeError("LoadLibrary() argument 1 must be str, not None")
    return found(name, *more, **options)

found, ctypes.CDLL, subprocess.Popen = ctypes.CDLL, load, Popen
"""
HELP = """
import importlib, runpy, sys
for path in sys.argv[1:]:
    sys.argv = [path, "--help"]
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        if end.code:
            sys.exit(f"{path}: {end.code}")
from petardlib.base.process import POSIX
print("POSIX:", POSIX)
"""
POSIX_ONLY = {
    "fcntl", "resource", "pwd", "preexec_fn", "start_new_session", "killpg", "setsid", "poll",
    "SIGKILL", "sched_getaffinity", "set_blocking", "CDLL", "shlex", "fork",
}  # fmt: skip


def without_posix(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Run Python, and all that it starts, as on a system without POSIX."""
    (folder / "sitecustomize.py").write_text(WITHOUT_POSIX)
    path = os.pathsep.join([str(folder), str(SCRIPTS)])
    return subprocess.run(
        [sys.executable, *map(str, words)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def test_every_script_starts(tmp_path: Path) -> None:
    needs_torch = {"train.py"}
    library = {"certificate_file.py"}
    scripts = [path for path in SCRIPTS.glob("*.py") if path.name not in needs_torch | library]
    (tmp_path / "all.py").write_text(HELP)
    done = without_posix(tmp_path, tmp_path / "all.py", *sorted(scripts))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("usage: ") == len(scripts)
    assert "POSIX: False" in done.stdout


def test_a_match_is_played(toy: str, tmp_path: Path) -> None:
    games, mark = tmp_path / "g.jsonl", f"{tmp_path}"
    (tmp_path / "log").mkdir()
    done = without_posix(
        tmp_path,
        SCRIPTS / "tournament.py",
        *("--engine", "name=fair", f"cmd={toy} fair"),
        *("--engine", "name=other", f"cmd={toy} fair"),
        *("--engine", "name=silent", f"cmd={toy} silence 2", "margin=100"),
        *("--each", "movetime=500", f"margin={1000 * PATIENCE}", "--games", 2),
        *("--openings", "none", "--resume", games, "--log", tmp_path / "log", "--quiet"),
    )
    assert done.returncode == 5, done.stderr
    played = [decode_game(line) for line in games.read_text().splitlines()[1:]]
    kinds = [game.fault.kind if game.fault else "" for game in played]
    assert kinds.count("") == 2 and kinds.count("stalled") == 4
    # What does not answer is killed too.
    assert not living(mark)


def test_what_only_posix_has_is_asked_for_in_one_place() -> None:
    for path in (SCRIPTS / "petardlib").rglob("*.py"):
        if path.name == "process.py" and path.parent.name == "base":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            names = {
                *(alias.name for alias in getattr(node, "names", ()) if hasattr(alias, "name")),
                getattr(node, "attr", ""),
                getattr(node, "arg", ""),
            }
            assert not names & POSIX_ONLY, (path, names & POSIX_ONLY)


@pytest.mark.parametrize(
    ("text", "posix", "words"),
    [
        (r"C:\games\engine.exe --hash 8", False, [r"C:\games\engine.exe", "--hash", "8"]),
        (r'"C:\Program Files\engine.exe" a', False, [r"C:\Program Files\engine.exe", "a"]),
        (r"a\ b 'c d' #e", True, ["a b", "c d", "#e"]),
    ],
)
def test_commands_are_split(text: str, posix: bool, words: list[str]) -> None:
    assert split_command(text, posix) == words
