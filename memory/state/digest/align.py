"""What a digest says: built from the state, so that it is right whatever a model made of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memory.facts.sameness import normal
from memory.state.digest.likeness import count_words, has_cjk, likeness
from memory.state.digest_state import Changed, DigestState

WORDS = 120             # of a summary at most
CHANGES, STEPS = 3, 3
_DECISIONS = 8          # decisions that a summary names
_RECENT = 6             # changes of the state that are looked at
_LINE = 240             # characters of a line that is quoted

_PRIORITY: Mapping[str, int] = {
    "goal": 0, "decisions": 1, "constraints": 2, "openQuestions": 2, "risks": 3, "todos": 4,
}  # fmt: skip
_SAYS: Mapping[tuple[str, str], str] = {
    ("goal", "set"): "Goal: {}", ("goal", "reaffirm"): "Goal confirmed: {}",
    ("decisions", "add"): "Decided: {}", ("decisions", "remove"): "Taken back: {}",
    ("constraints", "add"): "Constraint: {}", ("constraints", "remove"): "Lifted: {}",
    ("openQuestions", "add"): "Open question: {}", ("openQuestions", "remove"): "Answered: {}",
    ("risks", "add"): "Risk: {}", ("risks", "remove"): "Resolved: {}",
    ("todos", "add"): "To do: {}", ("todos", "remove"): "Done: {}",
}  # fmt: skip
_NEW: Mapping[str, str] = {
    "decisions": "Decided: {}", "constraints": "Constraint: {}", "openQuestions": "Open question: {}",
    "risks": "Risk: {}", "todos": "To do: {}",
}  # fmt: skip
_NOTHING_TO_DO = "Review the latest events."


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a model said of a digest, or nothing."""

    summary: str = ""
    changes: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """What a digest says."""

    summary: str
    changes: tuple[str, ...]
    steps: tuple[str, ...]


def align(state: DigestState, draft: Draft) -> Text:
    """What the state says, with what a model made of it where that fits."""
    fresh = sum(state.transitions.values())
    return Text(
        summary=summary_of(state, draft.summary),
        changes=_changes(state, state.changes[-fresh:] if fresh else (), draft.changes),
        steps=_steps(state, draft.steps),
    )


def summary_of(state: DigestState, narrative: str = "") -> str:
    """Goal, constraints, decisions, the first question and risk, each while it fits; then what a model told."""
    lines: list[str] = []
    for sentence in _sentences(state):
        if count_words(" ".join([*lines, sentence])) <= WORDS:
            lines.append(sentence)
    told = " ".join(lines)
    more = " ".join(narrative.split())
    if more and count_words(f"{told} {more}") <= WORDS:
        return f"{told}\n{more}" if told else more
    if more and not told:
        return _cut_words(more)
    return told


def _sentences(state: DigestState) -> Iterable[str]:
    if state.goal is not None:
        yield f"Goal: {_closed(state.goal.value)}"
    if state.constraints:
        yield from _listed("Constraints", [one.value for one in state.constraints])
    if state.decisions:
        yield from _listed("Decisions", [one.value for one in state.decisions[-_DECISIONS:]])
    if state.questions:
        yield f"Open question: {_short(state.questions[0].value)}"
    if state.risks:
        yield f"Risk: {_closed(state.risks[0].value)}"


def _listed(name: str, values: Sequence[str]) -> Iterable[str]:
    """As many of the newest as a third of a summary holds, the oldest of them first."""
    kept: list[str] = []
    for value in reversed(values):
        if kept and count_words("; ".join([*kept, value])) > WORDS // 3:
            break
        kept.insert(0, _short(value).rstrip(".;。；"))
    yield f"{name}: {'; '.join(kept)}."


def _changes(state: DigestState, recent: Sequence[Changed], others: Sequence[str]) -> tuple[str, ...]:
    newest = list(recent[-_RECENT:])
    told = [
        (_PRIORITY[one.field], -place, _SAYS[one.field, one.action].format(_short(one.value)))
        for place, one in enumerate(newest)
        if one.field in _PRIORITY and (one.field, one.action) in _SAYS
    ]
    mentioned = [one.value for one in newest]
    added = {(one.field, normal(one.value)) for one in recent if one.action == "add"}
    for name, says in _NEW.items():
        values = state.of(name)
        if values and (name, normal(values[-1].value)) in added and _unsaid(values[-1].value, mentioned):
            told.append((_PRIORITY[name], -_RECENT, says.format(_short(values[-1].value))))
    lines = list(dict.fromkeys(line for _, _, line in sorted(told)))[:CHANGES]
    return tuple(lines) or tuple(_short(line) for line in others[:CHANGES])


def _steps(state: DigestState, others: Sequence[str]) -> tuple[str, ...]:
    steps = [_short(one.value) for one in state.todos[-STEPS:]]
    if state.risks:
        risk = _short(state.risks[-1].value)
        steps.append(f"解决风险：{risk}" if has_cjk(risk) else f"Resolve risk: {risk}")
    if not steps:
        steps = [_short(one) for one in others if one.strip()]
    if not steps and state.questions:
        steps = [f"Answer the open question: {_short(state.questions[0].value)}"]
    if not steps and state.goal is not None:
        steps = [f"Work towards the goal: {_short(state.goal.value)}"]
    return tuple(dict.fromkeys(steps))[:STEPS] or (_NOTHING_TO_DO,)


def _unsaid(value: str, said: Iterable[str]) -> bool:
    return all(likeness(value, one) < 0.8 for one in said)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LINE else f"{flat[: _LINE - 1]}…"


def _closed(text: str) -> str:
    flat = _short(text)
    return flat if flat.endswith((".", "!", "?", "。", "！", "？", "…")) else f"{flat}."


def _cut_words(text: str) -> str:
    kept = text
    while count_words(kept) > WORDS:
        kept = kept[: max(len(kept) * WORDS // (count_words(kept) + 1), 1) - 1].rstrip()
    return kept
