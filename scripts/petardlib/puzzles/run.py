"""Mining in jobs, one ledger for each board in a folder, and the choice of what is published."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from petardlib.base.journal import Header, Journal, decoder
from petardlib.jobs.pool import Pool
from petardlib.puzzles.job import Effort, Mined, PuzzleTask

KIND = "puzzle-jobs"
FILE_GAMES = 10
"""Games of files in a job."""

Game = tuple[str, tuple[str, ...]]
"""A start position and moves."""


@dataclass(frozen=True)
class Settings:
    """Which games a run mines, and how."""

    board: str
    seed: int
    effort: Effort
    per_job: int  # games played in a job
    games: tuple[Game, ...] = ()  # of files
    endings: int = 0  # drawn in a job

    def header(self) -> Header:
        """What a resumed run must have in common with the first."""
        header: dict[str, object] = {
            "kind": KIND,
            "version": 2,
            "board": self.board,
            "seed": self.seed,
            "play": self.effort.play,
            "proof": self.effort.proof,
            "games": self.per_job,
        }
        if self.endings:
            header["endings"] = self.endings
        if self.games:
            header["files"] = hashlib.sha256(repr(self.games).encode()).hexdigest()
        return header


class Run:
    """A run that continues from whatever its ledger holds."""

    def __init__(self, ledger: Path, settings: Settings) -> None:
        """Open or start a run; the ledger of another run is refused."""
        self.settings = settings
        self.done: set[int] = set()
        self.games = self.puzzles = 0
        self.begin = time.monotonic()
        self.journal = Journal(ledger, settings.header(), decoder(Mined))
        self.journal.read(self._take)

    def _take(self, mined: Mined) -> None:
        self.done.add(mined.job)
        self.games += mined.games
        self.puzzles += len(mined.puzzles)

    def tasks(self, jobs: int) -> Iterator[PuzzleTask]:
        """The jobs that are left: those of files first."""
        settings = self.settings
        files = settings.games
        chunks = [files[at : at + FILE_GAMES] for at in range(0, len(files), FILE_GAMES)]
        for number in range(max(jobs, len(chunks))):
            if number in self.done:
                continue
            chunk = chunks[number] if number < len(chunks) else ()
            play, endings = (0, 0) if chunk else (settings.per_job, settings.endings)
            yield PuzzleTask(
                number, settings.effort, settings.board, settings.seed, play, endings, chunk
            )

    def line(self) -> str:
        """The progress as one line."""
        seconds = time.monotonic() - self.begin
        return f"time {seconds:.0f} s  games {self.games}  puzzles {self.puzzles}"

    def work(
        self,
        pool: Pool,
        jobs: int,
        report: Callable[[str], None] | None,
        every: float,
    ) -> None:
        """Run the jobs that are left."""
        reported = time.monotonic()
        for _, record in pool.run(self.tasks(jobs)):
            self.journal.append(record)
            self._take(record)
            if report and time.monotonic() - reported >= every:
                reported = time.monotonic()
                report(self.line())

    def close(self) -> None:
        """Close the ledger."""
        self.journal.close()
