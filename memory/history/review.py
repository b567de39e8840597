"""Tidying the recent window: what a program put there by mistake goes, what a person said stays word for word."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from memory.history.recent import Entry
from memory.history.turn import AI, HUMAN, SYSTEM, without_stamp
from memory.space import MemorySpace

log = logging.getLogger(__name__)

CURSOR = "reviewed_row"

LEAST_MESSAGES = 8
_NEW_MESSAGES = 5                   # of the user's since the last review
_LEAKED = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>\s*|\Z)", re.DOTALL | re.IGNORECASE)


Also = Callable[[], Awaitable[object]]


async def review(space: MemorySpace, *, quiet: bool = False, also: Also | None = None) -> bool:
    """Tidy the window if enough was said since the last time, or anything was while it is ``quiet``; then do ``also``.

    Returns whether it was looked at. Can be cancelled through ``cancel_review`` until it is written.
    """
    if space.reviewing is not None or not await _is_due(space, quiet=quiet):
        return False
    # In a task of its own, so that cancelling it ends the review and not whoever asked for it.
    task = space.reviewing = asyncio.create_task(_tidy(space, also), name=f"review {space.name}")
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        raise
    finally:
        space.reviewing = None
    if task.cancelled():
        return False
    task.result()
    return True


async def _tidy(space: MemorySpace, also: Also | None) -> None:
    async with space.journal.write() as batch:
        before = space.recent.entries
        after = tidied(before)
        if after != before:
            batch.add("recent.edited", {"entries": [entry.to_json() for entry in after], "rule": "tidied"})
            log.info("%s: the recent window was tidied, %d of %d left", space.name, len(after), len(before))
        batch.add("cursor.moved", {"name": CURSOR, "to": space.turns.last_row})
    if also is not None:
        await also()


async def cancel_review(space: MemorySpace) -> bool:
    """Stop a running review and wait for its end. Returns whether one was running."""
    task = space.reviewing
    if task is None:
        return False
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return True


async def _is_due(space: MemorySpace, *, quiet: bool) -> bool:
    if len(space.recent.entries) < LEAST_MESSAGES:
        return False
    row = space.views.cursors.row(CURSOR)
    if row >= space.turns.last_row:
        return False
    spoken = sum(kept.turn.kind == HUMAN and kept.turn.row > row for kept in space.turns.tail)
    return spoken >= (1 if quiet else _NEW_MESSAGES)


def tidied(entries: Sequence[Entry]) -> list[Entry]:
    """The window without leaked reasoning, without the character's repeats and without a second memo."""
    kept: list[Entry] = []
    for entry in entries:
        if entry.kind == AI and isinstance(entry.content, str) and _LEAKED.search(entry.content):
            spoken = _LEAKED.sub("", entry.content)
            if not without_stamp(spoken).strip():
                continue
            entry = replace(entry, content=spoken.strip())
        last = kept[-1] if kept else None
        if entry.kind == AI and last is not None and last.kind == AI and last.content == entry.content:
            continue
        if entry.kind == SYSTEM and any(other.kind == SYSTEM and other.content == entry.content for other in kept):
            continue
        kept.append(entry)
    return kept
