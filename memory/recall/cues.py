"""What the wording of a text gives away: that it tells a time, or asks for one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from memory.recall import words

_TIME_WORDS = """
yesterday today tonight tomorrow ago last next recently weekend morning week month year days monday tuesday wednesday
thursday friday saturday sunday january february march april june july august september october november december
summer winter autumn spring since soon birthday christmas
昨天 今天 明天 前天 后天 昨晚 今晚 今早 上周 下周 这周 周末 星期 礼拜 上个月 下个月 去年 今年 明年 前年 最近 刚才 年 月 日 号 周 天
昨日 今日 明日 先週 来週 今週 先月 来月 今月 来年 時間前 日前 週間 曜日
어제 오늘 내일 그제 모레 지난 다음 이번 작년 올해 내년 주말 며칠 최근
"""
_ASKS_TIME = re.compile(
    r"\bwhen\b|\bhow long\b|\bwhat (?:date|day|time|year|month)\b|\bwhich (?:date|day|year|month|week)\b"
    r"|什么时候|什麼時候|何时|何時|哪天|哪一天|几号|幾號|几月|幾月|哪年|哪一年|多久|几点|幾點|星期几|星期幾|日期"
    r"|いつ|何日|何月|何年|何曜日|どのくらい|どれくらい"
    r"|언제|며칠|몇 ?월|몇 ?시|몇 ?년|무슨 ?요일|얼마나 ?오래",
    re.IGNORECASE,
)


@cache
def _time_tokens() -> frozenset[str]:
    return frozenset(words.words(_TIME_WORDS))


def tells_time(tokens: Sequence[str]) -> bool:
    """Whether a text of these tokens says, in some way, when something is."""
    if not _time_tokens().isdisjoint(tokens):
        return True
    return any(len(token) == 4 and token.isdigit() and token[:2] in ("19", "20") for token in tokens)


def asks_time(text: str) -> bool:
    """Whether the text asks when something was, or for how long."""
    return _ASKS_TIME.search(text) is not None


def is_question(text: str) -> bool:
    return text.rstrip().endswith(("?", "？"))
