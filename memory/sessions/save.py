"""Saving a checkpoint."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory.facts.secrets import redact_all
from memory.scopes import Scope, fold_scope, reserved
from memory.sessions import repository
from memory.sessions.checkpoint import Checkpoint, keyed_id
from memory.sessions.view import SAVED
from memory.space import MemorySpace

log = logging.getLogger(__name__)

CHECKPOINTS = reserved("checkpoints")       # the space that all of them are kept in


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A checkpoint as it was kept, and which of its fields spoke of a repository's state."""

    checkpoint: Checkpoint
    cleaned: Sequence[str]


async def save(space: MemorySpace, wanted: Checkpoint) -> Saved:
    """Keep a checkpoint without what it says of a repository's state, and without secrets.

    With an idempotency key the same checkpoint is written again. Its id is made here.
    """
    kept, cleaned = _clean(_without_secrets(wanted))
    async with space.journal.write() as batch:
        key = kept.idempotency_key
        made = replace(kept, id=space.ids.new("checkpoint") if key is None else keyed_id(key))
        batch.add(SAVED, {"checkpoint": made.to_json()})
    log.info("checkpoint %s saved, %d fields cleaned", made.id, len(cleaned))
    return Saved(checkpoint=made, cleaned=cleaned)


async def ever_saved(space: MemorySpace, scope: Scope) -> list[str]:
    """Ids of all checkpoints of a scope, also of those that are so old that only the journal tells of them."""
    found = {one.id: None for one in space.views.checkpoints if fold_scope(one.resolved_scope) == scope.folded}
    async for events in space.journal.events(0):
        for event in events:
            row = event.data.get("checkpoint") if event.type == SAVED else None
            saved = Checkpoint.from_json(row) if isinstance(row, Mapping) else None
            if saved is not None and fold_scope(saved.resolved_scope) == scope.folded:
                found[saved.id] = None
    return list(found)


def _without_secrets(wanted: Checkpoint) -> Checkpoint:
    texts = {
        name: redact_all(getattr(wanted, name), {})
        for name in ("summary", "task", "decisions", "open_loops", "next_actions", "entities", "files")
    }
    clean: dict[str, Any] = {name: tuple(text) if isinstance(text, list) else text for name, text in texts.items()}
    return replace(wanted, **clean)


def _clean(wanted: Checkpoint) -> tuple[Checkpoint, list[str]]:
    cleaned = []
    summary, changed = repository.clean_summary(wanted.summary)
    cleaned += ["summary"] * changed
    task = wanted.task
    if task is not None and repository.is_tainted(task):
        task = None
        cleaned.append("task")
    decisions, changed = repository.clean_items(wanted.decisions, None)
    cleaned += ["decisions"] * changed
    loops, changed = repository.clean_items(wanted.open_loops, repository.FALLBACK_LOOP)
    cleaned += ["open_loops"] * changed
    actions, changed = repository.clean_items(wanted.next_actions, repository.FALLBACK_ACTION)
    cleaned += ["next_actions"] * changed
    kept = replace(
        wanted, summary=summary, task=task, decisions=decisions, open_loops=loops, next_actions=actions
    )
    return kept, cleaned
