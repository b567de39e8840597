"""What in a message speaks of the work: goals, constraints, decisions, questions, progress. English and Chinese.

Patterns have no nested repetition: their cost grows with the length of the line alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.state.structured import CONSTRAINT as _CONSTRAINT
from memory.state.structured import DECISION as _DECISION
from memory.state.structured import GOAL as _GOAL
from memory.state.structured import QUESTION as _QUESTION
from memory.state.structured import STATUS as _STATUS
from memory.state.structured import labelled, lines_of

GOAL, CONSTRAINT, DECISION, QUESTION, PROGRESS = _GOAL, _CONSTRAINT, _DECISION, _QUESTION, "progress"

_READ = 20_000              # characters of an event that are read
_LINES = 200
_LONGEST = 300              # characters of what is kept of a line

_KINDS = {_GOAL: GOAL, _CONSTRAINT: CONSTRAINT, _DECISION: DECISION, _QUESTION: QUESTION, _STATUS: PROGRESS}
REPLY = "Assistant reply:"  # what a reply begins with where nothing else tells it from a message

_SENTENCE = re.compile(r"[^.!?。！？]*(?:[.!?](?!\s|$)[^.!?。！？]*)*[.!?。！？]*\s*")
_END = " \t.,;:!?。，；：！？"
# Up to the end of the sentence, or of the clause; a point inside a number or name ends neither.
_REST = r"(?P<rest>(?:[^.!?。！？;；]|[.!?](?=\w))+)"
_SHORT_REST = r"(?P<rest>(?:[^.,!?。，！？;；]|[.,](?=\w))+?)(?=[.,!?](?!\w)|[。，！？;；]|\s(?:and|but|or)\s|$)"

_GOALS = (
    re.compile(
        r"\b(?:(?:i|we)(?:['’]m|['’]re| am| are)(?: \w+)? (?:trying|looking) to|(?:trying|looking) to"
        r"|(?:i|we)(?: really| just| also)? (?:want|need) to(?! (?:keep|write|add|create|implement|test|document)\b)"
        r"|(?:i|we)(?:['’]d| would)(?: really)? like to|\b(?:my|our|the)(?: \w+)? goal is(?: to)?)\s+" + _REST,
        re.IGNORECASE,
    ),
    re.compile(r"(?:(?:我|我们|咱们)的?|当前|主要)目标(?:是|为)\s*" + _REST),
    re.compile(
        r"(?:我|我们|咱们)(?:现在|目前|正在|一直|也|只|就|真的|很)?(?:想要|想|希望|打算|需要|试图|尝试|努力)(?!知道|问|不|念)"
        + _REST
    ),
)
_ASKED_GOALS = (
    re.compile(r"\b(?:how can (?:i|we)|best way to)\s+" + _REST, re.IGNORECASE),
    re.compile(r"(?:如何|怎么|怎样)(?:才能|能够|能|可以)?" + _REST),
)
_WISHES = (
    (re.compile(r"\b(?:i|we)(?:['’]d| would)?(?: really| much)? prefer\s+" + _REST, re.IGNORECASE), "prefer "),
    (re.compile(r"\blooking for\s+" + _REST, re.IGNORECASE), "looking for "),
    (re.compile(r"\b(?:do not|don['’]t) want(?: to)?\s+" + _SHORT_REST, re.IGNORECASE), "avoid "),
    (re.compile(r"\bnot too\s+" + _SHORT_REST, re.IGNORECASE), "avoid "),
    (re.compile(r"\b(?:without|avoid)\s+" + _SHORT_REST, re.IGNORECASE), "avoid "),
    (re.compile(r"(?:我|我们)(?:更喜欢|更倾向于?|偏好|偏爱)\s*" + _SHORT_REST), "偏好"),
    (re.compile(r"(?:不想要?|不要|避免|不能太|别太)\s*" + _SHORT_REST), "避免"),
)
_DECIDES = re.compile(
    r"\b(?:decided?|decides|decision|we will|we['’]ll|agreed)\b|决定|決定|我们将|我们会|商定|一致同意", re.IGNORECASE
)
_UNDECIDED = re.compile(
    r"(?:\b(?:not|never|cannot)|n['’]t)\b[^.!?]{0,12}\b(?:decided?|agreed)\b|\bto decide\b"
    r"|(?:没有?|还没|尚未|未)(?:做)?决定",
    re.IGNORECASE,
)
_ASKS = re.compile(r"[?？]\s*$|[吗呢嗎]\s*[。.]?\s*$")
_SELF = re.compile(
    r"(?:i['’]m|i am|we['’]re|we are|i['’]ve|i have|we['’]ve|we have)\b|(?:我|我们)(?:是|已经|已|正在|刚刚?|完成了)",
    re.IGNORECASE,
)


def is_reply(text: str) -> bool:
    """Whether a text is marked as what an assistant said."""
    return text.lstrip()[: len(REPLY)].lower() == REPLY.lower()


def read(text: str) -> Iterator[tuple[str, str]]:
    """Kind and text of what is found, in the order of the lines."""
    for number, line in enumerate(lines_of(text[:_READ])):
        if number >= _LINES:
            return
        found = labelled(line)
        if found is not None:
            kind = _KINDS.get(found[0])
            if kind is not None:
                yield kind, _short(found[1])
            continue
        for sentence in map(str.strip, _SENTENCE.findall(line)):
            if sentence:
                yield from _unlabelled(sentence)


def _unlabelled(sentence: str) -> Iterator[tuple[str, str]]:
    asks = _ASKS.search(sentence) is not None
    goal = _first(_ASKED_GOALS if asks else (*_GOALS, *_ASKED_GOALS), sentence)
    if goal:
        yield GOAL, goal
    if asks:
        yield QUESTION, _short(sentence)
        return
    wishes = [f"{word}{rest}" for pattern, word in _WISHES if (rest := _first((pattern,), sentence))]
    yield from ((CONSTRAINT, wish) for wish in wishes)
    if _DECIDES.search(sentence) and not _UNDECIDED.search(sentence):
        yield DECISION, _short(sentence.rstrip(_END))
    elif not goal and not wishes and _SELF.match(sentence):
        yield PROGRESS, _short(sentence.rstrip(_END))


def _first(patterns: tuple[re.Pattern[str], ...], sentence: str) -> str:
    found = next((match for pattern in patterns if (match := pattern.search(sentence)) is not None), None)
    return _short(found["rest"].strip(_END)) if found is not None else ""


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST - 1].rstrip()}…"
