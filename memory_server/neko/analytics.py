"""GET /api/memory/funnel/{name}: how many facts became reflections became persona, in a stretch of time."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from starlette.requests import Request
from starlette.responses import Response

from memory import funnel
from memory.clock import Clock, naive_local
from memory.errors import BadInput, SpaceClosed, UnknownSpace
from memory.funnel import Counts
from memory_server.replies import reply
from memory_server.service import engine_of

_DEFAULT = timedelta(days=7)
# A plus sign that nobody encoded arrives as a blank.
_LOST_PLUS = re.compile(r" (?=\d\d(:?\d\d)?$)")


async def count_transitions(request: Request, name: str) -> Response:
    """The ten counters; all zero for a character without a memory. Both ends of the window belong to it."""
    engine = engine_of(request)
    now = engine.clock.now()
    since = _moment(request, "since", engine.clock) or now - _DEFAULT
    until = _moment(request, "until", engine.clock) or now
    if since > until:
        raise BadInput("since", "since is later than until")
    try:
        async with engine.spaces.use(name) as space:
            counts = await funnel.count(space, since, until)
    except (UnknownSpace, SpaceClosed):
        counts = Counts()
    return reply({
        "lanlan_name": name,
        "since": naive_local(since),
        "until": naive_local(until),
        "counts": counts.to_json(),
    })  # fmt: skip


def _moment(request: Request, field: str, clock: Clock) -> datetime | None:
    """A time of the query, aware and local; None where it is not given. Raises BadInput."""
    given = request.query_params.get(field)
    if given is None:
        return None
    for text in (given.strip(), _LOST_PLUS.sub("+", given.strip())):
        try:
            return clock.local(datetime.fromisoformat(text))
        except (ValueError, OverflowError):
            continue
    raise BadInput(field, f"{field} is not an ISO 8601 date and time")
