"""Putting what is held in order by a model: sentences about one person that say nearly the same, a few at a time.

Every member of a group that was looked at is stamped, also when nothing of the answer applied, so that no group is
asked about again and again and none is kept waiting by it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory.clock import naive_local
from memory.locale import detect
from memory.models.chat import Chat
from memory.models.embedder import Embedder
from memory.models.jobs import REFINE
from memory.models.prompt import Wording, ask, one_line
from memory.people import Names
from memory.persona.entry import Entry, reworded
from memory.persona.entry import with_text as entry_with_text
from memory.persona.groups import AT, HASH, Group, cluster_hash, groups
from memory.persona.judge import fused
from memory.persona.pen import PersonaPen
from memory.persona.signals import Held, target_of
from memory.recall.grounded import grounded
from memory.reflections import evidence as trust
from memory.reflections.claims import is_negated, known_facts
from memory.reflections.pen import PROMOTE_MERGE, Because
from memory.reflections.reflection import MERGED, Reflection, with_text
from memory.space import MemorySpace
from memory.thinking import Unfit, as_list, is_due, think, worked
from memory.tries import key_of

log = logging.getLogger(__name__)

MERGE, MODIFY, SPLIT, DISCARD = "merge", "modify", "split", "discard"
_MOST_GROUPS = 3
_MOST_PARTS = 3                     # of a sentence that says several things
_MOST_FACTS = 12                    # shown beside a group
_CONTAINED = 0.9
_CHARS = 500

_WORDING: Wording = {
    "en": (
        "These sentences about one person resemble each other. Put them in order where it is needed: merge (two or "
        "more say the same: one sentence that says what they say), modify (one can be said more clearly without "
        "changing what it says), split (one says several things that have nothing to do with each other: a sentence "
        "for each, which together say all of it), discard (one is fully contained in another). facts are what they "
        "rest on, only to be read. Change nothing that denies another, and nothing that is fine: then answer []. "
        'Answer with a JSON array: [{"action": "merge|modify|split|discard", "source_ids": ["…"], "text": "…", '
        '"texts": ["…", "…"]}], with ids exactly as shown and texts for split alone.'
    ),
    "zh": (
        "以下是关于同一对象的相近句子。有需要才整理：merge（两句或更多说的是同一件事：写成一句）、modify（"
        "某句可以说得更清楚而意思不变）、"
        "split（某句说了互不相干的几件事：每件写一句，合起来不遗漏）、discard（某句已完全包含在另一句中）。"
        "facts 是它们的依据，仅供参考。互相否定的不要动；没有问题就回答 []。用 JSON 数组回答："
        '[{"action": "merge|modify|split|discard", "source_ids": ["…"], "text": "…", "texts": ["…", "…"]}]，'
        "id 必须与所示完全一致，texts 只用于 split。"
    ),
}


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to do with members of a group."""

    kind: str
    sources: tuple[str, ...]
    text: str = ""
    parts: tuple[str, ...] = ()     # of a sentence that is split


async def polish(space: MemorySpace, names: Names, chat: Chat, embedder: Embedder | None = None) -> int:
    """Look through at most three groups, those longest not looked at first. Returns how many actions were taken.

    With an embedder that is ready, what is near in meaning belongs together; else what shares most of its words.
    """
    taken = 0
    if not chat.usable(REFINE.tier, space.name):
        return taken
    for group in (await groups(space, names, embedder))[:_MOST_GROUPS]:
        hash_ = cluster_hash(group)
        if not is_due(space, chat, REFINE, [hash_]):
            continue
        lines = [f"{key} | {one_line(held.text, _CHARS)}" for key, held in group.items()]
        messages = ask(
            _WORDING, detect(" ".join(held.text for held in group.values())), {},
            sentences=lines, facts=_supporting(space, group),
        )  # fmt: skip
        answer = await think(space, chat, REFINE, [hash_], messages, _reader(group, names))
        if answer is None:
            continue
        async with space.journal.write() as batch:
            pen = PersonaPen(space, batch, space.clock.now())
            because = Because(rule=answer.method)
            for action in answer.value:
                taken += _apply(pen, group, action, names, because)
            for key in group:
                _stamp(pen, key, hash_, because)
            worked(space, batch, answer)
    return taken


