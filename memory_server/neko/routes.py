"""The companion's paths. Names are cut from the raw path and checked here, and nowhere else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from urllib.parse import quote, unquote_to_bytes

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from memory.errors import BadInput, SpaceClosed
from memory.names import from_raw_path_segment
from memory_server.neko import analytics, context, conversation, lifecycle, recall, reflections
from memory_server.neko.errors import rendered
from memory_server.service import engine_of

Handler = Callable[[Request], Awaitable[Response]]
NameHandler = Callable[[Request, str], Awaitable[Response]]
BadNameHandler = Callable[[str, BadInput], Response]


def routes() -> list[BaseRoute]:
    """Every path of the dialect."""
    return [
        plain("GET", "/health", lifecycle.health),
        plain("POST", "/shutdown", lifecycle.shutdown),
        plain("POST", "/reload", lifecycle.reload),
        CharacterRoute(
            "POST", "/release_character", lifecycle.release_character, bad_name=lifecycle.name_not_released
        ),
        plain("POST", "/internal/storage/startup/continue", lifecycle.continue_startup),
        plain("POST", "/internal/storage/startup/block", lifecycle.block_startup),
        plain("POST", "/internal/memory/reset_confirmed_at", reflections.reset_confirmed_at),
        CharacterRoute("POST", "/cache", unless_held(conversation.cache)),
        CharacterRoute("POST", "/process", unless_held(conversation.process)),
        CharacterRoute("POST", "/renew", unless_held(conversation.renew)),
        CharacterRoute("POST", "/settle", unless_held(conversation.settle)),
        CharacterRoute("GET", "/new_dialog", context.new_dialog),
        CharacterRoute("GET", "/get_recent_history", context.recent_history),
        CharacterRoute("GET", "/last_conversation_gap", context.last_conversation_gap),
        CharacterRoute("GET", "/search_for_memory", context.search_for_memory, rest="query"),
        CharacterRoute("GET", "/get_settings", context.get_settings),
        CharacterRoute("GET", "/get_persona", context.get_persona),
        CharacterRoute("POST", "/query_memory", recall.query_memory),
        CharacterRoute("POST", "/reflect", unless_held(reflections.reflect)),
        CharacterRoute("GET", "/followup_topics", reflections.followup_topics),
        CharacterRoute("POST", "/record_surfaced", reflections.record_surfaced),
        CharacterRoute("POST", "/cancel_correction", reflections.cancel_correction),
        CharacterRoute("GET", "/api/memory/funnel", analytics.count_transitions),
    ]


def unless_held(handler: NameHandler) -> NameHandler:
    """A write that is turned away before anything is read of it while somebody holds the name."""

    @wraps(handler)
    async def guarded(request: Request, name: str) -> Response:
        if engine_of(request).claims.held(name):
            raise SpaceClosed(name)
        return await handler(request, name)

    return guarded


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

    The decoded path cannot be used: there ``a%2Fb`` has become two segments. With ``rest`` one more
    segment follows, for the handler to read from the scope. ``bad_name`` answers for a name that is
    not allowed, where that has a form of its own.
    """

    def __init__(
        self,
        method: str,
        prefix: str,
        handler: NameHandler,
        *,
        rest: str | None = None,
        bad_name: BadNameHandler | None = None,
    ) -> None:
        self.path = f"{prefix}/{{name}}" + (f"/{{{rest}}}" if rest else "")
        self.methods = {method, "HEAD"} if method == "GET" else {method}
        self._prefix = prefix
        self._handler = handler
        self._has_rest = rest is not None
        self._bad_name = bad_name

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] != "http":
            return Match.NONE, {}
        head, _, segment = _raw_path(scope).rpartition(b"/")
        rest = b""
        if self._has_rest:
            rest, (head, _, segment) = segment, head.rpartition(b"/")
        if not segment or (self._has_rest and not rest) or unquote_to_bytes(head) != self._prefix.encode():
            return Match.NONE, {}
        match = Match.FULL if scope["method"] in self.methods else Match.PARTIAL
        return match, {"name_segment": segment, "rest_segment": rest}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in self.methods:
            raise HTTPException(405, headers={"Allow": ", ".join(sorted(self.methods))})
        response = await self._response(Request(scope, receive), scope["name_segment"])
        await response(scope, receive, send)

    async def _response(self, request: Request, segment: bytes) -> Response:
        try:
            name = from_raw_path_segment(segment)
        except BadInput as error:
            if self._bad_name is not None:
                return self._bad_name(unquote_to_bytes(segment).decode("utf-8", "replace"), error)
            return rendered(error, self._prefix)
        try:
            return await self._handler(request, name)
        except Exception as error:  # last handler of the dialect
            return rendered(error, self._prefix, name)


def _raw_path(scope: Scope) -> bytes:
    raw = scope.get("raw_path")
    return raw if isinstance(raw, bytes) else quote(scope["path"]).encode()
