"""Where tasks run: processes on this machine, or a Dask cluster.

Results come in the order in which tasks finish, and each exactly once. A task is done again when
the process that held it dies.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
import uuid
import zipfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from petardlib import PACKAGE
from petardlib.base.errors import UserError
from petardlib.jobs.slot import LostTaskError, Slot, Task, end

Result = tuple[Any, Any]
"""A task and what it returned."""
MAX_CRASHES = 5
"""How often a task may kill the process that runs it."""


class LocalExecutor(Executor):
    """Up to ``size`` processes on this machine, each with a task of its own."""

    spare = 0
    """How many tasks to hand out beyond those that can run in parallel."""

    def __init__(self, size: int) -> None:
        """Start no process yet; they start as tasks need them."""
        self.size = size
        self.slots: list[Slot] = []
        self._busy: dict[Future[Any], Slot] = {}

    @property
    def capacity(self) -> int:
        """How many tasks can run in parallel."""
        return self.size

    def submit(self, task: Task) -> Future[Any]:  # type: ignore[override]
        """Begin a task in a free slot, or in a new one."""
        self._busy = {future: slot for future, slot in self._busy.items() if not future.done()}
        busy = set(self._busy.values())
        slot = next((slot for slot in self.slots if slot not in busy), None)
        if slot is None:
            slot = Slot()
            self.slots.append(slot)
        future = slot.submit(task)
        self._busy[future] = slot
        return future

    def stop(self, future: Future[Any]) -> None:
        """End a running task."""
        slot = self._busy.pop(future, None)
        if slot is not None:
            slot.interrupt(future)

    def close(self) -> None:
        """End the processes and with them their engines."""
        busy = {slot for future, slot in self._busy.items() if not future.done()}
        end([slot for slot in self.slots if slot not in busy], busy)
        self.slots.clear()


class DaskExecutor(Executor):
    """A Dask cluster. Each thread of a Dask worker has one slot."""

    # No thread should wait for the network.
    spare = 1

    def __init__(self, address: str, size: int | None = None) -> None:
        """Connect to the scheduler at ``address`` and send it this package."""
        try:
            from distributed import Client
        except ModuleNotFoundError:
            raise UserError(
                "--dask needs the package distributed (pip install distributed)"
            ) from None
        try:
            self.client = Client(address, timeout="5s")
        except (OSError, ValueError, TimeoutError) as error:
            raise UserError(f"--dask {address}: {error or 'no answer'}") from None
        self.size = size
        self.run_id = uuid.uuid4().hex
        self._threads, self._counted = 0, -10.0
        self._events: dict[Future[Any], str] = {}
        with TemporaryDirectory() as folder:
            self.client.upload_file(str(pack(Path(folder))))
        self._executor = self.client.get_executor(pure=False, retries=0)

    @property
    def threads(self) -> int:
        """The threads of the cluster, recounted now and then."""
        if time.monotonic() - self._counted > 2.0:
            self._threads = sum(self.client.nthreads().values())
            self._counted = time.monotonic()
        return self._threads

    @property
    def capacity(self) -> int:
        """The threads of the cluster, or ``size`` if that is less."""
        return max(1, min(self.threads, self.size or self.threads))

    def submit(self, task: Task) -> Future[Any]:  # type: ignore[override]
        """Hand a task to the scheduler."""
        event = f"petard-{uuid.uuid4().hex}"
        future: Future[Any] = self._executor.submit(on_dask, task, self.run_id, event)
        self._events[future] = event
        future.add_done_callback(lambda done: self._events.pop(done, None))
        return future

    def stop(self, future: Future[Any]) -> None:
        """End a task, wherever it runs."""
        from distributed import Event

        event = self._events.get(future)
        if event is not None:
            Event(event, client=self.client).set()
        future.cancel()

    def close(self) -> None:
        """Leave the cluster without tasks, processes and engines of ours."""
        with contextlib.suppress(Exception):
            for future in list(self._events):
                future.cancel()
            self.client.run(leave_dask, self.run_id, on_error="ignore")
        with contextlib.suppress(Exception):
            self.client.close(timeout=5)


class Pool:
    """Tasks on an executor, each done until it has a result."""

    def __init__(self, executor: LocalExecutor | DaskExecutor) -> None:
        """Take the executor over: it is closed with the pool."""
        self.executor = executor
        self._tasks: dict[Future[Any], Task] = {}
        self._done: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        # By identity: two tasks may be equal.
        self._crashes: Counter[int] = Counter()

    @property
    def capacity(self) -> int:
        """How many tasks can run in parallel, now."""
        return self.executor.capacity

    @property
    def pending(self) -> int:
        """How many tasks have been submitted and are not finished."""
        return len(self._tasks)

    def submit(self, task: Task) -> None:
        """Hand in a task."""
        future = self.executor.submit(task)
        self._tasks[future] = task
        future.add_done_callback(self._done.put)

    def wait(self, timeout: float | None = None) -> Result | None:
        """The next result; None if none comes within ``timeout`` seconds, or nothing is pending."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while self._tasks:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            try:
                future = self._done.get(timeout=left)
            except queue.Empty:
                return None
            task = self._tasks.pop(future, None)
            if task is None:
                # It was cancelled.
                continue
            try:
                result = future.result()
            except CancelledError as error:
                raise UserError(f"the Dask scheduler has dropped a task ({error})") from None
            except Exception as error:
                if not _is_lost(error):
                    raise
                self._crashes[id(task)] += 1
                if self._crashes[id(task)] > MAX_CRASHES:
                    raise UserError(
                        f"the same task crashed {MAX_CRASHES + 1} workers; giving up"
                    ) from None
                self.submit(task)
                continue
            self._crashes.pop(id(task), None)
            return task, result
        return None

    def cancel(self, task: Task) -> None:
        """Stop a pending task; it returns no result."""
        for future, held in list(self._tasks.items()):
            if held is task:
                del self._tasks[future]
                self.executor.stop(future)

    def run(self, tasks: Iterator[Any]) -> Iterator[Result]:
        """Run the tasks, drawing them as workers become free."""

        def fill() -> None:
            while self.pending < self.capacity + self.executor.spare:
                task = next(tasks, None)
                if task is None:
                    return
                self.submit(task)

        fill()
        while result := self.wait():
            fill()
            yield result

    def close(self) -> None:
        """Stop immediately; pending tasks are dropped."""
        self._tasks.clear()
        self.executor.close()


