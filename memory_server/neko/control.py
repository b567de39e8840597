"""What the calls between the companion's processes bring. Bodies are read leniently: what cannot be used is left out.

A caller of these has often nobody to tell of a refusal, and a reload must end the claims it does list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memory.errors import BadInput
from memory.names import check_name
from memory_server.neko.wire import WireError, read_json

TOKEN_LIMIT = 512               # characters; callers send 32

_TOKEN, _GENERATION, _HOLD = (
    "derived_task_claim_token", "derived_task_claim_generation", "hold_derived_task_admission",
)  # fmt: skip
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_TRUE, _FALSE = frozenset({"true", "1", "yes", "on", "t", "y"}), frozenset({"false", "0", "no", "off", "f", "n"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRequest:
    """The query of /release_character."""

    token: str
    generation: int
    hold: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReloadRequest:
    """The body of /reload. Names are as checked; one that is not allowed has no claims and is left out."""

    resume: Mapping[str, int | None] = field(default_factory=dict)             # generation, None: not said
    release_claims: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def read_claim(query: Mapping[str, str]) -> ClaimRequest:
    """The claim in a query. Raises BadInput for what is missing, WireError for what has the wrong form."""
    token = query.get(_TOKEN, "")
    if not token.strip():
        raise BadInput(_TOKEN, f"{_TOKEN} is missing or empty")
    if len(token) > TOKEN_LIMIT:
        raise BadInput(_TOKEN, f"{_TOKEN} is longer than {TOKEN_LIMIT} characters")
    if (generation := query.get(_GENERATION)) is None:
        raise BadInput(_GENERATION, f"{_GENERATION} is missing")
    if not _INTEGER.fullmatch(generation.strip()):
        raise _wrong(_GENERATION, "int_parsing", "Input should be a valid integer")
    hold = query.get(_HOLD, "false").strip().lower()
    if hold not in _TRUE | _FALSE:
        raise _wrong(_HOLD, "bool_parsing", "Input should be a valid boolean")
    return ClaimRequest(token=token, generation=int(generation), hold=hold in _TRUE)


def read_reload(raw: bytes) -> ReloadRequest:
    """The claims to end and the identities to publish."""
    body = read_object(raw)
    names = body.get("resume_derived_task_names")
    given = body.get("resume_derived_task_generations")
    resume: dict[str, int | None] = {}
    for place, raw_name in enumerate(names if isinstance(names, list) else []):
        if (name := _checked(raw_name)) is not None:
            resume[name] = _generation(given, place, raw_name)
    claims: dict[str, tuple[str, ...]] = {}
    listed = body.get("release_derived_task_claims")
    for raw_name, tokens in listed.items() if isinstance(listed, dict) else ():
        if (name := _checked(raw_name)) is not None and isinstance(tokens, list):
            usable = [token for token in tokens if isinstance(token, str) and 0 < len(token) <= TOKEN_LIMIT]
            claims[name] = (*claims.get(name, ()), *usable)
    return ReloadRequest(resume=resume, release_claims=claims)


def read_reason(raw: bytes) -> str:
    """The reason somebody gives, or an empty one."""
    reason = read_object(raw).get("reason")
    return reason.strip() if isinstance(reason, str) else ""


def read_surfaced(raw: bytes) -> list[str]:
    """The ids of the reflections that were shown."""
    ids = read_object(raw).get("reflection_ids")
    return [known for known in ids if isinstance(known, str) and known] if isinstance(ids, list) else []


def read_object(raw: bytes) -> dict[str, Any]:
    """A body that may be left out; empty for whatever is no JSON object."""
    try:
        body = read_json(raw)
    except WireError:
        return {}
    return body if isinstance(body, dict) else {}


def _generation(given: object, place: int, name: str) -> int | None:
    """The generation of one name: from an object by name, or from an array beside the names."""
    value = given.get(name) if isinstance(given, dict) else None
    if isinstance(given, list) and place < len(given):
        value = given[place]
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _checked(name: object) -> str | None:
    if not isinstance(name, str):
        return None
    try:
        return check_name(name)
    except BadInput:
        return None


def _wrong(name: str, kind: str, message: str) -> WireError:
    return WireError(422, [{"type": kind, "loc": ["query", name], "msg": message}])
