"""Analysis of positions and games, and the opening tool."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import (
    PATIENCE,
    SCRIPTS,
    line_count,
    living,
    run_script,
    start_fen,
    start_script,
    wait_until,
)
from petard import pgn
from petardlib.analysis.accounts import Account
from petardlib.analysis.judge import (
    GameReport,
    Ply,
    Thresholds,
    accuracy,
    judge_game,
    read_test,
    solved,
)
from petardlib.analysis.records import Analysis, Line
from petardlib.analysis.tasks import MAX_BOARDS, AnalystCache, key_of, keys_of, tasks_of
from petardlib.analysis.view import account_text
from petardlib.base.errors import EngineError
from petardlib.commands.openings import main as openings
from petardlib.play.bookmaker import OpeningCriteria, score_position
from petardlib.play.engine import Engine
from petardlib.play.inputs import Reading, judge
from petardlib.play.spec import load_engines
from petardlib.rules.positions import parse_epd, position_key
from petardlib.rules.score import Score

EPD = """\
8/P7/8/8/8/8/7p/8 w - - bm a7a8 a7b8; id "win in one";
8/1p6/8/P7/8/8/7p/8 w - - dm 3; id "lost race";
8/8/8/1p6/P7/8/8/8 w - - am a4a5; dm 1; id "take it";
P7/8/8/8/8/8/7p/8 b - - id "over";
"""


def analysed(words: list[str], stdin: str = "") -> subprocess.CompletedProcess[str]:
    return run_script("analyse.py", *words, stdin=stdin.encode())


def test_epd_set(fairy: str, tmp_path: Path) -> None:
    (tmp_path / "t.epd").write_text(EPD)
    words = [
        str(tmp_path / "t.epd"),
        *("--engine", "name=one", f"cmd={fairy}", "--engine", "name=two", f"cmd={fairy}"),
        *("--each", "nodes=2000", "--csv", str(tmp_path / "t.csv")),
        *("--resume", str(tmp_path / "t.jsonl"), "--html", str(tmp_path / "t.html")),
        *("--json", str(tmp_path / "t.json")),
    ]
    done = analysed(words)
    assert done.returncode == 0, done.stderr
    assert "one: 2 of 3 solved" in done.stdout and "two: 2 of 3 solved" in done.stdout
    rows = list(csv.DictReader((tmp_path / "t.csv").open()))
    assert [row["solved"] for row in rows] == ["True"] * 2 + ["False"] * 2 + ["True"] * 2 + [""]
    assert rows[0]["score"] == "+M1" and rows[0]["win_probability"] == "1.0000"
    before = [(tmp_path / name).read_text() for name in ("t.jsonl", "t.json")]
    again = analysed(words)
    assert "6 positions are already analysed" in again.stdout
    assert [(tmp_path / name).read_text() for name in ("t.jsonl", "t.json")] == before
    records = [json.loads(line) for line in before[1].splitlines()]
    assert [record["item"] for record in records] == [1, 1, 2, 2, 3, 3, 4]
    answers = [record.get("solved") for record in records]
    assert answers == [True] * 2 + [False] * 2 + [True] * 2 + [None]
    assert [len(text.splitlines()) for text in before] == [7, 7]


def test_an_engine_that_gives_only_moves_counts_everywhere(tmp_path: Path) -> None:
    engine, files = tmp_path / "engine", {name: tmp_path / name for name in ("csv", "json", "html")}
    engine.write_text(
        "#!/bin/sh\nwhile read -r line; do case $line in\nuci) echo uciok;; "
        "isready) echo readyok;; go*) echo bestmove a7a8;; quit) exit;; esac; done\n"
    )
    engine.chmod(0o755)
    (tmp_path / "t.epd").write_text(EPD)
    done = analysed(
        [str(tmp_path / "t.epd"), "--engine", "name=e", f"cmd={engine}", "nodes=1"]
        + [word for name, path in files.items() for word in (f"--{name}", str(path))]
    )
    assert done.returncode == 0 and "e: 1 of 3 solved" in done.stdout, done.stderr
    rows = list(csv.DictReader(files["csv"].open()))
    assert [row["solved"] for row in rows] == ["True", "False", "False", ""]
    records = map(json.loads, files["json"].read_text().splitlines())
    assert [record.get("solved") for record in records] == [True, False, False, None]


def test_positions_where_the_game_is_over_are_in_every_output(toy: str, tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("csv", "json")}
    won = "P7/8/8/8/8/8/7p/8 b 0 1"
    done = analysed(
        ["-", "--engine", f"cmd={toy}", "nodes=1"]
        + [word for name, path in files.items() for word in (f"--{name}", str(path))],
        stdin=f"{won}\n8/P7/8/8/8/8/7p/8 w 0 1\n",
    )
    assert done.returncode == 0 and "game over: 1-0" in done.stdout, done.stderr
    rows = list(csv.DictReader(files["csv"].open()))
    assert [row["item"] for row in rows] == ["1", "2"]
    assert [row["result"] for row in rows] == ["1-0", ""] and rows[0]["fen"] == won
    first, second = map(json.loads, files["json"].read_text().splitlines())
    assert (first["kind"], first["fen"], first["result"]) == ("finished", won, "1-0")
    assert second["kind"] == "analysis" and second["item"] == 2


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("8/P7/8/8/8/8/7p/8 w - - bm;", [], "bm without a move"),
        ("8/P7/8/8/8/8/7p/8 w - - BM a7b7;", [], "bm: "),
        ("8/P7/8/8/8/8/7p/8 w 0 1", ["restart=maybe"], "restart=maybe: expected on or off"),
        (
            "8/P7/8/8/8/8/7p/8 w 0 1",
            ["--multipv", "500"],
            "option 'MultiPV': 500 is not between 1 and 384",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(
    petard: str, text: str, words: list[str], message: str
) -> None:
    done = analysed(["-", "--engine", f"cmd={petard}", "nodes=1", *words], stdin=text)
    assert done.returncode == 2 and message in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


def test_position_from_moves_and_pipe(fairy: str) -> None:
    done = analysed(
        [
            *("--position", "startpos moves a2a3 a7b6", "--multipv", "3"),
            *("--engine", f"cmd={fairy}", "nodes=1000"),
        ]
    )
    assert done.returncode == 0, done.stderr
    assert "White to move" in done.stdout and "[X]" in done.stdout
    piped = analysed(
        ["-", "--board", "6x6", "--positions", "--engine", f"cmd={fairy}", "depth=4"],
        stdin="a2a3 a5a4\n",
    )
    assert piped.returncode == 0, piped.stderr
    assert "pppppp/1ppppp/6/p5/" not in piped.stdout and "p5/P5/1PPPPP/PPPPPP w" in piped.stdout


def test_whole_games_are_reviewed_as_games(petard: str, tmp_path: Path) -> None:
    path, out = tmp_path / "games.txt", tmp_path / "out.json"
    path.write_text(
        "1. a2-a3 b7-b6\n1.b2-b3 Nf6\nhttps://trmph.com/breakthrough/board#5x6,a2a3\na2a3 b7b6\n"
    )
    words = [str(path), "--no-tables", "--json", str(out), "--engine", f"cmd={petard}", "nodes=99"]
    refused = analysed(words)
    assert refused.returncode == 2 and "games.txt, line 1, game 2: ply 2: 'Nf6'" in refused.stderr
    for more, plies in (([], [[0, 1, 2], [0, 1], [0, 1, 2]]), (["--positions"], [[2], [1], [2]])):
        done = analysed([*words, "--skip-errors", *more])
        assert done.returncode == 0, done.stderr
        assert f"left out: {path}, line 1, game 2: ply 2: 'Nf6'" in done.stdout
        records = [json.loads(line) for line in out.read_text().splitlines()]
        found = [record for record in records if record["kind"] == "analysis"]
        for item, wanted in enumerate(plies, start=1):
            assert [one["ply"] for one in found if one["item"] == item] == wanted
        assert sum(record["kind"] == "game" for record in records) == (0 if more else 3)


def test_an_engine_s_own_options_stay(petard: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    words = ["--position", "startpos", "--engine", f"cmd={petard}", "nodes=500", "option.multipv=3"]
    done = analysed([*words, "option.uci_showwdl=false", "--resume", str(out)])
    assert done.returncode == 0, done.stderr
    lines = json.loads(out.read_text().splitlines()[1])["lines"]
    assert [line["wdl"] for line in lines] == [None] * 3


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("startpos moves a2a3 a2a3", "ply 2: 'a2a3' is illegal"),
        ("8/8/8/8 x 0 1", "side to move 'x'"),
        ("", "nothing to analyse"),
        ("8/8/8/8/8/8/P7/8 w - - bm Nf3;", "bm: 'Nf3' is not a move"),
        ('[Event "x"]\n\n1. a2a3 a7a6 2. a3a5 *', "'a3a5' is illegal"),
        ("8/8/8/8/8/7p/P7/8 w - - bm a2a4;", "bm: 'a2a4' is illegal"),
        ("8/8/8/8/8/7p/P7/8 w - - am b2b3;", "am: 'b2b3' is illegal"),
        ("8/8/8/8/8/8/P7/8 w - - bm c3;", "bm: 'c3' is illegal"),
        ("8/8/8/8/8/8/P7/8 w - - dm ²;", "dm '²' is not a number of moves"),
        ("²/8/8/8/8/8/P7/8 w", "unknown character '²'"),
    ],
)
def test_bad_input_is_named(fairy: str, text: str, fault: str) -> None:
    done = analysed(["-", "--engine", f"cmd={fairy}", "depth=1"], stdin=text)
    assert done.returncode == 2 and fault in done.stderr.replace("\n", " "), done.stderr
    assert "Traceback" not in done.stderr


def test_another_encoding_is_read_whatever_the_locale(toy: str) -> None:
    game = '[White "Jörg"]\n\n1. a2a3 *\n'.encode("latin-1")
    words = ["-", "--engine", f"cmd={toy}", "nodes=1", "--json", "-", "--no-tables"]
    command = [sys.executable, str(SCRIPTS / "analyse.py"), *words]
    done = subprocess.run(
        command, input=game, capture_output=True, env={**os.environ, "LC_ALL": "C"}
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert json.loads(done.stdout.splitlines()[0])["title"] == "Jörg - ?"


GAME = """[Event "x"]
[White "w"]
[Black "b"]
[SetUp "1"]
[FEN "8/1P6/8/8/8/7P/2p5/8 w - - 0 1"]

