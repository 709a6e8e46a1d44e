"""What compliance.py finds in engines, and the bots of the guide."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PATIENCE, ROOT, run_program, run_script
from petard import Board
from petardlib.rules.illegal import why_illegal

BOTS = ROOT / "docs/bots"
LEGAL = 'target == "." or (target != side and to != file)'
LOOP = "            for to in (file - 1, file, file + 1):\n"
INFO = 'print(f"info depth 1 score cp 1 pv {best}\\nbestmove {best}")'


def check(*command: object) -> subprocess.CompletedProcess[str]:
    return run_script("compliance.py", sys.executable, *command)


def changed(folder: Path, old: str, new: str) -> Path:
    """The bot in Python with one error."""
    text = (BOTS / "bot.py").read_text()
    assert old in text
    path = folder / "bot.py"
    path.write_text("import random\nrandom.seed(1)\n" + text.replace(old, new))
    return path


def test_petard_passes_all_steps(petard: str) -> None:
    done = run_script("compliance.py", petard)
    assert done.returncode == 0, done.stdout
    assert "plies of a game on 7x7" in done.stdout and "warning" not in done.stdout
    assert re.search(r"passed: all 37 steps, \d+ moves, the slowest after \d+ ms", done.stdout)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (LEGAL, "target != side", "captures straight ahead; captures are diagonal"),
        (LEGAL, f"{LEGAL} or to == file and target == side", "is occupied by a piece of its own"),
        (LEGAL, 'target == "." or to != file', "is occupied by a piece of its own side"),
        (LEGAL, 'target == "."', "a capture as the only move, White to move: exited with code 1"),
        (LEGAL, '(target == ".") == (to == file) and target != side', "exited with code 1"),
        (
            LEGAL,
            f"0 < ahead < len(board) - 1 and ({LEGAL})",
            "a move that wins, White to move: exi",
        ),
        (
            "if row[file] == side and 0 <= to < len(row):",
            "to %= len(row)\n                if row[file] == side:",
            "goes 7 files aside; a move goes straight ahead or to the next file",
        ),
        (
            LOOP,
            "            if row[file] == side and 0 < rank + 2 * (ahead - rank) < len(board):\n"
            "                if board[2 * ahead - rank][file] == '.' == board[ahead][file]:\n"
            "                    yield file, rank, file, 2 * ahead - rank\n" + LOOP,
            "goes two ranks; a move goes one",
        ),
        (
            LOOP,
            "            if row[file] == side and row[file - 1] == '.' and file:\n"
            "                yield file, rank, file - 1, rank\n" + LOOP,
            "goes no ranks; a move goes one",
        ),
        ('rank + 1 if side == "P" else rank - 1', "rank - 1", "there is no "),
        ('else "p"\n', 'else "P"\n', "has no piece on"),
        ('side = "p" if side == "P" else "P"', "pass", "that piece is the opponent's"),
        ('" moves "', '" nothing "', "pieces that have moved, White to move: "),
        ('head.removeprefix("position fen ")', "START", "has no piece on"),
        ('in reversed(rows.split("/"))', 'in rows.split("/")', "exited with code 1"),
        ("[list(row) for", "[list(row)[::-1] for", "the square is empty"),
        (" var breakthrough\\n", " var breakthrough6\\n", "on 6x6: "),
        (" var breakthrough\\n", " var breakthrough3\\n", "board 3x3: "),
        (INFO, "print('bestmove', best.upper())", "is not a move; write the squares"),
        (INFO, "print('bestmove', best + 'q')", "is not a move; write the squares"),
        (INFO, "print('bestmove')", "`bestmove`: expected `bestmove a2b3`: the word, a space, the"),
        (INFO, "print(f'bestmove: {best}')", ": expected `bestmove a2b3`: the word, a space, "),
        (INFO, "print(f'bestmoves {best}')", ": expected `bestmove a2b3`: the word, a space, "),
        ("breakthrough\\nuciok", "breakthrough\\nuciok.", "`uciok.`: expected `uciok`"),
        (INFO, "print('bestmove (none)')", "(none): there is always a legal move"),
        (INFO, f"{INFO}; print('bestmove c1d2')", "`bestmove c1d2`: a second `bestmove` for one"),
        ('"id name bot.py\\nid author you"', '"id name bot.py"', "expected `id author AUTHOR`"),
    ],
)
def test_an_error_is_found_and_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    done = check(changed(tmp_path, old, new))
    assert done.returncode == 1, done.stdout
    failed = done.stdout[done.stdout.index("\nfailed: step ") :]
    assert message in failed.split("\n")[1], done.stdout


def test_an_illegal_move_is_shown_with_its_board(tmp_path: Path) -> None:
    done = check(changed(tmp_path, LEGAL, "target != side and to == file"))
    assert "  4  . . . P . . . .\n" in done.stdout
    assert "it was sent: position fen 8/8/8/3p4/3P4/8/8/8 w 0 1\n" in done.stdout
    assert "White (P, moves up) is to move" in done.stdout
    assert "the end of the dialogue" in done.stdout and "    > go movetime 50\n" in done.stdout


def test_what_a_bot_says_when_it_stops_is_shown(tmp_path: Path) -> None:
    done = check(changed(tmp_path, "import random\n", "import randm\n"))
    assert done.returncode == 1
    assert "stopped with this error:\n    Traceback" in done.stdout
    assert "No module named 'randm'" in done.stdout and "flush" not in done.stdout
    assert "can't open file" in check(tmp_path / "bto.py").stdout
    assert "NameError: name 'bset'" in check(changed(tmp_path, INFO, "print(bset)")).stdout


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("/nowhere/at/all", "no such file"),
        ("nowhere", "'nowhere': not found on PATH\n"),
        ("plain.py", "not found on PATH; did you mean 'python3 plain.py'?"),
        ("./plain.py", "not executable; did you mean 'python3 ./plain.py'?"),
        ("program", "not found on PATH; did you mean './program'?"),
        ("./program", "neither a program nor a script that begins with #!"),
    ],
)
def test_a_wrong_command_is_explained(tmp_path: Path, command: str, message: str) -> None:
    (tmp_path / "plain.py").touch()
    (tmp_path / "program").write_text("print()\n")
    (tmp_path / "program").chmod(0o755)
    done = run_script("compliance.py", command, cwd=tmp_path)
    assert done.returncode == 2 and message in done.stderr, done.stderr


def test_a_missing_flush_is_found_whatever_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    script = changed(tmp_path, "    sys.stdout.flush()\n", "")
    done = run_script("compliance.py", "--timeout", 1, sys.executable, script)
    assert "failed: step 1, answer to uci: no uciok within 1 s" in done.stdout
    assert "if it only starts slowly: compliance.py --timeout 60" in done.stdout


def test_a_closed_pipe_ends_it_quietly() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = run_program(
        *(sys.executable, ROOT / "scripts/compliance.py", sys.executable, BOTS / "bot.py"),
        ok=False,
        capture_output=False,
        stdout=writing,
        stderr=subprocess.PIPE,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (2, "")


def test_silence_is_not_waited_for_forever(tmp_path: Path) -> None:
    script = changed(tmp_path, 'print("readyok")', "pass")
    done = run_script("compliance.py", "--timeout", 1, sys.executable, script)
    assert done.returncode == 1
    assert "failed: step 2, answer to isready: no readyok within 1 s" in done.stdout
    assert "flush the output" in done.stdout and "    > isready" in done.stdout
    assert "starts slowly" not in done.stdout


@pytest.mark.parametrize(
    ("info", "warning"),
    [
        ("", "no `info` line before "),
        ("info depth 1 pv a2a3", "fastchess needs `info depth 1 score cp 1 pv a2a3`"),
        ("info depth 1 time 0.5 score cp 1", "time 0.5 score cp 1`: fastchess needs whole numbers"),
        ("info depth 1 score cp 0", "`score cp 0` before every move"),
    ],
)
def test_what_only_some_runners_need_is_a_warning(tmp_path: Path, info: str, warning: str) -> None:
    done = check(changed(tmp_path, INFO, f"print(f'{info}\\nbestmove {{best}}')"))
    assert done.returncode == 0, done.stdout
    assert warning in done.stdout


def test_a_bot_that_does_not_end_is_warned(tmp_path: Path) -> None:
    script = changed(tmp_path, 'head == "quit":\n        break', 'head == "quit":\n        pass')
    done = run_script("compliance.py", "--timeout", 3, sys.executable, script)
    assert done.returncode == 0, done.stdout
    assert "warning: it did not end within 3 s of `quit`" in done.stdout


def test_a_bot_without_variants_is_warned_that_it_plays_on_8x8_only(tmp_path: Path) -> None:
    done = check(changed(tmp_path, "option name UCI_Variant", "option name Variant"))
    assert done.returncode == 0, done.stdout
    assert "warning: it lists no option UCI_Variant" in done.stdout


def test_a_bot_for_8x8_alone_is_warned_of_other_boards(tmp_path: Path) -> None:
    on_8x8 = 'print(f"info depth 1 score cp 1\\nbestmove {best}" if len(board) == 8 else "")'
    done = run_script(
        "compliance.py", "--timeout", 3, sys.executable, changed(tmp_path, INFO, on_8x8)
    )
    assert done.returncode == 0, done.stdout
    assert "so it is sent FENs of any size; on 6x6: stalled: no bestmove" in done.stdout


@pytest.mark.parametrize(
    ("fen", "move", "reason"),
    [
        ("8/8/8/3p4/3P4/8/8/8 w 0 1", "d4e5", ""),
        ("8/8/8/3p4/3P4/8/8/8 w 0 1", "d4e6", "d4e6 goes two ranks; a move goes one"),
        (
            "8/8/8/3p4/3P4/8/8/8 b 0 1",
            "d5d4",
            "d5d4 captures straight ahead; captures are diagonal",
        ),
        ("8/8/8/3p4/3P4/8/8/8 b 0 1", "d5e6", "d5e6 goes backwards; Black moves down"),
        ("8/8/8/8/3P4/3P4/8/7p w 0 1", "d3e4", "d3e4 is illegal, since the game is over"),
        ("7p/8/8/8/3P4/3P4/8/8 w 0 1", "d3d4", "d3d4: d4 is occupied by a piece of its own side"),
        (
            "7p/8/8/8/3P4/8/8/8 w 0 1",
            "a1a2",
            "a1a2: White is to move and has no piece on a1; the squa",
        ),
        ("7p/8/8/8/3P4/8/8/8 w 0 1", "d4d9", "d4d9: there is no d9 on a board of 8x8"),
        ("7p/8/8/8/3P4/8/8/8 w 0 1", "d4i5", "d4i5: there is no i5 on a board of 8x8"),
        ("30/29p/29P/30 w 0 1", "ad2z3", "ad2z3 goes 4 files aside; a move goes straight ahead"),
        ("30/29p/29P/30 w 0 1", "ad2ad3", "ad2ad3 captures straight ahead; captures are diagonal"),
        (
            "7p/8/8/8/3P4/8/8/8 w 0 1",
            "d4-d5",
            "'d4-d5' is not a move; write the squares from and to",
        ),
    ],
)
def test_reasons(fen: str, move: str, reason: str) -> None:
    assert why_illegal(Board(fen), move).startswith(reason)


def test_freelings_game_has_its_own_rules() -> None:
    assert why_illegal(Board.freeling(), "a1a5") == "a1a5 is illegal"


def test_help_starts_no_engine() -> None:
    scripts = {
        "scripts/compliance.py": "[--timeout S] engine",
        "tests/reliability/ready.py": "petard",
        "tests/reliability/soak.py": "petard",
    }
    for script, argument in scripts.items():
        done = subprocess.run(
            [sys.executable, str(ROOT / script), "--help"],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"usage: {script.rpartition('/')[2]} [-h] {argument}")


@pytest.fixture
def compiled(tmp_path: Path) -> str:
    """The bot in C, if there is a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    program = tmp_path / "bot"
    flags = ["-O2", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([compiler, *flags, "-o", program, BOTS / "bot.c"], check=True)
    return str(program)


def test_the_bots_of_the_guide_comply_and_play_by_the_rules(compiled: str, tmp_path: Path) -> None:
    script = [sys.executable, str(BOTS / "bot.py")]
    for command in (script, [sys.executable, str(BOTS / "random_bot.py")], [compiled]):
        done = run_script("compliance.py", *command)
        assert done.returncode == 0 and "warning" not in done.stdout, done.stdout
    result = tmp_path / "result.json"
    done = run_script(
        "tournament.py",
        *("--engine", "name=script", f"cmd={' '.join(script)}"),
        *("--engine", "name=compiled", f"cmd={compiled}"),
        *("--each", "movetime=1000", "--games", "4", "--workers", "1", "--json", result),
    )
    assert done.returncode == 0, done.stderr
    assert "illegal" not in done.stdout + done.stderr
    games = json.loads(result.read_text())
    assert games, done.stdout


def test_the_page_shows_the_bots_as_they_are() -> None:
    page = (ROOT / "docs/bots.md").read_text()
    text = (BOTS / "random_bot.py").read_text()
    assert f"```python\n{text}```" in page
    assert text.count("\n") <= 30
    worth = (BOTS / "bot.py").read_text().partition("\ndef worth")[2].partition("\n\n\n")[0]
    assert f"```python\ndef worth{worth}\n```" in page


def test_the_answer_to_the_exercise_makes_the_bot_capture(tmp_path: Path) -> None:
    page = (ROOT / "docs/bots.md").read_text()
    answer = page.partition("**Exercise:**")[2].split("```")[1].removeprefix("python\n")
    last = "    return random.random()\n"
    script = changed(tmp_path, last, answer + last)
    assert check(script).returncode == 0
    done = subprocess.run(
        [sys.executable, script],
        input="position fen 7p/8/8/3p4/PPPPPPPP/8/8/8 w 0 1\n" + 20 * "go\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    moves = {line for line in done.stdout.splitlines() if line.startswith("bestmove")}
    assert moves == {"bestmove c4d5", "bestmove e4d5"} and not done.stderr


def test_the_bots_know_boards_of_more_than_26_files_and_end_with_the_input(compiled: str) -> None:
    start = "position fen 30/28pp/29P/30 w 0 1"
    lines = f"{start}\ngo\n{start} moves ad2ac3\ngo\n"
    for command in ([sys.executable, str(BOTS / "bot.py")], [compiled]):
        done = subprocess.run(
            command, input=lines, capture_output=True, text=True, timeout=PATIENCE, check=True
        )
        first, second = (line for line in done.stdout.splitlines() if line.startswith("bestmove"))
        assert first == "bestmove ad2ac3" and not done.stderr
        assert second in ("bestmove ad3ac2", "bestmove ad3ad2")
    done = run_program(sys.executable, BOTS / "random_bot.py", input="isready\n")
    assert (done.stdout, done.stderr) == ("readyok\n", "")
