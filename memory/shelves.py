"""What is searched of a scope, also while its space is closed: a question about many scopes need not open each.

Opening a space takes milliseconds, and only so many may be open. What was searched in one is
therefore kept when it is closed, as far as there is room, and good for as long as its files are
those that were left behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memory.facts.conflicts import Conflicts
from memory.facts.fact import Fact
from memory.facts.view import FactList
from memory.recall.cosine import VectorSnapshot
from memory.recall.document import FACT, FACT_ARCHIVE
from memory.recall.index import Snapshot
from memory.scopes import RECALLNEST, Scope, of_character
from memory.space import MemorySpace
from memory.store import layout
from memory.store.files import Print, look

_SPACES = 2_000             # closed spaces that are kept
_ROOM = 50_000              # documents of theirs
_LARGEST = 5_000            # … of one of them
_SMALL = 500                # … up to which a space is looked into before anybody asks
_FILES = (layout.EVENTS, layout.FACTS, layout.FACTS_ARCHIVE, layout.CONFLICTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelved:
    """A scope as it stood at one moment, ready to be asked: for as long as its space is borrowed, or kept here."""

    scope: Scope
    snapshot: Snapshot
    vectors: Sequence[VectorSnapshot]
    fingerprint: str | None             # of the model that the vectors are of
    facts: FactList
    archive: FactList
    conflicts: Conflicts

    def fact(self, fact_id: str) -> Fact | None:
        return self.facts.get(fact_id) or self.archive.get(fact_id)


@dataclass(frozen=True, slots=True)
class _Kept:
    shelf: Shelved
    files: tuple[Print | None, ...]     # as they were left


class Shelves:
    """Closed spaces as they were left. Never of one that is open."""

    def __init__(self, room: int = _ROOM) -> None:
        self._room = room
        self._kept: dict[str, _Kept] = {}
        self._documents = 0

    def __len__(self) -> int:
        return len(self._kept)

    def opened(self, space: MemorySpace) -> None:
        """It changes from now on."""
        self._drop(space.name)

    def wants(self, space: MemorySpace) -> bool:
        """Whether a space is one of the small ones that make asking many slow, and there is room for it."""
        size = len(space.facts) + len(space.views.facts_archive)
        return _scope_of(space) is not None and 0 < size <= min(_SMALL, self._room - self._documents)

    def left(self, space: MemorySpace) -> bool:
        """Keep what was searched in a space that has just been closed, and say whether it is kept.

        It is not where it changed since it was searched, or is large. What is there already is not
        put out for it: many are asked one after the other.
        """
        self._drop(space.name)
        scope = _scope_of(space)
        if scope is None or _is_behind(space) or space.journal.damage is not None:
            return False
        shelf = shelve(space, scope, space.library.memories.snapshot())
        size = len(shelf.snapshot)
        if size > _LARGEST or self._documents + size > self._room or len(self._kept) >= _SPACES:
            return False
        shelf = replace(shelf, vectors=[_cut_to_size(one) for one in shelf.vectors])
        self._kept[space.name] = _Kept(shelf, _looked(space.directory))
        self._documents += size
        return True

    def get(self, name: str, directory: Path) -> Shelved | None:
        """A closed space as it was left, if that is known and nobody touched its files since."""
        kept = self._kept.get(name)
        if kept is None:
            return None
        if kept.files != _looked(directory):
            self._drop(name)
            return None
        return kept.shelf

    def _drop(self, name: str) -> None:
        kept = self._kept.pop(name, None)
        if kept is not None:
            self._documents -= len(kept.shelf.snapshot)


def shelve(space: MemorySpace, scope: Scope, snapshot: Snapshot) -> Shelved:
    """A space as it stands, with what its library says of its facts."""
    return Shelved(
        scope=scope,
        snapshot=snapshot,
        vectors=[one for one in space.library.vectors_of((FACT, FACT_ARCHIVE)) if one.size],
        fingerprint=space.library.vectors.fingerprint,
        facts=space.facts,
        archive=space.views.facts_archive,
        conflicts=space.views.conflicts,
    )


def _scope_of(space: MemorySpace) -> Scope | None:
    """The scope that a space is to those who ask about several; None for what they never see."""
    if not space.name.startswith("@"):
        return of_character(space.name)
    scope = space.views.scope.scope(space.name)
    return scope if scope is not None and scope.dialect == RECALLNEST else None


def _is_behind(space: MemorySpace) -> bool:
    """Whether the library has yet to see a fact as it now is."""
    return bool(space.facts.touched or space.views.facts_archive.touched) or space.library.updating


def _cut_to_size(vectors: VectorSnapshot) -> VectorSnapshot:
    """Without the room for more, of which a small space has more than it has vectors."""
    *full, last = vectors.blocks
    used = vectors.size - sum(block.shape[1] for block in full)
    return replace(vectors, blocks=(*full, last[:, :used].copy()))


def _looked(directory: Path) -> tuple[Print | None, ...]:
    return tuple(look(directory / file) for file in _FILES)
