"""Proofs by real jobs on the command line: whole, killed, stopped, and on a cluster."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from conftest import (
    PATIENCE,
    line_count,
    living,
    run_program,
    run_script,
    start_fen,
    start_script,
    wait_for_workers,
    wait_until,
    workers_of,
)
from petard import Board
from petardlib.base.errors import UserError
from petardlib.commands import solve_jobs
from petardlib.rules.keys import moves_of

SMALL = [("4x5", "second", 300), ("3x6", "first", 500), ("5x5", "second", 3000)]


def words(petard: str, ledger: Path | None, *more: object) -> list[str]:
    command = ["--engine", f"cmd={petard}", "--hash", "8", "--json", "-", *map(str, more)]
    return command + (["--resume", str(ledger)] if ledger else [])


def answer(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def jobs_of(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text().splitlines(keepends=True)
    records = [json.loads(line) for line in lines if line.endswith("\n")]
    assert records[0]["kind"] == "solve-jobs"
    return [record for record in records[1:] if record["result"] != "split"]


def verified(path: Path) -> dict[str, Any]:
    done = run_script("solve_jobs.py", "--resume", path, "--verify", "--json", "-")
    assert done.returncode in (0, 3), done.stderr
    assert ("not proven" in done.stdout) == (done.returncode == 3)
    return answer(done)


def wait_for_jobs(process: subprocess.Popen[str], path: Path, count: int) -> None:
    wait_until(lambda: line_count(path) > count, process)


@pytest.mark.parametrize(("size", "winner", "nodes"), SMALL)
@pytest.mark.parametrize("workers", [1, 2])
def test_small_boards(
    petard: str, tmp_path: Path, size: str, winner: str, nodes: int, workers: int
) -> None:
    path = tmp_path / "l.jsonl"
    command = words(petard, path, "--board", size, "--job-nodes", nodes, "--workers", workers)
    done = run_script("solve_jobs.py", *command)
    assert done.returncode == 0, done.stderr
    found = answer(done)
    assert found["winner"] == winner and f"({winner}, the side" in done.stdout
    assert found["jobs"] > 20 and found["unknown"] > 5 and found["positions"] > 100
    jobs = jobs_of(path)
    assert len(jobs) == found["jobs"] == found["run_jobs"]
    assert all(
        job["nodes"] <= nodes and job["limit"] == {"hash": 8, "nodes": nodes} for job in jobs
    )
    if winner == "first":
        # The reported move also wins by a single job.
        fen = moves_of(Board(start_fen(3, 6)))[found["move"]] + " w"
        alone = run_script("solve_jobs.py", *words(petard, None, "--fen", fen))
        assert answer(alone)["winner"] == "second" and answer(alone)["jobs"] == 1
        assert f"a winning move: {found['move']}" in done.stdout
    else:
        assert found["move"] is None
    proof = verified(path)
    assert proof["winner"] == winner
    assert 5 < proof["proof_jobs"] < proof["jobs"] == found["jobs"]
    assert proof["proof_nodes"] < proof["nodes"] == found["nodes"]
    # Nothing is left to do.
    again = run_script("solve_jobs.py", *command)
    assert again.returncode == 0 and answer(again)["run_jobs"] == 0
    # The deciding job is the last one, except for those that others were still running.
    # Without it, the proof has a hole.
    lines = path.read_text().splitlines(keepends=True)
    decided = [i for i, line in enumerate(lines) if '"split"' not in line][-workers]
    path.write_text("".join(lines[:decided]))
    assert verified(path)["winner"] == "unknown"
    again = run_script("solve_jobs.py", *command)
    assert answer(again)["winner"] == winner and answer(again)["run_jobs"] < found["jobs"]


def test_one_worker_does_the_same_every_time(petard: str, tmp_path: Path) -> None:
    ledgers = []
    for name in ("one", "two"):
        command = words(petard, tmp_path / name, "--board", "4x5", "--job-nodes", 300)
        assert run_script("solve_jobs.py", *command).returncode == 0
        ledgers.append([{**job, "s": 0} for job in jobs_of(tmp_path / name)])
    assert ledgers[0] == ledgers[1]


def test_a_cold_job_can_be_repeated_alone(petard: str, tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    command = words(petard, path, "--board", "4x5", "--job-nodes", 1000, "--cold")
    assert run_script("solve_jobs.py", *command).returncode == 0
    for job in jobs_of(path)[::9]:
        assert job["limit"]["cold"] is True
        limits = ["--nodes", job["limit"]["nodes"], "--hash", job["limit"]["hash"], "--threads", 1]
        what = ["--fen", f"{job['pos']} w", "--json", "--opened", 16, "--quiet"]
        alone = run_program(petard, "solve", *what, *limits, ok=False)
        reported = json.loads(alone.stdout.splitlines()[-1])
        result = {"first": "win", "second": "loss"}.get(reported["winner"], "unknown")
        assert (result, reported["nodes"]) == (job["result"], job["nodes"])
        assert reported["opened"] == job.get("opened", {})


def test_killed_and_resumed(petard: str, tmp_path: Path) -> None:
    """Kill -9 in the middle, several times, once as if in the middle of a write."""
    path = tmp_path / "l.jsonl"
    command = words(petard, path, "--board", "5x5", "--job-nodes", 3000, "--workers", 2)
    kept: list[dict[str, Any]] = []
    for kill in range(3):
        process = start_script("solve_jobs.py", *command)
        wait_for_jobs(process, path, 10 + 25 * kill)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        jobs = jobs_of(path)
        assert jobs[: len(kept)] == kept and len(jobs) > len(kept)
        kept = jobs
        if kill == 1:
            with path.open("a") as file:
                file.write('{"pos":"ppppp/ppp')
        assert verified(path)["winner"] == "unknown"
    done = run_script("solve_jobs.py", *command)
    assert done.returncode == 0 and answer(done)["winner"] == "second"
    assert f"resumed: {len(kept)} jobs are already done" in done.stderr
    assert jobs_of(path)[: len(kept)] == kept
    # No decided position was done again, and none twice in one run.
    decided = [job["pos"] for job in jobs_of(path) if job["result"] != "unknown"]
    assert len(decided) == len(set(decided))
    assert verified(path)["winner"] == "second"


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_stops_cleanly_and_leaves_no_process(
    petard: str, tmp_path: Path, sign: signal.Signals
) -> None:
    path = tmp_path / "l.jsonl"
    command = words(petard, path, "--board", "6x6", "--job-nodes", 100_000, "--workers", 2)
    # A table size that no other process here uses identifies its engines.
    command[command.index("--hash") + 1] = "13"
    process = start_script("solve_jobs.py", *command)
    wait_for_jobs(process, path, 2)
    process.send_signal(sign)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    found = json.loads(out.splitlines()[-1])
    assert found["winner"] == "unknown" and found["stopped"] is True
    assert "winner: unknown (stopped)" in out and "resumes from here" in err
    assert "Traceback" not in err
    wait_until(lambda: not living("--hash 13 "))
    assert len(jobs_of(path)) == found["jobs"] > 0


def test_a_killed_run_leaves_no_process(petard: str, tmp_path: Path) -> None:
    command = words(petard, tmp_path / "l", "--board", "6x6", "--job-nodes", 10**9)
    command[command.index("--hash") + 1] = "11"
    process = start_script("solve_jobs.py", *command)
    wait_until(lambda: bool(living("--hash 11 --nodes 1000000000")), process)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    wait_until(lambda: not living("--hash 11 --nodes 1000000000"))


def test_time_is_up(petard: str, tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    command = words(petard, path, "--board", "6x6", "--job-seconds", 0.3, "--time", 6)
    done = run_script("solve_jobs.py", *command, "--report", 0.5)
    assert done.returncode == 3, done.stderr
    found = answer(done)
    assert found["winner"] == "unknown" and found["stopped"] is False and found["seconds"] >= 6
    assert all(job["limit"] == {"hash": 8, "seconds": 0.3} for job in jobs_of(path))
    reports = [line for line in done.stderr.splitlines() if line.startswith("time ")]
    assert len(reports) >= 2 and "running)  positions" in reports[0], done.stderr
    for word in ("proof", "disproof", "jobs", "unknown", "nodes", "nodes/s"):
        assert word in reports[-1]
    # A run with another limit may continue where this one stopped.
    process = start_script("solve_jobs.py", *words(petard, path, "--job-nodes", 1000))
    wait_for_jobs(process, path, found["jobs"] + 1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    assert json.loads(out.splitlines()[-1])["jobs"] > found["jobs"]


def test_workers_and_engines_that_die(petard: str, tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    command = words(petard, path, "--board", "5x5", "--job-nodes", 3000, "--workers", 2)
    command[command.index("--hash") + 1] = "14"
    process = start_script("solve_jobs.py", *command)
    wait_for_jobs(process, path, 5)
    # Early: workers live as long as the run.
    workers = workers_of(process.pid)
    assert workers
    os.kill(workers[0], signal.SIGKILL)
    for round_ in range(3):
        wait_for_jobs(process, path, 5 + 10 * round_)
        for pid in living("--hash 14 --nodes 3000")[:1]:
            # It may just have ended by itself.
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert json.loads(out.splitlines()[-1])["winner"] == "second"
    assert verified(path)["winner"] == "second"


def fake(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_engines_that_cannot_do_it_are_named(tmp_path: Path) -> None:
    for text, fault in (
        ("exit 1", "fails at 'pp/pp/2/2/PP/PP w': exit status 1"),
        ("echo 'error: unexpected argument --stdin' >&2; exit 2", "unexpected argument --stdin"),
        ("read x; echo hello", "the engine's answer to 'pp/pp/2/2/PP/PP w'"),
        ("read x; echo '{}'", "the engine's answer to"),
        (
            'read x; echo \'{"winner":"first","nodes":1,"seconds":0,"fen":"p/P w"}\'',
            "answered 'p/P w'",
        ),
    ):
        engine = fake(tmp_path / "engine", text)
        done = run_script("solve_jobs.py", *words(engine, None, "--board", "4x5"))
        assert done.returncode == 2 and fault in done.stderr, (text, done.stderr)
        assert "Traceback" not in done.stderr
    done = run_script("solve_jobs.py", *words("/nowhere/petard", None, "--board", "4x5"))
    assert done.returncode == 2 and "no engine '/nowhere/petard'" in done.stderr


def test_an_engine_that_always_dies_is_given_up(petard: str, tmp_path: Path) -> None:
    # It does the trial job, and is killed during every other one.
    engine = fake(
        tmp_path / "engine",
        f'case "$*" in *"--hash 1 "*) exec {petard} "$@";; esac\nread x; kill -9 $$',
    )
    done = run_script("solve_jobs.py", *words(engine, tmp_path / "l", "--board", "4x5"))
    assert done.returncode == 2 and "the same task crashed 6 workers" in done.stderr, done.stderr


@pytest.mark.parametrize("hanging", ["sleep 1000", "exec sleep 1000", "cat >/dev/null; sleep 1000"])
def test_a_job_that_hangs_ends_with_the_time(
    petard: str, tmp_path: Path, hanging: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It does the trial job, and hangs during every other one.
    engine = fake(
        tmp_path / "engine", f'case "$*" in *"--hash 1 "*) exec {petard} "$@";; esac\n{hanging}'
    )
    done = run_script("solve_jobs.py", *words(engine, None, "--board", "4x5", "--time", 1))
    assert done.returncode == 3, done.stderr
    assert answer(done)["winner"] == "unknown"
    # One that hangs during the trial job is named.
    monkeypatch.setattr(solve_jobs, "HANG_SECONDS", 1.0)
    with pytest.raises(UserError, match=r"hangs at .*no answer within 1 s"):
        # Another file: one that a killed job was about to run cannot be written at once.
        solve_jobs.try_engine(fake(tmp_path / "trial", hanging))


def test_a_time_shorter_than_any_answer(petard: str) -> None:
    """It ends the run; the engine is not to blame."""
    done = run_script("solve_jobs.py", *words(petard, None, "--board", "6x6", "--time", 0.001))
    assert done.returncode == 3, done.stderr


def test_a_lying_engine_is_caught(petard: str, tmp_path: Path) -> None:
    """Moves that the rules do not have, and results that contradict each other."""
    for change, fault in (
        ('s/"b2a3"/"b2b5"/g', "does not know the moves of"),
        # Every other answer: what always lies the same way can be consistent.
        ("2~2s/\\[null,0\\]/[0,null]/g", "contradict each other"),
    ):
        engine = fake(tmp_path / "engine", f"{petard} \"$@\" | sed -u '{change}'")
        command = words(engine, tmp_path / "l", "--board", "4x5", "--job-nodes", 300)
        done = run_script("solve_jobs.py", *command)
        assert done.returncode == 2 and fault in done.stderr, (change, done.stderr)
        (tmp_path / "l").unlink()


def test_black_to_move(petard: str) -> None:
    """The root may be any position; moves are named as on its board."""
    fen = "1p2/p1p1/1P2/4/P1P1 b"
    done = run_script("solve_jobs.py", *words(petard, None, "--fen", fen, "--job-nodes", 3))
    assert done.returncode == 0, done.stderr
    found = answer(done)
    alone = run_program(petard, "solve", "--fen", fen, "--json", "--quiet", "--all-moves", ok=False)
    reported = json.loads(alone.stdout.splitlines()[-1])
    assert found["winner"] == reported["winner"]
    if reported["winner"] == "first":
        assert found["move"] in reported["winning_moves"]
        assert "winner: Black (first, the side to move)" in done.stdout
    over = run_script("solve_jobs.py", *words(petard, None, "--fen", "P3/4/4/p3/4 b"))
    assert over.returncode == 0 and answer(over)["winner"] == "second"
    assert answer(over)["jobs"] == 0


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("", "no position: name one with --board or --fen"),
        ("--board 4", "board '4': expected FILESxRANKS"),
        ("--board 10x10", "a board of 10x10: expected"),
        ("--fen ppp", "FEN 'ppp'"),
        ("--fen D3/4/4/4/PPPP.w", "freeling"),
        ("--board 4x5 --job-nodes 0", "--job-nodes 0: must be at least 1"),
        ("--board 4x5 --job-seconds -1", "--job-seconds -1: must be more than 0"),
        ("--board 4x5 --hash 0", "--hash 0: must be at least 1"),
        ("--board 4x5 --workers 0", "--workers 0: must be at least 1"),
        ("--board 4x5 --time nan", "--time nan: must be a finite number"),
        ("--board 4x5 --time inf", "--time inf: must be a finite number"),
        ("--fen ²/4/4/4/4.w", "unknown character '²'"),
        ("--board 4x5 --report 0", "--report 0: must be more than 0"),
        ("--board 4x5 --verify", "--verify needs the ledger of a run"),
        ("--verify --resume /nowhere/l", "there is no such ledger"),
        ("--board 4x5 --resume /proc/l", "/proc"),
        ("--board 4x5 --dask tcp://127.0.0.1:9", "--dask tcp://127.0.0.1:9"),
        ("--board 4x5 --fen x", "not allowed with argument"),
    ],
)
def test_bad_input_is_named(petard: str, line: str, fault: str) -> None:
    arguments = [word.replace(".w", " w") for word in line.split()]
    done = run_script("solve_jobs.py", "--engine", f"cmd={petard}", *arguments)
    assert done.returncode == 2 and fault in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


def test_another_boards_ledger_is_refused(petard: str, tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    assert run_script("solve_jobs.py", *words(petard, path, "--board", "4x4")).returncode == 0
    whole = path.read_bytes()
    done = run_script("solve_jobs.py", *words(petard, path, "--board", "4x5"))
    assert done.returncode == 2 and path.read_bytes() == whole
    assert "l.jsonl is the ledger of another board: 4x4, not 4x5" in done.stderr
    # Without a position, the ledger's is used.
    done = run_script("solve_jobs.py", *words(petard, path))
    assert done.returncode == 0 and answer(done)["board"] == "4x4"


def test_cluster_with_a_worker_killed(
    petard: str, tmp_path: Path, cluster: tuple[str, list[subprocess.Popen[bytes]]]
) -> None:
    address, workers = cluster
    wait_for_workers(address, 2)
    path = tmp_path / "l.jsonl"
    command = words(petard, path, "--board", "5x5", "--job-nodes", 3000, "--dask", address)
    process = start_script("solve_jobs.py", *command)
    wait_for_jobs(process, path, 12)
    os.kill(workers[0].pid, signal.SIGKILL)
    workers[0].wait()
    at_kill = len(jobs_of(path))
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    found = json.loads(out.splitlines()[-1])
    assert found["winner"] == "second"
    assert found["jobs"] == len(jobs_of(path)) > at_kill + 5
    decided = [job["pos"] for job in jobs_of(path) if job["result"] != "unknown"]
    assert len(decided) == len(set(decided))
    assert verified(path)["winner"] == "second"


def test_a_cluster_is_left_without_jobs(
    petard: str, tmp_path: Path, cluster: tuple[str, list[subprocess.Popen[bytes]]]
) -> None:
    """Long jobs do not continue when nobody waits for them."""
    address, _ = cluster
    wait_for_workers(address, 2)
    command = words(petard, tmp_path / "l", "--board", "6x6", "--job-nodes", 10**9)
    command[command.index("--hash") + 1] = "12"
    process = start_script("solve_jobs.py", *command, "--dask", address)
    wait_until(lambda: len(living("--hash 12 --nodes 1000000000")) >= 2, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130 and "Traceback" not in err, err
    assert json.loads(out.splitlines()[-1])["winner"] == "unknown"
    wait_until(lambda: not living("--hash 12 --nodes 1000000000"))
