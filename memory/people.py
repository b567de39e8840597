"""The names of the two people a space is about."""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_MASTER = "主人"


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
        if self.master_is_named or not language.startswith("en"):
            return self.master
        return "The user"

    def is_master(self, speaker: str) -> bool:
        """Whether a display name means the human this space belongs to."""
        return speaker.strip().casefold() in {name.casefold() for name in (self.master, *self.master_aliases)}
