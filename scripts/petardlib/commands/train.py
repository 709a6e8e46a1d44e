"""Train the network evaluation from recorded self-play, and write the engine's file.

The input is what `petard datagen` writes; several files may be given. With --general
they may be of different boards, and the network is for every board. Positions are
split by games: validation never sees a game that was trained on. By construction,
the network gives a position and its mirror image the same value. The learning rate
rises for a tenth of the run and falls to zero at its end, so the number of epochs
must be chosen in advance.

Example:
    petard datagen games.bin --positions 10000000 --nodes 600
    python scripts/train.py games.bin --epochs 10 --out network.nnue --plot network.png

"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from petardlib.base.errors import UserError
from petardlib.base.files import check_outputs, check_own
from petardlib.commands.cli import check_numbers, guarded
from petardlib.training.network import (
    WITH_HALVES,
    General,
    NetworkError,
    Shape,
    averaged,
    read_general,
)
from petardlib.training.network import read as read_network
from petardlib.training.positions import Positions, load
from petardlib.training.records import RecordError


def plot(
    path: Path, history: list[dict[str, float]], table: list[tuple[float, float, int]]
) -> None:
    """Plot the losses by epoch, and expected against observed results."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.5))
    epochs = [entry["epoch"] for entry in history]
    for name in ("train", "validation"):
        left.plot(epochs, [entry[name] for entry in history], marker="o", label=name)
    left.set_xlabel("epoch")
    left.set_ylabel("mean squared error")
    left.legend()
    right.plot([0, 1], [0, 1], color="grey", linewidth=1)
    right.plot([row[0] for row in table], [row[1] for row in table], marker="o")
    right.set_xlabel("expected share of wins")
    right.set_ylabel("observed share of wins, games not trained on")
    figure.tight_layout()
    figure.savefig(path)


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        epilog="Needs PyTorch: pip install -r scripts/requirements-train.txt. "
        "Exit status: 0 done, 2 an error, 130 stopped",
    )
    p.add_argument("files", nargs="+", type=Path, help="files made by `petard datagen`")
    p.add_argument("--out", type=Path, metavar="FILE", required=True, help="network file to write")
    p.add_argument("--general", action="store_true", help="train a network for every board")
    p.add_argument(
        "--window",
        default="2x2",
        metavar="WxH",
        help="files x ranks of a window; for Freeling's game also two kinds, such as 1x3+2x1 "
        "(default %(default)s)",
    )
    p.add_argument(
        "--hidden", type=int, default=256, help="hidden units per side (default %(default)s)"
    )
    p.add_argument(
        "--second-layer",
        type=int,
        default=0,
        metavar="UNITS",
        help="units of a second layer (default 0: none)",
    )
    p.add_argument(
        "--buckets",
        type=int,
        default=8,
        help="outputs, by pieces on the board (default %(default)s)",
    )
    p.add_argument(
        "--start",
        type=Path,
        metavar="NETWORK",
        help="start from this network, of the same shape or without the second layer",
    )
    p.add_argument(
        "--average",
        type=float,
        metavar="SHARE",
        help="with --general: average the weights with --start's in the end, at this share",
    )
    p.add_argument(
        "--epochs", type=int, default=10, help="passes over all positions (default %(default)s)"
    )
    p.add_argument(
        "--batch", type=int, default=8192, help="positions per step (default %(default)s)"
    )
    p.add_argument(
        "--rate", type=float, default=2e-3, help="highest learning rate (default %(default)s)"
    )
    p.add_argument(
        "--second-rate",
        type=float,
        default=1e-2,
        help="the same for the second layer (default %(default)s)",
    )
    p.add_argument(
        "--decay", type=float, default=0.5, help="weight decay of AdamW (default %(default)s)"
    )
    p.add_argument(
        "--blend",
        type=float,
        default=0.5,
        help="share of the result in the target (default %(default)s)",
    )
    p.add_argument(
        "--max-score", type=int, default=2500, help="leave out higher scores (default %(default)s)"
    )
    p.add_argument(
        "--noisy", action="store_true", help="keep positions whose best move is a capture"
    )
    p.add_argument("--threads", type=int, default=0, help="CPU threads (default 0: all)")
    p.add_argument("--device", help="cpu or cuda (default cuda where there is one)")
    p.add_argument("--seed", type=int, default=1, help="seed (default %(default)s)")
    p.add_argument(
        "--resume", type=Path, metavar="FILE", help="saved after each epoch, resumed if it exists"
    )
    p.add_argument("--plot", type=Path, metavar="FILE", help="picture of losses and calibration")
    p.add_argument("--json", type=Path, metavar="FILE", help="losses and calibration as JSON")
    return p


def parse_windows(options: argparse.Namespace, data: Positions) -> list[tuple[int, int]]:
    """The kinds of windows; an error says what is wrong with the sizes asked for."""
    try:
        windows = [_pair(text) for text in options.window.split("+")]
    except ValueError:
        raise UserError(f"a window is WxH, such as 3x2, not {options.window!r}") from None
    if len(windows) > (1 if data.height == 1 else 2):
        raise UserError("only Freeling's game has two kinds of windows, and no game has more")
    # A network for every board has to fit the smallest one.
    board, most = ((2, 4), 6) if options.general else (data.board, 9 if data.height == 1 else 6)
    for files, ranks in windows:
        if not (1 <= files <= board[0] and 1 <= ranks <= board[1] and files * ranks <= most):
            raise UserError(
                f"a window holds 1 to {most} squares of a board of {board[0]}x{board[1]},"
                f" not {files}x{ranks}"
            )
    if options.hidden % 32 or not 32 <= options.hidden <= 512:
        raise UserError("--hidden must be a multiple of 32, at most 512")
    if options.second_layer % 2 or not 0 <= options.second_layer <= 32:
        raise UserError("--second-layer must be even, at most 32")
    if options.second_layer and options.hidden not in WITH_HALVES:
        widths = ", ".join(map(str, WITH_HALVES))
        raise UserError(f"--second-layer needs --hidden to be one of {widths}")
    if not 1 <= options.buckets <= 16:
        raise UserError("--buckets must be from 1 to 16")
    return windows


