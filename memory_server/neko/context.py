"""What a conversation starts from, and what is known of a character: nothing said is changed by asking."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response

from memory import briefing, tokens
from memory.briefing import Briefing, RecentLine
from memory.engine import Engine
from memory.errors import DamagedSpace, SpaceClosed, StorageBlocked, UnknownSpace
from memory.history.turn import SYSTEM
from memory.locale import DEFAULT_LOCALE, country_of, detect, normalise
from memory.persona import mind, strangers
from memory.persona.legacy import legacy_settings
from memory.recall.query import Query
from memory.search import search
from memory.space import MemorySpace
from memory.strings.catalogue import say
from memory_server.replies import TextReply, reply
from memory_server.service import Service, engine_of, service_of

log = logging.getLogger(__name__)

_NEWEST = 10        # messages whose language counts
_EACH = 200         # characters looked at in each
_ASKED = 2_000      # characters of a question that are looked for
_RECALL_TOKENS = 600


async def new_dialog(request: Request, name: str) -> Response:
    """The text for a new model session, once no /renew or /settle is under way; empty for an unknown character.

    With ``?recall=…`` what answers that is told besides, so that nothing depends on a model asking for it.
    """
    service, engine = service_of(request), engine_of(request)
    if not is_known(engine, name):
        return TextReply("")
    try:
        async with engine.spaces.use(name) as space, space.settling:
            space.touch()
            await sync_cards(engine, space)
            return TextReply(briefing.new_dialog(await _parts(request, service, engine, space)))
    except UnknownSpace:  # configured, but nothing was ever said
        names, locale, now = engine.cast.names(name), _named(request) or DEFAULT_LOCALE, engine.clock.now()
        known = strangers.render(engine.cast.card(name), engine.cast.master_card(), names, locale, now)
        holiday = await _holiday(service, now, locale)
        return TextReply(
            briefing.new_dialog(Briefing(names=names, locale=locale, now=now, persona=known, holiday=holiday))
        )
    except SpaceClosed:
        return TextReply("")


async def recent_history(request: Request, name: str) -> Response:
    """The recent messages as one JSON string."""
    engine = engine_of(request)
    lines: list[RecentLine] = []
    locale = _named(request) or DEFAULT_LOCALE
    if is_known(engine, name):
        try:
            async with engine.spaces.use(name) as space:
                lines = _lines(space)
                locale = choose_locale(request, space, lines)
        except (UnknownSpace, SpaceClosed):
            pass
    return reply(briefing.recent_history(lines, engine.cast.names(name), locale))


async def last_conversation_gap(request: Request, name: str) -> Response:
    """Seconds since something was last said; -1 where nothing was."""
    engine = engine_of(request)
    last = None
    try:
        async with engine.spaces.use(name) as space:
            last = space.turns.last_at
    except (UnknownSpace, SpaceClosed):
        pass
    except Exception as error:  # this route has its own form of failure
        log.error("/last_conversation_gap failed (%s)", type(error).__name__)
        return reply({"gap_seconds": -1, "error": "server_error"}, 500)
    if last is None:
        return reply({"gap_seconds": -1})
    return reply({"gap_seconds": max(0.0, (engine.clock.now() - last).total_seconds())})


async def search_for_memory(request: Request, name: str) -> Response:
    """The fixed text of a search that is none any more. No memory is opened for it."""
    engine = engine_of(request)
    query = unquote(request.scope["rest_segment"].decode("latin-1"), errors="replace")
    locale = _named(request) or detect(query)
    return reply(briefing.search_placeholder(query, engine.cast.names(name), locale))


async def get_settings(request: Request, name: str) -> Response:
    """The persona block as one JSON string, or what an older companion's settings file says."""
    engine = engine_of(request)
    if not is_known(engine, name):
        return reply(briefing.unknown_settings(name))
    names, now = engine.cast.names(name), engine.clock.now()
    sections: Any = {}
    try:
        async with engine.spaces.use(name) as space:
            await sync_cards(engine, space)
            known = mind.render(space, names, choose_locale(request, space, _lines(space)), now)
            if not known:
                sections = await legacy_settings(space)
    except UnknownSpace:
        locale = _named(request) or DEFAULT_LOCALE
        known = strangers.render(engine.cast.card(name), engine.cast.master_card(), names, locale, now)
    except SpaceClosed:
        return reply(briefing.unknown_settings(name))
    return reply(known or briefing.legacy_settings(name, sections))


