#!/usr/bin/env python3
"""Speed of petard on this machine. Needs nothing but Python.

    benches/measure.py perft   [--opponent /usr/games/fairy-stockfish]
    benches/measure.py depth   depth and nodes per second after one second
    benches/measure.py stop    from `stop` written to `bestmove` read, 200 times
    benches/measure.py threads time to a fixed depth, two threads against one
    benches/measure.py bench   --opponent ./petard-before: `bench` of two builds
    benches/measure.py nodes   --opponent ./petard-before: the same for a number
                               of nodes, so that no position counts for more

Compared runs alternate, on the same core if pinned, so that a busy machine or a
changing clock disturbs both alike. Compare ratios; times are this machine's.
"""

import argparse
import math
import pathlib
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))
from petardlib.base.errors import EngineError
from petardlib.play.uciprocess import UciProcess

PETARD = str(pathlib.Path(__file__).resolve().parents[1] / "target" / "release" / "petard")
START = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1"

# Openings and middlegames of 8x8, as in `petard bench`.
POSITIONS = [
    START,
    "1pppp1pp/pppppppp/2p1p3/P7/8/7P/1PPPPPPP/PPPPPPP1 w 0 5",
    "pp1ppp1p/pppp1ppp/2p3p1/8/1P4P1/P6P/2PPPPP1/PPPPPPPP b 0 6",
    "1pp1pp1p/p1pppppp/1p1p4/6p1/1PP5/4P2P/PP1PP1PP/P1PPPP1P w 0 9",
    "1p1ppp2/p1p1pppp/3p4/1pP2p2/P3P1p1/2P3P1/P1PP1P1P/1PP2PP1 w 0 12",
    "2ppp1p1/p1p2pp1/1p2p2p/2Pp1P2/3PpP2/P1P4P/P2PP1P1/1PP2P2 b 0 16",
]

# The other boards of `petard bench`.
OTHER_BOARDS = [
    "ppppp/ppppp/5/PPPPP/PPPPP w 0 1",
    "pppppp/pppppp/6/6/PPPPPP/PPPPPP w 0 1",
    "1ppppp/p1p1pp/1p1p2/2PP2/P1P1PP/PP1PPP b 0 5",
    "ppppppp/ppppppp/7/7/7/PPPPPPP/PPPPPPP w 0 1",
    "pppppppppp/pppppppppp/10/10/10/10/10/10/PPPPPPPPPP/PPPPPPPPPP w 0 1",
]


class Engine(UciProcess):
    """An engine whose answers may take as long as they take, optionally pinned to one core."""

    timeout_ms = math.inf

    def __init__(self, command, core=None):
        pinned = [] if core is None else ["taskset", "-c", str(core)]
        try:
            super().__init__([*pinned, *command])
        except EngineError as error:
            raise SystemExit(error.detail) from None

    def timed(self, line, beginning):
        """Seconds from writing the line to reading the answer, and all lines until then."""
        begin = time.monotonic()
        self.send(line)
        lines = self.read_until(beginning)
        return time.monotonic() - begin, lines


def perft(options):
    """Leaves per second compared with the opponent's, alternating on one core."""
    own = Engine([options.petard], core=0)
    other = Engine([options.opponent], core=0)
    other.ask("uci", "setoption name UCI_Variant value breakthrough")
    for engine in (own, other):
        engine.ask("position startpos")
    depth = 6  # 120,232,420 leaves or so
    ratios, rates = [], []
    for _ in range(options.runs or 3):
        rate = []
        for engine in (own, other):
            seconds, lines = engine.timed(f"go perft {depth}", "Nodes searched")
            rate.append(int(lines[-1].split(":")[1]) / seconds)
        rates.append(rate)
        ratios.append(rate[0] / rate[1])
        print(
            f"petard {rate[0] / 1e6:8.1f} M/s   opponent {rate[1] / 1e6:8.1f} M/s   "
            f"x {ratios[-1]:.1f}"
        )
    print(f"perft: median ratio {statistics.median(ratios):.1f}, least {min(ratios):.1f}")


def value(line, word):
    """The number after a word."""
    (found,) = re.findall(rf" {word} (-?\d+)", line)[:1]
    return int(found)


def depth(options):
    """Depth and speed after a second from the start position."""
    engine = Engine([options.petard])
    for _ in range(options.runs or 5):
        engine.ask("ucinewgame")
        engine.send("position startpos", "go movetime 1000")
        lines = [line for line in engine.read_until("bestmove") if " pv " in line]
        last = lines[-1]
        print(
            f"depth {value(last, 'depth')}, {value(last, 'nodes')} nodes, {value(last, 'nps')} nps"
        )
    engine.quit()


