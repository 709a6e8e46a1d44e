#!/usr/bin/env python3
"""Measures how strong and fast a version is, and writes the tables of docs/strength.md.

    benches/strength.py --previous ./petard-6def53d

plays a fixed list of matches (`MATCHES`), the ladder of `UCI_Elo` and the measurements of speed
(`SPEED`), and replaces what stands between the markers of the page. Everything that was played is
kept in `--out`, a folder for each commit: the same command resumes after any stop. `--games` plays
fewer games of each pairing; a later run with more adds to them. A match whose opponent is not there
is left out of the table. Needs the Python package and what the scripts need.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

from petardlib.base.errors import UserError  # noqa: E402
from petardlib.base.files import replace_text  # noqa: E402
from petardlib.commands import openings, rate, tournament  # noqa: E402
from petardlib.commands.cli import guarded  # noqa: E402
from petardlib.stats.match import Z95  # noqa: E402

PAGE = ROOT / "docs" / "strength.md"
LADDER = ROOT / "scripts" / "data" / "uci-elo.toml"
MEASURE = str(ROOT / "benches" / "measure.py")
FAIRY = "/usr/games/fairy-stockfish"
HASH = 64
MARGIN = "margin=1000"
"""Strength is measured, not punctuality: a busy machine delays engines and runner alike."""


class Match(NamedTuple):
    """A match of the table. Each has openings of its own, made by random plies from the seed."""

    board: str
    limit: str
    opponent: str
    opponent_limit: str
    games: int
    seed: int
    plies: int = 8

    @property
    def name(self) -> str:
        """What its files are called."""
        limits = f"{self.limit}-{self.opponent_limit}".replace("=", "")
        return f"{self.board}-{self.opponent}-{limits}"

    @property
    def game(self) -> list[str]:
        """The game and board, as the scripts take it."""
        freeling = self.board == "freeling"
        return ["--variant", "freeling"] if freeling else ["--board", self.board]


MATCHES = (
    Match("8x8", "movetime=100", "fairy", "movetime=100", 200, 4002),
    Match("8x8", "nodes=150", "fairy", "nodes=300000", 100, 4003),
    Match("7x7", "movetime=100", "fairy", "movetime=100", 200, 4004),
    Match("6x6", "movetime=100", "fairy", "movetime=100", 200, 4005, plies=6),
    Match("8x8", "movetime=50", "previous", "movetime=50", 200, 4012),
    Match("8x8", "nodes=1000", "previous", "nodes=1000", 200, 4013),
    Match("8x6", "movetime=50", "previous", "movetime=50", 200, 4006),
    Match("7x6", "movetime=50", "previous", "movetime=50", 200, 4007),
    Match("10x10", "movetime=50", "previous", "movetime=50", 100, 4008),
    Match("12x8", "movetime=50", "previous", "movetime=50", 100, 4009),
    Match("16x8", "movetime=50", "previous", "movetime=50", 100, 4010),
    Match("freeling", "movetime=50", "previous", "movetime=50", 100, 4011),
    Match("8x8", "movetime=10", "previous", "movetime=100", 400, 4001),
    Match("7x7", "movetime=10", "previous", "movetime=50", 200, 4014),
    Match("6x6", "movetime=10", "previous", "movetime=50", 200, 4015, plies=6),
)

LADDER_GAMES = 60

SPEED = (
    ("perft 6, leaves a second, against Fairy-Stockfish", ["perft", "--opponent", "{fairy}"]),
    ("nodes a second, against the previous version", ["nodes", "--opponent", "{previous}"]),
    ("from `stop` to `bestmove`", ["stop"]),
    ("two threads against one, to depth 17", ["threads"]),
)
"""What is measured by `measure.py`, in words and in its arguments."""


class Programs(NamedTuple):
    """The programs that play: the version that is measured, and its opponents by name."""

    own: Path
    opponents: dict[str, Path]


def version_of(program: Path) -> str:
    """What a petard says that it is, such as `petard 0.2.0, commit 5bc8455e07`."""
    done = subprocess.run(
        [program, "--version"], capture_output=True, text=True, check=False, timeout=60
    )
    found = re.match(r"(petard [\d.]+)(?: \(commit (\w+))?", done.stdout)
    if not found:
        raise UserError(f"{program}: not a petard")
    return found[1] + (f", commit {found[2]}" if found[2] else "")


def name_of(role: str, program: Path) -> str:
    """What an opponent is called in the table."""
    if role == "previous":
        return "previous version"
    done = subprocess.run(
        [program], input="uci\nquit\n", capture_output=True, text=True, check=False, timeout=60
    )
    found = re.search(r"^id name (.+)$", done.stdout, re.MULTILINE)
    if not found:
        raise UserError(f"{program}: gives no name after `uci`")
    return found[1].strip()


def checked(run: Callable[[Sequence[str]], int], arguments: list[str]) -> None:
    """Run one of the scripts; what stops it stops everything."""
    if status := run(arguments):
        raise SystemExit(status)


def limit_text(limit: str) -> str:
    """A limit in words: `10 ms`, `150 nodes`."""
    key, value = limit.split("=")
    return f"{int(value):,} {'ms' if key == 'movetime' else key}"


def play(match: Match, programs: Programs, games: int | None, out: Path, workers: int) -> str:
    """Play what is missing of a match; its row of the table."""
    wanted = min(games or match.games, match.games)
    book, journal, result = (out / f"{match.name}.{end}" for end in ("epd", "jsonl", "json"))
    if not book.exists():
        # All that the match can need, so that a shorter one begins as a longer one does.
        checked(
            openings.main,
            [
                *("--engine", f"cmd={programs.own}", "nodes=20000", *match.game),
                *("--count", str(match.games // 2), "--plies", str(match.plies)),
                *("--centipawns", "60", "--seed", str(match.seed), "--quiet", "--out", str(book)),
            ],
        )
    checked(
        tournament.main,
        [
            *("--engine", "name=petard", f"cmd={programs.own}", match.limit),
            *("--engine", "name=opponent", f"cmd={programs.opponents[match.opponent]}"),
            *(match.opponent_limit, "--each", f"option.Hash={HASH}", MARGIN, *match.game),
            *("--openings", str(book), "--order", "sequential", "--games", str(wanted)),
            *("--workers", str(workers), "--resume", str(journal), "--json", str(result)),
            "--quiet",
        ],
    )
    opponent = name_of(match.opponent, programs.opponents[match.opponent])
    return match_row(match, json.loads(result.read_text()), opponent)


def score_text(pairs: Sequence[int]) -> str:
    """The score of a match with its 95% interval, from the pairs with 0, 1/2, ... 2 points."""
    total = sum(pairs)
    shares = [points / (len(pairs) - 1) for points in range(len(pairs))]
    mean = sum(share * count for share, count in zip(shares, pairs, strict=True)) / total
    square = sum(count * (share - mean) ** 2 for share, count in zip(shares, pairs, strict=True))
    low, high = mean - (half := Z95 * math.sqrt(square) / total), mean + half
    if not square:
        # Pairs that all ended alike have no spread: Wilson's interval, of the games.
        weight = Z95**2 / (2 * total)
        center = (mean + weight / 2) / (1 + weight)
        half = math.sqrt(weight * (mean * (1 - mean) + weight / 4)) / (1 + weight)
        low, high = center - half, center + half
    return f"{mean:.1%} ({max(low, 0):.0%} to {min(high, 1):.0%})"


def match_row(match: Match, result: dict[str, Any], opponent: str) -> str:
    """A row of the table: who played, how it ended, and what that says."""
    (pairing,) = result["pairings"]
    won, lost, drawn = (pairing[key] for key in ("won", "lost", "drawn"))
    ended = f"{won}-{lost}" + (f", {drawn} drawn" if drawn else "")
    pairs = pairing["pentanomial"]
    board = "Freeling's game" if match.board == "freeling" else match.board
    cells = (
        board,
        limit_text(match.limit),
        f"{opponent}, {limit_text(match.opponent_limit)}",
        str(won + lost + drawn),
        ended,
        score_text(pairs) if sum(pairs) else "",
    )
    return f"| {' | '.join(cells)} |"


def matches(programs: Programs, args: argparse.Namespace) -> str:
    """The table of matches."""
    columns = (
        "board",
        "petard's limit",
        "opponent and its limit",
        "games",
        "won-lost",
        "score (95%)",
    )
    rows = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for match in MATCHES:
        if args.boards and match.board not in args.boards:
            continue
        if match.opponent not in programs.opponents:
            print(f"{match.name}: left out, as there is no --{match.opponent}")
            continue
        rows.append(play(match, programs, args.games, args.out, args.workers))
        print(rows[-1], flush=True)
    previous = programs.opponents.get("previous")
    head = f"The previous version is {version_of(previous)}.\n\n" if previous else ""
    return head + "\n".join(rows)


def ladder(programs: Programs, args: argparse.Namespace) -> str:
    """The ratings of the levels of `UCI_Elo`, best first."""
    journal, result = args.out / "ladder.jsonl", args.out / "ladder.json"
    games = min(args.games or LADDER_GAMES, LADDER_GAMES)
    checked(
        tournament.main,
        [
            *("--toml", str(LADDER), "--format", "ladder", "--games", str(games)),
            *("--each", f"cmd={programs.own}", f"option.Hash={HASH}"),
            *("--workers", str(args.workers), "--resume", str(journal), "--quiet"),
        ],
    )
    anchor = "fairy-stockfish 100=1000"
    checked(rate.main, [str(journal), "--anchor", anchor, "--json", str(result)])
    return ladder_table(json.loads(result.read_text()))


def ladder_table(result: dict[str, Any]) -> str:
    """The players of a rating list, best first."""
    rows = ["| rating | engine | games |", "|---|---|---|"]
    rated = [one for one in result["standings"] if one["elo"] is not None]
    for one in sorted(rated, key=lambda one: -one["elo"]):
        kind, _, number = one["name"].rpartition(" ")
        is_level = kind == "petard"
        what = f"`UCI_Elo` {number}" if is_level else f"Fairy-Stockfish, {int(number):,} nodes"
        error = f" ± {one['error']:.0f}" if one["error"] else ""
        rows.append(f"| {one['elo']:.0f}{error} | {what} | {one['games']} |")
    return "\n".join(rows)


def speed(programs: Programs, args: argparse.Namespace) -> str:
    """The measurements of speed, as `measure.py` sums each up."""
    rows = ["| what | `benches/measure.py` | result |", "|---|---|---|"]
    names = {name: str(path) for name, path in programs.opponents.items()}
    for what, arguments in SPEED:
        try:
            command = [argument.format_map(names) for argument in arguments]
        except KeyError as missing:
            print(f"{arguments[0]}: left out, as there is no --{missing.args[0]}")
            continue
        runs = ["--runs", str(args.runs)] if args.runs else []
        done = subprocess.run(
            [sys.executable, MEASURE, *command, *runs, "--petard", str(programs.own)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(done.stderr)
        rows.append(f"| {what} | `{arguments[0]}` | {summary_of(arguments[0], done.stdout)} |")
        print(rows[-1], flush=True)
    return "\n".join(rows)


def summary_of(measurement: str, output: str) -> str:
    """The closing lines of a measurement, without its name."""
    closing = [line for line in output.splitlines() if re.match(rf"{measurement}[ :,(]", line)]
    texts = (re.sub(rf"^{measurement}[:,]? *", "", line) for line in closing)
    return "; ".join(" ".join(text.split()) for text in texts)


def processor() -> str:
    """The machine's processor, as it calls itself."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return "an unknown processor"
    found = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return found[1].strip() if found else "an unknown processor"


