"""Chinese plans, events and states: what happens to the speaker in time."""

from __future__ import annotations

import re

from memory.facts.rules.chinese_voice import told
from memory.facts.rules.chinese_words import LIFE_VERB, SICK, STRONG_FEELING, WEAK_FEELING
from memory.facts.rules.clause import Clause, Finding, Telling, dated
from memory.facts.rules.event_when import When, resolve

_HOLIDAY = re.compile(r"春节|过年|中秋|端午|清明|暑假|寒假|元宵|年后|毕业后|下学期|放假")
_LOST = re.compile(r"^(?:的)?(?P<x>(?:手机|钱包|电脑|笔记本|耳机|钥匙|身份证|护照|车|自行车|电动车|平板|相机|眼镜|行李|工牌|学生证|银行卡|快递|包)(?:又|刚|昨天|今天|昨晚|上周|前几天|不小心|也|在.{1,6})*(?:丢|坏|被偷|摔碎?|碎|不见|进水|被撞|弄丢)了?)$")
_TRIVIAL = re.compile(
    r"^(?:去)?(?:睡|睡觉|睡了|吃饭|吃|洗澡|洗漱|走|走了|下线|忙|上班|休息|努力|加油|试试|看看|想想|告诉|回复|找你|陪你|来找|继续|去了|回家|出门|起床|喝水|哭|死|疯|闹|一直|永远|好好|记住|抱|亲|给你|带你|跟你|和你|对你|爱|相信|支持|等|问|说|讲|听你|先|再|多|早点睡|赶紧|知道|想|变|你)"
)
_EVENT_NOUN = (
    r"(?:考试|面试|体检|会|会议|课|早课|晚课|比赛|演出|演唱会|约会|聚会|聚餐|婚礼|手术|答辩|航班|飞机|火车|高铁|复查|复诊|培训|讲座|活动|汇报|演讲|期末考|期中考|月考|高考|四级|六级|英语考试|驾照考试|科目[一二三四]|预约|团建|年会|相亲|拔牙|截止|ddl|DDL|deadline|生日会|同学会|家长会|发布会|直播|出差|补考|笔试|测验|小测|pre|presentation|开题|婚检|路演)"
)
_PLAN = re.compile(
    r"^(?P<t>.*?)(?:就|也|还|又|可能会|是|得|已经)*(?P<v>要去|要|打算|准备|计划|决定|将要?|会|想去|约了|约好|报名了?|得|去|飞|回|参加|开始)(?P<x>.+)$"
)
_FIRM = re.compile(r"打算|计划|决定|(?<!在)准备(?!好|了$|考|面)")
_HAVE_EVENT = re.compile(rf"^(?P<t>.*?)(?:还|又|也|就)*有(?:一[个场节次门]|个|场|节|两[个场节]|[一两三\d]场)?(?P<x>[一-龥A-Za-z]{{0,10}}{_EVENT_NOUN})(?:要.{{1,6}})?$")
_BARE_EVENT = re.compile(rf"^(?P<t>.*?)(?:就|还|就要|要|就是|是|得|还得|又要|即将)*(?P<x>(?:[一-龥A-Za-z]{{0,6}})?(?:考试|面试|体检|开[一-龥]{0,3}会|上课|比赛|演出|出差|搬家|手术|答辩|复查|飞[一-龥]{{2,6}}|出发|开学|放假|毕业|结婚|高考|考研|考[一-龥]{{1,6}}|回老家|回国|报到|入职|相亲|加班|值班|开庭|交(?:论文|作业|稿|报告).{{0,4}}|拔牙|团建|生孩子|预产期))$")
_PAST = re.compile(r"^(?P<t>.*?)(?P<x>(?:把|被|跟|和|在|从|给|带|陪|去|一个人|终于|又|刚|刚刚|没|差点|不小心|自己|第一次|就)*[^，]{1,24}了[^，]{0,16}|(?:去|看|吃|玩|逛|爬|跑|打|做|见|买|和|跟|在|到|参加|第一次)[^，]{1,20})$")
_LIFE = re.compile(rf"(?:入职|上班|开学|实习|上大学|当妈妈|当爸爸)(?:的)?第一天$|升(?:职|[一-龥]{{2,4}})了$|(?:奖学金|offer|驾照|证书|录取通知书?|签证)到手了$|(?:^|刚刚?|终于|已经|昨天|今天|上周|最近|又|就|把.{{1,6}}|不小心|被|第一次|刚才|成功|顺利|去年|上个?月|前几天|今年)(?:{LIFE_VERB})[^，]{{0,12}}(?:了|到了?|过了?)[^，]{{0,12}}$|^(?:{LIFE_VERB})了[^，]{{0,16}}$|^(?:拿到|收到|通过|考上|考过|找到|换|买|养|租|捡|领养|弄丢|丢)了[^，]{{1,16}}$|被(?:裁|录取|开除|骗|偷|拒)[^，]{{0,10}}了?$|(?:考|面试|答辩|体检|手术)[^，]{{0,6}}(?:过|通过|砸|挂|成功|失败|顺利)了$|(?:上岸|[四六]级过|科目[一二三四](?:考)?过|驾照(?:考)?(?:过|到手)|雅思(?:考)?过)了$")
_STATE = re.compile(rf"^(?:最近|这几天|这两天|这阵子|这段时间|今天|这周|这个月|近来|近期|昨晚|昨天|一直|现在|总)*(?:都|也|还|又|就|真的|感觉|觉得|感到|总觉得|心里|心情|有点儿?|有些|很|好|特别|超级|超|非常|一直|老|老是|总是|越来越|比较|挺|蛮|实在|压力|太|十分|自己|状态|整个人)*(?P<x>{STRONG_FEELING}|{WEAK_FEELING})(?:的|了|得不行|极了|得要命|到不行|不已)*$")
_STATE_FOR = re.compile(rf"^(?:因为|为了|为|对|被|让).{{1,16}}(?:很|好|特别|非常|有点|感到|超级)*(?P<x>{STRONG_FEELING})(?:了|的)*$")
_DOING = re.compile(
    r"^(?P<t>最近|这几天|这两天|这阵子|这段时间|近来|近期|现在|目前|今年|这周|这个月|一直|正|正在)*(?:都|也|还|又|一直|正|正在|天天|每天|总)*(?:在|忙着|沉迷(?:于)?|迷上了?|忙于|疯狂|开始|追|玩|看)(?P<x>(?!了|过|到)(?:学|看|玩|追|准备|减肥|练|找(?:工作|房子|实习)|写|做|备考|考|复习|忙|备战|攒钱|存钱|健身|节食|养|搬家|装修|实习|休假|放假|吃药|喝中药|谈恋爱|打工|赶|加班|改|听|读|研究|策划|休养|养病|恢复|补|刷|打|跑|调理|看病|治疗|申请|戒|上班|相亲|闹|跟|和|带|思考|考虑|为|热衷|整理|收拾|筹备|规划).{0,18}|(?<=追|玩)[一-龥A-Za-z0-9《》]{2,16}|(?<=看|读)(?:一[本部]|《)[一-龥A-Za-z0-9《》]{1,16}|(?<=沉迷|迷上)[一-龥A-Za-z0-9《》]{2,16})$"
)
_BUSY = re.compile(r"^(?:现在|目前|最近|一直|还|正)*在(?P<x>准备(?:雅思|托福|高考|考研|考公|考编|考试|面试|婚礼|答辩|毕业论文|[一-龥]{2,6}考试|N[1-5]|四级|六级|秋招|春招|国考|省考).{0,4}|减肥|备孕|备考.{0,6}|创业|实习|装修.{0,4}|找(?:工作|实习|房子|对象)|写(?:一[本部]|毕业)?(?:书|小说|论文|剧本)|考驾照|学车|谈恋爱|休(?:产假|假|年假|病假)|养病|控糖|健身|攒钱.{0,8}|存钱.{0,8}|办(?:签证|离婚|婚礼|移民)|戒[一-龥]{1,3}|追[一-龥《].{1,10}|还(?:房贷|车贷|花呗))(?:呢)?$|^(?P<y>暗恋.{1,8})$")
_SICK = re.compile(rf"^(?:今天|昨天|最近|这几天|昨晚|又|老是|总是|总|经常|这两天|从昨天|好像|早上|有点|突然|一直)*(?:又|有点|一直|都|开始|还在|在|得了|得)*(?P<x>(?:重)?{SICK})(?:了|发作了?|中|着|得厉害|犯了|呢)*(?:.{{1,6}}(?:天|周)了?)?$")
_LATELY = re.compile(r"最近|这几天|这两天|这阵子|这段时间|近来|近期|这周|这个月|今天|一直|目前|昨天|昨晚|老是|总是")
_POINT = re.compile(r"你|这个$|那个$|这样|那样|它$|^的|^(?:说|问|想|觉得|知道|看到|听|忘|喜欢|爱|以为|发现|感觉|感到|说了|懂|明白)")
_OTHER = re.compile(r"天气|下雨|下雪|太阳|外面|温度|台风|降温|升温|天晴|放晴|空气|路上|超热|好热|好冷|热死|冷死|雨|雪|风|他|她|它|大家|股票|系统|手机没电|网|时间过")
_CARRIED_PLAN = re.compile(r"^(?:今天|明天|后天|大后天|今晚|明晚|明早|下周|下个?月|这周|周[一二三四五六日末]|星期|礼拜|下午|晚上|早上|待会|月底|年底|明年|\d|[一二三四五六七八九十])")


