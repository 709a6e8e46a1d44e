"""Locations of the scripts, the engines and the browser for the tests."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(SCRIPTS))
# Seconds after which something counts as hung. Machines that run the tests may be busy and stall
# for seconds: no test may fail because of that, so this is a guard and measures nothing.
PATIENCE = 600
# Debian installs games in a folder that not every PATH contains.
os.environ["PATH"] += os.pathsep + "/usr/games"


def run_script(
    name: str, *words: str | Path, **options: object
) -> subprocess.CompletedProcess[str]:
    """Run a script to its end, from a directory other than its own."""
    command = [sys.executable, str(SCRIPTS / name), *map(str, words)]
    values = {"cwd": "/", "capture_output": True, "text": True, "timeout": PATIENCE, **options}
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
    """The command for the test engine; add a mode to make it misbehave."""
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
    """A Dask scheduler and two workers with one thread each."""
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

    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            with Client(address, timeout="10s") as client:
                client.wait_for_workers(count, timeout=60)
                return
        except (OSError, TimeoutError):
            if time.monotonic() > deadline:
                raise


def wait_until(done: Callable[[], bool], process: subprocess.Popen[str] | None = None) -> None:
    """Wait for something to become true, while the process that should cause it is alive."""
    deadline = time.monotonic() + PATIENCE
    while not done():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "it hangs"
        time.sleep(0.01)


def living(marker: str) -> list[int]:
    """Processes whose command line contains ``marker``."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
                command = b" ".join(words).decode(errors="replace")
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if marker in command and state != "Z" and int(folder.name) != os.getpid():
                found.append(int(folder.name))
    return found


def line_count(path: Path) -> int:
    """Complete lines of a file that is being written; 0 if there is none yet."""
    return path.read_bytes().count(b"\n") if path.exists() else 0
