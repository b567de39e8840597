"""Which events a digest takes into account, within its budgets, and what it leaves out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memory.facts.sameness import overlap
from memory.state.digest import kinds
from memory.state.digest.classes import class_of
from memory.state.digest.kinds import Statement, importance, is_weighty, statements
from memory.state.digest.likeness import numbers_of, tokens_of
from memory.state.digest.piece import Piece, in_order

EVENTS, DOCUMENTS, OTHERS = 40, 10, 30      # most in one portion: all, documents, stream events that are not durable
FIRST, LATER, REBUILT = 200, 50, 80         # most stream events read at once
CHARACTERS = 240_000
NOVELTY = 0.15
_REPEATED = 0.92
_LISTED = 200           # drops told one by one; all are counted
_MARK = " […]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """An event with what it says."""

    piece: Piece
    kind: str
    importance: float
    said: tuple[tuple[Statement, str | None], ...]      # with the class that is routed to a facet

    @property
    def durable(self) -> bool:
        """Whether no budget for passing remarks may cut it."""
        return any(one.kind in kinds.DURABLE or kind is not None for one, kind in self.said)


@dataclass(slots=True, kw_only=True)
class Log:
    """Why what was kept and left out. Drops beyond the first are counted alone."""

    rationale: list[str] = field(default_factory=list)
    drops: list[dict[str, Any]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    omitted: int = 0

    def drop(self, reason: str, **detail: Any) -> None:
        if len(self.drops) >= _LISTED:
            self.omitted += 1
            return
        short = {key: value[:200] if isinstance(value, str) else value for key, value in detail.items()}
        self.drops.append({"reason": reason, "detail": short})

    def lines(self) -> tuple[str, ...]:
        """The rationale with its counts, and how many drops are not told one by one."""
        counted = [f"{name}:{count}" for name, count in self.counts.items() if count or name.startswith("selected")]
        more = [f"drops_omitted:{self.omitted}"] if self.omitted else []
        return (*counted, *self.rationale[:_LISTED], *more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """What counts of a portion."""

    documents: tuple[Read, ...]     # oldest first
    stream: tuple[Read, ...]        # oldest first


def read(piece: Piece, wanted: Collection[str]) -> Read:
    """What an event says, and what kind of event that makes it."""
    if piece.is_reply:
        return Read(piece=piece, kind=kinds.NOISE, importance=importance(kinds.NOISE, ""), said=())
    said = tuple((one, class_of(one, wanted)) for one in statements(piece.text, is_document=piece.is_document))
    ranked = sorted(said, key=lambda one: -importance(one[0].kind, one[0].text))
    if not ranked:
        kind = kinds.NOTE if piece.is_document and piece.text.strip() else kinds.NOISE
        return Read(piece=piece, kind=kind, importance=importance(kind, piece.text), said=said)
    first = ranked[0][0]
    weight = importance(first.kind, piece.text)
    kind = kinds.NOTE if first.kind in (kinds.GOAL, kinds.RISK) else first.kind
    return Read(piece=piece, kind=kind, importance=weight, said=said)


def portions(found: Sequence[Read], window: int) -> Iterator[list[Read]]:
    """Stretches of events, oldest first, in none of which a budget must cut what is durable."""
    portion: list[Read] = []
    documents = durable = stream = 0
    for one in found:
        is_document = one.piece.is_document
        full = (
            documents >= DOCUMENTS
            if is_document
            else stream >= window or (one.durable and durable >= EVENTS - DOCUMENTS)
        )
        if full and portion:
            yield portion
            portion, documents, durable, stream = [], 0, 0, 0
        portion.append(one)
        documents += is_document
        stream += not is_document
        durable += not is_document and one.durable
    if portion:
        yield portion


def select(portion: Sequence[Read], log: Log) -> Selected:
    """What counts of a portion, and why."""
    heard = [one for one in portion if one.kind != kinds.NOISE]
    log.counts["noise"] += len(portion) - len(heard)
    kept = _distinct(heard, log)
    documents = _documents(kept, log)
    streams = [one for one in kept if not one.piece.is_document]
    scores = _scores(streams)

    def ranked(found: Sequence[Read]) -> list[Read]:
        return sorted(
            found,
            key=lambda one: (
                not one.piece.pinned, -scores[one.piece.id], -one.piece.at.timestamp(), one.piece.id
            ),
        )

    durable = ranked([one for one in streams if one.durable])
    others = ranked([one for one in streams if not one.durable])
    for one in others[OTHERS:]:
        log.drop("contextual_budget", event=one.piece.id, kind=one.kind)
    chosen = _pinned_first([*documents, *durable, *others[:OTHERS]])
    for one in chosen[EVENTS:]:
        log.drop("event_budget", event=one.piece.id, kind=one.kind)
    chosen = _within(chosen[:EVENTS], log)
    picked = sorted(chosen, key=lambda one: in_order(one.piece))
    documents = [one for one in picked if one.piece.is_document]
    stream = [one for one in picked if not one.piece.is_document]
    log.counts["selected_docs"] += len(documents)
    log.counts["selected_stream_durable"] += sum(one.durable for one in stream)
    log.counts["selected_stream"] += sum(not one.durable for one in stream)
    return Selected(documents=tuple(documents), stream=tuple(stream))


def deltas(stream: Sequence[Read], told: str) -> list[Read]:
    """What is new against the text of the last digest; decisions and constraints always are."""
    before = tokens_of(told)
    return [
        one
        for one in stream
        if one.durable or 1.0 - overlap(tokens_of(one.piece.text), before) >= NOVELTY
    ]


def _distinct(found: Sequence[Read], log: Log) -> list[Read]:
    """Without what says again what a later event of the same type and key says."""
    newest = sorted(found, key=lambda one: in_order(one.piece), reverse=True)
    kept: list[Read] = []
    for one in newest:
        if kept and _repeats(one, kept[-1]):
            log.rationale.append(f"dedup:{one.piece.id}")
        elif any(_repeats(one, other) for other in kept[:-1]):
            log.rationale.append(f"dedup_near:{one.piece.id}")
        else:
            kept.append(one)
    return kept


def _repeats(one: Read, other: Read) -> bool:
    own, others = tokens_of(one.piece.text), tokens_of(other.piece.text)
    small, large = sorted((len(own), len(others)))
    if not small or small < _REPEATED * large:
        return False
    if one.piece.is_document != other.piece.is_document or one.piece.key != other.piece.key:
        return False
    if overlap(own, others) < _REPEATED:
        return False
    counted = {one.kind, other.kind} & {kinds.DECISION, kinds.TODO} or one.durable or other.durable
    return not (counted and numbers_of(one.piece.text) != numbers_of(other.piece.text))


def _documents(kept: Sequence[Read], log: Log) -> list[Read]:
    """The newest text of each document, the newest ones first, pinned ones before them."""
    by_key: dict[str, Read] = {}
    for one in kept:            # newest first
        if one.piece.is_document and by_key.setdefault(one.piece.key or one.piece.id, one) is not one:
            log.drop("older_document", event=one.piece.id)
    ordered = _pinned_first(list(by_key.values()))
    for one in ordered[DOCUMENTS:]:
        log.drop("document_budget", event=one.piece.id)
    return ordered[:DOCUMENTS]


def _pinned_first(found: Sequence[Read]) -> list[Read]:
    return sorted(found, key=lambda one: not one.piece.pinned)


def _scores(streams: Sequence[Read]) -> dict[str, float]:
    times = [one.piece.at.timestamp() for one in streams]
    oldest, newest = min(times, default=0.0), max(times, default=0.0)
    span = newest - oldest
    return {
        one.piece.id: 0.7 * one.importance
        + 0.3 * ((one.piece.at.timestamp() - oldest) / span if span else 1.0)
        + (0.1 if is_weighty(one.piece.text) else 0.0)
        for one in streams
    }


def _within(chosen: Sequence[Read], log: Log) -> list[Read]:
    """What fits the budget of characters: whole events, the first that does not fit cut short, then nothing."""
    total = sum(len(one.piece.text) for one in chosen)
    if total <= CHARACTERS:
        return list(chosen)
    pinned = sum(len(one.piece.text) for one in chosen if one.piece.pinned)
    kept: list[Read] = []
    left = CHARACTERS
    for place, one in enumerate(chosen):
        if len(one.piece.text) <= left:
            kept.append(one)
            left -= len(one.piece.text)
            continue
        if left > len(_MARK) or not kept:
            text = one.piece.text[: max(left - len(_MARK), 1)] + _MARK
            kept.append(replace(one, piece=replace(one.piece, text=text)))
            log.counts["char_budget_truncated"] += 1
            place += 1
        for other in chosen[place:]:
            log.drop("char_budget", event=other.piece.id, kind=other.kind)
        log.counts["char_budget_dropped"] += len(chosen) - place
        break
    used = sum(len(one.piece.text) for one in kept)
    log.rationale.append(f"char_budget_applied:{total}->{used}")
    if pinned > CHARACTERS:
        log.rationale.append(f"pinned_budget_exceeded:{pinned}->{CHARACTERS}")
    return kept
