"""English names, nicknames and birthdays."""

from __future__ import annotations

import re

from memory.facts.rules.clause import Clause, Finding, dated
from memory.facts.rules.english.said import Said
from memory.facts.rules.english.ties import WHO_BIRTHDAY, tie_of
from memory.facts.rules.english.values import is_name
from memory.facts.rules.english.voice import possessive
from memory.facts.rules.english.words import DIET, NATIONALITY, set_of
from memory.facts.rules.event_when import resolve
from memory.facts.rules.when_english import MONTH, month_number

_CALL_ME = re.compile(
    r"^(?:you (?:can|may|could|should) |please |just |feel free to |so )*(?P<no>don't |stop |never "
    r")?(?:just )?call(?:ing)? me (?P<x>[^\W\d_][\w'’-]*(?: [A-Z][\w'’-]*){0,2})(?: instead| please| "
    r"from now on| for short| now| then| ok(?:ay)?)*$",
    re.IGNORECASE,
)


_I_AM = re.compile(r"^I am (?P<x>[A-Z][a-z]{1,15}(?: [A-Z][a-z]{1,15})?)$")


_THIS_IS = re.compile(r"^(?:[Ii]t's|[Ii]t is|[Tt]his is) (?P<x>[A-Z][a-z]{1,15})(?: here)?$")


GREETING = re.compile(
    r"^\W*(?:hi+|hey+|hello+|hiya|yo|good (?:morning|evening|afternoon)|greetings|nice to meet you)\b|nice "
    r"to meet you|pleased to meet you",
    re.IGNORECASE,
)


_NOT_WHO = set_of("here back ready good fine okay sorry home tired happy sad bored new batman") | set_of(
    " ".join(re.findall(r"[a-z]+", NATIONALITY + DIET))
)


_BORN = re.compile(
    r"^(?:my birthday (?:is|was|falls|'s) (?:on |actually |in )*(?P<x>.+)|I was born on (?P<y>.+)|"
    rf"(?P<z>(?:{MONTH} \d{{1,2}}\w{{0,2}}|\d{{1,2}}\w{{0,2}} (?:of )?{MONTH}|today|tomorrow)) is my "
    r"birthday|it is my birthday (?P<w>today|tomorrow)|it's my birthday (?P<v>today|tomorrow|next \w+|"
    r"on \w+))$",
    re.IGNORECASE,
)


_DAY_OF = re.compile(rf"({MONTH}) (?:the )?(\d{{1,2}})|(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({MONTH})", re.IGNORECASE)


def named(said: Said, clause: Clause) -> list[Finding]:
    am = _I_AM.match(said.text) or _THIS_IS.match(said.text)
    if am and GREETING.search(said.telling.heard) and am["x"].lower() not in _NOT_WHO and is_name(am["x"]):
        return [Finding(slot="name", value=am["x"], text=said.told(f"my name is {am['x']}"))]
    match = _CALL_ME.match(said.text)
    if not match or not is_name(match["x"]):
        return []
    master, name = said.telling.names.master_in("en"), match["x"]
    if match["no"]:
        return [Finding(slot="alias", value=name, text=f"{master} does not want to be called {name}.", negated=True)]
    return [Finding(slot="alias", value=name, text=f"{master} wants to be called {name}.")]


def birthday(said: Said, clause: Clause) -> list[Finding]:
    theirs = WHO_BIRTHDAY.match(said.text)
    if theirs:
        value = f"{theirs['kin']} birthday {theirs['x']}"
        return [said.when(Finding(slot=tie_of(theirs["kin"]), value=value, text=said.told(said.text)), None)]
    match = _BORN.match(said.text)
    if not match:
        return []
    spoken = next(group for group in match.groups() if group)
    numeric = re.search(r"(?<!\d)(\d{1,2})[/.-](\d{1,2})(?!\d)", spoken)
    day = _DAY_OF.search(spoken)
    if numeric and not day:
        low, high = sorted((int(numeric[1]), int(numeric[2])))
        if not (1 <= low <= 12 < high <= 31 or low == high <= 12):
            return []  # 5/4 is May in one country and April in another
        value = f"{low:02}-{high:02}"
    elif day:
        month, date = (day[1], day[2]) if day[1] else (day[4], day[3])
        value = f"{month_number(month):02}-{int(date):02}"
    else:
        when = resolve(spoken, said.telling.anchor, "en", " was " in said.text)
        if when is None or when.start is None or when.grain not in ("day", "month"):
            return []
        value = f"{when.start:%m-%d}" if when.grain == "day" else f"{when.start:%m}"
    text = said.told(said.text)
    if text.startswith("It"):
        owner = possessive(said.telling.names.master_in("en"))
        text = f"{owner} birthday is {spoken}."
    finding = Finding(slot="birthday", value=value, text=text)
    return [finding if day or numeric else dated(finding, resolve(spoken, said.telling.anchor, "en", False), "en")]
