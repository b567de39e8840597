"""A checkpoint: where work stood when a window was left."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.scopes import CHARACTER, collapsed, fold_scope
from memory.sessions.repository import FALLBACK_SUMMARY

_BARE = re.compile(r"[a-z0-9_\-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """Never searched; only ever asked for by session or scope."""

    id: str
    session_id: str
    scope: str                          # as its writer spelled it
    resolved_scope: str                 # as readers ask for it
    summary: str
    updated_at: datetime                # aware
    task: str | None = None
    decisions: tuple[str, ...] = ()
    open_loops: tuple[str, ...] = ()
    next_actions: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    idempotency_key: str | None = None

    @property
    def is_rich(self) -> bool:
        """Whether it tells the next window anything."""
        return self.summary != FALLBACK_SUMMARY or bool(self.decisions or self.open_loops or self.next_actions)

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "session": self.session_id,
            "scope": self.scope,
            "resolved_scope": self.resolved_scope,
            "summary": self.summary,
            "updated_at": self.updated_at.isoformat(),
            "task": self.task,
            "decisions": list(self.decisions),
            "open_loops": list(self.open_loops),
            "next_actions": list(self.next_actions),
            "entities": list(self.entities),
            "files": list(self.files),
            "idempotency_key": self.idempotency_key,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Checkpoint | None:
        """None for a row that is no checkpoint."""
        names = [value.get(name) for name in ("id", "session", "scope", "resolved_scope", "summary")]
        if not all(isinstance(name, str) and name for name in names):
            return None
        try:
            updated = datetime.fromisoformat(str(value.get("updated_at")))
        except ValueError:
            return None
        if updated.tzinfo is None:
            return None
        task, key = value.get("task"), value.get("idempotency_key")
        return cls(
            id=str(names[0]),
            session_id=str(names[1]),
            scope=str(names[2]),
            resolved_scope=str(names[3]),
            summary=str(names[4]),
            updated_at=updated,
            task=task if isinstance(task, str) else None,
            decisions=_texts(value.get("decisions")),
            open_loops=_texts(value.get("open_loops")),
            next_actions=_texts(value.get("next_actions")),
            entities=_texts(value.get("entities")),
            files=_texts(value.get("files")),
            idempotency_key=key if isinstance(key, str) else None,
        )


def resolve_scope(text: str) -> str:
    """The scope that checkpoints are kept under: in lower case, a bare word as a project; a character as it is."""
    name = collapsed(text)
    folded = fold_scope(name)
    if folded.startswith(f"{CHARACTER}:"):
        return folded
    lower = name.lower()
    return f"project:{lower}" if _BARE.fullmatch(lower) else lower


def keyed_id(idempotency_key: str) -> str:
    """The id of whatever is saved under a key."""
    return f"chk-{hashlib.sha256(idempotency_key.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()
