"""English plans, events and states: what happens to the speaker in time."""

from __future__ import annotations

import re

from memory.facts.rules import english_words as words
from memory.facts.rules.clause import Finding, Telling, dated
from memory.facts.rules.english_objects import trimmed
from memory.facts.rules.english_voice import quoted, sentence, told_of
from memory.facts.rules.draft import TIMELESS
from memory.facts.rules.event_when import When, resolve


def _re(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"^(?:{pattern})$", re.IGNORECASE)


_ADV = r"(?:(?:really|just|also|finally|actually|still|currently|probably|always|already|recently|kinda|only|even|totally|so|very|quite|pretty|super|a bit|a little|kind of|extremely|incredibly|too) ){0,3}"
_TRIVIAL = re.compile(
    r"^(?:be (?:back|right back|there|here|fine|ok|okay|honest|good|away|quick|gone|late|on|off|online|offline)|sleep|go to (?:sleep|bed)|bed|eat|shower|take a (?:nap|shower|break|bath|look)|try|tell|let you|"
    r"check|see (?:you|what|if|how|about|it)|think|ask|show|send|talk|chat|say|brb|go(?: now)?$|head (?:out|off|home|to bed)|get (?:some|back|going|ready|up|going|a snack)|do (?:it|that|this|so|my best)|call it|hit the|crash|pass out|need|want|"
    r"know|remember|forget|miss|love|like|hate|kill|die|cry|scream|lose it|explode|keep|never|stop|log|text|message|come back|play with you|find out|give you|make you|teach you|help you|explain|look it|google|report|update)\b",
    re.IGNORECASE,
)
_PLAN = _re(
    rf"I (?:am |have ){_ADV}(?:going to|planning (?:to|on)|planned to|decided to|looking forward to|set to|scheduled to|due to) (?P<x>.+)|"
    rf"I {_ADV}(?:will|plan to|intend to|plan on|need to|have to|must) {_ADV}(?P<y>.+)"
)
_FIRM = re.compile(r"\b(?:planning|planned|plan|intend|decided)\b", re.IGNORECASE)
_PROGRESSIVE = _re(rf"I am {_ADV}(?P<x>(?:flying|making|cooking|baking|going|moving|traveling|travelling|visiting|meeting|seeing|taking|starting|getting|having|leaving|throwing|hosting|attending|presenting|giving|driving|hiking|running|competing|performing|running|graduating|picking|adopting|returning|heading|working|playing|signing|doing|speaking|buying|interviewing|defending|retiring|quitting|turning|celebrating|cooking|joining|switching|transferring) .+)")
_SCHEDULED = _re(r"I (?:start|leave|fly|graduate|move|retire|begin|finish|return|defend|compete|perform|take|get|meet|see|go|travel) (?P<x>.+)")
_HAVE_EVENT = _re(rf"I (?:{_ADV}have|have|got) (?P<x>(?:an? |my |some |two |three |the |another |no )?{words.EVENT_NOUN}(?: .+)?)")
_MY_THING = _re(r"my (?P<x>(?:[a-z]+ ){0,2}[a-z]+ (?:died|broke(?: down)?|crashed|got (?:stolen|flooded|hacked|broken into|towed|damaged|robbed)|was (?:stolen|hacked|robbed|towed)|arrived|flooded|caught fire|burned down))(?: .+)?")
_EVENT_IS = _re(rf"my (?P<x>{words.EVENT_NOUN}) (?P<verb>(?:is|are|starts?|begins?|leaves?|will be|got (?:moved|postponed|pushed|cancelled|canceled|rescheduled)(?: to)?|has been (?:moved|postponed|rescheduled)(?: to)?|was (?:moved|postponed|rescheduled|cancelled)(?: to)?) .+)")
_TERM = _re(r"(?:my )?(?P<x>finals|final exams|exams|midterms|classes|school|the semester|my semester) (?:starts?|begins?|ends?|is over|are over) .+")
_EXAM_PAST = _re(r"my (?P<x>[\w' ]{2,30} (?:went (?:really |very |pretty |so |super )*(?:well|badly|great|terribly|fine|ok|okay|horribly|smoothly)|got (?:cancelled|canceled|postponed)))(?: .+)?")
_TURNING = _re(rf"I (?:am turning|turn|will be turning|will be|will turn|am going to (?:be|turn)) (?P<x>\d{{1,2}}|{words.any_of('twenty thirty forty fifty sixty eighteen twenty-one nineteen')}) (?P<t>.+)")
_PAST = _re(rf"I (?:have )?{_ADV}(?P<neg>didn't )?(?P<v>{words.PAST_VERB}|go|get|make|pass|sleep|eat|finish)\b(?P<x>.*)")
_WAS = _re(r"I was (?P<x>(?:in|at|on) (?!my way|fire|it\b|the (?:phone|toilet))[\w' -]{3,60}|(?:really |so |very )?(?:sick|ill|hospitali[sz]ed|injured|promoted|fired|laid off|hired|accepted|rejected|born|robbed|diagnosed)\b.*)")
_LONG_AGO = re.compile(r"\b(?:last (?:summer|winter|spring|fall|autumn|semester|term)|the other (?:day|night|week)|when I was (?:\w+|a \w+)|as a (?:kid|child|teen\w*)|years ago|in (?:high school|college|middle school|uni))\b", re.IGNORECASE)
_LIFE = re.compile(rf"^(?:have )?(?:{words.LIFE_EVENT})\b", re.IGNORECASE)
_NOT_EVENT = re.compile(rf"^(?:{words.NOT_EVENT})\b", re.IGNORECASE)
_BEEN = _re(rf"I (?:have|haven't) {_ADV}been (?P<x>.+)")
_FEELING = _re(
    rf"I (?:am|feel|have been|have been feeling|am feeling|felt|was) {_ADV}(?P<x>(?:{words.STRONG_FEELING}|(?P<weak>{words.WEAK_FEELING}))\b(?: (?:and|but) (?:really |so |a bit )*(?:{words.STRONG_FEELING}|{words.WEAK_FEELING}))?)(?P<rest>(?: .+)?)"
)
_DOING = _re(rf"I am {_ADV}(?P<x>(?:reading|watching|rewatching|rereading|playing|writing|training for|preparing for|studying for|saving (?:up )?for|working on|building|recovering from|looking for|dating|seeing a|trying to (?!understand|figure|remember|say|be (?:funny|nice|cute)|think|find out|talk|tell|help|explain|make you|imagine|do (?:that|it|this))\w+|on (?:a diet|vacation|holiday|maternity leave|sick leave|leave|antidepressants|medication)|renovating|applying (?:for|to)|job hunting|going through|taking care of|caring for|struggling with|dealing with|getting over|fasting|dieting|collecting)(?: .+)?)")
_BEEN_DOING = _re(rf"I have {_ADV}been {_ADV}(?P<x>(?:playing|watching|reading|listening to|working on|training|practi[cs]ing|writing|trying to|dating|saving|dealing with|struggling with|taking|getting into|going to|seeing a) .+)")
_SICK = _re(r"I (?:have|caught|got|am having|have got) (?P<x>(?:an? |the )?(?:bad |terrible |nasty |awful |slight |really bad )?(?:cold|flu|fever|covid|headache|migraine|stomach ?ache|toothache|sore throat|food poisoning|hangover|broken (?:leg|arm|foot|wrist|ankle|finger|toe|rib)|sprained (?:ankle|wrist)|concussion|cough)\b.*)")
_TROUBLE = _re(r"I (?:can't sleep|can't focus|have trouble sleeping|am not sleeping (?:well|enough)|have been (?:having|losing) .+|have lost my appetite|(?:am not|haven't been) (?:eating|sleeping|feeling) (?:well|much|enough|great)|haven't (?:slept|eaten) .+|couldn't (?:sleep|eat|focus)(?: .+)?)")
_LATELY = re.compile(r"\b(?:lately|recently|these days|nowadays|this (?:week|month)|for (?:weeks|months|days|a while)|(?:the )?past few (?:days|weeks)|all (?:day|week)|ever since|since|about my|because of|at work|about the)\b", re.IGNORECASE)
_HABIT = _re(rf"I (?P<adv>(?:really |also |still |just |almost )*(?:usually|always|often|never|normally|typically|generally|rarely|seldom|regularly|tend to|mostly|sometimes|frequently|hardly ever|almost never|occasionally)) (?P<x>.+)")
_HABIT_BARE = _re(rf"I (?:{_ADV})(?P<x>{words.PRESENT_VERB}\b.*)")
_EVERY = re.compile(
    r"\b(?:every (?:single |other )?(?:day|morning|night|evening|afternoon|week|weekend|month|year|summer|winter|spring|monday|tuesday|wednesday|thursday|friday|saturday|sunday|time|few \w+)|"
    r"each (?:day|morning|night|week)|daily|weekly|on (?:weekends|weekdays|(?:mon|tues|wednes|thurs|fri|satur|sun)days)|(?:once|twice|three times|four times|five times|\d+ times|a few times|several times) (?:a|per) (?:day|week|month|year)|"
    r"all the time|most (?:days|mornings|nights|evenings|weekends)|before bed|in the mornings?|after work|for (?:breakfast|lunch|dinner)|at night|in my (?:free|spare) time|when i am (?:stressed|bored|sad|anxious|nervous))\b",
    re.IGNORECASE,
)
_HABIT_NOT = re.compile(
    r"^(?:knew|thought|think|said|say|mind|wanted|want|expected|imagined|feel|felt|believe|believed|wonder|wondered|hope|hoped|forget (?:your|you|that)|remember|love (?:talking|it|when)|had|have (?:a good|fun|been|to|the|you)|"
    r"can|could|will|would|get (?:it|so|this|that)|know|understand|heard|seen|saw|been|told|tell|ask|asked|gonna|going|agree|trust|miss|lie|lied|win|am|do (?:this|that|it)|really|a |the |thought|realized|loved|liked|looked|was|were|give up|saying|got)\b",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"\b(?:to|on|of|for|with|about|through|from|in|at|is|are|and|or|who|it's)$|^\w+ (?:a lot|a ton|so much|something\b.*|a place|a problem|some (?:stuff|things)|things|stuff|nothing)$|^learned a lot\b|\b(?:it|them)\b(?! (?:was|is))",
    re.IGNORECASE,
)
_POINTING = re.compile(r"^(?:\w+ )?(?:it|this|that|them|him|her|so|one|some|something|there|here|you|those|these)\b(?! (?:book|movie|exam|to))$|\b(?:you|your)\b", re.IGNORECASE)


