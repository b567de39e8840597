"""Tidying the recent window."""

from __future__ import annotations

import asyncio

import pytest

from memory.engine import Engine
from memory.history.recent import Entry
from memory.history.review import cancel_review, review, tidied
from tests.memory.mind_world import momo, talk


def said(kind: str, text: str) -> Entry:
    return Entry(kind=kind, content=text)


def test_leaked_reasoning_goes_and_the_rest_of_the_message_stays() -> None:
    leaked = [said("ai", "<think>she likes tea</think>\nTea?"), said("ai", "<thinking>never closed"), said("ai", "ok")]
    after = tidied(leaked)
    assert [entry.content for entry in after] == ["Tea?", "ok"]


def test_the_character_saying_the_same_twice_in_a_row_said_it_once() -> None:
    after = tidied([said("ai", "Hello"), said("ai", "Hello"), said("human", "hi"), said("ai", "Hello")])
    assert [entry.content for entry in after] == ["Hello", "hi", "Hello"]


@pytest.mark.parametrize(
    "text", ["haha", "<think>that is how I write</think>", "  spaced  ", "[20260501 Fri 14:30] x", ""]
)
def test_what_a_person_said_is_never_touched(text: str) -> None:
    window = [said("human", text), said("human", text), said("system", "memo"), said("human", text)]
    assert tidied(window) == window


def test_a_memo_stands_once() -> None:
    memo = said("system", "Memo from prior conversations: x")
    assert tidied([memo, said("human", "hi"), memo]) == [memo, said("human", "hi")]


async def test_it_is_done_once_enough_was_said(engine: Engine) -> None:
    await talk(engine, *[("hi there", "<think>hm</think>Hello.")] * 4)
    async with momo(engine) as space:
        assert not await review(space)
        assert await review(space, quiet=True)
        assert [entry.content for entry in space.recent.entries[1::2]] == ["Hello."] * 4
        assert not await review(space, quiet=True)  # nothing new was said since


async def test_a_running_review_is_cancelled_and_waited_for(engine: Engine) -> None:
    await talk(engine, *[("hi there", "<think>hm</think>Hello.")] * 5)
    async with momo(engine) as space:
        assert not await cancel_review(space)
        before = list(space.recent.entries)
        async with space.journal.hold():
            running = asyncio.create_task(review(space))
            await asyncio.sleep(0.01)
            assert await cancel_review(space)
        assert not await running
        assert space.recent.entries == before
        assert await review(space)  # a cancelled one does not count
