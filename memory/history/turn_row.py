"""How a turn stands in the companion's tables."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import orjson

from memory.history.turn import Turn
from memory.store.database import lenient_text
from memory.store.view import Unreadable, parse


def message_of(turn: Turn) -> str:
    return orjson.dumps({"type": turn.kind, "data": {"content": turn.content}}).decode()


def stamp_of(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M:%S.%f")


def read_message(message: object) -> tuple[str, Any]:
    """Kind and content of a stored message; whatever it is, it is shown rather than dropped."""
    data = message if isinstance(message, bytes) else str(message).encode(errors="replace")
    try:
        value = parse(data)
    except Unreadable:
        return "human", lenient_text(data)
    if not isinstance(value, dict):
        return "human", str(value)
    inner = value.get("data")
    content = inner.get("content", "") if isinstance(inner, dict) else inner
    kind = value.get("type")
    return (kind if isinstance(kind, str) else "human"), content if isinstance(content, (str, list)) else str(content)
