"""English statements about who the speaker is: names, age, places, work, school, body, health."""

from __future__ import annotations

from memory.facts.rules.english.grammar import ADV, END, NAME, NUMBER, A, rule
from memory.facts.rules.english.words import (
    DIET,
    IDENTITY,
    ILLNESS,
    LANGUAGE,
    NATIONALITY,
    OCCUPATION,
    STUDENT,
    TRAIT,
    TRAIT_ADJECTIVE,
    ZODIAC,
)
from memory.facts.rules.rule import Rule

WHO_AM_I: tuple[Rule, ...] = (
    rule("name", rf"my (?:full |real |actual |given )?name is {ADV}(?P<x>{NAME}){END}", whole=True),
    rule(
        "alias",
        r"my (?:first |last |middle |english |chinese |online |screen |stage |nick ?|pen |user)names? is "
        rf"(?P<x>{NAME}){END}",
        whole=True,
    ),
    rule(
        "alias",
        rf"my (?:nickname|surname|username|gamertag|handle)(?: (?:at|in|on|from) [\w ]{{2,14}})? (?:is|"
        rf"was) (?P<x>{NAME}){END}",
        whole=True,
    ),
    rule("alias", rf"I am (?:known|registered) as (?P<x>{NAME})(?: (?:online|at work|on \w+))?{END}", whole=True),
    rule(
        "alias",
        r"(?:people|everyone|they|folks|the guys|the kids|my students|colleagues) (?:at work|at school|"
        rf"here|online|back home) (?:just |all |usually )?call me (?P<x>{NAME}){END}",
        whole=True,
    ),
    rule(
        "name",
        rf"I (?:have )?(?:just |recently |legally )?changed my name to (?P<x>{NAME}){END}",
        whole=True,
        flips=False,
        correction=True,
    ),
    rule("name", rf"I {ADV}(?:go by|am called) (?P<x>{NAME})(?: online| at work)?{END}", whole=True),
    rule(
        "alias",
        r"(?:everyone|everybody|people|(?:all )?my (?:\w+ )?(?:friends|family|coworkers|mom|dad|parents)|"
        rf"my friends and family|folks) (?:just |all |usually |always )?calls? me (?P<x>{NAME}){END}",
        whole=True,
    ),
    rule(
        "age",
        rf"I {ADV}(?:am|turned|just turned) {ADV}(?P<x>{NUMBER})(?: years? old| yrs? old| yo|yo| y/o)?(?: "
        rf"(?:yesterday|today|last \w+))?{END}",
        past=True,
    ),
    rule("birth_year", r"I was born in (?P<x>(?:19|20)\d\d)", past=True),
    rule(
        "home",
        rf"I {ADV}(?:live|reside|stay) {ADV}(?:in|at|near|outside(?: of)?|around|over in|out in|down in|up "
        r"in|close to) (?P<x>.+)",
    ),
    rule(
        "home",
        rf"I am {ADV}(?:living|based|located|residing|settled) {ADV}(?:in|at|near|outside(?: of)?|out of) "
        r"(?P<x>.+)",
    ),
    rule(
        "home",
        rf"I (?:have )?{ADV}(?:moved|relocated|move) {ADV}(?:back |over |out |up |down |here )?(?:to|into) "
        r"(?P<x>.+)",
        past=True,
        flips=False,
    ),
    rule(
        "home",
        rf"I (?:have )?{ADV}moved (?:here )?from (?P<y>.+?) to (?P<x>.+)",
        past=True,
        flips=False,
        correction=True,
    ),
    rule(
        "home",
        r"I have (?:been living|lived) in (?P<x>.+?) (?:for|since) .+|I have been living in (?P<y>.+)",
        flips=False,
    ),
    rule("home", r"my (?:home ?town|home|hometown city) is (?:now )?(?:in )?(?P<x>.+)"),
    rule("home", r"I rent an? .{2,30}? in (?P<x>(?!the\b|a\b).+)", flips=False),
    rule("dwelling", r"I (?P<x>share an? (?:flat|apartment|house|room|dorm) with .+)"),
    rule(
        "dwelling",
        r"I (?:live|am living) (?P<x>alone|by myself|on my own|with .+|on campus|in a dorm|at home.*|off " r"campus)",
    ),
    rule("origin", rf"I (?:am {ADV}|{ADV}come )(?:originally )?from (?P<x>.+?)(?: originally)?"),
    rule("origin", r"I (?:was born(?: and raised)?|grew up|was raised) (?:in|near|on|outside) (?P<x>.+)", past=True),
    rule("nationality", rf"I am {ADV}(?P<x>half[ -]{NATIONALITY}(?: and|,)? (?:and )?half[ -]{NATIONALITY})"),
    rule(
        "skill",
        rf"my (?:first|native|second|third) language is (?P<x>{LANGUAGE})|(?P<y>{LANGUAGE}) is my (?:first|"
        r"native|mother|second|third) (?:language|tongue)",
    ),
    rule(
        "nationality",
        rf"I am {ADV}(?P<x>(?:half[ -])?{NATIONALITY}(?:[ -](?:american|canadian|british|born))?(?: and "
        rf"half {NATIONALITY})?)(?: by birth| citizen)?",
    ),
    rule("job", rf"I (?:have been |am |was )?{ADV}(?:work|working|employed|freelanc(?:e|ing)) {ADV}as {A}(?P<x>.+)"),
    rule("job", rf"I have been {ADV}an? (?P<x>{OCCUPATION})(?: (?:for|since) .+)?", flips=False),
    rule(
        "job",
        rf"I am {ADV}(?:an? |the )(?P<x>{OCCUPATION}(?: (?:at|for|in|by|with|on|of|from|specializing in|who) "
        rf".+)?){END}",
    ),
    rule(
        "job",
        rf"I (?:have )?{ADV}(?:became|become|got (?:a|my) (?:new )?job as|got hired as|started (?:working|"
        rf"a job|a new job) as) {A}(?P<x>{OCCUPATION}(?: (?:at|for|in) .+)?)(?: .+)?",
        past=True,
        flips=False,
    ),
    rule(
        "job",
        r"my (?:current |new |day |full-time )?(?:job|work|profession|occupation) is (?P<x>(?:an? "
        rf")?{OCCUPATION}|.*ing .+)",
    ),
    rule("job", r"I (?:make (?:a|my) living|earn (?:a|my) living) (?:as|by) (?:an? )?(?P<x>.+)"),
    rule(
        "work",
        rf"I {ADV}(?P<x>(?:teach|coach|tutor) (?!you\b|them\b|him\b|her\b|it\b|myself\b).+|(?:run|manage|"
        r"own and run) (?:an? |my own |the )(?!bit|risk|mile|errand|temperature|fever|tight).+|sell "
        r"(?!you\b|it\b|them\b|out\b).+)",
    ),
    rule(
        "work",
        r"I (?P<x>(?:do|design|build|develop|fix|repair|write|paint|sell|make) .+ for (?:a living|work))|"
        r"I (?P<y>(?:design|develop|repair|translate|edit) (?!it\b|this\b|that\b).+)",
    ),
    rule("job", r"I am (?P<x>(?:an? )?stay[ -]at[ -]home (?:mom|mum|dad|parent|wife|husband)(?: (?:of|to) .+)?)"),
    rule(
        "habit",
        r"I (?:usually |mostly |currently |still |now )*(?:work|do) (?P<x>(?:nights|night shifts?|from home|"
        r"remotely|part[- ]time|full[- ]time|two jobs|three jobs|weekends|the (?:night|day|late|early) "
        r"shift|long hours|on weekends)(?: .+)?)",
    ),
    rule("job", r"I am (?P<x>(?:un|self-)employed|retired|between jobs|jobless)(?: now)?(?: and .+)?"),
    rule(
        "workplace",
        r"I (?:have )?(?:just |recently )?(?:quit|left) my job (?:at|with) (?P<x>.+)",
        negated=True,
        past=True,
        flips=False,
        correction=True,
    ),
    rule("workplace", r"my (?:new |current )?job is (?:at|with) (?P<x>.+)"),
    rule(
        "workplace",
        rf"I have {ADV}(?:been working|worked|been) {ADV}(?:at|for) (?P<x>[\w'& ]{{2,30}}?) (?:for|since) "
        r"(?!fun|free).+",
        flips=False,
    ),
    rule(
        "workplace",
        rf"I (?:am )?{ADV}(?:work|working|intern|interning|employed) {ADV}(?:at|for|in|with|remotely for) "
        r"(?P<x>.+)",
    ),
    rule(
        "workplace",
        rf"I (?:have )?{ADV}(?:got (?:a|my) (?:new )?job|started (?:working|a new job|my new job|work)|"
        r"joined|got hired|landed a job|accepted a job|am starting|started) (?:at|with|for|by) "
        r"(?P<x>(?!\d|the (?:bottom|gym)|noon|school|home|least|first|once|midnight).+)|I (?:have "
        rf")?(?:just |recently |finally )?joined (?P<y>(?-i:[A-Z])[\w' ]{{1,20}})",
        past=True,
        flips=False,
    ),
    rule(
        "workplace",
        r"I (?:have )?(?:just |recently |finally )?quit (?P<x>(?-i:[A-Z])[\w']{1,20})",
        negated=True,
        past=True,
        flips=False,
        correction=True,
    ),
    rule("job", r"I (?:have )?(?:just |recently |finally )?(?P<x>retired)(?: .+)?", past=True, flips=False),
    rule(
        "school",
        rf"I {ADV}(?:go to|attend|am enrolled (?:at|in)|am studying at|study at|went to|graduated from) "
        r"(?P<x>.*(?:university|college|school|uni|institute|academy|MIT|UCLA|NYU|Harvard|Stanford|Oxford|"
        r"Cambridge|Yale|Princeton|Berkeley|Tsinghua).*)",
    ),
    rule("school", r"I (?:have )?(?:just |recently |finally )?graduated from (?P<x>.+)", past=True, flips=False),
    rule(
        "major",
        rf"I (?:am )?{ADV}(?:study|studying|major(?:ing)? in|majored in|doing (?:a|my) (?:degree|masters?|"
        r"phd|master's|bachelor's) in) (?P<x>(?!for\b|hard\b|at\b|abroad\b|tonight\b|today\b|all\b|with\b|"
        r"right\b|late\b|in\b|on\b|to\b|again\b|tomorrow\b).+?)",
    ),
    rule(
        "major",
        r"I (?:have )?(?:just |recently )?(?:changed|switched) (?:my )?majors?(?: from (?P<y>.+?))? to " r"(?P<x>.+)",
        past=True,
        flips=False,
        correction=True,
    ),
    rule("major", r"I (?:am )?(?:studying|training|in school) to (?:be|become) (?:an? )?(?P<x>.+)"),
    rule("major", r"my (?:major|degree) is (?:in )?(?P<x>.+)"),
    rule(
        "grade",
        rf"I am {ADV}(?:an? |in )?(?P<x>(?:my )?(?:first|second|third|fourth|final|last|senior|junior|"
        rf"freshman|sophomore)[ -]year(?: .+)?|(?:the )?\d{{1,2}}(?:st|nd|rd|th) grade|(?:high school|"
        rf"middle school|college|university|grad school|med school|law school)|{STUDENT}(?: (?:at|in|from) "
        r".+)?)",
    ),
    rule("identity", rf"I am {ADV}(?P<x>{IDENTITY})"),
    rule("identity", r"my pronouns are (?P<x>[\w/ ]{2,20})", whole=True),
    rule("identity", rf"I am (?:a )?(?P<x>{ZODIAC})|my (?:star |zodiac )?sign is (?P<c>{ZODIAC})"),
    rule(
        "body",
        rf"I am {ADV}(?P<x>(?:\d{{3}} ?cm|\d['′] ?\d{{1,2}}\S?|(?:\d|four|five|six|seven) ?(?:foot|feet|"
        rf"ft) ?(?:\d{{0,2}}|one|two|three|four|five|six|seven|eight|nine|ten|eleven)|1\.\d\d ?m)(?: "
        r"tall)?)",
    ),
    rule(
        "body",
        r"I have (?P<x>(?:(?:long|short|dark|light|natural|naturally) )?(?:blue|green|brown|hazel|red|"
        r"blond|blonde|black|curly|straight|wavy|grey|gray|dark)(?: \w+)? (?:eyes|hair)(?: and "
        r".{3,30}(?:eyes|hair|skin))?|freckles|braces|dimples)",
    ),
    rule(
        "trait",
        rf"I am {ADV}(?:such |more of )?(?:an? )?(?P<x>(?:{TRAIT})|{TRAIT_ADJECTIVE}(?: and " rf"{TRAIT_ADJECTIVE})?)",
    ),
)


