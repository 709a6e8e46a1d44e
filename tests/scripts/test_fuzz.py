"""Arbitrary text and bytes as the scripts' input: a refusal that names the fault, never a crash.

Hypothesis generates them, from scratch and from fragments of the formats; ``PETARD_TEST_FACTOR``
multiplies their number. A failing example is printed with the code that reproduces it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec
import pytest
from certificate_file import CertificateError, read
from check_certificate import Checker
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from test_certificates import CORPUS, data
from test_pgn import record

from conftest import FACTOR, run_program, start_fen
from petard.notation import golem_text, trmph_link
from petard.pgn import PgnError, read_games
from petardlib.base.errors import UserError
from petardlib.play.gamefiles import write_game
from petardlib.play.inputs import Reading
from petardlib.proofs.ledger import Ledger
from petardlib.proofs.solvejob import Job
from petardlib.rules.positions import board_of, legal_moves, normal_fen, parse_epd
from petardlib.training import network, records

# Nothing here may depend on time, and CI starts with the same examples every time.
settings.register_profile(
    "petard",
    max_examples=150 * FACTOR,
    deadline=None,
    derandomize=FACTOR == 1,
    database=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
settings.load_profile("petard")

PIECES = [
    *("pppp/pppp/8/PP6/4 w", " b", " 0 1", " - - 0 1", "/", "8", "99", "P", "p", "D", "10/10"),
    *(
        "a2a3",
        "a2-a3",
        "b7xa6",
        "Pa3",
        "d4#",
        "xd8",
        "p16p15",
        "z99",
        "pass",
        "0000",
        "!",
        "a2a3!a3b3",
    ),
    *(
        "1.",
        "1...",
        "99.",
        "1-0",
        "*",
        "resign",
        "{",
        "}",
        "(",
        ")",
        ";",
        "$1",
        "$99999999999999999999",
    ),
    *('[FEN "', '"]\n', '[Variant "breakthrough99"]\n', '[Variant "freeling"]\n', '[White "\\"]\n'),
    *("https://trmph.com/breakthrough/board#8,", "#5x6,", "#999,", "board#0,a1a1", "a2a3b7b6"),
    *(" bm a2a3;", ' id "x";', " am ", "startpos", " moves ", "position ", "fen ", "\n", "\r\n"),
    *("\ufeff", "\0", "\u0661", "\u00a0", "\u2028", "%", "#", "10000000000000000000000", "²"),
]
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=14).map("".join)
VARIANTS = st.sampled_from(["breakthrough", "freeling"])


@given(TEXTS, VARIANTS, st.sampled_from([None, "8x8", "5x6", "0x0", "x"]))
def test_any_text_is_read_or_refused(text: str, variant: str, board: str | None) -> None:
    try:
        items = Reading(variant, board).text(text, "text")
    except UserError as error:
        assert str(error)
        return
    for item in items:
        assert normal_fen(item.fen, item.variant) == item.fen


@given(TEXTS)
def test_any_epd_is_read_or_refused(text: str) -> None:
    try:
        line = parse_epd(text)
    except UserError:
        return
    again = parse_epd(line.board.fen())
    assert again.board == line.board and again.ops == {}


@given(TEXTS)
def test_any_pgn_is_read_or_refused(text: str) -> None:
    try:
        games = list(read_games(text))
    except PgnError as error:
        assert "game" in str(error)
        return
    assert all(list(read_games(str(game))) for game in games)


@given(
    st.sampled_from([(8, 8), (5, 5), (5, 6), (16, 8), (9, 14), (2, 4)]),
    st.lists(st.integers(min_value=0, max_value=10**6), max_size=60),
)
def test_games_come_back_from_every_form(size: tuple[int, int], choices: list[int]) -> None:
    fen = start_fen(*size)
    board = board_of(fen)
    moves = []
    for choice in choices:
        legal = legal_moves(board)
        if not legal:
            break
        moves.append(legal[choice % len(legal)])
        board.push_uci(moves[-1])
    name = f"{size[0]}x{size[1]}"
    for text in (golem_text(board) if moves else "startpos", trmph_link(board)):
        (item,) = Reading(size=name).text(text, "text")
        assert (item.fen, item.moves) == (fen, moves)
    text = write_game(record(fen=fen, moves=moves, book=len(moves), log=[]), "fuzz")
    (item,) = Reading().text(text, "text")
    assert (item.fen, item.moves) == (fen, moves)


SEEDS = [data(header, body) for _, _, header, body in CORPUS]


@st.composite
def changed(draw: st.DrawFn, seeds: list[bytes]) -> bytes:
    """One of the seeds with bytes changed, inserted and removed."""
    found = bytearray(draw(st.sampled_from(seeds)))
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(found)))
        kind = draw(st.integers(0, 3))
        if kind == 0:
            found[place:place] = draw(st.binary(max_size=8))
        elif kind == 1:
            del found[place : place + draw(st.integers(1, 30))]
        elif kind == 2:
            found = found[:place]
        elif place < len(found):
            found[place] = draw(st.integers(0, 255))
    return bytes(found)


def is_deep(certificate: bytes) -> bool:
    """Whether a checker might have to search so deep that it takes long."""
    return any(b"depth %d" % depth in certificate for depth in (5, 7, 9))


@given(changed(SEEDS))
def test_any_certificate_is_checked_or_refused(
    tmp_path_factory: pytest.TempPathFactory, certificate: bytes
) -> None:
    if is_deep(certificate):
        return
    path = tmp_path_factory.getbasetemp() / "fuzzed-certificate"
    path.write_bytes(certificate)
    try:
        Checker(read(path)).check(lambda _done, _of: None)
    except CertificateError as error:
        assert str(error)


@settings(max_examples=60 * FACTOR)
@given(certificate=changed(SEEDS))
def test_both_checkers_agree(
    petard: str, certificate: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if is_deep(certificate):
        return
    path = tmp_path_factory.getbasetemp() / "fuzzed-certificate-of-two"
    path.write_bytes(certificate)
    done = run_program(petard, "check", "-q", path, ok=False)
    try:
        Checker(read(path)).check(lambda _done, _of: None)
        status = 0
    except CertificateError:
        status = 1
    assert done.returncode == status, done


START = start_fen(3, 4)


def ledger_of_a_run() -> bytes:
    """A ledger with a solved job, an unfinished one and a split."""
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder) / "ledger", START)
        moves = dict.fromkeys(board_of(START).legal_moves.uci(), (12, 34))
        limit: dict[str, bool | float] = {"nodes": 9}
        job = Job(pos=START.split()[0], result="win", nodes=9, s=0.5, limit=limit)
        ledger.add_job(msgspec.structs.replace(job, result="unknown", opened={"": moves}))
        ledger.add_job(job)
        ledger.add_split(START.split()[0])
        ledger.close()
        return (Path(folder) / "ledger").read_bytes()


LEDGER = ledger_of_a_run()


def test_the_ledger_to_change_is_one(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    path.write_bytes(LEDGER)
    ledger = Ledger(path, START)
    assert ledger.count == 2 and ledger.unknown == 1 and len(ledger.split) == 1
    ledger.close()


@given(st.one_of(changed([b"{}\n", LEDGER]), st.binary()))
@example(b'{"kind":"\x80"}\n')
@example(LEDGER.replace(b'"fen":"', b'"fen":"\x80', 1))
def test_any_ledger_is_taken_up_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed-ledger"
    path.write_bytes(content)
    try:
        Ledger(path, START).close()
    except UserError as error:
        assert str(error)
        # A refused file is left as it was.
        assert path.read_bytes() == content


@given(
    st.binary(max_size=60),
    st.sampled_from([b"", b"PETARDD1\x07\x06", b"PETARDD2\x08\x08\0", b"PETARDD2\x05\x09\x01"]),
)
def test_any_records_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, start: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed-records"
    path.write_bytes(start + content)
    try:
        records.read(path)
    except records.RecordError as error:
        assert str(error)


@given(st.binary(max_size=90), st.sampled_from([b"", b"PETARDN1\x01\x01\x20\0\x01\0", b"PETARDN2"]))
def test_any_network_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, start: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed-network"
    path.write_bytes(start + content)
    try:
        network.read(path)
    except network.NetworkError as error:
        assert str(error)
