"""The one way to change anything: whole batches, in order, to their end."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest

from memory.errors import SpaceClosed
from memory.store.events import Event
from memory.store.files import Disk
from memory.store.journal import Journal
from memory.store.layout import segments
from tests.fakes import CountingIds, FixedClock


class Kept:
    """A journal, and what it folded."""

    def __init__(self, directory: Path, disk: Disk, *, segment_bytes: int = 1_000_000) -> None:
        self.folded: list[int] = []
        self.journal = Journal(
            directory, disk, FixedClock(), CountingIds(), fold=self.fold, recover=self.recover, permit=lambda: None,
            failed=lambda: None, segment_bytes=segment_bytes,
        )  # fmt: skip

    def fold(self, events: Sequence[Event]) -> None:
        self.folded += [event.seq for event in events]

    async def recover(self) -> None:
        await self.journal.open()

    async def seqs(self, after: int = 0, upto: int | None = None) -> list[int]:
        return [event.seq async for events in self.journal.events(after, upto) for event in events]


@pytest.fixture
async def kept(tmp_path: Path) -> Kept:
    kept = Kept(tmp_path, Disk())
    await kept.journal.open()
    return kept


async def test_a_batch_is_folded_whole_when_its_block_ends(kept: Kept) -> None:
    async with kept.journal.write() as batch:
        batch.add("a", {})
        batch.add("b", {})
        assert kept.folded == []
    assert kept.folded == [1, 2]


async def test_an_exception_inside_the_block_means_that_nothing_happened(kept: Kept) -> None:
    async def write() -> None:
        async with kept.journal.write() as batch:
            batch.add("a", {})
            raise KeyError

    with pytest.raises(KeyError):
        await write()
    assert (kept.journal.seq, kept.journal.path.exists()) == (0, False)


async def test_an_empty_batch_writes_nothing(kept: Kept) -> None:
    async with kept.journal.write():
        pass
    assert not kept.journal.path.exists()


async def test_work_and_keys_alone_ride_on_a_line_of_their_own(kept: Kept) -> None:
    async with kept.journal.write() as batch:
        batch.owe("job", {"x": 1})
    (line,) = kept.journal.path.read_bytes().splitlines()
    read = orjson.loads(line)
    assert (read["type"], read["commit"], read["owed"][0]["kind"]) == ("work.noted", True, "job")


async def test_a_started_commit_finishes_though_its_caller_is_cancelled(tmp_path: Path) -> None:
    kept = Kept(tmp_path, Disk(lambda point: cancel() if point == "commit.half_appended" else None))
    loop = asyncio.get_running_loop()
    await kept.journal.open()

    def cancel() -> None:
        loop.call_soon_threadsafe(caller.cancel)

    async def write() -> None:
        async with kept.journal.write() as batch:
            batch.add("a", {})

    caller = asyncio.create_task(write())
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert kept.folded == [1]
    async with kept.journal.write() as batch:
        batch.add("b", {})
    again = Kept(tmp_path, Disk())
    await again.journal.open()
    assert await again.seqs() == [1, 2]


async def test_concurrent_writers_take_turns(kept: Kept) -> None:
    async def write() -> None:
        async with kept.journal.write() as batch:
            batch.add("a", {})
            await asyncio.sleep(0)
            batch.add("b", {})

    await asyncio.gather(*(write() for _ in range(20)))
    assert kept.folded == list(range(1, 41))
    lines = [orjson.loads(line) for line in kept.journal.path.read_bytes().splitlines()]
    assert [line.get("commit") for line in lines] == [None, True] * 20


async def test_events_are_read_across_segments_between_two_seqs(tmp_path: Path) -> None:
    kept = Kept(tmp_path, Disk(), segment_bytes=500)
    await kept.journal.open()
    for _ in range(20):
        async with kept.journal.write() as batch:
            batch.add("a", {})
    assert len(segments(tmp_path)) > 3
    assert await kept.seqs() == list(range(1, 21))
    assert await kept.seqs(after=7) == list(range(8, 21))
    assert await kept.seqs(after=7, upto=11) == [8, 9, 10, 11]
    again = Kept(tmp_path, Disk(), segment_bytes=500)
    await again.journal.open()
    assert again.journal.seq == 20
    assert await again.seqs(after=19) == [20]


async def test_a_segment_that_cannot_be_renamed_just_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Kept(tmp_path, Disk(), segment_bytes=100)
    await kept.journal.open()

    def refuse(self: Path, target: Path) -> Path:
        raise PermissionError

    monkeypatch.setattr(Path, "rename", refuse)
    for _ in range(4):
        async with kept.journal.write() as batch:
            batch.add("a", {})
    assert len(kept.journal.path.read_bytes().splitlines()) == 4


async def test_a_released_journal_takes_nothing(kept: Kept) -> None:
    kept.journal.closed = True
    with pytest.raises(SpaceClosed):
        async with kept.journal.write() as batch:
            batch.add("a", {})


async def test_a_line_carries_the_companions_keys_beside_ours(kept: Kept) -> None:
    async with kept.journal.write() as batch:
        batch.add("fact.added", {"id": "fact_1"}, {"fact_id": "fact_1"})
    read = orjson.loads(kept.journal.path.read_bytes())
    assert read == {
        "event_id": "event_1", "type": "fact.added", "ts": "2026-05-04T10:00:00", "payload": {"fact_id": "fact_1"},
        "seq": 1, "at": "2026-05-04T10:00:00+02:00", "data": {"id": "fact_1"}, "commit": True,
    }  # fmt: skip
