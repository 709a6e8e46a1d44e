#!/usr/bin/env python3
"""How often an engine keeps a proven win. Needs the Python package.

    benches/proven_wins.py find --board 8x8 --count 60 --out wins-8x8.fen
    benches/proven_wins.py ask wins-8x8.fen --engine ENGINE [--go "movetime 10"]

`find` plays games with few nodes per move and some random moves, and keeps at most one position of
each: one in which the side to move wins and the prover needs 20,000 to 3,000,000 nodes to show it;
the upper limit is drawn for each game. `ask` has the engine move in each and proves the result: the
win is kept, thrown away, or not decided within --nodes. An engine that crashes, makes an illegal
move or does not answer has failed that position, and is started again for the next.
"""

import argparse
import collections
import contextlib
import json
import math
import pathlib
import random
import subprocess
from typing import Any

from measure import PETARD, Engine

from petard import Board, InvalidFenError
from petardlib.base.errors import EngineError, UserError
from petardlib.play.engine import Engine as Player
from petardlib.play.spec import EngineSpec, build
from petardlib.rules.illegal import why_illegal
from petardlib.rules.positions import BREAKTHROUGH

# Nodes of a proof that is neither trivial nor too long to repeat.
HARD = range(20_000, 3_000_001)


class Prover:
    """A prover that solves positions one at a time and keeps nothing in between."""

    def __init__(self, petard: str) -> None:
        self.command = [petard, "solve", "--stdin", "--json", "--quiet", "--threads", "1"]

    def solve(self, fen: str, most: int) -> tuple[str, int]:
        """Who wins, `first` being the side to move, and the nodes that the proof took.

        It is `unknown` if `most` nodes were not enough.
        """
        answer = self.answer(fen, most)
        return answer["winner"], answer["nodes"]

    def answer(self, fen: str, most: int) -> dict[str, Any]:
        """All that `petard solve` prints about a position."""
        # A small table is quick to allocate, and enough for a short proof.
        table = "256" if most > 300_000 else "16"
        done = subprocess.run(
            [*self.command, "--hash", table, "--nodes", str(most)],
            input=fen + "\n",
            capture_output=True,
            text=True,
            check=False,
        )
        # 3: some position was not solved.
        if done.returncode not in (0, 3):
            raise SystemExit(done.stderr)
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return answer


def game(engine: Engine, size: str, chance: random.Random) -> list[str]:
    """The positions of a game, in which one move in five is random."""
    board, passed = Board(size), []
    while not board.is_game_over():
        passed.append(board.fen())
        if len(passed) < 8 or chance.random() < 0.2:
            move = chance.choice(board.legal_moves.uci())
        else:
            engine.send(f"position fen {board.fen()}", "go nodes 300")
            move = engine.read_until("bestmove")[-1].split()[1]
        board.push_uci(move)
    return passed


def find(options: argparse.Namespace) -> None:
    """Writes hard positions that the side to move is proven to win."""
    chance = random.Random(options.seed)
    engine, prover = Engine([options.petard]), Prover(options.petard)
    found: list[str] = []
    while len(found) < options.count:
        # Backwards from the end, proofs grow longer: the first hard one is taken, and the game is
        # dropped at the second that is too long. The first may be where the winner was let off.
        most = round(math.exp(chance.uniform(math.log(3 * HARD.start), math.log(HARD.stop - 1))))
        too_long = 0
        for fen in reversed(game(engine, options.board, chance)[8:]):
            winner, nodes = prover.solve(fen, most)
            too_long += winner == "unknown"
            if too_long == 2:
                break
            if winner == "first" and nodes in HARD and chance.random() < 0.5:
                found.append(fen)
                options.out.write_text("".join(f"{fen}\n" for fen in found))
                print(f"{len(found)} {nodes} {fen}", flush=True)
                break
    engine.quit()


class Examinee:
    """An engine that is asked for moves, and started again after a failure."""

    def __init__(self, spec: EngineSpec, go: str, timeout_s: float) -> None:
        self.spec, self.go, self.timeout_ms = spec, f"go {go}", 1000 * timeout_s
        self.player: Player | None = Player(spec)
        self.size = ""

    def move(self, board: Board) -> str:
        """Its move, which is legal; anything else is an `EngineError`."""
        try:
            if self.player is None:
                self.player, self.size = Player(self.spec), ""
            fen, size = board.fen(), f"{board.files}x{board.ranks}"
            if size != self.size and self.player.has_option("UCI_Variant"):
                self.player.set_up(BREAKTHROUGH, fen)
            self.size = size
            self.player.new_game()
            position = self.player.position(fen, [])
            move = self.player.think(position, self.go, self.timeout_ms, timed=False).move
            if reason := why_illegal(board, move):
                raise EngineError("illegal move", reason)
        except EngineError:
            self.close()
            raise
        return move

    def close(self) -> None:
        """End the process, if there is one."""
        if self.player is not None:
            self.player.close()
            self.player = None


def ask(options: argparse.Namespace) -> None:
    """Counts the wins that the engine keeps."""
    prover = Prover(options.petard)
    counts: collections.Counter[str] = collections.Counter()
    words = {"second": "kept", "first": "lost", "unknown": "undecided"}
    boards = [Board(fen) for fen in options.positions.read_text().splitlines()]
    with contextlib.closing(
        Examinee(build({"cmd": options.engine}), options.go, options.timeout)
    ) as engine:
        for board in boards:
            fen = board.fen()
            try:
                move = engine.move(board)
            except EngineError as error:
                counts["failed"] += 1
                print(f"failed: {error} in {fen}", flush=True)
                continue
            board.push_uci(move)
            winner, _ = prover.solve(board.fen(), options.nodes)
            counts[words[winner]] += 1
            if winner != "second":
                line = f"{words[winner]}: {move} in {fen}"
                if winner == "first":
                    line += f"; {prover.answer(fen, options.nodes)['move']} wins"
                print(line, flush=True)
    head = f"{options.positions.name}: {counts['kept']} of {counts.total()} kept"
    rest = (f"{counts[word]} {word}" for word in ("lost", "undecided", "failed"))
    print(", ".join([head, *rest]))


def main() -> None:
    """Reads the command line and finds or asks."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    finder = commands.add_parser("find", help="find hard positions")
    finder.add_argument("--board", default="8x8", help="files x ranks")
    finder.add_argument("--count", type=int, default=60, help="positions")
    finder.add_argument("--seed", type=int, default=1, help="seed of the random moves")
    finder.add_argument("--out", type=pathlib.Path, required=True, help="file of FENs")
    finder.set_defaults(run=find)
    asker = commands.add_parser("ask", help="count the wins that an engine keeps")
    asker.add_argument("positions", type=pathlib.Path, help="file of FENs")
    asker.add_argument("--engine", default=PETARD, help="the engine's command")
    asker.add_argument("--go", default="movetime 10", help="arguments of `go`")
    asker.add_argument("--nodes", type=int, default=30_000_000, help="most nodes per proof")
    asker.add_argument("--timeout", type=float, default=60, help="seconds for a move (default 60)")
    asker.set_defaults(run=ask)
    for command in (finder, asker):
        command.add_argument("--petard", default=PETARD, help="prover")
    options = parser.parse_args()
    try:
        options.run(options)
    except OSError as error:
        raise SystemExit(f"{error.filename}: {error.strerror}") from None
    except EngineError as error:
        raise SystemExit(error.report()) from None
    except (UserError, InvalidFenError) as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
