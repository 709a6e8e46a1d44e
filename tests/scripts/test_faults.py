"""Engines that misbehave: each loses its game with a reason, and nothing else happens."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from conftest import PATIENCE, start_fen
from petard import pgn
from petardlib.play.game import Job, PlayerCache, play_game
from petardlib.play.gamefiles import write_game
from petardlib.play.spec import build
from petardlib.stats.games import Fault, GameRecord, MoveLog, decode_game

# For engines that must not lose on time, however slow the machine
PATIENT = {"movetime": 1000, "margin": 1000 * PATIENCE}
# Mode, kind of fault, whether the process may play on
FAULTS = [
    ("illegal", "illegal move", True),
    ("backwards", "illegal move", True),
    ("capitals", "illegal move", True),
    ("none", "illegal move", True),
    ("silence", "stalled", False),
    ("deaf", "time forfeit", True),
    ("crash", "crash", False),
    ("abort", "crash", False),
    ("flood", "flood", False),
    ("longline", "flood", False),
    ("garbage", "garbage", False),
    ("malformed", "garbage", False),
    ("closed", "crash", False),
    ("dead", "crash", False),
]


CASES = [(*row, "white") for row in FAULTS] + [(*row, "black") for row in FAULTS[:6:5]]


def fault_of(record: GameRecord) -> Fault:
    assert record.fault is not None
    return record.fault


def seen(move: MoveLog) -> tuple[str | None, int | None, int | None]:
    return move.score.text() if move.score else None, move.depth, move.nodes


@pytest.mark.parametrize(
    ("mode", "kind", "alive", "colour"), CASES, ids=[f"{row[0]}-{row[3]}" for row in CASES]
)
def test_fault_loses_the_game(
    toy: str, mode: str, kind: str, alive: bool, colour: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # If the fault is about time, the toy waits for as long as it takes, so the limit can be short
    # from the first move on; if it is not, no stall of the machine may look like such a fault.
    timed = mode in ("silence", "deaf")
    limits = {"movetime": 100, "margin": 100 if timed else 1000 * PATIENCE}
    if mode == "deaf":
        monkeypatch.setattr("petardlib.play.engine.STOP_GRACE_MS", 1000.0 * PATIENCE)
    bad = build({"name": "bad", "cmd": f"{toy} {mode} {1 if timed else 3}", **limits})
    good = build({"name": "good", "cmd": toy, **PATIENT})
    players = PlayerCache()
    try:
        white, black = (bad, good) if colour == "white" else (good, bad)
        record = play_game(Job(0, 0, 1, white, black, start_fen(8, 8)), players)
        assert record.result == ("0-1" if colour == "white" else "1-0")
        fault = fault_of(record)
        assert (fault.engine, fault.kind, fault.alive) == ("bad", kind, alive), fault
        assert fault.dialogue, "the last lines of dialogue belong to the report"
        if mode == "crash":
            assert "! toy: something terrible" in fault.dialogue
            assert "code 7" in fault.detail
        if mode == "abort":
            assert "signal 6" in fault.detail
        # The tournament goes on: a restarted engine plays the next game.
        again = play_game(Job(1, 0, 1, white, black, start_fen(8, 8)), players)
        assert fault_of(again).kind == kind
    finally:
        players.close()


@pytest.mark.parametrize(
    ("name", "value", "detail"),
    [
        ("Hash", "abc", "option 'Hash': 'abc' is not a number"),
        ("Hash", "0", "option 'Hash': 0 is not between 1 and 1024"),
        ("Hash", "1025", "option 'Hash': 1025 is not between 1 and 1024"),
        ("Ponder", "maybe", "option 'Ponder': 'maybe' is neither true nor false"),
        ("Nothing", "1", "has no option 'Nothing'"),
        ("File", "a.nnue", "File 'a.nnue' refused: it is empty"),
    ],
)
def test_option_that_is_not_taken(toy: str, name: str, value: str, detail: str) -> None:
    """A game with a setting other than the requested one would be worthless."""
    options = {f"option.{name}": value}
    bad = build({"name": "bad", "cmd": f"{toy} refusing", **PATIENT, **options})
    good = build({"name": "good", "cmd": toy, **PATIENT})
    players = PlayerCache()
    try:
        record = play_game(Job(0, 0, 1, bad, good, start_fen(8, 8)), players)
    finally:
        players.close()
    fault = fault_of(record)
    assert (fault.engine, fault.kind, fault.detail) == ("bad", "setup", detail)


def test_second_answer_is_not_the_next_move(toy: str) -> None:
    """The stray line is recognised as such or, if it came too late, refused as an illegal move."""
    bad = build({"name": "bad", "cmd": f"{toy} double", **PATIENT})
    good = build({"name": "good", "cmd": f"{toy} pause", **PATIENT})
    players = PlayerCache()
    record = play_game(Job(0, 0, 1, bad, good, start_fen(8, 8)), players)
    players.close()
    assert record.result == "0-1"
    assert fault_of(record).kind in ("garbage", "illegal move")


def test_noise_is_ignored_as_uci_says(toy: str, tmp_path: Path) -> None:
    """Nonsense between the lines does no harm, and the records of such games stay readable."""
    bad = build({"name": "noise", "cmd": f"{toy} noise 1", **PATIENT})
    good = build({"name": "good", "cmd": toy, **PATIENT})
    players = PlayerCache()
    record = play_game(Job(0, 0, 1, bad, good, start_fen(8, 8)), players)
    players.close()
    assert record.fault is None and record.termination == "normal", record.fault
    (game,) = pgn.read_games(write_game(decode_game(msgspec.json.encode(record)), "noise"))
    assert [move.uci() for move in game.mainline_moves()] == record.moves


def test_a_text_about_a_score_is_none(toy: str) -> None:
    chatty = build({"name": "chatty", "cmd": f"{toy} chatty", **PATIENT})
    plain = build({"name": "plain", "cmd": toy, **PATIENT})
    players = PlayerCache()
    record = play_game(Job(0, 0, 1, chatty, plain, start_fen(8, 8)), players)
    players.close()
    assert {seen(move) for move in record.log} == {("+0.10", 1, 1)}


@pytest.mark.parametrize(
    ("mode", "logged"),
    [("unfinished", (None, None, None)), ("spaced", ("-0.20", 2, 3)), ("bounds", ("+0.10", 1, 1))],
)
def test_what_is_no_fault(toy: str, mode: str, logged: tuple[object, ...]) -> None:
    """`ponder` without a move, any white space, and mates that are bounds and prove nothing."""
    odd = build({"name": "odd", "cmd": f"{toy} {mode} 1", **PATIENT})
    good = build({"name": "good", "cmd": toy, **PATIENT})
    players = PlayerCache()
    record = play_game(Job(0, 0, 1, odd, good, start_fen(8, 8)), players)
    players.close()
    assert record.fault is None, record.fault
    assert {seen(move) for move in record.log[::2]} == {logged}


def test_mute_engine_is_given_up(toy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petardlib.play.uciprocess.UciProcess.timeout_ms", 300.0)
    bad = build({"name": "bad", "cmd": f"{toy} mute", "movetime": 100, "hang": 300})
    good = build({"name": "good", "cmd": "cat", "movetime": 100})
    players = PlayerCache()
    record = play_game(Job(0, 0, 1, bad, good, start_fen(8, 8)), players)
    players.close()
    assert fault_of(record).kind == "stalled" and record.result == "0-1"


def test_hang_without_a_clock(toy: str) -> None:
    bad = build({"name": "bad", "cmd": f"{toy} silence", "nodes": 5, "hang": 200})
    good = build({"name": "good", "cmd": toy, "nodes": 5})
    players = PlayerCache()
    record = play_game(Job(0, 0, 1, bad, good, start_fen(8, 8)), players)
    players.close()
    assert fault_of(record).kind == "stalled" and record.termination == "stalled"


def test_clock_runs_out(toy: str) -> None:
    """10 ms per move from 60 ms without increment: the flag falls by the runner's own clock.

    How many moves that takes depends on the machine; the measured times and the time left add up
    to the full clock.
    """
    slow = build({"name": "slow", "cmd": f"{toy} pause", "tc": "0.06", "margin": 0})
    fast = build({"name": "fast", "cmd": toy, "tc": "6000"})
    players = PlayerCache()
    record = play_game(Job(0, 0, 1, slow, fast, start_fen(8, 8)), players)
    players.close()
    assert record.termination == "time forfeit" and record.result == "0-1"
    own = [move.ms for move in record.log[::2]]
    assert fault_of(record).engine == "slow" and fault_of(record).ply == 2 * len(own) + 1
    found = re.search(r"after (\d+) ms, (\d+) ms allowed", fault_of(record).detail)
    assert found and int(found[1]) >= int(found[2])
    assert abs(sum(own) + int(found[2]) - 60) < 2, (own, record.fault)
    assert record.controls == ("0.06+0", "6000+0")


def test_overhead_is_measured(toy: str) -> None:
    """What the runner adds between two moves, without any time used by the engines."""
    fast = build({"name": "fast", "cmd": toy, **PATIENT})
    slow = build({"name": "slow", "cmd": f"{toy} pause", **PATIENT})
    players = PlayerCache()
    record = play_game(Job(0, 0, 1, fast, slow, start_fen(8, 8)), players)
    players.close()
    pauses = len(record.log)
    engines_s = sum(move.ms for move in record.log) / 1000
    # More than half of the pauses between moves were as long as the median.
    runner_s = (record.overhead_us or 0) * 1e-6 * ((pauses - 1) // 2)
    assert runner_s > 0 and runner_s + engines_s <= record.duration_s
