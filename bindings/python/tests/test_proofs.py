"""Proofs and their certificates."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import petard
from petard import Board, Solution, SolveError, check_certificate, solve

ROOT = Path(__file__).resolve().parents[3]


def test_small_boards() -> None:
    for size, winner in (("4x4", petard.BLACK), ("4x5", petard.BLACK), ("2x6", petard.WHITE)):
        solution = solve(Board(size))
        assert solution.winner is winner and solution.nodes > 0, size
        end = Board(size)
        for move in solution.line:
            end.push(move)
        outcome = end.outcome()
        assert outcome is not None and outcome.winner is winner
        assert solution.move == solution.line[0]


def test_black_to_move() -> None:
    board = Board("4x5")
    board.push_uci("a2a3")
    assert solve(board).winner is petard.BLACK
    assert solve(board.mirror()).winner is petard.WHITE


def test_a_certificate_is_accepted_by_both_checkers(tmp_path: Path) -> None:
    solution = solve(Board("4x4"), certificate=True, certificate_depth=1)
    assert solution.certificate is not None
    proven = check_certificate(solution.certificate)
    assert (proven.fen, proven.winner) == (Board("4x4").fen(), petard.BLACK)
    path = tmp_path / "4x4.proof"
    path.write_bytes(solution.certificate)
    assert check_certificate(path) == proven
    script = ROOT / "scripts/check_certificate.py"
    done = subprocess.run([sys.executable, script, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    with pytest.raises(ValueError, match="header"):
        check_certificate(b"nonsense")
    broken = solution.certificate[:-1]
    with pytest.raises(ValueError, match=r"\w"):
        check_certificate(broken)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_a_check() -> None:
    # All checks run in one call, so that nothing else looks for signals.
    script = """
import signal, threading
from collections import deque
from petard import Board, _petard, solve

data = solve(Board("5x5"), certificate=True, certificate_depth=1).certificate
found = deque()

def end(*_):
    print(len(found) < 50)
    raise KeyboardInterrupt

signal.signal(signal.SIGINT, end)
threading.Timer(0.1, signal.raise_signal, (signal.SIGINT,)).start()
try:
    found.extend(map(_petard.check_certificate, [data] * 50, [1] * 50))
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=300
    )
    assert done.stdout == "True\ninterrupted\n", done.stderr


def test_limits_and_progress() -> None:
    reported: list[int] = []
    solution = solve(
        Board("6x6"),
        nodes=30_000,
        progress=lambda nodes, time, proof, disproof: reported.append(nodes),
    )
    assert solution == Solution(None, [], solution.nodes, solution.time, None)
    assert solution.nodes <= 30_000 and solution.move is None
    assert reported == sorted(reported) and all(nodes <= 30_000 for nodes in reported)

    def fail(*_: object) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        solve(Board(), progress=fail)


def test_what_has_no_proofs() -> None:
    with pytest.raises(SolveError, match="Breakthrough"):
        solve(Board.freeling())
    with pytest.raises(SolveError, match="80"):
        solve(Board("10x10"))
    with pytest.raises(ValueError, match="odd"):
        solve(Board("4x4"), certificate=True, certificate_depth=4)
    with pytest.raises(ValueError, match="odd"):
        solve(Board("4x4"), certificate=True, certificate_depth=-1)
    with pytest.raises(ValueError, match="least"):
        solve(Board("4x4"), threads=0)
    with pytest.raises(ValueError, match="at most 1024"):
        solve(Board("4x4"), threads=1025)
    for threads in (0, 1025):
        with pytest.raises(ValueError, match="at (least|most)"):
            check_certificate(b"", threads=threads)
    # On 4x4 no table takes more than 4 GB. The second is, in bytes, 2**64 more than nothing.
    for hash in (10**9, 1 << 44, 1 << 64):
        with pytest.raises(MemoryError, match=f" {hash} MB"):
            solve(Board(), hash=hash, nodes=1)
    for nodes in (-1, 1 << 64):
        with pytest.raises(ValueError, match=f"nodes: {nodes} is out of range"):
            solve(Board("4x4"), nodes=nodes)
    over = Board("8/8/8/8/3p4/8/8/8 w 0 1")
    assert solve(over).winner is petard.BLACK
