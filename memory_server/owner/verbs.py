"""What the owner may ask, by name: the same over HTTP and in a command that opened the root itself."""

from __future__ import annotations

import contextlib
import unicodedata
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any

from memory import characters, export
from memory.backup import back_up
from memory.dead_letters import letters, retry
from memory.engine import Engine
from memory.erase import erase, find
from memory.errors import BadInput, MemoryServiceError, UnknownSpace
from memory.facts.ingest import Brought
from memory.facts.ingest import ingest as bring_in
from memory.facts.memory import EVENTS
from memory.history.turn import Turn
from memory.recall.document import DEFAULT_TIERS
from memory.recall.query import Query
from memory.scopes import Scope, read_scope
from memory.search import search
from memory.sessions.workflow import FAILURE, INGEST, MANAGED, SUCCESS, Observation
from memory.space import MemorySpace
from memory_server.owner import wire
from memory_server.version import VERSION

BACKUPS = "backups"     # in the data root, where a server puts an archive for whoever asked to fetch it

_ROWS: Mapping[str, Callable[[MemorySpace], list[dict[str, Any]]]] = {
    "facts": export.facts_of,
    "reflections": export.reflections_of,
    "persona": export.persona_of,
}

Verb = Callable[[Engine, object], Awaitable[dict[str, Any]]]


async def status(engine: Engine, body: object) -> dict[str, Any]:
    """How the root is doing."""
    wire.read(wire.Nothing, body)
    known = await _entries(engine)
    present = engine.status()
    return {
        "version": VERSION,
        "data_root": str(engine.settings.data_root),
        "root_id": engine.root_id,
        "characters": len(known),
        "turns": sum(entry["turns"] for entry in known),
        "facts": sum(entry["facts"] for entry in known),
        "owed": sum(entry["owed"] for entry in known),
        "damaged": sum(entry["state"] != "ok" for entry in known),
        "open": present.open_spaces,
        "refused_writes": present.refused_writes,
        "last_failed_write_at": present.failed_write_at.isoformat() if present.failed_write_at else None,
    }


async def list_characters(engine: Engine, body: object) -> dict[str, Any]:
    """Every character with what it holds."""
    wire.read(wire.Nothing, body)
    return {"characters": await _entries(engine)}


async def show(engine: Engine, body: object) -> dict[str, Any]:
    """Facts, reflections, persona or history of a character, the newest last."""
    wanted = wire.read(wire.Show, body)
    name = _known(engine, wanted.name)
    async with engine.spaces.use(name) as space:
        if wanted.part == "history":
            names = engine.cast.names(name)
            turns = [export.turn_row(turn, names) for turn in await _newest(space, wanted.limit)]
            return {"part": wanted.part, "total": space.turns.last_row, "rows": turns}
        rows = _ROWS[wanted.part](space)
    return {"part": wanted.part, "total": len(rows), "rows": rows[-wanted.limit :]}


async def recall(engine: Engine, body: object) -> dict[str, Any]:
    """What a character remembers about a question, a time, or both."""
    wanted = wire.read(wire.Recall, body)
    if not wanted.query.strip() and not wanted.time.strip():
        raise BadInput("query", "give a question, a time, or both")
    name = _known(engine, wanted.name)
    names = engine.cast.names(name)
    query = Query(
        text=wanted.query.strip(),
        time=wanted.time.strip(),
        tiers=tuple(wanted.tiers or DEFAULT_TIERS),
        limit=wanted.limit,
        names=names,
    )
    async with engine.spaces.use(name) as space:
        found = await search(space, query, names)
    if query.time and found.window is None:
        raise BadInput("time", "is no time that can be understood; write 2026, 2026-05, 2026-05-04 or a range with ..")
    return {"results": [wire.hit(one, engine.clock) for one in found.hits], "candidates": found.candidates_total}


async def preview(engine: Engine, body: object) -> dict[str, Any]:
    """What forgetting would take."""
    wanted = wire.read(wire.Forget, body)
    async with engine.spaces.use(_known(engine, wanted.name)) as space:
        return wire.selected(await find(space, text=wanted.match, ids=wanted.ids))


async def forget(engine: Engine, body: object) -> dict[str, Any]:
    """Erase for good. Answers with counts."""
    wanted = wire.read(wire.Forget, body)
    name = _known(engine, wanted.name)
    async with characters.undisturbed(engine, name), engine.spaces.use(name) as space:
        selection = await find(space, text=wanted.match, ids=wanted.ids)
        if wanted.match:
            await engine.queries.forget(wanted.match)   # what was asked about it, too
        return wire.receipt(await erase(space, selection, engine.cast.names(name)))


async def export_character(engine: Engine, body: object) -> dict[str, Any]:
    """Everything about a character, readable."""
    wanted = wire.read(wire.OneCharacter, body)
    name = _known(engine, wanted.name)
    async with engine.spaces.use(name) as space:
        return (await export.export(space, engine.cast.names(name))).to_json()


async def backup(engine: Engine, body: object) -> dict[str, Any]:
    """An archive in the data root. It is for whoever asked to put it where it belongs."""
    wanted = wire.read(wire.Backup, body)
    names = None if wanted.characters is None else [_known(engine, name) for name in wanted.characters]
    stamp = engine.clock.now().strftime("%Y%m%dT%H%M%S%f")
    destination = engine.settings.data_root / BACKUPS / f"companion-memory-{stamp}.tar.gz"
    return wire.backed_up(await back_up(engine, destination, characters=names))


async def add_character(engine: Engine, body: object) -> dict[str, Any]:
    wanted = wire.read(wire.OneCharacter, body)
    await characters.add(engine, wanted.name)
    return {"name": _known(engine, wanted.name)}


