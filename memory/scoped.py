"""The scopes of a data root: which there are, how much each holds, and where an id is."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from memory.catalogue import Catalogue, Entry
from memory.errors import BadInput, MemoryServiceError, UnknownSpace
from memory.people import Names
from memory.recall.document import FACT, FACT_ARCHIVE
from memory.scopes import RECALLNEST, Scope, Wanted, of_character
from memory.shelves import Shelved, Shelves
from memory.space import MemorySpace
from memory.spaces import Spaces
from memory.store.journal import Batch

log = logging.getLogger(__name__)

SHORTEST_PREFIX = 8         # hex digits of an id that may stand for the whole

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_HEX = re.compile(r"[0-9a-f]+")
_PREFIX = re.compile(r"[0-9a-f]{4,}(?:-[0-9a-f]*)*")
_OWN_ID = re.compile(r"[A-Za-z0-9_.:\-]{1,160}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Where an id is: that of a fact, or of what it said before or absorbed."""

    id: str
    scope: Scope


class Scoped:
    """Every scope that this dialect's clients may reach: their own, and the characters."""

    def __init__(self, spaces: Spaces, catalogue: Catalogue, shelves: Shelves, *, dialect: str = RECALLNEST) -> None:
        self._spaces = spaces
        self._catalogue = catalogue
        self._shelves = shelves
        self._dialect = dialect
        self._unread: set[str] = set()

    @property
    def unread(self) -> list[str]:
        """Names of spaces of which nothing is known, since they could not be opened when it was last tried."""
        return sorted(self._unread)

    async def known(self) -> list[Scope]:
        """Every scope that holds or held something, by the name of its space."""
        characters, scopes = self._spaces.names(), self._spaces.scopes()
        self._unread &= {*characters, *scopes}
        found = [of_character(name) for name in characters]
        for name in scopes:
            entry = await self._entry(name)
            if entry is not None and entry.scope is not None and entry.scope.dialect == self._dialect:
                found.append(entry.scope)
        return found

    async def _entry(self, name: str) -> Entry | None:
        if name not in self._catalogue:
            try:
                await self._spaces.visit(name)
            except (MemoryServiceError, OSError) as error:
                if name not in self._unread:
                    log.warning("%s could not be opened (%s)", name, type(error).__name__)
                self._unread.add(name)
                return None
        self._unread.discard(name)
        return self._catalogue.get(name)

    async def holding_something(self, wanted: Wanted) -> list[Scope]:
        """The scopes that a reader asks for, but for those of which it is known that they hold nothing."""
        found = []
        for scope in await self.known():
            if wanted.covers(scope):
                entry = await self._entry(scope.space)
                if entry is None or any(entry.memories.values()):
                    found.append(scope)
        return found

    async def counts(self) -> dict[Scope, Mapping[str, int]]:
        """Memories that are shown, by scope and category; scopes without any are left out."""
        counted: dict[Scope, Mapping[str, int]] = {}
        for scope in await self.known():
            entry = await self._entry(scope.space)
            if entry is not None and any(entry.memories.values()):
                counted[scope] = entry.memories
        return counted

    def shelf(self, scope: Scope) -> Shelved | None:
        """What was searched of a scope when its space was closed, if it is still closed and nothing changed."""
        if self._spaces.is_open(scope.space) or not self._spaces.admits(scope.space):
            return None
        return self._shelves.get(scope.space, self._spaces.directory(scope.space))

    def total(self) -> int:
        """Memories that are shown, in all scopes that are known so far."""
        return sum(sum(entry.memories.values()) for entry in self._entries())

    def versions(self) -> int:
        """Earlier versions, which no count of memories includes."""
        return sum(entry.versions for entry in self._entries())

    def _entries(self) -> Iterator[Entry]:
        for name in self._catalogue.names():
            entry = self._catalogue.get(name)
            if entry is not None and (
                not name.startswith("@") or (entry.scope is not None and entry.scope.dialect == self._dialect)
            ):
                yield entry

    async def with_conflicts(self, wanted: Wanted) -> list[Scope]:
        """Those of the scopes in which there is or was a conflict."""
        found = []
        for scope in await self.known():
            entry = await self._entry(scope.space) if wanted.covers(scope) else None
            if entry is not None and entry.conflicts:
                found.append(scope)
        return found

    async def look_over(self, name: str) -> None:
        """Open a closed space to recover it, and close it again; what is searched of a small one is then known."""
        if self._spaces.is_open(name):
            return
        async with self._spaces.use(name) as space:
            if self._shelves.wants(space):
                await space.library.snapshots((FACT, FACT_ARCHIVE), Names(neko=name))
        await self._spaces.put_away(name)

    @asynccontextmanager
    async def reading(self, scope: Scope) -> AsyncIterator[MemorySpace | None]:
        """The space of a scope; None where it holds nothing yet."""
        if not self._spaces.exists(scope.space):
            yield None
            return
        try:
            async with self._spaces.use(scope.space) as space:
                yield space
        except UnknownSpace:
            yield None

    @asynccontextmanager
    async def writing(self, scope: Scope) -> AsyncIterator[MemorySpace]:
        """The space of a scope, made by the first write."""
        async with self._spaces.use(scope.space, create=True) as space:
            yield space

    # ids

    async def find(self, asked: str) -> Found:
        """Where a fact or an earlier version of one is, by its whole id in either spelling or the beginning of it.

        Raises BadInput for what is no id, for one that nothing has, and for a beginning that
        several have.
        """
        first, last = id_range(asked)
        found = await self._in_range(first, last)
        if not found:   # what a memory said before has an id as well
            first, last = (_of_version(one) for one in (first, last))
            found = await self._in_range(first, last)
        known = {scope.space: scope for scope in await self.known()}
        there = [Found(id=one, scope=known[name]) for one, name in sorted(set(found)) if name in known]
        exact = [one for one in there if one.id in (asked, first)]
        if exact or len(there) == 1:
            return (exact or there)[0]
        if not there:
            raise BadInput("memoryId", f"Memory {asked} not found")
        raise BadInput("memoryId", f"Memory ID prefix {asked} matches {len(there)} memories; use a longer prefix.")

    async def _in_range(self, first: str, last: str) -> list[tuple[str, str]]:
        """Ids and their spaces. Spaces that are open are asked, of the others the catalogue tells."""
        await self._learn_ids()
        asked: set[str] = set()
        found: list[tuple[str, str]] = []
        for space in self._spaces.open_spaces:
            asked.add(space.name)
            for ids in (space.facts.ids, space.views.facts_archive.ids, space.views.versions.ids):
                if first == last:
                    found += [(first, space.name)] if first in ids else []
                else:
                    found += [(one, space.name) for one in ids if first <= one <= last]
        elsewhere = await self._catalogue.find(first, last)
        return [*found, *(one for one in elsewhere if one[1] not in asked and self._spaces.exists(one[1]))]

    async def _learn_ids(self) -> None:
        """After the catalogue was lost: look into the spaces of which it cannot tell."""
        open_now = {space.name for space in self._spaces.open_spaces}
        for name in [*self._spaces.names(), *self._spaces.scopes()]:
            if name not in open_now and not self._catalogue.knows_ids(name):
                try:
                    await self._spaces.visit(name)
                except (MemoryServiceError, OSError):
                    continue


