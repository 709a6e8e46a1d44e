"""Ratings, standings and verdicts from the games of tournaments."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from conftest import run_script
from petardlib.play.display import print_match, score_line
from petardlib.stats.games import GameRecord, MoveLog, decode_game
from petardlib.stats.ratings import groups, rate
from petardlib.stats.standings import as_markdown, standings
from petardlib.stats.summary import Summary


def record(white: str, black: str, result: Any, pair: int = 0) -> GameRecord:
    return GameRecord(white, black, result, index=pair, pair=pair)


def ledger(path: Path, games: list[GameRecord]) -> Path:
    lines = [{"kind": "tournament"}, *map(msgspec.to_builtins, games)]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def pgn_of(games: list[GameRecord]) -> str:
    return "".join(
        f'[White "{g.white}"]\n[Black "{g.black}"]\n[Result "{g.result}"]\n'
        f'[Round "{g.pair}"]\n\n1. b2b3 {g.result}\n\n'
        for g in games
    )


def test_tags_count_whatever_case_their_names_are_in(tmp_path: Path) -> None:
    games = [record("ada", "bob", result, pair) for pair, result in enumerate(["1-0", "0-1"])]
    text = pgn_of(games)
    for name in ("White", "Black", "Result", "Round"):
        text = text.replace(f"[{name} ", f"[{name.lower()} ")
    (tmp_path / "g.pgn").write_text(text.replace("1. b2b3 1-0", "1. b2b3 *"))
    done = run_script("rate.py", tmp_path / "g.pgn", "--json", tmp_path / "j")
    assert done.returncode == 0 and "without a result" not in done.stdout, done.stderr
    result = json.loads((tmp_path / "j").read_text())
    assert result["games"] == 2 and {one["name"] for one in result["standings"]} == {"ada", "bob"}


def test_an_anchor_has_its_rating_and_no_error() -> None:
    rows = [("a", "b", 30.0, 40.0), ("b", "a", 12.0, 40.0), ("c", "b", 10.0, 40.0)]
    free, fixed = rate(rows), rate(rows, anchor=("b", 2000.0))
    assert free is not None and fixed is not None
    elo = {line.name: line.elo for line in fixed.ratings}
    errors = {line.name: line.error for line in fixed.ratings}
    assert elo["b"] == 2000.0 and errors["b"] == 0.0 < errors["a"] < errors["c"]
    # Differences are the same.
    before = {line.name: line.elo for line in free.ratings}
    assert math.isclose(elo["a"] - elo["c"], before["a"] - before["c"], rel_tol=1e-9)
    # For two players the error of the difference is that of one difference of a match.
    two = rate(rows[:2], with_advantage=False, anchor=("b", 0.0))
    assert two is not None
    line = next(one for one in two.ratings if one.name == "a")
    assert math.isclose(line.elo, 400 * math.log10(58 / 22), rel_tol=1e-6)
    spread = 1.959964 * (400 / math.log(10)) / math.sqrt(80 * (58 / 80) * (22 / 80))
    assert math.isclose(line.error, spread, rel_tol=1e-5)
    assert groups([*rows, ("x", "y", 1.0, 1.0)]) == [{"a", "b", "c"}, {"x", "y"}]


@pytest.mark.parametrize(
    ("results", "shown"),
    [
        (
            "1-0 0-1 1-0 0-1",
            ["Elo has no estimate: a won every pair of games", "(0-2): 0, 0, 0, 0, 2"],
        ),
        ("0-1 1-0", ["Elo has no estimate: b won every pair of games", "(0-2): 1, 0, 0, 0, 0"]),
        (
            "1-0 0-1 1-0 1-0",
            ["Elo +190.8 ± ", "normalised Elo ", "(0-2): 0, 0, 1, 0, 1   LOS 92.1%"],
        ),
        ("1-0 0-1 0-1 1-0", ["Elo +0.0 ± ", "(0-2): 1, 0, 0, 0, 1   pairs ratio 1.00   LOS 50.0%"]),
    ],
)
def test_a_match_is_summed_up_in_words(results: str, shown: list[str]) -> None:
    summary = Summary(["a", "b"])
    for index, result in enumerate(results.split()):
        white, black = ("b", "a") if index % 2 else ("a", "b")
        summary.add(record(white, black, result, index // 2))
    console = Console(width=200, record=True, file=io.StringIO())
    print_match(console, summary, None)
    text = console.export_text()
    assert ("Elo" in score_line(summary, None)) == ("no estimate" not in text)
    assert [part for part in (*shown, "inf", "?", " - ") if part in text] == shown, text


def test_ties_are_broken() -> None:
    """A round robin of four with two on the top and two at the bottom."""
    summary = Summary("abcd")
    for game in (
        record("a", "b", "0-1"), record("a", "c", "1-0"), record("d", "a", "0-1"),
        record("b", "c", "0-1"), record("b", "d", "1-0"), record("c", "d", "0-1"),
    ):  # fmt: skip
        summary.add(game)
    lines = standings(summary)
    assert [line.name for line in lines] == ["b", "a", "d", "c"]
    assert [(line.points, line.direct) for line in lines] == [(2, 1), (2, 0), (1, 1), (1, 0)]
    # The shares of those who were beaten: b beat a (2/3) and d (1/3), d beat c (1/3).
    assert [line.sonneborn_berger for line in lines] == [1.0, 0.67, 0.33, 0.67]
    assert as_markdown(lines).splitlines()[2].startswith("| 1 | b | 3 | 2 | 66.7% | 2 | 0 | 1 | 1")


def test_players_with_equal_results_share_a_place() -> None:
    summary = Summary("abcd")
    for loser in "bcd":
        summary.add(record("a", loser, "1-0"))
    for white, black, result in (("b", "c", "1-0"), ("c", "d", "1-0"), ("d", "b", "1-0")):
        summary.add(record(white, black, result))
    assert [(line.place, line.name) for line in standings(summary)] == [
        (1, "a"), (2, "b"), (2, "c"), (2, "d")
    ]  # fmt: skip


def test_no_rating_is_minus_zero(tmp_path: Path) -> None:
    games = [record("a", "b", result, n) for n in range(2) for result in ("1-0", "0-1")]
    path = ledger(tmp_path / "games.jsonl", games)
    done = run_script("rate.py", path, "--anchor", "a=-0.04", "--standings", tmp_path / "s.csv")
    assert done.returncode == 0 and "-0 " not in done.stdout, done.stdout
    assert "-0.0" not in done.stdout + (tmp_path / "s.csv").read_text()


def test_several_files_one_list(tmp_path: Path) -> None:
    games = [record("new", "old", "1-0", n // 2) for n in range(0, 40, 2)]
    games += [record("old", "new", "1-0" if n % 3 else "0-1", n // 2) for n in range(0, 40, 2)]
    one = ledger(tmp_path / "one.jsonl", games)
    two = tmp_path / "two.pgn"
    two.write_text(pgn_of([record("old", "base", "1-0"), record("base", "old", "*", 1)]))
    out, table = tmp_path / "out.json", tmp_path / "list.csv"
    words = [one, two, "--anchor", "old=1500", "--json", out, "--standings", table]
    done = run_script("rate.py", *words)
    assert done.returncode == 0, done.stderr
    assert "1 games without a result were left out" in done.stdout
    found = json.loads(out.read_text())
    elo = {line["name"]: line["elo"] for line in found["standings"]}
    assert found["games"] == 41 and elo["old"] == 1500.0 < elo["new"]
    rows = list(csv.DictReader(table.open()))
    assert [row["name"] for row in rows] == [line["name"] for line in found["standings"]]
    # A verdict by the bounds of the moment, alike from the ledger and from a PGN.
    whole = tmp_path / "one.pgn"
    whole.write_text(pgn_of(games))
    verdicts = []
    for path in (one, whole):
        again = run_script(
            "rate.py", path, "--sprt", "elo0=0", "elo1=5", "model=logistic", "--json", out
        )
        verdicts.append((again.returncode, json.loads(out.read_text())["sprt"]["llr"]))
        assert "undecided" in again.stdout
    assert verdicts[0] == verdicts[1] and verdicts[0][0] == 3
    fewer = run_script("rate.py", one, two, "--players", "new", "old", "--sprt", "elo1=300")
    assert fewer.returncode in (0, 1, 3) and "40 games" in fewer.stdout


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["none.jsonl"], "none.jsonl: No such file"),
        (["g.pgn", "--anchor", "x=1"], "--anchor x: has played no game; players: a, b"),
        (["g.pgn", "--anchor", "a"], "--anchor a: expected NAME=ELO"),
        (["g.pgn", "--anchor", "a=0", "--anchor", "b=0"], "--anchor: one player, not 2"),
        (["g.pgn", "--players", "z"], "--players z: has played no game"),
        (["g.pgn", "--standings", "x.txt"], "expected a name that ends with .csv or .md"),
        (["g.pgn", "--standings", "g.pgn"], "the same file as the input"),
        (["g.pgn", "h.pgn", "--sprt"], "--sprt needs two engines, not 3"),
        (["bad.jsonl"], "bad.jsonl: not the ledger of a tournament"),
        (["torn.jsonl"], "torn.jsonl, line 2: not a record of a tournament"),
        (["empty.pgn"], "no games with a result"),
        (["g.pgn", "--standings", "other.csv"], "was not written by this script"),
    ],
)
def test_refusals(tmp_path: Path, words: list[str], fault: str) -> None:
    (tmp_path / "g.pgn").write_text(pgn_of([record("a", "b", "1-0")]))
    (tmp_path / "h.pgn").write_text(pgn_of([record("a", "c", "1-0")]))
    (tmp_path / "bad.jsonl").write_text('{"kind":"analyses"}\n')
    (tmp_path / "torn.jsonl").write_text('{"kind":"tournament"}\n{"white":"a"\n')
    (tmp_path / "empty.pgn").write_text("")
    (tmp_path / "other.csv").write_text("x,y\n")
    done = run_script("rate.py", *words, cwd=tmp_path)
    assert done.returncode == 2 and fault in done.stderr.replace("\n", " "), done.stderr


def test_journals_of_version_0_2_are_read() -> None:
    """They have scores as text."""
    old = {
        **msgspec.to_builtins(record("a", "b", "1-0")),
        "moves": ["b2b3"] * 6,
        "log": [
            *([1.0, "+0.25", 3, 9], [1.0, "-M2", 3, 9], [1.0, "-M0", 3, 9], [1.0, "won", 3, 9]),
            *([1.0, "lost", 3, 9], [2.5, None, None, None]),
        ],
    }
    game = decode_game(json.dumps(old))
    texts = [move.score.text() if move.score else None for move in game.log]
    assert texts == ["+0.25", "-M2", "-M0", "won", "lost", None]
    assert game.log[0] == MoveLog(1.0, 25, None, None, 3, 9) and game.log[5] == MoveLog(2.5)
    again = json.loads(msgspec.json.encode(game))
    assert again["log"][1] == [1.0, None, -2, None, 3, 9] and decode_game(json.dumps(again)) == game
    for key, value in (("result", "2-0"), ("moves", []), ("log", [[1.0, 5]]), ("white", None)):
        with pytest.raises((msgspec.ValidationError, ValueError)):
            decode_game(json.dumps({**old, key: value}))
