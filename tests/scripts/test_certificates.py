"""The checker of certificates in Python, beside that of the binary."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from check_certificate import CertificateError, Checker, read

from conftest import ROOT, run_script

ROWS = (ROOT / "tests/data/certificates.tsv").read_text(encoding="utf-8").splitlines()
CORPUS = [row.split("\t") for row in ROWS if not row.startswith("#")]


def data(header: str, body: str) -> bytes:
    return header.encode("ascii").decode("unicode_escape").encode() + bytes.fromhex(body)


def fault(path: Path) -> str | None:
    """What is wrong with a certificate; it may not end in anything but a refusal."""
    try:
        Checker(read(path)).check(lambda _done, _of: None)
    except CertificateError as error:
        return str(error)
    return None


def test_false_certificates_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "certificate"
    for expected, name, header, body in CORPUS:
        path.write_bytes(data(header, body))
        assert (fault(path) is None) == (expected == "true"), name


def test_both_checkers_say_the_same_of_damaged_certificates(petard: str, tmp_path: Path) -> None:
    chance = random.Random(14)
    path = tmp_path / "certificate"
    start = "ppp/ppp/3/PPP/PPP w 0 1"
    command = [petard, "solve", "--fen", start, "--threads", "1", "--certificate-depth", "1"]
    subprocess.run([*command, "-q", "--certificate", str(path)], check=True, capture_output=True)
    whole = path.read_bytes()
    assert fault(path) is None
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
        found = fault(path)
        done = subprocess.run(
            [petard, "check", "-q", "--threads", "1", str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
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
