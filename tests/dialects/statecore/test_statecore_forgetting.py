"""What forgetting takes from every reader of a scope, and what it leaves alone."""

from __future__ import annotations

from typing import Any

import pytest

from memory.facts.fact import Fact
from memory.facts.record import to_record
from memory.facts.sameness import is_telling, says, stands_in
from tests.dialects.statecore.conftest import Client, World, digested


async def events(me: Client, scope: str) -> list[str]:
    return sorted(event["content"] for event in (await me.retrieve(scope, limit=100))["events"])


# what says a statement


@pytest.mark.parametrize(
    ("statement", "text", "found"),
    [
        ("We use pnpm", "I said: we  USE pnpm, always", True),
        ("We use pnpm.", "Decisions: we use pnpm; ship it", True),
        ("我对花生过敏", "昨天医生说我对花生过敏，要小心", True),
        ("We use pnpm", "We use pnpms", False),
        ("Ann", "Annual report", False),
        ("", "anything", False),
    ],
)
def test_a_statement_is_found_inside_a_text_word_for_word(statement: str, text: str, found: bool) -> None:
    assert stands_in(statement, text) is found


@pytest.mark.parametrize(
    ("statement", "enough"),
    [
        ("We use pnpm", True),
        ("我对花生过敏", True),
        ("antidisestablishment", True),
        ("tea", False),
        ("花生", False),
        ("a b", False),
    ],
)
def test_one_word_is_not_looked_for_inside_other_texts(statement: str, enough: bool) -> None:
    assert is_telling(statement) is enough


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Lunch is at noon. The user likes green tea a lot. Ship it.", True),     # five of six words
        ("午饭在中午。我对花生过敏！", False),
        ("The user likes black coffee.", False),        # three of seven words
    ],
)
def test_a_clause_that_says_a_statement_is_found(text: str, said: bool) -> None:
    assert says(text, "The user likes green tea") is said


# events


@pytest.mark.parametrize(
    ("noted", "said"),
    [("我对花生过敏", "昨天医生说我对花生过敏，要小心"), ("We use pnpm.", "I told you: we use pnpm, since May")],
)
async def test_events_that_have_a_short_statement_in_them_are_kept_back(me: Client, noted: str, said: str) -> None:
    scope = await me.scope()
    await me.event(scope, said)
    await me.event(scope, "unrelated lunch talk")
    await me.note(scope, noted)
    await me.forget(scope, noted)
    assert await events(me, scope) == ["unrelated lunch talk"]


async def test_one_forgotten_word_takes_nothing_that_only_has_it(me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "tea")
    await me.event(scope, "We talked about tea and biscuits.")
    await me.note(scope, "tea")
    await me.forget(scope, "tea")
    assert await events(me, scope) == ["We talked about tea and biscuits."]


async def test_a_statement_deep_in_a_long_document_is_found(me: Client) -> None:
    scope = await me.scope()
    # more different words than an event is found by
    padding = " ".join(f"filler{number}" for number in range(2_000))
    await me.event(scope, f"{padding} we use pnpm {padding}", type="document", key="long")
    await me.note(scope, "We use pnpm")
    await me.forget(scope, "We use pnpm")
    assert await events(me, scope) == []


async def test_a_fact_that_has_the_statement_in_it_goes_too(me: Client) -> None:
    scope = await me.scope()
    await me.note(scope, "Since May we use pnpm in every repository of the house")
    await me.note(scope, "We use pnpm")
    await me.note(scope, "We use bazel")
    await me.forget(scope, "We use pnpm")
    assert [item["text"] for item in (await me.facts(scope))["Notes"]] == ["We use bazel"]


async def test_what_is_said_anew_is_an_event_again(me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "We use pnpm now")
    await me.note(scope, "We use pnpm")
    await me.forget(scope, "We use pnpm")
    await me.event(scope, "We moved on to bazel")
    assert await events(me, scope) == ["We moved on to bazel"]