def _reader(group: Mapping[str, Held], names: Names) -> Callable[[Any], list[Action]]:
    def read(value: Any) -> list[Action]:
        found: list[Action] = []
        used: set[str] = set()
        for row in as_list(value, "actions"):
            named = row.get("source_ids")
            sources = tuple(dict.fromkeys(one for one in named if one in group)) if isinstance(named, list) else ()
            if not sources or used & set(sources):
                continue
            action = _action(row, sources, group, names)
            if action is not None:
                used |= set(sources)
                found.append(action)
        return found

    return read


def _action(row: Mapping[str, Any], sources: tuple[str, ...], group: Mapping[str, Held], names: Names) -> Action | None:
    """An action, if it loses and adds nothing."""
    texts = [group[key].text for key in sources]
    match row.get("action"):
        case "discard" if len(sources) == 1:
            others = [held.text for key, held in group.items() if key not in sources]
            contained = any(
                grounded(texts[0], [other], names) >= _CONTAINED and is_negated(other) == is_negated(texts[0])
                for other in others
            )
            return Action(DISCARD, sources) if contained else None
        case ("merge" | "modify") as kind:
            if (kind == MERGE) != (len(sources) > 1) or len({is_negated(text) for text in texts}) > 1:
                return None
            try:
                text = fused(row.get("text"), texts, names)
            except Unfit:
                return None
            keeps = all(grounded(one, [text], names) >= 0.5 for one in texts)
            return Action(str(kind), sources, text) if keeps and is_negated(text) == is_negated(texts[0]) else None
        case "split" if len(sources) == 1:
            return _split(row.get("texts"), sources, texts[0], names)
    return None


def _split(said: object, sources: tuple[str, ...], whole: str, names: Names) -> Action | None:
    """A sentence in parts, if together they say what it says. What denies something is not taken apart."""
    if not isinstance(said, list) or not 2 <= len(said) <= _MOST_PARTS or is_negated(whole):
        return None
    try:
        parts = tuple(dict.fromkeys(fused(one, [whole], names) for one in said))
    except Unfit:
        return None
    apart = not any(
        grounded(one, [other], names) >= _CONTAINED for one in parts for other in parts if one != other
    )
    said_all = len(parts) > 1 and grounded(whole, parts, names) >= _CONTAINED
    return Action(SPLIT, sources, parts[0], parts) if apart and said_all and not any(map(is_negated, parts)) else None


def _apply(
    pen: PersonaPen, group: Mapping[str, Held], action: Action, names: Names, because: Because
) -> bool:
    """Do it, if nothing it is about has changed meanwhile."""
    held = [target_of(pen, key) for key in action.sources]
    if any(now is None or now.text != group[key].text for now, key in zip(held, action.sources, strict=True)):
        return False
    if any(pen.space.forgotten.covers(text, names) for text in (action.text, *action.parts) if text):
        return False
    entries = [one for one in held if isinstance(one, Entry)]
    if entries:
        _apply_to_entries(pen, group, action, entries, because)
    else:
        _apply_to_reflections(pen, group, action, [one for one in held if isinstance(one, Reflection)], because)
    return True


