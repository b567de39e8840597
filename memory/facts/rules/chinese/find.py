"""What a Chinese clause says, by the rules."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.facts.rules.chinese import idle
from memory.facts.rules.chinese.clauses import LONGEST_CLAUSE, clauses, normalise, restored, split_asked, without_tail
from memory.facts.rules.chinese.drops import CLAUSE_DROPS, FRAME, INSTRUCTION, JOKING, SENTENCE_DROPS
from memory.facts.rules.chinese.grammar import NOT_A_NAME
from memory.facts.rules.chinese.happenings import happening
from memory.facts.rules.chinese.names import birthday, called
from memory.facts.rules.chinese.rules import RULES
from memory.facts.rules.chinese.tastes import favourite, topic
from memory.facts.rules.chinese.ties import kin_birthday, tied, with_someone
from memory.facts.rules.chinese.us import about_us
from memory.facts.rules.chinese.values import PLACE_NOT, listed, origin_of, value_of
from memory.facts.rules.chinese.voice import timed, told, told_of
from memory.facts.rules.chinese.words import KIN, PEOPLE, PET
from memory.facts.rules.clause import Clause, Finding, Telling
from memory.facts.rules.numerals import CHINESE_NUMBER, chinese_number
from memory.facts.rules.rule import Rule
from memory.facts.rules.tongue import Tongue

_ME = re.compile(
    r"^(?:我(?:呢|啊|这个?人|自己|本人|本来|其实|现在|也|真的)*[，]?|本人|俺)(?!们|家(?!里?(?:一共|还|"
    r"是|开|做|有|养|住|在|现在|[一二三四五六七八九十\d]+口))|妈|爸)"
)


_DENIED = re.compile(
    r"^(?:已经|现在|早就|其实|也|都|真的|目前|早|从此|再也|并|可|又|才|根本|从来)*(?P<no>不再|不|没有|"
    r"没|并不|已不)(?P<be>是|在|住在|住|养|做|当|叫|姓|有|会|怕|害怕)(?P<rest>.+?)(?P<end>了)?$"
)


_NOT_BUT = re.compile(r"^(?P<head>.*?)不是(?P<a>.{1,16}?)(?:了)?[，]?(?:而是|是|，是)(?P<b>.+)$")


_LEAVING = ("home", "workplace", "job", "school", "pet", "possession", "major")


_LEAD = re.compile(
    r"^(?:每(?:天|周|晚|年|个?(?:周末|月|星期|礼拜|早上|晚上)|次[一-龥]{0,6}|逢[一-龥]{1,4})|平时|"
    r"平常|周末|一般|通常|从小|小时候|现在|目前|最近|近来|这几天|这阵子|这段时间|"
    r"(?:今天|昨天|前天|明天|后天|今早|今晚|昨晚|明早|明晚|上周|下周|这周|本周|上个月|下个月|这个月|"
    r"去年|今年|明年|前年)[一-龥\d]{0,5}|周[一二三四五六日末]|星期[一二三四五六日天]|"
    r"\d{1,4}[年月日号][一-龥\d]{0,6}|"
    r"[一二两三四五六七八九十半\d]+(?:天|周|个月|年|个?小时)(?:前|后|以前|以后)|睡前|饭后|下班后?|"
    r"放学后?|晚上|早上|中午|下午|刚刚|刚才|前几天|前段时间|毕业后|以后)(?:的时候)?(?:都|也|呢)?$"
)


_NOT_TAIL = re.compile(r"^(?P<head>.{3,}?)(?:，|而|并)?不是(?P<b>[^是，了]{1,8})(?:了)?$")


_MEASURE = re.compile(
    rf"^(?:{CHINESE_NUMBER}|几|好几)?(?:只|条|个|匹|头|位|名|辆|台|把|套|间|家|部|架|双|本|缸|窝|对)(?=..?)"
)


REMEMBERED = re.compile(r"^(?:我|(?:[^你，]{2,16}(?:是|在|为|有)))[^你]{1,40}$")


def find(clause: Clause, telling: Telling) -> list[Finding]:
    """The findings of one clause; none where it is not certain what it says."""
    return _find(replace(clause, text=without_tail(clause.text)), telling)


def _find(clause: Clause, telling: Telling) -> list[Finding]:
    text = clause.text
    unlike = _NOT_TAIL.match(text)
    if unlike:
        found = _find(replace(clause, text=unlike["head"]), telling)
        if found:
            return [replace(one, correction=True) for one in found]
    switched = _NOT_BUT.match(text)
    if switched and not switched["head"].endswith(("要", "可")):
        told_instead = f"{switched['head'] or '我'}是{switched['b']}"
        return [replace(one, correction=True) for one in _find(replace(clause, text=told_instead), telling)]
    for look in (called, birthday, kin_birthday, favourite, topic, with_someone, tied, _of_me, about_us):
        found = look(clause, telling)
        if found:
            return found
    found = happening(clause, telling)
    if found:
        return found
    return _remembered(clause, telling) if clause.remember else []


def _of_me(clause: Clause, telling: Telling) -> list[Finding]:
    me = _ME.match(clause.text)
    if me is None and not clause.carried:
        return []
    said = clause.text[me.end() :] if me else clause.text
    if me is None and re.search(r"我", said):
        # 明天我… and the like: the subject stands inside.
        inner = re.match(r"^(?P<lead>[^我，]{2,10})我(?P<rest>.+)$", said)
        if not inner or not _LEAD.match(inner["lead"]):
            return []
        said, me = inner["lead"] + inner["rest"], re.match("", "")
    denied = _DENIED.match(said)
    if denied and denied["end"] and me is not None:
        left = [one for one in _denied(denied, clause, telling) if one.slot in _LEAVING]
        if left:
            return left
    found = _by_rules(clause, said, telling, spoken=me is not None)
    if found:
        return found
    if denied and (me is not None or denied["end"]):
        return _denied(denied, clause, telling)
    return []


def _denied(denied: re.Match[str], clause: Clause, telling: Telling) -> list[Finding]:
    """What the clause would say without its 不 or 没, turned round."""
    positive = re.sub(r"^(?:是|在)(?=在)", "", denied["be"] + denied["rest"])
    if denied["be"] == "在":
        positive = f"现在{positive}"
    changed = bool(denied["end"]) or denied["no"].endswith("再")
    return [
        replace(one, negated=not one.negated, correction=changed)
        for one in _by_rules(clause, positive, telling, spoken=True)
        if one.slot not in ("skill", "habit", "partner", "health", "trait", "event", "hobby")
    ]


def _by_rules(clause: Clause, said: str, telling: Telling, *, spoken: bool) -> list[Finding]:
    for each in RULES:
        if not spoken and not each.carried:
            continue
        match = each.pattern.match(said)
        if match:
            found = _apply(each, match, clause, telling)
            if found:
                return found
    return []


def _apply(each: Rule, match: re.Match[str], clause: Clause, telling: Telling) -> list[Finding]:
    groups = match.groupdict()
    spoken = (
        groups.get("x")
        or groups.get("y")
        or groups.get("z")
        or groups.get("q")
        or (groups.get("c") if each.slot in ("identity", "family") else None)
        or each.value
    )
    if not spoken:
        return []
    slot = each.slot
    value: str | None = spoken if each.whole else value_of(spoken)
    bonus = each.bonus
    if value is None:
        return []
    if slot == "habit" and len(value) < 2 and value not in ("烟", "酒", "糖"):
        return []
    if slot in ("name", "alias"):
        value = None if NOT_A_NAME.match(spoken) else spoken
    elif slot == "age":
        number = chinese_number(spoken)
        value = str(number) if number is not None and 3 < number < 120 else None
    elif slot == "home":
        value = (
            None
            if PLACE_NOT.match(value) or len(value) > 14
            else re.sub(r"(?:已经)?(?:快|有|住了)?(?:\d+|[一二两三四五六七八九十半]+)(?:年|个月)(?:多)?$", "", value)
        )
    elif slot == "origin":
        value = origin_of(match[0], value)
    elif slot == "favourite":
        slot = f"favourite:{groups.get('c') or '最爱'}"
        if re.search(r"人|地方$|事$|时候|部分|一点|日子", groups.get("c") or "") and not re.search(
            r"地方$", groups.get("c") or ""
        ):
            return []
    elif slot == "preference" and "s" in groups:
        bonus += 1 if re.search(r"特别|非常|超|最|很喜|真的|巨|热爱", match[0]) else 0
    elif slot == "workplace" and re.search(r"^(?:家|这|那|外面|一起|一家|这里|那边|学习|认真|努力|拼命|偷偷)$", value):
        value = None
    if slot in ("workplace", "school") and value is not None:
        value = re.sub(r"^(?:一家|一所|一个|某家)", "", value)
    if slot in ("pet", "possession", "family") and value is not None:
        value = _MEASURE.sub("", value)
    if groups.get("n") and value:
        value += groups["n"]
    if not value:
        return []
    negated = each.negated or bool(groups.get("neg")) or (slot == "family" and bool(groups.get("c")))
    finding = Finding(
        slot=slot, value=value, text=told_of(clause, telling), negated=negated, correction=each.correction, bonus=bonus
    )
    parts = listed(value) if each.many else [value]
    at = clause.text.find(spoken)
    if len(parts) == 1 or at < 0:
        return [timed(finding, clause.text, telling, each.past)]
    rest = clause.text[at + len(spoken) :] if slot == "allergy" else ""
    out = []
    for part in parts:
        text = told(clause.text[:at] + part + rest, telling.names, carried=clause.carried and "我" not in clause.text)
        out.append(replace(finding, value=part, text=text))
    return out


def _remembered(clause: Clause, telling: Telling) -> list[Finding]:
    """What the speaker asked to keep and no other rule knows: their own words."""
    if not REMEMBERED.match(clause.text) or re.match(r"^(?:这|那|它|他|她|你|用户|主人)", clause.text):
        return []
    if "我" in clause.text:
        text = told(clause.text, telling.names)
    else:
        text = f"{telling.names.master_in('zh')}要求记住：“{clause.text}”"
    return [timed(Finding(slot="remember", value=clause.text, text=text), clause.text, telling, None)]


CHINESE = Tongue(
    normalise=normalise,
    split_asked=split_asked,
    clauses=clauses,
    find=find,
    restore=restored,
    other_person=re.compile(rf"[他她它]|{KIN}|{PEOPLE}|{PET}|小[一-龥]|老[一-龥]|^这|^那"),
    first_person=re.compile(
        r"^(?:[^我，]{0,8}[，]?)?我(?!们|家|妈|爸|哥|姐|弟|妹|爷|奶|老|朋友|同|闺|室|男朋友|女朋友|儿子|"
        r"女儿)|^(?:最近|今天|昨天|明天|本人)"
    ),
    instruction=INSTRUCTION,
    joking=JOKING,
    frame=FRAME,
    sentence_drops=SENTENCE_DROPS,
    clause_drops=CLAUSE_DROPS,
    longest_clause=LONGEST_CLAUSE,
    own=idle.OWN,
    mine=idle.MINE,
    others=idle.OTHERS,
    idle=idle.IDLE,
    telling=idle.TELLING,
    lasting=idle.LASTING,
    told=lambda clause, names: told(without_tail(clause.text), names),
)
