"""What kind of thing somebody tells of themselves in a message: rules for what a conversation opens with."""

from __future__ import annotations

import re

PERSONAL_DETAIL, COMMITMENT, EXPERIENCE, FEELING = "personal_detail", "commitment", "experience", "feeling"

_LOOKED_AT = 600            # characters

_I = r"\bi(?:'m|’m| am| was|'ve|’ve| have|'ll|’ll| will)?\b"
_RULES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        FEELING,
        re.compile(
            r"\bi(?:'m|’m| am| feel| felt|'ve been| have been| was)(?: really| so| very| a bit| quite| feeling)* "
            r"(?:happy|sad|tired|anxious|angry|lonely|excited|stressed|worried|depressed|exhausted|afraid|scared|nervous|"
            r"upset|frustrated|overwhelmed|grateful|relieved|proud|bored|down|great|terrible|awful)\b"
            r"|我(?:今天|最近|现在|真的|好像|有点|有些|很|好|太|非常|觉得|感觉|感到)*"
            r"(?:开心|高兴|难过|伤心|累|焦虑|生气|孤独|兴奋|紧张|担心|抑郁|疲惫|害怕|沮丧|烦|郁闷|幸福)",
            re.IGNORECASE,
        ),
    ),
    (
        COMMITMENT,
        re.compile(
            r"\bi(?:'ll|’ll| will| promise| plan to| intend to|'m going to|’m going to| am going to| have to| need to|"
            r" must)\b|\bremind me\b|我(?:会|要|打算|计划|准备|答应|得|必须)|提醒我",
            re.IGNORECASE,
        ),
    ),
    (
        PERSONAL_DETAIL,
        re.compile(
            r"\bmy (?:name|birthday|wife|husband|partner|girlfriend|boyfriend|mother|mom|father|dad|sister|brother|son|"
            r"daughter|child|children|cat|dog|job|phone|address|email|blood type|favou?rite)\b"
            r"|\bi(?:'m|’m| am) (?:a|an|from|allergic|\d+ years old|married|single|vegetarian|vegan)\b"
            r"|\bi (?:live|work|study|was born|grew up|moved)\b"
            r"|我(?:叫|姓|是|住在?|在.{1,12}(?:工作|上班|上学|读书)|出生|今年\d+岁|对.{1,8}过敏)"
            r"|我的?(?:名字|生日|妻子|老婆|丈夫|老公|妈妈|爸爸|姐姐|妹妹|哥哥|弟弟|儿子|女儿|猫|狗|工作|手机|地址)",
            re.IGNORECASE,
        ),
    ),
    (
        EXPERIENCE,
        re.compile(
            rf"{_I} (?:went|visited|saw|met|started|finished|tried|bought|made|watched|read|lost|won|got|took|been)\b"
            r"|我(?:昨天|今天|上周|上个月|去年|最近|刚|刚刚|已经)?(?:去了|看了|见了|开始|完成|试了|买了|做了|丢了|赢了)",
            re.IGNORECASE,
        ),
    ),
)


def kind_of(text: str) -> str | None:
    """What the text tells of its writer, or None."""
    head = text[:_LOOKED_AT]
    return next((kind for kind, rule in _RULES if rule.search(head)), None)
