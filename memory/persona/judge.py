"""What rules left to a model about the persona: whether something is new, and which of two sentences stands."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from memory import tokens
from memory.locale import detect
from memory.models.chat import Chat
from memory.models.jobs import CORRECT, PROMOTE
from memory.models.prompt import Wording, ask, one_line
from memory.people import Names
from memory.persona.correct import GONE, KEEP_BOTH, KEEP_NEW, KEEP_OLD, MERGE, entry_of, newer_of, settle
from memory.persona.corrections import Correction, correction_key
from memory.persona.entry import Entry, entry_key, reworded, score
from memory.persona.pen import PersonaPen
from memory.persona.promote import entry_from, merge_into, promote_by_rule, resembles, waits_for_model
from memory.recall.grounded import grounded
from memory.reflections.confirm import promotion_rule
from memory.reflections.pen import Because
from memory.reflections.reflection import DENIED, PROMOTED, Reflection
from memory.space import MemorySpace
from memory.thinking import Answer, Unfit, as_list, choose, is_due, place, think, worked
from memory.tries import key_of

log = logging.getLogger(__name__)

FRESH, INTO, REJECT = "promote_fresh", "merge_into", "reject"
_AGAIN = timedelta(minutes=30)      # between two questions about one reflection
_POOL_TOKENS = 4_000
_CHARS = 600
_AT_ONCE = 10                       # corrections in one question
_SAID = 0.6                         # share of a merged text that must stand in the two it was made of
_LONGEST = 200                      # tokens of a merged text

_PROMOTION: Wording = {
    "en": (
        "new is an impression of {master} or {neko} that has proved true. held is what is held for good about the same "
        "one. Decide: promote_fresh (it says something that is not held yet), merge_into (an entry says the same or "
        "a part of it: give its id as shown and one sentence that says what both say, nothing more), or reject (it is "
        'fully contained already). Answer with {"action": "promote_fresh|merge_into|reject", "target_id": null or '
        '"persona.…", "merged_text": null or "…", "reason": "…"}'
    ),
    "zh": (
        "new 是一条已被证实的、关于 {master} 或 {neko} 的印象，held 是关于同一对象长期持有的条目。判断："
        "promote_fresh（说了尚未持有的内容）、"
        "merge_into（某条目说了同样或其中一部分内容：给出所示 id，以及一句只包含两者内容的话），或 reject（"
        "已被完全包含）。回答 "
        '{"action": "promote_fresh|merge_into|reject", "target_id": null 或 "persona.…", "merged_text": null 或 "…", '
        '"reason": "…"}'
    ),
}
_CORRECTION: Wording = {
    "en": (
        "Each line holds two sentences about one person: what is held, and what was said later. Decide for each: "
        "keep_new (the later one is right now), keep_old (the later one is no real correction), keep_both (both are "
        "true side by side), or merge (give one sentence that says what both say, like 'first X, now Y'). Answer with "
        'a JSON array: [{"index": number of the line, "action": "keep_new|keep_old|keep_both|merge", "text": "…"}]'
    ),
    "zh": (
        "每行是关于同一个人的两句话：目前持有的，以及后来说的。逐行判断：keep_new（现在以后者为准）、keep_old（"
        "后者并非真正的更正）、"
        "keep_both（两者同时成立），或 merge（给出一句同时包含两者的话，如“原来X，现在Y”）。用 JSON 数组回答："
        '[{"index": 行号, "action": "keep_new|keep_old|keep_both|merge", "text": "…"}]'
    ),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a model decided; ``entry`` is the key of the entry to merge into."""

    action: str
    entry: str | None = None
    text: str = ""


