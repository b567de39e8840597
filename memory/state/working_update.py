"""Telling anew what is being worked on, after something was said: owed work of a scope."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory.history.event_notes import DOCUMENT
from memory.history.raw import RawEvent
from memory.history.record import UPDATE_WORKING, owe_once
from memory.models.chat import Chat
from memory.models.jobs import WORKING as REFINE
from memory.models.prompt import Messages, Wording, ask, language_of, one_line
from memory.space import MemorySpace
from memory.state.discretion import Discretion, discretion_of
from memory.state.working import Item, Limits, Said, Working, WorkingState, added, build
from memory.state.working_cues import is_reply
from memory.store.journal import Batch
from memory.store.outbox import OutboxOp
from memory.thinking import Unfit, as_text, nothing_follows, think, worked

log = logging.getLogger(__name__)

REFINE_WORKING = "refine_working"

_LINE = 200             # characters of a line that a model adds
_SHOWN = 600            # … and of an event that it is shown

_ASKED: Wording = {
    "en": (
        "You read the latest messages of a piece of work and what rules found in them. Answer with one JSON object: "
        '{"goal": string or null, "constraints": [string], "decisions": [string], "openQuestions": [string], '
        '"progressSummary": string or null, "taskFrame": string or null}. Name only what the messages say and the '
        "rules missed; give null or an empty list where nothing is missing. Each text is one short line in the "
        "language of the messages."
    ),
    "zh": (
        "你会读到一项工作的最新消息，以及规则从中找到的内容。用一个 JSON 对象回答："
        '{"goal": 字符串或 null, "constraints": [字符串], "decisions": [字符串], "openQuestions": [字符串], '
        '"progressSummary": 字符串或 null, "taskFrame": 字符串或 null}。只写消息里说过而规则漏掉的内容；'
        "没有遗漏就给 null 或空列表。每条是一行简短的话，用消息的语言。"
    ),
}


def owe_update(space: MemorySpace, batch: Batch) -> None:
    """Owe an update, where working memory is kept at all."""
    if space.settings.working_enabled:
        owe_once(space, batch, UPDATE_WORKING)


def keeps_working(space: MemorySpace) -> bool:
    """Whether the space has a working memory that follows what is said: every scope, and characters that had a turn."""
    return space.settings.working_enabled and (space.name.startswith("@") or not space.views.working.empty)


def limits_of(space: MemorySpace) -> Limits:
    return Limits(turns=space.settings.working_turns, items=space.settings.working_items)


async def update(space: MemorySpace, op: OutboxOp, chat: Chat) -> None:
    """Tell the state anew from the latest events, as one version more. No model is asked; refining it may be owed."""
    if not space.settings.working_enabled:      # it was when this was owed
        async with space.journal.write() as batch:
            batch.finish(op.id)
        return
    limits = limits_of(space)
    await space.raw.refresh()
    seq = space.journal.seq
    discretion = await discretion_of(space)
    state = _told(space, limits, discretion)
    space.at("working.thought")
    async with space.journal.write() as batch:
        if space.journal.seq != seq:        # what came in meanwhile is dealt with, too
            await space.raw.refresh()
            discretion = await discretion_of(space)
            state = _told(space, limits, discretion)
        working = _next(space, state)
        batch.add("working.updated", {"working": working.to_json()})
        if space.settings.working_llm and chat.usable(REFINE.tier, space.name):
            batch.owe(REFINE_WORKING, {"version": working.version})
        batch.finish(op.id)
    log.info("%s: working memory %d", space.name, working.version)


def _told(space: MemorySpace, limits: Limits, discretion: Discretion) -> WorkingState:
    """What the latest events say; the goal stands until another one is named."""
    state = build(_said(space, limits), limits, discretion.hides)
    before = space.views.working.current
    goal = before.state.goal if before is not None else None
    if state.goal is not None or goal is None or discretion.hides(goal.text, goal.turns):
        return state
    return replace(state, goal=goal)


def _next(space: MemorySpace, state: WorkingState) -> Working:
    before = space.views.working.current
    version = before.version + 1 if before is not None else 1
    return Working(version=version, updated_at=space.clock.now(), state=state)


def _said(space: MemorySpace, limits: Limits) -> list[Said]:
    """The latest events without replies, oldest first: by their own time, documents by that of their present text."""
    found = {event.id: event for event in space.raw.newest(limits.window)}
    for kept in space.turns.tail:           # a document may be old and just have been written anew
        note = space.views.event_notes.of_turn(kept.turn.id)
        event = space.raw.get(note.id) if note is not None and note.type == DOCUMENT else None
        if event is not None and event.updated_at is not None:
            found[event.id] = event
    ordered = sorted(found.values(), key=_when)[-limits.window :]
    return [Said(turn=one.turn, text=one.text) for one in ordered if not (one.is_reply or is_reply(one.text))]


def _when(event: RawEvent) -> tuple[float, int]:
    return (event.updated_at or event.at).timestamp(), event.row


# refining


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What a model adds."""

    goal: str
    constraints: tuple[str, ...]
    decisions: tuple[str, ...]
    questions: tuple[str, ...]
    progress: str
    frame: str

    @property
    def empty(self) -> bool:
        return not any((self.goal, self.constraints, self.decisions, self.questions, self.progress, self.frame))


