"""English statements about oneself that are certain enough to keep: identity, ties, tastes, ways."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.facts.rules.english_words import (
    DIET,
    IDENTITY,
    ILLNESS,
    KIN,
    LANGUAGE,
    NATIONALITY,
    OCCUPATION,
    OWNED,
    PEOPLE,
    PET,
    STUDENT,
    TRAIT,
    TRAIT_ADJECTIVE,
    ZODIAC,
)
from memory.facts.rules.numerals import ENGLISH_NUMBER


@dataclass(frozen=True, slots=True)
class Rule:
    """A statement by its wording. Group ``x`` is the value, group ``c`` a category; a rule without ``x`` has ``value``."""

    slot: str
    pattern: re.Pattern[str]
    negated: bool = False
    bonus: int = 0
    flips: bool = True        # "I don't …" says the opposite; where False the denial means something else
    many: bool = False        # "tea and coffee" are two values
    past: bool | None = None  # how to read a bare weekday or date in it; True also means a past form
    value: str | None = None
    whole: bool = False       # the value is kept as it is, without a look at what it points to
    correction: bool = False


def rule(slot: str, pattern: str, **flags: object) -> Rule:
    """A rule whose pattern must cover the clause from its first word to its last."""
    return Rule(slot, re.compile(rf"^(?:{pattern})$", re.IGNORECASE), **flags)  # type: ignore[arg-type]


ADV = (
    r"(?:(?:really|just|also|actually|still|currently|now|absolutely|totally|truly|honestly|always|kinda|definitely|only|mostly|"
    r"mainly|recently|finally|even|do|personally|secretly|genuinely|seriously|both|already|basically|particularly|especially|"
    r"so|very|quite|completely|deeply|strictly|technically|officially|severely|extremely|deathly|mildly|super|pretty) ){0,3}"
)
_STRONG = r"(?:(?:really|absolutely|totally|truly|just|so|deeply|do) )"
_NAME = r"(?:[^\W\d_][\w'’.-]*(?: (?-i:[A-Z])[\w'’-]*){0,2}|\ue000\d+\ue001)"
_N = ENGLISH_NUMBER
_A = r"(?:an? |the |my |some |one )?"
_END = r"(?:,? (?:now|currently|these days|at the moment|right now|btw|by the way|lol|haha|too|as well|actually|anymore|nowadays|tho|though|already|again|yet))*"
_WHO = rf"(?P<kin>{KIN}|{PEOPLE}|{PET})"
_NAMED = r"(?: (?:named|called|whose name is) (?P<n>[A-Z]?[\w'-]+(?: and [A-Z]?[\w'-]+)?))?"

WHO_AM_I: tuple[Rule, ...] = (
    rule("name", rf"my (?:full |real |actual |given )?name is {ADV}(?P<x>{_NAME}){_END}", whole=True),
    rule("alias", rf"my (?:first |last |middle |english |chinese |online |screen |stage |nick ?|pen |user)names? is (?P<x>{_NAME}){_END}", whole=True),
    rule("alias", rf"my (?:nickname|surname|username|gamertag|handle) is (?P<x>{_NAME}){_END}", whole=True),
    rule("alias", rf"(?:people|everyone|they|folks|the guys|the kids|my students|colleagues) (?:at work|at school|here|online|back home) (?:just |all |usually )?call me (?P<x>{_NAME}){_END}", whole=True),
    rule("name", rf"I (?:have )?(?:just |recently |legally )?changed my name to (?P<x>{_NAME}){_END}", whole=True, flips=False, correction=True),
    rule("name", rf"I {ADV}(?:go by|am called) (?P<x>{_NAME})(?: online| at work)?{_END}", whole=True),
    rule("alias", rf"(?:everyone|everybody|people|(?:all )?my (?:\w+ )?(?:friends|family|coworkers|mom|dad|parents)|my friends and family|folks) (?:just |all |usually |always )?calls? me (?P<x>{_NAME}){_END}", whole=True),
    rule("age", rf"I {ADV}(?:am|turned|just turned) {ADV}(?P<x>{_N})(?: years? old| yrs? old| yo|yo| y/o)?(?: (?:yesterday|today|last \w+))?{_END}", past=True),
    rule("birth_year", r"I was born in (?P<x>(?:19|20)\d\d)", past=True),
    rule("home", rf"I {ADV}(?:live|reside|stay) {ADV}(?:in|at|near|outside(?: of)?|around|over in|out in|down in|up in|close to) (?P<x>.+)"),
    rule("home", rf"I am {ADV}(?:living|based|located|residing|settled) {ADV}(?:in|at|near|outside(?: of)?|out of) (?P<x>.+)"),
    rule("home", rf"I (?:have )?{ADV}(?:moved|relocated|move) {ADV}(?:back |over |out |up |down |here )?(?:to|into) (?P<x>.+)", past=True, flips=False),
    rule("home", rf"I (?:have )?{ADV}moved (?:here )?from (?P<y>.+?) to (?P<x>.+)", past=True, flips=False, correction=True),
    rule("home", r"I have been living in (?P<x>.+?)(?: (?:for|since) .+)?", flips=False),
    rule("home", r"my (?:home ?town|home|hometown city) is (?:now )?(?:in )?(?P<x>.+)"),
    rule("dwelling", r"I (?:live|am living) (?P<x>alone|by myself|on my own|with .+|on campus|in a dorm|at home.*|off campus)"),
    rule("origin", rf"I (?:am {ADV}|{ADV}come )(?:originally )?from (?P<x>.+?)(?: originally)?"),
    rule("origin", r"I (?:was born(?: and raised)?|grew up|was raised) (?:in|near|on|outside) (?P<x>.+)", past=True),
    rule("nationality", rf"I am {ADV}(?P<x>(?:half[ -])?{NATIONALITY}(?:[ -](?:american|canadian|british|born))?(?: and half {NATIONALITY})?)(?: by birth| citizen)?"),
    rule("job", rf"I (?:have been |am |was )?{ADV}(?:work|working|employed|freelanc(?:e|ing)) {ADV}as {_A}(?P<x>.+)"),
    rule("job", rf"I am {ADV}(?:an? |the )(?P<x>{OCCUPATION}(?: (?:at|for|in|by|with|on|from|specializing in|who) .+)?){_END}"),
    rule("job", rf"I (?:have )?{ADV}(?:became|become|got (?:a|my) (?:new )?job as|got hired as|started (?:working|a job|a new job) as) {_A}(?P<x>{OCCUPATION}(?: (?:at|for|in) .+)?)(?: .+)?", past=True, flips=False),
    rule("job", rf"my (?:current |new |day |full-time )?(?:job|profession|occupation) is (?P<x>(?:an? )?{OCCUPATION}|.*ing .+)"),
    rule("job", rf"I (?:make (?:a|my) living|earn (?:a|my) living) (?:as|by) (?:an? )?(?P<x>.+)"),
    rule("job", rf"I {ADV}(?P<x>(?:teach|coach|tutor) (?!you\b|them\b|him\b|her\b|it\b|myself\b).+|(?:run|manage|own and run) (?:an? |my own |the )(?!bit|risk|mile|errand|temperature|fever|tight).+|sell (?!you\b|it\b|them\b|out\b).+)"),
    rule("job", r"I (?P<x>(?:do|design|build|develop|fix|repair|write|paint|sell|make) .+ for (?:a living|work))|I (?P<y>(?:design|develop|repair|translate|edit) (?!it\b|this\b|that\b).+)"),
    rule("job", r"I am (?P<x>(?:an? )?stay[ -]at[ -]home (?:mom|mum|dad|parent|wife|husband)(?: (?:of|to) .+)?)"),
    rule("habit", r"I (?:usually |mostly |currently |still |now )*work (?P<x>(?:nights|night shifts?|from home|remotely|part[- ]time|full[- ]time|two jobs|three jobs|weekends|the (?:night|day|late|early) shift|long hours|on weekends)(?: .+)?)"),
    rule("job", r"I am (?P<x>(?:un|self-)employed|retired|between jobs|jobless)(?: now)?(?: and .+)?"),
    rule("workplace", r"I (?:have )?(?:just |recently )?(?:quit|left) my job (?:at|with) (?P<x>.+)", negated=True, past=True, flips=False, correction=True),
    rule("workplace", r"my (?:new |current )?job is (?:at|with) (?P<x>.+)"),
    rule("workplace", rf"I (?:am )?{ADV}(?:work|working|intern|interning|employed) {ADV}(?:at|for|in|with|remotely for) (?P<x>.+)"),
    rule("workplace", rf"I (?:have )?{ADV}(?:got (?:a|my) (?:new )?job|started (?:working|a new job|my new job|work)|joined|got hired|landed a job|accepted a job|am starting) (?:at|with|for|by) (?P<x>.+)", past=True, flips=False),
    rule("school", rf"I {ADV}(?:go to|attend|am enrolled (?:at|in)|am studying at|study at|went to|graduated from) (?P<x>.*(?:university|college|school|uni|institute|academy|MIT|UCLA|NYU|Harvard|Stanford|Oxford|Cambridge|Yale|Princeton|Berkeley|Tsinghua).*)"),
    rule("school", r"I (?:have )?(?:just |recently |finally )?graduated from (?P<x>.+)", past=True, flips=False),
    rule("major", rf"I (?:am )?{ADV}(?:study|studying|major(?:ing)? in|majored in|doing (?:a|my) (?:degree|masters?|phd|master's|bachelor's) in) (?P<x>(?!for\b|hard\b|at\b|abroad\b|tonight\b|today\b|all\b|with\b|right\b|late\b|in\b|on\b|to\b|again\b|tomorrow\b).+?)"),
    rule("major", r"I (?:have )?(?:just |recently )?(?:changed|switched) (?:my )?majors?(?: from (?P<y>.+?))? to (?P<x>.+)", past=True, flips=False, correction=True),
    rule("major", r"I (?:am )?(?:studying|training|in school) to (?:be|become) (?:an? )?(?P<x>.+)"),
    rule("major", r"my (?:major|degree) is (?:in )?(?P<x>.+)"),
    rule("grade", rf"I am {ADV}(?:an? |in )?(?P<x>(?:my )?(?:first|second|third|fourth|final|last|senior|junior|freshman|sophomore)[ -]year(?: .+)?|(?:the )?\d{{1,2}}(?:st|nd|rd|th) grade|(?:high school|middle school|college|university|grad school|med school|law school)|{STUDENT}(?: (?:at|in|from) .+)?)"),
    rule("identity", rf"I am {ADV}(?P<x>{IDENTITY})"),
    rule("identity", r"my pronouns are (?P<x>[\w/ ]{2,20})", whole=True),
    rule("identity", rf"I am (?:a )?(?P<x>{ZODIAC})|my (?:star |zodiac )?sign is (?P<c>{ZODIAC})"),
    rule("body", rf"I am {ADV}(?P<x>(?:\d{{3}} ?cm|\d['′] ?\d{{1,2}}\S?|(?:\d|four|five|six|seven) ?(?:foot|feet|ft) ?(?:\d{{0,2}}|one|two|three|four|five|six|seven|eight|nine|ten|eleven)|1\.\d\d ?m)(?: tall)?)"),
    rule("body", r"I have (?P<x>(?:(?:long|short|dark|light|natural|naturally) )?(?:blue|green|brown|hazel|red|blond|blonde|black|curly|straight|wavy|grey|gray|dark)(?: \w+)? (?:eyes|hair)(?: and .{3,30}(?:eyes|hair|skin))?|freckles|braces|dimples)"),
    rule("trait", rf"I am {ADV}(?:such |more of )?(?:an? )?(?P<x>(?:{TRAIT})|{TRAIT_ADJECTIVE})"),
)

HEALTH: tuple[Rule, ...] = (
    rule("allergy", rf"I am {ADV}allergic to (?P<x>.+)", many=True),
    rule("allergy", r"I (?:have|got) (?:an? |some )?(?:bad |severe |mild |serious |nasty |terrible )?(?P<x>[\w -]{2,24}) allerg(?:y|ies)", many=True),
    rule("allergy", r"I have (?:an? |some )?(?:bad |severe |serious )?allerg(?:y|ies) to (?P<x>.+)", many=True),
    rule("allergy", rf"I am {ADV}(?P<x>lactose|gluten|dairy|fructose)[ -]intolerant"),
    rule("diet", rf"I (?:am|went|became|turned|have been|have gone|am going) {ADV}(?:an? )?(?P<x>{DIET})(?: (?:for|since|except|but) .+)?{_END}"),
    rule("diet", rf"I {ADV}(?:don't|can't|never) {ADV}(?:eat|drink|have(?= (?:dairy|gluten|sugar|caffeine|alcohol|meat|lactose|nuts|pork|beef|fish|seafood|eggs)\b)) (?P<x>(?!out\b|much\b|enough\b|that\b|another\b|breakfast\b|lunch\b|dinner\b|anything\b|a\b|time\b|any (?:time|idea|friends|money|clue|plans|experience|kids|pets?)\b).+)", negated=True, flips=False, many=True),
    rule("health", rf"I (?:have|have been diagnosed with|was diagnosed with|suffer from|am diagnosed with|got diagnosed with|deal with|struggle with) {ADV}(?:an? )?(?:mild |severe |bad |chronic |really bad )?(?P<x>{ILLNESS})(?: .{{1,40}})?"),
    rule("health", r"I (?:get|have) (?P<x>(?:carsick|seasick|motion sick\w*|(?:really |very )?(?:bad|poor|terrible) (?:eyesight|vision|hearing|memory|knees|back|circulation|teeth|asthma|allergies|posture))(?: .+)?)|I am (?P<y>hard of hearing(?: .+)?)"),
    rule("health", r"I am (?P<x>diabetic|type \d diabetic|asthmatic|epileptic|an(?:a)?emic|celiac|coeliac|bipolar|in recovery|(?:\d+ (?:years|months) )sober|(?:\w+ )?(?:weeks|months) pregnant|pregnant|sober)"),
)

TIES: tuple[Rule, ...] = (
    rule("partner", r"I (?:am|have been) (?P<x>(?:(?:happily|newly|recently|currently|already) )?(?:married|single|engaged|divorced|separated|widowed|in a (?:[\w-]+ )?relationship|taken)(?: (?:to|with|for|since) .+)?)(?: now)?"),
    rule("partner", r"I (?:have )?(?:just |finally |recently )?(?:got|gotten) (?P<x>married|engaged|divorced)(?: .+)?", past=True, flips=False),
    rule("partner", r"I have (?P<x>(?:an? )(?:new )?(?:girlfriend|boyfriend|gf|bf|wife|husband|fianc[eé]e?|partner))(?: (?:named|called|of|who|now|for) ?.*)?"),
    rule("partner", r"I (?:have )?(?:just |recently )?(?P<x>broke up|split up|broken up)(?: with (?!you)(?:my )?.+)?", past=True, flips=False),
    rule("family", rf"I {ADV}have (?P<x>(?:an? |no |{_N} |any |\w+ (?=step))?(?:(?!my|his|her|your|their|the|to|of|with|that|who|and|for|on|in)[\w-]+ ){{0,4}}?{KIN}(?: (?:and|,) (?:an? |{_N} )?(?:(?:older|younger|little|big|twin|baby|half) )?{KIN})?(?: (?:named|called|who|in|at|aged?|and (?:his|her)) .+)?)"),
    rule("family", r"I (?:have )?(?:just |recently )?(?:became|become) (?P<x>an? (?:dad|mom|mum|mother|father|parent|uncle|aunt|grandma|grandpa|grandparent)(?: .+)?)", past=True, flips=False),
    rule("family", r"I am (?P<x>(?:an only child|the (?:oldest|eldest|youngest|middle)(?: (?:child|of .+))?|a (?:twin|triplet)|(?:an? )?(?:proud |single |new |soon-to-be |stay-at-home )*(?:mom|mum|mother|dad|father|parent|grandma|grandpa|aunt|uncle)(?: (?:of|to) .+)?))"),
    rule("pet", rf"I {ADV}(?:have|own|keep|am raising|raise) (?P<x>(?:(?:an? |{_N} |some |any |my |no |lots of |a couple of |several )(?:(?:[a-z]+(?:-[a-z]+)?) ){{0,3}})?{PET}(?: (?:and|,) (?:an? |{_N} )?(?:[a-z]+ ){{0,2}}{PET})?){_NAMED}(?: .{{0,60}})?"),
    rule("pet", rf"I (?:have )?{ADV}(?:adopted|got|rescued|bought|brought home) (?P<x>(?:an? |{_N} |our |my (?:first )?)(?:(?:[a-z]+(?:-[a-z]+)?) ){{0,3}}{PET}){_NAMED}(?: .{{0,60}})?", past=True, flips=False),
    rule("possession", rf"I {ADV}(?:have|own|drive|ride) (?P<x>(?:an? |{_N} |my own |any |no |the same )(?!lot|bit|feeling|chance){OWNED}(?: (?:called|named|in|with|from|about|where|that|of|on|for) .+)?)"),
)

_LIKE = r"(?:love|like|enjoy|adore|dig|fancy)"
TASTES: tuple[Rule, ...] = (
    rule("favourite", r"my (?P<c>comfort food|comfort show|comfort movie|go[- ]to (?:drink|order|snack|outfit|song|meal|karaoke song)|guilty pleasure|spirit animal|celebrity crush) is (?:definitely |probably |always )?(?P<x>.+)", flips=False),
    rule("preference", r"I (?:take|like|drink|have|prefer) my (?P<x>(?:coffee|tea|eggs|steak|ramen|pizza|toast)\b.+)", flips=False),
    rule("favourite", r"my (?:all[- ]time |absolute |most |new |current |second )*favourite (?P<c>[a-z][a-z -]{1,24}?) (?:(?:is|are) (?:probably |definitely |actually |still |now |by far |always |called |not (?P<neg>)|to )*|has (?:always been|to be) |have always been |has always been |will always be )(?P<x>.+)", flips=False),
    rule("favourite", r"(?P<x>[\w\ue000\ue001' -]{2,40}?) (?:is|are) (?:definitely |actually |still |by far |always |hands down )*my (?:all[- ]time |absolute |new |current )*favourite (?P<c>[a-z][a-z -]{1,24})", flips=False),
    rule("favourite", r"I (?:like|love) (?P<x>.+?) (?:the most|the best|more than any other) (?P<c>food|drink|color|colour|song|band|movie|book|game|season|animal)s?"),
    rule("preference", rf"I {ADV}prefer (?P<x>.+)", flips=False),
    rule("preference", rf"I {_STRONG}{{1,3}}{_LIKE} (?P<x>.+)|I {_LIKE} (?P<y>.+?) (?:so (?:so )*much|a lot|very much|more than anything|to death)", bonus=1, many=True),
    rule("preference", rf"I (?:{ADV}|have always (?:been )?|have )(?:{_LIKE}|loved|liked|enjoyed) (?P<x>.+)", many=True),
    rule("preference", rf"I {ADV}(?:hate|dislike|detest|despise|loathe|can't stand|can't bear|can't tolerate|am not (?:really |much of |exactly )?(?:a (?:big |huge )?fan of|into|fond of|big on|keen on|crazy about))(?: the taste of| the smell of)? (?P<x>.+)", negated=True, many=True, flips=False),
    rule("preference", rf"I (?:am|have been|have gotten|got|have become|became) {ADV}(?:into(?! (?:[\w' ]*(?:school|college|university|uni|program|harvard|a fight|trouble|an accident|bed)\b))|fond of|obsessed with|crazy about|addicted to|keen on|hooked on|(?:an? )?(?:huge |big |massive |giant |total |longtime |die-hard )*(?:fan of|sucker for))(?: (?:really|the taste of))? (?P<x>.+)", bonus=1, many=True, flips=False),
    rule("preference", rf"I am {ADV}(?:an? )(?:huge |big |massive |giant |total |longtime |die-hard )*(?!huge|big|massive|giant|total|real|complete|such)(?P<x>[\w' -]{{2,30}}) (?:fan|enthusiast|lover|nerd|geek|addict|junkie|buff)", bonus=1),
    rule("preference", r"I can't (?:get enough of|live without|function without|resist) (?P<x>.+)", bonus=1, flips=False),
    rule("preference", r"I have a (?:soft spot|weakness|thing|sweet tooth)(?: for (?P<x>.+))?", value="sweets", flips=False),
    rule("preference", r"I (?:was|used to be) (?:a (?:big )?fan of|into|obsessed with) (?P<x>.+)", negated=True, past=True, flips=False, correction=True),
    rule("preference", r"I used to (?:love|like|enjoy|adore|be into|be a fan of) (?P<x>.+)", negated=True, past=True, flips=False, correction=True, many=True),
    rule("preference", r"I used to (?:hate|dislike|detest) (?P<x>.+)", past=True, flips=False, correction=True),
    rule("fear", rf"I (?:am|have always been) {ADV}(?:afraid|scared|terrified|frightened|petrified) of (?P<x>.+)", many=True),
    rule("fear", r"I have (?:a |an )?(?:fear|phobia) of (?P<x>.+)|I have (?P<y>\w+phobia)"),
    rule("fear", r"(?P<x>[\w' -]{2,30}) (?:(?:really |absolutely |honestly )?(?:terrif(?:y|ies)|scares?|freaks?|creeps?)) me(?: out)?"),
    rule("hobby", r"(?P<x>[\w' -]{2,30}) (?:is|are) my (?:main |biggest |favourite |new |only )*(?:hobby|hobbies|passion|pastime)"),
    rule("hobby", r"my (?:main |biggest |favourite )?(?:hobby|hobbies|pastime|passion)(?: outside (?:of )?work)? (?:is|are|include) (?P<x>.+)"),
    rule("possession", r"my (?:car|phone|laptop|bike|motorcycle|guitar|camera|computer|pc|truck|first car|current (?:car|phone)) is (?:an? )?(?P<x>[A-Z0-9].+|(?:an? )?(?:red|blue|black|white|old|used|silver|green) .+)"),
)

WAYS: tuple[Rule, ...] = (
    rule("skill", rf"I (?:can {ADV}|am able to )(?P<x>(?:speak|play|cook|bake|swim|drive|sing|draw|paint|dance|code|program|ski|skate|skateboard|surf|ride|juggle|whistle|knit|sew|touch[- ]type|type \d+|write (?:code|python|songs|poetry|music|calligraphy|chinese|japanese)|read (?:music|tarot|sheet music|lips|hebrew|arabic|chinese|japanese|korean)|do (?:a|the|magic|karate|handstands?|splits|cartwheels?|yoga|calligraphy|backflips?|\d+|pull-?ups|push-?ups)|solve (?:a|the|rubik)|make (?:pasta|bread|cocktails|sushi|dumplings|jewelry|furniture|origami|pottery)|understand (?:spanish|french|german|japanese|korean|chinese|sign language)|parallel park|beatbox|crochet|rap|bench|hold my breath|drive stick|tap dance)(?: .+)?)"),
    rule("skill", rf"I {ADV}(?:know|have known) how to (?P<x>(?:swim|drive|cook|bake|play|ride|sew|knit|code|program|dance|ski|surf|skate|sing|draw|paint|juggle|whistle|fly|sail|shoot|weld|type|make \w+|speak \w+|fix \w+)(?: .+)?)"),
    rule("skill", rf"I {ADV}(?:speak|am fluent in|understand) (?P<x>{LANGUAGE}(?:,? (?:and|,|but not|plus) {LANGUAGE})*)(?: (?:fluently|natively|well|at home|poorly|pretty well|too|since .+|with .+))?", many=True),
    rule("skill", rf"I {ADV}(?:play|have been playing|have played) (?P<x>(?:the )?(?:(?:bass|acoustic|electric|classical|lead) )?(?:guitar|piano|violin|cello|drums?|flute|ukulele|bass|saxophone|sax|trumpet|harp|clarinet|viola|keyboard|harmonica|erhu|guzheng|chess|tennis|badminton|football|soccer|basketball|volleyball|baseball|golf|hockey|rugby|cricket|ping pong|table tennis|go)(?: (?:and|,) .+)?)(?: (?:in|for|since|at|with|every|on|competitively|professionally|a little|a bit) ?.*)?"),
    rule("skill", rf"I am {ADV}(?:good|great|decent|amazing|skilled|talented) (?:at|with) (?P<x>.+)"),
    rule("skill", rf"I (?:am {ADV}(?:terrible|bad|awful|horrible|hopeless|the worst) (?:at|with)|{ADV}suck at) (?P<x>.+)", negated=True, flips=False),
    rule("skill", r"I have a (?P<x>(?:black|brown|green|blue|purple) belt in .+)"),
    rule("skill", rf"I {ADV}know (?P<x>{LANGUAGE}|sign language|asl|bsl|morse code|karate|kung fu|judo|python|javascript|java|rust|calligraphy|first aid|cpr)(?: .+)?"),
    rule("skill", rf"I {ADV}(?:can )?speak \w+ languages?[:,]? (?:which are |including )?(?P<x>.+)", many=True),
    rule("skill", r"I (?:have )?never (?:learned|learnt) (?:how )?(?:to )?(?P<x>.+)", negated=True, flips=False),
    rule("learning", rf"I am {ADV}(?:taking|doing) (?:an? )?(?P<x>[\w ]{{2,24}}) (?:lessons?|class(?:es)?|course)(?: .+)?", flips=False),
    rule("learning", rf"I (?:am|have been) {ADV}(?:learning|teaching myself|trying to learn|taking (?:lessons|classes) in|self-studying) (?:how to |to )?(?P<x>(?!a (?:ton|lot)|so much|with|about|that|from|more|things|as\b|the (?:ropes|hard)|every|something|new things).+)", flips=False),
    rule("learning", rf"I (?:have )?{ADV}(?:started|began|begun) (?:learning|studying|to learn|taking) (?:how to |to )?(?P<x>.+)", past=True, flips=False),
    rule("wish", r"one of my (?:biggest )?(?:goals|dreams) (?:this year )?is to (?P<x>.+)", flips=False),
    rule("wish", r"my (?:biggest |ultimate |main |childhood |life )*(?:dream|goal|ambition|aspiration|new year's resolution|resolution)(?: this year| right now| job| in life| (?:for|of) (?:this|next|the) year)? (?:is|has always been) (?:to )?(?P<x>.+)", flips=False),
    rule("wish", rf"I (?:{ADV}want|have always wanted|have always dreamed of|dream of|hope one day|would love|aspire) (?:to )?(?P<x>(?:learn|become|be an? (?!better|good|bit|lot|little)|visit(?:ing)? (?!you)|travel(?:ing)?|study(?:ing)? (?!for)|open(?:ing)? (?:a|my)|start(?:ing)? (?:a|my)|write (?:a|my)|own (?:a|my)|live in|living in|move to|moving to|adopt(?:ing)? a|get a (?:dog|cat|puppy|kitten|tattoo|phd|master|degree|new job)|quit (?:smoking|my|drinking)|lose (?:weight|\d)|run a marathon|go to (?:japan|\w+ university|college|grad school|med school|law school|space)|buy (?:a|my own) (?:house|car|home|flat)).*)", flips=False),
    rule("habit", rf"I (?:don't|no longer) {ADV}(?P<x>(?:drink|smoke|vape|gamble|drive|cook|wear|watch|use|play|sleep|go out|work out|exercise|party|swear|celebrate|read|take|do)(?: .+)?)", negated=True, flips=False),
    rule("habit", r"I (?:have )?(?:just |finally |recently )?(?:quit|stopped|gave up|given up|have quit) (?P<x>(?:smoking|drinking|vaping|gambling|eating \w+|coffee|alcohol|sugar|caffeine|social media|soda)(?: .+)?)", negated=True, past=True, flips=False, correction=True),
    rule("home", r"I used to live (?:in|at|near) (?P<x>.+)", negated=True, past=True, flips=False, correction=True),
    rule("workplace", r"I used to work (?:at|for) (?P<x>.+)", negated=True, past=True, flips=False, correction=True),
    rule("job", rf"I used to (?:work as|be) (?:an? )?(?P<x>{OCCUPATION})", negated=True, past=True, flips=False, correction=True),
    rule("habit", r"I used to (?P<x>(?:drink|smoke|vape|play|swim|run|dance|work out|go|do|read|watch|collect|write|draw|paint|sing|skate|ski|practice|be|have|wear|eat)(?: .+)?)", negated=True, past=True, flips=False, correction=True),
    rule("habit", rf"I {ADV}(?P<x>(?:collect|restore|breed|grow|wear|smoke|vape|foster|volunteer|blog|vlog|journal|meditate|do yoga|do pilates|garden|bike|cycle|commute|walk|drive|take the (?:bus|train|subway|tube)|"
         r"make (?:music|videos|candles|jewelry|pottery|furniture|clothes|games|beats|bread|my own .+|youtube .+|podcasts?)|write (?:poetry|poems|fiction|songs|novels|stories|short stories|music|fanfic\w*|a blog|for .+)|"
         r"drink (?:(?:way )?too much|a lot of|lots of|only|mostly|black|decaf|tons of)? ?\w+|eat (?:(?:way )?too much|a lot of|lots of|only|mostly|tons of)? ?\w+|paint|draw|knit|crochet|sew|bake|bird ?watch|speedrun|cosplay|thrift|upcycle|listen to|watch(?= (?:anime|kdramas|horror|football|sports|f1|cartoons|documentaries|youtube|twitch|\w+ (?:movies|shows|videos|dramas|games)))|play(?! (?:along|dumb|it\b|with\b|the (?:victim|part|role)|a (?:part|role|game)|games? with|fair|safe|nice|hard)\b)|read(?= (?:a lot|lots|tons|mostly|mainly|fantasy|sci-fi|manga|novels|books|poetry|comics|romance|thrillers|every|before|\w+ (?:novels|books|comics))))(?! ?(?:away|off|out|you|it|them|him|her|this|that|up to you|the line|home now)\b)(?: (?!you\b|it\b|this\b|that\b|them\b|him\b|her\b).+)?)", flips=False),
    rule("event", r"I have (?P<n1>never )?(?:actually |already |only )?(?P<x>(?:been (?:to|on|abroad|skiing|skydiving|scuba|camping|hiking)|visited|travell?ed to|lived in|lived abroad|tried|eaten|ridden|flown|had (?=covid|surgery|chicken)|broken|run a|climbed|owned|watched|seen (?=snow|the (?:ocean|sea|northern|eiffel)))(?: (?!it\b|that\b|this\b|them\b|there\b|everything|you\b).+)?)", flips=False, past=True),
    rule("event", r"my (?:wedding )?anniversary (?:is|falls) (?:on )?(?P<x>.+)", flips=False),
)

# Kin, friends and pets: what follows "my sister", "my best friend Tom", "my cat".
WHO = re.compile(rf"^my {_WHO}(?P<named>,? (?-i:[A-Z])[\w'-]+)? (?P<pred>.+)$", re.IGNORECASE)
WHO_NAME = re.compile(
    rf"^my {_WHO}(?:'s|s')? (?:name )?(?:is|are)(?: (?:named|called))? (?P<x>(?-i:[A-Z])[\w'-]+(?: (?:and )?(?-i:[A-Z])[\w'-]+)?)$"
    rf"|^my (?P<kin2>{KIN}|{PEOPLE}|{PET})(?:'s name is|'s called| is called| is named| are called| are named|s name is|s are called) (?P<x2>[\w'-]+(?: (?:and )?[\w'-]+)?)$",
    re.IGNORECASE,
)
_LATE = r"(?:also |still |currently |now |actually |only |just |recently |finally |already |about |always |usually |really |never |both |all )*"
WHO_LOWER = re.compile(rf"^my {_WHO} (?P<named>[a-z]{{2,12}}) (?P<pred>.+)$", re.IGNORECASE)
WHO_BIRTHDAY = re.compile(rf"^my {_WHO}(?:'s|s'|s)? birthday (?:is|was|falls) (?:on )?(?P<x>.+)$", re.IGNORECASE)
PREDICATE = re.compile(
    rf"^(?:is|are|was|were|'s) {_LATE}(?:an? (?!bit|little|lot|mess|pain|joke|nightmare|idiot|jerk|liar|dream|star|genius|fool|brat|monster|angel|"
    r"saint|hero|good|great|bad|nice|sweet|handful|psycho|bitch|real|total|big fan of you)[\w' -]+|"
    rf"{_N}(?: years? old| yrs old| months old)?(?: (?:today|now|tomorrow|this year|next \w+))?|(?:turning|almost) {_N}\b.*|from .+|"
    r"in (?:the hospital|hospital|college|[A-Z]\w+|high school|prison|jail|the army|the navy|rehab|town|labou?r|surgery)\b.*|allergic to .+|"
    r"(?:very |really |quite |seriously )?(?:sick|ill|pregnant|married|divorced|engaged|retired|vegan|vegetarian|deaf|blind|diabetic|dead|single|autistic|"
    rf"left-handed|jewish|muslim|catholic|half |(?:{NATIONALITY})\b)\b.*|(?:getting|moving|visiting|coming|having|studying|working|living|graduating|learning|training|retiring|"
    r"starting|flying|leaving|expecting|teaching|playing in|competing|undergoing|recovering|marrying|dating|turning) .+|named .+|called .+|retiring|expecting|graduating)$"
    rf"|^{_LATE}(?:lives?|works?|moved|died|passed away|was (?:born|diagnosed|hospitali[sz]ed|promoted|fired|accepted|in)|"
    r"got (?:married|engaged|divorced|promoted|fired|sick|a (?!lot)|hurt|laid off|into|accepted|hired|diagnosed|covid|pregnant|surgery)|"
    r"had (?:a baby|surgery|a stroke|a heart attack|an accident|twins|an operation|kittens|puppies|her baby|a miscarriage)|"
    r"has (?:an? (?!point|way|habit|thing|lot|crush)|cancer|diabetes|asthma|allerg|dementia|alzheimer|parkinson|covid|adhd|autism|depression|two|three|\d|"
    r"been (?:sick|ill|diagnosed|in|working|living|to|married|a)|kids|blue|brown|green|surgery|his|her)|have (?:an? |two|three|four|\d|been (?:married|together|living))|"
    r"likes?|loves?|hates?|enjoys?|prefers?|speaks?|plays?|stud(?:ies|y)|teach(?:es)?|owns?|drives?|collects?|bakes?|paints?|can't (?:eat|stand|swim|drive)|"
    r"can (?:speak|play|cook|sing|swim)|(?:doesn't|don't) (?:eat|like|drink|have|live|work|speak|smoke)|go(?:es)? to|graduated|retired|"
    r"broke (?:his|her|their)|lost (?:his|her|their)|turn(?:ed|s)? \d|adopted|bought|start(?:ed|s) (?:a|his|her|working|school|college|university|kindergarten)|"
    r"passed (?:his|her|the)|quit (?:his|her)|runs? (?:a|his|her)|cooks? (?!for you)|served|used to (?:be|work|live|play)|snores?|barks?|sleeps? (?:on|in)|eats?|"
    r"visits?|came to visit|taught me|raised me|gave me|won (?:a|the|first|his|her)|ran away|left (?:us|me|when|home|for|the)|broke up|split up|separated|chews?|purrs?|needs? surgery|"
    r"(?:'s|is) birthday)\b(?! me\b).*$",
    re.IGNORECASE,
)
BOTH = re.compile(
    rf"^(?P<who>me and my (?:{KIN}|{PEOPLE})|my (?:{KIN}|{PEOPLE}) and I) (?P<pred>(?:have been (?:together|married|dating|friends|living)|are (?:getting|moving|expecting|"
    r"planning|having|going|adopting|trying|married|engaged|divorced|best friends|from|buying|flying)|got (?:married|engaged|divorced|back together|a)|broke up|split up|moved|"
    r"live|adopted|bought|met|have|just (?:moved|bought|got|had|adopted)|went|celebrated|run|own|share|are)\b.+|broke up|split up|got (?:married|engaged|divorced))$",
    re.IGNORECASE,
)
REMEMBERED = re.compile(r"^(?:my|I|the(?! user\b)|our) .+ (?:is|are|am|has|have|was|needs?|can't|don't|doesn't|likes?|hates?|starts?|takes?|need|want|love|like|hate) .+$", re.IGNORECASE)
NOT_A_NAME = frozenset(
    ["late", "later", "crazy", "back", "when", "if", "maybe", "tomorrow", "tonight", "today", "now", "again", "a", "an", "the", "at", "on", "in", "it", "that", "this", "stupid", "lazy", "weird", "what", "whatever", "old", "names", "mom", "mum", "dad", "mud", "not", "irrelevant", "unknown", "bad", "baby", "babe", "honey", "darling", "anything", "something", "nothing", "everyone", "so", "here", "there", "up", "out", "out", "your", "his", "her", "their", "sir", "silly", "dumb", "and", "but", "going", "doing", "tired", "sorry", "ready", "fine", "good", "ok", "okay", "done", "back", "home", "bored", "hungry", "sure", "just", "really", "very", "secret", "crazy", "insane", "old-fashioned", "asap", "whenever", "anytime", "by", "taken", "hard", "easy", "common", "weird", "long", "short", "pronounced", "spelled"]
)
PLACE_NOT = re.compile(
    r"^(?:fear|denial|hope|peace|the moment|the past|the present|hell|a bubble|my head|a world|a dream|a society|a simulation|hiding|pain|poverty|"
    r"here|there|the same|this|that|these|those|a hurry|bed|trouble|love|town|general|luck|charge|a rush|the zone|the middle|my own|another|different|"
    r"the future|hr|the next level|the next|a different|team|other|both|it|an? (?:\w+ ){0,3}(?:house|flat|apartment|dorm|studio|city|town|village|place|room|basement|"
    r"neighbou?rhood|suburb|farm|cabin|condo|trailer|van|rv|building|share|share house|loft|bungalow)|the (?:city|countryside|suburbs|country|mountains|sea|beach|ocean|woods|forest|middle of nowhere|middle of .+))\b",
    re.IGNORECASE,
)
DWELLING = re.compile(r"^(?:an? (?:[\w-]+ ){0,3}(?:house|flat|apartment|dorm|studio|city|town|village|room|basement|neighbou?rhood|suburb|farm|cabin|condo|trailer|van|rv|loft|bungalow)|the (?:city|countryside|suburbs|country|mountains|sea|beach|ocean|woods|forest|middle of nowhere))\b(?P<rest>.*)$", re.IGNORECASE)

ALL: Sequence[Rule] = (*WHO_AM_I, *HEALTH, *TIES, *WAYS, *TASTES)
