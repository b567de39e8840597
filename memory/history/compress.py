"""Compressing the recent window: a memo for its head, the newest messages as they are."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from memory.clock import naive_local
from memory.errors import ModelFailed, NotAsked
from memory.history.cues import DIRECTIVE
from memory.history.memo import METHOD, Memo, make_memo, parse_memo
from memory.history.recent import Entry
from memory.history.summary import Summary, summarised
from memory.history.turn import SYSTEM, Turn
from memory.locale import detect
from memory.models.chat import Chat
from memory.models.jobs import SUMMARISE as SUMMARISE_JOB
from memory.people import Names
from memory.space import MemorySpace
from memory.strings.catalogue import template
from memory.thinking import answered, failed, is_due

log = logging.getLogger(__name__)

SUMMARISE = "summarise_recent"
_SET_APART = "last_past_block_update_at"

_MANY = 40                 # turns above which making the excerpts would keep the loop waiting
_VOWS = 20                 # lines that lay something down which are kept beside a model's text
_STALE = timedelta(hours=1)  # after which a summary sets apart what is outdated


async def compress(
    space: MemorySpace,
    names: Names,
    *,
    chat: Chat | None = None,
    wait: float = 0.0,
    op_id: str | None = None,
    trigger: int | None = None,
) -> bool:
    """Replace all but the newest messages by one memo if the window is longer than ``trigger``.

    With ``chat`` a model is given ``wait`` seconds (0: as long as it takes); in whatever case the
    memo of excerpts is made, and if the model did not answer in time its summary is owed. The
    window's later messages are untouched. Returns whether anything was replaced; ``op_id`` is
    finished in the same commit.
    """
    entries = list(space.recent.entries)
    if len(entries) <= (space.settings.recent_trigger if trigger is None else trigger):
        await _finish(space, op_id)
        return False
    head = entries[: len(entries) - (space.settings.recent_keep - 1)]
    previous = _previous(space, head)
    spoken = head[1:] if head[0].kind == SYSTEM else head
    turns = await _turns_of(space, spoken)
    locale = _locale(space, turns)
    making = partial(make_memo, previous, turns, names, locale, space.clock.now(), space.settings.memo_tokens)
    memo = await asyncio.to_thread(making) if len(turns) > _MANY else making()
    if chat is not None and not chat.configured(SUMMARISE_JOB.tier):
        chat = None
    summary = await _in_time(space, names, chat, previous, turns, wait) if chat is not None else None
    if summary is not None:
        memo = _with_vows(memo, _stored(space, head[0].id))
    text = _prefixed(_promised(summary.text, memo), locale) if summary is not None else memo.text
    if not text:
        await _finish(space, op_id)
        return False
    space.at("compress.thought")
    async with space.journal.write() as batch:
        ids = [entry.id for entry in head]
        if space.recent.entries[: len(head)] != head:
            log.info("%s: the window changed meanwhile; not compressed now", space.name)
            return False
        memo_id = space.ids.new("memo")
        meta = {"memo": memo.to_json(), "memo_id": memo_id, "memo_rows": list(memo.rows or ())}
        meta["memo_method"] = METHOD if summary is None else summary.method
        meta |= _dated(space)
        batch.add(
            "recent.compressed", {"count": len(head), "head": ids, "id": memo_id, "text": text, "meta": meta}
        )
        if chat is not None and summary is None:
            batch.owe(SUMMARISE, {"memo_id": memo_id})
        if op_id is not None:
            batch.finish(op_id)
    space.at("compress.committed")
    log.info("%s: %d messages compressed (%s)", space.name, len(head), meta["memo_method"])
    return True


async def summarise(space: MemorySpace, names: Names, chat: Chat, memo_id: str, op_id: str) -> None:
    """Let a model write what the excerpts under ``memo_id`` stand for, if they still stand there.

    Raises NotAsked while there is none; the excerpts stay until then, and the job stays owed.
    """
    meta = space.views.recent_meta.value
    rows = meta.get("memo_rows")
    if meta.get("memo_id") != memo_id or not rows or not chat.configured(SUMMARISE_JOB.tier):
        await _finish(space, op_id)
        return
    turns = await space.turns.between(rows[0], rows[1])
    locale = _locale(space, turns)
    if not is_due(space, chat, SUMMARISE_JOB, [memo_id]):
        raise NotAsked(SUMMARISE_JOB.tier, "the summary has to wait", retryable=True)
    try:
        summary = await summarised(space, names, chat, None, turns, stale=_is_stale(space))
    except NotAsked:
        raise
    except ModelFailed as error:
        await failed(space, SUMMARISE_JOB, [memo_id], error)
        raise NotAsked(SUMMARISE_JOB.tier, "the summary is asked for again later", retryable=True) from error
    if summary is None:
        return  # the space is wanted back: it stays owed
    async with space.journal.write() as batch:
        batch.finish(op_id)
        answered(space, batch, SUMMARISE_JOB, [memo_id])
        entries = space.recent.entries
        if not entries or entries[0].id != memo_id:
            return
        fresh = space.ids.new("memo")
        meta = {**meta, "memo_id": fresh, "memo_method": summary.method, **_dated(space)}
        stored = _stored(space, memo_id)
        text = _prefixed(_promised(summary.text, stored) if stored is not None else summary.text, locale)
        batch.add("recent.compressed", {"count": 1, "head": [memo_id], "id": fresh, "text": text, "meta": meta})


async def _finish(space: MemorySpace, op_id: str | None) -> None:
    if op_id is not None:
        async with space.journal.write() as batch:
            batch.finish(op_id)


def _previous(space: MemorySpace, head: Sequence[Entry]) -> Memo | None:
    """The memo at the head of the window, with its items where we made it ourselves."""
    if not head or head[0].kind != SYSTEM:
        return None
    stored = _stored(space, head[0].id)
    if stored is not None and stored.text == head[0].text:
        return stored
    return parse_memo(head[0].text, detect(head[0].text)) or _foreign(head[0])


def _stored(space: MemorySpace, memo_id: str | None) -> Memo | None:
    """The items of the memo with that id, where we made it ourselves."""
    meta = space.views.recent_meta
    if meta.memo is None or meta.value.get("memo_id") != memo_id:
        return None
    try:
        return Memo.from_json(meta.memo)
    except (KeyError, TypeError, ValueError):
        log.warning("%s: the memo's items are unreadable; its text is kept", space.name)
        return None


def _with_vows(memo: Memo, before: Memo | None) -> Memo:
    """The memo with what the user asked never to do before it: a model's text must not be the only place for that."""
    known = {item.sentence for item in memo.items}
    older = [item for item in (before.items if before else ()) if item.kind == DIRECTIVE and item.sentence not in known]
    return replace(memo, items=(*older[-_VOWS:], *memo.items))


