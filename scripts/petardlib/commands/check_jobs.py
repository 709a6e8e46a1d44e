"""Checks a short certificate in many jobs, on this machine or on a Dask cluster."""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from petardlib.base.errors import UserError
from petardlib.base.files import check_outputs
from petardlib.base.journal import Journal
from petardlib.base.process import Interrupt
from petardlib.commands.cli import (
    add_worker_options,
    check_numbers,
    guarded,
    make_console,
    make_pool,
)
from petardlib.proofs.checkjob import COUNTS, CheckTask, check_part
from petardlib.proofs.solvejob import find_engine

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
  check_jobs.py 6x5.proof --workers 2 --ledger 6x5.checked
  check_jobs.py 6x5.proof --ledger 6x5.checked --dask tcp://host:8786 --engine /opt/petard
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(
        description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("file", type=Path, help="the certificate")
    p.add_argument(
        "--engine",
        metavar="PATH",
        help="petard (default: target/release/petard beside these scripts, or on the PATH)",
    )
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
    p.add_argument(
        "--ledger",
        type=Path,
        metavar="FILE",
        help="finished jobs; the same command continues from it",
    )
    add_worker_options(p, "jobs")
    p.add_argument("--json", action="store_true", help="one JSON object as the last line")
    p.add_argument("-q", "--quiet", action="store_true", help="do not report progress")
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
        self.sums = dict.fromkeys(COUNTS, 0)
        self.seconds = 0.0

    def add(self, record: dict[str, Any]) -> None:
        """Add the record of a job."""
        first, last = int(record["first"]), int(record["last"])
        if not 0 <= first < last <= self.leaves or record["leaves"] != last - first:
            raise ValueError("not leaves of this certificate")
        self.done.add((first, last))
        for name in COUNTS:
            self.sums[name] += int(record[name])
        self.seconds += float(record["s"])


def run_jobs(args: argparse.Namespace, engine: str, data: bytes, totals: Totals) -> str | None:
    """Do what is not done yet; return why the certificate is refused, if it is."""
    console = make_console(stderr=True)
    header = {"kind": "check-jobs", "version": 1, "certificate": hashlib.sha256(data).hexdigest()}
    journal = Journal(args.ledger, header)
    try:
        journal.read(totals.add)
        if totals.done:
            console.print(f"resumed: {totals.sums['leaves']} leaves are already checked")
        ranges = open_ranges(totals.done, totals.leaves, args.job_leaves)
        if not ranges:
            return None
        tasks = (CheckTask(engine, data, leaves, args.memory) for leaves in ranges)
        pool = make_pool(args, console, len(ranges))
        try:
            with Interrupt():
                for _, record in pool.run(tasks):
                    if "refused" in record:
                        return str(record["refused"])
                    journal.append(record)
                    totals.add(record)
                    if not args.quiet:
                        console.print(f"{totals.sums['leaves']} of {totals.leaves} leaves")
        finally:
            pool.close()
    finally:
        journal.close()
    return None


def run_command(argv: Sequence[str] | None) -> int:
    """Check; 0 when proven, 1 when refused, 130 when stopped."""
    args = parser().parse_args(argv)
    check_numbers(args, job_leaves=1, workers=1, memory=0)
    check_outputs({"--ledger": args.ledger}, [args.file])
    data = args.file.read_bytes()
    local = find_engine(None if args.dask else args.engine)
    # The jobs may run on another machine.
    engine = (args.engine or local) if args.dask else local
    start = time.monotonic()
    # Checking no leaf here gives the claim and the number of leaves, and checks all moves.
    part = check_part(local, args.file, 0, 0, args.memory)
    # The jobs check the leaves of what was read above, which must be what makes the claim.
    if args.file.read_bytes() != data:
        raise UserError(f"{args.file} has changed in the meantime")
    if part.refused is not None:
        print(f"{args.file}: REFUSED: {part.refused}")
        return REFUSED
    answer = part.answer
    totals = Totals(answer["all_leaves"])
    try:
        refused = run_jobs(args, engine, data, totals)
    except KeyboardInterrupt:
        hint = "; the same command resumes from here" if args.ledger else ""
        print(f"stopped: {totals.sums['leaves']} of {totals.leaves} leaves hold{hint}")
        return 130
    if refused is not None:
        print(f"{args.file}: REFUSED: {refused}")
        return REFUSED
    print(answer["fen"])
    print(f"proven: {answer['winner']} wins")
    sums = totals.sums
    print(
        f"{answer['board']}, {answer['positions']} positions kept, {sums['leaves']} leaves: "
        f"{sums['nodes']} nodes to prove them, {sums['checked']} positions checked, "
        f"{totals.seconds:.1f} s of jobs"
    )
    if args.json:
        told = {**answer, **sums, "proven": True, "seconds": round(time.monotonic() - start, 3)}
        print(json.dumps(told))
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """The command."""
    return guarded(run_command, argv)
