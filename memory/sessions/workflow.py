"""How workflows fared: what was observed of them, and what that says of their health."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

SUCCESS, FAILURE, CORRECTED, MISSED = "success", "failure", "corrected", "missed"
OUTCOMES = (SUCCESS, FAILURE, CORRECTED, MISSED)

CRITICAL, WATCH, HEALTHY, NO_DATA = "critical", "watch", "healthy", "no-data"
_URGENCY = {CRITICAL: 0, WATCH: 1, HEALTHY: 2, NO_DATA: 3}

GLOBAL = "global"
MANAGED = "managed"
CHECKPOINT, RESUME, INGEST = "checkpoint_session", "resume_context", "ingest_records"
SANITIZED = "repo-state-sanitized"      # a checkpoint that was cleaned: corrected, and yet as it should be

WINDOWS = (7, 30)           # days
_TOP = 3                    # signals told
_SUGGESTED = 4
_FEW = 4                    # observations below which little can be said

REPO_STATE = (
    "Keep volatile repo-state text out of saved checkpoints and handoff summaries unless this window verified it."
)
_UNSAFE = re.compile(r"[^\w.\-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What happened when a workflow should have run. Never enters recall."""

    id: str
    workflow_id: str
    outcome: str
    summary: str
    scope: str                      # as its writer spelled it
    source: str
    recorded_at: datetime           # aware
    signal: str | None = None
    task: str | None = None
    tags: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    idempotency_key: str | None = None

    @property
    def is_issue(self) -> bool:
        return self.outcome != SUCCESS

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "workflow": self.workflow_id,
            "outcome": self.outcome,
            "summary": self.summary,
            "scope": self.scope,
            "source": self.source,
            "recorded_at": self.recorded_at.isoformat(),
            "signal": self.signal,
            "task": self.task,
            "tags": list(self.tags),
            "tools": list(self.tools),
            "idempotency_key": self.idempotency_key,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Observation:
        """Raises LookupError, TypeError or ValueError for what is none."""
        return cls(
            id=value["id"],
            workflow_id=value["workflow"],
            outcome=value["outcome"],
            summary=value["summary"],
            scope=value["scope"],
            source=value["source"],
            recorded_at=datetime.fromisoformat(value["recorded_at"]),
            signal=value.get("signal"),
            task=value.get("task"),
            tags=tuple(value.get("tags") or ()),
            tools=tuple(value.get("tools") or ()),
            idempotency_key=value.get("idempotency_key"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The observations of some days up to now."""

    days: int
    outcomes: Mapping[str, int]
    latest_at: datetime | None
    signals: Sequence[tuple[str, int]]      # of issues, the commonest first
    sanitized: int                          # issues that are as they should be

    @property
    def total(self) -> int:
        return sum(self.outcomes.values())

    @property
    def successes(self) -> int:
        return self.outcomes[SUCCESS]

    @property
    def issues(self) -> int:
        return self.total - self.successes

    @property
    def success_rate(self) -> float:
        return self.successes / self.total if self.total else 0.0

    @property
    def issue_rate(self) -> float:
        return self.issues / self.total if self.total else 0.0

    @property
    def status(self) -> str:
        """What the numbers say. A checkpoint that was cleaned is no reason for alarm."""
        issues, successes = self.issues - self.sanitized, self.successes + self.sanitized
        rate = successes / self.total if self.total else 0.0
        if not self.total:
            return NO_DATA
        if self.outcomes[FAILURE] or self.outcomes[MISSED] >= 2 or issues >= 3 or (self.total >= 4 and rate < 0.5):
            return CRITICAL
        return WATCH if self.issues or self.success_rate < 0.75 else HEALTHY


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How one workflow is doing."""

    workflow_id: str
    scope: str | None
    windows: Sequence[Window]
    latest_at: datetime | None              # of all time

    @property
    def month(self) -> Window:
        return self.windows[-1]

    @property
    def status(self) -> str:
        return self.month.status

    @property
    def summary(self) -> str:
        month = self.month
        if not month.total:
            return f"No workflow observations recorded yet for {self.workflow_id} in the last {month.days}d."
        return (
            f"{month.total} observations in the last {month.days}d, success rate {100 * month.success_rate:.1f}%, "
            f"{month.issues} issue observations."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What to look at to make a workflow better."""

    health: Health
    issues: Sequence[Observation]           # the latest first
    suggestions: Sequence[str]

    @property
    def summary(self) -> str:
        month = self.health.month
        return f"{month.issues} issue observations in the last {month.days}d for {self.health.workflow_id}."


def observation_id(workflow_id: str, outcome: str, recorded_at: datetime) -> str:
    """Tells what, how and when; safe as the name of a file."""
    stamp = recorded_at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return f"{_UNSAFE.sub('_', workflow_id)}-{outcome}-{stamp.replace(':', '-').replace('.', '-')}"


def window(observations: Iterable[Observation], days: int, now: datetime) -> Window:
    since = now - timedelta(days=days)
    inside = [one for one in observations if one.recorded_at >= since]
    outcomes = Counter(one.outcome for one in inside)
    return Window(
        days=days,
        outcomes={outcome: outcomes[outcome] for outcome in OUTCOMES},
        latest_at=max((one.recorded_at for one in inside), default=None),
        signals=_signals(one for one in inside if one.is_issue),
        sanitized=sum(one.outcome == CORRECTED and one.signal == SANITIZED for one in inside),
    )


def _signals(issues: Iterable[Observation]) -> list[tuple[str, int]]:
    counts = Counter(one.signal.strip() for one in issues if one.signal and one.signal.strip())
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_TOP]


def health(
    workflow_id: str, scope: str | None, observations: Sequence[Observation], latest_at: datetime | None, now: datetime
) -> Health:
    return Health(
        workflow_id=workflow_id,
        scope=scope,
        windows=[window(observations, days, now) for days in WINDOWS],
        latest_at=latest_at,
    )


def degraded_first(found: Iterable[Health]) -> list[Health]:
    """Only those that need somebody, the worst first, then those with most issues, then the latest."""
    worse = [one for one in found if one.status in (CRITICAL, WATCH)]
    worse.sort(key=lambda one: (one.workflow_id, one.scope or ""))
    worse.sort(key=lambda one: one.latest_at.timestamp() if one.latest_at is not None else 0.0, reverse=True)
    worse.sort(key=lambda one: (_URGENCY[one.status], -one.month.issues))
    return worse


def evidence(of: Health, observations: Sequence[Observation], limit: int, now: datetime) -> Evidence:
    """The issues of the last days, and what may be done about them."""
    since = now - timedelta(days=of.month.days)
    issues = [one for one in observations if one.is_issue and one.recorded_at >= since]
    issues.sort(key=lambda one: (one.recorded_at, one.id), reverse=True)
    return Evidence(health=of, issues=issues[:limit], suggestions=_suggestions(of))


def _suggestions(of: Health) -> list[str]:
    month = of.month
    if not month.total:
        return [f"Start recording outcomes of {of.workflow_id}; nothing was observed in the last {month.days}d."]
    found = []
    signals = " ".join(signal.lower().replace("_", "-") for signal, _ in month.signals)
    if any(word in signals for word in ("repo-state", "git-status", "git status", "checkpoint")):
        found.append(REPO_STATE)
    if month.outcomes[MISSED]:
        found.append("Tighten trigger coverage so that it fires before exploration or correction begins.")
    if month.outcomes[CORRECTED]:
        found.append("Turn recurring corrections into guardrails in the prompt, the rules or the product.")
    if month.outcomes[FAILURE]:
        found.append("Add a regression or smoke case for the failure that was seen.")
    if of.workflow_id == RESUME and month.issues:
        found.append("Strengthen fresh-window triggers and the startup smoke check.")
    if of.workflow_id == CHECKPOINT and month.issues:
        found.append("Add end-of-window guards so that a checkpoint is saved before leaving.")
    if month.total < _FEW:
        found.append("Collect more observations before drawing conclusions.")
    return found[:_SUGGESTED]
