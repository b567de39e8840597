"""What a message is answered from, as blocks of text: the layers, what was recalled, the latest turns. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory.models.prompt import one_line
from memory.recall.plain_tokens import pairs, payload
from memory.recall.stopwords import ENGLISH
from memory.state.budget import cut
from memory.state.stable import StableView
from memory.state.working import WorkingState

SYSTEM = (
    "The stable state is authoritative; working memory, recalled events and recent turns add to it and never override "
    "it."
)
NOTHING = "(none)"
MESSAGE_ONLY = "message_only"

_SNIPPETS, _SNIPPET = 2, 180
_TURNS, _TURN = 3, 220
_GOAL = 120             # characters of a goal in the summary
_TERMS, _EXCLUSIONS = 8, 6
_PROFILE_TITLES = {
    "identity": "Identity", "relationships": "Relationships", "ongoing": "Ongoing", "goals": "Personal goals",
    "followUps": "Follow-ups",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A turn of the conversation, or an event that was recalled."""

    text: str
    is_reply: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FastView:
    """The compiled context of one message."""

    system: str
    working: str
    stable: str
    retrieval: str
    turns: str
    terms: tuple[str, ...]
    exclusions: tuple[str, ...]
    summary: str


def compile_view(
    message: str, working: WorkingState, stable: StableView, recalled: Sequence[Spoken], turns: Sequence[Spoken]
) -> FastView:
    """The blocks; what there is nothing of says so. ``recalled`` has the best first, ``turns`` the oldest."""
    told = [one for one in recalled if not one.is_reply] or list(recalled)
    snippets = [f"- {_short(one.text, _SNIPPET)}" for one in told[:_SNIPPETS]]
    lines = [
        f"{'Assistant' if one.is_reply else 'User'}: {_short(one.text, _TURN)}" for one in turns[-_TURNS:]
    ]
    return FastView(
        system=SYSTEM,
        working=_working_block(working),
        stable=_stable_block(stable),
        retrieval="\n".join(snippets) or NOTHING,
        turns="\n".join(lines) or NOTHING,
        terms=_terms(message, working, stable),
        exclusions=(
            *(f"unresolved:{_short(one, _SNIPPET)}" for one in stable.questions),
            *(f"risk:{_short(one, _SNIPPET)}" for one in stable.risks),
        )[:_EXCLUSIONS],
        summary=_summary(working, stable, len(recalled), len(lines)),
    )


def _working_block(state: WorkingState) -> str:
    return _sections(
        ("Goal", [state.goal.text] if state.goal is not None else []),
        ("Constraints", [one.text for one in state.constraints]),
        ("Decisions", [one.text for one in state.decisions]),
        ("Progress", [one.text for one in state.progress]),
        ("Open questions", [one.text for one in state.questions]),
        ("Task", [state.frame] if state.frame is not None and state.goal is None else []),
    )


def _stable_block(view: StableView) -> str:
    return _sections(
        ("Goal", [view.goal] if view.goal is not None else []),
        ("Constraints", view.constraints),
        ("Decisions", view.decisions),
        ("Todos", view.todos),
        ("Open questions", view.questions),
        ("Risks", view.risks),
        *((_PROFILE_TITLES.get(name, name), lines) for name, lines in view.profile.items()),
    )


def _sections(*sections: tuple[str, Sequence[str]]) -> str:
    found = [
        "\n".join([f"{title}:", *(f"- {' '.join(line.split())}" for line in lines)])
        for title, lines in sections
        if lines
    ]
    return "\n".join(found) or NOTHING


def _terms(message: str, working: WorkingState, stable: StableView) -> tuple[str, ...]:
    """Words that matter, those of the message first."""
    goals = [stable.goal or "", working.goal.text if working.goal is not None else ""]
    found: dict[str, None] = {}
    for text in (message, *goals):
        found.update(dict.fromkeys(_words(text)))
    return tuple(found)[:_TERMS]


def _words(text: str) -> Iterable[str]:
    """The words of a text that say something, in their order."""
    words = payload(text)
    told = [*(word for word in words if len(word) > 2 and word not in ENGLISH), *pairs(text)]
    folded = text.lower()
    return sorted(told, key=lambda word: (folded.find(word), word))


def _summary(working: WorkingState, stable: StableView, recalled: int, turns: int) -> str:
    parts = [
        f"working_goal:{one_line(working.goal.text, _GOAL)}" if working.goal is not None else "",
        f"stable_goal:{one_line(stable.goal, _GOAL)}" if stable.goal is not None else "",
        f"retrieval:{recalled}" if recalled else "",
        f"recent_turns:{turns}" if turns else "",
    ]
    return "; ".join(filter(None, parts)) or MESSAGE_ONLY


def _short(text: str, most: int) -> str:
    return cut(" ".join(text.split()), most)
