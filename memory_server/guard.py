"""The door: what may come in at all. Pure ASGI, in front of every dialect.

The server listens on the loopback address alone, but any page in a browser on the same machine can send requests
there. So the Host must name loopback (a page of somebody's domain that resolves to it does not), a foreign Origin is
refused, and a body must be declared as JSON, which a page cannot do without asking first. Bodies are read here, and
counted while they are read.
"""

from __future__ import annotations

import logging
import re
from collections import defaultdict

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memory_server.replies import blocked, refusal, reply
from memory_server.service import Service

log = logging.getLogger(__name__)

MIB = 1024 * 1024
HISTORY_LIMIT, MEMORIES_LIMIT, BODY_LIMIT = 16 * MIB, 4 * MIB, MIB
DEPTH_LIMIT = 64                # arrays and objects within each other

# Paths whose bodies hold whole conversations.
HISTORY_PREFIXES = ("/cache/", "/process/", "/renew/", "/settle/")
# What would have been written there is counted when it is refused.
WRITE_PREFIXES = (*HISTORY_PREFIXES, "/reflect/", "/record_surfaced/")
# Prefixes of the dialects that answer 503 while storage is not ready. The companion's, and unknown paths, answer 409.
UNAVAILABLE_PREFIXES: tuple[str, ...] = ("/v1/",)
# Paths whose bodies hold many memories at once.
MEMORIES_PREFIX = "/v1/"
# StateCore's paths, with their prefix and without it: they have a limit and a sentence of their own.
_STATECORE = re.compile(
    r"(?:/v1)?/(?:scopes|state|memory|reminders|facet-pack|metrics|diagnostics)(?:/.*)?|/openapi\.json", re.DOTALL
)

# These answer whatever state storage is in.
ALWAYS = frozenset({
    "/health", "/shutdown", "/internal/storage/startup/continue", "/internal/storage/startup/block",
})  # fmt: skip

_HOST = re.compile(rb"(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?", re.IGNORECASE)
_OWN_SITES = frozenset({b"same-origin", b"none"})
# A string, closed or not; every alternative is possessive, so this is linear whatever comes.
_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_ONE_KIND = bytes.maketrans(b"{}", b"[]")


class Refused(Exception):
    """A request that does not come in, with its answer."""

    def __init__(self, response: Response) -> None:
        super().__init__("refused at the door")
        self.response = response


class Guard:
    """Refuses what must not come in; hands on the rest with its whole body at once."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            headers = _headers(scope)
            _check_sender(headers)
            await self._check_mode(scope)
            body = await self._body(scope, headers, receive)
            await self._app(scope, receive if body is None else _again(body, receive), sending)
        except _Gone:
            return
        except Refused as refused:
            await refused.response(scope, receive, send)
        except Exception as error:  # last handler: nobody below may show what it worked on
            log.error("a request failed (%s)", type(error).__name__)
            if not begun:
                await refusal(500, "the request failed; the server's log says more")(scope, receive, send)

    async def _check_mode(self, scope: Scope) -> None:
        path = scope["path"]
        if path in ALWAYS or (reason := await self._service.settled_reason()) is None:
            return
        if path.startswith(WRITE_PREFIXES):
            self._service.write_refused()
        raise Refused(blocked(reason, 503 if path.startswith(UNAVAILABLE_PREFIXES) or is_of_statecore(path) else 409))

    async def _body(self, scope: Scope, headers: _Headers, receive: Receive) -> bytes | None:
        """The whole body; None where there is none to read."""
        declared = _declared_length(headers)
        if not declared and b"transfer-encoding" not in headers:
            return None
        path = scope["path"]
        limit = self._service.statecore_body_limit if is_of_statecore(path) else _limit(path)
        if declared is not None and declared > limit:
            raise Refused(_too_large(path, limit))
        body = bytearray()
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _Gone
            piece = message.get("body", b"")
            if piece and not body:
                _check_content_type(headers)
            body += piece
            if len(body) > limit:
                raise Refused(_too_large(path, limit))
            more = message.get("more_body", False)
        whole = bytes(body)
        if deeper_than(whole, DEPTH_LIMIT):
            raise Refused(refusal(400, f"the body is nested deeper than {DEPTH_LIMIT} levels"))
        return whole


def is_of_statecore(path: str) -> bool:
    """Whether a path belongs to the StateCore dialect."""
    return _STATECORE.fullmatch(path) is not None


def _too_large(path: str, limit: int) -> Response:
    if is_of_statecore(path):
        return reply({"error": "Request body too large"}, 413)
    return refusal(413, f"the body is larger than {limit} bytes")


def _limit(path: str) -> int:
    """Bytes that a body for this path may have."""
    if path.startswith(HISTORY_PREFIXES):
        return HISTORY_LIMIT
    return MEMORIES_LIMIT if path.startswith(MEMORIES_PREFIX) else BODY_LIMIT


class _Gone(Exception):
    """The sender left before the body was complete."""


_Headers = defaultdict[bytes, list[bytes]]


def _headers(scope: Scope) -> _Headers:
    headers: _Headers = defaultdict(list)
    for name, value in scope["headers"]:
        headers[name].append(value.strip())
    return headers


def _check_sender(headers: _Headers) -> None:
    hosts = headers.get(b"host", [])
    if len(hosts) != 1 or not _HOST.fullmatch(hosts[0]):
        raise Refused(refusal(403, "the Host of a request must be 127.0.0.1, localhost or [::1]"))
    own = b"http://" + hosts[0].lower()
    if any(origin.lower() != own for origin in headers.get(b"origin", [])):
        raise Refused(refusal(403, "requests from pages of another origin are refused"))
    if any(site.lower() not in _OWN_SITES for site in headers.get(b"sec-fetch-site", [])):
        raise Refused(refusal(403, "requests from pages of another site are refused"))


def _check_content_type(headers: _Headers) -> None:
    kinds = {value.partition(b";")[0].strip().lower() for value in headers.get(b"content-type", [])}
    if kinds != {b"application/json"}:
        raise Refused(refusal(415, "a body must be sent as Content-Type: application/json"))


def _declared_length(headers: _Headers) -> int | None:
    values = set(headers.get(b"content-length", []))
    if not values:
        return None
    value = values.pop()
    if values or not value.isdigit() or len(value) > 18:
        raise Refused(refusal(400, "the Content-Length is not a number of bytes"))
    return int(value)


def _again(body: bytes, receive: Receive) -> Receive:
    """A receive that tells a body already read, then what comes after it."""
    told = False

    async def receiving() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receiving


def deeper_than(data: bytes, limit: int) -> bool:
    """Whether arrays and objects in a JSON text stand more than ``limit`` deep. Linear, and no parser is asked."""
    if data.count(b"[") + data.count(b"{") <= limit:
        return False
    brackets = _STRINGS.sub(b"", data).translate(_ONE_KIND, _NOT_BRACKETS)
    for _ in range(limit):
        if b"[]" not in brackets:
            break
        # Takes away everything of height one, so each round lowers the whole by a level.
        brackets = brackets.replace(b"[]", b"")
    return b"[]" in brackets or brackets.count(b"[") > limit
