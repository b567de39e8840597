"""Owed work: pending, attempts, done, and what of it survives."""

from __future__ import annotations

import asyncio
from pathlib import Path

import orjson
import pytest

from memory.store.events import Event, Owed
from memory.store.files import Disk
from memory.store.outbox import Outbox
from tests.fakes import MORNING, FixedClock


def event(seq: int, *, owed: tuple[str, ...] = (), done: tuple[str, ...] = ()) -> Event:
    return Event(
        seq=seq, id=f"event_{seq}", type="x", at=MORNING, data={}, payload={}, commit=True,
        owed=tuple(Owed(id=op, kind="job", payload={"of": op}) for op in owed), done=done,
    )  # fmt: skip


async def opened(directory: Path, seq: int = 0, size: int = 0, disk: Disk | None = None) -> Outbox:
    outbox = Outbox(directory, disk or Disk(), FixedClock())
    await outbox.load(seq, size)
    return outbox


async def test_what_is_owed_and_not_done_is_pending_after_reading_it_again(tmp_path: Path) -> None:
    outbox = await opened(tmp_path)
    outbox.fold(event(1, owed=("a", "b")))
    outbox.fold(event(2, done=("a",)))
    await outbox.save()
    again = await opened(tmp_path, 2, outbox.size)
    assert (list(again.pending), again.seq) == (["b"], 2)
    assert (again.pending["b"].kind, again.pending["b"].payload, again.pending["b"].owed_at) == (
        "job",
        {"of": "b"},
        MORNING,
    )


async def test_folding_an_event_again_owes_nothing_new(tmp_path: Path) -> None:
    outbox = await opened(tmp_path)
    outbox.fold(event(1, owed=("a",)))
    outbox.fold(event(1, owed=("a",)))
    await outbox.save()
    assert len(outbox.path.read_bytes().splitlines()) == 1


async def test_attempts_are_counted_on_disk_and_forgiven_there(tmp_path: Path) -> None:
    outbox = await opened(tmp_path)
    outbox.fold(event(1, owed=("a",)))
    assert await outbox.attempt("a") == 1
    assert await outbox.attempt("a") == 2
    assert (await opened(tmp_path)).pending["a"].attempts == 2
    outbox.forgive("a")
    await outbox.save()
    assert (await opened(tmp_path)).pending["a"].attempts == 1


async def test_an_attempt_that_the_disk_refuses_is_none(tmp_path: Path) -> None:
    refusing = True

    def full(point: str) -> None:
        if refusing and point == "outbox.appended":
            raise OSError(28, "no space left on device")

    outbox = await opened(tmp_path, disk=Disk(full))
    outbox.fold(event(1, owed=("a",)))
    for _ in range(3):
        with pytest.raises(OSError, match="no space"):
            await outbox.attempt("a")
    refusing = False
    assert await outbox.attempt("a") == 1
    assert (await opened(tmp_path)).pending["a"].attempts == 1


async def test_an_attempt_that_is_cancelled_while_it_is_written_down_is_forgiven(tmp_path: Path) -> None:
    loop = asyncio.get_running_loop()

    def cancel(point: str) -> None:
        if point == "outbox.appended":
            loop.call_soon_threadsafe(caller.cancel)

    outbox = await opened(tmp_path, disk=Disk(cancel))
    outbox.fold(event(1, owed=("a",)))
    caller = asyncio.create_task(outbox.attempt("a"))
    with pytest.raises(asyncio.CancelledError):
        await caller
    await outbox.save()
    assert (await opened(tmp_path)).pending["a"].attempts == 0


async def test_lines_stay_unwritten_until_they_are_on_disk(tmp_path: Path) -> None:
    outbox = await opened(tmp_path)
    outbox.fold(event(1, owed=("a",)))
    saving = asyncio.create_task(outbox.save())
    await asyncio.sleep(0)
    assert outbox.dirty
    await saving
    assert not outbox.dirty


async def test_compacting_keeps_pending_work_with_its_attempts_and_what_comes_meanwhile(tmp_path: Path) -> None:
    outbox = await opened(tmp_path)
    for seq in range(1, 600):
        outbox.fold(event(seq, owed=(f"op {seq}",)))
    await outbox.attempt("op 7")
    for seq in range(600, 1197):
        outbox.fold(event(seq, done=(f"op {seq - 599 if seq < 606 else seq - 598}",)))
    assert outbox.pending.keys() == {"op 7", "op 599"}
    await outbox.save()
    assert outbox.wants_compacting()
    compacting = asyncio.create_task(outbox.compact())
    await asyncio.sleep(0)
    outbox.fold(event(2000, owed=("late",)))
    await asyncio.gather(compacting, outbox.attempt("op 599"), outbox.save())
    again = await opened(tmp_path, 2000, outbox.size)
    assert {op.id: op.attempts for op in again.pending.values()} == {"op 7": 1, "op 599": 1, "late": 0}
    assert len(outbox.path.read_bytes().splitlines()) < 10


@pytest.mark.parametrize("size", [1, 10_000])
async def test_a_file_shorter_than_it_was_is_read_as_far_as_it_goes_and_made_up_from_the_beginning(
    tmp_path: Path, size: int
) -> None:
    outbox = await opened(tmp_path, 5, size)
    assert outbox.seq == 0


async def test_lines_have_the_companions_form(tmp_path: Path) -> None:
    outbox = await opened(tmp_path)
    outbox.fold(event(1, owed=("a",)))
    outbox.fold(event(2, done=("a",)))
    await outbox.save()
    pending, done = map(orjson.loads, outbox.path.read_bytes().splitlines())
    assert {key: pending[key] for key in ("op_id", "type", "payload", "status", "ts")} == {
        "op_id": "a", "type": "job", "payload": {"of": "a"}, "status": "pending", "ts": "2026-05-04T10:00:00",
    }  # fmt: skip
    assert done == {"op_id": "a", "status": "done", "ts": "2026-05-04T10:00:00"}
