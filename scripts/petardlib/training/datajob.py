"""One job of data generation: `petard datagen` with one thread, whose seed determines its file."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
import time
import zlib
from dataclasses import dataclass
from pathlib import Path

import msgspec

from petardlib.base.errors import UserError
from petardlib.base.process import run_program
from petardlib.jobs.slot import Keep, LostTaskError


class Networks:
    """The networks that a worker has verified: a job must use exactly the one it names."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int, int], str] = {}

    def check(self, path: str, wanted: str) -> None:
        """Refuse a file that is not the one meant when the jobs were made."""
        try:
            found = Path(path).stat()
            key = (path, found.st_size, found.st_mtime_ns)
            if key not in self._known:
                self._known[key] = digest(Path(path).read_bytes())
        except OSError as error:
            raise UserError(f"the network {path}: {error.strerror}") from None
        if self._known[key] != wanted:
            raise UserError(f"the network {path} is not the one that these jobs are for")

    def close(self) -> None:
        """Do nothing: no file is kept open."""


def digest(data: bytes) -> str:
    """A digest that identifies a file's contents."""
    return hashlib.sha256(data).hexdigest()


class Made(msgspec.Struct):
    """A shard as it arrives: its seed, its positions, packed, and the seconds that it took."""

    seed: int
    data: bytes
    s: float

    def unpacked(self) -> bytes:
        """The contents of the file that the job has made."""
        try:
            return zlib.decompress(self.data)
        except zlib.error as error:
            raise UserError(f"a job's positions arrived incomplete ({error!r})") from None


@dataclass(frozen=True)
class DatagenTask:
    """A shard to be made: the arguments of `petard datagen`, and the network that it must use."""

    engine: str
    seed: int
    words: list[str]
    positions: int
    network: tuple[str, str] | None

    def run(self, keep: Keep) -> Made:
        """Make it."""
        words = list(self.words)
        if self.network:
            path, wanted = self.network
            keep.get(Networks).check(path, wanted)
            words += ["--eval-file", path]
        begin = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="petard-datagen-") as folder:
            file = Path(folder, "shard.bin")
            command = [self.engine, "datagen", str(file), *words, "--seed", str(self.seed)]
            try:
                done = run_program(
                    [*command, "--positions", str(self.positions), "--threads", "1"],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                )
            except OSError as error:
                raise UserError(f"cannot start '{self.engine}': {error.strerror}") from None
            if done.returncode < 0:
                raise LostTaskError(f"'{' '.join(command)}' was killed")
            if done.returncode:
                said = done.stderr.decode(errors="replace").strip().splitlines()
                raise UserError(f"'{' '.join(command)}' fails: {said[-1] if said else 'no output'}")
            try:
                data = file.read_bytes()
            except OSError:
                raise UserError(f"'{' '.join(command)}' wrote nothing") from None
        return Made(self.seed, zlib.compress(data), round(time.monotonic() - begin, 3))
