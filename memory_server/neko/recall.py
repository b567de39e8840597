"""POST /query_memory: recall by words, by time, or by both."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from memory.clock import Clock, naive_local
from memory.engine import Engine
from memory.errors import UnknownSpace
from memory.recall.document import DEFAULT_TIERS, Document
from memory.recall.query import Answer, Explanation, Hit, Query
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
        query, found = await _search(engine, name, body)
        elapsed = round((engine.clock.monotonic() - started) * 1000, 1)
        return reply(answered(query, found, elapsed, engine.clock))
    except Exception as error:  # last handler of this route: the caller gets no exception's text
        log.error("/query_memory failed (%s)", type(error).__name__)
        failed = {"results": [], "query": body.query or "", "candidates_total": 0, "elapsed_ms": 0.0}
        return reply({**failed, "error_code": "hybrid_recall_failed"})


async def _search(engine: Engine, name: str, body: wire.QueryBody) -> tuple[Query, Answer]:
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
            return query, await search(space, query, names)
    except UnknownSpace:
        return query, Answer(text=query.text, window=parse_window(query.time, engine.clock) if query.time else None)


def answered(query: Query, found: Answer, elapsed_ms: float, clock: Clock) -> dict[str, Any]:
    """The body of an answer. ``time`` comes back only when it was all that was asked for."""
    body: dict[str, Any] = {
        "results": [_result(hit, clock) for hit in found.hits],
        "query": found.text,
        "candidates_total": found.candidates_total,
        "elapsed_ms": elapsed_ms if found.text or found.window is not None else 0.0,
    }
    if not found.text and found.window is not None:
        body["time"] = query.time
    return body


def _result(hit: Hit, clock: Clock) -> dict[str, Any]:
    result = _document(hit.document, clock)
    result["score"] = hit.score
    if hit.before:
        result["before"] = [_document(document, clock) for document in hit.before]
    if hit.after:
        result["after"] = [_document(document, clock) for document in hit.after]
    if hit.explanation is not None:
        result["explanation"] = _explanation(hit.explanation)
    return result


def _document(document: Document, clock: Clock) -> dict[str, Any]:
    return {
        "id": document.id,
        "text": document.text,
        "tier": document.tier,
        "entity": document.entity,
        "score": None,
        "created_at": _local(document.created_at, clock),
        "event_start_at": _local(document.start, clock),
        "event_end_at": _local(document.end, clock),
        "sources": list(document.sources),
    }


def _explanation(explanation: Explanation) -> dict[str, Any]:
    return {
        "terms": list(explanation.terms),
        "ranks": dict(explanation.ranks),
        "parts": {part: round(value, 6) for part, value in explanation.parts.items()},
        "total": round(explanation.total, 6),
    }


def _local(moment: datetime | None, clock: Clock) -> str | None:
    """Local wall time without an offset, as this dialect writes times."""
    return None if moment is None else naive_local(clock.local(moment))
