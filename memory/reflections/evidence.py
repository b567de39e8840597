"""How far a reflection or persona entry is trusted: reinforcement against disputation, both fading."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory.clock import Clock
from memory.reflections import fields

CONFIRM_AT, PROMOTE_AT, ARCHIVE_AT = 1.0, 2.0, -2.0
ARCHIVE_AFTER_DAYS = 14                     # counted days below zero

_REINFORCED_HALF_LIFE, _DISPUTED_HALF_LIFE = 30.0, 180.0   # days
_DAY = 86_400.0
_FADED_TODAY = 0.02
_BONUS_AFTER = 2                            # facts of the user before each further one counts more
_SEEDS = {10: 0.8, 9: 0.6, 8: 0.4, 7: 0.2}

KEYS = (
    "reinforcement", "disputation", "rein_last_signal_at", "disp_last_signal_at", "user_fact_reinforce_count",
    "sub_zero_days", "sub_zero_last_increment_date",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What spoke for something and what against it. Fading is computed when read, never stored."""

    reinforcement: float = 0.0              # below zero only where another program wrote it
    disputation: float = 0.0                # never below zero
    reinforced_at: datetime | None = None   # aware; from when it fades
    disputed_at: datetime | None = None     # aware; fades on its own clock
    user_facts: int = 0                     # how often a fact of the user's own reinforced it
    sub_zero_days: int = 0
    sub_zero_on: str | None = None          # local day last counted, YYYY-MM-DD

    def to_fields(self) -> dict[str, Any]:
        return {
            "reinforcement": self.reinforcement,
            "disputation": self.disputation,
            "rein_last_signal_at": fields.stamp(self.reinforced_at),
            "disp_last_signal_at": fields.stamp(self.disputed_at),
            "user_fact_reinforce_count": self.user_facts,
            "sub_zero_days": self.sub_zero_days,
            "sub_zero_last_increment_date": self.sub_zero_on,
        }

    @classmethod
    def from_fields(cls, row: Mapping[str, Any], clock: Clock) -> Evidence:
        return cls(
            reinforcement=fields.number(row.get("reinforcement")),
            disputation=max(fields.number(row.get("disputation")), 0.0),
            reinforced_at=fields.moment(row.get("rein_last_signal_at"), clock),
            disputed_at=fields.moment(row.get("disp_last_signal_at"), clock),
            user_facts=fields.count(row.get("user_fact_reinforce_count")),
            sub_zero_days=fields.count(row.get("sub_zero_days")),
            sub_zero_on=fields.text(row.get("sub_zero_last_increment_date")),
        )


NONE = Evidence()


def score(evidence: Evidence, now: datetime) -> float:
    """Trust at this moment: confirmed from 1.0 on, worth promoting from 2.0 on, doubtful below 0."""
    held = evidence.reinforcement * 0.5 ** (_age_days(evidence.reinforced_at, now) / _REINFORCED_HALF_LIFE)
    against = evidence.disputation * 0.5 ** (_age_days(evidence.disputed_at, now) / _DISPUTED_HALF_LIFE)
    return float(held - against)


def reaches(evidence: Evidence, threshold: float, now: datetime) -> bool:
    """Whether the score is there, give or take the first hours of fading: one clear yes is enough to confirm."""
    return score(evidence, now) >= threshold - _FADED_TODAY


def is_disputed(evidence: Evidence, now: datetime) -> bool:
    """Whether somebody spoke against it and that outweighs the rest. Silence alone disputes nothing."""
    return evidence.disputation > 0 and score(evidence, now) < 0


def reinforced(evidence: Evidence, amount: float, now: datetime) -> Evidence:
    return replace(
        evidence, reinforcement=evidence.reinforcement + amount, reinforced_at=_later(evidence.reinforced_at, now)
    )


def reinforced_by_fact(evidence: Evidence, now: datetime, *, weight: float = 1.0) -> Evidence:
    """A fact of the user's own says the same: 0.5, and as much again from the third time on, times ``weight``."""
    times = evidence.user_facts + 1
    amount = 0.5 + (0.5 if times > _BONUS_AFTER else 0.0)
    return reinforced(replace(evidence, user_facts=times), amount * weight, now)


def disputed(evidence: Evidence, amount: float, now: datetime) -> Evidence:
    return replace(
        evidence, disputation=max(evidence.disputation + amount, 0.0), disputed_at=_later(evidence.disputed_at, now)
    )


def ignored(evidence: Evidence) -> Evidence:
    """The user let it pass. That may cost earned trust, but never makes a memory doubtful."""
    if evidence.reinforcement <= 0:
        return evidence
    return replace(evidence, reinforcement=max(evidence.reinforcement - 0.2, 0.0))


def shared(evidence: Evidence, parts: int) -> Evidence:
    """What each of the parts gets of the trust in something that was taken apart."""
    return replace(
        evidence, reinforcement=evidence.reinforcement / parts, disputation=evidence.disputation / parts
    )


def joined(one: Evidence, other: Evidence) -> Evidence:
    """Of each side the larger, never the sum, so that joining twice changes nothing; it goes on fading."""
    return replace(
        one,
        reinforcement=max(one.reinforcement, other.reinforcement),
        disputation=max(one.disputation, other.disputation),
        reinforced_at=_latest(one.reinforced_at, other.reinforced_at),
        disputed_at=_latest(one.disputed_at, other.disputed_at),
        user_facts=max(one.user_facts, other.user_facts),
    )


def merged(one: Evidence, other: Evidence, now: datetime) -> Evidence:
    """The same for what was told again just now: both clocks and the count begin anew."""
    return replace(joined(one, other), reinforced_at=now, disputed_at=now, sub_zero_days=0)


def seeded(importances: Iterable[int], now: datetime) -> Evidence:
    """What a new reflection begins with, by the weightiest fact it rests on."""
    amount = _SEEDS.get(max(importances, default=0), 0.0)
    return Evidence(reinforcement=amount, reinforced_at=now if amount else None)


def counted(evidence: Evidence, now: datetime) -> Evidence:
    """The day's count: one more day below zero, or the count begun anew once the score has recovered."""
    if not is_disputed(evidence, now):
        return replace(evidence, sub_zero_days=0) if evidence.sub_zero_days else evidence
    today = now.date().isoformat()
    if evidence.sub_zero_on == today:
        return evidence
    return replace(evidence, sub_zero_days=evidence.sub_zero_days + 1, sub_zero_on=today)


def _latest(one: datetime | None, other: datetime | None) -> datetime | None:
    return max((moment for moment in (one, other) if moment is not None), default=None)


def _later(before: datetime | None, now: datetime) -> datetime:
    """What was said earlier but is heard of only now does not make fresh trust old."""
    return now if before is None or before < now else before


def _age_days(since: datetime | None, now: datetime) -> float:
    return max((now - since).total_seconds() / _DAY, 0.0) if since is not None else 0.0
