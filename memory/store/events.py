"""One event and its one-line encoding.

The line carries the companion's keys (``event_id``, ``type``, ``ts``, ``payload``) next to ours:
``seq`` (1, 2, 3 … without a gap), ``at`` (aware), ``data`` (whole values), and in the last line
of a batch ``commit`` with what rides on it: ``owed`` and ``done`` work, and an idempotency ``key``.
A line without ``seq`` is foreign.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from memory.clock import naive_local


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """A job that an event obliges us to do."""

    id: str
    kind: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that changed, in the past tense."""

    seq: int
    id: str
    type: str
    at: datetime
    data: Mapping[str, Any]
    payload: Mapping[str, Any]
    commit: bool = False
    owed: tuple[Owed, ...] = ()
    done: tuple[str, ...] = ()
    key: Mapping[str, Any] | None = None


def encode(event: Event) -> bytes:
    """The line of an event, with its line end."""
    line: dict[str, Any] = {
        "event_id": event.id,
        "type": event.type,
        "ts": naive_local(event.at),
        "payload": event.payload,
        "seq": event.seq,
        "at": event.at.isoformat(),
        "data": event.data,
    }
    if event.commit:
        line["commit"] = True
    if event.owed:
        line["owed"] = [{"id": op.id, "kind": op.kind, "payload": op.payload} for op in event.owed]
    if event.done:
        line["done"] = event.done
    if event.key is not None:
        line["key"] = event.key
    return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)


def decode(line: Mapping[str, Any]) -> Event:
    """An event from its parsed line. Raises KeyError, TypeError or ValueError if it is not one."""
    return Event(
        seq=int(line["seq"]),
        id=str(line["event_id"]),
        type=str(line["type"]),
        at=datetime.fromisoformat(line["at"]),
        data=line["data"],
        payload=line.get("payload") or {},
        commit=line.get("commit") is True,
        owed=tuple(Owed(id=op["id"], kind=op["kind"], payload=op["payload"]) for op in line.get("owed", ())),
        done=tuple(line.get("done", ())),
        key=line.get("key"),
    )
