"""The paths of this dialect: each frozen operation under its prefix and without it, the internal ones without it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from memory.tenancy import user_of
from memory_server.replies import reply
from memory_server.service import engine_of, service_of
from memory_server.statecore.call import Call, FeatureOff, has_model, identify, keyed
from memory_server.statecore.errors import rendered
from memory_server.statecore.frozen import OPERATIONS, PREFIX, Operation
from memory_server.statecore.internal import INTERNAL
from memory_server.statecore.openapi import document
from memory_server.statecore.wire.requests import read_body, read_json

DOCUMENT = "/openapi.json"
_PARAMETER = re.compile(r":(\w+)")


def routes() -> list[Route]:
    """Every path of the dialect apart from health, which answers for all dialects at once."""
    frozen = [_route(prefix, one) for one in OPERATIONS if one.handler is not None for prefix in (PREFIX, "")]
    internal = [_route("", one) for one in INTERNAL]
    return [*frozen, *internal, Route(DOCUMENT, _openapi, methods=["GET"])]


def _route(prefix: str, one: Operation) -> Route:
    return Route(prefix + _PARAMETER.sub(r"{\1}", one.path), _endpoint(one), methods=[one.method])


def _endpoint(one: Operation) -> Callable[[Request], Awaitable[Response]]:
    handler = one.handler
    assert handler is not None

    async def endpoint(request: Request) -> Response:
        try:
            return reply(await handler(await _call(one, request)), one.status)
        except Exception as error:  # last handler of the dialect
            return rendered(error, f"{one.method} {one.path}")

    return endpoint


async def _call(one: Operation, request: Request) -> Call[object]:
    """Who asks, then whether it may be asked, then what is asked; whose it is comes with the work."""
    service = service_of(request)
    identity, is_local = identify(request, service.local_token)
    user = user_of(identity, is_local=is_local)
    if one.needs_model is not None and not has_model(service):
        raise FeatureOff(one.needs_model)
    raw = await request.body()
    return Call(
        service=service,
        engine=engine_of(request),
        user=user,
        body=_body(one, raw),
        path=request.path_params,
        query=request.query_params,
        request=keyed(request, user, one.path, raw) if one.keyed else None,
    )


def _body(one: Operation, raw: bytes) -> object:
    """What is asked. A body that nobody needs is passed over, as long as it is JSON."""
    if one.reads is not None:
        return read_body(raw, one.reads)
    read_json(raw)
    return None


async def _openapi(request: Request) -> Response:
    return reply(document())
