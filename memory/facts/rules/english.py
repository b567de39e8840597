"""From an English sentence to clauses the rules can read."""

from __future__ import annotations

import re

from memory.facts.rules.clause import Clause
from memory.facts.rules.english_words import KIN, PEOPLE
from memory.facts.rules.when_english import MONTH, WEEKDAY

LONGEST_CLAUSE = 200


def _re(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_SPELLINGS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (_re(rf"(?<![\w'])(?:{pattern})(?![\w'])"), plain)
    for pattern, plain in (
        (r"i'?m|iam", "I am"), (r"i'?ve", "I have"), (r"i'll", "I will"), (r"ill(?= (?:be|go|have|try|visit|start))", "I will"),
        (r"(?<=my )names?'s|(?<=my )names(?= [a-z])|^names(?= [a-z]+)|^name's", "name is"), (r"(?<=my )birthday's", "birthday is"), (r"tomorrow's(?= my)", "tomorrow is"), (r"its(?= my)|it's(?= my)", "it is"), (r"(my (?:\w+ )?\w+)'s(?= (?:called|named|getting|moving|having|visiting|coming|going|turning|an?|from|pregnant|sick|allergic|vegan|in (?:college|the hospital|town)) )", r"\1 is"),
        (r"dont|don't|do not", "don't"), (r"doesnt|does not", "doesn't"), (r"didnt|did not", "didn't"),
        (r"cant|can not|cannot", "can't"), (r"wont|will not", "won't"), (r"isnt", "isn't"), (r"arent", "aren't"),
        (r"wasnt", "wasn't"), (r"couldnt", "couldn't"), (r"wouldnt", "wouldn't"), (r"shouldnt", "shouldn't"), (r"havent|have not", "haven't"), (r"hasnt", "hasn't"), (r"thats", "that's"),
        (r"gonna|gunna", "going to"), (r"wanna", "want to"), (r"gotta", "have to"),
        (r"i am going to|im going to", "I am going to"), (r"hafta", "have to"), (r"u", "you"), (r"ur", "your"),
        (r"luv", "love"), (r"realy|rlly|rly", "really"), (r"alergic|allergick|alergic", "allergic"),
        (r"vegeterian|vegitarian", "vegetarian"), (r"bday|b-day|birtday", "birthday"),
        (r"fav|fave|favorit|favrite|favourit|favorite|favourite", "favourite"),
        (r"tomorow|tommorow|tommorrow|tmrw?|2moro", "tomorrow"), (r"yday", "yesterday"),
        (r"coz|cuz|cos|bc|cause", "because"), (r"n|&", "and"), (r"rn", "right now"), (r"w/", "with"),
        (r"any more|any longer", "anymore"), (r"atm", "at the moment"), (r"favourites", "favourites"),
        (r"prolly|probs", "probably"), (r"nd", "and"), (r"thru", "through"), (r"i have got", "I have"),
        (r"i have gotten", "I got"), (r"i d", "I would"),
    )
)
_NOT_TAIL = _re(r"^(.{8,}?) (?:and )?not (?:an? |the |in |at |on |as an? |from )?(?!only|really|just|sure|even|yet|much|very|that|so|to|too|gonna|going|be|have|a lot|because|for|with|like|anymore|well|eat|drink|in)[\w']{1,20}(?: [\w']{1,12})?$")
_FILLER = _re(
    r"(?:(?:well|so|ok(?:ay)?|oh+|ah+|yeah|yea|yes|yep|yup|no+|nah|nope|hey+|hi+|hello|heyy+|um+|uh+|hm+|er+m*|honestly|"
    r"tbh|ngl|fyi|btw|by the way|also|and|but|anyways?|lol|lmao|haha+|hehe+|actually|in fact|to be (?:honest|fair|clear)|"
    r"fun fact|just so you know|jsyk|you know|you know what|as (?:i|you) (?:said|know)|like i (?:said|told you)|i mean|guess what|omg|omfg|"
    r"ugh+|argh+|aw+|wow|damn|man|dude|bro|girl|plus|besides|since|because|then|so yeah|oh and|oh btw|speaking of which|the thing is|thing is|"
    r"truth is|the truth is|you see|see|look|listen|good news|big news|bad news|great news|update|psa|for the record|"
    r"as for me|personally|for me|me|thanks|thank you|sorry|sadly|unfortunately|luckily|thankfully|finally|basically|obviously|"
    r"though|although|tho|even though|while|yet|or|also fyi|nice|cool|great|good question|same|true|right|exactly|about me|first of all|secondly|"
    r"i have to (?:say|admit)|i must (?:say|admit)|i should (?:mention|say)|i forgot to (?:mention|say|tell you)(?: that)?|"
    r"did i mention(?: that)?|did you know(?: that)?|i (?:just )?want(?:ed)? (?:you to know|to (?:say|tell you|mention|share))(?: that)?|"
    r"let me tell you|(?:please )?(?:just )?note that|turns out(?: that)?|i(?: am|'m) (?:happy|glad|proud|excited|sad|sorry) to say(?: that)?|"
    r"i (?:can )?(?:proudly )?(?:confess|admit)(?: that)?|the fact is(?: that)?)[,:!. -]*(?: |$))"
)
_CHANGE_HEAD = _re(
    r"^(?:no+|nope|nah|wait|oops|actually|correction|sorry|my bad|in fact|i lied|scratch that|i meant|to correct (?:that|myself)|"
    r"i changed my mind|(?:that's|thats) (?:not right|wrong|not true|outdated|old)|not true|wrong|not anymore|update|"
    r"you(?: have|'ve)? got (?:it|that) wrong|things (?:have )?changed)\b[,:!. -]*"
)
_CHANGE_INSIDE = _re(r"\b(?:actually|anymore|no longer|instead|changed my mind|these days now|not .{1,40} but|used to|nowadays)\b")
_NOW = _re(r"\b(?:now|nowadays)\b")

