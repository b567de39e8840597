"""What makes the memory checkable: facts under their headings, versions and evidence, selections, facets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory import tenancy
from memory.errors import UnknownSpace
from memory.facts.retired import FORGOTTEN
from memory.forget import forget as forget_facts
from memory.history.turn import without_stamp
from memory.space import MemorySpace
from memory.state import registry
from memory.state.budget import cut
from memory.state.digest_reading import told
from memory.state.discretion import discretion_of
from memory.state.facets import PERSONAL
from memory.state.relationship import relationship
from memory.tenancy import entry_of, public_id, spaces_of
from memory_server.statecore import shown
from memory_server.statecore.call import Answer, Call, NotFound
from memory_server.statecore.wire import requests

_HEX = re.compile(r"[0-9a-f]{32}")


async def facts(call: Call[None]) -> Answer:
    """Facts under their headings, without what was forgotten."""
    async with call.using(call.scope_id) as (_, space):
        resolved = await tenancy.pack_of(call.engine, call.user, space)
        return shown.groups(registry.groups(space, resolved.pack))


async def forget(call: Call[requests.Forget]) -> Answer:
    """Retire a fact, keep back its evidence, and let no wording of it return."""
    body = call.body
    async with call.using(body.scopeId) as (_, space):
        pack = (await tenancy.pack_of(call.engine, call.user, space)).pack
        await forget_facts(space, lambda: registry.named(space, pack, body.factKey))
    return {"ok": True}


async def provenance(call: Call[None]) -> Answer:
    """A fact's whole chain of versions, and the evidence that is still held."""
    asked = call.path["factId"]
    async with call.using(call.scope_id) as (_, space):
        found = next((chain for own in _own_ids(space, asked) if (chain := registry.chain(space, own))), None)
        if found is None:
            raise NotFound("Fact not found" if registry.has_state(space) else "No digest state for scope")
        own = next(entry for entry in found if entry.id in set(_own_ids(space, asked)))
        return {
            "fact": shown.fact(own, space),
            "chain": [shown.fact(entry, space) for entry in found],
            "evidence": await _evidence(space, found),
        }


def _own_ids(space: MemorySpace, asked: str) -> Iterator[str]:
    """The ids that somebody may mean, as we write them."""
    yield asked
    digits = asked.lower().replace("-", "")
    if _HEX.fullmatch(digits):
        yield from (f"{kind}_{digits}" for kind in ("fact", "version", "handoff"))
    yield from (one.id for one in space.views.handoffs if public_id(one.id) == asked.lower())


async def _evidence(space: MemorySpace, chain: list[registry.Entry]) -> list[dict[str, object]]:
    """Each piece once, in the order of the chain; of a document its present text. None of what was forgotten."""
    if any(entry.retired_reason == FORGOTTEN for entry in chain):
        return []
    notes = space.views.event_notes
    wanted: dict[str, str] = {}         # event → the turn with its text
    for turn_id in registry.evidence_ids(chain):
        note = notes.of_turn(turn_id)
        wanted.setdefault(note.id if note is not None else turn_id, note.current if note is not None else turn_id)
    turns = await space.turns.by_id(list(wanted.values()))
    found: list[dict[str, object]] = []
    for event_id, turn_id in wanted.items():
        turn, note = turns.get(turn_id), notes.get(event_id)
        if turn is None:
            continue
        text = turn.text if note is not None else without_stamp(turn.text)
        at = note.created_at if note is not None else turn.at
        found.append(
            {
                "id": public_id(event_id),
                "content": cut(text, registry.CHAIN_EVIDENCE),
                "createdAt": shown.moment(at),
            }
        )
    return found


async def selection(call: Call[None]) -> Answer:
    """What a digest kept, and what it left out with reasons."""
    asked = call.path["digestId"]
    for name in await spaces_of(call.engine, call.user):
        entry = await entry_of(call.engine, name)
        own = next((one for one in entry.digests if asked.lower() == public_id(one)), None) if entry else None
        if own is None:
            continue
        async with call.engine.spaces.use(name) as space:
            digest = space.views.digests.get(own)
            if digest is not None:
                digest = told(digest, await discretion_of(space))
                return shown.selection(digest.rationale, digest.drops)
    raise NotFound("Digest not found")


async def facet_pack(call: Call[None]) -> Answer:
    """The facets that hold for a scope, or for the account."""
    scope_id = call.query.get("scopeId", "")
    if not scope_id.strip():
        return shown.facet_pack(await tenancy.pack_of(call.engine, call.user, None))
    async with call.using(scope_id) as (_, space):
        return shown.facet_pack(await tenancy.pack_of(call.engine, call.user, space))


async def relationship_context(call: Call[None]) -> Answer:
    """What is needed to open a conversation that sounds like it remembers."""
    try:
        async with call.using(call.path["scopeId"]) as (_, space):
            card = space.views.card.card
            return shown.relationship(await relationship(space, card.template if card is not None else PERSONAL))
    except UnknownSpace:
        raise NotFound("Scope not found") from None
