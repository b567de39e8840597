"""Chinese statements about family, friends, pets and belongings."""

from __future__ import annotations

import re

from memory.facts.rules.chinese.grammar import NUMBER, ONE, rule
from memory.facts.rules.chinese.voice import timed, told
from memory.facts.rules.chinese.words import KIN, OWNED, PEOPLE, PET
from memory.facts.rules.clause import Clause, Finding, Telling, dated
from memory.facts.rules.event_when import resolve
from memory.facts.rules.rule import Rule

TIES: tuple[Rule, ...] = (
    rule(
        "partner",
        r"(?:今天|已经|现在|目前|还是|还|刚|早就|上个?月|去年|今年|一直|都|也|昨天|最近|刚刚|前几天|终于|"
        r"就|和.{1,6}|跟.{1,6})*(?P<x>结婚(?:\S{1,4}年)?|已婚|离婚(?:带[一-龥]{1,6})?|离异|单身|单身(?:狗|"
        r"汪)|单着|母胎单身|母胎solo|订婚|领证|分手|脱单|失恋|恋爱|谈恋爱|有(?:男|女)朋友|有对象|"
        r"没有?对象|没有?(?:男|女)朋友|没谈过恋爱|有老婆|有老公|异地恋)(?:了|的|中|着|.{1,6}(?:年|"
        r"个月)了?)*",
    ),
    rule(
        "family",
        rf"(?:家里?)?(?:还)?有(?:{NUMBER})?(?:个|位|对)?(?:亲|双胞胎|孪生|比我[大小].{{1,3}}岁的|"
        rf"在.{{1,8}}的)?(?P<x>{KIN})(?:和(?:{NUMBER})?(?:个)?(?P<y>{KIN}))?(?:叫.{{1,6}})?|没有(?P<c>兄弟姐妹|"
        r"孩子)",
    ),
    rule(
        "family",
        r"(?:家)?(?:是)?(?P<x>独生子女?|独生女|家里的?(?:老大|老二|老三|老幺|独苗)|家里排行.{1,3}|单亲家庭(?:长大)?的?|双胞胎)",
    ),
    rule("family", rf"家(?:里)?(?:一共)?有?(?P<x>{NUMBER}口人|{NUMBER}个孩子|{NUMBER}兄弟姐妹)"),
    rule("pet", rf"养的是(?P<x>{PET})"),
    rule(
        "pet",
        r"(?:家里?|家|现在|还|最近|刚|新|又|以前|昨天|上周|去年|前几天|今天|一共|自己)*(?:也|就|"
        r"都)?(?:养了|养(?!过)|有|领养了?|收养了?|捡了?|捡到了?|买了|养着|新养了?|"
        rf"入手了?)(?P<x>{ONE}?(?:[一-龥]{{0,6}}?的?)?{PET}(?:和{ONE}?{PET})?)(?:[，]?(?:名字)?叫(?P<n>[一-龥A-Za-z]{{1,8}}))?(?:了|"
        rf"呢|.{{1,4}}年了?)?",
        past=True,
    ),
    rule(
        "possession",
        r"(?:自己|家里?|现在|也)*(?:有(?=车$|房$|车了$|房了$)|有|开|买了|刚买了|新买了|入手了|租了|弄了个|"
        rf"攒钱买了)(?P<x>(?:{ONE}(?:[一-龥A-Za-z0-9]{{0,8}}?的?)?)?{OWNED})(?:了)?",
        past=True,
    ),
    rule(
        "possession",
        r"(?:的)?(?P<c>车|手机|电脑|相机|笔记本)(?:是|用的是|开的是)(?P<x>[一-龥A-Za-z0-9 "
        r"]{2,12}?)(?:的)?|(?:刚|新)?提了(?:一?[辆台])?(?P<y>[一-龥A-Za-z0-9]{2,10})|(?:用|开)的(?:车|"
        r"手机|电脑)?是(?P<z>[一-龥A-Za-z0-9 ]{2,12})|有(?P<q>房贷|车贷|两套房|一套房)(?:要还)?",
    ),
)


