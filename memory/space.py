"""One directory and everything that lives in it."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

from memory.clock import Clock
from memory.errors import StorageBlocked
from memory.facts.view import Facts
from memory.forgotten import Forgotten
from memory.history.raw import RawEvents
from memory.history.recent import Recent
from memory.history.turns_db import TurnsDb
from memory.ids import Ids
from memory.library import Library
from memory.persona.view import Persona
from memory.recovery import Contents, Recovery
from memory.reflections.view import Reflections
from memory.settings import Settings
from memory.store import layout
from memory.store.collector import let_go, resting
from memory.store.events import Event
from memory.store.files import Disk
from memory.store.journal import Journal
from memory.store.outbox import Outbox
from memory.store.shards import Shards
from memory.store.shelf import Shelf
from memory.views import Views

log = logging.getLogger(__name__)

T = TypeVar("T")

_SHOWN = 400
_LARGE = 4 * 1024 * 1024    # bytes of a directory that is read without being stopped by the collector
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
        self.turns = TurnsDb(directory, disk, clock, ids, withheld=self.views.withheld.__contains__)
        self.raw = RawEvents(self.turns, self.views.event_notes, self.views.withheld)
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
            recover=lambda: self._recovery.repair(),
            permit=self._permit,
            failed=lambda: failed(name),
            segment_bytes=settings.segment_bytes,
        )
        self.shelf = Shelf(directory, disk, clock, self.views.all(), lambda: self.library.updating)
        self._contents = Contents(
            journal=self.journal,
            shelf=self.shelf,
            views=self.views,
            turns=self.turns,
            outbox=self.outbox,
            library=self.library,
        )
        self._recovery = Recovery(name, self._contents, settings, clock, disk, paused=paused)
        self.written_at = clock.monotonic()
        self.shown: deque[str] = deque(maxlen=_SHOWN)  # texts that recall answered with lately
        self.spoken_at: float | None = None  # monotonic; when somebody last talked with the character
        self.digesting: set[str] = set()     # ids of the digest jobs that have begun to read
        self.reviewing: asyncio.Task[Any] | None = None  # a review of the recent window under way
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
        size = await self._disk.run(self._disk.clean, self.directory)
        with resting() if size > _LARGE else nullcontext():
            await self._recovery.load(self.save_alone)
        self.raw.reset()
        if self._unsaved and self.journal.damage is None:
            self._begin_saving()

    @property
    def unsettled(self) -> bool:
        """Opened while nothing could be written: to be opened anew."""
        return self._recovery.unsettled

    def _permit(self) -> None:
        self._may_write()
        if self.unsettled:
            raise StorageBlocked("this memory is opened again as soon as nobody reads it")

    # while open

    def _fold(self, events: Sequence[Event]) -> None:
        for event in events:
            for view in self._contents.all():
                view.fold(event)
            if event.type == "turns.erased":
                self.library.forget_turns(event.data["ids"])
                self.raw.forget(event.data["ids"])
            elif event.type == "turns.withheld":
                self.library.forget_turns([turn["id"] for turn in event.data["turns"]])
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
                await self._recovery.take_in_edits()
                self._begin_saving()
        except (OSError, StorageBlocked) as error:
            log.warning("%s: edited files could not be taken in (%s)", self.name, type(error).__name__)

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
        if await self._recovery.mend_turns():
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
        if not self.directory.is_dir():
            self.journal.closed = True
            return
        try:
            async with self._saving, self.journal.hold():
                await self._load()
        except BaseException:
            self.journal.closed = True  # half of it is read: whoever uses it next begins anew
            raise

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
                        async with asyncio.timeout(self.settings.save_idle):  # wait_for may swallow a cancellation
                            await self._wake.wait()
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
        if not self.journal.busy and self.journal.replaced():
            self.journal.closed = True  # other files stand there now: whoever uses them next opens them
            return True
        await self._mend_turns()
        if self.outbox.dirty:
            await self.outbox.save()
        if not prompt and self.outbox.wants_compacting():
            await self.outbox.compact()
        if self.turns.dirty or (not prompt and self.turns.lags):
            await self.turns.save()
        updating = self.library.updating    # a large file is not written beside that: both would be slow
        views = [
            view
            for view in self.views.all()
            if view.dirty and (not prompt or view.prompt or (view.dirty * 10 > view.size > 1000 and not updating))
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

    def fall_apart(self) -> None:
        """Drop what was held in memory, once nobody can ask for it any more."""
        let_go(*self.views.facts.containers(), *self.views.facts_archive.containers())
        self.library.fall_apart()

    async def let_go(self) -> None:
        """Let go of the files as they are."""
        await self.stop()
        await self.turns.close()

