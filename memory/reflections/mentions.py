"""How often something was brought up lately, and whether it should rest for a while."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from memory.clock import Clock
from memory.reflections import fields

WINDOW = timedelta(hours=5)
MOST = 2            # mentions in the window before it rests

KEYS = ("recent_mentions", "suppress", "suppressed_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mentions:
    """When it was voiced, newest last."""

    at: tuple[datetime, ...] = ()           # aware
    resting: bool = False
    since: datetime | None = None           # aware; when it was put to rest

    def to_fields(self) -> dict[str, Any]:
        return {
            "recent_mentions": [fields.stamp(moment) for moment in self.at],
            "suppress": self.resting,
            "suppressed_at": fields.stamp(self.since),
        }

    @classmethod
    def from_fields(cls, row: Mapping[str, Any], clock: Clock) -> Mentions:
        raw = row.get("recent_mentions")
        moments = (fields.moment(one, clock) for one in raw) if isinstance(raw, list) else ()
        return cls(
            at=tuple(moment for moment in moments if moment is not None),
            resting=row.get("suppress") is True,
            since=fields.moment(row.get("suppressed_at"), clock),
        )


NEVER = Mentions()


def is_resting(mentions: Mentions, now: datetime) -> bool:
    """Whether it must not be raised now. Ends by itself, so nothing has to be written when it does."""
    return mentions.resting and (mentions.since is None or now - mentions.since < WINDOW)


def mentioned(mentions: Mentions, now: datetime) -> Mentions:
    """One more mention; the third in five hours puts it to rest."""
    if is_resting(mentions, now):
        return mentions
    before = () if mentions.resting else mentions.at  # a rest that is over clears the count
    recent = (*(moment for moment in before if moment <= now < moment + WINDOW), now)
    if len(recent) > MOST:
        return Mentions(at=recent, resting=True, since=now)
    return Mentions(at=recent)


def put_to_rest(mentions: Mentions, now: datetime) -> Mentions:
    """It must not be raised for a while, whoever asked for it."""
    return Mentions(at=mentions.at, resting=True, since=now)