WHO = re.compile(
    r"^(?P<me>我(?:家|们家)?(?:里)?的?|家里?的?)(?P<old>大|小|老|前|那只|这只|两只|三只|最好的|以前的|"
    rf"新)*(?P<kin>{KIN}|{PEOPLE}|{PET})(?P<pred>.+)$"
)


PREDICATE = re.compile(
    rf"^(?P<n>[一-龥A-Za-z]{{1,4}}(?=(?:今年|现在|是|在|住|喜欢)))?(?:也|都|就|今年|现在|目前|其实|"
    r"一直|最近|刚|刚刚|昨天|前天|上周|上个?月|去年|前年|下半年|上半年|暑假|寒假|明天|下周|下个?月|"
    r"明年|今天|已经|马上|快要?|终于|还|下周[一-龥]|周[一-龥]|这周|周末|特别|很|非常|超级|最|从小|要|"
    r"又|准备|打算|以前|生前|他|她|它)*"
    rf"(?:是(?!我|不是|真的|个好|不|很|最|这样|那样|什么|谁)(?:一[名个位只条])?.{{1,14}}|叫(?!我|你|他|"
    rf"她|什么|人)[一-龥A-Za-z]{{1,8}}|住(?:在|院).{{0,12}}|在.{{1,12}}(?:工作|上班|上学|读书|"
    rf"读.{{1,6}}|当.{{1,6}}|住院|养病|生活|留学|开店|打工|做.{{1,6}})|{NUMBER}(?:岁|个月)(?:了|多)?|"
    rf"(?:不)?喜欢.{{1,12}}|(?:经常|总是|天天|每天|常年|平时)(?:在外?)?(?:出差|加班|应酬|喝酒|抽烟|"
    rf"打麻将|下棋|跳广场舞|打牌|不在家|失眠|旅游|运动|锻炼|跑步|生病).{{0,4}}|比我[大小].{{1,4}}|"
    rf"在.{{1,8}}定居.{{0,2}}|走得早|.{{0,3}}(?:大寿|岁生日|周年忌日|本命年)|第一次.{{2,8}}|"
    rf"{NUMBER}岁半.{{0,2}}|爱(?:吃|喝|看|玩|打|听|唱).{{1,10}}|"
    rf"讨厌.{{1,10}}|怕.{{1,8}}|对.{{1,10}}过敏|"
    r"(?:去世|过世|走丢|丢|生病|住院|结婚|离婚|怀孕|退休|毕业|出国|搬家|失业|手术|骨折|绝育|"
    r"生(?:了)?(?:宝宝|孩子|.{1,4}只小猫|小猫|小狗|二胎|女儿|儿子)|感冒|发烧|做手术|动手术|辞职|升职|"
    r"中风|确诊.{1,8}|考上.{1,10}|考研|高考|中考|出院|领证|订婚|回老家|得.{1,8})(?:了)?(?:.{0,8})|"
    r"(?:有|得了?|患有)(?:糖尿病|高血压|癌症|心脏病|抑郁症|哮喘|老年痴呆|阿尔茨海默|.{1,6}症|.{1,6}癌|"
    r".{1,4}病)|"
    r"(?:要|会|来|去|搬|飞|回).{2,14}|(?:会|能)(?:说|做|弹|唱|开|画).{1,8}|不(?:吃|喝|会|抽|能).{1,8}|"
    r"(?:在)?(?:上|读|念)(?:幼儿园|小学|初中|高中|大学|[一二三四五六]年级|大[一二三四]|研[一二三]|"
    r"高[一二三]|初[一二三]|大班|中班|小班)(?:了|呢)?|怀(?:二胎|三胎|孕|了.{1,4}).{0,6}|开(?:出租车|"
    r"货车|滴滴|大车|.{0,6}店|.{0,6}公司|.{0,4}馆).{0,4}|开了.{1,8}|养了.{1,8}|学(?:的)?.{1,8}|"
    r"从事.{1,8}|做.{1,8}的|生日(?:是|在).{2,10}|的名字叫?是?.{1,8}|名字叫.{1,8}|的生日是?.{2,10}|"
    r"属[一-龥])$"
)