# what was made of them


@pytest.mark.parametrize(
    "summary",
    [
        "We use pnpm.",
        "Decisions: we use  PNPM; ship it.",
        "Goal: ship it.\nThe team: we use pnpm, and bazel.",
    ],
)
async def test_a_digest_that_says_it_is_not_told(world: World, me: Client, summary: str) -> None:
    scope = await me.scope()
    await me.note(scope, "We use pnpm")
    await digested(world, scope, summary)
    assert (await me.retrieve(scope))["digest"] == summary
    await me.forget(scope, "We use pnpm")
    for budget in ({}, {"maxChars": 10_000}):
        found = await me.retrieve(scope, **budget)
        assert found["digest"] is None
        assert "budget" not in found or found["budget"]["droppedCounts"]["digest"] == 0
    await world.restart()
    assert (await world.client().retrieve(scope))["digest"] is None


async def test_a_digest_that_says_something_else_is_told_on(world: World, me: Client) -> None:
    scope = await me.scope()
    await me.note(scope, "We use pnpm")
    await digested(world, scope, "Goal: ship it.")
    await me.forget(scope, "We use pnpm")
    assert (await me.retrieve(scope))["digest"] == "Goal: ship it."


async def test_a_handoff_is_told_without_the_lines_that_say_it(world: World, me: Client) -> None:
    scope = await me.scope()
    await me.note(scope, "We use pnpm")
    body = {
        "scopeId": scope,
        "summary": "Stopped at the build. We use pnpm, as said.",
        "openQuestions": ["Is it true that we use pnpm?"],
    }
    made = await me.post("/memory/handoff", {**body, "nextSteps": ["go on"]})
    await me.forget(scope, "We use pnpm")
    told = (await me.retrieve(scope))["handoff"]
    assert told["id"] == made["handoffId"]
    assert told["content"] == "Stopped at the build.\nOpen questions:\nNext steps:\n- go on"
    await me.post("/memory/handoff", {"scopeId": scope, "summary": "We use pnpm now."})
    assert (await me.retrieve(scope))["handoff"] is None


# the audit reader


async def test_a_forgotten_fact_shows_no_evidence_even_of_a_later_document(me: Client) -> None:
    scope = await me.scope()
    event = await me.event(scope, "The plan: we use pnpm", type="document", key="plan")
    await me.note(scope, "We use pnpm")
    fact_id = await me.forget(scope, "We use pnpm")
    await me.event(scope, "The plan is to use something else", type="document", key="plan")
    assert await events(me, scope) == ["The plan is to use something else"]
    audit = await me.get(f"/memory/facts/{fact_id}/provenance?scopeId={scope}")
    assert (audit["fact"]["retiredReason"], audit["evidence"]) == ("forgotten", [])
    assert audit["fact"]["retiredAt"]
    assert event["id"] not in str(audit["evidence"])


async def test_forgetting_reaches_every_version(world: World, me: Client) -> None:
    scope = await me.scope()
    texts = [f"the release of the memory server is planned for week {number}" for number in (41, 42)]
    for text in texts:
        world.clock.advance(1)
        await me.note(scope, text)
    fact_id = await me.forget(scope, texts[1])
    audit = await me.get(f"/memory/facts/{fact_id}/provenance?scopeId={scope}")
    assert [one["content"] for one in audit["chain"]] == texts
    assert audit["evidence"] == []
    assert (await me.retrieve(scope))["factRegistry"] == []
    # an earlier version is no way around it
    first = await me.get(f"/memory/facts/{audit['chain'][0]['id']}/provenance?scopeId={scope}")
    assert first["evidence"] == []


