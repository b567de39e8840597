"""What a model makes of new facts beside what is held, and of what the user answers, denies and wishes not to hear."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from memory.engine import Engine
from memory.facts.windows import CURSOR as READ
from memory.history.turn import AI, HUMAN
from memory.models.chat import Tier
from memory.persona import mind
from memory.persona.listen import AVOIDED, REBUTTED, hear_answers, hear_denials, hear_wishes
from memory.persona.signals import CURSOR, signal, target_in
from memory.reflections.mentions import is_resting
from memory.reflections.reflection import Reflection
from memory.space import MemorySpace
from tests.fakes import MORNING, FixedClock, ScriptedChat
from tests.memory.mind_world import NAMES, confirmed, entry, fact, hear, momo, put, reflection, talk

DAY = timedelta(days=1)
BEFORE = MORNING - 9 * DAY
HELD = confirmed(reflection("ref_1", "Lin avoids the hospital whenever possible.", BEFORE), BEFORE)
ENTRY = entry("per_1", "Lin works at the harbour office.", MORNING - 9 * DAY)
FACT = fact(
    "fact_1", "Lin left the harbour office and signed on at the hospital.", MORNING, row=1, signal_processed=True
)


async def read_rows(space: MemorySpace, row: int) -> None:
    async with space.journal.write() as batch:
        batch.add("cursor.moved", {"name": READ, "to": row})


def said(*signals: tuple[str, str, str]) -> ScriptedChat:
    rows = [
        {"source_fact_id": fact_id, "target_type": "reflection", "target_id": target, "signal": kind, "reason": "r"}
        for fact_id, target, kind in signals
    ]
    return ScriptedChat(json.dumps({"signals": rows}))


async def signalled(engine: Engine, chat: ScriptedChat) -> tuple[float, float]:
    """Disputation of what is held once a model has spoken: of the reflection and of the entry."""
    async with momo(engine) as space:
        await put(space, HELD, ENTRY, FACT)
        await read_rows(space, 1)
        await signal(space, NAMES, chat)
        one, held = space.reflections.get("ref_1"), space.persona.get("master", "per_1")
        assert one is not None
        assert held is not None
        return one.evidence.disputation, held.evidence.disputation


async def test_a_fact_may_speak_against_what_is_held_where_rules_saw_nothing(engine: Engine) -> None:
    chat = said(("fact_1", "reflection.ref_1", "negates"), ("fact_1", "persona.master.per_1", "negates"))
    assert await signalled(engine, chat) == (1.0, 1.0)
    async with momo(engine) as space:
        [question] = list(space.views.corrections)
        assert (question.entry_id, question.fact_id, question.needs_model) == ("per_1", "fact_1", True)
        assert space.views.cursors.row(CURSOR) == 1


async def test_the_same_fact_is_put_to_a_model_once(engine: Engine) -> None:
    chat = said(("fact_1", "reflection.ref_1", "negates"))
    await signalled(engine, chat)
    async with momo(engine) as space:
        await signal(space, NAMES, chat)
        assert len(chat.asked) == 1


@pytest.mark.parametrize("signals", [
    [("fact_9", "reflection.ref_1", "negates")], [("fact_1", "reflection.ref_9", "negates")],
    [("fact_1", "reflection.ref_1", "destroys")], [("fact_1", "persona.neko.per_1", "negates")], [],
])  # fmt: skip
async def test_only_what_was_shown_can_be_named(engine: Engine, signals: list[tuple[str, str, str]]) -> None:
    assert await signalled(engine, said(*signals)) == (0.0, 0.0)
    async with momo(engine) as space:
        assert space.views.cursors.row(CURSOR) == 1


async def test_what_shares_no_word_with_the_fact_is_left_alone(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, confirmed(reflection("ref_2", "Lin sings in the shower.", MORNING), MORNING))
    await signalled(engine, said(("fact_1", "reflection.ref_2", "negates")))
    async with momo(engine) as space:
        one = space.reflections.get("ref_2")
        assert one is not None
        assert one.evidence.disputation == 0.0


async def test_without_anything_held_nothing_is_asked_and_nothing_is_passed_over(engine: Engine) -> None:
    chat = said()
    async with momo(engine) as space:
        await put(space, FACT)
        await read_rows(space, 1)
        await signal(space, NAMES, chat)
        assert chat.asked == []
        assert space.views.cursors.row(CURSOR) == 0


def test_a_bare_id_counts_where_it_can_mean_one_thing_only() -> None:
    pool = ["reflection.a", "persona.master.b", "persona.neko.b"]
    assert target_in(pool, "a") == "reflection.a"
    assert target_in(pool, "b") is None
    assert target_in(pool, "persona.neko.b") == "persona.neko.b"
    assert target_in(pool, None) is None


# answers

GUITAR = reflection("ref_g", "Lin plays the guitar every evening.", MORNING, object="guitar", slot="skill")


async def raise_it(engine: Engine, *answers: str) -> None:
    async with momo(engine) as space:
        await put(space, GUITAR)
        await mind.record_surfaced(space, ["ref_g"])
    await hear(engine, (AI, "Still with the guitar, Lin?"), *[(HUMAN, text) for text in answers])


async def answered(engine: Engine, feedback: str) -> tuple[str | None, Reflection]:
    chat = ScriptedChat(json.dumps([{"reflection_id": "ref_g", "feedback": feedback}]))
    async with momo(engine) as space:
        await hear_answers(space, NAMES, chat)
        topic, one = space.views.surfaced.get("ref_g"), space.reflections.get("ref_g")
        assert topic is not None
        assert one is not None
        return topic.feedback, one


@pytest.mark.parametrize(("feedback", "status"), [("confirmed", "pending"), ("denied", "denied")])
async def test_a_model_hears_an_answer_that_rules_took_for_none(engine: Engine, feedback: str, status: str) -> None:
    await raise_it(engine, "Strings all over the place in the evenings")
    heard, one = await answered(engine, feedback)
    assert (heard, one.status) == (feedback, status)
    assert one.evidence.reinforcement == (1.0 if feedback == "confirmed" else 0.0)


async def test_a_denial_that_no_word_bears_out_casts_doubt_and_ends_nothing(engine: Engine) -> None:
    await raise_it(engine, "Strings everywhere, the neighbours complain")
    heard, one = await answered(engine, "denied")
    assert (heard, one.status, one.evidence.disputation) == ("denied", "pending", 1.0)


async def test_ignored_takes_nothing_away(engine: Engine) -> None:
    await raise_it(engine, "Strings everywhere, the neighbours complain")
    heard, one = await answered(engine, "ignored")
    assert (heard, one.evidence.reinforcement, one.evidence.disputation) == (None, 0.0, 0.0)


@pytest.mark.parametrize(
    "reply", ["no", "[]", '[{"reflection_id": "ref_x", "feedback": "denied"}]', '{"feedback": "denied"}']
)
async def test_an_answer_about_nothing_that_was_shown_records_nothing(engine: Engine, reply: str) -> None:
    await raise_it(engine, "Strings everywhere, the neighbours complain")
    async with momo(engine) as space:
        await hear_answers(space, NAMES, ScriptedChat(reply))
        topic = space.views.surfaced.get("ref_g")
        assert topic is not None
        assert topic.feedback is None


async def test_the_same_answer_is_not_put_to_a_model_twice(engine: Engine) -> None:
    chat = ScriptedChat('[{"reflection_id": "ref_g", "feedback": "ignored"}]')
    await raise_it(engine, "Strings everywhere, the neighbours complain")
    async with momo(engine) as space:
        for _ in range(5):
            await hear_answers(space, NAMES, chat)
        assert len(chat.asked) == 1


# denials and wishes

SURE = confirmed(GUITAR, MORNING)


async def denied(engine: Engine, text: str, reply: Any, *, powerful: bool = True) -> tuple[str, ScriptedChat]:
    chat = ScriptedChat(json.dumps(reply))
    async with momo(engine) as space:
        await put(space, SURE)
    await talk(engine, (text, ""))
    async with momo(engine) as space:
        await hear_denials(space, NAMES, chat, powerful=powerful)
        one = space.reflections.get("ref_g")
        assert one is not None
        assert space.views.cursors.row(REBUTTED) == 1
        return one.status, chat


DENIED = [{"reflection_id": "ref_g", "feedback": "denied"}]


async def test_a_denial_nobody_asked_for_ends_an_impression(engine: Engine) -> None:
    status, _ = await denied(engine, "The guitar was only ever my roommate's thing", DENIED)
    assert status == "denied"


async def test_a_denial_of_something_nobody_named_is_not_believed(engine: Engine) -> None:
    status, _ = await denied(engine, "What lovely weather", DENIED)
    assert status == "confirmed"


@pytest.mark.parametrize(("said", "status"), [
    ("I play the guitar every evening now", "confirmed"), ("I played the guitar every evening once", "denied"),
    ("I don't play the guitar every evening", "denied"),
])  # fmt: skip
async def test_whoever_says_the_very_thing_denies_nothing(engine: Engine, said: str, status: str) -> None:
    # Where rules hear it they have ended it themselves.
    assert (await denied(engine, said, DENIED))[0] == status


async def test_one_answer_ends_three_impressions_at_most(engine: Engine) -> None:
    many = [confirmed(reflection(f"ref_{at}", f"Lin has guitar number {at}.", MORNING), MORNING) for at in range(6)]
    async with momo(engine) as space:
        await put(space, *many)
    await talk(engine, ("The guitar was only ever my roommate's thing", ""))
    chat = ScriptedChat(json.dumps([{"reflection_id": one.id, "feedback": "denied"} for one in many]))
    async with momo(engine) as space:
        assert await hear_denials(space, NAMES, chat, powerful=True) == 3


@pytest.mark.parametrize("feedback", ["confirmed", "ignored"])
async def test_only_denials_count_here(engine: Engine, feedback: str) -> None:
    status, _ = await denied(engine, "The guitar is fine", [{"reflection_id": "ref_g", "feedback": feedback}])
    assert status == "confirmed"


async def test_while_nothing_may_be_weighed_what_is_said_is_passed_over(engine: Engine) -> None:
    status, chat = await denied(engine, "The guitar was only ever my roommate's thing", DENIED, powerful=False)
    assert (status, chat.asked) == ("confirmed", [])


async def test_a_model_finds_what_the_user_does_not_want_to_hear_of(engine: Engine, clock: FixedClock) -> None:
    chat = ScriptedChat(json.dumps({"targets": [{"target_type": "reflection", "target_id": "reflection.ref_g"}]}))
    async with momo(engine) as space:
        await put(space, SURE)
    await talk(engine, ("Ugh, all that strumming is so annoying these days", ""))
    async with momo(engine) as space:
        assert await hear_wishes(space, NAMES, chat, powerful=True) == 1
        one = space.reflections.get("ref_g")
        assert one is not None
        assert is_resting(one.mentions, clock.now())
        assert one.evidence.disputation == 1.0
        assert chat.asked[0][0] == Tier.EMOTION


async def test_without_a_word_of_it_nobody_is_asked(engine: Engine) -> None:
    chat = ScriptedChat("{}")
    async with momo(engine) as space:
        await put(space, SURE)
    await talk(engine, ("What lovely weather", ""))
    async with momo(engine) as space:
        await hear_wishes(space, NAMES, chat, powerful=True)
        assert chat.asked == []
        assert space.views.cursors.row(AVOIDED) == 1
