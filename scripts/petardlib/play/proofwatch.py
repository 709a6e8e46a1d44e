"""What petard says about proofs while it thinks: ``info string proof white wins``.

A search on a solved board says so when it starts. If it has not proven the result itself, it says
so again at its end, followed by the proof's own line, whose distance need not be the shortest.
"""

from __future__ import annotations

import re
from dataclasses import replace

from petardlib.play.uci import Info, multipv_of, parse_info
from petardlib.rules.score import Score

WORDS = re.compile(r"info string proof (white|black|unknown)\b")


class ProofWatch:
    """Watches the output of one ``go``."""

    def __init__(self) -> None:
        self.winner: str | None = None
        """Who wins, ``white`` or ``black``."""
        self._said = False
        self._line: str | None = None

    def hear(self, line: str) -> bool:
        """Take a line; whether it comes from a proof rather than from the search."""
        if found := WORDS.match(line):
            self.winner = found[1] if found[1] != "unknown" else None
            self._said = self.winner is not None
            return True
        if " score " not in line:
            return False
        is_proof = self._said and " mate " in line and multipv_of(line) == 1
        self._line = line if is_proof else None
        self._said = False
        return is_proof

    def judge(self, infos: dict[int, Info]) -> None:
        """Let the proof's line, if it came last, override what the search has found."""
        proof = parse_info(self._line) if self._line else None
        if proof is None or proof.score is None or proof.score.mate is None:
            return
        found = infos.get(1)
        if found is None or found.score is None:
            infos[1] = proof
            return
        if found.score.mate is not None:
            return
        mark_proven(infos, proof.score.mate > 0, proof.pv)


def mark_proven(infos: dict[int, Info], wins: bool, line: list[str]) -> None:
    """Note that the side to move wins, by this line, or that it has lost, whatever it plays."""
    for number, info in infos.items():
        if number > 1 and wins:
            # The other lines may win, or may not.
            continue
        score = info.score or Score(cp=0)
        if score.mate is None:
            wdl = (1000, 0, 0) if wins else (0, 0, 1000)
            info.score = replace(score, cp=score.cp or 0, wdl=wdl, proven=wins)
    main = infos[1]
    if wins and line and main.pv[:1] != line[:1]:
        main.pv = line
