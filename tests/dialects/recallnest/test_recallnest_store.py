"""Storing and promoting: what becomes of a statement, by key, category and text."""

from __future__ import annotations

import asyncio
import errno

import orjson
import pytest

from memory.forget import forget
from memory.scopes import read_scope
from memory.store.files import Disk
from memory_server.service import Service
from tests.conftest import OpenEngine, client_of
from tests.dialects.recallnest.nest import COLLOQUIAL, CONCISE, DEMO, OTHER, Nest
from tests.fakes import FixedClock


async def test_the_published_example_is_stored(nest: Nest) -> None:
    body = {
        "text": "User prefers code changes to be committed and pushed immediately",
        "category": "preferences",
        "source": "agent",
        "scope": "memory:agent",
        "tags": ["workflow", "git"],
        "importance": 0.85,
    }
    answer = await nest.post("/v1/store", body, status=201)
    assert answer == {
        "id": answer["id"],
        "stored": True,
        "disposition": "stored",
        "storedAt": "2026-05-04T08:00:00.000Z",     # MORNING in UTC
        "category": "preferences",
        "scope": "memory:agent",
        "canonicalKey": "preferences:user-prefers-code-changes-to-be-committed-and-pushed-immediately",
    }


async def test_the_same_text_again_is_deduped_onto_the_same_row(nest: Nest) -> None:
    first = await nest.store(CONCISE, category="preferences")
    nest.clock.advance(60)
    again = await nest.store("User prefers concise,  direct replies.", category="preferences")
    assert (again["disposition"], again["stored"], again["id"]) == ("deduped", True, first["id"])
    assert again["storedAt"] == first["storedAt"]


async def test_another_wording_of_the_same_slot_takes_its_place_and_the_old_one_is_kept(nest: Nest) -> None:
    first = await nest.store(CONCISE, category="preferences")
    updated = await nest.store("User wants brief and direct responses please", category="preferences")
    assert (updated["disposition"], updated["id"]) == ("updated", first["id"])
    assert await nest.history(first["id"]) == [CONCISE]
    memory = (await nest.get(f"/v1/memories/{first['id']}"))["memory"]
    assert memory["metadata"]["evolution"]["version"] == 2
    assert await nest.texts("concise replies") == []
    assert await nest.texts("brief direct responses") == ["User wants brief and direct responses please"]


async def test_every_further_version_adds_one_to_the_history(nest: Nest) -> None:
    key = {"category": "entities", "canonicalKey": "the-db"}
    stored = [await nest.store(f"The database is number {number}", **key) for number in range(5)]
    assert {answer["id"] for answer in stored} == {stored[0]["id"]}
    memory = (await nest.get(f"/v1/memories/{stored[0]['id']}"))["memory"]
    assert memory["metadata"]["evolution"]["version"] == 5
    assert await nest.history(stored[0]["id"]) == [f"The database is number {number}" for number in range(4)]


async def test_a_given_key_that_another_category_owns_is_a_conflict(nest: Nest) -> None:
    await nest.store("RecallNest is the shared memory layer", category="entities", canonicalKey="positioning")
    owner = await nest.store("RecallNest is a local memory service", category="entities", canonicalKey="positioning")
    body = {"category": "profile", "canonicalKey": "positioning"}
    refused = await nest.store("RecallNest is what the user builds", **body)
    assert (refused["disposition"], refused["stored"], refused["id"]) == ("conflict", False, owner["id"])
    again = await nest.store("RecallNest is what the user builds", **body)
    assert again["conflictId"] == refused["conflictId"]
    assert await nest.texts("what the user builds") == []


async def test_events_with_one_key_stand_beside_each_other(nest: Nest) -> None:
    first = await nest.store("Deployed v2 on Friday", canonicalKey="deploys")
    second = await nest.store("Deployed v3 on Monday", canonicalKey="deploys")
    assert (second["disposition"], second["id"] != first["id"]) == ("stored", True)
    assert (await nest.store("Deployed v2 on Friday", canonicalKey="deploys"))["disposition"] == "deduped"
    assert sorted(await nest.texts("deployed")) == ["Deployed v2 on Friday", "Deployed v3 on Monday"]


async def test_a_key_belongs_to_its_scope(nest: Nest) -> None:
    here = await nest.store("Deployed v2 of the billing service", DEMO)
    there = await nest.store("Deployed v2 of the billing service", OTHER)
    assert (there["disposition"], there["scope"]) == ("stored", OTHER)
    assert here["id"] != there["id"]


