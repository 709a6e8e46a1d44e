"""What `--help` says, and that an option means one thing in every command.

After a change, ``PETARD_WRITE_HELP=1 python -m pytest tests/scripts/test_help.py`` writes the files
that the texts are compared with.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from pathlib import Path

import pytest

from conftest import HERE, SCRIPTS, run_script

FOLDER = HERE / "data" / "help"
COMMANDS = sorted(
    path.stem
    for path in (SCRIPTS / "petardlib" / "commands").glob("*.py")
    if path.stem not in ("__init__", "cli")
)
SHARED = {
    "--engine": "KEY=VALUE",
    "--each": "KEY=VALUE",
    "--workers": "N",
    "--dask": "ADDRESS",
    "--resume": "FILE",
    "--json": "FILE",
    "--html": "FILE",
    "--report": "S",
    "--quiet": None,
}


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="argparse's layout is that of 3.11")
@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_what_it_was(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(sys, "argv", [f"{name}.py"])
    done = run_script(f"{name}.py", "--help")
    assert done.returncode == 0
    path: Path = FOLDER / f"{name}.txt"
    if os.environ.get("PETARD_WRITE_HELP"):
        FOLDER.mkdir(exist_ok=True)
        path.write_text(done.stdout)
    assert done.stdout == path.read_text()


@pytest.mark.parametrize("name", COMMANDS)
def test_an_option_means_one_thing(name: str) -> None:
    parser = getattr(importlib.import_module(f"petardlib.commands.{name}"), "parser", None)
    if parser is None:
        pytest.skip("it has no parser of its own")
    options: argparse.ArgumentParser = parser()
    if "--workers" in (text := options.format_help()):
        assert "--quiet" in text
    for action in options._actions:
        for option in set(action.option_strings) & SHARED.keys():
            assert action.metavar == SHARED[option], (option, action.metavar)
