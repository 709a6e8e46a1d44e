"""Games as text: PGN with variations, Little Golem, trmph, SAN."""

from __future__ import annotations

import copy
import io
import json
import pickle
import time
from pathlib import Path
from typing import Any

import chess.pgn
import pytest

import petard
from petard import Board, Move, notation, pgn

DATA = Path(__file__).resolve().parents[3] / "tests" / "data" / "texts.json"
TEXTS: dict[str, list[dict[str, Any]]] = json.loads(DATA.read_text("utf-8"))
"""What the page, this package and the scripts read alike."""

GAME = """[Event "A match"]
[White "petard \\"dev\\""]
[Black "other"]
[Result "1-0"]

{Before} 1. b2b3! {solid} (1. c2c3 g7g6 {a {note} (1... h7h6 2. d2d3) 2. c3c4)
(1. a2a3) 1... b7b6 $6
; to the end of the line
2. a2-a3 b6xa5? 1-0
"""


def moves(board: Board) -> list[str]:
    return [move.uci() for move in board.move_stack]


def test_a_game_with_variations() -> None:
    text = GAME.replace("b6xa5?", "b6b5?!")
    game = pgn.read_game(text)
    assert game.headers["White"] == 'petard "dev"' and game.result == "1-0"
    assert game.comment == "Before"
    assert [m.uci() for m in game.mainline_moves()] == ["b2b3", "b7b6", "a2a3", "b6b5"]
    first = game.next()
    assert first is not None and first.nags == {1} and first.comment == "solid"
    assert [str(node.move) for node in game.variations] == ["b2b3", "c2c3", "a2a3"]
    side = game.variations[1]
    assert [str(node.move) for node in side.variations] == ["g7g6", "h7h6"]
    assert side.variations[0].comment == "a {note"
    assert moves(side.variations[1].end().board()) == ["c2c3", "h7h6", "d2d3"]
    end = game.end()
    assert end.nags == {6} and end.root() is game
    again = pgn.read_game(str(game))
    assert str(again) == str(game)
    assert again.headers["White"] == 'petard "dev"'


def test_what_is_written_python_chess_reads() -> None:
    board = Board()
    board.push_line(["b2b3", "b7b6", "b3b4"])
    game = pgn.Game.from_board(board)
    game.variations[0].add_variation(Move.from_uci("a7a6"), comment="or this")
    read = chess.pgn.read_game(io.StringIO(pgn.write_game(game)))
    assert read is not None and read.headers["Variant"] == "breakthrough"
    text = pgn.write_game(game)
    assert "1. b2b3 b7b6 (1... a7a6 {or this}) 2. b3b4 *" in text
    assert [m.uci() for m in pgn.read_game(text).mainline_moves()] == ["b2b3", "b7b6", "b3b4"]


def test_boards_of_other_sizes_and_freeling() -> None:
    for name in ("6x6", "10x10", "5x7", "freeling"):
        board = Board(name).random_playout(seed=1)
        game = pgn.Game.from_board(board)
        again = pgn.read_game(str(game))
        assert moves(again.end().board()) == moves(board), name
        assert again.result == board.result() != "*"
        assert again.start == Board(name)
    tagged = pgn.read_game('[Variant "breakthrough6"]\n\n1. a2a3 a5a4 *')
    assert tagged.start == Board("6x6") and len(tagged.mainline_moves()) == 2
    passed = pgn.read_game('[Variant "freeling"]\n\n1. -- pass *')
    assert passed.mainline_moves() == [Move.null()] * 2
    assert "1. -- -- *" in str(passed)
    black = pgn.read_game('[FEN "8/p7/8/8/8/8/P7/8 b - - 0 7"]\n\n7... a7a6 8. a2a3 *')
    assert "7... a7a6 8. a2a3 *" in str(black)


