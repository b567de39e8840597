"""What a fact that somebody stored has besides its text: category, exact importance, key, standing, origin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

PROFILE, PREFERENCES, ENTITIES = "profile", "preferences", "entities"
EVENTS, CASES, PATTERNS = "events", "cases", "patterns"
CATEGORIES = (PROFILE, PREFERENCES, ENTITIES, EVENTS, CASES, PATTERNS)
# Of these a later statement stands beside the earlier one; of the others it takes its place.
APPEND_ONLY = frozenset({EVENTS, CASES})

CANONICAL, DURABLE, SESSION, EVIDENCE = "canonical", "durable", "session", "evidence"
LAYERS = (CANONICAL, DURABLE, SESSION, EVIDENCE)
STRUCTURED, TRANSCRIPT, DOCUMENTS = "structured-memory", "transcript-ingest", "document-ingest"
AUTHORITIES = ("manual-document", STRUCTURED, DOCUMENTS, TRANSCRIPT, "session-checkpoint", "distillation")
LATEST_WINS, APPENDS, BY_HAND = "latest-wins", "append-only", "manual-review"
POLICIES = (LATEST_WINS, APPENDS, BY_HAND)

PATTERN, CASE = "pattern", "case"
ALWAYS_TAGGED: Mapping[str, tuple[str, ...]] = {PATTERN: ("workflow", "pattern"), CASE: ("case", "solution")}

PROVENANCE_KEPT = 80    # observations kept of one memory; all of them are counted

# Confidence by who wrote it.
_CONFIDENCE = {"manual": 0.9, "session_distill": 0.6, "conversation_import": 0.5}
_USUAL_CONFIDENCE = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """What kind of truth a memory is, and what happens when another one contradicts it."""

    layer: str
    authority: str
    policy: str
    original: str | None = None           # the category its writer meant
    downgraded_from: str | None = None    # the category it would have had, were it not evidence

    def to_json(self) -> dict[str, Any]:
        value: dict[str, Any] = {"layer": self.layer, "authority": self.authority, "policy": self.policy}
        if self.original is not None:
            value["original"] = self.original
        if self.downgraded_from is not None:
            value["downgraded_from"] = self.downgraded_from
        return value

    @classmethod
    def from_json(cls, value: object) -> Boundary | None:
        """None for anything that is none."""
        if not isinstance(value, Mapping):
            return None
        layer, authority, policy = (value.get(key) for key in ("layer", "authority", "policy"))
        if layer not in LAYERS or authority not in AUTHORITIES or policy not in POLICIES:
            return None
        return cls(
            layer=str(layer),
            authority=str(authority),
            policy=str(policy),
            original=_text(value.get("original")),
            downgraded_from=_text(value.get("downgraded_from")),
        )


def policy_of(category: str) -> str:
    """What becomes of a second statement about the same in a category."""
    return APPENDS if category in APPEND_ONLY else LATEST_WINS


def structured(category: str) -> Boundary:
    """The boundary of what was written on purpose."""
    return Boundary(layer=DURABLE, authority=STRUCTURED, policy=policy_of(category), original=category)


def from_transcript(detected: str) -> tuple[str, Boundary]:
    """Category and boundary of what a conversation seems to say.

    Who somebody is and what they like is never taken from talk alone: it is kept as an event until
    somebody promotes it.
    """
    if detected in (PROFILE, PREFERENCES):
        boundary = Boundary(
            layer=EVIDENCE, authority=TRANSCRIPT, policy=APPENDS, original=detected, downgraded_from=detected
        )
        return EVENTS, boundary
    return detected, Boundary(layer=EVIDENCE, authority=TRANSCRIPT, policy=policy_of(detected), original=detected)


def from_document(detected: str, *, lasting: bool) -> tuple[str, Boundary]:
    """Category and boundary of what a document says."""
    layer = DURABLE if lasting else EVIDENCE
    return detected, Boundary(layer=layer, authority=DOCUMENTS, policy=policy_of(detected), original=detected)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Evidence that a memory rests on."""

    memory_id: str
    scope: str | None = None
    category: str | None = None
    source: str | None = None
    boundary: Boundary | None = None
    observed_at: datetime | None = None   # aware

    def to_json(self) -> dict[str, Any]:
        value = {
            "memory_id": self.memory_id,
            "scope": self.scope,
            "category": self.category,
            "source": self.source,
            "boundary": self.boundary.to_json() if self.boundary is not None else None,
            "observed_at": self.observed_at.isoformat() if self.observed_at is not None else None,
        }
        return {key: item for key, item in value.items() if item is not None}

    @classmethod
    def from_json(cls, value: object) -> Provenance | None:
        memory_id = value.get("memory_id") if isinstance(value, Mapping) else None
        if not isinstance(value, Mapping) or not isinstance(memory_id, str) or not memory_id:
            return None
        return cls(
            memory_id=memory_id,
            scope=_text(value.get("scope")),
            category=_text(value.get("category")),
            source=_text(value.get("source")),
            boundary=Boundary.from_json(value.get("boundary")),
            observed_at=_moment(value.get("observed_at")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What was stored beside a fact's text."""

    category: str
    importance: float                         # 0..1, exact; the fact has it as 1..10
    boundary: Boundary
    label: str = "manual"                     # who wrote it
    tags: tuple[str, ...] = ()
    key: str | None = None                    # canonical; evidence has none
    also: Mapping[str, str] = field(default_factory=dict)   # keys of what was merged into it → fingerprint of that text
    version: int = 1
    supersedes: str | None = None             # id of the version before
    first_at: datetime | None = None          # aware; when the first version was written
    note: str | None = None                   # why this version was written
    form: str = "store"                       # store, pattern, case, promote or ingest
    structure: Mapping[str, Any] | None = None   # the parts of a pattern or case
    promoted_from: Provenance | None = None
    provenance: tuple[Provenance, ...] = ()   # the latest observations, by source
    provenance_count: int = 0                 # distinct sources ever observed
    merged_from: Mapping[str, Any] | None = None
    merged_ids: tuple[str, ...] = ()          # memories that were merged into it
    redacted: tuple[str, ...] = ()            # kinds of secrets that were taken out
    warned: tuple[str, ...] = ()              # kinds of personal data that it holds
    details: Mapping[str, Any] = field(default_factory=dict)   # what else its writer said of it

    @property
    def is_evidence(self) -> bool:
        return self.boundary.layer == EVIDENCE

    @property
    def own_tags(self) -> tuple[str, ...]:
        """Tags by which its writer calls it; not those that every pattern or case has."""
        always = ALWAYS_TAGGED.get(self.form, ())
        return tuple(tag for tag in self.tags if tag.casefold() not in always)

    @property
    def confidence(self) -> float:
        """0..1, by who wrote it."""
        return _CONFIDENCE.get(self.label, _USUAL_CONFIDENCE)

    @property
    def points(self) -> int:
        """Importance as the companion has it."""
        return points_of(self.importance)

    def to_json(self) -> dict[str, Any]:
        value: dict[str, Any] = {
            "category": self.category,
            "boundary": self.boundary.to_json(),
            "label": self.label,
            "key": self.key,
            "also": dict(self.also),
            "version": self.version,
            "supersedes": self.supersedes,
            "first_at": self.first_at.isoformat() if self.first_at is not None else None,
            "note": self.note,
            "form": self.form,
            "structure": self.structure,
            "promoted_from": self.promoted_from.to_json() if self.promoted_from is not None else None,
            "provenance": [one.to_json() for one in self.provenance],
            "provenance_count": self.provenance_count,
            "merged_from": self.merged_from,
            "merged_ids": list(self.merged_ids),
            "redacted": list(self.redacted),
            "warned": list(self.warned),
            "details": dict(self.details),
        }
        return {key: item for key, item in value.items() if item not in (None, [], {}, 0)}

    @classmethod
    def from_json(cls, value: object, *, tags: object, exact: object, points: int) -> Memory | None:
        """The memory beside a row, or None for a value that is none. ``points`` win over an exact value they deny."""
        if not isinstance(value, Mapping):
            return None
        get = value.get
        category, boundary = get("category"), Boundary.from_json(get("boundary"))
        if not isinstance(category, str) or boundary is None:
            return None
        also, structure, merged, details = (get(key) for key in ("also", "structure", "merged_from", "details"))
        version, count = get("version"), get("provenance_count")
        provenance = tuple(one for row in _list(get("provenance")) if (one := Provenance.from_json(row)) is not None)
        return cls(
            category=category,
            importance=_exact(exact, points),
            boundary=boundary,
            label=str(get("label") or "manual"),
            tags=_texts(tags),
            key=_text(get("key")),
            also={str(key): str(print_) for key, print_ in also.items()} if isinstance(also, Mapping) else {},
            version=version if isinstance(version, int) and version > 0 else 1,
            supersedes=_text(get("supersedes")),
            first_at=_moment(get("first_at")),
            note=_text(get("note")),
            form=str(get("form") or "store"),
            structure=structure if isinstance(structure, Mapping) else None,
            promoted_from=Provenance.from_json(get("promoted_from")),
            provenance=provenance,
            provenance_count=count if isinstance(count, int) else len(provenance),
            merged_from=merged if isinstance(merged, Mapping) else None,
            merged_ids=_texts(get("merged_ids")),
            redacted=_texts(get("redacted")),
            warned=_texts(get("warned")),
            details=details if isinstance(details, Mapping) else {},
        )


def points_of(importance: float) -> int:
    """1..10 for 0..1."""
    return min(max(round(10 * importance), 1), 10)


def _exact(value: object, points: int) -> float:
    """The exact importance, unless somebody changed the rounded one in the file."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= 1:
        return points / 10
    return float(value) if points_of(value) == points else points / 10


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in _list(value) if isinstance(one, str))


def _moment(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None
