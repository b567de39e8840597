"""Deciding conflicts, and calling for somebody to decide them."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from memory.errors import BadInput
from memory.facts.advice import advise
from memory.facts.conflict import ACCEPTED, KEPT, MERGED, Conflict, lifecycle
from memory.facts.desk import Desk
from memory.facts.draft import Draft
from memory.facts.evidence import is_shown
from memory.facts.fact import Fact
from memory.facts.memory import Memory
from memory.facts.secrets import redact
from memory.facts.store import observed
from memory.scoped import shown_id
from memory.scopes import Scope
from memory.space import MemorySpace

log = logging.getLogger(__name__)

ACCEPT_INCOMING, KEEP_EXISTING, MERGE = "accept_incoming", "keep_existing", "merge"
RESOLUTIONS = (ACCEPT_INCOMING, KEEP_EXISTING, MERGE)

_STATUS = {ACCEPT_INCOMING: ACCEPTED, KEEP_EXISTING: KEPT, MERGE: MERGED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A conflict that was decided, and the memory that changed, if one did."""

    conflict: Conflict
    fact: Fact | None = None


async def resolve(
    space: MemorySpace,
    scope: Scope,
    conflict_id: str,
    resolution: str,
    *,
    merged_text: str | None = None,
    notes: str | None = None,
) -> Resolved:
    """Decide an open conflict; the memory and the conflict change in one commit, or neither does.

    Raises BadInput for a conflict that is not open, for a merge of what cannot be merged, and where
    the memory changed since the conflict was last looked at: then the conflict shows it as it is
    now, and the same call decides it.
    """
    moved = False
    notes = redact(notes).text if notes is not None else None
    async with space.journal.write() as batch:
        desk = Desk(space, scope, batch)
        conflict = _open(space, conflict_id)
        fact: Fact | None = None
        if resolution != KEEP_EXISTING:
            existing = _existing(desk, conflict)
            if _changed(existing, conflict):
                moved = True
                shown = replace(conflict, existing=Draft.of(existing, _memory(existing)), updated_at=desk.now)
                desk.put_conflict("conflict.refreshed", shown)
            elif resolution == MERGE:
                fact = _merge(desk, conflict, existing, merged_text)
            else:
                fact = _accept(desk, conflict, existing)
        if not moved:
            conflict = replace(
                conflict, status=_STATUS[resolution], updated_at=desk.now, resolved_at=desk.now, notes=notes
            )
            desk.put_conflict("conflict.resolved", conflict)
    if moved:
        raise BadInput(
            "conflictId",
            f"The existing memory of conflict {shown_id(conflict_id)} changed since the conflict was opened; "
            "look at the conflict again and repeat the resolution.",
        )
    log.info("%s: %s %s", space.name, conflict.id, conflict.status)
    return Resolved(conflict=conflict, fact=fact)


def _open(space: MemorySpace, conflict_id: str) -> Conflict:
    conflict = space.views.conflicts.get(conflict_id)
    if conflict is None:
        raise BadInput("conflictId", f"Conflict {shown_id(conflict_id)} not found")
    if not conflict.is_open:
        raise BadInput("conflictId", f"Conflict {shown_id(conflict_id)} is already {conflict.status}")
    return conflict


def _existing(desk: Desk, conflict: Conflict) -> Fact:
    fact = desk.get(conflict.existing_id)
    if fact is None or fact.memory is None or not is_shown(fact):
        raise BadInput(
            "conflictId",
            f"Memory {shown_id(conflict.existing_id)} of conflict {shown_id(conflict.id)} no longer exists",
        )
    return fact


def _changed(existing: Fact, conflict: Conflict) -> bool:
    return existing.text != conflict.existing.text or _memory(existing).version != conflict.existing.memory.version


def _accept(desk: Desk, conflict: Conflict, existing: Fact) -> Fact:
    draft = conflict.incoming
    memory = _with_history(_memory(existing), draft.memory, desk)
    return desk.revise(existing, replace(draft, memory=memory), note="conflict:accept_incoming")


def _merge(desk: Desk, conflict: Conflict, existing: Fact, merged_text: str | None) -> Fact:
    stands, incoming = _memory(existing), conflict.incoming.memory
    if stands.category != conflict.category:
        raise BadInput("resolution", "Merge resolution requires both memories to be of the same category")
    text = merged_text or advise(conflict, desk.now).merged
    if text is None:
        raise BadInput("mergedText", "Merge resolution requires mergedText or an available merge suggestion")
    done = redact(text)
    memory = replace(
        _with_history(stands, incoming, desk),
        importance=max(stands.importance, incoming.importance),
        boundary=stands.boundary,
        label=stands.label,
        form=stands.form,
        structure=None,     # the merged wording is no longer that of the parts
        tags=tuple(dict.fromkeys((*stands.tags, *incoming.tags))),
        redacted=tuple(dict.fromkeys((*stands.redacted, *incoming.redacted, *done.secrets))),
        warned=done.personal,
        merged_from={
            "conflict_id": conflict.id,
            "resolved_at": desk.now.isoformat(),
            "existing_id": existing.id,
            "source_id": conflict.source_id,
            "text": done.text,
        },
    )
    return desk.revise(existing, Draft(text=done.text, memory=memory, entity=existing.entity), note="conflict:merge")


def _with_history(stands: Memory, incoming: Memory, desk: Desk) -> Memory:
    """The incoming memory with everything that the existing one rests on, and its own evidence after that."""
    history = stands
    if incoming.promoted_from is not None:
        history = observed(stands, replace(incoming.promoted_from, observed_at=desk.now))
    return replace(
        incoming,
        promoted_from=history.promoted_from,
        provenance=history.provenance,
        provenance_count=history.provenance_count,
    )


def _memory(fact: Fact) -> Memory:
    assert fact.memory is not None
    return fact.memory


async def escalate(
    space: MemorySpace, scope: Scope, wanted: Mapping[str, str], notes: str | None
) -> dict[str, Conflict]:
    """Stamp open conflicts, each with the attention it is escalated for. Returns those that were.

    One that was stamped for that already, or moved on meanwhile, is passed over.
    """
    done: dict[str, Conflict] = {}
    notes = redact(notes).text if notes is not None else None
    async with space.journal.write() as batch:
        desk = Desk(space, scope, batch)
        for conflict_id, attention in wanted.items():
            conflict = space.views.conflicts.get(conflict_id)
            if conflict is None or not conflict.is_open or conflict.escalated_as == attention:
                continue
            if lifecycle(conflict, desk.now).attention != attention:
                continue
            done[conflict_id] = replace(
                conflict,
                escalation_count=conflict.escalation_count + 1,
                escalated_at=desk.now,
                escalated_as=attention,
                updated_at=desk.now,
                notes=notes if notes is not None else conflict.notes,
            )
            desk.put_conflict("conflict.escalated", done[conflict_id])
    return done


def matching_id(ids: Collection[str], asked: str) -> str | None:
    """The conflict that a whole id, in either spelling, or the beginning of one means.

    None when there is none; raises BadInput when there are several.
    """
    digits = asked.strip().lower().replace("-", "")
    exact = [one for one in ids if one in (asked.strip(), f"conflict_{digits}")]
    if exact:
        return exact[0]
    found = [one for one in ids if digits and one.removeprefix("conflict_").startswith(digits)]
    if len(found) > 1:
        raise BadInput(
            "conflictId", f"Conflict ID prefix {asked.strip()} matches {len(found)} conflicts; use a longer prefix."
        )
    return found[0] if found else None
