"""Bringing in what was said or written elsewhere, as evidence: found by recall, never a durable memory by itself."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.facts.desk import registered
from memory.facts.fact import INGESTED, Fact, text_hash
from memory.facts.memory import EVENTS, Memory, from_document, from_transcript, points_of
from memory.facts.record import to_record
from memory.facts.secrets import redact
from memory.scopes import Scope
from memory.space import MemorySpace

log = logging.getLogger(__name__)

TEXT_LIMIT = 16_000         # characters of one record

# Sources whose records are conversations; any other source brings documents.
TRANSCRIPTS = frozenset({"cc", "codex", "gemini", "kimi", "antigravity", "minis", "conversation", "chat"})
_LASTING = ("memory", "asset")      # scopes in which a document counts as settled
_USUAL_IMPORTANCE = 0.5

_INJECTED = re.compile(
    r"<(?:relevant-memories|system-reminder|memory-context|retrieved_memories)\b|^\s*\[(?:recalled|memory) context\]",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"^\W*(?:sorry\W+)?(?:i (?:don['’]t|do not|can(?:no|['’])t) (?:remember|recall|have any (?:memory|record))\b"
    r"|我不记得|我没有(?:任何)?(?:记忆|印象))",
    re.IGNORECASE,
)
_ABOUT_MEMORY = re.compile(
    r"^\W*(?:(?:do|did) you (?:still )?(?:remember|recall)\b|did i (?:ever )?tell you\b|你还?记得)"
    r"[^.!。！]*[?？]?\s*$",
    re.IGNORECASE,
)
_ACKNOWLEDGEMENT = re.compile(
    r"^\W*(?:ok(?:ay)?|yes|no|thanks?|thank you|hi|hello|hey|sure|done|got it|好的?|嗯+|是的|谢谢|收到|你好)\W*$",
    re.IGNORECASE,
)
_HEARTBEAT = re.compile(r"^\W*(?:heartbeat|ping|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)\W*$", re.IGNORECASE)
_SEVERED = re.compile(r"^\s*(?:[\]}],?|\"[\w\-]+\"\s*:|[{\[]\s*\"[\w\-]+\"\s*:[^}\]]*$)")
_NOISE = (_INJECTED, _DENIAL, _ABOUT_MEMORY, _ACKNOWLEDGEMENT, _HEARTBEAT, _SEVERED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """One record from elsewhere."""

    text: str
    source: str                             # where it comes from, as a label: cc, codex, mail …
    category: str = EVENTS                  # what it seems to be
    outside_id: str | None = None           # its id there; the same record is brought in once
    importance: float = _USUAL_IMPORTANCE   # 0..1
    tags: tuple[str, ...] = ()
    at: datetime | None = None              # aware; when it was said, if that is known
    file: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """What became of records, in numbers."""

    scope: Scope
    added: int
    known: int
    noise: int
    ids: tuple[str, ...]                    # of what was added


def is_noise(text: str) -> bool:
    """Whether a record is not worth keeping: greetings, denials, questions about memory, scraps, recall's output."""
    return not any(char.isalnum() for char in text) or any(pattern.search(text) for pattern in _NOISE)


async def ingest(space: MemorySpace, scope: Scope, records: Sequence[Brought]) -> Ingested:
    """Keep records as evidence, all in one commit. What is there already, and noise, is passed over."""
    worth = [record for record in records if not is_noise(record.text)]
    added: dict[str, Fact] = {}
    hashes: set[str] = set()
    outside: set[str] = set()
    async with space.journal.write() as batch:
        now = space.clock.now()
        for record in worth:
            fact = _fact(space, scope, record, now)
            own = record.outside_id
            if (own is not None and (own in outside or space.facts.holdings.brought_as(own))) or (
                text_hash(fact.text) in hashes or space.facts.same_text(text_hash(fact.text)) is not None
            ):
                continue
            hashes.add(text_hash(fact.text))
            outside |= {own} if own is not None else set()
            added[fact.id] = fact
            payload: Mapping[str, object] = {
                "fact_id": fact.id, "entity": fact.entity, "importance": fact.importance,
            }  # fmt: skip
            batch.add("fact.added", to_record(fact), payload)
        named = registered(space.views.scope, scope)
        if added and named.character is None and space.views.scope.empty:
            told = {"dialect": named.dialect, "owner": named.owner, "name": named.name}
            batch.entries.insert(0, ("scope.named", told, {}))
    log.info("%s: %d records brought in, %d were noise", space.name, len(added), len(records) - len(worth))
    return Ingested(
        scope=named,
        added=len(added),
        known=len(worth) - len(added),
        noise=len(records) - len(worth),
        ids=tuple(added),
    )


def _fact(space: MemorySpace, scope: Scope, record: Brought, now: datetime) -> Fact:
    done = redact(record.text.strip()[:TEXT_LIMIT])
    if record.source in TRANSCRIPTS:
        category, boundary = from_transcript(record.category)
    else:
        category, boundary = from_document(record.category, lasting=scope.folded.partition(":")[0] in _LASTING)
    moment = min(record.at, now) if record.at is not None else now
    details = {"outside_id": record.outside_id, "file": record.file}
    return Fact(
        id=space.ids.new("fact"),
        text=done.text,
        created_at=moment,
        importance=points_of(record.importance),
        source=INGESTED,
        event_start_at=moment,
        signal_processed=True,
        memory=Memory(
            category=category,
            importance=record.importance,
            boundary=boundary,
            label=record.source,
            tags=record.tags,
            form="ingest",
            first_at=now,
            redacted=done.secrets,
            warned=done.personal,
            details={key: value for key, value in details.items() if value is not None},
        ),
    )
