"""Chinese events: what happened to the speaker."""

from __future__ import annotations

import re

from memory.facts.rules.chinese.moments import NOTHING, POINTING, Look, days_ahead, timeless
from memory.facts.rules.chinese.voice import told_of
from memory.facts.rules.chinese.words import LIFE_VERB
from memory.facts.rules.clause import Clause, Finding, Telling
from memory.facts.rules.event_when import resolve

_LOST = re.compile(
    r"^(?:的)?(?P<x>(?:手机|钱包|电脑|笔记本|耳机|钥匙|身份证|护照|车|自行车|电动车|平板|相机|眼镜|"
    r"行李|工牌|学生证|银行卡|快递|包)(?:又|刚|昨天|今天|昨晚|上周|前几天|不小心|也|在.{1,6})*(?:丢|"
    r"坏|被偷|摔碎?|碎|不见|进水|被撞|弄丢)了?)$"
)


_PAST = re.compile(
    r"^(?P<t>.*?)(?P<x>(?:把|被|跟|和|在|从|给|带|陪|去|一个人|终于|又|刚|刚刚|没|差点|不小心|自己|"
    r"第一次|就)*[^，]{1,24}了[^，]{0,16}|(?:去|看|吃|玩|逛|爬|跑|打|做|见|买|和|跟|在|到|参加|"
    r"第一次)[^，]{1,20})$"
)


_LIFE = re.compile(
    r"(?:入职|上班|开学|实习|上大学|当妈妈|当爸爸)(?:的)?第一天$|第一天(?:上班|入职|开学|实习|上学)$|"
    rf"(?:驾照|面试|考研|考公|雅思|四级|六级|科目[一二三四]|答辩|考试)[^，]{{0,4}}没(?:有)?(?:考|"
    rf"通)?过$|升(?:职|[一-龥]{{2,4}})了$|(?:奖学金|"
    r"offer|驾照|证书|录取通知书?|签证)到手了$|(?:^|刚刚?|终于|已经|昨天|今天|上周|最近|又|就|"
    rf"把.{{1,6}}|不小心|被|第一次|刚才|成功|顺利|去年|上个?月|前几天|"
    rf"今年)(?:{LIFE_VERB})[^，]{{0,12}}(?:了|到了?|过了?)[^，]{{0,12}}$|"
    rf"^(?:{LIFE_VERB})了[^，]{{0,16}}$|^(?:拿到|收到|通过|考上|考过|找到|换|买|养|租|捡|领养|弄丢|"
    rf"丢)了[^，]{{1,16}}$|被(?:裁|录取|开除|骗|偷|拒)[^，]{{0,10}}了?$|(?:考|面试|答辩|体检|"
    rf"手术)[^，]{{0,6}}(?:过|通过|砸|挂|成功|失败|顺利)了$|(?:上岸|[四六]级过|科目[一二三四](?:考)?过|"
    r"驾照(?:考)?(?:过|到手)|雅思(?:考)?过)了$"
)


def events(said: str, clause: Clause, telling: Telling, bare: bool) -> Look:
    lost = _LOST.match(said)
    if lost and not bare:
        return Finding(slot="event", value=lost["x"], text=told_of(clause, telling)), True
    when = resolve(said, telling.anchor, "zh", True)
    ago = days_ahead(telling, when)
    back = (ago is not None and ago <= 0) or bool(re.search(r"最近|近来", said) and re.search(r"了|过", said))
    rest = timeless(said, telling)
    life = bool(_LIFE.search(rest)) and not re.search(r"(?:要|想|快|打算|准备|会|没有?)[^，]{0,6}了?$", rest[:4])
    if bare and not (back and re.search(r"了|过", rest)) and not life:
        return NOTHING
    rest = re.sub(r"^(?:又|还|也)(?=去|看|读|学|参加|做|买)", "", rest)
    if not life:
        match = _PAST.match(rest) if back else None
        if match is None or (ago == 0 and not re.search(r"了|过", rest)) or len(rest) < 3:
            return NOTHING
        if re.match(
            r"^(?:要|会|打算|准备|想|得|有|是|在|好|很|真|都|就|还|不|没有?(?!去|吃|睡|考)|太|也)", rest
        ) and not re.match(r"^(?:在.+了|还.+了|没)", rest):
            return NOTHING
    if (
        POINTING.search(rest)
        or len(rest) < 3
        or re.search(
            r"^(?:就)?(?:睡着|起床|起晚|睡晚|下班|到家|回来|回家|吃过|吃饭|吃完|洗完|忙完|醒|来|走|忘|说错|懂|知道|好多|"
            r"习惯|没事|看到|想好|困)了?$",
            rest,
        )
    ):
        return NOTHING
    negated = bool(re.match(r"^(?:就|又|也|还|都)*没(?!收)", rest))
    return Finding(slot="event", value=rest, text=told_of(clause, telling), negated=negated), True
