"""The raw events of a space: order, tokens, what is withheld."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from memory.engine import Engine
from memory.history.raw import index_tokens
from memory.history.record import Incoming, cache
from memory.history.telling import FEELING, PERSONAL_DETAIL
from memory.history.turn import AI, HUMAN, Message
from memory.recall.postings import LONGEST, Postings
from memory.space import MemorySpace
from memory.state.events import Arriving, add_event
from tests.fakes import FixedClock

NAME = "Mia"


def test_postings_count_what_was_not_dropped() -> None:
    postings = Postings()
    numbers = [postings.add(tokens) for tokens in (["a", "b"], ["b"], ["b", "c"])]
    postings.drop(numbers[2])
    assert [postings.count(token) for token in "abcd"] == [1, 2, 0, 0]
    assert postings.best(["a", "b"], 10) == [0, 1]
    assert postings.best(["a", "b"], 1) == [0]
    assert postings.having(["a", "b", "d"], [1, 0]) == [["b"], ["a", "b"]]
    assert postings.size == 2


def test_of_equals_the_latest_is_best() -> None:
    postings = Postings()
    for _ in range(5):
        postings.add(["a"])
    assert postings.best(["a"], 2) == [4, 3]


def test_a_text_is_found_by_words_that_say_something_and_by_pairs_of_characters() -> None:
    assert index_tokens("The Ferry to 东京站 is at 9am, ok") == ["9am", "ferry", "东京", "京站"]
    long = " ".join(f"word{number}" for number in range(600)) + "好" * 3
    tokens = index_tokens(long)
    assert len(tokens) == LONGEST
    assert "好好" in tokens


async def said(space: MemorySpace) -> list[str]:
    await space.raw.refresh()
    return [event.text for event in space.raw.newest(100)]


async def test_events_are_in_the_order_of_their_own_times(engine: Engine, clock: FixedClock) -> None:
    async with engine.spaces.use(NAME, create=True) as space:
        await cache(space, Incoming(messages=[Message(kind=HUMAN, content="one"), Message(kind=AI, content="two")]))
        old = clock.now() - timedelta(days=9)
        await add_event(space, Arriving(content="old", occurred_at=old))
        assert await said(space) == ["two", "one", "old"]
        event = space.raw.newest(1)[0]
        assert [one.text for one in space.raw.newest(5, (event.at.timestamp(), event.row))] == ["one", "old"]
        assert space.raw.oldest_at == old


@pytest.mark.parametrize("saved", [False, True])
async def test_a_withheld_turn_is_shown_to_nobody_who_does_not_ask_for_the_whole(engine: Engine, saved: bool) -> None:
    async with engine.spaces.use(NAME, create=True) as space:
        await cache(space, Incoming(messages=[Message(kind=HUMAN, content=f"message {n}") for n in range(5)]))
        if saved:
            await space.save()
        turns = await space.turns.after(0, 10)
        rows = [{"id": one.id, "row": one.row, "reason": "forgotten", "at": one.at.isoformat()} for one in turns[:3]]
        async with space.journal.write() as batch:
            batch.add("turns.withheld", {"turns": rows})
        assert [turn.row for turn in await space.turns.after(0, 2)] == [4]      # a part, and then the next
        assert [turn.row for turn in await space.turns.between(1, 4)] == [4]
        assert await space.turns.by_id([turns[0].id]) == {}
        assert [turn.row for turn in await space.turns.after(0, 10, whole=True)] == [1, 2, 3, 4, 5]
        assert (await space.turns.by_id([turns[0].id], whole=True)).keys() == {turns[0].id}
        assert [entry.text for entry in space.recent.entries] == ["message 3", "message 4"]
        assert await said(space) == ["message 4", "message 3"]


async def test_words_that_nobody_asked_for_yet_are_read_when_somebody_does(engine: Engine) -> None:
    async with engine.spaces.use(NAME, create=True) as space:
        for text in ("a red lantern", "a blue lantern", "a boat"):
            await add_event(space, Arriving(content=text))
        await space.raw.refresh(words=False)
        assert [event.text for event in space.raw.newest(9)] == ["a boat", "a blue lantern", "a red lantern"]
        assert space.raw.count("lantern") == 2
        await add_event(space, Arriving(content="my lantern"))
        await space.raw.refresh(words=False)
        assert [event.text for event in space.raw.saying(["lantern"], 9)] == [
            "my lantern", "a blue lantern", "a red lantern",
        ]


async def test_what_events_tell_is_found_out_when_somebody_asks(engine: Engine) -> None:
    async with engine.spaces.use(NAME, create=True) as space:
        await add_event(space, Arriving(content="I am so happy today."))
        await add_event(space, Arriving(content="my name is Ann", type="document", key="card"))
        await space.raw.refresh(words=False)
        assert [event.text for event in space.raw.telling(FEELING)] == ["I am so happy today."]
        await add_event(space, Arriving(content="nothing here", type="document", key="card"))
        await space.raw.refresh(words=False, telling=True)
        assert space.raw.telling(PERSONAL_DETAIL) == []


async def test_a_turn_erased_while_it_is_being_read_does_not_come_back(engine: Engine) -> None:
    async with engine.spaces.use(NAME, create=True) as space:
        for number in range(450):
            await add_event(space, Arriving(content=f"event {number}"))
        turns = await space.turns.after(0, 450)
        reading = asyncio.create_task(space.raw.refresh())
        while not len(space.raw):  # noqa: ASYNC110 - the moment in the middle of it
            await asyncio.sleep(0)
        assert len(space.raw) < 450
        async with space.journal.write() as batch:
            batch.add("turns.erased", {"rows": [turns[0].row, turns[-1].row], "ids": [turns[0].id, turns[-1].id]})
        await reading
        assert len(space.raw) == 448
        assert space.raw.get(turns[-1].id) is None
