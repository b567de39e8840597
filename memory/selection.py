"""What an erasing would take: the items that match, and what rests on nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory.errors import BadInput
from memory.history.recent import Entry
from memory.history.turn import SYSTEM, Turn, without_stamp
from memory.history.wording import sentences_of
from memory.space import MemorySpace
from memory.store import layout
from memory.store.events import Event
from memory.store.scrub import Eraser, fold
from memory.store.view import FileView

TURN, MESSAGE, MEMO = "turn", "recent_message", "memo_line"
REFLECTION_SHARD, PERSONA_SHARD = "archived_reflection", "archived_persona_entry"

# Views in which nothing was ever said: positions, hashes, counts, and the name that a scope is found by.
WORDLESS = frozenset(
    {
        layout.CURSORS, layout.KEYS, layout.FORGOTTEN, layout.SYNTHESIS_BACKOFF, layout.SCOPE, layout.MODEL_TRIES,
        layout.TURNS_WITHHELD, layout.ANSWERED, layout.ACCOUNTS,
        layout.DIGEST_JOBS, layout.ERRANDS,
    }
)
_WINDOW = frozenset({layout.RECENT, layout.RECENT_META})
_KINDS: Mapping[str, str] = {
    layout.FACTS: "fact",
    layout.FACTS_ARCHIVE: "archived_fact",
    layout.PENDING_DEDUP: "pair_of_facts",
    layout.REFLECTIONS: "reflection",
    layout.SURFACED: "surfaced_topic",
    layout.PERSONA: "persona_entry",
    layout.PERSONA_CORRECTIONS: "correction",
    layout.FACT_VERSIONS: "earlier_version",
    layout.CONFLICTS: "conflict",
    layout.CHECKPOINTS: "checkpoint",
    layout.FACTS_RETIRED: "retired_fact",
    layout.EVENT_NOTES: "event_note",
    layout.HANDOFFS: "handoff",
    layout.REMINDERS: "reminder",
    layout.DIGESTS: "digest",
    layout.SCOPE_CARD: "scope_card",
    layout.WORKING_STATE: "working_state",
}

_TEXTS = ("text", "sentence", "content", "new_text", "candidate_text")
_SOURCES = ("source_fact_ids", "source_message_ids", "sources")
_ROWS = 500          # turns read at once
_LONG = 12           # characters from which a whole text is also looked for inside others
_MANY = 200          # texts looked for inside others


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One row of a view or an archive."""

    kind: str
    value: Mapping[str, Any]
    id: str | None
    text: str
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something that would go. For its owner's eyes."""

    kind: str
    id: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What was asked for, and what it would take as things stand."""

    text: str | None = None
    ids: tuple[str, ...] = ()
    items: tuple[Item, ...] = ()
    leftovers: int = 0              # files with remains of an erasing that did not come to its end

    @property
    def empty(self) -> bool:
        return not self.items and not self.leftovers


@dataclass(slots=True, kw_only=True)
class Plan:
    """A selection worked out: ids that go, rows of the turns among them, and what tells their texts."""

    ids: set[str]
    wanted: str = ""                                   # the text asked for
    turns: list[Turn] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    told: list[str] = field(default_factory=list)      # statements that must not be learnt again
    texts: list[str] = field(default_factory=list)     # whole texts of what goes
    staying: list[str] = field(default_factory=list)   # … and of what does not

    @property
    def known(self) -> set[str]:
        """Ids of what was found here."""
        return {turn.id for turn in self.turns} | {record.id for record in self.records if record.id is not None}

    def eraser(self, more: Collection[str] = (), texts: Collection[str] = ()) -> Eraser:
        """Knows the text asked for, and the whole of every text that goes unless something that stays says it too.

        ``more`` and ``texts`` are the ids and texts of what went before.
        """
        return _eraser({*self.ids, *more}, self.wanted, [*self.texts, *texts], self.staying)

    def items(self) -> tuple[Item, ...]:
        turns = [Item(kind=TURN, id=turn.id, text=turn.text) for turn in self.turns]
        return (*turns, *(Item(kind=record.kind, id=record.id, text=record.text) for record in self.records))


async def work_out(space: MemorySpace, text: str | None, ids: Collection[str]) -> Plan:
    """What goes: whatever matches; the turns that a matching fact came from; what then rests on nothing.

    Raises BadInput for a blank text, for nothing asked at all, and for an id that was never here.
    """
    wanted = text.strip() if text is not None else ""
    if text is not None and not fold(wanted).strip():
        raise BadInput("match", "must not be blank")
    if not wanted and not ids:
        raise BadInput("match", "give a text or an id")
    eraser = Eraser(ids=ids, parts=[wanted] if wanted else ())
    plan = Plan(ids=set(ids), wanted=wanted)
    records = await _records(space)
    seen: set[str] = set()
    async for turns in _turns(space):
        seen.update(turn.id for turn in turns)
        plan.ids.update(await space.disk.run(_matching, turns, eraser))
    for entry in space.recent.entries:
        if entry.id is not None:
            seen.add(entry.id)
            if eraser.finds(entry.to_json()) and not _is_memo(space, entry.id):
                plan.ids.add(entry.id)
    seen |= {record.id for record in records if record.id is not None}
    unknown = [one for one in ids if one not in seen and one not in space.forgotten.ids]
    if unknown:
        told = await _told_by_journal(space, unknown)
        unknown = [one for one in unknown if one not in told]
    if unknown:
        raise BadInput("id", f"there is nothing with the id {unknown[0]}")
    await space.disk.run(_close, plan, records, eraser)
    await _gather(space, plan, records, eraser)
    return plan


async def _told_by_journal(space: MemorySpace, ids: Collection[str]) -> set[str]:
    """Those of the ids that something had which no view holds any more: some keep only the latest."""
    wanted = frozenset(ids)
    found: set[str] = set()

    def gather(event: Event) -> None:
        for value in (event.data, *event.data.values()):
            rows = value if isinstance(value, list) else [value]
            found.update(wanted.intersection(_ids_of(rows)))

    await space.journal.rehearse(lambda event: event, gather)
    return found


def _ids_of(rows: Iterable[Any]) -> Iterator[str]:
    for row in rows:
        own = row.get("id") if isinstance(row, Mapping) else None
        if isinstance(own, str):
            yield own


def _is_memo(space: MemorySpace, entry_id: str) -> bool:
    """A memo loses lines; it does not go because of one."""
    return entry_id == space.views.recent_meta.value.get("memo_id") or entry_id.startswith("memo_")


def _close(plan: Plan, records: Sequence[Record], eraser: Eraser) -> None:
    for record in records:
        if record.id is not None and (record.id in plan.ids or eraser.takes(record.value)[1]):
            plan.ids.add(record.id)
            if record.kind in ("fact", "archived_fact"):
                plan.ids.update(record.sources)
    grown = True
    while grown:
        before = len(plan.ids)
        for record in records:
            if record.id is not None and record.sources and plan.ids.issuperset(record.sources):
                plan.ids.add(record.id)
        grown = len(plan.ids) > before


async def _gather(space: MemorySpace, plan: Plan, records: Sequence[Record], eraser: Eraser) -> None:
    """Collect what goes, and the texts of what stays."""
    by_id = Eraser(ids=plan.ids, parts=[plan.wanted] if plan.wanted else ())
    staying = plan.staying
    async for turns in _turns(space):
        for turn in turns:
            if turn.id in plan.ids:
                plan.turns.append(turn)
            else:
                staying.append(turn.text)
    await space.disk.run(_sort_records, plan, records, by_id)
    for entry in space.recent.entries:
        if entry.kind == SYSTEM:
            plan.records += _memo_lines(space, entry, by_id)
        elif entry.id is None and by_id.finds(entry.to_json()):
            plan.records.append(Record(kind=MESSAGE, value={}, id=None, text=entry.text))
        elif entry.id not in plan.ids:
            staying.append(entry.text)
    plan.texts = [text for text in (*(turn.text for turn in plan.turns), *_spoken(plan.records)) if text.strip()]
    plan.told = _told(plan, eraser)


def _memo_lines(space: MemorySpace, entry: Entry, eraser: Eraser) -> list[Record]:
    """The lines of a memo that go: those that hold something, and those of turns that go."""
    items = (space.views.recent_meta.memo or {}).get("items")
    of_gone = {
        str(item.get("sentence"))
        for item in (items if isinstance(items, list) else ())
        if isinstance(item, Mapping) and item.get("turn") in eraser.ids
    }
    return [
        Record(kind=MEMO, value={}, id=None, text=line)
        for line in entry.text.splitlines()
        if eraser.holds(line) or any(sentence in line for sentence in of_gone)
    ]


def _spoken(records: Iterable[Record]) -> list[str]:
    return [record.text for record in records if record.text]


def _eraser(ids: Collection[str], wanted: str, texts: Sequence[str], staying: Sequence[str]) -> Eraser:
    kept = [fold(text).strip() for text in staying]
    whole = {fold(text).strip() for text in texts} - set(kept) - {""}
    asked = fold(wanted).strip()
    if asked:
        whole = {text for text in whole if asked not in text}
    long = sorted((text for text in whole if len(text) >= _LONG), key=len)[:_MANY]
    inside = [text for text in long if not any(text in other for other in kept)]
    return Eraser(ids=ids, parts=[*([wanted] if wanted else ()), *inside], wholes=whole)


def _told(plan: Plan, eraser: Eraser) -> list[str]:
    """Statements that go, and sentences of turns that hold the text or were asked for by id."""
    from_turns = [
        sentence
        for turn in plan.turns
        for sentence in _sentences(turn)
        if (eraser.holds(sentence) if plan.wanted else turn.id in eraser.ids)
    ]
    return [*_spoken([record for record in plan.records if record.id is not None]), *from_turns]


def _sentences(turn: Turn) -> list[str]:
    return sentences_of(without_stamp(turn.text))


def _matching(turns: Sequence[Turn], eraser: Eraser) -> list[str]:
    return [turn.id for turn in turns if turn.id in eraser.ids or eraser.finds(turn.to_json())]


def _sort_records(plan: Plan, records: Sequence[Record], by_id: Eraser) -> None:
    """Those that go, and the texts of those that do not."""
    for record in records:
        if record.id in plan.ids or by_id.takes(record.value)[1] or (record.id is None and by_id.finds(record.value)):
            plan.records.append(record)
        else:
            plan.staying += strings_of(record.value)


async def _turns(space: MemorySpace) -> AsyncIterator[list[Turn]]:
    row = 0
    while turns := await space.turns.after(row, _ROWS, whole=True):
        yield turns
        row = turns[-1].row


# records


async def _records(space: MemorySpace) -> list[Record]:
    """Every row that somebody's words may stand in, apart from turns and the window."""
    found: list[Record] = []
    for view in space.views.all():
        if view.file not in WORDLESS and view.file not in _WINDOW:
            # Nobody folds meanwhile: whoever asks holds the write lock.
            found += await space.disk.run(_rows_of, view)
    for kind, shards in ((REFLECTION_SHARD, space.reflection_archive), (PERSONA_SHARD, space.persona_archive)):
        found += [_record(kind, row) for row in await shards.rows()]
    return found


def _rows_of(view: FileView) -> list[Record]:
    kind = _KINDS.get(view.file, "other")
    found: list[Record] = []
    for _, data in view.adoption():
        for value in data.values():
            rows = value if isinstance(value, list) else [value]
            found += [_record(kind, row) for row in rows if isinstance(row, Mapping)]
    return found


def _record(kind: str, row: Mapping[str, Any]) -> Record:
    inner = row.get("entry")
    value = inner if isinstance(inner, Mapping) else row
    own = value.get("id")
    return Record(
        kind=kind,
        value=row,
        id=own if isinstance(own, str) and own else None,
        text=next((text for key in _TEXTS if isinstance(text := value.get(key), str) and text), ""),
        sources=_sources(value),
    )


def _sources(value: Mapping[str, Any]) -> tuple[str, ...]:
    for key in _SOURCES:
        listed = value.get(key)
        if isinstance(listed, list) and listed:
            return tuple(one for one in listed if isinstance(one, str))
    single = value.get("source_id")
    return (single,) if isinstance(single, str) and single else ()


def strings_of(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from strings_of(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings_of(one)