async def test_a_case_with_the_same_title_and_other_steps_is_a_new_one(nest: Nest) -> None:
    body = {"title": "Docker crash", "problem": "The bot dies", "solutionSteps": ["Read the logs"], "scope": DEMO}
    first = await nest.post("/v1/case", body, status=201)
    again = await nest.post("/v1/case", body)
    other = await nest.post("/v1/case", {**body, "solutionSteps": ["Restart it"]})
    assert [answer["disposition"] for answer in (first, again, other)] == ["stored", "deduped", "stored"]
    assert first["id"] == again["id"] != other["id"]
    assert len(await nest.texts("docker crash")) == 2


async def test_a_pattern_is_a_text_of_lines_and_keeps_its_parts(nest: Nest) -> None:
    body = {
        "title": "Cross-window continuity handoff",
        "trigger": "When opening a fresh terminal window for the same project",
        "steps": ["Call resume_context before coding", "Save checkpoint_session before leaving the window"],
        "outcome": "The next window recovers decisions faster",
        "tools": ["resume_context", "checkpoint_session"],
        "importance": 0.9,
        "scope": DEMO,
        "tags": ["continuity", "Handoff", "handoff"],
    }
    answer = await nest.post("/v1/pattern", body, status=201)
    assert answer["tags"] == ["continuity", "Handoff", "workflow", "pattern"]
    assert answer["canonicalKey"] == "patterns:cross-window-continuity-handoff"
    memory = (await nest.get(f"/v1/memories/{answer['id']}"))["memory"]
    assert memory["text"].splitlines() == [
        "Workflow pattern: Cross-window continuity handoff",
        "Use when: When opening a fresh terminal window for the same project",
        "Steps:",
        "1. Call resume_context before coding",
        "2. Save checkpoint_session before leaving the window",
        "Tools: resume_context, checkpoint_session",
        "Outcome: The next window recovers decisions faster",
    ]
    assert memory["metadata"]["workflowPattern"]["steps"] == body["steps"]
    assert memory["boundary"] == {
        "layer": "durable",
        "authority": "structured-memory",
        "conflictPolicy": "latest-wins",
        "originalCategory": "patterns",
    }


async def test_a_batch_is_stored_in_order_and_counts_what_it_kept(nest: Nest) -> None:
    await nest.store("The staging cluster lives in eu-west-1", category="entities", canonicalKey="staging")
    body = {
        "scope": DEMO,
        "defaultImportance": 0.6,
        "memories": [
            {"text": "Use search_memory at task start", "category": "patterns", "importance": 0.9},
            {"text": "Use  search_memory at task start", "category": "patterns"},
            {"text": "The user runs staging", "category": "profile", "canonicalKey": "staging"},
            {"text": "Ana joined", "scope": OTHER},
        ],
    }
    answer = await nest.post("/v1/capture", body, status=201)
    assert [row["disposition"] for row in answer["memories"]] == ["stored", "deduped", "conflict", "stored"]
    assert (answer["stored"], answer["conflicts"]) == (3, 1)
    assert [row["source"] for row in answer["memories"]] == ["agent"] * 4
    assert answer["memories"][3]["scope"] == OTHER
    assert "conflictId" in answer["memories"][2]


async def test_a_batch_with_one_bad_item_stores_nothing(nest: Nest) -> None:
    body = {"scope": DEMO, "memories": [{"text": "good item that would be valid"}, {"category": "events"}]}
    assert await nest.refused("/v1/capture", body) == "memories[1].text is required"
    assert (await nest.get("/v1/stats"))["totalMemories"] == 0


async def test_a_batch_over_scopes_that_cannot_all_be_written_stores_nothing(nest: Nest) -> None:
    await nest.damage(OTHER)
    body = {"memories": [{"text": "Ana joined", "scope": DEMO}, {"text": "Ben joined", "scope": OTHER}]}
    answer = await nest.post("/v1/capture", body, status=503)
    assert "open for reading only" in answer["error"]
    assert (await nest.get("/v1/stats"))["byScope"] == {OTHER: 3}


