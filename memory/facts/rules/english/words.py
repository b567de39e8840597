"""Closed lists of English words the rules lean on. Each is a regular expression alternative."""

from __future__ import annotations


def any_of(words: str) -> str:
    """One of the words; an underscore stands for a space or a hyphen."""
    return "(?:" + "|".join(word.replace("_", "[ -]") for word in words.split()) + ")"


def set_of(words: str) -> frozenset[str]:
    """The words, for looking one up."""
    return frozenset(words.split())


KIN = "(?:(?:older|younger|little|big|elder|twin|baby|half|step|late|oldest|youngest|only|ex)[- ])?" + any_of(
    "youngest oldest eldest firstborn step-?(?:brother|sister|mom|dad|mother|father|son|daughter)s? "
    "half-(?:brother|sister)s? mom mum mother dad father parents? mama papa mommy daddy sisters? "
    "brothers? siblings? bro sis "
    "sons? daughters? "
    "kids? child children toddler baby wife husband hubby girlfriend boyfriend gf bf partner fianc[eé]e? spouse "
    "grandma grandmother granny nana grandpa grandfather grandparents aunt auntie uncle cousins? "
    "nephews? nieces? "
    "(?:mother|father|sister|brother)-in-law in-laws stepmom stepdad ex twins? family ex-wife ex-husband "
    "ex-girlfriend ex-boyfriend"
)


PEOPLE = "(?:best |close |old |childhood |new |late )?" + any_of(
    "friends? bestie bff roommates? flatmates? housemates? boss manager coworkers? colleagues? "
    "neighbou?rs? teacher "
    "professor landlord classmates? therapist mentor crush coach"
)


PET = any_of(
    "cats? dogs? kittens? kitty pupp(?:y|ies) pup doggo hamsters? rabbits? bunn(?:y|ies) parrots? "
    "birds? goldfish "
    "fish turtles? tortoise snakes? lizards? gecko guinea_pigs? ferrets? horses? pony chinchilla hedgehog "
    "budgies? parakeet cockatiel axolotl tarantula corgi poodle husky shiba labrador lab retriever "
    "beagle bulldog "
    "dachshund chihuahua pug samoyed ragdoll tabby siamese chickens? ducks? goats?"
)


OCCUPATION = "(?:(?:[a-z]+(?:-[a-z]+)?) ){0,3}" + any_of(
    "teacher nurse doctor engineer developer programmer designer artist writer author lawyer attorney paralegal "
    "accountant chef cook baker barista bartender waiter waitress server cashier driver pilot "
    "mechanic electrician "
    "plumber carpenter builder architect scientist researcher professor lecturer tutor dentist "
    "pharmacist surgeon "
    "vet veterinarian paramedic firefighter soldier marine officer cop policeman detective journalist reporter "
    "editor translator interpreter librarian photographer videographer filmmaker director producer actor actress "
    "singer musician composer dancer painter illustrator animator sculptor model manager supervisor consultant "
    "analyst administrator receptionist secretary assistant clerk salesperson salesman realtor broker banker "
    "trader economist psychologist psychiatrist therapist counselor counsellor physicist chemist biologist "
    "mathematician statistician historian philosopher farmer gardener florist fisherman sailor janitor cleaner "
    "hairdresser barber tailor jeweler butcher courier postman plumber welder technician operator freelancer "
    "contractor entrepreneur founder ceo cto streamer youtuber blogger vtuber trainer coach referee athlete "
    "boxer footballer nanny babysitter caregiver housewife househusband homemaker intern apprentice postdoc "
    "trainee recruiter marketer strategist copywriter tester sysadmin devops hygienist optometrist midwife "
    "radiologist cardiologist oncologist geologist astronomer archaeologist "
    "paediatrician pediatrician physiotherapist physio nutritionist dietitian social_worker civil_servant"
)


STUDENT = (
    "(?:[a-z]+(?:-[a-z]+)? ){0,3}(?:student|freshman|sophomore|undergrad|undergraduate|grad student|phd candidate|"
    "(?:high school|college|university|uni) (?:junior|senior))"
)


TRAIT = (
    "(?:(?:huge|big|total|bit of a|real|massive|complete|true|proud|very|super|pretty) )*"
    "(?:introverts?|extroverts?|ambiverts?|night owl|morning person|early (?:bird|riser)|(?:cat|dog|"
    "plant) (?:mom|dad|parent)|perfectionist|(?:dog|cat|people|beach|tea|"
    "coffee|city|night|summer|winter) person|homebody|workaholic|picky eater|light sleeper|heavy "
    "sleeper|bookworm|foodie|"
    "gamer|procrastinator|minimalist|(?:coffee|chocolate|gym|adrenaline) (?:addict|junkie)|neat freak|clean freak|"
    "control freak|otaku|weeb|[ie][ns][tf][jp](?:-[at])?)"
)


