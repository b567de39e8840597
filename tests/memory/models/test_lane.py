"""The thread that blocking jobs run in."""

from __future__ import annotations

import asyncio
import threading
from functools import partial

import pytest

from memory.clock import SystemClock
from memory.models.lane import Lane, LaneClosed


async def test_jobs_are_done_in_turn_off_the_loop() -> None:
    lane = Lane("test", SystemClock())
    done: list[int] = []

    def job(at: int) -> int:
        done.append(at)
        return threading.get_ident()

    threads = await asyncio.gather(*(lane.submit(partial(job, at)) for at in range(9)))
    assert done == list(range(9))
    assert set(threads) != {threading.get_ident()}
    assert len(set(threads)) == 1
    lane.close()


async def test_what_a_job_raises_reaches_whoever_waits_and_the_lane_goes_on() -> None:
    lane = Lane("test", SystemClock())
    with pytest.raises(ZeroDivisionError):
        await lane.submit(lambda: 1 // 0)
    assert await lane.submit(lambda: 7) == 7
    lane.close()


async def test_a_cancelled_job_that_has_not_begun_is_skipped() -> None:
    lane = Lane("test", SystemClock())
    gate = threading.Event()
    ran: list[str] = []
    first = lane.submit(gate.wait)
    second = lane.submit(lambda: ran.append("second"))
    second.cancel()
    gate.set()
    await first
    await lane.submit(lambda: ran.append("third"))
    assert ran == ["third"]
    lane.close()


async def test_a_closed_lane_turns_jobs_away() -> None:
    lane = Lane("test", SystemClock())
    started, gate = threading.Event(), threading.Event()

    def run() -> bool:
        started.set()
        return gate.wait()

    running = lane.submit(run)
    waiting = lane.submit(lambda: 1)
    await asyncio.to_thread(started.wait)
    lane.close()
    gate.set()
    assert await running is True
    with pytest.raises(LaneClosed):
        await waiting
    with pytest.raises(LaneClosed):
        await lane.submit(lambda: 2)


async def test_only_a_running_job_makes_the_lane_busy() -> None:
    lane = Lane("test", SystemClock())
    assert lane.busy_for() == 0.0
    started, gate = threading.Event(), threading.Event()

    def wait() -> None:
        started.set()
        gate.wait()

    job = lane.submit(wait)
    await asyncio.to_thread(started.wait)
    assert lane.busy_for() > 0.0
    gate.set()
    await job
    await lane.submit(lambda: None)
    assert lane.busy_for() == 0.0
    lane.close()
