"""One character on a temporary root: talked to, closed, left as after a crash, and looked at."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from memory.engine import Engine
from memory.history import record, settle
from memory.history.record import Incoming, RequestKey
from memory.history.turn import HUMAN, Message
from memory.space import MemorySpace
from memory.store import layout
from tests.crash.evidence import rows_in_database, turns_in_journal

NAME = "Mia"


class Character:
    """Mia, and what her directory holds."""

    def __init__(self, root: Path, name: str = NAME) -> None:
        self.name = name
        self.directory = root / layout.MEMORY / name

    def file(self, name: str) -> Path:
        return self.directory / name

    async def hear(self, engine: Engine, *texts: str, key: str | None = None) -> int:
        """One batch of what the human said."""
        messages = [Message(kind=HUMAN, content=text) for text in texts]
        accepted = RequestKey(key, f"body of {key}") if key is not None else None
        async with engine.spaces.use(self.name, create=True) as space:
            return await record.cache(space, Incoming(messages=messages, key=accepted))

    async def settle(self, engine: Engine) -> None:
        async with engine.spaces.use(self.name) as space:
            await settle.settle(space, engine.cast.names(self.name), engine.chat, Incoming(messages=()))

    async def work(self, engine: Engine) -> None:
        async with engine.spaces.use(self.name) as space:
            await engine.worker.perform_all(space)

    async def save(self, engine: Engine) -> None:
        async with engine.spaces.use(self.name) as space:
            await space.save()

    async def window(self, engine: Engine) -> list[str]:
        """The texts of the recent window."""
        async with engine.spaces.use(self.name) as space:
            return [entry.text for entry in space.recent.entries]

    async def facts(self, engine: Engine) -> list[str]:
        async with engine.spaces.use(self.name) as space:
            return [fact.text for fact in space.facts]

    def said(self) -> list[str]:
        """Every turn in the journal."""
        return [turn["content"] for turn in turns_in_journal(self.directory)]

    def stored(self) -> list[str]:
        """Every row of the database."""
        return [text for _, text in rows_in_database(self.directory)]

    def asides(self, stem: str) -> list[Path]:
        """What was set aside of a file."""
        return sorted(self.directory.glob(f"{stem}.*-*"))

    def edit(self, name: str, value: Any) -> None:
        """Write a file as another program does: whole, renamed into its place."""
        temporary = self.file(f"{name}.theirs")
        temporary.write_text(json.dumps(value, ensure_ascii=False, indent=2), encoding="utf-8")
        os.replace(temporary, self.file(name))

    def read(self, name: str) -> Any:
        return json.loads(self.file(name).read_text(encoding="utf-8"))


async def abandon(engine: Engine) -> None:
    """End an engine as a crash would: nothing more is saved."""
    for space in engine.spaces.open_spaces:
        space.journal.closed = True
    await engine.close()


@contextlib.asynccontextmanager
async def mia_of(engine: Engine) -> AsyncIterator[MemorySpace]:
    async with engine.spaces.use(NAME) as space:
        yield space


def messages_of(texts: Sequence[str]) -> list[dict[str, Any]]:
    """Messages as the companion writes them into ``recent.json``."""
    return [{"type": "human", "data": {"content": text, "additional_kwargs": {}}} for text in texts]
