"""From an English sentence to clauses the rules can read."""

from __future__ import annotations

import re

from memory.facts.rules.clause import Clause
from memory.facts.rules.english.grammar import pattern
from memory.facts.rules.english.openings import REMEMBER, REMEMBER_THIS, TIME_LEAD, with_left_out, without_fillers
from memory.facts.rules.english.words import KIN, PEOPLE
from memory.facts.rules.when_english import MONTH

LONGEST_CLAUSE = 200  # characters

_NOT_TAIL = pattern(
    r"^(.{8,}?) (?:and )?not (?:an? |the |in |at |on |as an? |from )?(?!only|really|just|sure|even|"
    r"yet|much|very|that|so|to|too|gonna|going|be|have|a lot|because|for|with|like|anymore|well|eat|"
    r"drink|in)[\w']{1,20}(?: [\w']{1,12})?$"
)


_CHANGE_INSIDE = pattern(
    r"\b(?:actually|anymore|no longer|instead|changed my mind|these days now|not .{1,40} but|used to|" r"nowadays)\b"
)


_JOINED = "\ue003I"  # the "I" of "my sister and I", hidden from the search for a new clause


_AND_I = pattern(rf"\bmy (?:{KIN}|{PEOPLE})(?: (?-i:[A-Z])\w+)? and I(?= )")


_STRONG_BREAK = pattern(r"\s*(?:\s[-–—]+\s|—|;|\s\.\s|:\s(?=i |my ))\s*")


_JOINT = pattern(
    r",?\s+(?:and|but|so|because|since|although|though|while|whereas|yet|plus|then|also|or|that's why|"
    r"which is why)\s+"
    r"(?:also |now |then |so |that )?(?=(?:i|my|we|you|he|she|they|it|it's|that's|this|there|our|your|"
    r"his|her|their|everyone|everybody|people|call me)\b)"
)


_BECAUSE = pattern(r"\s+because\s+(?!of\b)")


_RUN_ON = pattern(
    r"(?<=\w)\s+(?=(?:I am|I have|I live|I work|I love|I like|I hate|I study|I will|I don't|I can't|I "
    r"just|my name is|my birthday is|call me)\b)"
)


_GLAD = pattern(
    r"(?:(?<=happy)|(?<=glad)|(?<=excited)|(?<=proud)|(?<=relieved)|(?<=sad)|(?<=upset))\s+(?:that |"
    r"because )?(?=I (?:got|passed|won|found|finished|lost|failed|finally|just|graduated) )"
)


_OWN_START = pattern(r"^(?:(?!maybe|perhaps|guess|hope|wish|think|if|say)[\w']+,? ){0,2}(?:I|my)\b")


_COMMA = re.compile(r"\s*,\s*")


_VP_HEAD = pattern(
    r"^I (?:am|live|work|study|have|love|like|hate|own|speak|moved|don't|was born|got|enjoy|just|"
    r"teach|graduated|prefer|adopted|bought)\b"
)


_VP_JOINT = pattern(
    r"\s+(?:and|but)\s+(?:also |now |currently |then )?(?=(?:am|work|live|study|have|hate|own|speak|"
    r"moved|started|adopted|bought|quit|got|went|"
    r"don't|can't|never|always|usually|was|can|will|enjoy|love|prefer|teach|just|recently|absolutely|really)\b)"
)


_VP_PIECE = pattern(
    r"^(?:also |now |currently |and |but )*(?:live|work|study|have|love|hate|own|speak|moved|born and "
    r"raised|originally from|"
    r"allergic to|from|enjoy|don't|can't|got|adopted|bought|started|quit|usually|always|never|teach|play|prefer)\b"
)


_ITEM = re.compile(r"^(?:and |or |& )?[\w'\ue000\ue001 -]{1,40}$", re.IGNORECASE)


_LIST_END = pattern(r"(?:^|\s)(?:and|or) ")


_PRONOUN = pattern(r"\b(?:i|my|we|you|he|she|it|they|is|are|am|was|that|this|me)\b")


