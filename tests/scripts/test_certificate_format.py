"""The examples in docs/certificates.md, decoded as its text says and by nothing else."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import ROOT, run_program

PAGE = (ROOT / "docs/certificates.md").read_text(encoding="utf-8")


def example(heading: str) -> tuple[list[str], bytes, str]:
    """The command, the bytes and the text of the section with an example."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    (command,) = re.findall(r"`petard (solve .*) FILE` writes", section)
    (header,) = re.findall(r"```text\n(breakthrough.*?\n\n)```", section, re.DOTALL)
    (numbers,) = re.findall(r"after it[^`]*`([0-9a-f ]+)`", section)
    return command.split(), header.encode("ascii") + bytes.fromhex(numbers), section


def numbers(body: bytes) -> Iterator[int]:
    """Numbers in LEB128."""
    number = shift = 0
    for byte in body:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield number
            number = shift = 0
    assert shift == 0


WHOLE = "A whole certificate, byte by byte"
SHORT = "A short certificate, byte by byte"


@pytest.mark.parametrize("heading", [WHOLE, SHORT])
def test_the_bytes_are_what_the_command_writes(petard: str, tmp_path: Path, heading: str) -> None:
    command, data, text = example(heading)
    path = tmp_path / "file"
    run_program(petard, *command, path)
    assert path.read_bytes() == data
    assert f"writes {len(data)} bytes" in text


@pytest.mark.parametrize(
    ("heading", "files", "expected"),
    [(WHOLE, 2, [(5880, 1, 0), (6043, 1, 0)]), (SHORT, 3, [(518035, 0, 2)])],
)
def test_the_entries_are_those_of_the_text(
    heading: str, files: int, expected: list[tuple[int, int, int]]
) -> None:
    _, data, text = example(heading)
    if heading == SHORT:
        data, checksum = data[:-4], data[-4:]
        assert int.from_bytes(checksum, "little") == zlib.crc32(data)
        assert f"{zlib.crc32(data):08x} in hexadecimal" in text
        assert f"CRC-32 of the {len(data)} bytes before" in text
    found = list(numbers(data.partition(b"\n\n")[2]))
    positions = [sum(found[: 2 * i + 1 : 2]) for i in range(len(found) // 2)]
    moves = [divmod(code, 3) for code in found[1::2]]
    entries = [(number, *move) for number, move in zip(positions, moves, strict=True)]
    assert entries == expected
    sides = ["to the left", "straight ahead", "to the right"]
    for number, square, side in entries:
        assert f"{number} |" in text
        assert f"square {square}, {sides[side]}" in text
        assert f"position {number}" in text
        # The winner captures, as the text says.
        digits = [number // 3**i % 3 for i in range(files * 4)]
        target = square + files + side - 1
        assert digits[square] == 1 and digits[target] == 2
        mirror = [digits[i // files * files + files - 1 - i % files] for i in range(files * 4)]
        assert number <= sum(digit * 3**i for i, digit in enumerate(mirror))


def test_the_boards_drawn_are_those_of_the_numbers() -> None:
    for heading, files in ((WHOLE, 2), (SHORT, 3)):
        text = example(heading)[2]
        (drawing,) = re.findall(r"```text\n(position .*?)```", text, re.DOTALL)
        title, *rows = drawing.splitlines()
        for column, number in enumerate(map(int, re.findall(r"[0-9]+", title))):
            squares = 0
            for row in rows:
                line = re.findall(r"[.12](?: [.12])*", row)[column].split()
                assert len(line) == files
                digits = [int(square.replace(".", "0")) for square in line]
                # The highest rank first; in a rank, the last file counts most.
                squares = squares * 3**files + sum(d * 3**i for i, d in enumerate(digits))
            assert squares == number


def test_the_leaves_are_those_of_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from certificate_file import read
    from check_certificate import Checker

    _, data, text = example(SHORT)
    path = tmp_path / "file"
    path.write_bytes(data)
    checker, leaves = Checker(read(path)), set()

    def is_leaf(_self: Checker, _winner: int, _loser: int, number: int) -> bool:
        leaves.add(number)
        return True

    monkeypatch.setattr(Checker, "is_leaf", is_leaf)
    checker.check(lambda _done, _of: None)
    assert len(leaves) == 5
    for number in leaves:
        assert str(number) in text
