"""What answers from the first moment on, while the rest of the program is still being imported."""

from __future__ import annotations

import asyncio
import contextlib

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from memory.work.gate import INITIALIZING
from memory_server.replies import blocked, refusal, reply
from memory_server.service import Service


class Entrance:
    """The app once there is one. Until then /health and /shutdown are answered here and the rest waits a moment.

    Stands behind the guard, which holds back whatever needs the engine.
    """

    def __init__(self, service: Service, patience: float = 8.0) -> None:
        self._service = service
        self._patience = patience
        self._app: asyncio.Future[ASGIApp] | None = None
        self._opened: ASGIApp | None = None

    def open(self, app: ASGIApp) -> None:
        """From now on the app answers."""
        self._opened = app
        if self._app is not None and not self._app.done():
            self._app.set_result(app)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._opened or self._early(scope["method"], scope["path"]) or await self._waited()
        await app(scope, receive, send)

    def _early(self, method: str, path: str) -> Response | None:
        match path, method:
            case "/health", "GET" | "HEAD":
                return reply(self._service.identity())
            case "/shutdown", "POST":
                return reply(self._service.shut_down())
            case ("/health" | "/shutdown"), _:
                return refusal(405, "this path has other methods")
        return None

    async def _waited(self) -> ASGIApp:
        if self._app is None:
            self._app = asyncio.get_running_loop().create_future()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                return await asyncio.shield(self._app)
        return blocked(INITIALIZING)