def test_many_games_and_faults() -> None:
    games = list(pgn.read_games('1. a2a3 *\n\n[Event "two"]\n\n1. b3 1-0\n\n[Event "three"]\n'))
    assert [len(game.mainline_moves()) for game in games] == [1, 1, 0]
    assert [game.result for game in games] == ["*", "1-0", "*"]
    assert list(pgn.read_games("")) == []
    # Without tags, a game ends with its result; what is said after that belongs to it.
    text = "{first} 1. b2b3 (1. c2c3 1-0) b7b6 1-0 {won}\n\n3. c2c3 c7c6 0-1\n1. a2a3 * ; open"
    games = list(pgn.read_games(text))
    assert [game.result for game in games] == ["1-0", "0-1", "*"]
    assert [len(game.mainline_moves()) for game in games] == [2, 2, 1]
    assert (games[0].comment, games[0].end().comment) == ("first", "won")
    for text, message in (
        ("1. a2a4 *", "game 1: ply 1: 'a2a4' is illegal"),
        ("1. a2a3 (a2a4) *", "illegal"),
        ("1. a2a3 (b2b3 *", "unclosed variation"),
        ("1. a2a3 {better is a7a6 *", "game 1: unclosed comment"),
        ("1. a2a3 { a7a6", "game 1: unclosed comment"),
        ("1. a2a3 ) *", r"unmatched '\)'"),
        ("(1. a2a3) *", "before the first"),
        ('[FEN "x"]\n\n*', "unknown character|side"),
        ('[Variant "breakthrough2"]\n\n*', "2x2"),
        ("1. hello *", "'hello' is not a move"),
    ):
        with pytest.raises(pgn.PgnError, match=message):
            list(pgn.read_games(text))
    for text in ("", "{}", "!", "$1", "...", "1111", "½", "{x} 1. ; y"):
        with pytest.raises(pgn.PgnError, match="no game in the text: it has no move and no tag"):
            pgn.read_game(text)
        assert not list(pgn.read_games(text))


def test_the_result_after_the_moves_counts_where_the_tag_says_nothing() -> None:
    for tag, after, result in (
        ("", "1-0", "1-0"),
        ('[Result "*"]', "1-0", "1-0"),
        ('[Result "*"]', "1-0 {so}", "1-0"),
        ('[Result "0-1"]', "1-0", "0-1"),
        ('[Result "0-1"]', "*", "0-1"),
        ('[Result "*"]', "", "*"),
    ):
        text = f"{tag}\n\n1. a2a3 {after}"
        game = pgn.read_game(text)
        theirs = chess.pgn.read_game(io.StringIO(text))
        assert theirs is not None and game.result == theirs.headers["Result"] == result
        assert str(game).endswith(f" {result}\n\n")
    assert pgn.read_game('[Result "*"]\n\n1. a2a3 (1. b2b3 0-1) 1-0').result == "1-0"


def test_a_line_may_hold_several_tags_and_moves() -> None:
    text = """[Event "a]b"] [Site "[c \\"d\\"]"][ Variant "breakthrough6" ] 1. a2a3 *
[Event "two"] {[Event "three"] [Site "none"]
[Event "four"]} 1. b2b3 [Site "five"] *"""
    one = pgn.read_game(text)
    assert one.headers == {
        "Event": "a]b",
        "Site": '[c "d"]',
        "Variant": "breakthrough6",
        "Result": "*",
    }
    assert one.start == Board("6x6") and len(one.mainline_moves()) == 1
    with pytest.raises(pgn.PgnError, match=r"game 2: ply 2: '\[Site'"):
        list(pgn.read_games(text))
    assert len(list(pgn.read_games(text.replace('[Site "five"]', "")))) == 2


def test_a_draw_may_be_written_with_halves() -> None:
    for tag in ("", '[Result "½-½"]\n'):
        text = f'[Variant "freeling"]\n{tag}\n1. b2a1 ½-½\n\n[Event "two"]\n\n*'
        game, _ = pgn.read_games(text)
        assert game.headers["Result"] == game.result == "1/2-1/2"
        assert len(game.mainline_moves()) == 1 and str(game).endswith(" 1/2-1/2\n\n")
    assert notation.movetext_words("1. b2a1 ½-½") == ["b2a1"]


def test_move_numbers_need_no_dots() -> None:
    for text in ("1 b2b3 b7b6 2 c2c3 *", "1 . b2b3 1 ... b7b6 2. c2c3 *", "1.b2b3 ...b7b6 2 c2c3"):
        game = pgn.read_game(text)
        assert [m.uci() for m in game.mainline_moves()] == ["b2b3", "b7b6", "c2c3"]
    assert len(list(pgn.read_games("1 b2b3 * 1 c2c3 *"))) == 2


def test_only_line_ends_end_lines() -> None:
    game = pgn.Game(headers={"Event": "a\u2028b\x85c\x0cd\r\ne"}, comment="x\u2029y\rz")
    game.add_variation(Move.from_uci("b2b3"))
    again = pgn.read_game(str(game))
    assert again.headers["Event"] == "a\u2028b\x85c\x0cd e" and again.comment == "x y z"
    assert str(pgn.read_game(str(game).replace("\n", "\r\n"))) == str(again)


