"""Positions, moves, engine output, limits and inputs as text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT, start_fen
from petard import Board
from petard.notation import golem_text, trmph_link
from petardlib.base.errors import UserError
from petardlib.play.engine import Engine
from petardlib.play.gamefiles import write_line
from petardlib.play.inputs import Reading
from petardlib.play.limits import Clock, Limit, go_command, parse_clock
from petardlib.play.openings import load_openings
from petardlib.play.spec import EngineSpec, load_engines, read_toml
from petardlib.play.uci import parse_info, parse_option, says_more
from petardlib.rules.positions import (
    board_of,
    normal_fen,
    parse_epd,
    position_key,
    six_field_fen,
    size_of,
    start_board,
)

TEXTS: dict[str, list[dict[str, Any]]] = json.loads(
    (ROOT / "tests" / "data" / "texts.json").read_text("utf-8")
)
"""What the page, the Python package and these scripts read alike."""
START = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1"


def test_start_positions() -> None:
    assert start_board().fen() == START
    assert start_board(size="10x5").fen() == f"{'p' * 10}/{'p' * 10}/10/{'P' * 10}/{'P' * 10} w 0 1"
    assert size_of(start_board(size="27x4").fen()) == (27, 4)
    for bad in ("1x8", "8x3", "12x12", "8", "axb"):
        with pytest.raises(UserError):
            start_board(size=bad)
    assert start_board("freeling", "5x9") == start_board("freeling")
    with pytest.raises(UserError, match="board 8x8: the variant freeling is played on 5x9"):
        start_board("freeling", "8x8")


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("8/8/8/8/8/8/8/P7 w", "8/8/8/8/8/8/8/P7 w 0 1"),
        ("8/8/8/8/8/8/8/P7 w - -", "8/8/8/8/8/8/8/P7 w 0 1"),
        ("8/8/8/8/8/8/8/P7 b - - 3 9", "8/8/8/8/8/8/8/P7 b 0 9"),
        ("8/8/8/8/8/8/8/P7 b 3 9", "8/8/8/8/8/8/8/P7 b 0 9"),
        ("12/12/12/12/11P w", "12/12/12/12/11P w 0 1"),
        ("27/27/27/P26 w", "27/27/27/P26 w 0 1"),
    ],
)
def test_fen_forms(text: str, normal: str) -> None:
    assert normal_fen(text) == normal
    assert normal_fen(six_field_fen(normal)) == normal


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("8/8/9/8 w", "row 3 has 9 squares"),
        ("8/8/8/8q w", "unknown character 'q'"),
        ("8/8/8/8", "no side to move"),
        ("8/8/8/8 x", "side to move 'x'"),
        ("8/8/8/P7 w xy -", "'xy'"),
        ("8/8/8/P7 w ² 1", "'²'"),
        ("8/8/8/P7 w 0 ٣", "'٣'"),
        ("²/8/8/8 w", "unknown character"),
        ("٣/3/3/3 w", "unknown character"),
        ("P7/8/8/p7 w 0 1", "both sides have a piece on the far rank"),
        ("D7/8/8/8 w 0 1", "freeling"),
        ("8/8/8/8 w", "no pieces"),
    ],
)
def test_bad_fens_are_named(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        normal_fen(text)


def test_epd() -> None:
    line = parse_epd('8/8/8/8/8/8/P7/8 w - - bm a2a3 a2b3; id "first; one"; dm 4;')
    assert line.board.fen() == "8/8/8/8/8/8/P7/8 w 0 1"
    assert line.ops == {"bm": "a2a3 a2b3", "id": "first; one", "dm": "4"}
    assert parse_epd("8/8/8/8/8/8/P7/8 w - - 8 5").board.fen() == "8/8/8/8/8/8/P7/8 w 0 5"
    assert parse_epd("8/8/8/8/8/8/P7/8 w 0 1 am a2a3;").ops == {"am": "a2a3"}


def test_mirror_images_are_the_same_position() -> None:
    for seed in range(50):
        board = Board("5x6").random_playout(seed)
        assert position_key(board) == position_key(board.flip_horizontal())
    assert position_key(Board("5x6")) != position_key(board_of(START))


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


@pytest.mark.parametrize(
    ("score", "reported"),
    [
        ("mate 3 lowerbound", "+M3"),
        ("mate 3 upperbound", None),
        ("mate -3 lowerbound", None),
        ("mate -3 upperbound", "-M3"),
        ("mate 0 lowerbound", None),
        ("upperbound mate 0", "-M0"),
    ],
)
def test_at_least_a_win_is_one_and_at_most_a_win_is_not(score: str, reported: str | None) -> None:
    info = parse_info(f"info depth 3 score {score} pv a1a2")
    assert (info and info.score and info.score.text()) == reported


def test_a_bound_replaces_what_says_less() -> None:
    exact, better = "info score cp 10 pv a1a2", "info score cp 30 lowerbound pv a1b2"
    assert says_more(better, exact) and says_more(exact, better)
    assert not says_more(better.replace("b2", "a2"), exact)
    for sign, bound in (("", "lowerbound"), ("-", "upperbound")):
        proof = f"info score mate {sign}3 {bound} pv a1a2"
        assert says_more(proof, exact)
        assert says_more(proof, proof.replace("3", "5"))
        assert not says_more(proof.replace("3", "5"), proof)
        empty = f"info score mate {sign}3 {'lower' if sign else 'upper'}bound pv a1b2"
        assert not says_more(empty, exact)


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
    for text in ("1000000+0", "1234567.25+0.001", "40/999999999+1000000"):
        assert Limit(**parse_clock(text)).describe() == text
    assert Limit(movetime=2e9 + 500, depth=9).describe() == "2000000.5/move, depth 9"
    assert Limit(base=60_000.0).scaled(1 / 3).describe() == "20+0"
    halved = Limit(movetime=100, nodes=1000, base=10).scaled(0.5)
    assert (halved.movetime, halved.nodes, halved.base) == (50, 500, 5)
    for bad in ("", "x", "5/", "0", "-3"):
        with pytest.raises(UserError):
            parse_clock(bad)


def test_words_in_quotes_are_no_moves() -> None:
    line = '8/8/8/8/8/7p/P7/8 w - - bm a2a3; c0 "he moves away";'
    item = Reading().line(line)
    assert item.moves == [] and item.ops == {"bm": "a2a3", "c0": "he moves away"}
    item = Reading().line(f"{line} moves a2a3")
    assert item.moves == ["a2a3"] and item.ops["bm"] == "a2a3"
    assert Reading().line("startpos moves").moves == []


def test_engine_words(tmp_path: Path) -> None:
    toml = tmp_path / "engines.toml"
    toml.write_text(
        "[each]\nmovetime = 100\n[each.options]\nHash = 32\n"
        '[[engine]]\nname = "a"\ncmd = "cat -u"\n'
        '[[engine]]\nname = "b"\ncmd = ["cat", "x y"]\nnodes = 5\nodds = 2\n'
        "options = {Ponder = true}\n"
    )
    a, b, c = load_engines(
        [["name=c", "cmd=cat", "option.Move Overhead=5", "tc=3+1"]],
        ["option.Hash=8"],
        read_toml(toml),
    )
    assert a.cmd == ["cat", "-u"] and a.limit.movetime == 100 and a.options["Hash"] == "8"
    assert b.cmd == ["cat", "x y"] and b.limit.nodes == 10 and b.limit.movetime is None
    assert b.options["Ponder"] == "true"
    assert c.limit.base == 3000 and c.limit.movetime is None
    assert c.options["Move Overhead"] == "5"


@pytest.mark.parametrize("shared", ["", "[each.options]\nPonder = true\n"])
def test_an_engine_s_own_option_wins(tmp_path: Path, shared: str) -> None:
    toml = tmp_path / "engines.toml"
    toml.write_text(
        f'{shared}[[engine]]\nname = "a"\ncmd = "cat"\noptions = {{Hash = 16}}\n'
        '[[engine]]\nname = "b"\ncmd = "cat"\n"option.Hash" = 16\n'
    )
    engines = load_engines(
        [["name=c", "cmd=cat", "option.Hash=16"], ["name=d", "cmd=cat"]],
        ["option.Hash=1"],
        read_toml(toml),
    )
    assert [spec.options["Hash"] for spec in engines] == ["16", "16", "16", "1"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cmd=/no/such/engine"], "no such file"),
        (["cmd=nosuchengine"], "not found on PATH"),
        (["cmd=cat", "depht=3"], "unknown engine setting 'depht='"),
        (["cmd=cat", "options=5"], "unknown engine setting 'options='"),
        (["cmd=cat", "depth=x"], "not a number"),
        (["cmd=cat", "nodes=0"], "at least 1"),
        (["cat"], "expected KEY=VALUE"),
        (["cmd=cat 'x"], "no closing quotation"),
        (["cmd="], "cmd= is empty"),
        (["cmd=cat", "dir=/no/such/folder"], "no such folder"),
        (["cmd=cat", "movetime=nan"], "movetime=nan: not a number"),
        (["cmd=cat", "margin=nan"], "margin=nan: not a number"),
        (["cmd=cat", "margin=-1"], "margin=-1: must be at least 0"),
        (["cmd=cat", "hang=inf"], "hang=inf: not a number"),
        (["cmd=cat", "movetime=1e300"], "must be at most"),
        (["cmd=cat", "tc=²"], "expected .*seconds"),
        (["cmd=cat", "tc=" + "9" * 400], "expected .*seconds"),
        (["cmd=cat", "nodes=" + "9" * 5000], "not a number"),
        (["cmd=cat", "option.Hash=1\nquit"], "control characters"),
    ],
)
def test_bad_engine_words(words: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        load_engines([words], [])


def test_inputs_are_distinguished() -> None:
    text = (
        "# comment\n"
        "startpos moves a2a3 a7a6\n"
        "position fen 8/8/8/8/8/7p/P7/8 w 0 1 moves a2a3\n"
        '8/8/8/8/8/8/P7/8 w - - bm a2a3; id "test";\n'
        "1. a2a3 a7a6 2. b2-b3\n"
    )
    items = Reading().text(text, "some/file.txt")
    assert [item.moves for item in items] == [
        ["a2a3", "a7a6"],
        ["a2a3"],
        [],
        ["a2a3", "a7a6", "b2b3"],
    ]
    assert items[2].title == "test" and items[0].title == "file.txt 2"
    with pytest.raises(UserError, match=r"line 1: .*'hello'"):
        Reading().text("hello world", "x")


def test_openings_are_of_the_game_that_is_played(tmp_path: Path) -> None:
    path = tmp_path / "o.pgn"
    path.write_text('[Variant "freeling"]\n\n1. b2a1 *\n')
    assert load_openings(path, variant="freeling")[0].moves == ["b2a1"]
    with pytest.raises(UserError, match=r"o\.pgn 1: an opening of freeling, not breakthrough"):
        load_openings(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"\xff\xfe", "not a text file in UTF-8"),
        (b"[[engine]", "Expected"),
        (b"engine = 3", "double brackets"),
        (b"engine = [1, 2]", "double brackets"),
        (b"each = 3", r"\[each\] once"),
        (b"match = 3", r"\[match\] and \[each\] once"),
        (b"[other]", "unknown table 'other'"),
        (b"[[engine]]\noptions = 3", "expected a table of options"),
        (b"[each]\noptions = [1]", "expected a table of options"),
        (b"[[engine]]\ncmd = 5", "cmd=5: expected a string"),
        (b"[[engine]]\ncmd = [1]", "expected a string or a list of strings"),
        (b"[[engine]]\ncmd = 'cat'\nname = [1]", "name: expected a string"),
        (b"[[engine]]\ncmd = 'cat'\ndir = {}", "dir: expected a string"),
        (b"[[engine]]\ncmd = 'cat'\nmovetime = nan", "movetime=nan: not a number"),
        (b"[[engine]]\ncmd = 'cat'\nmovetime = 1979-05-27", "movetime: expected"),
        (b'[[engine]]\ncmd = "cat \\u0000"', "control characters"),
        (b"[[engine]]\ncmd = './nowhere'", r"'./nowhere': no such file \(/"),
    ],
)
def test_bad_engine_files(tmp_path: Path, text: bytes, message: str) -> None:
    path = tmp_path / "e.toml"
    path.write_bytes(text)
    with pytest.raises(UserError, match=message):
        load_engines([], [], read_toml(path))


def test_paths_in_a_file_are_relative_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "engine").symlink_to("/bin/cat")
    (tmp_path / "e.toml").write_text("[[engine]]\ncmd = 'bin/engine'\ndir = 'bin'\n")
    (tmp_path / "f.toml").write_text("[[engine]]\ncmd = 'bin/engine'\n")
    monkeypatch.chdir("/")
    with pytest.raises(UserError, match=r"bin/engine': no such file \(.*/bin/bin/engine\)"):
        load_engines([], [], read_toml(tmp_path / "e.toml"))
    (spec,) = load_engines([], [], read_toml(tmp_path / "f.toml"))
    assert spec.cmd == [str(tmp_path / "bin" / "engine")]


def test_an_engine_without_a_command_is_the_petard_that_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("petardlib.play.spec.SCRIPTS_DIR", tmp_path / "scripts")
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    with pytest.raises(UserError, match="no cmd=COMMAND, and no petard was found"):
        load_engines([["name=a"]], [])
    for folder in ("path", "target/release"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "petard").symlink_to("/bin/cat")
        (spec,) = load_engines([["name=a"]], [])
        assert spec.cmd == [str(tmp_path / folder / "petard")] and spec.name == "a"


# What the players meant, from the 8x8 start position
PASTED = ["a2a3", "b7a6", "b1a2", "a6b5", "c2c3", "b5c4", "b2b3", "c4d3", "c1b2", "d3c2", "d1c2"]


@pytest.mark.parametrize(
    "text",
    [
        "a2a3 b7a6 b1a2 a6b5 c2c3 b5c4 b2b3 c4d3 c1b2 d3c2 d1c2",
        "1.a2-a3 b7-a6 2.b1-a2 a6-b5 3.c2-c3 b5-c4 4.b2-b3 c4-d3 5.c1-b2 d3-c2 6.d1xc2",
        "1.a2-a3 b7-a6 2.b1-a2 a6-b5\n3.c2-c3 b5-c4 4.b2-b3\n4... c4-d3 5.c1-b2 d3-c2 6.d1xc2 *",
        # As pyffish writes them
        "1. Pa3 Pba6 2. Pba2 Pb5 3. Pcc3 Pc4 4. Pbb3 Pd3 5. Pcb2 Pc2 6. Pdxc2",
        # As XBoard does
        "1. a3 ba6 2. ba2 b5 3. c3 c4 4. b3 d3 5. cb2 c2+ 6. dxc2 1-0",
        "https://trmph.com/breakthrough/board#8,a2a3b7a6b1a2a6b5c2c3b5c4b2b3c4d3c1b2d3c2d1c2",
        "board#8,a2a3b7a6b1a2a6b5c2c3b5c4b2b3c4d3c1b2d3c2d1c2",
        "#8,a2a3b7a6b1a2a6b5c2c3b5c4b2b3c4d3c1b2d3c2d1c2",
    ],
)
def test_what_people_paste_is_read(text: str) -> None:
    (item,) = Reading().text(text, "x")
    assert item.moves == PASTED and item.fen == START


def test_the_last_move_as_xboard_saves_it() -> None:
    (item,) = Reading().text("8/1P2P3/8/8/8/8/p7/8 w 0 1 moves d8#", "x")
    assert item.moves == ["e7d8"]
    with pytest.raises(UserError, match=r"line 1: ply 1: 'd8' may be .*c7d8"):
        Reading().text("8/2P1P3/8/8/8/8/p7/8 w 0 1 moves d8", "x")
    for word in ("e4", "xd8", "cd8", "Nd8"):
        with pytest.raises(UserError, match=f"ply 1: .*{word}"):
            Reading().text(f"8/4P3/8/8/8/8/p7/8 w 0 1 moves {word}", "x")


def test_games_are_written_as_other_sites_write_them() -> None:
    text = write_line(golem_text, START, PASTED)
    assert text.startswith("1. a2-a3 b7-a6 2. b1-a2") and text.endswith("d3-c2 6. d1xc2")
    link = write_line(trmph_link, START, PASTED)
    assert link.startswith("https://trmph.com/breakthrough/board#8,a2a3b7a6")
    small = write_line(trmph_link, start_fen(5, 6), ["a2a3"])
    for written, fen in ((text, START), (link, START), (small, start_fen(5, 6))):
        (item,) = Reading().text(written, "x")
        assert item.fen == fen and item.moves == (PASTED if fen == START else ["a2a3"])
    for write in (golem_text, trmph_link):
        with pytest.raises(UserError, match="from the start position"):
            write_line(write, "8/8/8/8/8/7p/P7/8 w 0 1", ["a2a3"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("   ", "an empty position"),
        ("moves", "an empty position|'moves' is not"),
        ("startpos a2a3", "moves follow the word"),
        ("board#8,a2a3b7", "the last move lacks a square"),
        ("board#99,a2a3", "99x99"),
        ("fen", "the position text is empty"),
    ],
)
def test_bad_positions_are_named(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        Reading().line(text)


@pytest.mark.parametrize("case", TEXTS["games"], ids=lambda case: case["name"])
def test_what_people_and_programs_write_is_read(case: dict[str, Any], tmp_path: Path) -> None:
    items = Reading().text(case["text"], "x")
    assert [item.moves for item in items] == case["moves"]
    assert [item.fen for item in items] == case.get("starts", [START] * len(items))
    assert all(item.is_game for item in items)
    path = tmp_path / "games"
    path.write_text(case["text"])
    positions = Reading(positions=True).files([str(path)])
    assert [item.moves for item in positions] == case["moves"]
    assert not any(item.is_game for item in positions)


@pytest.mark.parametrize("case", TEXTS["refused"], ids=lambda case: case["name"])
def test_what_cannot_be_read_is_refused(case: dict[str, Any]) -> None:
    if case.get("empty"):
        assert Reading().text(case["text"], "x") == []
        return
    with pytest.raises(UserError, match=r"^x, (line 1|game 1): ") as refusal:
        Reading().text(case["text"], "x")
    assert len(str(refusal.value)) < 200
    skipped: list[str] = []
    assert Reading(skipped=skipped).text(case["text"], "x") == []
    assert skipped == [str(refusal.value)]


def test_positions_are_those_of_the_engine(petard: str) -> None:
    engine = Engine(EngineSpec("petard", [petard]))
    for case in TEXTS["positions"]:
        (item,) = Reading().text(case["text"], "x")
        assert item.fen == case["fen"] and not item.is_game, case["text"]
        assert f"Fen: {case['fen']}" in engine.ask(f"position fen {case['text']}", "d"), case
    for text in TEXTS["refusedPositions"]:
        with pytest.raises(UserError):
            Reading().text(str(text), "x")
    assert engine.quit() == 0


def test_files_in_other_encodings(tmp_path: Path) -> None:
    for case in TEXTS["files"]:
        data = bytes.fromhex(case["hex"])
        encoding = (
            "utf-16-le" if data[:1] == b"\xff" else "utf-16-be" if data[:1] == b"\xfe" else ""
        )
        tag = f'[White "{case["text"]}"]\n\n1. a2a3 *'
        path = tmp_path / "x.pgn"
        mark = data[:2] if encoding else b""
        path.write_bytes(mark + tag.encode(encoding or "latin-1"))
        (item,) = Reading().files([str(path)])
        assert item.tag("White") == case["text"] and item.moves == ["a2a3"], case["name"]


POSITION = "8/8/8/8/8/7p/P7/8 w 0 1"


@pytest.mark.parametrize(
    ("text", "lines", "messages"),
    [
        ("1. b2b3 b7b6\n% remark\n2. c2c3\n  # remark\nc7c6", ["b2b3 b7b6 c2c3 c7c6"], []),
        ("1. b2b3 {\n# x\n% y\n} b7b6 *", ["b2b3 b7b6"], []),
        (f"1. b2b3 {{either\nand/or\n{POSITION}\n}} b7b6 *", ["b2b3 b7b6"], []),
        (f"1. b2b3 {{open\n{POSITION}", [""], ["line 1: unclosed comment"]),
        (
            f"# games\n1. b2b3 *\n\n1. Nf3 *\n# next\n1. c2c3 *\n{POSITION}\nhello\na2a3",
            ["b2b3", "c2c3", "", "a2a3"],
            ["line 2, game 2: ply 1: 'Nf3' is", "line 8: ply 1: 'hello' is not"],
        ),
        (
            '[Event "a"]\n\n1. b2b3 {open\n\n[Event "b"]\n\n1. c2c3 *',
            ["c2c3"],
            ["game 1: unclosed comment"],
        ),
        ('[X-Foo "1"]\n[X-Bar "1"]\n\n1. b2b3 *', ["b2b3"], []),
        ('{intro}\n[X-Foo "1"]\n\n1. b2b3 *', ["b2b3"], []),
        ("1. a2a3 a5a4 2. b2b3 b5b4", ["a2a3 a5a4 b2b3 b5b4"], []),
        ("1. b2b3 (1. c2c3\n\n1. c2c3 *", ["c2c3"], ["line 1, game 1: unclosed variation"]),
        (f"{POSITION.replace(' w', chr(160) + 'w')} bm a2a3;", [""], []),
        (
            "8/8/8/8/8/7p/P7/8 w XX - 0 1\nstartpos",
            [""],
            ["line 1: FEN '8/8/8/8/8/7p/P7/8 w XX - 0 1': field 'XX'"],
        ),
    ],
)
def test_what_is_damaged_leaves_the_rest_alone(
    text: str, lines: list[str], messages: list[str]
) -> None:
    skipped: list[str] = []
    items = Reading(skipped=skipped).text(text, "x")
    assert [" ".join(item.moves) for item in items] == lines
    assert len(skipped) == len(messages)
    for error, message in zip(skipped, messages, strict=True):
        assert error.startswith(f"x, {message}")


def test_a_board_that_is_named_is_not_guessed() -> None:
    with pytest.raises(UserError, match="black has no piece on a5"):
        Reading(size="8x8").text("1. a2a3 a5a4", "x")
    assert Reading().line("a2a3 a5a4").fen == start_fen(6, 6)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x7fELF\x00\x01", "not a text file"),
        ("1. a2a3 *".encode("utf-16-le"), "not a text file"),
        (b"1. \x1b[31mNf3 *", r"line 1: ply 1: '\x1b[31mNf3' is not a move such as a2b3"),
        (b"1. " + b"x" * 9999, f"line 1: ply 1: '{'x' * 30}' is not a move such as a2b3"),
    ],
)
def test_files_that_are_no_texts(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)
    with pytest.raises(UserError) as refusal:
        Reading().files([str(path)])
    assert str(refusal.value) in (f"{path}: {message}", f"{path}, {message}")
    skipped: list[str] = []
    if "line 1" in message:
        assert Reading(skipped=skipped).files([str(path)]) == []
        assert skipped == [str(refusal.value)]
