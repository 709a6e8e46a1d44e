"""Tunes the constants of an engine's search by games against itself (SPSA)."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from rich.console import Console

from petardlib.base.errors import UserError
from petardlib.base.files import check_outputs
from petardlib.base.journal import Journal, decoder
from petardlib.base.process import Interrupt, core_count
from petardlib.commands.cli import (
    add_quiet_option,
    add_resume_option,
    add_worker_options,
    check_numbers,
    guarded,
    make_console,
    make_pool,
)
from petardlib.play.openings import Opening, arrange, load_openings, shipped
from petardlib.play.spec import EngineSpec, load_engines
from petardlib.tuning.spsa import R_END, Parameter, Spsa, Theta
from petardlib.tuning.tune import (
    GameMatch,
    Iteration,
    Progress,
    choose_parameters,
    read_options,
    resume,
    rust_lines,
    tune,
)

HASH_MEGABYTES = "8"
"""Enough for searches of a few thousand nodes, and quick to clear before every game."""

EXAMPLES = """\
exit status: 0 done, 2 an error, 130 stopped

example:
  a build that lists its parameters, and a run that may be stopped and resumed at any time:
    cargo build --release --features tune --target-dir target/tune
    tune.py --engine cmd=target/tune/release/petard --resume futility.jsonl \\
            --params futility_base,futility_margin,reverse_futility_margin --nodes 4000 \\
            --games-per-iteration 16 --iterations 2000
