"""Data generation in jobs on the command line: whole, resumed, killed, refused, on a cluster."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import (
    PATIENCE,
    line_count,
    living,
    run_script,
    start_script,
    wait_for_workers,
    wait_until,
    workers_of,
)
from petardlib.base.errors import UserError
from petardlib.training import records
from petardlib.training.shards import Run, Settings, Shard, check_shard

SMALL = ("--board", "4x5", "--nodes", "30", "--random-min", "2", "--random-max", "6")


def words(petard: str, folder: Path, positions: int, *more: object) -> list[str]:
    """The arguments for a run of small jobs."""
    size = [] if "--shard" in more else ["--shard", "60"]
    command = [str(folder), "--engine", f"cmd={petard}", "--positions", str(positions), *SMALL]
    return [*command, "--json", "-", *size, *map(str, more)]


def reported(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def shards(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.bin")}


@pytest.fixture
def gated(petard: str, tmp_path: Path) -> tuple[str, Path]:
    """An engine that makes two shards at once, and more once a file exists."""
    engine, gate = tmp_path / "gated", tmp_path / "gate"
    engine.write_text(
        "#!/bin/sh\n"
        'case " $* " in *" --seed 1 "*|*" --seed 2 "*) ;;\n'
        f"*) while [ ! -e '{gate}' ]; do sleep 0.05; done ;; esac\n"
        f"exec '{petard}' \"$@\"\n"
    )
    engine.chmod(engine.stat().st_mode | stat.S_IXUSR)
    return str(engine), gate


@pytest.fixture(scope="module")
def whole(petard: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Eight shards, made without interruption."""
    folder = tmp_path_factory.mktemp("whole")
    found = reported(run_script("datagen_jobs.py", *words(petard, folder, 480)))
    made = shards(folder)
    assert found["shards"] == len(made) == 8
    assert found["positions"] == sum(len(records.read(path)) for path in folder.glob("*.bin"))
    assert found["positions"] == found["run_positions"] >= 480
    return made


def test_a_shard_is_what_its_seed_gives(
    petard: str, whole: dict[str, bytes], tmp_path: Path
) -> None:
    """So a job can be done anywhere, and repeated."""
    alone = tmp_path / "alone.bin"
    limits = ["--positions", "60", "--threads", "1", "--seed", "3"]
    subprocess.run(
        [petard, "datagen", str(alone), *SMALL, *limits],
        check=True,
        capture_output=True,
        timeout=PATIENCE,
    )
    assert whole["shard-00000003.bin"] == alone.read_bytes()
    assert len(set(whole.values())) == 8


def test_a_run_goes_on_and_grows(petard: str, whole: dict[str, bytes], tmp_path: Path) -> None:
    """A shard that was changed or removed is made again, nothing else is."""
    first = reported(run_script("datagen_jobs.py", *words(petard, tmp_path, 300, "--workers", 2)))
    assert first["shards"] == 5
    (tmp_path / "shard-00000002.bin").unlink()
    (tmp_path / "shard-00000004.bin").write_bytes(b"PETARDD2")
    done = run_script("datagen_jobs.py", *words(petard, tmp_path, 480, "--workers", 2))
    assert "resumed: 3 shards are already there" in done.stderr
    assert reported(done)["run_positions"] < reported(done)["positions"]
    assert shards(tmp_path) == whole
    # A run with other settings does not belong there.
    for more in (("--nodes", 31), ("--seed", 2), ("--shard", 61)):
        other = run_script("datagen_jobs.py", *words(petard, tmp_path, 480, *more))
        assert other.returncode == 2
        assert "belongs to another run" in other.stderr
    assert shards(tmp_path) == whole


def test_a_foreign_file_is_not_overwritten(petard: str, tmp_path: Path) -> None:
    foreign = tmp_path / "shard-00000001.bin"
    foreign.write_text("precious\n")
    done = run_script("datagen_jobs.py", *words(petard, tmp_path, 60))
    assert done.returncode == 2
    assert f"{foreign}: this file was not written by this run" in done.stderr
    assert foreign.read_text() == "precious\n"


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_stopped_anywhere_it_goes_on(
    petard: str,
    gated: tuple[str, Path],
    whole: dict[str, bytes],
    tmp_path: Path,
    how: signal.Signals,
) -> None:
    """Also with its ledger cut off in the middle of a line."""
    ledger = tmp_path / "ledger.jsonl"
    process = start_script("datagen_jobs.py", *words(gated[0], tmp_path, 480))
    wait_until(lambda: line_count(ledger) == 3, process)
    process.send_signal(how)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == (-9 if how == signal.SIGKILL else 130)
    assert len(shards(tmp_path)) == 2
    ledger.write_bytes(ledger.read_bytes()[:-1])
    reported(run_script("datagen_jobs.py", *words(petard, tmp_path, 480)))
    assert shards(tmp_path) == whole
    lines = ledger.read_text().splitlines()
    seeds = [json.loads(line)["seed"] for line in lines[1:]]
    assert sorted(seeds) == list(range(1, 9))


