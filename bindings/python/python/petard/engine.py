"""The engine in this process, to play and to analyse.

A search runs on the engine's threads with the GIL released. An `Engine` runs one search at a time;
several engines work side by side.
"""

from __future__ import annotations

import contextlib
import os
import weakref
from collections.abc import Iterable
from types import TracebackType
from typing import Self, SupportsIndex, overload

from petard._analysis import _FORKED, _TICK, Analysis
from petard._petard import ELO_RANGE, MATE, Board, EngineBusyError, EngineCore, Move
from petard._types import Info, Limit, PlayResult, Score, _info, win_probability


class Engine:
    """A playing and analysing engine with a hash table of its own.

    ``hash`` is in megabytes; ``elo`` makes it play at about that rating, like ``UCI_Elo`` in the
    protocol. Raises `MemoryError` if the table cannot be allocated, and `ValueError` for numbers
    out of range. A second search while one is running is refused with `EngineBusyError`, and any
    use in a process forked later with `RuntimeError`: its threads are not there. An analysis that
    has been stopped, or that nothing refers to any more, is no longer running.
    """

    def __init__(self, hash: int = 64, threads: int = 1, *, elo: int | None = None) -> None:
        """Start it: the table is allocated now, the threads wait."""
        _check_whole(hash=hash, threads=threads, **({} if elo is None else {"elo": elo}))
        if hash < 1 or threads < 1:
            raise ValueError("hash and threads must be at least 1")
        if threads > 512:
            raise ValueError(f"threads={threads}: must be at most 512")
        if hash >= 1 << 64:
            raise MemoryError(f"not enough memory for a hash table of {hash} MB")
        if elo is not None and not ELO_RANGE[0] <= elo <= ELO_RANGE[1]:
            raise ValueError(f"elo={elo}: must be from {ELO_RANGE[0]} to {ELO_RANGE[1]}")
        self._core: EngineCore | None = EngineCore(hash, threads, elo)
        self._process = os.getpid()
        # The last analysis: its end may be left for the next search to wait for.
        self._last: weakref.ref[Analysis] | None = None

    def _running(self) -> EngineCore:
        if self._process != os.getpid():
            raise RuntimeError(_FORKED)
        if self._core is None:
            raise ValueError("the engine has been closed")
        return self._core

    def _free(self) -> EngineCore:
        """The core, after the end of an analysis that is ending."""
        core = self._running()
        last = None if self._last is None else self._last()
        if last is not None and core.is_ending:
            last.close()
        return core

    @overload
    def analyse(
        self,
        board: Board,
        limit: Limit,
        *,
        multipv: None = None,
        root_moves: Iterable[Move] | None = None,
    ) -> Info: ...

    @overload
    def analyse(
        self,
        board: Board,
        limit: Limit,
        *,
        multipv: int,
        root_moves: Iterable[Move] | None = None,
    ) -> list[Info]: ...

    def analyse(
        self,
        board: Board,
        limit: Limit,
        *,
        multipv: int | None = None,
        root_moves: Iterable[Move] | None = None,
    ) -> Info | list[Info]:
        """Search a position and return the best line, or the ``multipv`` best lines as a list.

        ``root_moves`` restricts the search to these moves. Ctrl-C ends the search and is raised. A
        search that ends before its first line gives the static value, at depth 0. Raises
        `ValueError` if the limit would not end the search, or for numbers out of range.
        """
        lines, _ = self._search(board, limit, 1 if multipv is None else multipv, root_moves)
        if multipv is not None:
            return lines
        return lines[0]

    def play(
        self, board: Board, limit: Limit, *, root_moves: Iterable[Move] | None = None
    ) -> PlayResult:
        """Search a position and return the move to play; the board stays as it is."""
        lines, (move, ponder) = self._search(board, limit, 1, root_moves)
        return PlayResult(move, ponder, lines[0] if lines else None)

    def _search(
        self, board: Board, limit: Limit, multipv: int, root_moves: Iterable[Move] | None
    ) -> tuple[list[Info], tuple[Move | None, Move | None]]:
        _check_ends(board, limit)
        # Another thread may play on the board while this one waits.
        turn = board.turn
        core = self._start(board, limit, multipv, root_moves)
        lines, answer = core.finish()
        # A weaker engine chooses among more lines than were asked for, and reports them all.
        return [_info(line, turn) for line in lines[:multipv]], answer

    def _start(
        self, board: Board, limit: Limit, multipv: int, root_moves: Iterable[Move] | None
    ) -> EngineCore:
        _check_whole(multipv=multipv)
        if not 1 <= multipv <= 384:
            raise ValueError(f"multipv={multipv}: must be from 1 to 384")
        core = self._free()
        moves = []
        for move in () if root_moves is None else root_moves:
            if not isinstance(move, Move):
                raise TypeError(f"root_moves must be Moves, as of `Move.from_uci`, not {move!r}")
            moves.append(move.uci())
        if root_moves is not None and not moves:
            raise ValueError("root_moves is empty")
        was_busy = core.is_busy
        try:
            core.start(board, limit, multipv, moves)
        except EngineBusyError:
            raise
        except BaseException:
            # Ctrl-C, or another signal's handler, when it had started: nobody would end it.
            if not was_busy and core.is_busy:
                core.stop()
                while core.is_busy:
                    core.wait(_TICK)
            raise
        return core

    def analysis(
        self,
        board: Board,
        limit: Limit | None = None,
        *,
        multipv: int = 1,
        root_moves: Iterable[Move] | None = None,
    ) -> Analysis:
        """Start an analysis whose lines can be followed; without a limit it runs until stopped.

        >>> import petard
        >>> with petard.Engine() as engine, engine.analysis(petard.Board()) as analysis:
        ...     for info in analysis:
        ...         if info.depth >= 5:
        ...             break
        """
        if limit is None:
            limit = Limit()
        _check_board(board)
        _check_limit(limit)
        analysis = Analysis(board.turn)
        last = weakref.ref(analysis)
        core = self._start(board, limit, multipv, root_moves)
        # No call comes between: Ctrl-C is raised after one, and nobody would end the search.
        analysis._core, self._last = core, last
        return analysis

    def new_game(self) -> None:
        """Forget what was learned from earlier searches."""
        self._free().new_game()

    def set_option(self, name: str, value: str | int | bool) -> None:
        """Set an option of the protocol, such as ``Evaluation`` or ``EvalFile``.

        Raises `ValueError` if there is no such option, or it does not take this value.
        """
        text = str(value).lower() if isinstance(value, bool) else str(value)
        self._free().set_option(name, text)

    def stop(self) -> None:
        """End the search that another thread is waiting for; its answer comes at once."""
        self._running().stop()

    def close(self) -> None:
        """Shut down the engine and free its memory."""
        # After a fork the threads that it would wait for are another process's.
        if self._core is not None and self._process == os.getpid():
            self._core.stop()
            self._core = None

    def __enter__(self) -> Self:
        """The engine."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()


class AsyncAnalysis:
    """A running analysis for ``async for`` and ``async with``; see `Analysis`."""

    def __init__(self, analysis: Analysis) -> None:
        """Use `AsyncEngine.analysis`."""
        self._analysis = analysis

    @property
    def info(self) -> Info | None:
        """The best line as last reported."""
        return self._analysis.info

    @property
    def multipv(self) -> list[Info]:
        """The lines as last reported, by rank."""
        return self._analysis.multipv

    def stop(self) -> None:
        """End the search. Its answer comes at once."""
        self._analysis.stop()

    async def wait(self) -> PlayResult:
        """Wait for the end of the search and return its answer."""
        async for _ in self:
            pass
        assert self._analysis.result is not None
        return self._analysis.result

    def __aiter__(self) -> Self:
        """The lines as they are found, until the search ends."""
        return self

    async def __anext__(self) -> Info:
        """The next line."""
        # Imported only when needed, as it takes long.
        import asyncio

        while self._analysis.result is None:
            # A cancelled wait goes on in its thread, and still takes the event it gets.
            info = await asyncio.shield(asyncio.to_thread(self._analysis._wait, _TICK))
            if info is not None:
                return info
        raise StopAsyncIteration

    async def __aenter__(self) -> Self:
        """The analysis."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the search."""
        import asyncio

        await asyncio.shield(asyncio.to_thread(self._analysis.close))

    def __del__(self) -> None:
        """End the search, as `Analysis` does, which a thread may still refer to."""
        self._analysis.close()


