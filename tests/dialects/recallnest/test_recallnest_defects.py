"""What is known to go wrong elsewhere with these paths, each shown not to go wrong here."""

from __future__ import annotations

import asyncio
import errno
import logging
from datetime import timedelta
from typing import Any

import pytest

from memory.scopes import read_scope
from memory.store.files import Disk
from memory_server.service import Service
from tests.conftest import OpenEngine, client_of
from tests.dialects.recallnest.nest import COLLOQUIAL, CONCISE, DEMO, OTHER, Nest
from tests.fakes import FixedClock


async def test_1_a_key_in_one_project_does_not_touch_another(nest: Nest) -> None:
    key = {"category": "entities", "canonicalKey": "positioning"}
    await nest.store("Demo is a memory service", DEMO, **key)
    assert (await nest.store("Other is a parser", OTHER, **key))["disposition"] == "stored"
    assert await nest.texts("memory service", DEMO) == ["Demo is a memory service"]
    assert await nest.texts("parser", OTHER) == ["Other is a parser"]
    assert (await nest.store("Demo is a memory service", OTHER, canonicalKey="x"))["scope"] == OTHER


async def test_2_resuming_an_empty_project_tells_nothing_of_others(nest: Nest) -> None:
    for category in ("profile", "preferences", "entities", "patterns", "cases", "events"):
        await nest.store(f"Foreign {category} about the login page", DEMO, category=category)
    for scope in ("memory:agent", "agent:codex", "global"):
        await nest.store("User-level words about the login page", scope, category="profile")
    answer = await nest.post("/v1/resume", {"scope": "project:empty", "task": "fix the login page"})
    assert (answer["stableContext"], answer["relevantPatterns"], answer["recentCases"]) == ([], [], [])
    assert "oreign" not in str(answer)
    assert "User-level" not in str(answer)


async def test_3_append_only_rows_are_never_replaced(nest: Nest) -> None:
    rows = [
        await nest.store(f"Outage number {number}", category="cases", canonicalKey="outage") for number in range(4)
    ]
    assert len({row["id"] for row in rows}) == 4
    assert {row["disposition"] for row in rows} == {"stored"}
    assert len(await nest.texts("outage number")) == 4


async def test_4_no_update_is_lost_under_concurrency(nest: Nest) -> None:
    key = {"category": "profile", "canonicalKey": "role"}
    answers = await asyncio.gather(*(nest.store(f"User is engineer number {number}", **key) for number in range(12)))
    assert [answer["disposition"] for answer in answers].count("stored") == 1
    assert len(await nest.history(answers[0]["id"])) == 11


async def test_5_long_texts_that_begin_alike_do_not_collide(nest: Nest) -> None:
    start = "the billing ledger table is partitioned by month and archived to cold storage after ninety days of " * 2
    first = await nest.store(f"{start[:140]} in Dublin", category="entities")
    second = await nest.store(f"{start[:140]} in Frankfurt", category="entities")
    assert second["disposition"] == "stored"
    assert first["canonicalKey"] != second["canonicalKey"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Предпочитаю тёмную тему", "Предпочитаю светлую тему"),
        ("다크 모드를 좋아해요", "라이트 모드를 좋아해요"),
        ("日本語の設定がすき", "日本語の設定がきらい"),
        ("أفضل الوضع الداكن", "أفضل الوضع الفاتح"),
    ],
)
async def test_6_no_script_collapses_to_one_key(nest: Nest, one: str, other: str) -> None:
    await nest.store(one, category="preferences")
    assert (await nest.store(other, category="preferences"))["disposition"] == "stored"


async def test_7_asking_often_lifts_no_score(nest: Nest) -> None:
    await nest.store("Use the blue-green script for deploys", category="patterns")
    await nest.store(CONCISE, category="preferences")
    question = {"query": "deploy script", "scope": DEMO}
    before = (await nest.post("/v1/recall", question))["results"][0]["score"]
    after = [(await nest.post("/v1/recall", question))["results"][0]["score"] for _ in range(12)]
    assert after == [before] * 12
    assert await nest.texts("zebra migration patterns in Africa") == []
    assert await nest.texts("麦当劳") == []


async def test_8_unrelated_questions_find_nothing(nest: Nest) -> None:
    for text in (CONCISE, "The staging cluster runs in eu-west-1", "Deployed v2 on Friday"):
        await nest.store(text, category="entities")
    assert await nest.texts("giraffes in the savannah") == []


