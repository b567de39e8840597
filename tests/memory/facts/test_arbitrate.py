"""Pairs of facts that a model decides."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from memory.engine import Engine
from memory.facts.arbitrate import arbitrate
from memory.facts.dedup import compare_new
from tests.fakes import MORNING, ScriptedChat
from tests.memory.mind_world import fact, happened, momo, put, texts

OLD = fact("fact_old", "Lin works nights at the city hospital.", MORNING, signal_processed=True)
NEW = fact("fact_new", "Lin works late at the city hospital.", MORNING + timedelta(hours=1))


async def decided(engine: Engine, said: Any, *facts: Any) -> Sequence[str]:
    """The texts that are left once a model has said it."""
    async with momo(engine) as space:
        await put(space, *(facts or (OLD, NEW)))
        await compare_new(space)
        assert len(space.views.pending_pairs) == 1
        await arbitrate(space, ScriptedChat(json.dumps(said)))
        return texts(space.facts)


@pytest.mark.parametrize(("action", "left"), [
    ("merge", [OLD.text]), ("replace", [NEW.text]), ("keep_both", [OLD.text, NEW.text]),
])  # fmt: skip
async def test_a_model_says_whether_two_facts_are_one(engine: Engine, action: str, left: list[str]) -> None:
    assert await decided(engine, [{"index": 1, "action": action}]) == left
    async with momo(engine) as space:
        assert len(space.views.pending_pairs) == 0
        [event] = await happened(space, "pair.resolved")
        assert event["rule"] == "model:summary:scripted"


@pytest.mark.parametrize("said", [
    [], [{"index": 2, "action": "merge"}], [{"index": 0, "action": "merge"}], [{"index": 1, "action": "erase"}],
    {"index": 1},
])  # fmt: skip
async def test_an_answer_that_decides_nothing_leaves_the_pair(engine: Engine, said: Any) -> None:
    assert await decided(engine, said) == [OLD.text, NEW.text]
    async with momo(engine) as space:
        assert len(space.views.pending_pairs) == 1
        assert len(space.views.tries) == 1


async def test_facts_with_other_numbers_are_never_merged(engine: Engine) -> None:
    three = fact("fact_old", "Lin keeps 3 hens behind the old barn.", MORNING, signal_processed=True)
    four = fact("fact_new", "Lin keeps 4 hens behind the old barn now.", MORNING + timedelta(hours=1))
    assert await decided(engine, [{"index": 1, "action": "merge"}], three, four) == [three.text, four.text]
    async with momo(engine) as space:
        assert len(space.views.pending_pairs) == 0


async def test_without_pairs_nobody_is_asked(engine: Engine) -> None:
    chat = ScriptedChat("[]")
    async with momo(engine) as space:
        await put(space, OLD)
        await arbitrate(space, chat)
        assert chat.asked == []
