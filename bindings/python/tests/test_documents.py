"""What is documented runs: the examples of the documents, the tutorial, the docstrings."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import inspect
import re
from pathlib import Path

import pytest

import petard

PACKAGE = Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parents[1]
MODULES = [  # those with examples
    "petard",
    "petard.arrays",
    "petard.engine",
    "petard.pgn",
    "petard.adapters.chess",
]


@pytest.mark.parametrize("path", ["docs/python.md", "bindings/python/README.md"])
def test_examples_of_documents(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert blocks
    names: dict[str, object] = {}
    for number, block in enumerate(blocks, start=1):
        # The nightly checks install it; without it that example cannot run.
        if "import pyspiel" in block and importlib.util.find_spec("pyspiel") is None:
            continue
        exec(compile(block, f"{path}, example {number}", "exec"), names)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted and result.failed == 0


def test_examples_of_the_extension() -> None:
    tests = doctest.DocTestFinder().find(petard.Board, "Board", globs={"Board": petard.Board})
    runner = doctest.DocTestRunner()
    assert sum(runner.run(test).attempted for test in tests) >= 3
    assert runner.failures == 0


def test_everything_public_is_documented() -> None:
    for name in petard.__all__:
        thing = getattr(petard, name)
        if inspect.isclass(thing):
            assert thing.__doc__, name
            for attribute, value in vars(thing).items():
                if not attribute.startswith("_") and (
                    callable(value) or isinstance(value, property)
                ):
                    assert value.__doc__, f"{name}.{attribute}"
        elif inspect.isroutine(thing):
            assert thing.__doc__, name


def test_the_tutorial() -> None:
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient").NotebookClient
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(PACKAGE / "tutorial.ipynb", as_version=4)
    client(notebook, timeout=600, kernel_name="python3").execute()
    shown = [
        set(output.get("data", {})) for cell in notebook.cells for output in cell.get("outputs", [])
    ]
    assert any("image/svg+xml" in kinds for kinds in shown)
    assert any("image/png" in kinds for kinds in shown)
    assert any("text/markdown" in kinds for kinds in shown)
