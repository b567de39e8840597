"""What must hold whatever comes, while a model writes digests: forgetting, concurrency, clocks."""

from __future__ import annotations

import asyncio
from datetime import UTC, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.facts.sameness import same_fact
from tests.dialects.statecore.conftest import MIA, World
from tests.dialects.statecore.digest_world import digest, listed, said, selection, state
from tests.dialects.statecore.tally import counted
from tests.dialects.statecore.test_statecore_properties import lived, words
from tests.dialects.statecore.told import everything_told
from tests.fakes import ScriptedChat

FEW = settings(max_examples=12, deadline=None)


def lines(found: Any) -> list[str]:
    """Every text in a value of JSON."""
    if isinstance(found, str):
        return [found]
    if isinstance(found, dict):
        return [line for one in found.values() for line in lines(one)]
    return [line for one in found for line in lines(one)] if isinstance(found, list) else []


# 7 forgetting


@counted("forgetting with a model")
@FEW
@given(words, st.booleans(), st.booleans())
def test_a_model_that_insists_does_not_bring_back_what_was_forgotten(
    chosen: list[str], rebuilt: bool, local: bool
) -> None:
    text, question = " ".join(chosen), " ".join(reversed(chosen))
    paraphrase = " ".join(reversed(chosen[:-1]))
    facets = ("status", "todos", "ongoing")
    facts = [{"facet": facet, "value": value} for facet in facets for value in (text, paraphrase)]
    insists = said(summary=f"They say {text}.", changes=[text], nextSteps=[f"Review {text}"], profileFacts=facts)
    chat = ScriptedChat(insists)

    async def story(world: World) -> None:
        me = world.client()
        scope = MIA if local else await me.scope()
        if local:
            await world.cache("Hello.")
        await me.event(scope, "Decision: keep the lunch talk short")
        await me.event(scope, f"Decision: {text}")
        await digest(world, me, scope)
        assert text in str(await state(world, scope))
        await me.note(scope, text)
        await me.forget(scope, text)
        assert text not in (await everything_told(world, question, scope)).lower()
        for _ in range(2):
            await me.event(scope, f"Decision: {paraphrase}")
            await digest(world, me, scope)
        if rebuilt:
            await me.ask("POST", "/memory/digest/rebuild", {"scopeId": scope})
            await world.work(scope)
        for _ in range(2):
            told = (await everything_told(world, question, scope)).lower()
            assert text not in told
            assert "lunch talk" in told
            kept = [one["content"] for one in (await me.retrieve(scope))["factRegistry"]]
            kept += lines((await state(world, scope))["state"])
            kept += [line for one in await listed(world, scope) for line in lines([one["changes"], one["nextSteps"]])]
            assert [line for line in kept if same_fact(line, text)] == []
            await world.stop()
            await world.start(chat=chat)
            me = world.client()

    lived(story, chat)


# 8 concurrency


@counted("concurrency with a model")
@FEW
@given(st.integers(1, 5), st.integers(1, 4), st.booleans())
def test_what_is_written_while_a_digest_is_made_survives_it(notes: int, handoffs: int, deleted: bool) -> None:
    gate = asyncio.Event()
    chat = ScriptedChat(said(profileFacts=[{"facet": "status", "value": "The server is in beta"}]), gate=gate)

    async def story(world: World) -> None:
        me = world.client()
        scope = await me.scope()
        await me.event(scope, "Decision: keep the lunch talk short")
        texts = [f"note{number} alpha{number} beta{number} gamma{number}" for number in range(notes)]
        await me.note(scope, "written before")
        await me.post("/memory/digest", {"scopeId": scope})
        making = asyncio.create_task(world.work(scope))
        await asyncio.wait_for(chat.waiting.wait(), 20)
        work = [me.ask("POST", "/v1/memory/notes", {"scopeId": scope, "text": text}) for text in texts]
        work += [
            me.ask("POST", "/v1/memory/handoff", {"scopeId": scope, "summary": f"stop {number}"})
            for number in range(handoffs)
        ]
        answers = await asyncio.gather(*work)
        assert {answer.status_code for answer in answers} == {201}
        if deleted:
            removing = asyncio.create_task(me.delete(f"/scopes/{scope}"))
            await asyncio.sleep(0)
            gate.set()
            assert await removing == {"ok": True}
            await asyncio.gather(making, return_exceptions=True)
            await me.post("/memory/retrieve", {"scopeId": scope}, 404)
            assert [name for name in world.engine.spaces.scopes() if name != "@accounts"] == []
            return
        gate.set()
        await making
        found = await me.retrieve(scope)
        assert found["digest"]
        assert found["handoff"]["versionCount"] == handoffs
        assert sorted(item["text"] for item in (await me.facts(scope))["Notes"]) == sorted(["written before", *texts])

    lived(story, chat)


# 12 clocks


@counted("clocks with a model")
@FEW
@given(st.lists(st.integers(-20_000, 20_000), min_size=2, max_size=5))
def test_events_of_every_age_are_news_for_a_digest(days: list[int]) -> None:
    async def story(world: World) -> None:
        me = world.client()
        scope = await me.scope()
        now = world.clock.now().astimezone(UTC)
        for number, day in enumerate(days):
            at = (now + timedelta(days=day)).isoformat()
            await me.event(scope, f"Decision: ferry number {number} is painted", occurredAt=at)
            await digest(world, me, scope)
            newest = (await listed(world, scope))[0]
            assert "no_new_events_since_last_digest" not in (await selection(me, newest["id"]))["rationale"]
        held = (await state(world, scope))["state"]["stableFacts"]["decisions"]
        assert {line.lower() for line in held} == {f"ferry number {number} is painted" for number in range(len(days))}

    lived(story, ScriptedChat(said()))
