"""The owner's explicit erase: what was remembered is rewritten out of every file, not merely hidden.

One batch takes the items out of every view and pins how the views then stand. After it the older
lines of the journal are not needed for any of them, and lose what they say; so do the database's
free pages, the outbox, the archives and whatever else lies in the directory. Until that is done a
job is owed, which names ids and no text, so that a crash in the middle is finished by the worker.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memory.errors import MemoryServiceError
from memory.facts.view import FactList
from memory.history.compress import SUMMARISE
from memory.history.redact import Gone, Window, redact
from memory.history.turns_scrub import scrub_database
from memory.people import Names
from memory.remains import VECTOR_FILES, WORDLESS_FILES, Scrub, count_left, elsewhere, in_message, verify
from memory.selection import WORDLESS, Plan, Selection, work_out
from memory.space import MemorySpace
from memory.store import layout
from memory.store.events import Event
from memory.store.files import digest, to_its_end
from memory.store.journal import Batch
from memory.store.scrub import Eraser
from memory.store.sweep import Swept, sweep, sweep_key
from memory.store.view import Change, FileView
from memory.views import Views

log = logging.getLogger(__name__)

ERASE = "erase"          # the owed job; its payload holds ids only

_TRIES = 5               # times that a file may be edited meanwhile
_TURNS = 500             # turns in one journal line


class BeingEdited(MemoryServiceError):
    """Somebody else keeps writing to the files of the space."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the files of {name!r} are being edited by another program; try again when it is done")


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What an erasing did. Counts and names of files only."""

    items: Mapping[str, int] = field(default_factory=dict)   # by kind
    journal_lines: int = 0
    database_rows: int = 0                                   # apart from the turns themselves
    files_changed: int = 0                                   # beside journal, views and database
    files_removed: int = 0
    elsewhere: tuple[str, ...] = ()                          # files of the root that hold the text and are not ours


async def find(space: MemorySpace, *, text: str | None = None, ids: Collection[str] = ()) -> Selection:
    """What :func:`erase` would take, as things stand; nothing is changed.

    ``text`` is looked for in everything that was said or learnt, whatever its case and width. An
    item takes what rests on it alone. Raises BadInput.
    """
    async with space.journal.hold():
        plan = await work_out(space, text, ids)
        items = plan.items()
        leftovers = 0
        if not items:
            eraser = await _with_texts_of(space, plan, _unfinished(space))
            leftovers = await space.disk.run(count_left, space, eraser.of_texts())
    return Selection(text=text, ids=tuple(ids), items=items, leftovers=leftovers)


async def erase(space: MemorySpace, selection: Selection, names: Names) -> Receipt:
    """Take out of every file of the space what the selection asks for, as things stand now.

    Other writers wait. Runs to its end even when the caller is cancelled; broken off by a crash it
    is completed by running it again. Raises BadInput, DamagedSpace, StorageBlocked, BeingEdited,
    StillThere, OSError.
    """
    return await to_its_end(_erase(space, selection.text, selection.ids, names))


async def finish(space: MemorySpace, op_id: str, names: Names) -> None:
    """Complete an erasing that a crash broke off. Raises like :func:`erase`."""
    op = space.outbox.pending.get(op_id)
    ids = _ids_of(op.payload) if op is not None else []
    if ids:
        await to_its_end(_erase(space, None, ids, names))
    else:
        async with space.journal.write() as batch:
            batch.finish(op_id)


async def _erase(space: MemorySpace, text: str | None, ids: Collection[str], names: Names) -> Receipt:
    async with space.alone():
        counts: Counter[str] = Counter()
        for _ in range(_TRIES):
            await space.reload_alone()
            plan = await work_out(space, text, ids)
            counts.update(item.kind for item in plan.items())
            before = space.journal.seq
            await _take_out(space, plan, names)
            space.at("erase.committed")
            eraser = await _with_texts_of(space, plan, _unfinished(space))
            scrub = Scrub(eraser, before)
            await _pin(space, scrub)
            if await space.save_alone():
                break
        else:
            raise BeingEdited(space.name)
        space.at("erase.saved")
        changed = await space.journal.rewrite(scrub.own, scrub.foreign)
        space.at("erase.rewritten")
        await space.outbox.scrub(lambda payload: eraser.clean(payload, ()))
        await space.save_alone()  # its stamp must not speak of the longer file
        rows = await _clean_database(space, eraser)
        space.at("erase.database")
        swept = await space.disk.run(_sweep, space, eraser, counts["turn"] > 0)
        space.forget_shown(eraser.holds)
        await space.reload_alone()
        space.library.write_anew(eraser.ids)
        await space.disk.run(verify, space, eraser.of_texts())
        space.at("erase.verified")
        batch = space.journal.batch()
        for op in space.outbox.pending.values():
            if op.kind == ERASE:
                batch.finish(op.id)
        await space.journal.commit(batch)
    receipt = Receipt(
        items=dict(counts),
        journal_lines=changed,
        database_rows=rows,
        files_changed=swept.files_changed,
        files_removed=swept.files_removed,
        elsewhere=await space.disk.run(elsewhere, space.settings.data_root, eraser.of_texts()),
    )
    log.info("%s: erased %s, %d journal lines rewritten", space.name, dict(counts), changed)
    return receipt


def _unfinished(space: MemorySpace) -> set[str]:
    """Ids of what was taken out of the views by an erasing that is still owed."""
    return {one for op in space.outbox.pending.values() if op.kind == ERASE for one in _ids_of(op.payload)}


def _ids_of(payload: Mapping[str, Any]) -> list[str]:
    ids = payload.get("ids")
    return [one for one in ids if isinstance(one, str)] if isinstance(ids, list) else []


# the batch


async def _take_out(space: MemorySpace, plan: Plan, names: Names) -> None:
    batch = space.journal.batch()
    eraser = await space.disk.run(plan.eraser)
    await _erase_views(space, batch, plan, eraser)
    _erase_window(space, batch, plan, eraser)
    stones = space.forgotten.stones_for(plan.told, names, space.ids.new("salt"))
    fresh = sorted(one for one in plan.known if one not in space.forgotten.ids)
    if fresh or stones["stones"]:
        batch.add("forgotten.added", {**stones, "ids": fresh})
    batch.owe(ERASE, {"ids": sorted(plan.ids)})
    await space.journal.commit(batch)


async def _erase_views(space: MemorySpace, batch: Batch, plan: Plan, eraser: Eraser) -> None:
    for start in range(0, len(plan.turns), _TURNS):
        part = plan.turns[start : start + _TURNS]
        batch.add("turns.erased", {"rows": [turn.row for turn in part], "ids": [turn.id for turn in part]})
    facts = [one for one in sorted(plan.ids) if one in space.facts or one in space.views.facts_archive]
    if facts:
        batch.add("fact.erased", {"ids": facts})
    for view in space.views.all():
        if view.file not in WORDLESS and view.file not in (layout.RECENT, layout.RECENT_META):
            for type_, data in await space.disk.run(_pruned, view, eraser):
                batch.add(type_, data)


def _pruned(view: FileView, eraser: Eraser) -> list[Change]:
    """The view as whole values without what goes; nothing where nothing of it goes, or its ids say it all."""
    before = view.adoption()
    after = [(type_, eraser.clean(data)) for type_, data in before]
    if all(new is old for (_, new), (_, old) in zip(after, before, strict=True)):
        return []
    if isinstance(view, FactList):
        kept = [row for _, data in before for row in data["facts"] if _id(row) not in eraser.ids]
        if kept == [row for _, data in after for row in data["facts"]]:
            return []
    return after


def _id(row: object) -> object:
    return row.get("id") if isinstance(row, Mapping) else None


def _erase_window(space: MemorySpace, batch: Batch, plan: Plan, eraser: Eraser) -> None:
    """The window and what is known of its memo, always as a whole: no older line about them is kept."""
    before = Window(entries=space.recent.entries, meta=space.views.recent_meta.value)
    rows = [turn.row for turn in plan.turns]
    gone = Gone(ids=eraser.ids, rows=rows, holds=eraser.holds, finds=eraser.finds)
    after = redact(before, gone, lambda: space.ids.new("memo"))
    if not before.entries and not before.meta:
        return
    batch.add("recent.edited", {"entries": [entry.to_json() for entry in after.entries]})
    batch.add("recent.meta_edited", {"value": dict(after.meta)})
    old, new = before.meta.get("memo_id"), after.meta.get("memo_id")
    if new is not None and new != old:
        for op in space.outbox.pending.values():
            if op.kind == SUMMARISE and op.payload.get("memo_id") == old:
                batch.owe(SUMMARISE, {"memo_id": new})


async def _with_texts_of(space: MemorySpace, plan: Plan, unfinished: Collection[str]) -> Eraser:
    """The plan's eraser, which also knows what the journal still says of items that went before."""
    gone = {*plan.ids, *unfinished} - plan.known
    texts: list[str] = []

    def gather(event: Event) -> None:
        rows = [event.data, *(row for value in event.data.values() if isinstance(value, list) for row in value)]
        for row in rows:
            if isinstance(row, Mapping) and _id(row) in gone:
                texts.extend(text for key in ("text", "content") if isinstance(text := row.get(key), str))

    if gone:
        await space.journal.rehearse(lambda event: event, gather)
    return plan.eraser(gone, texts)


