"""What a child process does before it is killed, and the notes that survive it.

The child writes down what it sends before it sends it, and what was acknowledged after that, each
line in one unbuffered append: that is all the parent believes afterwards.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from memory.engine import Engine
from memory.history import record, settle
from memory.history.record import Incoming, RequestKey
from memory.history.turn import AI, HUMAN, Message
from memory.models.chat import Chat, NoChat
from memory.settings import Settings
from memory.store.files import Disk

NAME = "Mia"
SENT, ACKNOWLEDGED = "sent", "acknowledged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One line of the notes."""

    what: str
    name: str
    texts: Sequence[str]
    key: str | None


class Points:
    """Counts the named points that are reached, and ends the process at one of them."""

    def __init__(self, *, kill_at: str | None = None, nth: int = 1) -> None:
        self.reached: Counter[str] = Counter()
        self._kill_at = kill_at
        self._nth = nth

    def __call__(self, point: str) -> None:
        self.reached[point] += 1
        if point == self._kill_at and self.reached[point] == self._nth:
            os._exit(137)  # as sudden as a kill: nothing is flushed, closed or told


class Stage:
    """One run of a scenario on one data root."""

    def __init__(self, root: Path, points: Callable[[str], None] | None = None) -> None:
        self.root = root
        self.directory = root / "memory" / NAME
        self._points = points

    async def open(self, *, chat: Chat | None = None, **settings: Any) -> Engine:
        return await Engine.open(
            Settings(data_root=self.root, background=False, **{"save_delay": 0.0, **settings}),
            chat=chat or NoChat(),
            disk=Disk(self._points),
        )

    async def cache(self, engine: Engine, messages: Sequence[Message], *, key: str | None = None) -> None:
        """Send messages as ``/cache`` does, with notes before and after."""
        self.note(SENT, messages, key)
        async with engine.spaces.use(NAME, create=True) as space:
            await record.cache(space, Incoming(messages=messages, key=request_key(key)))
        self.note(ACKNOWLEDGED, messages, key)

    async def settle(self, engine: Engine) -> None:
        async with engine.spaces.use(NAME) as space:
            await settle.settle(space, engine.cast.names(NAME), engine.chat, Incoming(messages=()))

    async def save(self, engine: Engine, *, prompt: bool = False) -> None:
        async with engine.spaces.use(NAME) as space:
            await space.save(prompt=prompt)

    async def work(self, engine: Engine) -> None:
        """Do what is owed, once."""
        async with engine.spaces.use(NAME) as space:
            await engine.worker.perform_all(space)

    def note(self, what: str, messages: Sequence[Message], key: str | None) -> None:
        line = {"what": what, "name": NAME, "texts": [message.text for message in messages], "key": key}
        fd = os.open(notes_of(self.root), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(fd, orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
        finally:
            os.close(fd)


def notes_of(root: Path) -> Path:
    """Where the child that lived on this root wrote its notes."""
    return root.with_name(f"{root.name}.notes")


def read_notes(root: Path) -> list[Note]:
    path = notes_of(root)
    data = path.read_bytes() if path.exists() else b""
    return [Note(**orjson.loads(line)) for line in data.splitlines()]


def request_key(key: str | None) -> RequestKey | None:
    return RequestKey(key, f"body of {key}") if key is not None else None


def turn(number: int, said: str | None = None) -> list[Message]:
    """What a human says and the stamped answer of the character: no two are alike."""
    return [
        Message(kind=HUMAN, content=said or f"Number {number}, said the human."),
        Message(kind=AI, content=f"[20260504 Mon 10:{number:02d}] Answer {number}."),
    ]
