"""Making a space whole when it is opened: what the journal has beyond the files, and what others changed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from memory.clock import Clock
from memory.errors import SpaceClosed
from memory.history.turns_db import Kept, TurnsDb
from memory.library import Library
from memory.settings import Settings
from memory.store.files import Disk, Print
from memory.store.journal import Journal
from memory.store.outbox import Outbox
from memory.store.shelf import Found, Shelf
from memory.store.view import Change, FileView, Unreadable, View
from memory.views import Views

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What lies in a space's directory."""

    journal: Journal
    shelf: Shelf
    views: Views
    turns: TurnsDb
    outbox: Outbox
    library: Library

    def all(self) -> list[View]:
        """Everything that folds events."""
        return [*self.views.all(), self.turns, self.outbox]


class Recovery:
    """Reads what is on disk and makes it whole. Writers and saves are kept out by whoever calls."""

    def __init__(
        self,
        name: str,
        contents: Contents,
        settings: Settings,
        clock: Clock,
        disk: Disk,
        *,
        paused: Callable[[], bool],
    ) -> None:
        self._disk = disk
        self.unsettled = False   # read while nothing could be written: to be opened anew
        self._name = name
        self._all = contents.all
        self._journal = contents.journal
        self._shelf = contents.shelf
        self._views = contents.views
        self._turns = contents.turns
        self._outbox = contents.outbox
        self._library = contents.library
        self._settings = settings
        self._clock = clock
        self._paused = paused

    async def load(self, save: Callable[[], Awaitable[bool]]) -> None:
        """Read everything. ``save`` is needed where the stamps in the files must be put right at once."""
        await self._journal.open()
        found = await self._shelf.load(journal_is_new=self._journal.seq == 0)
        rows = await self._turns.load()
        self._library.forget_conversation()
        marks = self._shelf.marks
        await self._outbox.load(marks.get("outbox", 0), marks.get("outbox_size", 0))
        if self._journal.damage is not None:
            await self._catch_up(self._all())
            return
        if max(self._shelf.highest, self._turns.seq, self._outbox.seq) > self._journal.seq:
            await self._heal(found, save)
            return
        edited = [one for one in found if one.edited is not None]
        for one in edited:
            await self._catch_up([one.view])
        await self._catch_up(self._all())
        if self._is_damaged():  # which reading on may have found out
            return
        adopted = [one.view for one in found if one.adopt]
        changes = await self._adopted(adopted)
        changes += self._turns.adoption(rows)
        self._views.recent.arrivals |= {kept.turn.id: kept.received for kept in self._turns.tail}
        if not self._journal.seq and rows:
            # What another program already learnt from is not learnt from again.
            for cursor in ("extracted_row", "attended_row", "model_extracted_row"):
                changes.append(("cursor.moved", {"name": cursor, "to": rows[-1].turn.row}))
        for one in edited:
            changes += await self._edits(one)
        await self._take_in(changes, "adopted" if not self._journal.seq else "taken in", adopted)

    async def _adopted(self, views: Sequence[FileView]) -> list[Change]:
        """What another program left, as events. Once in the life of a directory, which may be a large one."""
        changes: list[Change] = []
        for view in views:
            changes += await self._disk.run(view.adoption)
        return changes

    def _is_damaged(self) -> bool:
        return self._journal.damage is not None

    async def repair(self) -> None:
        """After a failed append: cut what it left behind. The views stand where they stood."""
        seq = self._journal.seq
        await self._journal.open()
        if self._journal.seq < seq:  # somebody put an older journal there: to be opened anew
            self._journal.closed = True
            raise SpaceClosed(self._name)
        await self._catch_up(self._all())

    async def _heal(self, found: Sequence[Found], save: Callable[[], Awaitable[bool]]) -> None:
        """The journal lost its end, but views that were saved later have it: they become events again."""
        log.error("journal of %s ends before its views; taking the views over", self._name)
        last_row = 0
        async for events in self._journal.events(0):
            for event in events:
                if event.type in ("turns.added", "turns.adopted"):
                    last_row = max([last_row, *(turn["row"] for turn in event.data["turns"])])
        await self._catch_up(self._all())
        for one in found:
            if one.edited is not None:
                one.view.read(one.edited, self._clock)
        changes: list[Change] = [change for view in self._views.all() for change in view.adoption()]
        stored = [Kept(turn, turn.at) for turn in await self._turns.after(last_row, 10**9, whole=True)]
        if stored:
            kept, self._turns.last_row = self._turns.last_row, 0
            changes += self._turns.adoption(stored)
            self._turns.last_row = kept
        self._shelf.forget_seqs()
        self._turns.forget_seq()
        await self._take_in(changes or [("space.healed", {})], "healed")
        if self.unsettled:
            return
        # From here on the stamps in the files must not claim more than the journal has.
        await save()

    async def _take_in(self, changes: list[Change], how: str, anew: Sequence[FileView] = ()) -> None:
        """Write changes down as events. The list is emptied: there may be very much in it.

        The views ``anew`` get everything they have from those events.
        """
        if not changes:
            return
        if self._paused():
            # The views show what the files say; nothing may be written before it has become events.
            self.unsettled = True
            return
        batch, count = self._journal.batch(), len(changes)
        for type_, data in changes:
            batch.add(type_, data)
        changes.clear()
        for view in anew:
            for _ in view.leave():
                await asyncio.sleep(0)
        await self._journal.commit_unseen(batch)
        log.info("%s: %d changes %s", self._name, count, how)

    async def _catch_up(self, views: Sequence[View]) -> None:
        """Fold what the journal has beyond each view's own seq."""
        lowest = min(view.seq for view in views)
        if lowest >= self._journal.seq:
            return
        async for events in self._journal.events(lowest):
            for event in events:
                for view in views:
                    if view.seq < event.seq:
                        try:
                            view.fold(event)
                        except (AttributeError, LookupError, TypeError, ValueError):
                            await self._journal.spoilt_at(event.seq)
                            return

    async def _edits(self, found: Found) -> list[Change]:
        """What somebody changed in a file, against the likeliest content it started from."""
        place = self._views.all().index(found.view)
        edited = Views(self._settings, self._clock).all()[place]
        assert found.edited is not None
        edited.inline = found.view.inline
        edited.read(found.edited, self._clock)
        best: list[Change] | None = None
        for seq in found.bases or (0,):
            base = Views(self._settings, self._clock).all()[place]
            async for events in self._journal.events(0, seq):
                for event in events:
                    base.fold(event)
            if self._journal.damage is not None:
                raise self._journal.damage
            changes = found.view.edits(base, edited, self._clock)
            if best is None or _weight(changes) < _weight(best):
                best = changes
        found.view.dirty += 1
        return best or []

    async def take_in_edits(self) -> None:
        """What others changed in the files, as one batch. No save of ours may come in between."""
        looks: dict[FileView, Print | None] = {}
        async with self._journal.write() as batch:
            for view in self._shelf.edited():
                bases = self._shelf.bases(view)
                data, looks[view] = await self._shelf.reread(view)
                if data is None:
                    continue
                try:
                    changes = await self._edits(Found(view, edited=data, bases=bases))
                except Unreadable:
                    del looks[view]
                    await self._shelf.set_aside(view, "corrupt")
                    view.dirty += 1
                    continue
                for type_, content in changes:
                    batch.add(type_, content)
                log.info("%s: %s was edited, %d changes taken in", self._name, view.file, len(changes))
        for view, seen in looks.items():
            self._shelf.seen(view, seen)

    async def mend_turns(self) -> bool:
        """Make an unreadable database again from the journal. Whether there was one."""
        if self._turns.unreadable:
            async with self._journal.hold():
                await self._turns.load()
                await self._catch_up([self._turns])
            return True
        return False


def _weight(changes: Sequence[Change]) -> int:
    return sum(len(str(data)) for _, data in changes)
