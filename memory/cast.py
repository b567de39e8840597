"""Who the characters and their human are, and the companion's switches.

Read from ``<root>/config/characters.json`` and ``core_config.json``, which the companion app owns;
read again whenever one of them changes. Without a list of characters every directory is one. A file
that cannot be read says what it said last.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memory.errors import BadInput
from memory.people import DEFAULT_MASTER, Names
from memory.store import layout
from memory.store.watched import State, Watched

_CHARACTERS, _MASTER, _NAME, _NICKNAMES = "猫娘", "主人", "档案名", "昵称"
_SEPARATORS = re.compile(r"[,，;；、\s]+")


class Cast:
    """The characters' and the human's names, as configured now. Names are given and told as they were checked."""

    def __init__(self, root: Path, *, master_name: str | None = None) -> None:
        self._file = Watched(root / layout.CONFIG / layout.CHARACTERS)
        self._switches = Watched(root / layout.CONFIG / layout.CORE_CONFIG)
        self._master_name = master_name
        self._known: tuple[Mapping[str, Any], dict[str, Mapping[str, Any]]] | None = None

    def names(self, character: str) -> Names:
        """The names in a character's space."""
        master, card = self.master_card(), self.card(character)
        name = master.get(_NAME)
        return Names(
            neko=character,
            master=name.strip() if isinstance(name, str) and name.strip() else self._master_name or DEFAULT_MASTER,
            neko_aliases=_nicknames(card),
            master_aliases=_nicknames(master),
        )

    def published(self) -> frozenset[str] | None:
        """The configured characters, or None when nothing says which there are."""
        cards = self._cards()
        return None if cards is None else frozenset(cards)

    def card(self, character: str) -> Mapping[str, Any]:
        """The character's card, as the companion keeps it."""
        return (self._cards() or {}).get(character, {})

    def master_card(self) -> Mapping[str, Any]:
        """The human's card."""
        return _object((self._file.current() or {}).get(_MASTER))

    def switch(self, name: str) -> bool:
        """A switch of ``core_config.json``: on unless it says off."""
        return (self._switches.current() or {}).get(name) is not False

    @property
    def powerful(self) -> bool:
        """Whether what is held may be weighed and rewritten, not only added to."""
        return self.switch("powerful_memory_enabled")

    def check(self) -> None:
        """Raises BadInput while a file is there that cannot be read, and so says what may have changed since."""
        for file, name in ((self._file, layout.CHARACTERS), (self._switches, layout.CORE_CONFIG)):
            if file.look()[0] in (State.UNREADABLE, State.UNREACHABLE):
                raise BadInput(name, "is unreadable; what it said before stays in force until it is mended")

    def _cards(self) -> Mapping[str, Mapping[str, Any]] | None:
        value = self._file.current()
        if value is None or not isinstance(cards := value.get(_CHARACTERS), Mapping):
            return None
        if self._known is None or self._known[0] is not value:
            self._known = (value, {_as_checked(name): _object(card) for name, card in cards.items()})
        return self._known[1]


def _as_checked(name: str) -> str:
    """A name in the form that ``memory.names`` gives it. One that is not allowed is nobody's, and stays as it is."""
    return unicodedata.normalize("NFC", name.strip())


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _nicknames(card: Mapping[str, Any]) -> tuple[str, ...]:
    value = card.get(_NICKNAMES)
    parts = value if isinstance(value, list) else _SEPARATORS.split(value) if isinstance(value, str) else []
    return tuple(dict.fromkeys(part.strip() for part in parts if isinstance(part, str) and part.strip()))
