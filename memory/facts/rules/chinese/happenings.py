"""What happens to a Chinese speaker in time."""

from __future__ import annotations

import re

from memory.facts.rules.chinese.events import events
from memory.facts.rules.chinese.plans import plans
from memory.facts.rules.chinese.states import states
from memory.facts.rules.clause import Clause, Finding, Telling, dated
from memory.facts.rules.event_when import resolve

_OTHER = re.compile(
    r"天气|下雨|下雪|太阳|外面|温度|台风|降温|升温|天晴|放晴|空气|路上|超热|好热|好冷|热死|冷死|雨|雪|"
    r"风|他|她|它|大家|股票|系统|手机没电|网|时间过"
)


def happening(clause: Clause, telling: Telling) -> list[Finding]:
    """The plan, event or state of a clause about the speaker."""
    text = clause.text
    if _OTHER.search(text) or re.match(
        r"^(?:你|您|他|她|它|我们|咱|这|那(?!天)|大家|我(?:的)?(?:妈|爸|姐|哥|弟|妹|朋友|同事|老板))", text
    ):
        return []
    said = re.sub(r"^([^我，]{0,12})我(?:自己|也|都|还|又|就|这边)?", r"\1", text, count=1)
    if "我" in said or (said == text and not clause.carried):
        return []
    bare = said == text
    for look in (states, plans, events):
        finding, past = look(said, clause, telling, bare)
        if finding is not None:
            return [dated(finding, resolve(text, telling.anchor, "zh", past), "zh")]
    return []