1. h3h4 c2c1 0-1
"""


def test_games_are_written_back_with_annotations(petard: str, tmp_path: Path) -> None:
    path, out = tmp_path / "g.pgn", tmp_path / "out.pgn"
    path.write_text(
        GAME.replace("h3h4 c2c1", "h3h4 {idle [%eval 9.99]} (1. h3g4 $3 {else}) 1... c2c1 $5")
        + '\n[White "A"]\n\n1. b2b3 *\n'
    )
    words = [path, "--engine", f"cmd={petard}", "nodes=2000", "--pgn", out, "--no-tables"]
    done = run_script("analyse.py", *words)
    assert done.returncode == 0, done.stderr
    game, other = pgn.read_games(out.read_text())
    first, last = game.mainline()
    assert game.headers["Annotator"] == other.headers["Annotator"] == "petard (analyse.py)"
    # After White's idle move Black wins in one.
    assert first.nags == {4} and first.comment == "[%eval #-1] idle"
    assert [str(node.move) for node in game.variations][:2] == ["h3h4", "h3g4"]
    assert game.variations[1].nags == {3} and game.variations[1].comment == "else"
    better = game.variations[2]
    assert better.move is not None and better.move.uci() in ("b7a8", "b7b8", "b7c8")
    assert better.comment == "[%eval #1] wins in 1"
    assert last.nags == {5} and last.comment == ""
    (only,) = other.mainline()
    assert re.fullmatch(r"\[%eval -?\d\.\d\d\]", only.comment)
    assert run_script("analyse.py", *words).returncode == 0
    out.write_text(path.read_text())
    refused = run_script("analyse.py", *words)
    assert refused.returncode == 2 and "not written by this script" in refused.stderr


def test_missed_win_is_marked(fairy: str, tmp_path: Path) -> None:
    (tmp_path / "g.pgn").write_text(GAME)
    done = analysed(
        [
            *(str(tmp_path / "g.pgn"), "--engine", f"cmd={fairy}", "nodes=500"),
            *("--html", str(tmp_path / "g.html")),
        ]
    )
    assert done.returncode == 0, done.stderr
    assert "blunder, missed win in 1" in done.stdout
    assert "White: accuracy 5.0%" in done.stdout and "Black: accuracy 100.0%" in done.stdout


def test_judgement_by_hand() -> None:
    """Marks and accuracy from handwritten analyses, without an engine."""
    (item,) = Reading().text('[Event "x"]\n\n1. a2a3 a7a6 2. b2b3 *\n', "x")
    judge(item)
    # Centipawns before each move and at the end, from the mover's view, with the best move
    reported = [(0, "a2a3"), (100, "h7h6"), (350, "h2h3"), (-100, "a6a5")]
    records = {
        key_of("e", item.variant, item.fen, item.moves[:ply]): Analysis(
            "", best, [Line(cp, depth=1, pv=[best])]
        )
        for ply, (cp, best) in enumerate(reported)
    }
    found = [records.get(key) for key in keys_of("e", item)]
    report = judge_game(item, "e", found, Thresholds())
    assert report is not None
    first, second, third = report.plies
    assert (first.mark, first.loss) == ("best", 0.0)
    # 100 cp is 64.0%; after the move the opponent has 350 cp, 88.2%: 52.2% of 100% are lost
    assert second.mark == "blunder" and second.loss == pytest.approx(0.640 + 0.882 - 1, abs=2e-3)
    assert third.mark == "blunder" and third.loss == pytest.approx(0.882 - 0.640, abs=2e-3)
    assert report.curve[1] == pytest.approx(1 - 0.640, abs=1e-3)
    assert accuracy(0) == pytest.approx(100, abs=1e-3) and accuracy(1) == 0
    assert judge_game(item, "e", [None, *found[1:]], Thresholds()) is None
    # White's moves, 100% and 32.8%, weigh 7 and 12: the chances around them vary by 7 and 12.1
    # points. The weighted mean is 57.6, the harmonic mean 49.4.
    assert report.accuracy(False) == pytest.approx((second.accuracy + 10) / 2)
    assert report.accuracy(True) == pytest.approx((57.6 + 49.4) / 2, abs=0.1)


def test_moves_of_a_decided_game_are_not_accurate() -> None:
    """Ten moves that lost nothing because all was lost do not hide those that lost it."""

    def ply(number: int, accuracy: float) -> Ply:
        white = number % 2 == 1
        return Ply(number, white, "a2a3", "b2b3", 0, 0, 0, "good", accuracy, None, "", 1, [])

    curve = [0.5, 0.1, 0.1, *[0.0] * 18]
    report = GameReport("e", [ply(n + 1, 20 if n == 0 else 100) for n in range(20)], curve)
    assert report.accuracy(False) == 100
    mean = sum(p.accuracy for p in report.plies if p.white) / 10
    assert mean == 92
    assert (report.accuracy(True) or 0) < 65


def test_tests_of_epd_by_hand() -> None:
    items = Reading().text(EPD, "x")
    test = read_test(items[2])
    assert test is not None and test.dm == 1 and test.am == ("a4a5",)
    assert solved(test, Analysis("", "a4b5", [Line(mate=1)]))
    assert not solved(test, Analysis("", "a4a5", [Line(mate=1)]))
    assert not solved(test, Analysis("", "a4b5", [Line(mate=2)]))
    assert not solved(test, Analysis("", "a4b5", [Line(cp=900)]))
    assert read_test(items[3]) is None


def test_analysis_is_killed_and_resumed(toy: str, tmp_path: Path) -> None:
    lines = (SCRIPTS / "data" / "openings-8x8.epd").read_text().splitlines()[:120]
    (tmp_path / "p.epd").write_text("\n".join(lines))
    out = tmp_path / "p.jsonl"
    gate = tmp_path / "gate"
    words = [tmp_path / "p.epd", "--no-tables", "--resume", out, "--engine", "name=t"]
    words += [f"cmd={toy} gate 30 {gate}", "nodes=1", f"hang={1000 * PATIENCE}"]
    process = start_script("analyse.py", *words)
    wait_until(lambda: line_count(out) >= 20)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert len(out.read_text().splitlines()) < 120
    gate.touch()
    assert run_script("analyse.py", *words).returncode == 0
    keys = [json.loads(line)["key"] for line in out.read_text().splitlines()[1:]]
    assert len(keys) == len(set(keys)) == 120


def test_analyses_of_another_input_stay(toy: str, tmp_path: Path) -> None:
    """The same file for other positions: those it has from before are not lost."""
    out = tmp_path / "out.jsonl"
    for position in ("startpos", "startpos moves a2a3", "startpos"):
        is_known = out.exists() and position == "startpos"
        words = ["--position", position, "--engine", f"cmd={toy}", "nodes=1", "--resume", out]
        done = run_script("analyse.py", *words)
        assert done.returncode == 0, done.stderr
        assert ("resumed: 1 positions" in done.stdout) == is_known
    records = [json.loads(line) for line in out.read_text().splitlines()[1:]]
    assert [record["moves"] for record in records] == [[], ["a2a3"]]


def test_a_failing_engine_is_named(toy: str) -> None:
    done = analysed(
        ["--position", "startpos", "--engine", "name=bad", f"cmd={toy} crash 1", "depth=1"]
    )
    assert done.returncode == 2 and "engine 'bad'" in done.stderr
    assert "exited with code 7" in done.stderr and "Traceback" not in done.stderr


def test_engines_for_other_boards_do_not_pile_up(toy: str) -> None:
    marker = f"fair {20_000_000 + os.getpid()}"
    specs = load_engines([[f"cmd={toy} {marker}", "nodes=1"]], [])
    fens = [start_fen(files, 6) for files in (4, 5, 6, 7, 8)]
    items = Reading().text("".join(f"{fen}\n" for fen in fens), "x")
    for item in items:
        judge(item)
    analysts = AnalystCache()
    try:
        for task in tasks_of(items, specs, 1):
            analysts.get(specs[0], task)
        assert len(living(marker)) == MAX_BOARDS
    finally:
        analysts.close()
    assert not living(marker)


def test_openings_are_reproducible_and_balanced(fairy: str, tmp_path: Path) -> None:
    words = ["openings.py", "--engine", f"cmd={fairy}", "depth=4", "--count", 12, "--plies", 6]
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        done = run_script(*words, "--seed", seed, "--board", "6x6", "--out", tmp_path / name)
        assert done.returncode == 0, done.stderr
    a, b, c = ((tmp_path / name).read_text() for name in "abc")
    assert a == b != c
    for line in a.splitlines():
        epd = parse_epd(line)
        assert (epd.board.files, epd.board.ranks) == (6, 6)
        assert 0.4 <= Score(cp=int(epd.ops["ce"])).win_probability() <= 0.6
    narrow = run_script(*words, "--window", "0.7", "0.6")
    assert narrow.returncode == 2 and "LOW < HIGH" in narrow.stderr


def test_openings_found_before_a_fault_are_kept(
    toy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "o.epd"
    words = ["openings.py", "--engine", f"cmd={toy}", "name=toy", "nodes=1", "--out", str(out)]
    # There are fewer than these on so small a board.
    few = run_script(*words, "--count", "5", "--plies", "1", "--board", "3x4")
    assert few.returncode == 2 and "only 2 of 5 openings found" in few.stderr
    assert "what was found before is kept" in few.stderr and line_count(out) == 2
    out.unlink()

    left = iter(range(4))

    def score(engine: Engine, fen: str) -> Score:
        if next(left, None) is None:
            raise EngineError("crash", "exited with code 7")
        return Score(cp=10)

    monkeypatch.setattr("petardlib.play.bookmaker.score_position", score)
    monkeypatch.setattr(sys, "argv", words)
    assert openings() == 2 and line_count(out) == 4
    reported = " ".join(capsys.readouterr().err.split())
    assert "4 of 100 openings" in reported
    assert "engine 'toy': crash: exited with code 7; what was found before is kept" in reported
    out.unlink()
    # Nothing was found: the next try needs no other name.
    assert openings() == 2 and not out.exists()
    assert "kept" not in capsys.readouterr().err

    def stop(engine: Engine, fen: str) -> Score:
        raise KeyboardInterrupt

    monkeypatch.setattr("petardlib.play.bookmaker.score_position", stop)
    assert openings() == 130 and not out.exists()
    reported = capsys.readouterr().err
    assert "stopped" in reported and "keeping" not in reported


def test_an_opening_is_scored_however_late_the_engine_is(toy: str) -> None:
    words = [f"cmd={toy} pause", "movetime=1", "margin=0", f"hang={1000 * PATIENCE}"]
    engine = Engine(load_engines([words], [])[0])
    try:
        assert score_position(engine, start_fen(8, 8)) == Score(cp=10)
    finally:
        engine.close()


def test_an_answer_takes_no_negative_time(toy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be read before the thread that wrote the question has noted the time."""
    engine = Engine(load_engines([[f"cmd={toy}", "nodes=1"]], [])[0])
    try:
        send = Engine.send
        monkeypatch.setattr(Engine, "send", lambda *args: send(*args) + PATIENCE)
        reply = engine.think(f"position fen {start_fen(8, 8)}", "go nodes 1", 1000 * PATIENCE)
        assert reply.elapsed == 0
    finally:
        engine.close()


