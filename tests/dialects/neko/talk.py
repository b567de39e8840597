"""Conversations as the companion's connector sends them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

STAMP = "[20260504 Mon 10:00] "


def user(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text}], **more}


def assistant(text: str, *, stamp: str = STAMP, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": stamp + text}], **more}


def exchange(number: int, *, stamp: str = STAMP) -> list[dict[str, Any]]:
    """Two messages that no other exchange has."""
    return [user(f"question {number}"), assistant(f"answer {number}", stamp=stamp)]


def history(messages: Sequence[Mapping[str, Any] | str], **more: Any) -> dict[str, Any]:
    """The body of a history write; indented and with its characters kept, as the connector does it."""
    return {"input_history": json.dumps(messages, indent=2, ensure_ascii=False), **more}
