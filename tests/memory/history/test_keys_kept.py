"""How many idempotency keys are kept, and how long."""

from __future__ import annotations

from datetime import timedelta

import orjson
import pytest

from memory.history.keys import Keys
from memory.store.events import Event
from memory.store.view import Unreadable
from tests.fakes import MORNING, FixedClock


def event(seq: int, key: str, *, after: timedelta = timedelta()) -> Event:
    return Event(
        seq=seq, id=f"event_{seq}", type="turns.added", at=MORNING + after, data={}, payload={}, commit=True,
        key={"key": key, "body": f"body of {key}", "answer": seq},
    )  # fmt: skip


def folded(keys: Keys, *events: Event) -> Keys:
    for one in events:
        keys.fold(one)
    return keys


def test_the_oldest_keys_make_way_for_new_ones() -> None:
    keys = folded(Keys(most=2, seconds=60), event(1, "a"), event(2, "b"), event(3, "c"))
    assert list(keys.accepted) == ["b", "c"]


def test_keys_that_are_too_old_go() -> None:
    keys = folded(Keys(most=9, seconds=60), event(1, "a"), event(2, "b", after=timedelta(seconds=61)))
    assert list(keys.accepted) == ["b"]


def test_the_file_holds_what_was_folded() -> None:
    keys = folded(Keys(most=9, seconds=60), event(1, "a"), event(2, "b"))
    again = Keys(most=9, seconds=60)
    again.read(b"".join(keys.render()()), FixedClock())
    assert again.accepted == keys.accepted


def test_another_programs_file_of_the_same_name_holds_no_keys_of_ours() -> None:
    keys = Keys(most=9, seconds=60)
    keys.read(orjson.dumps({"keys": {"theirs": 1}}), FixedClock())
    assert keys.empty
    with pytest.raises(Unreadable):
        keys.read(b"[]", FixedClock())