def find(clause: Clause, telling: Telling) -> list[Finding]:
    """The plan, event or state of a clause about the speaker."""
    text = clause.text
    if _OTHER.search(text) or re.match(r"^(?:你|您|他|她|它|我们|咱|这|那(?!天)|大家|我(?:的)?(?:妈|爸|姐|哥|弟|妹|朋友|同事|老板))", text):
        return []
    said = re.sub(r"^([^我，]{0,12})我(?:自己|也|都|还|又|就|这边)?", r"\1", text, count=1)
    if "我" in said or (said == text and not clause.carried):
        return []
    bare = said == text
    for look in (_states, _plans, _events):
        finding, past = look(said, clause, telling, bare)
        if finding is not None:
            return [dated(finding, resolve(text, telling.anchor, "zh", past), "zh")]
    return []


Look = tuple[Finding | None, bool | None]
_NOTHING: Look = (None, None)


def _text(clause: Clause, telling: Telling) -> str:
    return told(clause.text, telling.names, carried="我" not in clause.text)


def _value(text: str, telling: Telling) -> str:
    when = resolve(text, telling.anchor, "zh")
    return text if when is None else (text[:when.span[0]] + text[when.span[1]:])


def _day_start(telling: Telling, when: When | None) -> int | None:
    """How many days ahead (negative: back) the time lies; None without a certain time."""
    if when is None or when.grain == "lately" or when.start is None:
        return None
    return (when.start.date() - telling.anchor.date()).days


