"""Reading what a model made of a digest: bounded, and nothing taken on trust."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memory.facts.sameness import same_fact
from memory.recall.plain_tokens import payload
from memory.state.digest.align import Draft
from memory.state.digest.likeness import numbers_of, telling
from memory.state.register import LONGEST, Merged, read_entities
from memory.thinking import Unfit

_LINES = 10             # changes or steps that are read
_FACTS = 60
_CHARACTERS = 4_000     # of a summary
_ROOTED = 0.5           # share of the telling words of a merged text that its sources must have


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileFact:
    """A fact that a model found in the material."""

    facet: str
    value: str
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """An answer, read."""

    draft: Draft
    facts: tuple[ProfileFact, ...]


def read_digest(value: Any) -> Said:
    """Raises Unfit."""
    if not isinstance(value, dict) or not isinstance(summary := value.get("summary"), str) or not summary.strip():
        raise Unfit("there is no summary")
    return Said(
        draft=Draft(
            summary=" ".join(summary.split())[:_CHARACTERS],
            changes=_lines(value.get("changes")),
            steps=_lines(value.get("nextSteps")),
        ),
        facts=_facts(value.get("profileFacts")),
    )


def _lines(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise Unfit("a list is something else")
    found = [" ".join(one.split()).removeprefix("- ") for one in value if isinstance(one, str)]
    return tuple(one[:500] for one in found if one)[:_LINES]


def _facts(value: Any) -> tuple[ProfileFact, ...]:
    rows = value if isinstance(value, list) else []
    return tuple(
        ProfileFact(
            facet=str(row["facet"])[:64],
            value=" ".join(row["value"].split())[:_CHARACTERS],
            entities=read_entities(row.get("entities")),
        )
        for row in rows[:_FACTS]
        if isinstance(row, dict) and isinstance(row.get("facet"), str) and isinstance(row.get("value"), str)
    )


def read_merged(facet: str, value: Any, texts: Sequence[str]) -> Merged | None:
    """What becomes of the facts of a facet; None for nothing. Raises Unfit where it would lose or invent something."""
    if isinstance(value, dict):
        value = next((one for one in value.values() if isinstance(one, list)), None)
    if not isinstance(value, list):
        raise Unfit("the answer is no list")
    results: list[tuple[str, tuple[str, ...]]] = []
    named: set[int] = set()
    for row in value:
        text = row.get("text") if isinstance(row, dict) else None
        listed = row.get("mergedFrom") if isinstance(row, dict) else None
        if not isinstance(text, str) or not text.strip() or not isinstance(listed, list):
            raise Unfit("a result has no text or no sources")
        places = [one - 1 for one in listed if isinstance(one, int) and not isinstance(one, bool)]
        sources = [one for one in dict.fromkeys(places) if 0 <= one < len(texts) and one not in named]
        if not sources:
            raise Unfit("a result names no source")
        flat = " ".join(text.split())
        if not _is_rooted(flat, [texts[one] for one in sources]):
            raise Unfit("a result says what its sources do not")
        named.update(sources)
        results.append((flat, tuple(texts[one] for one in sources)))
    if not results:
        return None
    dropped = tuple(text for place, text in enumerate(texts) if place not in named)
    if len(dropped) * 2 > len(texts):
        raise Unfit("most facts would be lost")
    changes = dropped or any(len(sources) > 1 or text != sources[0] for text, sources in results)
    return Merged(facet=facet, results=tuple(results), dropped=dropped) if changes else None


def _is_rooted(text: str, sources: Sequence[str]) -> bool:
    if not text or len(text.encode("utf-16-le")) // 2 > LONGEST:
        return False
    if len(sources) == 1:
        return text == sources[0] or (same_fact(text, sources[0]) and numbers_of(text) == numbers_of(sources[0]))
    said = telling(text)
    known = frozenset[str]().union(*map(telling, sources))
    if not numbers_of(text) <= frozenset[str]().union(*map(numbers_of, sources)):
        return False
    if any(telling(one) and not telling(one) & said for one in sources):
        return False
    return bool(payload(text) or said) and len(said & known) >= len(said) * _ROOTED