@pytest.mark.parametrize(("board", "count"), [("8x8", 500), ("7x7", 200), ("6x6", 100)])
def test_shipped_openings(board: str, count: int) -> None:
    lines = (SCRIPTS / "data" / f"openings-{board}.epd").read_text().splitlines()
    fens = [parse_epd(line).board for line in lines]
    assert len(fens) == count
    assert len({position_key(fen) for fen in fens}) == count, "no duplicates or mirrors"
    assert {f"{fen.files}x{fen.ranks}" for fen in fens} == {board}


def test_window() -> None:
    criteria = OpeningCriteria(1, low=0.45, high=0.55)
    assert (
        criteria.fits(Score(cp=0))
        and not criteria.fits(Score(cp=100))
        and not criteria.fits(Score(mate=3))
    )
    assert criteria.fits(Score(cp=500, wdl=(500, 0, 500)))
    bounded = OpeningCriteria(1, centipawns=50)
    assert bounded.fits(Score(cp=-50)) and not bounded.fits(Score(cp=51))
    assert not bounded.fits(Score(cp=0, proven=True))


def test_an_empty_position_and_no_engine(petard: str) -> None:
    for words in (["--position", ""], ["--position", "  ", "--engine", f"cmd={petard}"]):
        done = analysed(words)
        assert done.returncode == 2 and "an empty position" in done.stderr
        assert "Traceback" not in done.stderr
    # The default engine is the petard that is found
    done = analysed(["--position", "startpos", "--each", "depth=2"])
    assert done.returncode == 0 and "petard" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("position", "fault"),
    [
        ("fen " + "/".join(["12"] * 12) + " w 0 1", "board size 12x12 is not supported"),
        ("fen 8/8/8/8/8/8/P6p/8 w 70000 1", "counter '70000'"),
    ],
)
def test_a_refused_position_is_no_other_one(petard: str, position: str, fault: str) -> None:
    done = analysed(["--position", position, "--engine", f"cmd={petard}", "depth=2"])
    assert done.returncode == 2 and done.stdout == "", done.stdout
    assert fault in done.stderr and position.split()[1] in done.stderr, done.stderr


