"""Looking through the recent window by a model. What a person said stays word for word and in its place.

Of an answer only two things are taken: that something the character said is missing from it, where it repeats what
stands beside it, and that less of it is there, where what is left out stands at its ends.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memory import tokens
from memory.history.recent import Entry
from memory.history.turn import AI, HUMAN, text_of
from memory.locale import detect
from memory.models.chat import Chat
from memory.models.jobs import REVIEW
from memory.models.prompt import Wording, ask, plain
from memory.people import Names
from memory.recall.grounded import alike
from memory.space import MemorySpace
from memory.thinking import Unfit, as_list, think, worked

log = logging.getLogger(__name__)

_SHOWN_TOKENS = 6_000
_ROLES = {HUMAN: "user", AI: "assistant"}
_REPEATS = 0.9              # what two messages share of which one is too many
_LEAST = 0.3                # share of a message that must be left of it

_WORDING: Wording = {
    "en": (
        "This is the end of a conversation between {master} (user) and {neko} (assistant). Programs sometimes leave "
        "traces in what {neko} said: tags, notes to itself, the same message twice. Give the conversation back without "
        "them. Leave every word of {master} as it is, and everything else of {neko} too. Answer with "
        '{"explanation": "…", "corrected_dialogue": [{"role": "user|assistant", "content": "…"}]}'
    ),
    "zh": (
        "这是 {master}（user）与 {neko}（assistant）对话的末尾。程序有时会在 {neko} 的话里留下痕迹：标签、"
        "给自己的备注、重复的同一条消息。"
        "去掉这些，把对话还回来。{master} 的话一字不动，{neko} 的其余内容也不动。回答 "
        '{"explanation": "…", "corrected_dialogue": [{"role": "user|assistant", "content": "…"}]}'
    ),
}


@dataclass(frozen=True, slots=True)
class Changes:
    """What is taken of an answer, by id of the message."""

    gone: frozenset[str] = frozenset()
    shorter: dict[str, str] = field(default_factory=dict)


async def proofread(space: MemorySpace, names: Names, chat: Chat) -> int:
    """Have a model look through the newest messages. Returns how many of the character's were changed or left out."""
    shown = _shown(space.recent.entries)
    if sum(entry.kind == AI for entry in shown) < 2:
        return 0
    lines = [f"{_ROLES[entry.kind]} | {text_of(entry.content)}" for entry in shown]
    ids = [str(entry.id) for entry in shown[-3:]]
    locale = detect(" ".join(line[:200] for line in lines))
    messages = ask(_WORDING, locale, {"master": names.master, "neko": names.neko}, conversation=lines)
    answer = await think(space, chat, REVIEW, ids, messages, _reader(shown))
    if answer is None:
        return 0
    changes = answer.value
    async with space.journal.write() as batch:
        before = space.recent.entries
        known = {entry.id: entry for entry in shown}
        after = [_changed(entry, changes) for entry in before if known.get(entry.id) == entry or entry.id not in known]
        kept = [entry for entry in after if entry is not None]
        if kept != list(before) and len(after) == len(before):
            data = {"entries": [entry.to_json() for entry in kept], "rule": answer.method}
            batch.add("recent.edited", data)
        worked(space, batch, answer)
    return len(changes.gone) + len(changes.shorter)


def _shown(entries: Sequence[Entry]) -> list[Entry]:
    """The newest messages of both sides that are plain text and fit into one question."""
    shown: list[Entry] = []
    spent = 0
    for entry in reversed(entries):
        text = text_of(entry.content)
        spent += tokens.count(text)
        if entry.kind not in _ROLES or entry.id is None or not isinstance(entry.content, str) or spent > _SHOWN_TOKENS:
            break
        shown.append(entry)
    return shown[::-1]


def _changed(entry: Entry, changes: Changes) -> Entry | None:
    if entry.kind != AI or entry.id is None:
        return entry
    if entry.id in changes.gone:
        return None
    return replace(entry, content=changes.shorter[entry.id]) if entry.id in changes.shorter else entry


def _reader(shown: Sequence[Entry]) -> Callable[[Any], Changes]:
    def read(value: Any) -> Changes:
        rows = as_list(value, "corrected_dialogue")
        said = [(row.get("role"), str(row.get("content") or "")) for row in rows]
        return compared(shown, [(str(role), text) for role, text in said])

    return read


def compared(shown: Sequence[Entry], corrected: Sequence[tuple[str, str]]) -> Changes:
    """What a corrected dialogue changes. Raises Unfit where a user's message is missing, moved or changed."""
    stretches = _stretches([(entry.kind == HUMAN, entry) for entry in shown])
    others = _stretches([(role == "user", text) for role, text in corrected if role in _ROLES.values()])
    mine = [_flat(text_of(entry.content)) for entry in shown if entry.kind == HUMAN]
    theirs = [_flat(text) for role, text in corrected if role == "user"]
    if mine != theirs or len(stretches) != len(others):
        raise Unfit("the user's words were changed")
    gone: set[str] = set()
    shorter: dict[str, str] = {}
    for entries, texts in zip(stretches, others, strict=True):
        left = [text for text in texts if _flat(text)]
        for entry in entries:
            own = text_of(entry.content)
            same = next((text for text in left if _flat(text) == _flat(own)), None)
            part = next((text for text in left if _is_part(text, own)), None)
            if same is not None:
                left.remove(same)
            elif part is not None:
                left.remove(part)
                shorter[str(entry.id)] = part.strip()
            elif any(other is not entry and alike(text_of(other.content), own) >= _REPEATS for other in entries):
                gone.add(str(entry.id))
        if entries and gone >= {str(entry.id) for entry in entries}:
            gone.discard(str(entries[-1].id))       # of repeats one stays
    return Changes(frozenset(gone), shorter)


def _stretches(said: Sequence[tuple[bool, Any]]) -> list[list[Any]]:
    """What the character said between two messages of the user, those at both ends included."""
    found: list[list[Any]] = [[]]
    for is_user, one in said:
        if is_user:
            found.append([])
        else:
            found[-1].append(one)
    return found


def _flat(text: str) -> str:
    return " ".join(plain(text).split())


def _is_part(part: str, whole: str) -> bool:
    return part.strip() in whole and _LEAST * len(whole) <= len(part.strip()) < len(whole)