async def test_a_batch_that_the_disk_broke_off_says_what_of_it_is_kept(
    open_engine: OpenEngine, clock: FixedClock
) -> None:
    appended = 0

    def step(point: str) -> None:
        nonlocal appended
        if point == "commit.before_append":
            appended += 1
            if appended == 4:       # two stores, then the first scope of the batch, then the second
                raise OSError(errno.ENOSPC, "No space left on device")

    engine = await open_engine(disk=Disk(step))
    async with client_of(Service(instance_id="x", engine=engine)) as client:
        nest = Nest(client, engine, clock)
        for scope in (DEMO, OTHER):
            await nest.store("Here before", scope)
        items = [{"text": f"{name} joined", "scope": scope} for name in ("Ana", "Ben") for scope in (DEMO, OTHER)]
        said = (await nest.post("/v1/capture", {"memories": items}, status=500))["error"]
        kept = (await nest.get("/v1/stats"))["byScope"]
        first = DEMO if kept[DEMO] == 3 else OTHER
        assert kept == {first: 3, OTHER if first == DEMO else DEMO: 1}
        numbers = [number for number, item in enumerate(items) if item["scope"] == first]
        assert said.startswith(f"Only memories[{numbers[0]}], memories[{numbers[1]}] of this request")
        assert said.endswith("the disk refused: No space left on device")
        again = await nest.post("/v1/capture", {"memories": items})
        assert [row["disposition"] for row in again["memories"]] == [
            "deduped" if item["scope"] == first else "stored" for item in items
        ]


async def test_storing_what_was_forgotten_makes_it_known_again(nest: Nest) -> None:
    stored = await nest.store("User likes tea", "character:Mio", category="preferences")
    async with nest.engine.spaces.use("Mio") as space:
        fact = next(iter(space.facts))
        await forget(space, lambda: [fact])
        assert space.views.retired.covers("User likes tea")
        assert await nest.texts("tea", "character:Mio") == []
        again = await nest.store("User likes tea", "character:Mio", category="preferences")
        assert (again["disposition"], again["id"] != stored["id"]) == ("stored", True)
        assert not space.views.retired.covers("User likes tea")
    assert await nest.texts("tea", "character:Mio") == ["User likes tea"]


async def test_twelve_parallel_stores_to_one_key_leave_one_row_and_eleven_versions(nest: Nest) -> None:
    for number in range(100):
        key = {"category": "entities", "canonicalKey": f"key-{number}"}
        answers = await asyncio.gather(*(nest.store(f"Statement {number} of writer {one}", **key) for one in range(12)))
        dispositions = sorted(answer["disposition"] for answer in answers)
        assert dispositions == ["stored"] + ["updated"] * 11
        assert len({answer["id"] for answer in answers}) == 1
        memory = await nest.get(f"/v1/memories/{answers[0]['id']}")
        said = [version["text"] for version in memory["history"]]
        assert len(set(said)) == 11
        assert {memory["memory"]["text"], *said} == {f"Statement {number} of writer {one}" for one in range(12)}
    assert (await nest.get("/v1/stats"))["totalMemories"] == 100


async def test_the_file_keeps_the_rounded_importance_and_the_exact_one_beside_it(nest: Nest) -> None:
    await nest.store("User likes tea", "character:Mio", category="preferences", importance=0.83, tags=["tea"])
    async with nest.engine.spaces.use("Mio") as space:
        await space.flush()
        row, = orjson.loads((space.directory / "facts.json").read_bytes())
    assert (row["importance"], row["importance_exact"], row["entity"], row["tags"]) == (8, 0.83, "master", ["tea"])


# promoting


async def test_evidence_becomes_durable_and_stays_where_it_is(nest: Nest) -> None:
    source = await nest.evidence(CONCISE, category="preferences")
    body = {"memoryId": source, "scope": "memory:agent", "canonicalKey": "user-reply-style", "tags": ["writing"]}
    answer = await nest.post("/v1/promote", body, status=201)
    assert answer["disposition"] == "promoted"
    # Meant as a preference, kept as an event until now.
    assert (answer["category"], answer["sourceCategory"]) == ("preferences", "events")
    assert (answer["sourceMemoryId"], answer["canonicalKey"]) == (source, "user-reply-style")
    memory = (await nest.get(f"/v1/memories/{answer['id']}"))["memory"]
    assert memory["promotedFrom"] == {
        "memoryId": source,
        "scope": "cc:a1b2c3d4",
        "category": "events",
        "source": "cc",
        "boundary": {
            "layer": "evidence",
            "authority": "transcript-ingest",
            "conflictPolicy": "append-only",
            "originalCategory": "preferences",
            "downgradedFrom": "preferences",
        },
    }
    assert (memory["provenanceHistory"], memory["provenanceHistoryCount"]) == ([memory["promotedFrom"]], 1)
    assert await nest.texts("concise replies", "cc:a1b2c3d4") == [CONCISE]


async def test_a_prefix_of_eight_digits_names_the_evidence(nest: Nest) -> None:
    source = await nest.evidence("The build runs on port 8080 of the proxy")
    answer = await nest.post("/v1/promote", {"memoryId": source[:8], "scope": DEMO})
    assert answer["sourceMemoryId"] == source
    plain = source.replace("-", "")
    assert (await nest.post("/v1/promote", {"memoryId": plain, "scope": DEMO}))["disposition"] == "deduped"


