"""Games in PGN, with comments and variations, on boards of any size.

>>> from petard import pgn
>>> game = pgn.read_game("1. b2b3 (1. c2c3 g7g6) 1... b7b6 {solid} *")
>>> [move.uci() for move in game.mainline_moves()]
['b2b3', 'b7b6']
>>> game.variations[1].move.uci()
'c2c3'
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Self

from petard._petard import Board, IllegalMoveError, InvalidMoveError, Move
from petard.notation import is_ending, is_link, parse_move, read_trmph, split_epd

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
"""How a game can end; ``*`` is unknown."""


class PgnError(ValueError):
    """A game that cannot be read; the message says which, and why."""


@dataclass(eq=False)
class Node:
    """A move of a game and what follows it; the root has no move."""

    move: Move | None = None
    # Not in its text: all others of the game hang on these two.
    parent: Node | None = field(default=None, repr=False)
    comment: str = ""
    """The text after the move; at the root, before the first."""
    starting_comment: str = ""
    """The text before the move, where it is the first of a variation."""
    nags: set[int] = field(default_factory=set)
    """PGN annotation numbers, such as 1 for a good move."""
    variations: list[Node] = field(default_factory=list, repr=False)
    """The moves that follow: the main one first."""

    def next(self) -> Node | None:
        """The main move that follows, or None."""
        return self.variations[0] if self.variations else None

    def add_variation(self, move: Move, *, comment: str = "") -> Node:
        """Append a move after this one, as the last variation, and return its node.

        Raises `IllegalMoveError` if it is not legal.
        """
        board = self.board()
        board.push(move)
        node = Node(move, self, comment)
        self.variations.append(node)
        return node

    def mainline(self) -> Iterator[Node]:
        """The nodes of the main line after this one."""
        node = self.next()
        while node is not None:
            yield node
            node = node.next()

    def mainline_moves(self) -> list[Move]:
        """The moves of the main line after this one."""
        return [node.move for node in self.mainline() if node.move is not None]

    def end(self) -> Node:
        """The last node of the main line."""
        node = self
        for node in self.mainline():  # noqa: B007
            pass
        return node

    def root(self) -> Game:
        """The game that the node belongs to."""
        node: Node = self
        while node.parent is not None:
            node = node.parent
        if not isinstance(node, Game):
            raise ValueError("the node belongs to no game")
        return node

    def board(self) -> Board:
        """The board after this move, with all moves before it."""
        moves: list[Move] = []
        node: Node = self
        while node.parent is not None:
            if node.move is not None:
                moves.append(node.move)
            node = node.parent
        board = self.root().start.copy()
        for move in reversed(moves):
            board.push(move)
        return board

    def _top(self) -> Node:
        node: Node = self
        while node.parent is not None:
            node = node.parent
        return node

    def _all(self) -> Iterator[Node]:
        """The node and all after it, each before those that follow it."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.variations))

    def __copy__(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        """For `pickle` and `copy.deepcopy`: without recursion, as games are long."""
        top = self._top()
        nodes = list(top._all())
        place = {id(node): number for number, node in enumerate(nodes)}
        if self is not top:
            return _node_of, (top, place[id(self)])
        rows = []
        for node in nodes:
            state = dict(node.__dict__)
            parent = state.pop("parent")
            del state["variations"]
            rows.append((type(node), state, None if parent is None else place[id(parent)]))
        return _restored, (rows,)


@dataclass(eq=False)
class Game(Node):
    """A game: its tags, where it starts, and its moves."""

    headers: dict[str, str] = field(default_factory=dict)
    """The tags, in their order."""
    start: Board = field(default_factory=Board)
    """Where it begins."""

    @classmethod
    def from_board(cls, board: Board) -> Game:
        """The game that led to a board, with a result if it is over."""
        game = cls(start=board.root())
        node: Node = game
        for move in board.move_stack:
            node = node.add_variation(move)
        game.headers["Result"] = board.result()
        return game

    @property
    def result(self) -> str:
        """The tag ``Result``; ``*`` if there is none."""
        return tag(self.headers, "result") or "*"

    def __str__(self) -> str:
        """The game as PGN."""
        return write_game(self)


def _node_of(top: Node, number: int) -> Node:
    """The node with this number in its game."""
    return next(islice(top._all(), number, None))


def _restored(rows: list[tuple[type[Node], dict[str, Any], int | None]]) -> Node:
    """The game whose nodes these are."""
    nodes: list[Node] = []
    for kind, state, parent in rows:
        node = object.__new__(kind)
        node.__dict__.update(state, parent=None, variations=[])
        if parent is not None:
            node.parent = nodes[parent]
            node.parent.variations.append(node)
        nodes.append(node)
    return nodes[0]


_MARKS = {"!": 1, "?": 2, "!!": 3, "‼": 3, "??": 4, "⁇": 4, "!?": 5, "⁉": 5, "?!": 6, "⁈": 6}
_MARKS |= {"□": 7, "=": 10, "∞": 13, "⩲": 14, "+=": 14, "+/=": 14, "⩱": 15, "=+": 15, "=/+": 15}
_MARKS |= {"±": 16, "+/-": 16, "∓": 17, "-/+": 17, "⨀": 22, "⟳": 32, "↑": 36, "→": 40}
_MARKS |= {f"+{dash}": 18 for dash in "-−–"} | {f"{dash}+": 19 for dash in "-−–"}
_MARKS |= {"⇆": 132, "∆": 140, "⌓": 142}
# The longest counts.
_MARK = "|".join(map(re.escape, sorted(_MARKS, key=len, reverse=True)))
_LAST_MARK = re.compile(f"(?:{_MARK})$")
# Alone, as N may be the piece that a pawn becomes.
_MARKS["N"] = 146
_TOKEN = re.compile(
    rf"""\{{(?P<comment>[^}}]*)(?:\}}|(?P<unclosed>\Z))  # comment
      | ;(?P<line>[^\n]*)                 # comment to the end of the line
      | (?P<open>\()|(?P<close>\))        # variations
      | \$(?P<nag>[0-9]{{1,6}})(?![0-9])
      | (?P<result>1[-–—−‑]0|0[-–—−‑]1|1/2(?:[-–—−‑]1/2)?|½(?:[-–—−‑]½)?|\*)(?![^\s{{}}();])
      | (?P<number>(?!0000\b)(?:[0-9]+(?:\s*\.)+|[0-9]+(?![^\s{{}}();]))|\.+)  # 0000 is a pass
      | (?P<mark>(?:{_MARK}){{1,8}}|N)(?![^\s{{}}();$])
      | (?P<move>\$?[^\s{{}}();$]+)""",
    re.VERBOSE,
)
# Not what `str.splitlines` takes for lines: tags and comments may hold such characters.
_LINE_END = re.compile(r"\r\n|[\r\n]")
_BRACES = re.compile(r"\{([^{}]*)\}")
_NAME = re.compile(r"[\w+#=:-]+")
# Some programs leave quotes and backslashes inside a value as they are.
_HEADER = re.compile(
    rf'\s*\[\s*({_NAME.pattern})\s+"((?:[^"\\]|\\.|\\(?="\s*\]\s*$)|"(?!\s*\]))*)"\s*\]\s*'
)
_NO_TAGS = re.compile(r"(?:\s*\[[^\n]*)*")
_MAX_DEPTH = 100
"""How deeply variations may be nested."""


def decode(data: bytes) -> str:
    """The text of a file in UTF-8, in UTF-16 with a byte order mark, or else in Windows-1252."""
    if isinstance(data, str):
        raise TypeError("data must be bytes, not str")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def read_games(
    text: str,
    source: str = "PGN",
    *,
    start: Board | None = None,
    errors: list[PgnError] | None = None,
) -> Iterator[Game]:
    """The games of a text, one after the other: PGN, plain lists of moves, trmph links.

    A game ends with its result, where the next one's tags begin, where the moves are numbered from
    1 again, or, without tags and numbers, with its line; its result counts if the tag ``Result`` is
    ``*`` or missing. Moves may be in any notation. Tags ``FEN`` and ``Variant`` say where a game
    starts, and on which board (``breakthrough6``, ``freeling``); a game without them begins at
    ``start``, by default that of 8x8, or of 7x7, 6x6 or 5x5 if Black has no piece on 8x8 where his
    first move begins. Lines that begin with ``%``, or with ``#`` between games and in lists of
    moves, are left out; one with ``#`` among the moves of a game with tags is a comment of it.

    A comment that is not closed ends where a line after an empty one begins with ``[Event "``.

    Raises `PgnError` with ``source`` and game number; with a list ``errors``, games that cannot be
    read are left out and the errors go there.
    """
    if start is not None and not isinstance(start, Board):
        raise TypeError(f"start must be a Board, not {type(start).__name__}")
    for number, (headers, body) in enumerate(_split(text), start=1):
        try:
            yield _read(headers, body, start)
        except (ValueError, IndexError) as reason:
            error = PgnError(f"{source}, game {number}: {reason}")
            if errors is None:
                raise error from None
            errors.append(error)


def read_game(text: str, *, start: Board | None = None) -> Game:
    """The first game of a text. Raises `PgnError` if there is none, or it cannot be read."""
    for game in read_games(text, start=start):
        return game
    raise PgnError("there is no game in the text: it has no move and no tag")


def read_headers(text: str) -> Iterator[dict[str, str]]:
    """The tags of each game, whose moves are not read; ``Result`` as `read_games` has it."""
    for headers, _ in _split(text):
        yield dict(headers)


def _split(text: str) -> Iterator[tuple[dict[str, str], str]]:
    """Tags and moves of each game, which ends with its result and the comments after that."""
    for headers, body in _sections(text):
        start, end, depth, has_moves, is_over = 0, 0, 0, False, False
        is_numbered = bool(headers)
        # What looks like a tag and is none makes no game of its own.
        for token in _TOKEN.finditer(body, next(_NO_TAGS.finditer(body)).end()):
            kind, value = token.lastgroup, token[0]
            if kind == "move" and is_ending(value):
                continue
            # No variation goes on where moves are numbered from 1 after an empty line.
            can_begin = depth == 0 or body.endswith("\n\n", 0, token.start())
            is_first = kind == "number" and can_begin and re.fullmatch(r"1\s*\.?", value)
            is_move = kind == "move" and depth == 0
            ends = is_move and is_link(value)
            is_line = is_move and not is_numbered and "\n" in body[end : token.start()]
            end = token.end()
            follows = is_over and depth == 0 and kind in ("move", "number")
            if follows or (has_moves and not is_over and (is_first or ends or is_line)):
                yield headers, body[start : token.start()]
                headers, start, depth, has_moves, is_over = {}, token.start(), 0, False, False
                is_numbered = False
            is_numbered = is_numbered or kind == "number"
            if kind == "open":
                depth += 1
            elif kind == "close":
                depth = max(0, depth - 1)
            elif kind == "move":
                has_moves, is_over = True, ends
            elif kind == "result" and depth == 0:
                is_over = True
                if _result(tag(headers, "result")) == "*":
                    headers = {key: headers[key] for key in headers if key.lower() != "result"}
                    headers["Result"] = _result(value)
        yield headers, body[start:]


def _sections(text: str) -> Iterator[tuple[dict[str, str], str]]:
    """Tags, and what stands between them and the next."""
    if not isinstance(text, str):
        kind = type(text).__name__
        raise TypeError(f"text must be a str, not {kind}; `decode` reads the bytes of a file")
    headers: dict[str, str] = {}
    body: list[str] = []
    in_comment = has_moves = False

    def is_game() -> bool:
        # Without tags, comments, numbers and signs alone are no game; a result is one.
        return bool(headers) or any(map(_makes_game, _TOKEN.finditer("\n".join(body))))

    for line in _LINE_END.split(text.lstrip("\ufeff")):
        if in_comment and line.startswith('[Event "') and not body[-1].strip():
            # No comment goes on into the next game.
            in_comment, has_moves = False, True
        while not in_comment and (found := _HEADER.match(line)):
            name, value = found[1], re.sub(r'\\(["\\])', r"\1", found[2])
            # Within the tags of a game, the last of the same name counts.
            if has_moves or (body and name in headers):
                if is_game():
                    yield headers, "\n".join(body)
                headers, body, has_moves = {}, [], False
            headers[name] = _result(value) if name.lower() == "result" else value
            # More tags may follow on the line, or moves.
            if not (line := line[found.end() :]):
                break
        else:
            if not in_comment and _is_remark(line):
                if not _is_kept(line, headers, body):
                    continue
                line = f";{line}"
            body.append(line)
            # What looks like a tag and is none does not end the tags.
            has_moves = has_moves or not re.match(r"\s*(?:\[|$)", line)
            in_comment = goes_on(line, in_comment)
    if is_game():
        yield headers, "\n".join(body)


def _makes_game(token: re.Match[str]) -> bool:
    """Whether there is a game where there is this token, without any tags."""
    kind, value = token.lastgroup, token[0]
    if kind == "result":
        return value not in ("½", "1/2")
    return kind in ("open", "close", "unclosed") or (kind == "move" and not is_ending(value))


def goes_on(line: str, in_comment: bool = False) -> bool:
    """Whether a comment in braces is open after a line; ``in_comment``, whether it was before."""
    for sign in re.findall(r"[{};]", line):
        if sign == ";" and not in_comment:
            break
        in_comment = sign == "{" or (sign == ";" and in_comment)
    return in_comment


def _is_remark(line: str) -> bool:
    """Whether a line holds no moves."""
    return line.startswith("%") or (line.startswith("#") and not is_link(line))


def _is_kept(line: str, headers: dict[str, str], body: list[str]) -> bool:
    """Whether a remark is a comment of its game: one with ``#`` among the moves, below tags."""
    words = body[-1].split() if headers and body else []
    return line.startswith("#") and bool(words) and not is_ending(words[-1])


def _result(text: str) -> str:
    """A result as the standard writes it; ``*`` for anything else."""
    plain = re.sub(r"[–—−‑]", "-", re.sub(r"\s", "", text)).replace("½", "1/2")
    plain = "1/2-1/2" if plain == "1/2" else plain
    return plain if plain in RESULTS else "*"


def tag(headers: dict[str, str], name: str) -> str:
    """The value of a tag, its name in capitals or not; empty if there is none."""
    wanted = name.lower()
    return next((headers[key] for key in reversed(headers) if key.lower() == wanted), "")


def _start(headers: dict[str, str], start: Board | None) -> Board:
    """Where a game with these tags starts."""
    name, fen = tag(headers, "variant"), tag(headers, "fen")
    board = _named(name)
    if fen:
        # Operations of an EPD say nothing about the start.
        fen, _ = split_epd(fen)
        return Board.from_fen(fen, "freeling" if board == "freeling" else "breakthrough")
    return start.root() if start is not None and not name else Board(board)


def _read(headers: dict[str, str], body: str, start: Board | None) -> Game:
    """A game, on the first of the usual boards that it fits if it does not say where it begins."""
    try:
        return _parse(headers, body, start)
    except PgnError as error:
        is_given = start is not None or tag(headers, "variant") or tag(headers, "fen")
        if is_given or not re.match("ply 2: .* black has no piece on ", str(error)):
            raise
        for size in ("7x7", "6x6", "5x5"):
            with suppress(PgnError):
                return _parse(headers, body, Board(size))
        raise


def _parse(headers: dict[str, str], body: str, start: Board | None) -> Game:
    if (link := body.strip()) and is_link(link):
        return Game.from_board(read_trmph(link))
    game = Game(headers=dict(headers), start=_start(headers, start))
    board = game.start.copy()
    node: Node = game
    # Where each open variation branched off: the node, and its board.
    stack: list[tuple[Node, Board]] = []
    # A comment before the first move of a variation belongs to that move, as do glyphs before the
    # first move of any line.
    pending: str | None = None
    ahead: list[int] = []
    for token in _TOKEN.finditer(body):
        kind, value = token.lastgroup, token[0]
        if kind == "open":
            if node.parent is None:
                raise PgnError("a variation begins before the first move")
            if len(stack) == _MAX_DEPTH:
                raise PgnError("variations are nested too deeply")
            stack.append((node, board))
            node, board = node.parent, board.copy()
            board.pop()
            pending = ""
        elif kind == "close":
            if not stack:
                raise PgnError("unmatched ')'")
            node, board = stack.pop()
            # In brackets without a move, they are about the move before.
            node.comment = f"{node.comment} {pending or ''}".strip()
            node.nags.update(ahead)
            pending, ahead = None, []
        elif kind == "unclosed":
            raise PgnError("unclosed comment")
        elif kind in ("comment", "line"):
            text = " ".join((token["comment"] or token["line"] or "").split())
            if pending is None:
                node.comment = f"{node.comment} {text}".strip()
            else:
                pending = f"{pending} {text}".strip()
        elif kind in ("nag", "mark"):
            nags = [int(token["nag"])] if kind == "nag" else _without_marks(value)[1]
            if node.parent is None or pending is not None:
                ahead += nags
            else:
                node.nags.update(nags)
        elif kind == "move" and not is_ending(value):
            node = _append(node, board, value, len(board.move_stack) + 1)
            node.nags.update(ahead)
            ahead = []
            if pending is not None:
                node.starting_comment, pending = pending, None
    if stack:
        raise PgnError("unclosed variation")
    return game


def _without_marks(word: str) -> tuple[str, list[int]]:
    """A word without the signs at its end, and the glyphs that they stand for."""
    if word == "N":
        return "", [_MARKS[word]]
    nags = []
    end = len(word)
    # No sign is longer than three characters.
    while found := _LAST_MARK.search(word, max(0, end - 3), end):
        nags.append(_MARKS[found[0]])
        end = found.start()
    return word[:end], nags


def _append(node: Node, board: Board, word: str, ply: int) -> Node:
    text, nags = _without_marks(word)
    try:
        move = parse_move(board, text)
    except (InvalidMoveError, IllegalMoveError) as error:
        raise PgnError(f"ply {ply}: {error}") from None
    board.push(move)
    child = Node(move, node, nags=set(nags))
    node.variations.append(child)
    return child


def write_game(game: Game, *, columns: int = 80) -> str:
    """A game as PGN, with its comments and variations, as python-chess and Cute Chess write them.

    Tags that say where the game starts are added where needed. Raises `ValueError` for a tag's name
    that PGN does not allow.
    """
    headers = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?"}
    headers |= {"White": "?", "Black": "?", "Result": "*"} | game.headers
    headers = {key: headers[key] for key in headers if key == "Result" or key.lower() != "result"}
    headers["Result"] = _result(game.result)
    start = game.start
    if start.variant == "freeling":
        headers["Variant"] = "freeling"
    elif not tag(headers, "variant"):
        headers["Variant"] = "breakthrough"
    if start != Board(_named(tag(headers, "variant"))):
        rows, side, half, full = start.fen().split()
        headers = {key: headers[key] for key in headers if key.lower() not in ("fen", "setup")}
        headers |= {"SetUp": "1", "FEN": f"{rows} {side} - - {half} {full}"}
    words: list[str] = []
    if game.comment:
        words.append(comment_text(game.comment))
    words += _words(game, game.start.copy(), True)
    words.append(headers["Result"])
    return written(headers, words, columns)


def written(headers: dict[str, str], words: list[str], columns: int = 80) -> str:
    """Tags and words as the text of a game.

    Raises `ValueError` for a name that no tag can have.
    """
    for name, value in headers.items():
        if not isinstance(value, str):
            raise TypeError(f"the tag {name} must be a str, not {type(value).__name__}")
        if not _NAME.fullmatch(name):
            raise ValueError(f"'{name}' is not a name for a tag: letters, digits, _ + # = : -")
    head = "".join(f'[{name} "{_quoted(value)}"]\n' for name, value in headers.items())
    return f"{head}\n{_wrapped(words, columns)}\n\n"


def comment_text(text: str) -> str:
    """A comment in PGN's braces; one inside that would end it becomes round, with its partner."""
    plain = _BRACES.sub(r"(\1)", _LINE_END.sub(" ", text)).replace("}", ")")
    return "{" + plain + "}"


def _named(variant: str) -> str:
    """The board of a variant as `Board` knows it: ``6x7`` for ``Breakthrough (6x7)``."""
    name = variant.lower().strip()
    if "freeling" in name:
        return "freeling"
    if "mini" in name:
        return "5x5"
    if found := re.search(r"([0-9]{1,3})\s*[x×]\s*([0-9]{1,3})", name):
        return f"{found[1]}x{found[2]}"
    found = re.search(r"([0-9]{1,3})\)?$", name)
    return f"{found[1]}x{found[1]}" if found else "8x8"


def _words(node: Node, board: Board, needs_number: bool) -> list[str]:
    """The words of everything after a node; ``board`` is its position."""
    words: list[str] = []
    board = board.copy()
    while node.variations:
        main, *others = node.variations
        words += _move_words(main, board, needs_number)
        for other in others:
            inner = _move_words(other, board, True)
            assert other.move is not None
            after = board.copy()
            after.push(other.move)
            inner += _words(other, after, bool(other.comment))
            inner[0], inner[-1] = "(" + inner[0], inner[-1] + ")"
            words += inner
        needs_number = bool(main.comment or others)
        assert main.move is not None
        board.push(main.move)
        node = main
    return words


def _move_words(node: Node, board: Board, needs_number: bool) -> list[str]:
    assert node.move is not None
    words = [comment_text(node.starting_comment)] if node.starting_comment else []
    if board.turn:
        words.append(f"{board.fullmove_number}.")
    elif needs_number or node.starting_comment:
        words.append(f"{board.fullmove_number}...")
    # The null move that PGN readers know
    words.append(node.move.uci() if node.move else "--")
    words += [f"${nag}" for nag in sorted(node.nags)]
    if node.comment:
        words.append(comment_text(node.comment))
    return words


def _quoted(text: str) -> str:
    return _LINE_END.sub(" ", text.replace("\\", "\\\\").replace('"', '\\"'))


def _wrapped(words: list[str], columns: int) -> str:
    lines, line = [], ""
    for word in words:
        if line and len(line) + 1 + len(word) > columns:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line])
