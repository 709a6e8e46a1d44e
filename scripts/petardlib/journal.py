"""What has been done, a JSON line each, so that a run that was killed goes on where it stopped."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .errors import UserError

Record = dict[str, Any]


class Journal:
    """An append-only file whose first line says which run it belongs to.

    ``header`` is compared with the file's; what differs is named in the error. A half-written last
    line, as a kill leaves it, is cut off. The file is locked while it is open.
    """

    def __init__(self, path: Path | None, header: Record) -> None:
        """Open or start the journal at ``path``; None keeps the records in memory only."""
        self.path = path
        self.records: list[Record] = []
        self.resumed = False
        self._file = None
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._file = path.open("a+b")
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(f"{path} is in use by another run") from None
        except OSError as error:
            raise UserError(f"{path}: {error.strerror}") from None
        lines = list(self._whole_lines())
        if lines:
            self._compare(lines[0], header)
            self.records = lines[1:]
            self.resumed = True
        else:
            self._write(header)

    def _whole_lines(self) -> Iterator[Record]:
        assert self._file is not None
        self._file.seek(0)
        good = 0
        for line in self._file:
            try:
                record = json.loads(line)
            except ValueError:
                record = None
            if not line.endswith(b"\n") or not isinstance(record, dict):
                if self._file.read(1):
                    raise UserError(
                        f"{self.path}: line at byte {good} is not a record of this script"
                    )
                break
            good += len(line)
            yield record
        self._file.truncate(good)
        self._file.seek(0, os.SEEK_END)

    def _compare(self, found: Record, wanted: Record) -> None:
        if found.get("kind") != wanted["kind"]:
            raise UserError(f"{self.path} is not a {wanted['kind']} journal; name another file")
        differing = sorted(
            key
            for key in {*found, *wanted}
            if found.get(key) != json.loads(json.dumps(wanted.get(key)))
        )
        if differing:
            raise UserError(
                f"{self.path} belongs to another run (it differs in: {', '.join(differing)}); "
                "name another file, or give the same command to resume"
            )

    def _write(self, record: Record) -> None:
        if self._file is None:
            return
        # One write call a record: a kill can leave at most one partial line, at the end.
        self._file.write(
            json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        )
        self._file.flush()

    def append(self, record: Record) -> None:
        """Keep a record for good."""
        self._write(record)
        self.records.append(record)

    def close(self) -> None:
        """Write through to the disk and unlock."""
        if self._file is not None:
            os.fsync(self._file.fileno())
            self._file.close()
            self._file = None
