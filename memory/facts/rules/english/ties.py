"""English statements about family, friends, pets and belongings."""

from __future__ import annotations

import re

from memory.facts.rules.clause import Clause, Finding
from memory.facts.rules.english.grammar import ADV, NUMBER, rule
from memory.facts.rules.english.said import Said
from memory.facts.rules.english.values import is_name, trimmed, value_of
from memory.facts.rules.english.words import (
    KIN,
    NATIONALITY,
    NOT_EVENT,
    OCCUPATION,
    OWNED,
    PAST_VERB,
    PEOPLE,
    PET,
    set_of,
)
from memory.facts.rules.event_when import resolve
from memory.facts.rules.rule import Rule

_NAMED = r"(?: (?:named|called|whose name is) (?P<n>[A-Z]?[\w'-]+(?: and [A-Z]?[\w'-]+)?))?"


TIES: tuple[Rule, ...] = (
    rule(
        "partner",
        r"I (?:am|have been) (?P<x>(?:(?:happily|newly|recently|currently|already) )?(?:married|single|"
        r"engaged|divorced|separated|widowed|in a (?:[\w-]+ )?relationship|taken)(?: (?:to|with|for|"
        r"since) .+)?)(?: now)?",
    ),
    rule(
        "partner",
        r"I (?:have )?(?:just |finally |recently )?(?:got|gotten) (?P<x>married|engaged|divorced)(?: .+)?",
        past=True,
        flips=False,
    ),
    rule(
        "partner",
        r"I have (?P<x>(?:an? )(?:new )?(?:girlfriend|boyfriend|gf|bf|wife|husband|fianc[eé]e?|"
        r"partner))(?: (?:named|called|of|who|now|for) ?.*)?",
    ),
    rule(
        "partner",
        r"I (?:have )?(?:just |recently )?(?P<x>broke up|split up|broken up)(?: with (?!you)(?:my )?.+)?",
        past=True,
        flips=False,
    ),
    rule(
        "family",
        rf"I {ADV}have (?P<x>(?:an? |no |{NUMBER} |any |\w+ (?=step))?(?:(?!my|his|her|your|their|the|to|of|"
        rf"with|that|who|and|for|on|in)[\w-]+ ){{0,4}}?{KIN}(?: (?:and|,) (?:an? |{NUMBER} )?(?:(?:older|"
        rf"younger|little|big|twin|baby|half) )?{KIN})?(?: (?:named|called|who|in|at|aged?|and (?:his|"
        r"her)) .+)?)",
    ),
    rule(
        "family",
        r"I (?:have )?(?:just |recently )?(?:became|become) (?P<x>an? (?:dad|mom|mum|mother|father|parent|"
        r"uncle|aunt|grandma|grandpa|grandparent)(?: .+)?)",
        past=True,
        flips=False,
    ),
    rule(
        "family",
        r"I am (?P<x>(?:an only child|the (?:oldest|eldest|youngest|middle)(?: (?:child|of .+))?|a "
        r"(?:twin|triplet)|(?:an? )?(?:proud |single |new |soon-to-be |stay-at-home )*(?:mom|mum|mother|"
        r"dad|father|parent|grandma|grandpa|aunt|uncle)(?: (?:of|to) .+)?))",
    ),
    rule(
        "pet",
        rf"I {ADV}(?:have|own|keep|am raising|raise) (?P<x>(?:(?:an? |{NUMBER} |some |any |my |no |lots of |a "
        rf"couple of |several )(?:(?:[a-z]+(?:-[a-z]+)?) ){{0,3}})?{PET}(?: (?:and|,) (?:an? |{NUMBER} "
        rf")?(?:[a-z]+ ){{0,2}}{PET})?){_NAMED}(?: .{{0,60}})?",
    ),
    rule("pet", rf"I (?:named|called) my (?:new )?(?P<x>{PET}) (?P<n>[A-Z]?[\w'-]+)", past=True, flips=False),
    rule(
        "family",
        rf"I (?:was raised by|was brought up by|grew up with) (?P<x>my (?:{KIN}).*|(?:a single (?:mom|mum|"
        r"mother|dad|father)))",
        past=True,
        flips=False,
    ),
    rule("pet", rf"I have had (?P<x>(?:an? |my ){PET}(?: (?-i:[A-Z])\w+)?)(?: (?:for|since) .+)?", flips=False),
    rule(
        "pet",
        rf"I (?:have )?{ADV}(?:adopted|got|rescued|bought|brought home) (?P<x>(?:an? |{NUMBER} |our |my "
        rf"(?:first )?)(?:(?:[a-z]+(?:-[a-z]+)?) ){{0,3}}{PET}){_NAMED}(?: .{{0,60}})?",
        past=True,
        flips=False,
    ),
    rule(
        "possession",
        rf"I {ADV}(?:have|own|drive|ride) (?P<x>(?:an? |{NUMBER} |my own |any |no |the same )(?!lot|bit|"
        rf"feeling|chance){OWNED}(?: (?:called|named|in|with|from|about|where|that|of|on|for) .+)?)",
    ),
)


