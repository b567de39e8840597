"""Whether a statement stands against what is known: by rules where they can tell, else by a model."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memory.errors import BadAnswer, ModelFailed
from memory.facts.fact import Fact
from memory.facts.likeness import denials
from memory.facts.rules.compare import Statement, contradicts, fold_object
from memory.facts.rules.extract import extract
from memory.facts.sameness import overlap, tokens
from memory.history.turn import HUMAN, Turn
from memory.locale import detect
from memory.models.chat import Chat, json_reply
from memory.models.jobs import CONTRADICT
from memory.models.prompt import Wording, ask, one_line
from memory.people import Names
from memory.space import MemorySpace
from memory.state import registry
from memory.thinking import place

log = logging.getLogger(__name__)

_LOOKED_AT = 5_000          # facts, the newest
_NEAR = 40                  # … of which the nearest are compared
_EACH = 240                 # characters of a fact as a model is shown it
_ALIKE = 0.6                # share of words in common from which a yes and a no are about one thing

_WORDING: Wording = {
    "en": (
        "<statement> is new, the numbered lines of <known> hold so far. Is there a line that cannot be true together "
        "with the statement? A line that merely says more, says less, or is about something else does not count. "
        'Answer {"contradicts": 3} with the number of that line, or {"contradicts": null}.'
    ),
    "zh": (
        "<statement> 是新的说法，<known> 中带编号的各行是目前成立的内容。有没有哪一行与这个说法不可能同时为真？"
        "只是说得更多、更少或说的是别的事情，都不算。"
        '回答 {"contradicts": 3}（该行编号）或 {"contradicts": null}。'
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was found. ``against`` is the fact that the statement stands against."""

    checked: bool = False
    against: Fact | None = None


async def check(space: MemorySpace, names: Names, chat: Chat, text: str) -> Verdict:
    """Compare a statement with the facts that hold. Reads only; a model that does not answer leaves it unchecked."""
    near = _near(space, text)
    found = _by_rules(space, names, text, near)
    if found is not None:
        return Verdict(checked=True, against=found)
    if not near:
        return Verdict(checked=True)
    lines = [f"[{at}] {one_line(fact.text, _EACH)}" for at, fact in enumerate(near, start=1)]
    messages = ask(_WORDING, detect(text), {}, statement=[one_line(text, 2 * _EACH)], known=lines)
    job = CONTRADICT
    try:
        said = await space.unless_wanted_back(
            chat.reply(job.tier, messages, max_tokens=job.max_tokens, seconds=job.seconds, space=space.name)
        )
        if said is None:
            return Verdict()
        number = _read(json_reply(job.tier, said))
    except ModelFailed as error:
        log.info("%s: %s failed: %s", space.name, job.name, error)
        return Verdict()
    at = place(number, len(near))
    against = near[at] if at is not None else None
    still = against is not None and any(fact.id == against.id for fact in registry.active(space))
    return Verdict(checked=True, against=against if still else None)


def _read(value: Any) -> Any:
    if not isinstance(value, dict) or "contradicts" not in value:
        raise BadAnswer(CONTRADICT.tier, "the answer does not say which line")
    return value["contradicts"]


def _near(space: MemorySpace, text: str) -> list[Fact]:
    """The facts that share most words with a text, then the newest. Numbers do not count: dates would come first."""
    own = _words(text)
    newest = registry.active(space)[-_LOOKED_AT:]
    ranked = sorted(
        ((overlap(own, _words(fact.text)), fact.created_at.timestamp(), fact.id, fact) for fact in newest),
        key=lambda one: one[:3],
        reverse=True,
    )
    return [fact for *_, fact in ranked[:_NEAR]]


def _words(text: str) -> frozenset[str]:
    return frozenset(token for token in tokens(text) if not token.isdigit())


def _by_rules(space: MemorySpace, names: Names, text: str, near: Sequence[Fact]) -> Fact | None:
    drafts = _told(space, names, text)
    for fact in near:
        held: Sequence[Statement] = [fact] if fact.object else _told(space, names, fact.text)
        if any(contradicts(draft, statement) for draft in drafts for statement in held):
            return fact
        if denials(text) % 2 != denials(fact.text) % 2 and _same_but_for_denial(text, fact.text):
            return fact
    return None


def _same_but_for_denial(one: str, other: str) -> bool:
    own, others = _words(one), _words(other)
    numbers = [{word for word in fold_object(text).split() if word.isdigit()} for text in (one, other)]
    return numbers[0] == numbers[1] and overlap(own, others) >= _ALIKE


def _told(space: MemorySpace, names: Names, text: str) -> Sequence[Statement]:
    turn = Turn(id="", row=0, kind=HUMAN, content=text, at=space.clock.now(), session="")
    return extract(turn, names, space.clock)[0]
