"""Consolidating and gaps."""

from __future__ import annotations

import pytest

from tests.dialects.recallnest.nest import DEMO, OTHER, Nest

ONE, TWO = "The API runs on Bun", "the API runs on Bun!"


async def twins(nest: Nest, scope: str = DEMO) -> tuple[str, str]:
    first = await nest.store(ONE, scope, category="entities", canonicalKey="runtime", tags=["api"], importance=0.9)
    second = await nest.store(TWO, scope, category="entities", canonicalKey="bun", tags=["bun"])
    return first["id"], second["id"]


async def test_a_dry_run_shows_and_changes_nothing(nest: Nest) -> None:
    first, second = await twins(nest)
    answer = await nest.post("/v1/consolidate", {"scope": DEMO})
    assert (answer["dryRun"], answer["scanned"], answer["merged"], answer["archived"]) == (True, 2, 1, 1)
    assert answer["clusters"] == [
        {
            "category": "entities",
            "scope": DEMO,
            "keepId": first,
            "memberIds": [first, second],
            "similarity": 1.0,
            "action": "merge",
        }
    ]
    assert (await nest.get("/v1/stats"))["totalMemories"] == 2
    assert await nest.post("/v1/consolidate", {"scope": DEMO}) == answer


async def test_merging_loses_nothing(nest: Nest) -> None:
    first, second = await twins(nest)
    answer = await nest.post("/v1/consolidate", {"scope": DEMO, "dryRun": False})
    assert (answer["dryRun"], answer["merged"], answer["archived"]) == (False, 1, 1)
    assert await nest.texts("API Bun") == [ONE]
    shown = await nest.get(f"/v1/memories/{first}")
    assert shown["memory"]["metadata"]["tags"] == ["api", "bun"]
    assert shown["memory"]["metadata"]["evolution"]["sourceMemories"] == [second]
    assert [(row["text"], row["status"]) for row in shown["history"]] == [(TWO, "consolidated")]
    again = await nest.post("/v1/consolidate", {"scope": DEMO, "apply": True})
    assert (again["merged"], again["archived"]) == (0, 0)


async def test_the_kept_memory_inherits_the_keys(nest: Nest) -> None:
    first, _ = await twins(nest)
    await nest.post("/v1/consolidate", {"scope": DEMO, "dryRun": False})
    same = await nest.store(TWO, category="entities", canonicalKey="bun")
    assert (same["disposition"], same["id"]) == ("deduped", first)
    other = await nest.store("The API runs on Node", category="entities", canonicalKey="bun")
    assert (other["disposition"], other["id"]) == ("updated", first)
    assert (await nest.store("x y", category="profile", canonicalKey="bun"))["disposition"] == "conflict"


async def test_scopes_are_never_merged_with_each_other(nest: Nest) -> None:
    await nest.store(ONE, "memory", category="entities")
    await nest.store(TWO, "memory:pivot", category="entities")
    alone = await nest.post("/v1/consolidate", {"scope": "memory", "dryRun": False})
    assert (alone["scanned"], alone["merged"]) == (1, 0)
    everywhere = await nest.post("/v1/consolidate", {"allScopes": True, "dryRun": False})
    assert (everywhere["scanned"], everywhere["merged"]) == (2, 0)


async def test_contradictions_are_reported(nest: Nest) -> None:
    await nest.store("The nightly backup of the billing service is enabled on staging", category="entities")
    await nest.store("The nightly backup of the billing service is not enabled on staging", category="entities")
    answer = await nest.post("/v1/consolidate", {"scope": DEMO, "dryRun": False, "clusterThreshold": 0.8})
    assert answer["merged"] == 0
    assert [row["action"] for row in answer["conflictsDetected"]] == ["contradiction"]


async def test_a_scope_is_required_and_wishes_must_agree(nest: Nest) -> None:
    assert "scope is required" in await nest.refused("/v1/consolidate", {})
    assert "contradict" in await nest.refused("/v1/consolidate", {"scope": DEMO, "dryRun": True, "apply": True})


async def test_evidence_is_not_merged(nest: Nest) -> None:
    await nest.evidence("The parser is done", scope=DEMO)
    await nest.evidence("The parser is done!", scope=DEMO)
    assert (await nest.post("/v1/consolidate", {"scope": DEMO, "dryRun": False}))["scanned"] == 0


# gaps


async def test_what_was_searched_in_vain_is_a_gap(nest: Nest) -> None:
    await nest.store(ONE, category="entities")
    for query in ("deploy rollback steps", "rollback steps for deploy", "deploy rollback steps"):
        await nest.texts(query)
        nest.clock.advance(60)
    await nest.texts("API Bun")
    await nest.texts("API Bun")
    answer = await nest.get("/v1/gaps", scope=DEMO)
    assert (answer["count"], answer["windowDays"]) == (1, 30)
    gap = answer["gaps"][0]
    assert (gap["topic"], gap["searches"], gap["scope"]) == ("deploy rollback steps", 3, DEMO)
    assert gap["sampleQueries"] == ["deploy rollback steps", "rollback steps for deploy"]
    assert "deploy rollback steps" in gap["suggestion"]
    assert (await nest.get("/v1/gaps", scope=OTHER))["gaps"] == []
    assert (await nest.get("/v1/gaps", scope="project"))["count"] == 1
    assert (await nest.get("/v1/gaps"))["count"] == 1


async def test_a_gap_closes_when_something_is_stored(nest: Nest) -> None:
    await nest.texts("deploy rollback steps")
    await nest.texts("deploy rollback steps")
    assert (await nest.get("/v1/gaps"))["count"] == 1
    await nest.store("Deploy rollback steps: run the previous tag", category="patterns")
    assert (await nest.get("/v1/gaps"))["count"] == 0


async def test_every_way_of_asking_counts(nest: Nest) -> None:
    await nest.post("/v1/search", {"query": "zebra herd", "scope": DEMO})
    await nest.post("/v1/auto-recall", {"message": "zebra herd", "scope": DEMO})
    assert (await nest.get("/v1/gaps"))["gaps"][0]["searches"] == 2


async def test_questions_are_remembered_over_a_restart(nest: Nest) -> None:
    await nest.texts("zebra herd")
    await nest.texts("zebra herd")
    await nest.engine.queries.close()
    reopened = type(nest.engine.queries)(
        nest.engine.queries._directory, nest.engine.spaces._disk, nest.clock, lambda: True
    )
    assert [one.text for one in await reopened.all()] == ["zebra herd", "zebra herd"]


async def test_a_secret_in_a_question_is_not_remembered(nest: Nest) -> None:
    for _ in range(2):
        await nest.texts("where is sk-ant-EXAMPLE-not-a-key used")
    assert {one.text for one in await nest.engine.queries.all()} == {"where is [REDACTED:anthropic_key] used"}


@pytest.mark.parametrize(("minimum", "count"), [(1, 1), (2, 0)])
async def test_how_often_a_topic_must_be_asked_for(nest: Nest, minimum: int, count: int) -> None:
    await nest.texts("zebra herd")
    assert (await nest.get("/v1/gaps", minSearches=minimum))["count"] == count
