"""One directory and everything that lives in it."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from memory.clock import Clock
from memory.errors import SpaceClosed, StorageBlocked
from memory.facts.view import Facts
from memory.forgotten import Forgotten
from memory.history.recent import Recent
from memory.history.turns_db import Kept, TurnsDb
from memory.ids import Ids
from memory.library import Library
from memory.persona.view import Persona
from memory.reflections.view import Reflections
from memory.settings import Settings
from memory.store import layout
from memory.store.events import Event
from memory.store.files import Disk, Print
from memory.store.journal import Journal
from memory.store.outbox import Outbox
from memory.store.shards import Shards
from memory.store.shelf import Found, Shelf
from memory.store.view import Change, FileView, Unreadable, View
from memory.views import Views

log = logging.getLogger(__name__)

T = TypeVar("T")

_SHOWN = 400
_RETRY = 2.0  # seconds before a save that the disk refused is tried again


class MemorySpace:
    """A character's memory, or a scope's. Obtained from ``Spaces.use`` only."""

    def __init__(
        self,
        name: str,
        directory: Path,
        settings: Settings,
        disk: Disk,
        clock: Clock,
        ids: Ids,
        *,
        permit: Callable[[], None],
        committed: Callable[[MemorySpace], None],
        failed: Callable[[str], None],
        paused: Callable[[], bool] = lambda: False,
    ) -> None:
        self.name = name
        self.directory = directory
        self.settings = settings
        self.clock = clock
        self.ids = ids
        self.views = Views(settings, clock)
        self.turns = TurnsDb(directory, disk, clock, ids)
        self.outbox = Outbox(directory, disk, clock)
        self.reflection_archive = Shards(directory / layout.REFLECTION_ARCHIVE, disk)
        self.persona_archive = Shards(directory / layout.PERSONA_ARCHIVE, disk)
        self.library = Library(
            self.views.facts,
            self.views.facts_archive,
            self.views.reflections,
            self.views.persona,
            self.turns,
            clock,
            directory,
            disk,
        )
        for view in self.views.all():
            view.inline = self.library.vectors.inline.get(view.file)
        self.wanted_back = asyncio.Event()  # somebody waits for every lease: ask no model now
        self.settling = asyncio.Lock()      # held by /renew and /settle; /new_dialog waits for it
        self.journal = Journal(
            directory,
            disk,
            clock,
            ids,
            fold=self._fold,
            recover=self._repair,
            permit=self._permit,
            failed=lambda: failed(name),
            segment_bytes=settings.segment_bytes,
        )
        self.shelf = Shelf(directory, disk, clock, self.views.all())
        self.written_at = clock.monotonic()
        self.shown: deque[str] = deque(maxlen=_SHOWN)  # texts that recall answered with lately
        self.spoken_at: float | None = None  # monotonic; when somebody last talked with the character
        self.reviewing: asyncio.Task[Any] | None = None  # a review of the recent window under way
        self.unsettled = False               # opened while nothing could be written: to be opened anew
        self._disk = disk
        self._may_write = permit
        self._committed = committed
        self._failed = failed
        self._paused = paused
        self._wake = asyncio.Event()
        self._saver: asyncio.Task[None] | None = None
        self._saving = asyncio.Lock()

    # the views by name

    @property
    def recent(self) -> Recent:
        return self.views.recent

    @property
    def facts(self) -> Facts:
        return self.views.facts

    @property
    def reflections(self) -> Reflections:
        return self.views.reflections

    @property
    def persona(self) -> Persona:
        return self.views.persona

    @property
    def forgotten(self) -> Forgotten:
        return self.views.forgotten

    @property
    def disk(self) -> Disk:
        return self._disk

    def forget_shown(self, holds: Callable[[str], bool]) -> None:
        """Recall never answered with what is erased."""
        self.shown = deque((text for text in self.shown if not holds(text)), maxlen=_SHOWN)

    def touch(self) -> None:
        """Note that somebody talks with the character now: what can wait, waits."""
        self.spoken_at = self.clock.monotonic()

    def at(self, point: str) -> None:
        """Reach a named point, for the crash tests."""
        self._disk.at(point)

    # opening

    async def load(self) -> None:
        """Read what is on disk and make it whole again."""
        async with self._saving:
            await self._load()

    async def _load(self) -> None:
        """With writers and saves kept out."""
        await self._disk.run(self._disk.remove_temporaries, self.directory)
        await self.journal.open()
        found = await self.shelf.load(journal_is_new=self.journal.seq == 0)
        rows = await self.turns.load()
        self.library.forget_conversation()
        marks = self.shelf.marks
        await self.outbox.load(marks.get("outbox", 0), marks.get("outbox_size", 0))
        if self._damaged():
            await self._catch_up(self._all_views())
            return
        if max(self.shelf.highest, self.turns.seq, self.outbox.seq) > self.journal.seq:
            await self._heal(found)
            return
        edited = [one for one in found if one.edited is not None]
        for one in edited:
            await self._catch_up([one.view])
        await self._catch_up(self._all_views())
        if self._damaged():
            return
        changes = [change for one in found if one.adopt for change in one.view.adoption()]
        changes += self.turns.adoption(rows)
        self.recent.arrivals |= {kept.turn.id: kept.received for kept in self.turns.tail}
        if not self.journal.seq and rows:
            # What another program already learnt from is not learnt from again.
            for cursor in ("extracted_row", "attended_row"):
                changes.append(("cursor.moved", {"name": cursor, "to": rows[-1].turn.row}))
        for one in edited:
            changes += await self._edits(one)
        await self._take_in(changes, "adopted" if not self.journal.seq else "taken in")
        if self._unsaved:
            self._begin_saving()

    def _damaged(self) -> bool:
        return self.journal.damage is not None

    async def _repair(self) -> None:
        """After a failed append: cut what it left behind. The views stand where they stood."""
        seq = self.journal.seq
        await self.journal.open()
        if self.journal.seq < seq:  # somebody put an older journal there: to be opened anew
            self.journal.closed = True
            raise SpaceClosed(self.name)
        await self._catch_up(self._all_views())

    async def _heal(self, found: Sequence[Found]) -> None:
        """The journal lost its end, but views that were saved later have it: they become events again."""
        log.error("journal of %s ends before its views; taking the views over", self.name)
        last_row = 0
        async for events in self.journal.events(0):
            for event in events:
                if event.type in ("turns.added", "turns.adopted"):
                    last_row = max([last_row, *(turn["row"] for turn in event.data["turns"])])
        await self._catch_up(self._all_views())
        for one in found:
            if one.edited is not None:
                one.view.read(one.edited, self.clock)
        changes: list[Change] = [change for view in self.views.all() for change in view.adoption()]
        stored = [Kept(turn, turn.at) for turn in await self.turns.after(last_row, 10**9)]
        if stored:
            kept, self.turns.last_row = self.turns.last_row, 0
            changes += self.turns.adoption(stored)
            self.turns.last_row = kept
        self.shelf.forget_seqs()
        self.turns.forget_seq()
        await self._take_in(changes or [("space.healed", {})], "healed")
        if self.unsettled:
            return
        # From here on the stamps in the files must not claim more than the journal has.
        await self._save(prompt=False)

    def _permit(self) -> None:
        self._may_write()
        if self.unsettled:
            raise StorageBlocked("this memory is opened again as soon as nobody reads it")

    async def _take_in(self, changes: Sequence[Change], how: str) -> None:
        if not changes:
            return
        if self._paused():
            # The views show what the files say; nothing may be written before it has become events.
            self.unsettled = True
            return
        batch = self.journal.batch()
        for type_, data in changes:
            batch.add(type_, data)
        await self.journal.commit_unseen(batch)
        log.info("%s: %d changes %s", self.name, len(changes), how)

    def _all_views(self) -> list[View]:
        return [*self.views.all(), self.turns, self.outbox]

    async def _catch_up(self, views: Sequence[View]) -> None:
        """Fold what the journal has beyond each view's own seq."""
        lowest = min(view.seq for view in views)
        if lowest >= self.journal.seq:
            return
        async for events in self.journal.events(lowest):
            for event in events:
                for view in views:
                    if view.seq < event.seq:
                        try:
                            view.fold(event)
                        except (AttributeError, LookupError, TypeError, ValueError):
                            await self.journal.spoilt_at(event.seq)
                            return

    async def _edits(self, found: Found) -> list[Change]:
        """What somebody changed in a file, against the likeliest content it started from."""
        place = self.views.all().index(found.view)
        edited = Views(self.settings, self.clock).all()[place]
        assert found.edited is not None
        edited.inline = found.view.inline
        edited.read(found.edited, self.clock)
        best: list[Change] | None = None
        for seq in found.bases or (0,):
            base = Views(self.settings, self.clock).all()[place]
            async for events in self.journal.events(0, seq):
                for event in events:
                    base.fold(event)
            if self.journal.damage is not None:
                raise self.journal.damage
            changes = found.view.edits(base, edited, self.clock)
            if best is None or _weight(changes) < _weight(best):
                best = changes
        found.view.dirty += 1
        return best or []

    # while open

    def _fold(self, events: Sequence[Event]) -> None:
        for event in events:
            for view in self._all_views():
                view.fold(event)
            if event.type == "turns.erased":
                self.library.forget_turns(event.data["ids"])
            elif event.type == "turns.added":
                self.touch()
        self.written_at = self.clock.monotonic()
        self._begin_saving()
        self._committed(self)

    def _begin_saving(self) -> None:
        self._wake.set()
        if self._saver is None:
            self._saver = asyncio.create_task(self._save_loop(), name=f"save {self.name}")

    async def refresh(self) -> None:
        """Take in what others changed in the files. Cheap when nothing was.

        Where the disk or the gate refuses, reading goes on with what is known; the edit stays in
        its file until it can be taken in.
        """
        if self.journal.damage is not None or not (self.shelf.edited() or self.turns.unreadable) or self._paused():
            return
        try:
            async with self._saving:
                await self._mend_turns()
                await self._take_in_edits()
        except (OSError, StorageBlocked) as error:
            log.warning("%s: edited files could not be taken in (%s)", self.name, type(error).__name__)

    async def _take_in_edits(self) -> None:
        """With ``_saving`` held, so that no save of ours comes between reading an edit and keeping it."""
        looks: dict[FileView, Print | None] = {}
        async with self.journal.write() as batch:
            for view in self.shelf.edited():
                bases = self.shelf.bases(view)
                data, looks[view] = await self.shelf.reread(view)
                if data is None:
                    continue
                try:
                    changes = await self._edits(Found(view, edited=data, bases=bases))
                except Unreadable:
                    del looks[view]
                    await self.shelf.set_aside(view, "corrupt")
                    view.dirty += 1
                    continue
                for type_, content in changes:
                    batch.add(type_, content)
                log.info("%s: %s was edited, %d changes taken in", self.name, view.file, len(changes))
        for view, seen in looks.items():
            self.shelf.seen(view, seen)
        self._begin_saving()

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Keep everybody else from writing and saving. Raises what a write raises.

        Inside, ``journal.commit``, :meth:`reload_alone` and :meth:`save_alone` may be called.
        """
        async with self._saving, self.journal.alone():
            yield

    async def reload_alone(self) -> None:
        """Read what is on disk anew and take in what others changed there. Raises DamagedSpace."""
        await self._load()
        if self.journal.damage is not None:
            raise self.journal.damage

    async def save_alone(self) -> bool:
        """Save everything. False when a file was edited meanwhile."""
        return await self._save(prompt=False)

    async def _mend_turns(self) -> None:
        """Make an unreadable database again from the journal."""
        if self.turns.unreadable:
            async with self.journal.hold():
                await self.turns.load()
                await self._catch_up([self.turns])
            self._begin_saving()

    async def unless_wanted_back(self, work: Coroutine[Any, Any, T]) -> T | None:
        """The result of work that may take long, or None if the space was wanted back meanwhile."""
        task = asyncio.create_task(work)
        waiting = asyncio.create_task(self.wanted_back.wait())
        try:
            await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
            return task.result() if task.done() else None
        finally:
            task.cancel()
            waiting.cancel()
            await asyncio.gather(task, waiting, return_exceptions=True)

    async def reread(self) -> None:
        """Take in edits; a journal or database that was replaced is read from the disk anew."""
        if self.journal.damage is None and not await self._disk.run(self._replaced):
            await self.refresh()
            return
        async with self._saving, self.journal.hold():
            await self._load()

    def _replaced(self) -> bool:
        return self.journal.replaced() or self.turns.replaced()

    # saving

    async def _save_loop(self) -> None:
        while True:
            try:
                await self._wake.wait()
                await asyncio.sleep(self.settings.save_delay)
                if self._paused():
                    await asyncio.sleep(_RETRY)
                    continue
                self._wake.clear()
                await self.save(prompt=True)
                while self._lazily_dirty() and not self._wake.is_set():
                    try:
                        await asyncio.wait_for(self._wake.wait(), self.settings.save_idle)
                    except TimeoutError:
                        await self.save()
            except asyncio.CancelledError:
                raise
            except Exception as error:  # last handler: a save that fails is tried again, nothing is lost
                log.warning("%s: saving failed (%s); trying again", self.name, type(error).__name__)
                self._failed(self.name)
                await asyncio.sleep(_RETRY)
                self._wake.set()

    def _lazily_dirty(self) -> bool:
        return any(view.dirty for view in self.views.all())

    async def save(self, *, prompt: bool = False) -> None:
        """Bring the files up to the journal: all of them, or those that others read at once. Not while paused."""
        while self._may_save and not self._paused():
            async with self._saving:
                if await self._save(prompt=prompt):
                    return
            await self.refresh()
            if self.shelf.edited():
                return  # it could not be taken in now; what is not saved stays dirty

    async def _save(self, *, prompt: bool) -> bool:
        """With ``_saving`` held. False when a file was edited meanwhile."""
        await self._mend_turns()
        if self.outbox.dirty:
            await self.outbox.save()
        if not prompt and self.outbox.wants_compacting():
            await self.outbox.compact()
        if self.turns.dirty or (not prompt and self.turns.lags):
            await self.turns.save()
        views = [
            view
            for view in self.views.all()
            if view.dirty and (not prompt or view.prompt or view.dirty * 10 > view.size > 1000)
        ]
        saved = True
        if views or not prompt:
            if not self.outbox.dirty:
                self.shelf.marks |= {"outbox": self.outbox.seq, "outbox_size": self.outbox.size}
            saved = await self.shelf.save(views, self.journal.last_id)
        if not prompt:
            await self.library.keep()
        return saved

    @property
    def _may_save(self) -> bool:
        """Whether the files may follow. Where an edit could not be taken in they would bury it."""
        return self.journal.seq > 0 and not (self.unsettled or self.journal.closed or self.journal.damage)

    async def keep_vectors(self, *, done: bool) -> None:
        """Bring the files of vectors up to date, and when all are made those of the views in a quiet moment."""
        if self._paused() or self.unsettled or self.journal.closed or self.journal.damage is not None:
            return
        if done or self.library.vectors.behind:
            async with self._saving:
                await self.library.vectors.keep()
        for view in self.views.all() if done else ():
            if self.library.vectors.is_behind(view.file):
                view.dirty += 1
                self._begin_saving()

    @property
    def _unsaved(self) -> bool:
        return self._lazily_dirty() or self.turns.dirty or self.outbox.dirty

    async def flush(self) -> None:
        """Save everything now. While nothing may be written this does nothing: all of it follows from the journal."""
        if self._unsaved or self._saver is not None:
            await self.save()

    async def stop(self) -> None:
        """Stop saving; what is not saved yet follows from the journal."""
        if self._saver is not None:
            self._saver.cancel()
            await asyncio.gather(self._saver, return_exceptions=True)
            self._saver = None

    async def close(self) -> None:
        """Save and let go of the files."""
        try:
            await self.flush()
        finally:
            await self.let_go()

    async def let_go(self) -> None:
        """Let go of the files as they are."""
        await self.stop()
        await self.turns.close()


def _weight(changes: Sequence[Change]) -> int:
    return sum(len(str(data)) for _, data in changes)