HEALTH: tuple[Rule, ...] = (
    rule("allergy", rf"I am {ADV}allergic to (?P<x>.+)", many=True),
    rule(
        "allergy",
        r"I (?:have|got) (?:an? |some )?(?:bad |severe |mild |serious |nasty |terrible )?(?P<x>[\w "
        r"-]{2,24}) allerg(?:y|ies)",
        many=True,
    ),
    rule("allergy", r"I have (?:an? |some )?(?:bad |severe |serious )?allerg(?:y|ies) to (?P<x>.+)", many=True),
    rule("allergy", rf"I am {ADV}(?P<x>lactose|gluten|dairy|fructose)[ -]intolerant"),
    rule("diet", r"I am (?:currently )?on an? (?P<x>(?!strict\b)[\w-]+(?: [\w-]+)?) diet"),
    rule(
        "trait",
        r"I get (?P<x>(?:really |so |very |super |easily )*(?:anxious|nervous|dizzy|jealous|cranky|"
        r"homesick|lonely|overwhelmed|hangry|emotional|migraines|hives|sunburned|nauseous|claustrophobic|"
        r"distracted) (?:in|when|on|around|from|if|easily|a lot|really|at|after|before) ?.*)",
    ),
    rule(
        "trait",
        r"(?P<x>(?!it\b|this\b|that\b|you\b|he\b|she\b|they\b|everything\b|which\b|what\b|who\b|your\b|"
        r"talking to you\b)[\w' -]{3,30}?) (?:always |really )?makes? me (?:feel )?(?:so |really |very |a "
        r"bit )?(?:anxious|happy|sad|sick|jittery|nervous|sleepy|calm|uncomfortable|angry|cry|nauseous|"
        r"bloated|sneeze|itchy|dizzy|claustrophobic|emotional|hyper|gassy)",
    ),
    rule(
        "diet",
        rf"I (?:am|went|became|turned|have been|have gone|am going) {ADV}(?:an? )?(?P<x>{DIET})(?: (?:for|"
        rf"since|except|but) .+)?{END}",
    ),
    rule(
        "diet",
        rf"I {ADV}(?:don't|can't|never) {ADV}(?:eat|drink|have(?= (?:dairy|gluten|sugar|caffeine|alcohol|"
        r"meat|lactose|nuts|pork|beef|fish|seafood|eggs)\b)) (?P<x>(?!out\b|much\b|enough\b|that\b|"
        r"another\b|breakfast\b|lunch\b|dinner\b|anything\b|a\b|time\b|any (?:time|idea|friends|money|"
        r"clue|plans|experience|kids|pets?)\b).+)",
        negated=True,
        flips=False,
        many=True,
    ),
    rule(
        "health",
        r"I (?:have|have been diagnosed with|was diagnosed with|suffer from|am diagnosed with|got "
        rf"diagnosed with|deal with|struggle with) {ADV}(?:an? )?(?:mild |severe |bad |chronic |really bad "
        rf")?(?P<x>{ILLNESS})(?: .{{1,40}})?",
    ),
    rule(
        "health",
        r"I (?:get|have) (?P<x>(?:carsick|seasick|motion sick\w*|(?:really |very )?(?:bad|poor|terrible) "
        r"(?:eyesight|vision|hearing|memory|knees|back|circulation|teeth|asthma|allergies|posture))(?: "
        r".+)?)|I am (?P<y>hard of hearing(?: .+)?)",
    ),
    rule(
        "health",
        r"I am (?P<x>diabetic|type \d diabetic|asthmatic|epileptic|an(?:a)?emic|celiac|coeliac|bipolar|in "
        r"recovery|(?:\d+ (?:years|months) )sober|(?:\w+ )?(?:weeks|months) pregnant|pregnant|sober)",
    ),
)
