"""Chinese plans: what the speaker will do, and when."""

from __future__ import annotations

import re

from memory.facts.rules.chinese.moments import HOLIDAY, NOTHING, POINTING, Look, days_ahead, timeless
from memory.facts.rules.chinese.voice import told_of
from memory.facts.rules.clause import Clause, Finding, Telling
from memory.facts.rules.event_when import resolve

_TRIVIAL = re.compile(
    r"^(?:去)?(?:睡|睡觉|睡了|吃饭|吃|洗澡|洗漱|走|走了|下线|忙|上班|休息|努力|加油|试试|看看|想想|"
    r"告诉|回复|找你|陪你|来找|继续|去了|回家|出门|起床|喝水|哭|死|疯|闹|一直|永远|好好|记住|抱|亲|"
    r"给你|带你|跟你|和你|对你|爱|相信|支持|等|问|说|讲|听你|先|再|多|早点睡|赶紧|知道|想|变|你)"
)


_EVENT_NOUN = (
    r"(?:考试|面试|体检|会|会议|课|早课|晚课|比赛|演出|演唱会|约会|聚会|聚餐|婚礼|手术|答辩|航班|飞机|"
    r"火车|高铁|复查|复诊|培训|讲座|活动|汇报|演讲|期末考|期中考|月考|高考|四级|六级|英语考试|"
    r"驾照考试|科目[一二三四]|预约|团建|年会|相亲|拔牙|截止|ddl|DDL|deadline|生日会|同学会|家长会|"
    r"发布会|直播|出差|补考|笔试|测验|小测|pre|presentation|开题|婚检|路演)"
)


_PLAN = re.compile(
    r"^(?P<t>.*?)(?:就|也|还|又|可能会|是|得|已经)*(?P<v>要去|要|打算|准备|计划|决定|将要?|会|想去|"
    r"约了|约好|报名了?|得|去|飞|回|参加|开始)(?P<x>.+)$"
)


_FIRM = re.compile(r"打算|计划|决定|(?<!在)准备(?!好|了$|考|面)")


_HAVE_EVENT = re.compile(
    r"^(?P<t>.*?)(?:还|又|也|就)*有(?:一[个场节次门]|个|场|节|两[个场节]|"
    rf"[一两三\d]场)?(?P<x>[一-龥A-Za-z]{{0,10}}{_EVENT_NOUN})(?:要.{{1,6}})?$"
)


_BARE_EVENT = re.compile(
    rf"^(?P<t>.*?)(?:就|还|就要|要|就是|是|得|还得|又要|即将)*(?P<x>(?:[一-龥A-Za-z]{{0,6}})?(?:考试|"
    rf"面试|体检|开[一-龥]{0, 3}会|上课|比赛|演出|出差|搬家|手术|答辩|复查|飞[一-龥]{{2,6}}|出发|开学|"
    rf"放假|毕业|结婚|高考|考研|考[一-龥]{{1,6}}|回老家|回国|报到|入职|相亲|加班|值班|开庭|交(?:论文|"
    rf"作业|稿|报告).{{0,4}}|拔牙|团建|生孩子|预产期))$"
)


_CARRIED_PLAN = re.compile(
    r"^(?:今天|明天|后天|大后天|今晚|明晚|明早|下周|下个?月|这周|周[一二三四五六日末]|星期|礼拜|下午|"
    r"晚上|早上|待会|月底|年底|明年|\d|[一二三四五六七八九十])"
)


_SOON = re.compile(
    r"^(?:马上|快|就|即将|很快)+(?:就)?(?:要)?(?P<x>毕业|结婚|生了?|退休|开学|放假|中考|高考|考试|"
    r"搬家|过生日|答辩|订婚|手术|当妈|当爸|出国|转正)了?$"
)
_TICKET = re.compile(
    r"^(?P<t>.{2,12}?)的(?P<x>(?:高铁|飞机|火车|航班|动车|船|面试|考试|电影|演唱会|课)(?:票)?(?:[去飞回到].{1,6})?)$"
)


def plans(said: str, clause: Clause, telling: Telling, bare: bool) -> Look:
    done = bool(re.search(r"了$|过$|过了|完了", said)) and not re.search(
        r"(?:要|就要|快|打算|决定|准备(?!好)).{1,10}了$", said
    )
    when = resolve(said, telling.anchor, "zh", False)
    ahead = days_ahead(telling, when)
    of_today = bool(re.match(r"^(?:我)?(?:下午|晚上|中午|待会儿?|等会儿?|一会儿?|等下|傍晚)", said))
    coming = ((ahead is not None and ahead >= 0) or bool(HOLIDAY.search(said))) and not done
    if bare and not _CARRIED_PLAN.match(said) and not re.match(r"^(?:打算|准备|计划|决定)", said):
        return NOTHING
    soon = _SOON.match(said)
    ticket = _TICKET.match(said) if coming else None
    for near in (soon, ticket):
        if near is not None and not bare:
            return Finding(slot="plan", value=near["x"], text=told_of(clause, telling)), False
    for pattern in (_HAVE_EVENT, _BARE_EVENT):
        match = pattern.match(said.removesuffix("了") if pattern is _BARE_EVENT else said)
        if match and (coming or (of_today and not done)) and len(match["t"]) <= 14 and "刚" not in match["t"]:
            value = re.sub(
                r"^(?:就|还|也|又|要|去|得|有|个|一个|号|日|点半?|准备|打算)+", "", timeless(match["x"], telling)
            )
            return Finding(slot="plan", value=value, text=told_of(clause, telling)), False
    match = _PLAN.match(said.removesuffix("了") if re.search(r"(?:要|打算|决定|准备).{1,10}了$", said) else said)
    if not match or done:
        return NOTHING
    what = re.sub(r"^(?:号|日)", "", timeless(match["x"], telling))
    if (
        re.search(r"有时|经常|常常|每|总|偶尔", match["t"])
        or what.startswith(("了", "过"))
        or (match["t"].endswith("在") and match["v"] == "准备")
    ):
        return NOTHING
    if match["v"] == "会" and re.search(r"(?<![这下上])周末", match["t"]):
        return NOTHING
    certain = coming or bool(_FIRM.search(match["v"]))
    if not certain or _TRIVIAL.match(what) or POINTING.search(what) or len(what) < 2 or len(match["t"]) > 14:
        return NOTHING
    if ahead == 0 and match["v"] in ("去", "会", "得", "回", "开始"):
        return NOTHING
    negated = bool(re.search(r"不$|没$|别$", match["t"]))
    return Finding(slot="plan", value=what, text=told_of(clause, telling), negated=negated), False
