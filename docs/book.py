"""Makes the book of the documents, with the API of the Python package from its docstrings.

    python docs/book.py

writes `target/book/html`. It needs `docs/requirements.txt` and the package. The pages are written
for a forge, where a link such as `../protocol.md` works. For the book they are copied with the
documents outside `docs`, every link is turned to where its target is in the book, and links to
files that are not in the book (source code) become plain text. `docs/zensical.toml` has the order
of the pages. A link that leads nowhere is an error.
"""

from __future__ import annotations

import os.path
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BOOK = ROOT / "target" / "book"
SETTINGS = ("zensical.toml", "docstrings.py")
OUTSIDE = {
    "README.md": "readme.md",
    "protocol.md": "protocol.md",
    "scripts/README.md": "scripts.md",
    "scripts/data/README.md": "scripts-data.md",
    "web/README.md": "page.md",
    "bindings/wasm/npm/README.md": "npm.md",
    "bindings/python/README.md": "package.md",
    "src/eval/nnue/PROVENANCE.md": "provenance.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
}
"""Documents outside `docs`, and what they are called in the book."""
FILES = (".md", ".png", ".svg", ".webp", ".tsv")
"""What is copied from `docs`."""
MODULES = ("arrays", "engine", "notation", "pgn", "proofs", "puzzles", "svg", "adapters")
API = "# Python API\n\nMade from the docstrings of the [package](python.md).\n\n::: petard\n"

LINK = re.compile(r"(?P<mark>!?)\[(?P<text>[^][]*)\]\((?P<target>[^()\s]+)\)")
IMAGE = re.compile(r'(?P<head><img src=")(?P<target>[^"]+)')
FENCE = re.compile(r"^ *(```|~~~)")


def place(path: str) -> str | None:
    """Where a file of the repository is in the book, if it is in it."""
    if path in OUTSIDE:
        return OUTSIDE[path]
    if path in ("docs", "docs/README.md"):
        return "index.md"
    is_inside = path.startswith("docs/") and path.endswith(FILES)
    return path.removeprefix("docs/") if is_inside else None


def turn(target: str, origin: str) -> str | None:
    """A link's target as seen from the page that holds it, or None if it is not in the book.

    `origin` is the path in the repository of the document that holds the link.
    """
    if re.match(r"[a-z]+:", target) or target.startswith("#"):
        return target
    path, _, anchor = target.partition("#")
    found = place(os.path.normpath(os.path.join(os.path.dirname(origin), path)))
    page = place(origin)
    if found is None or page is None:
        return None
    relative = os.path.relpath(found, os.path.dirname(page) or ".")
    return f"{relative}#{anchor}" if anchor else relative


def turn_all(text: str, origin: str) -> str:
    """A document with its links turned; code blocks stay as they are."""

    def link(match: re.Match[str]) -> str:
        target = turn(match["target"], origin)
        return f"{match['mark']}[{match['text']}]({target})" if target else match["text"]

    def image(match: re.Match[str]) -> str:
        return match["head"] + (turn(match["target"], origin) or match["target"])

    lines, in_code = [], False
    for line in text.split("\n"):
        if FENCE.match(line):
            in_code = not in_code
        lines.append(line if in_code else IMAGE.sub(image, LINK.sub(link, line)))
    return "\n".join(lines)


def sources() -> list[Path]:
    """The files that the book is made of."""
    inside = [path for path in (ROOT / "docs").rglob("*") if path.name.endswith(FILES)]
    return [*inside, *(ROOT / path for path in OUTSIDE)]


def lay_out(book: Path) -> None:
    """Write settings and pages of the book as the builder takes them."""
    shutil.rmtree(book, ignore_errors=True)
    pages = book / "pages"
    pages.mkdir(parents=True)
    for name in SETTINGS:
        shutil.copyfile(ROOT / "docs" / name, book / name)
    for source in sources():
        origin = source.relative_to(ROOT).as_posix()
        target = pages / (place(origin) or origin)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            text = turn_all(source.read_text(encoding="utf-8"), origin)
            target.write_text(text, encoding="utf-8")
        else:
            shutil.copyfile(source, target)
    modules = "".join(f"\n::: petard.{module}\n" for module in MODULES)
    (pages / "api.md").write_text(API + modules, encoding="utf-8")


def builder(book: Path) -> subprocess.CompletedProcess[str]:
    """Run the builder on what was laid out."""
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    return subprocess.run(command, cwd=book, capture_output=True, text=True, check=False)


def build(book: Path) -> subprocess.CompletedProcess[str]:
    """Lay the book out and build it."""
    lay_out(book)
    return builder(book)


def main() -> int:
    """Make the book, or say what is wrong."""
    done = build(BOOK)
    if done.returncode:
        print(done.stdout + done.stderr, file=sys.stderr)
    else:
        print(f"the book is {BOOK / 'html' / 'index.html'}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
