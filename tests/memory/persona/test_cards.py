"""The character card as protected entries."""

from __future__ import annotations

import orjson
import pytest

from memory.engine import Engine
from memory.persona import mind
from memory.persona.cards import card_entries, claim_of
from memory.persona.entry import card_id, score
from memory.store import layout
from tests.conftest import OpenEngine
from tests.fakes import MORNING
from tests.memory.mind_world import MOMO, entry, momo, put

CARD = {"性格": "开朗", "爱好": ["唱歌", "画画"], "年龄": 3, "__ai_context.role": "a cat girl"}
MASTER = {"档案名": "Lin", "昵称": "小林", "生日": ""}


async def test_each_field_worth_telling_is_one_protected_entry(engine: Engine) -> None:
    async with momo(engine) as space:
        assert await mind.sync_cards(space, CARD, MASTER)
        told = [(one.id, one.text) for one in space.persona.section("neko")]
        assert told == [
            (card_id("neko", "性格"), "性格: 开朗"),
            (card_id("neko", "爱好"), "爱好: 唱歌、画画"),
            (card_id("neko", "年龄"), "年龄: 3"),
            (card_id("neko", "__ai_context.role"), "a cat girl"),
        ]
        assert [one.text for one in space.persona.section("master")] == ["昵称: 小林"]
        assert all(one.protected and score(one, MORNING) == float("inf") for one in space.persona)


async def test_saying_the_same_again_writes_nothing(engine: Engine) -> None:
    async with momo(engine) as space:
        await mind.sync_cards(space, CARD, MASTER)
        before = space.journal.seq
        assert not await mind.sync_cards(space, CARD, MASTER)
        assert space.journal.seq == before


async def test_a_changed_field_changes_in_place_and_a_vanished_one_goes(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, entry("prom_1", "Momo sings well.", MORNING, entity="neko"))
        await mind.sync_cards(space, CARD, MASTER)
        await mind.sync_cards(space, {"爱好": ["唱歌"], "性格": "文静"}, MASTER)
        assert [one.text for one in space.persona.section("neko")] == ["爱好: 唱歌", "性格: 文静", "Momo sings well."]


@pytest.mark.parametrize("field", ["档案名", "_reserved", "voice_id", "live2d", "__internal", "model_type"])
def test_what_the_companion_keeps_for_itself_is_not_told(field: str) -> None:
    assert card_entries("neko", {field: "x"}) == []


@pytest.mark.parametrize("value", ["", "   ", None, True, {"a": 1}, [], [{"a": 1}]])
def test_what_says_nothing_is_not_told(value: object) -> None:
    assert card_entries("neko", {"性格": value}) == []


def test_a_field_that_facts_speak_of_too_can_be_compared_with_them() -> None:
    claim = claim_of(card_entries("master", {"生日": "3月3日"})[0])
    assert claim is not None
    assert (claim.slot, claim.entity) == ("birthday", "master")
    assert claim_of(card_entries("master", {"性格": "开朗"})[0]) is None


async def test_the_engine_syncs_only_characters_that_are_configured(open_engine: OpenEngine) -> None:
    engine = await open_engine()
    config = engine.settings.data_root / layout.CONFIG
    async with momo(engine) as space:
        old = entry("card_old", "性格: 开朗", MORNING, entity="neko", source="character_card", protected=True)
        await put(space, old)
        await engine.sync_cards(space)
        assert len(space.persona) == 1  # nothing says what the card is: nothing is taken away
        config.mkdir(parents=True)
        (config / "characters.json").write_bytes(orjson.dumps({"猫娘": {MOMO: CARD}, "主人": MASTER}))
        await engine.sync_cards(space)
        assert len(space.persona) == 5
