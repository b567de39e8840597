"""How firmly a message is kept, and whether a digest follows it: by rules, the first that fits decides. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from memory.state import structured
from memory.state.budget import units
from memory.state.plan import CONSERVATIVE, DEFAULT, DOCUMENT_HEAVY, is_acknowledgement
from memory.state.structured import labels, lines_of

EPHEMERAL, CANDIDATE, STABLE, DOCUMENTED = "ephemeral", "candidate", "stable", "documented"
TIERS = (EPHEMERAL, CANDIDATE, STABLE, DOCUMENTED)
AUTO, FORCE, SKIP = "auto", "force", "skip"

_READ = 20_000          # characters of a message that are looked at
_LONG = 280             # UTF-16 units from which a message is a document
_SPLIT_FROM = 2         # marked lines from which each line is an event of its own
_KEY_DIGITS = 12

_FIRM = frozenset({structured.GOAL, structured.CONSTRAINT, structured.DECISION, structured.TODO})
_INTENT = re.compile(
    r"\b(?:i|we)(?:['’]m|['’]re| am| are)(?: \w+)? (?:trying|looking) to\b|\b(?:trying|looking) to\b"
    r"|\b(?:i|we)(?: really| just| also)? want to\b|\b(?:i|we)(?:['’]d| would)(?: really)? like to\b"
    r"|\bmy goal is to\b|\b(?:i|we)(?:['’]d| would)?(?: really| much)? prefer\b"
    r"|(?:我|我们)(?:现在|正在|一直|真的|很)?(?:想要?(?!知道|问)|希望|打算|正努力|试图)|我的?目标是|我们?(?:更喜欢|偏好|更倾向)",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(
    r"\buploaded (?:\w+ ){0,2}(?:docs?|documents?|files?)\b|\bdoc(?:ument)?s? updates?\b"
    r"|\bupdated (?:the |our )?(?:docs?|documents?)\b|\b(?:specs?|specifications?|architecture|roadmaps?)\b"
    r"|上传的?(?:文档|文件)|文档(?:已?更新|更新)|更新了?(?:文档|文件)|规格|规范|架构|路线图",
    re.IGNORECASE,
)
_WEIGHTY = re.compile(
    r"\b(?:decided?|decides|deciding|decisions?|constraints?|must|cannot|can['’]t|todos?|to-dos?|next steps?|"
    r"action items?|blocked|risks?)\b|决定|决策|约束|限制|必须|不能|不得|待办|下一步|阻塞|受阻|风险",
    re.IGNORECASE,
)
# profile → tier of a message about documents, of one with weighty words, of any other
_TABLE: Mapping[str, tuple[str, str, str]] = {
    DEFAULT: (DOCUMENTED, STABLE, CANDIDATE),
    CONSERVATIVE: (DOCUMENTED, CANDIDATE, EPHEMERAL),
    DOCUMENT_HEAVY: (DOCUMENTED, STABLE, CANDIDATE),
}
_DIGESTED: Mapping[str, frozenset[str]] = {
    DEFAULT: frozenset({STABLE, DOCUMENTED}),
    CONSERVATIVE: frozenset({DOCUMENTED}),
    DOCUMENT_HEAVY: frozenset({CANDIDATE, STABLE, DOCUMENTED}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a caller chose."""

    profile: str = DEFAULT
    tier: str | None = None                 # None: by rules
    promote_long: bool = False              # long messages are documents
    digest: str = AUTO
    digest_on_candidate: bool = False
    recall_limit: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What was decided, and why in one word."""

    value: str
    reason: str


def tier_of(message: str, policy: Policy) -> Decided:
    """How firmly a message is kept."""
    if policy.tier is not None:
        return Decided(value=policy.tier, reason="explicit_write_tier")
    told = message[:_READ]
    if is_acknowledgement(told):
        return Decided(value=EPHEMERAL, reason="empty_or_acknowledgement")
    if any(label in _FIRM for label in labels(told)):
        return Decided(value=STABLE, reason="structured_line")
    if _INTENT.search(told):
        return Decided(value=STABLE, reason="stated_intent")
    is_long = units(message) > _LONG or "\n" in message.strip()
    if policy.promote_long and is_long:
        return Decided(value=DOCUMENTED, reason="long_form_promoted")
    about_document, weighty, other = _TABLE[policy.profile]
    if _DOCUMENT.search(told):
        return Decided(value=about_document, reason="document_reference")
    if policy.profile == DOCUMENT_HEAVY and is_long:
        return Decided(value=about_document, reason="long_form")
    if _WEIGHTY.search(told):
        return Decided(value=weighty, reason="decision_language")
    return Decided(value=other, reason="default")


def digests(tier: str, policy: Policy) -> tuple[bool, str]:
    """Whether a digest follows a message of that tier, and why."""
    if policy.digest == SKIP:
        return False, "skipped_by_input"
    if policy.digest == FORCE:
        return True, "forced_by_input"
    if tier in _DIGESTED[policy.profile]:
        return True, f"auto_{tier}"
    if tier == CANDIDATE and policy.digest_on_candidate:
        return True, "auto_candidate_by_override"
    return False, f"not_needed_for_{tier}"


def pieces(message: str) -> list[str]:
    """The events that a message is: one, or its lines where several of them say what they are."""
    if len(labels(message)) < _SPLIT_FROM:
        return [message]
    return list(lines_of(message))


def document_key(message: str, named: str | None) -> str:
    """The key under which a message is a document: the one that was named, or one made from its text."""
    if named is not None and named.strip():
        return named
    digest = hashlib.sha1(message.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
    return f"runtime:{digest[:_KEY_DIGITS]}"
