"""What petard says about proofs, and what an analysis makes of it."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import run_script
from petardlib.analysis.judge import Thresholds, judge_game
from petardlib.analysis.records import Analysis, Line
from petardlib.analysis.tasks import key_of, keys_of
from petardlib.play.inputs import Reading, judge
from petardlib.play.proofwatch import ProofWatch
from petardlib.play.uci import Info, parse_infos

INFO = "info depth {} seldepth 9 multipv 1 score {} nodes 100 nps 100 hashfull 0 time 1 pv {}"


def heard(*lines: str) -> tuple[str | None, dict[int, Info]]:
    watch = ProofWatch()
    last = {}
    for line in lines:
        if not watch.hear(line) and " score " in line:
            last[1] = line
    infos = parse_infos(last)
    watch.judge(infos)
    return watch.winner, infos


def test_the_proofs_line_goes_over_what_the_search_thinks() -> None:
    winner, infos = heard(
        "info string proof white wins",
        INFO.format(1, "cp 30", "a2a3"),
        INFO.format(2, "cp 31", "a2a3 b5b4"),
        "info string proof white wins",
        INFO.format(2, "mate 22", "c2b3"),
    )
    score = infos[1].score
    assert winner == "white" and score is not None
    assert (score.cp, score.mate, score.proven) == (31, None, True)
    assert score.text() == "won" and score.win_probability() == 1.0
    assert infos[1].pv == ["c2b3"]


def test_a_result_of_the_search_keeps_its_distance() -> None:
    winner, infos = heard(
        "info string proof black wins",
        INFO.format(1, "mate 3", "a2a3"),
        INFO.format(2, "mate 2", "a2b3"),
    )
    score = infos[1].score
    assert winner == "black" and score is not None
    assert (score.mate, score.proven, score.text()) == (2, None, "+M2")


def test_an_answer_at_once_is_taken_as_it_is() -> None:
    _, infos = heard("info string proof black wins", INFO.format(1, "mate -22", "a2b3"))
    score = infos[1].score
    assert score is not None and (score.mate, score.text()) == (-22, "-M22")
    assert infos[1].pv == ["a2b3"]
    winner, infos = heard("info string proof unknown", INFO.format(1, "cp 3", "a2b3"))
    assert winner is None and infos[1].score is not None and infos[1].score.cp == 3


def judged(
    *reported: tuple[int, bool | None, str], mates: dict[int, int] | None = None
) -> list[tuple[str, int | None, float]]:
    """Mark, missed win and loss of each move, from centipawns, proof and best move.

    ``mates`` are the scores that the search itself has proven, by ply.
    """
    (item,) = Reading().text('[Event "x"]\n\n1. a2a3 a7a6 2. b2b3 *\n', "x")
    judge(item)
    records = {}
    for ply, (cp, proven, best) in enumerate(reported):
        mate = (mates or {}).get(ply)
        key = key_of("e", item.variant, item.fen, item.moves[:ply])
        line = Line(cp, mate, proven=proven, depth=1, pv=[best])
        records[key] = Analysis(key, best, [line])
    found = [records.get(key) for key in keys_of("e", item)]
    report = judge_game(item, "e", found, Thresholds())
    assert report is not None
    return [(ply.mark, ply.missed_win, round(ply.loss, 2)) for ply in report.plies]


def test_a_proven_win_given_away_is_marked() -> None:
    even = (0, None, "h7h6")
    # White has a proven win, and Black has one after White's move.
    first, *_ = judged((10, True, "b2b3"), (0, True, "h7h6"), even, even)
    assert first == ("blunder", 0, 1.0)
    # Another winning move gives nothing away.
    first, *_ = judged((10, True, "b2b3"), (0, False, "h7h6"), even, even)
    assert first == ("good", None, 0.0)
    # The value of the position after it is not known: only estimates can be compared.
    first, *_ = judged((0, True, "b2b3"), even, even, even)
    assert first == ("good", None, 0.0)


def test_a_win_is_missed_only_if_it_is_certainly_gone() -> None:
    even = (0, None, "h7h6")

    def missed(before: tuple[int, bool | None, str], **known: dict[int, int]) -> int | None:
        (_, found, _), *_ = judged(before, even, even, even, **known)
        return found

    won = (0, None, "b2b3")
    # The search did not confirm the win, whatever it thinks of the position.
    assert missed(won, mates={0: 3}) is None
    assert judged(won, (900, None, "h7h6"), even, even, mates={0: 3})[0][:2] == ("blunder", None)
    # It found a win after the move, of the mover and of the other side.
    assert missed(won, mates={0: 3, 1: -5}) is None
    assert missed(won, mates={0: 3, 1: 4}) == 3
    # The prover did.
    assert judged(won, (0, True, "h7h6"), even, even, mates={0: 3})[0] == ("blunder", 3, 1.0)
    assert judged(won, (0, False, "h7h6"), even, even, mates={0: 3})[0] == ("good", None, 0.0)
    assert missed((0, True, "b2b3"), mates={1: 4}) == 0
    # The best move misses nothing.
    assert missed((0, None, "a2a3"), mates={0: 3, 1: 4}) is None


def test_the_prover_is_asked(petard: str, toy: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    engine = ["--engine", f"cmd={petard}", "depth=2", "option.ProofFile=<empty>"]
    words = ["--position", "fen pppp/pppp/4/PPPP/PPPP w", *engine, "--resume", path, "--multipv", 2]
    done = run_script("analyse.py", *words, "--prove", "60")
    assert done.returncode == 0, done.stderr
    assert "lost" in done.stdout and "0.0%" in done.stdout
    record = json.loads(path.read_text().splitlines()[1])
    # Whatever is played has lost, and all that is said about a line agrees.
    for line in record["lines"]:
        assert (line["proven"], line["wdl"]) == ("lost", [0, 0, 1000])
    # Other engines have no prover.
    words = ["--position", "startpos", "--engine", f"cmd={toy}", "nodes=1", "--prove", 1]
    done = run_script("analyse.py", *words)
    assert done.returncode == 2 and "is not petard and has no prover" in done.stderr
