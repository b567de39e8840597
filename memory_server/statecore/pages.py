"""Lists in pages: how many rows are asked for, and where the last page ended.

A cursor names the last row that was shown, and whom it was shown to. One that does not belong here leads nowhere.
"""

from __future__ import annotations

import base64
import json
from typing import Any


def read_limit(text: str | None, usual: int, most: int) -> int:
    """A number of rows: the usual one for what is no number, never more than ``most`` nor less than 1."""
    try:
        wanted = int(float(text)) if text is not None else usual
    except (ValueError, OverflowError):
        wanted = usual
    return min(max(wanted, 1), most)


def write_cursor(*parts: Any) -> str:
    told = json.dumps(parts, separators=(",", ":"))
    return base64.urlsafe_b64encode(told.encode()).decode().rstrip("=")


def read_cursor(text: str, count: int) -> list[Any] | None:
    """The parts of a cursor; None for a text that is none."""
    try:
        parts = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, TypeError, RecursionError):
        return None
    return parts if isinstance(parts, list) and len(parts) == count else None