def test_a_node_is_shown_without_its_game() -> None:
    game = pgn.Game.from_board(Board("2x64").random_playout(seed=1))
    assert len(game.mainline_moves()) > 200
    assert repr(game.end()).startswith("Node(move=Move.from_uci('")
    assert repr(game).startswith("Game(move=None") and "Node" not in repr(game)


def test_a_long_line_of_variations() -> None:
    board = Board().random_playout(seed=5)
    game = pgn.Game.from_board(board)
    node: pgn.Node = game
    for _ in range(20):
        following = node.next()
        assert following is not None
        other = next(m for m in node.board().legal_moves if m != following.move)
        node.add_variation(other).comment = "else"
        node = following
    again = pgn.read_game(str(game))
    assert str(again) == str(game)
    assert sum(len(n.variations) for n in [again, *again.mainline()]) == 20 + len(board.move_stack)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a2a3 a7a6 b2b3", ["a2-a3", "A7A6", "b3"]),
        ("a2a3 b7b6 a3a4 b6b5 a4b5", ["a3", "b6", "a4", "b5", "axb5"]),
        ("a2a3 b7b6 a3a4 b6b5 a4b5", ["Pa3", "Pb6", "a2a3"[:0] + "a4", "Pb5", "xb5"]),
    ],
)
def test_words(line: str, words: list[str]) -> None:
    board = Board()
    notation.push_words(board, words)
    assert moves(board) == line.split()


def test_words_that_may_be_several_moves() -> None:
    board = Board("8/8/8/3p4/2P1P3/8/8/8 w 0 1")
    with pytest.raises(petard.IllegalMoveError, match="c4d5 or e4d5"):
        notation.parse_move(board, "xd5")
    assert notation.parse_move(board, "cxd5").uci() == "c4d5"
    before = board.fen()
    with pytest.raises(petard.IllegalMoveError, match="ply 2: "):
        notation.push_words(board, ["cxd5", "d4"])
    assert board.fen() == before


def test_little_golem_and_trmph() -> None:
    board = notation.read_golem("1.a2-a3 b7-b6 2.a3-a4 b6-b5 3. a4xb5 resign")
    assert moves(board) == ["a2a3", "b7b6", "a3a4", "b6b5", "a4b5"]
    assert notation.golem_text(board) == "1. a2-a3 b7-b6 2. a3-a4 b6-b5 3. a4xb5"
    link = notation.trmph_link(board)
    assert link == "https://trmph.com/breakthrough/board#8,a2a3b7b6a3a4b6b5a4b5"
    assert moves(notation.read_trmph(link)) == moves(board)
    wide = notation.read_trmph("board#6x7,a2a3")
    assert (wide.files, wide.ranks) == (6, 7)
    assert notation.trmph_link(wide).endswith("#6x7,a2a3")
    for size in ("27x4", "30x4"):
        wide = Board(size)
        for _ in range(2):
            wide.push(wide.legal_moves[-1])
        assert len(moves(wide)[0]) > 4
        assert moves(notation.read_trmph(notation.trmph_link(wide))) == moves(wide)
    for text, error in (
        ("nonsense", petard.InvalidMoveError),
        ("board#8,a2a3b7", petard.InvalidMoveError),
        ("board#8,a2a4", petard.IllegalMoveError),
    ):
        with pytest.raises(error):
            notation.read_trmph(text)
    odd = Board("8/8/8/3p4/2P1P3/8/8/8 w 0 1")
    for write in (notation.golem_text, notation.trmph_link):
        with pytest.raises(ValueError, match="start"):
            write(odd)


@pytest.mark.parametrize(
    ("comment", "written"),
    [("{x", "{x"), ("{x}", "(x)"), ("{{x} y", "{(x) y"), ("x}", "x)"), ("}{", "){")],
)
def test_a_brace_that_ends_no_comment_is_written_as_it_is(comment: str, written: str) -> None:
    game = pgn.Game(comment=comment)
    game.add_variation(Move.from_uci("a2a3"))
    again = pgn.read_game(str(game))
    assert again.comment == written
    assert [move.uci() for move in again.mainline_moves()] == ["a2a3"]


