"""Facts of the first schema, which knew no times: each is read again, by rules where its words are plain."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from memory.facts.fact import Fact
from memory.facts.record import in_this_schema, is_first_schema, to_record
from memory.facts.rules.event_when import When, resolve, resolve_raw
from memory.facts.rules.speech import language_of
from memory.locale import detect
from memory.models.chat import Chat
from memory.models.jobs import RECHECK
from memory.models.prompt import Wording, ask, one_line
from memory.space import MemorySpace
from memory.store.journal import Batch
from memory.thinking import Unfit, think, worked

_AT_ONCE = 50                   # facts that rules read again in one round
_LOOKED_AT = 100    # a few milliseconds' worth of reading
_CHARS = 600
# Words and figures that may tell a time which no rule knows.
_HINT = re.compile(
    r"\d|\b(?:ago|last|next|past|since|until|before|after|during|day|week|month|year|spring|summer|autumn|fall|winter|"
    r"childhood|teens|twenties)s?\b|[年月日周天前后昨今明春夏秋冬]|小时候",
    re.IGNORECASE,
)
_WORDING: Wording = {
    "en": (
        "Does this statement say when it happened or will happen? Give offsets from the day it was written down, "
        "negative for the past, or null where it does not say. Answer with "
        '{"event_when": null or {"start": {"offset": -1, "unit": "minute|hour|day|week|month|year"}, "end": null}}'
    ),
    "zh": (
        "这个陈述说明了事情发生的时间吗？给出相对记录当天的偏移，过去为负；没有说明则为 null。回答 "
        '{"event_when": null 或 {"start": {"offset": -1, "unit": "minute|hour|day|week|month|year"}, "end": null}}'
    ),
}


async def recheck_facts(space: MemorySpace, *, plain_only: bool = False) -> int:
    """Bring facts up to date by rules, a few at a time; with ``plain_only`` not those that a model may read better."""
    looked_at = space.facts.first_schema(_LOOKED_AT)
    old = [fact for fact in looked_at if not (plain_only and _is_unclear(fact))][:_AT_ONCE]
    if not old:
        return 0
    async with space.journal.write() as batch:
        done = 0
        for fact in old:
            now = space.facts.get(fact.id)
            if now is not None and is_first_schema(now):
                _place(batch, now, _by_rules(now))
                done += 1
    return done


async def place_fact_in_time(space: MemorySpace, chat: Chat) -> bool:
    """Have a model say when one of the facts that rules are unsure of happened. False: rules may take it."""
    oldest = next((fact for fact in space.facts.first_schema(_LOOKED_AT) if _is_unclear(fact)), None)
    if oldest is None:
        return True
    messages = ask(_WORDING, detect(oldest.text), {}, statement=[one_line(oldest.text, _CHARS)])
    answer = await think(space, chat, RECHECK, [oldest.id], messages, _reader(oldest))
    if answer is None:
        return False
    async with space.journal.write() as batch:
        worked(space, batch, answer)
        fact = space.facts.get(oldest.id)
        if fact is not None and is_first_schema(fact) and fact.text == oldest.text:
            _place(batch, fact, answer.value, method=answer.method)
    return True


def _is_unclear(fact: Fact) -> bool:
    """Whether its words may tell a time that no rule reads."""
    if fact.event_when_raw is not None or _by_rules(fact) is not None:
        return False
    return language_of(fact.text) is None or bool(_HINT.search(fact.text))


def _by_rules(fact: Fact) -> When | None:
    return resolve(fact.text, fact.created_at, language_of(fact.text) or "", past=True)


def _reader(fact: Fact) -> Callable[[Any], When | None]:
    def read(value: Any) -> When | None:
        if not isinstance(value, dict) or "event_when" not in value:
            raise Unfit("the answer says nothing of the time")
        return resolve_raw(value["event_when"], fact.created_at)

    return read


def _place(batch: Batch, fact: Fact, when: When | None, *, method: str | None = None) -> None:
    known = when if fact.event_when_raw is None else None
    placed = in_this_schema(
        fact,
        event_when_raw=known.raw if known is not None else fact.event_when_raw,
        event_start_at=fact.event_start_at or (known.start if known is not None else None) or fact.created_at,
        event_end_at=fact.event_end_at or (known.end if known is not None else None),
    )
    if method is not None and known is not None:
        placed = replace(placed, extra={**placed.extra, "time_method": method})
    batch.add("fact.revised", to_record(placed))
