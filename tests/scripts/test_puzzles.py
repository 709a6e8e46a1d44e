"""Puzzles: what is certain about them, how they are rated, and the command line."""

from __future__ import annotations

import functools
import json
import random
import sys
from pathlib import Path

import msgspec
import pytest

from conftest import ROOT, run_script
from petard import Board, puzzles, solve
from petardlib.base.errors import UserError
from petardlib.puzzles.endings import draw, taken_back
from petardlib.puzzles.likeness import Likeness, face_of
from petardlib.puzzles.miner import Found, Miner
from petardlib.puzzles.prover import Prover, is_proven
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


def test_only_moves_and_the_longest_resistance() -> None:
    prover = Prover()
    only = lost = 0
    few = [board for board in positions("4x5", 2000, 6) if len(board.piece_map()) <= 7]
    for board in few:
        winning = [
            move.uci() for move in board.legal_moves if length(_after(board, move.uci())) % 2 == 0
        ]
        expected = winning[0] if len(winning) == 1 else None
        assert prover.only_move(board, 10_000) == expected, board.fen()
        for move in board.legal_moves.uci():
            assert is_proven(board, move) == (move == expected), board.fen()
        only += expected is not None
        if not winning:
            most = length(board)
            found = prover.resistance(board)
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


def test_a_puzzle_is_found_and_its_solution_ends_where_the_rest_is_easy() -> None:
    prover = Prover()
    fen, moves = SACRIFICE
    first, *line = moves.split()
    before = Board.from_fen(fen)
    board = _after(before, first)
    assert not is_easy(board)
    assert prover.only_move(board, 10_000) == line[0]
    assert themes_of(prover, Found(fen, [first, *line], 0)) == ["long", "sacrifice"]
    fen, moves, _ = THEMED[0]
    first, *line = moves.split()
    board = _after(Board.from_fen(fen), first)
    miner = Miner(prover, 10_000)
    # Only some of the plain ones are kept.
    tries = [miner.of_ending(board, random.Random(seed)) for seed in range(20)]
    assert None in tries
    found = next(one for one in tries if one is not None)
    assert found.moves[1:] == line and found.rest == 0
    assert found.board() == board
    prover.close()
    assert passed(passed(board)) == board


def test_endings_are_taken_back_by_a_legal_move() -> None:
    seen = 0
    for seed in range(50):
        board = draw(6, 7, random.Random(seed))
        for before, move in taken_back(board, random.Random(seed)):
            seen += 1
            assert before.turn is not board.turn
            assert move in before.legal_moves
            before.push(move)
            assert before == board
    assert seen > 50


# A position, the last move and the solution, and what it is about. Those that differ in a piece
# show what a theme depends on.
THEMED = [
    # White may not step forward first: it is Black who has run out of moves that wait.
    (
        "2p3/4p1/6/6/5P/2P3 w 0 1",
        "f2f3 c6d5 c1b2 e5f4 f3e4 d5e4",
        "long onlyDefence quietMove zugzwang",
    ),
    ("1p4/4p1/6/6/3P2/3P2 b 0 1", "e5f4 d1e2 b6a5 e2f3 f4e3 d2e3", "long onlyDefence quietMove"),
    ("p5/p5/6/6/P5/P5 w 0 1", "a2b3 a6b5 a1a2 a5b4", "onlyDefence quietMove race short zugzwang"),
    # A step onto a4 would win for White.
    (
        "1p2pp/ppp3/6/P2Pp1/4P1/1PP1P1 w 0 14",
        "b1a2 e6d5 a2b3 a5a4 b3a4 b5a4",
        "blocking long quietMove",
    ),
    ("3p2/2p2p/6/4P1/1P4/1P1P2 b 0 1", "c5d4 e3d4", "doubleThreat oneMove onlyDefence"),
    ("1p1p2/4p1/p5/P5/PPP3/6 b 0 1", "e5d4 a3b4", "oneMove onlyDefence race"),
    ("1p1pp1/ppp1p1/p1pP1p/4P1/P1P3/1PPP2 b 0 12", "e5e4 d4d5", "oneMove sacrifice"),
]


@pytest.mark.parametrize(("fen", "moves", "themes"), THEMED)
def test_themes(fen: str, moves: str, themes: str) -> None:
    prover = Prover()
    assert themes_of(prover, Found(fen, moves.split(), 0)) == themes.split()
    prover.close()


def test_zugzwang_and_blocking_are_what_is_proven() -> None:
    """In published puzzles: what is claimed, and that nothing that is plain was overlooked."""
    few = [one for one in puzzles.load(FILE) if len(one.board().piece_map()) <= 16]
    for theme in ("zugzwang", "blocking", "oneMove", "short"):
        having = [one for one in few if theme in one.themes]
        for one in random.Random(1).sample(having, min(len(having), 15)):
            for name, found in (("zugzwang", _wins_by_passing), ("blocking", _wins_by_a_step)):
                if name in one.themes:
                    assert found(one, 1_000_000), (name, one)
                else:
                    assert not found(one, 200), (name, one)


