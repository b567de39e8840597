"""An impression drawn from several facts, on its way to being trusted or not."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from memory.facts.fact import MASTER, NEKO, RELATIONSHIP
from memory.reflections import evidence as trust
from memory.reflections.evidence import Evidence
from memory.reflections.mentions import NEVER, Mentions, is_resting

PENDING, CONFIRMED, PROMOTED = "pending", "confirmed", "promoted"
DENIED, ARCHIVED, MERGED, PROMOTE_BLOCKED = "denied", "archived", "merged", "promote_blocked"
TERMINAL = frozenset({PROMOTED, DENIED, ARCHIVED, MERGED, PROMOTE_BLOCKED})
STATUSES = (PENDING, CONFIRMED, PROMOTED, DENIED, ARCHIVED, MERGED, PROMOTE_BLOCKED)

PATTERN, STATE, EPISODE, PAST = "pattern", "state", "episode", "past"
SCOPES = frozenset({PATTERN, STATE, EPISODE, PAST, "current", "ongoing"})
STALE = {STATE: timedelta(days=7), EPISODE: timedelta(days=3)}

RELATIONS: Mapping[str, frozenset[str]] = {
    MASTER: frozenset({"preference", "trait", "habit", "identity", "emotional", "boundary"}),
    NEKO: frozenset({"self_awareness", "learned", "role_note"}),
    RELATIONSHIP: frozenset({"dynamic", "milestone", "tension", "shared_memory", "agreement"}),
}

COOLDOWN = timedelta(minutes=30)            # between two times that one is offered as a topic
LONGEST = 150                               # tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """One impression with everything that was decided about it."""

    id: str
    text: str
    created_at: datetime                            # aware
    entity: str = RELATIONSHIP
    status: str = PENDING
    source_fact_ids: tuple[str, ...] = ()
    evidence: Evidence = trust.NONE
    mentions: Mentions = NEVER
    feedback: str | None = None
    next_eligible_at: datetime | None = None        # aware; not a topic before
    relation_type: str | None = None
    temporal_scope: str | None = None
    subject: str | None = None
    event_when_raw: Mapping[str, Any] | None = None
    event_start_at: datetime | None = None          # aware
    event_end_at: datetime | None = None            # aware
    schema_version: int = 2
    entered: Mapping[str, datetime] = field(default_factory=dict)   # status → when it was entered, aware
    absorbed_into: str | None = None                # the persona entry it was merged into
    promote_attempts: int = 0
    last_promote_attempt_at: datetime | None = None  # aware
    method: str | None = None                       # "rules/v1", or tier and model
    confidence: float | None = None                 # 0..1
    needs_model: bool = False                       # a model may say it better, or decide what rules could not
    statement: str | None = None                    # what it says without how often it was said
    slot: str | None = None                         # as in the facts it rests on
    object: str | None = None
    negated: bool = False
    sources: tuple[str, ...] = ()                   # ids of the turns it rests on
    extra: Mapping[str, Any] = field(default_factory=dict)  # fields we do not know, kept as they came

    @property
    def is_terminal(self) -> bool:
        return self.status in TERMINAL


def reflection_id(source_fact_ids: Iterable[str]) -> str:
    """The id of the reflection on these facts, whatever order they come in."""
    joined = b"".join(fact_id.encode() + b"\0" for fact_id in sorted(source_fact_ids))
    return f"ref_{hashlib.sha256(joined).hexdigest()[:16]}"


def with_text(reflection: Reflection, text: str) -> Reflection:
    """The reflection with another text and without what was computed from the old one."""
    extra = {key: value for key, value in reflection.extra.items() if not key.startswith("embedding")}
    return replace(reflection, text=text, extra=extra)


def entering(reflection: Reflection, status: str, now: datetime, **reasons: Any) -> Reflection:
    """The reflection in its new status; ``reasons`` are further fields of the row, like ``denied_reason``."""
    return replace(
        reflection,
        status=status,
        entered={**reflection.entered, status: now},
        extra={**reflection.extra, **reasons},
    )


def is_private(extra: Mapping[str, Any]) -> bool:
    """Whether a row is about the two people here, and not about a group or one of its members."""
    return not any(key in extra for key in ("subject_kind", "subject_id"))


def is_active(reflection: Reflection, now: datetime) -> bool:
    """Confirmed, trusted and not resting: shown as fairly certain, and open to being denied."""
    return (
        reflection.status == CONFIRMED
        and not is_resting(reflection.mentions, now)
        and trust.score(reflection.evidence, now) > 0
    )


def is_topic(reflection: Reflection, now: datetime) -> bool:
    """Whether it may be raised with the user now: pending, rested, not spoken against and not over."""
    return (
        reflection.status == PENDING
        and bool(reflection.text.strip())
        and is_private(reflection.extra)
        and not (reflection.next_eligible_at is not None and reflection.next_eligible_at > now)
        and not trust.is_disputed(reflection.evidence, now)
        and not is_resting(reflection.mentions, now)
        and not is_past(reflection, now)
    )


def is_past(reflection: Reflection, now: datetime) -> bool:
    """Whether what it tells of is over: an episode after three days, a state after seven, a pattern never."""
    if reflection.temporal_scope == PAST:
        return True
    limit = STALE.get(reflection.temporal_scope or "")
    return limit is not None and now - anchor(reflection) > limit


def anchor(reflection: Reflection) -> datetime:
    """The moment from which it grows old."""
    return reflection.event_end_at or reflection.event_start_at or reflection.created_at


def fits_ontology(entity: str, relation_type: str | None, temporal_scope: str | None) -> bool:
    """Whether the relation is one that this entity can have, and the scope a known one."""
    return relation_type in RELATIONS.get(entity, frozenset()) and temporal_scope in SCOPES
