"""Games in PGN: written as Cute Chess and python-chess read them, and read on boards of any size.

python-chess's reader knows squares up to h8 only, so reading is done here; the tests compare both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

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
    """A game that was read: its tags, start position, moves, and the comment after each move."""

    headers: dict[str, str] = field(default_factory=dict)
    fen: str = ""
    moves: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)

    @property
    def variant(self) -> str:
        """``breakthrough`` or ``freeling``."""
        name = self.headers.get("Variant", boardtext.TROYKA).lower()
        return boardtext.FREELING if name == boardtext.FREELING else boardtext.TROYKA


_TOKEN = re.compile(
    r"""\{(?P<comment>[^}]*)\}            # comment
      | ;(?P<line>[^\n]*)                 # comment to the end of the line
      | (?P<open>\()|(?P<close>\))        # variations
      | (?P<nag>\$\d+)
      | (?P<result>1-0|0-1|1/2-1/2|\*)
      | (?P<number>[0-9]+\.+)
      | (?P<move>[^\s{}();]+)""",
    re.VERBOSE,
)
_HEADER = re.compile(r'^\s*\[(\w+)\s+"((?:[^"\\]|\\.)*)"\]\s*$')


def read_games(text: str, source: str = "PGN") -> list[PgnGame]:
    """All games of a PGN text; variations are skipped, comments kept."""
    games: list[PgnGame] = []
    headers: dict[str, str] = {}
    body: list[str] = []

    def finish() -> None:
        if headers or any(line.strip() for line in body):
            try:
                games.append(_parse_game(dict(headers), "\n".join(body)))
            except UserError as error:
                raise UserError(f"{source}, game {len(games) + 1}: {error}") from None
        headers.clear()
        body.clear()

    in_comment = False
    for line in text.lstrip("\ufeff").splitlines():
        found = None if in_comment else _HEADER.match(line)
        if found:
            if any(part.strip() for part in body):
                finish()
            headers[found[1]] = re.sub(r"\\(.)", r"\1", found[2])
        elif not line.startswith("%"):
            body.append(line)
            in_comment = ((in_comment or "{" in line) and line.rfind("{") > line.rfind("}")) or (
                in_comment and "}" not in line
            )
    finish()
    return games


def _parse_game(headers: dict[str, str], body: str) -> PgnGame:
    game = PgnGame(headers)
    if "FEN" in headers:
        game.fen = boardtext.normal_fen(headers["FEN"])
    elif game.variant == boardtext.FREELING:
        game.fen = boardtext.FREELING_START
    else:
        size = re.search(r"([0-9]{1,3})$", headers.get("Variant", ""))
        side = int(size[1]) if size else 8
        game.fen = boardtext.start_fen(side, side)
    depth = 0
    words: list[str] = []
    for token in _TOKEN.finditer(body):
        kind, value = token.lastgroup, token[0]
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
        elif depth:
            continue
        elif kind in ("comment", "line") and words:
            text = (token["comment"] or token["line"] or "").strip()
            game.comments[-1] = f"{game.comments[-1]} {text}".strip()
        elif kind == "move":
            words.append(value)
            game.comments.append("")
    game.moves = read_moves(words, game.variant, game.fen)
    return game


def _quote(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


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
    head = "".join(
        f'[{key} "{_quote(value)}"]\n' for key, value in tags.items() if value is not None
    )
    words: list[str] = []
    number = int(fen.split()[3])
    white = boardtext.side_to_move(fen) == "w"
    for ply, move in enumerate(moves):
        if white:
            words.append(f"{number}.")
        elif ply == 0:
            words.append(f"{number}...")
        # PGN's word for no move, which its readers know
        words.append("--" if move == "pass" else move)
        words.append("{" + _comment(record, ply, ply == len(moves) - 1) + "}")
        number += 0 if white else 1
        white = not white
    if not moves:
        words.append("{" + _clean(record["reason"]) + "}")
    words.append(record["result"])
    return f"{head}\n{_wrap(words)}\n\n"


def _comment(record: dict[str, Any], ply: int, last: bool) -> str:
    at = ply - record["book"]
    text = "book"
    if at >= 0:
        elapsed, score, depth, _ = record["log"][at]
        told = f"{score}/{depth} " if score is not None else ""
        text = f"{told}{elapsed / 1000:.3f}s"
    return f"{text}, {_clean(record['reason'])}" if last else text


def _clean(text: str) -> str:
    return text.replace("{", "(").replace("}", ")").replace("\n", " ")


def _wrap(words: list[str]) -> str:
    lines, line = [], ""
    for word in words:
        if line and len(line) + 1 + len(word) > 80:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line])