def _plans(said: str, clause: Clause, telling: Telling, bare: bool) -> Look:
    done = bool(re.search(r"了$|过$|过了|完了", said)) and not re.search(r"(?:要|就要|快|打算|决定|准备(?!好)).{1,10}了$", said)
    when = resolve(said, telling.anchor, "zh", False)
    ahead = _day_start(telling, when)
    of_today = bool(re.match(r"^(?:我)?(?:下午|晚上|中午|待会儿?|等会儿?|一会儿?|等下|傍晚)", said))
    coming = (ahead is not None and ahead >= 0 or bool(_HOLIDAY.search(said))) and not done
    if bare and not _CARRIED_PLAN.match(said):
        if not re.match(r"^(?:打算|准备|计划|决定)", said):
            return _NOTHING
    for pattern in (_HAVE_EVENT, _BARE_EVENT):
        match = pattern.match(said.removesuffix("了") if pattern is _BARE_EVENT else said)
        if match and (coming or of_today and not done) and len(match["t"]) <= 14 and "刚" not in match["t"]:
            value = re.sub(r"^(?:就|还|也|又|要|去|得|有|个|一个|号|日|点半?|准备|打算)+", "", _value(match["x"], telling))
            return Finding(slot="plan", value=value, text=_text(clause, telling)), False
    match = _PLAN.match(said.removesuffix("了") if re.search(r"(?:要|打算|决定|准备).{1,10}了$", said) else said)
    if not match or done:
        return _NOTHING
    what = re.sub(r"^(?:号|日)", "", _value(match["x"], telling))
    if re.search(r"有时|经常|常常|每|总|偶尔", match["t"]) or what.startswith(("了", "过")) or match["t"].endswith("在") and match["v"] == "准备":
        return _NOTHING
    if match["v"] == "会" and re.search(r"(?<![这下上])周末", match["t"]):
        return _NOTHING
    certain = coming or bool(_FIRM.search(match["v"]))
    if not certain or _TRIVIAL.match(what) or _POINT.search(what) or len(what) < 2 or len(match["t"]) > 14:
        return _NOTHING
    if ahead == 0 and match["v"] in ("去", "会", "得", "回", "开始"):
        return _NOTHING
    negated = bool(re.search(r"不$|没$|别$", match["t"]))
    return Finding(slot="plan", value=what, text=_text(clause, telling), negated=negated), False


