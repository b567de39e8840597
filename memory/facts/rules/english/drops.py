"""What disqualifies English speech: asked, imagined, reported, quoted, made up, or an order to the system."""

from __future__ import annotations

import re

from memory.facts.rules.english.grammar import pattern

SENTENCE_DROPS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("conditional", pattern(r"\b(?:if|unless|assuming|in case|as long as|otherwise|whether)\b")),
    (
        "hypothetical",
        pattern(
            r"\b(?:imagine|imagining|suppose|supposing|hypothetically|wish(?:ed)?(?! (?:me|us) (?:luck|well))|"
            r"what if|as though|let's say|^say i|theoretically|"
            r"in theory|in another life|in an alternate|daydream\w*|one day i|someday i|if only|i used to "
            r"think|i could be)\b"
        ),
    ),
    (
        "reported",
        pattern(
            r"\b(?:he|she|they|people|everyone|everybody|someone|somebody|nobody|(?:my|the|a|his|her|their|"
            r"our|this|some) (?!movie|film|book|story|song|show|novel|series)(?:[\w'-]+ ){0,2}[\w'-]+|"
            r"(?!that\b|which\b|it\b|this\b|and\b|also\b|have\b|had\b|has\b|never\b|always\b|you\b|who\b|be\b|"
            r"to\b)[A-Z]\w+)"
            r" (?:just |always |once |also |even |keeps |kept )?(?:said|says|say|saying|told|tells|tell|"
            r"thinks|think|thought|claims|claimed|"
            r"insists|insisted|asks|asked|believes|believed|texted|replied|wrote|writes|was like|were like|is "
            r"like|goes|went like|announced|mentioned|"
            r"complained|complains|swears|swore|joked|admitted|suggested|suggests|reckons|yelled|shouted|whispered)\b"
        ),
    ),
    (
        "reported",
        pattern(
            r"\b(?:according to|i (?:just )?(?:told|said|texted|replied|answered|heard|read (?:that|somewhere|"
            r"about|online)|overheard|was told|lied)\b|rumou?r|supposedly|"
            r"apparently|they say|quote|tell (?:him|her|them|everyone) )"
        ),
    ),
    (
        "quoted",
        pattern(
            r"\b(?:lyrics?|the song goes|sings?|singing|the line|the quote|quoting|a quote|proverb|as the "
            r"saying)\b.*[\ue000:]"
        ),
    ),
    (
        "fiction",
        pattern(
            r"\b(?:the|a) (?:main )?(?:character|protagonist|narrator|hero of)\b|"
            r"\b(?:in|from|of) (?:the|this|that|my|our|a) (?:\w+ )?(?:movie|film|book|novel|story|show|series|"
            r"episode|anime|manga|comic|game|"
            r"campaign|drama|play|fanfic|video|tale|myth|scene|chapter|simulation)\b(?= i\b| my\b|,|$)|"
            r"\b(?:in|playing) (?:minecraft|skyrim|the sims|"
            r"stardew(?: valley)?|animal crossing|genshin|gta|zelda|elden ring|d&d|dnd|roblox),? (?:i|my)\b|"
            r"\bin (?:minecraft|skyrim|the sims|"
            r"stardew(?: valley)?|animal crossing|genshin|gta|zelda|elden ring|d&d|dnd|roblox)\b"
        ),
    ),
    ("sarcasm", pattern(r"\b(?:yeah,? sure|sure,? jan|as if|said no one ever|not!)\b|/s\b")),
)


FRAME = pattern(
    r"^dear (?:sir|madam|mr|mrs|ms|dr|hiring|professor|team|all|customer)\b|\b(?:role "
    r"?-?play(?:ing)?\b(?! games?)|\brp\b|let's pretend|pretend (?:that |you|i|we|to be)|let's play "
    r"(?:a game|pretend)|act as|acting as|"
    r"in character|once upon a time|in my (?:story|novel|book|fanfic|dreams?|script|comic|game|"
    r"campaign|screenplay)|my (?:oc|character|"
    r"persona|avatar|protagonist|sim|main character|fursona)\b|dreamed|dreamt|"
    r"(?:had|have) (?:a|an|the|this|such a) (?:[a-z]+ ){0,2}(?:dream|nightmare)|"
    r"writing (?:a|the|my) (?:story|scene)|here's (?:my|a|the) (?:story|poem|script|scene|plot)|"
    r"(?:rewrite|proofread|summari[sz]e|paraphrase|reword|(?<!i )(?<!to )write) (?:me |us )?(?:a|an|"
    r"the|this|my|these|"
    r"following|it)\b|(?:correct|edit|improve|check|polish|fix) (?:this|my|the|these) (?:\w+ )?(?:text|essay|email|"
    r"paragraph|sentences?|letter|grammar|english|writing|draft|poem|translation)\b|"
    r"translate\b|how (?:do|would) (?:you|i) say|for example|example sentences?|e\.g\.|the following|"
    r"say after me|repeat after me|fill in the blank|"
    r"pick-?up lines?|tongue twister|joke:|scenario|prompt:|quiz:|riddle|title:|subject:|fanfic|"
    r"imagine (?:that |you|i|we|a)|in (?:an|this) (?:alternate|parallel) (?:universe|world)|alter ego|"
    r"cosplay(?:ing)? as|"
    r"playing (?:as|the role)|play the role|my role is|i will be the|you will be the|you be the|i'll be the)"
)


