"""The documents: links resolve, named files exist, and the README stays short."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from petard import Board
from petardlib import book_file
from petardlib.openingbook.file import OpeningBook
from petardlib.openingbook.run import Run

sys.path.insert(0, str(ROOT / "docs"))
import book
import command_line
import first_moves
import opening_moves

LONGEST_README = 150
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("scripts/**/*.md"),
        *ROOT.glob("src/**/*.md"),
        *ROOT.glob("bindings/*/README.md"),
        ROOT / "bindings/wasm/npm/README.md",
        ROOT / "web/README.md",
    ]
)
LINK = re.compile(r"\]\(([^()\s]+)\)|<img src=\"([^\"]+)\"")
NAMED = re.compile(r"`((?:src|tests|scripts|benches|docs|bindings|web|models|fuzz)/[\w./-]+)`")


def prose(page: str) -> str:
    """A document without its code blocks."""
    return re.sub(r"^```.*?^```", "", (ROOT / page).read_text(), flags=re.MULTILINE | re.DOTALL)


def anchors(path: Path) -> set[str]:
    """The anchors of a document's headings, as forges generate them."""
    found = re.findall(r"^#+ +(.+)$", prose(path.relative_to(ROOT).as_posix()), re.MULTILINE)
    words = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in found)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in words}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    folder = (ROOT / page).parent
    for target in (one or other for one, other in LINK.findall(prose(page))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (folder / name).resolve() if name else ROOT / page
        assert path.exists(), f"{page}: {target}"
        assert not anchor or anchor in anchors(path), f"{page}: {target} has no such heading"


@pytest.mark.parametrize("page", PAGES)
def test_files_that_are_named_exist(page: str) -> None:
    for name in NAMED.findall(prose(page)):
        assert (ROOT / name).exists(), f"{page} names {name}"


def test_test_programs_that_are_named_exist() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "*.md", "*.sh"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for page in listed.stdout.split():
        text = (ROOT / page).read_text(encoding="utf-8")
        for name in re.findall(r"cargo test[^\n`]*? --test (\w+)", text):
            assert (ROOT / "tests" / name / "main.rs").exists(), f"{page} names --test {name}"


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= LONGEST_README


def test_every_page_is_in_the_book() -> None:
    settings = tomllib.loads((ROOT / "docs/zensical.toml").read_text())
    parts = [part for item in settings["project"]["nav"] for part in item.values()]
    entries = [entry for part in parts for entry in part]
    listed = [
        name for entry in entries for name in ([entry] if type(entry) is str else entry.values())
    ]
    assert sorted(listed) == sorted(["api.md", *(str(book.place(page)) for page in PAGES)])


@pytest.mark.parametrize(
    ("target", "origin", "turned"),
    [
        ("../protocol.md#go", "docs/proofs.md", "protocol.md#go"),
        ("../../protocol.md", "docs/experiments/solver.md", "../protocol.md"),
        ("docs/solved.md", "README.md", "solved.md"),
        ("docs/images/moves.svg", "README.md", "images/moves.svg"),
        ("../solved.md", "docs/experiments/solved.md", "../solved.md"),
        ("README.md#experiments", "docs/solved.md", "index.md#experiments"),
        ("#tuning", "scripts/README.md", "#tuning"),
        ("https://example.org/a.md", "README.md", "https://example.org/a.md"),
        ("../src/main.rs", "docs/architecture.md", None),
        ("certificates/6x6.proof", "docs/solved.md", None),
    ],
)
def test_links_are_turned_for_the_book(target: str, origin: str, turned: str | None) -> None:
    assert book.turn(target, origin) == turned


def test_code_is_left_alone_and_links_out_of_the_book_become_text() -> None:
    text = "[a](../src/main.rs) ![b](x.svg)\n```\n[a](../src/main.rs)\n```\n"
    expected = "a ![b](x.svg)\n```\n[a](../src/main.rs)\n```\n"
    assert book.turn_all(text, "docs/page.md") == expected


def test_the_book_is_built_and_its_links_lead_somewhere(tmp_path: Path) -> None:
    pytest.importorskip("zensical")
    done = book.build(tmp_path / "book")
    assert done.returncode == 0, done.stdout + done.stderr
    html = tmp_path / "book" / "html"
    assert {path.name for path in html.iterdir()} >= {"index.html", "protocol", "strength"}
    page = (html / "api" / "index.html").read_text(encoding="utf-8")
    for name in ("Board.push_uci", "Engine.analyse", "random_playouts", "check_certificate"):
        assert f'id="petard.{name}"' in page
    assert "language-pycon" in page
    # A link that leads nowhere is found.
    with (tmp_path / "book" / "pages" / "faq.md").open("a", encoding="utf-8") as file:
        file.write("\n[a](nowhere.md)\n")
    assert book.builder(tmp_path / "book").returncode != 0


def test_the_table_of_solved_boards_agrees_with_its_pattern_and_its_picture() -> None:
    page = (ROOT / "docs/solved.md").read_text()
    winners = {row.name: row.winner for row in first_moves.rows(page)}
    lines = page.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("| ranks |"))
    files = [int(cell.split()[0]) for cell in lines[start].strip("| ").split(" | ")[1:]]
    shown: dict[str, Any] = {}
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        ranks, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        shown |= {f"{f}x{ranks}": cell for f, cell in zip(files, cells, strict=True) if cell}
    assert shown == {name: {"first": "1", "second": "2"}[w] for name, w in winners.items()}
    assert first_moves.PICTURE.read_text() == first_moves.draw(page)


