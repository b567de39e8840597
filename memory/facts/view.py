"""Active facts (``facts.json``) and archived ones (``facts_archive.json``)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import orjson

from memory.clock import Clock
from memory.facts.fact import Fact
from memory.facts.holdings import Holdings
from memory.facts.record import from_record, is_first_schema, to_record
from memory.store import layout
from memory.store.collector import each_once, let_go
from memory.store.entries import patched
from memory.store.events import Event
from memory.store.inline import Fields, nothing
from memory.store.view import Change, FileView, in_chunks, list_of_lines, parse_list

_SLICE = 200    # facts dropped before others have their turn


class FactList(FileView):
    """Facts by id, in the order they were learnt."""

    _kind: str  # stem of the event types that adopt and edit this list

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._facts: dict[str, Fact] = {}
        self._odd: list[Any] = []          # rows that are no facts, kept as they came
        self._by_hash: dict[str, str] = {}
        self._by_slot: dict[str, set[str]] = {}
        self.holdings = Holdings()
        # In the order in which they came, so that a few of very many are found without looking at all.
        self._unweighed: dict[str, None] = {}
        self._unabsorbed: dict[str, None] = {}
        self._untold: dict[int, dict[str, None]] = {}    # by importance: what stands and was drawn into nothing
        self._first_schema: dict[str, None] = {}
        self.touched: set[str] = set()     # ids changed since recall last looked

    def __iter__(self) -> Iterator[Fact]:
        return iter(self._facts.values())

    def __len__(self) -> int:
        return len(self._facts)

    def __contains__(self, fact_id: object) -> bool:
        return fact_id in self._facts

    @property
    def ids(self) -> Collection[str]:
        """The ids of all facts."""
        return self._facts.keys()

    def get(self, fact_id: str) -> Fact | None:
        return self._facts.get(fact_id)

    def reset(self) -> None:
        self.touched.update(self._facts)
        let_go(*self.containers())
        self._facts, self._odd, self.seq = {}, [], 0
        self._by_hash, self._by_slot = {}, {}
        self.holdings.clear()
        self._unweighed, self._unabsorbed, self._untold = {}, {}, {}
        self._first_schema = {}

    def leave(self) -> Iterator[None]:
        for number, fact_id in enumerate(list(self._facts)):
            self._drop(fact_id)
            if number % _SLICE == 0:
                yield None
        self.reset()

    def containers(self) -> Iterator[dict[str, Any] | set[str]]:
        """What has an entry for each fact, for whoever drops very many little by little."""
        yield from (self._facts, self._by_hash, self._unweighed, self._unabsorbed, self._first_schema)
        yield from self._by_slot.values()
        yield from self._untold.values()

    def same_text(self, text_hash: str) -> Fact | None:
        """The fact with that text hash."""
        fact_id = self._by_hash.get(text_hash)
        return self._facts.get(fact_id) if fact_id is not None else None

    def in_slot(self, slot: str) -> list[Fact]:
        """Facts that answer the same question, oldest first; "" for those of which nobody said what they answer."""
        return self._oldest_first(self._by_slot.get(slot, ()))

    def has_in_slot(self, slot: str) -> bool:
        """Whether any fact answers that question."""
        return bool(self._by_slot.get(slot))

    def unweighed(self, most: int) -> list[Fact]:
        """The first of the facts not yet compared with what is held."""
        return [self._facts[fact_id] for fact_id in islice(self._unweighed, most)]

    def unabsorbed(self) -> Iterator[Fact]:
        """Facts that a reflection may still be drawn from, the one that came last first."""
        return (self._facts[fact_id] for fact_id in reversed(self._unabsorbed))

    def untold(self) -> Iterator[Fact]:
        """Facts that stand for themselves, the weightiest first, of equal weight the one that came last."""
        for importance in sorted(self._untold, reverse=True):
            yield from (self._facts[fact_id] for fact_id in reversed(self._untold[importance]))

    @property
    def first_schema_count(self) -> int:
        return len(self._first_schema)

    def first_schema(self, most: int) -> list[Fact]:
        """The first of the facts written when facts knew no times."""
        return [self._facts[fact_id] for fact_id in islice(self._first_schema, most)]

    def _oldest_first(self, fact_ids: Iterable[str]) -> list[Fact]:
        return sorted((self._facts[fact_id] for fact_id in fact_ids), key=lambda fact: (fact.created_at, fact.id))

    @property
    def empty(self) -> bool:
        return not self._facts and not self._odd

    @property
    def size(self) -> int:
        return len(self._facts)

    def _put(self, record: object) -> None:
        fact = from_record(record, self._clock)
        if fact is None:
            if record not in self._odd:
                self._odd.append(record)
                self.dirty += 1
            return
        self._replace(fact)

    def _replace(self, fact: Fact) -> None:
        self._unindex(fact.id)
        self._facts[fact.id] = fact
        self._by_hash[fact.hash] = fact.id
        self._by_slot.setdefault(fact.slot or "", set()).add(fact.id)
        self.holdings.put(fact)
        if not fact.signal_processed:
            self._unweighed[fact.id] = None
        if fact.may_be_absorbed:
            self._unabsorbed[fact.id] = None
        if fact.stands and not fact.absorbed:
            self._untold.setdefault(fact.importance, {})[fact.id] = None
        if is_first_schema(fact):
            self._first_schema[fact.id] = None
        self.touched.add(fact.id)
        self.dirty += 1

    def _drop(self, fact_id: str) -> None:
        self._unindex(fact_id)
        if self._facts.pop(fact_id, None) is not None:
            self.touched.add(fact_id)
            self.dirty += 1

    def _unindex(self, fact_id: str) -> None:
        self._unweighed.pop(fact_id, None)
        self._unabsorbed.pop(fact_id, None)
        self._first_schema.pop(fact_id, None)
        old = self._facts.get(fact_id)
        if old is None:
            return
        if self._by_hash.get(old.hash) == fact_id:
            del self._by_hash[old.hash]
        self._by_slot.get(old.slot or "", set()).discard(fact_id)
        self._untold.get(old.importance, {}).pop(fact_id, None)
        self.holdings.drop(old)

    def _mark(self, fact_ids: Iterable[str], **changes: Any) -> None:
        for fact_id in fact_ids:
            fact = self._facts.get(fact_id)
            if fact is not None:
                self._replace(replace(fact, **changes))

    def fold(self, event: Event) -> None:
        if event.type == f"{self._kind}.adopted":
            if event.data["reset"]:
                seq = self.seq
                self.reset()
                self.seq = seq
            for record in event.data["facts"]:
                self._put(record)
        elif event.type == f"{self._kind}.edited":
            for record in event.data["put"]:
                self._put(record)
            for fact_id in event.data["drop"]:
                self._drop(fact_id)
            for record in event.data.get("drop_odd", ()):
                if record in self._odd:
                    self._odd.remove(record)
                    self.dirty += 1
        else:
            self._fold(event)
            self._note(event)
        self.seq = event.seq

    @abstractmethod
    def _fold(self, event: Event) -> None:
        """Take in an event of this list's own."""

    def _note(self, event: Event) -> None:
        """What is noted on a fact wherever it stands."""
        match event.type:
            case "fact.repeated":
                if event.data["fact"]["id"] in self:
                    self._put(event.data["fact"])
            case "fact.weighed":
                self._mark(event.data["ids"], signal_processed=True)
            case "fact.absorbed":
                self._mark(event.data["ids"], absorbed=True)
            case "fact.denied":
                self._mark(event.data["ids"], denied_in=event.data["turn"])
            case "fact.superseded":
                self._mark([event.data["id"]], superseded_by=event.data["by"])
            case "fact.erased":
                for fact_id in event.data["ids"]:
                    self._drop(fact_id)
            case "fact.retired":
                for row in event.data["rows"]:
                    self._drop(row["id"])

    def read(self, data: bytes, clock: Clock) -> None:
        self.reset()
        if self.inline is not None:
            self.inline.begin()
        for record in each_once(parse_list(data)):
            self._put(record)
            if self.inline is not None and isinstance(record, Mapping) and isinstance(key := record.get("id"), str):
                self.inline.take(key, record)
        self.dirty = 0

    def render(self) -> Callable[[], Iterable[bytes]]:
        return self._rendered(nothing)

    def render_file(self) -> Callable[[], Iterable[bytes]]:
        return self._rendered(self.inline_fields())

    def _rendered(self, fields: Fields) -> Callable[[], Iterable[bytes]]:
        facts, odd = list(self._facts.values()), list(self._odd)

        def line(fact: Fact) -> bytes:
            return orjson.dumps({**to_record(fact), **fields(fact.id, fact.text)})

        return lambda: list_of_lines(chain(map(line, facts), map(orjson.dumps, odd)))

    def adoption(self) -> list[Change]:
        records = [to_record(fact) for fact in self._facts.values()]
        return in_chunks([*records, *self._odd], f"{self._kind}.adopted", "facts")

    def edits(self, base: FileView, edited: FileView, clock: Clock) -> list[Change]:
        assert isinstance(base, FactList)
        assert isinstance(edited, FactList)
        put: list[Any] = []
        for fact in edited:
            before, present = base.get(fact.id), self.get(fact.id)
            if before == fact or (before is not None and present is None):
                continue  # not edited, or gone meanwhile
            record = to_record(fact)
            if before is not None and present is not None:
                record = patched(to_record(present), to_record(before), record)
            put.append(record)
        put += [row for row in edited._odd if row not in base._odd]
        drop = [fact.id for fact in base if fact.id not in edited]
        drop_odd = [row for row in base._odd if row not in edited._odd]
        if not (put or drop or drop_odd):
            return []
        return [(f"{self._kind}.edited", {"put": put, "drop": drop, "drop_odd": drop_odd})]


class Facts(FactList):
    """What is known now."""

    file = layout.FACTS
    _kind = "facts"

    def _fold(self, event: Event) -> None:
        match event.type:
            case "fact.added" | "fact.revised":
                self._put(event.data)
            case "fact.merged":
                self._put(event.data["fact"])
                self._drop(event.data["gone"])
            case "memory.revised":
                self._put(event.data["fact"])
            case "memory.merged":
                self._put(event.data["fact"])
                for version in event.data["versions"]:
                    self._drop(version["of_fact"])
            case "fact.archived":
                for record in event.data["facts"]:
                    self._drop(record["id"])


class FactsArchive(FactList):
    """What was absorbed and grew old; searchable, no longer worked on."""

    file = layout.FACTS_ARCHIVE
    _kind = "facts_archive"

    def _fold(self, event: Event) -> None:
        if event.type == "fact.archived":
            for record in event.data["facts"]:
                self._put(record)
