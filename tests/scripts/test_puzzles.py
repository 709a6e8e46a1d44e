"""Puzzles: what is certain about them, how they are rated, and the command line."""

from __future__ import annotations

import functools
import json
import random
from pathlib import Path

import msgspec
import pytest

from conftest import ROOT, run_script
from petard import Board, puzzles, solve
from petardlib.base.errors import UserError
from petardlib.puzzles.likeness import Likeness, face_of
from petardlib.puzzles.miner import Found, solution
from petardlib.puzzles.prover import Prover
from petardlib.puzzles.publish import chosen, prove_again, read_ledgers
from petardlib.puzzles.rating import fit
from petardlib.puzzles.themes import themes_of
from petardlib.puzzles.view import is_easy, passed, view_of
from petardlib.stats.games import GameRecord

FILE = ROOT / "web" / "data" / "puzzles.csv"
# An answer that must be found, and what follows it.
SACRIFICE = ("5p2/1p2pp2/3p4/3pP3/1p3P2/1P2P3/1P6/1P2P3 b 0 36", "f8g7 e5e6 f7e6 f4g5 b4a3 b2a3")


def positions(size: str, count: int, most: int) -> list[Board]:
    """Positions of random games, at most so many plies before their ends."""
    found: list[Board] = []
    for seed in range(count):
        end = Board(size).random_playout(seed)
        for _ in range(random.Random(seed).randint(1, min(most, len(end.move_stack)))):
            end.pop()
        found.append(end.copy(stack=False))
    return found


@functools.cache
def length(board: Board) -> int:
    """Plies to the end, the winner hurrying, the loser resisting; odd if the side to move wins."""
    if board.is_game_over():
        return 0
    lengths = []
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        lengths.append(length(after) + 1)
    wins = [one for one in lengths if one % 2]
    return min(wins) if wins else max(lengths)


def test_runners_are_never_stopped() -> None:
    seen = 0
    for board in positions("5x5", 200, 8):
        for first in (True, False):
            if view_of(board, board.turn if first else not board.turn).runners(moves_first=first):
                seen += 1
                assert solve(board).winner is (board.turn if first else not board.turn), board.fen()
    assert seen > 50


