"""Finds puzzles in games, in many jobs, on this machine or on a Dask cluster."""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from petard.puzzles import PuzzleError, load, write
from petardlib.base.errors import UserError
from petardlib.base.files import check_outputs, check_own, replace_text
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
from petardlib.play.inputs import Reading
from petardlib.puzzles.job import Effort
from petardlib.puzzles.publish import chosen, prove_again, read_ledgers
from petardlib.puzzles.run import Game, Run, Settings
from petardlib.rules.positions import BREAKTHROUGH, size_of, start_board
from petardlib.stats.games import read_ledger

MARK = "PuzzleId,FEN"

EPILOG = """\
A puzzle is a position in which exactly one move wins: that move is proven to win, every other legal
move is proven to lose, and so at each further move of the solution, against the longest resistance,
until the rest is easy. docs/puzzles.md explains all of it.

Each job plays or reads some games, or draws endings, and finds, rates and describes their puzzles;
its line in the ledger is all that is kept. The same command resumes from there after any stop, on
any machine, and with more --jobs it goes on. --out writes the file of puzzles from the ledgers, no
two alike.

exit status: 0 done, 1 --check has found a false puzzle, 2 an error, 130 stopped

examples:
  puzzles of games that petard plays itself:
    puzzles.py --jobs 1000 --resume 8x8.jsonl --workers 2
  of endings with few pieces:
    puzzles.py --jobs 100 --games 0 --endings 1000 --resume endings.jsonl
  of games in files, one job for ten games:
    puzzles.py games.pgn tournament.jsonl --jobs 0 --resume games.jsonl
  the file that the page and Python share, from ledgers, at most 3,400 puzzles of each board:
    puzzles.py --from 8x8.jsonl 7x7.jsonl 6x6.jsonl --most 3400 --out web/data/puzzles.csv
  200 of them proven again by petard solve, 20 of these by certificates too:
    puzzles.py --check web/data/puzzles.csv --sample 200 --certificates 20
"""


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="games to mine first: PGN, lines of moves, or the ledger of a tournament",
    )
    what = p.add_argument_group("games that petard plays")
    what.add_argument("--board", default="8x8", metavar="WxH", help="board (default 8x8)")
    what.add_argument(
        "--jobs", type=int, default=100, metavar="N", help="number of jobs (default 100)"
    )
    what.add_argument(
        "--games", type=int, default=10, metavar="N", help="games per job (default 10)"
    )
    what.add_argument("--seed", type=int, default=1, help="seed of the games (default 1)")
    what.add_argument(
        "--play-nodes",
        type=int,
        default=100,
        metavar="N",
        help="nodes per move, drawn from 5 to N (default 100)",
    )
    what.add_argument(
        "--endings",
        type=int,
        default=0,
        metavar="N",
        help="also draw N endings with few pieces per job (default 0)",
    )
    p.add_argument(
        "--nodes",
        type=int,
        default=50_000,
        metavar="N",
        help="nodes per proof; positions still undecided are dropped (default 50,000)",
    )
    files = p.add_argument_group("files of puzzles")
    files.add_argument("--out", type=Path, metavar="FILE", help="write the puzzles of --from")
    files.add_argument(
        "--from", dest="ledgers", nargs="+", type=Path, default=[], metavar="LEDGER", help="ledgers"
    )
    files.add_argument(
        "--most", type=int, default=3400, metavar="N", help="puzzles per board (default 3,400)"
    )
    files.add_argument("--check", type=Path, metavar="FILE", help="prove some of its puzzles again")
    files.add_argument(
        "--sample", type=int, default=200, metavar="N", help="how many, drawn at random"
    )
    files.add_argument(
        "--certificates",
        type=int,
        default=20,
        metavar="N",
        help="how many of these, the smallest, also by certificates, which check_certificate.py "
        "checks (default 20)",
    )
    add_resume_option(p, "jobs")
    where = p.add_argument_group("work")
    add_program_option(where)
    add_worker_options(where, "jobs")
    add_result_options(where, "the result as a JSON object")
    return p


def read_games(names: Sequence[str], board: str) -> tuple[Game, ...]:
    """The games of files, those on other boards and of other games left out."""
    games: list[Game] = []
    texts = [name for name in names if not name.endswith(".jsonl")]
    for name in names:
        if name not in texts:
            games += _read_ledger(Path(name))
    for item in Reading(size=board).files(texts, None):
        if item.variant == BREAKTHROUGH and item.moves:
            games.append((item.fen, tuple(item.moves)))
    start = start_board(size=board)
    wanted = (start.files, start.ranks)
    return tuple(game for game in games if size_of(game[0]) == wanted)


