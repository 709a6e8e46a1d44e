#!/usr/bin/env python3
"""Mixed work for a long time in one session and one server, monitored.

Timed play, analysis that is stopped, proofs, both games, all board sizes, resizes of the table and
changes of the thread count; and `petard serve` with pages, and with sessions that play and analyse,
some of which are abandoned halfway. Every minute: resident size, threads, open files, and how long
`isready` took at worst. Exit status 1: something was not answered, or size, threads or files grew
after the first quarter. Needs scripts/requirements-test.txt.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from session import Session
from tornado.ioloop import IOLoop
from tornado.websocket import WebSocketClientConnection, websocket_connect

WORK = (
    "go wtime 300 btime 300 winc 5 binc 5",
    "go nodes 20000",
    "go depth 6",
    "go mate 3 nodes 5000",
    "go prove nodes 5000",
    "go movetime 30",
    "go infinite",
    "go ponder wtime 500 btime 500",
)
OPTIONS = (
    "setoption name Hash value 8",
    "setoption name Hash value 16",
    "setoption name Threads value 1",
    "setoption name Threads value 3",
    "setoption name MultiPV value 1",
    "setoption name MultiPV value 4",
    "setoption name Clear Hash",
    "setoption name Evaluation value article",
    "setoption name Evaluation value network",
    "ucinewgame",
)


BOARDS = ("6x6", "8x8", "5x7", "10x10")


async def until(page: WebSocketClientConnection, beginning: str) -> str:
    """The next message that starts with `beginning`; `EOFError` if the session ends first."""
    while (message := await page.read_message()) is not None:
        for line in str(message).split("\n"):
            if line.startswith(beginning):
                return line
    raise EOFError(f"no line '{beginning}...' on the page")


class Server:
    """`petard serve`, and how many pages it has served."""

    def __init__(self, petard: str) -> None:
        self.process = subprocess.Popen(
            [petard, "serve", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.address, self.pages, self.sessions = "", 0, 0
        while not self.address:
            assert self.process.stdout
            line = self.process.stdout.readline()
            found = re.search(r"http://\S+", line)
            self.address = found.group().rstrip(".,") if found else ""

    def get(self) -> None:
        """Requests the page."""
        with urllib.request.urlopen(self.address, timeout=60) as answer:
            assert answer.status == 200 and answer.read()
        self.pages += 1

    def visit(self, generator: random.Random) -> None:
        """Runs a page's session; every third is abandoned while it searches."""
        stays = generator.random() < 0.67
        IOLoop.current().run_sync(lambda: self.session(generator, stays), timeout=300)
        self.sessions += 1

    async def session(self, generator: random.Random, stays: bool) -> None:
        """Plays a few moves as a page does."""
        page = await websocket_connect(self.address.replace("http", "ws").rstrip("/") + "/engine")
        await page.write_message("uci")
        await until(page, "uciok")
        await page.write_message(f"setoption name Board value {generator.choice(BOARDS)}")
        for _ in range(generator.randint(1, 4)):
            await page.write_message("go infinite")
            await until(page, "info ")
            if stays:
                await page.write_message("stop")
                answer = await until(page, "bestmove")
                await page.write_message(f"play {answer.split()[1]}")
        page.close()
        while await page.read_message() is not None:
            pass

    def size(self) -> tuple[int, int, int]:
        """Resident kB, threads and open files."""
        folder = Path(f"/proc/{self.process.pid}")
        reported = dict(
            re.findall(r"^(\w+):\s+(\d+)", (folder / "status").read_text(), re.MULTILINE)
        )
        files = len(list((folder / "fd").iterdir()))
        return int(reported["VmRSS"]), int(reported["Threads"]), files


def turn(session: Session, generator: random.Random) -> float:
    """Does one piece of work; returns how long `isready` took while it ran."""
    session.send(generator.choice(OPTIONS))
    if generator.random() < 0.3:
        board = f"{generator.randint(4, 10)}x{generator.randint(5, 12)}"
        game = "name UCI_Variant value freeling"
        session.send(
            f"setoption {game if generator.random() < 0.3 else f'name Board value {board}'}"
        )
    work = generator.choice(WORK)
    session.send(work)
    begin = time.monotonic()
    reported = session.ask()
    took = time.monotonic() - begin
    if "infinite" in work or "ponder" in work:
        time.sleep(generator.random() / 20)
        session.send("stop")
    if not any(line.startswith("bestmove") for line in reported):
        reported = session.read_until("bestmove")
    move = next(line for line in reported if line.startswith("bestmove")).split()[1]
    if re.fullmatch(r"[a-p]\d+[a-p]\d+", move):
        session.send(f"play {move}")
    else:
        session.send("position startpos")
    return took


def main() -> int:
    """Works for the given time."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("petard", help="the engine")
    parser.add_argument(
        "minutes", nargs="?", type=float, default=120.0, help="how long (default 120)"
    )
    args = parser.parse_args()
    minutes = args.minutes
    generator = random.Random(22)
    session, server = Session(args.petard), Server(args.petard)
    begin = reported = time.monotonic()
    worst, done = 0.0, 0
    early, late = [0] * 6, [0] * 6
    while (passed := time.monotonic() - begin) < 60 * minutes:
        worst = max(worst, turn(session, generator))
        done += 1
        if done % 10 == 0:
            server.get()
            server.visit(generator)
        own = session.status("VmRSS"), session.status("Threads"), session.handles()
        now = [*own, *server.size()]
        kept = early if passed < 15 * minutes else late
        kept[:] = [max(pair) for pair in zip(kept, now, strict=True)]
        if time.monotonic() - reported > min(60.0, 15 * minutes):
            reported = time.monotonic()
            print(
                f"{passed / 60:.1f} min, {done} tasks, {server.pages} pages, {server.sessions} "
                f"page sessions; kB, threads and files of the session {now[:3]}, of the server "
                f"{now[3:]}; worst isready {1000 * worst:.0f} ms",
                flush=True,
            )
    status = session.quit()
    server.process.terminate()
    server.process.wait(60)
    print(f"{done} tasks, {server.pages} pages, {server.sessions} page sessions")
    print(f"most in the first quarter {early}, later {late}; worst isready {worst:.3f} s")
    # Sessions of pages that have left end a little later, with their threads and files.
    allowed = (early[0] // 10 + 8192, 2, 0, 8192, 4, 2)
    grown = any(a > b + more for a, b, more in zip(late, early, allowed, strict=True))
    return 1 if status or grown else 0


if __name__ == "__main__":
    sys.exit(main())
