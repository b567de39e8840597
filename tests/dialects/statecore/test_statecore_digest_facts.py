"""What a digest may write into the registry, and what it must not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory import tenancy
from memory.state.facets import PACKS
from tests.dialects.statecore.conftest import Client, World
from tests.dialects.statecore.digest_world import (
    USER,
    digest,
    digesting,
    found,
    inside,
    perform,
    reasons,
    said,
    selection,
    state,
    texts,
)


async def one_event(world: World, me: Client, template: str = "project", text: str = "lantern copper violin") -> str:
    scope = await me.scope(template=template)
    await me.event(scope, text)
    return scope


async def shown(me: Client, scope: str, group: str) -> list[str]:
    return [item["text"] for item in (await me.facts(scope)).get(group, [])]


async def test_a_facet_that_the_pack_has_not_is_refused(root: Path) -> None:
    async with digesting(root, found(("hobbies", "They play chess"))) as world:
        me = world.client()
        scope = await one_event(world, me)
        await digest(world, me, scope)
        assert await reasons(world, me, scope) == ["facet_not_registered"]


async def test_a_fact_of_more_than_500_characters_is_never_written(root: Path) -> None:
    async with digesting(root, found(("status", "x" * 501))) as world:
        me = world.client()
        scope = await one_event(world, me, text="Decision: " + "word " * 120)
        await digest(world, me, scope)
        assert await reasons(world, me, scope) == ["fact_too_long", "fact_too_long"]
        assert await me.facts(scope) == {}


async def test_only_a_document_may_say_who_somebody_is(root: Path) -> None:
    async with digesting(root, found(("identity", "Ann is an engineer"))) as world:
        me = world.client()
        scope = await one_event(world, me, "personal")
        await digest(world, me, scope)
        assert await reasons(world, me, scope) == ["no_document_evidence"]
        await me.post(
            "/memory/events", {"scopeId": scope, "type": "document", "key": "cv", "content": "Ann, engineer"}
        )
        await digest(world, me, scope)
        held = (await state(world, scope))["state"]["profile"]
        assert held["identity"] == ["Ann is an engineer"]


async def test_talk_never_overrides_what_a_document_says(root: Path) -> None:
    async with digesting(root, found(("decisions", "The release is planned for early autumn this year"))) as world:
        me = world.client()
        scope = await me.scope()
        sent = "Decision: The release is planned for late spring this year"
        await me.post("/memory/events", {"scopeId": scope, "type": "document", "key": "plan", "content": sent})
        await me.event(scope, "harbour garden letter")
        await digest(world, me, scope)
        assert await reasons(world, me, scope) == ["protected_lower_authority"]
        assert await shown(me, scope, "Decisions") == ["The release is planned for late spring this year"]


async def test_a_full_facet_retires_its_oldest_and_a_protected_one_refuses(root: Path) -> None:
    async with digesting(root) as world:
        me = world.client()
        scope = await me.scope()
        for number in range(12):    # of 10
            await me.event(scope, f"status: stage{number} alpha{number} beta{number} is reached")
            if number == 9:
                await digest(world, me, scope)
        for number in range(21):    # of 20
            await me.event(scope, f"Decision: gamma{number} delta{number} epsilon{number}")
        await digest(world, me, scope)
        statuses = await shown(me, scope, "Status")
        assert statuses[0] == "stage2 alpha2 beta2 is reached"
        assert len(statuses) == 10
        assert len(await shown(me, scope, "Decisions")) == 20
        why = await reasons(world, me, scope)
        assert (why.count("cap_evicted"), why.count("cap_rejected_incoming")) == (2, 1)
        async with inside(world, scope) as (_, space):
            assert [one.reason for one in space.views.retired] == ["cap_evicted", "cap_evicted"]


async def test_the_same_fact_again_is_not_stamped_anew(root: Path) -> None:
    async with digesting(root, found(("status", "The importer reads every file"))) as world:
        me = world.client()
        scope = await one_event(world, me)
        await digest(world, me, scope)
        before = (await me.facts(scope))["Status"]
        await me.event(scope, "garden letter window")
        await digest(world, me, scope)
        assert (await me.facts(scope))["Status"] == before


async def test_another_wording_takes_the_place_of_the_fact_and_the_chain_tells_both(root: Path) -> None:
    first, second = "The importer reads every single file", "The importer reads every single text file"
    async with digesting(root, found(("status", first)), found(("status", second))) as world:
        me = world.client()
        scope = await one_event(world, me)
        await digest(world, me, scope)
        await me.event(scope, "garden letter window")
        await digest(world, me, scope)
        (item,) = (await me.facts(scope))["Status"]
        chain = (await me.get(f"/memory/facts/{item['factId']}/provenance?scopeId={scope}"))["chain"]
        assert [one["content"] for one in chain] == [first, second]


async def test_what_a_note_says_is_not_written_again(root: Path) -> None:
    async with digesting(root, found(("status", "The office closes at six every day"))) as world:
        me = world.client()
        scope = await one_event(world, me)
        await me.note(scope, "The office closes at six every day")
        await digest(world, me, scope)
        assert await reasons(world, me, scope) == ["already_known"]
        assert sorted(await me.facts(scope)) == ["Notes"]


async def test_a_model_never_writes_among_the_notes(root: Path) -> None:
    async with digesting(root, found(("notes", "They keep bees"))) as world:
        me = world.client()
        scope = await one_event(world, me)
        await digest(world, me, scope)
        assert await reasons(world, me, scope) == ["notes_are_written_by_hand"]


async def test_ids_are_no_part_of_a_fact(root: Path) -> None:
    own = "5b2f6d1e-8a4c-4d1b-9f3e-2c7a9b6d0e11"
    async with digesting(root, found(("status", f"The importer ({own}) works"))) as world:
        me = world.client()
        scope = await one_event(world, me)
        await digest(world, me, scope)
        assert await shown(me, scope, "Status") == ["The importer ( ) works"]


async def test_what_was_forgotten_is_not_learnt_in_other_words(root: Path) -> None:
    async with digesting(root, found(("status", "behind the kitchen clock hangs the spare key"))) as world:
        me = world.client()
        scope = await one_event(world, me)
        await me.note(scope, "the spare key hangs behind the kitchen clock")
        await me.forget(scope, "the spare key hangs behind the kitchen clock")
        await digest(world, me, scope)
        newest = (await state(world, scope))["digestId"]
        assert (await selection(me, newest))["drops"] == [{"reason": "forgotten", "detail": {"facet": "status"}}]
        assert await me.facts(scope) == {}


async def test_a_decision_that_is_replaced_leaves_the_registry_with_its_successor_named(root: Path) -> None:
    async with digesting(root) as world:
        me = world.client()
        scope = await one_event(world, me, text="Decision: use Redis for queues")
        await digest(world, me, scope)
        (old,) = (await me.facts(scope))["Decisions"]
        await me.event(scope, "Decision: replace Redis with an in-process queue")
        await digest(world, me, scope)
        assert await shown(me, scope, "Decisions") == ["replace Redis with an in-process queue"]
        chain = (await me.get(f"/memory/facts/{old['factId']}/provenance?scopeId={scope}"))["chain"]
        assert [one["content"] for one in chain][-1] == "replace Redis with an in-process queue"


async def test_a_todo_that_is_done_is_retired(root: Path) -> None:
    async with digesting(root) as world:
        me = world.client()
        scope = await one_event(world, me, text="TODO: write the importer")
        await digest(world, me, scope)
        await me.event(scope, "done: the importer")
        await digest(world, me, scope)
        assert await shown(me, scope, "Todos") == []
        async with inside(world, scope) as (_, space):
            assert [one.reason for one in space.views.retired] == ["done"]


# consolidation


SAME = ("The server keeps facts", "On disk stay the facts of a server", "Reading is fast", "Writing is safe")


def merged(*rows: tuple[str, list[int]]) -> str:
    return json.dumps([{"text": text, "mergedFrom": sources} for text, sources in rows])


async def consolidated(root: Path, answer: str) -> tuple[list[str], list[str], list[Any]]:
    facts = [{"facet": "status", "value": one} for one in SAME]
    async with digesting(root, said(profileFacts=facts), answer) as world:
        me = world.client()
        scope = await one_event(world, me)
        await digest(world, me, scope)
        async with inside(world, scope) as (_, space):
            retired = [(one.fact.text, one.reason) for one in space.views.retired]
        return await shown(me, scope, "Status"), await reasons(world, me, scope), retired


async def test_facts_that_say_the_same_are_merged_and_keep_their_sources(root: Path) -> None:
    answer = merged(("The server keeps facts on disk", [1, 2]), (SAME[2], [3]), (SAME[3], [4]))
    facts, _, retired = await consolidated(root, answer)
    assert sorted(facts) == sorted(["The server keeps facts on disk", SAME[2], SAME[3]])
    assert sorted(retired) == sorted([(SAME[0], "replaced"), (SAME[1], "replaced")])


async def test_what_a_merging_leaves_out_is_retired_with_the_reason(root: Path) -> None:
    facts, _, retired = await consolidated(root, merged((SAME[0], [1]), (SAME[2], [3]), (SAME[3], [4])))
    assert SAME[1] not in facts
    assert retired == [(SAME[1], "consolidation_dropped")]


@pytest.mark.parametrize(
    "answer",
    [
        merged(("The server flies to the moon", [1, 2]), (SAME[2], [3]), (SAME[3], [4])),   # invented
        merged((SAME[0], [1])),                                                         # loses most of it
        merged((SAME[0], [7])),                                                         # names nothing that is there
        "no JSON",
    ],
)
async def test_a_merging_that_invents_or_loses_leaves_the_facet_as_it_is(root: Path, answer: str) -> None:
    facts, why, retired = await consolidated(root, answer)
    assert sorted(facts) == sorted(SAME)
    assert why == ["consolidation_skipped"]
    assert retired == []


async def test_an_empty_answer_merges_nothing(root: Path) -> None:
    facts, why, _ = await consolidated(root, "[]")
    assert sorted(facts) == sorted(SAME)
    assert why == []


# every template, and packs of somebody's own

SAYS = {
    "commitment": "I will call the plumber tomorrow",
    "person_note": "My sister plays the cello",
    "style_preference": "I prefer short answers",
    "goal": "Goal: become a beekeeper",
    "life_decision": "I decided to leave the city",
    "experience": "I went to the harbour",
    "personal_detail": "I live in Porto",
    "decision": "Decision: use SQLite",
    "constraint": "Constraint: must stay local",
    "todo": "TODO: write the importer",
    "question": "Which port is it?",
    "status": "status: halfway there",
    "medical_fact": "I was diagnosed with asthma",
    "dietary_rule": "I never eat gluten",
    "fitness_goal": "I train for a marathon",
    "current_plan": "My routine is swimming every morning",
    "preference": "I enjoy rowing",
    "knowledge_claim": "A journal is an append-only file",
    "learning_goal": "I want to learn about compilers",
    "open_question": "Why does the parser stop?",
    "insight": "I realised that locks need an order",
    "progress": "I finished chapter 4",
}
ROUTED = [
    (template, facet.name, one)
    for template, pack in PACKS.items()
    for facet in pack.facets
    for one in facet.routes_from
]


@pytest.mark.parametrize(("template", "facet", "kind"), ROUTED)
async def test_every_facet_takes_what_is_routed_to_it_without_a_model(
    world: World, me: Client, template: str, facet: str, kind: str
) -> None:
    scope = await me.scope(template=template)
    if facet == "identity":     # of documents alone
        sent = {"scopeId": scope, "type": "document", "key": "cv", "content": f"# Status\n- {SAYS[kind]}"}
        await me.post("/memory/events", sent)
    else:
        await me.event(scope, SAYS[kind])
    world.clock.advance(10)
    await world.engine.digesting.tick()
    held = (await state(world, scope))["state"]["profile"]
    assert len(held[facet]) == 1
    group = next(one.group for one in PACKS[template].facets if one.name == facet)
    listed = await me.facts(scope)
    assert (group in listed) is (group is not None)


async def test_a_pack_of_the_accounts_own_says_what_is_routed(world: World, me: Client) -> None:
    pack = {
        "name": "mine",
        "facets": [{"name": "meals", "cap": 3, "displayGroup": "Meals", "routesFrom": ["dietary_rule"]}],
    }
    await tenancy.install_pack(world.engine, USER, pack)
    scope = await me.scope(template="project")
    await me.event(scope, "I never eat gluten")
    await me.event(scope, "Decision: use SQLite")
    world.clock.advance(10)
    await world.engine.digesting.tick()
    assert await shown(me, scope, "Meals") == ["I never eat gluten"]
    assert await reasons(world, me, scope) == ["no_display_group"]


async def test_a_character_learns_once_what_it_is_told(root: Path) -> None:
    async with digesting(root, found(("style", "The user likes rye bread"))) as world:
        me = world.client()
        async with world.engine.spaces.use("Mio", create=True) as space, space.journal.write() as batch:
            batch.owe("post_turn", {})
        await me.event("character:Mio", "I like rye bread.")
        await perform(world, "character:Mio")
        await digest(world, me, "character:Mio")
        async with inside(world, "character:Mio") as (_, space):
            assert len(texts(space)) == 1
            latest = space.views.digests.latest
            assert latest is not None
            assert "facts_left_to_learning" in latest.rationale
