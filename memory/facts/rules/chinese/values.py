"""What may stand as the value of a Chinese statement."""

from __future__ import annotations

import re

from memory.facts.rules.chinese.atlas import PLACE

DEICTIC = re.compile(
    r"^(?:里面|其中|上面|下面|后面|前面|刚才|刚刚|你|他|她|它|我|他们|她们|这|那|哪|什么|啥|谁|某|"
    r"其他|别的|一个人$|一个(?:男|女)[生孩]|上[你他她它]|就|才|和你|跟你|被你|听你|看你|自己$|这样|"
    r"那样|的|了$|过$|得|不得|着|上了?$|的$|起来|一下|到|吗|不|过来|人家|有人|死了|得不行|得要死|得很|"
    r"惨了?$|一段|上一个人|上了一个|上某)"
)


PLACE_NOT = re.compile(
    r"^(?:这里|那里|这儿|那儿|这边|那边|一起|家里?$|外面|公司$|学校$|宿舍$|新家|新房子?|一个人|自己|"
    r"朋友家|酒店|医院|出租屋|附近|楼上|楼下|隔壁|同一|校外|[一二三四五六七八九十\d]+楼|.*(?:附近|"
    r"旁边|对面)$)"
)


ORIGIN_IS = re.compile(rf"^{PLACE}(?:[一-龥]{{1,4}})?$|^[一-龥]{{1,3}}(?:省|市|县|州|岛|镇|村)$")


_LISTED = re.compile(r"[、]|和(?!平|谐|尚|服|气|弦)|跟(?=[一-龥])|还有|以及|[，]")


_LIST_NOT = re.compile(r"一起|的$|朋友|家人|你|我|他|她")


_TAIL_OF_VALUE = re.compile(r"(?:的(?:时候|感觉|味道|日子)|了|的|啊|呢|吧|这(?:件|种)事|这个|那种|什么的|之类的|等等)$")


def value_of(spoken: str) -> str | None:
    value = spoken.strip(" ，、")
    for _ in range(3):
        value = _TAIL_OF_VALUE.sub("", value)
    if not value or len(value) > 24 or DEICTIC.match(value) or "你" in value or "\ue002" in value:
        return None
    return value


def listed(value: str) -> list[str]:
    parts = [part for part in _LISTED.split(value) if part]
    if not 1 < len(parts) <= 5 or any(len(part) > 6 or _LIST_NOT.search(part) for part in parts):
        return [value]
    verb = re.match(r"^[吃喝看玩听打做画读写]", parts[0])
    if verb and all(not re.match(r"^[吃喝看玩听打做画读写弹唱跑跳游爬]", part) for part in parts[1:]):
        # The verb in front belongs to every part: 吃苹果和梨.
        return [parts[0], *(verb[0] + part for part in parts[1:])]
    return parts


def origin_of(matched: str, value: str) -> str | None:
    if not matched.endswith(("人", "银")) and not re.search(r"^(?:其实)?[一-龥]{2,6}的$", matched):
        return None if PLACE_NOT.match(value) else value
    return value if ORIGIN_IS.match(value) else None
