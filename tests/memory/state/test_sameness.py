"""Whether two statements are one fact, and where facts are kept and listed."""

from __future__ import annotations

import pytest

from memory.facts.sameness import revises, same_fact
from memory.state.facets import PACKS, fact_key, read_pack, resolve


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We use pnpm", "  we USE   pnpm"),
        # 3 of 5 words: {user, likes, green, tea} against {user, really, likes, green, tea}: 4 of 5
        ("The user likes green tea.", "the user really likes green tea"),
        ("see the docs page", "see the documentation page"),
        ("用户喜欢喝绿茶", "用户很喜欢喝绿茶"),
        ("Это важно", "это важно"),
    ],
)
def test_these_say_the_same(one: str, other: str) -> None:
    assert same_fact(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The cat is black.", "The dog runs fast."),
        ("项目使用 postgres 数据库", "项目使用 mysql 数据库"),
        ("我喜欢 go 语言", "我喜欢 js 语言"),
        ("", "anything"),
        ("Это важно", "это срочно"),
    ],
)
def test_these_do_not(one: str, other: str) -> None:
    assert not same_fact(one, other)


def test_a_note_revises_one_that_differs_in_little() -> None:
    # {api, is, now, v1, stable, and, used} and the same with v2: 6 of 8 words
    assert revises("api is now v2 stable and used", "api is now v1 stable and used")
    assert not revises("使用 v2 数据库", "使用 v1 数据库")


def test_every_template_has_the_facet_of_notes_and_no_facet_twice() -> None:
    for pack in PACKS.values():
        assert pack.get("notes") is not None
        names = [facet.name for facet in pack.facets]
        assert len(names) == len(set(names))
        assert all(facet.description for facet in pack.facets)


def test_a_malformed_pack_of_the_account_counts_as_none() -> None:
    facets: list[object] = ["x", [], [{"cap": 3}], [{"name": "a"}, {"name": "a"}], None]
    for bad in ({"facets": one} for one in facets):
        assert read_pack(bad) is None
        assert resolve("health", bad).source == "template"


def test_what_a_facet_leaves_out_takes_its_default() -> None:
    pack = read_pack({"facets": [{"name": "a", "cap": 0, "writeProtected": "yes", "displayGroup": ""}]})
    assert pack is not None
    (facet,) = pack.facets
    assert (facet.cap, facet.write_protected, facet.group) == (8, False, None)


def test_a_key_is_16_hex_digits_of_group_and_text() -> None:
    # the first digits of SHA-256 over "notes|we use pnpm"
    assert fact_key("Notes", " We  use pnpm ") == fact_key("notes", "we use pnpm")
    assert len(fact_key("Notes", "x")) == 16
