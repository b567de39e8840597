"""Who the characters and their human are, and the companion's switches.

Read from ``<root>/config/characters.json`` and ``core_config.json``, which the companion app owns;
read again whenever one of them changes. Without them every directory is a character.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.people import DEFAULT_MASTER, Names
from memory.store import layout
from memory.store.files import Print, look, read
from memory.store.view import Unreadable, parse_object

log = logging.getLogger(__name__)

_CHARACTERS, _MASTER, _NAME, _NICKNAMES = "猫娘", "主人", "档案名", "昵称"
_SEPARATORS = re.compile(r"[,，;；、\s]+")


@dataclass(slots=True)
class _File:
    path: Path
    seen: Print | None = None
    value: Mapping[str, Any] | None = None

    def current(self) -> Mapping[str, Any] | None:
        """The content, read again if the file changed; what was last readable otherwise."""
        seen = look(self.path)
        if seen == self.seen:
            return self.value
        self.seen = seen
        data = read(self.path)
        if data is None:
            self.value = None
            return None
        try:
            self.value = parse_object(data)
        except Unreadable:
            log.warning("%s is unreadable; keeping what was read before", self.path.name)
        return self.value


class Cast:
    """The characters' and the human's names, as configured now."""

    def __init__(self, root: Path, *, master_name: str | None = None) -> None:
        self._characters = _File(root / layout.CONFIG / "characters.json")
        self._switches = _File(root / layout.CONFIG / "core_config.json")
        self._master_name = master_name

    def names(self, character: str) -> Names:
        """The names in a character's space."""
        value = self._characters.current() or {}
        master = _object(value.get(_MASTER))
        card = _object(_object(value.get(_CHARACTERS)).get(character))
        name = master.get(_NAME)
        return Names(
            neko=character,
            master=name if isinstance(name, str) and name.strip() else self._master_name or DEFAULT_MASTER,
            neko_aliases=_nicknames(card),
            master_aliases=_nicknames(master),
        )

    def published(self) -> frozenset[str] | None:
        """The configured characters, or None when nothing says which there are."""
        value = self._characters.current()
        if value is None:
            return None
        return frozenset(_object(value.get(_CHARACTERS)))

    def card(self, character: str) -> Mapping[str, Any]:
        """The character's card, as the companion keeps it."""
        value = self._characters.current() or {}
        return _object(_object(value.get(_CHARACTERS)).get(character))

    def master_card(self) -> Mapping[str, Any]:
        """The human's card."""
        return _object((self._characters.current() or {}).get(_MASTER))

    def switch(self, name: str) -> bool:
        """A switch of ``core_config.json``: on unless it says off."""
        return (self._switches.current() or {}).get(name) is not False


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _nicknames(card: Mapping[str, Any]) -> tuple[str, ...]:
    value = card.get(_NICKNAMES)
    parts = value if isinstance(value, list) else _SEPARATORS.split(value) if isinstance(value, str) else []
    return tuple(part.strip() for part in parts if isinstance(part, str) and part.strip())
