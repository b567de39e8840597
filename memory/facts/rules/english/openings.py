"""How English speech opens before it says something: small talk, a left out subject, a time, a request."""

from __future__ import annotations

import re

from memory.facts.rules.english.grammar import pattern
from memory.facts.rules.when_english import MONTH, WEEKDAY

_FILLER = pattern(
    r"(?:(?:well|so|ok(?:ay)?|oh+|ah+|yeah|yea|yes|yep|yup|no+|nah|nope|hey+|hi+|hello|heyy+|um+|uh+|"
    r"hm+|er+m*|honestly|"
    r"tbh|ngl|fyi|btw|by the way|also|and|but|anyways?|lol|lmao|haha+|hehe+|actually|in fact|to be "
    r"(?:honest|fair|clear)|"
    r"fun fact|just so you know|jsyk|you know|you know what|as (?:i|you) (?:said|know)|like i (?:said|"
    r"told you)|i mean|guess what|omg|omfg|"
    r"ugh+|argh+|aw+|wow|damn|man|dude|bro|girl|plus|besides|since|because|then|so yeah|oh and|oh btw|"
    r"speaking of which|the thing is|thing is|"
    r"in real life|irl|for real(?: now)?|out of character|truth is|the truth is|you see|see|look|"
    r"listen|good news|big news|bad news|great news|update|psa|for the record|"
    r"as for me|personally|for me|me|thanks|thank you|sorry|sadly|unfortunately|luckily|thankfully|"
    r"finally|basically|obviously|"
    r"though|although|tho|even though|while|yet|or|also fyi|nice|cool|great|good question|same|true|"
    r"right|exactly|about me|first of all|secondly|"
    r"i have to (?:say|admit)|i must (?:say|admit)|i should (?:mention|say)|i forgot to (?:mention|"
    r"say|tell you)(?: that)?|"
    r"did i mention(?: that)?|did you know(?: that)?|i (?:just )?want(?:ed)? (?:you to know|to (?:say|"
    r"tell you|mention|share))(?: that)?|"
    r"let me tell you|(?:please )?(?:just )?note that|turns out(?: that)?|i(?: am|'m) (?:happy|glad|"
    r"proud|excited|sad|sorry) to say(?: that)?|"
    r"i (?:can )?(?:proudly )?(?:confess|admit)(?: that)?|the fact is(?: that)?)[,:!. -]*(?: |$))"
)


_CHANGE_HEAD = pattern(
    r"^(?:no+|nope|nah|wait|oops|actually|correction|sorry|my bad|in fact|i lied|scratch that|i meant|"
    r"to correct (?:that|myself)|"
    r"i changed my mind|(?:that's|thats) (?:not right|wrong|not true|outdated|old)|not true|wrong|not anymore|update|"
    r"you(?: have|'ve)? got (?:it|that) wrong|things (?:have )?changed)\b[,:!. -]*"
)


_LEFT_OUT: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        pattern(
            r"^(?:(?:just|finally|recently|already|literally just) )*(?:moved|adopted|bought|got(?! it\b| "
            r"you\b| that\b| this\b| to\b| any\b| a (?:minute|sec|question|point)\b)|"
            r"started|finished|passed|failed|graduated|quit|broke (?:my|up)|lost my|won|went to|visited|"
            r"joined|signed up|switched|used to|had (?:a|an|my|some)|ate|cooked|baked|"
            r"ran|saw|watched|met|tried|spent|grew up|dropped out|turned \d|landed|booked) "
        ),
        "I",
    ),
    (
        pattern(
            r"^been (?:really |so |super |kinda |pretty |a bit |quite )*(?:\w{2,}ing\b|sick\b|stressed|"
            r"anxious|depressed|busy with|obsessed|into|single|married|sober|vegan|vegetarian)"
        ),
        "I have",
    ),
    (
        pattern(
            r"^(?:(?:currently|now|still|also) )*(?:allergic to|watching|rewatching|not (?:really )?(?:an? |"
            r"into)|leaving|starting|having|getting|seeing|meeting|taking|originally from|from (?=[A-Z])|"
            r"vegan\b|vegetarian\b|married\b|engaged\b|learning|studying|working (?:as|at|for)|living in|"
            r"based in|reading|flying|going to (?!bed|sleep|be|go)|moving|visiting|turning \d|getting "
            r"(?:married|surgery)|training for|afraid of|terrified of)"
        ),
        "I am",
    ),
    (pattern(r"^(?:huge |big |massive )?fan of "), "I am a"),
    (pattern(r"^name is [a-z]"), "my"),
    (pattern(r"^born (?:in|on|and raised)"), "I was"),
    (
        pattern(
            r"^(?:absolutely |really |kinda |also )*(?:love|hate|can't (?:stand|eat|drink|have|swim|drive)|"
            r"don't (?:like|eat|drink|smoke))(?! you\b| ya\b| u\b| it\b| this\b| that\b| how\b| when\b| to "
            r"see\b| him\b| her\b)"
        ),
        "I",
    ),
)


