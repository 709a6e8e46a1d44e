"""Where tasks run: worker processes on this machine, or a Dask cluster.

Both return results in the order they finish, redo a task when the process that held it dies, and
return each task's result exactly once.
"""

from __future__ import annotations

import contextlib
import queue
import selectors
import threading
import time
import uuid
import zipfile
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from petardlib import PACKAGE
from petardlib.base.errors import UserError
from petardlib.jobs.process import Worker, WorkerDied

Task = dict[str, Any]
Result = tuple[Task, dict[str, Any]]
MAX_DEATHS = 5
"""How often a task may kill the process that runs it."""


class Pool(ABC):
    """A pool of workers."""

    spare = 0
    """How many tasks `run` hands out beyond those that can run at once."""

    def __init__(self) -> None:
        """Start with no task in hand."""
        # By identity: two tasks may be equal.
        self._deaths: Counter[int] = Counter()

    @property
    @abstractmethod
    def capacity(self) -> int:
        """How many tasks can run at once, now."""

    @property
    @abstractmethod
    def in_hand(self) -> int:
        """How many tasks have been submitted and are not finished."""

    @abstractmethod
    def submit(self, task: Task) -> None:
        """Hand in a task."""

    @abstractmethod
    def wait(self, timeout: float | None = None) -> Result | None:
        """The next result; None if none comes within ``timeout`` seconds, or nothing is in hand."""

    @abstractmethod
    def cancel(self, task: Task) -> None:
        """Stop a task in hand; it returns no result."""

    @abstractmethod
    def close(self) -> None:
        """Stop immediately; tasks in hand are dropped."""

    def run(self, tasks: Iterator[Task]) -> Iterator[Result]:
        """Run the tasks, drawing them as workers become free."""

        def fill() -> None:
            while self.in_hand < self.capacity + self.spare:
                task = next(tasks, None)
                if task is None:
                    return
                self.submit(task)

        fill()
        while result := self.wait():
            fill()
            yield result

    def _count_death(self, task: Task) -> None:
        """Give up on a task that kills every process that runs it."""
        self._deaths[id(task)] += 1
        if self._deaths[id(task)] > MAX_DEATHS:
            raise UserError(f"{MAX_DEATHS + 1} worker processes died over the same task; giving up")


