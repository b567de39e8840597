"""Gaps: topics asked for in vain."""

from __future__ import annotations

from datetime import timedelta

from memory.sessions.asked import Asked
from memory.sessions.gaps import gaps
from tests.fakes import MORNING


def asked(text: str, top: float = 0.0, *, scope: str | None = "project:x", hours: float = 1) -> Asked:
    return Asked(text=text, scope=scope, top=top, results=int(top > 0), at=MORNING - timedelta(hours=hours))


def found(*log: Asked, least: int = 2, scope: str | None = None) -> list[tuple[str, int]]:
    rows = gaps(log, now=MORNING, days=30, threshold=0.3, least=least, scope=scope)
    return [(gap.topic, gap.searches) for gap in rows]


def test_questions_about_the_same_are_one_topic() -> None:
    log = [asked("deploy rollback steps"), asked("rollback steps deploy"), asked("how to rollback deploy")]
    assert found(*log) == [("deploy rollback steps", 3)]


def test_a_topic_asked_once_is_no_gap() -> None:
    assert found(asked("deploy rollback")) == []


def test_a_topic_that_was_answered_well_at_last_is_no_gap() -> None:
    assert (
        found(asked("deploy rollback", hours=3), asked("deploy rollback", hours=2), asked("deploy rollback", 0.8))
        == []
    )


def test_scopes_are_kept_apart() -> None:
    log = [asked("rollback"), asked("rollback"), asked("rollback", scope="project:y"), asked("rollback", scope=None)]
    assert found(*log) == [("rollback", 2)]
    assert found(*log, scope="project:y", least=1) == [("rollback", 1)]


def test_old_questions_do_not_count() -> None:
    assert found(asked("rollback", hours=31 * 24), asked("rollback")) == []


def test_the_most_wanted_topic_comes_first() -> None:
    log = [asked("tea"), asked("tea"), asked("coffee beans"), asked("coffee beans"), asked("coffee beans")]
    assert found(*log) == [("coffee beans", 3), ("tea", 2)]
