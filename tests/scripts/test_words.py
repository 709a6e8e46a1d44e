"""Words that the project has given up stay out of its code and documents.

What to write instead is beside each. Old versions in the changelog keep their words.
"""

from __future__ import annotations

import re
import subprocess

import pytest

from conftest import ROOT

CODE = ("*.rs", "*.py", "*.js", "*.mjs", "*.ts", "*.html", "*.css", "*.toml")
SCRIPTS = ("scripts/*.py", "benches/*.py", "docs/*.py")
DOCUMENTS = ("*.md",)
RETIRED = [
    (r"\bmen\b", "pieces", CODE + DOCUMENTS),
    (r"\bdear(er|est)?\b", "expensive", CODE + DOCUMENTS),
    (r"\b(MOST|LEAST)_[A-Z]", "MAX_, MIN_", CODE),
    (r"\b(in vain|next to no time|change of mind)\b", "say what happens", CODE + DOCUMENTS),
    (r"\bfor granted\b", "assume", DOCUMENTS),
    (r"\bfounding article\b", "the 2009 article", CODE + DOCUMENTS),
    (r"\b_?told\b", "reported, printed", CODE + DOCUMENTS),
    (r"\bfinds? out who wins\b", "determines who wins", CODE + DOCUMENTS),
    (r"\bfor want of\b", "for lack of", CODE + DOCUMENTS),
    (r"\bpresumably\b", "probably", CODE + DOCUMENTS),
    (r"\bfavourite\b", "previous best", ("*.rs",)),
    (r"\bunknown engine word\b", "unknown engine setting", CODE),
    (r"\bwords of the engine\b", "settings of the engine", CODE),
    (r"\blost to faults\b", "lost to errors", CODE + DOCUMENTS),
    (r"\b(as|const|let|catch \() ?fault\b|Fault\(Exception\)", "error", CODE),
    (r"\bpatience when no clock runs\b", "timeout without a clock", CODE),
    (r"\bread what people paste\b", "accept common formats", CODE + DOCUMENTS),
    (r"\bHow to repeat a row\b", "To reproduce a row", DOCUMENTS),
]

IN_COMMENTS = [
    (r"\bnews\b", "events, reports"),
    (r"\bsettle[sd]?\b", "decide, resolve, cut off"),
    (r"\brests? on\b", "depend on, assume, use"),
]
COMMENT = re.compile(r"^\s*(?://|/?\* |#|\"\"\")(.*)|\s//\s(.*)")
"""A line that is a comment or begins a docstring, or a comment behind code."""


def text_of(kinds: tuple[str, ...]) -> dict[str, str]:
    listed = subprocess.run(
        ["git", "ls-files", "--", *kinds], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]
    return {name: (ROOT / name).read_text(encoding="utf-8", errors="replace") for name in names}


@pytest.mark.parametrize(("word", "instead", "kinds"), RETIRED)
def test_retired_words_are_not_used(word: str, instead: str, kinds: tuple[str, ...]) -> None:
    pattern = re.compile(word, re.IGNORECASE if word.islower() else 0)
    found = []
    for name, text in text_of(kinds).items():
        if name == "tests/scripts/test_words.py":
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if pattern.search(line):
                found.append(f"{name}:{number}: {line.strip()[:100]}")
    assert not found, f"write {instead} instead:\n" + "\n".join(found)


@pytest.mark.parametrize(("word", "instead"), IN_COMMENTS)
def test_retired_words_are_not_used_in_comments(word: str, instead: str) -> None:
    found = []
    for name, text in text_of(CODE).items():
        if name == "tests/scripts/test_words.py":
            continue
        for number, line in enumerate(text.splitlines(), 1):
            comment = COMMENT.search(line)
            if comment and re.search(word, comment[1] or comment[2] or "", re.IGNORECASE):
                found.append(f"{name}:{number}: {line.strip()[:100]}")
    assert not found, f"write {instead} instead:\n" + "\n".join(found)