# what the journal keeps


async def _pin(space: MemorySpace, scrub: Scrub) -> None:
    """See whether the journal as it will be still makes every view; write down whole those that it would not."""
    fresh = Views(space.settings, space.clock)

    def fold(event: Event) -> None:
        for view in fresh.all():
            try:
                view.fold(event)
            except (AttributeError, LookupError, TypeError, ValueError):
                scrub.broken.add(event.seq)

    await space.journal.rehearse(scrub.own, fold)
    batch = space.journal.batch()
    for view, made in zip(space.views.all(), fresh.all(), strict=True):
        wanted, found = view.render(), made.render()
        if await space.disk.run(_digest, wanted) != await space.disk.run(_digest, found):
            log.info("%s: %s is written into the journal as a whole", space.name, view.file)
            for type_, data in view.adoption() or [_emptied(*made.adoption()[0])]:
                batch.add(type_, data)
    await space.journal.commit(batch)


def _digest(render: Callable[[], Iterable[bytes]]) -> str:
    return digest(render())


def _emptied(type_: str, data: Mapping[str, Any]) -> Change:
    """The event that resets a view to nothing."""
    return type_, {key: type(value)() if isinstance(value, (list, dict)) else value for key, value in data.items()}


# everything else


async def _clean_database(space: MemorySpace, eraser: Eraser) -> int:
    await space.turns.close()
    return await space.disk.run(scrub_database, space.turns.path, in_message(eraser), eraser.ids)


def _kept_by_us(space: MemorySpace) -> frozenset[str]:
    """Files that the store itself brings up to date."""
    segments = (path.name for _, path in layout.segments(space.directory))
    views = (view.file for view in space.views.all())
    database = (f"{layout.TURNS}{suffix}" for suffix in ("", "-wal", "-shm", "-journal"))
    return frozenset({layout.EVENTS, layout.OUTBOX, *WORDLESS_FILES, *segments, *views, *database})


def _sweep(space: MemorySpace, eraser: Eraser, turns_gone: bool) -> Swept:
    for name in VECTOR_FILES:
        (space.directory / name).unlink(missing_ok=True)
    for cache in layout.CACHES:  # no text, and still something of it
        (space.directory / cache).unlink(missing_ok=True)
    done = sweep(space.directory, eraser, space.disk, spare=_kept_by_us(space), databases=turns_gone)
    asked = layout.queries_directory(space.settings.data_root)
    if asked.is_dir():  # questions that name it
        done += sweep(asked, eraser.of_texts(), space.disk, spare=(), databases=False)
    return done + sweep_key(space.settings.data_root / layout.IDLE_STATE, space.name, eraser, space.disk)
