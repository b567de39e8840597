"""What the wording of a text gives away: that it tells a time, or asks for one, or for a conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal

from memory.recall import words

_TIME_WORDS = """
yesterday today tonight tomorrow ago last next recently weekend morning week month year days monday tuesday wednesday
thursday friday saturday sunday january february march april june july august september october november december
summer winter autumn spring since soon birthday christmas
昨天 今天 明天 前天 后天 昨晚 今晚 今早 上周 下周 这周 周末 星期 礼拜 上个月 下个月 去年 今年 明年 前年 最近 刚才
年 月 日 号 周 天 昨日 今日 明日 先週 来週 今週 先月 来月 今月 来年 時間前 日前 週間 曜日
어제 오늘 내일 그제 모레 지난 다음 이번 작년 올해 내년 주말 며칠 최근
"""
_ASKS_TIME_ENGLISH = (
    "when ", "how long", "what date", "what day", "what time", "what year", "what month", "which date", "which day",
    "which year", "which month", "which week",
)  # fmt: skip
_ASKS_TIME = (
    *_ASKS_TIME_ENGLISH,
    "什么时候", "何时", "哪天", "哪一天", "几号", "几月", "哪年", "哪一年", "多久", "几点", "星期几", "日期",
    "いつ", "何日", "何月", "何年", "何曜日", "どのくらい", "どれくらい",
    "언제", "며칠", "몇월", "몇 월", "몇시", "몇 시", "몇년", "몇 년", "무슨 요일", "얼마나 오래",
)  # fmt: skip

# A text without any of these asks for no talk; saves two searches for nearly every question.
_TALK_SIGNS = (
    "first", "earliest", "last", "previous", "recent", "latest", "次", "最初", "初めて", "前回", "この前", "最后",
    "첫", "처음", "지난번", "저번", "마지막",
)  # fmt: skip
_MEETING = r"(?:conversation|chat|talk|dialog|dialogue|time (?:that )?we (?:\w+ )?(?:talk|chat|sp[eo]|met))"
_FIRST_TALK = re.compile(
    rf"\b(?:first|earliest|very first) (?:ever )?{_MEETING}|\bwe first (?:talk|chat|sp[eo]|met)"
    r"|第一次的?(?:对话|聊|谈话|交谈|见面|说话)|最初的?(?:对话|聊天|谈话)"
    r"|(?:最初|初めて)の?(?:会话|话し|会っ|お话)|첫 ?(?:대화|만남|번째 대화)|처음 ?(?:대화|이야기|얘기|만났)"
)
_LAST_TALK = re.compile(
    rf"\b(?:last|previous|most recent|latest) {_MEETING}|\bwe last (?:talk|chat|sp[eo]|met)"
    r"|(?:上一?次|最近一次|前一次|最后一次)的?(?:对话|聊|谈话|交谈|见面|说话)"
    r"|(?:前回|この前|最后)の?(?:会话|话し|会っ|お话)|(?:지난번|저번|마지막) ?(?:대화|만남|이야기|얘기)"
)

# Chinese, Japanese and Korean questions often go without the mark.
_ASKING_ENDS = ("?", "吗", "呢", "嗎", "ですか", "ますか", "たか", "かな", "나요", "까요", "을까", "ㄹ까", "니까")


@cache
def _time_tokens() -> frozenset[str]:
    return frozenset(words.words(_TIME_WORDS))


def tells_time(tokens: Sequence[str]) -> bool:
    """Whether a text of these tokens says, in some way, when something is."""
    if not _time_tokens().isdisjoint(tokens):
        return True
    return any(len(token) == 4 and token.isdigit() and token[:2] in ("19", "20") for token in tokens)


def asks_time(folded: str) -> bool:
    """Whether a folded text asks when something was, or for how long."""
    return any(sign in folded for sign in (_ASKS_TIME_ENGLISH if folded.isascii() else _ASKS_TIME))


def is_question(text: str) -> bool:
    """Whether the text ends with a question."""
    return text.rstrip().replace("？", "?").rstrip("。．. ~～").endswith(_ASKING_ENDS)


def asks_for_talk(folded: str) -> Literal["first", "last"] | None:
    """Whether a folded text asks for the first or the last of all conversations."""
    if not any(sign in folded for sign in _TALK_SIGNS):
        return None
    if _FIRST_TALK.search(folded):
        return "first"
    return "last" if _LAST_TALK.search(folded) else None
