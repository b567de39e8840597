"""Telling a scope's webhook of its reminders. What is owed names reminders by id, so that no text stands in two places.

A reminder is marked as sent in the commit that owes its delivery. A delivery is tried until its receiver takes it, a
few times; each try bears the same name, by which a receiver knows a repetition.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from memory.scopes import CHARACTER, derived_id
from memory.space import MemorySpace
from memory.state.budget import cut
from memory.state.reminders import SENT
from memory.state.webhook import Courier
from memory.store.journal import Batch
from memory.store.outbox import OutboxOp

log = logging.getLogger(__name__)

WEBHOOK = "webhook"     # the owed job

AT_ONCE = 20            # reminders in one message …
_SHOWN = 2_000          # … and UTF-16 units of each, so that no body is larger than 256 KiB


async def set_webhook(space: MemorySpace, url: str | None) -> None:
    """Deliver what falls due from now on to a checked URL, or to nobody."""
    async with space.journal.write() as batch:
        if url != space.views.errands.webhook:
            batch.add("webhook.set", {"url": url})
    log.info("%s: webhook %s", space.name, "set" if url is not None else "removed")


def owe_delivery(space: MemorySpace, batch: Batch, reminder_ids: Sequence[str]) -> None:
    """Owe what tells the webhook of reminders, where there is one."""
    if space.views.errands.webhook is None:
        return
    for start in range(0, len(reminder_ids), AT_ONCE):
        batch.owe(WEBHOOK, {"reminders": list(reminder_ids[start : start + AT_ONCE])})


async def deliver(space: MemorySpace, op: OutboxOp, courier: Courier) -> None:
    """Perform an owed delivery. Nothing is sent of reminders that are gone, or where there is no webhook any more.

    Ends early, with the delivery still owed, when the space is wanted back. Raises NotDelivered.
    """
    url = space.views.errands.webhook
    texts = _texts(space, op.payload)
    if url is not None and texts:
        card = space.views.card.card
        scope_id = card.id if card is not None else derived_id(CHARACTER, space.name)
        body = json.dumps({"scopeId": scope_id, "reminders": texts}, ensure_ascii=False).encode()
        if await space.unless_wanted_back(_posted(courier, url, body, op.id)) is None:
            return
        log.info("%s: %s delivered, %d reminders", space.name, op.id, len(texts))
    async with space.journal.write() as batch:
        batch.finish(op.id)


async def _posted(courier: Courier, url: str, body: bytes, delivery: str) -> bool:
    await courier.post(url, body, delivery=delivery)
    return True


def _texts(space: MemorySpace, payload: Mapping[str, Any]) -> list[str]:
    ids = payload.get("reminders")
    found = [space.views.reminders.get(str(one)) for one in ids[:AT_ONCE]] if isinstance(ids, list) else []
    return [cut(one.text, _SHOWN) for one in found if one is not None and one.status == SENT]
