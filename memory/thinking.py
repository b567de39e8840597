"""Asking a model on behalf of a space: bounded, called off when the space is wanted back, and remembered when it fails.

No lock is held meanwhile. What comes back is checked by whoever asked, once more inside the block that writes what
follows from it: things may have changed while the model thought.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from memory.errors import BadAnswer, ModelFailed, NotAsked
from memory.models.chat import Chat, json_reply, method_of
from memory.models.jobs import Job
from memory.models.prompt import Messages
from memory.space import MemorySpace
from memory.store.journal import Batch
from memory.store.outbox import OutboxOp
from memory.tries import Try, key_of

log = logging.getLogger(__name__)

T = TypeVar("T")

LETTER = "model:"       # what the kinds of dead letters that a model left begin with
_A_SPELL = 3            # questions that failed without one in between that did not: it was not theirs
# When a question of each job was last answered, by space; a restart begins anew.
_WELL: WeakKeyDictionary[MemorySpace, dict[str, datetime]] = WeakKeyDictionary()


class Unfit(ValueError):
    """An answer is not what was asked for. Says why without quoting it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Generic[T]):
    """What a model said, checked, and how it is to be marked."""

    value: T
    method: str             # model:<tier>:<name>
    job: str
    key: str


def is_due(space: MemorySpace, chat: Chat, job: Job, ids: Sequence[str]) -> bool:
    """Whether a model may be asked this now."""
    if space.wanted_back.is_set() or not chat.usable(job.tier, space.name):
        return False
    return not space.views.tries.rests(job.name, key_of(ids), space.clock.now())


def choose(space: MemorySpace, chat: Chat, job: Job, waiting: Sequence[T], id_of: Callable[[T], str]) -> list[T]:
    """What of a queue to ask about now: all of it, or one at a time where all of it at once is a dead letter."""
    ids = [id_of(one) for one in waiting]
    if not waiting or is_due(space, chat, job, ids):
        return list(waiting)
    found = space.views.tries.get(f"{job.name}:{key_of(ids)}")
    if found is None or not found.is_dead:
        return []
    return next(([one] for one in waiting if is_due(space, chat, job, [id_of(one)])), [])


async def think(
    space: MemorySpace, chat: Chat, job: Job, ids: Sequence[str], messages: Messages, read: Callable[[Any], T]
) -> Answer[T] | None:
    """The checked answer to a question about ``ids``, or None when there is none for now.

    ``read`` makes something of the JSON value or raises Unfit. A failure is written down under job and ids, which
    rest longer after each; after the last they are a dead letter, probed every few hours and retried on request.
    """
    if not is_due(space, chat, job, ids):
        return None
    try:
        said = await space.unless_wanted_back(
            chat.reply(job.tier, messages, max_tokens=job.max_tokens, seconds=job.seconds, space=space.name)
        )
        if said is None:
            return None
        value = _read(job, said, read)
    except NotAsked:
        return None
    except ModelFailed as error:
        await failed(space, job, ids, error)
        return None
    return Answer(value=value, method=method_of(chat, job.tier), job=job.name, key=key_of(ids))


def _read(job: Job, said: str, read: Callable[[Any], T]) -> T:
    value = json_reply(job.tier, said)
    try:
        return read(value)
    except Unfit as error:
        raise BadAnswer(job.tier, str(error)) from None
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise BadAnswer(job.tier, f"the answer has another form ({type(error).__name__})") from None


async def failed(space: MemorySpace, job: Job, ids: Sequence[str], error: ModelFailed) -> None:
    """Write down that a question failed; after the last time it is a dead letter."""
    key = key_of(ids)
    tries = space.views.tries
    before = tries.get(f"{job.name}:{key}") or Try(job=job.name, key=key, at=None)
    is_bad = isinstance(error, BadAnswer) or not error.retryable
    after = Try(
        job=job.name,
        key=key,
        at=space.clock.now(),
        bad=before.bad + is_bad,
        silent=before.silent + (not is_bad),
        revived=before.revived,
        reason=str(error)[:200],
        about=tuple(ids)[:100],
    )
    if after.is_dead and not before.is_dead:
        letter = {"about": list(after.about), "job": job.name}
        op = OutboxOp(
            id=key,
            kind=f"{LETTER}{job.name}",
            payload=letter,
            owed_at=space.clock.now(),
            attempts=after.bad + after.silent,
        )
        await space.outbox.bury(op, after.reason)
    async with space.journal.write() as batch:
        batch.add("try.failed", {"try": tries.to_row(after)})
    log.info("%s: %s failed: %s", space.name, job.name, error)


def worked(space: MemorySpace, batch: Batch, answer: Answer[Any]) -> None:
    """The question was answered, and what followed is in the batch.

    If several others of its kind failed since one was last answered, it was the model that was unwell: they are due
    again at once, though each only once in its life, as the fault may be theirs all the same.
    """
    _over(space, batch, f"{answer.job}:{answer.key}")
    known = _WELL.setdefault(space, {})
    since, known[answer.job] = known.get(answer.job), space.clock.now()
    tries = space.views.tries
    failed_since = [
        tries.key_of(one)
        for one in tries.of(answer.job)
        if one.key != answer.key and not one.settled and one.at is not None and (since is None or one.at > since)
    ]
    if len(failed_since) >= _A_SPELL:
        batch.add("try.revived", {"keys": [key for key in failed_since if not _was_revived(space, key)]})


def _was_revived(space: MemorySpace, key: str) -> bool:
    found = space.views.tries.get(key)
    return found is not None and found.revived


def answered(space: MemorySpace, batch: Batch, job: Job, ids: Sequence[str]) -> None:
    """The same for a question that was put in another way."""
    _over(space, batch, f"{job.name}:{key_of(ids)}")


def _over(space: MemorySpace, batch: Batch, key: str) -> None:
    if key in space.views.tries:
        batch.add("try.over", {"keys": [key]})


async def nothing_follows(space: MemorySpace, answer: Answer[Any], ids: Sequence[str]) -> None:
    """A model found nothing to do: it is not asked again about the very same."""
    settled = Try(job=answer.job, key=answer.key, at=space.clock.now(), settled=True, about=tuple(ids)[:100])
    async with space.journal.write() as batch:
        batch.add("try.settled", {"try": space.views.tries.to_row(settled)})


def as_list(value: Any, key: str | None = None) -> list[dict[str, Any]]:
    """The objects of a list, also where it came in an object or as a single one. Raises Unfit."""
    if isinstance(value, dict):
        inner = value.get(key) if key is not None else None
        value = inner if isinstance(inner, list) else [value] if inner is None and key is None else inner
    if not isinstance(value, list):
        raise Unfit("the answer is no list")
    return [one for one in value if isinstance(one, dict)]


def as_text(value: Any, most: int) -> str:
    """A sentence on one line; "" for what is none or is longer than ``most`` characters."""
    if not isinstance(value, str):
        return ""
    flat = " ".join(value.split())
    return flat if len(flat) <= most else ""


def place(value: Any, count: int) -> int | None:
    """An index from 1 to ``count`` as one from 0; None for anything else."""
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 6:
        value = int(value)
    return value - 1 if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= count else None