GAMES = """[Event "x"]
[White "Anna"]
[Black "Bert"]

1. a2a3 a7a6 2. b2b3 *

[Event "x"]
[White "Bert"]
[Black "Anna"]
[SetUp "1"]
[FEN "8/1P6/8/8/8/7P/2p5/8 w - - 0 1"]

1. h3h4 c2c1 0-1
"""


def test_records_can_be_joined_to_games(petard: str, tmp_path: Path) -> None:
    path, result = tmp_path / "g.jsonl", tmp_path / "g.json"
    (tmp_path / "g.pgn").write_text(GAMES)
    words = [str(tmp_path / "g.pgn"), "--engine", f"cmd={petard}", "nodes=300"]
    words += ["--resume", str(path), "--json", str(result)]
    report = tmp_path / "g.html"
    done = analysed([*words, "--workers", "2", "--html", str(report)])
    assert done.returncode == 0, done.stderr
    records = [json.loads(line) for line in result.read_text().splitlines()]
    positions = [record for record in records if record["kind"] == "analysis"]
    # In input order, not in order of completion; the end of the second game needs no analysis.
    assert [(one["item"], one["ply"]) for one in positions] == [
        (1, 0), (1, 1), (1, 2), (1, 3), (2, 0), (2, 1),
    ]  # fmt: skip
    start = start_fen(8, 8)
    for one in positions[:4]:
        assert one["start"] == start and one["title"] == "Anna - Bert"
        assert one["moves"] == ["a2a3", "a7a6", "b2b3"][: one["ply"]]
        (item,) = Reading().text(f"fen {start} moves {' '.join(one['moves'])}", "x")
        judge(item)
        assert item.boards[-1].split()[:2] == one["fen"].split()[:2]
    assert [one["move"] for one in positions] == ["a2a3", "a7a6", "b2b3", None, "h3h4", "c2c1"]
    assert positions[4]["mark"] == "blunder" and positions[4]["missed_win"] == 1
    games = [record for record in records if record["kind"] == "game"]
    assert [game["game"] for game in games] == [1, 2]
    assert games[1]["white"]["blunder"] == 1 and games[1]["black"]["missed_wins"] == 0
    (summary,) = (record for record in records if record["kind"] == "summary")
    anna, bert = summary["players"]
    assert (anna["player"], anna["games"], anna["moves"]) == ("Anna", 2, 3)
    assert (bert["player"], bert["games"], bert["moves"]) == ("Bert", 2, 2)
    assert bert["missed_wins"] == 1
    assert "All 2 games by petard" in done.stdout
    (text,) = re.findall(r'id="review">(.*?)</script>', report.read_text(), re.S)
    review = json.loads(text)
    assert [item["title"] for item in review["items"]] == ["1. Anna - Bert", "2. Bert - Anna"]
    (found,) = review["items"][1]["found"]
    assert [verdict["missed"] for verdict in found["verdicts"]] == [1, None]
    assert len(found["places"]) == 3 and review["items"][1]["end"]["winner"] == "black"
    (table,) = review["tables"]
    assert table["title"] == "All 2 games by petard" and table["rows"][0][:3] == ["Anna", 2, 3]
    # The same command adds nothing; other thresholds need no new analysis.
    before = path.read_text(), result.read_text()
    again = analysed(words)
    assert "6 positions are already analysed" in again.stdout
    assert (path.read_text(), result.read_text()) == before


