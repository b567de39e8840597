"""Checkpoints, and what a new window starts from."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.recallnest.nest import CONCISE, DEMO, OTHER, Nest

CHECKPOINT = {
    "sessionId": "codex-2026-03-16-001",
    "scope": "agent:codex",
    "summary": "Implement session checkpoint storage",
    "decisions": ["Keep checkpoints out of LanceDB"],
    "openLoops": ["Need resume_context next"],
    "nextActions": ["Add checkpoint MCP tool"],
    "entities": ["RecallNest", "Codex"],
    "files": ["src/session-store.ts"],
}


async def test_a_checkpoint_comes_back_as_it_was_saved(nest: Nest) -> None:
    answer = await nest.post("/v1/checkpoint", CHECKPOINT, status=201)
    assert {**CHECKPOINT, "updatedAt": "2026-05-04T08:00:00.000Z"}.items() <= answer.items()
    assert answer["resolvedScope"] == "agent:codex"
    latest = await nest.get("/v1/checkpoint/latest", sessionId="codex-2026-03-16-001")
    assert latest == {"checkpoint": answer}
    assert await nest.get("/v1/checkpoint/latest", scope="nothing:here") == {"checkpoint": None}


async def test_a_checkpoint_is_no_memory(nest: Nest) -> None:
    await nest.post("/v1/checkpoint", CHECKPOINT)
    assert await nest.texts("session checkpoint storage", None) == []
    assert (await nest.get("/v1/stats"))["totalMemories"] == 0


async def test_without_a_scope_it_belongs_to_its_session(nest: Nest) -> None:
    answer = await nest.post("/v1/checkpoint", {"sessionId": "s3", "summary": "x"})
    assert (answer["scope"], answer["resolvedScope"]) == ("session:s3", "session:s3")


async def test_a_bare_name_is_a_project_and_case_makes_no_difference(nest: Nest) -> None:
    saved = await nest.post("/v1/checkpoint", {"sessionId": "s2", "scope": "RecallNest", "summary": "x"})
    assert (saved["scope"], saved["resolvedScope"]) == ("RecallNest", "project:recallnest")
    for scope in ("recallnest", "Project:RecallNest", "project:recallnest"):
        assert (await nest.get("/v1/checkpoint/latest", scope=scope))["checkpoint"]["sessionId"] == "s2"


async def test_repository_state_is_taken_out_and_noted(nest: Nest) -> None:
    body = {
        "sessionId": "s2",
        "scope": DEMO,
        "summary": "git status: dirty worktree",
        "task": "clean up uncommitted work",
        "decisions": ["Use PEG grammar", "Modified files: a.ts"],
        "openLoops": ["untracked files remain"],
        "nextActions": ["stage the staged changes"],
        "files": ["a.ts"],
    }
    answer = await nest.post("/v1/checkpoint", body)
    assert answer["summary"] == "Checkpoint captured current task state without repo-state details."
    assert "task" not in answer
    assert answer["decisions"] == ["Use PEG grammar"]
    assert answer["openLoops"] == [
        "Current repo state still needs local verification if it matters for the next task."
    ]
    assert answer["nextActions"] == ["Verify current repo state locally if it matters for the next task."]
    assert answer["files"] == ["a.ts"]
    health = await nest.get("/v1/workflow-health", workflowId="checkpoint_session", scope=DEMO)
    assert health["windows"][0]["topSignals"] == [{"signal": "repo-state-sanitized", "count": 1}]
    assert (health["windows"][0]["corrected"], health["status"]) == (1, "watch")


async def test_the_latest_one_that_tells_something_is_preferred(nest: Nest) -> None:
    await nest.post("/v1/checkpoint", {"sessionId": "s1", "scope": DEMO, "summary": "Ported the lexer"})
    nest.clock.advance(60)
    await nest.post("/v1/checkpoint", {"sessionId": "s1", "scope": DEMO, "summary": "git status is clean"})
    latest = await nest.get("/v1/checkpoint/latest", sessionId="s1")
    assert latest["checkpoint"]["summary"] == "Ported the lexer"


async def test_filters_are_combined_and_none_means_the_latest_of_all(nest: Nest) -> None:
    for session, scope in (("s1", DEMO), ("s1", OTHER), ("s2", DEMO)):
        await nest.post("/v1/checkpoint", {"sessionId": session, "scope": scope, "summary": f"{session} in {scope}"})
        nest.clock.advance(60)
    both = await nest.get("/v1/checkpoint/latest", sessionId="s1", scope=DEMO)
    assert both["checkpoint"]["summary"] == f"s1 in {DEMO}"
    assert (await nest.get("/v1/checkpoint/latest", sessionId="s2", scope=OTHER))["checkpoint"] is None
    assert (await nest.get("/v1/checkpoint/latest"))["checkpoint"]["sessionId"] == "s2"


async def test_an_idempotency_key_writes_the_same_checkpoint_again(nest: Nest) -> None:
    body = {"sessionId": "s6", "scope": DEMO, "summary": "v2", "idempotencyKey": "abc"}
    first = await nest.post("/v1/checkpoint", {**body, "updatedAt": "2026-03-17T05:00:00.000Z"})
    second = await nest.post("/v1/checkpoint", {**body, "summary": "v3", "updatedAt": "2026-03-17T06:00:00.000Z"})
    # 32 digits of the SHA-256 of "abc".
    assert first["checkpointId"] == second["checkpointId"] == "chk-ba7816bf8f01cfea414140de5dae2223"
    assert (await nest.get("/v1/checkpoint/latest", sessionId="s6"))["checkpoint"]["summary"] == "v3"


async def test_secrets_are_in_no_checkpoint_and_no_observation(nest: Nest) -> None:
    secret = "sk-ant-EXAMPLE-not-a-key"
    saved = await nest.post("/v1/checkpoint", {
        "sessionId": "s", "scope": DEMO, "summary": f"Rotated {secret}", "decisions": [f"Use {secret}"],
    })  # fmt: skip
    assert saved["summary"] == "Rotated [REDACTED:anthropic_key]"
    assert saved["decisions"] == ["Use [REDACTED:anthropic_key]"]
    observed = await nest.post("/v1/workflow-observe", {"workflowId": "w", "summary": f"{secret} leaked"})
    assert observed["summary"] == "[REDACTED:anthropic_key] leaked"


async def test_an_offset_is_converted_and_a_time_without_one_is_refused(nest: Nest) -> None:
    body = {"sessionId": "s", "summary": "x"}
    answer = await nest.post("/v1/checkpoint", {**body, "updatedAt": "2026-03-16T07:00:00+02:00"})
    assert answer["updatedAt"] == "2026-03-16T05:00:00.000Z"
    for wrong in ("yesterday", "2026-03-16", 5):
        assert await nest.refused("/v1/checkpoint", {**body, "updatedAt": wrong}) == "updatedAt: Invalid datetime"


async def test_a_checkpoint_survives_without_the_space_being_closed(nest: Nest) -> None:
    await nest.post("/v1/checkpoint", CHECKPOINT)
    async with nest.engine.spaces.closed("@checkpoints"):
        pass
    assert (await nest.get("/v1/checkpoint/latest"))["checkpoint"]["summary"] == CHECKPOINT["summary"]


# resume


async def fill(nest: Nest, scope: str = "agent:codex") -> None:
    for text, category in (
        ("User builds local-first memory systems.", "profile"),
        ("User prefers concise technical replies.", "preferences"),
        ("RecallNest is shared across Claude Code, Codex, and Gemini CLI.", "entities"),
        ("At task start, run search_memory before coding.", "patterns"),
        ("Keep session state in a checkpoint store instead of the durable index.", "cases"),
        ("Deployed v2 on Friday", "events"),
    ):
        await nest.store(text, scope, category=category)


async def test_a_new_window_is_told_what_the_published_example_tells(nest: Nest) -> None:
    await fill(nest)
    await nest.post("/v1/checkpoint", {
        **CHECKPOINT, "summary": "Implement startup continuity for fresh windows", "updatedAt": "2026-03-16T05:00:00Z",
    })  # fmt: skip
    answer = await nest.post("/v1/resume", {
        "task": "Implement startup continuity for fresh windows", "scope": "agent:codex",
        "sessionId": "codex-2026-03-16-001", "limitPerSection": 3, "includeLatestCheckpoint": True,
        "profile": "default",
    })  # fmt: skip
    assert answer["stableContext"] == [
        "Profile: User builds local-first memory systems.",
        "Preference: User prefers concise technical replies.",
        "Entity: RecallNest is shared across Claude Code, Codex, and Gemini CLI.",
    ]
    assert answer["relevantPatterns"] == ["At task start, run search_memory before coding."]
    assert answer["recentCases"] == ["Keep session state in a checkpoint store instead of the durable index."]
    assert answer["latestCheckpoint"] == {
        "sessionId": "codex-2026-03-16-001",
        "resolvedScope": "agent:codex",
        "summary": "Implement startup continuity for fresh windows",
        "updatedAt": "2026-03-16T05:00:00.000Z",
    }
    assert answer["summary"] == (
        "Loaded 3 stable context item(s), 1 pattern(s), and 1 case(s). Latest checkpoint from codex-2026-03-16-001 "
        "on 2026-03-16: Implement startup continuity for fresh windows."
    )
    assert (answer["resolvedScope"], answer["profile"]) == ("agent:codex", "default")
    assert answer["essentialContext"]["nextActions"] == ["Add checkpoint MCP tool"]


async def test_an_empty_store_is_resumed_from_with_nothing(nest: Nest) -> None:
    answer = await nest.post("/v1/resume", {"scope": "project:empty", "task": "continue the handoff"})
    assert answer["summary"] == "Loaded 0 stable context item(s), 0 pattern(s), and 0 case(s)."
    assert (answer["stableContext"], answer["relevantPatterns"], answer["recentCases"]) == ([], [], [])
    assert "latestCheckpoint" not in answer


async def test_a_session_alone_finds_the_scope_of_its_checkpoint(nest: Nest) -> None:
    await fill(nest, DEMO)
    await nest.post("/v1/checkpoint", {**CHECKPOINT, "scope": DEMO})
    answer = await nest.post("/v1/resume", {"sessionId": "codex-2026-03-16-001"})
    assert answer["resolvedScope"] == DEMO
    assert answer["stableContext"][0] == "Profile: User builds local-first memory systems."


async def test_memories_and_checkpoints_of_a_bare_name_come_together(nest: Nest) -> None:
    await nest.store("The parser is a PEG parser", "RecallNest", category="entities")
    await nest.post("/v1/checkpoint", {"sessionId": "s2", "scope": "RecallNest", "summary": "Ported the lexer"})
    for request in ({"sessionId": "s2"}, {"scope": "recallnest"}):
        answer = await nest.post("/v1/resume", request)
        assert answer["stableContext"][0] == "Entity: The parser is a PEG parser"
        assert answer["latestCheckpoint"]["sessionId"] == "s2"


async def test_a_checkpoint_of_another_scope_is_not_told(nest: Nest) -> None:
    await nest.post("/v1/checkpoint", {"sessionId": "s1", "scope": OTHER, "summary": "Secret plans of the other"})
    answer = await nest.post("/v1/resume", {"sessionId": "s1", "scope": DEMO})
    assert "Secret plans" not in str(answer)


async def test_without_a_scope_only_the_users_own_scopes_tell_who_they_are(nest: Nest) -> None:
    await fill(nest, DEMO)
    await nest.store("User is called Ana", "memory:agent", category="profile")
    answer = await nest.post("/v1/resume", {})
    assert answer["stableContext"] == ["Profile: User is called Ana"]
    assert "resolvedScope" not in answer


async def test_evidence_is_no_stable_context(nest: Nest) -> None:
    await nest.evidence("User lives in Berlin", scope=DEMO, category="profile")
    assert (await nest.post("/v1/resume", {"scope": DEMO}))["stableContext"] == []


async def test_one_key_is_told_once_and_long_lines_are_cut(nest: Nest) -> None:
    await nest.store("Ana " + "very " * 400 + "long", DEMO, category="profile")
    answer = await nest.post("/v1/resume", {"scope": DEMO, "limitPerSection": 6})
    (line,) = answer["stableContext"]
    assert len(line) <= len("Profile: ") + 880
    assert line.endswith("...")


async def test_a_checkpoint_fills_what_memories_leave_open(nest: Nest) -> None:
    await nest.post("/v1/checkpoint", {**CHECKPOINT, "scope": DEMO})
    answer = await nest.post("/v1/resume", {"scope": DEMO})
    assert answer["stableContext"] == [
        "Checkpoint summary: Implement session checkpoint storage",
        "Checkpoint decision: Keep checkpoints out of LanceDB",
        "Checkpoint next: Add checkpoint MCP tool",
    ]
    without = await nest.post("/v1/resume", {"scope": DEMO, "includeLatestCheckpoint": False})
    assert without["stableContext"] == []


async def test_a_pattern_is_told_in_one_line_and_only_where_it_belongs(nest: Nest) -> None:
    await nest.post("/v1/pattern", {
        "title": "Continuity handoff", "trigger": "When opening a window", "steps": ["Call resume", "Save"],
        "tools": ["resume_context"], "scope": DEMO,
    })  # fmt: skip
    await nest.store("Bake bread at 220 degrees", DEMO, category="patterns")
    answer = await nest.post("/v1/resume", {"scope": DEMO, "task": "continuity handoff of the window"})
    assert answer["relevantPatterns"] == [
        "Workflow pattern: Continuity handoff Tools: resume_context Use when: When opening a window "
        "Steps: 1. Call resume"
    ]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"limitPerSection": 9}, "limitPerSection: Number must be less than or equal to 6"),
        ({"limitPerSection": "3"}, "Expected number, received string"),
        ({"profile": "bogus"}, "Unknown retrieval profile: bogus. Available: default, writing, debug, fact-check"),
        ({"includeLatestCheckpoint": "no"}, "Expected boolean, received string"),
        ({"scope": " "}, "scope is required"),
    ],
)
async def test_a_resume_is_strict(nest: Nest, body: dict[str, Any], said: str) -> None:
    assert said in await nest.refused("/v1/resume", body)


async def test_a_start_is_observed_beside_the_memories(nest: Nest) -> None:
    await nest.store(CONCISE, category="preferences")
    await nest.post("/v1/resume", {"scope": DEMO})
    await nest.post("/v1/auto-recall", {"message": "x", "scope": DEMO})
    health = await nest.get("/v1/workflow-health", workflowId="resume_context", scope=DEMO)
    assert (health["status"], health["windows"][0]["successes"]) == ("healthy", 2)
    assert await nest.texts("stable context resolved", None) == []
