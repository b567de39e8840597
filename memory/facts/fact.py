"""A durable statement."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory.facts.memory import Memory

MASTER, NEKO, RELATIONSHIP = "master", "neko", "relationship"
ENTITIES = (MASTER, NEKO, RELATIONSHIP)

USER_OBSERVATION, AI_DISCLOSURE = "user_observation", "ai_disclosure"
STORED, INGESTED = "stored", "ingested"     # written by a client on purpose; brought in from elsewhere

MATTERS = 5     # importance from which on reflections are drawn from a fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something worth remembering, in one sentence."""

    id: str
    text: str
    created_at: datetime                      # aware; when it was learnt, not when it happened
    entity: str = MASTER
    importance: int = 5                       # 1..10
    source: str = USER_OBSERVATION
    event_when_raw: Mapping[str, Any] | None = None   # relative to the message it came from
    event_start_at: datetime | None = None    # aware
    event_end_at: datetime | None = None      # aware
    absorbed: bool = False                    # consumed by a reflection
    signal_processed: bool = False            # compared with what was already known
    method: str | None = None                 # "rules/v1", or tier and model
    confidence: float | None = None           # 0..1
    sources: tuple[str, ...] = ()             # ids of the turns it rests on
    row: int = 0                              # row of the first of these turns; 0: unknown
    slot: str | None = None                   # what it answers, e.g. "home"; see facts/rules
    object: str | None = None                 # the value in the slot, folded for comparison
    negated: bool = False                     # polarity of the statement
    correction: bool = False                  # said with a cue of change: "actually", "anymore"
    superseded_by: str | None = None          # id of the fact that replaced it
    denied_in: str | None = None              # id of the turn in which the user said that it is not so
    repeated_at: tuple[datetime, ...] = ()    # aware; when it was said again, oldest first
    memory: Memory | None = None              # what was stored beside the text; None for what a conversation taught
    extra: Mapping[str, Any] = field(default_factory=dict)  # fields we do not know, kept as they came

    @property
    def hash(self) -> str:
        return text_hash(self.text)

    @property
    def stands(self) -> bool:
        """Whether it was neither replaced nor denied."""
        return self.superseded_by is None and self.denied_in is None

    @property
    def may_be_absorbed(self) -> bool:
        """Whether it is the user's own, stands, matters, and no reflection was drawn from it yet."""
        return (
            not self.absorbed
            and self.stands
            and self.importance >= MATTERS
            and self.source == USER_OBSERVATION
            and self.memory is None
        )


def text_hash(text: str) -> str:
    """The first 16 hex digits of SHA-256 over the UTF-8 text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]
