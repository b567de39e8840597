"""What every route answers with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from starlette.responses import Response


class JsonReply(Response):
    """A JSON body; a plain string becomes a JSON string."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return orjson.dumps(content)


class TextReply(Response):
    """Plain text. A character that cannot be encoded becomes a question mark rather than a failure."""

    media_type = "text/plain"

    def render(self, content: Any) -> bytes:
        return str(content).encode("utf-8", "replace")


def json_text(content: Any) -> str:
    """JSON to stand in a string of an answer."""
    return orjson.dumps(content).decode()


def reply(content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer of a dialect."""
    return JsonReply(content, status, headers)


def refusal(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    """An answer that belongs to no dialect: the guard's, or that of a path nobody knows."""
    return JsonReply({"error": sentence, "detail": sentence}, status, headers)


def blocked(reason: str, status: int = 409) -> Response:
    """What everything but the controls answers while storage is not ready; a dialect may have another status."""
    return JsonReply(
        {
            "ok": False,
            "error_code": "storage_startup_blocked",
            "blocking_reason": reason,
            "limited_mode": True,
            "error": f"the memory is not available yet: {reason}",
        },
        status,
    )