_SUBJECT = (
    r"(?:i|i'd|my|we|you|your|he|she|they|it|it's|that|that's|this|these|there|there's|the|his|her|their|our|someone|"
    r"everyone|people|who|which|what|where|why|how|when|please|do|does|don't|is|are|can|could|would|will|let's|not|"
    r"remember|call)\b"
)
_JOINED = "\ue003I"   # the "I" of "my sister and I", hidden from the search for a new clause
_AND_I = _re(rf"\bmy (?:{KIN}|{PEOPLE})(?: (?-i:[A-Z])\w+)? and I(?= )")
_STRONG_BREAK = _re(r"\s*(?:\s[-–—]+\s|—|;|\s\.\s|:\s(?=i |my ))\s*")
_JOINT = _re(
    r",?\s+(?:and|but|so|because|since|although|though|while|whereas|yet|plus|then|also|or|that's why|which is why)\s+"
    r"(?:also |now |then |so |that )?(?=(?:i|my|we|you|he|she|they|it|it's|that's|this|there|our|your|his|her|their|everyone|everybody|people|call me)\b)"
)
_BECAUSE = _re(r"\s+because\s+(?!of\b)")
_RUN_ON = _re(r"(?<=\w)\s+(?=(?:I am|I have|I live|I work|I love|I like|I hate|I study|I will|I don't|I can't|I just|my name is|my birthday is|call me)\b)")
_OWN_START = _re(r"^(?:(?!maybe|perhaps|guess|hope|wish|think|if|say)[\w']+,? ){0,2}(?:I|my)\b")
_COMMA = re.compile(r"\s*,\s*")
_VP_HEAD = _re(r"^I (?:am|live|work|study|have|love|like|hate|own|speak|moved|don't|was born|got|enjoy|just|teach|graduated|prefer|adopted|bought)\b")
_VP_JOINT = _re(
    r"\s+(?:and|but)\s+(?:also |now |currently |then )?(?=(?:am|work|live|study|have|hate|own|speak|moved|started|adopted|bought|quit|got|went|"
    r"don't|can't|never|always|usually|was|can|will|enjoy|love|prefer|teach|just|recently|absolutely|really)\b)"
)
_VP_PIECE = _re(
    r"^(?:also |now |currently |and |but )*(?:live|work|study|have|love|hate|own|speak|moved|born and raised|originally from|"
    r"allergic to|from|enjoy|don't|can't|got|adopted|bought|started|quit|usually|always|never|teach|play|prefer)\b"
)
_LEFT_OUT: tuple[tuple[re.Pattern[str], str], ...] = (
    (_re(r"^(?:(?:just|finally|recently|already|literally just) )*(?:moved|adopted|bought|got(?! it\b| you\b| that\b| this\b| to\b| any\b| a (?:minute|sec|question|point)\b)|"
         r"started|finished|passed|failed|graduated|quit|broke (?:my|up)|lost my|won|went to|visited|joined|signed up|switched|used to|had (?:a|an|my|some)|ate|cooked|baked|"
         r"ran|saw|watched|met|tried|spent|grew up|dropped out|turned \d|landed|booked) "), "I"),
    (_re(r"^been (?:really |so |super |kinda |pretty |a bit |quite )*(?:\w{2,}ing\b|sick\b|stressed|anxious|depressed|busy with|obsessed|into|single|married|sober|vegan|vegetarian)"), "I have"),
    (_re(r"^(?:(?:currently|now|still|also) )*(?:allergic to|watching|rewatching|not (?:really )?(?:an? |into)|leaving|starting|having|getting|seeing|meeting|taking|originally from|from (?=[A-Z])|vegan\b|vegetarian\b|married\b|engaged\b|learning|studying|working (?:as|at|for)|living in|"
         r"based in|reading|flying|going to (?!bed|sleep|be|go)|moving|visiting|turning \d|getting (?:married|surgery)|training for|afraid of|terrified of)"), "I am"),
    (_re(r"^(?:huge |big |massive )?fan of "), "I am a"),
    (_re(r"^name is [a-z]"), "my"),
    (_re(r"^born (?:in|on|and raised)"), "I was"),
    (_re(r"^(?:absolutely |really |kinda |also )*(?:love|hate|can't (?:stand|eat|drink|have|swim|drive)|don't (?:like|eat|drink|smoke))(?! you\b| ya\b| u\b| it\b| this\b| that\b| how\b| when\b| to see\b| him\b| her\b)"), "I"),
)
_ITEM = re.compile(r"^(?:and |or |& )?[\w'\ue000\ue001 -]{1,40}$", re.IGNORECASE)
_LIST_END = _re(r"(?:^|\s)(?:and|or) ")
_PRONOUN = _re(r"\b(?:i|my|we|you|he|she|it|they|is|are|am|was|that|this|me)\b")
_PLACE_LEFT = _re(r"\b(?:live|living|reside|residing|from|moved|born|grew up|based|move|moving|raised|home)\b.{0,60}$")
_PLACE_RIGHT = re.compile(r"^[A-Z][\w.]{1,20}(?: [A-Z][\w.]{1,20})?$")
_THING = r"(?:the|every|all|any|that|those|what|how|anything|everything|people|someone)"
_RELATIVE = _re(rf"\b{_THING}\b[^,]*$")

