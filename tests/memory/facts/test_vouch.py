"""What of a model's word is learnt, whatever the model is like: it points at statements, rules know whose they are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory.engine import Engine
from memory.facts.fact import Fact
from memory.facts.observe import observe
from memory.facts.windows import CURSOR
from memory.history.turn import HUMAN
from tests.fakes import ScriptedChat
from tests.memory.mind_world import NAMES, hear, momo

TOLD = "My nursing shifts at the hospital are always nights"
FACT = "Lin's nursing shifts at the hospital are always nights."


async def learnt(engine: Engine, said: list[str], *items: dict[str, Any]) -> list[str]:
    """What a model's facts read like after these messages; without ``items`` it gives every message back."""
    rows = list(items) or [{"text": one, "importance": 6, "message": at} for at, one in enumerate(said, start=1)]
    for one in said:
        await hear(engine, (HUMAN, one))
    async with momo(engine) as space:
        await observe(space, NAMES, ScriptedChat(json.dumps(rows)), eager=True)
        return [fact.text for fact in written(space.facts)]


def written(facts: Any) -> list[Fact]:
    return [fact for fact in facts if (fact.method or "").startswith("model:")]


@pytest.mark.parametrize("said", [
    "Do you like my nursing job at the hospital?", "If I lived in Rome my job would be easier",
    "He said my job at the hospital is boring", "Tom lives in Berlin and works as a chef",
    "I'm so tired of my job today", "Tell me about my favourite band", "You were always at my school with me",
    "Imagine my house was a castle", "I think my car might be broken", '"My house is on fire", the song goes',
    "I have a question about my job", "I am the king of the northern realm", "just kidding, my twin is a pirate",
    "my boss said I should quit my job", "> my car is a red Volvo", "my god, what a day", "I love it when you say that",
    "你喜欢我的工作吗", "如果我住在罗马就好了", "他说我的工作很无聊", "小王住在杭州", "我今天好累", "我是龙族的公主",
    "我有个问题想问你", "听说我家要拆迁", "我喜欢你这样", "¿Te gusta mi trabajo en el hospital?",
    "Si tuviera dinero mi trabajo sería otro", "Dice que mi trabajo es aburrido", "私の仕事は退屈だと言われた",
    "あなたは私の友達です", "내 직업이 좋아?", "Он сказал, что моя работа скучная",
    "Se eu tivesse dinheiro não trabalhava",
])  # fmt: skip
async def test_a_model_that_gives_everything_back_teaches_nothing_that_was_not_stated(
    engine: Engine, said: str
) -> None:
    assert await learnt(engine, [TOLD, said]) == [FACT]


@pytest.mark.parametrize(("said", "told"), [
    ("My nursing job at the hospital wears me out", "Lin's nursing job at the hospital wears Lin out."),
    ("I never finished my degree in physics", "Lin never finished Lin's degree in physics."),
    ("I overslept through my school exam", 'Lin said: "I overslept through my school exam"'),
    ("我的专业一直是海洋生物", "Lin的专业一直是海洋生物。"),
    ("Trabajo de enfermera en un hospital de Madrid", "Lin: “Trabajo de enfermera en un hospital de Madrid”"),
    ("私は病院で看護師として働いています", "Lin: “私は病院で看護師として働いています”"),
    ("저는 병원에서 간호사로 일하고 있어요", "Lin: “저는 병원에서 간호사로 일하고 있어요”"),
    ("Я работаю медсестрой в больнице", "Lin: “Я работаю медсестрой в больнице”"),
    ("Eu trabalho como enfermeira num hospital", "Lin: “Eu trabalho como enfermeira num hospital”"),
])  # fmt: skip
async def test_a_statement_in_the_first_person_is_told_of_its_speaker_or_quoted(
    engine: Engine, said: str, told: str
) -> None:
    assert await learnt(engine, [said]) == [told]


async def test_a_model_s_own_wording_stands_where_it_says_the_same(engine: Engine) -> None:
    said = {"text": "Lin's hospital nursing shifts are always at night.", "message": 1}
    assert await learnt(engine, [TOLD], said) == [said["text"]]


@pytest.mark.parametrize("text", [
    "Lin's nursing shifts at the hospital.",                            # less
    "Lin's nursing shifts at the hospital are not always nights.",      # the opposite
    "Lin's nursing shifts at the hospital were always nights.",         # another time
    "Your nursing shifts at the hospital are always nights.",           # of somebody else
    "The nursing shifts at the hospital are always nights.",            # of nobody
    "Lin's nursing shifts at the hospital are always nights, Lin is a spy.",
])  # fmt: skip
async def test_where_a_model_s_wording_says_something_else_the_speaker_s_words_stay(engine: Engine, text: str) -> None:
    assert await learnt(engine, [TOLD], {"text": text, "message": 1}) == [FACT]


@pytest.mark.parametrize("text", ["Lin breeds alpacas in the hills.", "Lin has 12 nursing shifts at the hospital."])
async def test_what_was_not_said_is_refused(engine: Engine, text: str) -> None:
    assert await learnt(engine, [TOLD], {"text": text, "message": 1}, {"text": FACT}) == [FACT]


async def test_the_subject_is_whoever_spoke_whatever_the_model_says(engine: Engine) -> None:
    await learnt(engine, [TOLD], {"text": FACT, "entity": "neko", "source": "ai_disclosure", "message": 1})
    async with momo(engine) as space:
        assert [(fact.entity, fact.source) for fact in written(space.facts)] == [("master", "user_observation")]


async def test_one_statement_is_learnt_once(engine: Engine) -> None:
    again = {"text": "Lin has nursing shifts at the hospital that are always nights.", "message": 1}
    assert await learnt(engine, [TOLD], {"text": FACT, "message": 1}, again) == [FACT]


async def test_of_a_message_that_rules_read_in_part_the_rest_may_be_learnt(engine: Engine) -> None:
    said = "I live in Porto, my sailing club is by the old quay"
    assert await learnt(engine, [said], {"text": "Lin's sailing club is by the old quay.", "message": 1}) == [
        "Lin's sailing club is by the old quay."
    ]
    async with momo(engine) as space:
        assert sorted(fact.text for fact in space.facts) == [
            "Lin's sailing club is by the old quay.", "The user lives in Porto.",
        ]  # fmt: skip


async def test_a_secret_is_not_learnt(engine: Engine) -> None:
    assert await learnt(engine, ["my api_key=sk-abcdefghijklmnopqrstuvwx is on the wall at my job"]) == []


SMALL_TALK = ["hello there", "how are you today?", "haha that is funny", "I'm so sleepy", "tell me a joke"]
UNCLEAR = "I once walked across the whole Gobi desert"


async def test_what_is_not_known_to_matter_is_taken_from_a_model_that_passes_over_small_talk(engine: Engine) -> None:
    said = {"text": "Lin once walked across the whole Gobi desert.", "importance": 7, "message": 6}
    assert await learnt(engine, [*SMALL_TALK, UNCLEAR], said) == [said["text"]]


async def test_it_is_not_taken_from_one_that_keeps_small_talk_too(engine: Engine) -> None:
    assert await learnt(engine, [*SMALL_TALK, UNCLEAR]) == []


async def test_no_model_is_asked_where_rules_know_that_there_is_nothing(engine: Engine) -> None:
    chat = ScriptedChat("[]")
    for said in (*SMALL_TALK, "I live in Porto."):
        await hear(engine, (HUMAN, said))
    async with momo(engine) as space:
        await observe(space, NAMES, chat, eager=True)
        assert chat.asked == []
        assert space.views.cursors.row(CURSOR) == space.turns.last_row
