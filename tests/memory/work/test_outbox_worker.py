"""Owed work is done, tried again, set aside, or left until it can be done."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import orjson
import pytest

from memory.engine import Engine
from memory.errors import DamagedSpace, ModelFailed, StorageBlocked
from memory.space import MemorySpace
from memory.store import layout
from memory.store.outbox import OutboxOp
from memory.work.outbox_worker import OutboxWorker
from tests.conftest import OpenEngine
from tests.fakes import FixedClock

Job = Callable[[MemorySpace, OutboxOp], Awaitable[None]]


async def owe(engine: Engine, *kinds: str, name: str = "Mia") -> None:
    async with engine.spaces.use(name, create=True) as space, space.journal.write() as batch:
        for kind in kinds:
            batch.owe(kind, {})


def worker_of(
    engine: Engine, *, attempts: int = 3, admits: Callable[[str], bool] = lambda name: True, **jobs: Job
) -> OutboxWorker:
    return OutboxWorker(engine.spaces, engine.clock, jobs, attempts=attempts, admits=admits)


async def once(engine: Engine, worker: OutboxWorker) -> dict[str, int]:
    """Do everything once; the kinds still pending with their attempts."""
    async with engine.spaces.use("Mia") as space:
        await worker.perform_all(space)
        return {op.kind: op.attempts for op in space.outbox.pending.values()}


async def finish(space: MemorySpace, op: OutboxOp) -> None:
    async with space.journal.write() as batch:
        batch.add("job.done", {"id": op.id})
        batch.finish(op.id)


async def fail(space: MemorySpace, op: OutboxOp) -> None:
    raise ModelFailed("summary", "out of order", retryable=True)


async def test_a_job_is_done_with_its_effect(engine: Engine) -> None:
    await owe(engine, "job")
    assert await once(engine, worker_of(engine, job=finish)) == {}


async def test_a_job_that_fails_is_counted_and_the_others_go_on(engine: Engine) -> None:
    await owe(engine, "bad", "job")
    assert await once(engine, worker_of(engine, bad=fail, job=finish)) == {"bad": 1}


async def test_a_job_that_fails_too_often_is_kept_among_the_dead_letters(engine: Engine, root: Path) -> None:
    await owe(engine, "bad")
    worker = worker_of(engine, bad=fail)
    pending = [await once(engine, worker) for _ in range(3)]
    assert pending == [{"bad": 1}, {"bad": 2}, {}]
    (letter,) = (root / "memory" / "Mia" / layout.DEAD_LETTERS).read_bytes().splitlines()
    read = orjson.loads(letter)
    assert (read["type"], read["attempts"], read["reason"]) == ("bad", 3, "ModelFailed")


async def test_a_job_that_killed_the_process_each_time_is_not_begun_again(engine: Engine) -> None:
    await owe(engine, "bad")
    async with engine.spaces.use("Mia") as space:
        (op,) = space.outbox.pending
        for _ in range(3):
            await space.outbox.attempt(op)
    begun: list[str] = []

    async def job(space: MemorySpace, op: OutboxOp) -> None:
        begun.append(op.id)

    assert await once(engine, worker_of(engine, bad=job)) == {}
    assert begun == []


async def test_a_kind_that_nobody_performs_waits(engine: Engine) -> None:
    await owe(engine, "of_another_version")
    assert await once(engine, worker_of(engine, job=finish)) == {"of_another_version": 0}


@pytest.mark.parametrize("error", [OSError(28, "no space left on device"), StorageBlocked("blocked")])
async def test_what_the_storage_refuses_is_not_held_against_the_job(engine: Engine, error: Exception) -> None:
    async def refused(space: MemorySpace, op: OutboxOp) -> None:
        raise error

    await owe(engine, "job")
    worker = worker_of(engine, job=refused)
    for _ in range(5):
        with pytest.raises(type(error)):
            await once(engine, worker)
    assert await once(engine, worker_of(engine, job=finish)) == {}


async def test_a_job_that_runs_out_of_time_failed(engine: Engine) -> None:
    async def late(space: MemorySpace, op: OutboxOp) -> None:
        raise TimeoutError

    await owe(engine, "job")
    assert await once(engine, worker_of(engine, job=late)) == {"job": 1}


async def test_a_job_that_ends_without_finishing_stays_owed_and_did_not_fail(engine: Engine) -> None:
    async def later(space: MemorySpace, op: OutboxOp) -> None:
        return None

    await owe(engine, "job")
    worker = worker_of(engine, job=later)
    for _ in range(5):
        assert await once(engine, worker) == {"job": 0}


async def test_a_job_that_is_stopped_stays_owed_and_did_not_fail_also_after_a_restart(
    engine: Engine, open_engine: OpenEngine
) -> None:
    begun = asyncio.Event()

    async def long(space: MemorySpace, op: OutboxOp) -> None:
        begun.set()
        await asyncio.Event().wait()

    await owe(engine, "job")
    worker = worker_of(engine, job=long)
    running = asyncio.create_task(once(engine, worker))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await engine.close()
    again = await open_engine()
    async with again.spaces.use("Mia") as space:
        assert [op.attempts for op in space.outbox.pending.values()] == [0]


async def test_nothing_is_done_in_a_damaged_space(engine: Engine, open_engine: OpenEngine, root: Path) -> None:
    for _ in range(3):
        await owe(engine, "job")
    await engine.close()
    path = root / "memory" / "Mia" / layout.EVENTS
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[2])
    outbox = (root / "memory" / "Mia" / layout.OUTBOX).read_bytes()
    again = await open_engine()
    with pytest.raises(DamagedSpace):
        await once(again, worker_of(again, job=finish))
    await again.close()
    assert (root / "memory" / "Mia" / layout.OUTBOX).read_bytes() == outbox


async def test_a_name_that_is_not_admitted_is_left_alone(engine: Engine) -> None:
    await owe(engine, "job")
    assert await once(engine, worker_of(engine, admits=lambda name: False, job=finish)) == {"job": 0}


async def test_the_running_worker_does_what_is_owed_in_every_space(engine: Engine, clock: FixedClock) -> None:
    done: list[str] = []

    async def job(space: MemorySpace, op: OutboxOp) -> None:
        await finish(space, op)
        done.append(space.name)

    worker = worker_of(engine, job=job)
    for name in ("Ann", "Bea", "Cleo"):
        await owe(engine, "job", name=name)
        async with engine.spaces.use(name) as space:
            worker.owed(space)
    clock.advance(5)
    running = asyncio.create_task(worker.run())
    async with asyncio.timeout(10):
        while not worker.idle:  # noqa: ASYNC110 - the clock stands still
            await asyncio.sleep(0.001)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert sorted(done) == ["Ann", "Bea", "Cleo"]


async def test_work_of_a_space_can_be_stopped(engine: Engine, clock: FixedClock) -> None:
    begun = asyncio.Event()

    async def long(space: MemorySpace, op: OutboxOp) -> None:
        begun.set()
        await asyncio.Event().wait()

    worker = worker_of(engine, job=long)
    await owe(engine, "job")
    async with engine.spaces.use("Mia") as space:
        worker.owed(space)
    clock.advance(5)
    running = asyncio.create_task(worker.run())
    await begun.wait()
    assert await worker.cancel("Mia") == 1
    assert await worker.cancel("Mia") == 0
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
