"""The checkpoints: ``checkpoints.json``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memory.clock import Clock
from memory.scopes import fold_scope
from memory.sessions.checkpoint import Checkpoint
from memory.store import layout
from memory.store.entries import Entries
from memory.store.events import Event

SAVED = "checkpoint.saved"

KEPT = 200          # latest checkpoints of a scope; older ones stay in the journal
_LOOKED_AT = 5      # of the latest that match, the latest that tells something is preferred


class Checkpoints(Entries[Checkpoint]):
    """Checkpoints in the order they were first saved."""

    file = layout.CHECKPOINTS
    kind = "checkpoints"

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._of_session: dict[str, dict[str, None]] = {}
        self._of_scope: dict[str, dict[str, None]] = {}

    def latest(self, *, session_id: str | None = None, scope: str | None = None) -> Checkpoint | None:
        """The latest that matches both, or the latest of all. ``scope`` is a resolved one."""
        found = self._newest_first(self._matching(session_id, scope))[:_LOOKED_AT]
        return next((one for one in found if one.is_rich), found[0] if found else None)

    def _matching(self, session_id: str | None, scope: str | None) -> Iterable[str]:
        if session_id is not None and scope is not None:
            of_session = self._of_session.get(session_id, {})
            return [key for key in self._of_scope.get(fold_scope(scope), ()) if key in of_session]
        if session_id is not None:
            return self._of_session.get(session_id, ())
        if scope is not None:
            return self._of_scope.get(fold_scope(scope), ())
        return list(self._entries)

    def _newest_first(self, keys: Iterable[str]) -> list[Checkpoint]:
        found = [entry for key in keys if (entry := self.get(key)) is not None]
        return sorted(found, key=lambda one: (one.updated_at, one.id), reverse=True)

    # the file

    def from_row(self, row: Mapping[str, Any]) -> Checkpoint | None:
        return Checkpoint.from_json(row)

    def to_row(self, entry: Checkpoint) -> dict[str, Any]:
        return entry.to_json()

    def key_of(self, entry: Checkpoint) -> str:
        return entry.id

    def take(self, event: Event) -> None:
        if event.type == SAVED:
            self.put(event.data["checkpoint"])
            self._prune(event.data["checkpoint"])

    def _prune(self, row: Mapping[str, Any]) -> None:
        keys = self._of_scope.get(fold_scope(str(row.get("resolved_scope"))), {})
        if len(keys) > KEPT:
            for entry in self._newest_first(keys)[KEPT:]:
                self.drop(entry.id)

    def put(self, row: object) -> None:
        key = str(row.get("id")) if isinstance(row, Mapping) else ""
        self._unindex(key)
        super().put(row)
        if (entry := self.get(key)) is not None:
            self._of_session.setdefault(entry.session_id, {})[key] = None
            self._of_scope.setdefault(fold_scope(entry.resolved_scope), {})[key] = None

    def drop(self, key: str) -> None:
        self._unindex(key)
        super().drop(key)

    def _unindex(self, key: str) -> None:
        if (entry := self.get(key)) is not None:
            self._of_session.get(entry.session_id, {}).pop(key, None)
            self._of_scope.get(fold_scope(entry.resolved_scope), {}).pop(key, None)

    def reset(self) -> None:
        super().reset()
        self._of_session, self._of_scope = {}, {}
