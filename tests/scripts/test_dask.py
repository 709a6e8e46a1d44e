"""The same tournament on a Dask cluster of this machine, one of its workers killed on the way."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import SCRIPTS
from test_tournament import essence

GAMES = 24


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def dask(*words: str, folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "distributed.cli." + words[0], *words[1:]],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    address = f"tcp://127.0.0.1:{free_port()}"
    scheduler = dask(
        "dask_scheduler", "--host", address, "--no-dashboard", "--no-show", folder=tmp_path
    )
    workers = [
        dask(
            *("dask_worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny"),
            *("--host", "127.0.0.1", "--local-directory", str(tmp_path / name)),
            folder=tmp_path,
        )
        for name in ("one", "two")
    ]
    try:
        yield address, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def wait_for_workers(address: str, count: int) -> None:
    from distributed import Client

    deadline = time.monotonic() + 40
    while True:
        try:
            with Client(address, timeout="2s") as client:
                client.wait_for_workers(count, timeout=20)
                return
        except (OSError, TimeoutError):
            if time.monotonic() > deadline:
                raise


def test_worker_killed_and_no_game_lost(
    fairy: str, tmp_path: Path, cluster: tuple[str, list[subprocess.Popen[bytes]]]
) -> None:
    address, workers = cluster
    wait_for_workers(address, 2)
    out = tmp_path / "dask.jsonl"
    words = [
        *(sys.executable, str(SCRIPTS / "tournament.py"), "--games", str(GAMES)),
        *("--engine", "name=more", f"cmd={fairy}", "nodes=1200"),
        *("--engine", "name=less", f"cmd={fairy}", "nodes=600", "--seed", "5"),
    ]
    remote = subprocess.Popen(
        [*words, "--json", str(out), "--dask", address],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not out.exists() or len(out.read_text().splitlines()) < 6:
        assert time.monotonic() < deadline and remote.poll() is None, remote.communicate()
        time.sleep(0.02)
    os.kill(workers[0].pid, signal.SIGKILL)
    workers[0].wait()
    at_kill = len(out.read_text().splitlines()) - 1
    _, err = remote.communicate(timeout=90)
    assert remote.returncode == 0, err
    assert at_kill < GAMES - 2, "the kill came too late to test anything"
    games = essence(out)
    assert [game["index"] for game in games] == list(range(GAMES))
    # Engines at fixed nodes answer alike wherever they run: it must be the local tournament.
    local = tmp_path / "local.jsonl"
    subprocess.run([*words, "--json", str(local)], check=True, capture_output=True, timeout=90)
    assert games == essence(local)
