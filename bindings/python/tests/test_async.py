"""The engine for asyncio, stopped from outside."""

from __future__ import annotations

import asyncio

import pytest

from petard import AsyncEngine, Board, Limit

ENDLESS = Limit(depth=200)


def test_what_is_stopped_gives_its_answer() -> None:
    async def main() -> None:
        async with AsyncEngine(hash=1) as engine:
            play = asyncio.create_task(engine.play(Board(), ENDLESS))
            # It has begun when it first waits.
            await asyncio.sleep(0)
            engine.stop()
            assert (await play).move in Board().legal_moves
            analyse = asyncio.create_task(engine.analyse(Board(), ENDLESS))
            await asyncio.sleep(0)
            engine.stop()
            assert (await analyse).pv[0] in Board().legal_moves
            for stop in (engine.stop, None):
                analysis = engine.analysis(Board())
                async for info in analysis:
                    assert info.pv
                    (stop or analysis.stop)()
                assert (await analysis.wait()).move in Board().legal_moves
            # There is nothing to stop, and nothing happens to what follows.
            engine.stop()
            assert (await engine.analyse(Board(), Limit(depth=3))).depth == 3
        with pytest.raises(ValueError, match="closed"):
            engine.stop()

    asyncio.run(main())
