"""Proves who wins a position of Breakthrough in many jobs, locally or on a Dask cluster."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from petard import Board
from petardlib.base.errors import UserError
from petardlib.base.files import check_outputs
from petardlib.base.process import Interrupt
from petardlib.commands.cli import (
    add_program_option,
    add_result_options,
    add_resume_option,
    add_worker_options,
    check_json,
    check_numbers,
    guarded,
    make_console,
    make_pool,
    program_of,
    write_json,
)
from petardlib.jobs.slot import Keep
from petardlib.proofs.jobproof import prove_from
from petardlib.proofs.jobsearch import JobSearch, Progress
from petardlib.proofs.ledger import Ledger, read_header
from petardlib.proofs.pntree import INFINITE
from petardlib.proofs.solvejob import HANG_SECONDS, JobLimits, SolveTask
from petardlib.rules.keys import key_of
from petardlib.rules.positions import board_of, start_board

NOT_SOLVED = 3
JOB_NODES = 2_000_000
MAX_SQUARES = 80

EPILOG = """\
The top of the game tree is a proof-number tree; its leaves are jobs, `petard solve` with a limit,
one thread each, and each worker keeps its table from job to job. Every finished job is a line of
the ledger, and the same command resumes from the ledger after any stop, on any machine. A job that
does not find the winner in time reports the numbers that it has reached for every move, also in the
positions below that took a 16th of its nodes, and the positions after these moves become leaves.
The numbers of a leaf that has a job count double, so that other workers choose others; if all
leaves have one, the most important is expanded while its job continues: its moves become leaves.

exit status: 0 solved, 3 not solved, 2 an error, 130 stopped

examples:
  a board that one job can do, and one that needs many:
    solve_jobs.py --board 5x5
    solve_jobs.py --board 5x6 --resume 5x6.jsonl --workers 2 --job-nodes 5000000 --hash 128
  continue on a cluster, with larger jobs, for an hour:
    solve_jobs.py --board 5x6 --resume 5x6.jsonl --dask tcp://host:8786 \\
                  --job-nodes 50000000 --hash 1024 --time 3600 --report 60
  what the ledger proves:
    solve_jobs.py --resume 5x6.jsonl --verify
