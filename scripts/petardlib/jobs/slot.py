"""A process of its own for one task at a time, which keeps what it needs from task to task.

Neither the interpreter's lock nor an error in one task can affect another; this machine's pool and
the threads of a Dask cluster use the same slots.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import uuid
from collections.abc import Collection
from concurrent.futures import Future, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol, TypeVar

import psutil
from loky import ProcessPoolExecutor

from petardlib.base.process import die_with_parent

MARK = "PETARD_SLOT"
"""The environment variable by which the descendants of a slot's process are known."""
RELEASE_SECONDS = 2.0

T = TypeVar("T", bound="Keeper")


class LostTaskError(Exception):
    """A task that could not be finished through no fault of its own, and is to be done again."""


class Keeper(Protocol):
    """What a process keeps from task to task."""

    def close(self) -> None:
        """End everything that it holds."""


class Keep:
    """The keepers of a process, such as its running engines: one of each class."""

    def __init__(self) -> None:
        self._keepers: dict[type[Any], Any] = {}

    def get(self, kind: type[T]) -> T:
        """The keeper of a class, made when it is first needed."""
        if kind not in self._keepers:
            self._keepers[kind] = kind()
        keeper: T = self._keepers[kind]
        return keeper

    def close(self) -> None:
        for keeper in self._keepers.values():
            keeper.close()
        self._keepers.clear()


class Task(Protocol):
    """Something to do in a slot; it travels there by pickle, and so does its result."""

    def run(self, keep: Keep) -> Any:  # noqa: ANN401
        """Do it."""


_keep = Keep()


def _begin(parent: int, mark: str) -> None:
    die_with_parent()
    if os.getppid() != parent:
        # The parent was killed before it could take this process with it.
        os._exit(1)
    # Ctrl-C is for the runner, which ends its slots itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ[MARK] = mark
    # Only the parent writes results, whatever a library prints.
    os.dup2(2, 1)


def _perform(task: Task) -> Any:  # noqa: ANN401
    return task.run(_keep)


def _allow_children() -> None:
    """Let a daemon of multiprocessing, as Dask's nannies start them, have a slot's process.

    Daemons may start none so that nothing survives them; a slot's process ends with its parent.
    A running process has no public way to stop being one.
    """
    config: dict[str, Any] = getattr(multiprocessing.current_process(), "_config", {})
    config["daemon"] = False


class Slot:
    """A process that starts with its first task, and again after it was killed."""

    def __init__(self) -> None:
        """Start no process yet."""
        self.mark = uuid.uuid4().hex
        self._executor: ProcessPoolExecutor | None = None

    def submit(self, task: Task) -> Future[Any]:
        """Begin a task; `BrokenProcessPool` in its future means that the process has died."""
        if self._executor is not None:
            try:
                return self._submitted(task)
            except BrokenProcessPool:
                # It has died between two tasks.
                self.kill()
        _allow_children()
        arguments = (os.getpid(), self.mark)
        self._executor = ProcessPoolExecutor(1, initializer=_begin, initargs=arguments)
        return self._submitted(task)

    def _submitted(self, task: Task) -> Future[Any]:
        assert self._executor is not None
        future: Future[Any] = self._executor.submit(_perform, task)
        return future

    def release(self) -> Future[Any] | None:
        """Have an idle process end its engines in peace."""
        try:
            return self._executor.submit(_keep.close) if self._executor else None
        except BrokenProcessPool:
            return None

    def interrupt(self, future: Future[Any]) -> None:
        """End a running task: without the engine that it waits for, it cannot go on."""
        kill_marked([self.mark])
        if wait([future], RELEASE_SECONDS).not_done:
            self.kill()

    def kill(self) -> None:
        """End the process and everything that it has started."""
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True, kill_workers=True)
            kill_marked([self.mark])


def kill_marked(marks: Collection[str]) -> None:
    """Kill what the processes of slots have left behind."""
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) in marks:
                process.kill()
        except psutil.Error:
            continue


def end(idle: Collection[Slot], busy: Collection[Slot] = ()) -> None:
    """End slots: idle ones in peace, if they do not take long, busy ones at once."""
    wait([future for slot in idle if (future := slot.release())], RELEASE_SECONDS)
    for slot in (*idle, *busy):
        slot.kill()
