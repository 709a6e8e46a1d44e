"""Proofs checked by samples: correct tables, and answers that lie."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT, run_program, run_script, start_fen
from petard import Board
from petardlib.base.errors import UserError
from petardlib.commands.sample_proof import Sample, TableError, check, run_checker, walk
from petardlib.proofs.solvejob import JobLimits
from petardlib.rules.keys import moves_of

START = start_fen(4, 5)


def solved_table(petard: str, path: Path, *words: str) -> None:
    limits = ["--hash", 4, "--threads", 1, "--quiet", *words]
    run_program(petard, "solve", "--board", "4x5", "--resume", path, *limits, ok=False)


def sample(petard: str, path: Path, *words: object) -> subprocess.CompletedProcess[str]:
    words = (
        "--board",
        "4x5",
        "--hash",
        4,
        "--checkpoint",
        path,
        "--engine",
        f"cmd={petard}",
        *words,
    )
    return run_script("sample_proof.py", *map(str, words))


def test_a_proof_holds_and_the_same_seed_gives_the_same_samples(
    petard: str, tmp_path: Path
) -> None:
    path = tmp_path / "table"
    solved_table(petard, path)
    words = ("--samples", 6, "--plies", 8, "--proof-hash", 4, "--json", tmp_path / "json")
    first = sample(petard, path, *words)
    assert first.returncode == 0, first.stderr
    *lines, last = first.stdout.splitlines()
    found = [json.loads(line) for line in (tmp_path / "json").read_text().splitlines()]
    assert len(lines) == len(found)
    assert found and all(one["verdict"] == "holds" for one in found)
    assert all("(the side not to move)" in one["message"] for one in found if one["positions"])
    assert f"{len(found)} proven again and checked" in last
    assert "0 refuted, 0 undecided" in last
    again = sample(petard, path, *words, "--workers", 2)
    assert again.stdout == first.stdout
    other = sample(petard, path, *words, "--seed", 2)
    assert other.returncode == 0 and other.stdout != first.stdout


def test_a_table_that_rests_on_a_certificate_is_sampled_with_it(
    petard: str, tmp_path: Path
) -> None:
    path, proof = tmp_path / "table", ROOT / "src" / "solve" / "certificates" / "4x5.proof"
    solved_table(petard, path, "--trust", str(proof))
    words = ("--samples", 6, "--plies", 4, "--proof-hash", 4)
    found = sample(petard, path, *words, "--trust", proof)
    assert found.returncode == 0, found.stderr
    assert " 0 refuted, 0 undecided" in found.stdout and "0 different" not in found.stdout
    alone = sample(petard, path, *words)
    assert alone.returncode == 2 and "certificate" in alone.stderr, alone.stderr


def test_what_cannot_be_sampled_is_reported(petard: str, tmp_path: Path) -> None:
    path = tmp_path / "table"
    assert "there is no such checkpoint" in sample(petard, path).stderr
    solved_table(petard, path, "--nodes", "50")
    done = sample(petard, path, "--nodes", 50)
    assert done.returncode == 2
    assert "does not know who wins" in done.stderr
    done = sample(petard, path, "--samples", 0)
    assert done.returncode == 2
    assert "--samples 0" in done.stderr
    # No fault of the table: the game is over, or one node shows who wins, but not how.
    for fen, reported in (
        ("P3/4/4/1p2/4 w 0 1", "the game is over"),
        ("1p2/4/4/4/1P2/4 w 0 1", "does not know the move"),
    ):
        path = tmp_path / "other"
        run_program(petard, "solve", "--fen", fen, "--hash", 1, "--resume", path, "-q")
        words = ("--fen", fen, "--hash", 1, "--checkpoint", path, "--nodes", 1)
        done = run_script("sample_proof.py", *words, "--engine", f"cmd={petard}")
        assert done.returncode == 2 and reported in done.stderr, done.stderr
        path.unlink()


def test_a_sample_with_the_wrong_winner_is_refuted(petard: str) -> None:
    limits = JobLimits(100_000, None, 4)
    assert check(petard, limits, Sample(START, wins=False), rust=False).verdict == "holds"
    assert check(petard, limits, Sample(START, wins=True), rust=False).verdict == "refuted"
    few = JobLimits(10, None, 4)
    assert check(petard, few, Sample(START, wins=False), rust=False).verdict == "undecided"


def certificate(petard: str, path: Path) -> Path:
    words = ["--board", "4x5", "--hash", 4, "--threads", 1, "--quiet"]
    run_program(petard, "solve", *words, "--certificate", path)
    return path


def test_only_a_checker_refutes(petard: str, tmp_path: Path) -> None:
    path = certificate(petard, tmp_path / "c")
    for checker in (None, petard):
        holds, reported = run_checker(path, checker)
        assert holds and reported == "proven: black wins (the side not to move)"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    for checker in (None, petard):
        holds, reported = run_checker(path, checker)
        assert not holds and "REFUSED" in reported
    # A program that fails, or says something else, does not count as a refutation.
    other = tmp_path / "other"
    for script in ("echo 'error: no such command' >&2; exit 2", "echo 'well, perhaps'"):
        other.write_text(f"#!/bin/sh\n{script}\n")
        other.chmod(0o755)
        with pytest.raises(UserError, match=r"no such command|perhaps"):
            run_checker(path, str(other))


def test_a_certificate_of_something_else_proves_nothing(petard: str, tmp_path: Path) -> None:
    """An engine that certifies a position other than the one it was asked about."""
    engine = tmp_path / "engine"
    other = certificate(petard, tmp_path / "other")
    engine.write_text(
        f'#!/bin/sh\n{petard} "$@" && while [ "$1" != --certificate ]; do shift; done\n'
        f'cp {other} "$2"\n'
    )
    engine.chmod(0o755)
    limits = JobLimits(100_000, None, 4)
    assert check(str(engine), limits, Sample(START, wins=False), rust=False).verdict == "holds"
    after = next(iter(moves_of(Board(START)).values()))
    with pytest.raises(UserError, match="its certificate is for"):
        check(str(engine), limits, Sample(f"{after} w 0 1", wins=True), rust=False)


def test_a_table_that_contradicts_itself_or_the_rules_is_refuted() -> None:
    def play(*winners: str, move: str | None = None) -> Sample | None:
        answers = iter(winners)

        def solve(fen: str) -> dict[str, Any]:
            moves = Board(fen).legal_moves.uci()
            return {"winner": next(answers), "move": move or moves[0]}

        return walk(Board(START), len(winners), solve, random.Random(1))

    end = play("second", "first", "second")
    assert end is not None and end.wins
    with pytest.raises(TableError, match="both won and lost"):
        play("second", "second")
    with pytest.raises(TableError, match="not legal"):
        play("second", move="a1a2")
    with pytest.raises(UserError, match="does not know"):
        play("second", "unknown")
