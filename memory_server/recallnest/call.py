"""What a handler of this dialect is given, and which scope a request means: the one place where that is decided."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from memory.engine import Engine
from memory.errors import BadInput
from memory.people import Names
from memory.scopes import Scope, Wanted, collapsed

Body = TypeVar("Body")
Answer = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[Body]):
    """One request, read and checked."""

    engine: Engine
    body: Body
    path: str
    default_scope: str | None = None

    def names_of(self, scope: Scope) -> Names | None:
        """The names in a character's space."""
        return self.engine.cast.names(scope.character) if scope.character is not None else None


Handler = Callable[[Call[Any]], Awaitable[Answer]]


def wanted_scope(
    call: Call[Any], *, scope: str | None, session_id: str | None, all_scopes: bool, may_be_all: bool
) -> Wanted:
    """What a read is about: all, the scope named, the session's, or the server's default.

    Raises BadInput where none of these says anything and ``may_be_all`` is false.
    """
    if all_scopes:
        return Wanted()
    named = scope or (f"session:{session_id}" if session_id else None) or call.default_scope
    if named is not None:
        return Wanted(text=collapsed(named))
    if may_be_all:
        return Wanted()
    raise BadInput(
        "scope",
        f"api:{call.path} requires a scope: pass scope, or a sessionId, or start the server with a default scope "
        "(RECALLNEST_DEFAULT_SCOPE). Use allScopes=true only for explicit cross-scope reads.",
    )
