"""What to analyse: FEN and EPD lines, PGN games, or a position as moves."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from petard import Board, IllegalMoveError, InvalidMoveError, Move, pgn
from petard.notation import is_link, movetext_words, parse_move
from petardlib.base.errors import UserError
from petardlib.play.referee import Referee
from petardlib.rules.positions import (
    BREAKTHROUGH,
    board_of,
    parse_epd,
    play_words,
    start_board,
)


@dataclass
class Item:
    """A position, or a ``game`` whose every position is analysed.

    ``boards`` are the FENs from start to end, ``result`` is the referee's verdict on the last.
    """

    title: str
    variant: str
    fen: str
    moves: list[str] = field(default_factory=list)
    game: pgn.Game | None = None
    ops: dict[str, str] = field(default_factory=dict)
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

    @property
    def is_game(self) -> bool:
        """Whether all of its positions are analysed."""
        return self.game is not None

    def tag(self, name: str) -> str:
        """The value of a game's tag; empty if there is none."""
        return pgn.tag(self.game.headers, name) if self.game else ""


TAG = re.compile(r"^\s*\[\s*[\w+#=:-]+\s+\"", re.MULTILINE)
POSITION = re.compile(
    r"(?:position|startpos|fen)(?:\s|$)|(?!1/2(?:-1/2)?(?:\s|$))[^\s/#{(.]+/(?!/)"
)
BEGINNING = re.compile(r"\s*(?:[^\W\d]|#|--|0000)")
"""A move or a link."""
NUMBER = re.compile(r"^[^{;]*?(?<![^\s(})])(?!0000\b)[0-9]+(?=[\s.{(]|$)")


@dataclass
class Reading:
    """How texts are read: what they mean where they do not say, and what becomes of errors.

    With ``positions`` a game is the position at its end. A list ``skipped`` takes the errors in
    games and positions that are then left out.
    """

    variant: str = BREAKTHROUGH
    size: str | None = None
    positions: bool = False
    skipped: list[str] | None = None

    @property
    def start(self) -> Board:
        """Where moves begin that do not say it."""
        return start_board(self.variant, self.size)

    @property
    def board(self) -> Board | None:
        """Where games begin that do not say it; None leaves it to their moves."""
        return self.start if self.size or self.variant != BREAKTHROUGH else None

    def text(self, text: str, source: str) -> list[Item]:
        """All items of a text: games, and positions, one a line."""
        name = Path(source).name
        text = text.lstrip("\ufeff")
        if TAG.search(text):
            return self._games(text, source, name)
        items = []
        for number, part in _parts(text):
            if not _is_position(part.strip()):
                items += self._games(part, f"{source}, line {number}", f"{name} {number}", True)
                continue
            try:
                item = self._position(part)
            except UserError as error:
                self._refuse(f"{source}, line {number}: {error}")
                continue
            item.title = item.ops.get("id") or f"{name} {number}"
            items.append(item)
        return items

    def _refuse(self, error: str) -> None:
        refusal = UserError(error)
        if self.skipped is None:
            raise refusal
        self.skipped.append(str(refusal))

    def _games(self, text: str, source: str, name: str, is_line: bool = False) -> list[Item]:
        errors: list[pgn.PgnError] = []
        items = []
        for number, game in enumerate(
            pgn.read_games(text, source, start=self.board, errors=errors), start=1
        ):
            players = [pgn.tag(game.headers, name) or "?" for name in ("White", "Black")]
            title = name if is_line and number == 1 else f"{name} {number}"
            if players != ["?", "?"]:
                title = " - ".join(players)
            item = Item.of(title, game.start, game.mainline_moves())
            item.game = None if self.positions else game
            items.append(item)
        for error in errors:
            is_only = is_line and len(items) + len(errors) == 1
            self._refuse(str(error).replace(", game 1:", ":") if is_only else str(error))
        return items

    def line(self, line: str) -> Item:
        """One position: ``[position] startpos|fen ... [moves ...]``, EPD, FEN, a link, or moves."""
        if not line.strip():
            raise UserError("an empty position; the start position is 'startpos'")
        if _is_position(line.strip()):
            return self._position(line)
        try:
            game = pgn.read_game(line, start=self.board)
        except pgn.PgnError as error:
            raise UserError(re.sub("^PGN, game 1: ", "", str(error))) from None
        return Item.of(line.strip(), game.start, game.mainline_moves())

    def _position(self, line: str) -> Item:
        line = re.sub(r"^position\s+", "", line.strip())
        # In quotes, as in the comment of an EPD line, the word means nothing.
        split = re.match(r'((?:[^"]|"[^"]*")*?) moves (.*)', f"{line} ")
        head, tail = split.groups() if split else (line, "")
        first, _, rest = head.strip().partition(" ")
        ops: dict[str, str] = {}
        if first == "startpos":
            start = self.start
            if rest:
                raise UserError(
                    f"'{rest.split()[0]}' after startpos: moves follow the word 'moves'"
                )
        elif first == "fen":
            start = board_of(rest, self.variant)
        else:
            epd = parse_epd(head, self.variant)
            start, ops = epd.board, epd.ops
        board = start.copy()
        play_words(board, movetext_words(tail))
        item = Item.of(line, start, board.move_stack)
        item.ops = ops
        return item

    def files(self, names: list[str], stdin: bytes | None = None) -> list[Item]:
        """All items of all files; ``-`` is standard input."""
        items = []
        for name in names:
            source = "standard input" if name == "-" else name
            try:
                data = stdin or b"" if name == "-" else Path(name).read_bytes()
            except OSError as error:
                raise UserError(f"{name}: {error.strerror}") from None
            text = pgn.decode(data)
            if "\0" in text[:1000]:
                raise UserError(f"{source}: not a text file")
            items += self.text(text, source)
        return items