_PLACE_LEFT = pattern(
    r"\b(?:live|living|reside|residing|from|moved|born|grew up|based|move|moving|raised|" r"home)\b.{0,60}$"
)


_PLACE_RIGHT = re.compile(r"^[A-Z][\w.]{1,20}(?: [A-Z][\w.]{1,20})?$")


_THING = r"(?:the|every|all|any|that|those|what|how|anything|everything|people|someone)"


_RELATIVE = pattern(rf"\b{_THING}\b[^,]*$")


_LEAD_ONLY = pattern(rf"^{TIME_LEAD}$")


_ASK_TAIL = pattern(
    r"^(?:and |but |so )?(?:what about|how about|and you|wbu|hbu|you|u|do you|have you|are you|were "
    r"you|can you|could you|would you|will you|did you|"
    r"what|how|where|when|who|which|why|any |is there|are there|know any|got any|ever |should i|is it|"
    r"is that|can we|shall we|want to|do we|does that|isn't it cool|isn't he|isn't she)\b"
)


_SOFT_TAIL = pattern(r"^(?:ok(?:ay)?|k|alright|got it|deal|please|yeah|cool|will you|can you|would you)$")


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
    joined = re.split(
        r"\s+(?:and|but|so)\s+(?=(?:you\b|what|how|do you|have you|are you|can you|should i|where|when|"
        r"who|which|why))",
        text,
        maxsplit=1,
        flags=re.IGNORECASE,
    )
    return (joined[0], False) if len(joined) == 2 and joined[0] else None


def clauses(text: str, opening: bool) -> list[Clause]:
    """The clauses of a normalised sentence, in order, each with its subject said or carried over.

    ``opening`` says whether a subject left out at the start can only be the speaker.
    """
    out: list[Clause] = []
    correction = remember = False
    queue = _pieces(text)
    while queue:
        piece, changed = without_fillers(queue.pop(0))
        correction = correction or changed
        if REMEMBER_THIS.match(piece):
            remember = True
            continue
        wanted = REMEMBER.match(piece)
        if wanted:
            piece, remember = piece[wanted.end() :], True
            piece, _ = without_fillers(piece)
        if not piece:
            continue
        carried = bool(out) and bool(_VP_PIECE.match(piece)) and out[-1].text.lower().startswith("i ")
        if carried:
            piece, *more = _verb_phrases(_with_subject(piece))
            queue[:0] = more
        elif opening and not out:
            whole = with_left_out(piece)
            carried, piece = whole != piece, whole
        instead = re.match(r"^(?:it's|it is|but) (?:now |actually |an? )?(.+)$", piece, re.IGNORECASE)
        denied = (
            re.match(
                r"^(my [\w ]{1,40}?) (?:isn't|is not|wasn't|is no longer|aren't|are not) .+$",
                out[-1].text,
                re.IGNORECASE,
            )
            if out
            else None
        )
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
        if out and (
            not _OWN_START.match(out[-1])
            or _RELATIVE.search(out[-1])
            or re.search(r"\b(?:and|because|so|but|when|while|than|that|if|where|since|until)$", out[-1], re.IGNORECASE)
        ):
            out[-1] += " " + piece
        else:
            out.append(piece)
    out = [part for piece in out for part in _GLAD.split(piece)]
    return [part for piece in out for part in _verb_phrases(piece)]


def _verb_phrases(text: str) -> list[str]:
    """ "I live in Leeds and work at Tesco" as two statements."""
    if not _VP_HEAD.match(text) or re.match(
        r"^I (?:am|have) (?:going |planning )?to\b|^I (?:love|like|hate|enjoy|prefer) to\b", text, re.IGNORECASE
    ):
        return [text]
    first, *rest = _VP_JOINT.split(text)
    return [first, *(_with_subject(piece) for piece in rest)]


def _joined_lists(pieces: list[str]) -> list[str]:
    """Comma pieces, with lists ("apples, pears"), places ("Austin, Texas") and leads ("Tomorrow,") rejoined."""
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
