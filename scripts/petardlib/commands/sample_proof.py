"""Spot-checks a proof that is too large for a certificate."""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from petard import Board
from petardlib import SCRIPTS_DIR
from petardlib.base.errors import UserError
from petardlib.base.process import Interrupt
from petardlib.commands.cli import (
    add_program_option,
    add_quiet_option,
    check_json,
    check_numbers,
    guarded,
    program_of,
    write_json,
)
from petardlib.proofs.solvejob import JobLimits, Solver
from petardlib.rules.keys import as_white, key_of
from petardlib.rules.positions import board_of, start_board

REFUTED, UNDECIDED = 1, 3
HEADER_LINES = 5
COLOUR = {"first": "white", "second": "black"}
"""Samples have White to move."""

EPILOG = """\
Lines are played from a position that `petard solve --resume FILE` has proven: the winner makes the
move that the table knows, the loser either the solver's best move or a random one, by the toss of
a coin. Where a line ends, after --plies plies, the position is proven again by a solver that has
never seen the table, and this proof is written as a certificate and checked by one of the two
checkers. A position that the table wrongly takes to be won is found only if a line leads to it:
samples make a proof likely; they do not replace it.

exit status: 0 all samples hold, 1 one is refuted, 3 some were not decided, 2 an error, 130 stopped

example:
  petard solve --board 5x6 --hash 4096 --resume 5x6.ckpt
  sample_proof.py --board 5x6 --hash 4096 --checkpoint 5x6.ckpt --samples 50 --plies 8 --rust
"""


@dataclass(frozen=True)
class Sample:
    """A position reached by a line, and who wins it according to the table."""

    fen: str
    wins: bool


@dataclass(frozen=True)
class Check:
    """What a new proof says about a sample: holds, refuted, or undecided."""

    fen: str
    verdict: str
    nodes: int
    positions: int
    message: str


class TableError(Exception):
    """The table contradicts itself or the rules."""


Solve = Callable[[str], dict[str, Any]]


def walk(start: Board, plies: int, solve: Solve, coin: random.Random) -> Sample | None:
    """Play one line; the position at its end, or None if the game ended earlier."""
    board, wins = as_white(start).copy(stack=False), None
    for _ in range(plies):
        fen = f"{board.board_fen()} w 0 1"
        answer = solve(fen)
        if answer["winner"] == "unknown":
            raise UserError(f"{fen}: the table does not know who wins, and --nodes is too low")
        if wins not in (None, answer["winner"] == "first"):
            raise TableError(f"{fen}: both won and lost, according to the table")
        wins = answer["winner"] == "first"
        move = answer["move"]
        if move is None:
            # The rules may show the winner before a search has found the move.
            raise UserError(f"{fen}: the table does not know the move, and --nodes is too low")
        if move not in board.legal_moves.uci():
            raise TableError(f"{fen}: the table's move {move} is not legal")
        if not wins and coin.random() < 0.5:
            move = coin.choice(sorted(board.legal_moves.uci()))
        board.push_uci(move)
        board, wins = as_white(board), not wins
        outcome = board.outcome()
        if outcome is not None:
            if outcome.winner != wins:
                raise TableError(f"{fen}: the table's winner loses after {move}")
            return None
    assert wins is not None
    return Sample(f"{board.board_fen()} w 0 1", wins)


def header(path: Path) -> dict[str, str]:
    """The lines of text of a certificate, by their first word."""
    with path.open("rb") as file:
        lines = [file.readline().decode("ascii").strip() for _ in range(HEADER_LINES)]
    return dict(line.partition(" ")[::2] for line in lines)


def run_checker(path: Path, engine: str | None) -> tuple[bool, str]:
    """Whether a certificate holds, and what its checker says; only a checker can refuse it.

    The checker is the engine's, or without an engine the one in Python.
    """
    if engine is not None:
        command = [engine, "check", "--quiet", "--threads", "1", str(path)]
    else:
        command = [sys.executable, str(SCRIPTS_DIR / "check_certificate.py"), "-q", str(path)]
    accepted, refused = "proven: ", "REFUSED: "
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    output = done.stdout if done.returncode == 0 else done.stdout + done.stderr
    expected = refused if done.returncode else accepted
    message = next((line for line in output.splitlines() if expected in line), None)
    if message is None:
        raise UserError(f"'{' '.join(command)}' failed: {output.strip()[-500:]}")
    return done.returncode == 0, message.strip().removeprefix(f"{path}: ")