PARTS = {"matches": matches, "ladder": ladder, "speed": speed}


def replaced(page: str, part: str, text: str) -> str:
    """The page with another text between the markers of a part."""
    begin, end = f"<!-- {part} -->\n", f"<!-- end {part} -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if len(pattern.findall(page)) != 1:
        raise UserError(f"the page has no single pair of markers <!-- {part} -->")
    return pattern.sub(lambda _: begin + text + "\n" + end, page)


def positive(text: str) -> int:
    """An argument that counts something."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: expected a positive number")
    return int(text)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options = {
        "--petard": ("PATH", "the version that is measured (default target/release/petard)"),
        "--previous": ("PATH", "the version that came before it"),
        "--fairy": ("PATH", f"Fairy-Stockfish (default {FAIRY})"),
        "--out": ("FOLDER", "what was played (default target/strength/COMMIT)"),
        "--page": ("FILE", "the page with the markers (default docs/strength.md)"),
    }
    for name, (kind, text) in options.items():
        p.add_argument(name, type=Path, metavar=kind, help=text)
    p.set_defaults(petard=ROOT / "target/release/petard", fairy=Path(FAIRY), page=PAGE)
    p.add_argument(
        "--parts", nargs="+", choices=PARTS, default=list(PARTS), help="default: all of them"
    )
    p.add_argument("--boards", nargs="+", metavar="BOARD", help="only the matches on these boards")
    numbers = {
        "--games": "the most games of a pairing, an even number (default: those of the list)",
        "--runs": "runs of each measurement of speed (default: as many as measure.py makes)",
        "--workers": "games played in parallel (default 1)",
    }
    for name, text in numbers.items():
        p.add_argument(name, type=positive, metavar="N", help=text)
    p.set_defaults(workers=1)
    return p


def run_command(argv: Sequence[str] | None) -> int:
    """Measure, and write the page."""
    args = parser().parse_args(argv)
    if args.games and args.games % 2:
        raise UserError(f"--games {args.games}: expected an even number")
    if unknown := set(args.boards or ()) - {match.board for match in MATCHES}:
        raise UserError(f"--boards {min(unknown)}: no match is played there")
    given = {"previous": args.previous, "fairy": args.fairy}
    if args.previous and not args.previous.exists():
        raise UserError(f"--previous {args.previous}: there is no such file")
    there = {name: path.resolve() for name, path in given.items() if path and path.exists()}
    programs = Programs(args.petard.resolve(), there)
    version = version_of(programs.own)
    if args.out is None:
        args.out = ROOT / "target" / "strength" / version.split()[-1]
    args.out.mkdir(parents=True, exist_ok=True)
    page = args.page.read_text(encoding="utf-8")
    for part in args.parts:
        # Better now than after a night of games.
        replaced(page, part, "")
    where = f"{version}; {datetime.date.today()}; {processor()}; {args.workers} in parallel."
    for part in args.parts:
        text = PARTS[part](programs, args)
        page = replaced(page, part, f"{where}\n\n{text}")
        # Each part as soon as it is known: the next may take a night.
        replace_text(args.page, [page])
    return 0


if __name__ == "__main__":
    sys.exit(guarded(run_command))