def _is_lost(error: Exception) -> bool:
    """Whether a task ended with its process, here or on a cluster."""
    return isinstance(error, BrokenProcessPool | LostTaskError) or (
        type(error).__name__ == "KilledWorker"
    )


def pack(folder: Path) -> Path:
    """Pack this package into an archive in a folder, from which Python can import it."""
    archive = folder / "petardlib.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(PACKAGE.rglob("*.py")):
            file.write(path, path.relative_to(PACKAGE.parent).as_posix())
    return archive


# Of a Dask worker: the slot of each of its threads, and the run that it belongs to.
_slots: dict[int, tuple[str, Slot]] = {}


def on_dask(task: Task, run_id: str, event: str) -> Any:  # noqa: ANN401
    """Run a task in a thread of a Dask worker, until the event of that name is set."""
    from distributed import Event

    thread = threading.get_ident()
    known, slot = _slots.get(thread, ("", Slot()))
    if known != run_id:
        # That of another run may have other code, and engines that have been replaced since.
        slot.kill()
        slot = Slot()
        _slots[thread] = run_id, slot
    future = slot.submit(task)
    wanted = Event(event)
    while not wait([future], 1.0).done:
        if wanted.is_set():
            slot.interrupt(future)
            return None
    return future.result()


def leave_dask(run_id: str) -> None:
    """End the processes of a run in a Dask worker."""
    for thread, (known, slot) in list(_slots.items()):
        if known == run_id:
            slot.kill()
            _slots.pop(thread, None)