def _is_position(line: str) -> bool:
    """Whether a line is a position, as opposed to moves or a link."""
    return POSITION.match(line) is not None and not is_link(line)


def _parts(text: str) -> list[tuple[int, str]]:
    """The positions and lists of moves of a text, and the lines on which they begin.

    A list whose moves are numbered goes on until a position; of others, each line that begins with
    a move is a list.
    """
    lines = re.split(r"\r\n|[\r\n]", text)
    # A comment that is nowhere closed hides no positions.
    last = max((number for number, line in enumerate(lines, start=1) if "}" in line), default=0)
    parts: list[tuple[int, list[str]]] = []
    goes_on = is_numbered = in_comment = False
    depth = 0
    for number, line in enumerate(lines, start=1):
        if not in_comment and (_is_remark(line) or not (goes_on or line.strip())):
            continue
        begins = depth <= 0 and not is_numbered and BEGINNING.match(line) is not None
        is_new = begins or not goes_on
        if in_comment or not (is_new or _is_position(line.strip())):
            parts[-1][1].append(line)
        else:
            parts.append((number, [line]))
            goes_on, is_numbered, depth = not _is_position(line.strip()), False, 0
        if not in_comment:
            depth += line.count("(") - line.count(")")
            is_numbered = is_numbered or NUMBER.search(line) is not None
        in_comment = goes_on and number < last and pgn.goes_on(line, in_comment)
    return [(number, "\n".join(part).rstrip()) for number, part in parts]


def _is_remark(line: str) -> bool:
    return line.startswith("%") or (line.lstrip().startswith("#") and not is_link(line))


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
    if name in item.ops and not words:
        raise UserError(f"{item.title}: {name} without a move")
    board = board_of(item.boards[-1], item.variant)
    try:
        return tuple(parse_move(board, word).uci() for word in words)
    except (IllegalMoveError, InvalidMoveError) as error:
        raise UserError(f"{item.title}: {name}: {error}") from None
