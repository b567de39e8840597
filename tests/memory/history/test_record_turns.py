"""Taking turns in: counts, keys, and what counts as sent again."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory.engine import Engine
from memory.errors import KeyReused
from memory.history import record
from memory.history.record import Incoming, RequestKey
from memory.history.turn import AI, HUMAN, SYSTEM, Content, Message
from tests.conftest import OpenEngine
from tests.crash.evidence import committed_events
from tests.fakes import FixedClock

HELLO = Message(kind=HUMAN, content="Hello.")
STAMPED = Message(kind=AI, content="[20260504 Mon 10:00] Hello yourself.")
NEXT = Message(kind=HUMAN, content="And now?")


async def cache(engine: Engine, *messages: Message, key: RequestKey | None = None) -> int:
    async with engine.spaces.use("Mia", create=True) as space:
        return await record.cache(space, Incoming(messages=messages, key=key))


async def kept(engine: Engine) -> list[Content]:
    async with engine.spaces.use("Mia") as space:
        return [turn.content for turn in await space.turns.after(0, 1000)]


async def test_the_answer_is_the_length_of_the_batch(engine: Engine) -> None:
    assert await cache(engine, HELLO, STAMPED) == 2


async def test_a_batch_is_one_event_and_owes_the_work_that_follows_once(engine: Engine) -> None:
    await cache(engine, HELLO, STAMPED)
    await cache(engine, NEXT)
    async with engine.spaces.use("Mia") as space:
        events = committed_events(space.directory)
        assert [event["type"] for event in events] == ["turns.added", "turns.added"]
        assert [op.kind for op in space.outbox.pending.values()] == ["post_turn"]


async def test_a_resent_prefix_that_ends_the_stored_conversation_is_dropped(engine: Engine) -> None:
    await cache(engine, HELLO, STAMPED)
    assert await cache(engine, HELLO, STAMPED, NEXT) == 3
    assert await kept(engine) == [HELLO.content, STAMPED.content, NEXT.content]


async def test_a_batch_that_is_resent_whole_changes_nothing(engine: Engine) -> None:
    await cache(engine, HELLO, STAMPED)
    assert await cache(engine, HELLO, STAMPED) == 2
    assert await kept(engine) == [HELLO.content, STAMPED.content]


async def test_a_resend_after_a_restart_is_still_known(engine: Engine, open_engine: OpenEngine) -> None:
    await cache(engine, HELLO, STAMPED)
    await engine.close()
    again = await open_engine()
    assert await cache(again, HELLO, STAMPED, NEXT) == 3
    assert await kept(again) == [HELLO.content, STAMPED.content, NEXT.content]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        pytest.param([HELLO], [HELLO], id="no assistant message"),
        pytest.param([HELLO, Message(kind=AI, content="Hi.")], [HELLO, Message(kind=AI, content="Hi.")], id="no stamp"),
        pytest.param([HELLO, STAMPED, NEXT], [HELLO, STAMPED], id="not the end of what is stored"),
        pytest.param([HELLO, STAMPED], [NEXT, HELLO, STAMPED], id="not a prefix"),
        pytest.param([HELLO, STAMPED], [Message(kind=SYSTEM, content="Hello."), STAMPED], id="another kind"),
    ],
)
async def test_people_who_say_the_same_again_are_heard_again(
    engine: Engine, first: list[Message], then: list[Message]
) -> None:
    await cache(engine, *first)
    await cache(engine, *then)
    assert len(await kept(engine)) == len(first) + len(then)


async def test_after_half_an_hour_it_is_no_resend(engine: Engine, clock: FixedClock) -> None:
    await cache(engine, HELLO, STAMPED)
    clock.advance(30 * 60 + 1)
    await cache(engine, HELLO, STAMPED)
    assert len(await kept(engine)) == 4


async def test_the_longest_prefix_counts(engine: Engine) -> None:
    for _ in range(2):
        await cache(engine, HELLO, STAMPED, key=RequestKey(f"key {_}", "body"))
    await cache(engine, HELLO, STAMPED, HELLO, STAMPED, NEXT)
    assert len(await kept(engine)) == 5


async def test_contents_in_parts_are_compared_as_values(engine: Engine) -> None:
    def parts() -> Message:
        return Message(kind=AI, content=[{"type": "text", "text": str(STAMPED.content)}, {"type": "image_url", "n": 1}])

    await cache(engine, HELLO, parts())
    await cache(engine, HELLO, parts())
    assert len(await kept(engine)) == 2


async def test_a_key_that_comes_again_with_its_body_gets_its_answer_and_nothing_else_happens(engine: Engine) -> None:
    key = RequestKey("key", "body")
    assert await cache(engine, HELLO, NEXT, key=key) == 2
    assert await cache(engine, HELLO, NEXT, key=key) == 2
    assert len(await kept(engine)) == 2


async def test_a_key_that_comes_with_another_body_is_refused_and_nothing_happens(engine: Engine) -> None:
    await cache(engine, HELLO, key=RequestKey("key", "body"))
    with pytest.raises(KeyReused):
        await cache(engine, NEXT, key=RequestKey("key", "another"))
    assert await kept(engine) == [HELLO.content]


async def test_with_a_key_nothing_is_taken_for_a_resend(engine: Engine) -> None:
    await cache(engine, HELLO, STAMPED, key=RequestKey("first", "body"))
    await cache(engine, HELLO, STAMPED, key=RequestKey("second", "body"))
    assert len(await kept(engine)) == 4


async def test_an_empty_batch_with_a_key_is_remembered(engine: Engine) -> None:
    assert await cache(engine, key=RequestKey("key", "body")) == 0
    with pytest.raises(KeyReused):
        await cache(engine, HELLO, key=RequestKey("key", "another"))


async def test_when_it_was_said_is_kept_unless_it_lies_ahead(engine: Engine, clock: FixedClock) -> None:
    before, ahead = clock.now() - timedelta(days=9), clock.now() + timedelta(days=9)
    await cache(engine, *(Message(kind=HUMAN, content=str(moment), said_at=moment) for moment in (before, ahead)))
    async with engine.spaces.use("Mia") as space:
        assert [turn.at for turn in await space.turns.after(0, 10)] == [before, clock.now()]


async def test_a_speaker_is_kept_over_a_restart(engine: Engine, open_engine: OpenEngine) -> None:
    await cache(engine, Message(kind=HUMAN, content="hi", speaker="Ann"))
    await engine.close()
    again = await open_engine()
    async with again.spaces.use("Mia") as space:
        assert [turn.speaker for turn in await space.turns.after(0, 10)] == ["Ann"]


async def test_a_large_batch_is_several_events_under_one_commit(engine: Engine) -> None:
    await cache(engine, *(Message(kind=HUMAN, content=f"{number}") for number in range(1200)))
    async with engine.spaces.use("Mia") as space:
        events = committed_events(space.directory)
    assert [len(event["data"]["turns"]) for event in events] == [500, 500, 200]
    assert [event.get("commit") for event in events] == [None, None, True]
    assert len(await kept(engine)) == 1000  # the limit asked for


async def test_a_window_too_long_is_owed_a_compression_once(engine: Engine) -> None:
    for number in range(3):
        await cache(engine, *(Message(kind=HUMAN, content=f"{number} {place}") for place in range(30)))
    async with engine.spaces.use("Mia") as space:
        assert sorted(op.kind for op in space.outbox.pending.values()) == ["compress_recent", "post_turn"]
