"""Foreign files: whatever is named as an output, only what the scripts wrote is ever changed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_tournament import PATIENT

from conftest import run_script
from petardlib.base.errors import UserError
from petardlib.base.files import check_outputs, replace_text
from petardlib.base.journal import Journal
from petardlib.play.gamefiles import GameFile
from petardlib.stats.games import GameRecord

HEADER = {"kind": "things", "version": 1}
FOREIGN = [
    b'{"a": 1}',
    b'{"a": 1,\n "b": 2}',
    b"[1, 2, 3]\n",
    b"8/8/8/8/8/8/P7/8 w - - bm a2a3;\n8/8/8/8/8/8/1P6/8 w - -",
    b"some words without an end",
    b"\n",
    b"\0\0\0",
    b"\xff\xfe",
    b'{"kind":"other","version":1}\n{"half',
    b'{"kind":"other","version":1}',
    b'{"kind":"things","version":2}\n{"half',
    b"{broken",
]


@pytest.mark.parametrize("content", FOREIGN)
def test_a_journal_changes_nothing_foreign(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"is not a journal of this kind|belongs to another run"):
        Journal(path, HEADER, json.loads)
    assert path.read_bytes() == content
    # It has released the file.
    with pytest.raises(UserError, match=r"is not a|another run"):
        Journal(path, HEADER, json.loads)


def test_a_journal_repairs_its_own(tmp_path: Path) -> None:
    path = tmp_path / "x"
    journal = Journal(path, HEADER, json.loads)
    journal.append({"n": 1})
    journal.close()
    whole = path.read_bytes()
    for torn in (b"{", b'{"n":', b'{"n":2}', b"x"):
        path.write_bytes(whole + torn)
        journal = Journal(path, HEADER, json.loads)
        assert journal.count == 1
        journal.close()
        assert path.read_bytes() == whole
    # A whole foreign line cannot result from a kill.
    for line in (b"x\n", b"[]\n", b"7\n"):
        path.write_bytes(whole + line)
        with pytest.raises(UserError, match="line 3: not a record"):
            Journal(path, HEADER, json.loads)
        assert path.read_bytes() == whole + line
    for length in range(len(whole) - len(b'{"n":1}\n')):
        path.write_bytes(whole[:length])
        Journal(path, HEADER, json.loads).close()
        assert path.read_bytes().startswith(b'{"kind":"things","version":1}\n')


def test_a_run_without_records_binds_no_other(tmp_path: Path) -> None:
    path = tmp_path / "x"
    other = {**HEADER, "engine": "broken"}
    Journal(path, other, json.loads).close()
    journal = Journal(path, HEADER, json.loads)
    journal.append({"n": 1})
    journal.close()
    with pytest.raises(UserError, match="different engine"):
        Journal(path, other, json.loads)
    with pytest.raises(UserError, match="not a journal of this kind"):
        Journal(path, {"kind": "else"}, json.loads)


def test_outputs_are_distinguished(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("x")
    (tmp_path / "link").symlink_to(one)
    os.link(one, tmp_path / "hard")
    check_outputs({"--a": one, "--b": other, "--c": None})
    for same in (one, tmp_path / "link", tmp_path / "hard", tmp_path / "." / "one"):
        with pytest.raises(
            UserError, match=r"--b .*: the same file as --a; choose a different file"
        ):
            check_outputs({"--a": one, "--b": same})
        with pytest.raises(UserError, match=r"--b .*: the same file as the input"):
            check_outputs({"--b": same}, [one])
    with pytest.raises(UserError, match="the same file as --a"):
        check_outputs({"--a": other, "--b": tmp_path / "sub" / ".." / "other"})
    os.mkfifo(tmp_path / "fifo")
    for path, fault in (
        (tmp_path, "a folder"),
        (tmp_path / "fifo", "not a regular file"),
        (Path("/dev/null/x"), "cannot write in /dev/null"),
    ):
        with pytest.raises(UserError, match=f"--a .*{fault}"):
            check_outputs({"--a": path})


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "new" / "x"
    replace_text(path, ["a", "b"])
    assert path.read_text() == "ab"

    (tmp_path / "link").symlink_to(path)
    replace_text(tmp_path / "link", ["ab"])
    assert (tmp_path / "link").is_symlink() and path.read_text() == "ab"

    def broken() -> Iterator[str]:
        yield "c"
        raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        replace_text(path, broken())
    assert path.read_text() == "ab" and [p.name for p in path.parent.iterdir()] == ["x"]


def test_games_are_repaired_wherever_they_are_torn(tmp_path: Path) -> None:
    path = tmp_path / "x"
    file = GameFile("--pgn", path, lambda record: f"{record.index} grün\n\n")
    whole = "1 grün\n\n2 grün\n\n".encode()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        file.restore(lambda: [GameRecord("a", "b", "1-0", index=index) for index in (1, 2)])
        assert path.read_bytes() == whole


def match(toy: str, *words: object) -> list[object]:
    engines = ["--engine", "name=a", f"cmd={toy}", "--engine", "name=b", f"cmd={toy}"]
    return ["tournament.py", *engines, "--each", *PATIENT, "--games", 2, *words]


@pytest.mark.parametrize(
    ("outputs", "fault"),
    [
        ("--resume x --pgn x", "--pgn .*x: the same file as --resume"),
        ("--resume x --html x", "--html .*x: the same file as --resume"),
        ("--pgn x --html x.jsonl", "the journal .*x.jsonl: the same file as --html"),
        ("--html old.pgn", "not written by this script"),
        ("--pgn old.pgn", "content that is not from this run"),
        ("--golem old.pgn --openings none", "content that is not from this run"),
        ("--json old.pgn", "--json .*not a file of this script"),
        ("--resume old.pgn", r"is not a journal of this kind .tournament."),
        ("--resume old.epd", r"is not a journal of this kind .tournament."),
        ("--html old.epd --openings old.epd", "the same file as the input"),
        ("--pgn old.pgn --openings old.pgn", "the same file as the input"),
    ],
)
def test_a_tournament_keeps_files_of_others(
    toy: str, tmp_path: Path, outputs: str, fault: str
) -> None:
    (tmp_path / "old.pgn").write_text('[Event "mine"]\n\n1. a2a3 a7a6 *\n')
    (tmp_path / "old.epd").write_text("8/8/8/8/8/8/P6p/8 w - - 0 1")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    words = [tmp_path / w if not w.startswith("-") and w != "none" else w for w in outputs.split()]
    done = run_script(*match(toy, *words))
    assert done.returncode == 2 and "Traceback" not in done.stderr, done.stderr
    assert re.search(fault, done.stderr), done.stderr
    for name, content in before.items():
        assert (tmp_path / name).read_bytes() == content


def test_a_foreign_game_behind_ours_is_kept(toy: str, tmp_path: Path) -> None:
    command = match(toy, "--pgn", tmp_path / "g.pgn")
    assert run_script(*command).returncode == 0
    whole = (tmp_path / "g.pgn").read_text()
    # What is torn is repaired ...
    for cut in (len(whole) - 1, len(whole) - 20, len(whole) // 2, 7, 0):
        (tmp_path / "g.pgn").write_text(whole[:cut])
        assert run_script(*command).returncode == 0
        assert (tmp_path / "g.pgn").read_text() == whole
    # ... and what somebody has added is left alone.
    mine = whole + '[Event "mine"]\n\n1. a2a3 *\n'
    (tmp_path / "g.pgn").write_text(mine)
    done = run_script(*command)
    assert done.returncode == 2 and "content that is not from this run" in done.stderr
    assert (tmp_path / "g.pgn").read_text() == mine


def test_an_analysis_keeps_files_of_others(fairy: str, tmp_path: Path) -> None:
    games = tmp_path / "g.pgn"
    games.write_text('[Event "mine"]\n\n1. a2a3 a7a6 *\n')
    (tmp_path / "table.csv").write_text("my,own\n1,2\n")
    (tmp_path / "page.html").write_text("<html>mine</html>")
    (tmp_path / "data.json").write_text('{"mine": 1}')
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    words = ["analyse.py", games, "--engine", f"cmd={fairy}", "depth=1"]
    for option, name, fault in (
        ("--html", "g.pgn", "the same file as the input"),
        ("--csv", "g.pgn", "the same file as the input"),
        ("--resume", "g.pgn", "the same file as the input"),
        ("--csv", "table.csv", "not written by this script"),
        ("--html", "page.html", "not written by this script"),
        ("--resume", "data.json", "is not a journal of this kind (analyses)"),
    ):
        done = run_script(*words, option, tmp_path / name)
        assert done.returncode == 2 and fault in done.stderr, (option, name, done.stderr)
    assert before == {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    # It overwrites its own files.
    mine = ["--html", tmp_path / "r.html", "--csv", tmp_path / "r.csv"]
    for _ in range(2):
        assert run_script(*words, *mine).returncode == 0


def test_edited_records_of_games_are_named(toy: str, tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    command = match(toy, "--resume", path)
    assert run_script(*command).returncode == 0
    header, first, second = path.read_text().splitlines()
    change: dict[str, Any]
    for change in (
        {"result": "2-0"},
        {"white": "nobody"},
        {"log": 5},
        {"log": [[1, 2, 3, 4]]},
        {"fen": None},
        {"fen": "x"},
        {"pair": []},
        {"controls": ["a"]},
        {"moves": [1]},
        {"fault": {"kind": 1}},
        {"start": 5},
    ):
        text = f"{header}\n{first}\n{json.dumps({**json.loads(second), **change})}\n"
        path.write_text(text)
        done = run_script(*command)
        assert done.returncode == 2 and "g.jsonl, line 3: " in done.stderr, done.stderr
        assert "Traceback" not in done.stderr and path.read_text() == text
