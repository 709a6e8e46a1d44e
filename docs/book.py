"""A preprocessor of mdBook that completes the book with the documents outside `docs`.

The pages are written for a forge, where a link such as `../protocol.md` works. In the book those
documents become chapters of their own, every link is turned to where its target is in the book,
and links to files that are not in the book (source code) become plain text.
"""

from __future__ import annotations

import json
import os.path
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
OUTSIDE = {
    "README.md": "README of the project",
    "protocol.md": "The protocol",
    "scripts/README.md": "The scripts",
    "scripts/data/README.md": "The scripts' openings and positions",
    "web/README.md": "The page's code",
    "bindings/wasm/npm/README.md": "The npm package",
    "bindings/python/README.md": "The Python package",
    "src/eval/nnue/PROVENANCE.md": "Where the networks come from",
    "CONTRIBUTING.md": "Contributing",
    "SECURITY.md": "Security",
    "CHANGELOG.md": "Changelog",
}
"""Documents outside `docs`, by their path in the repository, and their titles."""

LINK = re.compile(r"(?P<mark>!?)\[(?P<text>[^][]*)\]\((?P<target>[^()\s]+)\)")
IMAGE = re.compile(r'(?P<head><img src=")(?P<target>[^"]+)')
FENCE = re.compile(r"^ *(```|~~~)")


def place(path: str) -> str | None:
    """Where a file of the repository is in the book, if it is in it."""
    if path in OUTSIDE:
        return "outside/" + path.replace("/", "-")
    if path == "docs/README.md" or path == "docs":
        return "index.md"
    return path.removeprefix("docs/") if path.startswith("docs/") else None


def turn(target: str, origin: str, chapter: str) -> str | None:
    """A link's target as seen from its chapter, or None if it is not in the book.

    `origin` is the path in the repository of the document that holds the link.
    """
    if re.match(r"[a-z]+:", target) or target.startswith("#"):
        return target
    path, _, anchor = target.partition("#")
    found = place(os.path.normpath(os.path.join(os.path.dirname(origin), path)))
    if found is None:
        return None
    relative = os.path.relpath(found, os.path.dirname(chapter) or ".")
    return f"{relative}#{anchor}" if anchor else relative


def turn_all(text: str, origin: str, chapter: str) -> str:
    """A document with its links turned; code blocks stay as they are."""

    def link(match: re.Match[str]) -> str:
        target = turn(match["target"], origin, chapter)
        if target is None:
            return match["text"]
        return f"{match['mark']}[{match['text']}]({target})"

    def image(match: re.Match[str]) -> str:
        return match["head"] + (turn(match["target"], origin, chapter) or match["target"])

    lines, in_code = [], False
    for line in text.split("\n"):
        if FENCE.match(line):
            in_code = not in_code
        lines.append(line if in_code else IMAGE.sub(image, LINK.sub(link, line)))
    return "\n".join(lines)


def chapter(path: str, title: str) -> dict[str, Any]:
    """A document outside `docs` as a chapter, as mdBook takes it."""
    own = place(path)
    assert own is not None
    content = turn_all((ROOT / path).read_text(encoding="utf-8"), path, own)
    return {
        "Chapter": {
            "name": title,
            "content": content,
            "number": None,
            "sub_items": [],
            "path": own,
            "source_path": None,
            "parent_names": [],
        }
    }


def turn_items(items: list[Any]) -> None:
    """Turn the links of these chapters and those below them."""
    for item in items:
        if isinstance(item, dict) and "Chapter" in item:
            page = item["Chapter"]
            if page["source_path"]:
                origin = "docs/" + page["source_path"]
                page["content"] = turn_all(page["content"], origin, page["path"])
            turn_items(page["sub_items"])


def main() -> None:
    """Answer mdBook: what renderers are served, or the book with all its chapters."""
    if sys.argv[1:2] == ["supports"]:
        return
    _, book = json.load(sys.stdin)
    turn_items(book["items"])
    book["items"].append({"PartTitle": "Reference"})
    book["items"] += [chapter(path, title) for path, title in OUTSIDE.items()]
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()
