"""A sentence of the persona: what is held to be true of somebody, for good."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from memory.reflections import evidence as trust
from memory.reflections.evidence import Evidence
from memory.reflections.mentions import NEVER, Mentions

CARD, REFLECTED, BY_AGE, MANUAL, UNKNOWN = (
    "character_card", "reflection", "reflection_time_driven", "manual", "unknown",
)  # fmt: skip

_VERSIONS = 5                                       # earlier wordings kept
_TEXT_CACHES = (
    "token_count", "token_count_text_sha256", "token_count_tokenizer",
    "embedding", "embedding_text_sha256", "embedding_model_id",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One sentence in a section of the persona."""

    id: str
    text: str
    entity: str                                     # the section it stands in
    source: str = UNKNOWN
    source_id: str | None = None                    # the reflection it came from
    protected: bool = False                         # from the character card: fixed, beyond doubt
    evidence: Evidence = trust.NONE
    mentions: Mentions = NEVER
    merged_from_ids: tuple[str, ...] = ()
    versions: tuple[Mapping[str, Any], ...] = ()    # {"text", "replaced_at", "reason", "source_fact_id"}, oldest first
    added_at: datetime | None = None                # aware; None for entries of other programs
    slot: str | None = None                         # as in the facts it rests on
    object: str | None = None
    negated: bool = False
    source_fact_ids: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)  # fields we do not know, kept as they came


def score(entry: Entry, now: datetime) -> float:
    """Trust at this moment; a protected entry is beyond it."""
    return math.inf if entry.protected else trust.score(entry.evidence, now)


def reworded(entry: Entry, text: str, now: datetime, reason: str, **changes: Any) -> Entry:
    """The entry with another text; the old one joins its history."""
    before = {
        "text": entry.text,
        "replaced_at": now.replace(tzinfo=None).isoformat(),
        "reason": reason,
        "source_fact_id": changes.pop("source_fact_id", None),
    }
    return replace(with_text(entry, text), versions=(*entry.versions, before)[-_VERSIONS:], **changes)


def with_text(entry: Entry, text: str) -> Entry:
    """The entry with another text and without what was computed from the old one."""
    extra = {key: value for key, value in entry.extra.items() if key not in _TEXT_CACHES}
    return replace(entry, text=text, extra=extra)


def entry_key(entity: str, entry_id: str) -> str:
    """What tells an entry from all others: the same id may occur in two sections. The prompt spells it like this."""
    return f"persona.{entity}.{entry_id}"


def card_id(entity: str, name: str) -> str:
    """The id of the entry for a field of the character card."""
    return f"card_{_hash8(f'{entity}:{name}')}"


def promoted_id(reflection_id: str) -> str:
    return f"prom_{reflection_id}"


def inherited_id(entity: str, text: str) -> str:
    """The id given to an entry that came without one."""
    return f"legacy_{_hash8(f'{entity}:{text}')}"


def manual_id(text: str, now: datetime) -> str:
    return f"manual_{now:%Y%m%d%H%M%S}_{_hash8(text)}"


def _hash8(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
