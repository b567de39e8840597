"""English statements about likes, dislikes, favourites and fears."""

from __future__ import annotations

from memory.facts.rules.english.grammar import ADV, rule
from memory.facts.rules.rule import Rule

_STRONG = r"(?:(?:really|absolutely|totally|truly|just|so|deeply|do) )"


_LIKE = r"(?:love|like|enjoy|adore|dig|fancy)"


TASTES: tuple[Rule, ...] = (
    rule(
        "favourite",
        r"my (?P<c>comfort food|comfort show|comfort movie|go[- ]to (?:drink|order|snack|outfit|song|meal|"
        r"karaoke song)|guilty pleasure|spirit animal|celebrity crush) is (?:definitely |probably |always "
        r")?(?P<x>.+)",
        flips=False,
    ),
    rule(
        "preference",
        r"I (?:take|like|drink|have|prefer) my (?P<x>(?:coffee|tea|eggs|steak|ramen|pizza|toast)\b.+)",
        flips=False,
    ),
    rule(
        "favourite",
        r"my (?:all[- ]time |absolute |most |new |current |second )*favourite (?P<c>[a-z][a-z -]{1,24}?) "
        r"(?:(?:is|are) (?:probably |definitely |actually |still |now |by far |always |called |not "
        r"(?P<neg>)|to )*|has (?:always been|to be) |have always been |has always been |will always be "
        r")(?P<x>.+)",
        flips=False,
    ),
    rule(
        "favourite",
        r"(?P<x>[\w\ue000\ue001' -]{2,40}?) (?:is|are) (?:definitely |actually |still |by far |always |"
        r"hands down )*my (?:all[- ]time |absolute |new |current )*favourite (?P<c>[a-z][a-z "
        r"-]{1,24}?)(?: now| these days| at the moment| ever)?",
        flips=False,
    ),
    rule(
        "preference",
        r"(?P<x>[\w\ue000\ue001' -]{2,30}?) (?:is|are) (?:definitely |still |by far |always )*my (?:all[- "
        r"]time |absolute )*favourites?(?: ever)?",
        bonus=1,
        flips=False,
    ),
    rule(
        "favourite",
        r"I (?:like|love) (?P<x>.+?) (?:the most|the best|more than any other) (?P<c>food|drink|color|"
        r"colour|song|band|movie|book|game|season|animal)s?",
    ),
    rule("preference", rf"I {ADV}prefer (?P<x>.+)", flips=False),
    rule(
        "preference",
        rf"I {_STRONG}{{1,3}}{_LIKE} (?P<x>.+)|I {_LIKE} (?P<y>.+?) (?:so (?:so )*much|a lot|very much|"
        r"more than anything|to death)",
        bonus=1,
        many=True,
    ),
    rule(
        "preference", rf"I (?:{ADV}|have always (?:been )?|have )(?:{_LIKE}|loved|liked|enjoyed) (?P<x>.+)", many=True
    ),
    rule(
        "preference",
        rf"I {ADV}(?:hate|dislike|detest|despise|loathe|can't stand|can't bear|can't tolerate|am not "
        r"(?:really |much of |exactly )?(?:a (?:big |huge )?fan of|into|fond of|big on|keen on|crazy "
        r"about))(?: the taste of| the smell of)? (?P<x>.+)",
        negated=True,
        many=True,
        flips=False,
    ),
    rule(
        "preference",
        rf"I (?:am|have been|have gotten|got|have become|became) {ADV}(?:into(?! (?:[\w' ]*(?:school|"
        r"college|university|uni|program|harvard|a fight|trouble|an accident|bed)\b))|interested in(?! "
        r"(?:you|hearing|knowing|what)\b)|fond of|obsessed "
        r"with|crazy about|addicted to|keen on|hooked on|(?:an? )?(?:huge |big |massive |giant |total |"
        r"longtime |die-hard )*(?:fan of|sucker for))(?: (?:really|the taste of))? (?P<x>.+)",
        bonus=1,
        many=True,
        flips=False,
    ),
    rule(
        "preference",
        rf"I am {ADV}(?:an? )(?:huge |big |massive |giant |total |longtime |die-hard )*(?!huge|big|massive|"
        rf"giant|total|real|complete|such)(?P<x>[\w' -]{{2,30}}) (?:fan|enthusiast|lover|nerd|geek|addict|"
        r"junkie|buff)",
        bonus=1,
    ),
    rule(
        "preference", r"I can't (?:get enough of|live without|function without|resist) (?P<x>.+)", bonus=1, flips=False
    ),
    rule(
        "preference",
        r"I have a (?:soft spot|weakness|thing|sweet tooth)(?: for (?P<x>.+))?",
        value="sweets",
        flips=False,
    ),
    rule(
        "preference",
        r"I (?:was|used to be) (?:a (?:big )?fan of|into|obsessed with) (?P<x>.+)",
        negated=True,
        past=True,
        flips=False,
        correction=True,
    ),
    rule(
        "preference",
        r"I used to (?:love|like|enjoy|adore|be into|be a fan of) (?P<x>.+)",
        negated=True,
        past=True,
        flips=False,
        correction=True,
        many=True,
    ),
    rule("preference", r"I used to (?:hate|dislike|detest) (?P<x>.+)", past=True, flips=False, correction=True),
    rule(
        "preference",
        r"(?P<x>(?!it\b|this\b|that\b|you\b|he\b|she\b|which\b)[\w' -]{2,24}?) (?:is|are) (?:kinda |kind "
        r"of |really |totally |literally |honestly )*my (?:thing|life|passion|jam|obsession|whole "
        r"personality|happy place|comfort(?: food| show)?)",
        flips=False,
    ),
    rule("preference", r"I live and breathe (?P<x>.+)", bonus=1, flips=False),
    rule(
        "preference",
        r"I (?:really |honestly )*find (?P<x>.{2,30}?) (?:really |so |super |very |pretty )*(?:boring|"
        r"annoying|overrated|disgusting|gross|stressful|irritating|exhausting)",
        negated=True,
        flips=False,
    ),
    rule(
        "preference",
        r"I (?:really |honestly )*find (?P<x>.{2,30}?) (?:really |so |super |very |pretty )*(?:relaxing|"
        r"fascinating|fun|calming|soothing|interesting|beautiful|therapeutic|comforting|delicious)",
        flips=False,
    ),
    rule(
        "hobby",
        r"I (?:am (?:in|part of|a member of|on|(?:the )?(?:captain|president|leader) of)|belong to|sing "
        r"in|play (?:in|for)|run|lead|joined) (?P<x>(?:an?|the|my|our) (?:[\w' -]{2,30} )?(?:club|choir|"
        r"band|team|orchestra|league|society|troupe|squad|improv group|church group|support group|book "
        r"group|running group|hiking group))(?: .+)?",
    ),
    rule(
        "fear",
        rf"I (?:am|have always been) {ADV}(?:afraid|scared|terrified|frightened|petrified) of (?P<x>.+)",
        many=True,
    ),
    rule("fear", r"I have (?:a |an )?(?:fear|phobia) of (?P<x>.+)|I have (?P<y>\w+phobia)"),
    rule(
        "fear",
        r"(?P<x>[\w' -]{2,30}) (?:(?:really |absolutely |honestly )?(?:terrif(?:y|ies)|scares?|freaks?|"
        r"creeps?)) me(?: out)?",
    ),
    rule(
        "hobby",
        r"(?P<x>[\w' -]{2,30}) (?:is|are) my (?:main |biggest |favourite |new |only )*(?:hobby|hobbies|"
        r"passion|pastime)",
    ),
    rule(
        "hobby",
        r"my (?:main |biggest |favourite )?(?:hobby|hobbies|pastime|passion)(?: outside (?:of )?work)? "
        r"(?:is|are|include) (?P<x>.+)",
    ),
    rule(
        "possession",
        r"my (?:car|phone|laptop|bike|motorcycle|guitar|camera|computer|pc|truck|first car|current (?:car|"
        r"phone)) is (?:an? )?(?P<x>[A-Z0-9].+|(?:an? )?(?:red|blue|black|white|old|used|silver|green) "
        r".+)",
    ),
)