def test_the_tables_of_openings_are_those_of_the_books() -> None:
    page = opening_moves.PAGE.read_text()
    assert opening_moves.updated(page) == page
    assert opening_moves.PICTURE.read_text() == opening_moves.picture()
    sizes = opening_moves.sizes(page)
    assert sizes.keys() == {"8x8", "7x7", "6x6"}
    for name, count in sizes.items():
        ledger = ROOT / f"docs/openings/{name}.jsonl"
        run = Run(ledger, Board(name), 0)
        run.close()
        data = book_file(f"{name}.book").read_bytes()
        # Whoever goes on with the ledger gets this book, and more.
        assert run.book() == data and len(OpeningBook(data)) == count < 1_000_000


def test_the_status_table_names_the_files_there_are_and_the_checks_that_are_logged() -> None:
    page = (ROOT / "docs/solved.md").read_text()
    sums = {}
    for folder in ("src/solve/certificates", "docs/certificates"):
        for path in (ROOT / folder).glob("*.proof"):
            sums[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    listed = (ROOT / "docs/certificates/SHA256SUMS").read_text().split()
    assert {
        Path(name).name: value for value, name in zip(listed[::2], listed[1::2], strict=True)
    } == sums
    log = (ROOT / "docs/certificates/checks.tsv").read_text().splitlines()
    columns = log[0].split("\t")
    checks = [dict(zip(columns, line.split("\t"), strict=True)) for line in log[1:]]
    dates = {}
    for check in checks:
        assert sums[check["file"]] == check["sha256"]
        if (check["from"], check["to"]) == ("0", check["leaves"]):
            dates[check["file"]] = check["date"][:10]
    found = re.findall(
        r"\| \[([\dx]+)\]\(([^)]+)\) \| `(\w+)` \| \w+ \| (.*?) \|$", page, re.MULTILINE
    )
    assert {f"{name}.proof" for name, _, _, _ in found} == set(sums)
    for name, link, start, checked in found:
        file = f"{name}.proof"
        assert (ROOT / "docs" / link).resolve().name == file
        assert sums[file].startswith(start)
        assert checked.partition(", ")[0] == dates.get(file) or "before the log" in checked
        assert (file in dates) == ("(certificates/checks.tsv)" in checked)


def test_pages_that_count_solved_boards_agree_with_the_table() -> None:
    page = (ROOT / "docs/solved.md").read_text()
    boards = len(first_moves.rows(page))
    built_in = len(list((ROOT / "src/solve/certificates").glob("*.proof")))
    files = built_in + len(list((ROOT / "docs/certificates").glob("*.proof")))
    logged = page.count(", [log](certificates/checks.tsv) |")
    for name, text in (
        ("README.md", f"{boards} so far"),
        ("README.md", f"For {files} the repository has"),
        ("README.md", f"For {logged} of them one complete check is logged"),
        ("CITATION.cff", f"{boards} boards are solved"),
        ("CHANGELOG.md", f"{boards} boards are solved"),
        ("CHANGELOG.md", f"{files} certificates are in the repository"),
        ("CHANGELOG.md", f"{built_in} proofs are built in"),
        ("docs/solved.md", f"{logged} files have a row"),
        ("docs/reliability.md", f"Of the {boards} boards called [solved](solved.md), {files} have"),
    ):
        assert text in (ROOT / name).read_text(), f"{name} does not say: {text}"


def test_the_command_line_is_described_by_its_own_help(petard: str) -> None:
    assert command_line.PAGE.read_text() == command_line.page(petard)


def test_the_citation_is_that_of_this_version() -> None:
    settings = tomllib.loads((ROOT / "Cargo.toml").read_text())
    version = settings["package"]["version"]
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {version}\n" in citation
    title = re.search(r'^title: "(.*)"$', citation, re.MULTILINE)
    page = (ROOT / "docs/README.md").read_text()
    entry = page.partition("```bibtex\n")[2].partition("```")[0]
    assert title and f"title = {{{title[1]}}}" in entry.replace("{Breakthrough}", "Breakthrough")
    assert f"Version {version}, " in entry
    name, value = re.findall(r"(\w+\.proof), SHA-256\s+(\w+)", entry)[0]
    sums = (ROOT / "docs/certificates/SHA256SUMS").read_text()
    assert re.search(rf"^{value}  \S+/certificates/{name}$", sums, re.MULTILINE)


def test_what_the_page_of_openings_says_about_the_last_rank_is_so(petard: str) -> None:
    text = "position startpos\neval json\n"
    done = subprocess.run([petard], input=text, capture_output=True, text=True, check=True)
    pieces = json.loads(done.stdout.splitlines()[-1])["pieces"]
    guards = [pieces[f"{file}1"] for file in "bcfg"]
    others = [pieces[f"{file}1"] for file in "adeh"]
    assert min(guards) > 1.2 * max(others)
    book = OpeningBook(book_file("8x8.book").read_bytes())
    best = [next(iter(entry.moves)) for board in book.positions() if (entry := book.lookup(board))]
    leaving = [move for move in best if move[1] == "1"]
    assert sum(move[0] in "ah" for move in leaving) > 0.8 * len(leaving) > 0


@pytest.mark.parametrize(
    ("size", "move", "way"),
    [
        ("8x8", "a2b3", "middle"),
        ("8x8", "d2c3", "edge"),
        ("8x8", "d2e3", ""),
        ("8x8", "c2c3", ""),
        ("7x7", "d2c3", "edge"),
        ("7x7", "e2d3", "middle"),
    ],
)
def test_a_move_goes_towards_the_middle_or_the_edge(size: str, move: str, way: str) -> None:
    assert opening_moves.direction(Board(size), move) == way
