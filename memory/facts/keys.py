"""Canonical keys: what tells that two statements are about the same, in every script.

A key is made of slugs joined by ``:``. A slug keeps letters and digits of all scripts in lower
case; whatever else comes between them is one hyphen. What is cut off, or leaves nothing, is told by
eight hex digits of a hash, so that two different texts never share a key by accident.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

from memory.facts.memory import PREFERENCES
from memory.facts.slots import Slot, slot_in_key, slot_of

SLUG_LIMIT = 120        # characters of a derived slug
KEY_LIMIT = 480         # characters of a key that somebody gives
_HASH = 8

_QUOTES = re.compile(r"['\"`]")
_HYPHENS = re.compile(r"-{2,}")
_BLANKS = re.compile(r"\s+")


def said(text: str) -> str:
    """A text as it is compared with another: one blank between words, no capitals."""
    return _BLANKS.sub(" ", text).strip().lower()


def fingerprint(text: str) -> str:
    """32 hex digits that two texts share when they say the same, blanks and capitals aside."""
    return hashlib.sha256(said(text).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def slug(text: str) -> str:
    """The whole slug of a text, however long; empty where it has no letter or digit."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text).lower())
    parts = [char if _stays(char) else "-" for char in _QUOTES.sub("", folded)]
    return _HYPHENS.sub("-", "".join(parts)).strip("-")


def _stays(char: str) -> bool:
    # Marks belong to the letter before them: without them whole scripts would fall apart.
    return char.isalnum() or unicodedata.category(char) in ("Mn", "Mc")


def _short(text: str, limit: int, origin: str) -> str:
    """A slug of bounded length; one that was cut, or is empty, has a hash of what it stands for."""
    if text and len(text) <= limit:
        return text
    mark = hashlib.sha256(said(origin).encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
    kept = text[:limit].strip("-")
    return f"{kept}-{mark}" if kept else mark


def explicit_key(text: str) -> str | None:
    """The key that somebody gave, or None where nothing is left of it. A key of ours comes back as it is."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text).lower()).strip()
    if slot_in_key(folded) is not None and not _BLANKS.search(folded):
        whole = folded
    else:
        whole = ":".join(part for segment in folded.split(":") if (part := slug(segment)))
    if not whole:
        return None
    return whole if len(whole) <= KEY_LIMIT else _short(whole, KEY_LIMIT - _HASH - 1, text)


def derived_key(category: str, text: str, *, title: str | None = None) -> tuple[str, Slot | None]:
    """The key of a statement that came without one, and the slot it was told by."""
    slot = slot_of(text) if category == PREFERENCES else None
    if slot is not None:
        return _bounded(slot.key, text), slot
    base = title or text
    whole = slug(base)
    if not whole:
        return f"{category}:memory-{_short('', 0, base)}", None
    return f"{category}:{_short(whole, SLUG_LIMIT, base)}", None


def _bounded(key: str, text: str) -> str:
    return key if len(key) <= SLUG_LIMIT else _short(key, SLUG_LIMIT, text).strip(":")


def canonical_key(category: str, text: str, *, given: str | None = None, title: str | None = None) -> str:
    """The key of a statement: the given one if something is left of it, else the derived one."""
    own = explicit_key(given) if given else None
    return own if own is not None else derived_key(category, text, title=title)[0]
