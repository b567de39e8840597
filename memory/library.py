"""The searchable side of a space: its indexes, brought up to date when somebody asks."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path

from memory.clock import Clock
from memory.facts.evidence import category_of, is_hidden
from memory.facts.fact import MASTER, NEKO, Fact
from memory.facts.view import Facts, FactsArchive
from memory.history.turn import AI, HUMAN, Turn, without_stamp
from memory.history.turns_db import TurnsDb
from memory.people import Names
from memory.persona.entry import Entry, entry_key
from memory.persona.view import Persona
from memory.recall.cosine import VectorSnapshot
from memory.recall.document import FACT, FACT_ARCHIVE, PERSONA, REFLECTION, TURN, Document
from memory.recall.index import Index, Snapshot
from memory.reflections import evidence
from memory.reflections.mentions import is_resting
from memory.reflections.reflection import Reflection
from memory.reflections.view import Reflections
from memory.store import layout
from memory.store.collector import let_go, resting
from memory.store.files import Disk, read
from memory.vectors import Source, SpaceVectors

_READ = 500               # turns read at once
_SLICE = 200              # documents made before others have their turn
_WORTH_KEEPING = 2_000    # documents from which on an index has a file


class Library:
    """Three indexes: of what is remembered, of the persona, and of what was said."""

    def __init__(
        self,
        facts: Facts,
        archive: FactsArchive,
        reflections: Reflections,
        persona: Persona,
        turns: TurnsDb,
        clock: Clock,
        directory: Path,
        disk: Disk,
    ) -> None:
        self.memories = Index()
        self.held = Index()
        self.conversation = Index()
        self.vectors = SpaceVectors(directory, disk)
        self._facts = facts
        self._archive = archive
        self._reflections = reflections
        self._persona = persona
        self._turns = turns
        self._clock = clock
        self._hidden_reflections: dict[str, bool] = {}   # ids in the index, and whether hidden when last looked at
        self._hidden_entries: dict[str, bool] = {}
        self._row = 0                           # last row in the index of turns
        self._directory = directory
        self._disk = disk
        self._kept: dict[str, int] = {}         # file: how many documents its index had when it was written
        self._changed: dict[str, int] = {}      # file: documents changed since
        self._updating = asyncio.Lock()

    async def snapshots(self, tiers: Collection[str], names: Names) -> list[Snapshot]:
        """What a question about these tiers should be put to, as of now."""
        # A caller that goes away must not leave an index half brought up.
        return await asyncio.shield(asyncio.ensure_future(self._snapshots(tiers, names)))

    async def _snapshots(self, tiers: Collection[str], names: Names) -> list[Snapshot]:
        async with self._updating:
            with resting() if self.unseen > _WORTH_KEEPING else nullcontext():
                return await self._brought_up(tiers, names)

    async def _brought_up(self, tiers: Collection[str], names: Names) -> list[Snapshot]:
        wanted = []
        if set(tiers) - {TURN, PERSONA}:
            await self._update_memories()
            await self._update_reflections()
            self.vectors.memories.settle()
            wanted.append(self.memories)
        if PERSONA in tiers:
            await self._update_persona()
            self.vectors.held.settle()
            wanted.append(self.held)
        if TURN in tiers:
            await self._update_conversation(names)
            self.vectors.conversation.settle()
            wanted.append(self.conversation)
        for index in wanted:
            if index.untidy:
                for _ in index.tidy():
                    await asyncio.sleep(0)
        return [index.snapshot() for index in wanted]

    def vectors_of(self, tiers: Collection[str]) -> list[VectorSnapshot]:
        """The vectors of what these tiers hold, as of now."""
        sources = (
            (self.vectors.memories, bool(set(tiers) - {TURN, PERSONA})),
            (self.vectors.held, PERSONA in tiers),
            (self.vectors.conversation, TURN in tiers),
        )
        return [source.vectors.snapshot() for source, asked in sources if asked and source.vectors]

    async def look_for_vectors(self, fingerprint: str, dimension: int, names: Names) -> None:
        """Find out which texts have a vector of this model and which want one."""
        await asyncio.shield(asyncio.ensure_future(self._look_for_vectors(fingerprint, dimension, names)))

    async def _look_for_vectors(self, fingerprint: str, dimension: int, names: Names) -> None:
        async with self._updating:
            if self.vectors.aim(fingerprint, dimension):
                indexes = (self.memories, self.held, self.conversation)
                for source, index in zip(self.vectors.sources, indexes, strict=True):
                    documents = []
                    for document in index.snapshot().documents():
                        documents.append(document)
                        if len(documents) % _SLICE == 0:
                            await asyncio.sleep(0)
                    if documents:
                        await self.vectors.see(source, documents)
                # Those that are hidden now are in no index.
                self._reflections.touched.update(one.id for one in self._reflections)
                self._persona.touched.update((entry.entity, entry.id) for entry in self._persona)
        await self._snapshots((FACT, PERSONA, TURN), names)

    @property
    def unseen(self) -> int:
        """Entries and turns changed since anybody last looked at them here."""
        views = (self._facts, self._archive, self._reflections, self._persona)
        return sum(len(view.touched) for view in views) + max(self._turns.last_row - self._row, 0)

    @property
    def updating(self) -> bool:
        """Whether an index is being brought up at this moment."""
        return self._updating.locked()

    def forget_turns(self, ids: Collection[str]) -> None:
        """Turns that were erased."""
        self.conversation.drop(ids)
        self.vectors.conversation.gone(ids)

    def write_anew(self, gone: Collection[str]) -> None:
        """The files of indexes and vectors were removed, since something in them was erased."""
        self._kept = dict.fromkeys(self._kept, 0)
        for source in self.vectors.sources:
            source.gone(gone)
            source.not_written()

    def fall_apart(self) -> None:
        """Drop the indexes, once nobody can ask for them any more."""
        for index in (self.memories, self.held, self.conversation):
            let_go(*index.containers())

    def forget_conversation(self) -> None:
        """Everything is read from the disk anew. Of the turns nobody notes which of them changed."""
        for source in self.vectors.sources:
            source.doubt()
        self.conversation = Index()
        self._kept.pop(layout.TURNS_INDEX, None)
        self._changed.pop(layout.TURNS_INDEX, None)
        self._row = 0

    async def _bring(self, file: str, index: Index, documents: Sequence[Document]) -> None:
        """Put documents into an index; into one that has just been opened, with the help of its file."""
        if file not in self._kept:
            data = await self._disk.run(read, self._directory / file) if len(documents) > _WORTH_KEEPING else None
            steps = index.restore(data, documents)
            self._kept[file] = len(documents) if data is not None else 0
        else:
            steps = index.fill(documents)
            self._changed[file] = self._changed.get(file, 0) + len(documents)
        for _ in steps:
            await asyncio.sleep(0)
        source = self.vectors.memories if index is self.memories else self.vectors.conversation
        await self.vectors.see(source, documents)

    async def keep(self) -> None:
        """Write the indexes that are large and have changed much, so that opening need not read every text again."""
        for file, index in ((layout.MEMORIES_INDEX, self.memories), (layout.TURNS_INDEX, self.conversation)):
            behind = max(self._changed.get(file, 0), len(index) - self._kept.get(file, 0))
            if file not in self._kept or len(index) <= _WORTH_KEEPING or behind * 10 <= len(index):
                continue
            async with self._updating:
                chunks = []
                for chunk in index.dump():
                    chunks.append(chunk)
                    await asyncio.sleep(0)
                self._kept[file], self._changed[file] = len(index), 0
            await self._disk.run(self._disk.replace, self._directory / file, chunks, "index", durable=False)
        await self.vectors.keep()

    async def _update_memories(self) -> None:
        documents: list[Document] = []
        gone: list[str] = []
        for facts, other, tier in ((self._facts, self._archive, FACT), (self._archive, self._facts, FACT_ARCHIVE)):
            touched, facts.touched = facts.touched, set()
            for number, fact_id in enumerate(touched, 1):
                fact = facts.get(fact_id)
                if fact is None:
                    if fact_id not in other:
                        gone.append(fact_id)
                elif tier == FACT or fact_id not in other:  # a fact that stands in both lists counts as active
                    documents.append(_document(fact, tier))
                if number % _SLICE == 0:
                    await asyncio.sleep(0)
        self.memories.drop(gone)
        self.vectors.memories.gone(gone)
        await self._bring(layout.MEMORIES_INDEX, self.memories, documents)

    async def _update_reflections(self) -> None:
        touched, self._reflections.touched = self._reflections.touched, set()
        now = self._clock.now()
        documents = [_of_reflection(one, now) for one in self._reflections.alive() if one.text.strip()]
        await self._show(self.memories, self.vectors.memories, documents, touched, self._hidden_reflections)

    async def _update_persona(self) -> None:
        touched, self._persona.touched = self._persona.touched, set()
        now = self._clock.now()
        documents = [_of_entry(entry, now) for entry in self._persona]
        changed = {entry_key(*place) for place in touched}
        await self._show(self.held, self.vectors.held, documents, changed, self._hidden_entries)

    async def _show(
        self, index: Index, source: Source, documents: Sequence[Document], touched: set[str], hidden: dict[str, bool]
    ) -> None:
        """Bring an index up to documents that become hidden and visible by themselves, as trust and rests end."""
        present = {document.id for document in documents}
        gone = [key for key in touched | hidden.keys() if key not in present]
        index.drop(gone)
        source.gone(gone)
        for key in gone:
            hidden.pop(key, None)
        fresh = [one for one in documents if one.id in touched or hidden.get(one.id) != one.hidden]
        hidden.update((one.id, one.hidden) for one in fresh)
        await _fill(index, fresh)
        await self.vectors.see(source, fresh)

    async def _update_conversation(self, names: Names) -> None:
        documents: list[Document] = []
        row = self._row
        while row < (last := self._turns.last_row):
            turns = await self._turns.after(row, _READ)
            if not turns:
                row = last      # what stood there was erased
                break
            documents += [self._of_turn(turn, names) for turn in turns]
            row = turns[-1].row
            await asyncio.sleep(0)
        if documents:
            await self._bring(layout.TURNS_INDEX, self.conversation, documents)
        self._row = row

    def _of_turn(self, turn: Turn, names: Names) -> Document:
        return Document(
            id=turn.id,
            tier=TURN,
            text=without_stamp(turn.text),
            entity=NEKO if turn.kind == AI else MASTER,
            created_at=turn.at,
            start=turn.at,
            end=turn.at,
            order=turn.row,
            speaker=turn.speaker or (names.neko if turn.kind == AI else names.master),
            hidden=turn.kind not in (HUMAN, AI),
            sources=(turn.id,),
        )


async def _fill(index: Index, documents: Iterable[Document]) -> None:
    for _ in index.fill(documents):
        await asyncio.sleep(0)


def _document(fact: Fact, tier: str) -> Document:
    return Document(
        id=fact.id,
        tier=tier,
        text=fact.text,
        entity=fact.entity,
        created_at=fact.created_at,
        start=fact.event_start_at,
        end=fact.event_end_at,
        order=fact.row,
        importance=fact.importance,
        category=category_of(fact),
        stored=fact.memory is not None and not fact.memory.is_evidence,
        superseded=fact.superseded_by is not None or fact.denied_in is not None,
        hidden=is_hidden(fact.extra),
        sources=fact.sources,
        aliases=" ".join(fact.memory.own_tags) if fact.memory is not None else "",
    )


def _of_reflection(one: Reflection, now: datetime) -> Document:
    return Document(
        id=one.id,
        tier=REFLECTION,
        text=one.text,
        entity=one.entity,
        created_at=one.created_at,
        start=one.event_start_at,
        end=one.event_end_at,
        evidence=evidence.score(one.evidence, now),
        hidden=evidence.is_disputed(one.evidence, now) or is_resting(one.mentions, now) or is_hidden(one.extra),
        sources=one.sources or one.source_fact_ids,
    )


def _of_entry(entry: Entry, now: datetime) -> Document:
    return Document(
        id=entry_key(entry.entity, entry.id),
        tier=PERSONA,
        text=entry.text,
        entity=entry.entity,
        created_at=entry.added_at or now,
        evidence=evidence.score(entry.evidence, now),
        # What stands on the card is told at the beginning of every conversation.
        hidden=entry.protected or is_resting(entry.mentions, now) or evidence.is_disputed(entry.evidence, now),
        dated=entry.added_at is not None,
        sources=(entry.source_id,) if entry.source_id else (),
    )
