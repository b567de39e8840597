"""Chinese states: how the speaker has been."""

from __future__ import annotations

import re

from memory.facts.rules.chinese.moments import LATELY, NOTHING, POINTING, Look
from memory.facts.rules.chinese.voice import told_of
from memory.facts.rules.chinese.words import SICK, STRONG_FEELING, WEAK_FEELING
from memory.facts.rules.clause import Clause, Finding, Telling

_STATE = re.compile(
    r"^(?:最近|这几天|这两天|这阵子|这段时间|今天|这周|这个月|近来|近期|昨晚|昨天|一直|现在|总)*(?:经常|有时候?|常常|都|"
    r"也|还|又|就|真的|感觉|觉得|感到|总觉得|心里|心情|有点儿?|有些|很|好|特别|超级|超|非常|一直|老|"
    rf"老是|总是|越来越|比较|挺|蛮|实在|压力|太|十分|自己|状态|整个人)*(?P<x>{STRONG_FEELING}|"
    rf"{WEAK_FEELING})(?:的|了|得不行|极了|得要命|到不行|不已)*$"
)


_STATE_FOR = re.compile(
    rf"^(?:因为|为了|为|对|被|让).{{1,16}}(?:很|好|特别|非常|有点|感到|超级)*(?P<x>{STRONG_FEELING})(?:了|的)*$"
)


_DOING = re.compile(
    r"^(?P<t>最近|这几天|这两天|这阵子|这段时间|近来|近期|现在|目前|今年|这周|这个月|一直|正|"
    r"正在)*(?:都|也|还|又|一直|正|正在|天天|每天|总)*(?:在|忙着|沉迷(?:于)?|迷上了?|忙于|疯狂|开始|"
    r"追|玩|看)(?P<x>(?!了|过|到)(?:学|看|玩|追|准备|减肥|练|找(?:工作|房子|实习)|写|做|备考|考|复习|"
    r"忙|备战|攒钱|存钱|健身|节食|养|搬家|装修|实习|休假|放假|吃药|喝中药|谈恋爱|打工|赶|加班|改|听|"
    r"读|研究|策划|休养|养病|恢复|补|刷|打|跑|调理|看病|治疗|申请|戒|上班|相亲|闹|跟|和|带|思考|考虑|"
    r"为|热衷|整理|收拾|筹备|规划).{0,18}|(?<=追|玩)[一-龥A-Za-z0-9《》]{2,16}|(?<=看|读)(?:一[本部]|"
    r"《)[一-龥A-Za-z0-9《》]{1,16}|(?<=沉迷|迷上)[一-龥A-Za-z0-9《》]{2,16})$"
)


_BUSY = re.compile(
    r"^(?:现在|目前|最近|一直|还|正)*在(?P<x>准备(?:雅思|托福|高考|考研|考公|考编|考试|面试|婚礼|答辩|"
    r"毕业论文|[一-龥]{2,6}考试|N[1-5]|四级|六级|秋招|春招|国考|省考).{0,4}|减肥|备孕|备考.{0,6}|创业|"
    r"实习|装修.{0,4}|找(?:工作|实习|房子|对象)|写(?:一[本部]|毕业)?(?:书|小说|论文|剧本)|考驾照|学车|"
    r"谈恋爱|休(?:产假|假|年假|病假)|养病|控糖|健身|攒钱.{0,8}|存钱.{0,8}|(?<=在)吃.{1,6}药|办(?:签证|离婚|婚礼|移民)|"
    r"戒[一-龥]{1,3}|追[一-龥《].{1,10}|还(?:房贷|车贷|花呗))(?:呢)?$|^(?P<y>暗恋.{1,8})$"
)


_SICKNESS = re.compile(
    r"^(?:今天|昨天|最近|这几天|昨晚|又|老是|总是|总|经常|这两天|从昨天|好像|早上|有点|突然|"
    rf"一直)*(?:又|有点|一直|都|开始|还在|在|得了|得)*(?P<x>(?:重)?{SICK})(?:了|发作了?|中|着|得厉害|"
    rf"犯了|呢)*(?:.{{1,6}}(?:天|周)了?)?$"
)


def states(said: str, clause: Clause, telling: Telling, bare: bool) -> Look:
    lately = bool(LATELY.search(said))
    sick = _SICKNESS.match(said)
    if sick and not (bare and not lately):
        return Finding(slot="state", value=sick["x"], text=told_of(clause, telling)), True if "了" in said else None
    state = _STATE.match(said) or _STATE_FOR.match(said)
    if state:
        strong = bool(re.search(STRONG_FEELING, state["x"]))
        if (lately and (strong or not bare)) or (strong and not bare):
            return Finding(slot="state", value=state["x"], text=told_of(clause, telling)), None
        return NOTHING
    busy = _BUSY.match(said)
    if busy and not bare:
        return Finding(slot="state", value=busy["x"] or busy["y"], text=told_of(clause, telling)), None
    doing = _DOING.match(said)
    if (
        doing
        and doing["t"]
        and not POINTING.search(doing["x"])
        and re.match(r"^(?:最近|这|近|目前|今年|现在|一直|正)", said)
    ):
        if doing["t"] in ("现在", "正", "正在", "一直") and not re.match(
            r"^(?:学|准备|备考|减肥|找|写|健身|考|实习|存钱|攒钱|申请|装修|治疗)", doing["x"]
        ):
            return NOTHING
        return Finding(slot="state", value=doing["x"], text=told_of(clause, telling)), None
    return NOTHING
