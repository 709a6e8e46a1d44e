"""What to analyse: FEN and EPD lines, PGN games, or a position as moves."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from petardlib.base.errors import UserError
from petardlib.play.referee import Referee, RefereeFactory
from petardlib.rules import boardtext
from petardlib.rules.notation import movetext_words, read_link, read_move, read_moves
from petardlib.rules.pgn import PgnGame, read_games
from petardlib.rules.positions import board_of


@dataclass
class Item:
    """A position, or a game whose every position is analysed.

    ``boards`` are the FENs from start to end, ``result`` is the referee's verdict on the last.
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
    """All items of a text; its format is detected."""
    if re.search(r"^\s*\[\w+\s+\"", text, re.MULTILINE):
        return [
            _from_pgn(game, number, source)
            for number, game in enumerate(read_games(text, source), 1)
        ]
    items = []
    for number, line in _lines(text):
        try:
            items.append(read_line(line, variant, board))
        except UserError as error:
            raise UserError(f"{source}, line {number}: {error}") from None
        items[-1].title = items[-1].ops.get("id") or f"{Path(source).name} {number}"
    return items


def _lines(text: str) -> list[tuple[int, str]]:
    """The non-empty lines, numbered; a list of moves may continue on the next lines."""
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
        line = line.strip()
        if not line or (line.startswith("#") and not read_link(line)):
            continue
        follows = re.match(r"([0-9]+)\.", line)
        if follows and int(follows[1]) > 1 and lines and re.match(r"1\.", lines[-1][1]):
            lines[-1] = (lines[-1][0], f"{lines[-1][1]} {line}")
        else:
            lines.append((number, line))
    return lines


def read_line(line: str, variant: str, board: str | None) -> Item:
    """One position: ``[position] startpos|fen ... [moves ...]``, EPD, FEN, a link, or moves."""
    line = re.sub(r"^position\s+", "", line.strip())
    if link := read_link(line):
        (files, ranks), moves = link
        return Item(line, boardtext.TROYKA, boardtext.start_fen(files, ranks), moves)
    # In quotes, as in the comment of an EPD line, the word means nothing.
    split = re.match(r'((?:[^"]|"[^"]*")*?) moves (.*)', f"{line} ")
    head, tail = split.groups() if split else (line, "")
    words = head.split()
    if not words:
        raise UserError("an empty position; the start position is 'startpos'")
    ops: dict[str, str] = {}
    if words[0] == "startpos":
        fen = start_of(variant, board)
        if len(words) > 1:
            raise UserError(f"'{words[1]}' after startpos: moves follow the word 'moves'")
    elif words[0] == "fen":
        fen = boardtext.normal_fen(" ".join(words[1:]))
    elif "/" in words[0]:
        epd = boardtext.parse_epd(head)
        fen, ops = epd.fen, epd.ops
    else:
        fen, tail = start_of(variant, board), line
    return Item(line, variant, fen, read_moves(movetext_words(tail), variant, fen), ops=ops)


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
            raise UserError(f"{name}: not a text file in UTF-8") from None
        items += read_text(text, name, variant, board)
    return items


def follow(item: Item, factory: RefereeFactory) -> None:
    """Check every move with the referee, filling in the boards and the result."""
    referee: Referee = factory.make(item.variant, item.fen)
    item.boards = [item.fen]
    for ply, move in enumerate(item.moves, start=1):
        verdict = referee.verdict()
        if verdict is not None:
            raise UserError(f"{item.title}: ply {ply}, {move}: the game is over ({verdict.reason})")
        if not referee.play(move):
            raise UserError(f"{item.title}: ply {ply}: illegal move {move}")
        item.boards.append(referee.fen())
    _check_test(item, referee)
    count, verdict = referee.confirm()
    if count < len(item.moves):
        raise UserError(f"{item.title}: ply {count + 1}: illegal move {item.moves[count]}")
    if verdict is not None:
        item.result, item.reason = verdict.result, verdict.reason


def read_move_list(item: Item, name: str) -> tuple[str, ...]:
    """The moves of an operation such as ``bm``, in an item's last position."""
    words = [word for word in re.split(r"[\s,]+", item.ops.get(name, "").strip()) if word]
    fen = item.boards[-1] if item.boards else item.fen
    try:
        board = board_of(fen) if words and item.variant == boardtext.TROYKA else None
        return tuple(read_move(word, board) for word in words)
    except UserError as error:
        raise UserError(f"{item.title}: {name}: {error}") from None


def _check_test(item: Item, referee: Referee) -> None:
    """Refuse a test that asks for an impossible move: it would never count as solved."""
    for name in ("bm", "am"):
        for move in read_move_list(item, name):
            if move not in referee.legal_moves():
                raise UserError(f"{item.title}: {name}: {move} is not legal in {referee.fen()}")
