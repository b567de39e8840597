"""What every route of every dialect shares: the engine, and what is known of this process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from starlette.requests import Request

from memory.errors import StorageBlocked
from memory.work.gate import INITIALIZING, StorageGate
from memory_server.version import VERSION

if TYPE_CHECKING:  # this module is there before the engine's is imported
    from memory.engine import Engine


@dataclass(slots=True, kw_only=True)
class Service:
    """One running server. ``engine`` is None until the data root is open."""

    instance_id: str
    engine: Engine | None = None
    open_engine: Callable[[], Awaitable[Engine]] | None = None
    early_gate: StorageGate = field(default_factory=StorageGate)    # the engine's gate, before there is an engine
    opening: asyncio.Future[None] | None = None     # done once ``engine`` is there or will not be by itself
    patience: float = 4.0                           # seconds a request waits for that before it is refused
    local_token: str = "local-dev-user"             # noqa: S105 - no secret; the x-user-id of whoever the characters belong to
    feature_llm: bool | None = None                 # None: on where a model is configured
    statecore_body_limit: int = 1024 * 1024         # bytes
    default_scope: str | None = None                # of RecallNest requests that name none
    any_source: bool = False                        # RecallNest writes may call their source anything
    stop: Callable[[], None] | None = None          # ends the process; None where /shutdown may not
    # (now, locale, country) → today's holiday; None until its library is loaded
    holiday: Callable[[datetime, str, str], str | None] | None = None
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def gate(self) -> StorageGate:
        """Whether storage may be used."""
        return self.early_gate if self.engine is None else self.engine.gate

    @property
    def blocking_reason(self) -> str | None:
        """Why requests are refused now, or None while everything is served."""
        reason = self.gate.reason
        return INITIALIZING if reason is None and self.engine is None else reason

    async def settled_reason(self) -> str | None:
        """The same, after waiting a moment for an engine that is just being opened."""
        if self.engine is None and self.opening is not None:
            await asyncio.wait({self.opening}, timeout=self.patience)
        return self.blocking_reason

    async def start(self) -> bool:
        """Open the engine unless that was done already. Returns whether this call did it; raises what kept it."""
        async with self._starting:
            if self.engine is not None:
                return False
            if self.open_engine is None:
                raise StorageBlocked(INITIALIZING)
            try:
                self.engine = await self.open_engine()
            except BaseException:
                self.early_gate.start_failed = True
                raise
            return True

    def write_refused(self) -> None:
        """Count a write that was turned away at the door."""
        self.gate.refused_writes += 1

    def shut_down(self) -> dict[str, str]:
        """Ask the process to end, where it was started so that this may be asked. Returns what /shutdown answers."""
        if self.stop is None:
            message = "this server was not started with --enable-shutdown"
            return {"status": "shutdown_disabled", "message": message}
        self.stop()
        return {"status": "shutdown_signal_received"}

    def identity(self) -> dict[str, Any]:
        """The part of /health that is known from the first moment on."""
        reason = self.blocking_reason
        return {
            "app": "N.E.K.O",
            "service": "memory",
            "status": "ok",
            "instance_id": self.instance_id,
            "version": VERSION,
            "initialised": self.engine is not None,
            "limited_mode": reason is not None,
            "blocking_reason": reason,
        }


def service_of(request: Request) -> Service:
    """The service a request came to."""
    service = request.app.state.service
    assert isinstance(service, Service)
    return service


def engine_of(request: Request) -> Engine:
    """The engine behind a request. Raises StorageBlocked before it is open."""
    engine = service_of(request).engine
    if engine is None:
        raise StorageBlocked(INITIALIZING)
    return engine
