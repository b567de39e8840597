"""What an English clause says, by the rules."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.facts.fact import NEKO, RELATIONSHIP
from memory.facts.rules import english_rules as rules
from memory.facts.rules import english, english_time
from memory.facts.rules.clause import Clause, Finding, Telling, dated
from memory.facts.rules.english import TIME_LEAD
from memory.facts.rules.english_objects import listed, trimmed, value_of
from memory.facts.rules.english_rules import Rule
from memory.facts.rules.english_voice import possessive, quoted, sentence, told_of
from memory.facts.rules.draft import TIMELESS
from memory.facts.rules.event_when import resolve
from memory.facts.rules.numerals import english_number
from memory.facts.rules.tongue import Tongue
from memory.facts.rules.when_english import MONTH, month_number

_LEAD = re.compile(rf"^(?P<lead>{TIME_LEAD}),? (?=(?:I|my|we) )", re.IGNORECASE)
_DENIED = re.compile(
    r"^I (?P<adv>(?:really |actually |also |just |still |honestly |currently |definitely |usually )*)(?:(?P<do>don't|no longer)|am (?P<be>not|no longer)|(?P<can>can't))"
    r" (?P<rest>.+)$",
    re.IGNORECASE,
)
_CHANGE = re.compile(r"\b(?:anymore|no longer|not .+ but)\b", re.IGNORECASE)
_NOT_BUT = re.compile(r"^(I am|I|my [\w ]{1,30} is) (?:not|don't)( \w+)? .{1,60}?,? but (?:an? )?(.+)$", re.IGNORECASE)
_MY_NOT = re.compile(r"^my [\w ]{1,30} (?:isn't|is not|is no longer|wasn't)\b", re.IGNORECASE)
_CALL_ME = re.compile(r"^(?:you (?:can|may|could|should) |please |just |feel free to |so )*(?P<no>don't |stop |never )?(?:just )?call(?:ing)? me (?P<x>[^\W\d_][\w'’-]*(?: [A-Z][\w'’-]*){0,2})(?: instead| please| from now on| for short| now| then| ok(?:ay)?)*$", re.IGNORECASE)
_SOME = re.compile(r"^(?:a (?:little|bit of|tiny bit of)|some|fluent|basic|broken|conversational|native) (?=\w)", re.IGNORECASE)
_NOT_NAMED = frozenset("just also still never always really and is was has who that recently finally even only actually both all now then said will can got had".split())
_I_AM = re.compile(rf"^I am (?P<x>[A-Z][a-z]{{1,15}}(?: [A-Z][a-z]{{1,15}})?)$")
_GREETING = re.compile(r"^\W*(?:hi|hey|hello|hiya|good (?:morning|evening|afternoon)|greetings|nice to meet you)\b|nice to meet you|pleased to meet you", re.IGNORECASE)
_NOT_WHO = frozenset("here back ready good fine okay sorry home tired happy sad bored new batman".split()) | frozenset(
    re.findall(r"[a-z]+", rules.NATIONALITY + rules.DIET)
)
_BORN = re.compile(rf"^(?:my birthday (?:is|was|falls|'s) (?:on |actually |in )*(?P<x>.+)|I was born on (?P<y>.+)|(?P<z>(?:{MONTH} \d{{1,2}}\w{{0,2}}|\d{{1,2}}\w{{0,2}} (?:of )?{MONTH}|today|tomorrow)) is my birthday|it is my birthday (?P<w>today|tomorrow)|it's my birthday (?P<v>today|tomorrow|next \w+|on \w+))$", re.IGNORECASE)
_DAY_OF = re.compile(rf"({MONTH}) (?:the )?(\d{{1,2}})|(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({MONTH})", re.IGNORECASE)
_BOND = re.compile(r"^(?:we (?:are|have been) (?P<x>(?:best |good |close |such good )?(?:friends|besties|partners|a couple|a team|soulmates|family|together)\b.*)|let's (?:promise|agree) (?P<y>.+)|we (?P<z>(?:promised|agreed|met|first met|talked|made a promise|made a deal|said we'd)\b.+)|our (?P<a>(?:anniversary|song|ritual|tradition|secret word|inside joke|code word|promise|deal)\b.+)|(?:you and I|you and me|me and you|I and you) (?P<b>.+)|we (?P<c>(?!can\b|could\b|will\b|should\b|may\b|might\b|just\b|love\b|need\b|make\b).+ together(?: .+)?))$", re.IGNORECASE)
_OTHERS = re.compile(r"\b(?:wife|husband|girlfriend|boyfriend|gf|bf|family|friends?(?! (?:since|for|now|forever))|kids?|sister|brother|mom|mum|dad|parents|team|class|company|fam|gang|group|folks|mates|everyone|crew|people|husband|coworkers?|roommates?|cousins?|he|she|they|him|her|them|his|their)\b", re.IGNORECASE)
_YOU = re.compile(r"^(?:you are|you're|you were|you will always be) (?P<x>(?:my|the only one|like (?:a|an|my)) .+)|your (?:new )?(?:name|nickname) is (?:now )?(?P<n>(?-i:[A-Z])[\w'-]+|[\w'-]+(?= from now on| now$))(?: from now on| now)?|I (?:will|am going to) call you (?P<m>[A-Z]?[\w'-]+)(?: from now on)?$|^your (?P<y>birthday|favourite [\w ]{2,20}) is (?P<z>.+)$", re.IGNORECASE)
_YOU_NOT = re.compile(r"\b(?:only hope|problem|fault|turn|call|choice|guess|point|favourite (?:person )?(?:today|rn))\b|^my (?:god|dear|bad)", re.IGNORECASE)
_PROGRESS = re.compile(r"\b(?:a|an|the|my|some|any|no|not|never|really|just|very)\b ?", re.IGNORECASE)


def find(clause: Clause, telling: Telling) -> list[Finding]:
    """The findings of one clause; none where it is not certain what it says."""
    text = trimmed(clause.text)
    switched = _NOT_BUT.match(text)
    if switched:
        head = switched[1] + (switched[2] or "" if switched[1].lower() == "i" else "")
        text = f"{head} {'a ' if re.match(rf'^{rules.OCCUPATION}', switched[3], re.I) and head.lower() == 'i am' else ''}{switched[3]}"
        return [replace(finding, correction=True) for finding in find(replace(clause, text=text), telling)]
    if _MY_NOT.match(text):
        return []
    lead = _LEAD.match(text)
    said = Said(text[lead.end():] if lead else text, lead["lead"] if lead else "", telling)
    for look in (_names, _birthday, _kin_names, _both, _ruled, _kin, _about_us):
        found = look(said, clause)
        if found:
            return found
    timed = english_time.find(said.text, said.lead, telling)
    if timed:
        return timed
    return _remembered(said) if clause.remember else []


class Said:
    """A clause taken apart: the time in front ("yesterday"), and the rest."""

    def __init__(self, text: str, lead: str, telling: Telling) -> None:
        self.text, self.lead, self.telling = text, lead, telling

    def told(self, text: str, *, past: bool = False) -> str:
        """The text in the third person with the time put back in front, or quoted."""
        names = self.telling.names
        told = told_of(text, names, past=past)
        if told is None:
            return quoted(f"{self.lead} {text}" if self.lead else text, names)
        if not self.lead:
            return told
        start = names.master_in("en")
        if not names.master_is_named and told.startswith(start):
            told = told[0].lower() + told[1:]
        return sentence(f"{self.lead} {told}")

    def when(self, finding: Finding, past: bool | None) -> Finding:
        if finding.slot.partition(":")[0] in TIMELESS:
            return finding
        spoken = f"{self.lead} {self.text}".strip()
        return dated(finding, resolve(spoken, self.telling.anchor, "en", past), "en")


def _names(said: Said, clause: Clause) -> list[Finding]:
    am = _I_AM.match(said.text)
    if am and _GREETING.search(said.telling.heard) and am["x"].lower() not in _NOT_WHO and _is_name(am["x"]):
        return [Finding(slot="name", value=am["x"], text=said.told(f"my name is {am['x']}"))]
    match = _CALL_ME.match(said.text)
    if not match or not _is_name(match["x"]):
        return []
    master, name = said.telling.names.master_in("en"), match["x"]
    if match["no"]:
        return [Finding(slot="alias", value=name, text=f"{master} does not want to be called {name}.", negated=True)]
    return [Finding(slot="alias", value=name, text=f"{master} wants to be called {name}.")]


def _is_name(name: str) -> bool:
    words = name.split()
    return words[0].lower() not in rules.NOT_A_NAME and len(name) <= 40 and not words[0].lower().endswith(("ing", "'s"))


def _birthday(said: Said, clause: Clause) -> list[Finding]:
    theirs = rules.WHO_BIRTHDAY.match(said.text)
    if theirs:
        value = f"{theirs['kin']} birthday {theirs['x']}"
        return [said.when(Finding(slot=_tie_of(theirs["kin"]), value=value, text=said.told(said.text)), None)]
    match = _BORN.match(said.text)
    if not match:
        return []
    spoken = next(group for group in match.groups() if group)
    day = _DAY_OF.search(spoken)
    if day:
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
    return [finding if day else dated(finding, resolve(spoken, said.telling.anchor, "en", False), "en")]


def _kin_names(said: Said, clause: Clause) -> list[Finding]:
    match = rules.WHO_NAME.match(said.text)
    if not match:
        return []
    kin, name = match["kin"] or match["kin2"], match["x"] or match["x2"]
    if (match["kin"] and not name[0].isupper()) or not _is_name(name) or name.split()[0].lower() in rules.OCCUPATION:
        return []
    return [Finding(slot=_tie_of(kin), value=f"{kin} {name}", text=said.told(said.text))]


def _tie_of(kin: str) -> str:
    if re.fullmatch(rules.KIN, kin, re.IGNORECASE):
        return "family"
    return "pet" if re.fullmatch(rules.PET, kin, re.IGNORECASE) else "people"


def _kin(said: Said, clause: Clause) -> list[Finding]:
    for pattern in (rules.WHO, rules.WHO_LOWER):
        match = pattern.match(said.text)
        if match and rules.PREDICATE.match(match["pred"]):
            break
    else:
        return []
    if match is None:
        return []
    if value_of(match["pred"]) is None and re.search(r"\b(?:you|your)\b", match["pred"], re.IGNORECASE):
        return []
    if re.search(r"\b(?:it|this|that|him|her|them)$", match["pred"], re.IGNORECASE):
        return []
    named = (match["named"] or "").strip(" ,")
    if pattern is rules.WHO_LOWER and named.lower() in _NOT_NAMED:
        return []
    who = f"{match['kin']} {named}".strip()
    negated = bool(re.match(r"(?:doesn't|don't|can't|isn't|aren't|hates?|never)\b", match["pred"], re.IGNORECASE))
    past = bool(re.match(r"(?:was|were|got|had|moved|died|\w+ed)\b", match["pred"], re.IGNORECASE))
    finding = Finding(slot=_tie_of(match["kin"]), value=f"{who} {trimmed(match['pred'])}", text=said.told(trimmed(said.text)), negated=negated)
    return [said.when(finding, past)]


def _both(said: Said, clause: Clause) -> list[Finding]:
    match = rules.BOTH.match(said.text)
    if not match or re.search(r"\b(?:it|this|that|fun|you)$", match["pred"], re.IGNORECASE):
        return []
    who = re.sub(r"^me and (my .+)$", r"\1 and I", match["who"], flags=re.IGNORECASE)
    who = who if who.lower().endswith(" and i") else f"{who} and I"
    text = said.told(f"{who} {trimmed(match['pred'])}")
    slot = "partner" if re.match(r"broke|split|got (?:married|engaged|divorced)", match["pred"], re.I) else "family"
    past = bool(re.match(r"(?:just )?(?:\w+ed|got|met|went|bought|broke)\b", match["pred"], re.I))
    return [said.when(Finding(slot=slot, value=f"{who[3:]} {match['pred']}", text=text), past)]


def _ruled(said: Said, clause: Clause) -> list[Finding]:
    found = _by_rules(said, said.text, denied=False)
    if found:
        return found
    denied = _DENIED.match(said.text)
    if not denied:
        return []
    verb = "" if denied["do"] else "am " if denied["be"] else "can "
    rest = re.sub(r"^(?:really|actually|even|exactly|currently|technically|much of) ", "", denied["rest"], flags=re.IGNORECASE)
    return _by_rules(said, f"I {denied['adv']}{verb}{rest}", denied=True)


def _by_rules(said: Said, text: str, *, denied: bool) -> list[Finding]:
    for each in rules.ALL:
        if denied and not each.flips:
            continue
        match = each.pattern.match(text)
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
    value: str | None = spoken if each.whole else value_of(spoken if each.slot in TIMELESS else _without_time(spoken, said), definite=definite)
    slot = each.slot
    if each.slot in ("name", "alias"):
        value = spoken if _is_name(spoken) else None
    elif each.slot == "age":
        number = english_number(spoken)
        value = str(number) if number is not None and 3 < number < 120 and _about_age(match[0]) else None
    elif each.slot in ("home", "origin"):
        slot, value = _place(each.slot, value, spoken)
        if value and re.match(r"(?:my|our|an? (?!\w+ (?:town|village|city|island|suburb) )|the new|new)\b", value, re.IGNORECASE):
            value = None
        if value and (len(value.split()) > 7 or re.search(r" to (?!the )", value) or not value[0].isupper() and len(value.split()) > 4):
            value = None
    elif each.slot == "favourite":
        category = re.sub(r"ies$", "y", (groups.get("c") or "").strip().lower()).removesuffix("s")
        slot = f"favourite:{category.replace('colour', 'color').replace('film', 'movie')}"
        if re.search(r"\b(?:part|thing about|person|moment|bit|one)\b", category) or groups.get("neg"):
            return []
    elif each.slot in ("workplace", "job", "school"):
        value = None if value and re.match(r"(?:home|night|nights|days|hard|late|myself|it|this|shift|an? hour|the weekend|weekends|fun|free|money|exam|exams|tips|living|remote|shifts|years?|months?|\d+|bed|class|church|the gym|work|myself|team|teams|people|kids|children(?!'s)|clients|customers|numbers|computers|animals)\b(?! ?(?:shelter|hospital|clinic|center|centre|museum|bank|school))", value, re.I) and each.slot != "job" else value
        value = None if value and each.slot == "job" and re.match(r"(?:hard|much|long|late|fast|well|a team|usual|always|i|if|soon|an excuse)\b", value, re.I) else value
    if groups.get("n") and value:
        value = f"{value} {groups['n']}"
    if value is None:
        return []
    if each.slot == "skill" and resolve(match[0], said.telling.anchor, "en") is not None:
        return []
    if each.slot in ("preference", "hobby", "fear") and re.match(r"(?:to )?(?:be|being) (?:here|back|home|alive)\b", value, re.I):
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


def _about_age(text: str) -> bool:
    """Whether a bare number is an age: "I am 25" is, "I am 5 minutes away" never gets here."""
    return True


def _place(slot: str, value: str | None, spoken: str) -> tuple[str, str | None]:
    if value is None:
        return slot, None
    if not rules.PLACE_NOT.match(spoken):
        return slot, value
    dwelling = rules.DWELLING.match(spoken)
    if not dwelling or slot != "home":
        return slot, None
    inside = re.search(r" in (?!which\b|the\b|a\b)(.+)$", value)
    return ("home", inside[1]) if inside else ("dwelling", value)


def _without_time(text: str, said: Said) -> str:
    """The words without a time among them, so that the value is what it is whenever it was said."""
    when = resolve(text, said.telling.anchor, "en")
    if when is None or when.grain in ("year",) and not when.relative:
        return re.sub(r" (?:for|since) (?:about |almost |over |nearly |the (?:past|last) )?(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|years|months|ages|\w+ years)\b.*$", "", text)
    start, end = when.span
    if start == 0:
        return text
    return re.sub(r"\s+(?:on|in|at|by|since|for|from)$", "", text[:start].rstrip()) + text[end:]


def _about_us(said: Said, clause: Clause) -> list[Finding]:
    names = said.telling.names
    master = names.master_in("en")
    inside = master if names.master_is_named else master[0].lower() + master[1:]
    bond = _BOND.match(said.text)
    # "We" may be the speaker and anyone: with others about, it is not known to be the two who talk.
    if bond and not _OTHERS.search(said.telling.heard):
        text = re.sub(r"^we\b|^(?:you and (?:I|me)|me and you|I and you)\b", f"{master} and {names.neko}", said.text, flags=re.I)
        text = re.sub(r"^our\b", f"{master} and {possessive(names.neko)}", text, flags=re.I)
        told = None if text.lower().startswith("let's") else told_of(text, names)
        finding = Finding(
            slot="bond", value=next(group for group in bond.groups() if group), entity=RELATIONSHIP,
            text=told if told else quoted(f"{said.lead} {said.text}".strip(), names),
        )
        past = bool(re.match(r"we (?:\w+ed|met|made|said|went|saw|had)\b", said.text, re.I))
        return [said.when(finding, past)]
    you = _YOU.match(said.text)
    if not you:
        return []
    if you["n"] or you["m"]:
        called = you["n"] or you["m"]
        if not _is_name(called):
            return []
        return [Finding(slot="character_name", value=called, entity=NEKO, text=f"{master} calls {names.neko} {called}.")]
    if you["x"]:
        if _YOU_NOT.search(you["x"]) or len(you["x"].split()) > 8:
            return []
        told = re.sub(r"\bmy\b", possessive(inside), you["x"])
        text = f"{names.neko} is {told}"
        if re.search(r"\b(?:I|me|you|your|we|us)\b", told):
            return [Finding(slot="about_character", value=you["x"], entity=NEKO, text=quoted(said.text, names))]
        return [Finding(slot="about_character", value=you["x"], entity=NEKO, text=sentence(text))]
    slot = "birthday" if you["y"].lower() == "birthday" else f"favourite:{you['y'].split(maxsplit=1)[1].lower()}"
    return [Finding(slot=slot, value=you["z"], entity=NEKO, text=f"{possessive(names.neko)} {you['y']} is {you['z']}.")]


def _remembered(said: Said) -> list[Finding]:
    """What the speaker asked to keep and no other rule knows: their own words."""
    names = said.telling.names
    text = trimmed(said.text)
    if not rules.REMEMBERED.match(text) or len(text.split()) > 25 or re.match(r"(?:it|this|that|you|we)\b", text, re.I):
        return []
    own = re.match(r"(?:my|I)\b", text, re.I)
    told = said.told(text) if own else f'{names.master_in("en")} asked to remember: "{text}"'
    return [said.when(Finding(slot="remember", value=text, text=told), None)]


ENGLISH = Tongue(
    normalise=english.normalise,
    split_asked=english.split_asked,
    clauses=english.clauses,
    find=find,
    restore=lambda _: {},
    first_person=re.compile(r"^(?:\w+,? ){0,3}(?:I|I'm|im|my)\b(?! (?:sister|brother|mom|mum|dad|friend|boss|wife|husband|cat|dog|son|daughter|roommate))", re.IGNORECASE),
    instruction=english.INSTRUCTION,
    joking=english.JOKING,
    frame=english.FRAME,
    sentence_drops=english.SENTENCE_DROPS,
    clause_drops=english.CLAUSE_DROPS,
    longest_clause=english.LONGEST_CLAUSE,
)