def _apply_to_entries(
    pen: PersonaPen, group: Mapping[str, Held], action: Action, entries: Sequence[Entry], because: Because
) -> None:
    kept, others = entries[0], entries[1:]
    if action.kind == DISCARD:
        home = _home(pen, group, action)
        if not isinstance(home, Entry):
            return
        kept, others = home, [kept]
    for other in others:
        kept = replace(
            kept,
            evidence=trust.joined(kept.evidence, other.evidence),
            merged_from_ids=tuple(dict.fromkeys((*kept.merged_from_ids, other.id, *other.merged_from_ids))),
            source_fact_ids=tuple(sorted({*kept.source_fact_ids, *other.source_fact_ids})),
        )
        pen.removed(other, because)
    if action.kind == SPLIT:
        kept = replace(kept, evidence=trust.shared(kept.evidence, len(action.parts)))
        for part in action.parts[1:]:
            # What it answered is not known of its parts.
            part_of = replace(kept, id=part_id("per", kept.id, part), versions=(), slot=None, object=None)
            pen.added(entry_with_text(part_of, part), because)
    pen.entry_weighed(kept, PROMOTE_MERGE, because)
    if action.text and action.text != kept.text:
        pen.rewritten(reworded(kept, action.text, pen.now, "refine"), "refine", because)


def _apply_to_reflections(
    pen: PersonaPen, group: Mapping[str, Held], action: Action, found: Sequence[Reflection], because: Because
) -> None:
    # The one that has come furthest stays.
    ranked = sorted(found, key=lambda one: (one.status != "confirmed", one.created_at, one.id))
    kept, others = ranked[0], ranked[1:]
    if action.kind == DISCARD:
        home = _home(pen, group, action)
        if not isinstance(home, Reflection):
            return
        kept, others = home, [kept]
    for other in others:
        pen.weighed(kept.id, trust.joined(kept.evidence, other.evidence), PROMOTE_MERGE, because)
        pen.entered(other.id, MERGED, because, absorbed_into=kept.id)
        kept = pen.reflection(kept.id) or kept
    ids = tuple(sorted({*kept.source_fact_ids, *(one for other in others for one in other.source_fact_ids)}))
    kept = replace(kept, source_fact_ids=ids)
    if action.text and action.text != kept.text:
        history = _list(kept.extra.get("modification_history"))
        before = {"text": kept.text, "replaced_at": naive_local(pen.now), "reason": "refine"}
        fresh = with_text(kept, action.text)
        extra = {**fresh.extra, "modification_history": [*history, before][-5:], "text_method": because.rule}
        kept = replace(fresh, extra=extra, needs_model=False)
    if action.kind == SPLIT:
        kept = replace(kept, evidence=trust.shared(kept.evidence, len(action.parts)), slot=None, object=None)
        for part in action.parts[1:]:
            fresh = replace(with_text(kept, part), id=part_id("ref", kept.id, part))
            if pen.reflection(fresh.id) is None:
                pen.synthesised(fresh, because)
    pen.revised(kept, because)


def part_id(kind: str, whole: str, text: str) -> str:
    """The id of a part of a sentence: the same whenever the same one is taken apart in the same way."""
    return f"{kind}_{key_of([whole, text])}"


def _supporting(space: MemorySpace, group: Group) -> list[str]:
    """The facts that a group rests on, the weightiest first."""
    ids = {fact_id for held in group.values() for fact_id in held.source_fact_ids}
    facts = known_facts(sorted(ids), space.facts, space.views.facts_archive)
    weightiest = sorted(facts, key=lambda fact: (-fact.importance, fact.id))[:_MOST_FACTS]
    return [one_line(fact.text, _CHARS) for fact in weightiest]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _home(pen: PersonaPen, group: Mapping[str, Held], action: Action) -> Held | None:
    """The member that says most of what a discarded one says."""
    others = [key for key in group if key not in action.sources]
    text = group[action.sources[0]].text
    best = max(others, key=lambda key: grounded(text, [group[key].text], _NOBODY), default=None)
    return target_of(pen, best) if best is not None else None


_NOBODY = Names(neko="", master="")


def _stamp(pen: PersonaPen, key: str, hash_: str, because: Because) -> None:
    held = target_of(pen, key)
    if held is None:
        return
    extra = {**held.extra, HASH: hash_, AT: naive_local(pen.now)}
    if isinstance(held, Entry):
        pen.refined(replace(held, extra=extra), because)
    else:
        pen.revised(replace(held, extra=extra), because)
