"""Putting in order what is held: what a model may do with sentences that resemble each other."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory.engine import Engine
from memory.models.embedder import Vectors
from memory.persona.polish import polish
from memory.reflections.evidence import Evidence
from tests.conftest import OpenEngine
from tests.fakes import MORNING, FixedClock, ScriptedChat, WordEmbedder
from tests.memory.mind_world import NAMES, confirmed, entry, fact, momo, put, reflection, texts

OTHER = entry("per_2", "Lin grew up by the sea.", MORNING)
ONE = entry("per_1", "Lin swims in the lake every morning.", MORNING)
TWO = entry("per_3", "Lin swims every morning in the cold lake.", MORNING + timedelta(hours=1))


async def polished(engine: Engine, said: Any) -> tuple[int, list[str]]:
    async with momo(engine) as space:
        await put(space, ONE, TWO, OTHER)
        return await polish(space, NAMES, ScriptedChat(json.dumps(said))), texts(space.persona)


IDS = ["persona.master.per_1", "persona.master.per_3"]
LAKE = "Lin swims in the cold lake every morning."


async def test_two_that_say_the_same_become_one(engine: Engine) -> None:
    taken, held = await polished(engine, [{"action": "merge", "source_ids": IDS, "text": LAKE}])
    assert (taken, sorted(held)) == (1, sorted([LAKE, OTHER.text]))


@pytest.mark.parametrize("said", [
    [], [{"action": "merge", "source_ids": [IDS[0], "persona.master.per_9"], "text": LAKE}],
    [{"action": "merge", "source_ids": IDS, "text": "Lin hates people."}],
    [{"action": "merge", "source_ids": IDS, "text": "Lin does not swim in the cold lake every morning."}],
    [{"action": "discard", "source_ids": ["persona.master.per_3"]}], [{"action": "forget everything"}],
])  # fmt: skip
async def test_a_group_is_stamped_even_when_nothing_of_the_answer_applies(
    engine: Engine, clock: FixedClock, said: Any
) -> None:
    taken, held = await polished(engine, said)
    assert (taken, held) == (0, [ONE.text, TWO.text, OTHER.text])
    chat = ScriptedChat("[]")
    async with momo(engine) as space:
        for _ in range(48):
            clock.advance(1_800)
            await polish(space, NAMES, chat)
        assert chat.asked == []
        clock.advance(30 * 86_400)
        await polish(space, NAMES, chat)
        assert len(chat.asked) == 1


async def test_a_protected_entry_is_never_shown(engine: Engine) -> None:
    chat = ScriptedChat("[]")
    async with momo(engine) as space:
        await put(space, ONE, entry("card_1", "Lin swims in the lake every morning!", MORNING, protected=True))
        await polish(space, NAMES, chat)
        assert chat.asked == []


TWOFOLD = entry("per_4", "Lin swims in the lake and mends violins.", MORNING, evidence=Evidence(reinforcement=2.0))
NEAR = entry("per_5", "Lin swims in the lake and rows.", MORNING)
APART = ["Lin swims in the lake.", "Lin mends violins."]


async def test_a_sentence_that_says_two_things_becomes_two_which_share_its_trust(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, TWOFOLD, NEAR)
        said = [{"action": "split", "source_ids": ["persona.master.per_4"], "texts": APART}]
        assert await polish(space, NAMES, ScriptedChat(json.dumps(said))) == 1
        first, near, second = list(space.persona)
        assert (first.id, first.text, second.text) == ("per_4", APART[0], APART[1])
        assert [one.evidence.reinforcement for one in (first, second)] == [1.0, 1.0]
        assert (first.versions[0]["text"], near) == (TWOFOLD.text, near)
        assert second.id.startswith("per_")


async def test_a_reflection_that_is_split_leaves_its_sources_to_both(engine: Engine) -> None:
    one = confirmed(reflection("ref_1", TWOFOLD.text, MORNING, source_fact_ids=("fact_1",)), MORNING, 2.0)
    async with momo(engine) as space:
        await put(space, one, reflection("ref_2", NEAR.text, MORNING))
        said = [{"action": "split", "source_ids": ["reflection.ref_1"], "texts": APART}]
        assert await polish(space, NAMES, ScriptedChat(json.dumps(said))) == 1
        parts = [held for held in space.reflections if held.text in APART]
        assert [held.source_fact_ids for held in parts] == [("fact_1",), ("fact_1",)]
        assert [(held.status, held.evidence.reinforcement) for held in parts] == [("confirmed", 1.0)] * 2


@pytest.mark.parametrize("texts_said", [
    ["Lin swims in the lake."], APART[:1] * 2, ["Lin swims in the lake.", "Lin hates people."], "Lin swims", None,
    ["Lin swims in the lake.", "Lin does not mend violins."], [APART[0], TWOFOLD.text], [APART[0], 7],
])  # fmt: skip
async def test_parts_that_say_less_more_or_the_same_twice_are_refused(engine: Engine, texts_said: Any) -> None:
    async with momo(engine) as space:
        await put(space, TWOFOLD, NEAR)
        said = [{"action": "split", "source_ids": ["persona.master.per_4"], "texts": texts_said}]
        assert await polish(space, NAMES, ScriptedChat(json.dumps(said))) == 0
        assert texts(space.persona) == [TWOFOLD.text, NEAR.text]


async def test_the_facts_that_a_group_rests_on_are_shown_beside_it(engine: Engine) -> None:
    chat = ScriptedChat("[]")
    async with momo(engine) as space:
        told = fact("fact_1", "Lin swam before work on Monday.", MORNING)
        await put(space, told, replace(ONE, source_fact_ids=("fact_1",)), TWO)
        await polish(space, NAMES, chat)
    assert "<facts>\nLin swam before work on Monday.\n</facts>" in chat.asked[0][1][1]["content"]


class Alike(WordEmbedder):
    """Holds two sentences to be about the same that share no word."""

    def _vector(self, text: str) -> Vectors:
        return super()._vector("the same" if "piano" in text.casefold() or "keyboard" in text.casefold() else text)


async def test_with_vectors_a_group_is_what_is_near_in_meaning(open_engine: OpenEngine) -> None:
    engine = await open_engine(embedder=Alike())
    chat = ScriptedChat("[]")
    async with momo(engine) as space:
        piano, keyboard = entry("per_1", "Lin plays the piano.", MORNING), entry("per_3", "Keyboard is fun.", MORNING)
        await put(space, piano, keyboard, OTHER)
        await polish(space, NAMES, chat, engine.embedder)
        assert chat.asked == []     # no vectors were made yet, and they share no words
    await engine.backfill.tick()
    async with momo(engine) as space:
        await polish(space, NAMES, chat, engine.embedder)
        [(_, messages)] = chat.asked
        assert "per_1" in messages[1]["content"]
        assert "per_3" in messages[1]["content"]
        assert "per_2" not in messages[1]["content"]


async def test_a_group_has_six_members_at_most_the_closest_ones(engine: Engine) -> None:
    chat = ScriptedChat("[]")
    async with momo(engine) as space:
        await put(space, *[entry(f"per_{at}", f"Lin swims in the lake on day {at}.", MORNING) for at in range(9)])
        await polish(space, NAMES, chat)
        assert chat.asked[0][1][1]["content"].count("persona.master.per_") == 6
