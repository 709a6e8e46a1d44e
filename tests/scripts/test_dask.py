"""The same tournament on a local Dask cluster, with one of its workers killed on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from test_tournament import essence

from conftest import (
    PATIENCE,
    line_count,
    living,
    run_script,
    start_script,
    wait_for_workers,
    wait_until,
)
from petardlib.base.errors import UserError
from petardlib.jobs.pool import DaskExecutor

GAMES = 24


def test_without_distributed_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UserError, match="needs the package distributed"):
        DaskExecutor("tcp://127.0.0.1:1")


def test_worker_killed_and_no_game_lost(
    toy: str, tmp_path: Path, cluster: tuple[str, list[subprocess.Popen[bytes]]]
) -> None:
    address, workers = cluster
    wait_for_workers(address, 2)
    out, gate = tmp_path / "dask.jsonl", tmp_path / "gate"
    words = [
        *("--games", GAMES, "--engine", "name=a", f"cmd={toy} gate 90 {gate}"),
        *("--engine", "name=b", f"cmd={toy} fair 3 tunable", "--seed", "5"),
        *("--each", "nodes=1", f"hang={1000 * PATIENCE}"),
    ]
    remote = start_script("tournament.py", *words, "--resume", out, "--dask", address)
    wait_until(lambda: line_count(out) >= 3, remote)
    os.kill(workers[0].pid, signal.SIGKILL)
    workers[0].wait()
    at_kill = len(out.read_text().splitlines()) - 1
    gate.touch()
    _, err = remote.communicate(timeout=PATIENCE)
    assert remote.returncode == 0, err
    assert at_kill < GAMES - 2, "the kill came too late to test anything"
    games = essence(out)
    assert [game["index"] for game in games] == list(range(GAMES))
    # The engines answer the same wherever they run: it must equal the local tournament.
    local = tmp_path / "local.jsonl"
    assert run_script("tournament.py", *words, "--resume", local).returncode == 0
    assert games == essence(local)


def test_a_cluster_keeps_no_engine_of_an_earlier_match(
    toy: str, tmp_path: Path, cluster: tuple[str, list[subprocess.Popen[bytes]]]
) -> None:
    """The same command plays the engine that is there now."""
    address, _ = cluster
    wait_for_workers(address, 2)
    engine, marker = tmp_path / "engine", f"{tmp_path}/marked"
    words = [
        *("tournament.py", "--games", 4, "--dask", address, "--each", "nodes=1"),
        *("--engine", "name=a", f"cmd={engine} {marker}", "--engine", "name=b", f"cmd={toy}"),
    ]
    for mode, faults in (("fair", 0), ("illegal", 4)):
        engine.write_text(f"#!/bin/sh\nexec {toy} {mode} 1 $1\n")
        engine.chmod(0o755)
        out = tmp_path / mode
        done = run_script(*words, "--resume", out)
        assert done.returncode == (4 if faults else 0), done.stderr
        assert sum(game["fault"] is not None for game in essence(out)) == faults
        assert not living(marker)
