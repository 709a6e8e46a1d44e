"""The Python certificate checker, compared with the binary's."""

from __future__ import annotations

import random
import zlib
from pathlib import Path

import check_certificate
import pytest
from certificate_file import CertificateError, read
from check_certificate import Checker, LimitError

from conftest import ROOT, run_program, run_script

ROWS = (ROOT / "tests/data/certificates.tsv").read_text(encoding="utf-8").splitlines()
CORPUS = [row.split("\t") for row in ROWS if not row.startswith("#")]


def data(header: str, body: str) -> bytes:
    return header.encode("ascii").decode("unicode_escape").encode() + bytes.fromhex(body)


def objection(path: Path) -> str | None:
    """Why a certificate is not accepted, if it is not."""
    try:
        Checker(read(path)).check(lambda _done, _of: None)
    except CertificateError as error:
        return str(error)
    except LimitError as reason:
        return f"gave up: {reason}"
    return None


def test_false_certificates_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "certificate"
    for expected, name, header, body in CORPUS:
        path.write_bytes(data(header, body))
        assert (objection(path) is None) == (expected == "true"), name


def test_both_checkers_say_the_same_of_damaged_certificates(petard: str, tmp_path: Path) -> None:
    chance = random.Random(14)
    path = tmp_path / "certificate"
    start = "ppp/ppp/3/PPP/PPP w 0 1"
    words = ["--fen", start, "--threads", "1", "--certificate-depth", "1"]
    run_program(petard, "solve", *words, "-q", "--certificate", path)
    whole = path.read_bytes()
    assert objection(path) is None
    refused = 0
    for _ in range(150):
        damaged = bytearray(whole)
        for _ in range(chance.choice((1, 1, 2, 5))):
            place = chance.randrange(len(damaged))
            match chance.randrange(4):
                case 0:
                    del damaged[place]
                case 1:
                    damaged.insert(place, chance.randrange(256))
                case _:
                    damaged[place] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        found = objection(path)
        done = run_program(petard, "check", "-q", "--threads", "1", path, ok=False)
        assert done.returncode in (0, 1), done.stderr
        assert (found is None) == (done.returncode == 0), (found, done.stderr)
        assert (found is not None) == ("REFUSED" in done.stderr)
        refused += found is not None
    assert refused > 100


@pytest.mark.parametrize("name", ["missing", "."])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    done = run_script("check_certificate.py", tmp_path / name)
    assert done.returncode == 1
    assert str(tmp_path / name) in done.stderr
    assert "Traceback" not in done.stderr


def test_the_position_and_the_claim_are_printed(tmp_path: Path) -> None:
    path = tmp_path / "certificate"
    path.write_bytes(data(*next(row[2:] for row in CORPUS if row[0] == "true")))
    done = run_script("check_certificate.py", path)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[:2] == ["pp/pp/2/PP/PP w 0 1", "proven: black wins (the side not to move)"]


def short(petard: str, path: Path, *arguments: str) -> bytes:
    """A short certificate of a small board, as written by the binary."""
    run_program(petard, "solve", "-q", "--threads", "1", *arguments, "--certificate", path)
    return path.read_bytes()


def sealed(content: bytes) -> bytes:
    """The content with its checksum."""
    return content + zlib.crc32(content).to_bytes(4, "little")


def refusals(petard: str, path: Path) -> tuple[str | None, str]:
    """What both checkers object to in a file, if anything."""
    done = run_program(petard, "check", "-q", "--threads", "1", path, ok=False)
    assert done.returncode in (0, 1), done.stderr
    return objection(path), done.stderr


def test_both_checkers_take_a_short_certificate_and_refuse_it_changed(
    petard: str, tmp_path: Path
) -> None:
    path = tmp_path / "short"
    start = ["--board", "3x5", "--certificate-depth", "1", "--leaf-nodes", "8"]
    whole = short(petard, path, *start)
    assert refusals(petard, path) == (None, "")
    assert whole.startswith(b"breakthrough certificate 2\nfen ppp/ppp/3/PPP/PPP w 0 1\n")
    content = whole[:-4]
    head, _, body = content.partition(b"\n\n")
    assert len(body) > 40, "positions are kept"
    texts = [
        (content.replace(b"winner black", b"winner white"), "leaf"),
        (content.replace(b"ppp/ppp/3/PPP/PPP w", b"ppp/ppp/3/PPP/PPP b"), "leaf"),
        (content.replace(b"ppp/ppp/3/PPP/PPP", b"ppp/ppp/3/3/PPP/PPP"), ""),
        (content.replace(b"leaf-nodes 8", b"leaf-nodes 0"), "leaf-nodes"),
        (content.replace(b"leaf-nodes 8\n", b""), "header"),
        (content.replace(b"certificate 2", b"certificate 3"), ""),
        (head + b"\n\n" + body[:-1], ""),
        (content + b"\1", ""),
    ]
    for changed, reason in texts:
        assert changed != content
        path.write_bytes(sealed(changed))
        plain, fast = refusals(petard, path)
        assert plain is not None and reason in plain, (changed[:90], plain)
        assert "REFUSED" in fast and reason in fast, fast
    for damaged in (whole[:-1], whole[:40], whole + b"\0", b"", whole[:200] + b"x" + whole[201:]):
        path.write_bytes(damaged)
        plain, fast = refusals(petard, path)
        assert plain is not None and "REFUSED" in fast, (plain, fast)


def test_moves_that_do_not_win_are_found_out_by_both(petard: str, tmp_path: Path) -> None:
    path = tmp_path / "short"
    start = ["--board", "3x5", "--certificate-depth", "1", "--leaf-nodes", "8"]
    whole = short(petard, path, *start)
    head, _, body = whole[:-4].partition(b"\n\n")
    chance = random.Random(8)
    refused = 0
    for _ in range(25):
        changed = bytearray(body)
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(7)
        path.write_bytes(sealed(head + b"\n\n" + changed))
        plain, fast = refusals(petard, path)
        # The Python checker's plain prover may take more nodes, and needs more.
        assert plain is None or "REFUSED" in fast or "gave up" in plain, (plain, fast)
        assert "REFUSED" not in fast or plain is not None or "not proven" in fast, (plain, fast)
        refused += "REFUSED" in fast
    assert refused > 5


def test_a_leaf_that_takes_too_many_nodes_is_not_called_false(
    petard: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "short"
    start = ["--board", "3x5", "--certificate-depth", "1", "--leaf-nodes", "8"]
    content = short(petard, path, *start)[:-4]
    assert check_certificate.main(["-q", str(path)]) == 0
    capsys.readouterr()
    monkeypatch.setattr(check_certificate, "NODE_FACTOR", 1 / 8)
    assert check_certificate.main(["-q", str(path)]) == 3
    error = capsys.readouterr().err
    assert "gave up" in error and "REFUSED" not in error
    # With nodes enough, a false claim is found out.
    monkeypatch.setattr(check_certificate, "NODE_FACTOR", 50_000)
    path.write_bytes(sealed(content.replace(b"winner black", b"winner white")))
    assert check_certificate.main(["-q", str(path)]) == 1
    error = capsys.readouterr().err
    assert "REFUSED" in error and "is lost" in error
    assert check_certificate.main(["-q", str(tmp_path / "missing")]) == 1
    assert "REFUSED" not in capsys.readouterr().err
