"""From ledgers to the file of puzzles: no two alike, evenly spread over the ratings."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from certificate_file import read as read_certificate
from check_certificate import Checker

from petard import Board
from petard.puzzles import Puzzle
from petardlib.base.errors import UserError
from petardlib.base.journal import decoder
from petardlib.proofs.solvejob import JobLimits, Solver, read_answer
from petardlib.puzzles.job import Mined, MinedPuzzle
from petardlib.puzzles.likeness import Likeness, face_of
from petardlib.puzzles.run import KIND

LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
NAME_LENGTH = 5
HASH_MB = 64
BAND = 100
"""Ratings that count as one, where some are to be left out."""


def read_ledgers(paths: Iterable[Path]) -> Iterator[Puzzle]:
    """All puzzles of ledgers, those first whose solutions are longest."""
    mined: list[MinedPuzzle] = []
    decode = decoder(Mined)
    for path in paths:
        try:
            lines = path.read_bytes().splitlines()
        except OSError as error:
            raise UserError(f"{path}: {error.strerror}") from None
        try:
            header, *jobs = lines
            if msgspec.json.decode(header)["kind"] != KIND:
                raise ValueError("another kind of ledger")
            mined += [one for job in jobs for one in decode(job).puzzles]
        except (LookupError, TypeError, ValueError, msgspec.DecodeError) as error:
            raise UserError(f"{path} is not a ledger of puzzles ({error!r})") from None
    # A position of a longer solution is not a puzzle of its own.
    mined.sort(key=lambda one: (-len(one.moves), one.fen, one.moves))
    known, names = Likeness(), set()
    for one in mined:
        board = Board.from_fen(one.fen)
        board.push_uci(one.moves[0])
        if known.has(board, one.moves[1]):
            continue
        known.add(board, one.moves[1:])
        name = name_of(board, one.moves[1])
        if name in names:
            continue
        names.add(name)
        moves, themes = tuple(one.moves), tuple(one.themes)
        yield Puzzle(name, one.fen, moves, one.rating, one.deviation, themes)


def name_of(board: Board, move: str) -> str:
    """A short name that only depends on the position and its answer."""
    text = " ".join(face_of(board, move))
    number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
    letters = []
    for _ in range(NAME_LENGTH):
        number, letter = divmod(number, len(LETTERS))
        letters.append(LETTERS[letter])
    return "".join(letters)


def chosen(puzzles: Iterable[Puzzle], most: int) -> list[Puzzle]:
    """At most so many of each board, by board and rating.

    Where there are more, each band of ratings keeps as many as the others as far as it has them:
    those with a theme that is rare first.
    """
    puzzles = list(puzzles)
    counts = Counter(theme for puzzle in puzzles for theme in puzzle.themes)
    boards: defaultdict[str, list[Puzzle]] = defaultdict(list)
    for puzzle in puzzles:
        boards[puzzle.size].append(puzzle)
    found = []
    for size in sorted(boards, reverse=True):
        bands: defaultdict[int, list[Puzzle]] = defaultdict(list)
        rarity = {one.id: min(counts[theme] for theme in one.themes) for one in boards[size]}
        for puzzle in sorted(boards[size], key=lambda one: (rarity[one.id], one.id), reverse=True):
            bands[puzzle.rating // BAND].append(puzzle)
        kept: list[Puzzle] = []
        while bands and len(kept) < most:
            for band in sorted(bands):
                if len(kept) < most:
                    kept.append(bands[band].pop())
                if not bands[band]:
                    del bands[band]
        found += sorted(kept, key=lambda one: (one.rating, one.id))
    return found


def prove_again(puzzle: Puzzle, program: str, certificates: bool) -> str | None:
    """Prove a puzzle anew, with `petard solve` started for it; what is wrong with it, if anything.

    With ``certificates``, each claim about its first position has one that `check_certificate.py`
    accepts.
    """
    solver = Solver(program, JobLimits(None, None, HASH_MB))
    try:
        board = puzzle.board()
        for number, right in enumerate(puzzle.solution):
            if number % 2 == 0:
                for move in board.legal_moves.uci():
                    after = board.copy(stack=False)
                    after.push_uci(move)
                    winner = _winner(solver, after)
                    if certificates and number == 0 and winner is not _certified(program, after):
                        return f"{puzzle.id}: what follows {move} has no certificate"
                    if winner is not (board.turn if move == right else not board.turn):
                        return f"{puzzle.id}: the winner after {move} is not who it should be"
            board.push_uci(right)
    finally:
        solver.close()
    return None


def _winner(solver: Solver, board: Board) -> bool | None:
    """Who wins, White or Black; None if the solver cannot say."""
    outcome = board.outcome()
    if outcome is not None:
        return outcome.winner
    wins = read_answer(solver.ask(board.fen()), board.fen()).wins
    return None if wins is None else board.turn == wins


def _certified(program: str, board: Board) -> bool | None:
    """Who wins, as a certificate says that the independent checker accepts; None if it does not."""
    outcome = board.outcome()
    if outcome is not None:
        return outcome.winner
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "proof")
        limits = ["--hash", str(HASH_MB), "--threads", "1"]
        words = ["--fen", board.fen(), "--certificate", str(path), *limits, "--quiet"]
        subprocess.run([program, "solve", *words], check=False, stdout=subprocess.DEVNULL)
        if not path.exists():
            return None
        certificate = read_certificate(path)
    Checker(certificate).check(lambda _done, _of: None)
    if Board.from_fen(certificate.fen) != board:
        return None
    return certificate.side == "white"
