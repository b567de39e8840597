"""The four history writes: /cache, /process, /renew and /settle."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from memory.engine import Engine
from memory.errors import BadInput
from memory.history import record
from memory.history import settle as settling
from memory.history.record import Incoming, RequestKey
from memory.space import MemorySpace
from memory_server.neko import wire
from memory_server.neko.errors import write_failed
from memory_server.replies import reply
from memory_server.service import engine_of

KEY_HEADER = "Idempotency-Key"
KEY_LIMIT = 255                 # printable ASCII characters

_Write = Callable[[Engine, MemorySpace, Incoming], Awaitable[dict[str, object]]]


async def cache(request: Request, name: str) -> Response:
    """Messages of a turn that has just ended: made durable, nothing more."""
    return await _write(request, name, "/cache", _cache)


async def process(request: Request, name: str) -> Response:
    """An increment of a conversation, after which the window is kept short."""
    return await _write(request, name, "/process", _process)


async def renew(request: Request, name: str) -> Response:
    """The first increment of a renewed session; /new_dialog waits for the whole of it."""
    return await _write(request, name, "/renew", _renew)


async def settle(request: Request, name: str) -> Response:
    """The end of a conversation, usually cached already; /new_dialog waits for the whole of it."""
    return await _write(request, name, "/settle", _settle)


async def _write(request: Request, name: str, route: str, write: _Write) -> Response:
    raw = await request.body()
    key = _request_key(request, raw)
    try:
        body = wire.read_history(raw)
        engine = engine_of(request)
        incoming = Incoming(
            messages=wire.decode_history(body.input_history, engine.clock), key=key, language=body.locale
        )
        async with engine.spaces.use(name, create=True) as space:
            space.touch()
            return reply(await write(engine, space, incoming))
    except Exception as error:  # last handler of the history writes
        return write_failed(error, route)


async def _cache(engine: Engine, space: MemorySpace, incoming: Incoming) -> dict[str, object]:
    return {"status": "cached", "count": await record.cache(space, incoming)}


async def _process(engine: Engine, space: MemorySpace, incoming: Incoming) -> dict[str, object]:
    await settling.process(space, engine.cast.names(space.name), engine.chat, incoming)
    return {"status": "processed"}


async def _renew(engine: Engine, space: MemorySpace, incoming: Incoming) -> dict[str, object]:
    await settling.settle(space, engine.cast.names(space.name), engine.chat, incoming)
    return {"status": "processed"}


async def _settle(engine: Engine, space: MemorySpace, incoming: Incoming) -> dict[str, object]:
    await settling.settle(space, engine.cast.names(space.name), engine.chat, incoming)
    return {"status": "settled"}


def _request_key(request: Request, raw: bytes) -> RequestKey | None:
    """The idempotency key and the body it came with, as hashes. Raises BadInput."""
    given = request.headers.getlist(KEY_HEADER)
    if not given:
        return None
    key = given[0]
    if len(given) > 1 or not 1 <= len(key) <= KEY_LIMIT or not all(" " <= char <= "~" for char in key):
        raise BadInput(KEY_HEADER, f"must be one value of 1 to {KEY_LIMIT} printable ASCII characters")
    return RequestKey(hashlib.sha256(key.encode()).hexdigest(), hashlib.sha256(raw).hexdigest())