def test_a_comment_before_a_variation_belongs_to_its_first_move() -> None:
    game = pgn.read_game("1. b2b3 b7b6 ({better is} 1... a7a6 {so}) 2. a2a3 *")
    first = game.next()
    assert first is not None and first.comment == ""
    assert [node.comment for node in first.variations] == ["", "so"]
    assert first.variations[1].starting_comment == "better is"
    assert "b7b6 ({better is} 1... a7a6 {so}) 2. a2a3" in str(game)


@pytest.mark.parametrize("plies", [200, 2000])
def test_long_games_are_copied(plies: int) -> None:
    board = Board.freeling()
    game = pgn.Game(start=board)
    node: pgn.Node = game
    # Legal or not does not matter to a copy.
    for ply in range(plies):
        if ply % 500 == 0:
            other = pgn.Node(Move.null(), node, nags={2})
            node.variations.append(other)
        follower = pgn.Node(Move.from_uci("b2a1"), node, comment=str(ply))
        node.variations.insert(0, follower)
        node = follower
    for twin, end in (
        copy.deepcopy((game, node)),
        pickle.loads(pickle.dumps((game, node))),
    ):
        assert twin.start == board and twin.start is not board
        assert twin.end() is end and end.root() is twin and end.comment == str(plies - 1)
        assert twin.mainline_moves() == game.mainline_moves()
        assert [len(node.variations) for node in twin.mainline()] == [
            len(node.variations) for node in game.mainline()
        ]
        assert twin.variations[1].nags == {2} and twin.variations[1].parent is twin
    shallow = copy.copy(game)
    assert shallow.variations is game.variations


@pytest.mark.parametrize("case", TEXTS["games"], ids=lambda case: case["name"])
def test_what_people_and_programs_write_is_read(case: dict[str, Any]) -> None:
    games = list(pgn.read_games(case["text"]))
    assert [[move.uci() for move in game.mainline_moves()] for game in games] == case["moves"]
    starts = case.get("starts") or [Board().fen()] * len(games)
    assert [game.start.fen() for game in games] == starts
    results = case.get("results") or [game.result for game in games]
    assert [game.result for game in games] == results
    written = "".join(map(str, games))
    flat = written.replace("\n", " ")
    assert [part for part in case.get("keeps", []) if part not in flat] == []
    assert "".join(map(str, pgn.read_games(written))) == written


@pytest.mark.parametrize("case", TEXTS["refused"], ids=lambda case: case["name"])
def test_what_cannot_be_read_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(pgn.PgnError) as refusal:
        pgn.read_game(case["text"])
    assert len(str(refusal.value)) < 200


def test_a_bad_game_among_good_ones() -> None:
    errors: list[pgn.PgnError] = []
    text = "1. b2b3 *\n1. Nf3 *\n1. c2c3 *"
    games = list(pgn.read_games(text, "x", errors=errors))
    assert [str(game.mainline_moves()[0]) for game in games] == ["b2b3", "c2c3"]
    assert [str(error) for error in errors] == [
        "x, game 2: ply 1: 'Nf3' is not a move such as a2b3"
    ]


def test_a_text_is_a_str() -> None:
    for text in (None, b"1. a2a3", 1):
        with pytest.raises(TypeError, match="text must be a str, not"):
            pgn.read_game(text)  # type: ignore[arg-type]


def test_moves_without_tags_begin_where_they_are_said_to() -> None:
    small, tagged = pgn.read_games('1. a2a3 *\n[Variant "breakthrough"]\n*', start=Board("5x5"))
    assert small.start == Board("5x5") and tagged.start == Board()


def test_positions_and_encodings() -> None:
    for case in TEXTS["positions"]:
        assert Board.from_fen(case["text"]).fen() == case["fen"], case["text"]
    for text in TEXTS["refusedPositions"]:
        with pytest.raises(petard.InvalidFenError):
            Board.from_fen(str(text))
    for case in TEXTS["files"]:
        assert pgn.decode(bytes.fromhex(case["hex"])) == case["text"], case["name"]