_WHO = rf"(?P<kin>{KIN}|{PEOPLE}|{PET})"


# Kin, friends and pets: what follows "my sister", "my best friend Tom", "my cat".
WHO = re.compile(rf"^my {_WHO}(?P<named>,? (?-i:[A-Z])[\w'-]+)? (?P<pred>.+)$", re.IGNORECASE)


WHO_NAME = re.compile(
    rf"^my {_WHO}(?:'s|s')? (?:name )?(?:is|are)(?: (?:named|called))? (?P<x>(?-i:[A-Z])[\w'-]+(?: "
    r"(?:and )?(?-i:[A-Z])[\w'-]+)?)$"
    rf"|^my (?P<kin2>{KIN}|{PEOPLE}|{PET})(?:'s name is|'s called| is called| is named| are called| "
    r"are named|s name is|s are called) (?P<x2>[\w'-]+(?: (?:and )?[\w'-]+)?)$",
    re.IGNORECASE,
)


_LATE = (
    r"(?:also |still |currently |now |actually |only |just |recently |finally |already |about |always "
    r"|usually |really |never |both |all )*"
)


_DEED = re.compile(
    r"^(?:(?:is|are) (?:going to )?(?!calling|being|driving|killing|making me)\w+|will|just|finally|"
    rf"(?!{NOT_EVENT}){PAST_VERB}) .+",
    re.IGNORECASE,
)
WHO_LOWER = re.compile(rf"^my {_WHO} (?P<named>[a-z]{{2,12}}) (?P<pred>.+)$", re.IGNORECASE)


WHO_OWNS = re.compile(
    rf"^my {_WHO}'s (?P<pred>(?:favou?rite [\w ]{{2,20}}|job|hobby|breed|nickname|surgery|wedding|full "
    r"name|middle name|zodiac sign|funeral|graduation) (?:is|was) .+)$",
    re.IGNORECASE,
)
WHO_BIRTHDAY = re.compile(rf"^my {_WHO}(?:'s|s'|s)? birthday (?:is|was|falls) (?:on )?(?P<x>.+)$", re.IGNORECASE)


PREDICATE = re.compile(
    rf"^(?:is|are|was|were|'s) {_LATE}(?:an? (?!bit|little|lot|mess|pain|joke|nightmare|idiot|jerk|"
    r"liar|dream|star|genius|fool|brat|monster|angel|"
    r"saint|hero|good|great|bad|nice|sweet|handful|psycho|bitch|real|total|big fan of you)[\w' -]+|"
    rf"{NUMBER}(?: years? old| yrs old| months old)?(?: (?:today|now|tomorrow|this year|next \w+))?|"
    rf"(?:turning|almost) {NUMBER}\b.*|from .+|"
    r"in (?:the hospital|hospital|college|[A-Z]\w+|high school|prison|jail|the army|the navy|rehab|"
    r"town|labou?r|surgery)\b.*|allergic to .+|"
    r"(?:very |really |quite |seriously )?(?:sick|ill|pregnant|married|divorced|engaged|retired|vegan|"
    r"vegetarian|deaf|blind|diabetic|dead|single|autistic|"
    rf"left-handed|jewish|muslim|catholic|half |(?:{NATIONALITY})\b)\b.*|(?:getting|moving|visiting|"
    r"coming|having|studying|working|living|graduating|learning|training|retiring|"
    r"starting|flying|leaving|expecting|teaching|playing in|competing|undergoing|recovering|marrying|"
    r"dating|turning) .+|named .+|called .+|retiring|expecting|graduating)$"
    rf"|^{_LATE}(?:lives?|works?|moved|died|passed away|was (?:born|diagnosed|hospitali[sz]ed|promoted|"
    r"fired|accepted|in)|"
    r"got (?:married|engaged|divorced|promoted|fired|sick|a (?!lot)|hurt|laid off|into|accepted|hired|"
    r"diagnosed|covid|pregnant|surgery)|"
    r"had (?:a baby|surgery|a stroke|a heart attack|an accident|twins|an operation|kittens|puppies|"
    r"her baby|a miscarriage)|"
    r"has (?:an? (?!point|way|habit|thing|lot|crush)|cancer|diabetes|asthma|allerg|dementia|alzheimer|"
    r"parkinson|covid|adhd|autism|depression|two|three|\d|"
    r"been (?:sick|ill|diagnosed|in|working|living|to|married|a)|kids|blue|brown|green|surgery|his|"
    r"her)|have (?:an? |two|three|four|\d|been (?:married|together|living))|"
    r"likes?|loves?|hates?|enjoys?|prefers?|speaks?|plays?|stud(?:ies|y)|teach(?:es)?|owns?|drives?|"
    r"collects?|bakes?|paints?|can't (?:eat|stand|swim|drive)|"
    r"can (?:speak|play|cook|sing|swim)|(?:doesn't|don't) (?:eat|like|drink|have|live|work|speak|"
    r"smoke)|go(?:es)? to|graduated|retired|"
    r"broke (?:his|her|their)|lost (?:his|her|their)|turn(?:ed|s)? \d|adopted|bought|start(?:ed|s) "
    r"(?:a|his|her|working|school|college|university|kindergarten)|"
    r"passed (?:his|her|the)|quit (?:his|her)|runs? (?:a|his|her)|cooks? (?!for you)|served|used to "
    r"(?:be|work|live|play)|snores?|barks?|sleeps? (?:on|in)|eats?|"
    r"visits?|came to visit|taught me|raised me|gave me|won (?:a|the|first|his|her)|ran away|learned|left "
    r"(?:us|me|when|home|for|the)|broke up|split up|separated|chews?|purrs?|needs? surgery|"
    r"(?:'s|is) birthday)\b(?! me\b).*$",
    re.IGNORECASE,
)