async def get_persona(request: Request, name: str) -> Response:
    """The whole persona document without its vectors; an empty one for an unknown character."""
    engine = engine_of(request)
    if not is_known(engine, name):
        return reply({})
    try:
        async with engine.spaces.use(name) as space:
            await sync_cards(engine, space)
            return reply(mind.persona_json(space))
    except UnknownSpace:
        return reply(strangers.persona_json(engine.cast.card(name), engine.cast.master_card()))
    except SpaceClosed:
        return reply({})


def is_known(engine: Engine, name: str) -> bool:
    """Whether a character is configured or, where nothing says which are, has a memory.

    One that is held is nobody's to look at, not even its directory.
    """
    if engine.claims.held(name):
        return False
    published = engine.cast.published()
    return engine.spaces.exists(name) if published is None else name in published


def choose_locale(request: Request, space: MemorySpace, lines: Sequence[RecentLine]) -> str:
    """The language of an answer: what the caller names in ``?language=``, else what a caller last named with its
    messages, else that of the latest messages."""
    if (named := _named(request) or space.views.recent_meta.language) is not None:
        return named
    said = [line.text[:_EACH] for line in lines if line.kind != SYSTEM][-_NEWEST:]
    return detect("\n".join(said)) if said else DEFAULT_LOCALE


async def sync_cards(engine: Engine, space: MemorySpace) -> None:
    """Bring the persona up to the configured cards, where that may be written now. Reading goes on in any case."""
    if engine.gate.paused:
        return
    try:
        await engine.sync_cards(space)
    except (StorageBlocked, SpaceClosed, DamagedSpace, OSError) as error:
        log.info("%s: the cards could not be taken over (%s)", space.name, type(error).__name__)


def _named(request: Request) -> str | None:
    return normalise(request.query_params.get("language"))


async def _parts(request: Request, service: Service, engine: Engine, space: MemorySpace) -> Briefing:
    names, lines, now = engine.cast.names(space.name), _lines(space), engine.clock.now()
    locale = choose_locale(request, space, lines)
    known = mind.render(space, names, locale, now)
    legacy = {} if known else await legacy_settings(space)
    fallback = briefing.legacy_settings(space.name, legacy) if legacy else ""
    recalled = await _recalled(engine, space, request.query_params.get("recall", ""), locale, known)
    return Briefing(
        names=names,
        locale=locale,
        now=now,
        persona="\n\n".join(part for part in (known, recalled) if part) if known else "",
        fallback="\n\n".join(part for part in (fallback, recalled) if part),
        recent=lines,
        last_turn_at=space.turns.last_at,
        holiday=await _holiday(service, now, locale),
    )


async def _recalled(engine: Engine, space: MemorySpace, asked: str, locale: str, known: str) -> str:
    """What answers ``?recall=…`` and is not told already, as one more section of what is known; else ""."""
    if not asked.strip():
        return ""
    names = engine.cast.names(space.name)
    try:
        query = Query(text=asked[:_ASKED], limit=engine.settings.recall_limit, names=names)
        found = await search(space, query, names, engine.embedder)
    except Exception as error:  # a section less, not a conversation less
        log.error("recall for /new_dialog failed (%s)", type(error).__name__)
        return ""
    told, left = set(known.split("\n")), _RECALL_TOKENS
    lines = []
    for line in dict.fromkeys(briefing.bullet(hit.document.text) for hit in found.hits):
        cost = tokens.count(line)
        if line not in told and cost <= left:
            left -= cost
            lines.append(line)
    heading = say("search_results_header", locale, neko=names.neko)
    return "\n".join([f"### {heading}", *lines]) if lines else ""


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
