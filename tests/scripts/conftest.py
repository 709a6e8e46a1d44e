"""Where the tests find the scripts, the engines and the browser."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
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
    """A Dask scheduler and two workers with a thread each."""
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
