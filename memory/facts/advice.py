"""What may be done about a conflict, told from the two texts alone; and a careful wording of both."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime

from memory.facts.conflict import OWNERSHIP, PROMOTION, Conflict, lifecycle
from memory.facts.keys import slug

ACCEPT, KEEP, REVIEW = "accept_incoming", "keep_existing", "manual_review"
HIGH, MEDIUM, LOW = "high", "medium", "low"

_ALIKE, _UNLIKE = 0.72, 0.35
_SAME = 0.98
_CLEARLY_SHORTER = 2        # characters
_MERGED_LONGER = 180        # characters that a merged text may have more than the longer of the two
_CLUSTER_LIMIT = 960

_HAN = re.compile(r"[\u3400-\u9fff]")
_SENTENCES = re.compile(r"(?<=[。！？!?;；])|\n|(?<=\.)\s")
_COMMAS = re.compile(r"[，,]")
_ENDS = " \t。！？!?;；，,."


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Derived whenever somebody looks; never stored."""

    suggested: str
    confidence: str
    similarity: float           # 0..1, two decimals
    cluster_key: str
    cluster_label: str
    reasons: tuple[str, ...]
    merged: str | None = None   # a wording of both, where a careful one can be told


def compact(text: str) -> str:
    """Letters and digits only."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return "".join(char for char in folded if unicodedata.category(char)[0] not in "PSZC")


def similarity(one: str, other: str) -> float:
    """How many triples of characters two texts share: 0..1, two decimals."""
    first, second = compact(one), compact(other)
    if not first or not second:
        return 0.0
    if first == second:
        return 1.0
    grams, others = _grams(first), _grams(second)
    return int(100 * len(grams & others) / len(grams | others) + 0.5) / 100


def _grams(text: str) -> frozenset[str]:
    if len(text) <= 3:
        return frozenset([text])
    return frozenset(text[at : at + 3] for at in range(len(text) - 2))


def advise(conflict: Conflict, now: datetime) -> Advice:
    """What the texts of a conflict speak for."""
    alike = similarity(conflict.existing.text, conflict.incoming.text)
    stage = lifecycle(conflict, now)
    suggested, confidence, reason = _judge(conflict, alike, pressing=stage.needs_attention)
    merged = merge_of(conflict, alike) if suggested == REVIEW else None
    reasons = [reason]
    if merged is not None:
        reasons.append("A merged wording of both statements is available.")
    if stage.needs_attention:
        reasons.append(f"The conflict is {stage.attention} and should be reviewed soon.")
    elif conflict.reopen_count:
        reasons.append("It was reopened: verify that the earlier decision still holds.")
    return Advice(
        suggested=suggested,
        confidence=confidence,
        similarity=alike,
        cluster_key=cluster_key(conflict),
        cluster_label=f"{conflict.category} / {conflict.key}",
        reasons=tuple(reasons),
        merged=merged,
    )


def cluster_key(conflict: Conflict) -> str:
    """The same for conflicts about the same key, for the same reason, in the same category."""
    return f"{slug(conflict.key) or conflict.key}::{conflict.reason}::{conflict.category}"[:_CLUSTER_LIMIT]


def _judge(conflict: Conflict, alike: float, *, pressing: bool) -> tuple[str, str, str]:
    old, new = compact(conflict.existing.text), compact(conflict.incoming.text)
    same_category = conflict.existing.memory.category == conflict.category
    if old == new:
        return KEEP, HIGH, "Incoming text is equivalent to the existing durable text."
    if conflict.reason == OWNERSHIP and not same_category:
        confidence = HIGH if conflict.reopen_count else MEDIUM
        return KEEP, confidence, "The canonical key is already owned by another durable category."
    if conflict.reason == PROMOTION and same_category and alike >= _ALIKE:
        if len(old) - len(new) > _CLEARLY_SHORTER:
            return ACCEPT, MEDIUM, "Incoming text looks like a tighter rewrite of the existing durable text."
        if len(new) - len(old) > _CLEARLY_SHORTER:
            return KEEP, MEDIUM, "Existing durable text already looks like the tighter rewrite."
        return REVIEW, LOW, "Both texts are very similar and neither is clearly better."
    if alike < _UNLIKE:
        return REVIEW, HIGH if pressing else MEDIUM, "The texts are materially different and need a person's decision."
    return REVIEW, LOW, "The texts overlap in part; an operator has to decide."


def merge_of(conflict: Conflict, alike: float) -> str | None:
    """Both statements in one text, or None where that would say nothing new or say it clumsily."""
    if conflict.reason != PROMOTION or conflict.existing.memory.category != conflict.category:
        return None
    if not _UNLIKE <= alike < _SAME:
        return None
    old, new = conflict.existing.text, conflict.incoming.text
    kept: list[str] = []
    for clause in (*_clauses(old), *_clauses(new)):
        _keep(kept, clause)
    chinese = bool(_HAN.search(old) or _HAN.search(new))
    merged = f"{'；'.join(kept)}。" if chinese else f"{'. '.join(kept)}."
    if compact(merged) in (compact(old), compact(new)) or len(merged) > max(len(old), len(new)) + _MERGED_LONGER:
        return None
    return merged


def _keep(kept: list[str], clause: str) -> None:
    """Add a clause unless one that says it is there; a longer one takes the place of what it contains."""
    own = compact(clause)
    if not own:
        return
    for place, other in enumerate(kept):
        theirs = compact(other)
        if own in theirs:
            return
        if theirs in own:
            kept[place] = clause
            return
    kept.append(clause)


def _clauses(text: str) -> list[str]:
    parts = [part.strip(_ENDS) for part in _SENTENCES.split(text)]
    parts = [part for part in parts if part]
    if len(parts) == 1:
        parts = [part for piece in _COMMAS.split(parts[0]) if (part := piece.strip(_ENDS))]
    return parts
