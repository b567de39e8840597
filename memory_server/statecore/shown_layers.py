"""How this dialect spells layers, turns and what answers rest on."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from memory.space import MemorySpace
from memory.state.budget import cut
from memory.state.digest_state import DigestState, Held
from memory.state.fast_view import FastView
from memory.state.grounding import Grounds
from memory.state.layers import Alignment, Freshness, Layers
from memory.state.plan import NONE, Plan
from memory.state.stable import StableView
from memory.state.turn import TurnDone
from memory.state.working import Working, WorkingState
from memory.tenancy import Place, public_id
from memory_server.statecore.shown import event_id, moment
from memory_server.statecore.shown_state import NO_SNAPSHOT, snapshot

_SNIPPETS = 5           # events shown of those that an answer rests on
_SNIPPET = 160          # characters of one


def working_state(working: Working | None, space: MemorySpace, place: Place) -> dict[str, Any]:
    if working is None:
        return {"scopeId": place.id, "version": 0, "state": None, "view": None, "updatedAt": None}
    state = working.state
    return {
        "scopeId": place.id,
        "version": working.version,
        "state": {
            **_given("currentGoal", state.goal.text if state.goal is not None else None),
            "activeConstraints": [one.text for one in state.constraints],
            "recentDecisions": [one.text for one in state.decisions],
            **_given("progressSummary", state.progress_summary),
            "openQuestions": [one.text for one in state.questions],
            **_given("taskFrame", state.frame),
            "sourceEventIds": list(dict.fromkeys(event_id(space, turn) for turn in state.sources)),
        },
        "view": working_view(state),
        "updatedAt": moment(working.updated_at),
    }


def working_view(state: WorkingState) -> dict[str, Any]:
    return {
        **_given("goal", state.goal.text if state.goal is not None else None),
        "constraints": [one.text for one in state.constraints],
        "decisions": [one.text for one in state.decisions],
        **_given("progressSummary", state.progress_summary),
        "openQuestions": [one.text for one in state.questions],
        **_given("taskFrame", state.frame),
    }


def stable_view(view: StableView) -> dict[str, Any]:
    return {
        **_given("goal", view.goal),
        "constraints": list(view.constraints),
        "decisions": list(view.decisions),
        "todos": list(view.todos),
        "openQuestions": list(view.questions),
        "risks": list(view.risks),
        **{name: list(lines) for name, lines in view.profile.items()},
    }


def stable_state(layers: Layers, space: MemorySpace) -> dict[str, Any]:
    if layers.digest is None:
        return {**NO_SNAPSHOT, "view": None}
    return {**snapshot(layers.digest, space), "view": stable_view(layers.stable)}


def _given(name: str, value: str | None) -> dict[str, str]:
    return {name: value} if value is not None else {}


# context


def plan(wanted: Plan) -> dict[str, Any]:
    shown: dict[str, Any] = {"mode": wanted.mode, "reason": wanted.reason, "limit": wanted.limit}
    if wanted.mode != NONE:
        shown |= {"query": wanted.query, "cacheHit": False}     # nothing is kept from one look-up to the next
    return shown


def fast_view(grounds: Grounds, place: Place) -> dict[str, Any]:
    layers = grounds.layers
    return {
        "scopeId": place.id,
        "workingMemoryVersion": _working_version(layers),
        "stableStateVersion": _stable_version(layers),
        "retrievalPlan": plan(grounds.plan),
        "fastLayerContext": _context(grounds.view),
    }


def _context(view: FastView) -> dict[str, Any]:
    return {
        "systemContext": view.system,
        "workingMemoryBlock": view.working,
        "stableStateBlock": view.stable,
        "retrievalBlock": view.retrieval,
        "recentTurnsBlock": view.turns,
        "retrievalHints": {"priorityTerms": list(view.terms), "exclusions": list(view.exclusions)},
        "summary": view.summary,
    }


def _working_version(layers: Layers) -> int | None:
    return layers.working.version if layers.working is not None else None


def _stable_version(layers: Layers) -> str | None:
    return public_id(layers.digest.id) if layers.digest is not None else None


# status


def layer_status(grounds: Grounds, message: str, place: Place) -> dict[str, Any]:
    layers = grounds.layers
    return {
        "scopeId": place.id,
        "message": message,
        "workingMemoryVersion": _working_version(layers),
        "stableStateVersion": _stable_version(layers),
        "workingMemoryView": working_view(layers.working.state) if layers.working is not None else None,
        "stableStateView": stable_view(layers.stable) if layers.digest is not None else None,
        "fastLayerSummary": grounds.view.summary,
        "retrievalPlan": plan(grounds.plan),
        "layerAlignment": alignment(layers.alignment),
        "freshness": freshness(layers.freshness),
        "warnings": list(layers.warnings),
    }


def alignment(one: Alignment) -> dict[str, Any]:
    return {
        "goalAligned": one.goal_aligned,
        "sharedConstraintCount": one.shared_constraints,
        "sharedDecisionCount": one.shared_decisions,
        "fastPathReady": one.fast_path_ready,
    }


def freshness(one: Freshness) -> dict[str, Any]:
    return {
        "latestEventCreatedAt": _moment(one.latest_event),
        "workingMemoryUpdatedAt": _moment(one.working_updated),
        "stableStateCreatedAt": _moment(one.stable_created),
        "workingMemoryLagMs": _milliseconds(one.working_lag),
        "stableStateLagMs": _milliseconds(one.stable_lag),
        "workingMemoryCaughtUp": one.working_caught_up,
        "stableStateCaughtUp": one.stable_caught_up,
    }


def _moment(at: datetime | None) -> str | None:
    return moment(at) if at is not None else None


def _milliseconds(lag: timedelta | None) -> int | None:
    return lag // timedelta(milliseconds=1) if lag is not None else None


# answers


def turn(done: TurnDone) -> dict[str, Any]:
    grounds = done.grounds
    return {
        "answer": done.answer,
        "answerMode": done.mode,
        "writeTier": done.tier,
        "digestTriggered": done.digests,
        "workingMemoryVersion": done.working_version,
        "stableStateVersion": public_id(done.stable_version) if done.stable_version is not None else None,
        "usedFastLayerContextSummary": grounds.view.summary,
        "retrievalPlan": plan(grounds.plan),
        "layerAlignment": alignment(grounds.layers.alignment),
        "warnings": list(grounds.layers.warnings),
        "notes": list(done.notes),
        "evidence": evidence(grounds),
    }


def evidence(grounds: Grounds) -> dict[str, Any]:
    """What an answer rests on; of many events the first are shown, and all are counted."""
    layers, digest, state = grounds.layers, grounds.digest, grounds.layers.state
    return {
        "digestIds": [public_id(digest.id)] if digest is not None else [],
        "eventIds": [public_id(one.event.id) for one in grounds.events],
        "stateRefs": _references(line for _, line in state.lines()),
        "digestSummary": digest.summary if digest is not None else None,
        "eventSnippets": [
            {
                "id": public_id(one.event.id),
                "sourceType": one.event.type,
                "key": one.event.key,
                "snippet": cut(" ".join(one.event.text.split()), _SNIPPET),
                "createdAt": moment(one.event.at),
                "rankingReason": one.reason,
                "heuristicScore": one.heuristic,
                "recencyScore": one.recency,
                "finalScore": one.final,
            }
            for one in grounds.events[:_SNIPPETS]
        ],
        "eventSnippetsTotal": len(grounds.events),
        "stateSummary": _summary(layers.stable) if layers.digest is not None else None,
        "stateDetails": _details(layers, state) if layers.digest is not None else None,
    }


def _references(lines: Iterable[Held]) -> list[str]:
    return list(dict.fromkeys(public_id(ref.id) for line in lines for ref in line.references))


def _summary(view: StableView) -> str:
    lists = (
        ("constraints", view.constraints),
        ("decisions", view.decisions),
        ("todos", view.todos),
        ("openQuestions", view.questions),
        ("risks", view.risks),
    )
    parts = [f"goal: {view.goal}"] if view.goal is not None else []
    parts += [f"{name}: {', '.join(lines)}" for name, lines in lists if lines]
    return "; ".join(" ".join(part.split()) for part in parts)


def _details(layers: Layers, state: DigestState) -> dict[str, Any]:
    named: dict[str, list[Held]] = {}
    for name, line in state.lines():
        named.setdefault(name, []).append(line)
    return {
        "digestId": _stable_version(layers),
        "goal": layers.stable.goal,
        "constraints": list(layers.stable.constraints),
        "todos": list(layers.stable.todos),
        "risks": list(layers.stable.risks),
        "confidence": {
            name: lines[0].confidence
            if name == "goal"
            else [{"value": line.value, "score": line.confidence} for line in lines]
            for name, lines in named.items()
        },
        "provenanceFields": [name for name, lines in named.items() if any(line.references for line in lines)],
        "transitionTaxonomy": dict(sorted(state.transitions.items())),
        "recentChanges": [
            {
                "field": one.field,
                "action": one.action,
                "value": one.value,
                "evidence": public_id(one.evidence) if one.evidence is not None else None,
            }
            for one in state.changes
        ],
    }