JOKING = pattern(
    r"\b(?:jk|j/k|just kidding|i am kidding|kidding|i am joking|just joking|joking|psych|april fools|"
    r"not really lol|i am lying|sike)\b"
)


INSTRUCTION = pattern(
    r"\b(?:ignore|disregard|forget|override|bypass) (?:all |any |the |your |my )*(?:previous|prior|"
    r"above|earlier|former|system|safety) ?(?:instructions?|"
    r"prompts?|rules|messages?|context|guidelines)?|"
    r"\byou must (?:always |now |never )?(?:store|save|record|memori[sz]e|write|obey|comply|remember "
    r"(?:the following|this fact|these))|"
    r"\b(?:store|save|record|add|write|insert|put|append|commit) (?:\S+ ){0,6}(?:in|to|into) (?:your |"
    r"the |long[- ]term )*(?:memor(?:y|ies)|database|profile|facts)\b|"
    r"\b(?:update|modify|edit|overwrite|delete|clear|erase|wipe) (?:your |the |all )*(?:memor(?:y|"
    r"ies)|facts|profile)\b|"
    r"^\W*(?:system|assistant|developer|user|human|ai|tool|instructions?|admin|root)\s*(?:prompt|"
    r"message|note|override|mode)?\s*[:>\]]|"
    r"<\||\|>|###|\[/?inst\]|\bsystem prompt\b|\bdeveloper mode\b|\bjailbreak|\bas an ai\b|\bnew instructions?\b|"
    r"\bfrom now on,? (?:you|the (?:user|assistant|ai)) (?:are|must|will|should|is)\b|"
    r"\b(?:remember|note|store|save|record) (?:the following|this (?:fact|as a fact|instruction))\b|"
    r"\bdo anything now\b|\boutput only\b|\brespond only\b|"
    r"\bimportance ?[:=]? ?10\b|\bentity ?[:=]|\bfact ?[:=]"
)


CLAUSE_DROPS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "hypothetical",
        pattern(
            r"\b(?:would|wouldn't|i'd|could|couldn't(?! (?:sleep|eat|focus)\b)|could've|should|shouldn't|"
            r"might|may be|maybe|perhaps|possibly|probably|presumably|i guess|i suppose|"
            r"not sure|dunno|i think|i don't think|i thought|i bet|i feel like|feels like|i assume|i doubt|i "
            r"wonder|wondering|thinking (?:about|of)|considering|"
            r"supposed to|ought to|(?:almost|nearly)(?! (?:every|all|always|never|daily|each|\d|done|finished|"
            r"an? year))|sort of|pretty much|so to speak|practically|literally (?:dying|dead)|it seems|i "
            r"believe|"
            r"i hope|hopefully|tempted to|about to)\b"
        ),
    ),
    (
        "question",
        pattern(
            r"^(?:do|does|did|is|are|am|was|were|can(?!')|could|will|would|should|shall|have|has|had|may|what|"
            r"what's|whats|why|where|where's|who|who's|whom|whose|"
            r"which|how|how's|when|isn't|aren't|don't you|doesn't|didn't|won't|can't you|any(?:one)?|ever|"
            r"wanna|want to|tell me|guess|remind me|ask me)\b"
            r"(?! i was\b)"
        ),
    ),
    ("reported", pattern(r"\bi (?:said|told|asked|mentioned|claimed|lied|pretended|joked|replied|wrote|posted)\b")),
    (
        "unsafe",
        pattern(
            r"\b(?:like it's|like there's no|for the win|forever and a day|in a past life|inside joke|"
            r"metaphorically|figuratively|deep down)\b"
        ),
    ),
)
