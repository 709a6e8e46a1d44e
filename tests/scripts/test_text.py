"""Positions, moves, engine words, limits and inputs as text."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from petardlib import boardtext
from petardlib.errors import UserError
from petardlib.inputs import read_text
from petardlib.limits import Clock, Limit, go_command, parse_clock
from petardlib.spec import load_engines
from petardlib.uci import parse_info, parse_option

START = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1"


def test_start_positions() -> None:
    assert boardtext.start_fen(8, 8) == START
    assert boardtext.start_fen(10, 5) == f"{'p' * 10}/{'p' * 10}/10/{'P' * 10}/{'P' * 10} w 0 1"
    assert boardtext.board_size(boardtext.start_fen(16, 8)) == (16, 8)
    for bad in ("1x8", "8x3", "12x12", "8", "axb"):
        with pytest.raises(UserError):
            boardtext.parse_size(bad)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("8/8/8/8/8/8/8/P7 w", "8/8/8/8/8/8/8/P7 w 0 1"),
        ("8/8/8/8/8/8/8/P7 b - - 3 9", "8/8/8/8/8/8/8/P7 b 3 9"),
        ("8/8/8/8/8/8/8/P7 b 3 9", "8/8/8/8/8/8/8/P7 b 3 9"),
        ("12/12/12/12/11P w", "12/12/12/12/11P w 0 1"),
    ],
)
def test_fen_forms(text: str, normal: str) -> None:
    assert boardtext.normal_fen(text) == normal
    assert boardtext.normal_fen(boardtext.six_field_fen(normal)) == normal


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("8/8/9/8 w", "row 3 has 9 squares"),
        ("8/8/8q w", "unknown character 'q'"),
        ("8/8/8/8", "no side to move"),
        ("8/8/8/8 x", "side to move is 'x'"),
        ("8/8/8/8 w KQ -", "unexpected 'KQ"),
    ],
)
def test_bad_fens_are_named(text: str, fault: str) -> None:
    with pytest.raises(UserError, match=fault):
        boardtext.normal_fen(text)


def test_epd() -> None:
    line = boardtext.parse_epd('8/8/8/8/8/8/P7/8 w - - bm a2a3 a2b3; id "first; one"; dm 4;')
    assert line.fen == "8/8/8/8/8/8/P7/8 w 0 1"
    assert line.ops == {"bm": "a2a3 a2b3", "id": "first; one", "dm": "4"}
    assert boardtext.parse_epd("8/8/8/8/8/8/P7/8 w - - 8 5").fen == "8/8/8/8/8/8/P7/8 w 8 5"
    assert boardtext.parse_epd("8/8/8/8/8/8/P7/8 w 0 1 am a2a3;").ops == {"am": "a2a3"}


@pytest.mark.parametrize(
    "text", ["a2b3", "a2-b3", "a2xb3", "a2b3*", "A2B3", "a2xb3+", "a2b3!", "a2b3??"]
)
def test_move_notations(text: str) -> None:
    assert boardtext.normal_move(text) == "a2b3"


def test_odd_moves() -> None:
    assert boardtext.normal_move("j9-j10") == "j9j10"
    assert boardtext.normal_move("b2a1!b1!a2") == "b2a1!b1!a2"
    assert [boardtext.normal_move(x) for x in ("pass", "0000", "--")] == ["pass"] * 3
    for bad in ("e4", "Nf3", "", "a2", "a2b"):
        with pytest.raises(UserError):
            boardtext.normal_move(bad)


def test_rows_round_trip_and_mirror() -> None:
    rng = random.Random(3)
    for _ in range(200):
        w, h = rng.randint(2, 26), rng.randint(2, 20)
        board = [[rng.choice(["", "", "P", "p", "D", "d"]) for _ in range(w)] for _ in range(h)]
        rows = boardtext.join_rows(board)
        assert boardtext.expand_rows(rows) == board
        fen = f"{rows} w 0 1"
        assert boardtext.mirror_fen(boardtext.mirror_fen(fen)) == fen
        assert boardtext.position_key(fen) == boardtext.position_key(boardtext.mirror_fen(fen))


def test_info_line() -> None:
    info = parse_info(
        "info depth 8 seldepth 11 multipv 2 score cp -13 wdl 400 0 600 upperbound nodes 99 nps 5 "
        "time 26 pv h2g3 a7a6"
    )
    assert info is not None and info.score is not None
    assert (info.depth, info.seldepth, info.multipv, info.nodes, info.time_ms) == (8, 11, 2, 99, 26)
    assert info.score.text() == "-0.13" and info.score.win_probability() == pytest.approx(0.4)
    assert info.pv == ["h2g3", "a7a6"]
    mate = parse_info("info depth 3 score mate -2 pv a1a2")
    assert mate is not None and mate.score is not None
    assert mate.score.text() == "-M2" and mate.score.win_probability() == 0
    for line in (
        "info string score cp 3",
        "info depth x score cp 1",
        "info score cp",
        "bestmove a",
    ):
        assert parse_info(line) is None


def test_option_line() -> None:
    option = parse_option(
        "option name UCI_Variant type combo default chess var chess var break through"
    )
    assert option is not None
    assert option.name == "UCI_Variant" and option.choices == ["chess", "break through"]
    spin = parse_option("option name Move Overhead type spin default 30 min 0 max 5000")
    assert spin is not None and spin.name == "Move Overhead" and spin.default == "30"


def test_clocks() -> None:
    limit = Limit(**parse_clock("2/1:05+0.5"))
    assert (limit.base, limit.increment, limit.moves_to_go) == (65_000, 500, 2)
    clock, other = Clock(limit), Clock(Limit(base=1000, increment=10))
    assert (
        go_command(clock, other, True) == "go wtime 65000 btime 1000 winc 500 binc 10 movestogo 2"
    )
    assert go_command(clock, other, False).startswith("go wtime 1000 btime 65000 winc 10 binc 500")
    clock.spend(5000)
    assert clock.left == 60_500
    clock.spend(500)
    assert (clock.left, clock.to_go) == (60_500 + 65_000, 2)
    assert limit.describe() == "2/65+0.5"
    halved = Limit(movetime=100, nodes=1000, base=10).scaled(0.5)
    assert (halved.movetime, halved.nodes, halved.base) == (50, 500, 5)
    for bad in ("", "x", "5/", "0", "-3"):
        with pytest.raises(UserError):
            parse_clock(bad)


def test_engine_words(tmp_path: Path) -> None:
    toml = tmp_path / "engines.toml"
    toml.write_text(
        "[each]\nmovetime = 100\n[each.options]\nHash = 32\n"
        '[[engine]]\nname = "a"\ncmd = "cat -u"\n'
        '[[engine]]\nname = "b"\ncmd = ["cat", "x y"]\nnodes = 5\nodds = 2\n'
        "options = {Ponder = true}\n"
    )
    a, b, c = load_engines(
        [["name=c", "cmd=cat", "option.Move Overhead=5", "tc=3+1"]], ["option.Hash=8"], toml
    )
    assert a.cmd == ["cat", "-u"] and a.limit.movetime == 100 and a.options["Hash"] == "8"
    assert b.cmd == ["cat", "x y"] and b.limit.nodes == 10 and b.limit.movetime is None
    assert b.options["Ponder"] == "true"
    assert c.limit.base == 3000 and c.limit.movetime is None
    assert c.options["Move Overhead"] == "5"


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["name=a"], "without cmd"),
        (["cmd=/no/such/engine"], "no such file"),
        (["cmd=nosuchengine"], "not found on PATH"),
        (["cmd=cat", "depht=3"], "unknown engine word 'depht='"),
        (["cmd=cat", "depth=x"], "not a number"),
        (["cmd=cat", "nodes=0"], "at least 1"),
        (["cat"], "want KEY=VALUE"),
    ],
)
def test_bad_engine_words(words: list[str], fault: str) -> None:
    with pytest.raises(UserError, match=fault):
        load_engines([words], [], None)


def test_inputs_are_told_apart() -> None:
    text = (
        "# comment\n"
        "startpos moves a2a3 a7a6\n"
        "position fen 8/8/8/8/8/8/P7/8 w 0 1 moves a2a3\n"
        '8/8/8/8/8/8/P7/8 w - - bm a2a3; id "test";\n'
        "1. a2a3 a7a6 2. b2-b3\n"
    )
    items = read_text(text, "some/file.txt", "breakthrough", None)
    assert [item.moves for item in items] == [
        ["a2a3", "a7a6"],
        ["a2a3"],
        [],
        ["a2a3", "a7a6", "b2b3"],
    ]
    assert items[2].title == "test" and items[0].title == "file.txt 2"
    with pytest.raises(UserError, match=r"line 1: .*'hello'"):
        read_text("hello world", "x", "breakthrough", None)
