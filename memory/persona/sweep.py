"""The daily round: counting days below zero, putting away what lost all trust, faded, or ended long ago."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from memory.clock import naive_local
from memory.facts.rules.draft import METHOD
from memory.persona import record as entry_record
from memory.persona.entry import Entry
from memory.persona.pen import PersonaPen
from memory.reflections import evidence as trust
from memory.reflections import record as reflection_record
from memory.reflections.pen import SWEEP, Because
from memory.reflections.reflection import ARCHIVED, DENIED, PROMOTED, STALE, Reflection, anchor, entering, is_past
from memory.space import MemorySpace
from memory.store.outbox import OutboxOp
from memory.store.shards import Shards

log = logging.getLogger(__name__)

ARCHIVE = "archive_rows"                    # owed: rows that left a view are put into their shard
REFLECTIONS, PERSONA = "reflections", "persona"

_ENDED_STAY = timedelta(days=30)            # promoted and denied reflections, before they are put away
_PAST_STAYS = timedelta(days=30)            # what is over, before it fades
_AT_ONCE = 100


async def sweep(space: MemorySpace) -> int:
    """Count the day and put away what is due. Returns how many rows were. May run any number of times a day."""
    today = space.clock.now().date()
    if not len(space.reflections) and not len(space.persona):
        return 0
    shards = {
        REFLECTIONS: await space.reflection_archive.target(today, space.name, _AT_ONCE),
        PERSONA: await space.persona_archive.target(today, space.name, _AT_ONCE),
    }
    async with space.journal.write() as batch:
        pen = PersonaPen(space, batch, space.clock.now())
        _count(pen)
        gone = _gone_reflections(pen, shards[REFLECTIONS])
        away = _gone_entries(pen, shards[PERSONA])
        for name, rows in ((REFLECTIONS, gone), (PERSONA, away)):
            if rows:
                batch.owe(ARCHIVE, {"archive": name, "shard": shards[name], "rows": rows})
    return len(gone) + len(away)


async def put_away(space: MemorySpace, op: OutboxOp) -> None:
    """Perform the owed archiving: may run twice, since rows replace themselves."""
    shelves: Mapping[str, Shards] = {REFLECTIONS: space.reflection_archive, PERSONA: space.persona_archive}
    shelf = shelves.get(str(op.payload.get("archive")))
    rows = op.payload.get("rows")
    if shelf is not None and isinstance(rows, Sequence) and rows:
        await shelf.add(str(op.payload["shard"]), rows)
    space.at("archive.written")
    async with space.journal.write() as batch:
        batch.finish(op.id)


def _count(pen: PersonaPen) -> None:
    because = Because(rule="below_zero")
    for one in pen.alive():
        pen.weighed(one.id, trust.counted(one.evidence, pen.now), SWEEP, because)
    for entry in pen.entries():
        pen.entry_weighed(replace(entry, evidence=trust.counted(entry.evidence, pen.now)), SWEEP, because)


def _gone_reflections(pen: PersonaPen, shard: str) -> list[dict[str, Any]]:
    """Reflections that leave: archived for a reason, or ended a month ago."""
    rows: list[dict[str, Any]] = []
    for one in pen.reflections():
        if len(rows) == _AT_ONCE:
            break
        if one.is_terminal:
            if _ended_long_ago(one, pen):
                rows.append(_row(reflection_record.to_record(one), shard, pen))
                data = {"ids": [one.id], "shard": shard, "rule": "ended_long_ago"}
                pen.batch.add("reflection.shelved", data, {"reflection_id": one.id, "archive_shard_path": shard})
            continue
        rule = _why_archived(one, pen)
        if rule is not None:
            after = entering(one, ARCHIVED, pen.now)
            row = _row(reflection_record.to_record(after), shard, pen)
            rows.append(row)
            payload = {
                "reflection_id": one.id, "from": one.status, "to": ARCHIVED, "ts": naive_local(pen.now),
                "reason": rule, "archive_shard_path": shard, "archived_at": row["archived_at"], "entry_snapshot": row,
            }  # fmt: skip
            data = {"ids": [one.id], "shard": shard, "from": one.status, "to": ARCHIVED, "rule": rule}
            pen.batch.add("reflection.state_changed", data, payload)
            log.info("%s: %s archived (%s)", pen.space.name, one.id, rule)
    return rows


def _ended_long_ago(one: Reflection, pen: PersonaPen) -> bool:
    if one.status not in (PROMOTED, DENIED):
        return False
    since = one.entered.get(one.status, one.created_at)
    return pen.now - since > _ENDED_STAY


def _why_archived(one: Reflection, pen: PersonaPen) -> str | None:
    if one.evidence.sub_zero_days >= trust.ARCHIVE_AFTER_DAYS:
        return "below_zero"
    lasts = STALE.get(one.temporal_scope or "", timedelta())
    # Only what rules drew: its facts stay where recall finds them.
    if one.method == METHOD and is_past(one, pen.now) and pen.now - anchor(one) > lasts + _PAST_STAYS:
        return "faded"
    return None


def _gone_entries(pen: PersonaPen, shard: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for entry in pen.entries():
        if entry.protected or entry.evidence.sub_zero_days < trust.ARCHIVE_AFTER_DAYS or len(rows) == _AT_ONCE:
            continue
        row = _row(entry_record.to_record(_at_rest(entry)), shard, pen)
        rows.append(row)
        payload = {
            "entity_key": entry.entity, "entry_id": entry.id, "archive_shard_path": shard,
            "archived_at": row["archived_at"], "text": entry.text, "source": entry.source, "entry_snapshot": row,
        }  # fmt: skip
        data = {"entity": entry.entity, "entry": row, "shard": shard, "rule": "below_zero"}
        pen.batch.add("persona.fact_added", data, payload)
        log.info("%s: %s archived (below_zero)", pen.space.name, entry.id)
    return rows


def _at_rest(entry: Entry) -> Entry:
    return replace(entry, extra={**entry.extra, "entity": entry.entity})


def _row(record: Mapping[str, Any], shard: str, pen: PersonaPen) -> dict[str, Any]:
    return {**record, "archived_at": naive_local(pen.now), "archive_shard_path": shard}
