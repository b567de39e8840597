"""Loops start, survive an error, and stop."""

from __future__ import annotations

import asyncio
import logging

import pytest

from memory.work.runner import Loop, Runner


async def until(runs: list[int], count: int) -> None:
    async with asyncio.timeout(5):
        while len(runs) < count:  # noqa: ASYNC110 - the loop under test has no event
            await asyncio.sleep(0)


async def test_a_tick_that_fails_is_logged_without_its_text_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    runs: list[int] = []

    async def tick() -> None:
        runs.append(1)
        raise ValueError("what somebody said")

    runner = Runner()
    with caplog.at_level(logging.ERROR):
        runner.start([Loop("a loop", every=0.0, tick=tick)])
        await until(runs, 3)
        await runner.stop()
    assert "a loop" in caplog.text
    assert "ValueError" in caplog.text
    assert "what somebody said" not in caplog.text


async def test_a_stopped_runner_runs_no_more() -> None:
    runs: list[int] = []

    async def tick() -> None:
        runs.append(1)

    runner = Runner()
    runner.start([Loop("a loop", every=0.0, tick=tick)])
    await until(runs, 1)
    await runner.stop()
    count = len(runs)
    for _ in range(20):
        await asyncio.sleep(0)
    assert len(runs) == count
