"""What Chinese plans, events and states have in common."""

from __future__ import annotations

import re

from memory.facts.rules.clause import Finding, Telling
from memory.facts.rules.event_when import When, resolve

Look = tuple[Finding | None, bool | None]


NOTHING: Look = (None, None)


def timeless(text: str, telling: Telling) -> str:
    when = resolve(text, telling.anchor, "zh")
    return text if when is None else (text[: when.span[0]] + text[when.span[1] :])


def days_ahead(telling: Telling, when: When | None) -> int | None:
    """How many days ahead (negative: back) the time lies; None without a certain time."""
    if when is None or when.grain == "lately" or when.start is None:
        return None
    return (when.start.date() - telling.anchor.date()).days


POINTING = re.compile(
    r"你|这个$|那个$|这样|那样|它$|^的|^(?:说|问|想|觉得|知道|看到|听|忘|喜欢|爱|以为|发现|感觉|感到|说了|懂|明白)"
)


HOLIDAY = re.compile(r"春节|过年|中秋|端午|清明|暑假|寒假|元宵|年后|毕业后|下学期|放假")


LATELY = re.compile(r"最近|这几天|这两天|这阵子|这段时间|近来|近期|这周|这个月|今天|一直|目前|昨天|昨晚|老是|总是")