BOTH = re.compile(
    rf"^(?P<who>me and my (?:{KIN}|{PEOPLE})|my (?:{KIN}|{PEOPLE}) and I) (?P<pred>(?:have been "
    r"(?:together|married|dating|friends|living)|are (?:getting|moving|expecting|"
    r"planning|having|going|adopting|trying|married|engaged|divorced|best friends|from|buying|flying)|"
    r"got (?:married|engaged|divorced|back together|a)|broke up|split up|moved|"
    r"live|adopted|bought|met|have|just (?:moved|bought|got|had|adopted)|went|celebrated|run|own|"
    r"share|are)\b.+|broke up|split up|got (?:married|engaged|divorced))$",
    re.IGNORECASE,
)


_NOT_NAMED = set_of(
    "just also still never always really and is was has who that recently finally even only actually "
    "both all now then said will can got had"
)


def tie_of(kin: str) -> str:
    if re.fullmatch(KIN, kin, re.IGNORECASE):
        return "family"
    return "pet" if re.fullmatch(PET, kin, re.IGNORECASE) else "people"


def kin_named(said: Said, clause: Clause) -> list[Finding]:
    match = WHO_NAME.match(said.text)
    if not match:
        return []
    kin, name = match["kin"] or match["kin2"], match["x"] or match["x2"]
    if (match["kin"] and not name[0].isupper()) or not is_name(name) or name.split()[0].lower() in OCCUPATION:
        return []
    return [Finding(slot=tie_of(kin), value=f"{kin} {name}", text=said.told(said.text))]


def both(said: Said, clause: Clause) -> list[Finding]:
    match = BOTH.match(said.text)
    if not match or re.search(r"\b(?:it|this|that|fun|you)$", match["pred"], re.IGNORECASE):
        return []
    who = re.sub(r"^me and (my .+)$", r"\1 and I", match["who"], flags=re.IGNORECASE)
    who = who if who.lower().endswith(" and i") else f"{who} and I"
    text = said.told(f"{who} {trimmed(match['pred'])}")
    slot = (
        "partner"
        if re.match(r"broke|split|got (?:married|engaged|divorced)", match["pred"], re.IGNORECASE)
        else "family"
    )
    past = bool(re.match(r"(?:just )?(?:\w+ed|got|met|went|bought|broke)\b", match["pred"], re.IGNORECASE))
    return [said.when(Finding(slot=slot, value=f"{who[3:]} {match['pred']}", text=text), past)]


def _dated(predicate: str, said: Said) -> bool:
    """Whether it tells of a deed at a certain time: "is raising the rent next month"."""
    when = resolve(predicate, said.telling.anchor, "en")
    return when is not None and when.grain not in ("now", "lately") and bool(_DEED.match(predicate))


def tied(said: Said, clause: Clause) -> list[Finding]:
    """Family, friends and pets: what is told of "my sister", "my best friend Tom", "my cat"."""
    owned = WHO_OWNS.match(said.text)
    if owned:
        value = f"{owned['kin']} {owned['pred']}"
        return [said.when(Finding(slot=tie_of(owned["kin"]), value=value, text=said.told(trimmed(said.text))), None)]
    told_of = [match for pattern in (WHO, WHO_LOWER) if (match := pattern.match(said.text))]
    match = next((match for match in told_of if PREDICATE.match(match["pred"]) or _dated(match["pred"], said)), None)
    if match is None:
        return []
    if value_of(match["pred"]) is None and re.search(r"\b(?:you|your)\b", match["pred"], re.IGNORECASE):
        return []
    if re.search(r"\b(?:it|this|that|him|her|them)$", match["pred"], re.IGNORECASE):
        return []
    named = (match["named"] or "").strip(" ,")
    if match.re is WHO_LOWER and named.lower() in _NOT_NAMED:
        return []
    who = f"{match['kin']} {named}".strip()
    negated = bool(re.match(r"(?:doesn't|don't|can't|isn't|aren't|hates?|never)\b", match["pred"], re.IGNORECASE))
    past = bool(re.match(r"(?:was|were|got|had|moved|died|\w+ed)\b", match["pred"], re.IGNORECASE))
    finding = Finding(
        slot=tie_of(match["kin"]),
        value=f"{who} {trimmed(match['pred'])}",
        text=said.told(trimmed(said.text)),
        negated=negated,
    )
    return [said.when(finding, past)]