def find(text: str, lead: str, telling: Telling) -> list[Finding]:
    """The plan, event, habit or state of a clause about the speaker."""
    spoken = f"{lead} {text}".strip()
    for look in (_plans, _habits, _events, _states):
        finding, past = look(text, spoken, lead, telling)
        if finding is not None and not _VAGUE.search(finding.value):
            return [finding] if finding.slot in TIMELESS else [dated(finding, resolve(spoken, telling.anchor, "en", past), "en")]
    return []


Look = tuple[Finding | None, bool | None]
_NOTHING: Look = (None, None)


def _when(spoken: str, telling: Telling, past: bool | None) -> When | None:
    return resolve(spoken, telling.anchor, "en", past)


def _ahead(when: When | None, telling: Telling) -> bool:
    """Whether the time lies on a later day, or at least not before today."""
    return when is not None and when.grain not in ("lately", "now") and when.start is not None and when.start >= telling.anchor.replace(hour=0, minute=0)


def _told(text: str, lead: str, telling: Telling, *, past: bool = False) -> str:
    names = telling.names
    told = told_of(trimmed(text), names, past=past)
    if told is None:
        return quoted(f"{lead} {trimmed(text)}".strip(), names)
    if not lead:
        return told
    if not names.master_is_named and told.startswith("The user"):
        told = told[0].lower() + told[1:]
    return sentence(f"{lead} {told}")


