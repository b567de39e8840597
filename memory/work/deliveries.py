"""Who tells webhooks: a worker of its own, since an address that does not answer holds up whoever waits for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from memory.clock import Clock
from memory.spaces import Spaces
from memory.state.webhook import Courier
from memory.state.webhooks import WEBHOOK, deliver
from memory.work.outbox_worker import OutboxWorker

_AT_ONCE = 8        # spaces whose webhooks are told at the same time
_TRIES = 8          # of one message, over half an hour


def deliveries(spaces: Spaces, clock: Clock, courier: Courier, admits: Callable[[str], bool]) -> OutboxWorker:
    """The worker for owed deliveries."""
    return OutboxWorker(
        spaces,
        clock,
        {WEBHOOK: partial(deliver, courier=courier)},
        attempts=_TRIES,
        admits=admits,
        at_once=_AT_ONCE,
        patient=True,
    )
