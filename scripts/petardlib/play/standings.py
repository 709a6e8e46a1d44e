"""The file of a tournament's standings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from petardlib.base.errors import UserError
from petardlib.base.files import check_own, replace_text
from petardlib.stats.standings import COLUMNS, HEADINGS, Standing, as_csv, as_markdown


def check_standings(path: Path | None) -> None:
    """Refuse a file of another kind, or one that holds something else."""
    if path is None:
        return
    if path.suffix not in (".csv", ".md"):
        raise UserError(f"--standings {path}: expected a name that ends with .csv or .md")
    start = ",".join(COLUMNS) if path.suffix == ".csv" else f"| {' | '.join(HEADINGS)} |"
    check_own("--standings", path, start)


def write_standings(path: Path | None, lines: Sequence[Standing]) -> None:
    """Write the standings as the name of their file says."""
    if path is not None:
        replace_text(path, [as_csv(lines) if path.suffix == ".csv" else as_markdown(lines)])
