"""How trust is added up, fades and is counted."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory.reflections import evidence as trust
from memory.reflections.evidence import Evidence
from tests.fakes import MORNING, FixedClock

NOW = MORNING



def test_reinforcement_halves_in_thirty_days() -> None:
    # 2.0 · 0.5^(15/30)
    found = Evidence(reinforcement=2.0, reinforced_at=NOW - timedelta(days=15))
    assert round(trust.score(found, NOW), 4) == 1.4142


def test_disputation_halves_in_a_hundred_and_eighty_days() -> None:
    # −1.0 · 0.5^(90/180)
    found = Evidence(disputation=1.0, disputed_at=NOW - timedelta(days=90))
    assert round(trust.score(found, NOW), 4) == -0.7071


@pytest.mark.parametrize("when", [None, NOW + timedelta(days=3)])
def test_what_has_no_time_or_a_future_one_does_not_fade(when: object) -> None:
    assert trust.score(Evidence(reinforcement=1.0, reinforced_at=when), NOW) == 1.0  # type: ignore[arg-type]


def test_the_third_fact_of_the_user_counts_twice() -> None:
    found, sums = Evidence(), []
    for _ in range(4):
        found = trust.reinforced_by_fact(found, NOW)
        sums.append(found.reinforcement)
    assert sums == [0.5, 1.0, 2.0, 3.0]


def test_what_a_rule_sees_counts_half() -> None:
    assert trust.reinforced_by_fact(Evidence(), NOW, weight=0.5).reinforcement == 0.25


@pytest.mark.parametrize(("importance", "seed"), [(10, 0.8), (9, 0.6), (8, 0.4), (7, 0.2), (6, 0.0)])
def test_a_reflection_begins_with_what_its_weightiest_fact_is_worth(importance: int, seed: float) -> None:
    found = trust.seeded([5, importance], NOW)
    assert (found.reinforcement, found.reinforced_at) == (seed, NOW if seed else None)


def test_being_passed_over_never_makes_a_memory_doubtful() -> None:
    found = Evidence()
    for _ in range(30):
        found = trust.ignored(found)
    assert trust.score(found, NOW) == 0.0
    assert not trust.is_disputed(found, NOW)


def test_being_passed_over_costs_trust_down_to_nothing() -> None:
    found = trust.ignored(Evidence(reinforcement=0.3, reinforced_at=NOW))
    assert round(found.reinforcement, 4) == 0.1
    assert trust.ignored(found).reinforcement == 0.0


def test_an_old_denial_heard_of_late_does_not_set_the_clock_back() -> None:
    found = trust.disputed(Evidence(disputation=1.0, disputed_at=NOW), 1.0, NOW - timedelta(days=9))
    assert found.disputed_at == NOW


def test_a_day_below_zero_is_counted_once() -> None:
    found = Evidence(disputation=1.0, disputed_at=NOW)
    once = trust.counted(found, NOW)
    assert (once.sub_zero_days, once.sub_zero_on) == (1, "2026-05-04")
    assert trust.counted(once, NOW + timedelta(hours=3)) == once
    assert trust.counted(once, NOW + timedelta(days=1)).sub_zero_days == 2


def test_the_count_begins_anew_when_the_score_recovers() -> None:
    low = Evidence(disputation=1.0, disputed_at=NOW, sub_zero_days=9, sub_zero_on="2026-05-03")
    recovered = trust.reinforced(low, 2.0, NOW)
    assert trust.counted(recovered, NOW).sub_zero_days == 0


def test_a_score_that_another_program_pushed_below_zero_by_silence_is_not_counted() -> None:
    silent = Evidence(reinforcement=-0.2, reinforced_at=NOW, sub_zero_days=13, sub_zero_on="2026-05-03")
    assert trust.counted(silent, NOW).sub_zero_days == 0


def test_merging_twice_changes_nothing() -> None:
    one, other = Evidence(reinforcement=1.0, disputation=0.5), Evidence(reinforcement=0.4, disputation=2.0)
    once = trust.merged(one, other, NOW)
    assert (once.reinforcement, once.disputation) == (1.0, 2.0)
    assert trust.merged(once, other, NOW) == once


def test_joining_two_that_faded_does_not_make_them_fresh() -> None:
    old = Evidence(reinforcement=1.0, reinforced_at=NOW - timedelta(days=30))
    older = Evidence(reinforcement=0.4, reinforced_at=NOW - timedelta(days=60))
    assert trust.joined(old, older).reinforced_at == NOW - timedelta(days=30)
    assert trust.joined(trust.joined(old, older), older) == trust.joined(old, older)


def test_one_clear_yes_is_enough_even_when_seconds_pass_before_anybody_looks() -> None:
    found = trust.reinforced(Evidence(), 1.0, NOW)
    assert trust.score(found, NOW + timedelta(minutes=3)) < trust.CONFIRM_AT
    assert trust.reaches(found, trust.CONFIRM_AT, NOW + timedelta(minutes=3))
    assert not trust.reaches(found, trust.CONFIRM_AT, NOW + timedelta(days=3))


def test_fields_come_back_as_they_were_written() -> None:
    found = Evidence(
        reinforcement=0.25, disputation=1.0, reinforced_at=NOW, disputed_at=NOW - timedelta(days=1), user_facts=3,
        sub_zero_days=2, sub_zero_on="2026-05-03",
    )  # fmt: skip
    assert Evidence.from_fields(found.to_fields(), FixedClock()) == found


def test_odd_fields_take_their_defaults() -> None:
    row = {"reinforcement": "much", "disputation": -3, "rein_last_signal_at": 7, "sub_zero_days": None}
    assert Evidence.from_fields(row, FixedClock()) == Evidence()
