"""What the user's facts mean for what is held, as a model sees it: where rules, which need words, saw nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory import tokens
from memory.facts.fact import USER_OBSERVATION, Fact
from memory.facts.windows import CURSOR as READ
from memory.locale import detect
from memory.models.chat import Chat
from memory.models.jobs import RANK, SIGNAL
from memory.models.prompt import Wording, ask, one_line
from memory.people import Names
from memory.persona.corrections import Correction
from memory.persona.entry import Entry, entry_key
from memory.persona.pen import PersonaPen
from memory.persona.weigh import said_last
from memory.reflections import evidence as trust
from memory.reflections.claims import bearing_of, known_facts
from memory.reflections.evidence import Evidence
from memory.reflections.pen import USER_FACT, Because
from memory.reflections.reflection import CONFIRMED, Reflection
from memory.reflections.wording import about
from memory.space import MemorySpace
from memory.thinking import Unfit, as_list, is_due, think, worked

log = logging.getLogger(__name__)

CURSOR = "signalled_row"

REINFORCES, NEGATES = "reinforces", "negates"
_FACTS, _SHOWN, _COARSE = 20, 30, 90
_LINE_CHARS = 500
_SHOWN_TOKENS = 15_000

_WORDING: Wording = {
    "en": (
        "facts are new statements of {master}. observations are what is held so far. Say which facts reinforce an "
        "observation (they say or clearly imply the same about the same subject) and which negate one (both cannot "
        "be true now). Similar topics alone are neither. Leave out whatever is not certain. Answer with "
        '{"signals": [{"source_fact_id": "…", "target_type": "reflection|persona", "target_id": "…", '
        '"signal": "reinforces|negates", "reason": "…"}]}, with ids exactly as shown.'
    ),
    "zh": (
        "facts 是 {master} 的新陈述，observations 是目前所持有的认识。指出哪些事实支持某条认识（"
        "对同一对象说了或明确意味着同样的事），"
        "哪些否定某条认识（两者现在不可能同时成立）。仅仅话题相近两者都不算。不确定的一律略去。回答 "
        '{"signals": [{"source_fact_id": "…", "target_type": "reflection|persona", "target_id": "…", '
        '"signal": "reinforces|negates", "reason": "…"}]}，id 必须与所示完全一致。'
    ),
}
_RANKING: Wording = {
    "en": (
        "Which observations could facts like these speak for or against? Answer with a JSON array of the most likely, "
        'best first, at most 30: [{"id": "…"}]'
    ),
    "zh": '这些事实可能支持或否定哪些认识？用 JSON 数组回答最可能的，按可能性从高到低，最多 30 个：[{"id": "…"}]',
}

Held = Reflection | Entry


@dataclass(frozen=True, slots=True)
class Signal:
    """One fact bears on one thing that is held."""

    fact_id: str
    target: str
    supports: bool


async def signal(space: MemorySpace, names: Names, chat: Chat) -> int:
    """Put the facts of the rows that a model has read to it, beside what is held. Returns how many signals were taken.

    The signals and the cursor move in one commit.
    """
    row = space.views.cursors.row(CURSOR) or max(0, space.views.cursors.row(READ) - 1_000)
    until = space.views.cursors.row(READ)
    batch_of = _next_facts(space, row, until)
    if not batch_of:
        return 0
    pool = pool_of(space, names, " ".join(fact.text for fact in batch_of), _COARSE)
    ids = [fact.id for fact in batch_of]
    if not pool or not is_due(space, chat, SIGNAL, ids):
        return 0                # nothing is held that could be spoken for or against yet
    locale = detect(" ".join(fact.text for fact in batch_of))
    facts = [f"{fact.id} | {one_line(fact.text, _LINE_CHARS)}" for fact in batch_of]
    shown = await _ranked(space, chat, locale, facts, pool)
    people = {"master": names.master}
    messages = ask(_WORDING, locale, people, facts=facts, observations=lines_of(shown))
    answer = await think(space, chat, SIGNAL, ids, messages, _reader(batch_of, shown))
    if answer is None:
        return 0
    taken = 0
    async with space.journal.write() as batch:
        pen = PersonaPen(space, batch, space.clock.now())
        for one in answer.value:
            fact, held = space.facts.get(one.fact_id), target_of(pen, one.target)
            if fact is not None and fact.superseded_by is None and fact.denied_in is None and held is not None:
                taken += _apply(pen, fact, held, one, names, answer.method)
        batch.add("cursor.moved", {"name": CURSOR, "to": max(fact.row for fact in batch_of)})
        worked(space, batch, answer)
    log.info("%s: %d signals of a model were taken", space.name, taken)
    return taken


def _next_facts(space: MemorySpace, row: int, until: int) -> list[Fact]:
    """The user's own facts of the next rows: whole rows, about twenty facts."""
    found = sorted(
        (
            fact
            for fact in space.facts
            if row < fact.row <= until
            and fact.source == USER_OBSERVATION
            and fact.superseded_by is None
            and fact.memory is None
        ),
        key=lambda fact: (fact.row, -fact.importance, fact.id),
    )
    last = found[min(len(found), _FACTS) - 1].row if found else 0
    return [fact for fact in found if fact.row <= last][: 2 * _FACTS]


# what is held


def key_of_held(held: Held) -> str:
    """How a prompt spells it."""
    return entry_key(held.entity, held.id) if isinstance(held, Entry) else f"reflection.{held.id}"


