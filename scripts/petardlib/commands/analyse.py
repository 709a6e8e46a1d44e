"""Analyses positions and games of Breakthrough with one or more UCI engines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from petardlib.analysis.accounts import joined, players
from petardlib.analysis.annotate import SIGNATURE, annotated
from petardlib.analysis.judge import Thresholds, read_test
from petardlib.analysis.records import Analysis
from petardlib.analysis.result import Judged, judge_all, reports_of
from petardlib.analysis.tasks import tasks_of
from petardlib.analysis.view import (
    COLUMNS,
    print_game,
    print_players,
    print_position,
    print_set,
    rows,
    write_csv,
)
from petardlib.base.errors import UserError
from petardlib.base.files import check_outputs, check_own, replace_text
from petardlib.base.journal import Journal, decoder
from petardlib.base.process import Interrupt
from petardlib.commands.cli import (
    add_engine_options,
    add_quiet_option,
    add_resume_option,
    add_worker_options,
    check_json,
    check_numbers,
    engines_of,
    guarded,
    make_console,
    make_pool,
    write_json,
)
from petardlib.openingbook.file import OpeningBook
from petardlib.openingbook.opening import Opening, opening_of, read_book, shipped
from petardlib.play.inputs import Item, Reading, judge
from petardlib.play.spec import EngineSpec, read_toml
from petardlib.report import MARK
from petardlib.rules.positions import BREAKTHROUGH, VARIANTS, size_of

EXAMPLES = """\
exit status: 0 done, 2 an error, 130 stopped

examples:
  the start position after two moves, three lines, one second:
    analyse.py --position "startpos moves a2a3 a7b6" --multipv 3 \\
               --engine cmd=target/release/petard movetime=1000
  all games of a tournament, as a review in one HTML file:
    analyse.py games.pgn --engine cmd=target/release/petard nodes=200000 --html analysis.html
  a test set with bm, am or dm, by two engines side by side, resumable:
    analyse.py tests.epd --engine name=a cmd=./a --engine name=b cmd=./b --each depth=12 \\
               --resume tests.jsonl
  from a pipe:
    echo "8/8/1p6/8/P7/8/8/8 w 0 1" | analyse.py - --engine cmd=target/release/petard
