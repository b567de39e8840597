"""Drawing reflections by a model from facts that rules found no pattern in. Only the facts it used are taken."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from memory import tokens
from memory.facts.fact import RELATIONSHIP, Fact
from memory.facts.rules.event_when import resolve_raw
from memory.locale import detect
from memory.models.chat import Chat
from memory.models.jobs import SYNTHESIZE
from memory.models.prompt import Wording, ask, language_of, one_line
from memory.people import Names
from memory.recall.grounded import grounded
from memory.reflections import evidence as trust
from memory.reflections.claims import known_facts
from memory.reflections.pen import Because, Pen
from memory.reflections.reflection import (
    COOLDOWN,
    EPISODE,
    LONGEST,
    STATE,
    Reflection,
    fits_ontology,
    reflection_id,
)
from memory.reflections.synthesize import LEAST_FACTS, absorb, usable, was_erased
from memory.space import MemorySpace
from memory.thinking import Answer, Unfit, nothing_follows, think, worked

log = logging.getLogger(__name__)

_MOST_FACTS, _MOST_RELATED = 20, 20
_LEAST_USED = 2
_CHARS = 300                    # of a fact as it is shown
_SAID = 0.4                     # share of the words that must stand in the facts

_WORDING: Wording = {
    "en": (
        "These are facts about {master}, {neko} and the two together, each with its number. Is there one observation "
        "that at least two of them carry and that none of them says alone? Write it in one sentence of at most 100 "
        "words, in the language of the facts and with their words, without relative times like 'recently'. Claim "
        "nothing that the facts do not say. Name the numbers of all facts it rests on, which must be about the same "
        "one. relation_type for master: preference, trait, habit, identity, emotional, boundary; for neko: "
        "self_awareness, learned, role_note; for relationship: dynamic, milestone, tension, shared_memory, agreement. "
        "temporal_scope: pattern (holds for good), state (for some days), episode (happened once). If there is none, "
        'answer {"reflection": null}. Otherwise: {"reflection": "…", "facts": [1, 2], "entity": "master", '
        '"relation_type": "…", "temporal_scope": "…", "event_when": null}'
    ),
    "zh": (
        "以下是关于 {master}、{neko} 以及两人之间的事实，各有编号。有没有一个由其中至少两条共同支持、"
        "而任何一条单独都没有说出的观察？"
        "用一句话写出，最多 100 字，用事实所用的语言和词语，不用“最近”之类的相对时间。不要说事实里没有的内容。"
        "列出它所依据的全部事实的编号，"
        "它们必须关于同一对象。relation_type：master 可用 preference、trait、habit、identity、emotional、boundary；"
        "neko 可用 "
        "self_awareness、learned、role_note；relationship 可用 dynamic、milestone、tension、shared_memory、agreement。"
        "temporal_scope：pattern（长期）、state（持续数日）、episode（一次）。如果没有，回答 "
        '{"reflection": null}。否则：{"reflection": "…", "facts": [1, 2], "entity": "master", '
        '"relation_type": "…", "temporal_scope": "…", "event_when": null}'
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight:
    """An answer, checked by form; ``text`` is "" where the model saw nothing."""

    text: str = ""
    used: tuple[str, ...] = ()              # ids of facts
    relation_type: str | None = None
    temporal_scope: str | None = None
    event_when: Any = None


async def draw(space: MemorySpace, names: Names, chat: Chat) -> Reflection | None:
    """Have a model draw at most one reflection from the facts that none was drawn from yet."""
    waiting = usable(space)
    if len(waiting) < LEAST_FACTS:
        return None
    weightiest = sorted(waiting, key=lambda fact: (-fact.importance, fact.created_at, fact.id))[:_MOST_FACTS]
    lines = [f"[{at}] ({fact.entity}) {one_line(fact.text, _CHARS)}" for at, fact in enumerate(weightiest, start=1)]
    locale = detect(" ".join(fact.text for fact in weightiest))
    people = {"master": names.master_in(language_of(locale)), "neko": names.neko}
    ids = [fact.id for fact in waiting]
    messages = ask(_WORDING, locale, people, facts=lines)
    answer = await think(space, chat, SYNTHESIZE, ids, messages, _reader(weightiest, names))
    if answer is None:
        return None
    if not answer.value.text:
        await nothing_follows(space, answer, ids)
        return None
    space.at("insight.thought")
    async with space.journal.write() as batch:
        pen = Pen(space, batch, space.clock.now())
        still = {fact.id: fact for fact in usable(space)}
        facts = [still[fact_id] for fact_id in answer.value.used if fact_id in still]
        worked(space, batch, answer)
        if len(facts) != len(answer.value.used):
            return None         # one of them was taken, denied or erased while the model thought
        drawn = _reflection(pen, facts, answer)
        if was_erased(pen, drawn, names):
            return None
        if pen.reflection(drawn.id) is None:
            pen.synthesised(drawn, Because(rule=answer.method, turn=drawn.sources[-1] if drawn.sources else None))
        absorb(pen, facts, drawn.id)
    log.info("%s: %s drawn by a model from %d facts", space.name, drawn.id, len(facts))
    return drawn


def _reader(facts: Sequence[Fact], names: Names) -> Callable[[Any], Insight]:
    def read(value: Any) -> Insight:
        if not isinstance(value, dict) or "reflection" not in value:
            raise Unfit("the answer has no reflection")
        text = value["reflection"]
        if text is None:
            return Insight()
        if not isinstance(text, str) or not text.strip():
            raise Unfit("the reflection is no text")
        text = " ".join(text.split())
        numbers = value.get("facts")
        used = [
            facts[one - 1]
            for one in dict.fromkeys(numbers if isinstance(numbers, list) else ())
            if isinstance(one, int) and 1 <= one <= len(facts)
        ]
        if tokens.count(text) > LONGEST or len(used) < _LEAST_USED:
            raise Unfit("the reflection is too long or rests on too little")
        if len({fact.entity for fact in used}) > 1 and value.get("entity") != RELATIONSHIP:
            raise Unfit("the facts are not about one subject")
        if grounded(text, [fact.text for fact in used], names) < _SAID:
            raise Unfit("the facts do not say that")
        return Insight(
            text=text,
            used=tuple(fact.id for fact in used),
            relation_type=_text(value.get("relation_type")),
            temporal_scope=_text(value.get("temporal_scope")),
            event_when=value.get("event_when"),
        )

    return read


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _reflection(pen: Pen, facts: Sequence[Fact], answer: Answer[Insight]) -> Reflection:
    """Its subject is that of its facts, whatever the model called it."""
    said = answer.value
    entities = {fact.entity for fact in facts}
    entity = entities.pop() if len(entities) == 1 else RELATIONSHIP
    fits = fits_ontology(entity, said.relation_type, said.temporal_scope)
    scope = said.temporal_scope if fits else None
    when = resolve_raw(said.event_when, pen.now)
    start = when.start if when is not None else None
    start = start or min(fact.event_start_at or fact.created_at for fact in facts)
    end = when.end if when is not None else None
    if end is None and scope in (STATE, EPISODE):
        end = max(fact.event_end_at or fact.event_start_at or fact.created_at for fact in facts)
    sure = [fact.confidence for fact in facts if fact.confidence is not None]
    return Reflection(
        id=reflection_id(fact.id for fact in facts),
        text=said.text,
        statement=said.text,
        created_at=pen.now,
        entity=entity,
        source_fact_ids=tuple(sorted(fact.id for fact in facts)),
        sources=tuple(dict.fromkeys(turn for fact in facts for turn in fact.sources)),
        evidence=trust.seeded((fact.importance for fact in facts), pen.now),
        next_eligible_at=pen.now + COOLDOWN,
        relation_type=said.relation_type if fits else None,
        temporal_scope=scope,
        event_when_raw=when.raw if when is not None else None,
        event_start_at=start,
        event_end_at=end,
        method=answer.method,
        confidence=round(min(sure), 2) if sure else None,
    )


def sources_of(space: MemorySpace, one: Reflection) -> list[Fact]:
    """The facts that a reflection rests on, as far as they stand."""
    found = known_facts(one.source_fact_ids, space.facts, space.views.facts_archive)
    return [fact for fact in found if fact.superseded_by is None and fact.denied_in is None]
