"""Bodies, as they are published. Fields that nobody published are passed over.

Texts are counted in UTF-16 code units, as the clients of this dialect count them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from memory.state.budget import units

_LARGEST = 2**53 - 1        # the largest whole number that JavaScript tells from the next one

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_CHARACTER = re.compile(r"\s*character\s*:.*\S.*", re.IGNORECASE | re.DOTALL)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)")
# pydantic's kinds of failure → the codes that clients of this dialect know
_CODES = {
    "missing": "invalid_type",
    "string_type": "invalid_type",
    "int_type": "invalid_type",
    "bool_type": "invalid_type",
    "list_type": "invalid_type",
    "dict_type": "invalid_type",
    "model_type": "invalid_type",
    "literal_error": "invalid_enum_value",
    "greater_than": "too_small",
    "greater_than_equal": "too_small",
    "too_short": "too_small",
    "less_than_equal": "too_big",
    "too_long": "too_big",
    "too_small": "too_small",
    "too_big": "too_big",
}


class Malformed(Exception):
    """A body that is no JSON."""


class Invalid(Exception):
    """A body that is not as it should be. ``details`` names places and never quotes a value."""

    def __init__(self, details: list[dict[str, Any]]) -> None:
        super().__init__("validation failed")
        self.details = details


def _scope(value: str) -> str:
    if not _UUID.fullmatch(value) and not _CHARACTER.fullmatch(value):
        raise ValueError("must be a UUID")
    return value


def _least(fewest: int) -> Callable[[str], str]:
    def check(value: str) -> str:
        if units(value) < fewest:
            raise ValueError(f"must contain at least {fewest} character(s)")
        return value

    return check


def _most(most: int) -> Callable[[str], str]:
    def check(value: str) -> str:
        if units(value) > most:
            raise ValueError(f"must contain at most {most} character(s)")
        return value

    return check


def _says_something(value: str) -> str:
    if not value.strip():
        raise ValueError("must contain at least 1 character(s) besides blanks")
    return value


def _whole(value: object) -> object:
    """A number without a fraction is whole, however it is written."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _countable(value: int) -> int:
    """A number beyond those that every client can count with means the largest of them."""
    return min(value, _LARGEST)


def _moment(value: object) -> datetime:
    if not isinstance(value, str) or not _MOMENT.fullmatch(value):
        raise ValueError("must be an ISO date and time with a zone")
    return datetime.fromisoformat(value)


def _moment_in_utc(value: object) -> datetime:
    if not isinstance(value, str) or not value.endswith("Z"):
        raise ValueError("must be an ISO date and time that ends in Z")
    return _moment(value)


def _trimmed(value: object) -> object:
    return value.strip() if isinstance(value, str) else value


ScopeId = Annotated[str, AfterValidator(_scope), WithJsonSchema({"type": "string", "format": "uuid"})]
Text = Annotated[str, AfterValidator(_least(1)), WithJsonSchema({"type": "string", "minLength": 1})]
NoteText = Annotated[
    str,
    AfterValidator(_says_something),
    AfterValidator(_most(500)),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": 500}),
]
Item = Annotated[
    str,
    BeforeValidator(_trimmed),
    AfterValidator(_least(1)),
    AfterValidator(_most(500)),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": 500}),
]
Summary = Annotated[
    str,
    BeforeValidator(_trimmed),
    AfterValidator(_most(2000)),
    WithJsonSchema({"type": "string", "maxLength": 2000}),
]
Moment = Annotated[datetime, BeforeValidator(_moment), WithJsonSchema({"type": "string", "format": "date-time"})]
MomentInUtc = Annotated[
    datetime, BeforeValidator(_moment_in_utc), WithJsonSchema({"type": "string", "format": "date-time"})
]
Whole = Annotated[int, BeforeValidator(_whole)]
Budget = Annotated[int, BeforeValidator(_whole), Field(gt=0), AfterValidator(_countable)]
Source = Literal["telegram", "cli", "api", "sdk"]


