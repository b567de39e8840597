"""The engine: puts the parts together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import ParamSpec, TypeVar

import orjson

from memory import erase
from memory.cast import Cast
from memory.catalogue import Catalogue
from memory.clock import Clock, SystemClock
from memory.errors import MemoryServiceError, RootTooNew, SpaceClosed, UnknownSpace
from memory.facts import inherited
from memory.facts.learn import CURSOR as LEARNT
from memory.facts.learn import learn
from memory.history import compress
from memory.history.record import COMPRESS, POST_TURN, UPDATE_WORKING
from memory.ids import Ids, RandomIds
from memory.model_config import Usage
from memory.models.chat import Chat, NoChat, Tier
from memory.models.embedder import Embedder, NoEmbedder
from memory.persona import mind
from memory.persona.attend import attend
from memory.persona.sweep import ARCHIVE, put_away
from memory.recall import words
from memory.scoped import Scoped
from memory.sessions.asked import QueryLog
from memory.sessions.observations import Observations
from memory.settings import Settings
from memory.shelves import Shelves
from memory.space import MemorySpace
from memory.spaces import Spaces
from memory.state import working_update
from memory.state.webhook import Courier, NoCourier
from memory.store import layout
from memory.store.files import Disk, Print, look, read
from memory.store.outbox import OutboxOp
from memory.store.view import Unreadable, parse_object
from memory.tombstones import Tombstones
from memory.work.agenda import JobState, Survey
from memory.work.backfill import Backfill
from memory.work.claims import Claims
from memory.work.deliveries import deliveries
from memory.work.digesting import Digesting
from memory.work.due import DueReminders
from memory.work.gate import StorageGate
from memory.work.lanes import Lanes
from memory.work.outbox_worker import OutboxWorker
from memory.work.rounds import POWERFUL, Rounds
from memory.work.runner import Loop, Runner
from memory.work.thoughts import BACKGROUND, thoughts
from memory.work.upkeep import Upkeep

log = logging.getLogger(__name__)

_AT_ONCE = 100  # turns learnt from before other owed work of the space has its turn

_PAUSE = 1.0    # seconds between two looks whether work may go on

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """How an engine is doing."""

    root_id: str
    spaces: int                       # directories
    open_spaces: int
    owed: int                         # jobs not yet done
    oldest_owed: datetime | None      # aware
    damaged: int                      # spaces open for reading only
    refused_writes: int
    write_fence: str | None           # the mode in which nothing may be written
    failed_write_at: datetime | None  # aware; last write that the disk refused


class Engine:
    """One data root and everything that works on it."""

    def __init__(
        self,
        settings: Settings,
        *,
        root_id: str,
        disk: Disk,
        clock: Clock,
        ids: Ids,
        chat: Chat,
        embedder: Embedder,
        gate: StorageGate,
        courier: Courier,
    ) -> None:
        self.settings = settings
        self.root_id = root_id
        self.clock = clock
        self.ids = ids
        self.chat = chat
        self.embedder = embedder
        self.gate = gate
        self.courier = courier
        self.claims = Claims(self._reopened)
        self.cast = Cast(settings.data_root, master_name=settings.master_name)
        self.catalogue = Catalogue(settings.data_root / layout.CATALOGUE, clock)
        self.failed_write_at: datetime | None = None
        self._shelves = Shelves()
        self.spaces = Spaces(
            settings,
            disk,
            clock,
            ids,
            permit=self.gate.check_write,
            admit=self._admit,
            committed=self._committed,
            opened=self._opened,
            failed=self._write_failed,
            paused=self._is_paused,
            left=self._left,
        )
        self.scoped = Scoped(self.spaces, self.catalogue, self._shelves)
        self.observations = Observations(
            layout.observations_directory(settings.data_root),
            disk,
            clock,
            ids,
            permit=self.gate.check_write,
            segment_bytes=settings.segment_bytes,
        )
        self.queries = QueryLog(layout.queries_directory(settings.data_root), disk, clock, self._may_note)
        work = OutboxWorker(
            self.spaces,
            clock,
            {
                COMPRESS: self._compress,
                POST_TURN: self._post_turn,
                compress.SUMMARISE: self._summarise,
                inherited.EXTRACT: inherited.take_over,
                ARCHIVE: put_away,
                erase.ERASE: self._finish_erasing,
                working_update.REFINE_WORKING: partial(working_update.refine, chat=chat),
            },
            attempts=settings.attempts,
            admits=self._admits_work,
        )
        prompt = OutboxWorker(      # follows what was said, whatever a model takes its time for meanwhile
            self.spaces,
            clock,
            {UPDATE_WORKING: partial(working_update.update, chat=chat)},
            attempts=settings.attempts,
            admits=self._admits_work,
        )
        self.digesting = Digesting(self.spaces, self.cast, clock, chat, settings, self._admits_work)
        told = deliveries(self.spaces, clock, courier, self._admits_work)
        self.worker = Lanes(prompt, work, told, self.digesting.worker)
        self.backfill = Backfill(self.spaces, self.cast, clock, embedder, self._admits_work)
        self.rounds = Rounds(self.spaces, self.cast, clock, self._admits_work, self.sync_cards, chat=chat)
        self.thoughts = Rounds(
            self.spaces, self.cast, clock, self._admits_thought, self.sync_cards, thoughts(chat, embedder), chat=chat
        )
        self._usage = Usage(settings.data_root, disk, chat)
        self._survey = Survey()
        self.due = DueReminders(self.spaces, self.catalogue, clock, self._admits_work)
        self.upkeep = Upkeep(self.spaces, self.catalogue, clock, chat, self._admits_work)
        self.tombstones = Tombstones(settings.data_root, disk, self.spaces.exists)
        self._released: dict[str, Print | None] = {}   # journals of claimed names, as they were let go
        self._disk = disk
        self._runner = Runner(admits=lambda: not self.gate.paused)
        self._tasks: list[asyncio.Task[None]] = []

    @classmethod
    async def open(
        cls,
        settings: Settings,
        *,
        clock: Clock | None = None,
        ids: Ids | None = None,
        chat: Chat | None = None,
        embedder: Embedder | None = None,
        disk: Disk | None = None,
        gate: StorageGate | None = None,
        courier: Courier | None = None,
    ) -> Engine:
        """Open a data root, making it if it is not there. Raises RootTooNew, or OSError.

        Whoever must not open it while ``gate`` is closed asks that first.
        """
        disk = disk or Disk()
        ids = ids or RandomIds()
        root_id = await disk.run(_stamp_root, settings, disk, ids)
        engine = cls(
            settings,
            root_id=root_id,
            disk=disk,
            clock=clock or SystemClock(),
            ids=ids,
            chat=chat or NoChat(),
            embedder=embedder or NoEmbedder(),
            gate=gate or StorageGate(settings.data_root),
            courier=courier or NoCourier(),
        )
        await engine.catalogue.open()
        await engine._usage.load()
        engine.gate.opened()
        if settings.background:
            engine._start()
        return engine

    def _start(self) -> None:
        self._tasks = [
            asyncio.create_task(asyncio.to_thread(words.prepare), name="load the tokeniser"),
            asyncio.create_task(self.worker.run(), name="outbox worker"),
            asyncio.create_task(self.sweep(), name="start-up sweep"),
        ]
        self._runner.start(
            [
                Loop("close idle databases", every=15.0, tick=self.spaces.close_idle_databases),
                Loop("save the catalogue", every=10.0, tick=self.catalogue.save),
                Loop("due reminders", every=0.5, tick=self.due.tick),
                Loop("upkeep of scopes", every=60.0, tick=self.upkeep.tick),
                Loop("digests", every=1.0, tick=self.digesting.tick),
                Loop("rounds", every=10.0, tick=self.rounds.tick),
                Loop("thoughts", every=10.0, tick=self.thoughts.tick),
                Loop("save the models' usage", every=10.0, tick=self._usage.save),
                Loop("vectors", every=1.0, first=2.0, tick=self.backfill.tick),
            ]
        )

    async def close(self) -> None:
        """Stop background work and let go of every file. What is owed stays owed."""
        try:
            await self._close()
        except asyncio.CancelledError:
            self.spaces.abandon()   # cut short: no thread of theirs may keep the process from ending
            raise

    async def _close(self) -> None:
        await self._runner.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.queries.close()
        await self.spaces.close()
        await self.embedder.close()
        await self.courier.close()
        await self.catalogue.close()
        await self._usage.save()
        self._disk.close()

    async def declare_normal(self) -> None:
        """Say in the root's state file that it is served, as the server does after opening it."""
        await self.gate.declare_normal(self._disk, self.clock.now())

    async def sweep(self) -> None:
        """Visit every space once, one at a time: recover it and learn what it owes."""
        for name in [*self.spaces.names(), *self.spaces.scopes()]:
            while self.gate.paused:  # noqa: ASYNC110 - a file of another program ends it, and wakes nobody
                await asyncio.sleep(_PAUSE)
            if self.claims.retired(name):
                continue  # its work is resumed when the claim ends
            try:
                await self.scoped.look_over(name)
            except (MemoryServiceError, OSError) as error:
                log.warning("%s could not be opened (%s)", name, type(error).__name__)
            await asyncio.sleep(0)

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run blocking work off the event loop, to its end."""
        return await self._disk.run(function, *args, **kwargs)

    def status(self) -> Status:
        """The present state, without touching a space."""
        totals = self.catalogue.totals()
        return Status(
            root_id=self.root_id,
            spaces=totals.spaces,
            open_spaces=len(self.spaces.open_spaces),
            owed=totals.owed,
            oldest_owed=totals.oldest_owed,
            damaged=sum(space.journal.damage is not None for space in self.spaces.open_spaces),
            refused_writes=self.gate.refused_writes,
            write_fence=self.gate.fence,
            failed_write_at=self.failed_write_at,
        )

    async def reread(self) -> list[str]:
        """Take in what changed on disk behind the open spaces. Returns those that could not be read again.

        They stay as they are. A space that is being closed is passed over: it is read when it is opened.
        """
        failed = []
        for name in [space.name for space in self.spaces.open_spaces]:
            if self.spaces.closing(name):
                continue
            try:
                async with self.spaces.use(name) as space:
                    await space.reread()
            except (SpaceClosed, UnknownSpace):
                continue
            except (MemoryServiceError, OSError) as error:
                log.warning("%s could not be read again (%s)", name, type(error).__name__)
                failed.append(name)
        return failed

    def characters(self) -> frozenset[str]:
        """Every character there is: those that are configured or, where nothing says which are, that have a memory."""
        published = self.cast.published()
        return frozenset(self.spaces.names()) if published is None else published

    async def sync_cards(self, space: MemorySpace) -> None:
        """Bring the persona up to the configured cards, for a character that is configured."""
        if space.name in (self.cast.published() or ()):
            await mind.sync_cards(space, self.cast.card(space.name), self.cast.master_card())

    def _admits_work(self, name: str) -> bool:
        return not self.gate.paused and not self.claims.retired(name)

    def _admits_thought(self, name: str) -> bool:
        return self._admits_work(name) and any(self.chat.usable(tier, name) for tier in BACKGROUND)

    def jobs(self) -> list[JobState]:
        """The state of what models do, over the spaces that are open now."""
        return self.jobs_of(self.spaces.open_spaces)

    def jobs_of(self, spaces: Iterable[MemorySpace]) -> list[JobState]:
        """The same over these spaces."""
        return self._survey(spaces, self.chat, powerful=self.cast.switch(POWERFUL), paused=self.gate.paused)

    def _is_paused(self) -> bool:
        return self.gate.paused

    def _may_note(self) -> bool:
        """Whether what is not worth refusing anything for may be written down now."""
        return self.gate.reason is None and self.gate.fence is None

    def _admit(self, name: str, create: bool) -> None:
        """Raises SpaceClosed for a name that is held, or closed for good and not published again."""
        if self.claims.held(name) or self._was_moved(name):
            raise SpaceClosed(name)
        if (
            create
            and name in self.tombstones
            and name not in (self.cast.published() or ())
            and not self.spaces.exists(name)
        ):
            raise SpaceClosed(name)

    def released(self, name: str, *, anew: bool) -> None:
        """Remember the files of a closed space: whoever claimed it may put others there.

        ``anew`` says that it was open until now, so that its files are still its own.
        """
        if anew or name not in self._released:
            self._released[name] = look(self.spaces.directory(name) / layout.EVENTS)

    def _was_moved(self, name: str) -> bool:
        """Whether a claimed space's files are no longer those that were let go, and so perhaps half in place."""
        if name not in self._released or self.spaces.is_open(name):
            return False
        directory = self.spaces.directory(name)
        return not directory.is_dir() or look(directory / layout.EVENTS) != self._released[name]

    def _reopened(self, name: str) -> None:
        self._released.pop(name, None)
        self.worker.resume(name)

    def _committed(self, space: MemorySpace) -> None:
        self.catalogue.note(space)
        self.digesting.note(space)
        self.worker.owed(space)

    def _opened(self, space: MemorySpace) -> None:
        self._shelves.opened(space)
        self.catalogue.note(space)
        self.digesting.note(space)
        self.worker.owed(space)

    def _left(self, space: MemorySpace) -> bool:
        """Whether what it held in memory is still wanted."""
        self.catalogue.closed(space)
        return self._shelves.left(space)

    def _write_failed(self, name: str) -> None:
        self.failed_write_at = self.clock.now()

    # owed work

    async def _post_turn(self, space: MemorySpace, op: OutboxOp) -> None:
        names = self.cast.names(space.name)
        powerful = self.cast.switch(POWERFUL)
        await learn(space, names, op.id, most=_AT_ONCE)
        if op.id in space.outbox.pending:  # more than is read in one go: other work has its turn in between
            await attend(space, names, powerful=powerful, upto=space.views.cursors.row(LEARNT))
            return
        judged = self.chat.usable(Tier.CORRECTION, space.name)
        await mind.attend_to(space, names, powerful=powerful, judged=judged)

    async def _compress(self, space: MemorySpace, op: OutboxOp) -> None:
        await compress.compress(
            space, self.cast.names(space.name), chat=self.chat, wait=self.settings.summary_wait, op_id=op.id
        )

    async def _summarise(self, space: MemorySpace, op: OutboxOp) -> None:
        names = self.cast.names(space.name)
        await compress.summarise(space, names, self.chat, str(op.payload.get("memo_id")), op.id)

    async def _finish_erasing(self, space: MemorySpace, op: OutboxOp) -> None:
        await erase.finish(space, op.id, self.cast.names(space.name))


def _stamp_root(settings: Settings, disk: Disk, ids: Ids) -> str:
    """Check the root's layout version, or stamp a new root. Returns its id."""
    root = settings.data_root
    disk.make_directory(root)
    disk.make_directory(layout.memory_directory(root))
    path = root / layout.ROOT_STAMP
    data = read(path)
    if data is not None:
        try:
            value = parse_object(data)
            version, root_id = int(value["layout"]), str(value["root_id"])
        except (Unreadable, KeyError, TypeError, ValueError):
            log.warning("%s is unreadable and is written again", path.name)
        else:
            if version > layout.LAYOUT_VERSION:
                raise RootTooNew(root, version, layout.LAYOUT_VERSION)
            return root_id
    root_id = ids.new("root")
    stamp = {"layout": layout.LAYOUT_VERSION, "root_id": root_id}
    disk.replace(path, [orjson.dumps(stamp, option=orjson.OPT_APPEND_NEWLINE)], "root")
    return root_id
