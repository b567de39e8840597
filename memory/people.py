"""The names of the two people a space is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memory.locale import DEFAULT_LOCALE, normalise

DEFAULT_MASTER = "主人"

# What the human is called where nobody configured a name; the same words as in the headings about them.
_UNNAMED: Mapping[str, str] = {
    "zh": DEFAULT_MASTER,
    "zh-TW": DEFAULT_MASTER,
    "en": "The user",
    "ja": "相手",
    "ko": "상대",
    "ru": "Собеседник",
    "es": "La otra persona",
    "pt": "A outra pessoa",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Who speaks in a space. ``master`` is the human, ``neko`` the character."""

    neko: str
    master: str = DEFAULT_MASTER
    neko_aliases: tuple[str, ...] = ()
    master_aliases: tuple[str, ...] = ()

    @property
    def master_is_named(self) -> bool:
        """Whether someone configured a name, rather than leaving the default."""
        return self.master != DEFAULT_MASTER

    def master_in(self, language: str) -> str:
        """The human's name for a sentence in ``language``, also when nobody configured one."""
        return self.master if self.master_is_named else _UNNAMED[normalise(language) or DEFAULT_LOCALE]

    def is_master(self, speaker: str) -> bool:
        """Whether a display name means the human this space belongs to."""
        return speaker.strip().casefold() in {name.casefold() for name in (self.master, *self.master_aliases)}
