from __future__ import annotations

import pytest

from memory.locale import LOCALES
from memory.strings.durations import elapsed, time_since

MINUTE, HOUR, DAY = 60, 3_600, 86_400


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (30 * MINUTE, "30 minutes"),
        (59 * MINUTE + 59, "59 minutes"),
        (HOUR, "1 hour"),
        (HOUR + MINUTE, "1 hour 1 minute"),
        (2 * HOUR + 30 * MINUTE, "2 hours 30 minutes"),
        (3 * HOUR + 30 * MINUTE, "3 hours"),
        (23 * HOUR + 59 * MINUTE, "23 hours"),
        (DAY, "1 day"),
        (3 * DAY + 5 * HOUR + 40 * MINUTE, "3 days 5 hours"),
        (400 * DAY, "400 days"),
        (-5, "0 minutes"),
    ],
)
def test_a_pause_is_said_in_the_units_that_matter(seconds: int, words: str) -> None:
    assert elapsed(seconds, "en") == words


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        ("zh", "3天5小时"), ("zh-TW", "3天5小時"), ("ja", "3日5時間"), ("ko", "3일 5시간"), ("ru", "3 дня 5 часов"),
        ("es", "3 días 5 horas"), ("pt", "3 dias 5 horas"), ("tlh", "3 days 5 hours"),
    ],
)  # fmt: skip
def test_a_pause_is_said_in_the_language(locale: str, words: str) -> None:
    assert elapsed(3 * DAY + 5 * HOUR, locale) == words


@pytest.mark.parametrize(
    ("hours", "words"), [(1, "1 час"), (2, "2 часа"), (5, "5 часов"), (11, "11 часов"), (21, "21 час"), (22, "22 часа")]
)
def test_russian_counts_in_three_forms(hours: int, words: str) -> None:
    assert elapsed(hours * HOUR, "ru") == words


@pytest.mark.parametrize(
    ("days", "label"),
    [
        (-1, "now"), (0, "now"), (1, "1 day ago"), (6, "6 days ago"), (7, "1 week ago"), (29, "4 weeks ago"),
        (30, "1 month ago"), (365, "12 months ago"),
    ],
)  # fmt: skip
def test_the_label_changes_from_days_to_weeks_to_months(days: int, label: str) -> None:
    assert time_since(days, "en") == label


@pytest.mark.parametrize(
    ("locale", "label"),
    [
        ("zh", "1周前"), ("zh-TW", "1週前"), ("ja", "1週間前"), ("ko", "1주 전"), ("ru", "1 неделю назад"),
        ("es", "hace 1 semana"), ("pt", "há 1 semana"),
    ],
)  # fmt: skip
def test_the_label_is_in_the_language(locale: str, label: str) -> None:
    assert time_since(8, locale) == label


def test_every_locale_has_a_word_for_now() -> None:
    assert len({time_since(0, locale) for locale in LOCALES}) == len(LOCALES)
