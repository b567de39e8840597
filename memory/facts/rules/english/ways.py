"""English statements about skills, wishes and what one does and no longer does."""

from __future__ import annotations

from memory.facts.rules.english.grammar import ADV, rule
from memory.facts.rules.english.words import LANGUAGE, OCCUPATION
from memory.facts.rules.rule import Rule

WAYS: tuple[Rule, ...] = (
    rule(
        "skill",
        rf"I (?:can {ADV}|am able to )(?P<x>(?:speak|play|cook|bake|swim|drive|sing|draw|paint|dance|code|"
        r"program|ski|skate|skateboard|surf|ride|juggle|whistle|knit|sew|touch[- ]type|type \d+|write "
        r"(?:code|python|songs|poetry|music|calligraphy|chinese|japanese)|read (?:music|tarot|sheet music|"
        r"lips|hebrew|arabic|chinese|japanese|korean)|do (?:a|the|magic|karate|handstands?|splits|"
        r"cartwheels?|yoga|calligraphy|backflips?|\d+|pull-?ups|push-?ups)|solve (?:a|the|rubik)|make "
        r"(?:pasta|bread|cocktails|sushi|dumplings|jewelry|furniture|origami|pottery)|understand "
        r"(?:spanish|french|german|japanese|korean|chinese|sign language)|parallel park|beatbox|crochet|"
        r"rap|bench|hold my breath|drive stick|tap dance)(?: .+)?)",
    ),
    rule(
        "skill",
        rf"I {ADV}(?:know|have known) how to (?P<x>(?:swim|drive|cook|bake|play|ride|sew|knit|code|program|"
        r"dance|ski|surf|skate|sing|draw|paint|juggle|whistle|fly|sail|shoot|weld|type|make \w+|speak \w+|"
        r"fix \w+)(?: .+)?)",
    ),
    rule(
        "skill",
        rf"I {ADV}(?:speak|am fluent in|understand) (?P<x>{LANGUAGE}(?:,? (?:and|,|but not|plus) "
        rf"{LANGUAGE})*)(?: (?:fluently|natively|well|at home|poorly|pretty well|too|since .+|with .+))?",
        many=True,
    ),
    rule(
        "skill",
        rf"I {ADV}(?:play|have been playing|have played) (?P<x>(?:the )?(?:(?:bass|acoustic|electric|"
        r"classical|lead) )?(?:guitar|piano|violin|cello|drums?|flute|ukulele|bass|saxophone|sax|trumpet|"
        r"harp|clarinet|viola|keyboard|harmonica|erhu|guzheng|chess|tennis|badminton|football|soccer|"
        r"basketball|volleyball|baseball|golf|hockey|rugby|cricket|ping pong|table tennis|go)(?: (?:and|"
        r",) .+)?)(?: (?:in|for|since|at|with|every|on|competitively|professionally|a little|a bit) ?.*)?",
    ),
    rule("skill", rf"I am {ADV}(?:good|great|decent|amazing|skilled|talented) (?:at|with) (?P<x>.+)"),
    rule(
        "skill",
        rf"I (?:am {ADV}(?:terrible|bad|awful|horrible|hopeless|the worst) (?:at|with)|{ADV}suck at) " r"(?P<x>.+)",
        negated=True,
        flips=False,
    ),
    rule("skill", r"I have a (?P<x>(?:black|brown|green|blue|purple) belt in .+)"),
    rule(
        "skill",
        rf"I {ADV}know (?P<x>{LANGUAGE}|sign language|asl|bsl|morse code|karate|kung fu|judo|python|"
        r"javascript|java|rust|calligraphy|first aid|cpr)(?: .+)?",
    ),
    rule("skill", rf"I {ADV}(?:can )?speak \w+ languages?[:,]? (?:which are |including )?(?P<x>.+)"),
    rule("skill", r"I (?:have )?never (?:learned|learnt) (?:how )?(?:to )?(?P<x>.+)", negated=True, flips=False),
    rule(
        "learning",
        rf"I am {ADV}(?:taking|doing) (?:an? )?(?P<x>[\w ]{{2,24}}) (?:lessons?|class(?:es)?|course)(?: " r".+)?",
        flips=False,
    ),
    rule(
        "learning",
        rf"I (?:am|have been) {ADV}(?:learning|teaching myself|trying to learn|taking (?:lessons|classes) "
        r"in|self-studying) (?:how to |to )?(?P<x>(?!a (?:ton|lot)|so much|with|about|that|from|more|"
        r"things|as\b|the (?:ropes|hard)|every|something|new things).+)",
        flips=False,
    ),
    rule(
        "learning",
        rf"I (?:have )?{ADV}(?:started|began|begun) (?:learning|studying|to learn|taking) (?:how to |to "
        r")?(?P<x>.+)",
        past=True,
        flips=False,
    ),
    rule("wish", r"one of my (?:biggest )?(?:goals|dreams) (?:this year )?is to (?P<x>.+)", flips=False),
    rule(
        "wish",
        r"my (?:biggest |ultimate |main |childhood |life )*(?:dream|goal|ambition|aspiration|new year's "
        r"resolution|resolution)(?: this year| right now| job| in life| (?:for|of) (?:this|next|the) "
        r"year)? (?:is|has always been) (?:to )?(?P<x>.+)",
        flips=False,
    ),
    rule(
        "wish",
        rf"I (?:{ADV}want|have always wanted|have always dreamed of|dream of|hope one day|would love|"
        r"aspire) (?:to )?(?P<x>(?:learn|become|be an? (?!better|good|bit|lot|little)|visit(?:ing)? "
        r"(?!you)|travel(?:ing)?|study(?:ing)? (?!for)|open(?:ing)? (?:a|my)|start(?:ing)? (?:a|my)|write "
        r"(?:a|my)|own (?:a|my)|live in|living in|move to|moving to|adopt(?:ing)? a|get a (?:dog|cat|"
        r"puppy|kitten|tattoo|phd|master|degree|new job)|quit (?:smoking|my|drinking)|lose (?:weight|\d)|"
        r"run a marathon|go to (?:japan|\w+ university|college|grad school|med school|law school|space)|"
        r"buy (?:a|my own) (?:house|car|home|flat)).*)",
        flips=False,
    ),
    rule(
        "habit",
        rf"I (?:don't|no longer) {ADV}(?P<x>(?:drink|smoke|vape|gamble|drive|cook|wear|watch|use|play|"
        r"sleep|go out|work out|exercise|party|swear|celebrate|read|take|do)(?: .+)?)",
        negated=True,
        flips=False,
    ),
    rule(
        "habit",
        r"I (?:have )?(?:just |finally |recently )?(?:quit|stopped|gave up|given up|have quit) "
        r"(?P<x>(?:smoking|drinking|vaping|gambling|eating \w+|coffee|alcohol|sugar|caffeine|social media|"
        r"soda)(?: .+)?)",
        negated=True,
        past=True,
        flips=False,
        correction=True,
    ),
    rule("home", r"I used to live (?:in|at|near) (?P<x>.+)", negated=True, past=True, flips=False, correction=True),
    rule("workplace", r"I used to work (?:at|for) (?P<x>.+)", negated=True, past=True, flips=False, correction=True),
    rule(
        "job",
        rf"I used to (?:work as|be) (?:an? )?(?P<x>{OCCUPATION})",
        negated=True,
        past=True,
        flips=False,
        correction=True,
    ),
    rule(
        "habit",
        r"I used to (?P<x>(?:drink|smoke|vape|play|swim|run|dance|work out|go|do|read|watch|collect|write|"
        r"draw|paint|sing|skate|ski|practice|be|have|wear|eat)(?: .+)?)",
        negated=True,
        past=True,
        flips=False,
        correction=True,
    ),
    rule(
        "habit",
        rf"I {ADV}(?P<x>(?:collect|practi[cs]e|restore|breed|grow|wear|smoke|vape|foster|volunteer|blog|vlog|journal|"
        r"meditate|do yoga|do pilates|garden|bike|cycle|commute|walk|drive|take the (?:bus|train|subway|"
        r"tube)|"
        r"make (?:music|videos|candles|jewelry|pottery|furniture|clothes|games|beats|bread|my own .+|"
        r"youtube .+|podcasts?)|write (?:poetry|poems|fiction|songs|novels|stories|short stories|music|"
        r"fanfic\w*|a blog|for .+)|"
        r"drink (?:(?:way )?too much|a lot of|lots of|only|mostly|black|decaf|tons of)? ?\w+|eat "
        r"(?:(?:way )?too much|a lot of|lots of|only|mostly|tons of)? ?\w+|paint|draw|knit|crochet|sew|"
        r"bake|bird ?watch|speedrun|cosplay|thrift|upcycle|listen to|watch(?= (?:anime|kdramas|horror|"
        r"football|sports|f1|cartoons|documentaries|youtube|twitch|\w+ (?:movies|shows|videos|dramas|"
        r"games)))|play(?! (?:along|dumb|it\b|with\b|the (?:victim|part|role)|a (?:part|role|game)|games? "
        r"with|fair|safe|nice|hard)\b)|read(?= (?:a lot|lots|tons|mostly|mainly|fantasy|sci-fi|manga|"
        r"novels|books|poetry|comics|romance|thrillers|every|before|\w+ (?:novels|books|comics))))(?! "
        r"?(?:away|off|out|you|it|them|him|her|this|that|up to you|the line|home now)\b)(?: (?!you\b|it\b|"
        r"this\b|that\b|them\b|him\b|her\b).+)?)",
        flips=False,
    ),
    rule(
        "event",
        r"I have never (?:actually |ever )?(?P<x>(?!said|thought|met you|felt|heard|been (?:so|more|"
        r"better|happier|this)|understood|known|realized|told|asked|loved|wanted|seen (?:you|it|this|that|"
        r"anything|such)|liked)\w+ (?!it\b|that\b|this\b|them\b|you\b|so\b|such\b|anything\b).+)",
        negated=True,
        flips=False,
        past=True,
    ),
    rule(
        "event",
        r"I have (?:read|seen|watched|played|finished|beaten|visited) (?P<x>(?:all|every|most|both|half) " r".+)",
        flips=False,
        past=True,
    ),
    rule("event", r"I was an? (?P<x>[\w -]{3,30}) for (?:\w+) (?:years|months)", flips=False, past=True),
    rule(
        "habit",
        r"I have (?P<x>(?:mon|tues|wednes|thurs|fri|satur|sun)days? off)|(?P<y>(?:mon|tues|wednes|thurs|"
        r"fri|satur|sun)days?) (?:is|are) my days? off",
    ),
    rule("work", r"I (?:earn|make) (?P<x>(?:about |around |roughly )?[$£€]?\d[\d,.]*k?(?: .+)?)"),
    rule(
        "event",
        r"I have (?P<n1>never )?(?:actually |already |only )?(?P<x>(?:been (?:to|on|abroad|skiing|"
        r"skydiving|scuba|camping|hiking)|visited|travell?ed to|lived in|lived abroad|tried|eaten|ridden|"
        r"flown|had (?=covid|surgery|chicken)|broken|run a|climbed|owned|watched|seen (?=snow|the "
        r"(?:ocean|sea|northern|eiffel)))(?: (?!it\b|that\b|this\b|them\b|there\b|everything|you\b).+)?)",
        flips=False,
        past=True,
    ),
    rule("event", r"my (?:wedding )?anniversary (?:is|falls) (?:on )?(?P<x>.+)", flips=False),
)
