"""Which of the people of a memory a question names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from memory.people import Names
from memory.recall import words
from memory.recall.index import Snapshot
from memory.recall.records import ENTITY_MARK

# Speakers looked for in one question; a group chat may have more than it is worth comparing.
_MOST = 512

Person = frozenset[str]

# What facts call the human when nobody gave a name. Folded; as in "the user lives in Berlin".
ANYONE: Person = frozenset(("user", "主人", "用户", "使用者", "ユーザー", "사용자"))


def named_in(folded: str, snapshots: Sequence[Snapshot], names: Names | None) -> list[Person]:
    """The people named in a folded text, each as the speaker names that are theirs, first named first."""
    found: list[tuple[int, Person]] = []
    known: set[str] = set()
    for person in _pair(names) if names is not None else ():
        known |= person
        places = [place for name in person if (place := _place(folded, name)) >= 0]
        if places:
            found.append((min(places), person))
    for snapshot in snapshots:
        # Copied in one step: the writer may add a speaker meanwhile.
        for name in list(snapshot.speakers)[:_MOST]:
            if name not in known and (place := _place(folded, name)) >= 0:
                known.add(name)
                found.append((place, frozenset((name,))))
    found.sort(key=lambda pair: pair[0])
    return [person for _, person in found]


def without(folded: str, names: Iterable[str]) -> tuple[str, list[str]]:
    """The text with the names, in this order, taken out; and which they were."""
    found = []
    for name in names:
        while (at := _place(folded, name)) >= 0:
            folded = f"{folded[:at]} {folded[at + len(name) :]}"
            found.append(name)
    return folded, found


@lru_cache(maxsize=256)
def longest_first(names: Person) -> tuple[str, ...]:
    return tuple(sorted(names, key=lambda name: (-len(name), name)))


def both(names: Names) -> Person:
    """All names of the two, folded."""
    neko, master = _pair(names)
    return neko | master


@lru_cache(maxsize=256)
def _pair(names: Names) -> tuple[Person, Person]:
    """The human and the character, each with the mark of the facts about them."""
    return (
        _person((names.master, *names.master_aliases, *ANYONE), "master"),
        _person((names.neko, *names.neko_aliases), "neko"),
    )


def _person(names: Iterable[str], entity: str) -> Person:
    folded = {words.fold(name).strip() for name in names}
    return frozenset(folded - {""}) | {f"{ENTITY_MARK}{entity}"}


def _place(text: str, name: str) -> int:
    """Where the name stands in the text, as a whole word where its script has words; -1: nowhere."""
    at = text.find(name)
    while at >= 0:
        before, after = text[max(at - 1, 0) : at], text[at + len(name) : at + len(name) + 1]
        if not (name[0].isascii() and _is_letter(before)) and not (name[-1].isascii() and _is_letter(after)):
            return at
        at = text.find(name, at + 1)
    return -1


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalnum()
