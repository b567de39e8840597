"""The companion's two configuration files: who there is, what they are called, and what is switched on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory.cast import Cast
from memory.errors import BadInput
from memory.people import Names


@pytest.fixture
def cast(tmp_path: Path) -> Cast:
    return Cast(tmp_path)


def put(root: Path, value: object, name: str = "characters.json") -> None:
    (root / "config").mkdir(exist_ok=True)
    aside = root / "config" / f"{name}.new"
    aside.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    aside.replace(root / "config" / name)


def test_without_files_nobody_is_configured_and_everything_is_on(cast: Cast) -> None:
    assert cast.published() is None
    assert cast.names("Mio") == Names(neko="Mio")
    assert not cast.names("Mio").master_is_named
    assert (dict(cast.card("Mio")), dict(cast.master_card())) == ({}, {})
    assert cast.powerful
    assert cast.switch("recent_memory_auto_review")
    cast.check()


def test_characters_and_the_human_are_read_from_the_companions_file(cast: Cast, tmp_path: Path) -> None:
    put(tmp_path, {
        "猫娘": {"Mio": {"昵称": "Mi, 小澪；Mimi", "性格": "calm"}, "Rin": {}},
        "主人": {"档案名": " Alex ", "昵称": ["Al", 7, ""]},
        "当前猫娘": "Mio",
    })  # fmt: skip
    assert cast.published() == frozenset({"Mio", "Rin"})
    assert cast.names("Mio") == Names(
        neko="Mio", master="Alex", neko_aliases=("Mi", "小澪", "Mimi"), master_aliases=("Al",)
    )
    assert cast.card("Mio")["性格"] == "calm"
    assert cast.master_card()["档案名"] == " Alex "


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b，c;d；e、f g", ("a", "b", "c", "d", "e", "f", "g")),
        ("  , ;; ", ()),
        ("a, a、a", ("a",)),
        ("", ()),
    ],
)
def test_nicknames_are_separated_in_many_ways(
    cast: Cast, tmp_path: Path, text: str, names: tuple[str, ...]
) -> None:
    put(tmp_path, {"猫娘": {"Mio": {"昵称": text}}})
    assert cast.names("Mio").neko_aliases == names


def test_names_are_known_in_the_form_in_which_they_are_checked(cast: Cast, tmp_path: Path) -> None:
    put(tmp_path, {"猫娘": {" Zoe\u0301 ": {"昵称": "Zo"}}})
    assert cast.published() == frozenset({"Zo\u00e9"})
    assert cast.names("Zo\u00e9").neko_aliases == ("Zo",)


def test_a_changed_file_counts_at_once(cast: Cast, tmp_path: Path) -> None:
    put(tmp_path, {"猫娘": {"Mio": {}}})
    assert cast.published() == frozenset({"Mio"})
    put(tmp_path, {"猫娘": {"Mio": {}, "Rin": {}}})
    assert cast.published() == frozenset({"Mio", "Rin"})
    (tmp_path / "config" / "characters.json").unlink()
    assert cast.published() is None


@pytest.mark.parametrize("broken", ["", "{", "[]", '"x"'])
def test_a_file_that_cannot_be_read_says_what_it_said_last(cast: Cast, tmp_path: Path, broken: str) -> None:
    put(tmp_path, {"猫娘": {"Mio": {}}})
    put(tmp_path, {"powerful_memory_enabled": False}, "core_config.json")
    assert cast.published() == frozenset({"Mio"})
    assert not cast.powerful
    put(tmp_path, broken)
    put(tmp_path, broken, "core_config.json")
    assert cast.published() == frozenset({"Mio"})
    assert not cast.powerful
    with pytest.raises(BadInput, match=r"characters\.json"):
        cast.check()


def test_switches_that_were_never_readable_are_on(cast: Cast, tmp_path: Path) -> None:
    put(tmp_path, "{", "core_config.json")
    assert cast.powerful
    with pytest.raises(BadInput, match=r"core_config\.json"):
        cast.check()


def test_only_false_switches_off(cast: Cast, tmp_path: Path) -> None:
    for value, on in ((False, False), (True, True), (None, True), (0, True), ("false", True)):
        put(tmp_path, {"powerful_memory_enabled": value}, "core_config.json")
        assert cast.powerful is on


@pytest.mark.parametrize("value", [{}, {"猫娘": None}, {"猫娘": ["Mio"]}, {"主人": {"档案名": "Alex"}}])
def test_a_file_without_a_list_of_characters_does_not_say_there_are_none(
    cast: Cast, tmp_path: Path, value: object
) -> None:
    put(tmp_path, value)
    assert cast.published() is None


def test_a_list_without_characters_says_there_are_none(cast: Cast, tmp_path: Path) -> None:
    put(tmp_path, {"猫娘": {}})
    assert cast.published() == frozenset()


@pytest.mark.parametrize("card", [None, 7, "x", ["昵称"], {"昵称": {"a": 1}}])
def test_an_odd_card_is_an_empty_one(cast: Cast, tmp_path: Path, card: object) -> None:
    put(tmp_path, {"猫娘": {"Mio": card}, "主人": card})
    assert cast.published() == frozenset({"Mio"})
    assert cast.names("Mio") == Names(neko="Mio")


def test_the_name_given_at_the_start_is_for_a_human_nobody_configured(tmp_path: Path) -> None:
    cast = Cast(tmp_path, master_name="Sam")
    assert cast.names("Mio").master == "Sam"
    put(tmp_path, {"主人": {"档案名": "  "}})
    assert cast.names("Mio").master == "Sam"
    put(tmp_path, {"主人": {"档案名": "Alex"}})
    assert cast.names("Mio").master == "Alex"


@pytest.mark.parametrize(
    ("locale", "name"),
    [("zh", "主人"), ("zh-TW", "主人"), ("en", "The user"), ("en-GB", "The user"), ("ja", "相手"), ("ko", "상대"),
     ("ru", "Собеседник"), ("es", "La otra persona"), ("pt", "A outra pessoa"), ("fr", "The user")],
)  # fmt: skip
def test_an_unnamed_human_is_called_something_in_every_language(locale: str, name: str) -> None:
    assert Names(neko="Mio").master_in(locale) == name
    assert Names(neko="Mio", master="Alex").master_in(locale) == "Alex"
