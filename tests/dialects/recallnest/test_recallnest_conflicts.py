"""Conflicts over HTTP: their life from opening to a decision, and back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.dialects.recallnest.nest import COLLOQUIAL, CONCISE, DEMO, OTHER, Nest

STAGING = "The staging cluster runs in eu-west-1 with three nodes and nightly backups"
STAGING_NOW = "The staging cluster runs in eu-west-1 with four nodes, weekly restore tests"


async def promotion(
    nest: Nest,
    existing: str = CONCISE,
    incoming: str = COLLOQUIAL,
    *,
    key: str = "user-reply-style",
    category: str = "preferences",
    scope: str = DEMO,
) -> tuple[Any, Any, dict[str, Any]]:
    """An owner, the conflict with it, and the request that opened it."""
    body = {"category": category, "scope": scope, "canonicalKey": key}
    owner = await nest.post("/v1/promote", {**body, "memoryId": await nest.evidence(existing)})
    request = {**body, "memoryId": await nest.evidence(incoming)}
    refused = await nest.post("/v1/promote", request)
    assert refused["disposition"] == "conflict"
    return owner, refused, request


async def age(nest: Nest, days: float) -> None:
    nest.clock.advance(timedelta(days=days).total_seconds())


async def test_a_list_shows_both_sides_and_what_may_be_done(nest: Nest) -> None:
    owner, refused, request = await promotion(nest)
    answer = await nest.get("/v1/conflicts", status="open", canonicalKey="user-reply-style", limit=10)
    assert (answer["groupBy"], answer["count"]) == ("record", 1)
    row = answer["conflicts"][0]
    assert row["conflictId"] == refused["conflictId"]
    assert (row["status"], row["reason"]) == ("open", "promotion_conflicts_with_existing_durable")
    assert (row["existing"]["memoryId"], row["existing"]["text"]) == (owner["id"], CONCISE)
    assert row["incoming"]["sourceMemoryId"] == request["memoryId"]
    assert row["incoming"]["text"] == COLLOQUIAL
    assert row["lifecycle"] == {
        "attention": "fresh", "openAgeDays": 0, "reopenCount": 0, "isOpen": True, "needsAttention": False,
    }  # fmt: skip
    advice = row["advice"]
    assert (advice["suggestedResolution"], advice["confidence"], advice["similarity"]) == (
        "manual_review",
        "medium",
        0.15,
    )
    assert advice["clusterKey"] == "user-reply-style::promotion_conflicts_with_existing_durable::preferences"
    assert advice["clusterLabel"] == "preferences / user-reply-style"
    assert "mergeSuggestion" not in advice


async def test_a_single_one_is_found_by_a_prefix_and_an_unknown_one_is_null(nest: Nest) -> None:
    _, refused, _ = await promotion(nest)
    assert (await nest.conflict(refused["conflictId"][:3]))["conflictId"] == refused["conflictId"]
    assert await nest.conflict("nope") is None


async def test_an_ambiguous_prefix_says_how_many_there_are(nest: Nest) -> None:
    for number in range(18):  # more than there are hex digits
        await promotion(nest, f"Owner {number} of it", f"Other words {number}", key=f"k{number}", category="entities")
    rows = (await nest.get("/v1/conflicts", limit=50))["conflicts"]
    firsts = [row["conflictId"][0] for row in rows]
    digit = max(firsts, key=firsts.count)
    answer = await nest.client.get("/v1/conflicts", params={"conflictId": digit})
    assert answer.status_code == 400
    assert f"matches {firsts.count(digit)} conflicts" in answer.json()["error"]


async def test_keeping_the_existing_one_changes_only_the_conflict(nest: Nest) -> None:
    owner, refused, _ = await promotion(nest)
    body = {"conflictId": refused["conflictId"][:8], "resolution": "keep_existing", "notes": "existing is fine"}
    answer = await nest.post("/v1/conflicts/resolve", body)
    assert answer == {
        "conflictId": refused["conflictId"],
        "status": "kept-existing",
        "updatedAt": "2026-05-04T08:00:00.000Z",
        "resolvedAt": "2026-05-04T08:00:00.000Z",
    }
    assert (await nest.get(f"/v1/memories/{owner['id']}"))["memory"]["text"] == CONCISE
    assert (await nest.conflict(refused["conflictId"]))["resolutionNotes"] == "existing is fine"
    again = await nest.refused("/v1/conflicts/resolve", {**body, "resolution": "accept_incoming"})
    assert again == f"Conflict {refused['conflictId']} is already kept-existing"


async def test_the_same_question_again_reopens_the_decided_conflict(nest: Nest) -> None:
    _, refused, request = await promotion(nest)
    await nest.post("/v1/conflicts/resolve", {"conflictId": refused["conflictId"], "resolution": "keep_existing"})
    await age(nest, 1)
    assert (await nest.post("/v1/promote", request))["conflictId"] == refused["conflictId"]
    row = await nest.conflict(refused["conflictId"])
    assert (row["status"], row["reopenCount"], row["lifecycle"]["attention"]) == ("open", 1, "aging")
    assert row["lastReopenedAt"] == row["updatedAt"] == "2026-05-05T08:00:00.000Z"
    assert "resolvedAt" not in row
    assert "verify that the earlier decision still holds" in row["advice"]["reasons"][-1]


async def test_accepting_the_incoming_one_keeps_id_key_and_the_old_text(nest: Nest) -> None:
    owner, refused, _ = await promotion(nest)
    body = {"conflictId": refused["conflictId"], "resolution": "accept_incoming"}
    answer = await nest.post("/v1/conflicts/resolve", body)
    assert (answer["status"], answer["updatedMemoryId"]) == ("accepted-incoming", owner["id"])
    memory = (await nest.get(f"/v1/memories/{owner['id']}"))["memory"]
    assert (memory["text"], memory["canonicalKey"]) == (COLLOQUIAL, "user-reply-style")
    assert await nest.history(owner["id"]) == [CONCISE]


async def test_accepting_across_categories_keeps_the_owner_of_the_key(nest: Nest) -> None:
    owner = await nest.store("Demo is a memory service", category="entities", canonicalKey="demo")
    refused = await nest.store("The user builds demo", category="profile", canonicalKey="demo")
    body = {"conflictId": refused["conflictId"], "resolution": "accept_incoming"}
    assert (await nest.post("/v1/conflicts/resolve", body))["updatedMemoryId"] == owner["id"]
    memory = (await nest.get(f"/v1/memories/{owner['id']}"))["memory"]
    assert (memory["category"], memory["canonicalKey"]) == ("profile", "demo")
    assert (await nest.store("Another", category="entities", canonicalKey="demo"))["disposition"] == "conflict"


async def test_merging_uses_the_suggestion_and_says_where_the_text_is_from(nest: Nest) -> None:
    owner, refused, request = await promotion(nest, STAGING, STAGING_NOW, key="infra-staging", category="entities")
    suggestion = (await nest.conflict(refused["conflictId"]))["advice"]["mergeSuggestion"]
    body = {"conflictId": refused["conflictId"], "resolution": "merge"}
    answer = await nest.post("/v1/conflicts/resolve", body)
    assert (answer["status"], answer["updatedMemoryId"]) == ("merged", owner["id"])
    memory = (await nest.get(f"/v1/memories/{owner['id']}"))["memory"]
    assert memory["text"] == suggestion
    merged = memory["metadata"]["mergedFrom"]
    assert (merged["conflictId"], merged["incomingSourceMemoryId"]) == (refused["conflictId"], request["memoryId"])
    assert memory["provenanceHistoryCount"] == 2


async def test_merging_takes_a_given_wording_and_the_greater_importance(nest: Nest) -> None:
    owner = await nest.store("One wording", category="entities", canonicalKey="k", importance=0.4)
    body = {"memoryId": await nest.evidence("Quite other words"), "category": "entities", "canonicalKey": "k"}
    refused = await nest.post("/v1/promote", {**body, "scope": DEMO, "importance": 0.9})
    await nest.post("/v1/conflicts/resolve", {
        "conflictId": refused["conflictId"], "resolution": "merge", "mergedText": "Both, with sk-ant-EXAMPLE-key",
    })  # fmt: skip
    memory = (await nest.get(f"/v1/memories/{owner['id']}"))["memory"]
    assert (memory["text"], memory["importance"]) == ("Both, with [REDACTED:anthropic_key]", 0.9)


async def test_merging_without_any_wording_is_refused(nest: Nest) -> None:
    _, refused, _ = await promotion(nest)
    sentence = await nest.refused(
        "/v1/conflicts/resolve", {"conflictId": refused["conflictId"], "resolution": "merge"}
    )
    assert sentence == "Merge resolution requires mergedText or an available merge suggestion"


async def test_merging_across_categories_is_refused(nest: Nest) -> None:
    await nest.store("Demo is a service", category="entities", canonicalKey="demo")
    refused = await nest.store("The user builds demo", category="profile", canonicalKey="demo")
    body = {"conflictId": refused["conflictId"], "resolution": "merge", "mergedText": "both"}
    assert "same category" in await nest.refused("/v1/conflicts/resolve", body)
    assert (await nest.conflict(refused["conflictId"]))["status"] == "open"


async def test_a_memory_that_changed_meanwhile_is_looked_at_again_first(nest: Nest) -> None:
    owner, refused, _ = await promotion(nest, category="entities")
    await nest.store("User wants it brief by now", category="entities", canonicalKey="user-reply-style")
    body = {"conflictId": refused["conflictId"], "resolution": "accept_incoming"}
    assert "changed since the conflict was opened" in await nest.refused("/v1/conflicts/resolve", body)
    assert (await nest.conflict(refused["conflictId"]))["existing"]["text"] == "User wants it brief by now"
    assert (await nest.post("/v1/conflicts/resolve", body))["updatedMemoryId"] == owner["id"]
    assert await nest.history(owner["id"]) == [CONCISE, "User wants it brief by now"]


async def test_an_unknown_conflict_and_resolution_are_400(nest: Nest) -> None:
    body = {"conflictId": "nope", "resolution": "merge"}
    assert await nest.refused("/v1/conflicts/resolve", body) == "Conflict nope not found"
    sentence = await nest.refused("/v1/conflicts/resolve", {"conflictId": "nope", "resolution": "bogus"})
    assert "Expected 'accept_incoming' | 'keep_existing' | 'merge', received 'bogus'" in sentence
    assert await nest.refused("/v1/conflicts/resolve", {"resolution": "merge"}) == "conflictId is required"


@pytest.mark.parametrize("path", ["/v1/conflicts", "/v1/conflicts/audit"])
async def test_conflicts_of_a_scope_are_its_own(nest: Nest, path: str) -> None:
    await promotion(nest, scope=DEMO)
    await promotion(nest, "Another owner of it", "Other words", scope=OTHER, category="entities")
    whole, part = await nest.get(path), await nest.get(path, scope=OTHER)
    count = "count" if path == "/v1/conflicts" else "totalConflicts"
    assert (whole[count], part[count]) == (2, 1)
    family, other = await nest.get(path, scope="project"), await nest.get(path, scope="projec")
    assert (family[count], other[count]) == (2, 0)


async def test_clusters_gather_what_is_about_the_same(nest: Nest) -> None:
    _, first, _ = await promotion(nest)
    await nest.post("/v1/conflicts/resolve", {"conflictId": first["conflictId"], "resolution": "keep_existing"})
    await age(nest, 1)
    source = await nest.evidence("Write like a friend, casual and technical replies")
    second = await nest.post("/v1/promote", {
        "memoryId": source, "category": "preferences", "scope": DEMO, "canonicalKey": "user-reply-style",
    })  # fmt: skip
    answer = await nest.get("/v1/conflicts", groupBy="cluster")
    assert (answer["groupBy"], answer["count"]) == ("cluster", 1)
    group = answer["clusters"][0]
    assert (group["totalCount"], group["openCount"]) == (2, 1)
    assert group["latestConflictId"] == second["conflictId"]
    assert group["attentionCounts"] == {"fresh": 1, "aging": 0, "stale": 0, "escalated": 0, "resolved": 1}
    resolved = await nest.get("/v1/conflicts", groupBy="cluster", attention="resolved")
    assert resolved["count"] == 1
    assert (await nest.get("/v1/conflicts", groupBy="cluster", attention="stale"))["count"] == 0


async def test_an_audit_begins_with_the_most_urgent(nest: Nest) -> None:
    await promotion(nest, "Owner one of it", "Other words one", key="k1", category="entities")
    await age(nest, 7)
    await promotion(nest, "Owner two of it", "Other words two", key="k2", category="entities")
    answer = await nest.get("/v1/conflicts/audit", limit=100, top=5)
    assert (answer["totalConflicts"], answer["openClusters"]) == (2, 2)
    assert [group["canonicalKey"] for group in answer["priorityClusters"]] == ["k1", "k2"]
    assert answer["priorityClusters"][0]["attention"] == "escalated"
    assert answer["suggestedActions"] == ["Resolve 1 escalated cluster(s) first."]
    assert len((await nest.get("/v1/conflicts/audit", top=1))["priorityClusters"]) == 1


async def test_escalating_is_shown_first_and_then_done_once(nest: Nest) -> None:
    _, refused, _ = await promotion(nest)
    await age(nest, 4)
    preview = await nest.post(
        "/v1/conflicts/escalate", {"attention": "stale", "limit": 100, "top": 10, "apply": False}
    )
    assert (preview["scanned"], preview["eligible"], preview["escalated"], preview["skipped"]) == (1, 1, 0, 0)
    assert preview["items"] == [
        {
            "conflictId": refused["conflictId"],
            "canonicalKey": "user-reply-style",
            "attention": "stale",
            "openAgeDays": 4,
            "reopenCount": 0,
            "escalationCount": 0,
            "suggestedResolution": "manual_review",
            "confidence": "high",
            "action": "pending",
            "clusterKey": "user-reply-style::promotion_conflicts_with_existing_durable::preferences",
        }
    ]
    done = await nest.post("/v1/conflicts/escalate", {"apply": True, "notes": "nightly"})
    assert (done["escalated"], done["items"][0]["action"], done["items"][0]["escalationCount"]) == (1, "escalated", 1)
    again = await nest.post("/v1/conflicts/escalate", {"apply": True})
    assert (again["escalated"], again["skipped"], again["items"][0]["action"]) == (0, 1, "already-escalated")
    row = await nest.conflict(refused["conflictId"])
    assert (row["status"], row["lastEscalationAttention"], row["resolutionNotes"]) == ("open", "stale", "nightly")


async def test_a_conflict_that_grew_worse_can_be_escalated_again(nest: Nest) -> None:
    await promotion(nest)
    await age(nest, 4)
    await nest.post("/v1/conflicts/escalate", {"apply": True})
    await age(nest, 4)
    stale = await nest.post("/v1/conflicts/escalate", {})
    assert (stale["eligible"], stale["escalatedNotRequested"]) == (0, 1)
    done = await nest.post("/v1/conflicts/escalate", {"attention": "escalated", "apply": True})
    assert (done["escalated"], done["items"][0]["escalationCount"]) == (1, 2)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"attention": "fresh"}, "Expected 'stale' | 'escalated', received 'fresh'"),
        ({"limit": 0}, "Number must be greater than or equal to 1"),
        ({"top": 1000}, "Number must be less than or equal to"),
        ({"apply": "yes"}, "Expected boolean, received string"),
    ],
)
async def test_escalation_is_strict(nest: Nest, body: dict[str, Any], said: str) -> None:
    assert said in await nest.refused("/v1/conflicts/escalate", body)


async def test_a_conflict_about_a_long_pattern_keeps_its_lines(nest: Nest) -> None:
    await nest.store("Owner of the key", category="entities", canonicalKey="flow")
    body = {"title": "T" * 400, "trigger": "w", "steps": ["s" * 800] * 8, "scope": DEMO, "canonicalKey": "flow"}
    refused = await nest.post("/v1/pattern", body)
    assert refused["disposition"] == "conflict"
    done = await nest.post("/v1/conflicts/resolve", {
        "conflictId": refused["conflictId"], "resolution": "accept_incoming",
    })  # fmt: skip
    memory = (await nest.get(f"/v1/memories/{done['updatedMemoryId']}"))["memory"]
    assert len(memory["text"].splitlines()) == 11
    assert len(memory["metadata"]["workflowPattern"]["steps"]) == 8