def pool_of(space: MemorySpace, names: Names, text: str, most: int) -> dict[str, Held]:
    """What is held and could be meant, by the id that a prompt shows: what shares words first, then what is trusted."""
    held: list[Held] = [one for one in space.reflections.alive() if one.status == CONFIRMED]
    held += [entry for entry in space.persona if not entry.protected]
    said, now = about(text, names), space.clock.now()
    held.sort(key=lambda one: (-len(said & about(one.text, names)), -trust.score(one.evidence, now), one.id))
    return {key_of_held(one): one for one in held[:most]}


def lines_of(pool: Mapping[str, Held]) -> list[str]:
    """Lines for a prompt; whole ones are left out at the end where they are too many."""
    lines: list[str] = []
    spent = 0
    for key, held in pool.items():
        line = f"{key} | {one_line(held.text, _LINE_CHARS)}"
        spent += tokens.count(line)
        if lines and spent > _SHOWN_TOKENS:
            break
        lines.append(line)
    return lines


def target_in(pool: Sequence[str], said: object) -> str | None:
    """The shown id that an answer means: that very one, or the only one that ends with it."""
    if not isinstance(said, str) or not said:
        return None
    if said in pool:
        return said
    ending = [key for key in pool if key.endswith(f".{said}")]
    return ending[0] if len(ending) == 1 else None


def target_of(pen: PersonaPen, key: str) -> Held | None:
    """What is held under a shown id now."""
    kind, _, rest = key.partition(".")
    if kind == "reflection":
        one = pen.reflection(rest)
        return None if one is None or one.is_terminal else one
    entity, _, entry_id = rest.partition(".")
    entry = pen.entry(entity, entry_id)
    return None if entry is None or entry.protected else entry


async def _ranked(
    space: MemorySpace, chat: Chat, locale: str, facts: Sequence[str], pool: dict[str, Held]
) -> dict[str, Held]:
    """The thirty that matter most; the order they came in where a model does not say."""
    if len(pool) <= _SHOWN:
        return pool
    lines = [f"{key} | {one_line(held.text, _LINE_CHARS)}" for key, held in pool.items()]

    def read(value: Any) -> list[str]:
        found = (target_in(list(pool), row.get("id")) for row in as_list(value, "ids"))
        return [key for key in found if key is not None]

    answer = await think(
        space, chat, RANK, [*pool, *facts[:1]], ask(_RANKING, locale, {}, facts=facts, observations=lines), read
    )
    best = answer.value if answer is not None else []
    order = list(dict.fromkeys([*best, *pool]))[:_SHOWN]
    return {key: pool[key] for key in order}


# signals


def _reader(facts: Sequence[Fact], pool: Mapping[str, Held]) -> Callable[[Any], list[Signal]]:
    known = {fact.id for fact in facts}
    shown = [line.partition(" | ")[0] for line in lines_of(pool)]

    def read(value: Any) -> list[Signal]:
        if not isinstance(value, (dict, list)):
            raise Unfit("the answer has no signals")
        found: dict[str, Signal] = {}
        for row in as_list(value, "signals"):
            target, fact_id, kind = target_in(shown, row.get("target_id")), row.get("source_fact_id"), row.get("signal")
            if target is not None and fact_id in known and kind in (REINFORCES, NEGATES):
                found.setdefault(target, Signal(str(fact_id), target, kind == REINFORCES))   # one word on each
        return list(found.values())

    return read


def _apply(pen: PersonaPen, fact: Fact, held: Held, one: Signal, names: Names, method: str) -> bool:
    """Take a signal, unless rules say otherwise, the two share nothing, or this saying was counted already."""
    said = min(said_last(fact), pen.now)
    if fact.entity != held.entity or not about(fact.text, names) & about(held.text, names):
        return False
    since = held.created_at if isinstance(held, Reflection) else held.added_at
    if fact.id in held.source_fact_ids and (since is None or said <= since):
        return False
    sources = known_facts(held.source_fact_ids, pen.space.facts, pen.space.views.facts_archive)
    ruled = bearing_of(fact, held, sources, names)
    if ruled is not None:
        return False            # rules were certain, and have weighed it
    evidence = _after(held.evidence, said, supports=one.supports)
    if evidence is None:
        return False
    because = Because(rule=method, turn=fact.sources[-1] if fact.sources else None, fact=fact.id)
    if isinstance(held, Entry):
        pen.entry_weighed(replace(held, evidence=evidence), USER_FACT, because)
        if not one.supports:
            pen.queued(_question(pen, held, fact), because)
    else:
        pen.weighed(held.id, evidence, USER_FACT, because)
    return True


def _after(evidence: Evidence, said: datetime, *, supports: bool) -> Evidence | None:
    if supports:
        if evidence.reinforced_at is not None and evidence.reinforced_at.date() == said.date():
            return None         # once a day
        return trust.reinforced_by_fact(evidence, said)
    if evidence.disputed_at is not None and evidence.disputed_at >= said:
        return None
    return trust.disputed(evidence, 1.0, said)


def _question(pen: PersonaPen, entry: Entry, fact: Fact) -> Correction:
    return Correction(
        old_text=entry.text,
        new_text=fact.text,
        entity=entry.entity,
        created_at=pen.now,
        fact_id=fact.id,
        entry_id=entry.id,
        needs_model=True,
    )
