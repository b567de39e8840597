"""Lengths of time in words."""

from __future__ import annotations

from collections.abc import Mapping

from memory.locale import DEFAULT_LOCALE, EN, ES, JA, KO, PT, RU, ZH, ZH_TW

# Forms by plural class (see ``_form``); one form where a language does not count.
_UNITS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    ZH: {"minute": ("分钟",), "hour": ("小时",), "day": ("天",), "week": ("周",), "month": ("个月",)},
    ZH_TW: {"minute": ("分鐘",), "hour": ("小時",), "day": ("天",), "week": ("週",), "month": ("個月",)},
    EN: {"minute": ("minute", "minutes"), "hour": ("hour", "hours"), "day": ("day", "days"),
         "week": ("week", "weeks"), "month": ("month", "months")},
    JA: {"minute": ("分",), "hour": ("時間",), "day": ("日",), "week": ("週間",), "month": ("か月",)},
    KO: {"minute": ("분",), "hour": ("시간",), "day": ("일",), "week": ("주",), "month": ("개월",)},
    RU: {"minute": ("минута", "минуты", "минут"), "hour": ("час", "часа", "часов"), "day": ("день", "дня", "дней"),
         "week": ("неделя", "недели", "недель"), "month": ("месяц", "месяца", "месяцев")},
    ES: {"minute": ("minuto", "minutos"), "hour": ("hora", "horas"), "day": ("día", "días"),
         "week": ("semana", "semanas"), "month": ("mes", "meses")},
    PT: {"minute": ("minuto", "minutos"), "hour": ("hora", "horas"), "day": ("dia", "dias"),
         "week": ("semana", "semanas"), "month": ("mês", "meses")},
}  # fmt: skip

# After "ago" Russian wants the accusative, which differs from the above in one word.
_RU_WEEK_AGO = ("неделю", "недели", "недель")

_NOW = {ZH: "现在", ZH_TW: "現在", EN: "now", JA: "今", KO: "지금", RU: "сейчас", ES: "ahora", PT: "agora"}
_AGO = {ZH: "{}前", ZH_TW: "{}前", EN: "{} ago", JA: "{}前", KO: "{} 전", RU: "{} назад", ES: "hace {}", PT: "há {}"}

_SOLID = (ZH, ZH_TW, JA, KO)    # number and unit are written together
_UNBROKEN = (ZH, ZH_TW, JA)     # two amounts are written together

_HOUR, _DAY = 3_600, 86_400


def elapsed(seconds: float, locale: str) -> str:
    """A pause in words: days and hours, hours and minutes below three hours, else the one unit that matters."""
    locale = locale if locale in _UNITS else DEFAULT_LOCALE
    total = max(0, int(seconds))
    days, hours, minutes = total // _DAY, total % _DAY // _HOUR, total % _HOUR // 60
    if days:
        amounts = [_amount(days, "day", locale)] + ([_amount(hours, "hour", locale)] if hours else [])
    elif hours:
        exact = hours <= 2 and minutes
        amounts = [_amount(hours, "hour", locale)] + ([_amount(minutes, "minute", locale)] if exact else [])
    else:
        amounts = [_amount(minutes, "minute", locale)]
    return ("" if locale in _UNBROKEN else " ").join(amounts)


def time_since(days: int, locale: str) -> str:
    """How long ago, as a label: "now" today, then days, from 7 days on weeks, from 30 on months."""
    locale = locale if locale in _UNITS else DEFAULT_LOCALE
    if days <= 0:
        return _NOW[locale]
    number, unit = (days, "day") if days < 7 else (days // 7, "week") if days < 30 else (days // 30, "month")
    if locale == RU and unit == "week":
        amount = f"{number} {_RU_WEEK_AGO[_form(number, locale)]}"
    else:
        amount = _amount(number, unit, locale)
    return _AGO[locale].replace("{}", amount)


def _amount(number: int, unit: str, locale: str) -> str:
    forms = _UNITS[locale][unit]
    word = forms[min(_form(number, locale), len(forms) - 1)]
    return f"{number}{word}" if locale in _SOLID else f"{number} {word}"


def _form(number: int, locale: str) -> int:
    if locale == RU:
        if number % 10 == 1 and number % 100 != 11:
            return 0
        return 1 if 2 <= number % 10 <= 4 and not 12 <= number % 100 <= 14 else 2
    return 0 if number == 1 else 1
