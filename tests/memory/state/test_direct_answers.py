"""Answers that need no model."""

from __future__ import annotations

import pytest

from memory.state.direct import Known, answer
from memory.state.stable import StableView
from memory.state.working import Item, WorkingState

STABLE = StableView(
    goal="ship the server",
    constraints=("no Redis", "one process"),
    decisions=("use SQLite.",),
    todos=("write the docs",),
    questions=("which port?",),
)
WORKING = WorkingState(
    goal=Item(text="fix the build"),
    constraints=(Item(text="No redis"), Item(text="no Docker")),
    decisions=(Item(text="keep the port"),),
)
ALL = Known(stable=STABLE, working=WORKING, recalled=("todo: call Ann\nSome words.",))
NOTHING = Known(stable=StableView(), working=WorkingState())

GOAL = "Current goal: ship the server."
CONSTRAINTS = "Current constraints: no Redis; one process; no Docker."
DECISIONS = "Key decisions: use SQLite; keep the port."
OPEN = "Open work: write the docs; call Ann; open question: which port?."

QUESTIONS = [
    ("What is the current goal?", GOAL),
    ("Tell me the objective", GOAL),
    ("goal?", GOAL),
    ("Which constraints apply", CONSTRAINTS),
    ("List the constraints.", CONSTRAINTS),
    ("Are there any constraints?", CONSTRAINTS),
    ("Summarize our decisions", DECISIONS),
    ("What have we decided?", DECISIONS),
    ("What is the open work?", OPEN),
    ("What are the todos?", OPEN),
    ("What are the next steps?", OPEN),
    ("What are the goal and the constraints?", f"{GOAL} {CONSTRAINTS}"),
    ("当前目标是什么？", "当前目标：ship the server。"),
    ("有哪些约束？", "当前约束：no Redis；one process；no Docker。"),
    ("列出我们的决定", "关键决定：use SQLite；keep the port。"),
    ("还有什么待办？", "待办事项：write the docs；call Ann；open question: which port?。"),
]


@pytest.mark.parametrize(("question", "expected"), QUESTIONS, ids=[question for question, _ in QUESTIONS])
def test_what_is_known_is_told(question: str, expected: str) -> None:
    assert answer(question, ALL) == expected


@pytest.mark.parametrize(
    "message",
    [
        "The goal is nice.",                    # no question
        "What is the weather?",                 # about nothing of these
        "Why is this the goal?",                # for a reason
        "Who made the decisions?",
        "When was the goal set?",
        "How do the constraints fit?",
        "Should we change the goal?",
        "What changed in the decisions?",
        "为什么是这个目标？",
        "目标应该改吗？",
    ],
)
def test_other_questions_are_left_to_a_model(message: str) -> None:
    assert answer(message, ALL) is None


@pytest.mark.parametrize("question", [question for question, _ in QUESTIONS])
def test_what_is_not_known_is_left_to_a_model(question: str) -> None:
    assert answer(question, NOTHING) is None


def test_where_a_part_is_not_known_the_whole_is_left_to_a_model() -> None:
    known = Known(stable=StableView(goal="ship"), working=WorkingState())
    assert answer("What are the goal and the constraints?", known) is None


def test_the_goal_is_the_settled_one_then_the_present_one_then_one_that_was_recalled() -> None:
    recalled = ("Some words.\nGoal: from long ago",)
    assert answer("What is the goal?", Known(stable=StableView(), working=WORKING, recalled=recalled)) == (
        "Current goal: fix the build."
    )
    assert answer("What is the goal?", Known(stable=StableView(), working=WorkingState(), recalled=recalled)) == (
        "Current goal: from long ago."
    )


def test_five_items_are_told_at_most_and_of_more_the_latest() -> None:
    many = StableView(decisions=tuple(f"d{number}" for number in range(9)))
    told = answer("What are the decisions?", Known(stable=many, working=WorkingState()))
    assert told == "Key decisions: d4; d5; d6; d7; d8."
