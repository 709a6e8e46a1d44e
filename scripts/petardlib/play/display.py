"""What a tournament shows on a terminal: progress while it runs, tables when it ends."""

from __future__ import annotations

import math
import time
from collections import Counter

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from petardlib.stats.games import Fault, GameRecord
from petardlib.stats.match import Sprt, sprt_bounds
from petardlib.stats.summary import Summary


class Display:
    """A live view on a terminal, one line per game elsewhere."""

    def __init__(
        self,
        console: Console,
        summary: Summary,
        total: int,
        done: int,
        sprt: Sprt | None,
        quiet: bool = False,
    ) -> None:
        """Show ``total`` games, of which ``done`` were played by an earlier run.

        A ``quiet`` one shows nothing but faults.
        """
        self.console, self.summary, self.total, self.sprt = console, summary, total, sprt
        self.quiet = quiet
        self.progress = Progress(
            TextColumn("[bold]games"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
        )
        self.bar = self.progress.add_task("games", total=total, completed=done)
        self.live: Live | None = None
        self._drawn = 0.0

    def __enter__(self) -> Display:
        """Start drawing."""
        if self.console.is_terminal and not self.quiet:
            self.live = Live(
                self.view(), console=self.console, refresh_per_second=4, transient=True
            )
            self.live.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        if self.live:
            self.live.__exit__(None, None, None)

    def view(self) -> RenderableType:
        """The progress bar and the current score."""
        return Group(self.progress, score_view(self.summary, self.sprt))

    def game(self, record: GameRecord) -> None:
        """Show a finished game."""
        self.progress.advance(self.bar)
        if record.fault:
            self.fault(record, record.fault)
        if self.live:
            # Ratings are refitted for each redraw, so not for every game of a fast match.
            if time.monotonic() - self._drawn > 0.5:
                self._drawn = time.monotonic()
                self.live.update(self.view())
        elif not self.quiet:
            line = (
                f"{self.summary.games}/{self.total} {record.white} - {record.black} "
                f"{record.result} ({record.reason}, {len(record.moves)} plies)"
            )
            if len(self.summary.names) == 2:
                line += f"  {score_line(self.summary, self.sprt)}"
            self.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def fault(self, record: GameRecord, fault: Fault) -> None:
        """Show an engine's fault with the last lines of its dialogue; the journal has more."""
        text = Text(f"game {record.index + 1}: {fault.engine}: ", style="bold red")
        text.append(f"{fault.kind}: {fault.detail}", style="red")
        for line in fault.dialogue[-3:]:
            text.append(f"\n    {line}", style="dim")
        self.console.print(text, soft_wrap=True)


def score_line(summary: Summary, sprt: Sprt | None) -> str:
    """One line about a match of two engines."""
    first, second = summary.names[:2]
    duel = summary.duel(first, second)
    if duel is None:
        return ""
    line = f"{duel.points:g}-{duel.games - duel.points:g}"
    stats = None if summary.nothing_measured else duel.stats()
    if stats and math.isfinite(stats.elo.value):
        line += f"  Elo {stats.elo.text()}  nElo {stats.nelo.text()}"
    if sprt:
        llr, _ = sprt.verdict(duel.pentanomial())
        low, high = sprt_bounds(sprt.alpha, sprt.beta)
        line += f"  LLR {llr:.2f} ({low:.2f}, {high:.2f})"
    return line


def score_view(summary: Summary, sprt: Sprt | None) -> RenderableType:
    """The score of a match, or the rating list so far."""
    if len(summary.names) == 2:
        return Text(f"{summary.names[0]} - {summary.names[1]}: {score_line(summary, sprt)}")
    return rating_table(summary) or Text("no games yet")


def rating_table(summary: Summary) -> Table | None:
    """The rating list."""
    rated = summary.ratings()
    if rated is None:
        return None
    table = Table(title="Ratings", title_justify="left")
    for heading in ("#", "engine", "Elo", "±95%", "games", "points", "score"):
        table.add_column(heading, justify="left" if heading == "engine" else "right")
    for place, line in enumerate(rated.ratings, start=1):
        table.add_row(
            str(place),
            escape(line.name),
            f"{line.elo:+z.1f}",
            f"{line.error:.1f}",
            str(line.games),
            f"{line.points:g}",
            f"{line.points / line.games:.1%}",
        )
    note = f"White's advantage {rated.advantage:+z.1f} ± {rated.advantage_error:.1f} Elo"
    if rated.with_prior:
        note += "; too one-sided for a finite maximum, regularised with imaginary draws"
    table.caption = note
    table.caption_justify = "left"
    return table


def cross_table(summary: Summary) -> Table:
    """Points of each engine against each other."""
    order = ranking(summary)
    table = Table(title="Cross table", title_justify="left")
    table.add_column("#", justify="right")
    table.add_column("engine")
    # By number: many names would leave no room for the points.
    for heading in (*map(str, range(1, len(order) + 1)), "points"):
        table.add_column(heading, justify="right")
    for place, name in enumerate(order, start=1):
        cells = []
        for other in order:
            duel = summary.duel(name, other) if name != other else None
            cells.append(f"{duel.points:g}/{duel.games}" if duel else "")
        use = summary.use[name]
        table.add_row(str(place), escape(name), *cells, f"{use.points:g}/{use.games}")
    return table


def print_whole(console: Console, table: Table) -> None:
    """Print a table; outside a terminal it may be as wide as it needs."""
    width = console.width
    if not console.is_terminal:
        needed = console.measure(table, options=console.options.update(width=10_000)).maximum
        console.width = max(width, needed)
    console.print(table)
    console.width = width


def ranking(summary: Summary) -> list[str]:
    """The engines from the top of the list, those without games last."""
    rated = summary.ratings()
    order = [line.name for line in rated.ratings] if rated else []
    return order + [name for name in summary.names if name not in order]


def use_table(summary: Summary) -> Table:
    """Colours, time, depth and faults per engine."""
    table = Table(title="Colours, time and errors", title_justify="left")
    for heading in ("engine", "as White", "as Black", "ms/move", "longest", "depth", "nodes/move"):
        table.add_column(heading, justify="left" if heading == "engine" else "right")
    table.add_column("mate claims consistent with the result", justify="right")
    table.add_column("errors")
    for name in ranking(summary):
        use = summary.use[name]
        moves = max(1, use.moves)
        black = use.games - use.white_games
        table.add_row(
            escape(name),
            f"{use.white_points:g}/{use.white_games}",
            f"{use.points - use.white_points:g}/{black}",
            f"{use.time_ms / moves:.1f}",
            f"{use.longest_ms:.1f}",
            f"{use.depth_sum / use.depth_moves:.1f}" if use.depth_moves else "-",
            f"{use.nodes / moves:.0f}",
            summary.claims_text(name),
            ", ".join(f"{count} {kind}" for kind, count in use.faults.items()) or "none",
        )
    return table


def print_match(console: Console, summary: Summary, sprt: Sprt | None) -> None:
    """Print the statistics of a match of two engines, as its author would quote them."""
    first, second = summary.names[:2]
    duel = summary.duel(first, second)
    if duel is None:
        return
    first, second = escape(first), escape(second)
    console.print(
        f"[bold]{first}[/] against [bold]{second}[/]: {duel.points:g} of {duel.games} "
        f"(won {duel.won}, lost {duel.lost}, drawn {duel.drawn})"
    )
    stats = None if summary.nothing_measured else duel.stats()
    if stats:
        pairs = f"Ptnml(0-2): {', '.join(map(str, duel.pentanomial()))}"
        if math.isfinite(stats.elo.value):
            ratio = f"   pairs ratio {stats.ratio:.2f}" if stats.ratio is not None else ""
            console.print(
                f"Elo {stats.elo.text()} (95%)   normalised Elo {stats.nelo.text()} (95%)"
            )
            console.print(f"{pairs}{ratio}   LOS {stats.los_text()}")
        else:
            winner = first if stats.elo.value > 0 else second
            console.print(f"Elo has no estimate: {winner} won every pair of games")
            console.print(pairs)
    if sprt:
        llr, verdict = sprt.verdict(duel.pentanomial())
        low, high = sprt_bounds(sprt.alpha, sprt.beta)
        meaning = {
            None: "undecided",
            "H0": f"[red]H0 accepted[/]: {first} is not better by {sprt.elo1:g} Elo",
            "H1": f"[green]H1 accepted[/]: {first} is better by more than {sprt.elo0:g} Elo",
        }[verdict]
        console.print(
            f"SPRT {sprt.model} \\[{sprt.elo0:g}, {sprt.elo1:g}] alpha {sprt.alpha:g} beta "
            f"{sprt.beta:g}: LLR {llr:.2f} ({low:.2f}, {high:.2f}): {meaning}"
        )


ALONE = "compliance.py checks an engine alone, step by step"
ADVICE = {
    "time forfeit": "allow more time (movetime= or tc=), tolerate more (margin=, in ms), or play "
    "fewer games in parallel (--workers)",
    "stalled": "raise hang= if the engine needs longer, or give it a limit that it supports",
    "crash": f"what the engine wrote last is above; {ALONE}",
    "setup": f"the reason is above; {ALONE}",
    "illegal move": f"the reason is above; {ALONE}",
}


def print_advice(console: Console, summary: Summary) -> None:
    """Say that faults have decided games, and what may help."""
    counts = Counter(record.fault.kind for record in summary.faults if record.fault)
    kinds = ", ".join(f"{count} by {kind}" for kind, count in counts.most_common())
    if summary.nothing_measured:
        head = f"no valid games[/]: an error ended each of the {summary.games} games"
    else:
        head = (
            f"warning[/]: errors decided {len(summary.faults)} of {summary.games} games, "
            "which the score counts like other losses"
        )
    console.print(f"[bold yellow]{head} ({kinds})")
    if summary.nothing_measured:
        console.print("  the points below count these errors, not strength")
    for kind in counts:
        if kind in ADVICE:
            console.print(f"  {kind}: {ADVICE[kind]}", soft_wrap=True)


def print_summary(console: Console, summary: Summary, sprt: Sprt | None) -> None:
    """Print everything that the games add up to."""
    if not summary.games:
        console.print("no games finished")
        return
    console.print()
    if summary.faults_decide:
        print_advice(console, summary)
    if len(summary.names) == 2:
        print_match(console, summary, sprt)
        console.print()
    print_whole(console, cross_table(summary))
    table = None if summary.nothing_measured else rating_table(summary)
    if table is not None:
        console.print(table)
    console.print(use_table(summary))
    results = summary.results
    share = summary.white_share or 0.0
    console.print(
        f"{summary.games} games: White won {results['1-0']}, Black won {results['0-1']}, drawn "
        f"{results['1/2-1/2']} (White's share {share:.1%}); plies, shortest / median / longest: "
        f"{summary.length_text()}"
    )
    overhead = summary.overhead_us()
    if overhead is not None:
        console.print(f"runner's overhead per move: {overhead / 1000:.3f} ms (median)")
