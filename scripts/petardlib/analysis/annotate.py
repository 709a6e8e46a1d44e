"""Games with what an analysis says about them, as PGN for other programs.

Evaluations are ``[%eval ...]`` commands, as lichess writes them: pawns from White's view, or the
moves to a proven end (``#3``, ``#-3``). Worse moves are marked with glyphs, and the better line is
a variation. The comments, variations and glyphs of the file stay.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable

from petard import Board, pgn
from petardlib.analysis.judge import GameReport, Ply
from petardlib.analysis.result import Found, Judged, Place
from petardlib.rules.positions import is_white

GLYPHS = {"inaccuracy": 6, "mistake": 2, "blunder": 4}
EVALUATION = re.compile(r"\[%eval\s[^\]]*\]\s*")
LINE_PLIES = 10
SIGNATURE = " (analyse.py)"
"""Marks the files that are ours and may be overwritten."""


def annotated(judged: Iterable[Judged]) -> str:
    """All games that an engine has judged, by the first that has."""
    return "".join(
        pgn.write_game(_annotated(one.item.game, found.report, found, one.item.boards))
        for one in judged
        for found in [found for found in one.found if found.report is not None][:1]
        if one.item.game is not None and found.report is not None
    )


def _annotated(original: pgn.Game, report: GameReport, found: Found, boards: list[str]) -> pgn.Game:
    game = copy.deepcopy(original)
    game.headers["Annotator"] = report.engine + SIGNATURE
    node: pgn.Node = game
    for ply, place in zip(report.plies, found.places, strict=False):
        before, following = node, node.next()
        assert following is not None
        after = found.places[ply.ply]
        _evaluate(following, after, boards[ply.ply])
        if ply.mark in GLYPHS and all(nag > 6 for nag in following.nags):
            following.nags.add(GLYPHS[ply.mark])
        if ply.mark in GLYPHS:
            _add_line(before, ply, place, boards[ply.ply - 1])
        node = following
    return game


def _text(place: Place, fen: str) -> str:
    """The evaluation of a position; empty if there is none to give."""
    if place.record is None or place.record.main is None:
        return ""
    score = place.record.main.score
    side = 1 if is_white(fen) else -1
    if score.mate is not None:
        # Just lost counts for the other side.
        return f"[%eval #{score.mate * side}]" if score.mate else ""
    # A proof without a distance is no number of pawns.
    return "" if score.proven is not None else f"[%eval {side * (score.cp or 0) / 100:.2f}]"


def _evaluate(node: pgn.Node, place: Place, fen: str) -> None:
    text = _text(place, fen)
    if text:
        rest = EVALUATION.sub("", node.comment).strip()
        node.comment = f"{text} {rest}".strip()


def _add_line(node: pgn.Node, ply: Ply, place: Place, fen: str) -> None:
    """The better line as the last variation, unless it begins like one that is there."""
    board = Board.from_fen(fen, node.root().start.variant)
    for number, word in enumerate(ply.pv[:LINE_PLIES]):
        try:
            move = board.parse_uci(word)
        except ValueError:
            return
        if any(child.move == move for child in node.variations):
            return
        board.push(move)
        child = pgn.Node(move, node)
        node.variations.append(child)
        if number == 0:
            child.comment = _text(place, fen)
            if ply.missed_win:
                child.comment = f"{child.comment} wins in {ply.missed_win}".strip()
        node = child
