"""What the texts of a conflict speak for, and how urgent a conflict is: the published vectors."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memory.facts.advice import advise, similarity
from memory.facts.clusters import audit, clusters_of, see
from memory.facts.conflict import KEPT, OPEN, OWNERSHIP, PROMOTION, Conflict, lifecycle, print_of
from memory.facts.draft import Draft
from memory.facts.memory import Memory, structured
from tests.fakes import MORNING


def memory(category: str = "entities") -> Memory:
    return Memory(category=category, importance=0.7, boundary=structured(category), key="a-key")


def conflict(
    existing: str, incoming: str, *, reason: str = PROMOTION, category: str = "entities", of: str = "entities"
) -> Conflict:
    return Conflict(
        id="conflict_1",
        key="a-key",
        category=category,
        reason=reason,
        fingerprint="f",
        existing_id="fact_1",
        existing=Draft(text=existing, memory=memory(of)),
        incoming=Draft(text=incoming, memory=memory(category)),
        created_at=MORNING,
        updated_at=MORNING,
    )


PREFERS = "User prefers concise, direct replies."
STAGING = "The staging cluster runs in eu-west-1 with three nodes and nightly backups"
STAGING_NOW = "The staging cluster runs in eu-west-1 with four nodes, weekly restore tests"
COLLOQUIAL = "User prefers colloquial writing that stays grounded and non-salesy."


@pytest.mark.parametrize(
    ("existing", "incoming", "alike", "suggested", "confidence"),
    [
        (PREFERS, "user prefers CONCISE direct replies", 1.0, "keep_existing", "high"),
        ("User prefers concise, direct replies in every chat.", PREFERS, 0.73, "accept_incoming", "medium"),
        (PREFERS, "User prefers concise, direct replies in chats.", 0.81, "keep_existing", "medium"),
        (
            "User prefers concise direct replies a", "User prefers concise direct replies b", 0.94, "manual_review",
            "low",
        ),
        (PREFERS, COLLOQUIAL, 0.15, "manual_review", "medium"),
        (STAGING, STAGING_NOW, 0.43, "manual_review", "low"),
        ("喜欢简洁直接的回复。不要废话。", "喜欢简洁直接的回复。代码要有注释。", 0.41, "manual_review", "low"),
    ],
)  # fmt: skip
def test_the_published_pairs(existing: str, incoming: str, alike: float, suggested: str, confidence: str) -> None:
    advice = advise(conflict(existing, incoming), MORNING)
    assert (advice.similarity, advice.suggested, advice.confidence) == (alike, suggested, confidence)


def test_a_merged_wording_holds_each_clause_once() -> None:
    advice = advise(conflict("喜欢简洁直接的回复。不要废话。", "喜欢简洁直接的回复。代码要有注释。"), MORNING)
    assert advice.merged == "喜欢简洁直接的回复；不要废话；代码要有注释。"
    english = advise(conflict(STAGING, STAGING_NOW), MORNING)
    assert english.merged == f"{STAGING}. The staging cluster runs in eu-west-1 with four nodes. weekly restore tests."


def test_full_stops_end_clauses_too() -> None:
    one = "The API runs on port 80. Logs go to disk."
    other = "The API runs on port 80. Traces go to the cloud."
    merged = advise(conflict(one, other), MORNING).merged
    assert merged is None or merged.count("port 80") == 1


def test_texts_far_apart_become_pressing_once_stale() -> None:
    old = conflict(PREFERS, COLLOQUIAL)
    advice = advise(old, MORNING + timedelta(days=3))
    assert (advice.suggested, advice.confidence) == ("manual_review", "high")
    assert advice.reasons[-1] == "The conflict is stale and should be reviewed soon."


def test_a_key_of_another_category_stays_with_its_owner() -> None:
    taken = conflict("A service", "Quite another", reason=OWNERSHIP, category="profile")
    assert (advise(taken, MORNING).suggested, advise(taken, MORNING).confidence) == ("keep_existing", "medium")
    again = replace(taken, reopen_count=1)
    assert advise(again, MORNING).confidence == "high"


def test_the_tighter_existing_text_is_told_of_in_the_published_words() -> None:
    advice = advise(conflict(PREFERS, "User prefers concise, direct replies in chats."), MORNING)
    assert advice.reasons[0] == "Existing durable text already looks like the tighter rewrite."


def test_similarity_of_short_and_empty_texts() -> None:
    assert similarity("!!!", "tea") == 0.0
    assert similarity("tea", "TEA!") == 1.0


@pytest.mark.parametrize(
    ("hours", "reopened", "attention"),
    [
        (23, 0, "fresh"), (24, 0, "aging"), (0, 1, "aging"), (72, 0, "stale"), (0, 2, "stale"),
        (168, 0, "escalated"), (0, 3, "escalated"),
    ],
)  # fmt: skip
def test_attention_grows_with_age_and_reopenings(hours: int, reopened: int, attention: str) -> None:
    one = replace(conflict("a", "b"), reopen_count=reopened)
    seen = lifecycle(one, MORNING + timedelta(hours=hours))
    assert (seen.attention, seen.is_open) == (attention, True)
    assert seen.needs_attention == (attention in ("stale", "escalated"))


def test_what_is_decided_needs_nobody_however_old() -> None:
    decided = replace(conflict("a", "b"), status=KEPT, reopen_count=2)
    seen = lifecycle(decided, MORNING + timedelta(days=30))
    assert (seen.attention, seen.open_days, seen.is_open) == ("resolved", 0, False)


def test_age_begins_again_when_a_conflict_is_reopened() -> None:
    later = MORNING + timedelta(days=9)
    reopened = replace(conflict("a", "b"), reopened_at=later, reopen_count=1)
    assert lifecycle(reopened, later + timedelta(hours=1)).open_days == 0


def test_long_questions_that_begin_alike_are_told_apart() -> None:
    start = "x" * 300
    prints = {print_of("k", "events", "fact_1", None, start + end) for end in ("a", "b")}
    assert len(prints) == 2


def test_a_conflict_comes_back_from_its_row() -> None:
    one = replace(conflict("a", "b"), notes="n", resolved_at=MORNING, source_id="fact_2")
    assert Conflict.from_json(one.to_json()) == one


def test_a_cluster_is_as_urgent_as_its_most_urgent_open_member() -> None:
    old = conflict("a", "b")
    decided = replace(old, id="conflict_2", status=KEPT, created_at=MORNING - timedelta(days=20))
    group, = clusters_of([see(old, "p", MORNING), see(decided, "p", MORNING)])
    assert (group.attention, group.open, group.total) == ("fresh", 1, 2)
    assert group.attentions == {"fresh": 1, "aging": 0, "stale": 0, "escalated": 0, "resolved": 1}


def test_an_audit_says_what_to_do_first() -> None:
    old = see(replace(conflict("a", "b"), created_at=MORNING - timedelta(days=8)), "p", MORNING)
    assert audit([old], 5).actions[0] == "Resolve 1 escalated cluster(s) first."
    nothing = audit([see(replace(conflict("a", "b"), status=KEPT), "p", MORNING)], 5)
    assert (nothing.actions, nothing.open) == (["No open conflicts need review."], 0)
    assert OPEN == "open"
