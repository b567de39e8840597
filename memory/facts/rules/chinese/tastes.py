"""Chinese statements about likes, dislikes, favourites and fears."""

from __future__ import annotations

import re

from memory.facts.rules.chinese.grammar import SO, rule
from memory.facts.rules.chinese.values import value_of
from memory.facts.rules.chinese.voice import told_of
from memory.facts.rules.chinese.words import GAME
from memory.facts.rules.clause import Clause, Finding, Telling
from memory.facts.rules.event_when import resolve
from memory.facts.rules.rule import Rule

TASTES: tuple[Rule, ...] = (
    rule(
        "favourite",
        r"(?:一直|现在)?喜欢的(?P<c>类型|颜色|歌手|季节|电影|食物|运动|明星|乐队|书|作家|游戏|动漫|水果|"
        r"菜|动物|城市|科目|歌|导演|演员|球队|花|奶茶|零食)(?:是|有)(?P<x>.+)",
    ),
    rule("preference", r"(?P<c>[一-龥]{2,4})只(?P<x>(?:喝|吃|用|穿|看|听)[一-龥A-Za-z]{1,10})(?:的)?"),
    rule("preference", r"无(?P<x>[辣肉甜酒茶糖])不欢"),
    rule("preference", r"(?:一直|是|也|已经)*粉(?P<x>[一-龥A-Za-z]{2,6}?)(?:.{1,4}年了|的)?|(?P<y>追星)(?:的)?"),
    rule(
        "hobby",
        rf"(?:平时|一直|最近|还|也|偶尔|天天|经常|周末)*(?:在)?(?:玩|打)(?P<x>{GAME}|乐队|滑板|摄影|无人机|"
        rf"手办|BJD|胶片|航模|乐高|盲盒|Cosplay|cos)(?:的|.{{1,5}}年了|呢)?|"
        rf"是(?P<y>[一-龥A-Za-z0-9]{{2,8}}?)(?:玩家|发烧友|爱好者|控|(?<![球歌影书])迷)",
    ),
    rule(
        "favourite",
        r"(?:最|一直最|现在最|从小最){1,2}(?:喜欢|爱|钟爱|中意|"
        r"偏爱)的(?P<c>[一-龥]{1,8}?)(?<!不)(?:就|还|一直|当然|肯定|其实|始终|现在|永远|大概)*(?:是|"
        r"叫)(?P<x>.+)|的最爱(?:就|一直)*是(?P<y>.+)",
    ),
    rule("favourite", r"的?(?:本命|推|偶像|爱豆)(?:就)?是(?P<x>.+)"),
    rule(
        "preference",
        rf"{SO}*(?:不|没那么|没有很|并不|不再|从来不|从不|从来都不|不太|不怎么|不是很|不是特别|不大|不咋|"
        rf"才不|也不|都不){{1,2}}(?:太|怎么|是很|很|那么|再|特别|大)?(?:喜欢|爱|喜爱|中意|感冒|待见|"
        r"想吃)(?P<x>.+?)(?:了)?",
        negated=True,
        many=True,
    ),
    rule(
        "preference",
        rf"{SO}*(?:对)(?P<x>[^，]{{1,12}}?)(?:真的|完全|一点|都|很|也|真)*(?:不感兴趣|没兴趣|没有兴趣|"
        r"无感|喜欢不起来|不感冒)",
        negated=True,
    ),
    rule(
        "preference",
        rf"{SO}*对(?P<x>[^，]{{1,12}}?)(?:真的|很|特别|非常|超级|比较|蛮|挺|超|十分|一直)*(?:感兴趣|"
        r"有兴趣|着迷|上瘾|没有抵抗力|毫无抵抗力|情有独钟)",
        bonus=1,
    ),
    rule(
        "preference",
        rf"{SO}*(?:讨厌|厌恶|不喜欢|受不了|反感|恨|烦|嫌弃|忍不了|接受不了|吃不惯|闻不惯|看不惯|最烦|"
        r"最恨)(?P<x>(?!死|人$|你).+)",
        negated=True,
        many=True,
    ),
    rule(
        "preference",
        r"(?:以前|之前|小时候|曾经|原来|过去)(?:很|特别|超|最|挺|也|还|一直|非常)*(?:喜欢|" r"爱)(?P<x>.+?)(?:的)?",
        negated=True,
        correction=True,
        past=True,
    ),
    rule(
        "preference",
        rf"{SO}*(?:迷上了?|爱上了?|喜欢上了?|沉迷于?|痴迷于?|热衷于?|入坑了?|粉上了?|在追|"
        rf"是.{{1,8}}的(?:铁)?粉丝|着迷于)(?P<x>.+)",
        bonus=1,
        many=True,
    ),
    rule("preference", r"(?:从小)?(?:最喜欢|最爱)的?(?:就|还|一直)*是(?P<x>.+)", bonus=1),
    rule(
        "preference",
        rf"(?P<s>{SO}*)(?:喜欢|喜爱|热爱|钟爱|偏爱|偏好|酷爱|爱|中意|享受)(?P<x>(?!好[一-龥]|死|你|我|人$|"
        r"的人$|豆).+)",
        many=True,
    ),
    rule(
        "preference",
        r"是(?P<x>[^，你我]{1,12}?)的?(?:铁杆|忠实|资深|死忠|老|骨灰级)*(?:粉丝|铁粉|歌迷|球迷|影迷|书迷|迷妹|迷弟)",
        bonus=1,
    ),
    rule("preference", rf"{SO}*(?P<x>能吃辣|能喝酒)(?:的)?"),
    rule(
        "fear",
        rf"{SO}*(?:害怕|怕|恐惧)(?P<x>(?!你|他|她|我|自己|来不及|迟到|是|会|万一|麻烦|不|被骂|死|了|吵醒|"
        rf"打扰|耽误|忘|说|以后|给|错|输)[一-龥]{{1,8}})",
        many=True,
    ),
    rule(
        "hobby",
        r"的?(?:兴趣爱好|爱好|兴趣(?!爱好)|业余爱好|最大的爱好|最大的兴趣)(?:就是|主要是|是|有|"
        r"包括)?(?P<x>(?!挺|很|比较|多|广|不|也|一般|少).+)",
        many=True,
    ),
)


