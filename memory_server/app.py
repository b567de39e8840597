"""One Starlette app: the route tables of the dialects behind the guard."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from memory_server.guard import Guard
from memory_server.neko import routes as neko
from memory_server.replies import refusal
from memory_server.service import Service


def create_app(service: Service) -> Starlette:
    """The app for a service, whose engine may be opened (and put into it) later."""
    app = Starlette(
        routes=neko.routes(),
        middleware=[
            Middleware(
                Guard,
                blocking_reason=lambda: service.blocking_reason,
                write_refused=service.write_refused,
                history_prefixes=neko.HISTORY_PREFIXES,
            )
        ],
        exception_handlers={HTTPException: _outside},
    )
    app.router.redirect_slashes = False  # a path with one slash too many is another path
    app.state.service = service
    return app


async def _outside(request: Request, error: Exception) -> Response:
    """A path that no dialect has, or a method that a path does not have."""
    assert isinstance(error, HTTPException)
    sentence = {404: "there is nothing at this path", 405: "this path has other methods"}.get(
        error.status_code, error.detail
    )
    return refusal(error.status_code, sentence, error.headers)