def check(engine: str, limits: JobLimits, sample: Sample, rust: bool) -> Check:
    """Prove a sample from scratch and have the certificate checked."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate"
        command = [engine, "solve", "--fen", sample.fen, *limits.words(), "--json", "--quiet"]
        done = subprocess.run(
            [*command, "--certificate", str(path)], capture_output=True, text=True, check=False
        )
        if done.returncode == UNDECIDED:
            nodes = json.loads(done.stdout.splitlines()[-1])["nodes"]
            return Check(sample.fen, "undecided", nodes, 0, "")
        if done.returncode:
            raise UserError(f"'{' '.join(command)}': {done.stderr.strip()}")
        answer = json.loads(done.stdout.splitlines()[-1])
        if (answer["winner"] == "first") != sample.wins:
            return Check(sample.fen, "refuted", answer["nodes"], 0, "a different winner")
        said = header(path)
        # A certificate for something else would prove nothing here.
        if (said["fen"], said["winner"]) != (sample.fen, COLOUR[answer["winner"]]):
            raise UserError(f"{sample.fen}: its certificate is for {said}")
        holds, message = run_checker(path, engine if rust else None)
        verdict = "holds" if holds else "refuted"
        return Check(sample.fen, verdict, answer["nodes"], int(said["entries"]), message)


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    position = p.add_mutually_exclusive_group(required=True)
    position.add_argument("--board", metavar="WxH", help="start position, files x ranks")
    position.add_argument("--fen", metavar="FEN", help="any position that the table has proven")
    p.add_argument(
        "--checkpoint",
        type=Path,
        required=True,
        metavar="FILE",
        help="what `petard solve --resume` has saved; what its table does not know about the "
        "lines is added to it",
    )
    p.add_argument(
        "--trust",
        type=Path,
        metavar="FILE",
        help="the short certificate that the table assumes, if it was made with --trust",
    )
    p.add_argument("--hash", type=int, required=True, metavar="MB", help="the table's size")
    add_program_option(p)
    p.add_argument(
        "--samples", type=int, default=50, metavar="N", help="lines to play (default 50)"
    )
    p.add_argument("--plies", type=int, default=12, metavar="N", help="plies per line (default 12)")
    p.add_argument("--seed", type=int, default=1, metavar="N", help="random seed (default 1)")
    p.add_argument(
        "--nodes",
        type=int,
        default=20_000_000,
        metavar="N",
        help="nodes for each query of the table and each proof (default 20,000,000)",
    )
    p.add_argument(
        "--proof-hash",
        type=int,
        default=256,
        metavar="MB",
        help="table of each new proof (default 256)",
    )
    p.add_argument(
        "--workers", type=int, default=1, metavar="N", help="proofs in parallel (default 1)"
    )
    p.add_argument(
        "--rust",
        action="store_true",
        help="check with `petard check`; check_certificate.py is slow on boards "
        "of five or more files",
    )
    p.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="a JSON object for each sample; - is standard output",
    )
    add_quiet_option(p)
    return p


def run_command(argv: Sequence[str] | None) -> int:
    """Sample, prove, check, report."""
    args = parser().parse_args(argv)
    check_json(args.json)
    check_numbers(args, hash=1, samples=1, plies=1, nodes=1, proof_hash=1, workers=1)
    if not args.checkpoint.is_file():
        raise UserError(f"{args.checkpoint}: there is no such checkpoint")
    board = board_of(args.fen) if args.fen else start_board(size=args.board)
    engine = program_of(args)
    if board.is_game_over():
        raise UserError(f"the game is over in {board.fen()}: there are no lines to play")
    coin = random.Random(args.seed)
    samples: dict[str, Sample] = {}
    ended = 0
    limits = JobLimits(args.nodes, None, args.hash)
    trusted = ["--trust", str(args.trust)] if args.trust else []
    table = Solver(engine, limits, "--resume", str(args.checkpoint), *trusted)

    def solve(position: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(table.ask(position))
        return answer

    try:
        for _ in range(args.samples):
            sample = walk(board, args.plies, solve, coin)
            if sample is None:
                ended += 1
            else:
                samples.setdefault(key_of(board_of(sample.fen)), sample)
    except TableError as error:
        print(f"REFUTED: {error}", file=sys.stderr)
        return REFUTED
    finally:
        table.finish()
    limits = JobLimits(args.nodes, None, args.proof_hash)
    counts = dict.fromkeys(("holds", "refuted", "undecided"), 0)
    checks: list[Check] = []
    positions = nodes = 0
    with ThreadPoolExecutor(args.workers) as pool:
        for found in pool.map(
            lambda sample: check(engine, limits, sample, args.rust), samples.values()
        ):
            counts[found.verdict] += 1
            positions += found.positions
            nodes += found.nodes
            text = f"{found.verdict}  {found.fen}  nodes {found.nodes:,}  {found.message}"
            if not args.quiet or found.verdict == "refuted":
                print(text, flush=True)
            checks.append(found)
    write_json(args.json, *map(asdict, checks))
    print(
        f"{args.samples} lines of {args.plies} plies: {ended} games that ended in the winner's "
        f"favour, {len(samples)} different positions; {counts['holds']} proven again and checked "
        f"({nodes:,} nodes, {positions:,} positions in certificates), {counts['refuted']} refuted, "
        f"{counts['undecided']} undecided"
    )
    if not samples:
        print("no line leads to a position to prove: all end the game before --plies")
        return UNDECIDED
    return REFUTED if counts["refuted"] else UNDECIDED if counts["undecided"] else 0


def main(argv: Sequence[str] | None = None) -> int:
    with Interrupt():
        return guarded(run_command, argv)
