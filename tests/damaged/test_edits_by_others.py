"""Other programs rewrite our view files, at any time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memory.engine import Engine
from memory.history import record
from memory.history.record import Incoming
from memory.history.turn import SYSTEM, Message
from memory.store import layout
from memory.store.files import Disk
from tests.conftest import OpenEngine
from tests.crash.evidence import committed_events
from tests.damaged.character import Character, abandon, messages_of, mia_of
from tests.fakes import FixedClock


class At:
    """Does something once, when a point is passed for the n-th time after it was armed."""

    def __init__(self) -> None:
        self._point: str | None = None
        self._act: Callable[[], None] = lambda: None

    def arm(self, point: str, act: Callable[[], None]) -> None:
        self._point, self._act = point, act

    def __call__(self, point: str) -> None:
        if point == self._point:
            self._point = None
            self._act()


async def five_minutes_ago(engine: Engine, mia: Character, clock: FixedClock) -> None:
    """Three turns that are old enough to be removed by an edit."""
    await mia.hear(engine, "one", "two", "three")
    await mia.save(engine)
    clock.advance(300)


@pytest.mark.parametrize(
    ("edited", "expected"),
    [
        pytest.param(["one", "two", "three"], ["one", "two", "three"], id="nothing but our ids lost"),
        pytest.param(["one", "new", "two", "three"], ["one", "new", "two", "three"], id="inserted"),
        pytest.param(["three", "one", "two"], ["three", "one", "two"], id="reordered"),
        pytest.param(["one", "three"], ["one", "three"], id="deleted"),
        pytest.param(["one", "TWO", "three"], ["one", "TWO", "three"], id="reworded"),
        pytest.param(["one", "one", "two", "three"], ["one", "one", "two", "three"], id="copied"),
        pytest.param([], [], id="emptied"),
    ],
)
async def test_an_edit_of_the_window_is_taken_in(
    open_engine: OpenEngine, mia: Character, clock: FixedClock, edited: list[str], expected: list[str]
) -> None:
    engine = await open_engine()
    await five_minutes_ago(engine, mia, clock)
    mia.edit(layout.RECENT, messages_of(edited))
    assert await mia.window(engine) == expected
    await mia.hear(engine, "four")
    await engine.close()
    assert [entry["data"]["content"] for entry in mia.read(layout.RECENT)] == [*expected, "four"]
    assert mia.stored() == ["one", "two", "three", "four"]  # what was said stays said
    again = await open_engine()
    assert await mia.window(again) == [*expected, "four"]


@pytest.mark.parametrize("edited", [["two"], []])
async def test_an_edit_made_while_nobody_ran_is_taken_in(
    open_engine: OpenEngine, mia: Character, clock: FixedClock, edited: list[str]
) -> None:
    engine = await open_engine()
    await five_minutes_ago(engine, mia, clock)
    await engine.close()
    mia.edit(layout.RECENT, messages_of(edited))
    again = await open_engine()
    assert await mia.window(again) == edited


async def test_our_ids_survive_an_editor_that_drops_them(
    open_engine: OpenEngine, mia: Character, clock: FixedClock
) -> None:
    engine = await open_engine()
    await five_minutes_ago(engine, mia, clock)
    async with mia_of(engine) as space:
        before = [entry.id for entry in space.recent.entries]
    mia.edit(layout.RECENT, messages_of(["one", "new", "TWO", "three"]))
    async with mia_of(engine) as space:
        after = [entry.id for entry in space.recent.entries]
        assert [after[0], after[3]] == [before[0], before[2]]


async def test_fields_that_an_editor_adds_are_kept(open_engine: OpenEngine, mia: Character, clock: FixedClock) -> None:
    engine = await open_engine()
    await five_minutes_ago(engine, mia, clock)
    entries = mia.read(layout.RECENT)
    entries[0]["data"]["content"] = "ONE"
    entries[0]["data"]["name"] = "Ann"
    mia.edit(layout.RECENT, entries)
    await mia.hear(engine, "four")
    await engine.close()
    assert mia.read(layout.RECENT)[0]["data"]["name"] == "Ann"


@pytest.mark.parametrize("reopened", [False, True])
async def test_an_edit_never_removes_what_came_in_within_the_last_minute_whenever_it_was_said(
    open_engine: OpenEngine, mia: Character, clock: FixedClock, reopened: bool
) -> None:
    engine = await open_engine()
    await five_minutes_ago(engine, mia, clock)
    long_ago = Message(kind="human", content="brought in", said_at=clock.now().replace(year=2020))
    async with mia_of(engine) as space:
        await record.cache(space, Incoming(messages=[long_ago, Message(kind=SYSTEM, content="a system turn")]))
    await mia.save(engine)
    if reopened:
        await engine.close()
        engine = await open_engine()
        await mia.window(engine)
    clock.advance(50)
    mia.edit(layout.RECENT, messages_of(["two"]))
    assert await mia.window(engine) == ["two", "brought in", "a system turn"]


@pytest.mark.parametrize("point", ["save.recent.json.before_replace", "save.recent.json.replaced", "save.stamped"])
async def test_an_edit_made_while_we_save_is_neither_overwritten_nor_lost(
    open_engine: OpenEngine, mia: Character, clock: FixedClock, point: str
) -> None:
    at = At()
    engine = await open_engine(disk=Disk(at))
    await five_minutes_ago(engine, mia, clock)
    at.arm(point, lambda: mia.edit(layout.RECENT, messages_of(["one", "put in", "two", "three"])))
    await mia.hear(engine, "four")
    await mia.save(engine)
    await engine.close()
    again = await open_engine()
    assert await mia.window(again) == ["one", "put in", "two", "three", "four"]
    await again.close()
    assert [entry["data"]["content"] for entry in mia.read(layout.RECENT)] == ["one", "put in", "two", "three", "four"]


async def test_an_edit_that_the_disk_keeps_us_from_taking_in_waits_in_its_file(
    open_engine: OpenEngine, mia: Character, clock: FixedClock
) -> None:
    at = At()
    engine = await open_engine(disk=Disk(at), save_delay=3600)
    await five_minutes_ago(engine, mia, clock)
    mia.edit(layout.RECENT, messages_of(["one"]))

    def full() -> None:
        raise OSError(28, "no space left on device")

    at.arm("commit.appended", full)
    assert await mia.window(engine) == ["one", "two", "three"]  # reading goes on
    assert await mia.window(engine) == ["one"]
    await engine.close()
    assert [entry["data"]["content"] for entry in mia.read(layout.RECENT)] == ["one"]


async def test_an_edit_while_storage_is_blocked_waits_in_its_file(
    open_engine: OpenEngine, mia: Character, clock: FixedClock
) -> None:
    engine = await open_engine()
    await five_minutes_ago(engine, mia, clock)
    mia.edit(layout.RECENT, messages_of(["one"]))
    engine.gate.blocked = True
    assert await mia.window(engine) == ["one", "two", "three"]
    engine.gate.blocked = False
    assert await mia.window(engine) == ["one"]


async def test_a_window_deleted_while_we_run_is_written_again(
    open_engine: OpenEngine, mia: Character, clock: FixedClock
) -> None:
    engine = await open_engine()
    await five_minutes_ago(engine, mia, clock)
    mia.file(layout.RECENT).unlink()
    await mia.hear(engine, "four")
    await mia.save(engine)
    assert [entry["data"]["content"] for entry in mia.read(layout.RECENT)] == ["one", "two", "three", "four"]


async def test_an_edit_without_sense_is_set_aside(open_engine: OpenEngine, mia: Character, clock: FixedClock) -> None:
    engine = await open_engine()
    await five_minutes_ago(engine, mia, clock)
    mia.edit(layout.RECENT, {"not": "a list"})
    assert await mia.window(engine) == ["one", "two", "three"]
    await mia.save(engine)
    assert len(mia.asides(layout.RECENT)) == 1
    assert [entry["data"]["content"] for entry in mia.read(layout.RECENT)] == ["one", "two", "three"]


async def test_a_file_that_was_only_touched_is_no_edit(
    open_engine: OpenEngine, mia: Character, clock: FixedClock
) -> None:
    engine = await open_engine()
    await five_minutes_ago(engine, mia, clock)
    mia.file(layout.RECENT).touch()
    await mia.window(engine)
    assert "recent.edited" not in [event["type"] for event in committed_events(mia.directory)]


async def test_an_edit_and_the_loss_of_the_journal_together_keep_the_edit(
    open_engine: OpenEngine, mia: Character, clock: FixedClock
) -> None:
    engine = await open_engine()
    await five_minutes_ago(engine, mia, clock)
    await engine.close()
    mia.edit(layout.RECENT, messages_of(["one", "put in"]))
    mia.file(layout.EVENTS).unlink()
    again = await open_engine()
    assert await mia.window(again) == ["one", "put in"]


# facts.json


async def facts_of(engine: Engine, mia: Character) -> list[dict[str, object]]:
    await mia.hear(engine, "I live in Porto.", "My cat is called Tama.", "I like green tea.")
    await mia.work(engine)
    await mia.save(engine)
    rows: list[dict[str, object]] = mia.read(layout.FACTS)
    return rows


async def test_a_fact_reworded_by_hand_is_the_fact_from_then_on(open_engine: OpenEngine, mia: Character) -> None:
    engine = await open_engine()
    rows = await facts_of(engine, mia)
    rows[0]["text"] = "The user lives in Lisbon."
    mia.edit(layout.FACTS, rows)
    assert "The user lives in Lisbon." in await mia.facts(engine)
    assert "The user lives in Porto." not in await mia.facts(engine)


async def test_a_fact_removed_by_hand_is_gone_and_stays_gone(open_engine: OpenEngine, mia: Character) -> None:
    engine = await open_engine()
    rows = await facts_of(engine, mia)
    mia.edit(layout.FACTS, rows[1:])
    await mia.window(engine)
    await engine.close()
    mia.file(layout.FACTS).unlink()
    again = await open_engine()
    assert await mia.facts(again) == [row["text"] for row in rows[1:]]


async def test_a_row_that_is_no_fact_is_kept_as_it_came_until_somebody_removes_it(
    open_engine: OpenEngine, mia: Character
) -> None:
    engine = await open_engine()
    rows = await facts_of(engine, mia)
    mia.edit(layout.FACTS, [*rows, {"text": "without an id"}, 7])
    await mia.window(engine)
    await mia.save(engine)
    assert mia.read(layout.FACTS)[3:] == [{"text": "without an id"}, 7]
    mia.edit(layout.FACTS, [*rows, 7])
    await mia.window(engine)
    await mia.save(engine)
    assert mia.read(layout.FACTS)[3:] == [7]


async def test_what_we_changed_in_a_fact_meanwhile_outlives_an_edit_of_another_field(
    open_engine: OpenEngine, mia: Character
) -> None:
    engine = await open_engine(save_idle=3600)
    rows = await facts_of(engine, mia)
    await mia.hear(engine, "I moved to Lisbon.")
    await mia.work(engine)
    superseded = [row["superseded_by"] for row in await _rows(engine) if row["id"] == rows[0]["id"]]
    assert superseded != [None]
    rows[0]["importance"] = 9
    mia.edit(layout.FACTS, rows)
    after = next(row for row in await _rows(engine) if row["id"] == rows[0]["id"])
    assert (after["importance"], [after["superseded_by"]]) == (9, superseded)
    assert "The user moved to Lisbon." in await mia.facts(engine)


async def _rows(engine: Engine) -> list[dict[str, object]]:
    async with mia_of(engine) as space:
        return [
            {"id": fact.id, "importance": fact.importance, "superseded_by": fact.superseded_by} for fact in space.facts
        ]


async def test_an_abandoned_edit_is_found_at_the_next_opening(
    open_engine: OpenEngine, mia: Character, clock: FixedClock
) -> None:
    engine = await open_engine()
    await five_minutes_ago(engine, mia, clock)
    mia.edit(layout.RECENT, messages_of(["three"]))
    await abandon(engine)
    again = await open_engine()
    assert await mia.window(again) == ["three"]
