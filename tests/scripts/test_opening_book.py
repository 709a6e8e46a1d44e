"""Opening books: the tree, the file, and growing one."""

from __future__ import annotations

import json
import random
import struct
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest

from conftest import run_script
from petard import Board
from petardlib.base.errors import UserError
from petardlib.openingbook.file import TITLE, Entry, OpeningBook, packed, written
from petardlib.openingbook.opening import opening_of
from petardlib.openingbook.tree import Tree, distinct_moves
from petardlib.openingbook.values import before, estimate, plies_of, proven, text
from petardlib.rules.keys import key_of

START = key_of(Board("4x5"))


def test_values() -> None:
    won, lost = proven(True, 5), proven(False, 4)
    assert (before(lost), before(won)) == (won, proven(False, 6))
    assert before(-30) == 30 and estimate(99_999) < proven(True, 900)
    assert plies_of(won) == 5 and plies_of(30) is None
    assert [text(value) for value in (25, -25, won, lost)] == ["+0.25", "-0.25", "won", "lost"]


def search(tree: Tree, key: str, values: list[int]) -> list[str]:
    """Enter a search of a position's first moves; their keys."""
    children = list(distinct_moves(key).items())
    moves = [move for move, _ in children][: len(values)]
    tree.add(key, dict(zip(moves, values, strict=True)), 1000)
    return [child for _, child in children]


def test_the_line_that_gives_up_least_is_next() -> None:
    tree = Tree(START, step=2)
    leaf = tree.next_leaf((), 60)
    assert leaf and (leaf.key, leaf.ply, leaf.cost) == (START, 0, 0)
    # Of mirror images only one.
    assert len(leaf.moves) == 5
    first, second, third, *_ = search(tree, START, [30, 10, 25, 5, 0])
    leaf = tree.next_leaf((), 60)
    assert leaf and (leaf.key, leaf.ply, leaf.cost) == (first, 1, 2)
    # While that one is searched, others wait for the next.
    leaf = tree.next_leaf({(first, False)}, 60)
    assert leaf and (leaf.key, leaf.cost) == (third, 7)
    # It turns out worse than it looked: the next move is better.
    search(tree, first, [20, 19])
    assert tree.value(START) == 25 and next(iter(tree.moves(START).values())) == 25
    leaf = tree.next_leaf((), 60)
    assert leaf and leaf.key == third
    assert tree.next_leaf((), 1) is not None
    assert second not in tree.nodes


def test_moves_that_no_search_reported_on_are_searched_when_they_may_be_better() -> None:
    tree = Tree(START, step=1)
    first, *_ = search(tree, START, [30, 20])
    search(tree, first, [5, 4])
    # What remains is at most as good as the worst that was reported.
    assert tree.others_value(START) == 20 and tree.value(START) == 20
    pending = {(child, False) for child in tree.nodes[START].children.values()}
    leaf = tree.next_leaf(pending, 60)
    assert leaf and leaf.key == START and leaf.moves == tuple(tree.nodes[START].others)
    search(tree, START, [30, 20, -10, -11, -12])
    assert tree.others_value(START) is None and tree.value(START) == 20


def test_proven_values_are_exact_and_not_searched_again() -> None:
    tree = Tree(START, step=1)
    first, second, *_ = search(tree, START, [30, 20, -9, -10, -11])
    search(tree, first, [proven(True, 7)])
    assert min(tree.moves(START).values()) == proven(False, 8)
    leaf = tree.next_leaf((), 60)
    assert leaf and leaf.key == second
    lost = [proven(False, 6)] * len(tree.nodes[START].children)
    search(tree, START, lost)
    assert tree.value(START) == proven(False, 6)
    # A solved board's book is its proof: the replies to it are kept.
    assert tree.next_leaf((), 60) is not None


def test_searches_are_counted_once_whatever_leads_to_them() -> None:
    tree = Tree(START, step=0)
    for _ in range(40):
        leaf = tree.next_leaf((), 60)
        assert leaf is not None
        tree.add(leaf.key, dict(zip(leaf.moves, (5, 4, 3), strict=False)), 1000)
    counts = tree.searches()
    assert counts[START] == len(tree.nodes) == max(counts.values())
    # By hand, from a position in the middle.
    key = sorted(tree.nodes)[7]
    seen, open_ = set(), [key]
    while open_:
        here = open_.pop()
        if here in tree.nodes and here not in seen:
            seen.add(here)
            open_ += tree.nodes[here].children.values()
    assert counts[key] == len(seen)