def _events(said: str, clause: Clause, telling: Telling, bare: bool) -> Look:
    lost = _LOST.match(said)
    if lost and not bare:
        return Finding(slot="event", value=lost["x"], text=_text(clause, telling)), True
    when = resolve(said, telling.anchor, "zh", True)
    ago = _day_start(telling, when)
    back = ago is not None and ago <= 0
    rest = _value(said, telling)
    life = bool(_LIFE.search(rest)) and not re.search(r"(?:要|想|快|打算|准备|会|没有?)[^，]{0,6}了?$", rest[:4])
    if bare and not (back and re.search(r"了|过", rest)) and not life:
        return _NOTHING
    if not life:
        match = _PAST.match(rest) if back else None
        if match is None or ago == 0 and not re.search(r"了|过", rest) or len(rest) < 3:
            return _NOTHING
        if re.match(r"^(?:要|会|打算|准备|想|得|有|是|在|好|很|真|都|就|还|不|没有?(?!去|吃|睡|考)|太|也)", rest) and not re.match(r"^(?:在.+了|还.+了|没)", rest):
            return _NOTHING
    if _POINT.search(rest) or len(rest) < 3 or re.search(r"^(?:就)?(?:睡着|起床|下班|到家|回来|回家|吃过|吃饭|吃完|洗完|忙完|醒|来|走|忘|说错|懂|知道|好多|习惯|没事|看到|想好|困)了?$", rest):
        return _NOTHING
    negated = bool(re.match(r"^(?:就|又|也|还|都)*没(?!收)", rest))
    return Finding(slot="event", value=rest, text=_text(clause, telling), negated=negated), True


def _states(said: str, clause: Clause, telling: Telling, bare: bool) -> Look:
    lately = bool(_LATELY.search(said))
    sick = _SICK.match(said)
    if sick and not (bare and not lately):
        return Finding(slot="state", value=sick["x"], text=_text(clause, telling)), True if "了" in said else None
    state = _STATE.match(said) or _STATE_FOR.match(said)
    if state:
        strong = bool(re.search(STRONG_FEELING, state["x"]))
        if (lately and (strong or not bare)) or (strong and not bare):
            return Finding(slot="state", value=state["x"], text=_text(clause, telling)), None
        return _NOTHING
    busy = _BUSY.match(said)
    if busy and not bare:
        return Finding(slot="state", value=busy["x"] or busy["y"], text=_text(clause, telling)), None
    doing = _DOING.match(said)
    if doing and doing["t"] and not _POINT.search(doing["x"]) and re.match(r"^(?:最近|这|近|目前|今年|现在|一直|正)", said):
        if doing["t"] in ("现在", "正", "正在", "一直") and not re.match(r"^(?:学|准备|备考|减肥|找|写|健身|考|实习|存钱|攒钱|申请|装修|治疗)", doing["x"]):
            return _NOTHING
        return Finding(slot="state", value=doing["x"], text=_text(clause, telling)), None
    return _NOTHING
