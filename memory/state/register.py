"""The one place at which a digest writes into the registry of facts: every rule of a facet holds here.

The facts are the memory's own: what is written here is recalled, replaced, forgotten and erased like any other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from memory.facts.evidence import is_shown
from memory.facts.fact import INGESTED, MASTER, Fact
from memory.facts.keys import canonical_key
from memory.facts.memory import EVENTS, Memory, points_of, structured
from memory.facts.record import to_record
from memory.facts.retired import CAP_EVICTED, REPLACED, Retired
from memory.facts.retired import to_row as retired_row
from memory.facts.sameness import SAME, normal, same_fact, tokens
from memory.space import MemorySpace
from memory.state import registry
from memory.state.budget import units
from memory.state.digest.likeness import numbers_of, same_line
from memory.state.digest.select import Log
from memory.state.facets import NOTES, Facet, Pack
from memory.store.journal import Batch

LONGEST = 500               # UTF-16 units of a fact
DROPPED = "consolidation_dropped"
_SAME = 0.8
LABEL = "digest"            # who wrote it
ENTITIES, LONGEST_ENTITY = 10, 64

_UUID = re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b|\b[a-z]{3,12}_[0-9a-f]{32}\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A fact that somebody wants written."""

    facet: str
    text: str
    confidence: float               # 0..1; the authority of its evidence
    from_document: bool
    sources: tuple[str, ...]        # ids of turns
    row: int = 0                    # of the first of them
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """Facts of a facet in fewer words."""

    facet: str
    results: tuple[tuple[str, tuple[str, ...]], ...]    # text, and the texts that it takes the place of
    dropped: tuple[str, ...] = ()                       # texts that nothing takes the place of


