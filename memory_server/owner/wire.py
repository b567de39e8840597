"""What may be asked at the owner's door, and how answers are spelt."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memory.backup import BackedUp
from memory.clock import Clock, naive_local
from memory.dead_letters import Letter
from memory.erase import Receipt
from memory.errors import BadInput
from memory.recall.query import Hit
from memory.selection import Selection
from memory.work.agenda import JobState

Parts = Literal["facts", "reflections", "persona", "history"]
Tier = Literal["fact", "reflection", "fact_archive", "turn", "persona"]
Category = Literal["profile", "preferences", "entities", "events", "cases", "patterns"]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


Name = Annotated[str, Field(min_length=1, max_length=1000)]
Id = Annotated[str, Field(min_length=1, max_length=200)]


class Nothing(_Body):
    """No arguments."""


class OneCharacter(_Body):
    name: Name


class Show(OneCharacter):
    part: Parts
    limit: int = Field(default=20, ge=1, le=10_000)


class Recall(OneCharacter):
    query: str = Field(default="", max_length=10_000)
    time: str = Field(default="", max_length=200)
    limit: int = Field(default=8, ge=1, le=50)
    tiers: list[Tier] | None = None


class Forget(OneCharacter):
    match: str | None = Field(default=None, max_length=10_000)
    ids: list[Id] = Field(default_factory=list, max_length=1_000)


class Retry(_Body):
    name: Name | None = None
    ids: list[Id] | None = Field(default=None, max_length=10_000)


class Backup(_Body):
    characters: list[Name] | None = None


class Record(_Body):
    """Something said or written elsewhere."""

    text: Annotated[str, Field(min_length=1, max_length=100_000)]
    id: Id | None = None                            # where it comes from; brought in once
    category: Category | None = None
    importance: Annotated[float, Field(ge=0, le=1)] | None = None
    tags: list[Annotated[str, Field(min_length=1, max_length=160)]] = Field(default_factory=list, max_length=32)
    at: Annotated[str, Field(max_length=64)] | None = None      # ISO 8601
    file: Annotated[str, Field(max_length=1_000)] | None = None


class Ingest(_Body):
    """Records of one source, for one scope."""

    scope: Annotated[str, Field(min_length=1, max_length=640)]
    source: Annotated[str, Field(min_length=1, max_length=160)]
    records: list[Record] = Field(min_length=1, max_length=1_000)


class Rename(OneCharacter):
    new_name: Name


Body = TypeVar("Body", bound=_Body)


def read(model: type[Body], value: object) -> Body:
    """A checked body. Raises BadInput, which names the field and never quotes a value."""
    try:
        return model.model_validate(value if value is not None else {})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "body"
        raise BadInput(field, first["msg"]) from None


def selected(selection: Selection) -> dict[str, Any]:
    return {
        "items": [{"kind": item.kind, "id": item.id, "text": item.text} for item in selection.items],
        "leftovers": selection.leftovers,
    }


def receipt(done: Receipt) -> dict[str, Any]:
    return {
        "items": dict(done.items),
        "journal_lines": done.journal_lines,
        "database_rows": done.database_rows,
        "files_changed": done.files_changed,
        "files_removed": done.files_removed,
        "elsewhere": list(done.elsewhere),
    }


def backed_up(done: BackedUp) -> dict[str, Any]:
    return {
        "path": str(done.path),
        "characters": list(done.characters),
        "files": done.files,
        "bytes": done.bytes,
    }


def hit(found: Hit, clock: Clock) -> dict[str, Any]:
    document = found.document
    return {
        "id": document.id,
        "tier": document.tier,
        "text": document.text,
        "score": found.score,
        "created_at": naive_local(clock.local(document.created_at)),
        "happened_from": naive_local(clock.local(document.start)) if document.start else None,
        "happened_until": naive_local(clock.local(document.end)) if document.end else None,
        "sources": list(document.sources),
    }


def job(state: JobState, now: datetime) -> dict[str, Any]:
    """The state of a job."""
    age = None if state.oldest is None else max(0.0, round((now - state.oldest).total_seconds()))
    return {
        "name": state.name,
        "tier": state.tier,
        "done_by": state.done_by,
        "backlog": state.backlog,
        "oldest_age_seconds": age,
        "breaker": state.breaker,
        "dead_letters": state.dead_letters,
    }


def letter(name: str, one: Letter) -> dict[str, Any]:
    """A dead letter of a memory."""
    return {
        "memory": name, "id": one.id, "job": one.job, "reason": one.reason, "at": one.at, "attempts": one.attempts,
        "about": list(one.about),
    }  # fmt: skip


def arguments(value: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a call without those that nobody gave."""
    return {key: given for key, given in value.items() if given is not None}
