"""The desk at which one write to a space is decided: what is there already, and what this very write adds to it.

Everything here happens inside the journal's block, so that of several writers to one key each sees
what the others did.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memory.facts.conflict import OPEN, Conflict, print_of
from memory.facts.draft import Draft
from memory.facts.fact import STORED, Fact
from memory.facts.holdings import Holdings
from memory.facts.keys import fingerprint
from memory.facts.memory import Memory
from memory.facts.record import to_record
from memory.facts.versions import CONSOLIDATED, SUPERSEDED, Version, to_row
from memory.scope_file import ScopeFile
from memory.scopes import Scope
from memory.space import MemorySpace
from memory.store.journal import Batch

STORED_NEW, UPDATED, DEDUPED, CONFLICT, PROMOTED = "stored", "updated", "deduped", "conflict", "promoted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a draft. ``fact`` is the row that now stands, or that stood in the way."""

    draft: Draft
    disposition: str
    fact: Fact
    scope: Scope                    # as the space knows it
    conflict: Conflict | None = None

    @property
    def is_stored(self) -> bool:
        return self.disposition != CONFLICT


class Desk:
    """One batch of one space."""

    def __init__(self, space: MemorySpace, scope: Scope, batch: Batch) -> None:
        self.space = space
        self.scope = registered(space.views.scope, scope)
        self.batch = batch
        self.now: datetime = space.clock.now()
        self._added = Holdings()
        self._changed: dict[str, Fact] = {}             # facts as this write leaves them
        self._asked: dict[str, Conflict] = {}           # conflicts as this write leaves them, by fingerprint

    # what there is

    def get(self, fact_id: str) -> Fact | None:
        return self._changed.get(fact_id) or self.space.facts.get(fact_id)

    def in_other_categories(self, draft: Draft) -> Fact | None:
        """The newest memory that owns the draft's key in another category, itself or as an heir."""
        key, category = _key(draft), draft.memory.category
        held = self.space.facts.holdings
        found = self._facts((*held.elsewhere(key, category), *self._added.elsewhere(key, category)))
        heirs = self._facts((*held.heirs(key), *self._added.heirs(key)))
        return _newest([one for one in (*found, *heirs) if _memory(one).category != category])

    def saying_the_same(self, draft: Draft) -> Fact | None:
        """The newest memory with the draft's key and text, or into which one with both was merged."""
        key = _key(draft)
        held = self.space.facts.holdings
        found = self._facts((*held.saying(key, draft.text), *self._added.saying(key, draft.text)))
        same = [
            one
            for one in found
            if _memory(one).category == draft.memory.category and fingerprint(one.text) == fingerprint(draft.text)
        ]
        return _newest(same or [one for one in self._heirs(draft) if _absorbed(one, draft)])

    def owner(self, draft: Draft) -> Fact | None:
        """The newest memory with the draft's key in its category, itself or as an heir."""
        key, category = _key(draft), draft.memory.category
        held = self.space.facts.holdings
        found = self._facts((*held.owners(key, category), *self._added.owners(key, category)))
        return _newest(found or self._heirs(draft))

    def _heirs(self, draft: Draft) -> list[Fact]:
        key = _key(draft)
        heirs = self._facts((*self.space.facts.holdings.heirs(key), *self._added.heirs(key)))
        return [one for one in heirs if _memory(one).category == draft.memory.category]

    def _facts(self, ids: Iterable[str]) -> list[Fact]:
        """As they are after what this write did so far."""
        return [fact for one in dict.fromkeys(ids) if (fact := self.get(one)) is not None and fact.memory is not None]

    # what this write does

    def add(self, draft: Draft) -> Fact:
        """A new memory."""
        self._lift_guards(draft)
        fact = Fact(
            id=self.space.ids.new("fact"),
            text=draft.text,
            created_at=self.now,
            entity=draft.entity,
            importance=draft.memory.points,
            source=STORED,
            event_start_at=self.now,
            signal_processed=True,
            confidence=draft.memory.confidence,
            memory=replace(draft.memory, first_at=self.now),
        )
        self.batch.add(
            "fact.added",
            to_record(fact),
            {"fact_id": fact.id, "entity": fact.entity, "importance": fact.importance},
        )
        self._note(fact)
        return fact

    def revise(self, old: Fact, draft: Draft, note: str | None = None) -> Fact:
        """Let a draft take the place of what a memory said. What it said is kept as a version, in the same event."""
        self._lift_guards(draft)
        before = _memory(old)
        version = self._version(old, SUPERSEDED, heir=old.id)
        fact = replace(
            old,
            text=draft.text,
            created_at=self.now,
            event_start_at=self.now,
            event_end_at=None,
            entity=draft.entity,
            importance=draft.memory.points,
            confidence=draft.memory.confidence,
            absorbed=False,
            memory=replace(
                draft.memory,
                key=before.key,
                also=before.also,
                version=before.version + 1,
                supersedes=version.id,
                first_at=before.first_at or old.created_at,
                note=note,
                promoted_from=draft.memory.promoted_from or before.promoted_from,
                provenance=draft.memory.provenance or before.provenance,
                provenance_count=max(draft.memory.provenance_count, before.provenance_count),
                merged_ids=before.merged_ids,
            ),
        )
        self.batch.add("memory.revised", {"fact": to_record(fact), "was": to_row(version)})
        self._note(fact)
        return fact

    def _lift_guards(self, draft: Draft) -> None:
        """Whoever stores what was forgotten wants it known again."""
        lifted = [one.fact.id for one in self.space.views.retired.saying(draft.text)]
        if lifted:
            self.batch.add("fact.unguarded", {"ids": lifted})

    def annotate(self, old: Fact, memory: Memory) -> Fact:
        """Change what stands beside a text, not the text."""
        fact = replace(old, created_at=self.now, memory=memory)
        self.batch.add("fact.revised", to_record(fact))
        self._note(fact)
        return fact

    def merge(self, kept: Fact, memory: Memory, gone: Sequence[Fact]) -> Fact:
        """Put memories away as versions of another one, which inherits their keys."""
        fact = replace(kept, importance=memory.points, memory=memory)
        versions = [to_row(self._version(one, CONSOLIDATED, heir=kept.id)) for one in gone]
        self.batch.add("memory.merged", {"fact": to_record(fact), "versions": versions})
        self._note(fact)
        return fact

    def dispute(self, draft: Draft, existing: Fact, reason: str, source_id: str | None = None) -> Conflict:
        """The conflict about a draft: an open one as it is, a resolved one opened again, or a new one."""
        mark = print_of(_key(draft), draft.memory.category, existing.id, source_id, draft.text)
        known = self._asked.get(mark) or self.space.views.conflicts.asking(mark)
        if known is not None and known.is_open:
            return known
        stands = Draft.of(existing, _memory(existing))
        if known is None:
            conflict = Conflict(
                id=self.space.ids.new("conflict"),
                key=_key(draft),
                category=draft.memory.category,
                reason=reason,
                fingerprint=mark,
                existing_id=existing.id,
                existing=stands,
                incoming=draft,
                source_id=source_id,
                created_at=self.now,
                updated_at=self.now,
            )
            self.put_conflict("conflict.opened", conflict)
            return conflict
        conflict = replace(
            known,
            status=OPEN,
            reopen_count=known.reopen_count + 1,
            reopened_at=self.now,
            updated_at=self.now,
            resolved_at=None,
            notes=None,
            existing=stands,
            incoming=draft,
        )
        self.put_conflict("conflict.reopened", conflict)
        return conflict

    def put_conflict(self, event: str, conflict: Conflict) -> None:
        self.batch.add(event, {"conflict": conflict.to_json()})
        self._asked[conflict.fingerprint] = conflict

    def name_scope(self) -> None:
        """In the first write to a scope's space, say first which scope it is."""
        if not self.batch.empty and self.scope.character is None and self.space.views.scope.empty:
            told = {"dialect": self.scope.dialect, "owner": self.scope.owner, "name": self.scope.name}
            self.batch.entries.insert(0, ("scope.named", told, {}))

    def _version(self, fact: Fact, status: str, heir: str) -> Version:
        return Version(id=self.space.ids.new("version"), fact=fact, status=status, heir=heir, ended_at=self.now)

    def _note(self, fact: Fact) -> None:
        before = self._changed.get(fact.id)
        if before is not None:
            self._added.drop(before)
        self._changed[fact.id] = fact
        self._added.put(fact)


def registered(known: ScopeFile, scope: Scope) -> Scope:
    """The scope as it was spelled when its space was made."""
    return known.scope(scope.space) or scope


def _key(draft: Draft) -> str:
    assert draft.memory.key is not None, "a draft has a key"
    return draft.memory.key


def _memory(fact: Fact) -> Memory:
    assert fact.memory is not None, "only stored facts have keys"
    return fact.memory


def _newest(facts: Sequence[Fact]) -> Fact | None:
    return max(facts, key=lambda fact: (fact.created_at, fact.id), default=None)


def _absorbed(heir: Fact, draft: Draft) -> bool:
    return _memory(heir).also.get(_key(draft)) == fingerprint(draft.text)
