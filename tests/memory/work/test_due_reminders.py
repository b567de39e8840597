"""Reminders fall due in spaces that nobody has open; one that cannot be used keeps no other waiting."""

from __future__ import annotations

from datetime import timedelta

from memory import tenancy
from memory.engine import Engine
from memory.state import remind
from memory.state.reminders import SENT
from memory.tenancy import NewScope, user_of
from tests.conftest import OpenEngine
from tests.fakes import FixedClock

USER = user_of("local:me", is_local=True)


async def scopes(engine: Engine, count: int) -> list[str]:
    found = []
    for number in range(count):
        wanted = NewScope(name=f"scope {number}", goal=None, stage="idea", template="project")
        card = await tenancy.create_scope(engine, USER, wanted)
        async with tenancy.using(engine, USER, card.id) as (place, space):
            await remind.schedule(space, USER.id, "call", engine.clock.now() + timedelta(seconds=60))
            found.append(place.space)
    return found


def sent(engine: Engine, names: list[str]) -> int:
    entries = [engine.catalogue.get(name) for name in names]
    return sum(due.status == SENT for entry in entries if entry is not None for due in entry.reminders)


async def test_all_that_are_due_are_sent_though_every_scope_is_closed(
    open_engine: OpenEngine, clock: FixedClock
) -> None:
    engine = await open_engine(open_spaces=4)
    names = await scopes(engine, 12)
    for name in names:
        await engine.spaces.put_away(name)
    await engine.due.tick()
    assert sent(engine, names) == 0
    clock.advance(61)
    await engine.due.tick()
    assert sent(engine, names) == 12
    assert engine.catalogue.due(clock.now()) == []


async def test_the_catalogue_knows_what_is_due_after_a_restart(open_engine: OpenEngine, clock: FixedClock) -> None:
    engine = await open_engine()
    names = await scopes(engine, 2)
    await engine.close()
    clock.advance(61)
    again = await open_engine()
    assert again.spaces.open_spaces == []
    assert sorted(again.catalogue.due(clock.now())) == sorted(names)
    await again.due.tick()
    assert sent(again, names) == 2


async def test_a_damaged_scope_keeps_no_other_waiting(open_engine: OpenEngine, clock: FixedClock) -> None:
    engine = await open_engine()
    names = await scopes(engine, 2)
    for name in names:
        await engine.spaces.put_away(name)
    path = engine.spaces.directory(names[0]) / "events.ndjson"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], *lines[2:]]))     # one of ours is missing in the middle
    clock.advance(61)
    await engine.due.tick()
    assert sent(engine, names) == 1
    await engine.due.tick()     # the damaged one is left alone for a while
    assert sent(engine, names) == 1


async def test_more_than_a_batch_is_sent_in_one_pass(open_engine: OpenEngine, clock: FixedClock) -> None:
    engine = await open_engine()
    (name,) = await scopes(engine, 1)
    async with engine.spaces.use(name) as space:
        for _ in range(remind.AT_ONCE + 5):
            await remind.schedule(space, USER.id, "call", clock.now())
        assert await remind.send_due(space) == remind.AT_ONCE + 5
