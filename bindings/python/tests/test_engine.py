"""The engine in the process: analysis, play, streams, interruption. Nothing here is timed."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from typing import Any

import pytest

import petard
from petard import AsyncEngine, Board, Engine, EngineBusyError, Limit, Move, Score
from petard._petard import EngineCore

# White wins in three plies: e6-d7 or e6-f7, then the far rank.
WON = "1p3p2/8/4P3/8/8/8/8/3P4 w 0 1"


@pytest.fixture(scope="module")
def engine() -> petard.Engine:
    return Engine(hash=4)


def test_the_same_search_is_the_same(engine: Engine) -> None:
    found = []
    for _ in range(2):
        engine.new_game()
        found.append(engine.analyse(Board(), Limit(depth=7)))
    first, second = found
    assert (first.nodes, first.pv, first.score) == (second.nodes, second.pv, second.score)
    assert first.depth == 7 and first.seldepth >= 7 and first.bound == "exact"
    assert first.nps > 0 and first.time > 0 and 0 <= first.hashfull <= 1000


@pytest.mark.parametrize("size", ["8x8", "6x6", "5x9", "9x9", "freeling"])
def test_lines_are_legal(engine: Engine, size: str) -> None:
    board = Board(size)
    board.push(next(iter(board.legal_moves)))
    infos = engine.analyse(board, Limit(nodes=3000), multipv=3)
    assert [info.multipv for info in infos] == [1, 2, 3]
    assert len({info.pv[0] for info in infos}) == 3
    for info in infos:
        line = board.copy()
        for move in info.pv:
            line.push(move)
        assert info.score.turn is petard.BLACK
    assert engine.analyse(board, Limit(nodes=500)).multipv == 1


def test_a_won_position(engine: Engine) -> None:
    board = Board(WON)
    info = engine.analyse(board, Limit(depth=5))
    assert (info.score.mate, info.score.mate_plies, info.score.cp) == (2, 3, None)
    assert info.score.win_probability == 1.0 and str(info.score) == "#2"
    assert info.score.black().mate == -2 and info.score.is_proven
    assert len(info.pv) == 3
    assert engine.analyse(board, Limit(mate=2)).score.mate == 2
    result = engine.play(board, Limit(nodes=500))
    assert result.move == info.pv[0] and result.info is not None
    assert result.info.score.mate == 2 and board == Board(WON)


def test_scores() -> None:
    score = Score(35, (550, 0, 450), petard.WHITE)
    assert (score.cp, score.mate, str(score)) == (35, None, "+35")
    assert score.black() == Score(-35, (450, 0, 550), petard.BLACK)
    assert score.white() is score and score.win_probability == 0.55
    assert abs(petard.win_probability(0) - 0.5) < 1e-12
    lost = Score(-31998, (0, 0, 1000), petard.WHITE, -2)
    assert (lost.mate, str(lost), lost.pov(petard.BLACK).mate_plies) == (-1, "#-1", 2)


def test_only_these_moves(engine: Engine) -> None:
    moves = [Move.from_uci("h2h3"), Move.from_uci("a2a3")]
    assert engine.play(Board(), Limit(depth=3), root_moves=moves).move in moves
    with pytest.raises(petard.IllegalMoveError):
        engine.play(Board(), Limit(depth=3), root_moves=[Move.from_uci("h7h6")])
    with pytest.raises(ValueError, match="empty"):
        engine.play(Board(), Limit(depth=3), root_moves=[])
    assert engine.play(Board(), Limit(depth=1)).move


def test_a_finished_game(engine: Engine) -> None:
    over = Board("8/8/8/8/3p4/8/8/8 w 0 1")
    assert engine.play(over, Limit(depth=3)).move is None
    info = engine.analyse(over, Limit(depth=3))
    assert info.pv == [] and info.score.mate_plies == 0


def test_a_search_that_ends_at_once(engine: Engine) -> None:
    info = engine.analyse(Board(), Limit(nodes=1))
    assert (info.depth, len(info.pv)) == (0, 1)
    assert info.score.cp == petard.evaluate([Board()])[0]
    assert engine.play(Board(), Limit(nodes=1)).move == info.pv[0]
    with engine.analysis(Board(), Limit(nodes=1)) as analysis:
        assert analysis.wait().move == info.pv[0]


def test_limits_are_checked(engine: Engine) -> None:
    with pytest.raises(ValueError, match="analysis"):
        engine.analyse(Board(), Limit())
    with pytest.raises(ValueError, match="analysis"):
        engine.analyse(Board(), Limit(black_clock=1.0))
    for limit in (Limit(time=-1.0), Limit(time=float("nan"))):
        with pytest.raises(ValueError, match="time"):
            engine.analyse(Board(), limit)
    for name in ("depth", "nodes", "mate"):
        for value in (-1, 2**64):
            with pytest.raises(ValueError, match=f"{name}: {value} is out of range"):
                engine.analyse(Board(), Limit(**{name: value}))
        with pytest.raises(TypeError, match=f"{name}: "):
            engine.analyse(Board(), Limit(**{name: 1.5}))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="white_inc: -1"):
        engine.analyse(Board(), Limit(white_clock=1.0, white_inc=-1.0))
    for number in (0, -1):
        with pytest.raises(ValueError, match="multipv"):
            engine.analyse(Board(), Limit(depth=1), multipv=number)
    for number in (100_000, 1 << 64):
        with pytest.raises(ValueError, match="multipv"):
            engine.analyse(Board(), Limit(depth=1), multipv=number)
    clock = Limit(white_clock=0.2, white_inc=0.0, black_clock=9.0, remaining_moves=30)
    assert engine.play(Board(), clock).move
    # The engine survives a clock of any length, and searches.
    long = Limit(depth=3, time=1e19, white_clock=1e19, white_inc=1e18)
    assert engine.analyse(Board(), long).depth == 3
    for arguments in ({"hash": 0}, {"threads": 0}, {"elo": 1_000_000}, {"threads": 513}):
        with pytest.raises(ValueError, match="at|from"):
            Engine(**arguments)
    for hash in (1 << 40, 1 << 64):
        with pytest.raises(MemoryError, match="not enough memory"):
            Engine(hash=hash)


def test_options(engine: Engine) -> None:
    network = engine.analyse(Board(), Limit(depth=1)).score
    engine.set_option("Evaluation", "article")
    assert engine.analyse(Board(), Limit(depth=1)).score != network
    engine.set_option("Evaluation", "network")
    for name, value in (("Nonsense", "1"), ("Hash", "much")):
        with pytest.raises(ValueError, match=name):
            engine.set_option(name, value)
    weak = Engine(hash=1, elo=900)
    assert weak.play(Board(), Limit(nodes=100_000)).move


def test_a_stream_ends_when_it_is_left(engine: Engine) -> None:
    with engine.analysis(Board(), multipv=2) as analysis:
        for info in analysis:
            if info.depth >= 4 and info.multipv == 2:
                break
        assert analysis.info is not None and len(analysis.multipv) == 2
        with pytest.raises(EngineBusyError):
            engine.analyse(Board(), Limit(depth=1))
        with pytest.raises(EngineBusyError):
            engine.set_option("Hash", 2)
    assert analysis.result is not None and analysis.result.move == analysis.multipv[0].pv[0]
    assert engine.analyse(Board(), Limit(depth=2)).depth == 2
    with engine.analysis(Board(), Limit(depth=5)) as analysis:
        assert analysis.wait().move is not None
        assert analysis.next() is None
    with engine.analysis(Board(), Limit(depth=4)) as analysis:
        first = analysis.next(timeout=60)
        assert first is not None and first.depth >= 1
        depths = [info.depth for info in analysis]
        assert depths and depths[-1] == 4


def test_an_analysis_that_nobody_follows_is_over(engine: Engine) -> None:
    limit = Limit(depth=1)
    for _ in engine.analysis(Board()):
        break
    assert engine.play(Board(), limit).move
    stopped = engine.analysis(Board())
    with pytest.raises(EngineBusyError):
        engine.play(Board(), limit)
    stopped.stop()
    assert engine.play(Board(), limit).move and stopped.wait().move
    stopped = engine.analysis(Board())
    engine.stop()
    engine.set_option("MultiPV", 1)
    assert stopped.result is not None
    finished = engine.analysis(Board(), Limit(depth=2))
    core = finished._core
    assert core is not None
    while not core.is_ending:
        pass
    engine.new_game()
    assert engine.play(Board(), limit).move and finished.wait().move
    assert finished.info is not None and finished.info.depth == 2


def test_another_thread_runs_meanwhile_and_can_stop_it(engine: Engine) -> None:
    counted: list[int] = []

    def work() -> None:
        counted.extend(range(1000))
        engine.stop()

    thread = threading.Timer(0.05, work)
    thread.start()
    # Without the other thread this would never end.
    info = engine.analyse(Board(), Limit(depth=200))
    thread.join()
    assert info.depth >= 1 and len(counted) == 1000


def test_engines_work_side_by_side() -> None:
    results: list[petard.Info] = []
    threads = [
        threading.Thread(
            target=lambda: results.append(Engine(hash=1).analyse(Board(), Limit(depth=6)))
        )
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({(info.nodes, tuple(info.pv)) for info in results}) == 1 and len(results) == 3


def test_a_closed_engine() -> None:
    with Engine(hash=1) as engine:
        pass
    with pytest.raises(ValueError, match="closed"):
        engine.analyse(Board(), Limit(depth=1))


def test_an_engine_of_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(hash=1)
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: 0)
        for use in (engine.play, engine.analysis):
            with pytest.raises(RuntimeError, match="fork"):
                use(Board(), Limit(depth=1))
        engine.close()
    assert engine.play(Board(), Limit(depth=1)).move is not None


FORKED = """
import os, sys
import petard
engine = petard.Engine(hash=1)
analysis = engine.analysis(petard.Board())
child = os.fork()
if child:
    status = os.waitpid(child, 0)[1]
    analysis.close()
    engine.play(petard.Board(), petard.Limit(depth=1))
    print("ended", status)
