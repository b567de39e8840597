"""English states: how the speaker has been."""

from __future__ import annotations

import re

from memory.facts.rules.clause import Finding
from memory.facts.rules.english.grammar import whole
from memory.facts.rules.english.moments import LATELY, MANNER, NOTHING, POINTING, Look, timeless
from memory.facts.rules.english.said import Said
from memory.facts.rules.english.values import trimmed
from memory.facts.rules.english.words import STRONG_FEELING, WEAK_FEELING

_UNWELL = whole(
    r"my (?P<x>(?:anxiety|depression|back|asthma|eczema|insomnia|adhd|ocd|migraines?|allergies|knee|"
    r"stomach|ibs|mental health|sleep schedule|sleep) (?:has been|have been|is|are|got|gets) (?!ok|"
    r"okay|fine|good).+)"
)


_CRUSH = whole(r"I have (?:a |such a |a huge |a big )crush on (?P<x>(?!you\b|him\b|her\b|them\b).+)")


_BEEN = whole(rf"I (?:have|haven't) {MANNER}been (?P<x>.+)")


_FEELING = whole(
    r"I (?:am|feel|have been|have been feeling|am feeling|felt|was) "
    rf"{MANNER}(?P<x>(?:{STRONG_FEELING}|(?P<weak>{WEAK_FEELING}))\b(?: (?:and|but) "
    rf"(?:really |so |a bit )*(?:{STRONG_FEELING}|{WEAK_FEELING}))?)(?P<rest>(?: .+)?)"
)


_DOING = whole(
    rf"I am {MANNER}(?P<x>(?:reading|watching|rewatching|rereading|playing|writing|training for|"
    r"preparing for|studying for|saving (?:up )?for|trying for a baby|in love with (?!you\b|him\b|"
    r"her\b)|working on|building|recovering from|looking for|"
    r"dating|seeing a|trying to (?!understand|figure|remember|say|be (?:funny|nice|cute)|think|find "
    r"out|talk|tell|help|explain|make you|imagine|do (?:that|it|this))\w+|on (?:a diet|vacation|"
    r"holiday|maternity leave|sick leave|leave|antidepressants|medication)|renovating|applying (?:for|"
    r"to)|job hunting|going through|taking care of|caring for|struggling with|dealing with|getting "
    r"over|fasting|dieting|collecting)(?: .+)?)"
)


_BEEN_DOING = whole(
    rf"I have {MANNER}been {MANNER}(?P<x>(?:playing|watching|reading|listening to|working on|training|"
    r"practi[cs]ing|writing|trying to|dating|saving|dealing with|struggling with|taking|getting into|"
    r"going to|seeing a) .+)"
)


_SICK = whole(
    r"I (?:have|caught|got|am having|have got) (?P<x>(?:an? |the )?(?:bad |terrible |nasty |awful |"
    r"slight |really bad )?(?:cold|flu|fever|covid|headache|migraine|stomach ?ache|toothache|sore "
    r"throat|food poisoning|hangover|broken (?:leg|arm|foot|wrist|ankle|finger|toe|rib)|sprained "
    r"(?:ankle|wrist)|concussion|cough)\b.*)"
)


_TROUBLE = whole(
    r"I (?:can't sleep|can't focus|have trouble sleeping|am not sleeping (?:well|enough)|have been "
    r"(?:having|losing) .+|have lost my appetite|(?:am not|haven't been) (?:eating|sleeping|feeling) "
    r"(?:well|much|enough|great)|haven't (?:slept|eaten) .+|couldn't (?:sleep|eat|focus)(?: .+)?)"
)


def states(said: Said) -> Look:
    """How the speaker feels or what keeps them busy, where it is more than a passing word."""
    text, spoken, telling = said.text, said.spoken, said.telling
    lately = bool(LATELY.search(spoken))
    feeling = _FEELING.match(text)
    if feeling:
        past = bool(re.match(r"I (?:felt|was)\b", text, re.IGNORECASE))
        plain = re.match(r"I am\b", text, re.IGNORECASE) and not re.search(
            r"\b(?:really|so|very|super|extremely|incredibly|quite|pretty)\b", text, re.IGNORECASE
        )
        certain = lately or (
            not feeling["weak"]
            and not past
            and not (plain and not feeling["rest"])
            and not POINTING.search(feeling["rest"])
        )
        if (
            re.match(r"(?:excited|proud|nervous|scared|worried|sick|ill|terrified)\b", feeling["x"], re.IGNORECASE)
            and not lately
        ):
            certain = certain and bool(
                re.match(
                    r" (?:about|for|because|of|with) (?!this\b|that\b|how\b|what\b|where\b|who\b).{3,}",
                    feeling["rest"],
                    re.IGNORECASE,
                )
            )
        certain = certain or bool(
            feeling["weak"] and re.match(r"I (?:feel|am feeling|have been)\b", text, re.IGNORECASE) and lately
        )
        if certain and not re.search(
            r"\b(?:you|your|to (?:see|hear|meet|talk|help|know)|of (?:it|this|that|them|him|her|you))\b",
            feeling["rest"],
            re.IGNORECASE,
        ):
            return Finding(slot="state", value=feeling["x"], text=said.told(trimmed(text))), past or None
        return NOTHING
    for pattern in (_SICK, _TROUBLE, _UNWELL, _CRUSH):
        match = pattern.match(text)
        if match:
            value = match.groupdict().get("x") or text[2:]
            return Finding(slot="state", value=timeless(value, telling), text=said.told(trimmed(text))), None
    doing = (
        _DOING.match(text)
        or _BEEN_DOING.match(text)
        or (
            _BEEN.match(text) if lately or re.search(r"\bfor (?:\d+|\w+) (?:days|weeks|months|years)\b", text) else None
        )
    )
    if doing and not POINTING.search(timeless(doing["x"], telling)) and len(doing["x"].split()) > 1:
        return Finding(
            slot="state", value=timeless(doing["x"], telling), text=said.told(trimmed(text)), negated="haven't" in text
        ), None
    return NOTHING
