"""Complaints that others had about such servers, as rules that this one keeps."""

from __future__ import annotations

import asyncio

import pytest

from memory.facts.ingest import Brought, ingest
from memory.scopes import read_scope
from memory.store import layout
from memory_server.service import Service
from tests.conftest import OpenEngine, client_of
from tests.dialects.recallnest.nest import CONCISE, DEMO, OTHER, Nest


async def test_a_mistyped_scope_is_told_from_an_empty_memory(nest: Nest) -> None:
    await nest.store("The migration is done", "project:mini-migration")
    answer = await nest.post("/v1/search", {"query": "migration", "scope": "migration:mini"})
    assert "holds no memories" in answer["hint"]["message"]


async def test_short_facts_of_life_are_kept_in_one_cheap_call(nest: Nest) -> None:
    facts = ["喜欢喝茶", "Has a cat", "Born in May", "住在上海", "Allergic to nuts"]
    body = {"scope": "user:me", "memories": [{"text": text, "category": "profile"} for text in facts]}
    assert (await nest.post("/v1/capture", body))["stored"] == 5


async def test_every_answer_can_be_checked_afterwards(nest: Nest) -> None:
    answer = await nest.store("The user asked to remember the blue key")
    assert (await nest.get(f"/v1/memories/{answer['id']}"))["memory"][
        "text"
    ] == "The user asked to remember the blue key"


async def test_a_neighbours_checkpoint_is_there_at_once(nest: Nest) -> None:
    await nest.post("/v1/checkpoint", {"sessionId": "window-a", "scope": DEMO, "summary": "Half of the parser"})
    answer = await nest.post("/v1/resume", {"sessionId": "window-b", "scope": DEMO})
    assert answer["latestCheckpoint"]["sessionId"] == "window-a"


async def test_exact_tokens_win_over_loose_likeness(nest: Nest) -> None:
    await nest.store("Connect to the machines with ssh", category="patterns")
    await nest.store("aws ssh goes through the bastion in eu-west-1", category="patterns")
    await nest.store("RATE_LIMIT_WINDOW is 60 seconds", category="entities")
    assert (await nest.texts("aws ssh"))[0] == "aws ssh goes through the bastion in eu-west-1"
    assert await nest.texts("RATE_LIMIT_WINDOW") == ["RATE_LIMIT_WINDOW is 60 seconds"]


async def test_a_recall_sees_what_another_request_just_stored(nest: Nest) -> None:
    for number in range(20):
        text = f"Marker {number}xyz of the run"
        await nest.store(text, canonicalKey=f"k{number}")
        assert (await nest.texts(f"{number}xyz"))[0] == text


async def test_an_id_shown_anywhere_is_accepted_everywhere(nest: Nest) -> None:
    source = await nest.evidence("The proxy listens on 8080")
    shown = (await nest.post("/v1/recall", {"query": "proxy", "scope": "cc"}))["results"][0]["id"]
    assert shown == source
    promoted = await nest.post("/v1/promote", {"memoryId": shown, "scope": DEMO, "canonicalKey": "proxy"})
    for spelled in (promoted["id"], promoted["id"].replace("-", ""), promoted["id"][:8], promoted["id"].upper()):
        assert (await nest.get(f"/v1/memories/{spelled}"))["memory"]["id"] == promoted["id"]


async def test_a_prefix_looks_through_everything(nest: Nest) -> None:
    ids = [await nest.evidence(f"Fact number {number} of many", scope=f"cc:{number % 3}") for number in range(40)]
    for wanted in (ids[0], ids[-1]):
        assert (await nest.post("/v1/promote", {"memoryId": wanted[:9], "scope": DEMO}))["sourceMemoryId"] == wanted


async def test_what_was_believed_before_is_still_known(nest: Nest) -> None:
    first = await nest.store("The office is in Berlin", category="entities", canonicalKey="office")
    nest.clock.advance(30 * 86_400)
    await nest.store("The office is in Madrid", category="entities", canonicalKey="office")
    (version,) = (await nest.get(f"/v1/memories/{first['id']}"))["history"]
    assert (version["text"], version["endedAt"]) == ("The office is in Berlin", "2026-06-03T08:00:00.000Z")


async def test_a_sibling_scope_is_not_swallowed(nest: Nest) -> None:
    await nest.store("Insight one", "memory")
    await nest.store("Insight two", "memory:pivot")
    await nest.store("Insight three", "memorypivot")
    found = await nest.post("/v1/search", {"query": "insight", "scope": "memory"})
    assert {row["scope"] for row in found["results"]} == {"memory", "memory:pivot"}


async def test_transcripts_are_evidence_and_noise_stays_out(nest: Nest) -> None:
    texts = [
        "User prefers tabs over spaces in Python", "<relevant-memories>User likes tea</relevant-memories>", "ok",
        "你好",
        "I don't remember anything about that project", '"role": "user", "content":', "Do you remember my name?",
        "2026-03-01T10:00:00Z",
    ]  # fmt: skip
    scope = read_scope("cc:a1")
    async with nest.engine.scoped.writing(scope) as space:
        done = await ingest(space, scope, [Brought(text=text, source="cc", category="preferences") for text in texts])
    assert (done.added, done.noise) == (1, 7)
    found = await nest.post("/v1/recall", {"query": "tabs spaces Python", "scope": "cc:a1"})
    assert [row["boundary"]["layer"] for row in found["results"]] == ["evidence"]
    assert (await nest.post("/v1/resume", {"scope": "cc:a1"}))["stableContext"] == []