async def judge_promotions(space: MemorySpace, names: Names, chat: Chat) -> int:
    """Have a model decide about one reflection that is worth holding for good. Returns how many were decided.

    The attempt is noted before the call; after five without an answer rules decide.
    """
    waiting = [one for one in space.reflections.alive() if _is_waiting(space, one, names)]
    for one in waiting:
        ids = [one.id, f"attempt {one.promote_attempts}"]
        pool = _pool(space, one)
        if not is_due(space, chat, PROMOTE, ids):
            continue
        async with space.journal.write() as batch:
            pen = PersonaPen(space, batch, space.clock.now())
            now = pen.reflection(one.id)
            if now is None or now.status != one.status:
                continue
            tried = replace(now, promote_attempts=now.promote_attempts + 1, last_promote_attempt_at=pen.now)
            pen.revised(tried, Because(rule="asks_model"))
        at = space.clock.now()
        lines = [f"{key} | score {score(entry, at):.1f} | {_shown(entry.text)}" for key, entry in pool.items()]
        text = one.statement or one.text
        messages = ask(
            _PROMOTION, detect(text), {"master": names.master, "neko": names.neko}, new=[_shown(text)], held=lines
        )
        answer = await think(space, chat, PROMOTE, ids, messages, _promotion_reader(one, pool, names))
        return await _decided(space, names, one, pool, answer) if answer is not None else 0
    return 0


def _is_waiting(space: MemorySpace, one: Reflection, names: Names) -> bool:
    now = space.clock.now()
    if promotion_rule(one, now, powerful=True) is None:
        return False
    if one.last_promote_attempt_at is not None and now - one.last_promote_attempt_at < _AGAIN:
        return False
    if any(open_.reflection_id == one.id for open_ in space.views.corrections):
        return False
    return waits_for_model(PersonaPen(space, space.journal.batch(), now), one, names)


def _pool(space: MemorySpace, one: Reflection) -> dict[str, Entry]:
    """The entries about the same one, as many as a question holds."""
    pool: dict[str, Entry] = {}
    spent = 0
    for entry in space.persona:
        if entry.entity != one.entity or entry.protected:
            continue
        spent += tokens.count(entry.text) + 12
        if pool and spent > _POOL_TOKENS:
            break
        pool[entry_key(entry.entity, entry.id)] = entry
    return pool


def _shown(text: str) -> str:
    return one_line(text, _CHARS)


def _promotion_reader(one: Reflection, pool: Mapping[str, Entry], names: Names) -> Callable[[Any], Verdict]:
    def read(value: Any) -> Verdict:
        action = value.get("action") if isinstance(value, dict) else None
        if action in (FRESH, REJECT):
            return Verdict(str(action))
        if action != INTO:
            raise Unfit("the answer decides nothing")
        key, text = value.get("target_id"), value.get("merged_text")
        if key not in pool:
            raise Unfit("the answer names an entry that was not shown")
        return Verdict(INTO, str(key), fused(text, [one.statement or one.text, pool[key].text], names))

    return read


def fused(text: object, of: Sequence[str], names: Names) -> str:
    """A sentence made of others, checked to say nothing that none of them says. Raises Unfit."""
    if not isinstance(text, str) or not text.strip():
        raise Unfit("the sentence is missing")
    flat = " ".join(text.split())
    if tokens.count(flat) > _LONGEST:
        raise Unfit("the sentence is too long")
    if grounded(flat, of, names) < _SAID:
        raise Unfit("the sentence says what nobody said")
    return flat


