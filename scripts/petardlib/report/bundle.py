"""Modules of the page as one plain script, for files that are opened without a server."""

from __future__ import annotations

import posixpath
import re

from petardlib import page_file

IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
COMMENT = re.compile(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*\n", re.MULTILINE | re.DOTALL)


def bundle(*entries: str) -> str:
    """The modules, each in a scope of its own, after those that it imports.

    ``modules["js/board/board.js"]`` is what that module exports.
    """
    texts: dict[str, str] = {}
    for name in entries:
        _gather(name, texts)
    return "const modules = {};\n" + "".join(texts.values())


def _gather(name: str, texts: dict[str, str]) -> None:
    if name in texts:
        return
    text = page_file(name).read_text(encoding="utf-8")
    folder = posixpath.dirname(name)
    imports = []
    for names, path in IMPORT.findall(text):
        source = posixpath.normpath(posixpath.join(folder, path))
        _gather(source, texts)
        imports.append(f'const {{{names.replace(" as ", ": ")}}} = modules["{source}"];\n')
    exports = ", ".join(EXPORT.findall(text))
    body = EXPORT.sub("", COMMENT.sub("", IMPORT.sub("", text)))
    # Only puzzles load a file, and no file of its own has any.
    body = body.replace("import.meta.url", "document.baseURI")
    texts[name] = (
        f'modules["{name}"] = (() => {{\n"use strict";\n{"".join(imports)}{body}'
        f"return {{ {exports} }};\n}})();\n"
    )
