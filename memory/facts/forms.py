"""What clients may store, made into drafts: without secrets, and with a key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memory.facts.draft import Draft
from memory.facts.keys import canonical_key
from memory.facts.memory import ALWAYS_TAGGED, CASE, CASES, PATTERN, PATTERNS, Memory, structured
from memory.facts.secrets import redact, redact_all

STORE, PROMOTE = "store", "promote"

_CATEGORIES: Mapping[str, str] = {PATTERN: PATTERNS, CASE: CASES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What a writer says beside whatever is stored."""

    importance: float                   # 0..1
    label: str                          # who it is
    tags: Sequence[str] = ()
    key: str | None = None              # canonical; None: derived
    details: Mapping[str, Any] = field(default_factory=dict)


def statement(text: str, *, category: str, beside: Beside, form: str = STORE) -> Draft:
    """A memory in its own words."""
    return _draft(text, category, form, beside)


def pattern(
    *, title: str, trigger: str, steps: Sequence[str], outcome: str | None, tools: Sequence[str], beside: Beside
) -> Draft:
    """A way of working that may be used again."""
    parts = {"title": title, "trigger": trigger, "steps": list(steps), "outcome": outcome, "tools": list(tools)}
    return _of_parts(PATTERN, parts, beside)


def case(
    *,
    title: str,
    problem: str,
    context: str | None,
    steps: Sequence[str],
    outcome: str | None,
    tools: Sequence[str],
    beside: Beside,
) -> Draft:
    """A problem that was solved."""
    parts = {
        "title": title, "problem": problem, "context": context, "steps": list(steps), "outcome": outcome,
        "tools": list(tools),
    }  # fmt: skip
    return _of_parts(CASE, parts, beside)


def _of_parts(kind: str, parts: Mapping[str, Any], beside: Beside) -> Draft:
    secrets: dict[str, None] = {}
    clean = redact_all({"kind": kind, **parts}, secrets)
    tagged = replace(beside, tags=with_tags(beside.tags, ALWAYS_TAGGED[kind]))
    return _draft(text_of(clean), _CATEGORIES[kind], kind, tagged, structure=clean, secrets=secrets)


def with_tags(tags: Sequence[str], more: Sequence[str]) -> tuple[str, ...]:
    """Tags with those that are always there, each once whatever its case."""
    kept: dict[str, str] = {}
    for tag in (*tags, *more):
        kept.setdefault(tag.casefold(), tag)
    return tuple(kept.values())


def text_of(structure: Mapping[str, Any]) -> str:
    """A pattern or case as a text, one line for each part."""
    get = structure.get
    if get("kind") == PATTERN:
        lines = [f"Workflow pattern: {get('title')}", f"Use when: {get('trigger')}", "Steps:"]
    else:
        lines = [f"Case: {get('title')}", f"Problem: {get('problem')}"]
        lines += [f"Context: {get('context')}"] if get("context") else []
        lines += ["Solution:"]
    lines += [f"{number}. {step}" for number, step in enumerate(get("steps") or (), 1)]
    lines += [f"Tools: {', '.join(get('tools') or ())}"] if get("tools") else []
    lines += [f"Outcome: {get('outcome')}"] if get("outcome") else []
    return "\n".join(lines)


def _draft(
    text: str,
    category: str,
    form: str,
    beside: Beside,
    *,
    structure: Mapping[str, Any] | None = None,
    secrets: Mapping[str, None] | None = None,
) -> Draft:
    """``secrets`` are kinds that were taken out already."""
    done = redact(text)
    taken = {**(secrets or {}), **dict.fromkeys(done.secrets)}
    tags = tuple(redact_all(list(beside.tags), taken))
    details = redact_all(dict(beside.details), taken)
    return Draft(
        text=done.text,
        memory=Memory(
            category=category,
            importance=beside.importance,
            boundary=structured(category),
            label=beside.label,
            tags=tags,
            key=canonical_key(
                category,
                done.text,
                given=redact(beside.key).text if beside.key is not None else None,
                title=str(structure["title"]) if structure is not None else None,
            ),
            form=form,
            structure=structure,
            redacted=tuple(taken),
            warned=done.personal,
            details=details,
        ),
    )
