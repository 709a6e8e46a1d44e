"""What is to be analysed: FEN and EPD lines, PGN games, or a position as moves."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from . import boardtext
from .errors import UserError
from .pgn import PgnGame, read_games
from .rules import Referee, RefereeFactory


@dataclass
class Item:
    """A position, or a game of which every position is looked at.

    ``boards`` are the FENs from the start to the end, ``result`` what the referee says of the last.
    """

    title: str
    variant: str
    fen: str
    moves: list[str] = field(default_factory=list)
    is_game: bool = False
    ops: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    boards: list[str] = field(default_factory=list)
    result: str | None = None
    reason: str = ""


def start_of(variant: str, board: str | None) -> str:
    """The start position of a variant and a board size."""
    if variant == boardtext.FREELING:
        return boardtext.FREELING_START
    return boardtext.start_fen(*boardtext.parse_size(board or "8x8"))


def read_text(text: str, source: str, variant: str, board: str | None) -> list[Item]:
    """All items of a text, its kind told by what it looks like."""
    if re.search(r"^\s*\[\w+\s+\"", text, re.MULTILINE):
        return [
            _from_pgn(game, number, source)
            for number, game in enumerate(read_games(text, source), 1)
        ]
    items = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            items.append(read_line(line.strip(), variant, board))
        except UserError as error:
            raise UserError(f"{source}, line {number}: {error}") from None
        items[-1].title = items[-1].ops.get("id") or f"{Path(source).name} {number}"
    return items


def read_line(line: str, variant: str, board: str | None) -> Item:
    """One position: ``[position] startpos|fen ... [moves ...]``, EPD, FEN, or moves alone."""
    line = re.sub(r"^position\s+", "", line)
    head, _, tail = line.partition(" moves ")
    moves = [boardtext.normal_move(word) for word in tail.split()]
    words = head.split()
    if words[0] == "startpos":
        return Item(line, variant, start_of(variant, board), moves)
    if words[0] == "fen":
        return Item(line, variant, boardtext.normal_fen(" ".join(words[1:])), moves)
    if "/" in words[0]:
        epd = boardtext.parse_epd(head)
        return Item(line, variant, epd.fen, moves, ops=epd.ops)
    played = [boardtext.normal_move(word) for word in words if not re.fullmatch(r"\d+\.+", word)]
    return Item(line, variant, start_of(variant, board), played)


def _from_pgn(game: PgnGame, number: int, source: str) -> Item:
    white, black = game.headers.get("White", "?"), game.headers.get("Black", "?")
    title = (
        f"{white} - {black}" if (white, black) != ("?", "?") else f"{Path(source).name} {number}"
    )
    return Item(title, game.variant, game.fen, game.moves, True, {}, game.headers)


def read_files(names: list[str], stdin: str | None, variant: str, board: str | None) -> list[Item]:
    """All items of all files; ``-`` is standard input."""
    items = []
    for name in names:
        if name == "-":
            items += read_text(stdin or "", "standard input", variant, board)
            continue
        try:
            text = Path(name).read_text(encoding="utf-8")
        except OSError as error:
            raise UserError(f"{name}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise UserError(f"{name}: not a text file") from None
        items += read_text(text, name, variant, board)
    return items


def follow(item: Item, factory: RefereeFactory) -> None:
    """Check every move with the referee, and fill in the boards and the result."""
    referee: Referee = factory.make(item.variant, item.fen)
    item.boards = [item.fen]
    for ply, move in enumerate(item.moves, start=1):
        verdict = referee.verdict()
        if verdict is not None:
            raise UserError(f"{item.title}: ply {ply}, {move}: the game is over ({verdict.reason})")
        if not referee.play(move):
            raise UserError(f"{item.title}: ply {ply}: illegal move {move}")
        item.boards.append(referee.fen())
    count, verdict = referee.confirm()
    if count < len(item.moves):
        raise UserError(f"{item.title}: ply {count + 1}: illegal move {item.moves[count]}")
    if verdict is not None:
        item.result, item.reason = verdict.result, verdict.reason
