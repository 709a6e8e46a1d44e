"""Games that end before their rules end them: by a proof, or because an engine resigns."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_tournament import games_of

from conftest import run_script, start_fen
from petard import Board, pgn
from petardlib.play.game import Adjudication, Job, _Game
from petardlib.play.referee import Referee
from petardlib.play.spec import EngineSpec
from petardlib.rules.score import Score


def test_a_proven_game_ends(petard: str, tmp_path: Path) -> None:
    words = [
        *("--engine", "name=a", f"cmd={petard}", "--engine", "name=b", f"cmd={petard}"),
        *("--each", "nodes=3000", "--games", 4, "--board", "5x5"),
    ]
    for name, more in (("whole", []), ("short", ["--adjudicate", "proven"])):
        files = ("--resume", tmp_path / name, "--pgn", tmp_path / f"{name}.pgn")
        assert run_script("tournament.py", *words, *more, *files).returncode == 0
    whole, short = (
        sorted(games_of(tmp_path / name), key=lambda game: game["index"])
        for name in ("whole", "short")
    )
    for long, game in zip(whole, short, strict=True):
        # Claims are proofs: the result is the one of the game that was played on.
        assert game["result"] == long["result"] and game["termination"] == "adjudication"
        assert len(game["moves"]) < len(long["moves"])
        assert "has proven a" in game["reason"]
    for found in pgn.read_games((tmp_path / "short.pgn").read_text()):
        assert found.headers["Termination"] == "adjudication"
        assert "has proven a" in found.end().comment
    # A run with other rules is another run.
    done = run_script("tournament.py", *words, "--resume", tmp_path / "short")
    assert done.returncode == 2 and "different adjudication" in done.stderr


class Named:
    def __init__(self, name: str) -> None:
        self.id_name = name


@pytest.mark.parametrize(
    ("rules", "scores", "result"),
    [
        (Adjudication(resign=2, score=500), [-600, 10, -500], "0-1"),
        (Adjudication(resign=2, score=500), [-600, 10, -400, 10, -700, 10], None),
        (Adjudication(resign=2, score=500), [0, -600, 0, -600], "1-0"),
        (Adjudication(resign=1, score=500, two_sided=True), [-600, 10, -600], None),
        (Adjudication(resign=1, score=500, two_sided=True), [-600, 500, -600], "0-1"),
        (Adjudication(resign=1, score=500), [None, None], None),
        (Adjudication(resign=1, score=500), [0, "mate -3"], "1-0"),
        (Adjudication(), [-9999] * 6, None),
        (Adjudication(proven=True), [0, "mate 3"], None),
    ],
)
def test_an_engine_resigns(
    rules: Adjudication, scores: list[int | str | None], result: str | None
) -> None:
    specs = EngineSpec("one", []), EngineSpec("two", [])
    job = Job(0, 0, 1, *specs, Board().fen(), adjudication=rules)
    game = _Game(job, None, Referee("breakthrough", start_fen()))  # type: ignore[arg-type]
    found = None
    for ply, value in enumerate(scores):
        score = None if value is None else Score(cp=value) if isinstance(value, int) else None
        if isinstance(value, str):
            score = Score(mate=int(value.split()[1]))
        found = game._adjudicated(ply % 2, Named("other 1.0"), score)  # type: ignore[arg-type]
        assert found is None or ply == len(scores) - 1
    assert (found and found.result) == result


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["movecount=3"], "--resign: expected movecount=N score=CP"),
        (["movecount=0", "score=1"], "--resign movecount=0: expected a positive number"),
        (["movecount=3", "score=-5"], "--resign score=-5: expected a positive number"),
        (["movecount=3", "score=5", "twosided=2"], "--resign twosided=2: expected true or false"),
        (["moves=3"], "--resign: unknown setting 'moves='"),
    ],
)
def test_wrong_settings_are_named(toy: str, words: list[str], fault: str) -> None:
    engines = ["--engine", "name=a", f"cmd={toy}", "--engine", "name=b", f"cmd={toy}"]
    done = run_script("tournament.py", *engines, "--resign", *words)
    assert done.returncode == 2 and fault in done.stderr, done.stderr
