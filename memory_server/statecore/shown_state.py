"""How this dialect spells digests and their states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any

from memory.space import MemorySpace
from memory.state import registry
from memory.state.digest_state import LISTS, REFERENCES, Changed, DigestState, Held, Reference
from memory.state.digests import Consistency, Digest
from memory.tenancy import Place, public_id
from memory_server.statecore import shown

# Facts of a digest are a few microseconds younger than the digest, so that they keep their order.
_WITH_IT = timedelta(microseconds=999)


def digest(one: Digest, place: Place) -> dict[str, Any]:
    return {
        "id": public_id(one.id),
        "scopeId": place.id,
        "summary": one.summary,
        "changes": "\n".join(f"- {line}" for line in one.changes),
        "nextSteps": list(one.next_steps),
        "createdAt": shown.moment(one.created_at),
        "rebuildGroupId": public_id(one.rebuild_group_id) if one.rebuild_group_id is not None else None,
    }


NO_SNAPSHOT: Mapping[str, Any] = {"digestId": None, "state": None, "consistency": None, "createdAt": None}


def snapshot(one: Digest, space: MemorySpace) -> dict[str, Any]:
    """A digest's state with the registry as it stood then."""
    return {
        "digestId": public_id(one.id),
        "state": state(one, space),
        "consistency": consistency(one.consistency),
        "createdAt": shown.moment(one.created_at),
    }


def state(one: Digest, space: MemorySpace) -> dict[str, Any]:
    held = one.state or DigestState()
    entries = registry.snapshot(space, one.created_at + _WITH_IT)
    profile: dict[str, list[str]] = {}
    for entry in entries:
        if registry.holds(entry) and entry.content not in profile.setdefault(entry.facet, []):
            profile[entry.facet].append(entry.content)
    goal = {"goal": held.goal.value} if held.goal is not None else {}
    context = {"context": held.context[-1].value} if held.context else {}
    known = {reference.id: reference for _, line in held.lines() for reference in line.references}
    return {
        "stableFacts": {
            **goal,
            "constraints": _values(held.constraints),
            "decisions": _values(held.decisions),
        },
        "workingNotes": {"openQuestions": _values(held.questions), "risks": _values(held.risks), **context},
        "todos": _values(held.todos),
        "volatileContext": _values(held.context),
        "evidenceRefs": [_reference(reference) for reference in list(known.values())[-REFERENCES:]],
        "confidence": _by_field(held, lambda line: {"value": line.value, "score": line.confidence}, goal_as_score=True),
        "provenance": _by_field(held, lambda line: {"value": line.value, "refs": _references(line)}),
        "transitionSummary": dict(sorted(held.transitions.items())),
        "recentChanges": [_change(change, known) for change in held.changes],
        "factRegistry": [shown.fact(entry, space) for entry in entries],
        "profile": profile,
    }


def _by_field(held: DigestState, spell: Callable[[Held], Any], *, goal_as_score: bool = False) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if held.goal is not None:
        found["goal"] = held.goal.confidence if goal_as_score else _references(held.goal)
    for name in LISTS:
        found[name] = [spell(line) for line in held.of(name)[-REFERENCES:]]
    return found


def _values(lines: Iterable[Held]) -> list[str]:
    return [line.value for line in lines]


def _references(line: Held) -> list[dict[str, Any]]:
    return [_reference(one) for one in line.references]


def _reference(one: Reference) -> dict[str, Any]:
    spelt: dict[str, Any] = {"id": public_id(one.id), "sourceType": one.source}
    if one.key is not None:
        spelt["key"] = one.key
    if one.kind is not None:
        spelt["kind"] = one.kind
    return spelt


def _change(change: Changed, known: Mapping[str, Reference]) -> dict[str, Any]:
    evidence = None
    if change.evidence is not None:
        evidence = _reference(known.get(change.evidence) or Reference(id=change.evidence, source="event"))
    return {"field": change.field, "action": change.action, "value": change.value, "evidence": evidence}


def consistency(found: Consistency | None) -> dict[str, Any] | None:
    if found is None:
        return None
    spelt: dict[str, Any] = {"ok": found.ok, "errors": list(found.errors), "warnings": list(found.warnings)}
    if found.conflicts:
        spelt["conflicts"] = [
            {"code": one.code, "fact": one.fact, "line": one.line} for one in found.conflicts
        ]
    if found.degraded is not None:
        spelt["degraded"] = {"reason": found.degraded, "errors": list(found.degraded_errors)}
    return spelt
