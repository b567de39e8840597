"""What models are asked for every character now and then: rounds of their own, so that nothing waits for a model."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from memory.errors import MemoryServiceError
from memory.facts.arbitrate import arbitrate
from memory.facts.observe import observe, observe_both
from memory.facts.recheck import place_fact_in_time, recheck_facts
from memory.facts.windows import cursor_of, is_first_look
from memory.history.proofread import proofread
from memory.history.review import review
from memory.models.chat import Chat, Tier
from memory.models.embedder import Embedder
from memory.models.jobs import EXTRACT, REVIEW
from memory.persona.judge import judge_corrections, judge_promotions
from memory.persona.listen import hear_answers, hear_denials, hear_wishes
from memory.persona.polish import polish
from memory.persona.signals import signal
from memory.reflections.insight import draw
from memory.reflections.recheck import SCHEMA, recheck
from memory.reflections.reword import place_in_time, reword
from memory.space import MemorySpace
from memory.work.rounds import Chore, Visit

log = logging.getLogger(__name__)

BACKGROUND = (Tier.SUMMARY, Tier.CORRECTION, Tier.EMOTION)

_WINDOWS = 4            # read in one visit

Step = Callable[[], Awaitable[object]]


def thoughts(chat: Chat, embedder: Embedder | None = None) -> Sequence[Chore]:
    """The chores that ask ``chat``, at the pace of those that rules do."""
    return (
        Chore(name="decide", first=20.0, every=40.0, work=partial(_decide, chat), when_quiet=True),
        Chore(name="observe", first=60.0, every=40.0, work=partial(_observe, chat)),
        Chore(name="hear", first=100.0, every=40.0, work=partial(_hear, chat)),
        Chore(name="judge", first=150.0, every=180.0, work=partial(_judge, chat)),
        Chore(name="place in time", first=180.0, every=30.0, work=partial(_place, chat)),
        Chore(name="draw", first=200.0, every=180.0, work=partial(_draw, chat)),
        Chore(name="polish", first=400.0, every=1_800.0, work=partial(_polish, chat, embedder)),
    )


async def _decide(chat: Chat, visit: Visit) -> None:
    steps: list[Step] = []
    if visit.powerful:
        steps += [partial(arbitrate, visit.space, chat), partial(judge_corrections, visit.space, visit.names, chat)]
    if visit.reviews and chat.usable(REVIEW.tier, visit.space.name):
        reading = partial(proofread, visit.space, visit.names, chat)
        steps.append(partial(review, visit.space, quiet=visit.long_quiet, also=reading))
    await _each(visit, steps)


async def _observe(chat: Chat, visit: Visit) -> None:
    steps: list[Step] = [partial(_catch_up, chat, visit)]
    if visit.powerful:
        steps += [
            partial(observe_both, visit.space, visit.names, chat),
            partial(signal, visit.space, visit.names, chat),
        ]
    await _each(visit, steps)


async def _catch_up(chat: Chat, visit: Visit) -> None:
    """Read windows as long as there are some and a model reads them; whoever is seldom visited has more to read."""
    for _ in range(_WINDOWS):
        eager = not visit.powerful or (visit.quiet and is_first_look(visit.space))
        before = _progress(visit.space)
        await observe(visit.space, visit.names, chat, eager=eager)
        if _progress(visit.space) <= before:
            return


def _progress(space: MemorySpace) -> tuple[int, int]:
    """How far a model has read, and how few windows wait because they failed."""
    return cursor_of(space), -len(space.views.tries.of(EXTRACT.name))


async def _hear(chat: Chat, visit: Visit) -> None:
    told = (visit.space, visit.names, chat)
    await _each(
        visit,
        [
            partial(hear_answers, *told),
            partial(hear_denials, *told, powerful=visit.powerful),
            partial(hear_wishes, *told, powerful=visit.powerful),
        ],
    )


async def _judge(chat: Chat, visit: Visit) -> None:
    if visit.powerful:
        await judge_promotions(visit.space, visit.names, chat)


async def _place(chat: Chat, visit: Visit) -> None:
    if not await place_in_time(visit.space, chat):
        await recheck(visit.space)      # rules know enough not to wait for a model
        return
    if any(one.schema_version < SCHEMA for one in visit.space.reflections.alive()):
        return
    if not await place_fact_in_time(visit.space, chat):
        await recheck_facts(visit.space)


async def _draw(chat: Chat, visit: Visit) -> None:
    told = (visit.space, visit.names, chat)
    await _each(visit, [partial(draw, *told), partial(reword, *told)])


async def _polish(chat: Chat, embedder: Embedder | None, visit: Visit) -> None:
    if visit.powerful:
        await polish(visit.space, visit.names, chat, embedder)


async def _each(visit: Visit, steps: Sequence[Step]) -> None:
    """One step after another; what fails in one does not keep the others from being done."""
    failed: Exception | None = None
    for step in steps:
        if visit.space.wanted_back.is_set():
            return
        try:
            await step()
        except MemoryServiceError:
            raise
        except Exception as error:  # last handler of a step: told, and handed on once the others are done
            log.error("%s: a step failed (%s)", visit.space.name, type(error).__name__)
            failed = error
    if failed is not None:
        raise failed
