"""Checks a short certificate in many jobs, on this machine or on a Dask cluster."""

from __future__ import annotations

import argparse
import hashlib
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from petardlib.base.errors import UserError
from petardlib.base.files import check_outputs
from petardlib.base.journal import Journal, decoder
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
from petardlib.play.spec import find_engine
from petardlib.proofs.checkjob import CheckTask, Leaves, Refusal, check_part

REFUSED = 1
JOB_LEAVES = 1000
MEMORY_MB = 256

EPILOG = """\
A short certificate leaves out its leaves, which are independent of each other. A job is
`petard check --leaves FROM-TO`: the prover proves the leaves again, and the checker verifies these
proofs. Each job that succeeds adds a line to the ledger, and the same command resumes from there
after any stop. Workers receive the certificate with their jobs; petard must be installed there.

exit status: 0 proven, 1 refused, 2 an error, 130 stopped

examples:
  check_jobs.py 6x5.proof --workers 2 --resume 6x5.checked
  check_jobs.py 6x5.proof --resume 6x5.checked --dask tcp://host:8786 --engine cmd=/opt/petard
"""


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("file", type=Path, help="the certificate")
    add_program_option(p)
    p.add_argument(
        "--job-leaves",
        type=int,
        default=JOB_LEAVES,
        metavar="N",
        help=f"leaves per job (default {JOB_LEAVES:,})",
    )
    p.add_argument(
        "--memory",
        type=int,
        default=MEMORY_MB,
        metavar="MB",
        help="memory per job for what its leaves share, which is checked once; 0 checks every leaf "
        f"separately (default {MEMORY_MB})",
    )
    add_resume_option(p, "jobs")
    add_worker_options(p, "jobs")
    add_result_options(p, "the result as a JSON object")
    return p


def open_ranges(done: set[tuple[int, int]], leaves: int, size: int) -> list[tuple[int, int]]:
    """The ranges of at most ``size`` leaves that no finished job covers."""
    found, at = [], 0
    for first, last in [*sorted(done), (leaves, leaves)]:
        while at < first:
            end = min(at + size, first)
            found.append((at, end))
            at = end
        at = max(at, last)
    return found


class Totals:
    """Sums over the results of the jobs."""

    def __init__(self, leaves: int) -> None:
        """Start with none of ``leaves`` checked."""
        self.leaves = leaves
        self.done: set[tuple[int, int]] = set()
        self.checked = Leaves(0, 0, 0, 0, 0, 0.0)

    def add(self, part: Leaves) -> None:
        """Add the record of a job."""
        if not part.first < part.last <= self.leaves or part.leaves != part.last - part.first:
            raise ValueError("not leaves of this certificate")
        self.done.add((part.first, part.last))
        self.checked.leaves += part.leaves
        self.checked.nodes += part.nodes
        self.checked.checked += part.checked
        self.checked.s += part.s


def run_jobs(args: argparse.Namespace, engine: str, data: bytes, totals: Totals) -> Refusal | None:
    """Do what is not done yet; return why the certificate is refused, if it is."""
    console = make_console(stderr=True)
    header = {"kind": "check-jobs", "version": 1, "certificate": hashlib.sha256(data).hexdigest()}
    journal = Journal(args.resume, header, decoder(Leaves))
    try:
        journal.read(totals.add)
        if totals.done:
            console.print(f"resumed: {totals.checked.leaves} leaves are already checked")
        ranges = open_ranges(totals.done, totals.leaves, args.job_leaves)
        if not ranges:
            return None
        tasks = (CheckTask(engine, data, leaves, args.memory) for leaves in ranges)
        pool = make_pool(args, console, len(ranges))
        reported = time.monotonic()
        try:
            with Interrupt():
                for _, record in pool.run(tasks):
                    if isinstance(record, Refusal):
                        return record
                    journal.append(record)
                    totals.add(record)
                    if not args.quiet and time.monotonic() - reported >= args.report:
                        reported = time.monotonic()
                        console.print(f"{totals.checked.leaves} of {totals.leaves} leaves")
        finally:
            pool.close()
    finally:
        journal.close()
    return None


def run_command(argv: Sequence[str] | None) -> int:
    """Check; 0 when proven, 1 when refused, 130 when stopped."""
    args = parser().parse_args(argv)
    check_numbers(args, job_leaves=1, workers=1, memory=0)
    check_outputs({"--resume": args.resume, "--json": args.json}, [args.file])
    check_json(args.json)
    data = args.file.read_bytes()
    # Without --dask, the jobs run on this machine like the first look at the file.
    local = find_engine(None) if args.dask else program_of(args)
    engine = program_of(args, remote=True) if args.dask else local
    start = time.monotonic()
    # Checking no leaf here gives the claim and the number of leaves, and checks all moves.
    part = check_part(local, args.file, 0, 0, args.memory)
    # The jobs check the leaves of what was read above, which must be what makes the claim.
    if args.file.read_bytes() != data:
        raise UserError(f"{args.file} has changed in the meantime")
    if isinstance(part, Refusal):
        return refuse(args.file, part)
    totals = Totals(part.all_leaves)
    try:
        refusal = run_jobs(args, engine, data, totals)
    except KeyboardInterrupt:
        hint = "; the same command resumes from here" if args.resume else ""
        print(f"stopped: {totals.checked.leaves} of {totals.leaves} leaves hold{hint}")
        return 130
    if refusal is not None:
        return refuse(args.file, refusal)
    sums = totals.checked
    print(part.fen)
    print(f"proven: {part.winner} wins")
    print(
        f"{part.board}, {part.positions} positions kept, {sums.leaves} leaves: "
        f"{sums.nodes} nodes to prove them, {sums.checked} positions checked, "
        f"{sums.s:.1f} s of jobs"
    )
    part.proven, part.seconds = True, round(time.monotonic() - start, 3)
    part.leaves, part.nodes, part.checked = sums.leaves, sums.nodes, sums.checked
    write_json(args.json, msgspec.to_builtins(part))
    return 0


def refuse(file: Path, refusal: Refusal) -> int:
    """Report a refusal; the exit status that says so."""
    print(f"{file}: REFUSED: {refusal.reason}")
    return REFUSED


def main(argv: Sequence[str] | None = None) -> int:
    return guarded(run_command, argv)
