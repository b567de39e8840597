"""What a model thinks is worth saying to somebody today: at most two sentences a day for a personal scope."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from memory.facts.sameness import normal, same_fact
from memory.history.telling import EXPERIENCE
from memory.locale import detect
from memory.models.chat import Chat
from memory.models.jobs import REMIND
from memory.models.prompt import Wording, ask, one_line
from memory.space import MemorySpace
from memory.state import registry
from memory.state.card import Card
from memory.state.discretion import discretion_of
from memory.state.facets import PERSONAL
from memory.state.relationship import relationship
from memory.state.reminders import SENT, Reminder, to_row
from memory.state.webhooks import owe_delivery
from memory.store.journal import Batch
from memory.thinking import Answer, Unfit, think, worked

log = logging.getLogger(__name__)

ERRAND = "daily reminders"
TEMPLATES = frozenset({PERSONAL, "health"})

MOST = 2                        # sentences a day
_LONGEST = 300                  # characters of one
_LATELY = timedelta(days=14)    # what was said since is not said again
_SHOWN, _EACH = 12, 200         # lines of each block, and characters of a line
_PATTERNS = frozenset({"style", "relationships", "ongoing", "preferences", "plans", "medicalFacts", "dietaryRules"})

_WORDING: Wording = {
    "en": (
        "Below is what is known of a person, what they said they would do, and what they were reminded of lately. "
        "Write at most two short reminders that would help them today, each one sentence of at most 40 words, in the "
        "language of the notes. Say nothing that the notes do not say, ask nothing of them that they did not intend, "
        'and repeat nothing of <lately>. Answer {"reminders": ["…"]}, with an empty list where nothing helps.'
    ),
    "zh": (
        "下面是关于一个人的记录、他说过要做的事，以及最近已经提醒过的内容。写出最多两条今天对他有帮助的简短提醒，"
        "每条一句话，不超过 60 字，用记录所用的语言。不要说记录里没有的内容，不要要求他没有打算做的事，"
        '也不要重复 <lately> 里的内容。回答 {"reminders": ["…"]}，没有合适的就给空列表。'
    ),
}


def wants(space: MemorySpace) -> bool:
    """Whether a scope is one that is spoken to, has a state, and was not spoken to today."""
    card = space.views.card.card
    if card is None or card.template not in TEMPLATES or space.views.digests.latest is None:
        return False
    done = space.views.errands.done_at(ERRAND)
    return done is None or done.astimezone(space.clock.now().tzinfo).date() != space.clock.now().date()


async def remind_daily(space: MemorySpace, chat: Chat) -> bool:
    """Have a model choose what to say today; what it chose stands among the sent reminders and is owed to the webhook.

    Returns whether the day is dealt with. False when no model answered: somebody asks again later today.
    """
    if not wants(space):
        return True
    scope, card = space.views.scope.scope(space.name), space.views.card.card
    if scope is None or card is None:
        return True
    lately = _lately(space, space.clock.now())
    known = await _known(space, card)
    if not known:
        async with space.journal.write() as batch:
            batch.add("errand.done", {"name": ERRAND})
        return True
    locale = detect(" ".join(known))
    messages = ask(_WORDING, locale, {}, notes=known, lately=[one_line(text, _EACH) for text in lately[:_SHOWN]])
    day = space.clock.now().date().isoformat()
    answer = await think(space, chat, REMIND, [ERRAND, day], messages, _read)
    if answer is None:
        return False
    space.at("daily.thought")
    async with space.journal.write() as batch:
        worked(space, batch, answer)
        if wants(space):        # nobody else did it while the model thought
            _say(space, batch, scope.owner, answer)
    return True


def _say(space: MemorySpace, batch: Batch, owner: str, answer: Answer[list[str]]) -> None:
    now = space.clock.now()
    lately = _lately(space, now)
    texts: list[str] = []
    for text in answer.value:
        if not any(same_fact(text, said) for said in (*lately, *texts)) and not space.views.retired.covers(text):
            texts.append(text)
    made = [
        Reminder(
            id=space.ids.new("reminder"),
            owner=owner,
            text=text,
            due_at=now,
            created_at=now,
            status=SENT,
            sent_at=now,
        )
        for text in texts[:MOST]
    ]
    batch.add("errand.done", {"name": ERRAND})
    if made:
        batch.add("reminder.sent", {"reminders": [to_row(one) for one in made]})
        owe_delivery(space, batch, [one.id for one in made])
    log.info("%s: %d daily reminders", space.name, len(made))


def _read(value: Any) -> list[str]:
    said = value.get("reminders") if isinstance(value, dict) else value
    if not isinstance(said, list):
        raise Unfit("the answer has no list of reminders")
    texts = [" ".join(one.split()) for one in said if isinstance(one, str)]
    if any(len(text) > _LONGEST for text in texts):
        raise Unfit("a reminder is too long")
    return [text for text in texts if text][:MOST]


def _lately(space: MemorySpace, now: datetime) -> list[str]:
    """What was said in the last fourteen days, the latest first."""
    sent = [(one.sent_at, one.text) for one in space.views.reminders if one.status == SENT and one.sent_at is not None]
    return [text for at, text in sorted(sent, reverse=True) if now - at < _LATELY]


async def _known(space: MemorySpace, card: Card) -> list[str]:
    """Lines to choose from: the state, what was promised, details, follow-ups, habits."""
    told = await relationship(space, card.template)
    facts = [fact.text for fact in registry.active(space) if registry.facet_of(fact) in _PATTERNS]
    blocks: list[tuple[str, Sequence[str]]] = [
        ("state", list(_state(space))),
        ("goal", told.active_goals),
        ("feeling", [told.current_feeling] if told.current_feeling is not None else []),
        ("follow-up", told.pending_follow_ups),
        ("about them", [*told.personal_details[-_SHOWN:]]),
        ("lately", [event.text for event in space.raw.telling(EXPERIENCE)[-_SHOWN:]]),
        ("habit", facts[-_SHOWN:]),
    ]
    discretion = await discretion_of(space)
    lines: dict[str, str] = {}      # what it says → how it is shown
    for label, texts in blocks:
        for text in texts[-_SHOWN:]:
            if text.strip() and not discretion.hides(text):
                lines.setdefault(normal(text), f"{label}: {one_line(text, _EACH)}")
    return list(lines.values())


def _state(space: MemorySpace) -> Iterator[str]:
    latest = space.views.digests.latest
    state = latest.state if latest is not None else None
    for name, held in state.lines() if state is not None else ():
        if name in ("goal", "todos", "openQuestions"):
            yield held.value
