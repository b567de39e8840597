"""Whether storage may be used: limited mode and the write fence, as a value the server reads.

Two small files of the companion app have a say. Each is looked for in the data root, in its ``state/`` and in its
``config/`` directory (the first that is there counts) and read again whenever it changes:

``storage_policy.json``
    ``{"migration_pending": true}``, ``{"recovery_required": true}`` or ``{"selection_required": true}`` keeps
    everything closed until it is false or gone. A file that holds no JSON object keeps it closed too.
``root_state.json``
    ``{"mode": "…"}``. ``maintenance_readonly``, ``bootstrap_readonly`` and ``bootstrap_importing`` refuse writing
    only; ``deferred_init`` keeps everything closed. Any other mode, or a file nobody can read, refuses nothing.
"""

from __future__ import annotations

import logging
from datetime import datetime
from pathlib import Path
from typing import Any

from memory.clock import naive_local
from memory.errors import StorageBlocked, WriteFenced
from memory.store import layout
from memory.store.files import Disk
from memory.store.watched import State, Watched

log = logging.getLogger(__name__)

MIGRATION, RECOVERY, SELECTION = "migration_pending", "recovery_required", "selection_required"
POLICY_UNAVAILABLE, STATUS_UNAVAILABLE = "storage_policy_unavailable", "storage_status_unavailable"
START_FAILED = "startup_release_failed"
BLOCKED = "storage_startup_blocked_after_init"
INITIALIZING = "runtime_initializing"

NORMAL, DEFERRED = "normal", "deferred_init"
FENCED = frozenset({"bootstrap_importing", "bootstrap_readonly", DEFERRED, "maintenance_readonly"})


class StorageGate:
    """Closed until the engine is ready, whenever the companion blocks it, and while storage is not its own."""

    def __init__(self, root: Path | None = None) -> None:
        places = [root, root / layout.STATE, root / layout.CONFIG] if root is not None else []
        self._policy = Watched(*(place / layout.STORAGE_POLICY for place in places))
        self._root_state = Watched(*(place / layout.ROOT_STATE for place in places))
        self.initialised = False
        self.blocked = False
        self.start_failed = False
        self.refused_writes = 0

    @property
    def storage_reason(self) -> str | None:
        """What the companion's files say against using the storage, or None."""
        state, value = self._policy.look()
        policy = value if value is not None and state is State.READABLE else {}
        if policy.get(MIGRATION) is True:
            return MIGRATION
        if policy.get(RECOVERY) is True or self._mode == DEFERRED:
            return RECOVERY
        if policy.get(SELECTION) is True:
            return SELECTION
        match state:
            case State.UNREADABLE:
                return POLICY_UNAVAILABLE
            case State.UNREACHABLE:
                return STATUS_UNAVAILABLE
            case _:
                return None

    @property
    def reason(self) -> str | None:
        """Why requests are refused now, or None while everything is served."""
        if (reason := self.storage_reason) is not None:
            return reason
        if self.start_failed:
            return START_FAILED
        if self.blocked:
            return BLOCKED
        return None if self.initialised else INITIALIZING

    @property
    def fence(self) -> str | None:
        """The mode in which only writing is refused, or None."""
        mode = self._mode
        return mode if mode in FENCED else None

    @property
    def paused(self) -> bool:
        """Whether nothing may be written now, be it asked for or not."""
        return self.reason is not None or self.fence is not None

    @property
    def _mode(self) -> str | None:
        state, value = self._root_state.look()
        mode = value.get("mode") if value is not None and state is State.READABLE else None
        return mode if isinstance(mode, str) else None

    def check_write(self) -> None:
        """Raises StorageBlocked, or WriteFenced, if nothing may be written now, and counts the refusal."""
        if (reason := self.reason) is not None:
            self.refused_writes += 1
            raise StorageBlocked(reason)
        if (mode := self.fence) is not None:
            self.refused_writes += 1
            raise WriteFenced(mode)

    def opened(self) -> None:
        """The engine is there."""
        self.initialised = True
        self.start_failed = False

    async def declare_normal(self, disk: Disk, now: datetime) -> None:
        """Note a good start in ``root_state.json``, if there is one and nothing is pending.

        A mode that somebody left behind must not keep every write out for ever. Never raises for the file's sake.
        """
        try:
            if await disk.run(self._root_state.amend, disk, lambda state: self._normal(state, now)):
                log.info("root state: %s", NORMAL)
        except OSError as error:
            log.warning("the root state could not be written (%s)", type(error).__name__)

    def _normal(self, state: dict[str, Any], now: datetime) -> dict[str, Any] | None:
        if state.get("mode") == DEFERRED or self.storage_reason is not None:
            return None
        return {**state, "mode": NORMAL, "last_good_boot_at": naive_local(now)}
