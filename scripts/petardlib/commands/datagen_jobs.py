"""Generates training positions in many jobs, on this machine or on a Dask cluster."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from petardlib.base.errors import UserError
from petardlib.base.process import Interrupt
from petardlib.commands.cli import (
    add_program_option,
    add_result_options,
    add_worker_options,
    check_json,
    check_numbers,
    guarded,
    make_console,
    make_pool,
    program_of,
    write_json,
)
from petardlib.rules.positions import start_board
from petardlib.training.datajob import digest
from petardlib.training.records import BREAKTHROUGH, FREELING
from petardlib.training.shards import Progress, Run, Settings

EPILOG = """\
Each job is one `petard datagen` with one thread, so its seed determines its file, a shard. Shards
are checked when they arrive; the folder holds them and a ledger with a line for each. The same
command resumes from there after any stop, on any machine, and with more --positions it adds shards.
A job whose worker dies is run again. On a cluster the engine and the network must be at the same
paths on every machine; a different network there is refused.

exit status: 0 done, 2 an error, 130 stopped

examples:
  a million positions of 8x8 on this machine, then a network trained on them:
    datagen_jobs.py data --positions 1000000 --nodes 600 --workers 2
    train.py data/*.bin --out network.nnue
  a second generation, played by that network, on a cluster:
    datagen_jobs.py second --positions 1000000000 --shard 100000 --nodes 600 --seed 100000 \\
                    --eval-file /shared/network.nnue --engine cmd=/shared/petard --dask tcp://host:8786
"""


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("folder", type=Path, help="folder of the shards and the ledger")
    what = p.add_argument_group("positions")
    game = what.add_mutually_exclusive_group()
    game.add_argument("--board", default="8x8", metavar="WxH", help="board (default 8x8)")
    game.add_argument("--variant", choices=["breakthrough", "freeling"], help="the game")
    what.add_argument(
        "--positions",
        type=int,
        default=1_000_000,
        metavar="N",
        help="total, rounded up to whole shards (default 1,000,000)",
    )
    what.add_argument(
        "--shard",
        type=int,
        default=20_000,
        metavar="N",
        help="positions per job; its last game may add more (default 20,000)",
    )
    what.add_argument(
        "--seed", type=int, default=1, help="seed of the first shard; each has its own (default 1)"
    )
    games = p.add_argument_group("games (see `petard datagen --help`)")
    games.add_argument(
        "--nodes", type=int, default=600, metavar="N", help="nodes per move (default 600)"
    )
    games.add_argument("--random-min", type=int, metavar="PLIES")
    games.add_argument("--random-max", type=int, metavar="PLIES")
    games.add_argument("--balance", type=int, metavar="CP")
    games.add_argument("--prove", type=int, metavar="NODES")
    games.add_argument("--evaluation", choices=["network", "article"])
    games.add_argument("--eval-file", type=Path, metavar="FILE", help="network file")
    where = p.add_argument_group("work")
    add_program_option(where)
    add_worker_options(where, "jobs")
    add_result_options(where, "the result as a JSON object")
    return p


def settings_of(args: argparse.Namespace) -> Settings:
    """What is to be generated; an error names what makes no sense."""
    check_numbers(args, positions=1, shard=1, seed=0, nodes=1, workers=1, report=0.0)
    check_json(args.json)
    check_numbers(args, random_min=0, random_max=0, balance=0, prove=1)
    if args.folder.exists() and not args.folder.is_dir():
        raise UserError(f"{args.folder}: not a folder")
    words = ["--nodes", str(args.nodes)]
    board, game = (5, 9), FREELING
    if args.variant == "freeling":
        words += ["--variant", "freeling"]
    else:
        start = start_board(size=args.board)
        board, game = (start.files, start.ranks), BREAKTHROUGH
        words += ["--board", "{}x{}".format(*board)]
    for name in ("random_min", "random_max", "balance", "prove", "evaluation"):
        value = getattr(args, name)
        if value is not None:
            words += [f"--{name.replace('_', '-')}", str(value)]
    network = None
    if args.eval_file:
        try:
            network = str(args.eval_file.resolve()), digest(args.eval_file.read_bytes())
        except OSError as error:
            raise UserError(f"--eval-file {args.eval_file}: {error.strerror}") from None
    return Settings(board, game, words, args.seed, args.shard, network)


def run_command(argv: Sequence[str] | None) -> int:
    """Generate; 0 when all shards are done, 130 when stopped."""
    args = parser().parse_args(argv)
    settings = settings_of(args)
    console = make_console(stderr=True)
    # With --dask, the jobs run elsewhere.
    engine = program_of(args, remote=bool(args.dask))
    stopped = False

    def report(progress: Progress) -> None:
        console.print(progress.line(), soft_wrap=True)

    run = Run(args.folder, settings, -(-args.positions // args.shard))
    try:
        if run.done:
            console.print(f"resumed: {len(run.done)} shards are already there", soft_wrap=True)
        pool = make_pool(args, console)
        try:
            with Interrupt():
                run.work(pool, engine, None if args.quiet else report, args.report)
        except KeyboardInterrupt:
            stopped = True
            console.print("stopped; the same command resumes from here", soft_wrap=True)
        finally:
            pool.close()
    finally:
        run.close()
    progress = run.progress()
    print(
        f"{args.folder}: {progress.shards} of {progress.wanted} shards, {progress.positions} "
        f"positions from {progress.games} games"
    )
    write_json(args.json, {"stopped": stopped, **asdict(progress)})
    return 130 if stopped else 0


def main(argv: Sequence[str] | None = None) -> int:
    return guarded(run_command, argv)
