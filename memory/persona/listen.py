"""What the user's words mean for what was raised or is held, as a model hears it: answers, denials, wishes."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from memory.facts.rules.clean import Recalled, own_lines
from memory.facts.secrets import redact
from memory.history.turn import HUMAN, Turn
from memory.history.wording import sentences_of
from memory.locale import detect
from memory.models.chat import Chat
from memory.models.jobs import AVOID, FEEDBACK, REBUT
from memory.models.prompt import Wording, ask, one_line
from memory.people import Names
from memory.persona.attend import CURSOR as ATTENDED
from memory.persona.entry import Entry
from memory.persona.pen import PersonaPen
from memory.persona.signals import lines_of, pool_of, target_in, target_of
from memory.recall.grounded import alike
from memory.reflections import evidence as trust
from memory.reflections.claims import is_negated
from memory.reflections.mentions import put_to_rest
from memory.reflections.pen import USER_CONFIRM, USER_KEYWORD_REBUT, USER_REBUT, Because
from memory.reflections.reflection import Reflection, is_active
from memory.reflections.replies import read_reply
from memory.reflections.surfaced import CONFIRMED, DENIED, IGNORED, Surfaced
from memory.reflections.surfaced import FEEDBACK as WORDS
from memory.reflections.wording import about
from memory.space import MemorySpace
from memory.thinking import Answer, as_list, is_due, think, worked

log = logging.getLogger(__name__)

REBUTTED, AVOIDED = "model_rebuttal_row", "model_avoid_row"

_ROWS, _TEXTS, _SHOWN = 200, 20, 30
_CHARS = 800
_HEARD = 5                          # messages after a topic was raised that may be the answer
_FRESH = timedelta(days=1)          # how long after rules took it for passed over a model may still hear an answer
_ASKED = "model_row"                # field of a surfaced topic: the row up to which a model was asked
_MOST = 3                           # things that one answer may end: not so many that it would empty a mind
_SAME = 0.5                         # share of its words that a message has which says the very thing
_FIRST_LOOK = 20                    # rows looked at where a model was never there before

_FEEDBACK: Wording = {
    "en": (
        "{neko} raised these topics. messages are what {master} said afterwards, in order. Say for each topic whether "
        "{master} confirmed it, denied it, or ignored it. Going on with something else is ignored. Answer with a JSON "
        'array: [{"reflection_id": "…", "feedback": "confirmed|denied|ignored"}], with ids exactly as shown.'
    ),
    "zh": (
        "{neko} 提起了这些话题，messages 是 {master} 随后说的话，按顺序排列。判断 {master} 对每个话题是确认（"
        "confirmed）、"
        "否认（denied）还是没有理会（ignored）。转而说别的事算没有理会。用 JSON 数组回答："
        '[{"reflection_id": "…", "feedback": "confirmed|denied|ignored"}]，id 必须与所示完全一致。'
    ),
}
_REBUTTAL: Wording = {
    "en": (
        "These impressions of {master} are held to be true. Does {master} say in one of the messages that one of them "
        "is wrong or holds no more? Only a clear denial of the very thing counts. Answer with a JSON array of those "
        'alone: [{"reflection_id": "…", "feedback": "denied"}], or [].'
    ),
    "zh": (
        "以下是目前认为成立的对 {master} 的印象。"
        "{master} 有没有在某条消息里说其中某条不对或已不再成立？只有明确否认这件事本身才算。"
        '用 JSON 数组只回答被否认的：[{"reflection_id": "…", "feedback": "denied"}]，没有则回答 []。'
    ),
}
_TARGETS: Wording = {
    "en": (
        "{master} seems to ask not to be talked to about something. Which of the observations are about just that? "
        'Answer with {"targets": [{"target_type": "reflection|persona", "target_id": "…", "reason": "…"}]}, with ids '
        'exactly as shown; {"targets": []} if it is none of them or not clear.'
    ),
    "zh": (
        "{master} 似乎在要求不要再谈某件事。observations 中哪些正是关于这件事的？回答 "
        '{"targets": [{"target_type": "reflection|persona", "target_id": "…", "reason": "…"}]}，id 必须与所示完全一致；'
        '都不是或不清楚则回答 {"targets": []}。'
    ),
}
_CUES = (
    "don't talk about", "stop talking about", "don't mention", "stop mentioning", "drop it", "drop the subject",
    "change the subject", "change the topic", "talk about something else", "shut up", "annoying", "i hate", "enough of",
    "别提", "别说", "别聊", "不要提", "不要再", "不想聊", "不想说", "换个话题", "换一个话题", "闭嘴",
    "烦死", "好烦", "讨厌",
    "やめて", "黙って", "話したくない", "話題を変え", "うるさい", "嫌い",
    "그만", "말하지 마", "얘기하지 마", "다른 얘기", "닥쳐", "짜증", "싫어",
    "не говори", "хватит", "сменим тему", "замолчи", "надоел", "ненавижу", "не упоминай",
    "no hables de", "no menciones", "cambia de tema", "cambiemos de tema", "cállate", "odio", "basta de",
    "não fale", "não menciones", "muda de assunto", "mudar de assunto", "cala a boca", "odeio", "chega de",
)  # fmt: skip


_PAST = re.compile(
    r"\b(?:used to|was|were|had|once|stopped|quit|gave up|any ?more|no longer|until)\b|以前|曾|过去|不再|戒|放弃|再也",
    re.IGNORECASE,
)


async def hear_answers(space: MemorySpace, names: Names, chat: Chat) -> int:
    """Have a model say how topics that were raised were taken, where rules could not. Returns how many it settled."""
    open_ = [topic for topic in space.views.surfaced if _is_open(space, topic)]
    if not open_:
        return 0
    last = space.turns.last_row
    voiced = await space.turns.by_id([topic.voiced_in for topic in open_ if topic.voiced_in is not None])
    first = min((turn.row for turn in voiced.values()), default=last)
    turns = [turn for turn in await space.turns.between(first + 1, last) if _is_users(turn, names)][:_HEARD]
    texts = _spoken(space, turns)
    if not texts:
        return 0
    ids = [*(topic.reflection_id for topic in open_), f"row {turns[-1].row}"]
    topics = [f"{topic.reflection_id} | {one_line(topic.text, _CHARS)}" for topic in open_]
    locale = detect(" ".join(texts))
    messages = ask(_FEEDBACK, locale, {"master": names.master, "neko": names.neko}, topics=topics, messages=texts)
    shown = {topic.reflection_id for topic in open_}
    answer = await think(space, chat, FEEDBACK, ids, messages, _reader(shown, WORDS))
    if answer is None:
        return 0
    settled = 0
    async with space.journal.write() as batch:
        pen = PersonaPen(space, batch, space.clock.now())
        for topic in open_:
            now = next((one for one in pen.surfaced() if one.reflection_id == topic.reflection_id), None)
            if now is None or now.feedback != topic.feedback or now.surfaced_at != topic.surfaced_at:
                continue
            feedback = answer.value.get(topic.reflection_id)
            borne_out = _names(texts, topic.text, names) or any(read_reply(text).denies for text in texts)
            settled += _take_answer(pen, now, feedback, turns[-1], answer, borne_out=borne_out)
        worked(space, batch, answer)
    return settled


def _is_open(space: MemorySpace, topic: Surfaced) -> bool:
    if topic.voiced_in is None or space.views.cursors.row(ATTENDED) < space.turns.last_row:
        return False
    asked = topic.extra.get(_ASKED)
    if isinstance(asked, int) and (topic.feedback is not None or asked >= space.turns.last_row):
        return False
    if topic.feedback is None:
        return topic.heard > 0
    at = topic.feedback_at
    return topic.feedback == IGNORED and at is not None and space.clock.now() - at < _FRESH


def _take_answer(
    pen: PersonaPen, topic: Surfaced, feedback: str | None, turn: Turn, answer: Answer[Any], *, borne_out: bool
) -> bool:
    """Note how a topic was taken. A denial that no word of the user's bears out ends nothing: it only casts doubt."""
    held = pen.reflection(topic.reflection_id)
    because = Because(rule=answer.method, turn=turn.id)
    asked = replace(topic, extra={**topic.extra, _ASKED: pen.space.turns.last_row})
    if held is None or held.is_terminal or feedback in (None, IGNORED):
        pen.answered(asked, because)        # passed over: rules wait for one more message, and then take nothing away
        return False
    pen.answered(replace(asked, feedback=feedback, feedback_at=pen.now), because)
    if feedback == DENIED and borne_out:
        pen.denied(held.id, because)
    elif feedback == DENIED:
        pen.weighed(held.id, trust.disputed(held.evidence, 1.0, pen.now), USER_REBUT, because)
    elif feedback == CONFIRMED:
        pen.weighed(held.id, trust.reinforced(held.evidence, 1.0, pen.now), USER_CONFIRM, because)
    return True


