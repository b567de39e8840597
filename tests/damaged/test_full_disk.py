"""The disk refuses: nothing is acknowledged that is not there, and nothing stands there twice afterwards."""

from __future__ import annotations

import errno
from collections.abc import Callable

import pytest

from memory.engine import Engine
from memory.store import layout
from memory.store.files import Disk
from tests.conftest import OpenEngine
from tests.damaged.character import Character, abandon, mia_of
from tests.fakes import FixedClock


class Refusing:
    """A disk that is full at the points that begin with one of the given names."""

    def __init__(self) -> None:
        self.at: tuple[str, ...] = ()
        self.error: type[Exception] = OSError
        self.watch: Callable[[], None] = lambda: None

    def __call__(self, point: str) -> None:
        self.watch()
        if self.at and point.startswith(self.at):
            if self.error is OSError:
                raise OSError(errno.ENOSPC, "no space left on device")
            raise self.error


@pytest.fixture
def full() -> Refusing:
    return Refusing()


@pytest.fixture
async def engine(open_engine: OpenEngine, full: Refusing) -> Engine:
    return await open_engine(disk=Disk(full))


@pytest.mark.parametrize("point", ["commit.before_append", "commit.half_appended", "commit.appended"])
async def test_a_write_that_does_not_fit_is_refused_and_the_next_one_works(
    engine: Engine, open_engine: OpenEngine, mia: Character, full: Refusing, point: str
) -> None:
    await mia.hear(engine, "one")
    full.at = (point,)
    for _ in range(3):
        with pytest.raises(OSError, match="no space"):
            await mia.hear(engine, "two", key="second")
    assert await mia.window(engine) == ["one"]
    full.at = ()
    assert await mia.hear(engine, "two", key="second") == 1
    assert await mia.hear(engine, "two", key="second") == 1
    await engine.close()
    assert mia.said() == ["one", "two"]
    assert mia.stored() == ["one", "two"]
    again = await open_engine()
    assert await mia.window(again) == ["one", "two"]


async def test_a_refused_write_is_told_to_whoever_asks_after_our_health(
    engine: Engine, mia: Character, full: Refusing, clock: FixedClock
) -> None:
    assert engine.status().failed_write_at is None
    full.at = ("commit",)
    with pytest.raises(OSError, match="no space"):
        await mia.hear(engine, "one")
    assert engine.status().failed_write_at == clock.now()


async def test_the_first_write_of_a_character_may_fail_too(engine: Engine, mia: Character, full: Refusing) -> None:
    full.at = ("commit",)
    with pytest.raises(OSError, match="no space"):
        await mia.hear(engine, "one")
    full.at = ()
    await mia.hear(engine, "one")
    await engine.close()
    assert mia.said() == ["one"]


async def test_readers_see_what_they_saw_while_a_failed_write_is_repaired(
    engine: Engine, mia: Character, full: Refusing
) -> None:
    await mia.hear(engine, "one")
    full.at = ("commit.half_appended",)
    with pytest.raises(OSError, match="no space"):
        await mia.hear(engine, "two")
    full.at = ()
    seen: list[list[str]] = []
    async with mia_of(engine) as space:
        full.watch = lambda: seen.append([entry.text for entry in space.recent.entries])
        await mia.hear(engine, "three")
    assert {tuple(texts) for texts in seen} == {("one",), ("one", "three")}


async def test_half_a_line_that_cannot_be_cut_keeps_the_journal_shut_until_it_can(
    engine: Engine, open_engine: OpenEngine, mia: Character, full: Refusing
) -> None:
    await mia.hear(engine, "one")
    full.at, full.error = ("commit.half_appended",), RuntimeError  # as if cutting back had failed too
    with pytest.raises(RuntimeError):
        await mia.hear(engine, "two")
    full.at, full.error = ("cut",), OSError
    for _ in range(3):
        with pytest.raises(OSError, match="no space"):
            await mia.hear(engine, "two")
    full.at = ()
    await mia.hear(engine, "two")
    await engine.close()
    again = await open_engine()
    await mia.hear(again, "three")
    await again.close()
    assert mia.said() == ["one", "two", "three"]
    assert mia.stored() == ["one", "two", "three"]


async def test_a_batch_that_is_on_disk_though_its_writer_was_told_otherwise_is_taken_in_once(
    engine: Engine, mia: Character, full: Refusing
) -> None:
    await mia.hear(engine, "one")
    full.at, full.error = ("commit.synced",), RuntimeError
    with pytest.raises(RuntimeError):
        await mia.hear(engine, "two", key="second")
    full.at = ()
    await mia.hear(engine, "two", key="second")
    await mia.hear(engine, "three")
    assert await mia.window(engine) == ["one", "two", "three"]
    await engine.close()
    assert mia.said() == ["one", "two", "three"]


@pytest.mark.parametrize("point", ["save", "stamp", "db", "outbox", "applied"])
async def test_files_that_cannot_be_saved_follow_later_and_turns_are_taken_in_all_the_same(
    engine: Engine, open_engine: OpenEngine, mia: Character, full: Refusing, point: str
) -> None:
    await mia.hear(engine, "one")
    full.at = (point,)
    await mia.hear(engine, "two")
    with pytest.raises(OSError, match="no space"):
        await mia.save(engine)
    full.at = ()
    await mia.hear(engine, "three")
    await engine.close()
    assert mia.stored() == ["one", "two", "three"]
    assert [entry["data"]["content"] for entry in mia.read(layout.RECENT)] == ["one", "two", "three"]
    again = await open_engine()
    assert await mia.window(again) == ["one", "two", "three"]


@pytest.mark.parametrize("point", ["save", "stamp", "db", "outbox", "applied"])
async def test_a_crash_while_files_cannot_be_saved_loses_nothing(
    engine: Engine, open_engine: OpenEngine, mia: Character, full: Refusing, point: str
) -> None:
    await mia.hear(engine, "I live in Porto.")
    full.at = (point,)
    with pytest.raises(OSError, match="no space"):
        await mia.save(engine)
    await abandon(engine)
    again = await open_engine()
    await mia.work(again)
    assert await mia.facts(again) == ["The user lives in Porto."]
    await again.close()
    assert mia.stored() == ["I live in Porto."]


async def test_a_full_disk_is_not_held_against_owed_work(engine: Engine, mia: Character, full: Refusing) -> None:
    await mia.hear(engine, "I live in Porto.")
    for point in ("commit", "outbox"):
        full.at = (point,)
        for _ in range(6):
            with pytest.raises(OSError, match="no space"):
                await mia.work(engine)
    full.at = ()
    await mia.work(engine)
    assert await mia.facts(engine) == ["The user lives in Porto."]
    assert not mia.file(layout.DEAD_LETTERS).exists()
