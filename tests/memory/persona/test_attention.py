"""What follows from a conversation for what is held: answers to topics, denials, mentions, wishes."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memory.engine import Engine
from memory.history.turn import AI, HUMAN
from memory.persona import mind
from memory.persona.attend import attend
from memory.reflections.evidence import Evidence
from memory.reflections.mentions import is_resting
from memory.reflections.reflection import CONFIRMED, DENIED, PENDING, Reflection
from memory.store.files import Disk
from tests.conftest import OpenEngine
from tests.fakes import MORNING, FixedClock
from tests.memory.mind_world import NAMES, confirmed, entry, fact, happened, hear, momo, put, reflection, talk

GUITAR = reflection(
    "ref_guitar", "Lin plays the guitar every evening.", MORNING, slot="skill", object="guitar",
    source_fact_ids=("fact_guitar",), evidence=Evidence(reinforcement=0.2, reinforced_at=MORNING),
)  # fmt: skip
SOURCE = fact("fact_guitar", "Lin plays the guitar every evening.", MORNING, slot="skill", object="guitar",
              absorbed=True, signal_processed=True)  # fmt: skip
RAISED = "How is the guitar going, Lin?"


async def offer(engine: Engine, *held: Reflection) -> None:
    async with momo(engine) as space:
        await put(space, SOURCE, *held)
        await mind.record_surfaced(space, [one.id for one in held])


async def guitar(engine: Engine) -> Reflection:
    async with momo(engine) as space:
        found = space.reflections.get("ref_guitar")
        assert found is not None
        return found


async def feedback(engine: Engine) -> str | None:
    async with momo(engine) as space:
        found = space.views.surfaced.get("ref_guitar")
        assert found is not None
        return found.feedback


async def test_a_yes_to_what_was_raised_confirms_it(engine: Engine) -> None:
    await offer(engine, GUITAR)
    await talk(engine, ("", RAISED), ("Yes!", ""))
    assert await feedback(engine) == "confirmed"
    held = await guitar(engine)
    assert held.evidence.reinforcement == 1.2
    assert held.status == CONFIRMED  # the promotion pass ran right after


async def test_a_no_denies_it_and_the_facts_it_was_drawn_from(engine: Engine) -> None:
    await offer(engine, GUITAR)
    await talk(engine, ("", RAISED), ("No, I sold it.", ""))
    assert await feedback(engine) == "denied"
    held = await guitar(engine)
    assert (held.status, held.evidence.disputation) == (DENIED, 1.0)
    async with momo(engine) as space:
        source = space.facts.get("fact_guitar")
        assert source is not None
        assert source.denied_in == "turn_2"
        assert [data["rule"] for data in await happened(space, "reflection.state_changed")] == ["answer_no"]


async def test_a_denied_fact_that_is_said_again_stands_again(engine: Engine) -> None:
    await offer(engine, GUITAR)
    await talk(engine, ("", RAISED), ("No, I sold it.", ""), ("I play the guitar every evening.", ""))
    async with momo(engine) as space:
        source = space.facts.get("fact_guitar")
        assert source is not None
        assert source.denied_in is None


async def test_what_was_offered_but_never_said_is_not_answered(engine: Engine) -> None:
    await offer(engine, GUITAR)
    await talk(engine, ("", "Good morning!"), ("No.", "Fine."), ("Yes.", "Good."), ("Hm.", ""))
    assert await feedback(engine) is None
    assert (await guitar(engine)).evidence == GUITAR.evidence


async def test_two_messages_on_something_else_pass_it_over(engine: Engine) -> None:
    await offer(engine, GUITAR)
    await talk(engine, ("", RAISED), ("The weather is awful.", "Oh."))
    assert await feedback(engine) is None
    await talk(engine, ("Dinner was late.", ""))
    assert await feedback(engine) == "ignored"
    held = await guitar(engine)
    assert (held.status, held.evidence.reinforcement) == (PENDING, 0.0)  # 0.2 less, never below nothing


async def test_going_on_about_it_confirms_it_a_little(engine: Engine) -> None:
    await offer(engine, GUITAR)
    await talk(engine, ("", RAISED), ("My guitar needs new strings.", ""))
    assert await feedback(engine) == "confirmed"
    assert (await guitar(engine)).evidence.reinforcement == 0.7


async def test_a_denial_that_names_it_counts_in_the_second_message_too(engine: Engine) -> None:
    await offer(engine, GUITAR)
    await talk(engine, ("", RAISED), ("Hm, let me think.", "Yes?"), ("I don't play guitar anymore.", ""))
    assert await feedback(engine) == "denied"


async def test_a_bare_no_to_two_topics_at_once_denies_neither(engine: Engine) -> None:
    chess = reflection("ref_chess", "Lin plays chess at the club.", MORNING, slot="skill", object="chess")
    await offer(engine, GUITAR, chess)
    await talk(engine, ("", "Will you play the guitar tonight, or chess at the club?"), ("No.", ""))
    async with momo(engine) as space:
        assert [one.feedback for one in space.views.surfaced] == [None, None]


async def test_somebody_else_answering_is_not_the_user(engine: Engine) -> None:
    await offer(engine, GUITAR)
    await talk(engine, ("", RAISED))
    async with momo(engine) as space:
        turn = {"id": "turn_x", "row": space.turns.last_row + 1, "type": "human", "content": "No!",
                "at": MORNING.isoformat(), "session": "s", "speaker": "Bob"}  # fmt: skip
        async with space.journal.write() as batch:
            batch.add("turns.added", {"turns": [turn]})
        await attend(space, NAMES)
    assert await feedback(engine) is None


async def test_an_answer_and_its_effect_are_one_commit(engine: Engine) -> None:
    await offer(engine, GUITAR)
    await talk(engine, ("", RAISED), ("Yes!", ""))
    async with momo(engine) as space:
        answered = [one async for events in space.journal.events(0) for one in events
                    if one.type == "reflection.answered" and one.data["surfaced"]["feedback"]]  # fmt: skip
        weighed = [one async for events in space.journal.events(0) for one in events
                   if one.type == "reflection.evidence_updated"]  # fmt: skip
        assert len(answered) == len(weighed) == 1
        first, last = answered[0].seq, weighed[0].seq - 1
        between = [one async for events in space.journal.events(first - 1, last) for one in events]
        assert not any(one.commit for one in between)
        assert weighed[0].payload["source"] == "user_confirm"
        assert weighed[0].data["turn"] == "turn_2"


async def test_when_the_disk_refuses_neither_the_answer_nor_its_effect_is_there(open_engine: OpenEngine) -> None:
    refusing = False

    def step(point: str) -> None:
        if refusing and point == "commit.before_append":
            raise OSError("no space left")

    engine = await open_engine(disk=Disk(step))
    await offer(engine, GUITAR)
    async with momo(engine) as space:
        async with space.journal.write() as batch:
            for row, (kind, text) in enumerate([("ai", RAISED), ("human", "Yes!")], start=1):
                turn = {"id": f"turn_{row}", "row": row, "type": kind, "content": text, "at": MORNING.isoformat(),
                        "session": f"s{row}"}  # fmt: skip
                batch.add("turns.added", {"turns": [turn]})
        refusing = True
        with pytest.raises(OSError, match="no space"):
            await attend(space, NAMES)
        assert space.views.cursors.row("attended_row") == 0
        assert (await feedback(engine), (await guitar(engine)).evidence) == (None, GUITAR.evidence)
        refusing = False
        assert await attend(space, NAMES) == 2
    assert (await feedback(engine), (await guitar(engine)).evidence.reinforcement) == ("confirmed", 1.2)


async def test_a_confirmed_impression_can_be_denied_unasked(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, SOURCE, confirmed(GUITAR, MORNING))
    await talk(engine, ("You're mistaken, I don't play the guitar anymore.", ""))
    held = await guitar(engine)
    assert held.status == DENIED
    async with momo(engine) as space:
        assert [data["id"] for data in await happened(space, "reflection.rebutted")] == ["ref_guitar"]
        assert [data["rule"] for data in await happened(space, "reflection.state_changed")] == ["denies_claim"]


@pytest.mark.parametrize(
    "said",
    ["No, that's wrong, it was Tuesday.", "I don't like rain anymore.", "Don't I play the guitar anymore?", "Not now."],
)
async def test_another_denial_leaves_it_alone(engine: Engine, said: str) -> None:
    async with momo(engine) as space:
        await put(space, SOURCE, confirmed(GUITAR, MORNING))
    await talk(engine, (said, ""))
    assert (await guitar(engine)).status == CONFIRMED


async def test_with_powerful_memory_off_unasked_denials_are_passed_over_for_good(
    open_engine: OpenEngine, engine: Engine
) -> None:
    async with momo(engine) as space:
        await put(space, SOURCE, confirmed(GUITAR, MORNING))
        async with space.journal.write() as batch:
            turn = {"id": "turn_x", "row": 1, "type": "human", "content": "I don't play the guitar anymore.",
                    "at": MORNING.isoformat(), "session": "s"}  # fmt: skip
            batch.add("turns.added", {"turns": [turn]})
        assert await attend(space, NAMES, powerful=False) == 1
        assert await attend(space, NAMES, powerful=True) == 0
    assert (await guitar(engine)).status == CONFIRMED


HELD = entry("prom_tea", "Lin喜欢茉莉花茶。", MORNING, slot="preference", object="茉莉花茶")


async def test_the_third_mention_within_five_hours_puts_an_entry_to_rest(engine: Engine, clock: FixedClock) -> None:
    async with momo(engine) as space:
        await put(space, HELD)
    for _ in range(3):
        clock.advance(3_600)
        await talk(engine, ("嗯", "要不要喝茉莉花茶？"))
    async with momo(engine) as space:
        held = space.persona.get("master", "prom_tea")
        assert held is not None
        assert is_resting(held.mentions, clock.now())
        assert len(await happened(space, "persona.fact_mentioned")) == 2
        assert len(await happened(space, "persona.suppressed")) == 1
        clock.advance(5 * 3_600)
        before = space.journal.seq
        assert not is_resting(held.mentions, clock.now())  # lifted by itself
        assert space.journal.seq == before


async def test_a_shared_pair_of_characters_is_no_mention(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, HELD, entry("prom_hill", "Lin喜欢爬山。", MORNING))
    await talk(engine, *[("嗯", "我也很喜欢你，喜欢和你聊天。")] * 4)
    async with momo(engine) as space:
        assert await happened(space, "persona.fact_mentioned") == []


async def test_several_messages_in_a_row_are_one_mention(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, HELD)
    await hear(engine, (HUMAN, "嗯"), (AI, "茉莉花茶？"), (AI, "茉莉花茶好喝。"), (AI, "来点茉莉花茶吧。"))
    async with momo(engine) as space:
        assert len(await happened(space, "persona.fact_mentioned")) == 1


async def test_protected_and_pending_ones_are_not_counted(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, replace(HELD, protected=True), GUITAR)
    await talk(engine, *[("嗯", "茉莉花茶！ And the guitar every evening.")] * 4)
    async with momo(engine) as space:
        assert await happened(space, "persona.fact_mentioned") == []
        assert await happened(space, "reflection.mentioned") == []


async def test_a_wish_to_leave_a_subject_is_respected_at_once(engine: Engine, clock: FixedClock) -> None:
    ex = entry("prom_ex", "Lin was married to Kim.", MORNING)
    async with momo(engine) as space:
        await put(space, ex, GUITAR)
    await talk(engine, ("Please don't talk about Kim again.", "Of course."))
    async with momo(engine) as space:
        held = space.persona.get("master", "prom_ex")
        assert held is not None
        assert held.evidence.disputation == 1.0
        assert is_resting(held.mentions, clock.now())
        untouched = space.reflections.get("ref_guitar")
        assert untouched is not None
        assert untouched.evidence == GUITAR.evidence
        assert [data["rule"] for data in await happened(space, "persona.evidence_updated")] == ["asked_to_avoid"]


async def test_drop_it_means_what_was_spoken_of_last(engine: Engine) -> None:
    async with momo(engine) as space:
        await put(space, HELD, entry("prom_cat", "Lin has a cat named Miso.", MORNING))
    await talk(engine, ("嗯", "How is your cat Miso?"), ("Drop it.", "OK"))
    async with momo(engine) as space:
        disputed = {one.id: one.evidence.disputation for one in space.persona}
        assert disputed == {"prom_tea": 0.0, "prom_cat": 0.5}


async def test_it_makes_no_difference_when_it_is_heard(engine: Engine, clock: FixedClock) -> None:
    await offer(engine, GUITAR)
    async with momo(engine) as space:
        said = [("ai", RAISED), ("human", "Yes!")]
        async with space.journal.write() as batch:
            for place, (kind, text) in enumerate(said, start=1):
                turn = {"id": f"turn_{place}", "row": place, "type": kind, "content": text,
                        "at": MORNING.isoformat(), "session": f"s{place}"}  # fmt: skip
                batch.add("turns.added", {"turns": [turn]})
        clock.advance(86_400)
        await attend(space, NAMES)
    held = await guitar(engine)
    assert held.evidence.reinforced_at == MORNING


async def test_a_conversation_adopted_with_its_directory_is_not_heard_again(engine: Engine, clock: FixedClock) -> None:
    clock.advance(timedelta(days=1).total_seconds())
    async with momo(engine) as space:
        await put(space, HELD)
        async with space.journal.write() as batch:
            batch.add("cursor.moved", {"name": "attended_row", "to": 40})
        assert await attend(space, NAMES) == 0