TIME_LEAD = (
    r"(?:yesterday(?: (?:morning|afternoon|evening|night))?|today|tonight|tomorrow(?: (?:morning|afternoon|evening|night))?|"
    r"last night|this (?:morning|afternoon|evening|week|month|year|weekend|summer|winter|spring|fall|autumn)|"
    rf"(?:next|last|this|on|this past|this coming) {WEEKDAY}(?: (?:morning|afternoon|evening|night))?|"
    r"(?:next|last) (?:week|month|year|weekend|night|summer|winter|spring|fall|autumn)|"
    r"(?:(?:a|an|one|two|three|four|five|six|ten|\d{1,3}|a few|a couple(?: of)?|several) (?:minute|hour|day|week|month|year)s? ago)|"
    r"in (?:a|an|one|two|three|four|five|six|ten|\d{1,3}|a few|a couple(?: of)?) (?:minute|hour|day|week|month|year)s?(?:'? time)?|"
    rf"(?:in|since) (?:{MONTH}|(?:19|20)\d\d)(?: (?:19|20)\d\d)?|on {MONTH} \d{{1,2}}(?:st|nd|rd|th)?|the other day|"
    r"lately|recently|these days|nowadays|right now|currently|now|at the moment|for the past \w+ \w+|"
    r"every (?:single )?(?:day|morning|night|evening|week|weekend|month|year|summer|winter|monday|tuesday|wednesday|thursday|"
    r"friday|saturday|sunday)|on (?:weekends|weekdays|the weekends?|my days off|mondays|tuesdays|wednesdays|thursdays|fridays|"
    r"saturdays|sundays)|in the (?:mornings?|evenings?)|most (?:days|mornings|nights|evenings|weekends)|sometimes|usually|normally|"
    r"after work|before bed|in my free time|in my spare time|the day (?:before yesterday|after tomorrow))"
)
_LEAD_ONLY = _re(rf"^{TIME_LEAD}$")
_NAME_CALL = _re(r"^[a-z][\w]{1,15}$")

