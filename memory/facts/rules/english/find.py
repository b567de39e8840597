"""What an English clause says, by the rules."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.facts.rules.clause import Clause, Finding, Telling
from memory.facts.rules.draft import TIMELESS
from memory.facts.rules.english import idle
from memory.facts.rules.english.clauses import LONGEST_CLAUSE, clauses, split_asked
from memory.facts.rules.english.drops import CLAUSE_DROPS, FRAME, INSTRUCTION, JOKING, SENTENCE_DROPS
from memory.facts.rules.english.happenings import happening
from memory.facts.rules.english.names import birthday, named
from memory.facts.rules.english.openings import TIME_LEAD
from memory.facts.rules.english.places import placed
from memory.facts.rules.english.rules import RULES
from memory.facts.rules.english.said import Said
from memory.facts.rules.english.spelling import normalise
from memory.facts.rules.english.ties import both, kin_named, tied
from memory.facts.rules.english.us import about_us
from memory.facts.rules.english.values import is_name, listed, trimmed, value_of, without_tail
from memory.facts.rules.english.voice import quoted, told_of
from memory.facts.rules.english.words import OCCUPATION
from memory.facts.rules.event_when import resolve
from memory.facts.rules.numerals import english_number
from memory.facts.rules.rule import Rule
from memory.facts.rules.tongue import Tongue
from memory.people import Names

_LEAD = re.compile(rf"^(?P<lead>{TIME_LEAD}),? (?=(?:I|my|we) )", re.IGNORECASE)


_DENIED = re.compile(
    r"^I (?P<adv>(?:really |actually |also |just |still |honestly |currently |definitely |usually "
    r")*)(?:(?P<do>don't|no longer)|am (?P<be>not|no longer)|(?P<can>can't))"
    r" (?P<rest>.+)$",
    re.IGNORECASE,
)


_CHANGE = re.compile(r"\b(?:anymore|no longer|not .+ but)\b", re.IGNORECASE)


_NOT_BUT = re.compile(r"^(I am|I|my [\w ]{1,30} is) (?:not|don't)( \w+)? .{1,60}?,? but (?:an? )?(.+)$", re.IGNORECASE)


_MY_NOT = re.compile(r"^my [\w ]{1,30} (?:isn't|is not|is no longer|wasn't)\b", re.IGNORECASE)


_SOME = re.compile(
    r"^(?:a (?:little|bit of|tiny bit of)|some|fluent|basic|broken|conversational|native) (?=\w)", re.IGNORECASE
)


REMEMBERED = re.compile(
    r"^(?:my|I|the(?! user\b)|our) .+ (?:is|are|am|has|have|was|needs?|can't|don't|doesn't|likes?|"
    r"hates?|starts?|takes?|need|want|love|like|hate) .+$",
    re.IGNORECASE,
)


def find(clause: Clause, telling: Telling) -> list[Finding]:
    """The findings of one clause; none where it is not certain what it says."""
    text = trimmed(clause.text)
    switched = _NOT_BUT.match(text)
    if switched:
        return [
            replace(finding, correction=True) for finding in find(replace(clause, text=_instead(switched)), telling)
        ]
    if _MY_NOT.match(text):
        return []
    lead = _LEAD.match(text)
    said = Said(text[lead.end() :] if lead else text, lead["lead"] if lead else "", telling)
    for look in (named, birthday, kin_named, both, _ruled, tied, about_us):
        found = look(said, clause)
        if found:
            return found
    timed = happening(said)
    if timed:
        return timed
    return _remembered(said) if clause.remember else []


def _instead(switched: re.Match[str]) -> str:
    """What holds of "I am not a teacher but a nurse"."""
    head, value = switched[1], switched[3]
    if head.lower() == "i":
        return f"{head}{switched[2] or ''} {value}"
    article = "a " if head.lower() == "i am" and re.match(OCCUPATION, value, re.IGNORECASE) else ""
    return f"{head} {article}{value}"


def _ruled(said: Said, clause: Clause) -> list[Finding]:
    found = _by_rules(said, said.text, denied=False)
    if found:
        return found
    denied = _DENIED.match(said.text)
    if not denied:
        return []
    verb = "" if denied["do"] else "am " if denied["be"] else "can "
    rest = re.sub(
        r"^(?:really|actually|even|exactly|currently|technically|much of) ", "", denied["rest"], flags=re.IGNORECASE
    )
    return _by_rules(said, f"I {denied['adv']}{verb}{rest}", denied=True)


def _by_rules(said: Said, text: str, *, denied: bool) -> list[Finding]:
    core = without_tail(text)
    for each in RULES:
        if denied and not each.flips:
            continue
        match = each.pattern.match(text) or (each.pattern.match(core) if core != text else None)
        if match:
            found = _apply(each, match, said, denied=denied)
            if found:
                return found
    return []


def _apply(each: Rule, match: re.Match[str], said: Said, *, denied: bool) -> list[Finding]:
    groups = match.groupdict()
    spoken = groups.get("x") or groups.get("y") or (groups.get("c") if each.slot == "identity" else None) or each.value
    if not spoken:
        return []
    if each.slot in ("state", "skill") and said.lead:
        return []
    if each.slot == "skill":
        spoken = _SOME.sub("", spoken)
    definite = each.slot not in ("preference", "favourite", "hobby")
    value: str | None = (
        spoken
        if each.whole
        else value_of(spoken if each.slot in TIMELESS else _without_time(spoken, said), definite=definite)
    )
    slot = each.slot
    if each.slot in ("name", "alias"):
        value = spoken if is_name(spoken) else None
    elif each.slot == "age":
        number = english_number(spoken)
        value = str(number) if number is not None and 3 < number < 120 else None
    elif each.slot in ("home", "origin"):
        slot, value = placed(each.slot, value, spoken)
        if value and re.match(
            r"(?:my|our|an? (?!\w+ (?:town|village|city|island|suburb) )|the new|new)\b", value, re.IGNORECASE
        ):
            value = None
        if value and (
            len(value.split()) > 7
            or re.search(r" to (?!the )", value)
            or (not value[0].isupper() and len(value.split()) > 4)
        ):
            value = None
    elif each.slot == "favourite":
        category = re.sub(r"ies$", "y", (groups.get("c") or "").strip().lower()).removesuffix("s")
        slot = f"favourite:{category.replace('colour', 'color').replace('film', 'movie')}"
        if re.search(r"\b(?:part|thing about|person|moment|bit|one)\b", category) or groups.get("neg"):
            return []
    elif each.slot in ("workplace", "job", "school"):
        if (
            value
            and each.slot == "workplace"
            and re.match(r"(?:in )?the \w+$", value, re.IGNORECASE)
            and not re.search(
                r"hospital|library|airport|zoo|museum|university|navy|army|government|office|bank|school|church|"
                r"embassy|court",
                value,
                re.IGNORECASE,
            )
        ):
            value = None
        value = (
            None
            if value
            and re.match(
                r"(?:home|night|nights|days|hard|late|myself|it|this|shift|an? hour|the weekend|weekends|fun|free|"
                r"money|exam|exams|tips|living|remote|shifts|years?|months?|\d+|bed|class|church|the gym|work|"
                r"myself|team|teams|people|kids|children(?!'s)|clients|customers|numbers|computers|animals)\b(?! "
                r"?(?:shelter|hospital|clinic|center|centre|museum|bank|school))",
                value,
                re.IGNORECASE,
            )
            and each.slot != "job"
            else value
        )
        value = (
            None
            if value
            and each.slot == "job"
            and re.match(
                r"(?:hard|much|long|late|fast|well|a team|usual|always|i|if|soon|an excuse)\b", value, re.IGNORECASE
            )
            else value
        )
    if groups.get("n") and value:
        value = f"{value} {groups['n']}"
    if value is None:
        return []
    if each.slot == "skill" and resolve(match[0], said.telling.anchor, "en") is not None:
        return []
    if each.slot in ("preference", "hobby", "fear") and re.match(
        r"(?:to )?(?:be|being) (?:here|back|home|alive)\b", value, re.IGNORECASE
    ):
        return []
    negated = (each.negated or bool(groups.get("n1"))) != denied
    correction = each.correction or bool(_CHANGE.search(said.text))
    finding = Finding(slot=slot, value=value, text="", negated=negated, correction=correction, bonus=each.bonus)
    past = each.past
    values = listed(value) if each.many else [value]
    if len(values) == 1:
        return [said.when(replace(finding, text=said.told(said.text, past=bool(past))), past)]
    start = said.text.lower().find(spoken.lower())
    out = []
    for one in values:
        one_text = said.told(said.text[:start] + one, past=bool(past))
        out.append(said.when(replace(finding, value=one, text=one_text), past))
    return out


def _without_time(text: str, said: Said) -> str:
    """The words without a time among them, so that the value is what it is whenever it was said."""
    when = resolve(text, said.telling.anchor, "en")
    if when is None or (when.grain == "year" and not when.relative):
        return re.sub(
            r" (?:for|since) (?:about |almost |over |nearly |the (?:past|last) )?(?:\d+|an?|one|two|three|"
            r"four|five|six|seven|eight|nine|ten|years|months|ages|\w+ years)\b.*$",
            "",
            text,
        )
    start, end = when.span
    if start == 0:
        return text
    return re.sub(r"\s+(?:on|in|at|by|since|for|from)$", "", text[:start].rstrip()) + text[end:]


def _remembered(said: Said) -> list[Finding]:
    """What the speaker asked to keep and no other rule knows: their own words."""
    names = said.telling.names
    text = trimmed(said.text)
    if (
        not REMEMBERED.match(text)
        or len(text.split()) > 25
        or re.match(r"(?:it|this|that|you|we)\b", text, re.IGNORECASE)
    ):
        return []
    own = re.match(r"(?:my|I)\b", text, re.IGNORECASE)
    told = said.told(text) if own else f'{names.master_in("en")} asked to remember: "{text}"'
    return [said.when(Finding(slot="remember", value=text, text=told), None)]


def _told_or_quoted(clause: Clause, names: Names) -> str:
    """A clause that no rule read, in the third person where every verb of the speaker's can be bent safely."""
    safe = all(idle.SAFE.match(clause.text, place.end()) for place in re.finditer(r"\bI\b", clause.text))
    return (told_of(clause.text, names) if safe else None) or quoted(clause.text, names)


ENGLISH = Tongue(
    normalise=normalise,
    split_asked=split_asked,
    clauses=clauses,
    find=find,
    restore=lambda _: {},
    other_person=re.compile(r"\b(?:he|she|they|him|her|them|his|their|[A-Z][a-z]+'s)\b", re.IGNORECASE),
    first_person=re.compile(
        r"^(?:\w+,? ){0,3}(?:I|I'm|im|my)\b(?! (?:sister|brother|mom|mum|dad|friend|boss|wife|husband|cat|"
        r"dog|son|daughter|roommate))",
        re.IGNORECASE,
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
    told=_told_or_quoted,
)