async def test_a_fact_without_any_event_behind_it_is_forgotten_without_complaint(world: World, me: Client) -> None:
    scope = await me.scope()
    async with world.using(scope) as space, space.journal.write() as batch:
        fact = Fact(
            id=space.ids.new("fact"), text="We use pnpm", created_at=world.clock.now(), sources=("turn_gone",),
            slot="note",
        )  # fmt: skip
        batch.add("fact.added", to_record(fact), {"fact_id": fact.id, "entity": fact.entity, "importance": 5})
    (item,) = (await me.facts(scope))["Notes"]
    for _ in range(2):
        sent = {"scopeId": scope, "factKey": item["factKey"]}
        assert await me.post("/memory/facts/forget", sent) == {"ok": True}
    assert await me.facts(scope) == {}


async def test_a_hidden_fact_is_forgotten_by_its_id(world: World, me: Client) -> None:
    scope = await me.scope(template="learning")
    async with world.using(scope) as space, space.journal.write() as batch:
        fact = Fact(id=space.ids.new("fact"), text="Ann is a carpenter", created_at=world.clock.now(), slot="job")
        batch.add("fact.added", to_record(fact), {"fact_id": fact.id, "entity": fact.entity, "importance": 5})
    (entry,) = (await me.retrieve(scope))["factRegistry"]
    assert (entry["facet"], await me.facts(scope)) == ("identity", {})      # that pack has no such heading
    await me.post("/memory/facts/forget", {"scopeId": scope, "factKey": entry["id"]})
    assert (await me.retrieve(scope))["factRegistry"] == []


async def test_forgetting_here_touches_no_other_scope(me: Client) -> None:
    one, other = await me.scope(), await me.scope()
    for scope in (one, other):
        await me.event(scope, "We use pnpm since May")
        await me.note(scope, "We use pnpm")
    await me.forget(one, "We use pnpm")
    assert await events(me, other) == ["We use pnpm since May"]
    assert [item["text"] for item in (await me.facts(other))["Notes"]] == ["We use pnpm"]


# requests that come again


async def test_a_repeated_request_does_not_bring_back_what_was_forgotten(me: Client) -> None:
    scope = await me.scope()
    headers = {"idempotency-key": "one"}
    body: dict[str, Any] = {"scopeId": scope, "type": "stream", "content": "We use pnpm now"}
    first = await me.post("/memory/events", body, headers=headers)
    await me.note(scope, "We use pnpm")
    await me.forget(scope, "We use pnpm")
    again = await me.post("/memory/events", body, headers=headers)
    assert again == {**first, "content": ""}
    assert await events(me, scope) == []


async def test_a_repeated_request_is_answered_as_it_was_the_first_time(world: World, me: Client) -> None:
    scope = await me.scope()
    body: dict[str, Any] = {"scopeId": scope, "type": "document", "key": "plan", "source": "cli", "content": "first"}
    first = await me.post("/memory/events", body, headers={"idempotency-key": "one"})
    world.clock.advance(60)
    await me.post("/memory/events", {**body, "content": "second", "pinned": True, "source": "sdk"})
    await world.restart()
    me = world.client()
    assert await me.post("/memory/events", body, headers={"idempotency-key": "one"}) == first
    assert await events(me, scope) == ["second"]


async def test_a_repeated_request_does_not_bring_back_what_was_erased(world: World, me: Client) -> None:
    async with world.engine.spaces.use("Mia", create=True) as space, space.journal.write() as batch:
        batch.add("space.created", {})
    headers = {"idempotency-key": "one"}
    for path, body in (
        ("/memory/events", {"scopeId": "character:Mia", "type": "stream", "content": "The code is swordfish."}),
        ("/memory/handoff", {"scopeId": "character:Mia", "summary": "The code is swordfish."}),
    ):
        await me.post(path, body, headers=headers)
        answer = await world.client(None).ask("POST", "/internal/owner/forget", {"name": "Mia", "match": "swordfish"})
        assert answer.status_code == 200
        await me.post(path, body, headers=headers)
        found = await me.retrieve("character:Mia")
        assert (found["events"], found["handoff"]) == ([], None)