SENTENCE_DROPS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("conditional", _re(r"\b(?:if|unless|assuming|in case|as long as|otherwise|whether)\b")),
    ("hypothetical", _re(
        r"\b(?:imagine|imagining|suppose|supposing|hypothetically|wish(?:ed)?(?! (?:me|us) (?:luck|well))|what if|as though|let's say|say i|theoretically|"
        r"in theory|in another life|in an alternate|daydream\w*|one day i|someday i|if only|i used to think|i could be)\b")),
    ("reported", _re(
        r"\b(?:he|she|they|people|everyone|everybody|someone|somebody|nobody|(?:my|the|a|his|her|their|our|this|some) (?:[\w'-]+ ){0,2}[\w'-]+|[A-Z]\w+)"
        r" (?:just |always |once |also |even |keeps |kept )?(?:said|says|say|saying|told|tells|tell|thinks|think|thought|claims|claimed|"
        r"insists|insisted|asks|asked|believes|believed|texted|replied|wrote|writes|was like|were like|is like|goes|went like|announced|mentioned|"
        r"complained|complains|swears|swore|joked|admitted|suggested|suggests|reckons|yelled|shouted|whispered)\b")),
    ("reported", _re(r"\b(?:according to|i (?:just )?(?:told|said|texted|replied|answered|heard|read (?:that|somewhere|about|online)|overheard|was told|lied)\b|rumou?r|supposedly|"
                     r"apparently|they say|quote|tell (?:him|her|them|everyone) )")),
    ("quoted", _re(r"\b(?:lyrics?|the song goes|sings?|singing|the line|the quote|quoting|a quote|proverb|as the saying)\b.*[\ue000:]")),
    ("fiction", _re(
        r"\b(?:in|from|of) (?:the|this|that|my|our|a) (?:\w+ )?(?:movie|film|book|novel|story|show|series|episode|anime|manga|comic|game|"
        r"campaign|drama|play|fanfic|video|tale|myth|scene|chapter|simulation)\b(?= i\b| my\b|,|$)|\b(?:in|playing) (?:minecraft|skyrim|the sims|"
        r"stardew(?: valley)?|animal crossing|genshin|gta|zelda|elden ring|d&d|dnd|roblox),? (?:i|my)\b|\bin (?:minecraft|skyrim|the sims|"
        r"stardew(?: valley)?|animal crossing|genshin|gta|zelda|elden ring|d&d|dnd|roblox)\b")),
    ("sarcasm", _re(r"\b(?:yeah,? sure|sure,? jan|as if|said no one ever|not!)\b|/s\b")),
)
FRAME = _re(
    r"\b(?:role ?-?play(?:ing)?\b(?! games?)|\brp\b|let's pretend|pretend (?:that |you|i|we|to be)|let's play (?:a game|pretend)|act as|acting as|"
    r"in character|once upon a time|in my (?:story|novel|book|fanfic|dreams?|script|comic|game|campaign|screenplay)|my (?:oc|character|"
    r"persona|avatar|protagonist|sim|main character|fursona)\b|(?:the|a) (?:main )?(?:character|protagonist|narrator)\b|dreamed|dreamt|"
    r"(?:had|have) (?:a|an|the|this|such a) (?:[a-z]+ ){0,2}(?:dream|nightmare)|"
    r"writing (?:a|the|my) (?:story|scene)|here's (?:my|a|the) (?:story|poem|script|scene|plot)|"
    r"(?:write|rewrite|translate|proofread|summari[sz]e|paraphrase|correct|edit|improve|reword) (?:me |us )?(?:a|an|the|this|my|these|following|it|in)\b|"
    r"translate\b|how (?:do|would) (?:you|i) say|for example|example sentences?|e\.g\.|the following|say after me|repeat after me|fill in the blank|"
    r"pick-?up lines?|tongue twister|joke:|scenario|prompt:|quiz:|riddle|title:|subject:|fanfic|"
    r"imagine (?:that |you|i|we|a)|in (?:an|this) (?:alternate|parallel) (?:universe|world)|alter ego|cosplay(?:ing)? as|"
    r"playing (?:as|the role)|play the role|my role is|i will be the|you will be the|you be the|i'll be the)"
)
JOKING = _re(r"\b(?:jk|j/k|just kidding|i am kidding|kidding|i am joking|just joking|joking|psych|april fools|not really lol|i am lying|sike)\b")
INSTRUCTION = _re(
    r"\b(?:ignore|disregard|forget|override|bypass) (?:all |any |the |your |my )*(?:previous|prior|above|earlier|former|system|safety) ?(?:instructions?|"
    r"prompts?|rules|messages?|context|guidelines)?|"
    r"\byou must (?:always |now |never )?(?:store|save|record|memori[sz]e|write|obey|comply|remember (?:the following|this fact|these))|"
    r"\b(?:store|save|record|add|write|insert|put|append|commit) (?:\S+ ){0,6}(?:in|to|into) (?:your |the |long[- ]term )*(?:memor(?:y|ies)|database|profile|facts)\b|"
    r"\b(?:update|modify|edit|overwrite|delete|clear|erase|wipe) (?:your |the |all )*(?:memor(?:y|ies)|facts|profile)\b|"
    r"^\W*(?:system|assistant|developer|user|human|ai|tool|instructions?|admin|root)\s*(?:prompt|message|note|override|mode)?\s*[:>\]]|"
    r"<\||\|>|###|\[/?inst\]|\bsystem prompt\b|\bdeveloper mode\b|\bjailbreak|\bas an ai\b|\bnew instructions?\b|"
    r"\bfrom now on,? (?:you|the (?:user|assistant|ai)) (?:are|must|will|should|is)\b|"
    r"\b(?:remember|note|store|save|record) (?:the following|this (?:fact|as a fact|instruction))\b|\bdo anything now\b|\boutput only\b|\brespond only\b|"
    r"\bimportance ?[:=]? ?10\b|\bentity ?[:=]|\bfact ?[:=]"
)
CLAUSE_DROPS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("hypothetical", _re(
        r"\b(?:would|wouldn't|i'd|could|couldn't(?! (?:sleep|eat|focus)\b)|could've|should|shouldn't|might|may be|maybe|perhaps|possibly|probably|presumably|i guess|i suppose|"
        r"not sure|dunno|i think|i don't think|i thought|i bet|i feel like|feels like|i assume|i doubt|i wonder|wondering|thinking (?:about|of)|considering|"
        r"supposed to|ought to|(?:almost|nearly)(?! (?:every|all|always|never|daily|each|\d|done|finished|an? year))|sort of|pretty much|so to speak|practically|literally (?:dying|dead)|it seems|i believe|"
        r"i hope|hopefully|tempted to|about to)\b")),
    ("question", _re(
        r"^(?:do|does|did|is|are|am|was|were|can(?!')|could|will|would|should|shall|have|has|had|may|what|what's|whats|why|where|where's|who|who's|whom|whose|"
        r"which|how|how's|when|isn't|aren't|don't you|doesn't|didn't|won't|can't you|any(?:one)?|ever|wanna|want to|tell me|guess|remind me|ask me)\b"
        r"(?! i was\b)")),
    ("reported", _re(r"\bi (?:said|told|asked|mentioned|claimed|lied|pretended|joked|replied|wrote|posted)\b")),
    ("unsafe", _re(r"\b(?:like it's|like there's no|for the win|forever and a day|in a past life|inside joke|metaphorically|figuratively|deep down)\b")),
)
_ASK_TAIL = _re(
    r"^(?:and |but |so )?(?:what about|how about|and you|wbu|hbu|you|u|do you|have you|are you|were you|can you|could you|would you|will you|did you|"
    r"what|how|where|when|who|which|why|any |is there|are there|know any|got any|ever |should i|is it|is that|can we|shall we|want to|do we|does that|isn't it cool|isn't he|isn't she)\b"
)
_SOFT_TAIL = _re(r"^(?:ok(?:ay)?|k|alright|got it|deal|please|yeah|cool|will you|can you|would you)$")
REMEMBER = _re(
    r"^(?:please |pls |plz |can you |could you |you (?:should|need to|have to|must|can) |i (?:want|need|would like|'d like) you to |just )*"
    r"(?:(?:don't(?: you)?|never) forget|remember|keep in mind|bear in mind|note down|make a note|take note|make sure (?:you |to )*remember)"
    r"(?: for me| this| please)?(?: that|:|,|\s?-)?\s+(?!to\b|when\b|how\b|the time\b|what\b|why\b|who\b|where\b|us\b|me$|me\b|you\b)"
)