@pytest.mark.parametrize("text", ["喜欢喝茶", "hi", "ok", "I'm not sure about decaf"])
async def test_9_an_explicit_write_is_stored_however_short_and_the_answer_is_true(nest: Nest, text: str) -> None:
    answer = await nest.store(text, importance=0.05)
    assert (answer["stored"], answer["disposition"]) == (True, "stored")
    assert (await nest.get(f"/v1/memories/{answer['id']}"))["memory"]["text"] == text


async def test_10_a_dedupe_names_the_row_that_is_there(nest: Nest) -> None:
    first = await nest.store(CONCISE, category="preferences")
    again = await nest.store(CONCISE.upper(), category="preferences")
    assert (again["disposition"], again["id"]) == ("deduped", first["id"])


async def test_11_wrong_requests_are_400(nest: Nest) -> None:
    for path in ("/v1/recall", "/v1/search"):
        await nest.refused(path, {"query": "x", "scope": DEMO, "profile": "bogus"})
    await nest.refused("/v1/recall", {"query": "x"})


async def test_12_a_checkpoint_loses_only_what_speaks_of_the_repository(nest: Nest) -> None:
    body = {
        "sessionId": "s2",
        "scope": "RecallNest",
        "summary": "Finished the parser. git status shows 3 modified files. Next is the printer.",
        "decisions": ["Write the staged rollout plan"],
    }
    answer = await nest.post("/v1/checkpoint", body)
    assert answer["summary"] == "Finished the parser. Next is the printer."
    assert answer["decisions"] == ["Write the staged rollout plan"]