def name_scope(space: MemorySpace, scope: Scope, batch: Batch) -> None:
    """Note in the first write to a space which scope it is."""
    if scope.character is None and space.views.scope.empty:
        batch.add("scope.named", {"dialect": scope.dialect, "owner": scope.owner, "name": scope.name})


def id_range(asked: str) -> tuple[str, str]:
    """The first and last id that what was asked may mean. Raises BadInput for what is no id."""
    text = asked.strip()
    lower = text.lower()
    if _UUID.fullmatch(lower) or (len(lower) == 32 and _HEX.fullmatch(lower)):
        whole = f"fact_{lower.replace('-', '')}"
        return whole, whole
    digits = lower.replace("-", "")
    if _PREFIX.fullmatch(lower) and SHORTEST_PREFIX <= len(digits) < 32:
        return f"fact_{digits}", f"fact_{digits}g"
    if ("_" in text or len(text) >= SHORTEST_PREFIX) and _OWN_ID.fullmatch(text):
        return text, text  # an id that came from elsewhere
    raise BadInput("memoryId", f"Invalid memory ID format: {asked}")


def _of_version(fact_id: str) -> str:
    """The id with the same digits that a version has."""
    return f"version_{fact_id.removeprefix('fact_')}" if fact_id.startswith("fact_") else fact_id


def shown_id(own: str) -> str:
    """An id as clients see it: the digits of one of ours as a UUID, any other as it is."""
    _, _, digits = own.partition("_")
    if len(digits) == 32 and _HEX.fullmatch(digits):
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
    return own


def counted(counts: Mapping[Scope, Mapping[str, int]]) -> tuple[dict[str, int], dict[str, int]]:
    """By scope and by category; only what there is."""
    by_scope: Counter[str] = Counter()
    by_category: Counter[str] = Counter()
    for scope, categories in counts.items():
        by_scope[scope.name] += sum(categories.values())
        by_category.update(categories)
    return dict(by_scope), {category: count for category, count in by_category.items() if count}