def test_a_killed_worker_s_job_is_done_again(
    gated: tuple[str, Path], whole: dict[str, bytes], tmp_path: Path
) -> None:
    """Kills the worker process and the engine, once each."""
    engine, gate = gated
    process = start_script("datagen_jobs.py", *words(engine, tmp_path, 480))
    wait_until(lambda: line_count(tmp_path / "ledger.jsonl") == 3, process)
    finders: list[Callable[[], list[int]]] = [
        lambda: workers_of(process.pid),
        lambda: living(f"{engine} datagen "),
    ]
    for find in finders:
        wait_until(lambda find=find: bool(find()), process)  # type: ignore[misc]
        for pid in find():
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda pid=pid: pid not in living(""), process)  # type: ignore[misc]
    gate.touch()
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert "8 of 8 shards" in out
    assert shards(tmp_path) == whole


def test_bad_shards_are_named(petard: str, whole: dict[str, bytes], tmp_path: Path) -> None:
    """Each with its own fault."""
    settings = Settings((4, 5), records.BREAKTHROUGH, [], 1, 60, None)
    good = whole["shard-00000001.bin"]
    path = tmp_path / "shard.bin"

    def fault(data: bytes, wanted: Settings = settings) -> str:
        path.write_bytes(data)
        with pytest.raises(UserError) as reported:
            check_shard(path, wanted)
        return str(reported.value)

    path.write_bytes(good)
    assert check_shard(path, settings)[0] >= 60
    size = records.read_header(good, path).record.itemsize
    assert "not a file of petard positions" in fault(b"")
    assert "ends within a record" in fault(good[:-1])
    assert "has 1 positions, not 60" in fault(good[: 16 + size])
    assert "another game or board" in fault(good[:8] + b"\x05\x04" + good[10:])
    assert "two sides on one square" in fault(good[:16] + good[19:22] + good[19:])
    assert "squares beyond the board" in fault(good[:18] + b"\xf0" + good[19:])
    assert "a side without pieces" in fault(good[:16] + bytes(3) + good[19:])
    assert "without its start" in fault(good[:16] + good[16 + size :] + good[16 + size :])
    # An engine that makes bad shards ends the run.
    stub = tmp_path / "stub"
    stub.write_text('#!/bin/sh\necho nonsense > "$2"\n')
    stub.chmod(stub.stat().st_mode | stat.S_IXUSR)
    folder = tmp_path / "run"
    done = run_script("datagen_jobs.py", *words(str(stub), folder, 60))
    assert done.returncode == 2
    assert "not a file of petard positions" in done.stderr
    assert not shards(folder)
    # And what the engine refuses is reported.
    done = run_script("datagen_jobs.py", *words(petard, tmp_path / "r", 60, "--random-min", 9))
    assert done.returncode == 2
    assert "is more than --random-max" in done.stderr


def test_the_network_is_the_one_that_was_meant(petard: str, tmp_path: Path) -> None:
    """Freeling's game with a file: one that is not a network, and one that has since changed."""
    file = tmp_path / "network.nnue"
    file.write_bytes(b"nothing")
    command = [
        tmp_path / "run",
        "--engine",
        f"cmd={petard}",
        "--variant",
        "freeling",
        "--shard",
        20,
    ]
    command += ["--positions", 20, "--nodes", 20, "--eval-file"]
    done = run_script("datagen_jobs.py", *command, file)
    assert done.returncode == 2
    assert "refused: it is not a petard network" in done.stderr
    file.write_bytes(b"another")
    folder = tmp_path / "run"
    run = Run(folder, Settings((5, 9), records.FREELING, [], 1, 20, (str(file), "one")), 1)
    run.journal.append(Shard(9, 1, 1, ""))
    run.close()
    done = run_script("datagen_jobs.py", *command, file)
    assert done.returncode == 2
    assert "different network" in done.stderr
    done = run_script("datagen_jobs.py", *command, tmp_path / "none")
    assert done.returncode == 2
    assert "No such file" in done.stderr
    again = [tmp_path / "article", *command[1:-1], "--evaluation", "article"]
    done = run_script("datagen_jobs.py", *again)
    assert done.returncode == 0, done.stderr
    data = records.read(tmp_path / "article" / "shard-00000001.bin")
    assert data.board == (5, 9) and len(data) >= 20


def test_on_a_cluster_it_is_the_same(
    gated: tuple[str, Path],
    whole: dict[str, bytes],
    tmp_path: Path,
    cluster: tuple[str, list[subprocess.Popen[bytes]]],
) -> None:
    """A Dask worker is killed on the way."""
    address, workers = cluster
    wait_for_workers(address, 2)
    ledger = tmp_path / "ledger.jsonl"
    process = start_script("datagen_jobs.py", *words(gated[0], tmp_path, 480, "--dask", address))
    wait_until(lambda: line_count(ledger) == 3, process)
    os.kill(workers[0].pid, signal.SIGKILL)
    workers[0].wait()
    gated[1].touch()
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert shards(tmp_path) == whole
