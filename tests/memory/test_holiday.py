from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.holiday import holiday_name


@pytest.mark.parametrize(
    ("day", "locale", "country", "name"),
    [
        ("2025-12-25", "en", "US", "Christmas Day"),
        ("2025-01-01", "zh", "CN", "元旦"),
        ("2025-01-01", "ja", "JP", "元日"),
        ("2025-12-25", "pt", "PT", "Dia de Natal"),
        ("2025-12-25", "pt", "BR", "Natal"),
        ("2025-02-03", "zh", "CN", "春节"),     # a compensating day off within the week
        ("2025-02-01", "zh", "CN", "春节"),     # the Saturday within it
        ("2025-01-29", "ru", "CN", "Chinese New Year (Spring Festival)"),   # no Russian name: the English one
    ],
)
def test_a_day_within_a_holiday_has_its_name(day: str, locale: str, country: str, name: str) -> None:
    assert holiday_name(datetime.fromisoformat(day).replace(tzinfo=UTC), locale, country) == name


@pytest.mark.parametrize(
    ("day", "country"),
    [("2025-12-24", "US"), ("2025-05-24", "US"), ("2025-02-05", "CN"), ("2025-12-25", "XX"), ("2025-12-25", "")],
)
def test_an_ordinary_day_or_an_unknown_country_has_none(day: str, country: str) -> None:
    # 24 May 2025 is the Saturday before Memorial Day: beside a holiday, not inside it.
    assert holiday_name(datetime.fromisoformat(day).replace(tzinfo=UTC), "en", country) is None