def _promised(summary: str, memo: Memo) -> str:
    """The summary, with every line that lays something down and that the model left out."""
    flat = "".join(summary.split())
    vows = [item for item in memo.items if item.kind == DIRECTIVE]
    left_out = [item.line for item in vows if "".join(item.sentence.split()) not in flat]
    return "\n".join([summary, *left_out[-_VOWS:]])


def _foreign(entry: Entry) -> Memo | None:
    """A system message that is no memo is carried on as one line of it."""
    prefix = template("memo_prefix", "en")
    return parse_memo(prefix + entry.text, detect(entry.text)) if entry.text.strip() else None


async def _turns_of(space: MemorySpace, entries: Sequence[Entry]) -> list[Turn]:
    known = await space.turns.by_id([entry.id for entry in entries if entry.id is not None])
    now = space.clock.now()
    row = 0
    turns: list[Turn] = []
    for entry in entries:
        turn = known.get(entry.id) if entry.id is not None else None
        row = turn.row if turn is not None else row
        if turn is None or turn.content != entry.content:  # edited or written by somebody else: as it stands there
            turn = Turn(
                id=entry.id or "", row=row, kind=entry.kind, content=entry.content,
                at=entry.at or (turn.at if turn else now), session="", speaker=turn.speaker if turn else None,
            )  # fmt: skip
        turns.append(turn)
    return turns


def _locale(space: MemorySpace, turns: Sequence[Turn]) -> str:
    return space.views.recent_meta.language or detect("\n".join(turn.text[:200] for turn in turns[-20:]))


def _prefixed(summary: str, locale: str) -> str:
    return template("memo_prefix", locale) + summary.strip()


async def _in_time(
    space: MemorySpace, names: Names, chat: Chat, previous: Memo | None, turns: Sequence[Turn], wait: float
) -> Summary | None:
    """A model's summary, or None if there is no usable one within ``wait`` seconds (0: as long as it takes)."""
    before = previous.text if previous is not None else None
    try:
        async with asyncio.timeout(wait or None):
            return await summarised(space, names, chat, before, turns, stale=_is_stale(space))
    except TimeoutError:
        return None
    except ModelFailed as error:
        log.info("%s: no summary now: %s", space.name, error)
        return None


def _since(space: MemorySpace) -> datetime | None:
    """When what is outdated was last set apart."""
    value = space.views.recent_meta.value
    stamp = value.get(_SET_APART) or value.get("last_summary_at")
    try:
        return space.clock.local(datetime.fromisoformat(str(stamp))) if stamp else None
    except ValueError:
        return None


def _is_stale(space: MemorySpace) -> bool:
    since = _since(space)
    return since is not None and space.clock.now() - since >= _STALE


def _dated(space: MemorySpace) -> dict[str, str]:
    """The moment from which the next hour counts: the first compression's, then those that set something apart."""
    if _since(space) is None or _is_stale(space):
        return {_SET_APART: naive_local(space.clock.now())}
    return {}
