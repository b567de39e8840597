"""English statements about the character, and about the two who talk."""

from __future__ import annotations

import re

from memory.facts.fact import NEKO, RELATIONSHIP
from memory.facts.rules.clause import Clause, Finding
from memory.facts.rules.english.said import Said
from memory.facts.rules.english.values import is_name
from memory.facts.rules.english.voice import possessive, quoted, sentence, told_of

_BOND = re.compile(
    r"^(?:we (?:are|have been) (?P<x>(?:best |good |close |such good )?(?:friends|besties|partners|a "
    r"couple|a team|soulmates|family|together)\b.*)|let's (?:promise|agree) (?P<y>.+)|we "
    r"(?P<z>(?:promised|agreed|met|first met|talked|made a promise|made a deal|said we'd)\b.+)|our "
    r"(?P<a>(?:anniversary|song|ritual|tradition|secret word|inside joke|code word|promise|deal)\b.+)|"
    r"(?:you and I|you and me|me and you|I and you) (?P<b>.+)|we (?P<c>(?!can\b|could\b|will\b|"
    r"should\b|may\b|might\b|just\b|love\b|need\b|make\b).+ together(?: .+)?))$",
    re.IGNORECASE,
)


_OTHERS = re.compile(
    r"\b(?:wife|husband|girlfriend|boyfriend|gf|bf|family|friends?(?! (?:since|for|now|forever))|"
    r"kids?|sister|brother|mom|mum|dad|parents|team|class|company|fam|gang|group|folks|mates|everyone|"
    r"crew|people|husband|coworkers?|roommates?|cousins?|he|she|they|him|her|them|his|their)\b",
    re.IGNORECASE,
)


_YOU = re.compile(
    r"^(?:you are|you're|you were|you will always be) (?P<x>(?:my|the only one|like (?:a|an|my)) .+)|"
    r"your (?:new )?(?:name|nickname) is (?:now )?(?P<n>(?-i:[A-Z])[\w'-]+|[\w'-]+(?= from now on| "
    r"now$))(?: from now on| now)?|I (?:will|am going to) call you (?P<m>[A-Z]?[\w'-]+)(?: from now "
    r"on)?$|^your (?P<y>birthday|favourite [\w ]{2,20}) is (?P<z>.+)$",
    re.IGNORECASE,
)


_YOU_NOT = re.compile(
    r"\b(?:only hope|problem|fault|turn|call|choice|guess|point|favourite (?:person )?(?:today|rn))\b|"
    r"^my (?:god|dear|bad)",
    re.IGNORECASE,
)


def about_us(said: Said, clause: Clause) -> list[Finding]:
    names = said.telling.names
    master = names.master_in("en")
    inside = master if names.master_is_named else master[0].lower() + master[1:]
    bond = _BOND.match(said.text)
    # "We" may be the speaker and anyone: with others about, it is not known to be the two who talk.
    if bond and not _OTHERS.search(said.telling.heard):
        text = re.sub(
            r"^we\b|^(?:you and (?:I|me)|me and you|I and you)\b",
            f"{master} and {names.neko}",
            said.text,
            flags=re.IGNORECASE,
        )
        text = re.sub(r"^our\b", f"{master} and {possessive(names.neko)}", text, flags=re.IGNORECASE)
        told = None if text.lower().startswith("let's") else told_of(text, names)
        finding = Finding(
            slot="bond",
            value=next(group for group in bond.groups() if group),
            entity=RELATIONSHIP,
            text=told or quoted(f"{said.lead} {said.text}".strip(), names),
        )
        past = bool(re.match(r"we (?:\w+ed|met|made|said|went|saw|had)\b", said.text, re.IGNORECASE))
        return [said.when(finding, past)]
    you = _YOU.match(said.text)
    if not you:
        return []
    if you["n"] or you["m"]:
        called = you["n"] or you["m"]
        if not is_name(called):
            return []
        return [
            Finding(slot="character_name", value=called, entity=NEKO, text=f"{master} calls {names.neko} {called}.")
        ]
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
