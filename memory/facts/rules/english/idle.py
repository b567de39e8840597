"""What English speakers say of themselves that is not worth keeping: talk about the talk, and passing moments."""

from __future__ import annotations

from memory.facts.rules.english.grammar import pattern
from memory.facts.rules.english.words import KIN, PEOPLE, PET

_ADV = (
    r"(?:(?:am|have|had|was|just|really|so|also|still|always|never|already|actually|honestly|totally|literally|"
    r"kinda|only|even|too|very|pretty|do|don't|didn't|can't|not|quite|truly|all|feeling|feel|felt) )*"
)

# What goes on for longer than the talk does.
_PASSING = (
    r"(?!(?:learn|study|train|practi[cs]|teach|rais|restor|build|writing an?|sav|collect|grow|recover|liv|work|manag|"
    r"running an?|plann|expect|dat|volunteer|coach|tutor|foster|car|compos|design|breed|commut)\w*\b)"
)

# Whoever speaks here is the speaker.
OWN = pattern(r"\b(?:I|my|me|mine|myself)\b")

# Whose people, pets and things they are is told.
MINE = pattern(rf"\bmy (?:[\w-]+ ){{0,2}}(?:{KIN}|{PEOPLE}|{PET})\b(?!'s)")

# Somebody else, or something that only the talk around it tells.
OTHERS = pattern(
    rf"\b(?:you|your|yours|yourself|ya|we|us|our|ours|it(?! (?:rains|rained|snows|gets (?:cold|dark|hot|warm)|is (?:cold|dark|hot|warm|raining|snowing)))|its|this|that|these|those|them|they|their|he|him|his|she|her|"
    rf"hers|there|here|someone|somebody|everyone|everybody|people|one|ones|who|whose)\b|\w's\b|\b(?:{KIN}|{PEOPLE})\b"
)

IDLE = (
    ("talk", pattern(
        rf"^(?:\w+ ){{0,2}}I {_ADV}(?:know|knew|see|mean|meant|guess|think|thought|believe|understand|understood|agree|"
        r"disagree|wonder|hope|promise|swear|bet|wish|need|must|should|will|shall|want|wanted|said|say|told|tell|ask|"
        r"asked|talk|talked|talking|chat|chatting|trust|appreciate|apologi[sz]e|thank|beg|care|mind|doubt|suppose|"
        r"remember|forgot|forget|figured?|noticed?|realis?z?ed?|heard|hear|bother|stop|try|trying|help|give|call|let|"
        r"listen|wait|waiting|miss|look|looking|come|came|get|got (?:it|you)|have to|had to|can|could|going to)\b"
    )),
    ("moment", pattern(
        rf"^(?:\w+ ){{0,2}}I {_ADV}(?:{_PASSING}\w+ing|tired|bored|hungry|sleepy|fine|ok|okay|good|great|well|happy|sad|glad|"
        r"sorry|proud|excited|nervous|busy|free|back|home|ready|done|late|early|cold|hot|warm|drunk|lost|stuck|confused|"
        r"sure|serious|alone|lonely|worried|scared|angry|mad|annoyed|upset|shocked|surprised|impressed|flattered|"
        r"grateful|thankful|jealous|curious|stuffed|exhausted|awake|asleep|up|off|in|out|on|down|at|here|dead|better|"
        r"worse|alright|crying|laughing|speechless|relieved|drained|thirsty|freezing|full|dizzy|sick)\b"
    )),
    ("moment", pattern(
        r"\b(?:right now|at the moment|for a (?:sec|second|minute|moment|bit)|just now|in a (?:sec|second|minute|bit)|"
        r"brb|gtg|g2g|ttyl|later|soon|tonight|today|this (?:morning|afternoon|evening)|a (?:moment|minute|second) ago|"
        r"just (?:woke|got|came|ate|had|saw|finished|arrived|left|went|read|watched|took|made|did))\b"
    )),
    ("errand", pattern(
        r"\b(?:shower|nap|bed|bathroom|toilet|snack|grab|groceries|laundry|dishes|lunch|dinner|breakfast|supper|"
        r"homework|errands?|takeout|delivery|uber)\b"
    )),
    ("talk", pattern(
        r"\b(?:question|favou?r|idea|clue|feeling|point|secret|story|joke|advice|opinion|minute|suggestion|request|"
        r"answer|nothing|anything|something|everything|stuff|things?|changed$)\b"
    )),
    ("mood", pattern(
        r"\bmy (?:god|goodness|gosh|bad|dear|love|turn|fault|pleasure|apologies|treat|heart|head|brain|day|night|"
        r"morning|evening|afternoon|week|weekend|mood|stomach|tummy|eyes|feet|battery|phone|internet|wifi|mic|screen|"
        r"keyboard|words?|guess|mind|thoughts?|friend|life|birthday wish|own|hands? (?:is|are))\b"
    )),
    ("mood", pattern(r"^(?:what|how|so|such|wow|omg|ugh)\b|\b(?:lol|lmao|haha+|omg|ugh|damn|hell|wtf)\b")),
    ("mood", pattern(
        r"\b(?:makes?|made|making|drives?|driving|kill(?:s|ing)?|freak(?:s|ing)?|bug(?:s|ging)?|cheer(?:s|ed)?) me\b"
    )),
    ("fiction", pattern(
        r"\b(?:king|queen|prince|princess|emperor|vampire|werewolf|wizard|witch|sorcerer|mage|knight|warlock|paladin|"
        r"dragons?|goblins?|orcs?|elf|elves|demons?|angel|god|goddess|ghost|realm|throne|kingdom|spells?|sword|blade|"
        r"castle|tavern|dungeon|quest|potion|magic|spaceship|galaxy|cyborg|android|superhero|mana)\b"
    )),
    ("order", pattern(
        r"^(?:please |just |now )*(?:tell|give|show|let|help|call|wake|remind|ask|teach|send|wish|hug|kiss|hold|stay|"
        r"sing|read|write|play|excuse|forgive|trust|believe|leave|text|teach|entertain|cheer|bless|save|bear|join|pick|"
        r"get|make|bring|buy|take|follow|watch|listen|look|guess|don't|do|stop|go|come|wait)\b"
    )),
)  # fmt: skip

