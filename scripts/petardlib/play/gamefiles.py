"""Files of games for people and other programs, made from the records of a tournament."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from petard import Board, pgn
from petard.notation import golem_text, trmph_link
from petardlib.base.errors import UserError
from petardlib.base.files import replace_text
from petardlib.rules.positions import board_of, is_white, six_field_fen
from petardlib.stats.games import GameRecord

TERMINATIONS = {
    "normal": "normal",
    "time forfeit": "time forfeit",
    "illegal move": "illegal move",
    "stalled": "stalled connection",
    "crash": "abandoned",
    "garbled output": "rules infraction",
    "adjudication": "adjudication",
}


class GameFile:
    """A file of games in a human-readable format, made from the journal."""

    def __init__(self, option: str, path: Path, write: Callable[[GameRecord], str]) -> None:
        """``write`` makes the text of one game."""
        self.option, self.path, self.write = option, path, write

    def restore(self, games: Callable[[], Iterable[GameRecord]]) -> None:
        """Repair what a kill left half-written; refuse a file with anything else in it."""
        # In bytes: a kill may have cut a letter in two.
        found = self.path.read_bytes() if self._exists() else b""
        at, complete = 0, True
        for record in games():
            text = self.write(record).encode()
            if found.startswith(text, at):
                at += len(text)
                continue
            complete = False
            if text.startswith(found[at:]):
                at = len(found)
            break
        rest = found[at:]
        # Only a game torn too early to be recognised may be left over
        if rest and (b"\n" in rest or at == 0):
            raise UserError(
                f"{self.option} {self.path}: this file has content that is not from this run's "
                "journal; choose a different file"
            )
        if rest or not complete or not self._exists():
            replace_text(self.path, map(self.write, games()))

    def _exists(self) -> bool:
        return self.path.exists()

    def add(self, record: GameRecord) -> None:
        """Append a game."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(self.write(record))


def write_game(record: GameRecord, event: str) -> str:
    """A journal record of a game as PGN, with the tags and comments that Cute Chess writes."""
    moves: list[str] = record.moves
    fen: str = record.fen
    same = len(set(record.controls)) == 1
    tags = {
        "Event": event,
        "Site": "?",
        "Date": record.start[:10].replace("-", "."),
        "Round": str(record.round),
        "White": record.white,
        "Black": record.black,
        "Result": record.result,
        "Variant": record.variant,
        "SetUp": "1",
        "FEN": six_field_fen(fen),
        "PlyCount": str(len(moves)),
        "GameStartTime": record.start,
        "TimeControl": record.controls[0] if same else None,
        "WhiteTimeControl": None if same else record.controls[0],
        "BlackTimeControl": None if same else record.controls[1],
        "Termination": TERMINATIONS.get(record.termination, record.termination),
        "Opening": record.opening or None,
    }
    headers = {name: value for name, value in tags.items() if value is not None}
    words: list[str] = []
    number = int(fen.split()[3])
    white = is_white(fen)
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
        words.append(pgn.comment_text(record.reason))
    words.append(record.result)
    return pgn.written(headers, words)


def _comment(record: GameRecord, ply: int, last: bool) -> str:
    at = ply - record.book
    text = "book"
    if at >= 0:
        move = record.log[at]
        score = f"{move.score.text()}/{move.depth} " if move.score else ""
        text = f"{score}{move.ms / 1000:.3f}s"
    return f"{text}, {record.reason}" if last else text


def write_line(write: Callable[[Board], str], fen: str, moves: list[str]) -> str:
    """A game as one line, by a function of `petard.notation`."""
    board = board_of(fen)
    try:
        board.push_line(moves)
        return write(board)
    except ValueError as error:
        raise UserError(str(error)) from None


LINE_FORMATS = {"golem": golem_text, "trmph": trmph_link}
"""Formats of one line a game, by their options."""
