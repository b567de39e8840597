"""Writing changes of the persona into a batch, beside those of the reflections they come from."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from memory.persona.corrections import Correction, correction_key
from memory.persona.entry import Entry
from memory.persona.record import to_record
from memory.reflections.pen import Because, Pen
from memory.space import MemorySpace
from memory.store.journal import Batch


class PersonaPen(Pen):
    """What one batch makes of persona and reflections."""

    def __init__(self, space: MemorySpace, batch: Batch, now: datetime) -> None:
        super().__init__(space, batch, now)
        self._entries: dict[tuple[str, str], Entry | None] = {}
        self._corrections: dict[str, Correction | None] = {}

    def entry(self, entity: str, entry_id: str) -> Entry | None:
        key = (entity, entry_id)
        return self._entries[key] if key in self._entries else self.space.persona.get(entity, entry_id)

    def entries(self, entity: str | None = None) -> list[Entry]:
        """Entries as they are now, in the order of the document."""
        known = {(one.entity, one.id): one for one in self.space.persona}
        latest = {**known, **self._entries}
        return [one for one in latest.values() if one is not None and entity in (None, one.entity)]

    def corrections(self) -> list[Correction]:
        """What is queued now, oldest first."""
        view = self.space.views.corrections
        known = {view.key_of(one): one for one in view}
        return [one for one in {**known, **self._corrections}.values() if one is not None]

    # changes

    def added(self, entry: Entry, because: Because) -> None:
        payload = {"entity_key": entry.entity, "entry_id": entry.id, "text": entry.text, "source": entry.source}
        self._note("persona.fact_added", entry, because, payload)

    def entry_mentioned(self, entry: Entry, because: Because) -> None:
        """It was voiced; the event's type says whether it now rests."""
        type_ = "persona.suppressed" if entry.mentions.resting else "persona.fact_mentioned"
        self._note(type_, entry, because, {"entity_key": entry.entity, "entry_id": entry.id})

    def entry_weighed(self, entry: Entry, source: str, because: Because) -> None:
        """Its trust changed; nothing is written when nothing did, or for what is beyond doubt."""
        if entry.protected or self.entry(entry.entity, entry.id) in (None, entry):
            return
        payload = {
            "entity_key": entry.entity, "entry_id": entry.id, **entry.evidence.to_fields(), "source": source,
        }  # fmt: skip
        self._note("persona.evidence_updated", entry, because, payload, source=source)

    def rewritten(self, entry: Entry, source: str, because: Because) -> None:
        payload = {
            "entity_key": entry.entity,
            "entry_id": entry.id,
            "rewrite_text_sha256": sha256(entry.text.encode()).hexdigest(),
            **entry.evidence.to_fields(),
            "merged_from_ids": list(entry.merged_from_ids),
            "source": source,
        }
        self._note("persona.entry_updated", entry, because, payload, source=source)

    def refined(self, entry: Entry, because: Because) -> None:
        """It was looked through beside others like it; nothing of it changed but that this is noted."""
        self._note("persona.refined", entry, because, {"entity_key": entry.entity, "entry_id": entry.id})

    def removed(self, entry: Entry, because: Because) -> None:
        self._entries[(entry.entity, entry.id)] = None
        data = {"entity": entry.entity, "id": entry.id, **because.to_json()}
        self.batch.add("persona.entry_removed", data, {"entity_key": entry.entity, "entry_id": entry.id})

    def queued(self, correction: Correction, because: Because) -> None:
        """A question for later, asked once."""
        key = correction_key(correction.old_text, correction.new_text, correction.entity)
        if any(correction_key(one.old_text, one.new_text, one.entity) == key for one in self.corrections()):
            return
        self._corrections[key] = correction
        row = self.space.views.corrections.to_row(correction)
        self.batch.add("correction.queued", {"correction": row, **because.to_json()}, {"entity": correction.entity})

    def left_to_model(self, correction: Correction) -> None:
        """Rules cannot decide it: it stays, marked."""
        key = correction_key(correction.old_text, correction.new_text, correction.entity)
        self._corrections[key] = replace(correction, needs_model=True)
        row = self.space.views.corrections.to_row(replace(correction, needs_model=True))
        self.batch.add("correction.deferred", {"correction": row, "rule": "needs_model"})

    def resolved(self, correction: Correction, action: str, because: Because) -> None:
        key = correction_key(correction.old_text, correction.new_text, correction.entity)
        self._corrections[key] = None
        data = {"key": key, "action": action, **because.to_json()}
        self.batch.add("correction.resolved", data, {"entity": correction.entity, "action": action})

    def _note(self, type_: str, entry: Entry, because: Because, payload: dict[str, Any], **more: Any) -> None:
        self._entries[(entry.entity, entry.id)] = entry
        data = {"entity": entry.entity, "entry": to_record(entry), **more, **because.to_json()}
        self.batch.add(type_, data, payload)