"""


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = p.add_argument_group("position (default: that of the ledger)")
    position = what.add_mutually_exclusive_group()
    position.add_argument("--board", metavar="WxH", help="start position, files x ranks")
    position.add_argument("--fen", metavar="FEN", help="any position, on any board")
    jobs = p.add_argument_group("jobs")
    add_program_option(jobs)
    jobs.add_argument(
        "--job-nodes",
        type=int,
        metavar="N",
        help=f"nodes per job (default {JOB_NODES:,} if --job-seconds is not given)",
    )
    jobs.add_argument("--job-seconds", type=float, metavar="S", help="seconds per job")
    jobs.add_argument(
        "--hash",
        type=int,
        default=256,
        metavar="MB",
        help="table of each worker, kept from job to job (default 256)",
    )
    jobs.add_argument(
        "--cold",
        action="store_true",
        help="start each job with an empty table: more work, but each line of the ledger with a "
        "node limit can be reproduced alone",
    )
    where = p.add_argument_group("work and results")
    add_resume_option(where, "jobs")
    add_worker_options(where, "jobs")
    where.add_argument("--time", type=float, metavar="S", help="stop after S seconds")
    add_result_options(where, "the result as a JSON object")
    where.add_argument(
        "--verify",
        action="store_true",
        help="run no jobs; recompute the proof from the ledger and the rules alone",
    )
    return p


def check(args: argparse.Namespace) -> None:
    """Refuse what makes no sense, naming it."""
    check_numbers(args, job_nodes=1, job_seconds=0.0, hash=1, workers=1, time=0.0, report=0.0)
    if args.verify and not args.resume:
        raise UserError("--verify needs the ledger of a run (--resume FILE)")
    if args.resume and args.verify and not args.resume.is_file():
        raise UserError(f"{args.resume}: there is no such ledger")
    check_outputs({"--resume": args.resume, "--json": args.json})
    check_json(args.json)


def read_position(args: argparse.Namespace) -> Board:
    """The position to solve."""
    if args.fen:
        board = board_of(args.fen)
    elif args.board:
        board = start_board(size=args.board)
    else:
        header = read_header(args.resume) if args.resume else None
        if header is None:
            raise UserError("no position: name one with --board or --fen, or a ledger that has one")
        board = board_of(header.fen)
    if board.files * board.ranks > MAX_SQUARES:
        raise UserError(
            f"a board of {board.files}x{board.ranks}: expected at most {MAX_SQUARES} squares for "
            "a proof"
        )
    return board


def try_engine(engine: str) -> None:
    """Run one small job first, so that an engine that cannot do them is reported at once.

    Its timeout is not the run's time: an engine takes a moment to start.
    """
    limits = JobLimits(nodes=1, seconds=None, hash=1)
    keep = Keep()
    try:
        SolveTask(engine, "pp/pp/2/2/PP/PP", limits, HANG_SECONDS).run(keep)
    finally:
        keep.close()


def number(value: int) -> int | None:
    """A proof number for JSON, where infinity is null."""
    return None if value == INFINITE else value


def fen_of(board: Board) -> str:
    """Rows and side to move, which is all that a proof is about."""
    return " ".join(board.fen().split()[:2])


def summary(search: JobSearch, stopped: bool) -> tuple[list[str], dict[str, Any]]:
    """The closing lines, and the same for JSON."""
    progress, board = search.progress(), search.board
    fen, move = fen_of(board), search.winning_move()
    lines = [str(board), fen]
    if search.wins is None:
        winner = "unknown"
        lines.append("winner: unknown" + (" (stopped)" if stopped else ""))
        lines.append(f"proof number {progress.proof}, disproof number {progress.disproof}")
    else:
        winner = "first" if search.wins else "second"
        side = "White" if search.wins == board.turn else "Black"
        lines.append(f"winner: {side} ({winner}, the side {'' if search.wins else 'not '}to move)")
        if search.wins:
            lines.append(f"a winning move: {move or 'not reported'}")
    lines += [
        f"jobs: {progress.jobs} ({progress.unknown} unknown), {progress.run_jobs} of them in this "
        "run",
        f"nodes: {progress.nodes}, {progress.run_nodes} of them in this run",
        f"job time: {progress.job_seconds:.1f} s; this run: {progress.seconds:.1f} s",
    ]
    answer = {
        "board": f"{board.files}x{board.ranks}",
        "fen": fen,
        "winner": winner,
        "move": move,
        "stopped": stopped,
        **asdict(progress),
        "proof": number(progress.proof),
        "disproof": number(progress.disproof),
    }
    return lines, answer


def verify(args: argparse.Namespace, board: Board) -> int:
    """Report what the ledger proves."""
    ledger = Ledger(args.resume, fen_of(board))
    ledger.close()
    proof = prove_from(key_of(board), ledger)
    if proof.wins is None:
        print(f"{args.resume}: not proven; {ledger.count} jobs, {ledger.nodes} nodes")
    else:
        side = "White" if proof.wins == board.turn else "Black"
        print(
            f"{args.resume}: {board.files}x{board.ranks}, proven: {side} wins "
            f"({'first' if proof.wins else 'second'}, the side {'' if proof.wins else 'not '}to "
            f"move). The proof needs {proof.jobs} of {ledger.count} jobs ({proof.nodes} of "
            f"{ledger.nodes} nodes); positions above and at them: {proof.positions}"
        )
    if args.json is not None:
        winner = {True: "first", False: "second", None: "unknown"}[proof.wins]
        answer = {
            "board": f"{board.files}x{board.ranks}",
            "fen": fen_of(board),
            "winner": winner,
            "jobs": ledger.count,
            "nodes": ledger.nodes,
            "job_seconds": round(ledger.seconds, 3),
            "proof_jobs": proof.jobs,
            "proof_nodes": proof.nodes,
            "proof_positions": proof.positions,
        }
        write_json(args.json, answer)
    return NOT_SOLVED if proof.wins is None else 0


def run_command(argv: Sequence[str] | None) -> int:
    """Solve; 0 when the winner is known, 3 when it is not, 130 when stopped."""
    args = parser().parse_args(argv)
    check(args)
    board = read_position(args)
    if args.verify:
        return verify(args, board)
    console = make_console(stderr=True)
    nodes = args.job_nodes or (None if args.job_seconds else JOB_NODES)
    limits = JobLimits(nodes, args.job_seconds, args.hash, args.cold)
    if args.dask:
        # The jobs run elsewhere.
        engine = program_of(args, remote=True)
    else:
        engine = program_of(args)
        try_engine(engine)
    ledger = Ledger(args.resume, fen_of(board))
    stopped = False

    def report(progress: Progress) -> None:
        console.print(progress.line(), soft_wrap=True)

    try:
        search = JobSearch(board, ledger)
        if ledger.count:
            console.print(f"resumed: {ledger.count} jobs are already done", soft_wrap=True)
        if search.wins is None:
            pool = make_pool(args, console)
            try:
                with Interrupt():
                    progress = None if args.quiet else report
                    search.run(pool, engine, limits, args.time, progress, args.report)
            except KeyboardInterrupt:
                stopped = True
            finally:
                pool.close()
            if stopped:
                hint = "; the same command resumes from here" if args.resume else ""
                console.print(f"stopped{hint}", soft_wrap=True)
    finally:
        ledger.close()
    lines, answer = summary(search, stopped)
    print("\n".join(lines))
    write_json(args.json, answer)
    if search.wins is not None:
        return 0
    return 130 if stopped else NOT_SOLVED


def main(argv: Sequence[str] | None = None) -> int:
    return guarded(run_command, argv)
