"""Reflections and facts of the first schema, which knew no times: one after the other is read again."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.facts.rules.event_when import When, resolve
from memory.locale import detect
from memory.reflections.claims import known_facts
from memory.reflections.pen import Because, Pen
from memory.reflections.reflection import EPISODE, PATTERN, STATE, Reflection
from memory.space import MemorySpace

SCHEMA = 2

_LATELY = re.compile(
    r"\b(?:lately|recently|these days|at the moment|currently|right now)\b|最近|近来|这几天|目前|现在", re.IGNORECASE
)
_ALWAYS = re.compile(
    r"\b(?:every|always|usually|never|often|likes?|loves?|enjoys?|prefers?|hates?|dislikes?)\b|"
    "每[天周月年次]|总是|经常|从来|一直|习惯|喜欢|讨厌|爱",
    re.IGNORECASE,
)


async def recheck(space: MemorySpace) -> bool:
    """Bring the oldest reflection of the first schema up to date. Returns whether there was one."""
    if not any(one.schema_version < SCHEMA for one in space.reflections.alive()):
        return False
    async with space.journal.write() as batch:
        pen = Pen(space, batch, space.clock.now())
        old = [one for one in pen.alive() if one.schema_version < SCHEMA]
        if old:
            oldest = min(old, key=lambda one: (one.created_at, one.id))
            pen.revised(_read_again(oldest, pen), Because(rule="recheck"))
    return True


def _read_again(one: Reflection, pen: Pen) -> Reflection:
    """With its scope told by its words, and its time by what its text says of it."""
    language = "zh" if detect(one.text).startswith("zh") else "en"
    when: When | None = resolve(one.text, one.created_at, language, past=True)
    facts = known_facts(one.source_fact_ids, pen.space.facts, pen.space.views.facts_archive)
    start = when.start if when is not None else min(
        (fact.event_start_at or fact.created_at for fact in facts), default=one.created_at
    )
    scope = one.temporal_scope or _scope(one.text, dated=when is not None)
    return replace(
        one,
        schema_version=SCHEMA,
        temporal_scope=scope,
        event_when_raw=one.event_when_raw or (when.raw if when is not None else None),
        event_start_at=one.event_start_at or start,
        event_end_at=one.event_end_at or (start if scope in (STATE, EPISODE) else None),
    )


def _scope(text: str, *, dated: bool) -> str:
    if _ALWAYS.search(text):
        return PATTERN
    if _LATELY.search(text):
        return STATE
    return EPISODE if dated else PATTERN
