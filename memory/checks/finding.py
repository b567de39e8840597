"""What a check found, and what may be done about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from memory.store import layout

_SHOWN = 5  # rows or names that a sentence lists


class Level(StrEnum):
    """How much a finding matters."""

    NOTE = "note"          # worth knowing, nothing to do
    WARNING = "warning"    # not as it should be; nothing that is remembered is missing
    ERROR = "error"        # something may be missing, or cannot be written


class Repair(StrEnum):
    """What may be done about a finding without losing anything."""

    MODES = "set modes"
    TEMPORARY = "remove"
    REMAKE_VIEW = "remake view"
    REMAKE_DATABASE = "remake database"
    CUT_JOURNAL = "cut journal"
    OPEN = "open"              # opening the space does it
    REMOVE_DELETED = "remove deleted"
    REMAKE_CATALOGUE = "remake catalogue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is not as it should be, or worth knowing."""

    space: str | None            # None: the root itself
    code: str                    # stable, for programs
    level: Level
    sentence: str
    repair: Repair | None = None
    path: Path | None = None     # what a repair works on
    place: int = 0               # where in it: an offset, for a journal


def some(values: Sequence[object]) -> str:
    """The first few of many, for a sentence."""
    shown = ", ".join(str(value) for value in values[:_SHOWN])
    return f"{shown}, …" if len(values) > _SHOWN else shown


def name_of(directory: Path) -> str:
    """The name of the space that a directory holds, as ``Spaces`` knows it."""
    return f"@{directory.name}" if directory.parent.name == layout.SCOPES else directory.name


def names_of(paths: Sequence[Path]) -> list[str]:
    return [path.name for path in paths]
