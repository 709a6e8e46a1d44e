"""What the scripts of petard are made of, in rooms.

``base <- rules <- stats <- jobs <- play <- { analysis, tuning, proofs, training } <- report <-
commands``: a room imports only from rooms to its left, which `tests/scripts/test_architecture.py`
holds. `worker` is the program of a worker process and stands beside `commands`.
"""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
"""The folder of this package."""

SCRIPTS_DIR = PACKAGE.parent
"""What Python needs on its path to import this package: the folder of the scripts, in place."""


def data_file(name: str) -> Path:
    """A file of the project's data: inside an installed package, or else beside the scripts."""
    installed = PACKAGE / "data" / name
    return installed if installed.exists() else SCRIPTS_DIR / "data" / name


def page_file(name: str) -> Path:
    """A file of the page of ``petard serve``, of which the scripts share the board and numbers."""
    installed = PACKAGE / "page" / name
    return installed if installed.exists() else SCRIPTS_DIR.parent / "web" / name