def normalise(text: str) -> str:
    """Contractions and chat spellings in their plain form; the words otherwise as spoken."""
    for pattern, spelled in _SPELLINGS:
        text = pattern.sub(spelled, text)
    return " ".join(re.sub(r"(?<![\w'])i(?![\w'])", "I", text).split())


def split_asked(text: str) -> tuple[str, bool] | None:
    """Of a sentence that ends in a question, the part that was told before; and whether the question only softens it.

    None when all of it is asked.
    """
    pieces = _COMMA.split(_STRONG_BREAK.sub(", ", text))
    if len(pieces) > 1 and _SOFT_TAIL.match(pieces[-1]):
        return ", ".join(pieces[:-1]), True
    for at in range(1, len(pieces)):
        if _ASK_TAIL.match(pieces[at]):
            return ", ".join(pieces[:at]), False
    joined = re.split(r"\s+(?:and|but|so)\s+(?=(?:you\b|what|how|do you|have you|are you|can you|should i|where|when|who|which|why))", text, maxsplit=1, flags=re.IGNORECASE)
    return (joined[0], False) if len(joined) == 2 and joined[0] else None


def clauses(text: str, opening: bool) -> list[Clause]:
    """The clauses of a normalised sentence, in order, each with its subject said or carried over.

    ``opening`` says whether a subject left out at the start can only be the speaker.
    """
    out: list[Clause] = []
    correction = remember = False
    for piece in _pieces(text):
        piece, changed = _without_fillers(piece)
        correction = correction or changed
        wanted = REMEMBER.match(piece)
        if wanted:
            piece, remember = piece[wanted.end():], True
            piece, _ = _without_fillers(piece)
        if not piece:
            continue
        carried = bool(out) and bool(_VP_PIECE.match(piece)) and out[-1].text.lower().startswith("i ")
        if carried:
            piece = _with_subject(piece)
        elif opening and not out:
            whole = _with_left_out(piece)
            carried, piece = whole != piece, whole
        instead = re.match(r"^(?:it's|it is|but) (?:now |actually |an? )?(.+)$", piece, re.IGNORECASE)
        denied = re.match(r"^(my [\w ]{1,40}?) (?:isn't|is not|wasn't|is no longer|aren't|are not) .+$", out[-1].text, re.IGNORECASE) if out else None
        if instead and denied:
            out[-1] = Clause(text=f"{denied[1]} is {instead[1]}", correction=True, remember=remember)
            continue
        not_this = re.match(r"^not (?:an? |the |in |at )?[\w' ]{1,40}$", piece, re.IGNORECASE)
        if not_this and out:
            last = out.pop()
            out.append(Clause(text=last.text, correction=True, remember=last.remember, carried=last.carried))
            continue
        tail = _NOT_TAIL.match(piece)
        if tail:
            piece, correction = tail[1], True
        changed = correction or bool(_CHANGE_INSIDE.search(piece))
        out.append(Clause(text=piece, correction=changed, remember=remember, carried=carried))
    return out


