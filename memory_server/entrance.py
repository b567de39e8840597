"""What answers from the first moment on, while the rest of the program is still being imported."""

from __future__ import annotations

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from memory.work.gate import INITIALIZING
from memory_server.replies import blocked, refusal, reply
from memory_server.service import Service


class Entrance:
    """The app once there is one; until then /health alone. Stands behind the guard, which holds the rest back."""

    def __init__(self, service: Service) -> None:
        self.app: ASGIApp | None = None
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self.app or self._early(scope["method"], scope["path"])
        await app(scope, receive, send)

    def _early(self, method: str, path: str) -> Response:
        if path == "/health":
            known = method in ("GET", "HEAD")
            return reply(self._service.identity()) if known else refusal(405, "this path has other methods")
        return blocked(INITIALIZING)
