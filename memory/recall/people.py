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


def named_in(folded: str, snapshots: Sequence[Snapshot], names: Names | None) -> list[Person]:
    """The people named in a folded text, each as the speaker names that are theirs."""
    found: list[Person] = []
    known: set[str] = set()
    for person in _pair(names) if names is not None else ():
        known |= person
        if any(_mentions(folded, name) for name in person):
            found.append(person)
    for snapshot in snapshots:
        # Copied in one step: the writer may add a speaker meanwhile.
        for name in list(snapshot.speakers)[:_MOST]:
            if name not in known and _mentions(folded, name):
                known.add(name)
                found.append(frozenset((name,)))
    return found


@lru_cache(maxsize=256)
def _pair(names: Names) -> tuple[Person, Person]:
    """The human and the character, each with the mark of the facts about them."""
    return (
        _person((names.master, *names.master_aliases), "master"),
        _person((names.neko, *names.neko_aliases), "neko"),
    )


def _person(names: Iterable[str], entity: str) -> Person:
    folded = {words.fold(name).strip() for name in names}
    return frozenset(folded - {""}) | {f"{ENTITY_MARK}{entity}"}


def _mentions(text: str, name: str) -> bool:
    """Whether the name stands in the text, as a whole word where its script has words."""
    at = text.find(name)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(name) : at + len(name) + 1]
        if not (name[0].isascii() and _is_letter(before)) and not (name[-1].isascii() and _is_letter(after)):
            return True
        at = text.find(name, at + 1)
    return False


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalnum()
