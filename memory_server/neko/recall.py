"""POST /query_memory: recall by words, by time, or by both."""

from __future__ import annotations

import logging

from starlette.requests import Request
from starlette.responses import Response

from memory.engine import Engine
from memory.errors import SpaceClosed, UnknownSpace
from memory.recall.document import DEFAULT_TIERS
from memory.recall.query import Answer, Query
from memory.recall.when import parse_window
from memory.search import search
from memory_server.neko import wire
from memory_server.replies import reply
from memory_server.service import service_of

log = logging.getLogger(__name__)


async def query_memory(request: Request, name: str) -> Response:
    """The memories that answer, best first. Whatever goes wrong inside is an empty answer with an ``error_code``."""
    engine = service_of(request).engine
    if engine is None:
        return reply({"detail": "the memory is not initialised yet"}, 503)
    body = wire.read_query(await request.body())
    started = engine.clock.monotonic()
    try:
        answer = await _search(engine, name, body)
        elapsed = (engine.clock.monotonic() - started) * 1000
        return reply(wire.answer_to_json(answer, engine.clock, time=body.time, elapsed_ms=elapsed))
    except SpaceClosed:
        return reply(wire.failed_recall(body.query))
    except Exception as error:  # last handler of this route: the caller gets no exception's text
        log.error("/query_memory failed (%s)", type(error).__name__)
        return reply(wire.failed_recall(body.query))


async def _search(engine: Engine, name: str, body: wire.QueryBody) -> Answer:
    names = engine.cast.names(name)
    query = Query(
        text=(body.query or "").strip(),
        time=(body.time or "").strip(),
        tiers=tuple(body.tiers or DEFAULT_TIERS),
        limit=min(body.limit or engine.settings.recall_limit, engine.settings.recall_limit_max),
        context=body.context or 0,
        explain=body.explain,
        names=names,
    )
    try:
        async with engine.spaces.use(name) as space:
            return await search(space, query, names, engine.embedder)
    except UnknownSpace:
        return Answer(text=query.text, window=parse_window(query.time, engine.clock) if query.time else None)
