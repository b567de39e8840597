"""What a conversation starts from: /new_dialog, /get_recent_history and /last_conversation_gap. Nothing is written."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from memory import briefing
from memory.briefing import Briefing, RecentLine
from memory.engine import Engine
from memory.errors import UnknownSpace
from memory.history.turn import SYSTEM
from memory.locale import DEFAULT_LOCALE, country_of, detect, normalise
from memory.space import MemorySpace
from memory_server.replies import TextReply, reply
from memory_server.service import Service, engine_of, service_of

log = logging.getLogger(__name__)

_NEWEST = 10        # messages whose language counts
_EACH = 200         # characters looked at in each


async def new_dialog(request: Request, name: str) -> Response:
    """The text for a new model session, once no /renew or /settle is under way; empty for an unknown character."""
    service, engine = service_of(request), engine_of(request)
    if not _is_known(engine, name):
        return TextReply("")
    try:
        async with engine.spaces.use(name) as space, space.settling:
            return TextReply(briefing.new_dialog(await _parts(request, service, engine, space)))
    except UnknownSpace:  # published, but nothing was ever said
        names, locale = engine.cast.names(name), choose_locale(request, ())
        return TextReply(briefing.new_dialog(Briefing(names=names, locale=locale, now=engine.clock.now())))


async def recent_history(request: Request, name: str) -> Response:
    """The recent messages as one JSON string."""
    engine = engine_of(request)
    if not _is_known(engine, name):
        return reply(briefing.no_history(choose_locale(request, ())))
    try:
        async with engine.spaces.use(name) as space:
            lines = _lines(space)
    except UnknownSpace:
        lines = []
    return reply(briefing.recent_history(lines, engine.cast.names(name), choose_locale(request, lines)))


async def last_conversation_gap(request: Request, name: str) -> Response:
    """Seconds since something was last said; -1 where nothing was."""
    engine = engine_of(request)
    try:
        async with engine.spaces.use(name) as space:
            last = space.turns.last_at
    except UnknownSpace:
        last = None
    except Exception as error:  # this route has its own form of failure
        log.error("/last_conversation_gap failed (%s)", type(error).__name__)
        return reply({"gap_seconds": -1, "error": "server_error"}, 500)
    if last is None:
        return reply({"gap_seconds": -1})
    return reply({"gap_seconds": max(0.0, (engine.clock.now() - last).total_seconds())})


def choose_locale(request: Request, lines: Sequence[RecentLine]) -> str:
    """The language of an answer: what the caller names in ``?language=``, else that of the latest messages."""
    if (named := normalise(request.query_params.get("language"))) is not None:
        return named
    said = [line.text[:_EACH] for line in lines if line.kind != SYSTEM][-_NEWEST:]
    return detect("\n".join(said)) if said else DEFAULT_LOCALE


async def _parts(request: Request, service: Service, engine: Engine, space: MemorySpace) -> Briefing:
    names, lines, now = engine.cast.names(space.name), _lines(space), engine.clock.now()
    locale = choose_locale(request, lines)
    return Briefing(
        names=names,
        locale=locale,
        now=now,
        fallback=briefing.facts_block(space.facts, names, locale),
        recent=lines,
        last_turn_at=space.turns.last_at,
        holiday=await _holiday(service, now, locale),
    )


def _lines(space: MemorySpace) -> list[RecentLine]:
    speakers = {kept.turn.id: kept.turn.speaker for kept in space.turns.tail if kept.turn.speaker}
    return [
        RecentLine(kind=entry.kind, text=entry.text, speaker=speakers.get(entry.id) if entry.id else None)
        for entry in space.recent.entries
    ]


async def _holiday(service: Service, now: datetime, locale: str) -> str | None:
    if service.holiday is None:
        return None
    try:
        # The first question about a year computes it.
        return await asyncio.to_thread(service.holiday, now, locale, country_of(locale))
    except Exception as error:  # a line less, not a conversation less
        log.warning("no holiday could be told (%s)", type(error).__name__)
        return None


def _is_known(engine: Engine, name: str) -> bool:
    """Whether a character is configured or, where nothing says which are, has a memory."""
    published = engine.cast.published()
    return engine.spaces.exists(name) if published is None else name in published