FAVOURITE_FIRST = re.compile(
    r"^(?P<x>.{1,14}?)(?:就|一直|永远|还)*是我(?:的)?(?:最(?:喜欢|爱)的(?P<c>[一-龥]{1,6})|最爱|"
    r"本命|命|续命水|快乐源泉)$"
)


TOPIC = re.compile(
    rf"^(?P<x>[^我你他她，]{{1,10}})我(?P<rest>(?:{SO}*)(?P<v>不喜欢|喜欢|不吃|不爱吃|爱吃|讨厌|"
    r"受不了|不感兴趣|不太喜欢|不喝|爱喝|不能吃|过敏|不怎么喜欢|吃不了|不爱喝|吃不惯))(?:的|了)*$"
)


def favourite(clause: Clause, telling: Telling) -> list[Finding]:
    match = FAVOURITE_FIRST.match(clause.text)
    value = value_of(match["x"]) if match else None
    if not match or value is None:
        return []
    return [Finding(slot=f"favourite:{match['c'] or '最爱'}", value=value, text=told_of(clause, telling))]


def topic(clause: Clause, telling: Telling) -> list[Finding]:
    match = TOPIC.match(clause.text)
    value = value_of(re.sub(r"^(?:但是?|可是|不过|其实)|(?:这种|这个|的话|呢|嘛)$", "", match["x"])) if match else None
    if not match or value is None or resolve(value, telling.anchor, "zh") is not None:
        return []
    verb = match["v"]
    if "过敏" in verb:
        return [Finding(slot="allergy", value=value, text=told_of(clause, telling))]
    slot = "diet" if re.search(r"不吃|不喝|不能吃|吃不了", verb) else "preference"
    negated = bool(re.search(r"不|讨厌", verb))
    return [Finding(slot=slot, value=value, text=told_of(clause, telling), negated=negated)]
