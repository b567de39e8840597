"""A client of the RecallNest dialect that holds every answer against its published shape."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from types import UnionType
from typing import Any

import httpx2
from pydantic import TypeAdapter

from memory.engine import Engine
from memory.facts.ingest import Brought, ingest
from memory.scoped import shown_id
from memory.scopes import read_scope
from memory.store import layout
from memory_server.recallnest.routes import ENDPOINTS, Endpoint
from memory_server.recallnest.wire.replies import Error
from tests.fakes import FixedClock

DEMO, OTHER = "project:demo", "project:other"
CONCISE = "User prefers concise, direct replies."
COLLOQUIAL = "User prefers colloquial writing that stays grounded and non-salesy."


class HexIds:
    """Ids with the form of real ones, the same in every run."""

    def __init__(self) -> None:
        self._made: Counter[str] = Counter()

    def new(self, kind: str) -> str:
        self._made[kind] += 1
        return f"{kind}_{hashlib.sha256(f'{kind}{self._made[kind]}'.encode()).hexdigest()[:32]}"


class Nest:
    """Requests, and what they are answered with."""

    def __init__(self, client: httpx2.AsyncClient, engine: Engine, clock: FixedClock) -> None:
        self.client = client
        self.engine = engine
        self.clock = clock

    async def post(self, path: str, body: Mapping[str, Any] | None = None, *, status: int | None = None) -> Any:
        answer = await self.client.post(path, json=dict(body or {}))
        return checked("POST", path, answer, status)

    async def get(self, path: str, *, expect: int | None = None, **query: Any) -> Any:
        answer = await self.client.get(path, params=query)
        return checked("GET", path, answer, expect)

    async def refused(self, path: str, body: Mapping[str, Any]) -> str:
        """The sentence with which a request is refused."""
        answer = await self.post(path, body, status=400)
        return str(answer["error"])

    async def store(self, text: str, scope: str = DEMO, **fields: Any) -> Any:
        return await self.post("/v1/store", {"text": text, "scope": scope, **fields})

    async def texts(self, query: str, scope: str | None = DEMO, **fields: Any) -> list[str]:
        """Texts that recall finds; without a scope, in all."""
        asked = {"query": query, **({"scope": scope} if scope is not None else {"allScopes": True}), **fields}
        return [result["text"] for result in (await self.post("/v1/recall", asked))["results"]]

    async def evidence(self, text: str, *, scope: str = "cc:a1b2c3d4", category: str = "events") -> str:
        """Bring in something from a transcript; the id that clients see."""
        place = read_scope(scope)
        async with self.engine.scoped.writing(place) as space:
            done = await ingest(space, place, [Brought(text=text, source="cc", category=category)])
        return shown_id(done.ids[0])

    async def damage(self, scope: str) -> None:
        """Spoil the journal of a scope in the middle; what three stores said is still there to be read."""
        for number in range(3):
            await self.store(f"Note {number} of {scope}", scope)
        space = read_scope(scope).space
        async with self.engine.spaces.closed(space):
            path = self.engine.spaces.directory(space) / layout.EVENTS
            lines = path.read_bytes().splitlines(keepends=True)
            path.write_bytes(b"".join([*lines[:2], b"{spoilt\n", *lines[3:]]))

    async def conflict(self, conflict_id: str) -> Any:
        return (await self.get("/v1/conflicts", conflictId=conflict_id))["conflict"]

    async def history(self, memory_id: str) -> list[str]:
        return [version["text"] for version in (await self.get(f"/v1/memories/{memory_id}"))["history"]]


def checked(method: str, path: str, answer: httpx2.Response, status: int | None) -> Any:
    """The body, once it has the shape and status that are published for it."""
    body = answer.json()
    endpoint = endpoint_of(method, path)
    assert answer.status_code == (status or endpoint.status), body
    if answer.status_code < 300:
        adapter_of(endpoint.reply).validate_python(body)
    else:
        Error.model_validate(body)
    return body


def adapter_of(reply: Any) -> TypeAdapter[Any]:
    assert isinstance(reply, type | UnionType)
    return TypeAdapter(reply)


def endpoint_of(method: str, path: str) -> Endpoint:
    plain = "/v1/memories/{memoryId}" if path.startswith("/v1/memories/") else path
    return next(one for one in ENDPOINTS if (one.method, one.path) == (method, plain))