REMEMBER = pattern(
    r"^(?:please |pls |plz |can you |could you |you (?:should|need to|have to|must|can) |i (?:want|"
    r"need|would like|'d like) you to |just )*"
    r"(?:(?:don't(?: you)?|never) forget|remember|keep in mind|bear in mind|note down|make a note|"
    r"take note|make sure (?:you |to )*remember)"
    r"(?: for me| this| please)?(?: that|:|,|\s?-)?\s+(?!to\b|when\b|how\b|the time\b|what\b|why\b|"
    r"who\b|where\b|us\b|me$|me\b|you\b)"
)


def without_fillers(piece: str) -> tuple[str, bool]:
    """The piece without its opening small talk, and whether that small talk announced a change."""
    changed = False
    for _ in range(8):
        head = _CHANGE_HEAD.match(piece)
        if head and not re.match(
            r"no (?:one|longer|matter)\b|sorry (?:for|about)|update (?:my|the)", piece, re.IGNORECASE
        ):
            changed, piece = True, piece[head.end() :]
            continue
        filler = _FILLER.match(piece)
        if (
            not filler
            or filler.end() == 0
            or re.match(r"(?:me|then|right|look|see|or) (?:and|at|now|to)\b", piece, re.IGNORECASE)
        ):
            break
        piece = piece[filler.end() :]
    return piece.strip(" ,:-"), changed


REMEMBER_THIS = pattern(
    r"^(?:please |pls |plz |just )*(?:don't(?: you)? forget|remember|keep in mind|note)(?: that| this|"
    r" it)?(?: please| pls| ok| okay)?$"
)


def with_left_out(piece: str) -> str:
    """The piece with the subject that chat leaves out: "just adopted a puppy", "allergic to nuts"."""
    for opening, start in _LEFT_OUT:
        if opening.match(piece):
            return f"{start} {piece[0].lower()}{piece[1:]}"
    return piece


TIME_LEAD = (
    r"(?:yesterday(?: (?:morning|afternoon|evening|night))?|today|tonight|tomorrow(?: (?:morning|"
    r"afternoon|evening|night))?|"
    r"last night|this (?:morning|afternoon|evening|week|month|year|weekend|summer|winter|spring|fall|autumn)|"
    rf"(?:next|last|this|on|this past|this coming) {WEEKDAY}(?: (?:morning|afternoon|evening|night))?|"
    r"(?:next|last) (?:week|month|year|weekend|night|summer|winter|spring|fall|autumn)|"
    r"(?:(?:a|an|one|two|three|four|five|six|ten|\d{1,3}|a few|a couple(?: of)?|several) (?:minute|"
    r"hour|day|week|month|year)s? ago)|"
    r"in (?:a|an|one|two|three|four|five|six|ten|\d{1,3}|a few|a couple(?: of)?) (?:minute|hour|day|"
    r"week|month|year)s?(?:'? time)?|"
    rf"(?:in|since) (?:{MONTH}|(?:19|20)\d\d)(?: (?:19|20)\d\d)?|on {MONTH} \d{{1,2}}(?:st|nd|rd|th)?|the other day|"
    r"lately|recently|these days|nowadays|right now|currently|now|at the moment|for the past \w+ \w+|"
    r"every (?:single )?(?:day|morning|night|evening|week|weekend|month|year|summer|winter|monday|"
    r"tuesday|wednesday|thursday|"
    r"friday|saturday|sunday)|on (?:weekends|weekdays|the weekends?|my days off|mondays|tuesdays|"
    r"wednesdays|thursdays|fridays|"
    r"saturdays|sundays)|in the (?:mornings?|evenings?)|most (?:days|mornings|nights|evenings|"
    r"weekends)|sometimes|usually|normally|"
    r"after work|before bed|in my free time|in my spare time|the day (?:before yesterday|after tomorrow))"
)
