"""Files that the scripts write: they overwrite nothing that they did not write themselves."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from petardlib.base.errors import UserError


def check_outputs(outputs: Mapping[str, Path | None], inputs: Iterable[Path | str] = ()) -> None:
    """Refuse at the start what could not be written at the end of a long run.

    ``outputs`` are paths by the option that names them. No two options may name the same file, and
    none may name one of the ``inputs``.
    """
    taken = {_identity(Path(path)): f"the input {path}" for path in inputs}
    for option, path in outputs.items():
        if path is None:
            continue
        if path.is_dir():
            raise UserError(f"{option} {path}: this is a folder")
        if path.exists() and not path.is_file():
            raise UserError(f"{option} {path}: not a regular file")
        folder = path.absolute().parent
        while not folder.exists():
            folder = folder.parent
        if not folder.is_dir() or not os.access(folder, os.W_OK):
            raise UserError(f"{option} {path}: cannot write in {folder}")
        if path.exists() and not os.access(path, os.W_OK):
            raise UserError(f"{option} {path}: no permission to write")
        same = taken.setdefault(_identity(path), option)
        if same != option:
            raise UserError(f"{option} {path}: the same file as {same}; choose a different file")


def _identity(path: Path) -> object:
    """Equal for two names of the same file, links included."""
    with contextlib.suppress(OSError):
        found = path.stat()
        return found.st_dev, found.st_ino
    return os.path.realpath(path)


def check_own(option: str, path: Path | None, mark: str) -> None:
    """Refuse an existing file that is not ours: ours have ``mark`` in their first lines."""
    if path is None or not path.exists():
        return
    with path.open("rb") as file:
        start = file.read(2048)
    if start and mark.encode() not in start:
        raise UserError(
            f"{option} {path}: this file was not written by this script; choose a different file"
        )


def replace_text(path: Path, parts: Iterable[str]) -> None:
    """Write a text file, whole or not at all; a link is followed, not replaced."""
    replace_bytes(path, (part.encode() for part in parts))


def replace_bytes(path: Path, parts: Iterable[bytes]) -> None:
    """Write a file, whole or not at all; a link is followed, not replaced."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(parts)
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
