"""How far each background reader has come: ``cursors.json``."""

from __future__ import annotations

from memory.store import layout
from memory.store.events import Event
from memory.store.objects import ObjectView


class Cursors(ObjectView):
    """Named positions. Ours count rows, so that neither a restart nor a clock change skips any."""

    file = layout.CURSORS
    adopted, edited = "cursors.adopted", "cursors.edited"

    def row(self, name: str) -> int:
        """The last row that the named reader has dealt with; 0 at the beginning."""
        value = self.value.get(name, 0)
        return value if isinstance(value, int) else 0

    def take(self, event: Event) -> None:
        if event.type == "cursor.moved":
            self.value[event.data["name"]] = event.data["to"]
            self.dirty += 1
