"""What a model adds to a digest: a narrative and facts, held against the state before either counts.

No lock is held. What comes back is checked once more by whoever commits it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from memory.errors import BadAnswer, JobFailed, ModelFailed, NotAsked
from memory.models.chat import Chat, Tier, json_reply
from memory.models.jobs import CONSOLIDATE, DIGEST, Job
from memory.models.prompt import Messages
from memory.space import MemorySpace
from memory.state.digest import prompt
from memory.state.digest.align import Draft, Text, align
from memory.state.digest.consistency import BAD_SCHEMA, REPEATED, Verdict, check
from memory.state.digest.likeness import has_cjk
from memory.state.digest.replies import ProfileFact, Said, read_digest, read_merged
from memory.state.digest.run import Made
from memory.state.digests import Digest
from memory.state.facets import Pack
from memory.state.register import Merged
from memory.thinking import Unfit

log = logging.getLogger(__name__)

T = TypeVar("T")

RETRIES = 1
CONSISTENCY, UNAVAILABLE = "consistency_failed", "model_unavailable"
_PAUSES = (0.3, 0.6)        # seconds between tries of one question that did not get through
_LEAST_MERGED = 4           # facts of a facet from which it is looked over
_MOST_MERGED = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a digest is about."""

    scope: Mapping[str, str]                    # name, goal and stage
    pack: Pack
    previous: Digest | None                     # as it may be told
    forgotten: Sequence[str] = ()
    protected: Sequence[tuple[str, str]] = ()   # facts of write-protected facets, as (facet, text)

    @property
    def told(self) -> str:
        return self.previous.summary if self.previous is not None else ""

    @property
    def changes(self) -> tuple[str, ...]:
        return self.previous.changes if self.previous is not None else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The text of a digest."""

    text: Text
    facts: tuple[ProfileFact, ...] = ()
    degraded: str | None = None
    errors: tuple[str, ...] = ()        # for which it is degraded


def tier_of(chat: Chat) -> Tier | None:
    """The tier that writes digests; None without a model."""
    return next((tier for tier in (Tier.SUMMARY, Tier.CHAT) if chat.configured(tier)), None)


def projected(made: Made, subject: Subject, *, degraded: str | None = None, errors: Sequence[str] = ()) -> Written:
    """What the state says by itself."""
    text = align(made.state, Draft())
    if not text.summary:
        text = replace(text, summary=subject.told or _count(made))
    return Written(text=text, degraded=degraded, errors=tuple(errors))


def _count(made: Made) -> str:
    events = len(made.documents) + len(made.deltas)
    return f"Nothing is settled yet; {events} events were read." if events else "Nothing was recorded yet."


async def write_up(space: MemorySpace, chat: Chat, made: Made, subject: Subject) -> Written:
    """Ask pass by pass, then hold what came back against the state; once more where it contradicts it.

    Raises ModelFailed where no answer got through, and JobFailed where there is nothing to fall back on.
    """
    tier = tier_of(chat)
    passes = prompt.packed(made.documents, made.deltas, made.log) or [([], [])]
    spoken = prompt.language([*made.documents, *made.deltas], subject.told)
    facts: list[ProfileFact] = []
    said: Said | None = None
    failed: ModelFailed | None = None
    asked = _Asked(space=space, chat=chat, tier=tier, made=made, subject=subject, language=spoken)
    try:
        for number, (documents, events) in enumerate(passes, start=1):
            try:
                said = await asked(documents, events, said.draft.summary if said is not None else subject.told)
                facts += said.facts
            except NotAsked:
                raise
            except ModelFailed as error:
                failed = error
                made.log.rationale.append(f"pass_failed:{number}")
        if said is None and failed is not None and not isinstance(failed, BadAnswer):
            raise failed
        written = await _agreed(asked, passes[-1], said, facts)
    except NotAsked:
        if space.wanted_back.is_set():
            raise
        return replace(projected(made, subject, degraded=UNAVAILABLE), facts=tuple(facts))
    return replace(written, facts=tuple(facts))


async def _agreed(
    asked: _Asked, last: tuple[list[str], list[str]], said: Said | None, facts: list[ProfileFact]
) -> Written:
    """The text once it agrees with the state, or what stands in for it."""
    made, subject = asked.made, asked.subject
    verdict = Verdict(errors=(BAD_SCHEMA,))
    for left in range(RETRIES, -1, -1):
        if said is not None:
            text = align(made.state, said.draft)
            verdict = check(text, made.state, subject.changes, subject.protected)
            if verdict.ok:
                return Written(text=text)
            if verdict.errors == (REPEATED,):
                return Written(text=Text(summary=subject.told or text.summary, changes=(), steps=text.steps))
        if not left:
            break
        try:
            said = await asked(*last, subject.told, _correction(verdict))
            facts += said.facts
        except NotAsked:
            raise
        except ModelFailed:
            said = None
            verdict = Verdict(errors=(BAD_SCHEMA,))
    log.info("%s: a digest did not agree with the state (%s)", asked.space.name, ", ".join(verdict.errors))
    if subject.previous is not None and subject.told:
        kept = Text(summary=subject.told, changes=(), steps=subject.previous.next_steps)
        return Written(text=kept, degraded=CONSISTENCY, errors=verdict.errors)
    if made.state.empty:
        raise JobFailed(f"digest_consistency_failed:{','.join(verdict.errors)}")
    return projected(made, subject, degraded=CONSISTENCY, errors=verdict.errors)


def _correction(verdict: Verdict) -> list[str]:
    lines = [f"wrong: {code}" for code in verdict.errors]
    for one in verdict.conflicts[:10]:
        lines += [f"line: {one.line[:500]}", f"settled fact: {one.fact[:500]}"]
    return lines


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """Asks for one pass."""

    space: MemorySpace
    chat: Chat
    tier: Tier | None
    made: Made
    subject: Subject
    language: str

    async def __call__(
        self, documents: Sequence[str], events: Sequence[str], told: str, correction: Sequence[str] = ()
    ) -> Said:
        messages = prompt.question(
            self.language,
            scope=self.subject.scope,
            told=told,
            state=self.made.state,
            events=events,
            documents=documents,
            pack=self.subject.pack,
            forgotten=self.subject.forgotten,
            correction=correction,
        )
        return await _ask(self.space, self.chat, self.tier, DIGEST, messages, read_digest)


async def consolidated(
    space: MemorySpace, chat: Chat, facet: str, facts: Sequence[tuple[str, bool]], log_drop: Callable[[str], None]
) -> Merged | None:
    """Facts of a facet in fewer words, given as (text, whether a document says so); None where they stay."""
    if not _LEAST_MERGED <= len(facts) <= _MOST_MERGED:
        return None
    lines = [f"{'(document) ' if by_document else ''}{text}" for text, by_document in facts]
    texts = [text for text, _ in facts]
    spoken = "zh" if sum(map(has_cjk, texts)) * 2 > len(texts) else "en"
    try:
        return await _ask(
            space, chat, tier_of(chat), CONSOLIDATE, prompt.merging(spoken, lines),
            lambda value: read_merged(facet, value, texts),
        )  # fmt: skip
    except ModelFailed as error:
        log_drop(type(error).__name__)
        return None


async def _ask(
    space: MemorySpace, chat: Chat, tier: Tier | None, job: Job, messages: Messages, read: Callable[[Any], T]
) -> T:
    """One question, tried again where it did not get through. Raises ModelFailed."""
    if tier is None:
        raise NotAsked(job.tier, "no model is configured", retryable=False)
    for pause in (*_PAUSES, None):
        try:
            said = await space.unless_wanted_back(
                chat.reply(tier, messages, max_tokens=job.max_tokens, seconds=job.seconds, space=space.name)
            )
        except (NotAsked, BadAnswer):
            raise
        except ModelFailed as error:
            if pause is None or not error.retryable:
                raise
            await asyncio.sleep(pause)
            continue
        if said is None:
            raise NotAsked(tier, "the memory is wanted back", retryable=True)
        value = json_reply(tier, said)
        try:
            return read(value)
        except Unfit as error:
            raise BadAnswer(tier, str(error)) from None
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise BadAnswer(tier, f"the answer has another form ({type(error).__name__})") from None
    raise AssertionError