PREDICATE_NOT = re.compile(
    r"说|觉得|认为|告诉|问我|骂|催|嫌|夸|让我|叫我|给我打电话|你|打呼|真的很?烦|好烦|太|怎么|吗|"
    r"会不会|会(?:好|没事|来的)|要我|要求|要是|来着|去死|来找我|会帮|来电话|回家了?$|回来了?$|来了$|"
    r"是我(?!家)"
)


WITH = re.compile(
    rf"^我(?:和|跟)(?:我)?(?P<kin>{KIN}|{PEOPLE})(?P<pred>(?:是|已经|都|一起|刚|最近|昨天|今天|上周|"
    r"上个?月|去年|现在|在)*(?:异地恋?|结婚|分手|离婚|吵架|和好|冷战|同居|订婚|领证|认识|在一起|复合|"
    rf"闹掰|绝交|是(?:大学|高中|初中|小学)?同学|是网友|合租|开了.{{1,6}}|搬到.{{1,8}}|(?:准备|打算|"
    rf"计划|要).{{0,6}}(?:结婚|领证|买房|要孩子|去.+|搬家|创业|分手)).{{0,10}})$"
)


KIN_BIRTHDAY = re.compile(
    rf"^(?P<x>.{{2,10}}?)(?:就)?是我(?P<kin>{KIN}|{PEOPLE})(?:的)?.{{0,4}}生日$|^我(?P<kin2>{KIN}|"
    rf"{PEOPLE})(?:的)?生日(?:是|在|就是)?(?P<y>.{{2,10}})$"
)


def kin_birthday(clause: Clause, telling: Telling) -> list[Finding]:
    match = KIN_BIRTHDAY.match(clause.text)
    when = resolve(match["x"] or match["y"], telling.anchor, "zh", False) if match else None
    if not match or when is None:
        return []
    kin = match["kin"] or match["kin2"]
    finding = Finding(
        slot="family" if re.fullmatch(KIN, kin) else "people", value=f"{kin}生日", text=told(clause.text, telling.names)
    )
    return [dated(finding, when, "zh")]


def with_someone(clause: Clause, telling: Telling) -> list[Finding]:
    """我和女朋友…: what the speaker does with someone close."""
    match = WITH.match(clause.text)
    if not match:
        return []
    value = re.sub(r"^(?:已经|都|刚|最近|昨天|今天|上周|上个?月|去年|现在)+", "", match["pred"])
    bound = re.search(r"异地恋?|结婚|分手|离婚|同居|订婚|领证|复合", value)
    slot = "partner" if bound else "family" if re.fullmatch(KIN, match["kin"]) else "people"
    value = bound[0] if bound else match["kin"] + value
    return [
        timed(
            Finding(slot=slot, value=value, text=told(clause.text, telling.names)),
            clause.text,
            telling,
            True if "了" in value else None,
        )
    ]


def tied(clause: Clause, telling: Telling) -> list[Finding]:
    match = WHO.match(clause.text)
    if not match or not PREDICATE.match(match["pred"]) or PREDICATE_NOT.search(match["pred"]):
        return []
    kin = match["kin"]
    slot = "family" if re.fullmatch(KIN, kin) else "pet" if re.fullmatch(PET, kin) else "people"
    negated = bool(re.match(r"(?:也|都|就|现在|一直)*(?:不|讨厌)", match["pred"]))
    past = "了" in match["pred"] or None
    text = clause.text if clause.text.startswith("我") else f"我{clause.text}"
    text = told(text, telling.names)
    finding = Finding(slot=slot, value=kin + match["pred"], text=text, negated=negated)
    return [timed(finding, clause.text, telling, past)]
