"""One request as the server would hand it to the app: raw path, headers as given, a body in pieces."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

from starlette.types import ASGIApp, Message, Scope

JSON = ("content-type", "application/json")
HOST = ("host", "127.0.0.1:48912")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def ask(
    app: ASGIApp,
    method: str,
    raw_path: str,
    *,
    headers: Sequence[tuple[str, str]] = (HOST,),
    body: bytes | Sequence[bytes] = b"",
    chunked: bool = False,
) -> Answer:
    """Send it. A body gets the Content-Length it needs, unless it is ``chunked``."""
    pieces = [body] if isinstance(body, bytes) else list(body)
    sent = [*headers]
    if chunked:
        sent.append(("transfer-encoding", "chunked"))
    elif any(pieces) and not any(name == "content-length" for name, _ in sent):
        sent.append(("content-length", str(sum(map(len, pieces)))))
    path, _, query = raw_path.partition("?")
    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote_to_bytes(path).decode("utf-8", "replace"),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in sent],
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 48_912),
    }
    coming = iter(pieces)
    left = len(pieces)
    told: list[Message] = []

    async def receive() -> Message:
        nonlocal left
        if not left:
            return {"type": "http.disconnect"}
        left -= 1
        return {"type": "http.request", "body": next(coming), "more_body": left > 0}

    async def send(message: Message) -> None:
        told.append(message)

    await app(scope, receive, send)
    return Answer(
        status=told[0]["status"],
        headers={name.decode(): value.decode() for name, value in told[0]["headers"]},
        body=b"".join(message.get("body", b"") for message in told[1:]),
    )
