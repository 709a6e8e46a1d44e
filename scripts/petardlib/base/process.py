"""Processes: how they end, and what ends with them."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import threading

_PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None)


def die_with_parent() -> None:
    """Make the kernel end this process when its parent is killed, however that happens."""
    with contextlib.suppress(AttributeError):
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def before_exec() -> None:
    """In the engine's process: end with the runner, and be killed first if memory runs out."""
    die_with_parent()
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "wb", 0) as file:  # noqa: PTH123
        file.write(b"800")


class Interrupt:
    """Turns SIGTERM into a KeyboardInterrupt, as SIGINT already is."""

    def __enter__(self) -> Interrupt:
        """Install the handlers, where that is possible."""
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, _interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the defaults."""
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
