"""Scopes: the names under which clients keep memories, and the space that each of them is.

``character:<name>`` is the companion's character of that name, spelled exactly as the companion
does. Every other scope is a space of its own. Blanks at the ends, runs of blanks, case and width
make no difference to which scope is meant.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
import uuid
from collections.abc import Iterable
from dataclasses import dataclass

from memory.errors import BadInput
from memory.names import check_name

RECALLNEST = "recallnest"
CHARACTER = "character"
FIELD = "scope"

SCOPE_LIMIT = 640           # characters
_SLUG_LIMIT = 40
_HASH = 16                  # hex digits

_NAMESPACE = uuid.UUID("6f1f0a7e-0b0a-5d0c-9a43-3f1d1c7e9b52")

_BLANKS = re.compile(r"\s+")
_NOT_PLAIN = re.compile(r"[^a-z0-9]+")
_PARTS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One scope: what it is called, and the name of its space."""

    name: str               # as its owner spelled it
    space: str              # for ``Spaces.use``
    dialect: str = RECALLNEST
    owner: str = ""

    @property
    def folded(self) -> str:
        """The same for all spellings of the same scope."""
        return fold_scope(self.name)

    @property
    def character(self) -> str | None:
        """The character that it is, if it is one."""
        return None if self.space.startswith("@") else self.space


def borrowing_order(scope: Scope) -> tuple[bool, str]:
    """For sorting: the order in which whoever borrows the spaces of several scopes does so."""
    return scope.character is None, scope.space


def collapsed(text: str) -> str:
    """One blank between words, none at the ends."""
    return _BLANKS.sub(" ", text).strip()


def fold_scope(name: str) -> str:
    """What two spellings of one scope have in common. The name of a character is taken as it is."""
    kind, colon, rest = collapsed(name).partition(":")
    if colon and kind.casefold() == CHARACTER:
        return f"{CHARACTER}:{unicodedata.normalize('NFC', rest.strip())}"
    return unicodedata.normalize("NFKC", collapsed(name)).casefold()


def read_scope(text: str, *, dialect: str = RECALLNEST, owner: str = "") -> Scope:
    """The scope of a name. Raises BadInput for a blank one, a long one, or no name of a character."""
    name = collapsed(text)
    if not name:
        raise BadInput(FIELD, "is required")
    if len(name) > SCOPE_LIMIT:
        raise BadInput(FIELD, f"must be at most {SCOPE_LIMIT} characters")
    folded = fold_scope(name)
    if folded.startswith(f"{CHARACTER}:"):
        try:
            character = check_name(folded.partition(":")[2])
        except BadInput as refused:
            raise BadInput(FIELD, refused.why) from None
        return of_character(character)
    return Scope(name=name, space=_space_of(dialect, owner, folded), dialect=dialect, owner=owner)


def of_character(name: str) -> Scope:
    """The scope that a character is, by its checked name."""
    return Scope(name=f"{CHARACTER}:{name}", space=name)


def derived_id(kind: str, text: str) -> str:
    """A UUID that always is the same for the same text."""
    return str(uuid.uuid5(_NAMESPACE, f"{kind}:{text}"))


def reserved(name: str) -> str:
    """The name of a space that is no scope: what the service itself keeps under a fixed name."""
    return f"@{name}"


def _space_of(dialect: str, owner: str, folded: str) -> str:
    told = json.dumps([dialect, owner, folded], ensure_ascii=False)
    mark = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
    plain = _NOT_PLAIN.sub("-", folded)[:_SLUG_LIMIT].strip("-") or FIELD
    return f"@{plain}-{mark}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which scopes a reader asks for: one, a family of them, or all."""

    text: str | None = None     # None: all

    @property
    def is_family(self) -> bool:
        """A name without ``:`` also means everything under it; so does one that ends in ``:*``."""
        return self.text is not None and (":" not in self.text or self.text.endswith(":*"))

    @property
    def is_one(self) -> bool:
        """Whether exactly one scope is named."""
        return self.text is not None and not self.is_family

    def covers(self, scope: Scope) -> bool:
        return self.covers_name(scope.folded)

    def covers_name(self, folded: str) -> bool:
        """The same for a name that was folded."""
        if self.text is None:
            return True
        wanted = fold_scope(self.text.removesuffix(":*"))
        return folded == wanted or (self.is_family and folded.startswith(f"{wanted}:"))


def near(wanted: str, scopes: Iterable[Scope], limit: int = 5) -> list[Scope]:
    """Scopes whose names resemble one that holds nothing, the likeliest first."""
    own = _words(wanted)
    ranked: list[tuple[float, str, Scope]] = []
    for scope in scopes:
        likeness = _likeness(own, _words(scope.name))
        if likeness >= 0.3 and scope.folded != fold_scope(wanted):
            ranked.append((-likeness, scope.name, scope))
    return [scope for _, _, scope in sorted(ranked, key=lambda one: one[:2])[:limit]]


def _words(name: str) -> frozenset[str]:
    return frozenset(part for part in _PARTS.split(fold_scope(name).casefold()) if part)


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """0..1: words in common, and words that begin alike."""
    if not one or not other:
        return 0.0
    shared = one & other
    close = sum(
        1 for word in one - shared if any(_alike(word, another) for another in other - shared)
    )
    return 2 * (len(shared) + 0.7 * close) / (len(one) + len(other))


def _alike(one: str, other: str) -> bool:
    if len(one) < 4 or len(other) < 4:
        return False
    grams, others = _pairs(one), _pairs(other)
    return 2 * len(grams & others) >= 1.2 * min(len(grams), len(others)) and abs(len(one) - len(other)) <= 3


def _pairs(word: str) -> frozenset[str]:
    return frozenset(word[at : at + 2] for at in range(len(word) - 1))


def spelled(scopes: Iterable[Scope]) -> list[str]:
    """Their names, in order."""
    return sorted(scope.name for scope in scopes)