def test_counts_have_their_plurals() -> None:
    account = Account("x", moves=9, accuracy_sum=810.0)
    account.marks |= {"best": 1, "inaccuracy": 6, "mistake": 1}
    account.missed_wins = 1
    assert account_text(account) == (
        "accuracy 90.0%, 1 best move, 6 inaccuracies, 1 mistake, 0 blunders, 1 missed win"
    )


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["--multipv", "0"], "--multipv 0: must be at least 1"),
        (["--scale", "nan"], "--scale nan: must be a finite number"),
        (["--scale", "0"], "--scale 0: must be more than 0"),
        (["--scale", "-5"], "--scale -5: must be more than 0"),
        (["--blunder", "nan"], "expected 0 < --inaccuracy"),
        (["--blunder", "inf"], "expected 0 < --inaccuracy"),
    ],
)
def test_bad_numbers_are_named(words: list[str], fault: str) -> None:
    done = analysed(["--position", "startpos", *words])
    assert done.returncode == 2 and fault in done.stderr, done.stderr


def test_markup_in_a_file_name_is_a_name(fairy: str, tmp_path: Path) -> None:
    name = tmp_path / "a[/b] [red]:smile:.html"
    done = analysed(
        ["--position", "startpos", "--engine", f"cmd={fairy}", "depth=1", "--html", str(name)]
    )
    assert done.returncode == 0 and f"report: {name}" in done.stdout, done.stderr


