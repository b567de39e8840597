"""Tombstones: what they know again, and what they do not tell."""

from __future__ import annotations

import pytest

from memory.clock import SystemClock
from memory.forgotten import Forgotten
from memory.people import Names
from memory.store.events import Event
from tests.fakes import MORNING

NAMES = Names(neko="Rin", master="小明", master_aliases=("Ming",))


def stoned(*texts: str, salt: str = "salt_1") -> Forgotten:
    view = Forgotten()
    data = {**view.stones_for(texts, NAMES, salt), "ids": ["fact_1"]}
    view.fold(Event(seq=1, id="e", type="forgotten.added", at=MORNING, data=data, payload={}))
    return view


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        ("The user lives in Zanzibar.", "小明 lives in Zanzibar."),
        ("小明 lives in Zanzibar.", "Ming is living in ZANZIBAR!"),
        ("小明喜欢喝绿茶。", "小明喜欢喝绿茶"),
        ("I like green tea with honey.", "I like green tea with honey today"),  # four words of five are the same
    ],
)
def test_the_same_statement_in_other_words_is_known(gone: str, said: str) -> None:
    assert stoned(gone).covers(said, NAMES)


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        ("小明 lives in Zanzibar.", "小明 lives in Berlin."),
        ("小明 likes green tea.", "小明 likes tea."),            # two words of three
        ("小明 likes tea.", "小明 likes tea, coffee and cake."),
        ("小明 lives in Zanzibar.", "小明"),
    ],
)
def test_another_statement_is_not(gone: str, said: str) -> None:
    assert not stoned(gone).covers(said, NAMES)


def test_nothing_forgotten_covers_nothing() -> None:
    assert not Forgotten().covers("anything", NAMES)


def test_no_word_stands_in_the_file_and_the_salt_changes_all() -> None:
    one, other = stoned("lives in Zanzibar"), stoned("lives in Zanzibar", salt="salt_2")
    first, second = (b"".join(view.render()()) for view in (one, other))
    assert b"anzibar" not in first
    assert first != second


def test_the_file_is_read_as_it_was_written() -> None:
    view, again = stoned("lives in Zanzibar", "likes tea"), Forgotten()
    again.read(b"".join(view.render()()), SystemClock())
    assert again.adoption() == view.adoption()
    assert "fact_1" in again.ids
    assert again.covers("likes tea", NAMES)


def test_a_salt_once_chosen_stays() -> None:
    view = stoned("lives in Zanzibar")
    assert view.stones_for(["x y"], NAMES, "salt_9")["salt"] == "salt_1"