# With one of these a passing state is told as one that lasts.
LASTING = pattern(
    r"\b(?:every|each|always|usually|often|never|since|for (?:\w+ ){1,2}(?:years?|months?|weeks)|years|most "
    r"(?:days|nights|mornings)|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:once|twice|times) an? "
    r"(?:day|week|month|year)|lifelong|chronic\w*|permanent\w*|by (?:profession|trade|training))\b"
)

# Words of what lasts: without one a clause may still matter, but its words do not tell.
TELLING = pattern(
    rf"\b(?:{KIN}|{PEOPLE}|{PET}|"
    r"lives?|lived|living|reside\w*|moved|relocated|settled|grew up|raised|born|rent(?:ed|ing)?|own(?:s|ed)?|"
    r"stud(?:y|ied|ying|ies)|major(?:ed|ing)?|graduated?|enroll?ed|dropped out|degree|thesis|phd|masters?|school|college|"
    r"university|uni|teach(?:es|ing)?|taught|work(?:s|ed|ing)?|employ\w+|hired|fired|promoted|laid off|retired|quit|"
    r"resigned|freelanc\w+|volunteer\w*|train(?:s|ed|ing)|job|career|salary|shifts?|business|company|startup|shop|store|"
    r"trade|profession|apprentice\w*|"
    r"speaks?|spoke|fluent|languages?|plays?|played|playing|collect\w*|paint(?:s|ing)?|sculpt\w*|knit(?:s|ting)?|sew\w*|"
    r"garden\w*|bak(?:e|es|ing)|brew\w*|climb\w*|hik(?:e|es|ing)|surf\w*|ski(?:s|ing)?|sail\w*|div(?:e|es|ing)|"
    r"swim\w*|marathons?|cycl(?:e|es|ing)|danc(?:e|es|ing)|sing(?:s|ing)?|compos\w+|draws?|drawing|photograph\w*|"
    r"programming|fishing|hunting|camping|travel\w*|hobb(?:y|ies)|"
    r"single|married|engaged|divorced|widow\w*|dating|adopted|pregnant|expecting|"
    r"diagnosed|allerg\w+|intoleran\w+|vegan|vegetarian|kosher|halal|gluten|lactose|diabet\w*|asthma\w*|adhd|autis\w+|"
    r"depression|bipolar|anxiety|insomnia\w*|migraines?|epilep\w+|surgery|disab\w+|deaf|blind|colou?rblind|dyslexi\w+|"
    r"wheelchair|medication|insulin|therapy|sober|smok(?:e|es|ed|ing)|left-?handed|"
    r"loves?|loved|likes?|liked|enjoys?|enjoyed|prefers?|hates?|hated|dislikes?|adores?|despises?|detests?|loathes?|"
    r"favou?rites?|obsessed|passionate|addicted|fan of|fond of|into|crazy about|afraid|scared of|terrified|phobia|"
    r"can't stand|dream of|dreams? of|plan to|planning|goal|"
    r"citizen\w*|hometown|nationality|immigrant|religio\w+|muslim|christian|jewish|buddhist|hindu|catholic|atheist|"
    r"birthday|anniversary|years old|tattoos?|twins?|car|motorcycle|motorbike|boat|farm|house|apartment|flat|band|choir|"
    r"team|club|church|army|navy|military)\b"
)

# What may be put into the third person also where no rule knows what it says; any other verb might be bent wrongly.
SAFE = pattern(
    r"\s+(?:(?:really|just|also|always|usually|often|sometimes|never|still|already|actually|recently|finally|only|even|"
    r"both|regularly|mostly|mainly|currently|now) )*"
    r"(?:am|was|have|had|do|did|don't|didn't|can|can't|could|couldn't|wasn't|hadn't|haven't|will|won't|used|"
    r"(?!need|feed|bleed|breed|speed|shed|wed)\w{2,}ed|went|ate|drank|saw|met|bought|sold|got|gave|took|made|ran|swam|broke|"
    r"lost|won|found|wrote|grew|built|taught|caught|spent|left|became|began|came|kept|held|led|fell|flew|drove|rode|sang|"
    r"live|work|love|like|hate|enjoy|prefer|own|speak|play|teach|study|collect|write|cook|bake|paint|draw|sing|dance|swim|"
    r"climb|hike|sail|knit|garden|brew|travel|train|run|drink|smoke|eat|wear|drive|keep|grow|sell|build|repair|restore|"
    r"design|manage|volunteer|practice|practise|attend|visit|watch|follow|support|suffer|struggle)\b"
)