def _with_subject(piece: str) -> str:
    piece = re.sub(r"^(?:also |and |but )+", "", piece, flags=re.IGNORECASE)
    if re.match(r"(?:originally from|from|allergic|born)\b", piece, re.IGNORECASE):
        return f"I {'was' if piece.lower().startswith('born') else 'am'} {piece}"
    return f"I {piece}"


def _with_left_out(piece: str) -> str:
    """The piece with the subject that chat leaves out: "just adopted a puppy", "allergic to nuts"."""
    for pattern, start in _LEFT_OUT:
        if pattern.match(piece):
            return f"{start} {piece[0].lower()}{piece[1:]}"
    return piece


def _without_fillers(piece: str) -> tuple[str, bool]:
    """The piece without its opening small talk, and whether that small talk announced a change."""
    changed = False
    for _ in range(8):
        head = _CHANGE_HEAD.match(piece)
        if head and not re.match(r"no (?:one|longer|matter)\b|sorry (?:for|about)|update (?:my|the)", piece, re.IGNORECASE):
            changed, piece = True, piece[head.end():]
            continue
        filler = _FILLER.match(piece)
        if not filler or filler.end() == 0 or re.match(r"(?:me|then|right|look|see|or) (?:and|at|now|to)\b", piece, re.IGNORECASE):
            break
        piece = piece[filler.end():]
    return piece.strip(" ,:-"), changed


