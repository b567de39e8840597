"""Which public holiday it is, offline.

The library behind this takes about 0.2 s and 20 MB to import and to compute its first country. Nothing that runs
during start-up may import this module: whoever needs it loads it in a thread once the service answers
(``await asyncio.to_thread(importlib.import_module, "memory.holiday")``), and until then there is no holiday line.
Afterwards a call is a look-up in a cached year.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from functools import lru_cache

import holidays

from memory.locale import EN, ES, JA, KO, PT, RU, ZH, ZH_TW

_LANGUAGES = {
    ZH: ("zh_CN", "zh_TW"), ZH_TW: ("zh_TW", "zh_CN"), EN: ("en_US", "en_GB"), JA: ("ja",), KO: ("ko",), RU: ("ru",),
    ES: ("es", "es_ES"), PT: ("pt_PT", "pt_BR"),
}  # fmt: skip

# A day off that only compensates for a working weekend is named by that weekend's date, not by its holiday.
_COMPENSATES = re.compile(r"\d{4}")
_LONGEST = 10                   # days a holiday period is followed in each direction


def holiday_name(now: datetime, locale: str, country: str) -> str | None:
    """The holiday that ``now`` lies in, or None; also None for a country we know nothing about.

    ``country`` is an ISO 3166 code. The name is in ``locale`` where the country's holidays have names in it, else in
    English or the country's language. Compensating days off and the weekends within a period count as the holiday
    they belong to.
    """
    days = _named_days(now.year, locale, country.upper())
    today = now.date()
    if today not in days and today.weekday() < 5:
        return None
    if today in days and not _COMPENSATES.search(days[today]):
        return days[today]
    before, after = _joined(days, today, -1), _joined(days, today, 1)
    if today not in days and not (before and after):
        return None                                     # a weekend beside a holiday is not inside it
    names = [days[day] for day in (*before, *after) if not _COMPENSATES.search(days[day])]
    return names[0] if names else None


def _joined(days: dict[date, str], today: date, step: int) -> list[date]:
    """The days off, nearest first, that only weekend days separate from ``today`` in one direction."""
    found: list[date] = []
    for distance in range(1, _LONGEST + 1):
        day = today + timedelta(days=step * distance)
        if day in days:
            found.append(day)
        elif day.weekday() < 5:
            break
    return found


@lru_cache(maxsize=16)
def _named_days(year: int, locale: str, country: str) -> dict[date, str]:
    years = [year - 1, year, year + 1]
    try:
        known = holidays.country_holidays(country)
        languages = (*_LANGUAGES.get(locale, ()), "en_US")
        wanted = next((code for code in languages if code in known.supported_languages), None)
        known = holidays.country_holidays(country, years=years, language=wanted)
    except NotImplementedError:
        return {}
    return {day: name.split("; ")[0] for day, name in known.items()}
