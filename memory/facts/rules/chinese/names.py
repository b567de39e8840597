"""Chinese names, nicknames and birthdays."""

from __future__ import annotations

import re

from memory.facts.rules.chinese.grammar import NAME, NOT_A_NAME, NUMBER
from memory.facts.rules.chinese.voice import told_of
from memory.facts.rules.clause import Clause, Finding, Telling, dated
from memory.facts.rules.event_when import resolve
from memory.facts.rules.numerals import CHINESE_NUMBER, chinese_number

CALL_ME = re.compile(
    r"^(?:你|以后|请|可以|就|都|直接|也|还是|大家|你们|朋友们?|家人|同事们?|同学们?|他们|"
    r"别人)*(?P<no>不要|别|不许)?(?:都|就|一般|可以|喜欢|习惯|再)*(?:叫|喊|称呼|管)我(?:叫|做|为|"
    rf"作)?(?:小名|昵称)?(?P<x>{NAME}|[\w一-龥]{{1,10}}?)(?P<end>就好|就行|就可以|就好了|就行了|"
    r"就可以了|吧|好了|即可|了)?$"
)


BORN = re.compile(
    r"^我?(?:的)?(?:农历|阳历|阴历|公历)?生日(?:就|是|在|其实是|农历|阳历|阴历|快到了|"
    rf"，)*(?P<x>.{{2,14}}?)(?:过)?$|^(?P<y>.{{2,12}}?)(?:就)?(?:是|过)我(?:的)?(?:\S{{1,4}}岁)?生日$|"
    rf"^我(?:是)?(?:(?:19|20)?\d\d年)?(?P<z>{NUMBER}月{NUMBER}[日号]?)(?:出生|生|生日)(?:的)?$|^我(?P<w>今天|"
    rf"明天|后天|下周[一-龥]?|下个?月.{{0,4}}|这周[一-龥])(?:就)?(?:要)?过?生日$"
)


_DAY_OF = re.compile(rf"({CHINESE_NUMBER})月({CHINESE_NUMBER})[日号]?|(?<!\d)(\d{{1,2}})[./-](\d{{1,2}})(?!\d)")


_I_AM = re.compile(
    r"^我是(?P<x>[阿小老][一-龥]{1,2}|"
    r"[A-Z][a-z]{1,15})$(?<!小孩)(?<!小白)(?<!小时)(?<!老师)(?<!老板)(?<!小偷)(?<!老人)(?<!小丑)(?<!小学生)(?<!小妹)(?<!老大)"
)


_GREETING = re.compile(r"^\W*(?:大家好|你好|您好|哈喽|哈啰|嗨|hi|hello|hey|初次见面|很高兴认识)|认识你", re.IGNORECASE)


def called(clause: Clause, telling: Telling) -> list[Finding]:
    am = _I_AM.match(clause.text)
    if am and _GREETING.search(telling.heard):
        return [Finding(slot="name", value=am["x"], text=told_of(clause, telling))]
    match = CALL_ME.match(clause.text)
    if not match or NOT_A_NAME.match(match["x"]) or len(match["x"]) > 12:
        return []
    # 叫我 before a longer run of words is an order ("叫我起床"), not a name, unless it closes like one.
    if not match["end"] and len(match["x"]) > 5 and not match["x"].isascii():
        return []
    master = telling.names.master_in("zh")
    if match["no"]:
        return [Finding(slot="alias", value=match["x"], text=f"{master}不想被叫做{match['x']}。", negated=True)]
    return [Finding(slot="alias", value=match["x"], text=f"{master}希望被叫做{match['x']}。")]


def birthday(clause: Clause, telling: Telling) -> list[Finding]:
    match = BORN.match(clause.text)
    if not match:
        return []
    spoken = match["x"] or match["y"] or match["z"] or match["w"]
    day = _DAY_OF.search(spoken)
    if day:
        month, date = chinese_number(day[1] or day[3]), chinese_number(day[2] or day[4])
        if not month or not date or month > 12 or date > 31:
            return []
        value, when = f"{month:02}-{date:02}", None
    else:
        when = resolve(spoken, telling.anchor, "zh", False)
        if when is None or when.start is None or when.grain not in ("day", "month"):
            return []
        value = f"{when.start:%m-%d}" if when.grain == "day" else f"{when.start:%m}"
    finding = Finding(slot="birthday", value=value, text=told_of(clause, telling))
    return [dated(finding, when, "zh")]
