"""Drawing reflections from facts: what the user came back to, in their own words."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from memory.facts.fact import Fact
from memory.facts.rules.draft import METHOD
from memory.people import Names
from memory.reflections import evidence as trust
from memory.reflections.claims import known_facts, relation_of, scope_of
from memory.reflections.cluster import MOST_FACTS, clusters, group_of, subject_words
from memory.reflections.compose import choose, compose, occasions
from memory.reflections.pen import USER_FACT, Because, Pen
from memory.reflections.reflection import (
    COOLDOWN,
    EPISODE,
    STATE,
    Reflection,
    fits_ontology,
    is_past,
    is_private,
    reflection_id,
    with_text,
)
from memory.reflections.wording import dice
from memory.space import MemorySpace

log = logging.getLogger(__name__)

LEAST_FACTS = 5             # unabsorbed ones without which nothing is drawn
_JOINS = 0.5                # share of object words with one of its facts that makes a fact part of a reflection
_BY_RULE = 0.5
_AT_ONCE = 300              # facts looked at together
_SLICE = 20                 # … before others have their turn


async def synthesize(space: MemorySpace, names: Names) -> Reflection | None:
    """Draw at most one reflection; facts that belong to a living one join that instead.

    Returns the reflection, or None when nothing was told often enough. Only the facts used are
    marked as absorbed; the others wait for company.
    """
    if not usable(space) and not space.reflections.alive():
        return None
    async with space.journal.write() as batch:
        pen = Pen(space, batch, space.clock.now())
        joined = await _join(pen, usable(space), names)
        _tell_again(pen, names)
        await asyncio.sleep(0)
        facts = [fact for fact in usable(space) if fact.id not in joined]
        drawn = await _draw(pen, facts, names) if len(facts) >= LEAST_FACTS else None
    space.at("synthesize.committed")
    if drawn is not None:
        log.info("%s: %s drawn from %d facts", space.name, drawn.id, len(drawn.source_fact_ids))
    return drawn


def usable(space: MemorySpace) -> list[Fact]:
    """Facts of the user's own that stand, matter, and were not used yet; the latest of them, oldest first."""
    latest = list(islice((fact for fact in space.facts.unabsorbed() if is_private(fact.extra)), _AT_ONCE))
    return sorted(latest, key=lambda fact: (fact.created_at, fact.id))


async def _draw(pen: Pen, facts: Sequence[Fact], names: Names) -> Reflection | None:
    for cluster in await clusters(facts, names):
        drawn = reflect_on(cluster, names, pen)
        if is_past(drawn, pen.now):
            continue  # it was over before anybody thought of it
        if pen.reflection(drawn.id) is None and not was_erased(pen, drawn, names):
            pen.synthesised(drawn, Because(rule="told_often", turn=drawn.sources[-1] if drawn.sources else None))
        absorb(pen, cluster, drawn.id)
        return drawn
    return None


def was_erased(pen: Pen, drawn: Reflection, names: Names) -> bool:
    """Whether the same was erased once, and must not come back."""
    return drawn.id in pen.space.forgotten.ids or pen.space.forgotten.covers(drawn.text, names)


def reflect_on(facts: Sequence[Fact], names: Names, pen: Pen) -> Reflection:
    """The reflection on a cluster of facts, not yet written."""
    centre = choose(facts, names)[0]
    blank = Reflection(
        id=reflection_id(fact.id for fact in facts),
        text="",
        created_at=pen.now,
        entity=centre.entity,
        evidence=trust.seeded((fact.importance for fact in facts), pen.now),
        next_eligible_at=pen.now + COOLDOWN,
        method=METHOD,
        needs_model=True,
        slot=centre.slot,
        object=centre.object,
        negated=centre.negated,
    )
    return _resting_on(blank, facts, names)