def _value(text: str, telling: Telling) -> str:
    when = resolve(text, telling.anchor, "en")
    return text if when is None else (text[:when.span[0]] + text[when.span[1]:]).strip()


def _plans(text: str, spoken: str, lead: str, telling: Telling) -> Look:
    when = _when(spoken, telling, False)
    turning = _TURNING.match(text)
    if turning and _ahead(when, telling):
        return Finding(slot="plan", value=f"turn {turning['x']}", text=_told(text, lead, telling)), False
    negated = bool(re.match(r"I (?:won't|am not)\b", text, re.I))
    bare = re.sub(r"^(I) won't ", r"\1 will ", re.sub(r"^(I am) not ", r"\1 ", text, flags=re.I), flags=re.I)
    plan = _PLAN.match(bare)
    if plan:
        what = plan["x"] or plan["y"]
        certain = _ahead(when, telling) or bool(_FIRM.search(bare)) and not negated
        if certain and not _TRIVIAL.match(what) and not _POINTING.search(_value(what, telling)):
            return Finding(slot="plan", value=_value(what, telling), text=_told(text, lead, telling), negated=negated), False
        return _NOTHING
    moving = _PROGRESSIVE.match(bare)
    if moving and (
        _ahead(when, telling) and when is not None and (when.raw["start"]["offset"] > 0 or re.search(r"\b(?:tonight|later today)\b", spoken, re.I))
        or re.match(r"(?:moving (?:to|out|in)|getting (?:married|surgery|divorced)|adopting|quitting my|graduating) ?", moving["x"], re.I)
    ):
        if not _POINTING.search(_value(moving["x"], telling)):
            return Finding(slot="plan", value=_value(moving["x"], telling), text=_told(text, lead, telling), negated=negated), False
        return _NOTHING
    scheduled = _SCHEDULED.match(text)
    if scheduled and _ahead(when, telling) and when is not None and when.start is not None and when.start.date() > telling.anchor.date():
        if not _EVERY.search(spoken) and not _POINTING.search(_value(scheduled["x"], telling)):
            return Finding(slot="plan", value=_value(text[2:], telling), text=_told(text, lead, telling)), False
    for pattern in (_HAVE_EVENT, _EVENT_IS, _TERM):
        match = pattern.match(text)
        if match and (_ahead(when, telling) or (pattern is _HAVE_EVENT and re.search(r"\b(?:coming up|soon|next)\b", text, re.I))):
            return Finding(slot="plan", value=_value(match["x"], telling), text=_told(text, lead, telling)), False
    return _NOTHING


