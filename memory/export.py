"""One character in readable form: what is known, what was said, and what rests on what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.clock import Clock, naive_local
from memory.facts.fact import Fact
from memory.history.turn import AI, HUMAN, Turn
from memory.people import Names
from memory.space import MemorySpace

FORMAT = "companion-memory-export/1"

_ROWS = 500
_VECTORS = ("embedding", "embedding_text_sha256", "embedding_model_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """Everything about one character as JSON values. Times are local, with their offset."""

    character: str
    made_at: str
    facts: Sequence[Mapping[str, Any]]
    reflections: Sequence[Mapping[str, Any]]
    persona: Sequence[Mapping[str, Any]]
    history: Sequence[Mapping[str, Any]]

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "character": self.character,
            "made_at": self.made_at,
            "facts": list(self.facts),
            "reflections": list(self.reflections),
            "persona": list(self.persona),
            "history": list(self.history),
        }


async def export(space: MemorySpace, names: Names) -> Export:
    """What a space holds at this moment, as far as a person would want to read it."""
    async with space.journal.hold():
        return Export(
            character=space.name,
            made_at=space.clock.now().isoformat(),
            facts=facts_of(space),
            reflections=[*reflections_of(space), *await _archived(space)],
            persona=persona_of(space),
            history=[turn_row(turn, names) for turn in await _all_turns(space)],
        )


def facts_of(space: MemorySpace) -> list[dict[str, Any]]:
    """Active facts, then archived ones."""
    return [
        *(fact_row(fact, space.clock, archived=False) for fact in space.facts),
        *(fact_row(fact, space.clock, archived=True) for fact in space.views.facts_archive),
    ]


def fact_row(fact: Fact, clock: Clock, *, archived: bool) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": fact.id,
        "text": fact.text,
        "about": fact.entity,
        "importance": fact.importance,
        "learnt_at": naive_local(clock.local(fact.created_at)),
        "happened_from": naive_local(clock.local(fact.event_start_at)) if fact.event_start_at else None,
        "happened_until": naive_local(clock.local(fact.event_end_at)) if fact.event_end_at else None,
        "sources": list(fact.sources),
        "superseded_by": fact.superseded_by,
    }
    return {**row, "archived": True} if archived else row


def reflections_of(space: MemorySpace) -> list[dict[str, Any]]:
    """Reflections with their status and the facts they rest on."""
    reflections = space.reflections
    return [_without_vectors(reflections.to_row(one)) for one in reflections]


async def _archived(space: MemorySpace) -> list[dict[str, Any]]:
    return [{**_without_vectors(row), "archived": True} for row in await space.reflection_archive.rows()]


def persona_of(space: MemorySpace) -> list[dict[str, Any]]:
    """Entries of the persona, each with the section it stands in."""
    rows: list[dict[str, Any]] = []
    for section, value in space.persona.document().items():
        entries = value.get("facts") if isinstance(value, Mapping) else None
        if isinstance(entries, list):
            found = (_without_vectors(entry) for entry in entries if isinstance(entry, Mapping))
            rows += ({"section": section, **entry} for entry in found)
    return rows


def turn_row(turn: Turn, names: Names) -> dict[str, Any]:
    speaker = turn.speaker or {HUMAN: names.master, AI: names.neko}.get(turn.kind, turn.kind)
    return {"id": turn.id, "row": turn.row, "at": turn.at.isoformat(), "speaker": speaker, "text": turn.text}


def _without_vectors(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in _VECTORS}


async def _all_turns(space: MemorySpace) -> list[Turn]:
    found: list[Turn] = []
    while turns := await space.turns.after(found[-1].row if found else 0, _ROWS):
        found += turns
    return found


# for reading


def markdown(value: Mapping[str, Any]) -> str:
    """The JSON form of an export as a page to read."""
    return "\n".join(_page(value)) + "\n"


def _page(value: Mapping[str, Any]) -> Iterator[str]:
    yield f"# {value['character']}"
    yield ""
    yield f"Exported {value['made_at']}."
    for title, key, line in (
        ("Facts", "facts", _fact_line),
        ("Reflections", "reflections", _reflection_line),
        ("Persona", "persona", _persona_line),
        ("History", "history", _turn_line),
    ):
        yield ""
        yield f"## {title}"
        yield ""
        rows = value[key]
        if not rows:
            yield "Nothing."
        for row in rows:
            yield line(row)


def _fact_line(row: Mapping[str, Any]) -> str:
    notes = [f"about {row['about']}", f"learnt {row['learnt_at']}"]
    if row.get("happened_until") or (row.get("happened_from") and row["happened_from"] != row["learnt_at"]):
        notes.append(f"happened {row['happened_from'] or '?'} – {row.get('happened_until') or '?'}")
    if row.get("superseded_by"):
        notes.append(f"replaced by {row['superseded_by']}")
    if row.get("archived"):
        notes.append("archived")
    return _line(row, "; ".join(notes), row.get("sources"))


def _reflection_line(row: Mapping[str, Any]) -> str:
    return _line(row, f"about {row.get('entity')}; {row.get('status')}", row.get("source_fact_ids"))


def _persona_line(row: Mapping[str, Any]) -> str:
    source = row.get("source_id")
    return _line(row, f"{row['section']}; from {row.get('source', 'unknown')}", [source] if source else None)


def _turn_line(row: Mapping[str, Any]) -> str:
    return f"- `{row['id']}` {row['at']} **{_plain(row['speaker'])}**: {_plain(row['text'])}"


def _line(row: Mapping[str, Any], notes: str, sources: Any) -> str:
    rests = f"; from {', '.join(f'`{one}`' for one in sources)}" if isinstance(sources, list) and sources else ""
    return f"- `{row.get('id', '')}` {_plain(str(row.get('text', '')))} ({notes}{rests})"


def _plain(text: str) -> str:
    """On one line, so that nobody's message becomes a heading."""
    return " ".join(text.split())
