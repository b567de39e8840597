"""Reading turns that are in the database, on their way to it, or both."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from memory.engine import Engine
from memory.history import record
from memory.history.record import Incoming
from memory.history.turn import HUMAN, Message
from memory.history.turns_db import TAIL
from memory.space import MemorySpace
from tests.conftest import OpenEngine


@pytest.fixture
async def space(open_engine: OpenEngine) -> AsyncIterator[MemorySpace]:
    """Ten turns in the file, five on their way."""
    engine = await open_engine(save_delay=3600)
    async with engine.spaces.use("Mia", create=True) as space:
        await say(space, range(1, 11))
        await space.save()
        await say(space, range(11, 16))
        yield space


async def say(space: MemorySpace, numbers: range) -> None:
    await record.cache(space, Incoming(messages=[Message(kind=HUMAN, content=str(number)) for number in numbers]))


async def test_turns_after_a_row_come_from_both(space: MemorySpace) -> None:
    assert [turn.text for turn in await space.turns.after(7, 5)] == ["8", "9", "10", "11", "12"]
    assert [turn.row for turn in await space.turns.after(0, 100)] == list(range(1, 16))


async def test_turns_after_the_last_saved_row_need_no_file(space: MemorySpace) -> None:
    assert [turn.text for turn in await space.turns.after(10, 2)] == ["11", "12"]


async def test_turns_between_two_rows_come_from_both(space: MemorySpace) -> None:
    assert [turn.text for turn in await space.turns.between(9, 12)] == ["9", "10", "11", "12"]
    assert [turn.text for turn in await space.turns.between(12, 13)] == ["12", "13"]


async def test_turns_are_found_by_id_wherever_they_are(space: MemorySpace) -> None:
    turns = await space.turns.after(0, 100)
    wanted = [turns[0].id, turns[14].id, "turn_of_nobody"]
    assert {turn_id: turn.text for turn_id, turn in (await space.turns.by_id(wanted)).items()} == {
        turns[0].id: "1", turns[14].id: "15",
    }  # fmt: skip


async def test_nothing_is_read_from_a_database_that_does_not_exist(open_engine: OpenEngine) -> None:
    engine = await open_engine()
    async with engine.spaces.use("New", create=True) as space:
        assert await space.turns.after(0, 10) == []
        assert not space.directory.exists()


async def test_the_newest_turns_are_at_hand_after_a_restart(engine: Engine, open_engine: OpenEngine) -> None:
    async with engine.spaces.use("Mia", create=True) as space:
        await say(space, range(TAIL + 50))
        before = [kept.turn.id for kept in space.turns.tail]
    await engine.close()
    again = await open_engine()
    async with again.spaces.use("Mia") as space:
        assert [kept.turn.id for kept in space.turns.tail] == before
        assert len(before) == TAIL
