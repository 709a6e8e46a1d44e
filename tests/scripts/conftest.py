"""Locations of the scripts, the engines and the browser for the tests."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import psutil
import pytest

from petard import Board

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(SCRIPTS))
# Seconds after which something counts as hung. Machines that run the tests may be busy and stall
# for seconds: no test may fail because of that, so this is a guard and measures nothing.
PATIENCE = 600
# How many times as many random cases are tried as on every change.
FACTOR = int(os.environ.get("PETARD_TEST_FACTOR", "1"))
# Debian installs games in a folder that not every PATH contains.
os.environ["PATH"] += os.pathsep + "/usr/games"


def start_fen(files: int = 8, ranks: int = 8) -> str:
    """The start position on a board."""
    return Board(f"{files}x{ranks}").fen()


def run_script(
    name: object, *words: object, stdin: bytes = b"", cwd: Path | str = "/"
) -> subprocess.CompletedProcess[str]:
    """Run a script's `main` in this process to its end, from a directory other than its own."""
    stem = str(name).removesuffix(".py")
    is_command = (SCRIPTS / "petardlib" / "commands" / f"{stem}.py").is_file()
    main = importlib.import_module(f"petardlib.commands.{stem}" if is_command else stem).main
    out, err = io.StringIO(), io.StringIO()
    inputs, handler = sys.stdin, signal.getsignal(signal.SIGTERM)
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    try:
        with contextlib.chdir(cwd), redirect_stdout(out), redirect_stderr(err):
            status = main([*map(str, words)])
    except SystemExit as end:
        status = end.code
    finally:
        sys.stdin = inputs
        signal.signal(signal.SIGTERM, handler)
    return subprocess.CompletedProcess(
        [str(name), *map(str, words)], status, out.getvalue(), err.getvalue()
    )


def run_program(
    *command: object, ok: bool = True, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, which must be a good one if ``ok``."""
    values = {"capture_output": True, "text": True, "timeout": PATIENCE, **options}
    done = subprocess.run([*map(str, command)], check=False, **values)
    assert done.returncode == 0 or not ok, done.stderr
    return done


def start_script(name: object, *words: object, **options: Any) -> subprocess.Popen[str]:
    """Start a script as a process, to be stopped or killed."""
    values = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
    return subprocess.Popen(
        [sys.executable, str(SCRIPTS / str(name)), *map(str, words)],
        # If a shell runs the tests in the background, they inherit an ignored SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **values,
    )


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
    """A Dask scheduler and two workers with one thread each, the second with a nanny."""
    address = f"tcp://127.0.0.1:{free_port()}"
    scheduler = dask(
        "dask_scheduler", "--host", address, "--no-dashboard", "--no-show", folder=tmp_path
    )
    workers = [
        dask(
            *("dask_worker", address, "--nthreads", "1", "--no-dashboard", nanny),
            *("--host", "127.0.0.1", "--local-directory", str(tmp_path / name)),
            folder=tmp_path,
        )
        for name, nanny in (("one", "--no-nanny"), ("two", "--nanny"))
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


def workers_of(pid: int) -> list[int]:
    """The worker processes of a script."""
    children = psutil.Process(pid).children()
    return [child.pid for child in children if "loky.backend.popen" in " ".join(child.cmdline())]


def line_count(path: Path) -> int:
    """Complete lines of a file that is being written; 0 if there is none yet."""
    return path.read_bytes().count(b"\n") if path.exists() else 0
