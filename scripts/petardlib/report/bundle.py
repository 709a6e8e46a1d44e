"""The page's board as one plain script, for files that are opened without a server."""

from __future__ import annotations

import posixpath
import re

from petardlib import page_file

OFFERED = {
    "js/board/board.js": ("Board",),
    "js/board/svg.js": ("svg",),
    "js/rules/apply.js": ("play",),
    "js/rules/picture.js": ("parseFen", "fenOf"),
}
"""What the templates' own scripts use from each module, as ``petard.Board`` and so on."""

IMPORT = re.compile(r'^import [^;]*? from "([^"]+)";\n', re.MULTILINE)
TYPES = re.compile(r"^/\*\* @import .*\*/\n", re.MULTILINE)
"""Comments for the type checker, not needed in a page."""
EXPORT = re.compile(r"^export ", re.MULTILINE)


def board_script() -> str:
    """The board's modules, each after those it imports, in a scope of their own."""
    texts: dict[str, str] = {}
    for name in OFFERED:
        _gather(name, texts)
    body = "\n".join(texts.values())
    offered = ", ".join(name for names in OFFERED.values() for name in names)
    return f"const petard = (() => {{\n{body}\nreturn {{ {offered} }};\n}})();"


def _gather(name: str, texts: dict[str, str]) -> None:
    if name in texts:
        return
    text = page_file(name).read_text(encoding="utf-8")
    for imported in IMPORT.findall(text):
        _gather(posixpath.normpath(posixpath.join(posixpath.dirname(name), imported)), texts)
    texts[name] = EXPORT.sub("", TYPES.sub("", IMPORT.sub("", text)))
