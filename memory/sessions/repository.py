"""Taking the state of a repository out of a checkpoint: it is no longer true when somebody reads it.

Only what speaks of a repository goes, sentence by sentence; the rest stays word for word. A
"staged rollout" is no staged change.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

FALLBACK_SUMMARY = "Checkpoint captured current task state without repo-state details."
FALLBACK_LOOP = "Current repo state still needs local verification if it matters for the next task."
FALLBACK_ACTION = "Verify current repo state locally if it matters for the next task."

_FILES = r"(?:changes?|files?|commits?|diffs?|hunks?|edits?|work|modifications?)"
_TAINTED = re.compile(
    "|".join(
        (
            r"\bgit[ -]status\b",
            r"\bgit stash\b|\bstash(?:ed)? (?:entry|entries|changes?|list)\b|\bstash@\{",
            rf"\b(?:un)?staged[ -]{_FILES}\b|\b{_FILES} (?:are |is |were |still |remain(?:s|ing)? )*(?:un)?staged\b"
            r"|\bstaged (?:for|to be) commit|\bnot staged\b",
            rf"\buncommitted\b|\buntracked\b|\bmodified[ -]files?\b|\b{_FILES} modified\b(?=\s*[:(])",
            r"\bdirty (?:repo(?:sitory)?|work(?:ing)?[ -]?tree|tree|checkout)\b"
            r"|\bwork(?:ing)?[ -]?(?:tree|directory) (?:is |was )?(?:clean|dirty)\b",
            r"\bnothing (?:added )?to commit\b",
            r"\b\d+ (?:commits?|changes?) (?:ahead|behind)\b|\b(?:ahead of|behind) ['\"]?origin\b"
            r"|\b(?:ahead|behind) by \d+\b|\bbranch (?:is )?(?:ahead|behind)\b",
            r"\b\d+ files? changed\b|\b\d+ (?:insertions?\(\+\)|deletions?\(-\))",
            r"\b\d+ (?:modified|deleted|added|renamed) files?\b",
            r"未提交|已修改文件|新增文件|未跟踪|未暂存|已暂存|暂存区|工作区(?:干净|有改动|不干净)|(?:领先|落后)\s*\d+\s*个提交",
        )
    ),
    re.IGNORECASE,
)
# Lines as the tools print them: " M src/a.ts", "?? b.ts", " src/a.ts | 12 +++--".
_PORCELAIN = re.compile(r"^\s*(?:[MADRCU?!]{2}|[MADRCU] ?[MADRCU]?)\s+\S*[./]\S*\s*$|^\s*\S+\s+\|\s+\d+\s+[+\-]+\s*$")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])\s*")
_BLANKS = re.compile(r"\s+")


def is_tainted(text: str) -> bool:
    """Whether a text speaks of the state of a repository."""
    return bool(_TAINTED.search(text)) or any(_PORCELAIN.match(line) for line in text.splitlines())


def clean_text(text: str) -> tuple[str, bool]:
    """The sentences that may stay, on one line, and whether any went."""
    sentences = [
        part
        for line in text.splitlines()
        for part in ([line] if _PORCELAIN.match(line) else _SENTENCE.split(line))
        if part and part.strip()
    ]
    kept = [part for part in sentences if not is_tainted(part)]
    if len(kept) == len(sentences):
        return _BLANKS.sub(" ", text).strip(), False
    return _BLANKS.sub(" ", " ".join(part.strip() for part in kept)).strip(), True


def clean_summary(text: str) -> tuple[str, bool]:
    """The same for a summary, which is never empty."""
    kept, changed = clean_text(text)
    return kept or FALLBACK_SUMMARY, changed


def clean_items(items: Sequence[str], fallback: str | None) -> tuple[tuple[str, ...], bool]:
    """The items that may stay, or the fallback where none may, and whether any went."""
    kept = tuple(item for item in items if not is_tainted(item))
    if len(kept) == len(items):
        return tuple(items), False
    if not kept and fallback is not None:
        kept = (fallback,)
    return kept, True
