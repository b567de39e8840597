"""What a Chinese clause says, by the rules."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.facts.fact import NEKO, RELATIONSHIP
from memory.facts.rules import chinese, chinese_time
from memory.facts.rules import chinese_rules as rules
from memory.facts.rules.chinese import without_tail
from memory.facts.rules.chinese_rules import Rule
from memory.facts.rules.chinese_voice import quoted, told
from memory.facts.rules.chinese_words import KIN, PET
from memory.facts.rules.clause import Clause, Finding, Telling, dated
from memory.facts.rules.draft import TIMELESS
from memory.facts.rules.event_when import resolve
from memory.facts.rules.numerals import CHINESE_NUMBER, chinese_number
from memory.facts.rules.tongue import Tongue

_ME = re.compile(r"^(?:我(?:呢|啊|这个?人|自己|本人|本来|其实|现在|也|真的)*[，]?|本人|俺)(?!们|家(?!里?(?:一共|还|是|开|做|有|养|住|在|现在|[一二三四五六七八九十\d]+口))|妈|爸)")
_DAY_OF = re.compile(rf"({CHINESE_NUMBER})月({CHINESE_NUMBER})[日号]?|(?<!\d)(\d{{1,2}})[./-](\d{{1,2}})(?!\d)")
_DENIED = re.compile(r"^(?:已经|现在|早就|其实|也|都|真的|目前|早|从此|再也|并|可|又|才|根本|从来)*(?P<no>不再|不|没有|没|并不|已不)(?P<be>是|在|住在|住|养|做|当|叫|姓|有|会)(?P<rest>.+?)(?P<end>了)?$")
_NOT_BUT = re.compile(r"^(?P<head>.*?)不是(?P<a>.{1,16}?)(?:了)?[，]?(?:而是|是|，是)(?P<b>.+)$")
_I_AM = re.compile(r"^我是(?P<x>[阿小老][一-龥]{1,2}|[A-Z][a-z]{1,15})$(?<!小孩)(?<!小白)(?<!小时)(?<!老师)(?<!老板)(?<!小偷)(?<!老人)(?<!小丑)(?<!小学生)(?<!小妹)(?<!老大)")
_GREETING = re.compile(r"^\W*(?:大家好|你好|您好|哈喽|哈啰|嗨|hi|hello|hey|初次见面|很高兴认识)|认识你", re.IGNORECASE)
_LEAVING = ("home", "workplace", "job", "school", "pet", "possession", "major")
_LEAD = re.compile(
    r"^(?:每(?:天|周|晚|年|个?(?:周末|月|星期|礼拜|早上|晚上)|次[一-龥]{0,6}|逢[一-龥]{1,4})|平时|平常|周末|一般|通常|从小|小时候|现在|目前|最近|近来|这几天|这阵子|这段时间|"
    r"(?:今天|昨天|前天|明天|后天|今早|今晚|昨晚|明早|明晚|上周|下周|这周|本周|上个月|下个月|这个月|去年|今年|明年|前年)[一-龥\d]{0,5}|周[一二三四五六日末]|星期[一二三四五六日天]|\d{1,4}[年月日号][一-龥\d]{0,6}|"
    r"[一二两三四五六七八九十半\d]+(?:天|周|个月|年|个?小时)(?:前|后|以前|以后)|睡前|饭后|下班后?|放学后?|晚上|早上|中午|下午|刚刚|刚才|前几天|前段时间|毕业后|以后)(?:的时候)?(?:都|也|呢)?$"
)
_NOT_TAIL = re.compile(r"^(?P<head>.{3,}?)(?:，|而|并)?不是(?P<b>[^是，了]{1,8})(?:了)?$")
_MEASURE = re.compile(rf"^(?:{CHINESE_NUMBER}|几|好几)?(?:只|条|个|匹|头|位|名|辆|台|把|套|间|家|部|架|双|本|缸|窝|对)(?=..?)")
_LISTED = re.compile(r"[、]|和(?!平|谐|尚|服|气|弦)|跟(?=[一-龥])|还有|以及|[，]")
_LIST_NOT = re.compile(r"一起|的$|朋友|家人|你|我|他|她")
_TAIL_OF_VALUE = re.compile(r"(?:的(?:时候|感觉|味道|日子)|了|的|啊|呢|吧|这(?:件|种)事|这个|那种|什么的|之类的|等等)$")
_BOND = re.compile(
    r"^(?:说好了?的?|约好了?的?|约定好了?的?|那就说好了?)?(?:我们|咱们|咱俩|我俩|我和你|你和我|我跟你)(?P<x>.*(?:约定|约好|说好|拉钩|一起|是(?:最好的?|好|最佳)?(?:朋友|搭档|恋人|情侣|家人|伙伴)|认识|在一起|相识|第一次|永远|纪念日).*)$|^(?P<y>(?:今天|明天|后天|昨天|.{2,8}?)(?:就)?是(?:我们|咱们|咱俩)的?(?:.{0,6}纪念日|约定.{0,6}|暗号.{0,6}))$"
)
_OTHERS = re.compile(rf"{KIN}|公司|同事|同学|班|全家|家人|室友|闺蜜|他|她|团队|部门|老师|学校|(?:和|跟|带)[^你我]{{1,6}}一起")
_YOU_ARE = re.compile(r"^(?:你|您)(?:就|永远|一直|已经|可)*是我(?:的|最|唯一|心中|心里)?(?P<x>(?:最|唯一|好|小|女|男|的|贴心|可爱)*[一-龥]{2,8})$")
_YOU_CALLED = re.compile(r"^(?:以后|那|从今天起|从现在起|那就|就)*我?(?:就|会|要|以后|可以)*叫你(?P<x>[一-龥A-Za-z]{1,8}?)(?:吧|好了|了|好啦)?$|^你(?:的)?(?:名字|昵称|小名|外号)(?:就)?(?:是|叫)(?P<y>[一-龥A-Za-z]{1,8})$|^你(?:以后|就|以后就|现在)+叫(?P<z>[一-龥A-Za-z]{1,6}?)(?:吧|了|好了|好不好)?$")
_YOU_HAVE = re.compile(r"^你的?(?P<c>生日|最喜欢的[一-龥]{1,4})(?:是|在)(?P<x>[^吗呢？]{2,12})$")
_SINGLE = ("name", "home", "workplace", "job", "school", "origin", "grade", "major")


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
    for look in (_called, _birthday, _kin_birthday, _favourite, _topic, _with, _who, _of_me, _about_us):
        found = look(clause, telling)
        if found:
            return found
    found = chinese_time.find(clause, telling)
    if found:
        return found
    return _remembered(clause, telling) if clause.remember else []


def _text(clause: Clause, telling: Telling) -> str:
    return told(clause.text, telling.names, carried=clause.carried and "我" not in clause.text)


def _when(finding: Finding, text: str, telling: Telling, past: bool | None) -> Finding:
    if finding.slot.partition(":")[0] in TIMELESS:
        return finding
    return dated(finding, resolve(text, telling.anchor, "zh", past), "zh")


def _called(clause: Clause, telling: Telling) -> list[Finding]:
    am = _I_AM.match(clause.text)
    if am and _GREETING.search(telling.heard):
        return [Finding(slot="name", value=am["x"], text=_text(clause, telling))]
    match = rules.CALL_ME.match(clause.text)
    if not match or rules.NOT_A_NAME.match(match["x"]) or len(match["x"]) > 12:
        return []
    # 叫我 before a longer run of words is an order ("叫我起床"), not a name, unless it closes like one.
    if not match["end"] and len(match["x"]) > 5 and not match["x"].isascii():
        return []
    master = telling.names.master_in("zh")
    if match["no"]:
        return [Finding(slot="alias", value=match["x"], text=f"{master}不想被叫做{match['x']}。", negated=True)]
    return [Finding(slot="alias", value=match["x"], text=f"{master}希望被叫做{match['x']}。")]


def _birthday(clause: Clause, telling: Telling) -> list[Finding]:
    match = rules.BORN.match(clause.text)
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
    finding = Finding(slot="birthday", value=value, text=_text(clause, telling))
    return [dated(finding, when, "zh")]


def _kin_birthday(clause: Clause, telling: Telling) -> list[Finding]:
    match = rules.KIN_BIRTHDAY.match(clause.text)
    when = resolve(match["x"] or match["y"], telling.anchor, "zh", False) if match else None
    if not match or when is None:
        return []
    kin = match["kin"] or match["kin2"]
    finding = Finding(slot="family" if re.fullmatch(KIN, kin) else "people", value=f"{kin}生日", text=told(clause.text, telling.names))
    return [dated(finding, when, "zh")]


def _with(clause: Clause, telling: Telling) -> list[Finding]:
    """我和女朋友…: what the speaker does with someone close."""
    match = rules.WITH.match(clause.text)
    if not match:
        return []
    value = re.sub(r"^(?:已经|都|刚|最近|昨天|今天|上周|上个?月|去年|现在)+", "", match["pred"])
    bound = re.search(r"异地恋?|结婚|分手|离婚|同居|订婚|领证|复合", value)
    slot = "partner" if bound else "family" if re.fullmatch(KIN, match["kin"]) else "people"
    value = bound[0] if bound else match["kin"] + value
    return [_when(Finding(slot=slot, value=value, text=told(clause.text, telling.names)), clause.text, telling, True if "了" in value else None)]


def _favourite(clause: Clause, telling: Telling) -> list[Finding]:
    match = rules.FAVOURITE_FIRST.match(clause.text)
    value = _value(match["x"]) if match else None
    if not match or value is None:
        return []
    return [Finding(slot=f"favourite:{match['c'] or '最爱'}", value=value, text=_text(clause, telling))]


def _topic(clause: Clause, telling: Telling) -> list[Finding]:
    match = rules.TOPIC.match(clause.text)
    value = _value(re.sub(r"^(?:但是?|可是|不过|其实)|(?:这种|这个|的话|呢|嘛)$", "", match["x"])) if match else None
    if not match or value is None or resolve(value, telling.anchor, "zh") is not None:
        return []
    verb = match["v"]
    if "过敏" in verb:
        return [Finding(slot="allergy", value=value, text=_text(clause, telling))]
    slot = "diet" if re.search(r"不吃|不喝|不能吃|吃不了", verb) else "preference"
    negated = bool(re.search(r"不|讨厌", verb))
    return [Finding(slot=slot, value=value, text=_text(clause, telling), negated=negated)]


def _who(clause: Clause, telling: Telling) -> list[Finding]:
    match = rules.WHO.match(clause.text)
    if not match or not rules.PREDICATE.match(match["pred"]) or rules.PREDICATE_NOT.search(match["pred"]):
        return []
    kin = match["kin"]
    slot = "family" if re.fullmatch(KIN, kin) else "pet" if re.fullmatch(PET, kin) else "people"
    negated = bool(re.match(r"(?:也|都|就|现在|一直)*(?:不|讨厌)", match["pred"]))
    past = "了" in match["pred"] or None
    text = clause.text if clause.text.startswith("我") else f"我{clause.text}"
    text = told(text, telling.names)
    finding = Finding(slot=slot, value=kin + match["pred"], text=text, negated=negated)
    return [_when(finding, clause.text, telling, past)]


def _of_me(clause: Clause, telling: Telling) -> list[Finding]:
    me = _ME.match(clause.text)
    if me is None and not clause.carried:
        return []
    said = clause.text[me.end():] if me else clause.text
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
    for each in rules.OF_ME:
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
    spoken = groups.get("x") or groups.get("y") or groups.get("z") or groups.get("q") or (groups.get("c") if each.slot in ("identity", "family") else None) or each.value
    if not spoken:
        return []
    slot = each.slot
    value: str | None = spoken if each.whole else _value(spoken)
    bonus = each.bonus
    if value is None:
        return []
    if slot == "habit" and len(value) < 2 and value not in ("烟", "酒", "糖"):
        return []
    if slot in ("name", "alias"):
        value = None if rules.NOT_A_NAME.match(spoken) else spoken
    elif slot == "age":
        number = chinese_number(spoken)
        value = str(number) if number is not None and 3 < number < 120 else None
    elif slot == "home":
        value = None if rules.PLACE_NOT.match(value) or len(value) > 14 else re.sub(r"(?:已经)?(?:快|有|住了)?(?:\d+|[一二两三四五六七八九十半]+)(?:年|个月)(?:多)?$", "", value)
    elif slot == "origin":
        value = _origin(match[0], value)
    elif slot == "favourite":
        slot = f"favourite:{groups.get('c') or '最爱'}"
        if re.search(r"人|地方$|事$|时候|部分|一点|日子", groups.get("c") or "") and not re.search(r"地方$", groups.get("c") or ""):
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
    finding = Finding(slot=slot, value=value, text=_text(clause, telling), negated=negated, correction=each.correction, bonus=bonus)
    parts = _listed(value) if each.many else [value]
    at = clause.text.find(spoken)
    if len(parts) == 1 or at < 0:
        return [_when(finding, clause.text, telling, each.past)]
    rest = clause.text[at + len(spoken):] if slot == "allergy" else ""
    out = []
    for part in parts:
        text = told(clause.text[:at] + part + rest, telling.names, carried=clause.carried and "我" not in clause.text)
        out.append(replace(finding, value=part, text=text))
    return out


def _value(spoken: str) -> str | None:
    value = spoken.strip(" ，、")
    for _ in range(3):
        value = _TAIL_OF_VALUE.sub("", value)
    if not value or len(value) > 24 or rules.DEICTIC.match(value) or "你" in value or "\ue002" in value:
        return None
    return value


def _listed(value: str) -> list[str]:
    parts = [part for part in _LISTED.split(value) if part]
    if not 1 < len(parts) <= 5 or any(len(part) > 6 or _LIST_NOT.search(part) for part in parts):
        return [value]
    verb = re.match(r"^[吃喝看玩听打做画读写]", parts[0])
    if verb and all(not re.match(r"^[吃喝看玩听打做画读写弹唱跑跳游爬]", part) for part in parts[1:]):
        # The verb in front belongs to every part: 吃苹果和梨.
        return [parts[0], *(verb[0] + part for part in parts[1:])]
    return parts


def _origin(matched: str, value: str) -> str | None:
    if not matched.endswith(("人", "银")) and not re.search(r"^(?:其实)?[一-龥]{2,6}的$", matched):
        return None if rules.PLACE_NOT.match(value) else value
    return value if rules.ORIGIN_IS.match(value) else None


def _about_us(clause: Clause, telling: Telling) -> list[Finding]:
    names = telling.names
    bond = _BOND.match(clause.text)
    # 我们 may be the speaker and anyone: with others about, it is not known to be the two who talk.
    if bond and not _OTHERS.search(telling.heard) and not re.search(r"可以|能够?一起|希望|要不|吧$", clause.text):
        text = re.sub(r"(?:我们|咱们|咱俩|我俩|我和你|你和我|我跟你)", f"{names.master_in('zh')}和{names.neko}", clause.text, count=1)
        finding = Finding(slot="bond", value=bond["x"] or bond["y"], entity=RELATIONSHIP, text=told(text, names))
        return [_when(finding, clause.text, telling, True if "了" in text or "过" in text else None)]
    called = _YOU_CALLED.match(clause.text)
    if called:
        name = called["x"] or called["y"] or called["z"]
        if rules.NOT_A_NAME.match(name):
            return []
        return [Finding(slot="character_name", value=name, entity=NEKO, text=f"{names.master_in('zh')}叫{names.neko}{name}。")]
    you = _YOU_ARE.match(clause.text) or _YOU_HAVE.match(clause.text)
    if not you or re.search(r"心中|唯一的希望|谁|什么", clause.text):
        return []
    slot = "about_character"
    if "c" in you.groupdict():
        slot = "birthday" if you["c"] == "生日" else f"favourite:{you['c'][4:]}"
    return [Finding(slot=slot, value=you["x"], entity=NEKO, text=told(clause.text, names))]


def _remembered(clause: Clause, telling: Telling) -> list[Finding]:
    """What the speaker asked to keep and no other rule knows: their own words."""
    if not rules.REMEMBERED.match(clause.text) or re.match(r"^(?:这|那|它|他|她|你|用户|主人)", clause.text):
        return []
    if "我" in clause.text:
        text = told(clause.text, telling.names)
    else:
        text = f"{telling.names.master_in('zh')}要求记住：“{clause.text}”"
    return [_when(Finding(slot="remember", value=clause.text, text=text), clause.text, telling, None)]


CHINESE = Tongue(
    normalise=chinese.normalise,
    split_asked=chinese.split_asked,
    clauses=chinese.clauses,
    find=find,
    restore=chinese.restored,
    first_person=re.compile(r"^(?:[^我，]{0,8}[，]?)?我(?!们|家|妈|爸|哥|姐|弟|妹|爷|奶|老|朋友|同|闺|室|男朋友|女朋友|儿子|女儿)|^(?:最近|今天|昨天|明天|本人)"),
    instruction=chinese.INSTRUCTION,
    joking=chinese.JOKING,
    frame=chinese.FRAME,
    sentence_drops=chinese.SENTENCE_DROPS,
    clause_drops=chinese.CLAUSE_DROPS,
    longest_clause=chinese.LONGEST_CLAUSE,
)
