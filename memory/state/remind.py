"""Making, cancelling and sending reminders."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import datetime

from memory.space import MemorySpace
from memory.state.reminders import CANCELLED, SCHEDULED, SENT, Reminder, to_row
from memory.state.webhooks import owe_delivery

log = logging.getLogger(__name__)

AT_ONCE = 50        # reminders sent in one commit
_BATCHES = 4        # commits in one pass


async def schedule(space: MemorySpace, owner: str, text: str, due_at: datetime) -> Reminder:
    """Make a reminder; one whose time has passed is sent by the next pass."""
    async with space.journal.write() as batch:
        reminder = Reminder(
            id=space.ids.new("reminder"), owner=owner, text=text, due_at=due_at, created_at=space.clock.now()
        )
        batch.add("reminder.scheduled", {"reminder": to_row(reminder)})
    log.info("%s: reminder %s", space.name, reminder.id)
    return reminder


async def cancel(space: MemorySpace, reminder_id: str, owner: str) -> bool:
    """Whether the reminder is cancelled now. One that was sent stays sent."""
    async with space.journal.write() as batch:
        reminder = space.views.reminders.get(reminder_id)
        if reminder is None or reminder.owner != owner or reminder.status == SENT:
            return False
        if reminder.status == SCHEDULED:
            batch.add("reminder.cancelled", {"reminder": to_row(replace(reminder, status=CANCELLED))})
    return True


async def send_due(space: MemorySpace) -> int:
    """Mark what is due as sent, and owe what tells the webhook of it in the same commit.

    Returns how many were. The oldest come first; a pass has an end, so that others have their turn.
    """
    sent = 0
    for _ in range(_BATCHES):
        async with space.journal.write() as batch:
            now = space.clock.now()
            due = [one.id for one in space.views.reminders.due if one.status == SCHEDULED and one.due_at <= now]
            found = [one for key in due[:AT_ONCE] if (one := space.views.reminders.get(key)) is not None]
            if found:
                rows = [to_row(replace(one, status=SENT, sent_at=now)) for one in found]
                batch.add("reminder.sent", {"reminders": rows})
                owe_delivery(space, batch, [one.id for one in found])
        sent += len(found)
        if len(due) <= AT_ONCE:
            break
    if sent:
        log.info("%s: %d reminders sent", space.name, sent)
    return sent
