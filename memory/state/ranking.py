"""Which events and facts answer a question best, by rules that can be checked by hand. Pure but for the pool."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from memory.facts.fact import Fact
from memory.history.raw import RawEvent, RawEvents, search_tokens
from memory.recall.postings import LONGEST_QUESTION
from memory.state.meaning import COMPARED, NOT_ASKED, Near

_LEAST_POOL, _MOST_POOL = 40, 200
_LEXICAL, _RECENCY, _PINNED, _PHRASE = 0.8, 0.2, 0.25, 0.15
_MEANING, _WORDS = 0.55, 0.25       # instead of the first, where the meaning was compared
_TERMS = 5                  # matched terms told in a reason
_ASKED = 128                # words of a question that count

# Aliases of what people ask for; a question that has one asks for all of its line.
_CONCEPTS = {
    "decision": ("decide", "decision", "agreed", "we will", "chose"),
    "constraint": ("constraint", "blocked", "blocker", "limitation", "must", "cannot"),
    "todo": ("todo", "next step", "action item", "follow up", "pending"),
    "status": ("status", "progress", "done", "shipped", "completed"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """An event and why it stands where it does. Scores have three decimals."""

    event: RawEvent
    heuristic: float
    recency: float
    final: float
    reason: str
    meaning: float | None = None    # None: it was not compared


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question as it is compared with texts."""

    terms: tuple[str, ...]
    concepts: tuple[str, ...]


def read_question(text: str) -> Question:
    """The question's words, and those of the concepts it speaks of."""
    folded = f" {' '.join(text.lower().split())} "
    concepts = tuple(
        name for name, aliases in _CONCEPTS.items() if any(f" {alias} " in _spaced(folded) for alias in aliases)
    )
    more = [token for name in concepts for alias in (name, *_CONCEPTS[name]) for token in search_tokens(alias)]
    # the longer words are the rarer ones
    own = sorted(search_tokens(text), key=len, reverse=True)[:_ASKED]
    return Question(terms=tuple(dict.fromkeys((*sorted(own), *more))), concepts=concepts)


def _spaced(text: str) -> str:
    return "".join(char if char.isalnum() else " " for char in text)


def rank(raw: RawEvents, question: Question, limit: int, meaning: Near = NOT_ASKED) -> tuple[list[Ranked], int]:
    """The events that answer best, and how many were looked at."""
    size = min(max(4 * limit, _LEAST_POOL), _MOST_POOL)
    sources: dict[str, list[str]] = {}
    pool: dict[str, RawEvent] = {}
    weights = idf(raw, question)
    nearest = (raw.of_turn(turn_id) for turn_id in meaning.best(min(size, COMPARED)))
    telling = _rarest(weights, len(raw))
    # an event with the one word that hardly any other has must not stand behind all that have the usual ones
    few = [term for term in telling if raw.count(term) <= size]
    streams = (
        ("recency", raw.newest(size)),
        ("lexical", {event.id: event for event in (*raw.saying(telling, size), *raw.saying(few, size))}.values()),
        ("vector", [event for event in nearest if event is not None]),
    )
    for name, events in streams:
        for event in events:
            pool[event.id] = event
            sources.setdefault(event.id, []).append(name)
    total = sum(weights.values())
    candidates = list(pool.values())
    times = [event.at.timestamp() for event in candidates]
    oldest, newest = (min(times), max(times)) if times else (0.0, 0.0)
    found: list[Ranked] = []
    rows = zip(
        candidates,
        raw.having(question.terms, candidates),
        times,
        meaning.scores([event.turn for event in candidates]),
        strict=True,
    )
    for event, matched, at, close in rows:
        heuristic = _heuristic(matched, weights, total)
        recency = (at - oldest) / (newest - oldest) if newest > oldest else 1.0
        # an event without a vector yet stands where its words put it
        said = _LEXICAL * heuristic if close is None else _MEANING * close + _WORDS * heuristic
        final = said + _RECENCY * recency + (_PINNED if event.pinned else 0.0)
        found.append(
            Ranked(
                event=event,
                heuristic=round(heuristic, 3),
                recency=round(recency, 3),
                final=round(final, 3),
                reason=_reason(sources[event.id], question, matched, pinned=event.pinned, compared=close is not None),
                meaning=round(close, 3) if close is not None else None,
            )
        )
    found.sort(key=lambda one: (-one.final, -one.event.at.timestamp(), -one.event.row))
    return found[:limit], len(pool)


def _rarest(weights: dict[str, float], size: int) -> list[str]:
    """The terms that tell most, of those that any event has, for finding the pool."""
    unknown = math.log(1 + size)
    known = [term for term, weight in weights.items() if weight < unknown]
    return sorted(known, key=lambda term: -weights[term])[:LONGEST_QUESTION]


def idf(raw: RawEvents, question: Question) -> dict[str, float]:
    """How telling each term is among the events; all alike where there are none."""
    size = len(raw)
    if not size:
        return dict.fromkeys(question.terms, 1.0)
    return {term: math.log(1 + size / (1 + raw.count(term))) for term in question.terms}


def relevance(fact: Fact, weights: dict[str, float]) -> float:
    """0..1, three decimals: how well a fact answers the question that the weights were made for."""
    said = set(search_tokens(fact.text))
    return round(_heuristic([term for term in weights if term in said], weights, sum(weights.values())), 3)


def _heuristic(matched: Sequence[str], weights: dict[str, float], total: float) -> float:
    if not matched or not total:
        return 0.0
    return min(1.0, sum(weights[term] for term in matched) / total + _PHRASE)


def _reason(
    sources: Sequence[str], question: Question, matched: Sequence[str], *, pinned: bool, compared: bool
) -> str:
    parts = ["embedding_rerank" if compared else "heuristic_rank", f"sources={'|'.join(sources)}"]
    if question.concepts:
        parts.append(f"concepts={'|'.join(question.concepts)}")
    if matched:
        parts += [f"terms={'|'.join(matched[:_TERMS])}", "phrase_boost"]
    if pinned:
        parts.append("pinned")
    return ", ".join(parts)