async def refine(space: MemorySpace, op: OutboxOp, chat: Chat) -> None:
    """Let a model add what the rules missed. Whatever goes wrong, the state stays what the rules made of it."""
    await space.raw.refresh()
    working = space.views.working.current
    limits = limits_of(space)
    said: list[Said] = []
    if working is not None and working.version == op.payload.get("version"):
        said = [one for one in _said(space, limits) if one.turn in working.state.sources]
    turns = tuple(one.turn for one in said)
    answer = None
    if working is not None and said:
        answer = await think(space, chat, REFINE, turns, _question(said, working.state), _read)
    if answer is not None and answer.value.empty:
        await nothing_follows(space, answer, turns)
        answer = None
    async with space.journal.write() as batch:
        now = space.views.working.current
        if answer is not None and now is not None and working is not None and now == working:
            discretion = await discretion_of(space)
            refined = _refined(now.state, answer.value, turns, limits.items, discretion)
            batch.add("working.updated", {"working": _next(space, refined).to_json()})
            worked(space, batch, answer)
        batch.finish(op.id)


def _question(said: Sequence[Said], state: WorkingState) -> Messages:
    known = [
        *([f"goal: {state.goal.text}"] if state.goal is not None else []),
        *(f"constraint: {one.text}" for one in state.constraints),
        *(f"decision: {one.text}" for one in state.decisions),
        *(f"question: {one.text}" for one in state.questions),
        *(f"progress: {one.text}" for one in state.progress),
    ]
    locale = "zh" if any("\u4e00" <= char <= "\u9fff" for one in said for char in one.text) else "en"
    messages = [one_line(one.text, _SHOWN) for one in said]
    return ask(_ASKED, language_of(locale), {}, messages=messages, found=known)


def _read(value: Any) -> _Found:
    if not isinstance(value, dict):
        raise Unfit("the answer is no object")

    def texts(name: str) -> tuple[str, ...]:
        listed = value.get(name)
        return tuple(filter(None, (as_text(one, _LINE) for one in listed))) if isinstance(listed, list) else ()

    return _Found(
        goal=as_text(value.get("goal"), _LINE),
        constraints=texts("constraints"),
        decisions=texts("decisions"),
        questions=texts("openQuestions"),
        progress=as_text(value.get("progressSummary"), _LINE),
        frame=as_text(value.get("taskFrame"), _LINE),
    )


def _refined(
    state: WorkingState, found: _Found, turns: tuple[str, ...], most: int, discretion: Discretion
) -> WorkingState:
    """The state with what was added; it goes when any of the messages does that the model was shown."""

    def item(text: str) -> Item | None:
        return Item(text=text, turns=turns) if text and not discretion.hides(text) else None

    def texts(given: tuple[str, ...]) -> list[str]:
        return [text for text in given if not discretion.hides(text)]

    progress = item(found.progress)
    return replace(
        state,
        goal=item(found.goal) or state.goal,
        constraints=added(state.constraints, texts(found.constraints), turns, most),
        decisions=added(state.decisions, texts(found.decisions), turns, most),
        questions=added(state.questions, texts(found.questions), turns, most),
        progress=(progress,) if progress is not None else state.progress,
        framed=item(found.frame) or state.framed,
    )
