"""Spaces are lent, folded away, closed for a while, and made by writes alone."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path

import pytest

from memory.engine import Engine
from memory.errors import BadInput, UnknownSpace
from memory.history import record
from memory.history.record import Incoming, RequestKey
from memory.history.turn import HUMAN, Message
from memory.store.files import Disk
from tests.conftest import OpenEngine
from tests.crash.evidence import fingerprint, turns_in_journal
from tests.fakes import FixedClock


async def say(engine: Engine, name: str, text: str = "hello") -> None:
    async with engine.spaces.use(name, create=True) as space:
        await record.cache(space, Incoming(messages=[Message(kind=HUMAN, content=text)]))


async def settled(engine: Engine) -> None:
    """Until what is being folded away is."""
    for _ in range(200):
        if len(engine.spaces.open_spaces) <= engine.settings.open_spaces:
            return
        await asyncio.sleep(0.005)


async def test_a_name_without_a_directory_is_unknown_to_readers(engine: Engine) -> None:
    with pytest.raises(UnknownSpace):
        async with engine.spaces.use("Nobody"):
            pass


async def test_only_a_write_makes_the_directory(engine: Engine) -> None:
    async with engine.spaces.use("Mia", create=True) as space:
        assert not space.directory.exists()
        await record.cache(space, Incoming(messages=()))
        assert not space.directory.exists()
        assert not engine.spaces.exists("Mia")
    await say(engine, "Mia")
    assert engine.spaces.exists("Mia")
    assert engine.spaces.names() == ["Mia"]


@pytest.mark.skipif(os.name == "nt", reason="symbolic links")
async def test_a_directory_that_is_a_symbolic_link_is_refused(engine: Engine, root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (root / "memory" / "Mia").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInput):
        await say(engine, "Mia")
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert engine.spaces.names() == []


async def test_reading_changes_nothing_on_disk(open_engine: OpenEngine, root: Path) -> None:
    engine = await open_engine()
    await say(engine, "Mia")
    await engine.close()
    before = fingerprint(root / "memory" / "Mia")
    again = await open_engine()
    async with again.spaces.use("Mia") as space:
        assert await space.turns.after(0, 10)
    await again.close()
    assert fingerprint(root / "memory" / "Mia") == before


async def test_the_least_recently_used_space_is_folded_away_with_everything_saved(
    open_engine: OpenEngine, root: Path
) -> None:
    engine = await open_engine(open_spaces=2, save_delay=3600)
    for name in ("Ann", "Bea", "Cleo"):
        await say(engine, name)
    await settled(engine)
    assert sorted(space.name for space in engine.spaces.open_spaces) == ["Bea", "Cleo"]
    assert (root / "memory" / "Ann" / "recent.json").exists()
    assert not (root / "memory" / "Bea" / "recent.json").exists()


async def test_a_lent_space_is_not_folded_away(open_engine: OpenEngine) -> None:
    engine = await open_engine(open_spaces=1)
    async with engine.spaces.use("Ann", create=True) as ann:
        for name in ("Bea", "Cleo"):
            await say(engine, name)
        await record.cache(ann, Incoming(messages=[Message(kind=HUMAN, content="still here")]))
        assert ann in engine.spaces.open_spaces


async def test_whoever_comes_while_a_space_is_folded_away_waits_and_finds_it_whole(
    open_engine: OpenEngine, root: Path
) -> None:
    engine = await open_engine(open_spaces=1)
    for number in range(20):
        await asyncio.gather(*(say(engine, name, f"number {number}") for name in ("Ann", "Bea", "Cleo")))
    for name in ("Ann", "Bea", "Cleo"):
        texts = [turn["content"] for turn in turns_in_journal(root / "memory" / name)]
        assert texts == [f"number {number}" for number in range(20)]


async def test_a_space_is_closed_once_every_lease_is_back(engine: Engine) -> None:
    await say(engine, "Mia")
    order: list[str] = []

    async def close() -> None:
        async with engine.spaces.closed("Mia"):
            order.append("closed")

    async with engine.spaces.use("Mia"):
        closing = asyncio.create_task(close())
        for _ in range(10):
            await asyncio.sleep(0)
        order.append("returned")
    await closing
    assert order == ["returned", "closed"]


async def test_whoever_comes_while_a_space_is_closed_gets_it_afterwards(engine: Engine) -> None:
    await say(engine, "Mia")
    async with engine.spaces.closed("Mia"):
        waiting = asyncio.create_task(say(engine, "Mia", "later"))
        for _ in range(10):
            await asyncio.sleep(0)
        assert not waiting.done()
    await waiting
    async with engine.spaces.use("Mia") as space:
        assert [entry.text for entry in space.recent.entries] == ["hello", "later"]


async def test_a_space_that_cannot_be_opened_can_be_once_it_is_mended(open_engine: OpenEngine, root: Path) -> None:
    refusing = [True]

    def refuse(point: str) -> None:
        if refusing and point.startswith("cut"):
            raise OSError(28, "no space left on device")

    engine = await open_engine(disk=Disk(refuse))
    directory = root / "memory" / "Mia"
    directory.mkdir(parents=True)
    (directory / "events.ndjson").write_bytes(b'{"half')
    with pytest.raises(OSError, match="no space"):
        await say(engine, "Mia")
    refusing.clear()
    await say(engine, "Mia")


async def test_a_database_without_use_is_closed_and_opens_again(open_engine: OpenEngine, clock: FixedClock) -> None:
    engine = await open_engine(database_idle=0.0)
    await say(engine, "Mia")
    async with engine.spaces.use("Mia") as space:
        await space.save()
        opened = space.turns.is_open
        clock.advance(1)
        await engine.spaces.close_idle_databases()
        assert (opened, space.turns.is_open) == (True, False)
        assert len(await space.turns.after(0, 10)) == 1


async def test_the_sweep_opens_every_space_once_and_keeps_none_open(open_engine: OpenEngine) -> None:
    engine = await open_engine()
    for name in ("Ann", "Bea"):
        await say(engine, name)
    await engine.close()
    again = await open_engine()
    await again.sweep()
    assert again.spaces.open_spaces == []
    assert again.status().spaces == 2
    assert again.status().owed == 2


async def test_saving_can_be_stopped_at_any_moment_after_a_write(open_engine: OpenEngine) -> None:
    engine = await open_engine(save_delay=0.0)
    for moment in range(12):
        async with engine.spaces.use(f"Mia {moment}", create=True) as space:
            key = RequestKey("key", "body")  # kept in a file that is saved at leisure
            await record.cache(space, Incoming(messages=[Message(kind=HUMAN, content="hello")], key=key))
            await asyncio.sleep(0.03)
            writing = asyncio.create_task(record.cache(space, Incoming(messages=[Message(kind=HUMAN, content="more")])))
            while len(space.recent.entries) < 2:  # noqa: ASYNC110 - the moment it is folded
                await asyncio.sleep(0)
            for _ in range(moment):
                await asyncio.sleep(0)
            async with asyncio.timeout(5):
                await space.stop()
            await writing


async def test_an_ending_that_is_cut_short_leaves_no_database_open(open_engine: OpenEngine) -> None:
    engine = await open_engine()
    await engine.catalogue.open()
    async with engine.spaces.use("Mia", create=True) as space:
        await record.cache(space, Incoming(messages=[Message(kind=HUMAN, content="hello")]))
        await space.turns.save()
        assert space.turns.is_open

    async def work() -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        for _ in range(30):             # what cannot be stopped at once
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0.01)

    engine._tasks.append(asyncio.create_task(work()))
    await asyncio.sleep(0)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await engine.close()
    assert not space.turns.is_open
