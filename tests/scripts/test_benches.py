"""The measurements in benches: what they count."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from conftest import ROOT, run_program
from petardlib.base.errors import UserError

sys.path.insert(0, str(ROOT / "benches"))
import strength
from claimed_losses import LOSS, last_line


class Scored:
    """An engine that gives these scores, one a line."""

    def __init__(self, *scores: str) -> None:
        self.lines = [f"info depth 3 multipv 1 score {score} wdl 0 0 1000" for score in scores]

    def ask(self, *lines: str) -> None: ...

    def send(self, text: str) -> None: ...

    def read_until(self, word: str) -> list[str]:
        return [*self.lines, "bestmove a2a3"]


@pytest.mark.parametrize(
    ("scores", "is_claim"),
    [
        (["cp 20", "mate -3"], True),
        (["cp 20", "mate -3 upperbound"], True),
        (["cp 20", "mate -3 lowerbound"], False),
        (["mate -3", "mate -3 lowerbound"], True),
        (["mate -3", "cp -900"], False),
        ([], False),
    ],
)
def test_at_least_a_loss_is_no_claimed_loss(scores: list[str], is_claim: bool) -> None:
    assert bool(LOSS.search(last_line(Scored(*scores), "position startpos", 1))) == is_claim


ENGINE = """
for line in open(0):
    answers = {"uci": "uciok", "isready": "readyok", "go": "bestmove h3h4"}
    print(answers.get(line.split()[0], ""), flush=True)
"""


def test_a_lost_win_is_shown_with_the_move_that_wins(petard: str, tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(ENGINE)
    (tmp_path / "wins.fen").write_text("8/1P6/8/8/8/7P/2p5/8 w 0 1\n")
    done = run_program(
        *(sys.executable, ROOT / "benches/proven_wins.py", "ask", tmp_path / "wins.fen"),
        *("--engine", f"{sys.executable} {tmp_path / 'engine.py'}", "--petard", petard),
    )
    assert "lost: h3h4 in 8/1P6/8/8/8/7P/2p5/8 w 0 1; b7a8 wins\n" in done.stdout


FAILING = """
import sys, time
answers = ["bestmove b7a8", "", "bestmove b7b9", "bestmove b7b8", "late"]
for line in open(0):
    word = line.split()[0]
    if word == "setoption":
        sys.exit("it has no options")
    if word == "position":
        position = int(line.split()[-1])
    if word == "go":
        answer = answers[position - 1]
        if not answer:
            sys.exit(3)
        if answer == "late":
            time.sleep(3600)
        print(answer, flush=True)
    print({"uci": "uciok", "isready": "readyok"}.get(word, ""), flush=True)
