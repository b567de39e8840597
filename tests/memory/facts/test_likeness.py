"""Which memories say the same, told without a model."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory.facts.fact import Fact
from memory.facts.keys import canonical_key
from memory.facts.likeness import CONTRADICTION, MERGE, REVIEW, clusters
from memory.facts.memory import Memory, structured
from tests.fakes import MORNING


def stored(number: int, text: str, *, category: str = "entities", importance: float = 0.7) -> Fact:
    return Fact(
        id=f"fact_{number}",
        text=text,
        created_at=MORNING + timedelta(minutes=number),
        memory=Memory(
            category=category, importance=importance, boundary=structured(category), key=canonical_key(category, text)
        ),
    )


def found(
    *texts: str, category: str = "entities", cluster_from: float = 0.85
) -> list[tuple[str, str, tuple[str, ...]]]:
    facts = [stored(number, text, category=category) for number, text in enumerate(texts)]
    return [
        (one.action, one.keep.text, tuple(other.text for other in one.others))
        for one in clusters(facts, cluster_from=cluster_from, merge_from=0.92, most=500)
    ]


LONG = "The billing service of the payments team runs on the staging cluster in Frankfurt and is backed up nightly"


def test_what_differs_in_punctuation_alone_is_merged() -> None:
    assert found("The API runs on Bun", "the api runs on bun!") == [
        (MERGE, "The API runs on Bun", ("the api runs on bun!",))
    ]


def test_the_one_that_says_more_is_kept() -> None:
    longer = LONG.replace("nightly", "nightly by cron")
    assert found(LONG, longer, cluster_from=0.8)[0][:2] == (MERGE, longer)


def test_one_other_word_is_never_merged() -> None:
    assert found(LONG, LONG.replace("Frankfurt", "Dublin")) == [
        (REVIEW, LONG, (LONG.replace("Frankfurt", "Dublin"),))
    ]


@pytest.mark.parametrize(
    "other",
    [LONG.replace("is backed", "is not backed"), f"{LONG} 7 times", LONG.replace("nightly", "nightly without fail")],
)
def test_numbers_and_negation_contradict(other: str) -> None:
    assert found(LONG, other, cluster_from=0.8)[0][0] == CONTRADICTION


def test_preferences_in_different_slots_are_never_merged() -> None:
    assert (
        found("我喜欢吃麦当劳的麦辣鸡翅", "我喜欢吃麦当劳的麦辣鸡腿", category="preferences", cluster_from=0.5) == []
    )
    tools = ("I prefer pnpm over npm", "I prefer npm over pnpm")
    assert found(*tools, category="preferences", cluster_from=0.5) == []


@pytest.mark.parametrize("category", ["events", "cases"])
def test_of_what_only_adds_up_nothing_but_repeats_is_merged(category: str) -> None:
    assert found("Deployed v2", "deployed  V2", "Deployed v2!", category=category) == [
        (MERGE, "Deployed v2", ("deployed  V2",))
    ]


def test_categories_are_kept_apart() -> None:
    facts = [stored(1, "The API runs on Bun"), stored(2, "The API runs on Bun", category="patterns")]
    assert clusters(facts, cluster_from=0.85, merge_from=0.92, most=500) == []


def test_the_same_memories_give_the_same_clusters_in_any_order() -> None:
    facts = [stored(number, f"The API number {number % 7} runs on Bun{'!' * (number % 2)}") for number in range(28)]
    one = clusters(facts, cluster_from=0.85, merge_from=0.92, most=500)
    assert one == clusters(list(reversed(facts)), cluster_from=0.85, merge_from=0.92, most=500)
    assert {len(group.others) for group in one if group.action == MERGE} == {3}


def test_the_stronger_of_two_equals_is_kept() -> None:
    facts = [stored(1, "The API runs on Bun"), stored(2, "The API runs on Bun.", importance=0.9)]
    (group,) = clusters(facts, cluster_from=0.85, merge_from=0.92, most=500)
    assert group.keep.id == "fact_2"
