"""Events, retrieval, notes, facts, provenance, handoffs, facets, reminders."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memory import tenancy
from memory.state.digests import Digest, to_row
from memory.tenancy import public_id, user_of
from tests.dialects.statecore.conftest import LOCAL, Client, World


async def retrieved(me: Client, scope: str, **more: Any) -> list[str]:
    return [event["content"] for event in (await me.retrieve(scope, **more))["events"]]


# events


async def test_events_come_newest_first(world: World, me: Client) -> None:
    scope = await me.scope()
    for number in range(3):
        world.clock.advance(1)
        await me.event(scope, f"number {number}")
    assert await retrieved(me, scope) == ["number 2", "number 1", "number 0"]
    assert await retrieved(me, scope, limit=2) == ["number 2", "number 1"]


async def test_an_event_may_have_happened_long_ago_or_be_to_come(world: World, me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "now")
    old = await me.event(scope, "long ago", occurredAt="2001-02-03T04:05:06+02:00")
    await me.event(scope, "to come", occurredAt="2090-01-01T00:00:00Z")
    assert old["createdAt"] == "2001-02-03T02:05:06.000Z"
    assert await retrieved(me, scope) == ["to come", "now", "long ago"]
    assert set(await retrieved(me, scope, query="long come")) >= {"long ago", "to come"}


async def test_a_document_needs_a_key_and_is_replaced_by_its_later_text(world: World, me: Client) -> None:
    scope = await me.scope()
    await me.post("/memory/events", {"scopeId": scope, "type": "document", "content": "x"}, 400)
    first = await me.event(scope, "old text", type="document", key="spec")
    world.clock.advance(60)
    second = await me.event(scope, "new text", type="document", key="spec", occurredAt="2001-01-01T00:00:00Z")
    assert (second["id"], second["createdAt"]) == (first["id"], first["createdAt"])
    assert first["updatedAt"] is None
    assert second["updatedAt"] is not None
    assert await retrieved(me, scope) == ["new text"]
    assert await retrieved(me, scope, query="text") == ["new text"]


async def test_the_same_document_again_changes_nothing(world: World, me: Client) -> None:
    scope = await me.scope()
    first = await me.event(scope, "text", type="document", key="spec", pinned=True)
    world.clock.advance(60)
    assert await me.event(scope, "text", type="document", key="spec") == first
    unpinned = await me.event(scope, "text", type="document", key="spec", pinned=False)
    assert unpinned == {**first, "pinned": False}


async def test_documents_survive_a_restart(world: World) -> None:
    me = world.client()
    scope = await me.scope()
    await me.event(scope, "old text", type="document", key="spec")
    await me.event(scope, "new text", type="document", key="spec")
    await world.restart()
    assert await retrieved(world.client(), scope) == ["new text"]


async def test_a_keyed_stream_event_is_taken_in_once_and_never_meets_a_document(me: Client) -> None:
    scope = await me.scope()
    first = await me.event(scope, "first", key="k")
    assert await me.event(scope, "second", key="k") == first
    document = await me.event(scope, "document", type="document", key="k")
    assert document["id"] != first["id"]


async def test_an_idempotency_key_is_answered_alike_and_done_once(world: World, me: Client) -> None:
    scope = await me.scope()
    headers = {"idempotency-key": "one"}
    body = {"scopeId": scope, "type": "stream", "content": "hello"}
    first = await me.post("/memory/events", body, headers=headers)
    assert await me.post("/memory/events", body, headers=headers) == first
    assert await retrieved(me, scope) == ["hello"]
    await me.post("/memory/events", {**body, "content": "other"}, 409, headers=headers)
    stop = {"scopeId": scope, "summary": "stop"}
    handed = await me.post("/memory/handoff", stop, headers=headers)
    assert await me.post("/memory/handoff", stop, headers=headers) == handed
    world.clock.advance(25 * 3600)
    assert (await me.post("/memory/events", body, headers=headers))["id"] != first["id"]


# retrieval


async def test_a_question_finds_what_answers_it_and_tells_why(world: World, me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "we chose sqlite as storage")
    world.clock.advance(60)
    for number in range(5):
        await me.event(scope, f"lunch number {number}")
    found = await me.retrieve(scope, query="which storage")
    assert found["events"][0]["content"] == "we chose sqlite as storage"
    first = found["retrieval"]["matches"][0]
    assert first["rankingReason"].startswith("heuristic_rank, sources=")
    assert "terms=storage" in first["rankingReason"]
    assert found["retrieval"]["mode"] == "heuristic"
    assert found["retrieval"]["candidateCount"] == 6
    # Σ idf(matched)/Σ idf(query) = 1, and the recency of the oldest of the pool is 0
    assert (first["heuristicScore"], first["recencyScore"], first["finalScore"]) == (1.0, 0.0, 0.8)


async def test_without_a_question_there_is_no_ranking_to_tell(me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "hello")
    assert set(await me.retrieve(scope)) == {"digest", "events", "factRegistry", "handoff"}
    assert "retrieval" not in await me.retrieve(scope, query="   ")


async def test_a_pin_lifts_an_event(me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "storage one", pinned=True)
    await me.event(scope, "storage two")
    assert await retrieved(me, scope, query="storage") == ["storage one", "storage two"]


async def test_a_chinese_question_finds_a_chinese_event(me: Client) -> None:
    scope = await me.scope()
    await me.event(scope, "我们决定用数据库存储")
    await me.event(scope, "今天天气很好")
    assert (await retrieved(me, scope, query="数据库"))[0] == "我们决定用数据库存储"


async def test_six_long_events_in_a_thousand_characters(me: Client) -> None:
    scope = await me.scope()
    for number in range(6):
        await me.event(scope, str(number) * 400)
    found = await me.retrieve(scope, maxChars=1000)
    assert found["budget"]["usedChars"] == 800
    assert len(found["events"]) == 2
    assert found["budget"]["droppedCounts"] == {"digest": 0, "fact": 0, "event": 4}
    assert {one["reason"] for one in found["budget"]["dropped"]} == {"budget_exhausted"}


async def test_the_limit_is_no_drop_of_the_budget(me: Client) -> None:
    scope = await me.scope()
    for number in range(6):
        await me.event(scope, f"event {number}")
    found = await me.retrieve(scope, maxChars=1_000_000, limit=2)
    assert len(found["events"]) == 2
    assert found["budget"]["droppedCounts"]["event"] == 0


@pytest.mark.parametrize("wrong", [{"maxChars": 0}, {"maxChars": -1}, {"limit": 0}, {"limit": 101}, {"query": ""}])
async def test_a_budget_or_limit_out_of_range_is_refused(me: Client, wrong: dict[str, Any]) -> None:
    scope = await me.scope()
    await me.post("/memory/retrieve", {"scopeId": scope, **wrong}, 400)


async def test_the_digest_goes_in_whole_or_not_at_all(world: World, me: Client) -> None:
    scope = await me.scope()
    digest = await committed(world, me, scope, "Goal: ship it.")
    found = await me.retrieve(scope, maxChars=13)
    assert found["digest"] is None
    assert found["budget"]["dropped"] == [
        {"kind": "digest", "id": public_id(digest.id), "chars": 14, "reason": "digest_too_large"}
    ]
    assert (await me.retrieve(scope, maxChars=14))["digest"] == "Goal: ship it."


async def committed(world: World, me: Client, scope: str, summary: str) -> Digest:
    user = user_of(f"local:{LOCAL}", is_local=True)
    async with tenancy.using(world.engine, user, scope) as (_, space), space.journal.write() as batch:
        digest = Digest(
            id=space.ids.new("digest"),
            summary=summary,
            created_at=world.clock.now(),
            rationale=("selected_stream:1",),
            drops=({"reason": "cap_evicted", "detail": {"facet": "notes", "cap": 30}},),
        )
        batch.add("digest.committed", {"digest": to_row(digest)})
    return digest


async def test_a_digest_tells_what_it_kept_and_left_out(world: World, me: Client, other: Client) -> None:
    scope = await me.scope()
    digest = await committed(world, me, scope, "Goal: ship it.")
    path = f"/memory/digests/{public_id(digest.id)}/selection"
    assert await me.get(path) == {
        "rationale": ["selected_stream:1"],
        "drops": [{"reason": "cap_evicted", "detail": {"facet": "notes", "cap": 30}}],
    }
    assert await other.get(path, 404) == {"error": "Digest not found"}
    await world.restart()
    assert (await world.client().get(path))["rationale"] == ["selected_stream:1"]


# notes, facts, provenance


async def test_a_note_is_listed_and_no_event(me: Client) -> None:
    scope = await me.scope()
    await me.note(scope, "We use pnpm")
    await me.note(scope, "  we USE   pnpm ")
    assert [item["text"] for item in (await me.facts(scope))["Notes"]] == ["We use pnpm"]
    found = await me.retrieve(scope)
    assert (found["events"], found["digest"]) == ([], None)
    (fact,) = found["factRegistry"]
    assert (fact["confidence"], fact["facet"], fact["type"]) == (0.9, "notes", "profile")


async def test_a_revised_note_keeps_its_chain_from_every_version(world: World, me: Client) -> None:
    scope = await me.scope()
    texts = [f"the release of the memory server is planned for week {number}" for number in (41, 42, 43)]
    for text in texts:
        world.clock.advance(1)
        await me.note(scope, text)
    (item,) = (await me.facts(scope))["Notes"]
    assert item["text"] == texts[2]
    found = await me.get(f"/memory/facts/{item['factId']}/provenance?scopeId={scope}")
    chain = found["chain"]
    assert [one["content"] for one in chain] == texts
    assert [one.get("supersededBy") for one in chain] == [chain[1]["id"], chain[2]["id"], None]
    assert [one["content"] for one in found["evidence"]] == texts
    for version in chain:
        again = await me.get(f"/memory/facts/{version['id']}/provenance?scopeId={scope}")
        assert (again["fact"], again["chain"]) == (version, chain)


async def test_notes_about_different_things_stand_beside_each_other(me: Client) -> None:
    scope = await me.scope()
    await me.note(scope, "我们用 mysql 数据库")
    await me.note(scope, "我们用 redis 数据库")
    assert len((await me.facts(scope))["Notes"]) == 2


async def test_beyond_the_cap_the_oldest_note_is_retired_and_still_told_by_its_id(world: World, me: Client) -> None:
    scope = await me.scope()
    for number in range(31):
        world.clock.advance(1)
        await me.note(scope, f"fact{number:02d} alpha{number:02d} beta{number:02d}")
    items = (await me.facts(scope))["Notes"]
    assert len(items) == 30
    assert items[0]["text"].startswith("fact01")
    user = user_of(f"local:{LOCAL}", is_local=True)
    async with tenancy.using(world.engine, user, scope) as (_, space):
        (retired,) = space.views.retired
    found = await me.get(f"/memory/facts/{retired.fact.id}/provenance?scopeId={scope}")
    assert found["fact"]["retiredReason"] == "cap_evicted"
    assert found["evidence"]


async def test_an_unknown_fact_is_told_apart_from_a_scope_that_knows_nothing(me: Client) -> None:
    scope = await me.scope()
    path = f"/memory/facts/nothing/provenance?scopeId={scope}"
    assert await me.get(path, 404) == {"error": "No digest state for scope"}
    await me.note(scope, "We use pnpm")
    assert await me.get(path, 404) == {"error": "Fact not found"}


async def test_forgetting_twice_or_what_is_not_there_is_fine(me: Client) -> None:
    scope = await me.scope()
    await me.note(scope, "We use pnpm")
    key = (await me.facts(scope))["Notes"][0]["factKey"]
    for _ in range(2):
        assert await me.post("/memory/facts/forget", {"scopeId": scope, "factKey": key}) == {"ok": True}
    assert await me.post("/memory/facts/forget", {"scopeId": scope, "factKey": "nothing"}) == {"ok": True}


# handoffs


async def test_a_handoff_is_told_until_it_is_cleared_and_never_deleted(me: Client) -> None:
    scope = await me.scope()
    assert (await me.retrieve(scope))["handoff"] is None
    first = await me.post("/memory/handoff", {"scopeId": scope, "summary": " one ", "openQuestions": ["why?"]})
    assert first["superseded"] is False
    second = await me.post("/memory/handoff", {"scopeId": scope, "summary": "two", "nextSteps": ["go on"]})
    assert second["superseded"] is True
    told = (await me.retrieve(scope, maxChars=1))["handoff"]
    assert told["id"] == second["handoffId"]
    assert (told["content"], told["versionCount"]) == ("two\nNext steps:\n- go on", 2)
    chain = (await me.get(f"/memory/facts/{told['id']}/provenance?scopeId={scope}"))["chain"]
    assert [one["content"] for one in chain] == ["one\nOpen questions:\n- why?", "two\nNext steps:\n- go on"]
    assert chain[0]["supersededBy"] == chain[1]["id"]
    cleared = await me.post("/memory/handoff", {"scopeId": scope, "clear": True, "summary": 5})
    assert cleared == {"ok": True, "superseded": True, "cleared": True}
    assert (await me.post("/memory/handoff", {"scopeId": scope, "clear": True}))["cleared"] is False
    assert (await me.retrieve(scope))["handoff"] is None
    after = await me.get(f"/memory/facts/{told['id']}/provenance?scopeId={scope}")
    assert after["fact"]["retiredReason"] == "user_cleared"


@pytest.mark.parametrize(
    "wrong", [{}, {"summary": "  "}, {"summary": "x" * 2001}, {"summary": "x", "nextSteps": ["y"] * 11}]
)
async def test_a_handoff_without_a_summary_or_too_long_is_refused(me: Client, wrong: dict[str, Any]) -> None:
    scope = await me.scope()
    await me.post("/memory/handoff", {"scopeId": scope, **wrong}, 400)


# facets and openings


async def test_the_facets_follow_the_template_unless_the_account_has_its_own(world: World, me: Client) -> None:
    scope = await me.scope(template="learning")
    assert await me.get("/facet-pack") | {"facets": []} == {
        "name": "personal", "isDefault": True, "source": "deployment-default", "template": None, "facets": [],
    }  # fmt: skip
    pack = await me.get(f"/facet-pack?scopeId={scope}")
    assert (pack["source"], pack["template"], pack["facets"][0]["name"]) == ("template", "learning", "knowledge")
    user = user_of(f"local:{LOCAL}", is_local=True)
    own = {"name": "personal", "facets": [{"name": "notes", "displayGroup": "Mine"}]}
    await tenancy.install_pack(world.engine, user, own)
    pack = await me.get(f"/facet-pack?scopeId={scope}")
    assert (pack["source"], pack["isDefault"], pack["facets"][0]["cap"]) == ("account", False, 8)
    await me.note(scope, "We use pnpm")
    assert list(await me.facts(scope)) == ["Mine"]


async def test_a_relationship_is_told_by_rules(world: World, me: Client) -> None:
    scope = await me.scope(template="personal", goal="run a marathon")
    now = world.clock.now()
    await me.event(scope, "My name is Ann.", occurredAt=(now - timedelta(days=40)).isoformat())
    await me.event(scope, "I will call my sister.", occurredAt=(now - timedelta(days=9)).isoformat())
    await me.event(scope, "I am so tired today.", occurredAt=(now - timedelta(days=8)).isoformat())
    await me.event(scope, "I am happy.", occurredAt=(now - timedelta(days=1)).isoformat())
    known = await me.get(f"/memory/relationship-context/{scope}")
    assert known["durationDays"] == 40
    assert known["personalDetails"] == ["My name is Ann."]
    assert known["activeGoals"] == ["run a marathon"]
    assert known["currentFeeling"] == "I am happy."
    assert known["pendingFollowUps"] == ['commitment: "I will call my sister...." (9 days ago)']
    assert known["personaPrompt"]


# reminders


async def test_reminders_are_listed_by_their_time_and_may_be_cancelled_until_they_are_sent(
    world: World, me: Client
) -> None:
    scope = await me.scope()
    late = await me.post("/reminders", {"scopeId": scope, "dueAt": "2030-01-02T00:00:00Z", "text": "late"})
    early = await me.post("/reminders", {"dueAt": "2030-01-01T00:00:00Z", "text": "early"})
    assert (late["scopeId"], early["scopeId"], late["status"]) == (scope, None, "scheduled")
    assert [one["text"] for one in (await me.get("/reminders"))["items"]] == ["early", "late"]
    assert await me.post(f"/reminders/{late['id']}/cancel") == {"ok": True}
    assert await me.post(f"/reminders/{late['id']}/cancel") == {"ok": True}
    assert [one["text"] for one in (await me.get("/reminders?status=cancelled"))["items"]] == ["late"]
    await me.get("/reminders?status=someday", 400)


async def test_a_reminder_that_is_due_is_sent_and_stays_so(me: Client) -> None:
    past = await me.post("/reminders", {"dueAt": "2020-01-01T00:00:00Z", "text": "past"})
    assert [one["id"] for one in (await me.get("/reminders?status=sent&limit=5"))["items"]] == [past["id"]]
    assert await me.post(f"/reminders/{past['id']}/cancel") == {"ok": False}
    assert [one["status"] for one in (await me.get("/reminders"))["items"]] == ["sent"]


@pytest.mark.parametrize("due", ["2030-01-01T00:00:00+01:00", "2030-01-01", "tomorrow", 5])
async def test_the_time_of_a_reminder_is_utc(me: Client, due: Any) -> None:
    await me.post("/reminders", {"dueAt": due, "text": "x"}, 400)


async def test_a_due_reminder_is_sent_though_its_scope_is_closed(world: World) -> None:
    me = world.client()
    scope = await me.scope()
    await me.post("/reminders", {"scopeId": scope, "dueAt": "2026-05-04T09:00:00Z", "text": "call"})
    await world.restart()
    world.clock.advance(3 * 3600)      # it is 11:00 in UTC now
    assert world.engine.spaces.open_spaces == []
    await world.engine.due.tick()
    assert [one["status"] for one in (await world.client().get("/reminders"))["items"]] == ["sent"]
