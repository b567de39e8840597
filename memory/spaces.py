"""Name → open space: opens, lends, evicts, releases, lists."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from memory.clock import Clock
from memory.errors import BadInput, SpaceClosed, UnknownSpace
from memory.ids import Ids
from memory.settings import Settings
from memory.space import MemorySpace
from memory.store import layout
from memory.store.files import Disk

log = logging.getLogger(__name__)

_ABANDONED = 0.5   # seconds for databases to end when there is no time to close them


@dataclass(slots=True)
class _Slot:
    """A place for one space, whether open or not."""

    space: MemorySpace | None = None
    leases: int = 0
    used: int = 0
    closing: bool = False
    opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    returned: asyncio.Condition = field(default_factory=asyncio.Condition)


class Spaces:
    """Lends spaces. A lease is a count: it keeps a space open, it excludes nobody."""

    def __init__(
        self,
        settings: Settings,
        disk: Disk,
        clock: Clock,
        ids: Ids,
        *,
        permit: Callable[[], None],
        admit: Callable[[str, bool], None],
        committed: Callable[[MemorySpace], None],
        opened: Callable[[MemorySpace], None],
        failed: Callable[[str], None],
        paused: Callable[[], bool] = lambda: False,
        left: Callable[[MemorySpace], bool] = lambda _space: False,
    ) -> None:
        self._settings = settings
        self._disk = disk
        self._clock = clock
        self._ids = ids
        self._permit = permit
        self._admit = admit
        self._committed = committed
        self._opened = opened
        self._failed = failed
        self._paused = paused
        self._left = left
        self._slots: dict[str, _Slot] = {}
        self._uses = itertools.count(1)
        self._evictions: set[asyncio.Task[None]] = set()

    def directory(self, name: str) -> Path:
        return layout.space_directory(self._settings.data_root, name)

    def exists(self, name: str) -> bool:
        """Whether a space of that (checked) name holds something or has a directory."""
        slot = self._slots.get(name)
        holds_something = slot is not None and slot.space is not None and slot.space.journal.seq > 0
        return (holds_something and self.is_open(name)) or self.directory(name).is_dir()

    def is_open(self, name: str) -> bool:
        """Whether a space is open and may be used as it is."""
        slot = self._slots.get(name)
        return slot is not None and slot.space is not None and not slot.space.journal.closed

    def names(self) -> list[str]:
        """Every character that has a directory, sorted."""
        root = layout.memory_directory(self._settings.data_root)
        try:
            return sorted(
                entry.name
                for entry in root.iterdir()
                if entry.is_dir() and not entry.is_symlink() and entry.name[0] not in "@."
            )
        except FileNotFoundError:
            return []

    def scopes(self) -> list[str]:
        """Every scope that has a directory, by the name of its space, sorted."""
        try:
            return sorted(
                f"@{entry.name}"
                for entry in layout.scopes_directory(self._settings.data_root).iterdir()
                if entry.is_dir() and not entry.is_symlink() and entry.name[0] not in "@."
            )
        except FileNotFoundError:
            return []

    def closing(self, name: str) -> bool:
        """Whether a space is just being closed, or kept closed."""
        slot = self._slots.get(name)
        return slot is not None and slot.closing

    def admits(self, name: str) -> bool:
        """Whether a space that is there may be read now: it is not held, and nobody is closing it."""
        try:
            self._admit(name, False)
        except SpaceClosed:
            return False
        return not self.closing(name)

    @property
    def leases(self) -> int:
        """How many requests and jobs use a space at this moment."""
        return sum(slot.leases for slot in self._slots.values())

    @property
    def open_spaces(self) -> list[MemorySpace]:
        return [slot.space for slot in self._slots.values() if slot.space is not None]

    @asynccontextmanager
    async def use(self, name: str, *, create: bool = False) -> AsyncIterator[MemorySpace]:
        """Borrow the space of a checked name for one request or one job.

        Raises UnknownSpace when it has no directory and ``create`` is false (with it, the
        directory is made by the first write), SpaceClosed while it is being released, BadInput
        for a directory that is a symbolic link.
        """
        self._admit(name, create)
        slot = self._slots.setdefault(name, _Slot())
        if slot.closing:
            slot = await self._reopened(name, create)
        slot.leases += 1
        slot.used = next(self._uses)
        try:
            async with slot.opening:
                if slot.space is not None and self._is_stale(slot.space, slot.leases):
                    await slot.space.let_go()
                    slot.space = None
                if slot.space is None:
                    slot.space = await self._open(name, create)
            if create:
                slot.space.journal.may_create = True
            await slot.space.refresh()
            yield slot.space
        finally:
            slot.leases -= 1
            if slot.closing:
                async with slot.returned:
                    slot.returned.notify_all()
            if not slot.leases and not slot.closing:
                if slot.space is None:
                    self._slots.pop(name, None)
                self._evict()

    def _is_stale(self, space: MemorySpace, leases: int) -> bool:
        """Whether an open space has to be opened anew before it is lent once more."""
        return space.journal.closed or (space.unsettled and leases == 1 and not self._paused())

    async def _reopened(self, name: str, create: bool) -> _Slot:
        """The slot of a name once nobody is closing it any more."""
        while True:
            slot = self._slots.setdefault(name, _Slot())
            async with slot.returned:
                await slot.returned.wait_for(partial(_is_not_closing, slot))
            self._admit(name, create)
            if self._slots.get(name) is slot and not slot.closing:
                return slot

    async def _open(self, name: str, create: bool) -> MemorySpace:
        directory = self.directory(name)
        if directory.is_symlink():
            raise BadInput("name", "the directory of this memory is a symbolic link; put the directory itself there")
        exists = directory.is_dir()
        if not exists and not create:
            raise UnknownSpace(name)
        space = MemorySpace(
            name,
            directory,
            self._settings,
            self._disk,
            self._clock,
            self._ids,
            permit=self._permit,
            committed=self._committed,
            failed=self._failed,
            paused=self._paused,
        )
        if exists:
            try:
                await space.load()
            except BaseException:
                await space.let_go()
                raise
            self._opened(space)
        return space

    def _evict(self) -> None:
        """Fold the least recently used spaces away when too many are open."""
        idle = [
            (slot.used, name)
            for name, slot in self._slots.items()
            if slot.space is not None and not slot.leases and not slot.closing
        ]
        excess = len(self._slots) - self._settings.open_spaces
        for _, name in sorted(idle)[: max(excess, 0)]:
            task = asyncio.create_task(self._fold_away(name, self._slots[name]))
            self._evictions.add(task)
            task.add_done_callback(self._evictions.discard)

    async def _fold_away(self, name: str, slot: _Slot) -> None:
        async with slot.opening:
            space = slot.space
            if space is not None and not slot.leases:
                try:
                    await space.close()
                except OSError as error:
                    log.warning("%s: could not save while folding away (%s)", name, type(error).__name__)
                    self._failed(name)
                kept = self._left(space)
                space.journal.closed = True
                if not kept:
                    space.fall_apart()
                slot.space = None
        if not slot.leases and not slot.closing and slot.space is None and self._slots.get(name) is slot:
            self._slots.pop(name, None)

    async def visit(self, name: str) -> None:
        """Open a space to recover it, and close it again unless somebody else wants it."""
        slot = self._slots.get(name)
        if slot is not None and slot.space is not None:
            return
        async with self.use(name):
            pass
        await self.put_away(name)

    async def put_away(self, name: str) -> None:
        """Close a space that nobody uses right now; it opens again when somebody does."""
        slot = self._slots.get(name)
        if slot is not None and not slot.leases and not slot.closing:
            await self._fold_away(name, slot)

    async def close_idle_databases(self) -> None:
        """Close databases that nobody used for a while."""
        now = self._clock.monotonic()
        for space in self.open_spaces:
            if space.turns.is_open and now - space.turns.used_at > self._settings.database_idle:
                await space.turns.close()

    @asynccontextmanager
    async def closed(self, name: str, *, unless: Callable[[], bool] = lambda: False) -> AsyncIterator[None]:
        """Close a space for as long as the block runs: no lease is out, nothing is written, no file is open.

        Waits for leases without a limit of its own, and tells the space that somebody waits, so
        that it asks no model meanwhile. If then ``unless()`` is true the space stays open.
        """
        slot = self._slots.setdefault(name, _Slot())
        async with slot.returned:
            await slot.returned.wait_for(partial(_is_not_closing, slot))
            slot.closing = True
        try:
            if slot.space is not None:
                slot.space.wanted_back.set()
            async with slot.returned:
                await slot.returned.wait_for(lambda: slot.leases == 0)
            async with slot.opening:  # whoever is folding it away is waited for
                if slot.space is not None and not unless():
                    space, slot.space = slot.space, None
                    space.wanted_back.set()
                    await space.close()
                    space.journal.closed = True
            yield
        finally:
            slot.closing = False
            if slot.space is not None:
                slot.space.wanted_back.clear()
            async with slot.returned:
                slot.returned.notify_all()
            if not slot.leases and slot.space is None and self._slots.get(name) is slot:
                self._slots.pop(name, None)

    async def close(self) -> None:
        """Close every space. When this is cut short, no thread of theirs keeps the process from ending."""
        await asyncio.gather(*self._evictions, return_exceptions=True)
        try:
            for name, slot in list(self._slots.items()):
                if slot.space is not None:
                    try:
                        await slot.space.close()
                    except OSError as error:
                        log.warning("%s: could not save at the end (%s)", name, type(error).__name__)
                    self._left(slot.space)
                    slot.space.journal.closed = True
                    slot.space = None
        finally:
            ending = [end for space in self.open_spaces if (end := space.turns.abandon()) is not None]
            self._slots.clear()
            if ending:
                await asyncio.wait(ending, timeout=_ABANDONED)

    def abandon(self) -> None:
        """Let every database go as it is, for a process that must end."""
        for space in self.open_spaces:
            space.turns.abandon()


def _is_not_closing(slot: _Slot) -> bool:
    return not slot.closing
