#!/usr/bin/env python3
"""How fast `petard serve` answers while many sessions search. Needs nothing but Python.

    benches/sessions.py [--engine target/release/petard] [--sessions 50] [--rounds 20]

Each session searches without limit. Again and again one of them, chosen at random, asks:
`isready` while it searches; `stop`, until `bestmove`; then a move played and `moves`, until the
legal moves arrive, as the page does after a click. The others keep searching. The times depend
on this machine and everything else that runs on it: mind the load printed with them.
"""

import argparse
import asyncio
import os
import pathlib
import random
import statistics
import subprocess
import time

PETARD = pathlib.Path(__file__).resolve().parents[1] / "target" / "release" / "petard"


class Session:
    """A WebSocket, as far as lines of less than 64 KiB need one."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.lines: asyncio.Queue[tuple[str, float]] = asyncio.Queue()
        self.task = asyncio.create_task(self.listen())

    @staticmethod
    async def open(port: int) -> "Session":
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        request = [
            "GET /engine HTTP/1.1",
            f"Host: 127.0.0.1:{port}",
            f"Origin: http://127.0.0.1:{port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        writer.write(("\r\n".join(request) + "\r\n\r\n").encode())
        head = await reader.readuntil(b"\r\n\r\n")
        assert b" 101 " in head, head
        return Session(reader, writer)

    def frame(self, kind: int, data: bytes) -> None:
        size = len(data)
        length = bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + size.to_bytes(2)
        # A mask of zeros leaves the data as it is.
        self.writer.write(bytes([0x80 | kind]) + length + bytes(4) + data)

    def send(self, line: str) -> None:
        self.frame(1, line.encode())

    async def listen(self) -> None:
        while True:
            first, length = await self.reader.readexactly(2)
            if length == 126:
                length = int.from_bytes(await self.reader.readexactly(2))
            data = await self.reader.readexactly(length)
            if first & 15 == 9:
                self.frame(10, data)
            elif first & 15 == 1 and not data.startswith(b"info depth"):
                self.lines.put_nowait((data.decode(), time.perf_counter()))

    async def ask(self, lines: list[str], beginning: str) -> tuple[str, float]:
        """The answer with this beginning, and the milliseconds until it came."""
        start = time.perf_counter()
        for line in lines:
            self.send(line)
        while True:
            line, now = await self.lines.get()
            if line.startswith(beginning):
                return line, 1000 * (now - start)


async def measure(port: int, count: int, rounds: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {"isready": [], "stop": [], "move": []}
    sessions = [await Session.open(port) for _ in range(count)]
    for session in sessions:
        await session.ask(["isready"], "readyok")
        session.send("go infinite")
    await asyncio.sleep(2)
    for _ in range(rounds * count):
        session = random.choice(sessions)
        times["isready"].append((await session.ask(["isready"], "readyok"))[1])
        times["stop"].append((await session.ask(["stop"], "bestmove"))[1])
        place = "position startpos moves b2b3 g7g6"
        times["move"].append((await session.ask([place, "moves"], "moves:"))[1])
        session.send("go infinite")
        await asyncio.sleep(0.02)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--engine", type=pathlib.Path, default=PETARD)
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    command = [
        options.engine,
        "serve",
        "--port",
        "0",
        "--sessions",
        str(options.sessions),
        "--max-hash",
        "16",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        port = int(server.stdout.readline().split("/")[2].split(":")[1])
        before = os.getloadavg()[0]
        try:
            times = asyncio.run(measure(port, options.sessions, options.rounds))
        finally:
            server.kill()
    print(
        f"{options.sessions} sessions on {os.cpu_count()} cores, load {before:.1f} before, "
        f"{os.getloadavg()[0]:.1f} after"
    )
    for name, values in times.items():
        cuts = statistics.quantiles(values, n=100)
        late = sum(value > 50 for value in values)
        print(
            f"{name:8} {len(values)} times: median {cuts[49]:.1f} ms, 90 % {cuts[89]:.1f}, "
            f"99 % {cuts[98]:.1f}, worst {max(values):.1f}; {late} over 50 ms"
        )


if __name__ == "__main__":
    main()
