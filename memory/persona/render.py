"""The persona block of a new conversation: who everybody is, what is surmised, what is past, what should rest.

Pure, and the same bytes as long as nothing changed. Each budget is filled: what does not fit is passed over and the
next is tried, and every section is granted a share of its own before the rest is given to the most trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory import tokens
from memory.briefing import bullet, entity_heading, header
from memory.facts.fact import ENTITIES, Fact
from memory.facts.rules.compare import fold_object
from memory.people import Names
from memory.persona.entry import Entry, score
from memory.reflections import evidence
from memory.reflections.mentions import is_resting
from memory.reflections.reflection import PENDING, Reflection, anchor, is_active, is_past, is_private
from memory.strings.catalogue import say
from memory.strings.durations import time_since

PERSONA_TOKENS = 2_000
REFLECTION_TOKENS = 2_000
MOST_PROTECTED = 80
MOST_RESTING = 40
_MOST_FACTS = 600           # more than the budget has room for

_TENTATIVE, _CERTAIN, _PAST = "impressions_tentative", "impressions_certain", "past_begin"
# How long what a fact tells of is worth telling without being asked, by its slot.
_FLEETING: Mapping[str, timedelta] = {
    "plan": timedelta(days=3), "event": timedelta(days=3), "state": timedelta(days=7), "wish": timedelta(days=30),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Everything the block is made from."""

    entries: Sequence[Entry]                    # the persona, in the order of its document
    reflections: Sequence[Reflection]
    facts: Iterable[Fact] = ()                  # the weightiest first; they fill what is left


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that may be told, in its section, with its place in the order of trust."""

    section: str
    text: str
    rank: tuple[float, ...]                     # higher is more trusted
    key: str                                    # decides between equals
    cost: int                                   # tokens


def persona_block(known: Known, names: Names, locale: str, now: datetime) -> str:
    """The block, without a final line end; "" when nothing is known."""
    resting = [entry for entry in known.entries if not entry.protected and is_resting(entry.mentions, now)]
    shown = _entry_lines([entry for entry in known.entries if entry not in resting], known, names, now)
    impressions = _impressions(known.reflections, {entry.text for entry in resting}, locale, now)
    blocks = [
        "\n".join([entity_heading(section, names, locale), *lines])
        for section in _order(known.entries, shown)
        if (lines := shown.get(section))
    ]
    blocks += [
        "\n".join([f"### {say(string_id, locale, neko=names.neko)}", *impressions[string_id]])
        for string_id in (_TENTATIVE, _CERTAIN)
        if string_id in impressions
    ]
    if _PAST in impressions:
        begin, end = header(_PAST, names.neko, locale), header("past_end", names.neko, locale)
        blocks.append("\n".join([begin, *impressions[_PAST], end]))
    if resting:
        lines = list(dict.fromkeys(bullet(entry.text) for entry in resting))[:MOST_RESTING]
        blocks.append("\n".join([f"### {say('not_to_raise', locale, neko=names.neko)}", *lines]))
    return "\n\n".join(blocks)


def _entry_lines(entries: Sequence[Entry], known: Known, names: Names, now: datetime) -> dict[str, list[str]]:
    fixed = [entry for entry in entries if entry.protected][:MOST_PROTECTED]
    told = {bullet(entry.text) for entry in fixed}
    free = [
        _line(entry.entity, bullet(entry.text), (score(entry, now), _importance(entry)), entry.id)
        for entry in entries
        if not entry.protected and not evidence.is_disputed(entry.evidence, now)
    ]
    chosen = fill([line for line in _once(free) if line.text not in told], PERSONA_TOKENS)
    told.update(line.text for line in chosen)
    left = PERSONA_TOKENS - sum(line.cost for line in chosen)
    facts = [
        _line(fact.entity, bullet(fact.text), (fact.importance, fact.created_at.timestamp()), fact.id)
        for fact in _untold(known, names, now)
    ]
    chosen += fill([line for line in _once(facts) if line.text not in told], left)
    lines: dict[str, list[str]] = {}
    for entry in fixed:
        lines.setdefault(entry.entity, []).append(bullet(entry.text))
    for line in chosen:
        lines.setdefault(line.section, []).append(line.text)
    return lines


def _untold(known: Known, names: Names, now: datetime) -> list[Fact]:
    """Facts that stand for themselves: drawn into nothing yet, neither replaced nor denied, and not over.

    The weightiest first, and the latest of those.
    """
    spoken_for = {fact_id for entry in known.entries for fact_id in entry.source_fact_ids}
    found = []
    for fact in known.facts:
        if fact.absorbed or fact.id in spoken_for or fact.superseded_by is not None or fact.denied_in is not None:
            continue
        if not is_private(fact.extra):
            continue
        lasts = _FLEETING.get(fact.slot or ("event" if fact.event_when_raw is not None else ""))
        over = lasts is not None and now - (fact.event_end_at or fact.event_start_at or fact.created_at) > lasts
        calls_by_name = fact.slot == "name" and fact.object == fold_object(names.master)
        if not over and not calls_by_name and fact.text.strip():
            found.append(fact)
            if len(found) == _MOST_FACTS:
                break
    return sorted(found, key=lambda fact: (-fact.importance, -fact.created_at.timestamp(), fact.id))


def _impressions(
    reflections: Iterable[Reflection], rested: set[str], locale: str, now: datetime
) -> dict[str, list[str]]:
    candidates = []
    for one in reflections:
        if not one.text.strip() or one.text in rested or not is_private(one.extra):
            continue
        if one.status == PENDING:
            if evidence.is_disputed(one.evidence, now) or is_resting(one.mentions, now) or is_past(one, now):
                continue  # an impression nobody confirmed in its time is not worth looking back on
            section = _TENTATIVE
        elif is_active(one, now):
            section = _PAST if is_past(one, now) else _CERTAIN
        else:
            continue
        text = bullet(one.text)
        if section == _PAST:
            text = f"- [{time_since((now.date() - anchor(one).date()).days, locale)}]{text[1:]}"
        rank = (evidence.score(one.evidence, now), one.created_at.timestamp())
        candidates.append(_line(section, text, rank, one.id))
    lines: dict[str, list[str]] = {}
    for line in fill(_once(candidates), REFLECTION_TOKENS):
        lines.setdefault(line.section, []).append(line.text)
    return lines


def fill(lines: Sequence[_Line], budget: int) -> list[_Line]:
    """The lines that the budget in tokens is spent on, most trusted first.

    Up to half of an even share is held back for each section, so that none starves. A line that
    does not fit never keeps a later one out.
    """
    ordered = sorted(lines, key=lambda line: (*(-part for part in line.rank), line.key))
    needs: dict[str, int] = {}
    for line in ordered:
        needs[line.section] = needs.get(line.section, 0) + line.cost
    held = {section: min(budget // (2 * len(needs)), need) for section, need in needs.items()}
    left = budget
    chosen: set[int] = set()
    for place, line in enumerate(ordered):
        if line.cost <= left - sum(held.values()) + held[line.section]:
            left -= line.cost
            held[line.section] = max(held[line.section] - line.cost, 0)
            chosen.add(place)
    for place, line in enumerate(ordered):
        if place not in chosen and line.cost <= left:
            left -= line.cost
            chosen.add(place)
    return [ordered[place] for place in sorted(chosen)]


def _line(section: str, text: str, rank: tuple[float, ...], key: str) -> _Line:
    return _Line(section, text, rank, key, tokens.count(text))


def _once(lines: Iterable[_Line]) -> list[_Line]:
    """The lines without repeats of a text; the most trusted one stays."""
    best: dict[str, _Line] = {}
    for line in lines:
        if line.text not in best or line.rank > best[line.text].rank:
            best[line.text] = line
    return list(best.values())


def _order(entries: Iterable[Entry], shown: Mapping[str, Sequence[str]]) -> list[str]:
    """The user, the character, the two together; then other sections in the order of the document."""
    return list(dict.fromkeys([*ENTITIES, *(entry.entity for entry in entries), *sorted(shown)]))


def _importance(entry: Entry) -> float:
    value = entry.extra.get("importance")
    return float(value) if isinstance(value, (int, float)) else 0.0