async def hear_denials(space: MemorySpace, names: Names, chat: Chat, *, powerful: bool) -> int:
    """Have a model look for denials that nobody asked for. Returns how many impressions ended.

    While not ``powerful`` whatever was said is passed over for good.
    """
    row, last = _start(space, REBUTTED), space.turns.last_row
    if row >= last:
        return 0
    targets = [one for one in space.reflections.alive() if is_active(one, space.clock.now())][:_SHOWN]
    if not powerful or not targets:
        await _move(space, REBUTTED, last)
        return 0
    turns, reached = await _next_texts(space, names, row)
    texts = _spoken(space, turns)
    ids = [f"rows {row + 1}-{reached}"]
    if not texts:
        await _move(space, REBUTTED, reached)
        return 0
    if not is_due(space, chat, REBUT, ids):
        return 0
    shown = [f"{one.id} | {one_line(one.text, _CHARS)}" for one in targets]
    messages = ask(_REBUTTAL, detect(" ".join(texts)), {"master": names.master}, impressions=shown, messages=texts)
    answer = await think(space, chat, REBUT, ids, messages, _reader({one.id for one in targets}, (DENIED,)))
    if answer is None:
        await _pass_dead(space, REBUT.name, ids, REBUTTED, reached)
        return 0
    ended = 0
    async with space.journal.write() as batch:
        pen = PersonaPen(space, batch, space.clock.now())
        for known_id in [*answer.value][:_MOST]:
            held = pen.reflection(known_id)
            if held is None or not is_active(held, pen.now) or not _names(texts, held.text, names):
                continue            # nothing of it was even named
            if _says(texts, held.text):
                continue            # the user said the very thing
            pen.rebutted(known_id, Because(rule=answer.method, turn=turns[-1].id))
            ended += 1
        batch.add("cursor.moved", {"name": REBUTTED, "to": reached})
        worked(space, batch, answer)
    return ended


