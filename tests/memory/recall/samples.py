"""Documents for the tests of recall."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from memory.people import Names
from memory.recall.document import FACT, TURN, Document
from memory.recall.index import Index, Snapshot
from memory.recall.query import Answer, Query, answer
from tests.fakes import MORNING, FixedClock

NAMES = Names(neko="Mochi", master="Alice")


def fact(number: int, text: str, **fields: Any) -> Document:
    """A fact learnt ``number`` hours before the test's morning: a lower number is newer."""
    values: dict[str, Any] = {
        "id": f"fact_{number}", "tier": FACT, "text": text, "entity": "master",
        "created_at": MORNING - timedelta(hours=number),
    }  # fmt: skip
    return Document(**{**values, **fields})


def facts(*texts: str) -> list[Document]:
    return [fact(number, text) for number, text in enumerate(texts, 1)]


def turn(row: int, text: str, *, speaker: str | None = None, at: datetime | None = None, **fields: Any) -> Document:
    """A turn said ``row`` minutes after the test's morning of two days ago."""
    said = at if at is not None else MORNING - timedelta(days=2) + timedelta(minutes=row)
    values: dict[str, Any] = {
        "id": f"turn_{row}", "tier": TURN, "text": text, "entity": "master", "created_at": said, "start": said,
        "end": said, "order": row, "speaker": speaker,
    }  # fmt: skip
    return Document(**{**values, **fields})


def indexed(documents: Sequence[Document]) -> Snapshot:
    index = Index()
    index.put(documents)
    return index.snapshot()


def ask(snapshots: Snapshot | Sequence[Snapshot], text: str = "", **fields: Any) -> Answer:
    """The answer at the test's morning."""
    several = [snapshots] if isinstance(snapshots, Snapshot) else snapshots
    clock = FixedClock()
    return answer(several, Query(text=text, **fields), now=clock.now(), clock=clock)


def texts(found: Answer) -> list[str]:
    return [hit.document.text for hit in found.hits]


def ids(found: Answer) -> list[str]:
    return [hit.document.id for hit in found.hits]
