"""What a handler of this dialect is given, and which scope a request means: the one place where that is decided."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from memory.engine import Engine
from memory.errors import BadInput
from memory.people import Names
from memory.recall.profiles import Wish
from memory.recollect import Answers, ask, scopes_wanted
from memory.scopes import Scope, Wanted, collapsed, read_scope

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

    async def ask(self, wanted: Wanted, wishes: Sequence[Wish]) -> Answers:
        """Put questions to the scopes that are wanted. Raises BadInput, and what opening one that is named raises."""
        engine = self.engine
        return await ask(
            engine.scoped,
            await scopes_wanted(engine.scoped, wanted),
            wishes,
            strict=wanted.is_one,
            names_of=self.names_of,
            clock=engine.clock,
            embedder=engine.embedder,
            wait=engine.settings.query_vector_wait,
        )


Handler = Callable[[Call[Any]], Awaitable[Answer]]


def with_unread(answer: dict[str, Any], unread: Iterable[str]) -> dict[str, Any]:
    """The answer with the scopes that it should be of and is not, if there are any: they could not be opened."""
    names = sorted(set(unread))
    if names:
        answer["unreadScopes"] = names
    return answer


def one_scope(name: str) -> Scope:
    """The scope that a write names. Raises BadInput, also for a whole family."""
    if collapsed(name).endswith(":*"):
        raise BadInput("scope", "must name one scope")
    return read_scope(name)


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