def test_only_moves_and_the_longest_resistance(petard: str) -> None:
    prover = Prover(petard, 10_000)
    only = lost = 0
    few = [board for board in positions("4x5", 2000, 6) if len(board.piece_map()) <= 7]
    for board in few:
        winning = [
            move.uci() for move in board.legal_moves if length(_after(board, move.uci())) % 2 == 0
        ]
        expected = winning[0] if len(winning) == 1 else None
        assert prover.only_move(board) == expected, board.fen()
        only += expected is not None
        if not winning:
            most = length(board)
            found = prover.longest_replies(board)
            replies = sorted(
                uci for uci in board.legal_moves.uci() if length(_after(board, uci)) == most - 1
            )
            assert found == (most // 2, replies), board.fen()
            lost += 1
    prover.close()
    assert only and lost > 5


def _after(board: Board, move: str) -> Board:
    after = board.copy(stack=False)
    after.push_uci(move)
    return after


def test_a_solution_ends_where_the_rest_is_easy(petard: str) -> None:
    prover = Prover(petard, 10_000)
    fen, moves = SACRIFICE
    first, *line = moves.split()
    board = Board.from_fen(fen)
    board.push_uci(first)
    assert not is_easy(board)
    assert prover.only_move(board) == line[0]
    assert solution(prover, board, line[0]) == (line, 0)
    found = Found(fen, [first, *line], 0)
    assert themes_of(prover, found) == ["long", "sacrifice"]
    prover.close()
    assert passed(passed(board)) == board


def test_mirror_images_other_colours_and_near_duplicates_are_alike() -> None:
    fen, moves = SACRIFICE
    first, *line = moves.split()
    board = Board.from_fen(fen)
    board.push_uci(first)
    known = Likeness()
    known.add(board, line)
    turned = {letter: chr(ord("a") + ord("h") - ord(letter)) for letter in "abcdefgh"}
    mirrored = "".join(turned.get(letter, letter) for letter in line[0])
    swapped = "".join(str(9 - int(one)) if one.isdigit() else one for one in line[0])
    assert known.has(board.flip_horizontal(), mirrored)
    assert known.has(board.mirror(), swapped)
    assert face_of(board, line[0]) == face_of(board.flip_horizontal(), mirrored)
    nearly = Board.from_fen(board.fen().replace("5p2/", "6p1/"))
    for form, answer in ((nearly, line[0]), (nearly.flip_horizontal(), mirrored)):
        assert known.has(form, answer)
    assert not known.has(Board(), "b2b3")
    # A later position of the solution is no puzzle of its own.
    later = board.copy(stack=False)
    later.push_line(line[:2])
    assert known.has(later, line[2])


@pytest.mark.parametrize(
    ("answers", "least", "most"),
    [
        ([(1000, True), (1000, False)] * 20, 990, 1010),
        ([(level, level > 1500) for level in range(1000, 2000, 40)], 1450, 1550),
        ([(-350, True)] * 24, -1200, -350),
        ([(2990, False)] * 24, 2990, 3800),
    ],
)
def test_a_rating_is_where_half_of_the_answers_are_right(
    answers: list[tuple[int, bool]], least: float, most: float
) -> None:
    rating, deviation = fit(answers)
    assert least <= rating <= most
    assert 30 < deviation < 300
    assert fit(answers[:2])[1] > deviation


def test_bands_of_ratings_are_kept_evenly() -> None:
    fen, moves = SACRIFICE
    many = [
        puzzles.Puzzle(f"p{rating}", fen, tuple(moves.split()), rating, 80, ("short",))
        for rating in [*range(200, 300), 900, 1500]
    ]
    kept = chosen(many, 10)
    assert len(kept) == 10
    assert [one.rating for one in kept[-2:]] == [900, 1500]
    assert chosen(many, 1000) == sorted(many, key=lambda one: (one.rating, one.id))


def test_puzzles_that_are_false_are_found() -> None:
    fen, moves = SACRIFICE
    true = puzzles.Puzzle("true1", fen, tuple(moves.split()), 1400, 80, ("sacrifice",))
    assert prove_again(true, certificates=False) is None
    false = puzzles.Puzzle("false", fen, ("f8g7", "f4g5"), 1400, 80, ("oneMove",))
    assert "false: the winner after" in (prove_again(false, certificates=False) or "")


def test_mining_resumes_and_is_published_and_checked(petard: str, tmp_path: Path) -> None:
    ledger, out = tmp_path / "6x6.jsonl", tmp_path / "puzzles.csv"
    words = ["--board", "6x6", "--games", 2, "--play-nodes", 50, "--nodes", 300]
    words += ["--resume", ledger, "--engine", f"cmd={petard}", "--quiet"]
    done = run_script("puzzles.py", *words, "--jobs", 1, "--json", "-")
    assert done.returncode == 0, done.stderr
    first = ledger.read_bytes()
    done = run_script("puzzles.py", *words, "--jobs", 3, "--json", "-")
    assert done.returncode == 0, done.stderr
    assert ledger.read_bytes().startswith(first)
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["games"] == 6 and told["puzzles"] > 0
    done = run_script("puzzles.py", "--from", ledger, "--out", out)
    assert done.returncode == 0, done.stderr
    found = puzzles.load(out)
    assert found and all(one.size == "6x6" for one in found)
    done = run_script("puzzles.py", "--check", out, "--sample", 2, "--certificates", 0)
    assert done.returncode == 0, done.stdout
    assert "puzzles hold, 0 of them tried by certificates" in done.stdout


def test_games_of_files_are_mined(petard: str, tmp_path: Path) -> None:
    game = tmp_path / "game.pgn"
    moves = Board("6x6").random_playout(3).move_stack
    game.write_text('[Event "x"]\n\n' + " ".join(move.uci() for move in moves) + " *\n")
    ledger = tmp_path / "tournament.jsonl"
    words = [move.uci() for move in moves]
    record = msgspec.to_builtins(
        GameRecord("a", "b", "1-0", fen=Board("6x6").fen(), moves=words, book=len(words))
    )
    lines = [{"kind": "tournament"}, record]
    ledger.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    options = ["--board", "6x6", "--jobs", 0, "--nodes", 100, "--engine", f"cmd={petard}"]
    for file in (game, ledger):
        done = run_script("puzzles.py", file, *options, "--resume", tmp_path / f"{file.stem}.out")
        assert done.returncode == 0, done.stderr
        assert ": 1 games, " in done.stdout, done.stdout


def test_refusals(petard: str, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.jsonl"
    foreign.write_text("1. b2b3\n")
    for words, text in [
        ([], "nothing to do: give --resume, --out or --check"),
        (["--out", tmp_path / "x.csv"], "--out and --from belong together"),
        (["--out", tmp_path / "x.csv", "--from", foreign], "is not a ledger of puzzles"),
        (["--out", foreign, "--from", FILE], "was not written by this script"),
        (["--check", foreign], "not a file of puzzles"),
        ([foreign, "--resume", tmp_path / "r"], "not a record of a tournament"),
        (["--board", "1x1", "--resume", tmp_path / "r"], "board 1x1"),
    ]:
        done = run_script("puzzles.py", *words, "--engine", f"cmd={petard}")
        assert done.returncode == 2
        assert text in " ".join(done.stderr.split()), done.stderr
    with pytest.raises(UserError, match="is not a ledger of puzzles"):
        list(read_ledgers([FILE]))


def test_the_published_puzzles_are_all_different() -> None:
    found = puzzles.load(FILE)
    known = Likeness()
    for one in sorted(found, key=lambda one: -len(one.moves)):
        board = one.board()
        assert not known.has(board, one.moves[1]), one.id
        known.add(board, list(one.solution))
    assert found == puzzles.read(puzzles.write(found))