"""


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument(
        "--engine",
        nargs="+",
        default=["name=petard"],
        metavar="KEY=VALUE",
        help="settings of the engine: cmd=COMMAND dir=FOLDER option.NAME=VALUE "
        "(default: target/release/petard, else petard on PATH)",
    )
    add_resume_option(p, "iterations as JSON lines", required=True)
    p.add_argument(
        "--params",
        default="all",
        metavar="NAME,...",
        help="which of the parameters listed by the engine (default all)",
    )
    p.add_argument(
        "--games-per-iteration",
        type=int,
        default=16,
        metavar="N",
        help="games of theta+ against theta-, an even number (default 16)",
    )
    p.add_argument(
        "--iterations", type=int, default=1000, metavar="N", help="steps in total (default 1000)"
    )
    p.add_argument(
        "--nodes", type=int, default=5000, metavar="N", help="nodes per move (default 5000)"
    )
    p.add_argument(
        "--openings", type=Path, metavar="FILE", help="EPD or PGN (default the project's own 8x8)"
    )
    p.add_argument(
        "--seed", type=int, default=1, help="seed of the openings' order and the steps (default 1)"
    )
    p.add_argument(
        "--r-end",
        type=float,
        default=R_END,
        metavar="R",
        help="size of the last steps; fishtest's %(default)s is for tens of thousands of games, "
        "and fewer games need more",
    )
    add_worker_options(p, "games", "the number of cores")
    add_quiet_option(p)
    return p


def read_engine(args: argparse.Namespace) -> EngineSpec:
    """The engine with its limit."""
    (spec,) = load_engines([args.engine], [])
    if spec.limit.bounded:
        raise UserError("--engine: the only limit is --nodes, so that a run can be repeated")
    return replace(spec, limit=replace(spec.limit, nodes=args.nodes))


def check(args: argparse.Namespace) -> None:
    """Refuse what cannot be played."""
    check_numbers(args, iterations=1, nodes=1, workers=1, seed=0, r_end=0.0)
    if args.games_per_iteration < 2 or args.games_per_iteration % 2:
        raise UserError("--games-per-iteration must be an even number: openings are played twice")


def prepared(args: argparse.Namespace) -> tuple[EngineSpec, list[Parameter]]:
    """The engine, ready to play, and the parameters to tune."""
    spec = read_engine(args)
    options = read_options(spec)
    parameters = choose_parameters(options, args.params)
    given = {name.lower() for name in spec.options}
    for parameter in parameters:
        if parameter.name.lower() in given:
            raise UserError(f"option.{parameter.name} is being tuned; do not set it")
    if "hash" in options and "hash" not in given:
        spec = replace(spec, options={**spec.options, "Hash": HASH_MEGABYTES})
    return spec, parameters


def header(
    args: argparse.Namespace, spec: EngineSpec, spsa: Spsa, openings: list[Opening]
) -> dict[str, object]:
    """What a run must have in common with the run that it continues."""
    return {
        "kind": "tuning",
        "version": 1,
        "engine": spec.to_json(),
        "programs": {spec.name: {"sha256": spec.file_hash()}},
        "parameters": [asdict(parameter) for parameter in spsa.parameters],
        "games_per_iteration": args.games_per_iteration,
        "iterations": args.iterations,
        "seed": args.seed,
        "r_end": args.r_end,
        "openings": [[opening.fen, *opening.moves] for opening in openings],
    }


def moved_most(parameters: list[Parameter], theta: Theta, count: int = 3) -> str:
    """The parameters that have moved furthest, relative to their range."""
    by_way = sorted(parameters, key=lambda p: -abs(theta[p.name] - p.default) / (p.high - p.low))
    return ", ".join(f"{p.name} {p.default} -> {theta[p.name]:.4g}" for p in by_way[:count])


class ProgressReporter:
    """Reports every iteration in one line, with the time left."""

    def __init__(self, console: Console, spsa: Spsa, done: int, iterations: int) -> None:
        """Start after ``done`` iterations of an earlier run."""
        self.console, self.spsa, self.iterations = console, spsa, iterations
        self.first = done
        self.seconds = 0.0

    def __call__(self, progress: Progress) -> None:
        """Report one iteration."""
        self.seconds += progress.seconds
        number = progress.iteration + 1
        left = self.seconds / (number - self.first) * (self.iterations - number)
        tally = progress.tally
        self.console.print(
            f"{number}/{self.iterations}  theta+ {tally.wins}-{tally.losses}  "
            f"{progress.seconds:.1f} s, {left / 60:.0f} min left  "
            f"{moved_most(self.spsa.parameters, progress.theta)}",
            soft_wrap=True,
        )


def report(console: Console, parameters: list[Parameter], theta: Theta, stopped: bool) -> None:
    """Print the result, as it would stand in the source."""
    if stopped:
        console.print("stopped; the same command resumes from here. So far:")
    console.print("\nfor src/search/params.rs:")
    for line in rust_lines(parameters, theta):
        console.print(line, soft_wrap=True, markup=False)
    changes = [
        f"{p.name} {p.default} -> {round(theta[p.name])}"
        for p in parameters
        if round(theta[p.name]) != p.default
    ]
    console.print(f"\nchanged: {', '.join(changes) or 'nothing'}", soft_wrap=True, markup=False)


def run_command(argv: Sequence[str] | None) -> int:
    """Tune; 0 when done, 130 when stopped."""
    args = parser().parse_args(argv)
    check(args)
    check_outputs({"--resume": args.resume}, [args.openings] if args.openings else [])
    console = make_console()
    path = args.openings or shipped(8, 8)
    if path is None:
        raise UserError("the project's own openings are missing: give --openings")
    openings = arrange(load_openings(path), "random", args.seed)
    spec, parameters = prepared(args)
    pairs = args.iterations * args.games_per_iteration // 2
    spsa = Spsa(parameters, pairs, args.seed, args.r_end)
    if args.workers is None:
        args.workers = core_count()
    pool = make_pool(args, console, args.games_per_iteration)
    match = GameMatch(spec, openings, args.games_per_iteration, pool)
    match.check({p.name: p.default for p in parameters})
    journal = Journal(args.resume, header(args, spec, spsa, openings), decoder(Iteration))
    stopped = False
    try:
        done, _ = resume(journal, spsa)
        if done:
            console.print(f"resumed: {done} of {args.iterations} iterations are already done")
        reporter = ProgressReporter(console, spsa, done, args.iterations)
        with Interrupt():
            tune(spsa, args.iterations, match, journal, None if args.quiet else reporter)
    except KeyboardInterrupt:
        stopped = True
    finally:
        pool.close()
        _, theta = resume(journal, spsa)
        journal.close()
    report(console, parameters, theta, stopped)
    return 130 if stopped else 0


def main(argv: Sequence[str] | None = None) -> int:
    return guarded(run_command, argv)
