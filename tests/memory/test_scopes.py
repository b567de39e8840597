"""Which space a scope is, and which scopes a reader means."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.errors import BadInput
from memory.scopes import Scope, Wanted, near, read_scope
from memory.store import layout

ROOT = Path("/root")


def test_spellings_of_one_scope_are_one_space() -> None:
    spaces = {
        read_scope(text).space for text in ("project:demo", " Project:Demo ", "ＰＲＯＪＥＣＴ:demo", "project:DEMO")
    }
    assert len(spaces) == 1


def test_different_scopes_are_different_spaces() -> None:
    names = [
        "project:demo",
        "project:demo2",
        "project",
        "project:de-mo",
        "project de mo",
        "session:demo",
        "项目:甲",
        "项目:乙",
    ]
    assert len({read_scope(name).space for name in names}) == len(names)


def test_dialects_and_owners_never_meet() -> None:
    spaces = {
        read_scope("project:x").space,
        read_scope("project:x", dialect="statecore", owner="a").space,
        read_scope("project:x", dialect="statecore", owner="b").space,
    }
    assert len(spaces) == 3


def test_a_character_is_its_own_space_spelled_exactly() -> None:
    assert read_scope("character:Mio").space == "Mio"
    assert read_scope("Character:Mio").space == "Mio"
    assert read_scope("character:mio").space == "mio"


@pytest.mark.parametrize("name", ["", "  ", "x" * 641, "character:", "character:..", "character:a/b", "character:@x"])
def test_what_is_no_scope_is_refused(name: str) -> None:
    with pytest.raises(BadInput):
        read_scope(name)


@pytest.mark.parametrize("name", ["project:../../etc", "a\0b", "con", "x" * 600, "🙂", ".hidden", "a/b\\c"])
def test_any_name_becomes_one_harmless_directory(name: str) -> None:
    space = read_scope(name).space
    directory = layout.space_directory(ROOT, space)
    assert directory.parent == layout.scopes_directory(ROOT)
    assert len(directory.name) < 80
    assert directory.name.replace("-", "").isalnum()


@pytest.mark.parametrize(
    ("wanted", "scope", "covered"),
    [
        (None, "project:a", True),
        ("project:a", "project:a", True),
        ("project:a", "Project:A", True),
        ("project:a", "project:ab", False),
        ("project:a", "project:a:b", False),
        ("project", "project:a", True),
        ("project", "project", True),
        ("project", "projectfoo", False),
        ("memory", "memory:pivot", True),
        ("memory", "memoryfoo", False),
        ("cc:*", "cc:a1", True),
        ("cc:*", "codex:a1", False),
        ("character:Mio", "character:mio", False),
    ],
)
def test_a_family_ends_at_a_colon(wanted: str | None, scope: str, covered: bool) -> None:
    assert Wanted(text=wanted).covers(read_scope(scope)) is covered


def test_near_names_are_found_whatever_the_order_of_their_words() -> None:
    known = [read_scope(name) for name in ("project:mini-migration", "project:payments", "character:Mio")]
    assert [scope.name for scope in near("migration:mini", known)] == ["project:mini-migration"]
    assert near("zebra:herd", known) == []


def test_the_scope_itself_is_not_near_itself() -> None:
    assert near("project:a", [Scope(name="Project:A", space="@x")]) == []