def _read_ledger(path: Path) -> list[Game]:
    """The games of Breakthrough in a tournament's ledger."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not the ledger of a tournament") from None
    return [
        (game.fen, tuple(game.moves))
        for game in read_ledger(path, text)
        if game.variant == BREAKTHROUGH and game.moves
    ]


def mine(args: argparse.Namespace) -> tuple[Run, bool]:
    """Do the jobs that are left; the run, and whether it was stopped."""
    start = start_board(size=args.board)
    board = f"{start.files}x{start.ranks}"
    console = make_console(stderr=True)
    effort, games = Effort(args.play_nodes, args.nodes), read_games(args.files, board)
    run = Run(args.resume, Settings(board, args.seed, effort, args.games, games, args.endings))
    try:
        if run.done:
            console.print(f"resumed: {len(run.done)} jobs are done")
        pool = make_pool(args, console)
        try:
            with Interrupt():
                report = None if args.quiet else lambda line: console.print(line, soft_wrap=True)
                run.work(pool, args.jobs, report, args.report)
        except KeyboardInterrupt:
            console.print("stopped; the same command resumes from here", soft_wrap=True)
            return run, True
        finally:
            pool.close()
    finally:
        run.close()
    return run, False


def publish(args: argparse.Namespace) -> int:
    """Write the file of puzzles; how many they are."""
    check_own("--out", args.out, MARK)
    puzzles = chosen(read_ledgers(args.ledgers), args.most)
    replace_text(args.out, [write(puzzles)])
    boards = Counter(puzzle.size for puzzle in puzzles)
    bands = Counter((puzzle.size, puzzle.rating // 500 * 500) for puzzle in puzzles)
    themes = Counter(theme for puzzle in puzzles for theme in puzzle.themes)
    for size, count in boards.most_common():
        spread = ", ".join(
            f"{band}: {number}" for (board, band), number in sorted(bands.items()) if board == size
        )
        print(f"{size}: {count} puzzles; from rating {spread}")
    print(", ".join(f"{theme} {count}" for theme, count in themes.most_common()))
    return len(puzzles)


def check(args: argparse.Namespace) -> int:
    """Prove puzzles of a file again; how many are false."""
    try:
        puzzles = load(args.check)
    except PuzzleError as error:
        raise UserError(str(error)) from None
    program = program_of(args)
    # Drawn with a seed, so that the same command proves the same ones.
    drawn = random.Random(args.seed).sample(puzzles, min(args.sample, len(puzzles)))
    # The independent checker is slow, so it gets those with the fewest pieces.
    drawn.sort(key=lambda puzzle: len(puzzle.board().piece_map()))
    false = [
        objection
        for number, puzzle in enumerate(drawn)
        if (objection := prove_again(puzzle, program, number < args.certificates))
    ]
    for objection in false:
        print(objection)
    with_certificates = min(args.certificates, len(drawn))
    print(
        f"{len(drawn) - len(false)} of {len(drawn)} puzzles hold, "
        f"{with_certificates} of them tried by certificates"
    )
    return len(false)


def run_command(argv: Sequence[str] | None) -> int:
    """Mine, publish or check; see the help for the exit status."""
    args = parser().parse_args(argv)
    check_numbers(
        args,
        jobs=0,
        games=0,
        endings=0,
        seed=0,
        nodes=1,
        play_nodes=1,
        workers=1,
        report=0.0,
        most=1,
    )
    check_numbers(args, sample=1, certificates=0)
    check_outputs({"--resume": args.resume, "--json": args.json, "--out": args.out}, args.ledgers)
    check_json(args.json)
    if bool(args.out) != bool(args.ledgers):
        raise UserError("--out and --from belong together")
    if not (args.resume or args.out or args.check):
        raise UserError("nothing to do: give --resume, --out or --check")
    result: dict[str, object] = {}
    if args.resume:
        run, stopped = mine(args)
        print(f"{args.resume}: {run.games} games, {run.puzzles} puzzles")
        result = {"stopped": stopped, "games": run.games, "puzzles": run.puzzles}
        if stopped:
            write_json(args.json, result)
            return 130
    if args.out:
        result["published"] = publish(args)
    faults = check(args) if args.check else 0
    if args.check:
        result["false"] = faults
    write_json(args.json, result)
    return 1 if faults else 0


def main(argv: Sequence[str] | None = None) -> int:
    return guarded(run_command, argv)