def some_positions(count: int) -> list[Board]:
    """Positions of random games on 5x6 that are not symmetric, either side to move."""
    dice, found = random.Random(3), []
    for _ in range(count):
        board = Board("5x6")
        for _ in range(dice.randrange(8)):
            if not board.is_game_over():
                board.push(dice.choice(list(board.legal_moves)))
        if not board.is_game_over() and board.board_fen() != board.flip_horizontal().board_fen():
            found.append(board)
    return found


def test_a_book_has_what_was_written_for_images_too() -> None:
    entries: dict[bytes, tuple[Board, Entry]] = {}
    for board in some_positions(60):
        moves = {move.uci(): 100 - at for at, move in enumerate(board.legal_moves)}
        entries[packed(board)[0]] = board, Entry(7, moves)
    book = OpeningBook(written((5, 6), 1000, entries))
    assert len(book) == len(entries) and book.board == (5, 6) and book.nodes == 1000
    for board, entry in entries.values():
        assert book.lookup(board) == entry
        for image in (board.mirror(), board.flip_horizontal()):
            found = book.lookup(image)
            assert found and list(found.moves.values()) == list(entry.moves.values())
            assert found.moves.keys() == {move.uci() for move in image.legal_moves}
    assert book.lookup(Board("6x6")) is None
    # In a symmetric position a move's mirror image is worth the same.
    start = Board("5x6")
    book = OpeningBook(
        written((5, 6), 1, {packed(start)[0]: (start, Entry(1, {"a2b3": 9, "c2c3": 5}))})
    )
    found = book.lookup(start)
    assert found and found.moves == {"a2b3": 9, "e2d3": 9, "c2c3": 5}
    unknown = OpeningBook(written((5, 6), 1, {}))
    assert unknown.lookup(Board("5x6")) is None


def changed(data: bytes, old: bytes, new: bytes) -> bytes:
    """A file with another content and the checksum that fits."""
    body = data[:-4].replace(old, new)
    return body + struct.pack("<I", zlib.crc32(body))


def test_a_file_that_is_no_book_is_refused() -> None:
    board = Board("5x6")
    good = written((5, 6), 9, {packed(board)[0]: (board, Entry(1, {"a2a3": 5}))})
    for data, reason in (
        (b"", "is not an opening book"),
        (b"petard opening book 2\n", "is not an opening book"),
        (good[:-1], "is damaged"),
        (good[:60] + b"x" + good[61:], "is damaged"),
        (TITLE, "is damaged"),
        (changed(good, b"positions 1", b"positions 2"), "is damaged"),
        (changed(good, b"positions 1", b"positions x"), "is damaged"),
        (changed(good, b"board", b"plank"), "is damaged"),
    ):
        with pytest.raises(UserError, match=reason):
            OpeningBook(data, "file")


def test_the_opening_of_a_game_is_what_the_book_has_of_it() -> None:
    board = Board("5x6")
    entries = {packed(board)[0]: (board.copy(), Entry(2, {"b2b3": 5, "a2a3": 1}))}
    board.push_uci("b2b3")
    entries[packed(board)[0]] = board.copy(), Entry(1, {"a5a4": -5})
    book = OpeningBook(written((5, 6), 9, entries))
    start = Board("5x6").fen()
    for line, expected in (
        ("b2b3 a5a4 c2c3", "opening: b2b3 a5a4"),
        ("b2b3", "opening: b2b3"),
        ("b2b3 c5c4", "opening: b2b3; left the book with c5c4, where it has a5a4"),
        ("c2c3", "opening: no book move; left the book with c2c3, where it has b2b3"),
    ):
        found = opening_of(book, start, line.split())
        assert found and found.text() == expected
    assert opening_of(book, "5/p4/5/5/4P/5 w 0 1", []) is None
    assert opening_of(book, Board("6x6").fen(), []) is None


def grow(petard: str, folder: Path, *words: object) -> dict[str, Any]:
    """Grow a book of 5x6 with short searches."""
    done = run_script(
        "opening_book.py",
        *("--board", "5x6", "--resume", folder / "5x6.jsonl", "--out", folder / "5x6.book"),
        *("--nodes", 300, "--lines", 3, "--engine", f"cmd={petard}", "option.ProofFile=<empty>"),
        *("--json", "-", "--quiet", *words),
    )
    assert done.returncode == 0, done.stderr
    reported: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return reported