"""


@pytest.mark.parametrize(
    ("asked", "timeout", "failures", "tally"),
    [
        (
            (1, 2, 3, 4),
            60,
            ["crash: exited with code 3", "illegal move: b7b9: there is no b9 on a board of 8x8"],
            "2 of 4 kept, 0 lost, 0 undecided, 2 failed",
        ),
        ((5,), 1, ["stalled: no move after "], "0 of 1 kept, 0 lost, 0 undecided, 1 failed"),
    ],
)
def test_crash_illegal_move_and_silence_are_failures(
    petard: str,
    tmp_path: Path,
    asked: tuple[int, ...],
    timeout: int,
    failures: list[str],
    tally: str,
) -> None:
    (tmp_path / "engine.py").write_text(FAILING)
    fens = [f"8/1P6/8/8/8/7P/2p5/8 w 0 {number}\n" for number in asked]
    (tmp_path / "wins.fen").write_text("".join(fens))
    done = run_program(
        *(sys.executable, ROOT / "benches/proven_wins.py", "ask", tmp_path / "wins.fen"),
        *("--engine", f"{sys.executable} {tmp_path / 'engine.py'}", "--petard", petard),
        *("--timeout", timeout),
    )
    *lines, last = done.stdout.splitlines()
    for line, reason in zip(lines, failures, strict=True):
        assert line.startswith(f"failed: {reason}")
    assert last == f"wins.fen: {tally}"


PAGE = """\
<!-- matches -->
old
<!-- end matches -->
kept
<!-- ladder -->
<!-- end ladder -->
"""


def test_strength_fills_the_page_and_resumes(
    petard: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder = tmp_path / "ladder.toml"
    ladder.write_text(
        '[[engine]]\nname = "petard 300"\nnodes = 20\n'
        '[[engine]]\nname = "petard 400"\nnodes = 40\n'
        f'[[engine]]\nname = "fairy-stockfish 100"\nnodes = 30\ncmd = "{petard}"\n'
    )
    monkeypatch.setattr(strength, "LADDER", ladder)
    monkeypatch.setattr(strength, "LADDER_GAMES", 4)
    one = strength.Match("5x5", "nodes=50", "previous", "nodes=1000", 4, seed=3, plies=2)
    other = strength.Match("6x6", "nodes=50", "fairy", "nodes=50", 4, seed=3)
    monkeypatch.setattr(strength, "MATCHES", (one, other))
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    command = ["--petard", petard, "--previous", petard, "--fairy", str(tmp_path / "none")]
    command += ["--parts", "matches", "ladder", "--page", str(page), "--out", str(tmp_path / "out")]
    assert strength.run_command([*command, "--games", "2"]) == 0
    text = page.read_text()
    assert "old" not in text and "\nkept\n" in text
    version = strength.version_of(Path(petard))
    assert text.count(f"\n{version}; 20") == 2
    (row,) = re.findall(r"^\| 5x5 \| .*", text, re.MULTILINE)
    assert f"\nThe previous version is {version}.\n\n| board |" in text
    assert re.match(r"\| 5x5 \| 50 nodes \| previous version, 1,000 nodes \| 2 \| \d-\d \| \d", row)
    assert "6x6" not in text
    assert re.search(r"^\| 1000 \| Fairy-Stockfish, 100 nodes \| 4 \|$", text, re.MULTILINE)
    assert re.search(r"^\| -?\d+ ± \d+ \| `UCI_Elo` 300 \| 4 \|$", text, re.MULTILINE)
    journal = (tmp_path / "out" / f"{one.name}.jsonl").read_text()
    assert strength.run_command(command) == 0
    assert (tmp_path / "out" / f"{one.name}.jsonl").read_text().startswith(journal)
    assert "| 4 | " in page.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--games", "3"], "expected an even number"),
        (["--boards", "9x9"], "no match is played there"),
        (["--previous", "/none"], "there is no such file"),
        (["--parts", "speed"], "no single pair of markers <!-- speed -->"),
    ],
)
def test_strength_refuses_before_it_plays(
    arguments: list[str], message: str, petard: str, tmp_path: Path
) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    command = ["--petard", petard, "--page", str(page), "--out", str(tmp_path / "out")]
    with pytest.raises(UserError, match=re.escape(message)):
        strength.run_command([*command, *arguments])


@pytest.mark.parametrize(
    ("pairs", "text"),
    [([0, 0, 0, 0, 100], "100.0% (98% to 100%)"), ([1, 0, 2, 0, 1], "50.0% (15% to 85%)")],
)
def test_the_score_of_a_match_has_an_interval(pairs: list[int], text: str) -> None:
    assert strength.score_text(pairs) == text


def test_a_measurement_is_summed_up_by_its_closing_lines() -> None:
    output = "8x8: petard 5\nnodes, 8x8: median ratio 1.81\nnodes, all boards: median ratio 1.80\n"
    assert strength.summary_of("nodes", output) == (
        "8x8: median ratio 1.81; all boards: median ratio 1.80"
    )


def test_the_page_has_a_place_for_each_part() -> None:
    page = strength.PAGE.read_text()
    for part in strength.PARTS:
        assert f"\n<!-- {part} -->\nx\n<!-- end {part} -->\n" in strength.replaced(page, part, "x")