async def hear_wishes(space: MemorySpace, names: Names, chat: Chat, *, powerful: bool) -> int:
    """Have a model find what the user does not want to be talked to about. Returns how many things rest now."""
    row, last = _start(space, AVOIDED), space.turns.last_row
    if row >= last:
        return 0
    turns, reached = await _next_texts(space, names, row)
    cued = [at for at, turn in enumerate(turns) if any(cue in turn.text.casefold() for cue in _CUES)]
    pool = pool_of(space, names, " ".join(turn.text for turn in turns), _SHOWN) if cued else {}
    if not powerful or not pool:
        await _move(space, AVOIDED, last if not powerful else reached)
        return 0
    asked = turns[max(0, cued[-1] - 2) : cued[-1] + 1]
    texts = _spoken(space, asked)
    ids = [f"rows {row + 1}-{reached}"]
    if not texts:
        await _move(space, AVOIDED, reached)
        return 0
    if not is_due(space, chat, AVOID, ids):
        return 0
    shown = lines_of(pool)
    messages = ask(_TARGETS, detect(" ".join(texts)), {"master": names.master}, observations=shown, messages=texts)
    keys = [line.partition(" | ")[0] for line in shown]

    def read(value: Any) -> list[str]:
        found = (target_in(keys, row.get("target_id")) for row in as_list(value, "targets"))
        return list(dict.fromkeys(key for key in found if key is not None))

    answer = await think(space, chat, AVOID, ids, messages, read)
    if answer is None:
        await _pass_dead(space, AVOID.name, ids, AVOIDED, reached)
        return 0
    rests = 0
    async with space.journal.write() as batch:
        pen = PersonaPen(space, batch, space.clock.now())
        because = Because(rule=answer.method, turn=asked[-1].id)
        for key in answer.value[:_MOST]:
            rests += _put_to_rest(pen, key, asked[-1], because)
        batch.add("cursor.moved", {"name": AVOIDED, "to": reached})
        worked(space, batch, answer)
    return rests


