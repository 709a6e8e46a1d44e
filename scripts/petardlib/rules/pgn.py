"""Games in PGN, by `petard.pgn`: those from the scripts' records, and those of others.

The legality of moves is not checked here: that is the referee's job.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from petard import pgn

from petardlib.base.errors import UserError
from petardlib.rules import boardtext
from petardlib.rules.notation import read_moves

TERMINATIONS = {
    "normal": "normal",
    "time forfeit": "time forfeit",
    "illegal move": "illegal move",
    "stalled": "stalled connection",
    "crash": "abandoned",
    "garbled output": "rules infraction",
    "adjudication": "adjudication",
}


@dataclass
class PgnGame:
    """A parsed game: its tags, start position, moves, and the comment after each move."""

    headers: dict[str, str] = field(default_factory=dict)
    fen: str = ""
    moves: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)

    @property
    def variant(self) -> str:
        """``breakthrough`` or ``freeling``."""
        name = self.headers.get("Variant", boardtext.TROYKA).lower()
        return boardtext.FREELING if name == boardtext.FREELING else boardtext.TROYKA


def read_games(text: str, source: str = "PGN") -> list[PgnGame]:
    """All games of a PGN text; variations are skipped, comments kept."""
    games: list[PgnGame] = []
    try:
        for found in pgn.read_words(text):
            games.append(_game(found))
    except (UserError, pgn.PgnError) as error:
        raise UserError(f"{source}, game {len(games) + 1}: {error}") from None
    return games


def _game(found: pgn.Words) -> PgnGame:
    game = PgnGame(found.headers, comments=found.comments)
    if "FEN" in game.headers:
        game.fen = boardtext.normal_fen(game.headers["FEN"])
    elif game.variant == boardtext.FREELING:
        game.fen = boardtext.FREELING_START
    else:
        size = re.search(r"([0-9]{1,3})(?:x([0-9]{1,3}))?$", game.headers.get("Variant", ""))
        files = int(size[1]) if size else 8
        ranks = int(size[2] or files) if size else 8
        game.fen = boardtext.start_fen(files, ranks)
    game.moves = read_moves(found.words, game.variant, game.fen)
    return game


def write_game(record: dict[str, Any], event: str) -> str:
    """A journal record of a game as PGN, with the tags and comments that Cute Chess writes."""
    moves: list[str] = record["moves"]
    fen: str = record["fen"]
    same = len(set(record["controls"])) == 1
    tags = {
        "Event": event,
        "Site": "?",
        "Date": record["start"][:10].replace("-", "."),
        "Round": str(record["round"]),
        "White": record["white"],
        "Black": record["black"],
        "Result": record["result"],
        "Variant": record["variant"],
        "SetUp": "1",
        "FEN": boardtext.six_field_fen(fen),
        "PlyCount": str(len(moves)),
        "GameStartTime": record["start"],
        "TimeControl": record["controls"][0] if same else None,
        "WhiteTimeControl": None if same else record["controls"][0],
        "BlackTimeControl": None if same else record["controls"][1],
        "Termination": TERMINATIONS.get(record["termination"], record["termination"]),
        "Opening": record["opening"] or None,
    }
    headers = {name: value for name, value in tags.items() if value is not None}
    words: list[str] = []
    number = int(fen.split()[3])
    white = boardtext.side_to_move(fen) == "w"
    for ply, move in enumerate(moves):
        if white:
            words.append(f"{number}.")
        elif ply == 0:
            words.append(f"{number}...")
        # PGN's notation for a null move, which its readers know
        words.append("--" if move == "pass" else move)
        words.append(pgn.comment_text(_comment(record, ply, ply == len(moves) - 1)))
        number += 0 if white else 1
        white = not white
    if not moves:
        words.append(pgn.comment_text(record["reason"]))
    words.append(record["result"])
    return pgn.written(headers, words)


def _comment(record: dict[str, Any], ply: int, last: bool) -> str:
    at = ply - record["book"]
    text = "book"
    if at >= 0:
        elapsed, score, depth, _ = record["log"][at]
        told = f"{score}/{depth} " if score is not None else ""
        text = f"{told}{elapsed / 1000:.3f}s"
    return f"{text}, {record['reason']}" if last else text
