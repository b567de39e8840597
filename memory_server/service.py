"""What every route of every dialect shares: the engine, and what is known of this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request

from memory.engine import Engine
from memory.errors import StorageBlocked
from memory.work.gate import INITIALIZING


@dataclass(slots=True, kw_only=True)
class Service:
    """One running server. ``engine`` is None until the data root is open."""

    instance_id: str
    engine: Engine | None = None
    stop: Callable[[], None] | None = None      # ends the process; None where /shutdown may not
    # (now, locale, country) → today's holiday; None until its library is loaded
    holiday: Callable[[datetime, str, str], str | None] | None = None

    @property
    def blocking_reason(self) -> str | None:
        """Why requests are refused now, or None while everything is served."""
        return INITIALIZING if self.engine is None else self.engine.gate.reason

    def write_refused(self) -> None:
        """Count a write that was turned away at the door."""
        if self.engine is not None:
            self.engine.gate.refused_writes += 1


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