def _put_to_rest(pen: PersonaPen, key: str, turn: Turn, because: Because) -> bool:
    held: Reflection | Entry | None = target_of(pen, key)
    if held is None or (held.evidence.disputed_at is not None and held.evidence.disputed_at >= turn.at):
        return False            # gone, or rules have heard the wish themselves
    said = min(turn.at, pen.now)
    evidence = trust.disputed(held.evidence, 1.0, said)
    rested = put_to_rest(held.mentions, pen.now)
    if isinstance(held, Entry):
        pen.entry_weighed(replace(held, evidence=evidence), USER_KEYWORD_REBUT, because)
        pen.entry_mentioned(replace(held, evidence=evidence, mentions=rested), because)
    else:
        pen.weighed(held.id, evidence, USER_KEYWORD_REBUT, because)
        pen.mentioned(replace(held, evidence=evidence, mentions=rested), because)
    return True


# what was said


def _names(texts: Sequence[str], held: str, names: Names) -> bool:
    """Whether a message has a telling word of what is held."""
    return bool(about(" ".join(texts), names) & about(held, names))


def _says(texts: Sequence[str], held: str) -> bool:
    """Whether a message says what is held, and not that it is so no longer."""
    sentences = [one for text in texts for one in sentences_of(text)]
    return any(
        alike(one, held) >= _SAME and is_negated(one) == is_negated(held) and not _PAST.search(one)
        for one in sentences
    )


def _start(space: MemorySpace, cursor: str) -> int:
    value = space.views.cursors.value.get(cursor)
    if not isinstance(value, int):
        return max(0, space.turns.last_row - _FIRST_LOOK)
    return max(value, space.turns.last_row - _ROWS)     # what was said long ago, rules have heard


async def _next_texts(space: MemorySpace, names: Names, row: int) -> tuple[list[Turn], int]:
    """The user's next messages, and the row reached with them."""
    turns = await space.turns.after(row, _ROWS)
    users = [turn for turn in turns if _is_users(turn, names)][:_TEXTS]
    reached = users[-1].row if len(users) == _TEXTS else turns[-1].row if turns else space.turns.last_row
    return users, reached


def _is_users(turn: Turn, names: Names) -> bool:
    return turn.kind == HUMAN and (turn.speaker is None or names.is_master(turn.speaker))


def _spoken(space: MemorySpace, turns: Sequence[Turn]) -> list[str]:
    """What was said in their own voice: nothing pasted, recalled or acted."""
    shown = Recalled(space.shown)
    lines = (" ".join(own_lines(turn.text, shown)[0]) for turn in turns)
    return [one_line(redact(line).text, _CHARS) for line in lines if line.strip()]


def _reader(shown: Collection[str], words: Collection[str]) -> Callable[[Any], dict[str, str]]:
    def read(value: Any) -> dict[str, str]:
        rows = as_list([value] if isinstance(value, dict) and "reflection_id" in value else value, "feedback")
        return {
            str(row["reflection_id"]): str(row["feedback"])
            for row in rows
            if row.get("reflection_id") in shown and row.get("feedback") in words
        }

    return read


async def _move(space: MemorySpace, cursor: str, row: int) -> None:
    async with space.journal.write() as batch:
        batch.add("cursor.moved", {"name": cursor, "to": row})


async def _pass_dead(space: MemorySpace, job: str, ids: Sequence[str], cursor: str, row: int) -> None:
    """What failed for the last time is a dead letter; nothing waits behind it."""
    if any(one.is_dead and one.about == tuple(ids) for one in space.views.tries.of(job)):
        await _move(space, cursor, row)
