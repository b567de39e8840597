"""The parts that Chinese rules are made of."""

from __future__ import annotations

import re
from typing import Any

from memory.facts.rules.numerals import CHINESE_NUMBER
from memory.facts.rules.rule import Rule


def rule(slot: str, text: str, **flags: Any) -> Rule:
    """A rule whose wording covers what follows the subject and its adverbs, to the end of the clause."""
    return Rule(slot=slot, pattern=re.compile(rf"^(?:{text})$"), **flags)


NUMBER = CHINESE_NUMBER


NAME = r"[一-龥]{1,6}?|[A-Za-z][A-Za-z .'-]{0,20}|[一-龥A-Za-z]{2,8}?|\ue000\d+\ue001"


ONE = rf"(?:(?:{NUMBER}|几|好几|半)?(?:只|条|个|匹|头|位|名|辆|台|把|套|间|家|部|架|双|本|块|缸|窝|对)(?:小|大|老)?)"


SO = (
    r"(?:真的|真|也|还|都|就|一直|一向|从小就?|特别|非常|超级|超|最|很|好|蛮|挺|比较|更|最最|尤其|"
    r"十分|相当|巨|贼|老|可|太|实在|确实|是真的|简直|打心底|其实|现在|越来越|开始|还是|已经|目前|最近|"
    r"这几天|近来|比较|稍微|有点|有些|更加|格外|极其|本来就|天生|平时|平常)"
)


TIME = (
    r"(?:去年|前年|今年|上个?月|上周|最近|刚|刚刚|昨天|前几天|这周|本月|(?:19|20)\d\d年|\d+年前|"
    r"[一两三四五六七八九十]+(?:年|个月|周)前)"
)


NOT_A_NAME = re.compile(
    r"^(?:外卖|了|他|她|你|它|车|人|滴滴|救护车|起床|吃饭|去|来|过去|过来|滚|别|不|快|早点|帮|做|干|"
    r"怎么|什么|啥|一声|一下|出去|回|赶紧|好好|多|少|再|先|等|带|买|给|看|听|写|学|加班|上班|洗|打|"
    r"开会|陪|爸爸?$|哥哥?就|起来|醒|停|闭嘴|名字|不要|小心|注意|出|进|坐|喝|睡|练|背|把|交|拿|送|"
    r"那个|这个|的|我|苦|唤|板|喊|号|座|好|绝|嚣|屈|价|阵|妈妈吃|醒我|名|做$|后|前|上|下|到|自己去)"
)
