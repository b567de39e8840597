"""How often drawing a reflection from one and the same facts failed: ``synth_backoff.json``."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from memory.clock import Clock, naive_local
from memory.reflections import fields
from memory.store import layout
from memory.store.events import Event
from memory.store.objects import ObjectView

ATTEMPTS = 5
HEALS_AFTER = timedelta(hours=5)
_MOST = 64          # keys kept: those that failed most


class SynthesisBackoff(ObjectView):
    """Failures by the hash of the facts tried. Only a model can fail here; rules cannot."""

    file = layout.SYNTHESIS_BACKOFF
    adopted, edited = "synthesis_backoff.adopted", "synthesis_backoff.edited"

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def blocked(self, key: str, now: datetime) -> bool:
        """Whether these facts failed so often that they should rest."""
        count, at = self._entry(key)
        return count >= ATTEMPTS and at is not None and now - at < HEALS_AFTER

    def failures(self, key: str) -> int:
        return self._entry(key)[0]

    def _entry(self, key: str) -> tuple[int, datetime | None]:
        entry = self.value.get(key)
        if isinstance(entry, Mapping):
            return fields.count(entry.get("n")), fields.moment(entry.get("at"), self._clock)
        return fields.count(entry), None

    def take(self, event: Event) -> None:
        match event.type:
            case "synthesis.failed":
                key = event.data["key"]
                self.value[key] = {"n": event.data["n"], "at": naive_local(event.at)}
                kept = sorted(self.value, key=lambda one: self._entry(one)[0], reverse=True)[:_MOST]
                self.value = {one: self.value[one] for one in self.value if one in {*kept, key}}
                self.dirty += 1
            case "synthesis.recovered":
                self.dirty += self.value.pop(event.data["key"], None) is not None
