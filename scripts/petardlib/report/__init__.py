"""Reports as single HTML files: style, script, data and pictures are all inside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from petardlib import page_file
from petardlib.base.files import replace_text
from petardlib.report.bundle import board_script

MARK = '<meta name="generator" content="petard">'
"""Marks the HTML files that are ours and may be overwritten."""

TEMPLATES = Path(__file__).resolve().parent / "templates"


def render(template: str, scripts: list[str], data: dict[str, Any], **values: Any) -> str:  # noqa: ANN401
    """Fill in a template; ``data`` is what the scripts read."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # Only these sequences could end or alter a script element; JSON allows the escapes.
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    texts = [(TEMPLATES / name).read_text(encoding="utf-8") for name in scripts]
    script = "\n".join([board_script(), *texts])
    sheets = (page_file("css/board.css"), TEMPLATES / "style.css")
    style = "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)
    return environment.get_template(template).render(
        data=Markup(text),
        mark=Markup(MARK),
        script=Markup(script),
        style=Markup(style),
        **values,
    )


def save(path: Path, text: str) -> None:
    """Write a report, whole or not at all."""
    replace_text(path, [text])
