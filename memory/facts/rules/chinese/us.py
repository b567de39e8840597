"""Chinese statements about the character, and about the two who talk."""

from __future__ import annotations

import re

from memory.facts.fact import NEKO, RELATIONSHIP
from memory.facts.rules.chinese.grammar import NOT_A_NAME
from memory.facts.rules.chinese.voice import timed, told
from memory.facts.rules.chinese.words import KIN
from memory.facts.rules.clause import Clause, Finding, Telling

_BOND = re.compile(
    r"^(?:说好了?的?|约好了?的?|约定好了?的?|那就说好了?)?(?:我们|咱们|咱俩|我俩|我和你|你和我|"
    r"我跟你)(?P<x>.*(?:约定|约好|说好|拉钩|一起|是(?:最好的?|好|最佳)?(?:朋友|搭档|恋人|情侣|家人|"
    r"伙伴)|认识|在一起|相识|第一次|永远|纪念日).*)$|^(?P<y>(?:今天|明天|后天|昨天|"
    r".{2,8}?)(?:就)?是(?:我们|咱们|咱俩)的?(?:.{0,6}纪念日|约定.{0,6}|暗号.{0,6}))$"
)


_OTHERS = re.compile(
    rf"{KIN}|公司|同事|同学|班|全家|家人|室友|闺蜜|他|她|团队|部门|老师|学校|(?:和|跟|带)[^你我]{{1,6}}一起"
)


_YOU_ARE = re.compile(
    r"^(?:你|您)(?:就|永远|一直|已经|可)*是我(?:的|最|唯一|心中|心里)?(?P<x>(?:最|唯一|好|小|女|男|的|"
    r"贴心|可爱)*[一-龥]{2,8})$"
)


_YOU_CALLED = re.compile(
    r"^(?:以后|那|从今天起|从现在起|那就|就)*我?(?:就|会|要|以后|"
    r"可以)*叫你(?P<x>[一-龥A-Za-z]{1,8}?)(?:吧|好了|了|好啦)?$|^你(?:的)?(?:名字|昵称|小名|"
    r"外号)(?:就)?(?:是|叫)(?P<y>[一-龥A-Za-z]{1,8})$|^你(?:以后|就|以后就|"
    r"现在)+叫(?P<z>[一-龥A-Za-z]{1,6}?)(?:吧|了|好了|好不好)?$"
)


_YOU_HAVE = re.compile(r"^你的?(?P<c>生日|最喜欢的[一-龥]{1,4})(?:是|在)(?P<x>[^吗呢？]{2,12})$")


def about_us(clause: Clause, telling: Telling) -> list[Finding]:
    names = telling.names
    bond = _BOND.match(clause.text)
    # 我们 may be the speaker and anyone: with others about, it is not known to be the two who talk.
    if bond and not _OTHERS.search(telling.heard) and not re.search(r"可以|能够?一起|希望|要不|吧$", clause.text):
        text = re.sub(
            r"(?:我们|咱们|咱俩|我俩|我和你|你和我|我跟你)",
            f"{names.master_in('zh')}和{names.neko}",
            clause.text,
            count=1,
        )
        finding = Finding(slot="bond", value=bond["x"] or bond["y"], entity=RELATIONSHIP, text=told(text, names))
        return [timed(finding, clause.text, telling, True if "了" in text or "过" in text else None)]
    called = _YOU_CALLED.match(clause.text)
    if called:
        name = called["x"] or called["y"] or called["z"]
        if NOT_A_NAME.match(name):
            return []
        return [
            Finding(
                slot="character_name", value=name, entity=NEKO, text=f"{names.master_in('zh')}叫{names.neko}{name}。"
            )
        ]
    you = _YOU_ARE.match(clause.text) or _YOU_HAVE.match(clause.text)
    if not you or re.search(r"心中|唯一的希望|谁|什么", clause.text):
        return []
    slot = "about_character"
    if "c" in you.groupdict():
        slot = "birthday" if you["c"] == "生日" else f"favourite:{you['c'][4:]}"
    return [Finding(slot=slot, value=you["x"], entity=NEKO, text=told(clause.text, names))]
