"""A running analysis, as `petard.Engine` starts it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Self

from petard._petard import EngineCore
from petard._types import Info, PlayResult, _info

# The longest single wait for an event, in seconds: Python checks for Ctrl-C between waits.
_TICK = 0.02
_FORKED = "the engine's threads are in another process; create one after fork"


class Analysis:
    """A running analysis: iterate for the lines as they are found.

    Leaving the ``with`` block, or `stop`, ends the search, and so does Ctrl-C, which is raised.
    `info` and `multipv` hold what was last reported, and `wait` returns the answer.
    """

    def __init__(self, turn: bool) -> None:
        """Use `Engine.analysis`."""
        # The engine while it searches for this analysis: none before, and none afterwards, so that
        # a closed engine is not kept alive.
        self._core: EngineCore | None = None
        self._turn = turn
        self._process = os.getpid()
        # A cancelled wait of an `AsyncAnalysis` goes on in its thread beside the next one.
        self._lock = threading.Lock()
        self.multipv: list[Info] = []
        """The lines as last reported, by rank."""
        self.result: PlayResult | None = None
        """The answer, once the search is over."""

    @property
    def info(self) -> Info | None:
        """The best line as last reported."""
        return self.multipv[0] if self.multipv else None

    def _take(self, event: object) -> Info | None:
        if isinstance(event, tuple):
            info = _info(event, self._turn)
            self.multipv[info.multipv - 1 : info.multipv] = [info]
            return info
        if isinstance(event, list):
            self.result = PlayResult(event[0], event[1], self.info)
        return None

    def _wait(self, seconds: float) -> Info | None:
        if self._process != os.getpid():
            raise RuntimeError(_FORKED)
        with self._lock:
            core = self._core
            if self.result is not None or core is None:
                return None
            event = core.wait(seconds)
            if event is None and not core.is_busy:
                # Ctrl-C came between the answer and `_take`: the best line stands in for it.
                move, ponder = [*(self.info.pv if self.info else []), None, None][:2]
                self.result = PlayResult(move, ponder, self.info)
            info = self._take(event)
            if self.result is not None:
                self._core = None
            return info

    def _hear(self, seconds: float) -> Info | None:
        try:
            return self._wait(seconds)
        except KeyboardInterrupt:
            self.close()
            raise

    def __iter__(self) -> Iterator[Info]:
        """The lines as they are found, until the search ends."""
        while self.result is None:
            info = self._hear(_TICK)
            if info is not None:
                yield info

    def next(self, timeout: float | None = None) -> Info | None:
        """The next line; None if the search is over or none came within ``timeout`` seconds."""
        left = float("inf") if timeout is None else timeout
        while self.result is None and left >= 0:
            info = self._hear(min(_TICK, left))
            if info is not None:
                return info
            left -= _TICK
        return None

    def stop(self) -> None:
        """End the search. Its answer comes at once."""
        core = self._core
        if self.result is None and core is not None:
            core.stop()

    def wait(self) -> PlayResult:
        """Wait for the end of the search and return its answer."""
        while self.result is None:
            self._hear(_TICK)
        return self.result

    def close(self) -> None:
        """End the search and wait until it has ended."""
        # After a fork it is another process's.
        if self._process != os.getpid():
            return
        self.stop()
        while self.result is None and self._core is not None:
            self._wait(_TICK)

    def __enter__(self) -> Self:
        """The analysis."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the search."""
        self.close()

    def __del__(self) -> None:
        """End the search: nobody can follow it any more, and the engine is to work again."""
        self.close()
