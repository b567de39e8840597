"""What is being worked on, and how often that was told anew: ``working_state.json``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from memory.state.working import Working
from memory.store import layout
from memory.store.events import Event
from memory.store.objects import ObjectView


class WorkingFile(ObjectView):
    """The latest working state; none before the first update. What rests on a turn goes when nobody may see that."""

    file = layout.WORKING_STATE
    adopted, edited = "working.adopted", "working.edited"

    def __init__(self) -> None:
        super().__init__()
        self._read: tuple[Mapping[str, Any], Working | None] | None = None

    @property
    def current(self) -> Working | None:
        if self._read is None or self._read[0] is not self.value:
            self._read = (self.value, Working.from_json(self.value))
        return self._read[1]

    def take(self, event: Event) -> None:
        match event.type:
            case "working.updated":
                self.value = dict(event.data["working"])
                self.dirty += 1
            case "turns.withheld":
                self._withhold({str(row["id"]) for row in event.data["turns"]})
            case "turns.erased":
                self._withhold(set(map(str, event.data["ids"])))

    def _withhold(self, turns: Collection[str]) -> None:
        working = self.current
        if working is None:
            return
        left = working.state.without(turns)
        if left is not working.state:
            self.value = replace(working, state=left).to_json()
            self.dirty += 1
