"""A short certificate checked in jobs: whole, resumed, refused, and with a dying worker."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conftest import (
    PATIENCE,
    line_count,
    run_program,
    run_script,
    start_script,
    wait_for_workers,
    wait_until,
)
from petardlib.commands.check_jobs import open_ranges


@pytest.fixture(scope="module")
def certificate(petard: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short certificate of 4x5."""
    path = tmp_path_factory.mktemp("certificate") / "4x5"
    return solved(petard, path, "--board", "4x5", "--threads", 1, "--leaf-nodes", 40)


def solved(petard: str, path: Path, *words: object) -> Path:
    """A certificate in a file."""
    run_program(petard, "solve", *words, "-q", "--certificate", path)
    return path


def whole(petard: str, certificate: Path) -> dict[str, Any]:
    """The result of a check that takes every leaf by itself."""
    done = run_program(petard, "check", "--memory", 0, "--json", "-q", certificate)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def sums(answer: dict[str, Any]) -> list[Any]:
    names = ("proven", "winner", "all_leaves", "leaves", "nodes", "checked")
    return [answer[name] for name in names]


def test_what_is_open() -> None:
    assert open_ranges(set(), 25, 10) == [(0, 10), (10, 20), (20, 25)]
    assert open_ranges({(10, 20)}, 25, 10) == [(0, 10), (20, 25)]
    assert open_ranges({(0, 7), (9, 25)}, 25, 10) == [(7, 9)]
    assert open_ranges({(0, 25)}, 25, 10) == []


def test_jobs_say_what_one_check_says_and_go_on(
    petard: str, certificate: Path, tmp_path: Path
) -> None:
    ledger = tmp_path / "ledger"
    words = [certificate, "--engine", f"cmd={petard}", "--resume", ledger, "--json", "-"]
    words += ["--memory", "0", "--job-leaves", "150"]
    done = run_script("check_jobs.py", *words, "--workers", "2")
    assert done.returncode == 0, done.stderr
    expected = sums(whole(petard, certificate))
    assert sums(json.loads(done.stdout.splitlines()[-1])) == expected
    # A ledger cut in the middle of a line, as after a kill: the same result, with other jobs.
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join(lines[:3]) + lines[3][:9])
    done = run_script("check_jobs.py", *words[:-1], "100")
    assert done.returncode == 0 and "resumed: 300 leaves" in done.stderr, done.stderr
    assert sums(json.loads(done.stdout.splitlines()[-1])) == expected
    # With a memory, the same result with less work.
    done = run_script("check_jobs.py", certificate, "--engine", f"cmd={petard}", "--json", "-")
    reported = sums(json.loads(done.stdout.splitlines()[-1]))
    assert reported[:4] == expected[:4]
    assert reported[4] < expected[4] and reported[5] < expected[5]
    # It is not accepted as the ledger of another certificate.
    other = solved(petard, tmp_path / "other", "--board", "4x5", "--leaf-nodes", 60)
    done = run_script("check_jobs.py", other, *words[1:])
    assert done.returncode == 2 and "another run" in done.stderr, done.stderr


def test_a_certificate_without_leaves_is_checked(petard: str, tmp_path: Path) -> None:
    words = ["--fen", "4/1P2/4/4/2p1/4 w 0 1", "--leaf-nodes", 10]
    path = solved(petard, tmp_path / "soon", *words)
    done = run_script("check_jobs.py", path, "--engine", f"cmd={petard}", "--json", "-")
    assert done.returncode == 0, done.stderr
    assert sums(json.loads(done.stdout.splitlines()[-1])) == [True, "white", 0, 0, 0, 0]


def test_what_does_not_hold_is_refused(petard: str, certificate: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad"
    path.write_bytes(certificate.read_bytes()[:-1])
    done = run_script("check_jobs.py", path, "--engine", f"cmd={petard}")
    assert done.returncode == 1 and "REFUSED" in done.stdout, done.stderr
    done = run_script("check_jobs.py", tmp_path / "none", "--engine", f"cmd={petard}")
    assert done.returncode == 2 and "Traceback" not in done.stderr
    # A whole certificate has no leaves; only its name says anything of being refused.
    path = solved(petard, tmp_path / "REFUSED", "--board", "3x4")
    done = run_script("check_jobs.py", path, "--engine", f"cmd={petard}")
    assert done.returncode == 2 and "not a short certificate" in done.stderr, done.stdout


def test_a_file_that_is_replaced_proves_nothing(
    petard: str, certificate: Path, tmp_path: Path
) -> None:
    """The file is another one by the time the engine reads it."""
    path, engine = tmp_path / "file", tmp_path / "engine"
    path.write_bytes(b"what was there before")
    engine.write_text(f'#!/bin/sh\ncp {certificate} {path}\nexec {petard} "$@"\n')
    engine.chmod(0o755)
    done = run_script("check_jobs.py", path, "--engine", f"cmd={engine}")
    assert done.returncode == 2 and "has changed" in done.stderr, done.stdout


def test_on_a_cluster_a_dead_workers_job_is_done_again(
    petard: str,
    certificate: Path,
    tmp_path: Path,
    cluster: tuple[str, list[subprocess.Popen[bytes]]],
) -> None:
    address, workers = cluster
    wait_for_workers(address, 2)
    ledger = tmp_path / "ledger"
    remote = start_script(
        *(
            "check_jobs.py",
            certificate,
            "--engine",
            f"cmd={petard}",
            "--resume",
            ledger,
            "--json",
            "-",
        ),
        *("--job-leaves", 10, "--dask", address, "--memory", 0),
    )
    wait_until(lambda: line_count(ledger) >= 4, remote)
    os.kill(workers[0].pid, signal.SIGKILL)
    workers[0].wait()
    out, err = remote.communicate(timeout=PATIENCE)
    assert remote.returncode == 0, err
    assert sums(json.loads(out.splitlines()[-1])) == sums(whole(petard, certificate))
