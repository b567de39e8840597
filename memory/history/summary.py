"""A model's summary of a conversation: asked for in parts where it is long, and once more where it says too much."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memory import tokens
from memory.errors import BadAnswer
from memory.history.turn import AI, HUMAN, Turn
from memory.history.wording import sentences_of
from memory.locale import detect
from memory.models.chat import Chat, json_reply, method_of
from memory.models.jobs import SUMMARISE
from memory.models.prompt import Messages, Wording, ask, language_of, neutral
from memory.people import Names
from memory.recall.grounded import Heard
from memory.space import MemorySpace

PART_TOKENS = 8_000             # of the conversation in one question
MOST_TOKENS = 1_000             # of a summary; a longer one is shortened
_MESSAGE_CHARS = 1_500          # of a message, from its head and its tail
_ROUNDS = 3                     # of summaries of summaries
_SAID = 0.25                    # share of a sentence's words that the conversation must have: it is told in others
_CONTENT = re.compile(r"[^\W_]")
_SENTENCE_END = re.compile(r"[.!?。！？…](?=\s|$)|[。！？]")

_SUMMARY: Wording = {
    "en": (
        "You keep the memo of a long conversation between {master} and {neko}. Write what matters for going on: facts, "
        "decisions, plans with their dates, what changed ('first X, corrected to Y'), and word for word what {master} "
        "asked never to do. Invent nothing, repeat nothing. At most 700 words, in the language of the conversation. "
        'Answer with JSON: {"summary": "…"}'
    ),
    "zh": (
        "你在为 {master} 与 {neko} 的长对话做备忘录。写下继续对话需要的内容：事实、决定、计划及日期、发生的变化（"
        "“原来是X，后更正为Y”），"
        "以及 {master} 明确要求不要做的事（逐字保留）。不要编造，不要重复。最多 700 字，用对话所用的语言。"
        '用 JSON 回答：{"summary": "…"}'
    ),
}
_OLDER: Wording = {
    "en": " What is outdated by now goes into a last paragraph, after a single line of three dashes (---).",
    "zh": "已经过时的内容放到最后一段，前面单独一行写三个减号（---）。",
}
_SHORTER: Wording = {
    "en": (
        "Shorten this memo to at most 700 words. Keep what {master} asked never to do word for word, corrections and "
        'dates, and leave out the least important. Answer with JSON: {"summary": "…"}'
    ),
    "zh": (
        "把这份备忘录缩短到最多 700 字。{master} 明确要求不要做的事逐字保留，更正和日期也要保留，略去最不重要的。"
        '用 JSON 回答：{"summary": "…"}'
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a model made of a conversation."""

    text: str
    method: str     # model:<tier>:<name>


async def summarised(
    space: MemorySpace, names: Names, chat: Chat, previous: str | None, turns: Sequence[Turn], *, stale: bool = False
) -> Summary | None:
    """The summary of a conversation that goes on after ``previous``; None when the space is wanted back.

    With ``stale`` what is outdated is set apart. Raises ModelFailed.
    """
    lines = ([previous] if previous else []) + [_line(turn, names) for turn in turns]
    locale = detect("\n".join(line[:200] for line in lines[-20:]))
    for _ in range(_ROUNDS):
        parts = _parts(lines)
        if len(parts) < 2:
            break
        asked = [await _ask(space, chat, names, _messages(_SUMMARY, locale, names, part), part) for part in parts]
        if any(text is None for text in asked):
            return None
        lines = [text for text in asked if text is not None]
    part = (_parts(lines) or [[]])[-1]
    text = await _ask(space, chat, names, _messages(_SUMMARY, locale, names, part, older=stale), part)
    if text is None:
        return None
    if tokens.count(text) > MOST_TOKENS:
        shorter = await _ask(space, chat, names, _messages(_SHORTER, locale, names, [text]), [text])
        if shorter is None:
            return None
        text = _cut(shorter if tokens.count(shorter) < tokens.count(text) else text)
    return Summary(text=text, method=method_of(chat, SUMMARISE.tier))


def _messages(
    wording: Wording, locale: str, names: Names, lines: Sequence[str], *, older: bool = False
) -> Messages:
    language = language_of(locale)
    whole = {language: wording[language] + (_OLDER[language] if older else "")}
    people = {"master": names.master_in(language), "neko": names.neko}
    return ask(whole, language, people, conversation=lines)


async def _ask(
    space: MemorySpace, chat: Chat, names: Names, messages: Messages, lines: Sequence[str]
) -> str | None:
    """What an answer about ``lines`` says that stands in them; None when the space is wanted back.

    Raises ModelFailed, also when nothing of the answer stands there.
    """
    job = SUMMARISE
    said = await space.unless_wanted_back(
        chat.reply(job.tier, messages, max_tokens=job.max_tokens, seconds=job.seconds, space=space.name)
    )
    if said is None:
        return None
    value: Any = json_reply(job.tier, said)
    text = value.get("summary") if isinstance(value, dict) else None
    if not isinstance(text, str) or not text.strip():
        raise BadAnswer(job.tier, "the answer has no summary")
    await asyncio.sleep(0)
    kept = faithful(text.strip(), lines, names)
    if not kept:
        raise BadAnswer(job.tier, "the conversation says nothing of the summary")
    return kept


def faithful(text: str, lines: Sequence[str], names: Names) -> str:
    """A summary without the sentences whose words the conversation does not have: made up, or put there by others."""
    heard = Heard(lines)
    kept: list[str] = []
    for line in text.splitlines():
        sentences = sentences_of(line)
        told = [one for one in sentences if heard.share(one, names) >= _SAID]
        if sentences and len(told) == len(sentences):
            kept.append(line)
        elif told:
            kept.append(" ".join(told))
        elif not sentences and kept:
            kept.append(line)       # an empty one, or the line between what is current and what is older
    while kept and not _CONTENT.search(kept[-1]):
        kept.pop()                  # nothing is older than what is left
    return "\n".join(kept)


def _line(turn: Turn, names: Names) -> str:
    text = turn.text
    if len(text) > _MESSAGE_CHARS:
        text = f"{text[: _MESSAGE_CHARS // 2]} […] {text[-_MESSAGE_CHARS // 2 :]}"
    speaker = {HUMAN: names.master, AI: names.neko}.get(turn.kind, turn.kind)
    return f"{neutral(turn.speaker or speaker)} | {text}"


def _parts(lines: Sequence[str]) -> list[list[str]]:
    """Lines in groups of at most so many tokens; a single longer one is cut."""
    parts: list[list[str]] = []
    room = 0
    for line in lines:
        cost = tokens.count(line)
        if cost > PART_TOKENS:
            line = line[: len(line) * PART_TOKENS // cost]
            cost = PART_TOKENS
        if not parts or cost > room:
            parts.append([])
            room = PART_TOKENS
        parts[-1].append(line)
        room -= cost
    return parts


def _cut(text: str) -> str:
    """The text up to the last sentence that still fits."""
    if tokens.count(text) <= MOST_TOKENS + 100:
        return text
    kept = text[: len(text) * MOST_TOKENS // tokens.count(text)]
    ends = [match.end() for match in _SENTENCE_END.finditer(kept)]
    return kept[: ends[-1]] if ends else kept
