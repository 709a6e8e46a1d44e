"""The layers that petard's scripts are made of.

``base <- rules <- stats <- jobs <- play <- openingbook <- { analysis, tuning, proofs, training }
<- puzzles <- report <- commands``: a layer imports only from layers to its left, which
`tests/scripts/test_architecture.py` enforces.
"""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
"""The folder of this package."""

SCRIPTS_DIR = PACKAGE.parent
"""The folder that must be on Python's path to import this package from a checkout."""


def data_file(name: str) -> Path:
    """A data file of the project: inside an installed package, or else beside the scripts."""
    installed = PACKAGE / "data" / name
    return installed if installed.exists() else SCRIPTS_DIR / "data" / name


def page_file(name: str) -> Path:
    """A file of the ``petard serve`` page, whose board and numbers the scripts share."""
    installed = PACKAGE / "page" / name
    return installed if installed.exists() else SCRIPTS_DIR.parent / "web" / name


def book_file(name: str) -> Path:
    """One of the engine's own opening books."""
    installed = PACKAGE / "books" / name
    source = SCRIPTS_DIR.parent / "src" / "engine" / "opening_books"
    return installed if installed.exists() else source / name
