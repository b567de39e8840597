"""One Starlette app: the route tables of the dialects, and the guard in front of them."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from memory_server.guard import Guard, is_of_statecore
from memory_server.health import v1_health
from memory_server.neko import routes as neko
from memory_server.owner import routes as owner
from memory_server.recallnest import routes as recallnest
from memory_server.replies import refusal
from memory_server.service import Service
from memory_server.statecore import routes as statecore


def create_app(service: Service) -> ASGIApp:
    """The whole app for a service, whose engine may be opened (and put into it) later."""
    return Guard(dialects(service), service)


def dialects(service: Service) -> Starlette:
    """Every route there is, with nobody at the door."""
    app = Starlette(
        routes=[
            *neko.routes(),
            Route("/v1/health", v1_health, methods=["GET"]),    # of both dialects below
            *statecore.routes(),
            *recallnest.routes(),
            *owner.routes(),
        ],
        exception_handlers={HTTPException: _outside, Exception: _failed}
    )
    app.router.redirect_slashes = False  # a path with one slash too many is another path
    app.state.service = service
    return app


async def _outside(request: Request, error: Exception) -> Response:
    """A path that no dialect has, or a method that a path does not have."""
    assert isinstance(error, HTTPException)
    path = request.url.path
    if error.status_code == 405 and (path.startswith("/v1/") or is_of_statecore(path)):
        return refusal(404, "there is nothing at this path")  # those dialects publish no other status for it
    sentence = {404: "there is nothing at this path", 405: "this path has other methods"}.get(
        error.status_code, error.detail
    )
    return refusal(error.status_code, sentence, error.headers)


async def _failed(request: Request, error: Exception) -> Response:
    """A fault outside the dialects; the guard writes it to the log."""
    return refusal(500, "the request failed; the server's log says more")
