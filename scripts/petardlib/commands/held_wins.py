"""Counts, by player, how many proven wins were held: marking of games by proof alone."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from petardlib.analysis.accounts import players_of
from petardlib.base.errors import UserError
from petardlib.base.files import check_outputs
from petardlib.base.process import Interrupt
from petardlib.commands.cli import (
    add_program_option,
    add_worker_options,
    check_json,
    check_numbers,
    guarded,
    make_console,
    make_pool,
    program_of,
    write_json,
)
from petardlib.play.inputs import Item, Reading
from petardlib.proofs.heldwins import Account, HeldTask, Win
from petardlib.proofs.solvejob import JobLimits
from petardlib.rules.positions import BREAKTHROUGH

EPILOG = """\
Every position of every game is given to the prover. A win counts as held if the position after the
move is proven for the same player, as thrown if it is proven for the other, and as undecided if
--nodes are not enough to say. No evaluation takes part.

exit status: 0 done, 2 an error, 130 stopped

example:
  held_wins.py games.pgn --nodes 300000 --workers 2
"""


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument(
        "files", nargs="+", metavar="FILE", help="games in any form; - is standard input"
    )
    p.add_argument("--board", metavar="WxH", help="board of games that name none (default 8x8)")
    add_program_option(p)
    p.add_argument(
        "--nodes",
        type=int,
        default=100_000,
        metavar="N",
        help="nodes for the proof of one position (default 100,000)",
    )
    p.add_argument(
        "--hash", type=int, default=64, metavar="MB", help="table of each prover (default 64)"
    )
    add_worker_options(p, "games")
    p.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="players and their wins as a JSON object; - is standard output",
    )
    p.add_argument("-q", "--quiet", action="store_true", help="do not list the wins thrown away")
    return p


def read_games(args: argparse.Namespace) -> list[Item]:
    """The games of all files."""
    stdin = sys.stdin.buffer.read() if "-" in args.files else None
    items = [item for item in Reading(size=args.board).files(args.files, stdin) if item.is_game]
    if not items:
        raise UserError("no games")
    for item in items:
        if item.variant != BREAKTHROUGH:
            raise UserError(f"{item.title}: nothing can be proven about {item.variant}")
    return items


def show(console: Console, accounts: Sequence[Account]) -> None:
    """Print how many wins each player has held."""
    table = Table(title="Proven wins", title_justify="left")
    table.add_column("player")
    for heading in ("held", "of", "thrown away", "undecided"):
        table.add_column(heading, justify="right")
    for one in accounts:
        counts = (one.held, one.decided, one.thrown, one.undecided)
        table.add_row(escape(one.player), *map(str, counts))
    console.print(table)


def run_command(argv: Sequence[str] | None) -> int:
    """Prove, count, and print; 130 when stopped."""
    args = parser().parse_args(argv)
    check_numbers(args, nodes=1, hash=1, workers=1)
    check_outputs({"--json": args.json}, [name for name in args.files if name != "-"])
    check_json(args.json)
    console = make_console()
    items = read_games(args)
    engine = program_of(args, remote=bool(args.dask))
    limits = JobLimits(args.nodes, None, args.hash)
    tasks = [HeldTask(engine, item.fen, tuple(item.moves), limits) for item in items]
    places = {id(task): number for number, task in enumerate(tasks)}
    found: dict[int, list[Win]] = {}
    stopped = False
    pool = make_pool(args, console, len(tasks))
    try:
        with Interrupt():
            for task, wins in pool.run(iter(tasks)):
                number = places[id(task)]
                found[number] = wins
                for win in wins if not args.quiet else ():
                    if win.state == "thrown":
                        colour = "White" if win.white else "Black"
                        console.print(
                            f"{items[number].title}, ply {win.ply} (move {win.number}, {colour}): "
                            f"{win.move} gives a win away; {win.better} wins",
                            markup=False,
                            soft_wrap=True,
                        )
    except KeyboardInterrupt:
        stopped = True
        console.print("stopped; partial results follow")
    finally:
        pool.close()
    accounts: dict[str, Account] = {}
    games: list[dict[str, Any]] = []
    for number, wins in sorted(found.items()):
        names = players_of(items[number])
        for name in names:
            accounts.setdefault(name, Account(name))
        for win in wins:
            one = accounts[names[not win.white]]
            setattr(one, win.state, getattr(one, win.state) + 1)
        games.append({"title": items[number].title, "wins": [asdict(win) for win in wins]})
    show(console, list(accounts.values()))
    write_json(args.json, {"players": [one.to_json() for one in accounts.values()], "games": games})
    return 130 if stopped else 0


def main(argv: Sequence[str] | None = None) -> int:
    return guarded(run_command, argv)
