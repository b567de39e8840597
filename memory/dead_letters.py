"""What was given up after failing too often: told to a person, and tried again when they say so.

Two kinds: questions to a model (``model_tries.json``) and owed jobs (``dead_letters.ndjson``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from memory.space import MemorySpace
from memory.store import layout
from memory.store.files import read
from memory.thinking import LETTER


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """One dead letter. Ids and a reason, never a text."""

    id: str
    job: str
    reason: str
    at: str                         # ISO
    attempts: int
    about: tuple[str, ...] = ()     # ids, or rows of the conversation


async def letters(space: MemorySpace) -> list[Letter]:
    """The dead letters of a space, those of models first."""
    found = [
        Letter(
            id=space.views.tries.key_of(one),
            job=one.job,
            reason=one.reason,
            at=one.at.isoformat() if one.at is not None else "",
            attempts=one.bad + one.silent,
            about=one.about,
        )
        for one in space.views.tries.dead()
    ]
    for line in await space.disk.run(_lines, space):
        if not str(line["type"]).startswith(LETTER):
            attempts = line.get("attempts")
            found.append(
                Letter(
                    id=str(line["op_id"]),
                    job=str(line["type"]),
                    reason=str(line.get("reason") or ""),
                    at=str(line.get("ts") or ""),
                    attempts=attempts if isinstance(attempts, int) else 0,
                )
            )
    return found


async def retry(space: MemorySpace, ids: Collection[str] | None = None) -> int:
    """Try dead letters again, all of them or those with these ids. Returns how many will be.

    A question is asked at the next round, an owed job is owed anew.
    """
    dead = [space.views.tries.key_of(one) for one in space.views.tries.dead()]
    asked = [key for key in dead if ids is None or key in ids]
    lines = await space.disk.run(_lines, space)
    owed = [
        line
        for line in lines
        if not str(line["type"]).startswith(LETTER) and (ids is None or line["op_id"] in ids)
    ]
    if not asked and not owed:
        return 0
    async with space.journal.write() as batch:
        if asked:
            batch.add("try.again", {"keys": asked})
        for line in owed:
            payload = line.get("payload")
            batch.owe(str(line["type"]), payload if isinstance(payload, dict) else {})
    if owed:
        left = [orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines if line not in owed]
        path = space.directory / layout.DEAD_LETTERS
        await space.disk.run(space.disk.replace, path, left, "bury")
    return len(asked) + len(owed)


def count_kinds(directory: Path) -> Counter[str]:
    """How many dead letters the directory of a space holds, by kind. Blocks; the space need not be open."""
    return Counter(str(line["type"]) for line in _read(directory))


def _lines(space: MemorySpace) -> list[dict[str, Any]]:
    return _read(space.directory)


def _read(directory: Path) -> list[dict[str, Any]]:
    """The readable lines of the file."""
    found: list[dict[str, Any]] = []
    for raw in (read(directory / layout.DEAD_LETTERS) or b"").splitlines():
        try:
            line = orjson.loads(raw)
        except orjson.JSONDecodeError:
            continue
        if isinstance(line, dict) and isinstance(line.get("type"), str) and isinstance(line.get("op_id"), str):
            found.append(line)
    return found