def _pieces(text: str) -> list[str]:
    text = _AND_I.sub(lambda match: match[0][:-2] + _JOINED, text)
    text = re.sub(rf"({MONTH} \d{{1,2}}(?:st|nd|rd|th)?), (?=(?:19|20)\d\d)", r"\1 ", text, flags=re.IGNORECASE)
    out: list[str] = []
    for strong in _STRONG_BREAK.split(text):
        for comma in _joined_lists(_COMMA.split(strong)):
            for part in _JOINT.split(comma):
                for because in _BECAUSE.split(part):
                    out.extend(_run_on(because))
    return [piece.strip().replace(_JOINED, " I") for piece in out if piece.strip()]


def _run_on(text: str) -> list[str]:
    """Clauses strung together without a mark: "i live in leeds i work at tesco"."""
    out: list[str] = []
    for piece in _RUN_ON.split(text):
        if out and (not _OWN_START.match(out[-1]) or _RELATIVE.search(out[-1]) or re.search(r"\b(?:and|because|so|but|when|while|than|that|if|where|since|until)$", out[-1], re.IGNORECASE)):
            out[-1] += " " + piece
        else:
            out.append(piece)
    return [part for piece in out for part in _verb_phrases(piece)]


def _verb_phrases(text: str) -> list[str]:
    """"I live in Leeds and work at Tesco" as two statements."""
    if not _VP_HEAD.match(text) or re.match(r"^I (?:am|have) (?:going |planning )?to\b|^I (?:love|like|hate|enjoy|prefer) to\b", text, re.IGNORECASE):
        return [text]
    first, *rest = _VP_JOINT.split(text)
    return [first, *(_with_subject(piece) for piece in rest)]


def _joined_lists(pieces: list[str]) -> list[str]:
    """Comma pieces, with lists ("apples, pears and plums"), places ("Austin, Texas") and leads ("Tomorrow,") rejoined."""
    out: list[str] = []
    at = 0
    while at < len(pieces):
        piece = pieces[at]
        if out and _LEAD_ONLY.match(out[-1]):
            out[-1] = f"{out[-1]} {piece}"
            at += 1
            continue
        if out and _PLACE_LEFT.search(out[-1]) and _PLACE_RIGHT.match(piece):
            out[-1] = f"{out[-1]}, {piece}"
            at += 1
            continue
        end = _list_end(pieces, at) if out else None
        if end is not None:
            out[-1] = ", ".join([out[-1], *pieces[at:end]])
            at = end
            continue
        out.append(piece)
        at += 1
    return out


def _list_end(pieces: list[str], at: int) -> int | None:
    for end in range(at, min(at + 6, len(pieces))):
        piece = pieces[end]
        if not _ITEM.match(piece) or _PRONOUN.search(piece) or len(piece.split()) > 6 or _VP_PIECE.match(piece):
            return None
        if _LIST_END.search(piece) and not re.match(r"^(?:and|or) (?:also|then|now|so|yes)\b", piece, re.IGNORECASE):
            return end + 1
    return None


