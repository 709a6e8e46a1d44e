"""Processes: how they start and end, and what ends with them, on every system."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shlex
import signal
import subprocess
import threading
from collections.abc import Sequence
from typing import IO, Any

import psutil

_PR_SET_PDEATHSIG = 1
POSIX = hasattr(os, "setsid")
"""Whether there are sessions of processes, and code can run between fork and exec."""
_libc = ctypes.CDLL(None) if POSIX else None


def die_with_parent() -> None:
    """Make the kernel end this process when its parent is killed, if it can do that."""
    with contextlib.suppress(AttributeError):
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # type: ignore[union-attr]


def _before_exec() -> None:
    """In the engine's process: end with the runner, and be killed first if memory runs out."""
    die_with_parent()
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "wb", 0) as file:  # noqa: PTH123
        file.write(b"800")


def run_program(command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[Any]:  # noqa: ANN401
    """`subprocess.run` of a program that ends with this process."""
    more: dict[str, Any] = {"preexec_fn": _before_exec} if POSIX else {}
    return subprocess.run(command, check=False, **more, **options)


def start_program(
    command: Sequence[str], errors: int | IO[bytes], folder: str | None = None
) -> subprocess.Popen[bytes]:
    """Start a program with pipes, in a session of its own; `end_program` ends it."""
    # A bot in Python that does not flush its output must not pass on some machines only.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    more: dict[str, Any] = (
        {"preexec_fn": _before_exec, "start_new_session": True}
        if POSIX
        # Ctrl-C is for the runner alone.
        else {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
    )
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        cwd=folder,
        env=environment,
        bufsize=0,
        **more,
    )


def end_program(process: subprocess.Popen[bytes]) -> None:
    """Kill a program that `start_program` has started, and all that it has started."""
    if POSIX:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        with contextlib.suppress(psutil.Error):
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
        process.kill()
    process.wait()


def split_command(text: str, posix: bool = POSIX) -> list[str]:
    """The words of a command; where there is no POSIX, a backslash is part of a path."""
    words = shlex.shlex(text, posix=True, punctuation_chars=False)
    words.whitespace_split, words.commenters = True, ""
    if not posix:
        words.escape = ""
    return list(words)


def core_count() -> int:
    """How many cores this process may use."""
    available = getattr(os, "sched_getaffinity", None)
    return len(available(0)) if available else os.cpu_count() or 1


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