@pytest.mark.parametrize("query", ["cobbler", "git rebase policy", "deploy it", "run tests", "/help", "ls", "hi"])
async def test_no_question_is_too_short_or_begins_wrongly(nest: Nest, query: str) -> None:
    await nest.store(f"What they say about {query} is written here", category="entities")
    if query != "hi":
        assert await nest.texts(query) == [f"What they say about {query} is written here"]


async def test_one_long_line_does_not_spoil_a_resume(nest: Nest) -> None:
    await nest.store("x" * 10_000, category="profile", canonicalKey="long")
    await nest.store("y" * 221, category="preferences", canonicalKey="just-over")
    answer = await nest.post("/v1/resume", {"scope": DEMO})
    assert len(answer["stableContext"]) == 2


async def test_durable_knowledge_comes_before_what_was_said(nest: Nest) -> None:
    for number in range(5):
        await nest.evidence(f"maybe the deploy script is broken again {number}", scope=DEMO)
    await nest.store("The deploy script is scripts/deploy.sh", category="entities")
    assert (await nest.texts("deploy script"))[0] == "The deploy script is scripts/deploy.sh"


async def test_identical_state_gives_identical_answers(nest: Nest) -> None:
    for text in ("Ana likes tea", "Ben likes tea", "Cid likes tea"):
        await nest.store(text)
    answers = [await nest.post("/v1/recall", {"query": "likes tea", "scope": DEMO}) for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]


async def test_chinese_words_are_found_without_blanks(nest: Nest) -> None:
    await nest.store("部署脚本在夜里运行", category="entities")
    assert await nest.texts("部署脚本") == ["部署脚本在夜里运行"]


async def test_a_missing_scope_is_explained_and_never_an_empty_success(nest: Nest) -> None:
    assert "requires a scope" in await nest.refused("/v1/recall", {"query": "x"})


async def test_what_can_be_read_can_be_written_under_the_same_name(nest: Nest) -> None:
    await nest.store("The parser is slow", "Project: X  y", category="entities", canonicalKey="p")
    again = await nest.store("The parser is fast", "project: x y", category="entities", canonicalKey="p")
    assert again["disposition"] == "updated"
    assert await nest.texts("parser", "PROJECT: X Y") == ["The parser is fast"]


async def test_an_update_never_loses_the_row(nest: Nest) -> None:
    await nest.store("The db is MySQL", category="entities", canonicalKey="db")
    writes = [
        nest.store(f"The db is number {number}", category="entities", canonicalKey="db") for number in range(10)
    ]
    reads = [nest.texts("db") for _ in range(10)]
    done = await asyncio.gather(*writes, *reads)
    assert all(len(texts) == 1 for texts in done[10:])


async def test_scores_have_three_decimals(nest: Nest) -> None:
    await nest.store(CONCISE, category="preferences")
    score = (await nest.post("/v1/recall", {"query": "concise replies", "scope": DEMO}))["results"][0]["score"]
    assert score == round(score, 3)
    assert 0 < score <= 1


async def test_more_scopes_than_may_be_open_are_searched_all_the_same(open_engine: OpenEngine, clock: object) -> None:
    engine = await open_engine(open_spaces=4)
    async with client_of(Service(instance_id="x", engine=engine)) as client:
        for number in range(12):
            body = {"text": f"Docker in project {number}", "scope": f"project:{number}"}
            assert (await client.post("/v1/store", json=body)).status_code == 201
        found = (await client.post("/v1/search", json={"query": "docker", "limit": 20})).json()["results"]
        assert {row["scope"] for row in found} == {f"project:{number}" for number in range(12)}
        one = found[0]["id"]
        assert (await client.get(f"/v1/memories/{one[:13]}")).json()["memory"]["id"] == one
        assert (await client.get("/v1/stats")).json()["totalMemories"] == 12
    assert len(engine.spaces.open_spaces) < 12


async def test_everything_is_there_after_a_restart(nest: Nest, open_engine: OpenEngine) -> None:
    stored = await nest.store(CONCISE, category="preferences")
    await nest.store("User wants brief and direct responses please", category="preferences")
    refused = await nest.store("other", OTHER, category="entities", canonicalKey="k")
    refused = await nest.store("another", OTHER, category="profile", canonicalKey="k")
    await nest.post("/v1/checkpoint", {"sessionId": "s", "scope": DEMO, "summary": "Half"})
    await nest.engine.close()
    engine = await open_engine()
    async with client_of(Service(instance_id="x", engine=engine)) as client:
        again = Nest(client, engine, nest.clock)
        assert (await again.get("/v1/stats"))["byScope"] == {DEMO: 1, OTHER: 1}
        assert len(await again.history(stored["id"])) == 1
        assert (await again.conflict(refused["conflictId"]))["status"] == "open"
        assert (await again.get("/v1/checkpoint/latest", sessionId="s"))["checkpoint"]["summary"] == "Half"
        assert (await again.store(CONCISE, category="preferences"))["disposition"] == "updated"


async def test_a_lost_catalogue_is_made_again(nest: Nest, open_engine: OpenEngine) -> None:
    stored = await nest.store(CONCISE, category="preferences")
    await nest.engine.close()
    (nest.engine.settings.data_root / layout.CATALOGUE).unlink()
    engine = await open_engine()
    async with client_of(Service(instance_id="x", engine=engine)) as client:
        again = Nest(client, engine, nest.clock)
        assert (await again.get(f"/v1/memories/{stored['id'][:8]}"))["memory"]["text"] == CONCISE
        assert (await again.get("/v1/stats"))["byScope"] == {DEMO: 1}
        assert await again.texts("concise", None) == [CONCISE]
