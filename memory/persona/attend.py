"""Listening to a conversation for what it says about what is held: mentions, answers to topics, denials, wishes."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace

from memory.history.turn import AI, HUMAN, Turn, without_stamp
from memory.people import Names
from memory.persona.entry import Entry
from memory.persona.pen import PersonaPen
from memory.reflections import evidence as trust
from memory.reflections.feedback import Answer, Raised, answer_to, rebuts
from memory.reflections.mentions import is_resting, mentioned, put_to_rest
from memory.reflections.pen import USER_CONFIRM, USER_IGNORE, USER_KEYWORD_REBUT, Because
from memory.reflections.reflection import CONFIRMED, Reflection, is_active
from memory.reflections.replies import read_reply, wishes_to_avoid
from memory.reflections.surfaced import DENIED, IGNORED, Surfaced
from memory.reflections.wording import Rarity, about
from memory.space import MemorySpace

CURSOR = "attended_row"

_ROWS = 8               # turns read between two commits, with the write lock held: whoever caches one waits for them
_BEFORE = 4             # turns read again for what the character said last
_LONGEST = 10_000       # characters of a message of the character that are looked at
_SAMPLE = 300           # newest facts among which words are rare or common
_TOPIC_WEIGHT, _BARE_WEIGHT = 1.0, 0.5


async def attend(space: MemorySpace, names: Names, *, powerful: bool = True, upto: int | None = None) -> int:
    """Take in every turn behind the cursor, or those to row ``upto``. Returns how many turns were read.

    What follows from a turn and the cursor move in one commit, so a crash repeats a step or none
    of it, and it makes no difference when this runs. Without ``powerful`` denials that nobody
    asked for and wishes to avoid something are passed over for good.
    """
    read = 0
    while True:
        row = space.views.cursors.row(CURSOR)
        last_row = space.turns.last_row if upto is None else upto
        if row >= last_row:
            return read
        turns = await space.turns.after(row, min(_ROWS, last_row - row))
        if not turns:
            return read
        before = await space.turns.between(max(row - _BEFORE, 1), row) if row else []
        async with space.journal.write() as batch:
            if space.views.cursors.row(CURSOR) == row:
                pen = PersonaPen(space, batch, space.clock.now())
                listener = _Listener(pen, names, powerful=powerful)
                listener.recall([turn for turn in before if turn.row <= row])
                for turn in turns:
                    listener.hear(turn)
                    await asyncio.sleep(0)  # a large persona takes its time; others may read meanwhile
                batch.add("cursor.moved", {"name": CURSOR, "to": turns[-1].row})
                read += len(turns)
        space.at("attend.committed")


class _Listener:
    """Goes through turns in order and writes down what they change."""

    def __init__(self, pen: PersonaPen, names: Names, *, powerful: bool) -> None:
        self._pen = pen
        self._names = names
        self._powerful = powerful
        self._now = pen.now
        self._last: Turn | None = None
        self._said = ""                              # what the character said last
        self._spoken: set[tuple[str, str]] = set()   # what it spoke of since the user's last message
        self._rarity: Rarity | None = None

    def recall(self, turns: Sequence[Turn]) -> None:
        """What was said just before, which nothing follows from any more."""
        for turn in turns:
            self._begin(turn)
            if turn.kind == AI:
                self._spoken.update(map(_key, self._spoken_of(about(self._said, self._names))))

    def hear(self, turn: Turn) -> None:
        self._pen.now = min(turn.at, self._now)      # as if it had been heard when it was said
        self._begin(turn)
        if turn.kind == AI:
            self._hear_character(turn)
        elif turn.kind == HUMAN and (turn.speaker is None or self._names.is_master(turn.speaker)):
            self._hear_user(turn)

    def _begin(self, turn: Turn) -> None:
        goes_on = self._last is not None and self._last.kind == AI and self._last.session == turn.session
        if turn.kind == AI:
            self._said = without_stamp(turn.text)[:_LONGEST]
        if turn.kind != AI or not goes_on:
            self._spoken = set()
        self._last = turn

    # the character

    def _hear_character(self, turn: Turn) -> None:
        said, because = about(self._said, self._names), Because(rule="voiced", turn=turn.id)
        for topic in self._open_topics():
            raised = self._pen.reflection(topic.reflection_id)
            if topic.voiced_in is not None or topic.after_row >= turn.row or raised is None:
                continue
            if self._speaks_of(raised, said):
                self._pen.answered(replace(topic, voiced_in=turn.id), because)
        for held in self._spoken_of(said):
            if _key(held) in self._spoken or is_resting(held.mentions, self._pen.now):
                continue  # several messages in a row are one occasion
            self._spoken.add(_key(held))
            mentions = mentioned(held.mentions, self._pen.now)
            if isinstance(held, Entry):
                self._pen.entry_mentioned(replace(held, mentions=mentions), because)
            else:
                self._pen.mentioned(replace(held, mentions=mentions), because)

    def _spoken_of(self, said: Collection[str]) -> list[Reflection | Entry]:
        """What is confirmed or held for good, and what was said is about."""
        held: list[Reflection | Entry] = [one for one in self._pen.alive() if one.status == CONFIRMED]
        held += [entry for entry in self._pen.entries() if not entry.protected]
        return [one for one in held if self._speaks_of(one, said)]

    # the user

    def _hear_user(self, turn: Turn) -> None:
        voiced = [topic for topic in self._open_topics() if topic.voiced_in is not None]
        reply = read_reply(turn.text)
        answered: set[str] = set()
        for topic in voiced:
            held = self._pen.reflection(topic.reflection_id)
            if held is None or held.is_terminal:
                continue
            together = sum(other.voiced_in == topic.voiced_in for other in voiced)
            words = self._words(held)
            raised = Raised(
                words=words,
                thing=about(held.object, self._names) if held.object else words,
                negated=held.negated,
                heard=topic.heard,
                sole=together == 1,
            )
            answer = answer_to(raised, reply, self._rare(), self._names)
            answered.add(held.id)
            self._take_answer(topic, held, answer, turn)
        if self._powerful:
            self._take_rebuttals(turn, answered)
            self._take_wish(turn)

    def _take_answer(self, topic: Surfaced, held: Reflection, answer: Answer | None, turn: Turn) -> None:
        if answer is None:
            heard = replace(topic, heard=topic.heard + 1)
            self._pen.answered(heard, Because(rule="no_answer_yet", turn=turn.id))
            return
        because = Because(rule=answer.rule, turn=turn.id)
        settled = replace(topic, feedback=answer.feedback, feedback_at=self._pen.now, heard=topic.heard + 1)
        self._pen.answered(settled, because)
        if answer.feedback == DENIED:
            self._pen.denied(held.id, because)
        elif answer.feedback == IGNORED:
            self._pen.weighed(held.id, trust.ignored(held.evidence), USER_IGNORE, because)
        else:
            evidence = trust.reinforced(held.evidence, answer.amount, self._pen.now)
            self._pen.weighed(held.id, evidence, USER_CONFIRM, because)

    def _take_rebuttals(self, turn: Turn, answered: Collection[str]) -> None:
        targets = [one for one in self._pen.alive() if is_active(one, self._pen.now) and one.id not in answered]
        if not targets:
            return
        reply = read_reply(turn.text)
        if not reply.denying():
            return
        for one in targets:
            claimed = about(one.object, self._names) if one.object else self._words(one)
            if not one.negated and rebuts(claimed, reply, self._names):
                self._pen.rebutted(one.id, Because(rule="denies_claim", turn=turn.id))

    def _take_wish(self, turn: Turn) -> None:
        wish = wishes_to_avoid(turn.text)
        if wish is None:
            return
        if wish.topic is None:
            held, weight = self._spoken_of(about(self._said, self._names)), _BARE_WEIGHT
        else:
            topic = about(wish.topic, self._names)
            every: list[Reflection | Entry] = [*self._pen.alive()]
            every += [entry for entry in self._pen.entries() if not entry.protected]
            held, weight = [one for one in every if topic and topic <= self._words(one)], _TOPIC_WEIGHT
        because = Because(rule="asked_to_avoid", turn=turn.id)
        for one in held:
            evidence = trust.disputed(one.evidence, weight, self._pen.now)
            rested = put_to_rest(one.mentions, self._pen.now)
            if isinstance(one, Entry):
                self._pen.entry_weighed(replace(one, evidence=evidence), USER_KEYWORD_REBUT, because)
                self._pen.entry_mentioned(replace(one, evidence=evidence, mentions=rested), because)
            else:
                self._pen.weighed(one.id, evidence, USER_KEYWORD_REBUT, because)
                self._pen.mentioned(replace(one, evidence=evidence, mentions=rested), because)

    # what is known

    def _open_topics(self) -> list[Surfaced]:
        return [topic for topic in self._pen.surfaced() if topic.feedback is None]

    def _words(self, held: Reflection | Entry) -> frozenset[str]:
        statement = held.statement if isinstance(held, Reflection) else None
        return about(statement or held.text, self._names)

    def _speaks_of(self, held: Reflection | Entry, said: Collection[str]) -> bool:
        """Whether what was said is about it: about all that it states, or about the thing itself."""
        rarity, thing = self._rare(), about(held.object or "", self._names)
        return rarity.speaks_of(self._words(held), said) > 0 or rarity.speaks_of(thing, said) > 0

    def _rare(self) -> Rarity:
        """How rare words are among what is held and known, each thing counted once."""
        if self._rarity is None:
            held: list[Reflection | Entry] = [*self._pen.alive(), *self._pen.entries()]
            spoken_for = {fact_id for one in held for fact_id in one.source_fact_ids}
            facts = [fact for fact in self._pen.space.facts if fact.id not in spoken_for][-_SAMPLE:]
            self._rarity = Rarity([*map(self._words, held), *(about(fact.text, self._names) for fact in facts)])
        return self._rarity


def _key(held: Reflection | Entry) -> tuple[str, str]:
    return (held.entity, held.id)