async def _decided(
    space: MemorySpace, names: Names, one: Reflection, pool: Mapping[str, Entry], answer: Answer[Verdict]
) -> int:
    async with space.journal.write() as batch:
        pen = PersonaPen(space, batch, space.clock.now())
        worked(space, batch, answer)
        now, verdict, because = pen.reflection(one.id), answer.value, Because(rule=answer.method)
        if now is None or now.status != one.status or now.text != one.text:
            return 0
        rule = promotion_rule(now, pen.now, powerful=True)
        if rule is None:
            return 0
        if not waits_for_model(pen, replace(now, promote_attempts=0), names):
            return int(promote_by_rule(pen, now, names, rule))      # rules have become certain meanwhile
        if verdict.action == INTO and verdict.entry is not None:
            entry = pen.entry(now.entity, pool[verdict.entry].id)
            if entry is None or entry.text != pool[verdict.entry].text:
                return 0
            merge_into(pen, entry, now, because)
            merged = pen.entry(entry.entity, entry.id)
            if merged is not None and merged.text != verdict.text:
                pen.rewritten(reworded(merged, verdict.text, pen.now, "promote_merge"), "promote_merge", because)
        elif verdict.action == REJECT:
            if not any(resembles(now, entry, names) for entry in pool.values()):
                return 0        # nothing is held that could contain it: rules decide after the last attempt
            pen.entered(now.id, DENIED, because, denied_reason="llm_merge_rejected")
        else:
            pen.added(entry_from(now, pen, "reflection"), because)
            pen.entered(now.id, PROMOTED, because)
    return 1


async def judge_corrections(space: MemorySpace, names: Names, chat: Chat) -> int:
    """Have a model decide up to ten corrections that rules could not. Returns how many were settled."""
    queue = [one for one in space.views.corrections if one.needs_model][:_AT_ONCE]
    waiting = choose(space, chat, CORRECT, queue, _id)
    if not waiting:
        return 0
    lines = [f"[{at}] {_shown(one.old_text)} || {_shown(one.new_text)}" for at, one in enumerate(waiting, start=1)]
    messages = ask(_CORRECTION, detect(" ".join(lines)), {}, pairs=lines)
    answer = await think(space, chat, CORRECT, [*map(_id, waiting)], messages, _correction_reader(waiting, names))
    if answer is None:
        return 0
    settled = 0
    async with space.journal.write() as batch:
        pen = PersonaPen(space, batch, space.clock.now())
        open_ = {_id(one) for one in pen.corrections()}
        for at, verdict in answer.value.items():
            correction = waiting[at]
            if _id(correction) in open_:
                _settle(pen, correction, verdict, Because(rule=answer.method, fact=correction.fact_id))
                settled += 1
        worked(space, batch, answer)
    log.info("%s: %d corrections settled", space.name, settled)
    return settled


def _id(correction: Correction) -> str:
    """What tells a correction from others, without a text in it."""
    return key_of([correction_key(correction.old_text, correction.new_text, correction.entity)])


def _correction_reader(waiting: Sequence[Correction], names: Names) -> Callable[[Any], dict[int, Verdict]]:
    def read(value: Any) -> dict[int, Verdict]:
        found: dict[int, Verdict] = {}
        for row in as_list(value, "corrections"):
            at, action = place(row.get("index"), len(waiting)), row.get("action")
            if at is None or action not in (KEEP_NEW, KEEP_OLD, KEEP_BOTH, MERGE):
                continue
            text = ""
            if action == MERGE:
                try:
                    text = fused(row.get("text"), [waiting[at].old_text, waiting[at].new_text], names)
                except Unfit:
                    continue
            found[at] = Verdict(str(action), text=text)
        if not found:
            raise Unfit("no correction is decided")
        return found

    return read


def _settle(pen: PersonaPen, correction: Correction, verdict: Verdict, because: Because) -> None:
    entry = entry_of(pen, correction)
    if entry is None:
        settle(pen, correction, GONE, because)
        return
    if entry.protected:
        settle(pen, correction, KEEP_OLD, because)      # a card is not a model's to change
        return
    if verdict.action != MERGE:
        settle(pen, correction, verdict.action, because)
        return
    newer = newer_of(pen, correction)
    if newer.reflection is not None and not newer.reflection.is_terminal:
        merge_into(pen, entry, newer.reflection, because)
    merged = pen.entry(entry.entity, entry.id) or entry
    fresh = reworded(merged, verdict.text, pen.now, "correction", source_fact_id=correction.fact_id)
    pen.rewritten(fresh, "correction", because)
    pen.resolved(correction, MERGE, because)
