"""Makes the pages of the Python package's API from its docstrings, beside the book.

`python docs/api.py [FOLDER]`, where pdoc and the package are installed; by default into
`target/book/api`. `mdbook build docs` empties `target/book`, so the book comes first.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pdoc

ROOT = Path(__file__).resolve().parents[1]
MODULES = (
    "petard",
    "petard.arrays",
    "petard.engine",
    "petard.notation",
    "petard.pgn",
    "petard.proofs",
    "petard.puzzles",
    "petard.svg",
    "petard.adapters",  # and those in it
)


def main() -> None:
    """Write them all and say where."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "target/book/api"
    folder.mkdir(parents=True, exist_ok=True)
    pdoc.pdoc(*MODULES, output_directory=folder)
    print(f"the API is in {folder / 'index.html'}")


if __name__ == "__main__":
    main()
