"""What is done for a scope from time to time, and whom it tells: ``errands.json``."""

from __future__ import annotations

from datetime import datetime

from memory.store import layout
from memory.store.events import Event
from memory.store.objects import ObjectView

_WEBHOOK, _DONE = "webhook", "done"


class Errands(ObjectView):
    """The address that reminders are delivered to, and when each errand was last done."""

    file = layout.ERRANDS
    adopted, edited = "errands.adopted", "errands.edited"

    @property
    def webhook(self) -> str | None:
        """A URL. What others wrote into the file is checked again before it is used."""
        url = self.value.get(_WEBHOOK)
        return url if isinstance(url, str) and url else None

    def done_at(self, name: str) -> datetime | None:
        """When an errand was last done; aware."""
        done = self.value.get(_DONE)
        try:
            at = datetime.fromisoformat(str(done.get(name))) if isinstance(done, dict) else None
        except ValueError:
            return None
        return at if at is not None and at.tzinfo is not None else None

    def take(self, event: Event) -> None:
        if event.type == "webhook.set":
            self.value[_WEBHOOK] = event.data["url"]
            self.dirty += 1
        elif event.type == "errand.done":
            done = self.value.get(_DONE)
            self.value[_DONE] = {**(done if isinstance(done, dict) else {}), event.data["name"]: event.at.isoformat()}
            self.dirty += 1
