"""Whether storage may be used: limited mode and the write fence, as a value the server reads."""

from __future__ import annotations

from memory.errors import StorageBlocked

INITIALIZING = "runtime_initializing"
BLOCKED = "storage_startup_blocked_after_init"


class StorageGate:
    """Closed until the engine is ready, and again whenever the companion blocks it."""

    def __init__(self) -> None:
        self.initialised = False
        self.blocked = False
        self.refused_writes = 0

    @property
    def reason(self) -> str | None:
        """Why requests are refused now, or None while everything is served."""
        if not self.initialised:
            return INITIALIZING
        return BLOCKED if self.blocked else None

    def check_write(self) -> None:
        """Raises StorageBlocked if nothing may be written now, and counts the refusal."""
        if self.blocked:
            self.refused_writes += 1
            raise StorageBlocked(BLOCKED)