def stop(options):
    """Milliseconds from `stop` to the move."""
    generator = random.Random(1)
    engine = Engine([options.petard])
    engine.ask(
        *("uci", "setoption name UCI_Variant value breakthrough"),
        f"setoption name Threads value {options.threads}",
    )
    times = []
    for number in range(options.runs or 200):
        engine.ask(f"position fen {POSITIONS[number % len(POSITIONS)]}")
        engine.send("go infinite")
        time.sleep(generator.uniform(0.0, 0.1))
        seconds, _ = engine.timed("stop", "bestmove")
        times.append(1000 * seconds)
    times.sort()
    late = sum(1 for t in times if t > 10)
    print(
        f"stop ({options.threads} threads): median {statistics.median(times):.2f} ms, 99 % "
        f"{times[int(len(times) * 0.99) - 1]:.2f} ms, worst {times[-1]:.2f} ms of {len(times)}; "
        f"{late} over 10 ms"
    )
    engine.quit()


def threads(options):
    """How much faster two threads finish a depth than one."""
    engines = [Engine([options.petard]) for _ in range(2)]
    engines[1].ask("setoption name Threads value 2")
    totals, nodes = [0.0, 0.0], [0, 0]
    ratios = []
    book = pathlib.Path(__file__).parent.parent / "scripts" / "data" / "openings-8x8.epd"
    openings = [line.split(" - -")[0] for line in book.read_text().splitlines()[:40]]
    for number in range(options.runs or 2):
        for fen in POSITIONS + openings:
            used = []
            for engine in engines if number % 2 == 0 else engines[::-1]:
                engine.ask("ucinewgame", f"position fen {fen}")
                seconds, lines = engine.timed(f"go depth {options.depth}", "bestmove")
                used.append(seconds)
                last = [line for line in lines if " nodes " in line][-1]
                nodes[engines.index(engine)] += value(last, "nodes")
            one, two = used if number % 2 == 0 else used[::-1]
            totals[0] += one
            totals[1] += two
            # Positions decided at once say nothing.
            if one > 0.05:
                ratios.append(one / two)
            print(f"one {one:6.2f} s   two {two:6.2f} s   x {one / two:.2f}")
    print(
        f"threads: whole set x {totals[0] / totals[1]:.2f}, "
        f"geometric mean x {statistics.geometric_mean(ratios):.2f}, "
        f"nodes x {nodes[1] / nodes[0]:.2f}"
    )
    for engine in engines:
        engine.quit()


def bench(options):
    """Nodes per second of `bench` compared with another build's, alternating."""
    ratios = []
    for _ in range(options.runs or 10):
        rate = []
        for binary in (options.petard, options.opponent):
            command = [binary, "bench", "breakthrough", str(options.depth)]
            output = subprocess.run(command, check=True, capture_output=True, text=True)
            rate.append(int(output.stdout.split()[-2]))
        ratios.append(rate[0] / rate[1])
        print(f"petard {rate[0]} nps   opponent {rate[1]} nps   x {ratios[-1]:.2f}")
    print(
        f"bench: median ratio {statistics.median(ratios):.2f} "
        f"({min(ratios):.2f} to {max(ratios):.2f})"
    )


def nodes_and_seconds(binary, fen, nodes):
    """Nodes searched on a position and the seconds they took, from an empty table."""
    engine = Engine([binary])
    engine.ask("setoption name Hash value 64", f"position fen {fen}")
    seconds, lines = engine.timed(f"go nodes {nodes}", "bestmove")
    engine.quit()
    counted = [line for line in lines if " nodes " in line]
    # A win found at once takes none.
    return (value(counted[-1], "nodes") if counted else 0), seconds


def nodes(options):
    """Nodes per second for as many nodes on each position, alternating."""
    binaries = (options.petard, options.opponent)
    sets = {"8x8": POSITIONS, "all boards": POSITIONS + OTHER_BOARDS}
    ratios: dict[str, list[float]] = {name: [] for name in sets}
    for _ in range(options.runs or 6):
        measured = {
            fen: [nodes_and_seconds(binary, fen, options.nodes) for binary in binaries]
            for fen in sets["all boards"]
        }
        for name, fens in sets.items():
            sums = [
                [sum(c) for c in zip(*(measured[f][b] for f in fens), strict=True)] for b in (0, 1)
            ]
            own, other = (total / seconds for total, seconds in sums)
            ratios[name].append(own / other)
            print(f"{name}: petard {own:.0f} nps   opponent {other:.0f} nps   x {own / other:.2f}")
    for name, them in ratios.items():
        print(
            f"nodes, {name}: median ratio {statistics.median(them):.2f} "
            f"({min(them):.2f} to {max(them):.2f})"
        )


def main() -> None:
    """Reads the command line and measures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    measurements: tuple[Callable[[argparse.Namespace], None], ...] = (
        perft,
        depth,
        stop,
        threads,
        bench,
        nodes,
    )
    what = {measure.__name__: measure for measure in measurements}
    parser.add_argument("what", choices=what)
    parser.add_argument("--petard", default=PETARD)
    parser.add_argument("--opponent", default="/usr/games/fairy-stockfish")
    parser.add_argument("--runs", type=int, help="number of runs")
    parser.add_argument("--depth", type=int, default=17, help="plies, for `threads` and `bench`")
    parser.add_argument(
        "--nodes", type=int, default=1_000_000, help="nodes a position, for `nodes`"
    )
    parser.add_argument("--threads", type=int, default=1, help="threads, for `stop`")
    options = parser.parse_args()
    what[options.what](options)


if __name__ == "__main__":
    main()
