"""A checkpoint without what was forgotten since, in the scope where the work was done."""

from __future__ import annotations

from dataclasses import replace

from memory.facts.retired import RetiredFacts
from memory.scoped import Scoped
from memory.scopes import read_scope
from memory.sessions.checkpoint import Checkpoint
from memory.sessions.repository import FALLBACK_SUMMARY


async def unforgotten(checkpoint: Checkpoint | None, scoped: Scoped) -> Checkpoint | None:
    """What readers are told of a checkpoint. It is kept as it was saved."""
    if checkpoint is None:
        return None
    async with scoped.reading(read_scope(checkpoint.scope)) as space:
        if space is None or not space.views.retired.forgotten():
            return checkpoint
        return _without(checkpoint, space.views.retired)


def _without(one: Checkpoint, forgotten: RetiredFacts) -> Checkpoint:
    def kept(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(text for text in texts if not forgotten.told_in(text))

    summary = forgotten.untold(one.summary)
    return replace(
        one,
        summary=summary if summary.strip() else FALLBACK_SUMMARY,
        task=next(iter(kept((one.task,))), None) if one.task is not None else None,
        decisions=kept(one.decisions),
        open_loops=kept(one.open_loops),
        next_actions=kept(one.next_actions),
        entities=kept(one.entities),
        files=kept(one.files),
    )
