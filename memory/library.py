"""The searchable side of a space: its indexes, brought up to date when somebody asks."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any

from memory.facts.fact import MASTER, NEKO, Fact
from memory.facts.view import Facts, FactsArchive
from memory.history.turn import AI, HUMAN, Turn, without_stamp
from memory.history.turns_db import TurnsDb
from memory.people import Names
from memory.recall.document import FACT, FACT_ARCHIVE, TURN, Document
from memory.recall.index import Index, Snapshot

_PAUSE = timedelta(hours=1)   # a longer silence begins another conversation
_READ = 500                   # turns read at once


class Library:
    """Two indexes: of what is remembered, and of what was said."""

    def __init__(self, facts: Facts, archive: FactsArchive, turns: TurnsDb) -> None:
        self.memories = Index()
        self.conversation = Index()
        self._facts = facts
        self._archive = archive
        self._turns = turns
        self._row = 0                           # last row in the index of turns
        self._session: tuple[int, datetime] | None = None
        self._updating = asyncio.Lock()

    async def snapshots(self, tiers: Collection[str], names: Names) -> list[Snapshot]:
        """What a question about these tiers should be put to, as of now."""
        async with self._updating:
            wanted = []
            if set(tiers) - {TURN}:
                await self._update_memories()
                wanted.append(self.memories)
            if TURN in tiers:
                await self._update_conversation(names)
                wanted.append(self.conversation)
            for index in wanted:
                if index.untidy:
                    for _ in index.tidy():
                        await asyncio.sleep(0)
            return [index.snapshot() for index in wanted]

    def forget_turns(self, ids: Iterable[str]) -> None:
        """Turns that were erased."""
        self.conversation.drop(ids)

    async def _update_memories(self) -> None:
        for facts, other, tier in ((self._facts, self._archive, FACT), (self._archive, self._facts, FACT_ARCHIVE)):
            touched, facts.touched = facts.touched, set()
            gone = [fact_id for fact_id in touched if fact_id not in facts and fact_id not in other]
            self.memories.drop(gone)
            # A fact that stands in both lists counts as active.
            present = [fact for fact_id in touched if (fact := facts.get(fact_id)) is not None]
            if tier == FACT_ARCHIVE:
                present = [fact for fact in present if fact.id not in other]
            await _fill(self.memories, [_document(fact, tier) for fact in present])

    async def _update_conversation(self, names: Names) -> None:
        while self._row < self._turns.last_row:
            turns = await self._turns.after(self._row, _READ)
            if not turns:
                break
            await _fill(self.conversation, [self._of_turn(turn, names) for turn in turns])
            self._row = turns[-1].row

    def _of_turn(self, turn: Turn, names: Names) -> Document:
        number, before = self._session or (0, turn.at)
        if abs(turn.at - before) > _PAUSE:
            number += 1
        self._session = (number, turn.at)
        return Document(
            id=turn.id,
            tier=TURN,
            text=without_stamp(turn.text),
            entity=NEKO if turn.kind == AI else MASTER,
            created_at=turn.at,
            start=turn.at,
            end=turn.at,
            order=turn.row,
            session=str(number),
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
        importance=fact.importance,
        superseded=fact.superseded_by is not None,
        hidden=_is_hidden(fact.extra),
        sources=fact.sources,
    )


def _is_hidden(extra: Any) -> bool:
    """Marks that other programs put on rows which recall must not show."""
    score = extra.get("score")
    if isinstance(score, (int, float)) and score < 0:
        return True
    return any(extra.get(mark) is True for mark in ("suppress", "suppressed", "protected"))