@dataclass(slots=True)
class Ledger:
    """What one digest writes, decided one by one over the facts as they stand. Nothing is written before ``write``."""

    space: MemorySpace
    pack: Pack
    log: Log
    now: datetime
    forgotten: Callable[[str], bool]
    changed: dict[str, None] = field(default_factory=dict)      # facets that something was written in
    _standing: dict[str, list[Fact]] = field(default_factory=dict)
    _known: dict[str, Fact] = field(default_factory=dict)       # id → fact, in any facet
    _by_token: dict[str, dict[str, None]] = field(default_factory=dict)
    _by_text: dict[str, dict[str, None]] = field(default_factory=dict)
    _size: dict[str, int] = field(default_factory=dict)         # id → how many words count
    _fresh: dict[str, Fact] = field(default_factory=dict)
    _gone: dict[str, Retired] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for fact in registry.active(self.space):
            self._stand(fact)

    def standing(self, facet: str) -> list[Fact]:
        """The facts of a facet as they stand now, oldest first."""
        return list(self._standing.get(facet, ()))

    def all(self) -> list[Fact]:
        """Every fact as it stands now."""
        return list(self._known.values())

    # proposing

    def propose(self, wanted: Proposal) -> None:
        """Write a fact, unless a rule refuses it; what was refused stands in the log."""
        facet = self.pack.get(wanted.facet)
        text = _clean(wanted.text)
        if facet is None:
            self.log.drop("facet_not_registered", facet=wanted.facet, text=text)
            return
        if not text:
            return
        if self.forgotten(text):
            self.log.drop("forgotten", facet=facet.name)
            return
        refusal = self._refusal(facet, text, wanted)
        if refusal is not None:
            self.log.drop(refusal, facet=facet.name, text=text)
            return
        twins = self._twins(text)
        own = [fact for fact in twins if registry.facet_of(fact) == facet.name]
        if not own:
            elsewhere = next((fact for fact in twins if _agrees(fact, text)), None)
            if elsewhere is not None:
                self.log.drop("already_known", facet=facet.name, fact=elsewhere.id)
                return
            self._append(facet, text, wanted)
            return
        self._revise(facet, text, wanted, own)

    def _refusal(self, facet: Facet, text: str, wanted: Proposal) -> str | None:
        if units(text) > LONGEST:
            return "fact_too_long"
        if facet.name == NOTES and not any(normal(fact.text) == normal(text) for fact in self.standing(NOTES)):
            return "notes_are_written_by_hand"
        if facet.document_authority and not wanted.from_document:
            return "no_document_evidence"
        return None

    def _revise(self, facet: Facet, text: str, wanted: Proposal, own: Sequence[Fact]) -> None:
        same = next((fact for fact in own if normal(fact.text) == normal(text)), None)
        twin = same or own[-1]
        held = registry.entry_of(twin).confidence
        if same is not None and wanted.confidence <= held:
            return      # known, and not to be stamped anew
        if facet.write_protected and wanted.confidence < held:
            self.log.drop("protected_lower_authority", facet=facet.name, text=text, fact=twin.id)
        elif same is None and not _agrees(twin, text):
            self._append(facet, text, wanted)
        elif twin.slot == registry.NOTE:
            self.log.drop("already_known", facet=facet.name, fact=twin.id)      # a note stays as it was written
        else:
            self._supersede([twin], self._fact(facet, text, wanted))

    def _append(self, facet: Facet, text: str, wanted: Proposal) -> None:
        standing = self.standing(facet.name)
        if len(standing) >= facet.cap:
            if facet.write_protected:
                self.log.drop("cap_rejected_incoming", facet=facet.name, cap=facet.cap, text=text)
                return
            for old in standing[: len(standing) + 1 - facet.cap]:
                self.log.drop("cap_evicted", facet=facet.name, cap=facet.cap, text=old.text, fact=old.id)
                self._retire(old, CAP_EVICTED)
        self._write(self._fact(facet, text, wanted))

    # retiring and merging

    def end(self, facet: str, text: str, why: str, by: str = "") -> None:
        """A statement no longer holds; ``by`` is the one that stands in its place."""
        for fact in self.standing(facet):
            if not same_line(fact.text, text, _SAME) or fact.slot == registry.NOTE:
                continue
            heir = next((one for one in self.standing(facet) if by and normal(one.text) == normal(by)), None)
            if heir is not None and heir.id != fact.id:
                self._replace(fact, heir.id)
            else:
                self._retire(fact, why)

    def consolidate(self, merged: Merged) -> None:
        """Put the results in the place of their sources, as far as these still stand; else nothing is done."""
        by_text = {normal(fact.text): fact for fact in self.standing(merged.facet)}
        named = [*(one for _, sources in merged.results for one in sources), *merged.dropped]
        if any(normal(one) not in by_text for one in named):
            self.log.drop("consolidation_skipped", facet=merged.facet, why="changed meanwhile")
            return
        facet = self.pack.get(merged.facet)
        for text, sources in merged.results:
            facts = [by_text[normal(one)] for one in sources]
            if facet is None or self.forgotten(text) or (len(facts) == 1 and normal(text) == normal(facts[0].text)):
                continue
            self._supersede(facts, self._merged(facet, text, facts))
        for one in merged.dropped:
            self._retire(by_text[normal(one)], DROPPED)

    def _merged(self, facet: Facet, text: str, facts: Sequence[Fact]) -> Fact:
        """Inherits the earliest time, all evidence, and the best confidence."""
        first = min(facts, key=lambda fact: (fact.created_at, fact.id))
        wanted = Proposal(
            facet=facet.name,
            text=text,
            confidence=max(registry.entry_of(fact).confidence for fact in facts),
            from_document=False,
            sources=tuple(dict.fromkeys(one for fact in (first, *facts) for one in fact.sources)),
            row=first.row,
            entities=tuple(dict.fromkeys(one for fact in facts for one in registry.entities_of(fact)))[:ENTITIES],
        )
        return replace(self._fact(facet, text, wanted), created_at=first.created_at)

    def _supersede(self, facts: Sequence[Fact], heir: Fact) -> None:
        for fact in facts:
            self._replace(fact, heir.id)
        self._write(heir)

    def _replace(self, fact: Fact, heir: str) -> None:
        self._leave(fact, Retired(fact=replace(fact, superseded_by=heir), reason=REPLACED))

    def _retire(self, fact: Fact, reason: str) -> None:
        self._leave(fact, Retired(fact=fact, reason=reason, at=self.now))

    # the books

    def _stand(self, fact: Fact) -> None:
        self._known[fact.id] = fact
        self._standing.setdefault(registry.facet_of(fact), []).append(fact)
        self._by_text.setdefault(normal(fact.text), {})[fact.id] = None
        said = tokens(fact.text)
        self._size[fact.id] = len(said)
        for token in said:
            self._by_token.setdefault(token, {})[fact.id] = None

    def _write(self, fact: Fact) -> None:
        self._fresh[fact.id] = fact
        self.changed[registry.facet_of(fact)] = None
        self._stand(fact)

    def _leave(self, fact: Fact, retired: Retired) -> None:
        facet = registry.facet_of(fact)
        self._standing[facet] = [one for one in self._standing[facet] if one.id != fact.id]
        self._known.pop(fact.id, None)
        self._by_text[normal(fact.text)].pop(fact.id, None)
        for token in tokens(fact.text):
            self._by_token[token].pop(fact.id, None)
        self._gone[fact.id] = retired
        self.changed[facet] = None

    def _twins(self, text: str) -> list[Fact]:
        """Facts that stand and say the same, oldest first."""
        own = tokens(text)
        shared = Counter(one for token in own for one in self._by_token.get(token, ()))
        near = [one for one, both in shared.items() if both >= SAME * (len(own) + self._size[one] - both)]
        ids = dict.fromkeys((*self._by_text.get(normal(text), ()), *near))
        found = [fact for one in ids if same_fact(text, (fact := self._known[one]).text)]
        return sorted(found, key=lambda fact: (fact.created_at, fact.id))

    def _fact(self, facet: Facet, text: str, wanted: Proposal) -> Fact:
        details = {"entities": list(wanted.entities)} if wanted.entities else {}
        # A microsecond apart, so that what was learnt at once keeps its order.
        at = self.now + timedelta(microseconds=min(len(self._fresh), 998))
        memory = Memory(
            category=EVENTS,
            importance=wanted.confidence,
            boundary=structured(EVENTS),
            label=LABEL,
            key=canonical_key(EVENTS, text),
            first_at=at,
            form="ingest",
            details=details,
        )
        return Fact(
            id=self.space.ids.new("fact"),
            text=text,
            created_at=at,
            entity=MASTER,
            importance=points_of(wanted.confidence),
            source=INGESTED,
            event_start_at=at,
            signal_processed=True,
            confidence=wanted.confidence,
            sources=wanted.sources,
            row=wanted.row,
            slot=registry.slot_of(facet.name),
            memory=memory,
        )

    def write(self, batch: Batch) -> int:
        """Put everything into a batch; returns how many facts are new. A fact comes before what it replaces.

        What found no room within the same run was never written, and is in the log alone.
        """
        heirs = {one.fact.superseded_by for one in self._gone.values()}
        never = {
            own
            for own, one in self._gone.items()
            if own in self._fresh and one.reason == CAP_EVICTED and own not in heirs
        }
        written = 0
        for own, fact in self._fresh.items():
            if own not in never:
                retired = self._gone.get(own)
                told = {"fact_id": fact.id, "entity": fact.entity, "importance": fact.importance}
                batch.add("fact.added", to_record(retired.fact if retired is not None else fact), told)
                written += 1
        gone = [retired_row(one) for own, one in self._gone.items() if own not in never]
        if gone:
            batch.add("fact.retired", {"rows": gone})
        return written


def read_entities(value: object) -> tuple[str, ...]:
    """At most ten lower-cased nouns of at most 64 characters, from whatever a model named."""
    if not isinstance(value, list):
        return ()
    found = (" ".join(one.split()).lower()[:LONGEST_ENTITY] for one in value if isinstance(one, str))
    return tuple(dict.fromkeys(one for one in found if one))[:ENTITIES]


def held_by_documents(facts: Collection[Fact], pack: Pack) -> tuple[tuple[str, float], ...]:
    """Facts in write-protected facets, and notes, each with the confidence that weaker evidence must exceed."""
    protected = {facet.name for facet in pack.facets if facet.write_protected}
    return tuple(
        (fact.text, registry.entry_of(fact).confidence)
        for fact in facts
        if is_shown(fact) and (registry.facet_of(fact) in protected or fact.slot == registry.NOTE)
    )


def _agrees(fact: Fact, text: str) -> bool:
    """Two statements with different numbers are two, however alike their words."""
    return numbers_of(fact.text) == numbers_of(text)


def _clean(text: str) -> str:
    """A statement on one line, without ids."""
    return " ".join(_UUID.sub(" ", text).split())
