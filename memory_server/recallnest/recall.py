"""Asking: recall, search, recall at the start of a task; and what there is at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memory.facts.secrets import redact
from memory.recall.profiles import Profile, Wish, profile_of
from memory.recollect import Recollected, names_like
from memory.scoped import counted
from memory.scopes import Wanted, collapsed, spelled
from memory.sessions import workflow
from memory.sessions.resume import Window
from memory_server.recallnest import sessions, shown
from memory_server.recallnest.call import Answer, Call, wanted_scope, with_unread
from memory_server.recallnest.wire import requests
from memory_server.version import VERSION

_QUESTION = 16_000      # characters of a question that are looked at
_MESSAGE = 4_000        # … and of a message at the start of a task
_BUDGET = 32_000        # characters of all memories that such a start is given
_SKIPPED = "No explicit or inferred scope available for focused recall; returning resume context only."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered:
    found: list[Recollected]
    hint: dict[str, Any] | None = None
    unread: Sequence[str] = ()          # scopes that could not be looked into


async def recall(call: Call[requests.Recall]) -> Answer:
    """A quick search in one scope."""
    profile = profile_of(call.body.profile)
    answered = await _ask(call, call.body, profile, may_be_all=False)
    return _with_notes(
        answered,
        {
            "results": [shown.result(one) for one in answered.found],
            "query": call.body.query,
            "profile": profile.name,
            "totalMemories": call.engine.scoped.total(),
        },
    )


async def search(call: Call[requests.Recall]) -> Answer:
    """A search in one scope or, where none is named, in all."""
    profile = profile_of(call.body.profile)
    answered = await _ask(call, call.body, profile, may_be_all=True)
    return _with_notes(
        answered,
        {
            "results": [shown.result(one) for one in answered.found],
            "query": call.body.query,
            "profile": profile.name,
            "count": len(answered.found),
        },
    )


async def _ask(call: Call[Any], body: requests.Recall, profile: Profile, *, may_be_all: bool) -> _Answered:
    wanted = wanted_scope(
        call, scope=body.scope, session_id=body.sessionId, all_scopes=body.allScopes, may_be_all=may_be_all
    )
    wish = Wish(
        text=body.query[:_QUESTION],
        profile=profile,
        limit=body.limit,
        categories=(body.category,) if body.category is not None else (),
        least=body.minScore,
    )
    return await _answer(call, wanted, wish)


async def _answer(call: Call[Any], wanted: Wanted, wish: Wish) -> _Answered:
    engine = call.engine
    answers = await call.ask(wanted, [wish])
    found, = answers.found
    top = found[0].graded.score if found else 0.0
    engine.queries.note(redact(collapsed(wish.text)).text, wanted.text, top=top, results=len(found))
    unread = spelled(answers.unread)
    if wanted.text is None:
        unread += engine.scoped.unread
    hint = await _hint(call, wanted) if not found and not answers.documents else None
    return _Answered(found=found, hint=hint, unread=unread)


async def _hint(call: Call[Any], wanted: Wanted) -> dict[str, Any] | None:
    """Names that a scope without memories may have been meant for."""
    near = await names_like(call.engine.scoped, wanted)
    if not near:
        return None
    return {
        "message": f"The scope {wanted.text} holds no memories; scopes with similar names are listed.",
        "scopes": [{"scope": scope.name, "memories": count} for scope, count in near],
    }


def _with_notes(answered: _Answered, answer: dict[str, Any]) -> dict[str, Any]:
    if answered.hint is not None:
        answer["hint"] = answered.hint
    return with_unread(answer, answered.unread)


async def auto_recall(call: Call[requests.AutoRecall]) -> Answer:
    """What a task starts from, and a search for its message, in one call."""
    body = call.body
    message = _on_one_line(body.message)[:_MESSAGE]
    profile = profile_of(body.profile)
    window = Window(
        task=body.task or message,
        scope=body.scope or (call.default_scope if body.sessionId is None else None),
        session_id=body.sessionId,
        limit=body.limitPerSection,
        with_checkpoint=body.includeLatestCheckpoint,
    )
    place, start = await sessions.compose(call, window, profile)
    answer: dict[str, Any] = {"mode": "resume+search", "query": message, "profile": profile.name}
    if start.resolved_scope is not None:
        answer["resolvedScope"] = start.resolved_scope
    answered = _Answered(found=[])
    skipped = None
    if body.allScopes or place.scope is not None:
        wish = Wish(
            text=message,
            profile=profile,
            limit=body.limit,
            categories=(body.category,) if body.category is not None else (),
        )
        answered = await _answer(call, Wanted() if body.allScopes else Wanted(text=place.scope), wish)
    else:
        answer["mode"], skipped = "resume-only", _SKIPPED
    found = _within_budget(answered.found)
    await sessions.observe_start(call, window, start, workflow.RESUME, results=len(found))
    answer |= {
        "searchSkippedReason": skipped,
        "resume": sessions.resume_part(start),
        "results": [shown.result(one) for one in found],
        "count": len(found),
    }
    return _with_notes(answered, answer)


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _within_budget(found: list[Recollected]) -> list[Recollected]:
    """The first ones that fit; at least one always does."""
    kept: list[Recollected] = []
    left = _BUDGET
    for one in found:
        left -= len(one.fact.text)
        if kept and left < 0:
            break
        kept.append(one)
    return kept


async def stats(call: Call[requests.Nothing]) -> Answer:
    """How much there is."""
    by_scope, by_category = counted(await call.engine.scoped.counts())
    told = {
        "totalMemories": sum(by_scope.values()),
        "byScope": by_scope,
        "byCategory": by_category,
        "earlierVersions": call.engine.scoped.versions(),
    }
    return with_unread(told, call.engine.scoped.unread)


async def health(call: Call[requests.Nothing]) -> Answer:
    """That this server is there."""
    return {
        "status": "ok",
        "version": VERSION,
        "totalMemories": call.engine.scoped.total(),
        "timestamp": shown.iso(call.engine.clock.now()),
    }
