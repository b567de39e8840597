"""Workflow observations over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from memory.store import layout
from tests.dialects.recallnest.nest import DEMO, Nest

MISSED = {
    "workflowId": "resume_context",
    "outcome": "missed",
    "summary": "Fresh window skipped continuity recovery before repo exploration.",
    "scope": "project:recallnest",
    "source": "smoke",
    "signal": "missed-startup-trigger",
    "task": "headless continuity smoke",
    "tags": ["continuity"],
    "tools": ["resume_context"],
    "recordedAt": "2026-03-17T03:00:00.000Z",
}


async def test_an_observation_comes_back_flat_with_an_id_that_tells_what_it_is(nest: Nest) -> None:
    answer = await nest.post("/v1/workflow-observe", MISSED, status=201)
    assert answer == {
        **MISSED,
        "observationId": "resume_context-missed-2026-03-17T03-00-00-000Z",
        "resolvedScope": "project:recallnest",
    }
    again = await nest.post("/v1/workflow-observe", MISSED)
    assert again["observationId"] == "resume_context-missed-2026-03-17T03-00-00-000Z-2"


async def test_defaults_are_the_published_ones(nest: Nest) -> None:
    answer = await nest.post("/v1/workflow-observe", {"workflowId": "x", "summary": "worked"})
    assert answer == {
        "observationId": "x-success-2026-05-04T08-00-00-000Z",
        "workflowId": "x",
        "outcome": "success",
        "summary": "worked",
        "scope": "global",
        "resolvedScope": "global",
        "source": "manual",
        "tags": [],
        "tools": [],
        "recordedAt": "2026-05-04T08:00:00.000Z",
    }


async def test_an_idempotency_key_returns_the_first_record(nest: Nest) -> None:
    body = {"workflowId": "x", "summary": "worked", "idempotencyKey": "k"}
    first = await nest.post("/v1/workflow-observe", body)
    nest.clock.advance(60)
    assert await nest.post("/v1/workflow-observe", {**body, "outcome": "failure"}) == first
    assert (await nest.get("/v1/workflow-health", workflowId="x"))["windows"][0]["total"] == 1


async def test_observations_lie_in_their_own_store_and_survive(nest: Nest) -> None:
    await nest.post("/v1/workflow-observe", MISSED)
    directory = layout.observations_directory(nest.engine.settings.data_root)
    assert directory.parts[-2:] == ("data", "workflow-observations")
    assert len((directory / "events.ndjson").read_bytes().splitlines()) == 1
    assert (await nest.get("/v1/stats"))["totalMemories"] == 0
    assert await nest.texts("continuity recovery", None) == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"workflowId": "x", "outcome": "meh", "summary": "s"}, "received 'meh'"),
        ({"summary": "s"}, "workflowId is required"),
        ({"workflowId": "x"}, "summary is required"),
        ({}, "workflowId is required; summary is required"),
        ({"workflowId": "x", "summary": "s", "recordedAt": "noon"}, "recordedAt: Invalid datetime"),
    ],
)
async def test_an_observation_is_strict(nest: Nest, body: dict[str, Any], said: str) -> None:
    assert said in await nest.refused("/v1/workflow-observe", body)


async def test_the_health_of_one_workflow_has_two_windows(nest: Nest) -> None:
    for outcome, signal in (("missed", "a"), ("corrected", "user-correction"), ("success", None)):
        await nest.post("/v1/workflow-observe", {
            "workflowId": "resume_context", "outcome": outcome, "summary": "s", "scope": DEMO, "signal": signal,
        })  # fmt: skip
        nest.clock.advance(8 * 86_400 if outcome == "missed" else 60)
    answer = await nest.get("/v1/workflow-health", workflowId="resume_context", scope=DEMO)
    assert (answer["workflowId"], answer["scope"], answer["status"]) == ("resume_context", DEMO, "watch")
    assert answer["summary"] == "3 observations in the last 30d, success rate 33.3%, 2 issue observations."
    week, month = answer["windows"]
    assert (week["days"], week["total"], week["successRate"], week["issueRate"]) == (7, 2, 0.5, 0.5)
    assert week["topSignals"] == [{"signal": "user-correction", "count": 1}]
    assert (month["days"], month["total"], month["missed"]) == (30, 3, 1)


async def test_a_workflow_nobody_observed_has_no_data(nest: Nest) -> None:
    answer = await nest.get("/v1/workflow-health", workflowId="nothing")
    assert (answer["status"], [window["total"] for window in answer["windows"]]) == ("no-data", [0, 0])
    assert "latestObservationAt" not in answer
    assert answer["summary"].startswith("No workflow observations recorded yet for nothing")


async def test_the_dashboard_lists_what_is_degraded(nest: Nest) -> None:
    for workflow, outcome in (("good", "success"), ("bad", "failure"), ("odd", "corrected")):
        await nest.post("/v1/workflow-observe", {
            "workflowId": workflow, "outcome": outcome, "summary": "s", "scope": DEMO,
        })  # fmt: skip
    rows = (await nest.get("/v1/workflow-health"))["dashboard"]
    assert [(row["workflowId"], row["status"]) for row in rows] == [("bad", "critical"), ("odd", "watch")]
    assert rows[0] == {
        "workflowId": "bad",
        "scope": DEMO,
        "status": "critical",
        "total": 1,
        "issueCount": 1,
        "successRate": 0.0,
        "latestObservationAt": "2026-05-04T08:00:00.000Z",
        "summary": "1 observations in the last 30d, success rate 0.0%, 1 issue observations.",
    }
    assert len((await nest.get("/v1/workflow-health", limit=1))["dashboard"]) == 1
    assert (await nest.get("/v1/workflow-health", scope="project:none"))["dashboard"] == []


async def test_evidence_packs_the_latest_issues(nest: Nest) -> None:
    await nest.post("/v1/workflow-observe", {
        "workflowId": "checkpoint_session", "outcome": "failure", "scope": "project:recallnest",
        "summary": "Checkpoint still carried repo-state text before the product-side guard landed.",
        "signal": "repo-state-contamination", "task": "headless continuity smoke",
    })  # fmt: skip
    answer = await nest.get(
        "/v1/workflow-evidence", workflowId="checkpoint_session", scope="project:recallnest", limit=5
    )
    assert answer["summary"] == "1 issue observations in the last 30d for checkpoint_session."
    assert answer["topSignals"] == [{"signal": "repo-state-contamination", "count": 1}]
    assert answer["recentIssues"][0]["observationId"] == "checkpoint_session-failure-2026-05-04T08-00-00-000Z"
    assert answer["suggestions"][0] == (
        "Keep volatile repo-state text out of saved checkpoints and handoff summaries unless this window verified it."
    )


async def test_evidence_needs_a_workflow(nest: Nest) -> None:
    answer = await nest.get("/v1/workflow-evidence", expect=400)
    assert answer == {"error": "workflowId is required"}


async def test_observations_survive_a_restart(nest: Nest) -> None:
    await nest.post("/v1/workflow-observe", MISSED)
    reopened = type(nest.engine.observations)(
        layout.observations_directory(nest.engine.settings.data_root),
        nest.engine.spaces._disk,
        nest.clock,
        nest.engine.ids,
        permit=lambda: None,
        segment_bytes=1 << 20,
    )
    observations, latest = await reopened.of("resume_context", None)
    assert [one.summary for one in observations] == [MISSED["summary"]]
    assert latest is not None