def _habits(text: str, spoken: str, lead: str, telling: Telling) -> Look:
    match = _HABIT.match(text)
    often = bool(_EVERY.search(spoken)) and not re.search(r"\ball the time\b.*\bnow\b", spoken)
    if match is None and often:
        match = _HABIT_BARE.match(text)
    if match is None or _HABIT_NOT.match(match["x"]) or _POINTING.search(match["x"]):
        return _NOTHING
    adverb = match.groupdict().get("adv") or ""
    if adverb and not often and (len(match["x"].split()) < 2 or not re.match(rf"{words.PRESENT_VERB}\b", match["x"], re.I)):
        return _NOTHING
    negated = bool(re.search(r"never|hardly|rarely|seldom", adverb, re.I))
    return Finding(slot="habit", value=match["x"], text=_told(text, lead, telling), negated=negated), None


def _events(text: str, spoken: str, lead: str, telling: Telling) -> Look:
    match = _EXAM_PAST.match(text) or _MY_THING.match(text)
    if match:
        return Finding(slot="event", value=_value(match["x"], telling), text=_told(text, lead, telling, past=True)), True
    when = _when(spoken, telling, True)
    past_time = when is not None and when.grain not in ("lately", "now") and when.start is not None and when.start <= telling.anchor
    past_time = past_time or bool(_LONG_AGO.search(spoken))
    was = _WAS.match(text)
    if was and past_time:
        return Finding(slot="event", value=_value(was["x"], telling), text=_told(text, lead, telling, past=True)), True
    match = _PAST.match(text)
    if not match:
        return _NOTHING
    did = f"{match['v']}{match['x']}"
    verb = match["v"].lower()
    present = verb in ("go", "get", "make", "pass", "sleep", "eat", "finish", "need", "read", "put", "cut", "let")
    if (present and not match["neg"] and not (verb in ("read", "cut", "put") and past_time)) or _NOT_EVENT.match(did):
        return _NOTHING
    life = bool(_LIFE.match(did)) and not match["neg"]
    life = life or bool(match["neg"] and re.match(r"(?:get|pass|make|finish) (?:the|my|into|accepted|in to)\b", did, re.IGNORECASE))
    if not (life or past_time) or _POINTING.search(_value(did, telling)) or not _value(match["x"], telling).strip() and not life:
        return _NOTHING
    return Finding(slot="event", value=_value(did, telling), text=_told(text, lead, telling, past=True), negated=bool(match["neg"])), True


def _states(text: str, spoken: str, lead: str, telling: Telling) -> Look:
    lately = bool(_LATELY.search(spoken))
    feeling = _FEELING.match(text)
    if feeling:
        past = bool(re.match(r"I (?:felt|was)\b", text, re.I))
        plain = re.match(r"I am\b", text, re.I) and not re.search(r"\b(?:really|so|very|super|extremely|incredibly|quite|pretty)\b", text, re.I)
        certain = lately or (not feeling["weak"] and not past and not (plain and not feeling["rest"]) and not _POINTING.search(feeling["rest"]))
        if re.match(r"(?:excited|proud|nervous|scared|worried|sick|ill|terrified)\b", feeling["x"], re.I) and not lately:
            certain = certain and bool(re.match(r" (?:about|for|because|of|with) (?!this\b|that\b|how\b|what\b|where\b|who\b).{3,}", feeling["rest"], re.I))
        certain = certain or bool(feeling["weak"] and re.match(r"I (?:feel|am feeling|have been)\b", text, re.I) and lately)
        if certain and not re.search(r"\b(?:you|your|to (?:see|hear|meet|talk|help|know)|of (?:it|this|that))\b", feeling["rest"], re.I):
            return Finding(slot="state", value=feeling["x"], text=_told(text, lead, telling)), past or None
        return _NOTHING
    for pattern in (_SICK, _TROUBLE):
        match = pattern.match(text)
        if match:
            value = match.groupdict().get("x") or text[2:]
            return Finding(slot="state", value=_value(value, telling), text=_told(text, lead, telling)), None
    doing = _DOING.match(text) or _BEEN_DOING.match(text) or (_BEEN.match(text) if lately or re.search(r"\bfor (?:\d+|\w+) (?:days|weeks|months|years)\b", text) else None)
    if doing and not _POINTING.search(_value(doing["x"], telling)) and len(doing["x"].split()) > 1:
        return Finding(slot="state", value=_value(doing["x"], telling), text=_told(text, lead, telling), negated="haven't" in text), None
    return _NOTHING
