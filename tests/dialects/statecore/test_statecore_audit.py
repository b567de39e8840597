"""Notes, their headings and versions, the evidence behind them, and the packs that say where they stand."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from memory import tenancy
from memory.facts.fact import Fact
from memory.facts.record import to_record
from memory.state.facets import PACKS, Pack, resolve
from memory.tenancy import user_of
from tests.dialects.statecore.conftest import LOCAL, Client, World, digested

USER = user_of(f"local:{LOCAL}", is_local=True)


async def learnt(world: World, scope: str, text: str, **more: Any) -> str:
    """A fact as a conversation teaches it; returns its id."""
    async with world.using(scope) as space, space.journal.write() as batch:
        fact = Fact(id=space.ids.new("fact"), text=text, created_at=world.clock.now(), **more)
        batch.add("fact.added", to_record(fact), {"fact_id": fact.id, "entity": fact.entity, "importance": 5})
    return fact.id


async def notes(me: Client, scope: str) -> list[str]:
    return [item["text"] for item in (await me.facts(scope)).get("Notes", [])]


# notes


@pytest.mark.parametrize(("length", "status"), [(0, 400), (1, 201), (500, 201), (501, 400)])
async def test_a_note_has_between_one_and_five_hundred_characters(me: Client, length: int, status: int) -> None:
    scope = await me.scope()
    await me.post("/memory/notes", {"scopeId": scope, "text": "x" * length}, status)


async def test_a_note_stays_as_it_was_written(me: Client) -> None:
    scope = await me.scope()
    await me.note(scope, "  The  Office closes\nat SIX. ")
    assert await notes(me, scope) == ["  The  Office closes\nat SIX. "]


async def test_notes_that_differ_in_a_version_alone_are_two(world: World, me: Client) -> None:
    scope = await me.scope()
    for text in ("release v1 is done", "release v2 is done"):      # three of five words in common
        world.clock.advance(1)
        await me.note(scope, text)
    assert await notes(me, scope) == ["release v1 is done", "release v2 is done"]


async def test_a_note_that_was_replaced_may_come_back_as_a_new_version(world: World, me: Client) -> None:
    scope = await me.scope()
    texts = ["the release of the server is planned for May", "the release of the server is planned for June"]
    for text in (*texts, texts[0]):
        world.clock.advance(1)
        await me.note(scope, text)
    assert await notes(me, scope) == [texts[0]]
    item = (await me.facts(scope))["Notes"][0]
    chain = (await me.get(f"/memory/facts/{item['factId']}/provenance?scopeId={scope}"))["chain"]
    assert [one["content"] for one in chain] == [*texts, texts[0]]


async def test_a_note_makes_no_digest(me: Client) -> None:
    scope = await me.scope()
    await me.note(scope, "We use pnpm")
    found = await me.retrieve(scope, maxChars=1000)
    assert found["digest"] is None
    assert found["budget"]["droppedCounts"]["digest"] == 0


async def test_notes_and_their_chains_survive_a_restart(world: World) -> None:
    me = world.client()
    scope = await me.scope()
    for week in (41, 42):
        world.clock.advance(1)
        await me.note(scope, f"the release of the memory server is planned for week {week}")
    item = (await me.facts(scope))["Notes"][0]
    path = f"/memory/facts/{item['factId']}/provenance?scopeId={scope}"
    before = await me.get(path)
    await world.restart()
    assert await world.client().get(path) == before
    assert len(before["chain"]) == len(before["evidence"]) == 2


async def test_a_note_with_a_request_key_is_taken_in_once(me: Client) -> None:
    scope = await me.scope()
    body = {"scopeId": scope, "text": "We use pnpm"}
    for _ in range(2):
        assert await me.post("/memory/notes", body, headers={"idempotency-key": "one"}) == {"ok": True}
    item = (await me.facts(scope))["Notes"][0]
    await me.post("/memory/facts/forget", {"scopeId": scope, "factKey": item["factKey"]})
    # a repetition that was under way is no new statement
    await me.post("/memory/notes", body, headers={"idempotency-key": "one"})
    assert await notes(me, scope) == []
    await me.post("/memory/notes", body)
    assert await notes(me, scope) == ["We use pnpm"]


async def test_the_same_handoff_again_is_another_stopping_point(me: Client) -> None:
    scope = await me.scope()
    body = {"scopeId": scope, "summary": "stopped here"}
    first, second = [await me.post("/memory/handoff", body) for _ in range(2)]
    assert first["handoffId"] != second["handoffId"]
    assert (first["superseded"], second["superseded"]) == (False, True)
    assert (await me.retrieve(scope))["handoff"]["versionCount"] == 2


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"summary": " " + "x" * 2000 + " "}, 201),        # counted after trimming
        ({"summary": "x", "openQuestions": ["y" * 500] * 10, "nextSteps": [" " + "z" * 500 + " "]}, 201),
        ({"summary": "x", "openQuestions": ["y" * 501]}, 400),
        ({"summary": "x", "openQuestions": ["  "]}, 400),
        ({"summary": "x", "openQuestions": "y"}, 400),
        ({"clear": False}, 400),
        ({"clear": "true", "summary": "x"}, 400),
        ({"summary": "x", "clear": False}, 201),
        ({"clear": True, "openQuestions": 5}, 201),
    ],
)
async def test_a_handoff_has_bounds(me: Client, sent: dict[str, Any], status: int) -> None:
    scope = await me.scope()
    await me.post("/memory/handoff", {"scopeId": scope, **sent}, status)


# facts under their headings


async def test_headings_stand_in_the_order_of_the_pack_and_empty_ones_are_left_out(world: World, me: Client) -> None:
    scope = await me.scope(template="personal")
    await me.note(scope, "We use pnpm")
    await learnt(world, scope, "The user wants to learn to sail", slot="wish")
    await learnt(world, scope, "The user likes tea", slot="preference")
    await learnt(world, scope, "The user will call Ann", slot="promise")
    await learnt(world, scope, "The user's name is Ben", slot="name")      # identity has no heading
    assert list(await me.facts(scope)) == ["Schedule", "Style", "Projects", "Notes"]
    facets = {entry["content"]: entry["facet"] for entry in (await me.retrieve(scope))["factRegistry"]}
    assert facets["The user's name is Ben"] == "identity"
    assert len(facets) == 5


async def test_two_that_read_alike_under_one_heading_are_listed_once(world: World, me: Client) -> None:
    scope = await me.scope(template="personal")
    first = await learnt(world, scope, "The user likes tea", slot="preference")
    world.clock.advance(1)
    await learnt(world, scope, "the user  LIKES tea", slot="preference")
    (item,) = (await me.facts(scope))["Style"]
    assert item["factId"] == first
    await me.post("/memory/facts/forget", {"scopeId": scope, "factKey": item["factKey"]})
    assert await me.facts(scope) == {}


async def test_a_key_is_made_of_the_heading_and_the_text(me: Client) -> None:
    scope = await me.scope()
    await me.note(scope, " We use   PNPM ")
    told = hashlib.sha256(b"notes|we use pnpm").hexdigest()[:16]
    assert (await me.facts(scope))["Notes"][0]["factKey"] == told


async def test_an_item_is_told_with_its_time_and_id(world: World, me: Client) -> None:
    scope = await me.scope()
    await me.note(scope, "We use pnpm")
    (item,) = (await me.facts(scope))["Notes"]
    assert item["createdAt"] == "2026-05-04T08:00:00.000Z"
    (entry,) = (await me.retrieve(scope))["factRegistry"]
    assert (entry["id"], entry["addedAt"]) == (item["factId"], item["createdAt"])


# evidence


async def test_evidence_is_told_once_in_the_order_of_the_chain_and_cut(world: World, me: Client) -> None:
    scope = await me.scope(template="personal")
    long = await me.event(scope, "😀" * 1500, occurredAt="2001-01-01T00:00:00Z")
    short = await me.event(scope, "I like tea", type="document", key="doc:tea")
    ids = [f"turn_{event['id'].replace('-', '')}" for event in (long, short)]
    fact = await learnt(world, scope, "The user likes tea", slot="preference", sources=(*ids, ids[0], "turn_gone"))
    found = await me.get(f"/memory/facts/{fact}/provenance?scopeId={scope}")
    assert [one["id"] for one in found["evidence"]] == [long["id"], short["id"]]
    assert found["evidence"][0]["content"] == "😀" * 1000           # 2000 units
    assert [one["createdAt"] for one in found["evidence"]] == [long["createdAt"], short["createdAt"]]
    assert found["fact"]["evidenceId"] == long["id"]


async def test_evidence_of_a_document_is_its_present_text_under_its_own_time(world: World, me: Client) -> None:
    scope = await me.scope(template="personal")
    event = await me.event(scope, "I like tea", type="document", key="doc:tea")
    own = f"turn_{event['id'].replace('-', '')}"
    fact = await learnt(world, scope, "The user likes tea", slot="preference", sources=(own,))
    world.clock.advance(3600)
    await me.event(scope, "I like tea and biscuits", type="document", key="doc:tea")
    found = await me.get(f"/memory/facts/{fact}/provenance?scopeId={scope}")
    assert found["evidence"] == [
        {"id": event["id"], "content": "I like tea and biscuits", "createdAt": event["createdAt"]}
    ]
    assert found["fact"]["evidenceType"] == "document"


async def test_evidence_that_was_kept_back_is_absent_and_the_rest_is_told(world: World, me: Client) -> None:
    scope = await me.scope(template="personal")
    kept = await me.event(scope, "Tea is what I drink every day")
    gone = await me.event(scope, "We use pnpm and we drink tea")
    ids = tuple(f"turn_{event['id'].replace('-', '')}" for event in (kept, gone))
    fact = await learnt(world, scope, "The user drinks tea", slot="preference", sources=ids)
    await me.note(scope, "We use pnpm")
    await me.forget(scope, "We use pnpm")
    found = await me.get(f"/memory/facts/{fact}/provenance?scopeId={scope}")
    assert [one["id"] for one in found["evidence"]] == [kept["id"]]


async def test_the_id_of_a_fact_is_known_in_both_spellings(me: Client) -> None:
    scope = await me.scope()
    await me.note(scope, "We use pnpm")
    own = (await me.facts(scope))["Notes"][0]["factId"]
    digits = own.removeprefix("fact_")
    uuid = f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
    told = [await me.get(f"/memory/facts/{one}/provenance?scopeId={scope}") for one in (own, digits, uuid.upper())]
    assert told[0] == told[1] == told[2]


# selections and packs


async def test_a_selection_is_told_whole_to_its_owner_alone(world: World, me: Client, other: Client) -> None:
    scope = await me.scope()
    digest = await digested(world, scope, "Goal: ship it.")
    for client in (me, world.client(prefix="")):
        told = await client.get(f"/memory/digests/{digest.upper()}/selection")
        assert (len(told["rationale"]), len(told["drops"])) == (1, 1)
    assert await other.get(f"/memory/digests/{digest}/selection", 404) == {"error": "Digest not found"}
    await me.delete(f"/scopes/{scope}")
    assert await me.get(f"/memory/digests/{digest}/selection", 404) == {"error": "Digest not found"}


# name(cap, P: write protected, D: documents alone) → heading ← what is routed there, as it was published
PUBLISHED = {
    "personal": """followUps(10)→Schedule←commitment; relationships(10)→People←person_note;
        style(6)→Style←style_preference; goals(8,P)→Projects←goal, life_decision; ongoing(8)→Projects←experience;
        notes(30)→Notes; identity(15,P,D)→hidden←personal_detail""",
    "project": """decisions(20,P)→Decisions←decision; constraints(15,P)→Constraints←constraint; todos(20)→Todos←todo;
        openQuestions(15)→Questions←question; status(10)→Status←status; notes(30)→Notes""",
    "health": """medicalFacts(20,P)→Medical←medical_fact; dietaryRules(15,P)→Diet←dietary_rule;
        fitnessGoals(10,P)→Goals←fitness_goal; plans(8)→Plans←current_plan; preferences(10)→Preferences←preference;
        notes(30)→Notes""",
    "learning": """knowledge(40,P)→Knowledge←knowledge_claim; learningGoals(10,P)→Goals←learning_goal;
        openQuestions(20)→Questions←open_question; insights(20)→Insights←insight; progress(10)→Progress←progress;
        notes(30)→Notes""",
}


def spelled(pack: Pack) -> str:
    facets = []
    for facet in pack.facets:
        marks = ",P" * facet.write_protected + ",D" * facet.document_authority
        routes = f"←{', '.join(facet.routes_from)}" if facet.routes_from else ""
        facets.append(f"{facet.name}({facet.cap}{marks})→{facet.group or 'hidden'}{routes}")
    return "; ".join(facets)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_packs_are_those_that_were_published(name: str) -> None:
    assert spelled(PACKS[name]) == " ".join(PUBLISHED[name].split())
    assert all(facet.description for facet in PACKS[name].facets)


@pytest.mark.parametrize(
    "malformed",
    [
        {},
        {"facets": []},
        {"facets": [{}]},
        {"facets": "notes"},
        {"facets": [{"name": " "}]},
        {"facets": [{"name": "a"}, {"name": "a"}]},
        {"facets": [5]},
    ],
)
def test_a_malformed_pack_of_an_account_counts_as_none(malformed: dict[str, Any]) -> None:
    resolved = resolve("health", malformed)
    assert (resolved.source, resolved.own, resolved.pack.name) == ("template", False, "health")
    assert resolve(None, malformed).source == "deployment-default"


def test_what_a_facet_leaves_out_or_gets_wrong_takes_its_default() -> None:
    rows = [
        {"name": "plain"},
        {"name": "odd", "cap": 0, "writeProtected": "yes", "documentAuthority": 1, "displayGroup": "", "routesFrom": 5},
        {"name": "full", "cap": 3, "writeProtected": True, "documentAuthority": True, "displayGroup": "Full"},
    ]
    plain, odd, full = resolve("project", {"facets": rows}).pack.facets
    for facet in (plain, odd):
        assert (facet.cap, facet.group, facet.routes_from) == (8, None, ())
        assert not facet.write_protected
        assert not facet.document_authority
    assert (full.cap, full.group, full.write_protected, full.document_authority) == (3, "Full", True, True)


async def test_facts_of_a_heading_that_a_new_pack_lacks_are_kept_and_not_listed(world: World, me: Client) -> None:
    scope = await me.scope()
    await me.note(scope, "We use pnpm")
    await tenancy.install_pack(world.engine, USER, {"facets": [{"name": "other", "displayGroup": "Other"}]})
    assert await me.facts(scope) == {}
    assert [one["content"] for one in (await me.retrieve(scope))["factRegistry"]] == ["We use pnpm"]
    await tenancy.install_pack(world.engine, USER, None)
    assert await notes(me, scope) == ["We use pnpm"]


async def test_the_pack_of_one_account_is_not_the_others(world: World, me: Client, other: Client) -> None:
    await tenancy.install_pack(world.engine, USER, {"name": "mine", "facets": [{"name": "notes"}]})
    assert (await me.get("/facet-pack"))["source"] == "account"
    told = await other.get("/facet-pack")
    assert (told["name"], told["isDefault"], told["source"]) == ("personal", True, "deployment-default")
