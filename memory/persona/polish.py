"""Putting what is held in order by a model: sentences about one person that say nearly the same, a few at a time.

Every member of a group that was looked at is stamped, also when nothing of the answer applied, so that no group is
asked about again and again and none is kept waiting by it.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from memory.clock import naive_local
from memory.locale import detect
from memory.models.chat import Chat
from memory.models.jobs import REFINE
from memory.models.prompt import Wording, ask, one_line
from memory.people import Names
from memory.persona.entry import Entry, reworded
from memory.persona.judge import fused
from memory.persona.pen import PersonaPen
from memory.persona.signals import Held, key_of_held, target_of
from memory.recall.grounded import grounded
from memory.reflections import evidence as trust
from memory.reflections import fields
from memory.reflections.claims import is_negated
from memory.reflections.pen import PROMOTE_MERGE, Because
from memory.reflections.reflection import MERGED, Reflection, with_text
from memory.reflections.wording import about, dice
from memory.space import MemorySpace
from memory.thinking import Unfit, as_list, is_due, think, worked

log = logging.getLogger(__name__)

MERGE, MODIFY, DISCARD = "merge", "modify", "discard"
HASH, AT = "last_refine_cluster_hash", "last_refine_at"
_RELATED = 0.5                      # share of telling words that two members of a group have in common
_MOST_MEMBERS, _MOST_GROUPS = 6, 3
_LOOKED_AT = 400                    # members of one section that are compared
_AGAIN = timedelta(days=30)
_CONTAINED = 0.9
_CHARS = 500

_WORDING: Wording = {
    "en": (
        "These sentences about one person resemble each other. Put them in order where it is needed: merge (two or "
        "more say the same: one sentence that says what they say), modify (one can be said more clearly without "
        "changing what it says), discard (one is fully contained in another). Change nothing that denies another, and "
        'nothing that is fine: then answer []. Answer with a JSON array: [{"action": "merge|modify|discard", '
        '"source_ids": ["…"], "text": "…"}], with ids exactly as shown.'
    ),
    "zh": (
        "以下是关于同一对象的相近句子。有需要才整理：merge（两句或更多说的是同一件事：写成一句）、modify（"
        "某句可以说得更清楚而意思不变）、"
        "discard（某句已完全包含在另一句中）。互相否定的不要动；没有问题就回答 []。用 JSON 数组回答："
        '[{"action": "merge|modify|discard", "source_ids": ["…"], "text": "…"}]，id 必须与所示完全一致。'
    ),
}


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to do with members of a group."""

    kind: str
    sources: tuple[str, ...]
    text: str = ""


async def polish(space: MemorySpace, names: Names, chat: Chat) -> int:
    """Look through at most three groups, those longest not looked at first. Returns how many actions were taken."""
    taken = 0
    for group in _groups(space, names)[:_MOST_GROUPS]:
        hash_ = cluster_hash(group)
        if not is_due(space, chat, REFINE, [hash_]):
            continue
        lines = [f"{key} | {one_line(held.text, _CHARS)}" for key, held in group.items()]
        messages = ask(_WORDING, detect(" ".join(held.text for held in group.values())), {}, sentences=lines)
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


def cluster_hash(keys: Mapping[str, Held]) -> str:
    joined = "|".join(sorted(held.id for held in keys.values()))
    return hashlib.sha1(joined.encode(), usedforsecurity=False).hexdigest()[:16]


def _groups(space: MemorySpace, names: Names) -> list[dict[str, Held]]:
    now = space.clock.now()
    held: list[Held] = [entry for entry in space.persona if not entry.protected]
    sections: dict[tuple[bool, str], list[Held]] = {}
    for one in [*held, *space.reflections.alive()]:
        sections.setdefault((isinstance(one, Entry), one.entity), []).append(one)
    found: list[tuple[datetime | None, dict[str, Held]]] = []
    for members in sections.values():
        for group in _related(members[-_LOOKED_AT:], names):
            keyed = {key_of_held(one): one for one in group}
            hash_ = cluster_hash(keyed)
            stamps = [fields.moment(one.extra.get(AT), space.clock) for one in group]
            recent = all(
                one.extra.get(HASH) == hash_ and at is not None and now - at < _AGAIN
                for one, at in zip(group, stamps, strict=True)
            )
            if not recent:
                known = [at for at in stamps if at is not None]
                found.append((min(known) if len(known) == len(stamps) else None, keyed))
    found.sort(key=lambda pair: (pair[0] is not None, pair[0].timestamp() if pair[0] is not None else 0.0))
    return [group for _, group in found]


def _related(members: Sequence[Held], names: Names) -> list[list[Held]]:
    """Members that share most of their telling words, in groups of at most six."""
    words = [about(one.text, names) for one in members]
    groups: list[list[int]] = []
    for place, own in enumerate(words):
        home = next((group for group in groups if any(dice(own, words[other]) >= _RELATED for other in group)), None)
        if home is None:
            groups.append([place])
        elif len(home) < _MOST_MEMBERS:
            home.append(place)
    return [[members[place] for place in group] for group in groups if len(group) > 1]


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
    return None


def _apply(
    pen: PersonaPen, group: Mapping[str, Held], action: Action, names: Names, because: Because
) -> bool:
    """Do it, if nothing it is about has changed meanwhile."""
    held = [target_of(pen, key) for key in action.sources]
    if any(now is None or now.text != group[key].text for now, key in zip(held, action.sources, strict=True)):
        return False
    if pen.space.forgotten.covers(action.text, names):
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
    pen.revised(kept, because)


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
