"""The ledger: what it refuses, and what it survives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conftest import start_fen
from petardlib.base.errors import UserError
from petardlib.proofs.ledger import Ledger
from petardlib.proofs.pntree import INFINITE
from petardlib.proofs.solvejob import Job
from petardlib.rules.keys import board_at, key_of, moves_of

FEN = "pppp/pppp/4/PPPP/PPPP w"
WON = "ppp1/pppp/3P/PPP1/PPPP"
SOLVED: dict[str, Any] = {"pos": WON, "result": "win", "nodes": 5, "s": 0.5, "limit": {}}


def job(record: dict[str, Any]) -> Job:
    return msgspec.convert(record, Job)


def unknown(pos: str, zero: str = "", line: str = "") -> dict[str, Any]:
    """A record of an unfinished job in which one move is proven to lose."""
    board = board_at(pos)
    opened: dict[str, dict[str, list[int | None]]] = {}
    opened[""] = {move: [12, 34] for move in board.legal_moves.uci()}
    if line:
        board.push_uci(line)
        opened[line] = {move: [56, 78] for move in board.legal_moves.uci()}
    if zero:
        opened[""][zero] = [None, 0]
    record = {"pos": pos, "result": "unknown", "nodes": 9, "s": 0.25, "limit": {"nodes": 9}}
    return {**record, "opened": opened}


def test_what_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "l.jsonl"
    ledger = Ledger(path, FEN)
    start = "pppp/pppp/4/PPPP/PPPP"
    ledger.add_job(job(SOLVED))
    ledger.add_job(job(unknown(start, "a2a3", "b2b3")))
    ledger.add_split("4/pppp/4/PPPP/4")
    ledger.close()
    for again in (ledger, Ledger(path, FEN)):
        assert (again.count, again.unknown, again.nodes, again.seconds) == (2, 1, 14, 0.75)
        root = key_of(board_at(start))
        moves = moves_of(board_at(start))
        # A move that loses for its mover is a win for the other side, and so is its mirror image.
        assert again.wins(moves["a2a3"]) is True and again.wins(moves["d2d3"]) is True
        assert again.inferred[moves["a2a3"]] == (True, root)
        assert again.wins(root) is None and again.wins(moves["b2b3"]) is None
        assert again.opened[root][moves["b2b3"]] == (34, 12)
        assert again.opened[root][moves["a2a3"]] == (0, INFINITE)
        assert set(again.opened[moves["b2b3"]].values()) == {(78, 56)}
        assert again.wins(key_of(board_at(SOLVED["pos"]))) is True
        assert len(again.split) == 1
        again.close()
    # Mirror images are the same position, and the file says nothing about this machine.
    mirrored = Ledger(path, "pppp/pppp/4/PPPP/PPPP w")
    mirrored.close()
    assert str(tmp_path) not in path.read_text()


def test_a_torn_last_line_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    ledger = Ledger(path, FEN)
    ledger.add_job(job(SOLVED))
    ledger.close()
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for length in (*range(first + 1, len(whole), 7), len(whole) - 1):
        path.write_bytes(whole[:length])
        ledger = Ledger(path, FEN)
        assert ledger.count == 0
        ledger.add_job(job(SOLVED))
        ledger.close()
        assert path.read_bytes() == whole
    for length in range(0, first, 5):
        path.write_bytes(whole[:length])
        ledger = Ledger(path, FEN)
        ledger.add_job(job(SOLVED))
        ledger.close()
        assert path.read_bytes() == whole
    # A fault in the middle cannot result from a kill.
    path.write_bytes(whole[:-9] + b"\n" + whole[first:])
    with pytest.raises(UserError, match="line 2: not a record"):
        Ledger(path, FEN)


def test_other_ledgers_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    Ledger(path, FEN).close()
    whole = path.read_bytes()
    with pytest.raises(UserError, match=r"l\.jsonl is the ledger of another board: 4x5, not 5x5"):
        Ledger(path, start_fen(5, 5))
    with pytest.raises(UserError, match="of another position: pppp/pppp/4/PPPP/PPPP w, not pppp/"):
        Ledger(path, "pppp/pppp/4/PPPP/PPPP b".replace("4", "P3"))
    # Colours and mirror images do not make a different position.
    Ledger(path, "pppp/pppp/4/PPPP/PPPP b").close()
    assert path.read_bytes() == whole
    for text, fault in (
        ('{"kind":"tournament","version":1}\n', "is not a ledger of solve_jobs.py"),
        ('{"kind":"solve-jobs","version":1,"fen":5}\n', "names no position in its first line"),
        ('{"kind":"solve-jobs","version":1,"fen":"x"}\n', "names no position in its first line"),
        ('{"kind":"solve-jobs","version":1}\n', "names no position in its first line"),
        ("some text without an end", r"is not a journal of this kind .solve-jobs."),
        ("nonsense\n", "is not a ledger of solve_jobs.py"),
        (whole.decode().replace('"version":1', '"version":2'), "has version 2"),
    ):
        path.write_text(text)
        with pytest.raises(UserError, match=fault):
            Ledger(path, FEN)
        assert path.read_text() == text, "nothing is lost"
    with pytest.raises(UserError, match="Is a directory"):
        Ledger(tmp_path, FEN)


def test_one_run_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    ledger = Ledger(path, FEN)
    with pytest.raises(UserError, match="in use by another run"):
        Ledger(path, FEN)
    ledger.close()


def broken(**changes: object) -> dict[str, Any]:
    return {**unknown("pppp/pppp/4/PPPP/PPPP"), **changes}


@pytest.mark.parametrize(
    ("record", "fault"),
    [
        ({**SOLVED, "pos": "ppp/ppp/3/PPP/PPP"}, "is not a position on 4x5"),
        ({**SOLVED, "result": "draw"}, "not a record"),
        ({"pos": SOLVED["pos"]}, "not a record"),
        ({**SOLVED, "nodes": "many"}, "not a record"),
        ({**SOLVED, "nodes": "5"}, "not a record"),
        ({**SOLVED, "nodes": -5}, "not a record"),
        ({**SOLVED, "s": float("nan")}, "not a record"),
        ({**SOLVED, "s": "1"}, "not a record"),
        ({**SOLVED, "move": []}, "not a record"),
        ({**SOLVED, "pos": 5}, "not a record"),
        ({**SOLVED, "pos": "²3/4/4/4/4"}, "unknown character"),
        (broken(opened={}), "reports nothing about pppp/"),
        (broken(opened={"": {"a2a3": [1, 1]}}), "does not know the moves of pppp/.* b2a3"),
        (broken(opened={"": 7}), "not a record"),
        (
            {**unknown(SOLVED["pos"]), "opened": {**unknown(SOLVED["pos"])["opened"], "a9a9": {}}},
            "plays a9a9 in .*: .*a9a9",
        ),
        (
            {**unknown(SOLVED["pos"]), "opened": {**unknown(SOLVED["pos"])["opened"], "a2a3": {}}},
            "does not know the moves of .* after a2a3: ",
        ),
    ],
)
def test_wrong_records_are_named_by_their_line(
    tmp_path: Path, record: dict[str, Any], fault: str
) -> None:
    path = tmp_path / "l.jsonl"
    ledger = Ledger(path, FEN)
    ledger.add_job(job(unknown("pppp/pppp/4/PPPP/PPPP")))
    ledger.close()
    with path.open("a") as file:
        file.write(json.dumps(record) + "\n")
    with pytest.raises(UserError, match=rf"l\.jsonl, line 3: .*{fault}"):
        Ledger(path, FEN)
    # It has released the file.
    with pytest.raises(UserError, match="line 3"):
        Ledger(path, FEN)