async def rename_character(engine: Engine, body: object) -> dict[str, Any]:
    wanted = wire.read(wire.Rename, body)
    await characters.rename(engine, _known(engine, wanted.name), wanted.new_name)
    return {"name": _known(engine, wanted.new_name)}


async def delete_character(engine: Engine, body: object) -> dict[str, Any]:
    wanted = wire.read(wire.OneCharacter, body)
    return {"files": await characters.delete(engine, _known(engine, wanted.name))}


async def jobs(engine: Engine, body: object) -> dict[str, Any]:
    """What models do: the state of every job over all characters, and every dead letter."""
    wire.read(wire.Nothing, body)
    async with contextlib.AsyncExitStack() as stack:
        open_ = await _open_all(engine, stack)
        told = [wire.job(state, engine.clock.now()) for state in engine.jobs_of(open_)]
        found = [wire.letter(space.name, letter) for space in open_ for letter in await letters(space)]
    usage = engine.chat.usage()
    return {
        "jobs": told,
        "dead_letters": found,
        "calls_today": usage.get("calls", 0),
        "tokens_today": usage.get("tokens", 0),
    }


async def retry_jobs(engine: Engine, body: object) -> dict[str, Any]:
    """Try dead letters again: all of them, a character's, or those with these ids."""
    wanted = wire.read(wire.Retry, body)
    names = _every(engine) if wanted.name is None else [_known(engine, wanted.name)]
    count = 0
    for name in names:
        async with engine.spaces.use(name) as space:
            if space.journal.damage is None:
                count += await retry(space, wanted.ids)
    return {"retried": count}


async def ingest(engine: Engine, body: object) -> dict[str, Any]:
    """Bring records in as evidence. Answers with counts."""
    wanted = wire.read(wire.Ingest, body)
    scope = read_scope(wanted.scope)
    records = [
        Brought(
            text=record.text,
            source=wanted.source,
            category=record.category or EVENTS,
            outside_id=record.id,
            importance=record.importance if record.importance is not None else 0.5,
            tags=tuple(record.tags),
            at=_moment(record.at, engine),
            file=record.file,
        )
        for record in wanted.records
    ]
    try:
        async with engine.scoped.writing(scope) as space:
            done = await bring_in(space, scope, records)
    except (MemoryServiceError, OSError) as error:
        failed = f"{len(records)} records could not be brought in ({type(error).__name__})."
        await engine.observations.note(_ingested(engine, scope, FAILURE, failed))
        raise
    told = f"{done.added} brought in, {done.known} known already, {done.noise} not worth keeping."
    await engine.observations.note(_ingested(engine, done.scope, SUCCESS, told))
    return {"scope": done.scope.name, "added": done.added, "known": done.known, "noise": done.noise}


def _ingested(engine: Engine, scope: Scope, outcome: str, summary: str) -> Observation:
    """So that it can be asked later whether the last ingest worked."""
    return Observation(
        id="",
        workflow_id=INGEST,
        outcome=outcome,
        summary=summary,
        scope=scope.name,
        source=MANAGED,
        recorded_at=engine.clock.now(),
        signal="records-ingested" if outcome == SUCCESS else "ingest-failed",
        tags=("ingest", MANAGED),
    )


def _moment(text: str | None, engine: Engine) -> datetime | None:
    if text is None:
        return None
    try:
        return engine.clock.local(datetime.fromisoformat(text.strip()))
    except (ValueError, OverflowError):
        raise BadInput("at", "is no ISO 8601 time") from None


VERBS: Mapping[str, Verb] = {
    "status": status,
    "characters": list_characters,
    "show": show,
    "recall": recall,
    "preview": preview,
    "forget": forget,
    "export": export_character,
    "backup": backup,
    "character_add": add_character,
    "character_rename": rename_character,
    "character_delete": delete_character,
    "ingest": ingest,
    "jobs": jobs,
    "jobs_retry": retry_jobs,
}


def _known(engine: Engine, name: str) -> str:
    """The name of a character that is there, as its directory spells it. Raises UnknownSpace.

    Only names that were read off the disk come out of here, so none of them can be a path.
    """
    present = [*engine.spaces.names(), *engine.spaces.scopes()]
    for spelt in (name, unicodedata.normalize("NFC", name.strip())):
        if spelt in present:
            return spelt
    raise UnknownSpace(name)


def _every(engine: Engine) -> list[str]:
    return [*engine.spaces.names(), *engine.spaces.scopes()]


async def _open_all(engine: Engine, stack: contextlib.AsyncExitStack) -> list[MemorySpace]:
    """Every memory that can be opened, kept open until the stack ends."""
    found = []
    for name in _every(engine):
        try:
            found.append(await stack.enter_async_context(engine.spaces.use(name)))
        except (MemoryServiceError, OSError):
            continue
    return found


async def _entries(engine: Engine) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for name in engine.spaces.names():
        state = "ok"
        try:
            if engine.catalogue.get(name) is None:
                await engine.spaces.visit(name)
        except (MemoryServiceError, OSError) as error:
            state = f"cannot be opened: {type(error).__name__}"
        for space in engine.spaces.open_spaces:
            if space.name == name and space.journal.damage is not None:
                state = "damaged, open for reading only"
        entry = engine.catalogue.get(name)
        turns, facts, owed = (entry.turns, entry.facts, entry.owed) if entry is not None else (0, 0, 0)
        found.append({"name": name, "turns": turns, "facts": facts, "owed": owed, "state": state})
    return found


async def _newest(space: MemorySpace, limit: int) -> list[Turn]:
    """The last turns; rows may have gaps where something was erased."""
    last = start = space.turns.last_row
    turns: list[Turn] = []
    while start > 0 and len(turns) < limit:
        start = max(0, start - max(limit, 500))
        turns = await space.turns.between(start + 1, last)
    return turns[-limit:]
