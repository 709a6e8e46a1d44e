"""What the measurements of play by a short certificate share."""

import argparse

from measure import PETARD, Engine


def arguments(description: str) -> argparse.ArgumentParser:
    """A board, its proof, the engine and the seed."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("board", help="files x ranks")
    parser.add_argument("proof", help="the board's short certificate")
    parser.add_argument("--petard", default=PETARD, help="the engine")
    parser.add_argument("--seed", type=int, default=1, help="seed of the loser's moves")
    return parser


def engine(options: argparse.Namespace) -> Engine:
    """The engine, which plays by the proof."""
    player = Engine([options.petard])
    player.ask(f"setoption name ProofFile value {options.proof}")
    player.ask(f"setoption name Board value {options.board}")
    return player


def answer(player: Engine, moves: list[str], nodes: int) -> tuple[bool, int, str]:
    """Whether the position after the moves is proven, the nodes it took, and the move."""
    words = f" moves {' '.join(moves)}" if moves else ""
    player.send(f"position startpos{words}", f"go nodes {nodes}")
    lines = player.read_until("bestmove")
    is_proven = any(line.startswith("info string proof") for line in lines)
    counts = [line.split(" nodes ")[1].split()[0] for line in lines if " nodes " in line]
    return is_proven, int(counts[-1]) if counts else 0, lines[-1].split()[1]
