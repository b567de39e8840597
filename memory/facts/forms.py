"""What clients may store, made into drafts: without secrets, and with a key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory.facts.draft import Draft
from memory.facts.keys import canonical_key
from memory.facts.memory import CASE, CASES, PATTERN, PATTERNS, Memory, structured
from memory.facts.secrets import redact, redact_all

STORE, PROMOTE = "store", "promote"


def statement(
    text: str,
    *,
    category: str,
    importance: float,
    label: str,
    tags: Sequence[str] = (),
    key: str | None = None,
    details: Mapping[str, Any] | None = None,
    form: str = STORE,
) -> Draft:
    """A memory in its own words."""
    return _draft(
        text, category=category, importance=importance, label=label, tags=tags, key=key, details=details, form=form
    )


def pattern(
    *,
    title: str,
    trigger: str,
    steps: Sequence[str],
    outcome: str | None,
    tools: Sequence[str],
    importance: float,
    label: str,
    tags: Sequence[str],
    key: str | None,
    details: Mapping[str, Any] | None = None,
) -> Draft:
    """A way of working that may be used again."""
    structure = {
        "kind": PATTERN, "title": title, "trigger": trigger, "steps": list(steps), "outcome": outcome,
        "tools": list(tools),
    }  # fmt: skip
    return _draft(
        "", category=PATTERNS, importance=importance, label=label, tags=with_tags(tags, ("workflow", "pattern")),
        key=key, details=details, form=PATTERN, structure=structure,
    )  # fmt: skip


def case(
    *,
    title: str,
    problem: str,
    context: str | None,
    steps: Sequence[str],
    outcome: str | None,
    tools: Sequence[str],
    importance: float,
    label: str,
    tags: Sequence[str],
    key: str | None,
    details: Mapping[str, Any] | None = None,
) -> Draft:
    """A problem that was solved."""
    structure = {
        "kind": CASE, "title": title, "problem": problem, "context": context, "steps": list(steps),
        "outcome": outcome, "tools": list(tools),
    }  # fmt: skip
    return _draft(
        "", category=CASES, importance=importance, label=label, tags=with_tags(tags, ("case", "solution")),
        key=key, details=details, form=CASE, structure=structure,
    )  # fmt: skip


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
    *,
    category: str,
    importance: float,
    label: str,
    tags: Sequence[str],
    key: str | None,
    details: Mapping[str, Any] | None,
    form: str,
    structure: Mapping[str, Any] | None = None,
) -> Draft:
    secrets: dict[str, None] = {}
    if structure is not None:
        structure = redact_all(structure, secrets)
        text = text_of(structure)
    done = redact(text)
    secrets |= dict.fromkeys(done.secrets)
    title = str(structure["title"]) if structure is not None else None
    clean_tags = tuple(redact_all(list(tags), secrets))
    given = redact(key).text if key is not None else None
    return Draft(
        text=done.text,
        memory=Memory(
            category=category,
            importance=importance,
            boundary=structured(category),
            label=label,
            tags=clean_tags,
            key=canonical_key(category, done.text, given=given, title=title),
            form=form,
            structure=structure,
            redacted=tuple(secrets),
            warned=done.personal,
            details=redact_all(dict(details or {}), secrets),
        ),
    )