class Body(BaseModel):
    """What every body has in common. A field that is null counts as left out only where it may be."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class NewScope(Body):
    name: Text
    goal: Text | None = None
    stage: Literal["idea", "build", "test", "launch"] = "idea"
    template: Literal["project", "personal", "health", "learning"] = "project"


class NewEvent(Body):
    scopeId: ScopeId
    type: Literal["stream", "document"]
    source: Source = "api"
    key: Text | None = None
    content: Text
    occurredAt: Moment | None = None
    pinned: bool | None = None

    @model_validator(mode="after")
    def _documents_have_keys(self) -> NewEvent:
        if self.type == "document" and self.key is None:
            raise ValueError("key is required for documents")
        return self


class Retrieve(Body):
    scopeId: ScopeId
    query: Text | None = None
    limit: Annotated[Whole, Field(ge=1, le=100)] = 20
    maxChars: Budget | None = None


class Ask(Body):
    scopeId: ScopeId
    question: Text


class OneScope(Body):
    scopeId: ScopeId


class Overrides(Body):
    recallLimit: Annotated[Whole, Field(ge=1, le=100)] | None = None
    promoteLongFormToDocumented: bool | None = None
    digestOnCandidate: bool | None = None


class Turn(Body):
    scopeId: ScopeId
    message: Text
    source: Source | None = None
    policyProfile: Literal["default", "conservative", "document-heavy"] | None = None
    policyOverrides: Overrides | None = None
    writeTier: Literal["ephemeral", "candidate", "stable", "documented"] | None = None
    documentKey: Text | None = None
    digestMode: Literal["auto", "force", "skip"] = "auto"
    metadata: dict[str, Any] | None = None


class Forget(Body):
    scopeId: ScopeId
    factKey: Text


class Note(Body):
    scopeId: ScopeId
    text: NoteText


class Rebuild(Body):
    scopeId: ScopeId
    first: MomentInUtc | None = Field(default=None, alias="from")
    to: MomentInUtc | None = None
    strategy: Literal["full", "since_last_good"] = "full"


class Claim(Body):
    scopeId: ScopeId
    content: NoteText


class Webhook(Body):
    notificationWebhook: str | None


class HandOver(Body):
    scopeId: ScopeId
    summary: Summary | None = None
    openQuestions: Annotated[list[Item], Field(max_length=10)] = []
    nextSteps: Annotated[list[Item], Field(max_length=10)] = []
    clear: bool = False

    @model_validator(mode="before")
    @classmethod
    def _clearing_needs_nothing_else(cls, value: Any) -> Any:
        if isinstance(value, Mapping) and value.get("clear") is True:
            return {"scopeId": value.get("scopeId"), "clear": True}
        return value

    @model_validator(mode="after")
    def _something_is_handed_over(self) -> HandOver:
        if not self.clear and not self.summary:
            raise ValueError("summary is required")
        return self


class NewReminder(Body):
    scopeId: ScopeId | None = None
    dueAt: MomentInUtc
    text: Text


Model = TypeVar("Model", bound=Body)

_PLACED = {"key is required for documents": ["key"], "summary is required": ["summary"]}


def read_json(raw: bytes) -> Any:
    """What a body says; an empty one says ``{}``. Raises Malformed."""
    try:
        return json.loads(raw, parse_constant=_no_constant) if raw.strip() else {}
    except (ValueError, RecursionError):
        raise Malformed from None


def read_body(raw: bytes, model: type[Model]) -> Model:
    """A checked body. Raises Malformed or Invalid."""
    value = read_json(raw)
    try:
        return model.model_validate(_encodable(value))
    except ValidationError as error:
        raise Invalid([_issue(one) for one in error.errors(include_url=False, include_input=False)]) from None


def _issue(error: Any) -> dict[str, Any]:
    message = str(error["msg"]).removeprefix("Value error, ")
    code = _CODES.get(error["type"], "custom")
    if code == "custom" and "at least" in message:
        code = "too_small"
    elif code == "custom" and "at most" in message:
        code = "too_big"
    return {"code": code, "path": list(error["loc"]) or _PLACED.get(message, []), "message": message}


def _no_constant(_name: str) -> Any:
    raise ValueError("JSON has no such number")


def _encodable(value: Any) -> Any:
    """The value with U+FFFD in the place of every half of a character."""
    if isinstance(value, str):
        if value.isascii():
            return value
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_encodable(one) for one in value]
    if isinstance(value, dict):
        return {_encodable(key): _encodable(one) for key, one in value.items()}
    return value