"""


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="FEN or EPD lines; games in PGN, as lists of moves or as trmph links; - is standard "
        "input",
    )
    p.add_argument(
        "--position",
        action="append",
        default=[],
        metavar="TEXT",
        help="a position as in UCI: 'startpos moves a2a3 ...', 'fen FEN moves ...'",
    )
    p.add_argument("--board", metavar="WxH", help="board of startpos (default 8x8)")
    p.add_argument(
        "--variant",
        choices=VARIANTS,
        default=BREAKTHROUGH,
        help="which game (a PGN game names its own)",
    )
    p.add_argument(
        "--positions", action="store_true", help="analyse the last position of each game only"
    )
    p.add_argument(
        "--skip-errors",
        action="store_true",
        help="leave out games and positions that cannot be read, and say which",
    )
    p.add_argument(
        "--book",
        type=Path,
        metavar="FILE",
        help="opening book that names the openings of games and where they left it (default: the "
        "engine's own for the board, if there is one)",
    )
    who = add_engine_options(p, "movetime=1000")
    who.add_argument(
        "--multipv", type=int, default=1, metavar="N", help="number of lines (default 1)"
    )
    who.add_argument(
        "--prove",
        type=float,
        metavar="S",
        help="also ask the prover of each engine, which must be petard, for up to S seconds per "
        "position; what it proves is reported as won or lost, and a move that gives away a proven "
        "win is marked. Solved boards need no extra time",
    )
    marks = p.add_argument_group("marks (loss of win probability from 0 to 1)")
    usual = Thresholds()
    for name in ("inaccuracy", "mistake", "blunder"):
        value = getattr(usual, name)
        text = f"default {value:g}"
        marks.add_argument(f"--{name}", type=float, default=value, metavar="P", help=text)
    marks.add_argument(
        "--scale",
        type=float,
        default=usual.scale,
        metavar="CP",
        help="centipawns that mean odds of ten to one, for engines without WDL "
        f"(default {usual.scale:g})",
    )
    where = p.add_argument_group("work and results")
    add_worker_options(where, "positions")
    add_resume_option(where, "analyses as JSON lines")
    where.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="analyses with their verdicts, games and players as JSON lines; - is standard output",
    )
    where.add_argument("--csv", type=Path, metavar="FILE", help="results as a CSV table")
    where.add_argument(
        "--pgn",
        type=Path,
        metavar="FILE",
        help="the games with evaluations, marks and better lines, by the first engine",
    )
    where.add_argument("--html", type=Path, metavar="FILE", help="the page's review as one file")
    where.add_argument("--title", default="Analysis", help="title of the review")
    where.add_argument("--no-tables", action="store_true", help="print no tables")
    add_quiet_option(where)
    return p


def check(args: argparse.Namespace) -> None:
    """Refuse what makes no sense, and files that must not be written."""
    check_numbers(args, multipv=1, workers=1, scale=0.0, prove=0.0)
    if not 0 < args.inaccuracy <= args.mistake <= args.blunder <= 1:
        raise UserError("expected 0 < --inaccuracy <= --mistake <= --blunder <= 1")
    inputs = [name for name in args.files if name != "-"]
    inputs += [path for path in (args.toml, args.book) if path]
    check_outputs(
        {
            "--resume": args.resume,
            "--json": args.json,
            "--csv": args.csv,
            "--pgn": args.pgn,
            "--html": args.html,
        },
        inputs,
    )
    check_json(args.json)
    check_own("--html", args.html, MARK)
    check_own("--pgn", args.pgn, f'{SIGNATURE}"]')
    check_own("--csv", args.csv, ",".join(COLUMNS[:4]))


def read_items(args: argparse.Namespace, console: Console) -> list[Item]:
    """Everything to be analysed, every move checked."""
    names = args.files
    if not names and not args.position:
        if sys.stdin.isatty():
            raise UserError("nothing to analyse: name files, '-' or --position")
        names = ["-"]
    skipped: list[str] | None = [] if args.skip_errors else None
    reading = Reading(args.variant, args.board, args.positions, skipped)
    items = [reading.line(text) for text in args.position]
    items += reading.files(names, sys.stdin.buffer.read() if "-" in names else None)
    for error in skipped or []:
        console.print(f"left out: {error}", soft_wrap=True, markup=False)
    if not items:
        raise UserError("nothing to analyse: no position and no game in the input")
    for item in items:
        judge(item)
        read_test(item)
    return items


def analyse(
    items: list[Item],
    engines: list[EngineSpec],
    args: argparse.Namespace,
    journal: Journal[Analysis],
    console: Console,
) -> bool:
    """Do what is not done yet; return whether the user stopped it."""
    done: set[str] = set()

    journal.read(lambda record: done.add(record.key))
    wanted = list(tasks_of(items, engines, args.multipv, args.prove))
    tasks = [task for task in wanted if task.key not in done]
    if len(tasks) < len(wanted):
        console.print(f"resumed: {len(wanted) - len(tasks)} positions are already analysed")
    if not tasks:
        return False
    pool = make_pool(args, console, len(tasks))
    progress = Progress(
        TextColumn("[bold]positions"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=args.quiet or not console.is_terminal,
    )
    try:
        with Interrupt(), progress:
            bar = progress.add_task("positions", total=len(tasks))
            for _, record in pool.run(iter(tasks)):
                journal.append(record)
                progress.advance(bar)
    except KeyboardInterrupt:
        console.print("stopped; partial results follow")
        return True
    finally:
        pool.close()
    return False


def openings_of(items: list[Item], path: Path | None) -> dict[int, Opening]:
    """The openings of games, by the number of the item; those that no book has are left out."""
    own = read_book(path) if path else None
    books: dict[tuple[int, int], OpeningBook | None] = {}
    found: dict[int, Opening] = {}
    for number, item in enumerate(items, start=1):
        if not item.is_game or item.variant != BREAKTHROUGH:
            continue
        size = size_of(item.fen)
        if size not in books:
            books[size] = own or shipped(size)
        book = books[size]
        if book and (opening := opening_of(book, item.fen, item.moves)):
            found[number] = opening
    return found


def show(
    console: Console, judged: list[Judged], scale: float, openings: dict[int, Opening]
) -> None:
    """Print tables: boards for a few positions, a list for many, games move by move."""
    positions = [one for one in judged if not one.item.is_game]
    if len(positions) <= 3 and not any(one.test for one in positions):
        for one in positions:
            print_position(console, one, scale)
    elif positions:
        print_set(console, positions, scale)
    for one in judged:
        if one.item.is_game:
            print_game(console, one.item, [found.report for found in one.found if found.report])
            if opening := openings.get(one.number):
                console.print(opening.text(), soft_wrap=True)
    for engine in dict.fromkeys(found.engine for one in judged for found in one.found):
        reports = list(reports_of(judged, engine))
        if len(reports) > 1:
            print_players(console, engine, players(reports), len(reports))


def run_command(argv: Sequence[str] | None) -> int:
    """Analyse; 0 when all is done, 130 when stopped."""
    args = parser().parse_args(argv)
    check(args)
    console = make_console()
    toml = read_toml(args.toml) if args.toml else None
    engines = engines_of(args, toml, {"movetime": 1000})
    limits = Thresholds(args.inaccuracy, args.mistake, args.blunder, args.scale)
    items = read_items(args, console)
    openings = openings_of(items, args.book)
    header = {
        "kind": "analyses",
        "version": 1,
        "engines": [spec.to_json() for spec in engines],
        "programs": {spec.name: {"sha256": spec.file_hash()} for spec in engines},
        "multipv": args.multipv,
    }
    if args.prove:
        header["prove"] = args.prove
    journal = Journal(args.resume, header, decoder(Analysis))
    try:
        stopped = analyse(items, engines, args, journal, console)
        names = [spec.name for spec in engines]
        judged = judge_all(items, names, {one.key: one for one in journal}, limits)
    finally:
        journal.close()
    if not args.no_tables:
        show(console, judged, limits.scale, openings)
    write_json(args.json, *joined(judged))
    if args.csv:
        write_csv(args.csv, rows(judged, limits.scale))
    if args.pgn:
        text = annotated(judged)
        if not text:
            console.print("--pgn: no game was analysed to its end, so none is written")
        else:
            replace_text(args.pgn, [text])
    if args.html:
        from petardlib.report.analysis import write_report

        write_report(args.html, args.title, judged, names, limits)
        console.print(f"report: {args.html}", soft_wrap=True, markup=False)
    return 130 if stopped else 0


def main(argv: Sequence[str] | None = None) -> int:
    return guarded(run_command, argv)