def test_a_book_grows_is_resumed_and_is_what_the_ledger_says(petard: str, tmp_path: Path) -> None:
    reported = grow(petard, tmp_path, "--positions", 6)
    assert reported["positions"] == 6 and reported["run_searches"] == reported["searches"] >= 6
    more = grow(petard, tmp_path, "--positions", 12)
    assert more["positions"] == 12
    assert more["run_searches"] == more["searches"] - reported["searches"]
    data = (tmp_path / "5x6.book").read_bytes()
    again = grow(petard, tmp_path, "--positions", 1)
    assert again["run_searches"] == 0 and (tmp_path / "5x6.book").read_bytes() == data
    whole = tmp_path / "whole"
    whole.mkdir()
    grow(petard, whole, "--positions", 12)
    assert (whole / "5x6.book").read_bytes() == data
    book = OpeningBook(data)
    first = book.lookup(Board("5x6"))
    assert len(book) == 12 and first is not None and first.searches == 12
    assert first.moves.keys() == {move.uci() for move in Board("5x6").legal_moves}


def test_a_proof_needs_no_search(petard: str, tmp_path: Path) -> None:
    reported = grow(
        petard, tmp_path, "--positions", 9, "--board", "4x5", "--engine", f"cmd={petard}"
    )
    assert reported["value"] == "lost"
    book = OpeningBook((tmp_path / "5x6.book").read_bytes())
    start = book.lookup(Board("4x5"))
    assert start and len(start.moves) == 10 and {text(v) for v in start.moves.values()} == {"lost"}


def engine_says(petard: str, path: Path, board: Board) -> dict[str, Any]:
    """What the engine reads from a book about a position."""
    lines = (
        f"setoption name BookFile value {path}",
        f"position fen {board.fen()}",
        "d json",
        "quit",
    )
    done = subprocess.run(
        [petard], input="\n".join(lines), capture_output=True, text=True, check=True, timeout=600
    )
    assert len(done.stdout.splitlines()) == 1, done.stdout
    reported: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return reported


def test_the_engine_reads_the_same(petard: str, tmp_path: Path) -> None:
    grow(petard, tmp_path, "--positions", 10)
    path = tmp_path / "5x6.book"
    book = OpeningBook(path.read_bytes())
    board = Board("5x6")
    for _ in range(3):
        for seen in (board, board.mirror(), board.flip_horizontal()):
            entry = book.lookup(seen)
            rows = engine_says(petard, path, seen)["book"]
            expected = [] if entry is None else [*entry.moves]
            assert [row["move"] for row in rows] == expected
            for row in rows:
                value = entry.moves[row["move"]] if entry else 0
                assert row["cp"] == value or (row["cp"] is None and plies_of(value))
        entry = book.lookup(board)
        if entry is None:
            break
        board.push_uci(next(iter(entry.moves)))
    assert board.move_stack


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--board", "9"], "expected FILESxRANKS"),
        (["--nodes", "0"], "--nodes 0: must be at least 1"),
        (["--engine", "depth=3"], "the limit of a search is --nodes"),
    ],
)
def test_what_makes_no_sense_is_refused(
    petard: str, tmp_path: Path, words: list[str], reason: str
) -> None:
    ledger = tmp_path / "ledger.jsonl"
    done = run_script(
        "opening_book.py", "--resume", ledger, "--engine", f"cmd={petard}", *words, "--quiet"
    )
    assert done.returncode == 2 and reason in done.stderr.replace("\n", " ")
    assert not ledger.exists()


def test_files_of_others_are_not_touched(petard: str, tmp_path: Path) -> None:
    ledger, other = tmp_path / "ledger.jsonl", tmp_path / "other.txt"
    other.write_text("mine")
    ledger.write_text('{"kind":"opening-book","version":1,"board":"6x6"}\n{"pos":"x"}\n')
    for words, reason in (
        (["--out", other], "not an opening book"),
        (["--out", ledger], "the same file"),
        ([], "belongs to another run"),
    ):
        done = run_script(
            "opening_book.py", "--resume", ledger, "--engine", f"cmd={petard}", *words
        )
        assert done.returncode == 2 and reason in done.stderr.replace("\n", " "), done.stderr
    assert other.read_text() == "mine"
