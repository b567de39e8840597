"""Which impressions have earned trust: by what spoke for them, or by standing unopposed for a week."""

from __future__ import annotations

from datetime import datetime, timedelta

from memory.facts.rules.draft import METHOD
from memory.reflections import evidence as trust
from memory.reflections.pen import Because, Pen
from memory.reflections.reflection import CONFIRMED, PATTERN, PENDING, Reflection, is_past

SETTLES_AFTER = timedelta(days=7)
_LASTING = (PATTERN, "current", "ongoing", None)     # scopes of what may be held for good; None: nobody said


def confirm(pen: Pen, *, powerful: bool) -> int:
    """Confirm what is due. Returns how many were.

    Silence confirms nothing: what was passed over until no trust is left stays as it is, alive
    and unconfirmed. Without ``powerful`` age alone counts; with it, age counts for what rules drew,
    and what a model drew waits for evidence.
    """
    confirmed = 0
    for one in pen.alive():
        if one.status != PENDING or is_past(one, pen.now):
            continue
        score = trust.score(one.evidence, pen.now)
        if powerful and trust.reaches(one.evidence, trust.CONFIRM_AT, pen.now):
            pen.entered(one.id, CONFIRMED, Because(rule="score"))
        elif _may_age(one, powerful=powerful) and score > 0 and pen.now - one.created_at >= SETTLES_AFTER:
            pen.entered(one.id, CONFIRMED, Because(rule="age"), auto_confirmed=True)
        else:
            continue
        confirmed += 1
    return confirmed


def promotion_rule(one: Reflection, now: datetime, *, powerful: bool) -> str | None:
    """By which rule a reflection has become worth holding for good; None while it is not."""
    if one.status != CONFIRMED or is_past(one, now):
        return None
    score = trust.score(one.evidence, now)
    if powerful and trust.reaches(one.evidence, trust.PROMOTE_AT, now):
        return "score"
    since = one.entered.get(CONFIRMED, one.created_at)
    lasts = one.temporal_scope in _LASTING and _may_age(one, powerful=powerful)
    return "age" if lasts and score > 0 and now - since >= SETTLES_AFTER else None


def _may_age(one: Reflection, *, powerful: bool) -> bool:
    return not powerful or one.method == METHOD