def _wins_by_passing(one: puzzles.Puzzle, nodes: int) -> bool:
    """Whether the opponent, after a move of the solution, would win if it could pass."""
    board = one.board()
    for number, move in enumerate(one.solution):
        board.push_uci(move)
        if number % 2 or board.is_game_over():
            continue
        if solve(passed(board), nodes=nodes).winner is board.turn:
            return True
    return False


def _wins_by_a_step(one: puzzles.Puzzle, nodes: int) -> bool:
    """Whether a move of the solution prevents a step to its square that would have won."""
    board = one.board()
    for number, move in enumerate(one.solution):
        enemy = passed(board)
        step = f"{move[2]}{int(move[3]) + (1 if board.turn else -1)}{move[2:]}"
        quiet = not board.is_capture(board.parse_uci(move))
        if number % 2 == 0 and quiet and step in enemy.legal_moves.uci():
            winner = enemy.turn
            enemy.push_uci(step)
            if solve(enemy, nodes=nodes).winner is winner:
                return True
        board.push_uci(move)
    return False


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


def test_puzzles_that_are_false_are_found(petard: str) -> None:
    fen, moves = SACRIFICE
    true = puzzles.Puzzle("true1", fen, tuple(moves.split()), 1400, 80, ("sacrifice",))
    assert prove_again(true, petard, certificates=False) is None
    fen, moves, themes = THEMED[0]
    small = puzzles.Puzzle("small", fen, tuple(moves.split()), 246, 80, tuple(themes.split()))
    assert prove_again(small, petard, certificates=True) is None
    false = puzzles.Puzzle("false", SACRIFICE[0], ("f8g7", "f4g5"), 1400, 80, ("oneMove",))
    assert "false: the winner after" in (prove_again(false, petard, certificates=False) or "")


def test_a_move_whose_win_the_solver_leaves_open_is_not_proven(tmp_path: Path) -> None:
    fen, moves = SACRIFICE
    puzzle = puzzles.Puzzle("open", fen, tuple(moves.split()[:2]), 1400, 80, ("oneMove",))
    board = puzzle.board()
    board.push_uci(puzzle.solution[0])
    # It proves that every other move loses.
    solver = tmp_path / "solver"
    solver.write_text(
        f"""#!{sys.executable}
import json, sys
for fen in sys.stdin:
    reply = {{"fen": fen.strip(), "nodes": 1, "seconds": 0.1, "winner": "first"}}
    if fen.strip() == {board.fen()!r}:
        reply |= {{"winner": "unknown", "opened": {{"": {{"a2a3": [1, 1]}}}}}}
    print(json.dumps(reply), flush=True)
"""
    )
    solver.chmod(0o755)
    found = prove_again(puzzle, str(solver), certificates=False)
    assert found == "open: the winner after e5e6 is not who it should be"


def test_some_of_the_published_hold(petard: str) -> None:
    some = random.Random(2).sample(puzzles.load(FILE), 8)
    some.sort(key=lambda one: len(one.board().piece_map()))
    for number, one in enumerate(some):
        assert prove_again(one, petard, certificates=number == 0) is None


def test_mining_resumes_and_is_published_and_checked(petard: str, tmp_path: Path) -> None:
    ledger, out = tmp_path / "6x6.jsonl", tmp_path / "puzzles.csv"
    words = ["--board", "6x6", "--games", 2, "--endings", 30, "--play-nodes", 50, "--nodes", 3000]
    words += ["--resume", ledger, "--quiet"]
    done = run_script("puzzles.py", *words, "--jobs", 1, "--json", "-")
    assert done.returncode == 0, done.stderr
    first = ledger.read_bytes()
    done = run_script("puzzles.py", *words, "--jobs", 3, "--json", "-")
    assert done.returncode == 0, done.stderr
    assert ledger.read_bytes().startswith(first)
    reported = json.loads(done.stdout.splitlines()[-1])
    assert reported["games"] == 6 and reported["puzzles"] > 0
    done = run_script("puzzles.py", "--from", ledger, "--out", out)
    assert done.returncode == 0, done.stderr
    found = puzzles.load(out)
    assert found and all(one.size == "6x6" for one in found)
    done = run_script(
        "puzzles.py",
        "--check",
        out,
        "--sample",
        2,
        "--certificates",
        1,
        "--engine",
        f"cmd={petard}",
    )
    assert done.returncode == 0, done.stdout
    assert "puzzles hold, 1 of them tried by certificates" in done.stdout


def test_games_of_files_are_mined(tmp_path: Path) -> None:
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
    options = ["--board", "6x6", "--jobs", 0, "--nodes", 100]
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
