"""Digests as they may be told: what was forgotten since one was committed stands in none of them any more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from memory.facts.sameness import normal
from memory.space import MemorySpace
from memory.state.digest.align import summary_of
from memory.state.digest_state import Changed, DigestState, Held
from memory.state.digests import Consistency, Digest
from memory.state.discretion import Discretion, discretion_of
from memory.state.stable import only


def told(digest: Digest, discretion: Discretion) -> Digest:
    """The digest without anything that must not be said. Where its text says such, it is made anew from its state."""
    hidden: list[str] = []      # lines of the state that are kept back

    def hides(line: Held) -> bool:
        is_hidden = discretion.hides(line.value, [ref.turn for ref in line.references if ref.turn])
        if is_hidden:
            hidden.append(normal(line.value))
        return is_hidden

    def keeps_change(change: Changed) -> bool:
        return not discretion.hides(change.value, [change.turn] if change.turn else [])

    state: DigestState | None = None
    if digest.state is not None:
        state = only(digest.state, lambda line: not hides(line), keeps_change)

    def may(text: str) -> bool:
        said = normal(text)
        return not discretion.hides(text) and not any(one in said for one in hidden)

    summary = digest.summary
    if not may(summary):
        summary = summary_of(state) if state is not None else ""
    return replace(
        digest,
        summary=summary,
        changes=tuple(filter(may, digest.changes)),
        next_steps=tuple(filter(may, digest.next_steps)),
        drops=tuple(_without(drop, may) for drop in digest.drops),
        state=state,
        consistency=_consistency(digest.consistency, may),
    )


def _without(drop: Mapping[str, Any], may: Callable[[str], bool]) -> Mapping[str, Any]:
    detail = drop.get("detail")
    if not isinstance(detail, Mapping):
        return drop
    kept = {key: value for key, value in detail.items() if not isinstance(value, str) or may(value)}
    return drop if len(kept) == len(detail) else {**drop, "detail": kept}


def _consistency(found: Consistency | None, may: Callable[[str], bool]) -> Consistency | None:
    if found is None or not found.conflicts:
        return found
    return replace(found, conflicts=tuple(one for one in found.conflicts if may(one.fact) and may(one.line)))


async def latest_told(space: MemorySpace) -> Digest | None:
    """The latest digest as it may be told; None where nothing of its text may."""
    latest = space.views.digests.latest
    if latest is None:
        return None
    shown = told(latest, await discretion_of(space))
    return shown if shown.summary else None