def _check_limit(limit: object) -> None:
    if not isinstance(limit, Limit):
        raise TypeError(f"limit must be a Limit, such as Limit(time=0.1), not {limit!r}")


def _check_board(board: object) -> None:
    if not isinstance(board, Board):
        raise TypeError(f"board must be a Board, not {board!r}")


def _check_whole(**numbers: object) -> None:
    for name, number in numbers.items():
        if not isinstance(number, SupportsIndex):
            raise TypeError(f"{name} must be an int, not {number!r}")


def _check_ends(board: Board, limit: Limit) -> None:
    _check_board(board)
    _check_limit(limit)
    if (
        limit.time is None
        and limit.nodes is None
        and limit.depth is None
        and limit.mate is None
        and (limit.white_clock if board.turn else limit.black_clock) is None
    ):
        raise ValueError("the limit would not end the search; use analysis()")


class AsyncEngine:
    """An `Engine` for asyncio: a cancelled call ends its search."""

    def __init__(self, hash: int = 64, threads: int = 1, *, elo: int | None = None) -> None:
        """Start it; see `Engine`."""
        self._engine = Engine(hash, threads, elo=elo)

    @overload
    async def analyse(
        self,
        board: Board,
        limit: Limit,
        *,
        multipv: None = None,
        root_moves: Iterable[Move] | None = None,
    ) -> Info: ...

    @overload
    async def analyse(
        self,
        board: Board,
        limit: Limit,
        *,
        multipv: int,
        root_moves: Iterable[Move] | None = None,
    ) -> list[Info]: ...

    async def analyse(
        self,
        board: Board,
        limit: Limit,
        *,
        multipv: int | None = None,
        root_moves: Iterable[Move] | None = None,
    ) -> Info | list[Info]:
        """Search a position and return the best line or lines; see `Engine.analyse`."""
        _check_ends(board, limit)
        moves = None if root_moves is None else list(root_moves)
        number = 1 if multipv is None else multipv
        async with self.analysis(board, limit, multipv=number, root_moves=moves) as analysis:
            await analysis.wait()
            lines = analysis.multipv[:number]
        if not lines:
            # It ended before its first line: the value without search.
            lines = [self._engine.analyse(board, Limit(nodes=1), root_moves=moves)]
        return lines[0] if multipv is None else lines

    async def play(
        self, board: Board, limit: Limit, *, root_moves: Iterable[Move] | None = None
    ) -> PlayResult:
        """Search a position and return the move to play; see `Engine.play`."""
        _check_ends(board, limit)
        async with self.analysis(board, limit, root_moves=root_moves) as analysis:
            return await analysis.wait()

    def analysis(
        self,
        board: Board,
        limit: Limit | None = None,
        *,
        multipv: int = 1,
        root_moves: Iterable[Move] | None = None,
    ) -> AsyncAnalysis:
        """Start an analysis whose lines can be followed; see `Engine.analysis`."""
        started = self._engine.analysis(board, limit, multipv=multipv, root_moves=root_moves)
        return AsyncAnalysis(started)

    def new_game(self) -> None:
        """Forget what was learned from earlier searches."""
        self._engine.new_game()

    def set_option(self, name: str, value: str | int | bool) -> None:
        """Set an option of the protocol; see `Engine.set_option`."""
        self._engine.set_option(name, value)

    def stop(self) -> None:
        """End the search that another task is waiting for; its answer comes at once."""
        self._engine.stop()

    async def close(self) -> None:
        """Shut down the engine and free its memory."""
        with contextlib.suppress(ValueError):
            self._engine.close()

    async def __aenter__(self) -> Self:
        """The engine."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        await self.close()


__all__ = [
    "MATE",
    "Analysis",
    "AsyncAnalysis",
    "AsyncEngine",
    "Engine",
    "Info",
    "Limit",
    "PlayResult",
    "Score",
    "win_probability",
]
