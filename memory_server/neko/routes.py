"""The companion's paths. Names are cut from the raw path and checked here, and nowhere else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import quote, unquote_to_bytes

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from memory.names import from_raw_path_segment
from memory_server.neko import context, conversation, lifecycle, recall
from memory_server.neko.errors import rendered

Handler = Callable[[Request], Awaitable[Response]]
NameHandler = Callable[[Request, str], Awaitable[Response]]


def routes() -> list[BaseRoute]:
    """Every path of the dialect."""
    return [
        plain("GET", "/health", lifecycle.health),
        plain("POST", "/shutdown", lifecycle.shutdown),
        CharacterRoute("POST", "/cache", conversation.cache),
        CharacterRoute("POST", "/process", conversation.process),
        CharacterRoute("POST", "/renew", conversation.renew),
        CharacterRoute("POST", "/settle", conversation.settle),
        CharacterRoute("GET", "/new_dialog", context.new_dialog),
        CharacterRoute("GET", "/get_recent_history", context.recent_history),
        CharacterRoute("GET", "/last_conversation_gap", context.last_conversation_gap),
        CharacterRoute("POST", "/query_memory", recall.query_memory),
    ]


def plain(method: str, path: str, handler: Handler) -> Route:
    """A path without a name in it."""

    async def endpoint(request: Request) -> Response:
        try:
            return await handler(request)
        except Exception as error:  # last handler of the dialect
            return rendered(error, path)

    return Route(path, endpoint, methods=[method])


class CharacterRoute(BaseRoute):
    """``<prefix>/{name}``: one segment after the prefix, taken from the path as it came over the wire.

    The decoded path cannot be used: there ``a%2Fb`` has become two segments.
    """

    def __init__(self, method: str, prefix: str, handler: NameHandler) -> None:
        self.prefix = prefix
        self.methods = {method, "HEAD"} if method == "GET" else {method}
        self._handler = handler

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] != "http":
            return Match.NONE, {}
        head, _, segment = _raw_path(scope).rpartition(b"/")
        if not segment or unquote_to_bytes(head) != self.prefix.encode():
            return Match.NONE, {}
        match = Match.FULL if scope["method"] in self.methods else Match.PARTIAL
        return match, {"name_segment": segment}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in self.methods:
            raise HTTPException(405, headers={"Allow": ", ".join(sorted(self.methods))})
        request = Request(scope, receive)
        try:
            response = await self._handler(request, from_raw_path_segment(scope["name_segment"]))
        except Exception as error:  # last handler of the dialect
            response = rendered(error, self.prefix)
        await response(scope, receive, send)


def _raw_path(scope: Scope) -> bytes:
    raw = scope.get("raw_path")
    return raw if isinstance(raw, bytes) else quote(scope["path"]).encode()
