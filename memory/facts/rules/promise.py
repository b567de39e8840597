"""What the character promised: the only thing its own words are taken for."""

from __future__ import annotations

import re

from memory.facts.fact import AI_DISCLOSURE, NEKO
from memory.facts.rules.chinese import clauses as chinese
from memory.facts.rules.clean import Recalled, own_lines, plain, with_quotes
from memory.facts.rules.compare import fold_object
from memory.facts.rules.draft import USUAL, Draft
from memory.facts.rules.english.clauses import LONGEST_CLAUSE
from memory.facts.rules.english.spelling import normalise
from memory.facts.rules.english.voice import told_of
from memory.facts.rules.event_when import resolve
from memory.facts.rules.speech import MOST_SENTENCES, Sentence, sentences
from memory.history.turn import AI, Turn
from memory.people import Names

MOST_PROMISES = 3
_ENGLISH = re.compile(
    r"(?:^|[,;:] |\b(?:and|but|so|okay|ok|yes|sure) )(?P<said>I (?:promise|swear|give you my word)(?: "
    r"you)?,? (?:that |to |I |I'll |I will |we |we'll ).{3,160}"
    r"|I will (?:always |never )?(?:remember|not forget|forget|keep in mind|remind you) .{3,160})$",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?:^|[，,：: ])(?P<said>我(?:会)?(?:一定)?(?:答应|保证|发誓|承诺|向你保证|"
    r"跟你保证)(?:你)?[，,：:]?.{2,80}|我(?:一定|肯定|绝对|当然|都|也|永远|一直)*会(?:一直|永远|好好|"
    r"牢牢)*(?:记得|记住|记着|提醒你).{2,80}|我(?:绝对|一定|永远)?不会忘(?:记|了)?.{2,80})$"
)
_PROMISING = re.compile(
    r"^I (?:promise|swear|give you my word)(?: you)?,? (?:that |to )?|^I will (?:always )?|"
    r"^我.{0,4}(?:答应|保证|发誓|承诺)(?:你)?[，：:]?|^我会",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:if|unless|maybe|might|would|could|pretend|imagine|can't promise|don't promise)\b|如果|要是|"
    r"假如|也许|可能|不能保证|不敢保证|不能答应|没法答应",
    re.IGNORECASE,
)


def promises(turn: Turn, names: Names) -> list[Draft]:
    """The promises of the character in one of its turns, at most three; nothing from anyone else's."""
    if turn.kind != AI or (turn.speaker is not None and turn.speaker.casefold() != names.neko.casefold()):
        return []
    found: list[Draft] = []
    lines, _ = own_lines(turn.text, Recalled(()))
    count = 0
    for line in lines:
        bare, quotes = plain(line)
        for sentence in sentences(bare):
            count += 1
            if count > MOST_SENTENCES or len(found) >= MOST_PROMISES:
                return found
            draft = _promise(sentence, quotes, turn, names)
            if draft is not None and all(draft.object != other.object for other in found):
                found.append(draft)
    return found


def _promise(sentence: Sentence, quotes: list[str], turn: Turn, names: Names) -> Draft | None:
    if sentence.asked or _UNSURE.search(sentence.text):
        return None
    if sentence.language == "en" and len(sentence.text) <= LONGEST_CLAUSE:
        match = _ENGLISH.search(normalise(sentence.text))
        # The voices swap: here the character is "I" and the master is "you".
        # "that you love tuna" has a verb of its own to bend: left in the character's words.
        bends = bool(match) and bool(
            re.search(r"\b(?:that|how|what|when|if|because) you\b", match["said"] if match else "")
        )
        text = _swapped(match["said"], names) if match and not bends else None
        quoted = f'{names.neko} said: "{match["said"]}"' if match else ""
    elif sentence.language == "zh" and len(sentence.text) <= LONGEST_CLAUSE:
        match = _CHINESE.search(chinese.normalise(sentence.text))
        text = match["said"].replace("我", names.neko).replace("你", names.master_in("zh")) + "。" if match else None
        quoted = f"{names.neko}说过：“{match['said']}”" if match else ""
        if match and re.search(r"我们|你们|咱", match["said"]):
            text = None
    else:
        return None
    if match is None:
        return None
    when = resolve(match["said"], turn.at, sentence.language, False)
    return Draft(
        text=with_quotes(text or quoted, quotes),
        language=sentence.language,
        entity=NEKO,
        importance=6,
        confidence=USUAL,
        event_when_raw=when.raw if when else None,
        event_start_at=when.start if when else None,
        event_end_at=when.end if when else None,
        slot="promise",
        object=fold_object(_PROMISING.sub("", match["said"])),
        source=AI_DISCLOSURE,
    )


def _swapped(said: str, names: Names) -> str | None:
    """The promise in the third person; None when a pronoun would be left over."""
    return told_of(said, Names(neko=names.master_in("en").replace("The user", "the user"), master=names.neko))
