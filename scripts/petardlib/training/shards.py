"""Data generation in jobs: a folder of shards, one seed each, and a ledger of them.

A shard is checked when it arrives, moved into place whole, and only then entered in the ledger; so
the folder alone is the state of the run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from petardlib.base.errors import UserError
from petardlib.base.journal import Count, Header, Journal, decoder
from petardlib.jobs.pool import Pool
from petardlib.training import records
from petardlib.training.datajob import DatagenTask, Made, digest

KIND = "datagen-jobs"
LEDGER = "ledger.jsonl"


@dataclass(frozen=True)
class Settings:
    """What positions a run generates, and how."""

    board: tuple[int, int]
    game: int
    words: list[str]  # of `petard datagen`, except file, seed, positions, threads and network
    seed: int  # of the first shard; each shard after it has the next
    positions: int  # per shard, at least
    network: tuple[str, str] | None  # path and digest

    def header(self) -> Header:
        """What a resumed run must have in common with the first."""
        return {
            "kind": KIND,
            "version": 1,
            "board": "{}x{}".format(*self.board),
            "game": self.game,
            "words": self.words,
            "seed": self.seed,
            "positions": self.positions,
            "network": self.network and self.network[1],
        }


class Shard(msgspec.Struct):
    """A line of the ledger."""

    seed: Count
    positions: Count
    games: Count
    digest: str
    s: float = 0.0


@dataclass
class Progress:
    """How far a run is. ``run_positions`` counts this run, the others the whole folder."""

    shards: int
    wanted: int
    positions: int
    games: int
    run_positions: int
    seconds: float

    def line(self) -> str:
        """The progress as one line."""
        rate = self.run_positions / max(0.001, self.seconds)
        return (
            f"time {self.seconds:.0f} s  shards {self.shards} of {self.wanted}  "
            f"positions {self.positions}  games {self.games}  positions/s {rate:.0f}"
        )


def check_shard(path: Path, settings: Settings) -> tuple[int, int]:
    """The number of positions and games in a shard; a UserError says what is wrong with it."""
    try:
        size = path.stat().st_size
        found = records.read(path)
    except records.RecordError as error:
        raise UserError(str(error)) from None
    header = found.header
    if (header.version, header.game, found.board) != (2, settings.game, settings.board):
        raise UserError(f"{path} holds positions of another game or board")
    if (size - records.HEADER_BYTES) % header.record.itemsize:
        raise UserError(f"{path} ends within a record")
    if len(found) < settings.positions:
        raise UserError(f"{path} has {len(found)} positions, not {settings.positions}")
    boards = [
        records.unpacked(np.ascontiguousarray(found.sets[:, index]), found.board)
        for index in range(found.sets.shape[1])
    ]
    packed_again = np.stack([records.packed(board) for board in boards], axis=1)
    white, black = boards[:2]
    faults = {
        "squares beyond the board": np.any(packed_again != found.sets),
        "two sides on one square": np.any(white & black),
        "a side without pieces": not (white.any((1, 2)).all() and black.any((1, 2)).all()),
        "pairs where there are no pieces": any(
            np.any(pairs > pieces) for pieces, pairs in zip(boards, boards[2:], strict=False)
        ),
        "an unknown result": np.any(found.result > 2),
        "a first game without its start": not found.is_first[0],
    }
    for fault, is_there in faults.items():
        if is_there:
            raise UserError(f"{path} is not a file of positions: it has {fault}")
    return len(found), int(found.is_first.sum())


class Run:
    """A run that continues from whatever its folder holds."""

    def __init__(self, folder: Path, settings: Settings, shards: int) -> None:
        """Open or start a run; a folder of another run is refused."""
        self.folder, self.settings, self.wanted = folder, settings, shards
        self.done: dict[int, Shard] = {}
        self.entered: set[int] = set()
        self.run_positions, self.begin = 0, time.monotonic()
        self.journal = Journal(folder / LEDGER, settings.header(), decoder(Shard), durable=True)
        self.journal.read(self._take)

    def _take(self, shard: Shard) -> None:
        path = self.path(shard.seed)
        self.entered.add(shard.seed)
        # A shard that was removed or changed is made again.
        if path.is_file() and digest(path.read_bytes()) == shard.digest:
            self.done[shard.seed] = shard

    def path(self, seed: int) -> Path:
        """The path of a seed's shard."""
        return self.folder / f"shard-{seed:08}.bin"

    def tasks(self, engine: str) -> Iterator[DatagenTask]:
        """The jobs that are left."""
        first = self.settings.seed
        for seed in range(first, first + self.wanted):
            if seed not in self.done:
                words, positions = self.settings.words, self.settings.positions
                yield DatagenTask(engine, seed, words, positions, self.settings.network)

    def finished(self, made: Made) -> None:
        """Add the shard of a job."""
        seed, data = made.seed, made.unpacked()
        path = self.path(seed)
        # A shard without an entry is ours if a stop came in between: then it has these bytes.
        if seed not in self.entered and path.exists() and path.read_bytes() != data:
            raise UserError(
                f"{path}: this file was not written by this run; choose a different folder"
            )
        draft = path.with_suffix(".part")
        draft.write_bytes(data)
        positions, games = check_shard(draft, self.settings)
        draft.replace(path)
        shard = Shard(seed, positions, games, digest(data), made.s)
        self.journal.append(shard)
        self.done[seed] = shard
        self.run_positions += positions

    def progress(self) -> Progress:
        """How far the run is."""
        return Progress(
            len(self.done),
            max(self.wanted, len(self.done)),
            sum(shard.positions for shard in self.done.values()),
            sum(shard.games for shard in self.done.values()),
            self.run_positions,
            time.monotonic() - self.begin,
        )

    def work(
        self, pool: Pool, engine: str, report: Callable[[Progress], None] | None, every: float
    ) -> None:
        """Run all remaining jobs."""
        last_report = time.monotonic()
        for _, made in pool.run(self.tasks(engine)):
            self.finished(made)
            if report and time.monotonic() - last_report >= every:
                last_report = time.monotonic()
                report(self.progress())

    def close(self) -> None:
        self.journal.close()
