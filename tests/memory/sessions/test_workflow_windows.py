"""What observations say of a workflow's health."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memory.sessions.workflow import (
    CORRECTED,
    FAILURE,
    MISSED,
    REPO_STATE,
    SANITIZED,
    SUCCESS,
    Observation,
    degraded_first,
    evidence,
    health,
    observation_id,
    window,
)
from tests.fakes import MORNING


def seen(outcome: str, *, days: float = 0, signal: str | None = None, workflow: str = "resume_context") -> Observation:
    return Observation(
        id=f"{workflow}-{outcome}-{days}",
        workflow_id=workflow,
        outcome=outcome,
        summary="…",
        scope="project:x",
        source="test",
        recorded_at=MORNING - timedelta(days=days),
        signal=signal,
    )


@pytest.mark.parametrize(
    ("outcomes", "status"),
    [
        ([], "no-data"),
        ([SUCCESS], "healthy"),
        ([FAILURE], "critical"),
        ([MISSED, SUCCESS, SUCCESS, SUCCESS], "watch"),
        ([MISSED, MISSED], "critical"),
        ([CORRECTED, MISSED, SUCCESS], "watch"),             # the published sample
        ([CORRECTED] * 3, "critical"),
        ([SUCCESS, CORRECTED, CORRECTED], "watch"),
    ],
)
def test_status_follows_from_the_last_thirty_days(outcomes: list[str], status: str) -> None:
    assert window([seen(outcome) for outcome in outcomes], 30, MORNING).status == status


def test_cleaned_checkpoints_alone_raise_no_alarm() -> None:
    cleaned = [seen(CORRECTED, signal=SANITIZED, workflow="checkpoint_session") for _ in range(5)]
    assert window(cleaned, 30, MORNING).status == "watch"


def test_windows_end_now_and_rates_are_zero_without_observations() -> None:
    old = [seen(FAILURE, days=8), seen(SUCCESS, days=31)]
    week, month = window(old, 7, MORNING), window(old, 30, MORNING)
    assert (week.total, week.success_rate, week.issue_rate) == (0, 0.0, 0.0)
    assert (month.total, month.issues) == (1, 1)


def test_signals_of_issues_are_counted_and_blank_ones_are_not() -> None:
    rows = [seen(FAILURE, signal=signal) for signal in ("b", "a", "a", " ", "c", "d")]
    assert window([*rows, seen(SUCCESS, signal="z")], 7, MORNING).signals == [("a", 2), ("b", 1), ("c", 1)]


def test_the_summary_has_the_published_form() -> None:
    of = health("resume_context", None, [seen(SUCCESS), seen(MISSED), seen(CORRECTED)], MORNING, MORNING)
    assert of.summary == "3 observations in the last 30d, success rate 33.3%, 2 issue observations."


def test_evidence_begins_with_what_the_signals_say() -> None:
    rows = [seen(FAILURE, signal="repo-state-contamination", workflow="checkpoint_session")]
    of = health("checkpoint_session", "project:x", rows, MORNING, MORNING)
    found = evidence(of, rows, 5, MORNING)
    assert found.suggestions[0] == REPO_STATE
    assert found.summary == "1 issue observations in the last 30d for checkpoint_session."


def test_evidence_is_of_the_last_thirty_days_and_the_latest_first() -> None:
    rows = [seen(FAILURE, days=40), seen(FAILURE, days=3), seen(MISSED, days=1)]
    found = evidence(health("resume_context", None, rows, MORNING, MORNING), rows, 5, MORNING)
    assert [one.outcome for one in found.issues] == [MISSED, FAILURE]


def test_only_degraded_workflows_are_listed_the_worst_first() -> None:
    rows = [
        health(name, "project:x", [seen(outcome, workflow=name)], MORNING, MORNING)
        for name, outcome in (("a", SUCCESS), ("b", CORRECTED), ("c", FAILURE))
    ]
    assert [one.workflow_id for one in degraded_first(rows)] == ["c", "b"]


def test_an_id_tells_what_how_and_when_and_can_name_a_file() -> None:
    at = datetime(2026, 3, 17, 3, tzinfo=UTC)
    assert observation_id("resume_context", MISSED, at) == "resume_context-missed-2026-03-17T03-00-00-000Z"
    assert "/" not in observation_id("../a/b", MISSED, at)