async def test_promoting_again_adds_to_the_provenance_and_is_deduped(nest: Nest) -> None:
    source = await nest.evidence(CONCISE)
    body = {"memoryId": source, "text": CONCISE, "category": "preferences", "scope": DEMO, "canonicalKey": "style"}
    first = await nest.post("/v1/promote", body)
    nest.clock.advance(3600)
    again = await nest.post("/v1/promote", body)
    assert (again["disposition"], again["stored"], again["id"]) == ("deduped", True, first["id"])
    other = await nest.evidence("Keep it short, will you")
    await nest.post("/v1/promote", {**body, "memoryId": other})
    memory = (await nest.get(f"/v1/memories/{first['id']}"))["memory"]
    assert [row["memoryId"] for row in memory["provenanceHistory"]] == [source, other]
    assert memory["provenanceHistoryCount"] == 2
    # First seen when it was promoted, however often it was seen again.
    assert memory["provenanceHistory"][0]["observedAt"] == "2026-05-04T08:00:00.000Z"
    assert memory["text"] == CONCISE


async def test_promoting_other_words_onto_a_key_is_a_conflict_each_time_the_same(nest: Nest) -> None:
    first, second = await nest.evidence(CONCISE), await nest.evidence(COLLOQUIAL)
    body = {"category": "preferences", "scope": DEMO, "canonicalKey": "user-reply-style"}
    owner = await nest.post("/v1/promote", {**body, "memoryId": first})
    refused = await nest.post("/v1/promote", {**body, "memoryId": second}, status=201)
    assert (refused["disposition"], refused["stored"], refused["id"]) == ("conflict", False, owner["id"])
    again = await nest.post("/v1/promote", {**body, "memoryId": second})
    assert again["conflictId"] == refused["conflictId"]


async def test_promoting_the_same_slot_collapses_onto_its_owner(nest: Nest) -> None:
    owner = await nest.store("我喜欢吃麦当劳的麦辣鸡翅", category="preferences")
    source = await nest.evidence("我喜欢吃麦当劳的麦辣鸡翅！周五晚上")
    answer = await nest.post("/v1/promote", {"memoryId": source, "category": "preferences", "scope": DEMO})
    assert (answer["disposition"], answer["id"]) == ("promoted", owner["id"])
    memory = (await nest.get(f"/v1/memories/{owner['id']}"))["memory"]
    assert memory["text"] == "我喜欢吃麦当劳的麦辣鸡翅"
    assert memory["provenanceHistoryCount"] == 1


async def test_provenance_keeps_the_last_eighty_and_counts_all(nest: Nest) -> None:
    owner = await nest.store("The build is slow", category="entities")
    for number in range(83):
        source = await nest.evidence(f"The build took {number} minutes")
        await nest.post("/v1/promote", {
            "memoryId": source, "text": "The build is slow", "category": "entities", "scope": DEMO,
        })  # fmt: skip
    memory = (await nest.get(f"/v1/memories/{owner['id']}"))["memory"]
    assert (len(memory["provenanceHistory"]), memory["provenanceHistoryCount"]) == (80, 83)


@pytest.mark.parametrize(
    ("memory_id", "sentence"),
    [
        ("zzz", "Invalid memory ID format: zzz"),
        ("00000000-0000-0000-0000-000000000000", "Memory 00000000-0000-0000-0000-000000000000 not found"),
        ("deadbeef", "Memory deadbeef not found"),
    ],
)
async def test_an_id_that_names_nothing_is_refused(nest: Nest, memory_id: str, sentence: str) -> None:
    assert await nest.refused("/v1/promote", {"memoryId": memory_id, "scope": DEMO}) == sentence


async def test_what_is_durable_already_is_not_promoted(nest: Nest) -> None:
    stored = await nest.store(CONCISE, category="preferences")
    sentence = await nest.refused("/v1/promote", {"memoryId": stored["id"], "scope": DEMO})
    assert sentence == f"Memory {stored['id']} is already durable; promote_memory is only for evidence entries."


async def test_an_id_is_found_in_a_scope_that_is_closed(nest: Nest) -> None:
    source = await nest.evidence("The proxy listens on 8080")
    space = read_scope("cc:a1b2c3d4").space
    async with nest.engine.spaces.closed(space):
        pass
    assert (await nest.post("/v1/promote", {"memoryId": source[:10], "scope": DEMO}))["sourceMemoryId"] == source
