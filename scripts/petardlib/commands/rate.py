"""Ratings, standings and verdicts from the games of tournaments, in ledgers or PGN files."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from petard import pgn
from petardlib.base.errors import UserError
from petardlib.base.files import check_outputs
from petardlib.commands.cli import check_json, guarded, make_console, write_json
from petardlib.commands.tournament import SPRT_HELP, read_sprt
from petardlib.play.display import print_match, print_whole
from petardlib.play.standings import check_standings, write_standings
from petardlib.stats.games import GameRecord, read_ledger
from petardlib.stats.ratings import RatingList, groups
from petardlib.stats.standings import HEADINGS, Standing, cells, standings
from petardlib.stats.summary import Summary

EXAMPLES = """\
examples:
  one list of several tournaments, in which fairy has 2000 Elo:
    rate.py monday.jsonl tuesday.pgn --anchor fairy=2000 --standings list.md
  the verdict of a match with other bounds:
    rate.py match.jsonl --sprt elo0=0 elo1=5
"""


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="what tournament.py --resume or --pgn has written, or other PGN files",
    )
    p.add_argument(
        "--anchor",
        action="append",
        metavar="NAME=ELO",
        help="a player whose rating is known; errors are those of differences to it (default: the "
        "average is 0)",
    )
    p.add_argument(
        "--players", nargs="+", metavar="NAME", help="only games between these (default: all)"
    )
    p.add_argument(
        "--sprt",
        nargs="*",
        metavar="KEY=VALUE",
        help=f"the verdict of a sequential test of two players over pairs of games; {SPRT_HELP}",
    )
    p.add_argument(
        "--standings", type=Path, metavar="FILE", help="standings as CSV (.csv) or Markdown (.md)"
    )
    p.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="standings and verdict as a JSON object; - is standard output",
    )
    return p


def read_results(path: Path) -> Iterator[tuple[GameRecord | None, object]]:
    """The games of a file, and what the two of a pair share; None if there is no result."""
    try:
        text = pgn.decode(path.read_bytes())
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    # Before the tags of a PGN there may be a comment.
    if not text.startswith('{"'):
        for tags in pgn.read_headers(text):
            # The two games of an opening are of one round, or begin alike.
            pair: object = (path, *(pgn.tag(tags, name) for name in ("Round", "FEN", "Opening")))
            known = {name.lower(): pgn.tag(tags, name) for name in ("White", "Black", "Result")}
            try:
                yield msgspec.convert(known, GameRecord), pair
            except msgspec.ValidationError:
                yield None, pair
        return
    for game in read_ledger(path, text):
        yield game, (path, game.pair)


def summarise(files: Sequence[Path], players: Sequence[str] | None) -> tuple[Summary, int]:
    """All games with a known result, and how many were left out because they have none."""
    found = [one for path in files for one in read_results(path)]
    known = [(game, pair) for game, pair in found if game and game.white != game.black]
    names = list(dict.fromkeys(name for game, _ in known for name in (game.white, game.black)))
    if missing := [name for name in players or () if name not in names]:
        raise UserError(f"--players {missing[0]}: has played no game; players: {', '.join(names)}")
    wanted = list(players or names)
    summary = Summary(wanted)
    for game, pair in known:
        if game.white in wanted and game.black in wanted:
            summary.add(game, pair)
    if not summary.games:
        raise UserError("no games with a result")
    return summary, len(found) - len(known)


def read_anchor(texts: Sequence[str], names: Sequence[str]) -> tuple[str, float] | None:
    """The player of ``--anchor``, and its rating."""
    if not texts:
        return None
    if len(texts) > 1:
        raise UserError(f"--anchor: one player, not {len(texts)}")
    text = texts[0]
    name, _, value = text.rpartition("=")
    try:
        elo = float(value)
    except ValueError:
        elo = math.nan
    if not name or not math.isfinite(elo):
        raise UserError(f"--anchor {text}: expected NAME=ELO")
    if name not in names:
        raise UserError(f"--anchor {name}: has played no game; players: {', '.join(names)}")
    return name, elo


def show(
    console: Console, lines: Sequence[Standing], rated: RatingList | None, summary: Summary
) -> None:
    """Print the standings, and what limits the ratings."""
    table = Table(title=f"{summary.games} games", title_justify="left")
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading == "player" else "right")
    for line in lines:
        table.add_row(*map(escape, cells(line)))
    print_whole(console, table)
    if rated is not None:
        note = f"White's advantage {rated.advantage:+z.1f} ± {rated.advantage_error:.1f} Elo"
        if rated.with_prior:
            note += "; too one-sided for a finite maximum, regularised with imaginary draws"
        console.print(note, soft_wrap=True)
    if len(parts := groups(summary.rating_rows())) > 1:
        apart = "; ".join(", ".join(sorted(part)) for part in parts)
        console.print(
            f"[yellow]note:[/] these have not met, so their ratings cannot be compared: "
            f"{escape(apart)}",
            soft_wrap=True,
        )


def run_command(argv: Sequence[str] | None) -> int:
    """Rate; 0 when done, with ``--sprt`` the statuses of `tournament.py`."""
    args = parser().parse_args(argv)
    check_outputs({"--standings": args.standings, "--json": args.json}, args.files)
    check_json(args.json)
    check_standings(args.standings)
    console = make_console()
    summary, unknown = summarise(args.files, args.players)
    sprt = read_sprt(args.sprt, len(summary.names))
    rated = summary.ratings(read_anchor(args.anchor or (), summary.names))
    lines = standings(summary, rated)
    show(console, lines, rated, summary)
    if unknown:
        console.print(f"{unknown} games without a result were left out")
    result: dict[str, Any] = {"games": summary.games, "standings": [asdict(one) for one in lines]}
    verdict = None
    if len(summary.names) == 2:
        console.print()
        print_match(console, summary, sprt)
        duel = summary.duel(*summary.names)
        if sprt and duel:
            llr, verdict = sprt.verdict(duel.pentanomial())
            result["sprt"] = {**asdict(sprt), "llr": llr, "verdict": verdict}
    write_standings(args.standings, lines)
    write_json(args.json, result)
    return {"H1": 0, "H0": 1, None: 3}[verdict] if sprt else 0


def main(argv: Sequence[str] | None = None) -> int:
    return guarded(run_command, argv)
