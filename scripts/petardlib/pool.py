"""Where tasks are done: worker processes on this machine, or a Dask cluster.

Both give results in the order in which they are finished, do a task again when the process that
held it dies, and give each task's result exactly once.
"""

from __future__ import annotations

import contextlib
import selectors
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from . import SCRIPTS_DIR
from .errors import UserError
from .worker import Worker, WorkerDied

Task = dict[str, Any]
Result = tuple[Task, dict[str, Any]]
MAX_DEATHS = 5


class Pool(Protocol):
    """What the scripts ask of a place of work."""

    def run(self, tasks: Iterator[Task]) -> Iterator[Result]:
        """Do the tasks; they are drawn as workers fall free."""
        ...

    def close(self) -> None:
        """Stop at once; tasks in hand are dropped."""
        ...


class LocalPool:
    """``size`` worker processes on this machine, kept from one run to the next."""

    def __init__(self, size: int) -> None:
        """Start no process yet; each worker starts with its first task."""
        self.size = size
        self.workers: list[Worker] = []
        self.idle: list[Worker] = []

    def run(self, tasks: Iterator[Task]) -> Iterator[Result]:
        """Do the tasks, each worker one at a time."""
        selector = selectors.DefaultSelector()
        held: dict[Worker, Task] = {}
        deaths = 0

        def give(worker: Worker, task: Task) -> None:
            held[worker] = task
            selector.register(worker.out, selectors.EVENT_READ, worker)
            # A dead worker shows itself as the end of its output.
            with contextlib.suppress(WorkerDied):
                worker.submit(task)

        def start(task: Task) -> None:
            if self.idle:
                worker = self.idle.pop()
            else:
                worker = Worker()
                self.workers.append(worker)
            give(worker, task)

        for task in _up_to(self.size, tasks):
            start(task)
        while held:
            for key, _ in selector.select():
                worker = key.data
                selector.unregister(worker.out)
                task = held.pop(worker)
                try:
                    record = worker.result()
                except WorkerDied:
                    deaths += 1
                    self.workers.remove(worker)
                    worker.close()
                    if deaths > MAX_DEATHS:
                        raise UserError(
                            f"worker processes died {deaths} times; giving up"
                        ) from None
                    start(task)
                    continue
                following = next(tasks, None)
                if following is not None:
                    give(worker, following)
                else:
                    self.idle.append(worker)
                yield task, record

    def close(self) -> None:
        """End the workers and with them their engines."""
        for worker in self.workers:
            worker.close()
        self.workers.clear()
        self.idle.clear()


def _up_to(count: int, tasks: Iterator[Task]) -> Iterator[Task]:
    for _ in range(count):
        task = next(tasks, None)
        if task is None:
            return
        yield task


class DaskPool:
    """A Dask cluster. Each thread of a Dask worker keeps one worker process of ours."""

    def __init__(self, address: str, size: int | None = None) -> None:
        """Connect to the scheduler at ``address`` and send it this package."""
        from distributed import Client

        try:
            self.client = Client(address, timeout="5s")
        except (OSError, ValueError, TimeoutError) as error:
            raise UserError(f"--dask {address}: {error or 'no answer'}") from None
        threads = sum(self.client.nthreads().values())
        self.size = size or max(1, threads)
        with TemporaryDirectory() as folder:
            archive = Path(folder) / "petardlib.zip"
            with zipfile.ZipFile(archive, "w") as file:
                for path in sorted((SCRIPTS_DIR / "petardlib").glob("*.py")):
                    file.write(path, f"petardlib/{path.name}")
            self.client.upload_file(str(archive))

    def run(self, tasks: Iterator[Task]) -> Iterator[Result]:
        """Do the tasks, with somewhat more submitted than the cluster has threads."""
        from distributed import KilledWorker, as_completed

        futures: dict[Any, Task] = {}
        done = as_completed()

        def submit(task: Task) -> None:
            future = self.client.submit(on_dask, task, pure=False, retries=0)
            futures[future] = task
            done.add(future)

        # One more than can run at once, so that no thread waits for the network.
        for task in _up_to(self.size + 1, tasks):
            submit(task)
        deaths = 0
        while futures:
            future = next(done)
            task = futures.pop(future)
            try:
                record = future.result()
            except (KilledWorker, WorkerDied):
                deaths += 1
                if deaths > MAX_DEATHS:
                    raise UserError(f"Dask workers died {deaths} times; giving up") from None
                submit(task)
                continue
            if "error" in record:
                raise UserError(record["error"])
            following = next(tasks, None)
            if following is not None:
                submit(following)
            yield task, record

    def close(self) -> None:
        """Leave the cluster; it drops what it holds of ours."""
        with contextlib.suppress(Exception):
            self.client.close(timeout=5)


_local = threading.local()


def on_dask(task: Task) -> dict[str, Any]:
    """What a thread of a Dask worker does with a task."""
    worker: Worker | None = getattr(_local, "worker", None)
    if worker is None:
        worker = _local.worker = Worker()
    try:
        worker.submit(task)
        return worker.result()
    except WorkerDied:
        _local.worker = None
        worker.close()
        raise
    except UserError as error:
        return {"error": str(error)}