def test_edited_records_are_named_by_their_line(fairy: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    words = ["--position", "startpos", "--engine", f"cmd={fairy}", "depth=1", "--resume", str(path)]
    assert analysed(words).returncode == 0
    header, record = path.read_text().splitlines()
    change: dict[str, Any]
    for change in (
        {"lines": 5},
        {"lines": [{}]},
        {"best": None},
        {"key": []},
        {"lines": [{**json.loads(record)["lines"][0], "cp": "much"}]},
        {"lines": [{**json.loads(record)["lines"][0], "wdl": 5}]},
    ):
        text = f"{header}\n{json.dumps({**json.loads(record), **change})}\n"
        path.write_text(text)
        done = analysed(words)
        assert done.returncode == 2 and "a.jsonl, line 2: not a record" in done.stderr, done.stderr
        assert "Traceback" not in done.stderr and path.read_text() == text


def test_an_engine_that_says_nothing_but_a_move(toy: str) -> None:
    words = [
        "analyse.py",
        "--position",
        "startpos",
        "--engine",
        f"cmd={toy} capitals 1",
        "nodes=10",
    ]
    done = run_script(*words)
    assert done.returncode == 0, done.stderr
    assert re.search(r"│ [A-H]2[A-H]3 │", done.stdout), done.stdout
    done = run_script(*words, "--prove", "1")
    assert done.returncode == 2 and "is not petard and has no prover (--prove)" in done.stderr