class LocalPool(Pool):
    """``size`` worker processes on this machine, kept from one run to the next."""

    def __init__(self, size: int) -> None:
        """Start no process yet; workers start as tasks need them."""
        super().__init__()
        self.size = size
        self.workers: list[Worker] = []
        self._held: dict[Worker, Task] = {}
        self._selector = selectors.DefaultSelector()
        self._ready: list[Worker] = []

    @property
    def capacity(self) -> int:
        """One task per worker."""
        return self.size

    @property
    def in_hand(self) -> int:
        """Workers that hold a task."""
        return len(self._held)

    def submit(self, task: Task) -> None:
        """Give a task to a free worker, or to a new one."""
        worker = next((worker for worker in self.workers if worker not in self._held), None)
        if worker is None:
            worker = Worker()
            self.workers.append(worker)
        self._held[worker] = task
        self._selector.register(worker.out, selectors.EVENT_READ, worker)
        # A dead worker shows as the end of its output.
        with contextlib.suppress(WorkerDied):
            worker.submit(task)

    def wait(self, timeout: float | None = None) -> Result | None:
        """The result of whichever worker finishes first."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while self._held:
            if not self._ready:
                left = None if deadline is None else max(0.0, deadline - time.monotonic())
                self._ready = [key.data for key, _ in self._selector.select(left)]
                if not self._ready:
                    return None
            worker = self._ready.pop(0)
            task = self._release(worker)
            try:
                record = worker.result()
            except WorkerDied:
                self._remove(worker)
                self._count_death(task)
                self.submit(task)
                continue
            self._deaths.pop(id(task), None)
            return task, record
        return None

    def cancel(self, task: Task) -> None:
        """End the worker that holds the task."""
        for worker, held in self._held.items():
            if held is task:
                self._release(worker)
                self._remove(worker)
                return

    def _release(self, worker: Worker) -> Task:
        self._selector.unregister(worker.out)
        if worker in self._ready:
            self._ready.remove(worker)
        return self._held.pop(worker)

    def _remove(self, worker: Worker) -> None:
        self.workers.remove(worker)
        worker.close()

    def close(self) -> None:
        """End the workers and with them their engines."""
        for worker in self.workers:
            worker.close()
        self.workers.clear()
        self._held.clear()
        self._ready.clear()
        self._selector.close()


class DaskPool(Pool):
    """A Dask cluster. Each thread of a Dask worker keeps one worker process of ours."""

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
        super().__init__()
        try:
            self.client = Client(address, timeout="5s")
        except (OSError, ValueError, TimeoutError) as error:
            raise UserError(f"--dask {address}: {error or 'no answer'}") from None
        self.size = size
        self._threads, self._counted = 0, 0.0
        self._futures: dict[Any, Task] = {}
        self._events: dict[Any, str] = {}
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        with TemporaryDirectory() as folder:
            self.client.upload_file(str(pack(Path(folder))))

    @property
    def capacity(self) -> int:
        """The threads of the cluster, recounted now and then, or ``size`` if that is less."""
        if time.monotonic() - self._counted > 2.0:
            self._threads = sum(self.client.nthreads().values())
            self._counted = time.monotonic()
        return max(1, min(self._threads, self.size or self._threads))

    @property
    def in_hand(self) -> int:
        """Tasks that the cluster has."""
        return len(self._futures)

    def submit(self, task: Task) -> None:
        """Hand a task to the scheduler."""
        event = f"petard-{uuid.uuid4().hex}" if task.get("can_stop") else None
        future = self.client.submit(on_dask, task, event, pure=False, retries=0)
        self._futures[future] = task
        if event:
            self._events[future] = event
        future.add_done_callback(self._done.put)

    def wait(self, timeout: float | None = None) -> Result | None:
        """The result of whichever task finishes first."""
        from distributed import CancelledError, KilledWorker

        deadline = None if timeout is None else time.monotonic() + timeout
        while self._futures:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            try:
                future = self._done.get(timeout=left)
            except queue.Empty:
                return None
            task = self._futures.pop(future, None)
            if task is None:
                # It was cancelled.
                continue
            self._events.pop(future, None)
            try:
                record = future.result()
            except (KilledWorker, WorkerDied):
                self._count_death(task)
                self.submit(task)
                continue
            except (CancelledError, OSError) as error:
                raise UserError(f"the Dask scheduler has dropped a task ({error})") from None
            if "error" in record:
                raise UserError(record["error"])
            self._deaths.pop(id(task), None)
            return task, record
        return None

    def cancel(self, task: Task) -> None:
        """Forget a task; one that ``can_stop`` is ended on its worker."""
        for future, held in list(self._futures.items()):
            if held is task:
                self._stop(future)

    def _stop(self, future: Any) -> None:  # noqa: ANN401 - a future of distributed, untyped
        from distributed import Event

        del self._futures[future]
        event = self._events.pop(future, None)
        if event:
            Event(event, client=self.client).set()
        future.cancel()

    def close(self) -> None:
        """Leave the cluster, which drops our tasks."""
        with contextlib.suppress(Exception):
            for future in list(self._futures):
                self._stop(future)
            self.client.close(timeout=5)


def pack(folder: Path) -> Path:
    """Pack this package into an archive in a folder, from which Python can import it."""
    archive = folder / "petardlib.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(PACKAGE.rglob("*.py")):
            file.write(path, path.relative_to(PACKAGE.parent).as_posix())
    return archive


_local = threading.local()


def on_dask(task: Task, event: str | None = None) -> dict[str, Any]:
    """Run a task in a thread of a Dask worker, until the event of that name is set."""
    worker: Worker | None = getattr(_local, "worker", None)
    if worker is None:
        worker = _local.worker = Worker()
    try:
        worker.submit(task)
        if event and not _finished(worker, event):
            _local.worker = None
            worker.close()
            return {"stopped": True}
        return worker.result()
    except WorkerDied:
        _local.worker = None
        worker.close()
        raise
    except UserError as error:
        return {"error": str(error)}


def _finished(worker: Worker, event: str) -> bool:
    """Wait for the result; False if the event was set first."""
    from distributed import Event

    wanted = Event(event)
    with selectors.DefaultSelector() as selector:
        selector.register(worker.out, selectors.EVENT_READ)
        while not selector.select(1.0):
            if wanted.is_set():
                wanted.clear()
                return False
    return True