# Text, the main lines of its games, and what is said of those that are left out.
HOSTILE: dict[str, tuple[str, list[str], list[str]]] = {
    "remarks between the moves of a list": (
        "1. b2b3 b7b6\n% remark\n2. c2c3\n# remark\nc7c6",
        ["b2b3 b7b6 c2c3 c7c6"],
        [],
    ),
    "remarks in braces are text": ("1. b2b3 {\n# x\n% y\n} b7b6 *", ["b2b3 b7b6"], []),
    "a line that begins with # among the moves of a game in PGN": (
        '[Event "a"]\n\n1. b2b3\n# b7b6\n2. c2c3 *\n# 2\n[Event "b"]\n# 3\n\n1. c2c3\n% b7b6\n*',
        ["c2c3"],
        ["game 1: ply 2: 'c2c3' is illegal"],
    ),
    "a comment without an end": (
        '[Event "a"]\n\n1. b2b3 {open\n\n[Event "b"]\n\n1. c2c3 *\n\n[Event "c"]\n\n1. d2d3 *',
        ["c2c3", "d2d3"],
        ["game 1: unclosed comment"],
    ),
    "a comment without an end, before all tags": (
        '{open\n\n[Event "b"]\n\n1. c2c3 *',
        ["c2c3"],
        ["game 1: unclosed comment"],
    ),
    "a pass in digits": (
        '[Variant "freeling"]\n\n1. b2a1 0000 2. c2b3 Pass 3. 0000! *',
        ["b2a1 pass c2b3 pass pass"],
        [],
    ),
    "a pass where there is none": (
        "1. b2b3 0000 2. c2c3 *",
        [],
        ["game 1: ply 2: 'pass' is not a move such as a2b3"],
    ),
    "digits that are no number": ("0000. b2b3 *", [], ["game 1: ply 1: '0000.' is not a move"]),
    "names of tags": (
        '[X-Foo "1"]\n[White+Elo "2"]\n[a_b#c=d:e "3"]\n\n1. a2a3 *',
        ["a2a3"],
        [],
    ),
    "what is no tag": (
        '[Event "a"]\n[Bad tag]\n[White "x"]\n\n1. a2a3 *\n\n[Event "b"]\n\n1. b2b3 *',
        ["b2b3"],
        ["game 1: ply 1: '[Bad' is not a move"],
    ),
    "comments before the tags": (
        '; of a file\n{intro\n\nover lines}\n[White "A"]\n\n1. a2a3 *',
        ["a2a3"],
        [],
    ),
    "comments alone": ("; nothing\n{here}\n", [], []),
    "the same tag twice": ('[White "A"]\n[White "B"]\n\n1. a2a3 *', ["a2a3"], []),
    "operations in a FEN": (
        '[FEN "8/8/8/8/8/7p/P7/8 w - - ce 13; id \\"x\\";"]\n\na2a3',
        ["a2a3"],
        [],
    ),
    "a variation without an end": (
        "1. b2b3 (1. Nf3\n\n1. c2c3 *",
        ["c2c3"],
        ["game 1: ply 1: 'Nf3' is not a move"],
    ),
    "a variation after the result": ("1. b2b3 * (1. c2c3 b7b6) 1. d2d3", ["b2b3", "d2d3"], []),
    "a FEN with a no-break space": ('[FEN "8/8/8/8/8/7p/P7/8\xa0w - - 0 1"]\n\na2a3', ["a2a3"], []),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_damaged_leaves_the_rest_alone(name: str) -> None:
    text, lines, messages = HOSTILE[name]
    errors: list[pgn.PgnError] = []
    games = list(pgn.read_games(text, "x", errors=errors))
    assert [" ".join(map(str, game.mainline_moves())) for game in games] == lines
    assert len(errors) == len(messages)
    for error, message in zip(errors, messages, strict=True):
        assert str(error).startswith(f"x, {message}")
    assert len(list(pgn.read_headers(text))) == len(lines) + len(messages)


@pytest.mark.parametrize(
    ("tags", "headers"),
    [
        ('[White "A"]\n[Event "x"]\n[White "B"]', {"White": "B", "Event": "x"}),
        ('[X-Foo "1"]\n[a_b#c=d:e+f "2"]', {"X-Foo": "1", "a_b#c=d:e+f": "2"}),
        (r'[Event "C:\games\x"]', {"Event": r"C:\games\x"}),
        (r'[Event "C:\\games\x\"y\""]', {"Event": r'C:\games\x"y"'}),
        ('[Event "C:\\games\\"]\n[Site "\\\\"]', {"Event": "C:\\games\\", "Site": "\\"}),
        ("{intro}\n" + '[White "A"]', {"White": "A"}),
    ],
)
def test_tags_are_kept_as_they_are(tags: str, headers: dict[str, str]) -> None:
    game = pgn.read_game(f"{tags}\n\n1. a2a3 *")
    assert game.headers == {**headers, "Result": "*"} and not game.comment
    again = pgn.read_game(str(game))
    assert {name: again.headers[name] for name in headers} == headers
    assert str(again) == str(game)


@pytest.mark.parametrize(
    ("variant", "board"),
    [
        ("breakthrough6 ", "6x6"),
        ("6x6 Breakthrough", "6x6"),
        ("Breakthrough (6x6)", "6x6"),
        ("Breakthrough (6 x 7)", "6x7"),
        ("Breakthrough (5)", "5x5"),
        ("breakthrough10x5", "10x5"),
        (" Freeling ", "freeling"),
        ("Breakthrough", "8x8"),
    ],
)
def test_variants_name_boards(variant: str, board: str) -> None:
    game = pgn.read_game(f'[Variant "{variant}"]\n\n*')
    assert game.start == Board(board)
    assert game.headers["Variant"] == variant
    assert pgn.read_game(str(game)).start == Board(board)


@pytest.mark.parametrize(
    ("text", "board"),
    [
        ("1. a2a3 a5a4 2. b2b3 b5b4", "6x6"),
        ("1. a2-a3 a6-a5 2. b2-b3 b7-a6", "7x7"),
        ("a2a3 a4a3", None),
        ("a2b3 a4b3", "5x5"),
        ('[White "A"]\n\n1. a2a3 a5a4 *', "6x6"),
        ("1. a2a3 a7a6", "8x8"),
        # Black's first move is possible on 8x8, or says too little
        ("1. a2a3 a7a6 2. a3a4 b6b5", None),
        ("1. a3 a5", None),
        ('[Variant "breakthrough"]\n\n1. a2a3 a5a4 *', None),
    ],
)
def test_moves_tell_the_board(text: str, board: str | None) -> None:
    if board is None:
        with pytest.raises(pgn.PgnError, match="illegal"):
            pgn.read_game(text)
        return
    game = pgn.read_game(text)
    assert game.start == Board(board)
    assert pgn.read_game(str(game)).mainline_moves() == game.mainline_moves()
    if board != "8x8":
        with pytest.raises(pgn.PgnError, match="ply 2: .* illegal"):
            pgn.read_game(text, start=Board())


@pytest.mark.parametrize("text", ["a2a3" + "!" * 100_000, "a2a3 " + "!?" * 50_000 + "x"])
def test_runs_of_signs_take_no_time(text: str) -> None:
    began = time.process_time()
    errors: list[pgn.PgnError] = []
    games = list(pgn.read_games(text, errors=errors))
    assert len(games) + len(errors) == 1
    # It takes part of a second; a quadratic reader, minutes.
    assert time.process_time() - began < 20


def test_what_cannot_be_written_is_refused() -> None:
    with pytest.raises(ValueError, match="'Bad Name' is not a name for a tag"):
        str(pgn.Game(headers={"Bad Name": "x"}))
    with pytest.raises(TypeError, match="Round must be a str, not int"):
        str(pgn.Game(headers={"Round": 3}))  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="start must be a Board, not str"):
        pgn.read_game("a2a3", start="6x6")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="data must be bytes, not str"):
        pgn.decode("x")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "fen", "operations"),
    [
        (
            '8/8/8/8/8/7p/P7/8 w - - ce 13; id "a; b";',
            "8/8/8/8/8/7p/P7/8 w 0 1",
            {"ce": "13", "id": "a; b"},
        ),
        ("8/8/8/8/8/7p/P7/8\xa0b 0 7 bm h3h2;", "8/8/8/8/8/7p/P7/8 b 0 7", {"bm": "h3h2"}),
        ("8/8/8/8/8/7p/P7/8 w 0 1 ; id x", "8/8/8/8/8/7p/P7/8 w 0 1", {"id": "x"}),
        ("8/8/8/8/8/7p/P7/8 w - - ce 13", None, {}),
        ("8/8/8/8/8/7p/P7/8 w KQkq - 0 1;", "8/8/8/8/8/7p/P7/8 w 0 1", {}),
        ("8/8/8/8/8/7p/P7/8 w XX - 0 1", None, {}),
        ("8/8/8/8/8/7p/P7/8 w XX -", None, {}),
        ("8/8/8/8/8/7p/P7/8 w XX c3 0 1", None, {}),
        ("", None, {}),
    ],
)
def test_epd(text: str, fen: str | None, operations: dict[str, str]) -> None:
    if fen is None:
        with pytest.raises(petard.InvalidFenError):
            notation.read_epd(text)
        return
    board, found = notation.read_epd(text)
    assert board.fen() == fen and found == operations
