#!/usr/bin/env python3
"""Checks a certificate written by `petard solve --certificate FILE`.

It is written only from docs/certificates.md, which has the rules and the file
format, and shares no code with the engine.

A certificate holds positions with the winner to move and one move for each.
A position is *good* if it is in the file, or if the winner wins it within the
number of plies named in the header, which a search here finds out. The proof
holds if every move in the file ends the game in the winner's favour or leaves
only replies that lead to good positions, and if the position in the header is
good or leaves only such replies. Pieces only move forward, so the argument
cannot be circular.

In a short certificate (version 2) a position that is not good in this way is a
leaf: this program proves it with a small prover of its own, so the leaves of
the file must take few nodes. If one takes too many, the file is neither proven
nor refused.

The file format and the board are in `certificate_file.py`. The board is turned
so that the winner always moves up.
"""

from __future__ import annotations

import argparse
import sys
import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from pathlib import Path

from certificate_file import Board, Certificate, CertificateError, read

# This program's plain prover may take this many times the nodes that the file states:
# it needs many more than petard, and hundreds of times as many for some leaves.
NODE_FACTOR = 1_000


class LimitError(Exception):
    """A leaf takes too many nodes: the certificate may hold or not."""


class Prover:
    """Depth-first proof-number search, plain and small, for leaves.

    A node is (pieces of the winner, pieces of the loser, whether the winner moves). Its
    numbers are from the view of the side to move: how hard a win is to prove, and
    how hard a loss.
    """

    NEVER = 1 << 60

    def __init__(self, board: Board, most: int) -> None:
        """Starts a prover for a board, with at most `most` nodes for each position."""
        self.board = board
        self.most = most
        self.nodes = 0
        self.table: dict[tuple[int, int, bool], tuple[int, int]] = {}

    def proves(self, winner: int, loser: int) -> bool | None:
        """Whether the winner, to move, wins; `None` if `most` nodes do not decide that."""
        self.nodes = 0
        self.table.clear()
        self.search((winner, loser, True), self.NEVER, self.NEVER)
        phi, delta = self.table[winner, loser, True]
        return True if phi == 0 else False if delta == 0 else None

    def children(self, node: tuple[int, int, bool]) -> list[tuple[int, int, bool] | None]:
        """The positions after each move; `None` is one that the mover has won."""
        winner, loser, winner_moves = node
        board = self.board
        found: list[tuple[int, int, bool] | None] = []
        if winner_moves:
            for start, target in board.up(winner, loser):
                left = loser & ~target
                ends = bool(target & board.top) or not left
                found.append(None if ends else (winner ^ (start | target), left, False))
        else:
            for start, target in board.down(loser, winner):
                left = winner & ~target
                ends = bool(target & board.bottom) or not left
                found.append(None if ends else (left, loser ^ (start | target), True))
        return found

    def first(self, node: tuple[int, int, bool]) -> tuple[int, int]:
        """The numbers of an unsearched position: each extra move is one more to refute."""
        winner, loser, winner_moves = node
        moves = self.children(node)
        if None in moves:
            numbers = (0, self.NEVER)
        elif not moves:
            numbers = (self.NEVER, 0)
        else:
            others = self.children((winner, loser, not winner_moves))
            # A side that threatens to win at once forces the other's reply.
            numbers = (4 * len(others), 1) if None in others else (len(others), len(moves))
        self.table[node] = numbers
        return numbers

    def search(self, node: tuple[int, int, bool], max_phi: int, max_delta: int) -> None:
        """Searches until a number reaches its threshold, or nodes run out."""
        self.nodes += 1
        children = self.children(node)
        if None in children:
            self.table[node] = (0, self.NEVER)
            return
        while True:
            # A child's loss is the mover's win.
            phi, delta, rival, best, best_phi = self.NEVER, 0, self.NEVER, None, 0
            for child in children:
                if child is None:
                    continue
                its_phi, its_delta = self.table.get(child) or self.first(child)
                delta = min(delta + its_phi, self.NEVER)
                if its_delta < phi:
                    phi, rival, best, best_phi = its_delta, phi, child, its_phi
                else:
                    rival = min(rival, its_delta)
            self.table[node] = (phi, delta)
            if phi >= max_phi or delta >= max_delta or best is None or self.nodes >= self.most:
                return
            if phi == 0 or delta == 0:
                return
            # A little beyond the rival, so that the search does not flip between the two.
            self.search(
                best,
                min(max_delta - delta + best_phi, self.NEVER),
                min(max_phi, rival * 5 // 4 + 1),
            )


class Checker:
    """Checks a certificate and counts what it visits."""

    def __init__(self, certificate: Certificate) -> None:
        """Takes the certificate to check."""
        self.certificate = certificate
        self.board = certificate.board
        self.searched = 0
        self.leaves = 0
        self.found: dict[tuple[int, int], bool] = {}
        self.prover = Prover(self.board, NODE_FACTOR * (certificate.leaf_nodes or 0))

    def wins_within(self, winner: int, loser: int, plies: int) -> bool:
        """Whether the winner, to move, wins within `plies`."""
        board = self.board
        self.searched += 1
        moves = board.up(winner, loser)
        for _, target in moves:
            if target & board.top or not loser & ~target:
                return True
        if plies < 3:
            return False
        return any(
            self.all_replies(
                winner ^ (start | target),
                loser & ~target,
                lambda own, enemy: self.wins_within(own, enemy, plies - 2),
            )
            for start, target in moves
        )

    def all_replies(self, winner: int, loser: int, is_good: Callable[[int, int], bool]) -> bool:
        """Whether every move of the loser leads to a good position."""
        board = self.board
        for start, target in board.down(loser, winner):
            left = winner & ~target
            if target & board.bottom or not left:
                return False
            if not is_good(left, loser ^ (start | target)):
                return False
        return True

    def is_good(self, winner: int, loser: int) -> bool:
        """Whether a position is in the file, won soon, or a leaf."""
        known = self.found.get((winner, loser))
        if known is None:
            number = self.canonical(winner, loser)
            positions = self.certificate.positions
            index = bisect_left(positions, number)
            known = index < len(positions) and positions[index] == number
            known = known or self.wins_within(winner, loser, self.certificate.depth)
            if not known and self.certificate.leaf_nodes is not None:
                known = self.is_leaf(winner, loser, number)
            self.found[winner, loser] = known
        return known

    def is_leaf(self, winner: int, loser: int, number: int) -> bool:
        """Whether a position left out of the file can be proven; mirror images are proven once."""
        mirror = self.board.mirrored(winner), self.board.mirrored(loser)
        if mirror not in self.found:
            self.leaves += 1
            is_won = self.prover.proves(winner, loser)
            if is_won is None:
                most = self.prover.most
                raise LimitError(f"leaf {number} is not decided within {most} nodes")
            if not is_won:
                raise CertificateError(f"leaf {number} is lost")
        return True

    def canonical(self, winner: int, loser: int) -> int:
        """The smaller number of a position and its mirror image."""
        board = self.board
        return min(
            board.number(winner, loser),
            board.number(board.mirrored(winner), board.mirrored(loser)),
        )

    def check_entry(self, number: int, code: int) -> None:
        """Checks one position of the file with its move."""
        board = self.board
        winner, loser = board.pieces(number)
        if self.canonical(winner, loser) != number:
            raise CertificateError(f"{number} is not the smaller of two mirror images")
        if winner & board.top or loser & board.bottom or not winner or not loser:
            raise CertificateError(f"the game is over in {number}")
        square, direction = divmod(code, 3)
        if square >= board.files * board.ranks:
            raise CertificateError(f"move {code} is not on the board in {number}")
        start = 1 << square
        target = start << board.files - 1 + direction
        if (start, target) not in board.up(winner, loser):
            raise CertificateError(f"move {code} is not legal in {number}")
        if target & board.top or not loser & ~target:
            return
        if not self.all_replies(winner ^ (start | target), loser & ~target, self.is_good):
            raise CertificateError(f"a reply to move {code} refutes it in {number}")

    def root_holds(self) -> bool:
        """Whether the position to prove is covered."""
        certificate, board = self.certificate, self.board
        winner, loser = certificate.winner, certificate.loser
        won = bool(winner & board.top) or not loser
        lost = bool(loser & board.bottom) or not winner
        if won and lost:
            raise CertificateError("both sides have won in the position to prove")
        if won or lost:
            return won
        if certificate.winner_moves:
            return self.is_good(winner, loser)
        return self.all_replies(winner, loser, self.is_good)

    def check(self, progress: Callable[[int, int], None]) -> None:
        """Checks everything, reporting how many positions are done, and of how many."""
        certificate = self.certificate
        if not self.root_holds():
            raise CertificateError("the position to prove is not covered")
        entries = zip(certificate.positions, certificate.moves, strict=True)
        for done, (number, code) in enumerate(entries):
            progress(done, len(certificate.positions))
            self.check_entry(number, code)


class Progress:
    """Reports progress on standard error, on a terminal in a single line."""

    def __init__(self, *, quiet: bool) -> None:
        """Starts the clock."""
        self.quiet = quiet
        self.start = self.reported = time.monotonic()
        self.is_open = False

    def __call__(self, done: int, of: int) -> None:
        """Reports progress from time to time."""
        now = time.monotonic()
        on_terminal = sys.stderr.isatty()
        if self.quiet or now - self.reported < (0.5 if on_terminal else 10):
            return
        self.reported = now
        left = (now - self.start) / max(done, 1) * (of - done)
        text = f"{done} of {of} positions, about {left:.0f} s left"
        print(f"\r{text}\x1b[K" if on_terminal else text, end="", file=sys.stderr)
        self.is_open = on_terminal
        if not on_terminal:
            print(file=sys.stderr)
        sys.stderr.flush()

    def end(self) -> None:
        """Moves on to a new line."""
        if self.is_open:
            print(file=sys.stderr)


def main(argv: Sequence[str] | None = None) -> int:
    """Checks the file named on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0],
        epilog="Exit status: 0 proven; 1 the certificate is false, or cannot be read; "
        "2 wrong arguments; 3 gave up on a leaf, so it may hold or not; 130 interrupted. "
        "`petard check` does the same, much faster.",
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("-q", "--quiet", action="store_true", help="do not report progress")
    arguments = parser.parse_args(argv)
    progress = Progress(quiet=arguments.quiet)
    try:
        certificate = read(arguments.file)
        checker = Checker(certificate)
        checker.check(progress)
    except CertificateError as error:
        progress.end()
        print(f"{arguments.file}: REFUSED: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        progress.end()
        print(f"{arguments.file}: {error.strerror or error}", file=sys.stderr)
        return 1
    except LimitError as reason:
        progress.end()
        print(f"{arguments.file}: gave up, nothing is proven: {reason}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        progress.end()
        print(f"{arguments.file}: interrupted, nothing is proven", file=sys.stderr)
        return 130
    progress.end()
    board = certificate.board
    side = "the side to move" if certificate.winner_moves else "the side not to move"
    print(certificate.fen)
    print(f"proven: {certificate.side} wins ({side})")
    print(
        f"{board.files}x{board.ranks}, {len(certificate.positions)} positions,"
        + (f" {checker.leaves} leaves," if certificate.leaf_nodes else "")
        + f" {checker.searched} searched at depth {certificate.depth},"
        + f" {time.monotonic() - progress.start:.1f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
