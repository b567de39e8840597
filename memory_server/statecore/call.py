"""What a handler of this dialect is given, and how requests are told apart by who asks."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from starlette.requests import Request

from memory import tenancy
from memory.engine import Engine
from memory.models.chat import Tier
from memory.space import MemorySpace
from memory.state.answered import Request as KeyedRequest
from memory.tenancy import Place, User
from memory_server.service import Service

USER, TELEGRAM = "x-user-id", "x-telegram-user-id"
KEY = "idempotency-key"
FEATURE_TIERS = (Tier.CHAT, Tier.SUMMARY)       # a model behind either is enough

Body = TypeVar("Body")
Answer = Mapping[str, Any]


class Unidentified(Exception):
    """Nobody says who asks."""


class FeatureOff(Exception):
    """The operation needs a language model. ``tail`` is what its message ends with."""

    def __init__(self, tail: str = "") -> None:
        super().__init__("feature off")
        self.tail = tail


class NotFound(Exception):
    """Something is not there, or is somebody else's, which looks the same."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Refused(Exception):
    """A query that is not as it should be."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NotThere(Exception):
    """An operation that this version does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[Body]):
    """One request, read and checked."""

    service: Service
    engine: Engine
    user: User
    body: Body
    path: Mapping[str, str]
    query: Mapping[str, str]
    request: KeyedRequest | None = None     # where the caller gave a key

    @asynccontextmanager
    async def using(self, scope_id: str) -> AsyncIterator[tuple[Place, MemorySpace]]:
        async with tenancy.using(self.engine, self.user, scope_id) as used:
            yield used

    @property
    def scope_id(self) -> str:
        """The scope in the query. Raises Refused where there is none."""
        scope_id = self.query.get("scopeId", "")
        if not scope_id.strip():
            raise Refused("scopeId required")
        return scope_id


Handler = Callable[[Call[Any]], Awaitable[Answer]]


def identify(request: Request, local_token: str) -> tuple[str, bool]:
    """Who asks, and whether that is the local user. Raises Unidentified."""
    telegram = request.headers.get(TELEGRAM, "").strip()
    if telegram:
        return f"telegram:{telegram}", False
    token = request.headers.get(USER, "").strip()
    if not token:
        raise Unidentified
    return (f"local:{token}", True) if token == local_token else (f"user:{token}", False)


def keyed(request: Request, user: User, path: str, raw: bytes) -> KeyedRequest | None:
    """The key that a write came with, and its body, both as hashes."""
    key = request.headers.get(KEY, "").strip()
    if not key:
        return None
    told = "\n".join((user.id, path, key))
    return KeyedRequest(
        key=hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest(), body=hashlib.sha256(raw).hexdigest()
    )


def has_model(service: Service) -> bool:
    """Whether operations that need a language model are on: as the switch says, else as the tiers are."""
    if service.feature_llm is False or service.engine is None:
        return False
    return any(map(service.engine.chat.configured, FEATURE_TIERS))