TRAIT_ADJECTIVE = any_of(
    "left-handed right-handed lefthanded lefty colou?r-?blind introverted extroverted ambidextrous "
    "bilingual trilingual "
    "shy dyslexic autistic neurodivergent short-sighted nearsighted farsighted deaf"
)


ZODIAC = any_of("aries taurus gemini cancer leo virgo libra scorpio sagittarius capricorn aquarius pisces")


IDENTITY = (
    "(?:a )?(?:gay|bi|bisexual|lesbian|trans|transgender|non-?binary|asexual|christian|catholic|"
    "muslim|jewish|buddhist|"
    "hindu|atheist|agnostic|veteran|immigrant|expat)(?: (?:man|woman|guy|girl|person))?"
    "|a (?:man|woman|guy|girl|dude|male|female)"
)


NATIONALITY = any_of(
    "american british english scottish welsh irish canadian australian german french spanish italian "
    "portuguese dutch "
    "belgian swiss austrian polish czech russian ukrainian swedish norwegian danish finnish greek turkish chinese "
    "japanese korean taiwanese vietnamese thai indian pakistani filipino filipina indonesian malaysian singaporean "
    "mexican brazilian argentinian colombian chilean peruvian egyptian nigerian kenyan ethiopian moroccan israeli "
    "iranian persian iraqi lebanese romanian hungarian bulgarian croatian serbian kiwi"
)


LANGUAGE = "(?:(?:fluent|some|a (?:little|bit of)|native|basic|broken|conversational|mandarin) )?" + any_of(
    "english french spanish german italian portuguese dutch russian polish ukrainian japanese chinese mandarin "
    "cantonese korean arabic hebrew hindi urdu bengali turkish greek swedish norwegian danish finnish czech thai "
    "vietnamese indonesian malay tagalog swahili latin esperanto welsh irish farsi persian romanian hungarian"
)


DIET = any_of(
    "vegan vegetarian vegeterian veggie pescatarian pescetarian keto halal kosher gluten-free dairy-free plant-based"
)


ILLNESS = any_of(
    "diabetes asthma epilepsy anemia anaemia migraines? adhd add ocd ptsd autism insomnia arthritis eczema psoriasis "
    "hypertension scoliosis tinnitus celiac crohn's ibs depression anxiety hypothyroidism endometriosis pcos vertigo "
    "narcolepsy cancer hepatitis lupus fibromyalgia type_\\d_diabetes high_blood_pressure sleep_apnea "
    "chronic_[a-z]+ social_anxiety bipolar(?:_disorder)? (?:anxiety|eating|bipolar)_disorder "
    "heart_condition bad_(?:back|knee|shoulder) back_problems panic_attacks"
)


OWNED = "(?:(?:[a-z0-9]+(?:-[a-z]+)?) ){0,3}" + any_of(
    "car bike bicycle motorcycle motorbike scooter truck van boat house apartment flat condo guitar piano violin "
    "cello drums? keyboard ukulele bass telescope (?:driver'?s?_)?licen[cs]e passport degree phd "
    "masters tv television printer typewriter camera drone "
    "laptop macbook pc computer ipad tablet iphone phone "
    "switch ps4 ps5 playstation xbox console kindle garden farm shop store cafe restaurant business "
    "startup company "
    "blog podcast channel youtube newsletter collection bookshelf record_player turntable tattoos? piercings? "
    "tesla greenhouse cabin rv motorhome sewing_machine 3d_printer"
)


EVENT_NOUN = "(?:(?:[a-z0-9]+(?:'s)?(?:-[a-z]+)?) ){0,3}" + any_of(
    "exams? tests? finals? midterms? quiz interview meeting appointment appt date flight surgery "
    "operation wedding "
    "deadline presentation concert recital rehearsal audition trip vacation holiday checkup check-up "
    "class lecture "
    "seminar workshop marathon race game match tournament competition performance show conference party birthday "
    "dinner lunch brunch call shift train reunion graduation defen[cs]e hearing trial mri scan blood_test "
    "physical_therapy dentist session lesson essay paper thesis project assignment homework "
    "presentation anniversary "
    "move gig festival"
)


