"""What to analyse: FEN and EPD lines, PGN games, or a position as moves."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from petard import Board, IllegalMoveError, InvalidMoveError, Move, pgn
from petard.notation import movetext_words, parse_move, read_link
from petardlib.base.errors import UserError
from petardlib.play.referee import Referee
from petardlib.rules.positions import (
    board_of,
    parse_epd,
    play_words,
    start_board,
)


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

    @classmethod
    def of(cls, title: str, start: Board, moves: list[Move]) -> Item:
        """The item of a game's start and moves."""
        board = start.copy()
        boards = [board.fen()]
        for move in moves:
            board.push(move)
            boards.append(board.fen())
        return cls(title, board.variant, boards[0], [m.uci() for m in moves], boards=boards)


def read_text(text: str, source: str, variant: str, size: str | None) -> list[Item]:
    """All items of a text; its format is detected."""
    if re.search(r"^\s*\[\w+\s+\"", text, re.MULTILINE):
        try:
            games = list(pgn.read_games(text, source))
        except pgn.PgnError as error:
            raise UserError(str(error)) from None
        return [_from_pgn(game, number, source) for number, game in enumerate(games, 1)]
    items = []
    for number, line in _lines(text):
        try:
            items.append(read_line(line, variant, size))
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


def read_line(line: str, variant: str, size: str | None) -> Item:
    """One position: ``[position] startpos|fen ... [moves ...]``, EPD, FEN, a link, or moves."""
    line = re.sub(r"^position\s+", "", line.strip())
    try:
        link = read_link(line)
    except InvalidMoveError as error:
        raise UserError(str(error)) from None
    if link:
        (files, ranks), words = link
        return _played(line, start_board(size=f"{files}x{ranks}"), words)
    # In quotes, as in the comment of an EPD line, the word means nothing.
    split = re.match(r'((?:[^"]|"[^"]*")*?) moves (.*)', f"{line} ")
    head, tail = split.groups() if split else (line, "")
    words = head.split()
    if not words:
        raise UserError("an empty position; the start position is 'startpos'")
    ops: dict[str, str] = {}
    if words[0] == "startpos":
        board = start_board(variant, size)
        if len(words) > 1:
            raise UserError(f"'{words[1]}' after startpos: moves follow the word 'moves'")
    elif words[0] == "fen":
        board = board_of(" ".join(words[1:]), variant)
    elif "/" in words[0]:
        epd = parse_epd(head, variant)
        board, ops = epd.board, epd.ops
    else:
        board, tail = start_board(variant, size), line
    item = _played(line, board, movetext_words(tail))
    item.ops = ops
    return item


def _played(title: str, start: Board, words: list[str]) -> Item:
    board = start.copy()
    play_words(board, words)
    return Item.of(title, start, board.move_stack)


def _from_pgn(game: pgn.Game, number: int, source: str) -> Item:
    white, black = game.headers.get("White", "?"), game.headers.get("Black", "?")
    named = (white, black) != ("?", "?")
    title = f"{white} - {black}" if named else f"{Path(source).name} {number}"
    item = Item.of(title, game.start, game.mainline_moves())
    item.is_game, item.headers = True, game.headers
    return item


def read_files(names: list[str], stdin: str | None, variant: str, size: str | None) -> list[Item]:
    """All items of all files; ``-`` is standard input."""
    items = []
    for name in names:
        if name == "-":
            items += read_text(stdin or "", "standard input", variant, size)
            continue
        try:
            text = Path(name).read_text(encoding="utf-8")
        except OSError as error:
            raise UserError(f"{name}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise UserError(f"{name}: not a text file in UTF-8") from None
        items += read_text(text, name, variant, size)
    return items


def judge(item: Item) -> None:
    """Have the referee check a whole game or line, filling in the result, and its tests."""
    referee = Referee(item.variant, item.fen)
    for ply, move in enumerate(item.moves, start=1):
        if not referee.play(move):
            raise UserError(f"{item.title}: ply {ply}: illegal move {move}")
    # A test that asks for an impossible move would never count as solved.
    for name in ("bm", "am"):
        read_move_list(item, name)
    count, verdict = referee.confirm()
    if count < len(item.moves):
        raise UserError(f"{item.title}: ply {count + 1}: illegal move {item.moves[count]}")
    if verdict is not None:
        item.result, item.reason = verdict.result, verdict.reason


def read_move_list(item: Item, name: str) -> tuple[str, ...]:
    """The moves of an operation such as ``bm``, in an item's last position."""
    words = [word for word in re.split(r"[\s,]+", item.ops.get(name, "").strip()) if word]
    board = board_of(item.boards[-1], item.variant)
    try:
        return tuple(parse_move(board, word).uci() for word in words)
    except (IllegalMoveError, InvalidMoveError) as error:
        raise UserError(f"{item.title}: {name}: {error}") from None
