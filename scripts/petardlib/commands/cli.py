"""What all command lines share: how they end."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from petardlib.base.errors import UserError
from petardlib.base.files import replace_text
from petardlib.jobs.pool import DaskExecutor, LocalExecutor, Pool
from petardlib.play.spec import (
    ENGINE_HELP,
    MAX,
    EngineFile,
    EngineSpec,
    find_engine,
    load_engines,
    split_words,
)


def guarded(main: Callable[[Sequence[str] | None], int], argv: Sequence[str] | None = None) -> int:
    """Run ``main``; a user error is one clear message, Ctrl-C and a closed pipe end it quietly.

    Any other exception is a bug in these scripts: it is shown whole, but its exit status must not
    be Python's own, 1, which means something else here.
    """
    try:
        status = main(argv)
        # At exit it would be too late: Python would complain there and choose the status.
        sys.stdout.flush()
        return status
    except UserError as error:
        message = Text("error: ", style="bold red").append(str(error), style="default")
        Console(stderr=True).print(message, soft_wrap=True)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Python would complain again when it flushes standard output at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    except UnicodeEncodeError as error:
        # A word of the command line in another encoding, which no file of ours can hold
        words = error.object[max(0, error.start - 20) : error.end]
        print(f"error: {words!a} is not text in UTF-8", file=sys.stderr)
        return 2
    except OSError as error:
        name = f"{error.filename}: " if error.filename is not None else ""
        print(f"error: {name}{error.strerror or error}", file=sys.stderr)
        return 2
    except Exception:
        traceback.print_exc()
        return 2


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave a closed pipe to `guarded`: Rich would exit with status 1."""
        raise BrokenPipeError


def make_console(stderr: bool = False) -> Console:
    """The terminal, or a wide page if output goes to a file or a pipe."""
    console = _Console(stderr=stderr, highlight=False, emoji=False)
    if console.is_terminal:
        return console
    return _Console(stderr=stderr, highlight=False, emoji=False, width=120)


def add_engine_options(parser: argparse.ArgumentParser, limit: str) -> argparse._ArgumentGroup:
    """Add ``--engine``, ``--each`` and ``--toml`` in a group of their own, which is returned.

    ``limit`` is what an engine without a limit gets.
    """
    group = parser.add_argument_group("engines")
    group.add_argument(
        "--engine",
        nargs="+",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help=f"{ENGINE_HELP}; default limit: {limit}",
    )
    group.add_argument(
        "--each", nargs="+", default=[], metavar="KEY=VALUE", help="settings shared by all engines"
    )
    group.add_argument(
        "--toml",
        type=Path,
        metavar="FILE",
        help="engines from [[engine]] tables, shared settings from [each]; paths in it are "
        "relative to the file",
    )
    return group


def add_worker_options(group: argparse._ActionsContainer, what: str, default: str = "1") -> None:
    """Add ``--workers`` and ``--dask``; ``what`` is done in parallel."""
    group.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help=f"{what} in parallel (default {default}; with --dask the threads of the cluster)",
    )
    group.add_argument("--dask", metavar="ADDRESS", help="use the Dask cluster of this scheduler")


def add_program_option(group: argparse._ActionsContainer) -> None:
    """Add ``--engine`` for commands that run petard's tools and no games."""
    group.add_argument(
        "--engine",
        nargs="+",
        default=[],
        metavar="KEY=VALUE",
        help="cmd=PATH of petard (default: target/release/petard, else petard on PATH)",
    )


def program_of(args: argparse.Namespace, remote: bool = False) -> str:
    """The program of ``--engine``; a ``remote`` one, for other machines, is not looked for here."""
    values = split_words(args.engine, "expected cmd=PATH")
    if values.keys() - {"cmd"}:
        raise UserError(f"unknown engine setting '{min(values.keys() - {'cmd'})}='; use cmd=PATH")
    cmd = values.get("cmd")
    if cmd == "":
        raise UserError("cmd= is empty")
    return cmd if remote and cmd else find_engine(cmd)


def add_resume_option(group: argparse._ActionsContainer, what: str, required: bool = False) -> None:
    """Add ``--resume``, the file from which a run goes on."""
    group.add_argument(
        "--resume",
        type=Path,
        metavar="FILE",
        required=required,
        help=f"file of finished {what}; the same command resumes from there",
    )


def add_result_options(group: argparse._ActionsContainer, result: str) -> None:
    """Add ``--json``, ``--report`` and ``--quiet``; ``result`` is what the first one writes."""
    group.add_argument("--json", type=Path, metavar="FILE", help=f"{result}; - is standard output")
    group.add_argument(
        "--report",
        type=float,
        default=10.0,
        metavar="S",
        help="report progress on standard error every S seconds (default 10)",
    )
    add_quiet_option(group)


def add_quiet_option(group: argparse._ActionsContainer) -> None:
    """Add ``--quiet``."""
    group.add_argument("-q", "--quiet", action="store_true", help="report no progress")


def check_json(path: Path | None) -> None:
    """Refuse a file for ``--json`` that holds something else than JSON objects."""
    if path is None or not path.is_file():
        return
    with path.open("rb") as file:
        if file.read(1) not in (b"", b"{"):
            raise UserError(f"--json {path}: not a file of this script; choose a different file")


def write_json(path: Path | None, *answers: object) -> None:
    """Write the results of ``--json``, one line each."""
    if path is None:
        return
    lines = [f"{json.dumps(answer)}\n" for answer in answers]
    if str(path) == "-":
        sys.stdout.write("".join(lines))
    else:
        replace_text(path, lines)


def make_pool(args: argparse.Namespace, console: Console, most: int | None = None) -> Pool:
    """The pool of ``--workers`` and ``--dask``; ``most`` is the number of tasks, if it is known."""
    if not args.dask:
        return Pool(LocalExecutor(min(args.workers or 1, most or args.workers or 1)))
    executor = DaskExecutor(args.dask, args.workers)
    if not executor.threads:
        console.print(f"--dask {args.dask}: no worker yet; waiting for one", soft_wrap=True)
    return Pool(executor)


def check_numbers(args: argparse.Namespace, **least: float) -> None:
    """Refuse numbers that are too small, not finite, or absurdly large.

    Names are those of ``args``; a least value of 0.0 (a float) means more than zero.
    """
    for name, bound in least.items():
        value = getattr(args, name)
        option = f"--{name.replace('_', '-')}"
        if value is None:
            continue
        if not math.isfinite(value) or abs(value) > MAX:
            raise UserError(f"{option} {value}: must be a finite number")
        if isinstance(bound, float) and value <= bound:
            raise UserError(f"{option} {value:g}: must be more than {bound:g}")
        if value < bound:
            raise UserError(f"{option} {value}: must be at least {bound}")


def engines_of(
    args: argparse.Namespace, toml: EngineFile | None, default: dict[str, int]
) -> list[EngineSpec]:
    """The engines that were named; if none was, the petard that is found."""
    lines = args.engine or ([] if toml and toml.engines else [["name=petard"]])
    return load_engines(lines, args.each, toml, default)
