"""Storing: one memory, several, a pattern, a case, evidence promoted; and looking at one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

from memory.errors import BadInput
from memory.facts import forms
from memory.facts.desk import CONFLICT, Outcome, registered
from memory.facts.draft import Draft
from memory.facts.evidence import memory_of
from memory.facts.fact import Fact
from memory.facts.forms import Beside
from memory.facts.memory import CATEGORIES, EVENTS, Provenance
from memory.facts.store import Group, PartlyStored, store_together
from memory.facts.store import promote as promote_to
from memory.scoped import Found, shown_id
from memory.scopes import Scope, borrowing_order
from memory_server.recallnest import shown
from memory_server.recallnest.call import Answer, Call, one_scope
from memory_server.recallnest.errors import Unfinished
from memory_server.recallnest.wire import requests


async def store(call: Call[requests.Store]) -> Answer:
    """Store a new durable memory."""
    body = call.body
    draft = forms.statement(body.text, category=body.category, beside=_beside(body))
    outcome = await _store_one(call, body.scope, draft)
    return _stored(outcome)


async def capture(call: Call[requests.Capture]) -> Answer:
    """Store several memories in one request, each decided after those before it."""
    body = call.body
    places: list[Scope] = []
    drafts: list[Draft] = []
    for item in body.memories:
        places.append(one_scope(item.scope or body.scope or ""))
        beside = Beside(
            importance=body.defaultImportance if item.importance is None else item.importance,
            label=item.source or body.source,
            tags=item.tags,
            key=item.canonicalKey,
            details=_details(item.sourceLabel),
        )
        drafts.append(forms.statement(item.text, category=item.category, beside=beside))
    outcomes = await _store_all(call, places, drafts)
    return {
        "stored": sum(outcome.is_stored for outcome in outcomes),
        "conflicts": sum(not outcome.is_stored for outcome in outcomes),
        "memories": [_captured(outcome) for outcome in outcomes],
    }


async def _store_all(call: Call[Any], places: Sequence[Scope], drafts: Sequence[Draft]) -> list[Outcome]:
    """All of each scope in one commit; the outcomes in the order of the drafts. Raises Unfinished."""
    by_space: dict[str, list[int]] = {}
    # Whoever borrows several spaces does so in the same order as everybody else.
    for number in sorted(range(len(places)), key=lambda number: borrowing_order(places[number])):
        by_space.setdefault(places[number].space, []).append(number)
    async with AsyncExitStack() as borrowed:
        groups = []
        for numbers in by_space.values():
            scope = places[numbers[0]]
            space = await borrowed.enter_async_context(call.engine.scoped.writing(scope))
            groups.append(Group(space=space, scope=scope, drafts=[drafts[number] for number in numbers]))
        try:
            done = await store_together(groups)
        except PartlyStored as partly:
            numbers = sorted(number for group in partly.stored for number in by_space[group.space.name])
            raise Unfinished(_partly_said(numbers)) from partly.__cause__
    outcomes = {
        number: outcome
        for numbers, some in zip(by_space.values(), done, strict=True)
        for number, outcome in zip(numbers, some, strict=True)
    }
    return [outcomes[number] for number in range(len(drafts))]


def _partly_said(numbers: Sequence[int]) -> str:
    kept = ", ".join(f"memories[{number}]" for number in numbers)
    return (
        f"Only {kept} of this request came to their answer and are kept, the others are not; "
        "send it again and they are deduped"
    )


def _captured(outcome: Outcome) -> dict[str, Any]:
    told = _stored(outcome)
    del told["stored"]
    return {**told, "text": outcome.draft.text, "source": outcome.draft.memory.label}


async def pattern(call: Call[requests.Pattern]) -> Answer:
    """Store a way of working that may be used again."""
    body = call.body
    draft = forms.pattern(
        title=body.title,
        trigger=body.trigger,
        steps=body.steps,
        outcome=body.outcome,
        tools=body.tools,
        beside=_beside(body),
    )
    return _structured(await _store_one(call, body.scope, draft))


async def case(call: Call[requests.Case]) -> Answer:
    """Store a problem that was solved."""
    body = call.body
    draft = forms.case(
        title=body.title,
        problem=body.problem,
        context=body.context,
        steps=body.solutionSteps,
        outcome=body.outcome,
        tools=body.tools,
        beside=_beside(body),
    )
    return _structured(await _store_one(call, body.scope, draft))


def _structured(outcome: Outcome) -> dict[str, Any]:
    memory = outcome.draft.memory
    assert memory.structure is not None
    return {**_stored(outcome), "title": memory.structure["title"], "tags": list(memory.tags)}


async def promote(call: Call[requests.Promote]) -> Answer:
    """Make evidence a durable memory."""
    body = call.body
    found = await call.engine.scoped.find(body.memoryId)
    source = await _evidence(call, found)
    held = memory_of(source)
    category = body.category or _category_meant(source)
    draft = forms.statement(body.text or source.text, category=category, beside=_beside(body), form=forms.PROMOTE)
    rests_on = Provenance(
        memory_id=source.id,
        scope=found.scope.name,
        category=held.category,
        source=held.label,
        boundary=held.boundary,
    )
    scope = one_scope(body.scope)
    async with call.engine.scoped.writing(scope) as space:
        outcome = await promote_to(space, scope, draft, rests_on)
    return {**_stored(outcome), "sourceMemoryId": shown_id(source.id), "sourceCategory": held.category}


def _stored(outcome: Outcome) -> dict[str, Any]:
    """What every write is answered with. Of a conflict or repeat, id, scope and time are those of what is there."""
    answer: dict[str, Any] = {
        "id": shown_id(outcome.fact.id),
        "stored": outcome.is_stored,
        "disposition": outcome.disposition,
        "storedAt": shown.iso(outcome.fact.created_at),
        "category": outcome.draft.memory.category,
        "scope": outcome.scope.name,
        "canonicalKey": outcome.draft.memory.key,
    }
    if outcome.disposition == CONFLICT and outcome.conflict is not None:
        answer["conflictId"] = shown_id(outcome.conflict.id)
    return answer


def _beside(body: requests.Store | requests.Pattern | requests.Case | requests.Promote) -> Beside:
    return Beside(
        importance=body.importance,
        label=body.source,
        tags=body.tags,
        key=body.canonicalKey,
        details={} if isinstance(body, requests.Promote) else _details(body.sourceLabel),
    )


def _details(label: str | None) -> dict[str, Any]:
    return {"label": label} if label is not None else {}


async def _store_one(call: Call[Any], scope_name: str, draft: Draft) -> Outcome:
    outcome, = await _store_all(call, [one_scope(scope_name)], [draft])
    return outcome


async def _evidence(call: Call[Any], found: Found) -> Fact:
    fact = await _fact(call, found)
    held = memory_of(fact)
    if not held.is_evidence:
        layer = held.boundary.layer
        raise BadInput(
            "memoryId", f"Memory {shown_id(fact.id)} is already {layer}; promote_memory is only for evidence entries."
        )
    return fact


async def _fact(call: Call[Any], found: Found) -> Fact:
    async with call.engine.scoped.reading(found.scope) as space:
        fact = None
        if space is not None:
            own = space.views.versions.standing_for(found.id)
            fact = space.facts.get(own) or space.views.facts_archive.get(own)
    if fact is None:
        raise BadInput("memoryId", f"Memory {shown_id(found.id)} not found")
    return fact


def _category_meant(fact: Fact) -> str:
    """What the evidence was meant as, before it was taken for no more than an event."""
    held = memory_of(fact)
    for category in (held.boundary.original, held.category):
        if category in CATEGORIES:
            return str(category)
    return EVENTS


async def look(call: Call[requests.OneMemory]) -> Answer:
    """One memory as it stands, and what it said before."""
    found = await call.engine.scoped.find(call.body.memoryId)
    fact = await _fact(call, found)
    async with call.engine.scoped.reading(found.scope) as space:
        versions = space.views.versions.of(fact.id) if space is not None else []
        scope = registered(space.views.scope, found.scope) if space is not None else found.scope
    return {"memory": shown.memory(fact, scope), "history": [shown.version(one) for one in versions]}