def _resting_on(one: Reflection, facts: Sequence[Fact], names: Names) -> Reflection:
    """The reflection with everything that follows from its facts."""
    facts = sorted(facts, key=lambda fact: (fact.created_at, fact.id))
    text, statement = compose(facts, names)
    said = occasions(facts)
    days, spread = len({moment.date() for moment in said}), (said[-1].date() - said[0].date()).days
    scope = scope_of(one.slot, days, spread)
    relation: str | None = relation_of(one.entity, one.slot)
    known = fits_ontology(one.entity, relation, scope)
    starts = [fact.event_start_at or fact.created_at for fact in facts]
    ends = [fact.event_end_at or fact.event_start_at or fact.created_at for fact in facts]
    sure = [fact.confidence for fact in facts if fact.confidence is not None]
    return replace(
        with_text(one, text),
        statement=statement,
        needs_model=True,       # the words are those of rules again
        source_fact_ids=tuple(sorted(fact.id for fact in facts)),
        sources=tuple(dict.fromkeys(turn for fact in facts for turn in fact.sources)),
        relation_type=relation if known else None,
        temporal_scope=scope,
        event_start_at=min(starts),
        event_end_at=max(*ends, said[-1]) if scope in (STATE, EPISODE) else None,
        confidence=round(sum(sure) / len(sure), 2) if sure else None,
    )


async def _join(pen: Pen, facts: Sequence[Fact], names: Names) -> set[str]:
    """Facts on what a living reflection already says become part of it and speak for it."""
    homes = _Homes(pen, names) if facts else None
    joined: set[str] = set()
    for number, fact in enumerate(facts, 1):
        if number % _SLICE == 0:
            await asyncio.sleep(0)
        one = homes.of(fact) if homes is not None else None
        if one is None or homes is None:
            continue
        because = Because(rule="joins", turn=fact.sources[-1] if fact.sources else None, fact=fact.id)
        grown = _resting_on(one, [*_standing(_sources(pen, one)), fact], names)
        pen.revised(replace(grown, source_fact_ids=tuple(sorted({*one.source_fact_ids, fact.id}))), because)
        if one.evidence.reinforced_at is None or one.evidence.reinforced_at.date() != fact.created_at.date():
            said = min(fact.created_at, pen.now)
            pen.weighed(one.id, trust.reinforced_by_fact(one.evidence, said, weight=_BY_RULE), USER_FACT, because)
        absorb(pen, [fact], one.id)
        homes.add(one.id, fact)
        joined.add(fact.id)
    return joined


class _Homes:
    """Living reflections by the words of the facts they rest on."""

    def __init__(self, pen: Pen, names: Names) -> None:
        self._pen = pen
        self._names = names
        self._facts: dict[str, list[Fact]] = {}
        self._by_word: defaultdict[str, set[str]] = defaultdict(set)
        for one in pen.alive():
            if one.method == METHOD:
                for fact in _sources(pen, one):
                    self.add(one.id, fact)

    def add(self, known_id: str, fact: Fact) -> None:
        self._facts.setdefault(known_id, []).append(fact)
        for word in subject_words(fact, self._names):
            self._by_word[word].add(known_id)

    def of(self, fact: Fact) -> Reflection | None:
        """The reflection with a fact nearest to this one, if it is near enough and has room."""
        own, group = subject_words(fact, self._names), group_of(fact)
        best: tuple[float, str] | None = None
        for known_id in sorted({known_id for word in own for known_id in self._by_word.get(word, ())}):
            others = self._facts[known_id]
            near = [dice(own, subject_words(one, self._names)) for one in others if group_of(one) == group]
            if near and len(others) < MOST_FACTS and max(near) >= max(_JOINS, best[0] if best else 0.0):
                best = (max(near), known_id)
        return self._pen.reflection(best[1]) if best is not None else None


def _sources(pen: Pen, one: Reflection) -> list[Fact]:
    return known_facts(one.source_fact_ids, pen.space.facts, pen.space.views.facts_archive)


def _tell_again(pen: Pen, names: Names) -> None:
    """Reflections whose facts were told again, or no longer hold, say so."""
    for one in pen.alive():
        standing = _standing(_sources(pen, one)) if one.method == METHOD else []
        turns = {turn for fact in standing for turn in fact.sources}
        if standing and turns != set(one.sources):
            told = replace(_resting_on(one, standing, names), source_fact_ids=one.source_fact_ids)
            pen.revised(told, Because(rule="told_again", turn=told.sources[-1] if told.sources else None))


def _standing(facts: Sequence[Fact]) -> list[Fact]:
    return [fact for fact in facts if fact.superseded_by is None and fact.denied_in is None]


def absorb(pen: Pen, facts: Sequence[Fact], by: str) -> None:
    """The facts have become part of a reflection."""
    ids = [fact.id for fact in facts if not fact.absorbed]
    if ids:
        pen.batch.add("fact.absorbed", {"ids": ids, "by": by}, {"fact_ids": ids, "reflection_id": by})
