"""What becomes of one write after another in one scope: the published sequences, told over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.recallnest.nest import COLLOQUIAL, CONCISE, DEMO, OTHER, Nest

BRIEF = "User wants brief and direct responses please"      # the same slot as CONCISE
ENTITY, LATER = "Demo is a parser", "Demo is a parser with a printer"
CASE = {"title": "Docker crash", "problem": "It dies", "solutionSteps": ["A"]}
EVENT = "Deployed v2 of billing on Friday"
TOLD = "Evidence of a reply style"

Step = tuple[str, dict[str, Any], str, int]     # path, body, disposition, place of the step whose row it is about


def stored(text: str, category: str = "preferences", **fields: Any) -> dict[str, Any]:
    return {"text": text, "category": category, "scope": DEMO, **fields}


SEQUENCES: dict[str, list[Step]] = {
    "a slot is taken over": [
        ("/v1/store", stored(CONCISE), "stored", 0),
        ("/v1/store", stored(CONCISE.replace(", ", ",  ")), "deduped", 0),
        ("/v1/store", stored(BRIEF), "updated", 0),
    ],
    "a given key belongs to one category": [
        ("/v1/store", stored(ENTITY, "entities", canonicalKey="K"), "stored", 0),
        ("/v1/store", stored(LATER, "entities", canonicalKey="K"), "updated", 0),
        ("/v1/store", stored("Demo is mine", "profile", canonicalKey="K"), "conflict", 0),
        ("/v1/store", stored("Demo is mine", "profile", canonicalKey="K"), "conflict", 0),
    ],
    "events repeat within their scope alone": [
        ("/v1/store", stored(EVENT, "events"), "stored", 0),
        ("/v1/store", stored(EVENT, "events"), "deduped", 0),
        ("/v1/store", {**stored(EVENT, "events"), "scope": OTHER}, "stored", 2),
    ],
    "cases add up": [
        ("/v1/case", {**CASE, "scope": DEMO}, "stored", 0),
        ("/v1/case", {**CASE, "scope": DEMO}, "deduped", 0),
        ("/v1/case", {**CASE, "solutionSteps": ["B"], "scope": DEMO}, "stored", 2),
    ],
    "a pattern of the same title is a later version": [
        ("/v1/pattern", {"title": "T", "trigger": "t", "steps": ["A"], "scope": DEMO}, "stored", 0),
        ("/v1/pattern", {"title": "T", "trigger": "t", "steps": ["B"], "scope": DEMO}, "updated", 0),
    ],
}


@pytest.mark.parametrize("sequence", SEQUENCES.values(), ids=SEQUENCES)
async def test_each_write_is_answered_as_published(nest: Nest, sequence: list[Step]) -> None:
    answers: list[Any] = []
    for path, body, disposition, row in sequence:
        answer = await nest.post(path, body, status=201)
        answers.append(answer)
        assert answer["disposition"] == disposition
        assert answer["stored"] is (disposition != "conflict")
        assert answer["id"] == answers[row]["id"]
        assert ("conflictId" in answer) is (disposition == "conflict")
    rows = {row for _, _, _, row in sequence}
    assert len({answers[row]["id"] for row in rows}) == len(rows)
    assert len({answer["conflictId"] for answer in answers if "conflictId" in answer}) <= 1
    assert (await nest.get("/v1/stats"))["totalMemories"] == len(rows)


async def test_promotions_are_answered_as_published(nest: Nest) -> None:
    first, second = await nest.evidence(TOLD), await nest.evidence("Something quite different about writing")
    body = {"category": "preferences", "scope": DEMO, "canonicalKey": "K2"}
    owner = await nest.post("/v1/promote", {**body, "memoryId": first, "text": CONCISE})
    again = await nest.post("/v1/promote", {**body, "memoryId": first, "text": CONCISE})
    assert (owner["disposition"], again["disposition"], again["id"]) == ("promoted", "deduped", owner["id"])
    request = {**body, "memoryId": second, "text": COLLOQUIAL}
    refused = await nest.post("/v1/promote", request)
    assert (refused["disposition"], refused["stored"], refused["id"]) == ("conflict", False, owner["id"])
    assert (await nest.post("/v1/promote", request))["conflictId"] == refused["conflictId"]
    await nest.post("/v1/conflicts/resolve", {"conflictId": refused["conflictId"], "resolution": "keep_existing"})
    assert (await nest.post("/v1/promote", request))["conflictId"] == refused["conflictId"]
    conflict = await nest.conflict(refused["conflictId"])
    assert (conflict["reopenCount"], conflict["lifecycle"]["attention"]) == (1, "aging")
    # Words of the same slot collapse onto the owner, whose own words stay.
    same = await nest.post("/v1/promote", {**body, "memoryId": second, "text": BRIEF})
    assert (same["disposition"], same["id"]) == ("promoted", owner["id"])
    memory = (await nest.get(f"/v1/memories/{owner['id']}"))["memory"]
    assert (memory["text"], memory["provenanceHistoryCount"]) == (CONCISE, 2)
