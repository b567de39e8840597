"""Complaints that others had about such servers, by number, as rules that this one keeps."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import orjson
import pytest
from click.testing import CliRunner

from memory.facts.ingest import Brought, ingest
from memory.models.embedder import Purpose, Vectors
from memory.scopes import read_scope
from memory.store import layout
from memory_server.cli import command_line
from memory_server.service import Service
from tests.conftest import OpenEngine, client_of
from tests.dialects.recallnest.nest import CONCISE, DEMO, OTHER, Nest
from tests.fakes import WordEmbedder


class HalfAsWide(WordEmbedder):
    """Another model, whose vectors are shorter."""

    fingerprint: str | None = "words:2"
    dimension: int | None = 32

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors | None:
        rows = await super().embed(texts, purpose=purpose)
        assert rows is not None
        half: Vectors = rows[:, :32] + rows[:, 32:]
        half /= np.maximum(np.linalg.norm(half, axis=1, keepdims=True), 1e-9)
        return half


async def test_1_a_mistyped_scope_is_told_from_an_empty_memory(nest: Nest) -> None:
    await nest.store("The migration is done", "project:mini-migration")
    answer = await nest.post("/v1/search", {"query": "migration", "scope": "migration:mini"})
    assert "holds no memories" in answer["hint"]["message"]


async def test_2_short_facts_of_life_are_kept_in_one_cheap_call(nest: Nest) -> None:
    facts = ["喜欢喝茶", "Has a cat", "Born in May", "住在上海", "Allergic to nuts"]
    body = {"scope": "user:me", "memories": [{"text": text, "category": "profile"} for text in facts]}
    assert (await nest.post("/v1/capture", body))["stored"] == 5


async def test_3_every_answer_can_be_checked_afterwards(nest: Nest) -> None:
    answer = await nest.store("The user asked to remember the blue key")
    assert (await nest.get(f"/v1/memories/{answer['id']}"))["memory"][
        "text"
    ] == "The user asked to remember the blue key"


async def test_4_a_neighbours_checkpoint_is_there_at_once(nest: Nest) -> None:
    await nest.post("/v1/checkpoint", {"sessionId": "window-a", "scope": DEMO, "summary": "Half of the parser"})
    answer = await nest.post("/v1/resume", {"sessionId": "window-b", "scope": DEMO})
    assert answer["latestCheckpoint"]["sessionId"] == "window-a"


async def test_5_what_somebody_calls_a_thing_by_finds_it(nest: Nest) -> None:
    await nest.store("RecallNest keeps durable facts", category="entities", tags=["my memory project"])
    await nest.store("The parser keeps nothing", category="entities")
    assert await nest.texts("my memory project") == ["RecallNest keeps durable facts"]
    # What it means is told by its text alone: see test_a_name_is_no_part_of_what_is_embedded.


async def test_6_whether_the_last_ingest_worked_can_be_asked(nest: Nest) -> None:
    record = {"text": "User prefers tabs over spaces"}
    body = {"scope": "cc:a1", "source": "cc", "records": [record, {"text": "ok"}]}
    assert (await nest.client.post("/internal/owner/ingest", json=body)).status_code == 200
    health = await nest.get("/v1/workflow-health", workflowId="ingest_records", scope="cc:a1")
    assert (health["status"], health["windows"][0]["successes"]) == ("healthy", 1)
    await nest.damage("cc:b2")
    answer = await nest.client.post("/internal/owner/ingest", json={**body, "scope": "cc:b2"})
    assert answer.status_code >= 400
    evidence = await nest.get("/v1/workflow-evidence", workflowId="ingest_records", scope="cc:b2")
    assert evidence["recentIssues"][0]["summary"] == "2 records could not be brought in (DamagedSpace)."


async def test_7_exact_tokens_win_over_loose_likeness(nest: Nest) -> None:
    await nest.store("Connect to the machines with ssh", category="patterns")
    await nest.store("aws ssh goes through the bastion in eu-west-1", category="patterns")
    await nest.store("RATE_LIMIT_WINDOW is 60 seconds", category="entities")
    assert (await nest.texts("aws ssh"))[0] == "aws ssh goes through the bastion in eu-west-1"
    assert await nest.texts("RATE_LIMIT_WINDOW") == ["RATE_LIMIT_WINDOW is 60 seconds"]


async def test_8_a_recall_sees_what_another_request_just_stored(nest: Nest) -> None:
    for number in range(20):
        text = f"Marker {number}xyz of the run"
        await nest.store(text, canonicalKey=f"k{number}")
        assert (await nest.texts(f"{number}xyz"))[0] == text


async def test_8_an_edit_by_another_program_is_seen_also_while_the_space_is_closed(nest: Nest) -> None:
    for scope in (DEMO, OTHER):
        await nest.store("The deploy runs at night", scope, category="entities")
    assert len(await nest.texts("deploy night", None)) == 2
    space = read_scope(DEMO).space
    await nest.engine.spaces.put_away(space)
    assert len(await nest.texts("deploy night", None)) == 2
    assert not nest.engine.spaces.is_open(space)        # it was not opened for it
    path = nest.engine.spaces.directory(space) / "facts.json"
    row, = orjson.loads(path.read_bytes())
    path.write_bytes(orjson.dumps([{**row, "text": "The deploy runs at noon"}]))
    assert await nest.texts("deploy noon", None, limit=1) == ["The deploy runs at noon"]


def test_9_no_command_makes_a_second_memory_beside_the_real_one(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    done = CliRunner().invoke(command_line, ["status", "--data-root", str(nowhere)])
    assert done.exit_code == 2
    assert not nowhere.exists()


async def test_10_what_could_not_be_looked_into_is_said(nest: Nest) -> None:
    await nest.store("Docker in the demo", DEMO)
    await nest.store("The owner of k", "character:Mio", category="entities", canonicalKey="k")
    await nest.store("Another word on k", "character:Mio", category="profile", canonicalKey="k")
    for _ in range(2):
        await nest.texts("zebra herd", None)
    nest.engine.claims.register("Mio", "a-token", None, hold=True)     # its files are being moved
    found = await nest.post("/v1/search", {"query": "docker"})
    assert [row["text"] for row in found["results"]] == ["Docker in the demo"]
    answers = [
        found,
        await nest.post("/v1/recall", {"query": "docker", "allScopes": True}),
        await nest.post("/v1/auto-recall", {"message": "docker", "allScopes": True}),
        await nest.post("/v1/consolidate", {"allScopes": True}),
        await nest.get("/v1/gaps"),
        await nest.get("/v1/conflicts"),
        await nest.get("/v1/conflicts/audit"),
        await nest.post("/v1/conflicts/escalate", {}),
    ]
    assert [answer.get("unreadScopes") for answer in answers] == [["character:Mio"]] * len(answers)
    # Asked for by name it is no empty success either.
    body = {"query": "docker", "scope": "character:Mio"}
    assert "released" in (await nest.post("/v1/recall", body, status=503))["error"]
    nest.engine.claims.withdraw("Mio", "a-token")
    assert "unreadScopes" not in await nest.post("/v1/search", {"query": "docker"})


async def test_11_an_id_shown_anywhere_is_accepted_everywhere(nest: Nest) -> None:
    source = await nest.evidence("The proxy listens on 8080")
    shown = (await nest.post("/v1/recall", {"query": "proxy", "scope": "cc"}))["results"][0]["id"]
    assert shown == source
    promoted = await nest.post("/v1/promote", {"memoryId": shown, "scope": DEMO, "canonicalKey": "proxy"})
    for spelled in (promoted["id"], promoted["id"].replace("-", ""), promoted["id"][:8], promoted["id"].upper()):
        assert (await nest.get(f"/v1/memories/{spelled}"))["memory"]["id"] == promoted["id"]


async def test_11_what_was_replaced_or_merged_leads_to_what_stands_there_now(nest: Nest) -> None:
    key = {"category": "entities", "canonicalKey": "api"}
    kept = await nest.store("The API ran on Node", importance=0.9, **key)
    await nest.store("The API runs on Bun", importance=0.9, **key)
    merged = await nest.store("the API runs on Bun!", category="entities", canonicalKey="bun")
    await nest.post("/v1/consolidate", {"scope": DEMO, "dryRun": False})
    history = (await nest.get(f"/v1/memories/{kept['id']}"))["history"]
    assert [version["text"] for version in history] == ["The API ran on Node", "the API runs on Bun!"]
    async with nest.engine.spaces.closed(read_scope(DEMO).space):
        pass
    for _ in range(2):  # closed, then open
        for known in (history[0]["id"], history[0]["id"][:8], history[1]["id"], merged["id"], merged["id"][:8]):
            assert (await nest.get(f"/v1/memories/{known}"))["memory"]["id"] == kept["id"]
    sentence = await nest.refused("/v1/promote", {"memoryId": merged["id"], "scope": DEMO})
    assert "is already durable" in sentence


async def test_12_a_prefix_looks_through_everything(nest: Nest) -> None:
    ids = [await nest.evidence(f"Fact number {number} of many", scope=f"cc:{number % 3}") for number in range(40)]
    for wanted in (ids[0], ids[-1]):
        assert (await nest.post("/v1/promote", {"memoryId": wanted[:9], "scope": DEMO}))["sourceMemoryId"] == wanted


async def test_13_what_was_believed_before_is_still_known(nest: Nest) -> None:
    first = await nest.store("The office is in Berlin", category="entities", canonicalKey="office")
    nest.clock.advance(30 * 86_400)
    await nest.store("The office is in Madrid", category="entities", canonicalKey="office")
    (version,) = (await nest.get(f"/v1/memories/{first['id']}"))["history"]
    assert (version["text"], version["endedAt"]) == ("The office is in Berlin", "2026-06-03T08:00:00.000Z")


async def test_14_a_sibling_scope_is_not_swallowed(nest: Nest) -> None:
    await nest.store("Insight one", "memory")
    await nest.store("Insight two", "memory:pivot")
    await nest.store("Insight three", "memorypivot")
    found = await nest.post("/v1/search", {"query": "insight", "scope": "memory"})
    assert {row["scope"] for row in found["results"]} == {"memory", "memory:pivot"}


async def test_15_transcripts_are_evidence_and_noise_stays_out(nest: Nest) -> None:
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
async def test_16_no_question_is_too_short_or_begins_wrongly(nest: Nest, query: str) -> None:
    await nest.store(f"What they say about {query} is written here", category="entities")
    if query != "hi":
        assert await nest.texts(query) == [f"What they say about {query} is written here"]


async def test_17_one_long_line_does_not_spoil_a_resume(nest: Nest) -> None:
    await nest.store("x" * 10_000, category="profile", canonicalKey="long")
    await nest.store("y" * 221, category="preferences", canonicalKey="just-over")
    answer = await nest.post("/v1/resume", {"scope": DEMO})
    assert len(answer["stableContext"]) == 2


async def test_18_durable_knowledge_comes_before_what_was_said(nest: Nest) -> None:
    for number in range(5):
        await nest.evidence(f"maybe the deploy script is broken again {number}", scope=DEMO)
    await nest.store("The deploy script is scripts/deploy.sh", category="entities")
    assert (await nest.texts("deploy script"))[0] == "The deploy script is scripts/deploy.sh"


async def test_19_what_a_window_is_given_is_bounded_and_marked_as_passing(nest: Nest) -> None:
    for number in range(30):
        await nest.store(f"parser {number} " + "word " * 2_000, canonicalKey=f"k{number}")
    answer = await nest.post("/v1/auto-recall", {"message": "parser", "scope": DEMO, "limit": 20})
    assert 1 <= answer["count"] <= 20
    assert sum(len(row["text"]) for row in answer["results"]) <= 32_000
    assert answer["resume"]["ephemeral"] is True


async def test_20_identical_state_gives_identical_answers(nest: Nest) -> None:
    for text in ("Ana likes tea", "Ben likes tea", "Cid likes tea"):
        await nest.store(text)
    answers = [await nest.post("/v1/recall", {"query": "likes tea", "scope": DEMO}) for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]


async def test_21_noise_that_was_stored_is_found_before_anything_is_changed(nest: Nest) -> None:
    for number, text in enumerate(("The API runs on Bun", "the API runs on Bun!", "The API runs on Bun.")):
        await nest.store(text, category="entities", canonicalKey=f"k{number}")
    shown = await nest.post("/v1/consolidate", {"scope": DEMO})
    assert (shown["dryRun"], shown["merged"], shown["archived"]) == (True, 1, 2)
    assert (await nest.get("/v1/stats"))["totalMemories"] == 3


async def test_22_chinese_words_are_found_without_blanks(nest: Nest) -> None:
    await nest.store("部署脚本在夜里运行", category="entities")
    assert await nest.texts("部署脚本") == ["部署脚本在夜里运行"]


async def test_23_a_missing_scope_is_explained_and_never_an_empty_success(nest: Nest) -> None:
    assert "requires a scope" in await nest.refused("/v1/recall", {"query": "x"})


async def test_24_what_can_be_read_can_be_written_under_the_same_name(nest: Nest) -> None:
    await nest.store("The parser is slow", "Project: X  y", category="entities", canonicalKey="p")
    again = await nest.store("The parser is fast", "project: x y", category="entities", canonicalKey="p")
    assert again["disposition"] == "updated"
    assert await nest.texts("parser", "PROJECT: X Y") == ["The parser is fast"]


async def test_25_one_thing_in_many_wordings_does_not_crowd_out_the_rest(nest: Nest) -> None:
    for number, end in enumerate(("", "!", "!!", " .")):
        await nest.store(f"The parser fails on empty input{end}", category="entities", canonicalKey=f"k{number}")
    await nest.store("The parser fails on binary input of the second kind", category="entities")
    found = await nest.texts("parser fails on input", limit=2)
    assert "The parser fails on binary input of the second kind" in found


async def test_26_an_update_never_loses_the_row(nest: Nest) -> None:
    await nest.store("The db is MySQL", category="entities", canonicalKey="db")
    writes = [
        nest.store(f"The db is number {number}", category="entities", canonicalKey="db") for number in range(10)
    ]
    reads = [nest.texts("db") for _ in range(10)]
    done = await asyncio.gather(*writes, *reads)
    assert all(len(texts) == 1 for texts in done[10:])


async def test_27_writers_wait_for_each_other_and_leave_no_lock_behind(nest: Nest, open_engine: OpenEngine) -> None:
    """Two servers over one root: test_a_locked_root_or_a_taken_port_is_refused_in_one_sentence."""
    await asyncio.gather(*(nest.store(f"Note {number}", canonicalKey=f"k{number}") for number in range(50)))
    assert (await nest.get("/v1/stats"))["totalMemories"] == 50
    # As after a crash: a second engine over the same files, while the first never let go of them.
    engine = await open_engine()
    async with client_of(Service(instance_id="x", engine=engine)) as client:
        again = Nest(client, engine, nest.clock)
        assert (await again.store("After the crash", canonicalKey="k0"))["stored"] is True


async def test_28_another_model_leaves_nothing_unfound(nest: Nest, open_engine: OpenEngine) -> None:
    await nest.engine.close()
    for model in (WordEmbedder(), HalfAsWide()):
        engine = await open_engine(embedder=model)
        async with client_of(Service(instance_id="x", engine=engine)) as client:
            again = Nest(client, engine, nest.clock)
            await again.store("the staging cluster runs in europe", category="entities")
            assert await again.texts("staging cluster") == ["the staging cluster runs in europe"]
            for _ in range(20):
                await engine.backfill.tick()
            hit, = (await again.post("/v1/search", {"query": "staging cluster", "scope": DEMO}))["results"]
            assert hit["sources"].keys() == {"vector", "bm25", "fused"}
        await engine.close()


async def test_29_what_recall_injected_is_not_learnt_from_a_transcript(nest: Nest) -> None:
    echoes = [
        "<relevant-memories>\nUser likes tea\n</relevant-memories>", "[recalled context] User likes tea",
        "<system-reminder>User likes tea</system-reminder>",
    ]  # fmt: skip
    scope = read_scope("cc:a1")
    async with nest.engine.scoped.writing(scope) as space:
        done = await ingest(space, scope, [Brought(text=text, source="cc") for text in echoes])
    assert (done.added, done.noise) == (0, 3)


async def test_30_scores_have_three_decimals(nest: Nest) -> None:
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
