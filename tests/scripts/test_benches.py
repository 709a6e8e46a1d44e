"""The measurements in benches: what they count."""

from __future__ import annotations

import sys

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "benches"))
from claimed_losses import LOSS, last_line


class Told:
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
    assert bool(LOSS.search(last_line(Told(*scores), "position startpos", 1))) == is_claim