async def test_13_secrets_are_nowhere_in_what_is_kept(nest: Nest, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    secret = "sk-ant-EXAMPLE-not-a-key"
    parts = {"title": f"Rotate {secret}", "steps": [f"export KEY={secret}"], "trigger": f"when {secret} leaks"}
    pattern = await nest.post("/v1/pattern", {**parts, "scope": DEMO})
    case = await nest.post("/v1/case", {
        "title": f"Leak of {secret}", "problem": secret, "solutionSteps": [secret], "scope": DEMO, "tags": [secret],
    })  # fmt: skip
    await nest.store(f"key is {secret}", category="entities", canonicalKey=f"key {secret}")
    for answer in (pattern, case):
        assert secret not in str(answer)
        assert "[REDACTED:anthropic_key]" in answer["title"]
        shown = await nest.get(f"/v1/memories/{answer['id']}")
        assert secret not in str(shown)
        assert shown["memory"]["metadata"]["piiWarning"]["redacted"] is True
    async with nest.engine.scoped.writing(read_scope(DEMO)) as space:
        await space.flush()
        kept = b"".join(path.read_bytes() for path in space.directory.iterdir() if path.is_file())
    assert secret.encode() not in kept
    assert secret not in caplog.text


async def test_14_filters_come_before_cuts(nest: Nest) -> None:
    """Attention and urgency; for categories see test_a_category_filters_before_the_best_are_chosen."""
    for number in range(6):
        await _conflict(nest, f"key-{number}")
        nest.clock.advance(timedelta(days=1).total_seconds())
    # The first is six days old, the last one: those of three days and more are the four oldest.
    stale = await nest.get("/v1/conflicts", attention="stale", limit=1)
    assert [row["canonicalKey"] for row in stale["conflicts"]] == ["key-3"]
    urgent = await nest.post("/v1/conflicts/escalate", {"top": 1})
    assert [item["canonicalKey"] for item in urgent["items"]] == ["key-0"]


async def _conflict(nest: Nest, key: str) -> str:
    await nest.store(f"The owner of {key}", category="entities", canonicalKey=key)
    answer = await nest.store(f"Another word on {key}", category="profile", canonicalKey=key)
    return str(answer["conflictId"])


async def test_15_reads_write_nothing_to_a_memory(nest: Nest) -> None:
    """That a store costs the same however much there is, benchmarks/recallnest_speed shows."""
    stored = await nest.store(CONCISE, category="preferences")
    async with nest.engine.scoped.writing(read_scope(DEMO)) as space:
        before = space.journal.seq
        for _ in range(5):
            await nest.texts("concise replies")
        assert space.journal.seq == before
    first = await nest.get(f"/v1/memories/{stored['id']}")
    assert first["memory"]["timestamp"] == 1777881600000


@pytest.mark.parametrize("query", [{"status": "weird"}, {"attention": "nonsense"}, {"groupBy": "nothing"}])
async def test_16_an_unknown_filter_is_named_with_what_is_allowed(nest: Nest, query: dict[str, str]) -> None:
    answer = await nest.client.get("/v1/conflicts", params=query)
    assert answer.status_code == 400
    assert "Expected" in answer.json()["error"]


async def test_17_a_write_logs_no_warning(nest: Nest, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        await nest.store(CONCISE, category="preferences")
    assert caplog.records == []


@pytest.mark.parametrize("point", ["commit.before_append", "commit.half_appended"])
async def test_18_what_the_disk_refused_is_never_answered_as_done(
    open_engine: OpenEngine, clock: FixedClock, point: str
) -> None:
    refusing = False

    def step(reached: str) -> None:
        if refusing and reached == point:
            raise OSError(errno.ENOSPC, "No space left on device")

    engine = await open_engine(disk=Disk(step))
    async with client_of(Service(instance_id="x", engine=engine)) as client:
        nest = Nest(client, engine, clock)
        await nest.store("The owner of the key", category="entities", canonicalKey="k")
        await nest.post("/v1/checkpoint", {"sessionId": "s", "summary": "First"})
        await nest.post("/v1/workflow-observe", {"workflowId": "w", "summary": "First"})
        refusing = True
        writes: list[tuple[str, dict[str, Any]]] = [
            ("/v1/store", {"text": "A conflict", "category": "profile", "canonicalKey": "k", "scope": DEMO}),
            ("/v1/store", {"text": "Something new", "scope": DEMO}),
            ("/v1/checkpoint", {"sessionId": "s", "summary": "Second"}),
            ("/v1/workflow-observe", {"workflowId": "w", "summary": "Second"}),
        ]
        for path, body in writes:
            answer = await nest.post(path, body, status=500)
            assert "the disk refused: No space left on device" in answer["error"]
        refusing = False
        assert (await nest.get("/v1/conflicts"))["count"] == 0
        assert (await nest.get("/v1/stats"))["totalMemories"] == 1
        assert (await nest.get("/v1/checkpoint/latest", sessionId="s"))["checkpoint"]["summary"] == "First"
        health = await nest.get("/v1/workflow-health", workflowId="w")
        assert health["windows"][0]["total"] == 1


async def test_19_a_store_writes_the_row_that_was_asked_for_and_no_other(nest: Nest) -> None:
    await nest.store("I use Sony A7III for video work", category="entities")
    assert (await nest.get("/v1/stats"))["totalMemories"] == 1


async def test_20_the_lines_of_a_text_stay(nest: Nest) -> None:
    text = "def f():\n    return 1\n\n# done"
    answer = await nest.store(f"  {text}  ", category="entities")
    assert (await nest.get(f"/v1/memories/{answer['id']}"))["memory"]["text"] == text


async def test_21_accepting_the_incoming_text_keeps_what_the_memory_rests_on(nest: Nest) -> None:
    sources = [await nest.evidence(text) for text in (CONCISE, "Keep it brief and direct, always", COLLOQUIAL)]
    body = {"category": "preferences", "scope": DEMO, "canonicalKey": "style"}
    owner = await nest.post("/v1/promote", {**body, "memoryId": sources[0]})
    await nest.post("/v1/promote", {**body, "memoryId": sources[1]})  # the same slot
    refused = await nest.post("/v1/promote", {**body, "memoryId": sources[2]})
    resolution = {"conflictId": refused["conflictId"], "resolution": "accept_incoming"}
    assert (await nest.post("/v1/conflicts/resolve", resolution))["updatedMemoryId"] == owner["id"]
    memory = (await nest.get(f"/v1/memories/{owner['id']}"))["memory"]
    assert memory["text"] == COLLOQUIAL
    assert [row["memoryId"] for row in memory["provenanceHistory"]] == sources
    assert memory["promotedFrom"]["memoryId"] == sources[0]


async def test_22_automatic_tags_stay_beside_many_given_ones(nest: Nest) -> None:
    tags = [f"tag{number}" for number in range(8)]
    pattern = await nest.post(
        "/v1/pattern", {"title": "T", "trigger": "w", "steps": ["s"], "scope": DEMO, "tags": tags}
    )
    assert pattern["tags"] == [*tags, "workflow", "pattern"]
    case = await nest.post("/v1/case", {
        "title": "T", "problem": "p", "solutionSteps": ["s"], "scope": DEMO, "tags": tags,
    })  # fmt: skip
    assert case["tags"] == [*tags, "case", "solution"]