else:
    for use in (analysis.wait, analysis.next, lambda: list(analysis)):
        try:
            use()
        except RuntimeError as error:
            assert "fork" in str(error)
    analysis.close()
    del analysis, engine
    sys.exit()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_leaves_the_engine_to_its_process() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=300
    )
    assert (done.stdout, done.stderr) == ("ended 0\n", ""), done.stderr


INTERRUPTED = """
import os, signal, sys, threading
import petard
# Whoever started the tests may have had the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
engine = petard.Engine(hash=1)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    CALL
except KeyboardInterrupt:
    assert engine.analyse(petard.Board(), petard.Limit(depth=2)).depth == 2
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    "call",
    [
        "engine.analyse(petard.Board(), petard.Limit(depth=200))",
        "engine.analysis(petard.Board()).wait()",
        "kept = engine.analysis(petard.Board()); kept.next(); kept.next(timeout=1e9); list(kept)",
        "petard.random_playouts(petard.Board(), 10**9)",
        "petard.solve(petard.Board(), hash=16)",
    ],
)
def test_ctrl_c_ends_it(call: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.replace("CALL", call)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stdout == "interrupted\n", done.stderr


class LosesTheAnswer:
    """A core whose answer is lost, as Ctrl-C comes when it returns."""

    def __init__(self, core: EngineCore) -> None:
        self.core, self.left = core, 10

    def __getattr__(self, name: str) -> object:
        return getattr(self.core, name)

    def wait(self, seconds: float) -> object:
        if not self.core.is_busy:
            self.left -= 1
            assert self.left, "waits for an answer that will not come"
        news = self.core.wait(seconds)
        if isinstance(news, list):
            raise KeyboardInterrupt
        return news


@pytest.mark.parametrize("nodes", [1, 1000])
def test_ctrl_c_as_the_answer_comes(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, nodes: int
) -> None:
    with engine.analysis(Board(), Limit(nodes=nodes)) as analysis:
        assert analysis._core is not None
        monkeypatch.setattr(analysis, "_core", LosesTheAnswer(analysis._core))
        with pytest.raises(KeyboardInterrupt):
            for _ in analysis:
                pass
    line = [] if analysis.info is None else analysis.info.pv
    assert analysis.wait().move == (line[0] if line else None)
    assert engine.play(Board(), Limit(nodes=100)).move is not None


class InterruptedStart:
    """A core to whose start a signal comes, when the search has been started."""

    def __init__(self, core: EngineCore, fault: BaseException) -> None:
        self.core, self.fault = core, fault

    def __getattr__(self, name: str) -> object:
        return getattr(self.core, name)

    def start(self, *arguments: Any) -> None:
        self.core.start(*arguments)
        raise self.fault


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), TimeoutError()])
def test_a_signal_as_the_search_starts_ends_it(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    for use in (engine.play, engine.analyse, engine.analysis):
        with monkeypatch.context() as patch:
            assert engine._core is not None
            patch.setattr(engine, "_core", InterruptedStart(engine._core, fault))
            with pytest.raises(type(fault)):
                use(Board(), Limit(depth=200))
        assert engine.play(Board(), Limit(nodes=100)).move is not None


def test_what_is_refused_leaves_the_search_of_others(engine: Engine) -> None:
    with engine.analysis(Board()) as analysis:
        with pytest.raises(EngineBusyError):
            engine.play(Board(), Limit(nodes=1))
        with pytest.raises(ValueError, match="depth"):
            engine.play(Board(), Limit(depth=-1))
        core = analysis._core
        assert core is not None and core.is_busy and not core.is_ending


def test_an_analysis_that_is_over_keeps_no_engine() -> None:
    with Engine(hash=1) as engine, engine.analysis(Board()) as analysis:
        assert analysis._core is engine._core
    assert analysis.result is not None and analysis._core is None
    analysis.stop()


def test_a_weaker_engine_gives_as_many_lines_as_asked_for() -> None:
    board, limit, weak = Board(), Limit(nodes=1000), AsyncEngine(hash=1, elo=900)
    assert len(weak._engine.analyse(board, limit, multipv=2)) == 2
    assert len(asyncio.run(weak.analyse(board, limit, multipv=2))) == 2


def test_win_probabilities_of_any_number() -> None:
    assert petard.win_probability(-1e6) == 0 and petard.win_probability(1e6) == 1
    assert petard.win_probability(-400) == pytest.approx(1 / 11)


def test_an_async_analysis_that_nobody_follows_is_over() -> None:
    async def main() -> None:
        async with AsyncEngine(hash=1) as engine:
            async for _ in engine.analysis(Board()):
                break
            assert (await engine.play(Board(), Limit(depth=1))).move

    asyncio.run(main())


def test_async() -> None:
    async def main() -> None:
        async with AsyncEngine(hash=1) as engine:
            info = await engine.analyse(Board(), Limit(depth=4))
            assert info.depth == 4
            infos = await engine.analyse(Board(), Limit(depth=3), multipv=2)
            assert len(infos) == 2
            for endless in (engine.play(Board(), Limit()), engine.analyse(Board(), Limit())):
                with pytest.raises(ValueError, match="would not end"):
                    await endless
            result = await engine.play(Board(WON), Limit(depth=4))
            assert result.info is not None and result.info.score.mate == 2
            async with engine.analysis(Board()) as analysis:
                async for line in analysis:
                    if line.depth >= 4:
                        break
                assert analysis.info is not None
            # A cancelled call ends its search.
            task = asyncio.create_task(engine.analyse(Board(), Limit(depth=200)))
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await engine.analyse(Board(), Limit(depth=2))).depth == 2
            other = AsyncEngine(hash=1)
            both = await asyncio.gather(
                engine.play(Board(), Limit(depth=4)), other.play(Board(), Limit(depth=4))
            )
            assert all(result.move for result in both)

    asyncio.run(main())


def test_arguments_of_another_kind_are_named() -> None:
    text: Any = "startpos"
    for numbers in ({"hash": text}, {"threads": text}, {"elo": text}):
        with pytest.raises(
            TypeError, match=f"{next(iter(numbers))} must be an int, not 'startpos'"
        ):
            Engine(**numbers)
    with Engine() as engine:
        for call in (engine.play, engine.analyse, engine.analysis):
            with pytest.raises(TypeError, match="board must be a Board, not 'startpos'"):
                call(text, Limit(nodes=10))
            with pytest.raises(TypeError, match="root_moves must be Moves, .*, not 'startpos'"):
                call(Board(), Limit(nodes=10), root_moves=[text])
        for call in (engine.analyse, engine.analysis):
            with pytest.raises(TypeError, match="multipv must be an int, not 'startpos'"):
                call(Board(), Limit(nodes=10), multipv=text)


def test_a_limit_is_one() -> None:
    wrong: Any = 0.1
    with Engine() as engine:
        for call in (engine.play, engine.analysis):
            with pytest.raises(TypeError, match=r"limit must be a Limit, such as .*, not 0\.1"):
                call(Board(), wrong)
        with pytest.raises(TypeError, match="limit must be a Limit"):
            engine.analyse(Board(), wrong)
