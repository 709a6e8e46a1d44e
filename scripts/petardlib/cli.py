"""What all command lines share: how they end."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.text import Text

from .errors import UserError
from .spec import ENGINE_HELP


def guarded(main: Callable[[], int]) -> int:
    """Run ``main``; a user's error is one clear message, Ctrl-C and a closed pipe end quietly."""
    try:
        return main()
    except UserError as error:
        message = Text("error: ", style="bold red").append(str(error), style="default")
        Console(stderr=True).print(message, soft_wrap=True)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Python would complain again when it flushes standard output at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        if error.filename is None:
            raise
        print(f"error: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2


class Interrupt:
    """Turns SIGTERM into a KeyboardInterrupt, as SIGINT is one."""

    def __enter__(self) -> Interrupt:
        """Install the handlers, where that is possible."""
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, _interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        """Back to the default."""
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def make_console(stderr: bool = False) -> Console:
    """The terminal, or a wide page where output goes to a file or a pipe."""
    console = Console(stderr=stderr, highlight=False)
    return console if console.is_terminal else Console(stderr=stderr, highlight=False, width=120)


def add_engine_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """``--engine``, ``--each`` and ``--toml``, in a group of their own that is returned."""
    group = parser.add_argument_group("engines")
    group.add_argument(
        "--engine", nargs="+", action="append", default=[], metavar="KEY=VALUE", help=ENGINE_HELP
    )
    group.add_argument(
        "--each", nargs="+", default=[], metavar="KEY=VALUE", help="words that all engines share"
    )
    group.add_argument("--toml", type=Path, metavar="FILE", help="engines from [[engine]] tables")
    return group


def check_writable(*paths: Path | None) -> None:
    """Refuse at the start what could not be written at the end of a long run."""
    for path in paths:
        if path is None:
            continue
        if path.is_dir():
            raise UserError(f"{path} is a folder")
        folder = path.absolute().parent
        while not folder.exists():
            folder = folder.parent
        if not folder.is_dir() or not os.access(folder, os.W_OK):
            raise UserError(f"{path}: cannot write in {folder}")
