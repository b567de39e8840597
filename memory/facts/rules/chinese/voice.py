"""From what the speaker said of themselves to the same sentence about them; or to a quotation where that is unsafe."""

from __future__ import annotations

import re

from memory.facts.rules.chinese.words import KIN, PEOPLE
from memory.facts.rules.clause import Clause, Finding, Telling, dated
from memory.facts.rules.draft import TIMELESS
from memory.facts.rules.event_when import resolve
from memory.people import Names

_UNSAFE = re.compile(r"我|你|您|妳|咱|俺|本人|人家")


_MINE = re.compile(rf"我(?=(?:{KIN}|{PEOPLE})(?!里|庭))")


_WE = re.compile(r"我们|咱们|你们|我俩|咱俩")


def told(clause: str, names: Names, *, carried: bool = False) -> str:
    """The clause in the third person, with the speaker's name in front where the subject was left out."""
    master = names.master_in("zh")
    if _WE.search(clause):
        return quoted(clause, names)
    text = re.sub(r"我自己|我本人|本人|俺", "我", clause)
    text = _MINE.sub(f"{master}的", text)
    text = text.replace("我", master).replace("你", names.neko)
    if carried:
        text = master + text
    left = text.replace(master, "").replace(names.neko, "")
    return quoted(clause, names) if _UNSAFE.search(left) else f"{text}。"


def quoted(clause: str, names: Names) -> str:
    """The clause in its own words."""
    return f"{names.master_in('zh')}说过：“{clause}”"


def told_of(clause: Clause, telling: Telling) -> str:
    return told(clause.text, telling.names, carried=clause.carried and "我" not in clause.text)


def timed(finding: Finding, text: str, telling: Telling, past: bool | None) -> Finding:
    if finding.slot.partition(":")[0] in TIMELESS:
        return finding
    return dated(finding, resolve(text, telling.anchor, "zh", past), "zh")
