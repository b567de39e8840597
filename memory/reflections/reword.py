"""Reflections that rules left to a model: said better, or placed in time. Identity, sources and trust stay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from memory import tokens
from memory.clock import naive_local
from memory.facts.fact import Fact, text_hash
from memory.facts.rules.event_when import When, resolve_raw
from memory.locale import detect
from memory.models.chat import Chat
from memory.models.jobs import RECHECK, REWORD
from memory.models.prompt import Wording, ask, language_of, one_line
from memory.people import Names
from memory.recall.grounded import grounded
from memory.reflections.claims import is_negated
from memory.reflections.insight import sources_of
from memory.reflections.pen import Because, Pen
from memory.reflections.recheck import SCHEMA
from memory.reflections.reflection import (
    EPISODE,
    LONGEST,
    PATTERN,
    STATE,
    Reflection,
    is_private,
    with_text,
)
from memory.space import MemorySpace
from memory.thinking import Unfit, is_due, think, worked

_AT_ONCE = 2                    # calls in one round
_SAID = 0.5
_CHARS = 300
_KEPT = 5                       # earlier wordings

_WORDING: Wording = {
    "en": (
        "Say in one sentence what these facts about {master} or {neko} show together. Use the language and the words "
        "of the facts, claim nothing that they do not say, keep every number and every 'not', use no relative times. "
        'At most 60 words. Answer with {"reflection": "…"}'
    ),
    "zh": (
        "用一句话说出这些关于 {master} 或 {neko} 的事实共同表明了什么。用事实所用的语言和词语，不要说其中没有的内容，"
        "保留每个数字和每个否定，不用相对时间。最多 60 字。"
        '回答 {"reflection": "…"}'
    ),
}
_WHEN: Wording = {
    "en": (
        "Is this statement lasting (pattern), true for some days (state), or about something that happened once "
        "(episode)? If it says when, give offsets from the day it was written down, negative for the past. Answer with "
        '{"temporal_scope": "pattern|state|episode", "event_when": null or {"start": {"offset": -1, "unit": "day"}, '
        '"end": null}}'
    ),
    "zh": (
        "这个陈述是长期成立（pattern）、持续数日（state），还是只发生过一次（episode）？如果说明了时间，"
        "给出相对记录当天的偏移，过去为负。回答 "
        '{"temporal_scope": "pattern|state|episode", "event_when": null 或 {"start": {"offset": -1, "unit": "day"}, '
        '"end": null}}'
    ),
}


async def reword(space: MemorySpace, names: Names, chat: Chat) -> int:
    """Have a model word what rules drew. Returns how many reflections now read differently."""
    done = 0
    for one in [one for one in space.reflections.alive() if one.needs_model][:20]:
        facts = sources_of(space, one)
        ids = [one.id, text_hash(one.text)]
        if not facts or not is_due(space, chat, REWORD, ids):
            continue
        locale = detect(" ".join(fact.text for fact in facts))
        people = {"master": names.master_in(language_of(locale)), "neko": names.neko}
        lines = [one_line(fact.text, _CHARS) for fact in facts[:8]]
        answer = await think(
            space, chat, REWORD, ids, ask(_WORDING, locale, people, facts=lines), _reader(facts, names)
        )
        if answer is None:
            return done
        async with space.journal.write() as batch:
            pen = Pen(space, batch, space.clock.now())
            now = pen.reflection(one.id)
            worked(space, batch, answer)
            if now is None or now.is_terminal or now.text != one.text or space.forgotten.covers(answer.value, names):
                continue
            pen.revised(_reworded(now, answer.value, answer.method, pen), Because(rule=answer.method))
        done += 1
        if done == _AT_ONCE:
            break
    return done


def _reader(facts: Sequence[Fact], names: Names) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        text = value.get("reflection") if isinstance(value, dict) else None
        if not isinstance(text, str) or not text.strip() or tokens.count(text) > LONGEST:
            raise Unfit("the answer has no reflection, or too long a one")
        text = " ".join(text.split())
        if grounded(text, [fact.text for fact in facts], names) < _SAID:
            raise Unfit("the facts do not say that")
        if is_negated(text) not in {is_negated(fact.text) for fact in facts}:
            raise Unfit("the facts say the opposite")
        return text

    return read


def _reworded(one: Reflection, text: str, method: str, pen: Pen) -> Reflection:
    before = one.extra.get("modification_history")
    history = [*(before if isinstance(before, list) else []), {"text": one.text, "replaced_at": naive_local(pen.now)}]
    fresh = with_text(one, text)
    extra = {**fresh.extra, "modification_history": history[-_KEPT:], "text_method": method}
    # Who drew it stays: rules go on telling when it was said again, and age lets it settle.
    return replace(fresh, needs_model=False, extra=extra)


async def place_in_time(space: MemorySpace, chat: Chat) -> bool:
    """Have a model say what a reflection of the first schema is about in time. False: rules may."""
    old = [one for one in space.reflections.alive() if one.schema_version < SCHEMA and is_private(one.extra)]
    if not old:
        return True
    oldest = min(old, key=lambda one: (one.created_at, one.id))
    facts = [one_line(fact.text, _CHARS) for fact in sources_of(space, oldest)[:5]]
    messages = ask(_WHEN, detect(oldest.text), {}, statement=[one_line(oldest.text, 600)], facts=facts)
    answer = await think(space, chat, RECHECK, [oldest.id], messages, _read_when(oldest))
    if answer is None:
        return False
    scope, when = answer.value
    async with space.journal.write() as batch:
        pen = Pen(space, batch, space.clock.now())
        one = pen.reflection(oldest.id)
        worked(space, batch, answer)
        if one is None or one.schema_version >= SCHEMA:
            return True
        start = one.event_start_at or (when.start if when is not None else None) or one.created_at
        end = one.event_end_at or (when.end if when is not None else None)
        placed = replace(
            one,
            schema_version=SCHEMA,
            temporal_scope=one.temporal_scope or scope,
            event_when_raw=one.event_when_raw or (when.raw if when is not None else None),
            event_start_at=start,
            event_end_at=end or (start if scope in (STATE, EPISODE) else None),
            extra={**one.extra, "time_method": answer.method},
        )
        pen.revised(placed, Because(rule=answer.method))
    return True


def _read_when(one: Reflection) -> Callable[[Any], tuple[str, When | None]]:
    def read(value: Any) -> tuple[str, When | None]:
        scope = value.get("temporal_scope") if isinstance(value, dict) else None
        if scope not in (PATTERN, STATE, EPISODE):
            raise Unfit("the answer has no scope")
        return scope, resolve_raw(value.get("event_when"), one.created_at)

    return read