def _pair(text: str) -> tuple[int, int]:
    files, ranks = (int(part) for part in text.split("x"))
    return files, ranks


def read(options: argparse.Namespace) -> tuple[list[Positions], list[Positions]]:
    """The positions to train on and those held out; an error says what is wrong with them."""
    try:
        train, validation = load(options.files, options.max_score, options.noisy)
    except RecordError as error:
        raise UserError(str(error)) from None
    if len(train) > 1 and not options.general:
        boards = ", ".join(f"{files}x{ranks}" for files, ranks in (data.board for data in train))
        raise UserError(f"positions of different boards ({boards}) need --general")
    # Each batch is of one board.
    enough = [data for data in train if len(data) >= options.batch]
    if not enough or not sum(map(len, validation)):
        raise UserError(f"too few positions ({sum(map(len, train))} to train on)")
    return enough, validation


def check(options: argparse.Namespace) -> None:
    """Refuse what makes no sense, and files that must not be written."""
    check_numbers(
        options, epochs=1, batch=1, rate=0.0, second_rate=0.0, decay=0, blend=0, threads=0, seed=0
    )
    if options.blend > 1:
        raise UserError(f"--blend {options.blend:g}: must be at most 1")
    if options.average is not None and not 0 < options.average < 1:
        raise UserError(f"--average {options.average:g}: must be between 0 and 1")
    if options.average is not None and not options.start:
        raise UserError("--average needs --start")
    if options.average is not None and not options.general:
        raise UserError("--average needs --general")
    check_outputs(outputs(options), [*options.files, *([options.start] if options.start else [])])
    check_own("--out", options.out, "PETARDN")
    # What PyTorch, Matplotlib and this script begin their files with
    check_own("--resume", options.resume, "/data.pkl")
    check_own("--plot", options.plot, "atplotlib")
    check_own("--json", options.json, '{\n "history": [')


def outputs(options: argparse.Namespace) -> dict[str, Path | None]:
    """The files to be written, by option."""
    return {
        "--out": options.out,
        "--resume": options.resume,
        "--plot": options.plot,
        "--json": options.json,
    }


def run_command(argv: Sequence[str] | None) -> int:
    """Train and write."""
    options = parser().parse_args(argv)
    check(options)
    try:
        import torch

        from petardlib.training import model
        from petardlib.training import run as training
    except ImportError as error:
        raise UserError(
            f"PyTorch is needed: pip install -r scripts/requirements-train.txt ({error})"
        ) from None
    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise UserError(f"--device {device}: {str(error).partition(chr(10))[0]}") from None
    if options.threads:
        torch.set_num_threads(options.threads)
    train, validation = read(options)
    windows = parse_windows(options, train[0])
    torch.manual_seed(options.seed)
    pairs = options.second_layer // 2
    if options.general:
        if train[0].height > 1:
            raise UserError("--general only works for Breakthrough")
        built = model.GeneralModel(windows[0], options.hidden, options.buckets, pairs)
    else:
        sizes = options.hidden, options.buckets, train[0].height
        second = windows[1] if len(windows) > 1 else None
        shape = Shape(train[0].board, windows[0], *sizes, second, pairs)
        built = model.BoardModel(shape)
    if options.start:
        try:
            if isinstance(built, model.GeneralModel):
                start = read_general(options.start)
                built.begin_with(start)
            else:
                built.begin_with(read_network(options.start))
        except (OSError, NetworkError, ValueError) as error:
            raise UserError(f"{options.start}: {error}") from None
    held_out = {data.board: len(data) for data in validation}
    for data in train:
        files, ranks = data.board
        print(
            f"{files}x{ranks}: {len(data)} positions to train on, {held_out[data.board]} held out",
            flush=True,
        )
    plan = training.Plan(
        options.epochs,
        options.batch,
        options.rate,
        options.second_rate,
        options.decay,
        options.blend,
        options.seed,
        device,
        options.resume,
    )
    try:
        run = training.Run(plan, built, train, validation)
    except ValueError as error:
        raise UserError(str(error)) from None
    for path in filter(None, outputs(options).values()):
        path.parent.mkdir(parents=True, exist_ok=True)
    while len(run.history) < options.epochs:
        run.epoch()
        run.save()
        options.out.write_bytes(built.export().to_bytes())
    said, result, _ = run.held_out()
    factor = training.fit_scale(said, torch.from_numpy(result))
    trained = built.export(factor)
    if options.average and isinstance(trained, General):
        trained = averaged(start, trained, options.average)
    options.out.write_bytes(trained.to_bytes())
    table = training.calibration(torch.sigmoid(said * factor).numpy(), result)
    by_board = run.losses_by_board()
    if options.general:
        for board, loss in by_board.items():
            print(f"{board}: validation {loss:.6f}")
    print(f"scale {factor:.3f}")
    print("expected  observed  positions")
    for expected, observed, count in table:
        print(f"{expected:8.3f}  {observed:8.3f}  {count:9}")
    if options.plot:
        plot(options.plot, run.history, table)
    if options.json:
        options.json.write_text(
            json.dumps(
                {
                    "history": run.history,
                    "validation": by_board,
                    "factor": factor,
                    "calibration": table,
                },
                indent=1,
            )
            + "\n"
        )
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    return guarded(run_command, argv)