STRONG_FEELING = any_of(
    "alone depressed anxious stressed(?:_out)? lonely burn(?:ed|t)_out heartbroken overwhelmed devastated grieving "
    "homesick sick ill pregnant unemployed exhausted miserable hopeless scared terrified worried "
    "nervous excited proud "
    "insecure hungover injured jet-?lagged"
)


WEAK_FEELING = any_of(
    "tired sad down happy upset angry frustrated bored busy sleepy moody low numb lost stuck confused unmotivated "
    "restless content relaxed grateful hopeful jealous guilty embarrassed ashamed swamped annoyed "
    "empty blue better good "
    "great terrible awful bad unwell calm cranky"
)


PRESENT_VERB = any_of(
    "wake get go run walk jog swim work study eat drink cook read write watch play listen take make "
    "do have drive ride "
    "cycle bike meditate exercise train practi[cs]e sleep nap stay spend visit call check feed clean "
    "wash shower skip "
    "brush start stop finish come leave meet see talk sing dance draw paint knit sew garden bake buy order use wear "
    "keep put save travel teach volunteer smoke vape journal stretch lift hike climb surf ski fish "
    "hunt shop stream game "
    "code program forget lose need try help hang celebrate attend commute procrastinate overthink pray dream snore"
)


PAST_VERB = any_of(
    "went had ate drank saw met bought sold got gave took made did ran swam broke lost won found "
    "wrote read drew sang "
    "flew drove rode fell fought caught taught built sent spent left slept woke began came became "
    "chose grew hurt cut "
    "quit beat bet hit paid put rang shot stole threw wore held kept led lent hung spoke spilled burnt burned made "
    "watched moved [a-z]{2,12}ed"
)


NOT_EVENT = any_of(
    "said told asked thought knew felt guessed meant wanted needed liked loved hated seemed remembered forgot heard "
    "noticed realized realised wondered hoped wished used mentioned agreed supposed assumed believed "
    "expected imagined "
    "decided (?:woke_up) (?:went_to_bed) (?:went_to_sleep) (?:slept_in) (?:got_home) (?:came_home) "
    "(?:got_up) figured replied answered texted missed laughed smiled talked chatted promised"
)


LIFE_EVENT = (
    r"(?:passed|failed|aced|flunked) (?:my|the|all)|graduated|got (?:the (?:job|part|role|offer|lead|"
    r"scholarship|internship)|an? (?:job )?offer|married|engaged|divorced|promoted|fired|laid off|"
    r"hired|"
    r"accepted|dumped|a (?:new )?(?:job|promotion|raise|tattoo|haircut|puppy|kitten|scholarship|job offer)|"
    r"into [a-z]+|my (?:driver'?s? |driving )?(?:licen[cs]e|degree|results?|first|braces|diploma|visa|"
    r"wisdom))|broke (?:my|up)|lost my|left my (?:job|husband|wife|boyfriend|girlfriend|old)|got an? "
    r"[a-f][+-]? (?:on|in) my|quit (?:my|smoking|"
    r"drinking)|started (?:a|my|working|learning|taking|going|dating|seeing|playing|reading|watching|"
    r"therapy|university|"
    r"college|school)|"
    r"finished (?:my|reading|writing|watching|the)|adopted|bought|sold my|won (?:a|the|my|first|second)|ran (?:a|my)|"
    r"published|submitted my|retired|resigned|proposed|had (?:a baby|surgery|an (?:accident|"
    r"operation)|my)|moved (?:out|in|house|back|into)|"
    r"crashed my|sprained|adopted|joined|signed up|enrolled|switched|failed|landed|wrote (?:a|my)|built (?:a|my)|"
    r"completed|visited|climbed|learned (?!a lot|something)|learnt (?!a lot|something)|met my|had an? "
    r"(?:\w+ )?(?:fight|argument|interview|accident|miscarriage|panic attack|breakdown)|got an? "
    r"(?:job )?(?:interview|offer|callback)|came out|"
    r"stopped (?:smoking|drinking|eating)|gave up|broke up"
)


NOT_A_NAME = set_of(
    "late later crazy back when if maybe tomorrow tonight today now again a an the at on in it that this "
    "stupid lazy weird what whatever old names mom mum dad mud not irrelevant unknown bad baby babe honey "
    "darling anything something nothing everyone so here there up out your his her their sir silly dumb and "
    "but going doing tired sorry ready fine good ok okay done home bored hungry sure just really very secret "
    "insane old-fashioned asap whenever anytime by taken hard easy common long short pronounced spelled"
)
