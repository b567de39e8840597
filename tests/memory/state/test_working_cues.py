"""What of a message speaks of the work, line by line."""

from __future__ import annotations

import pytest

from memory.state.working_cues import CONSTRAINT, DECISION, GOAL, PROGRESS, QUESTION, is_reply, read

LINES = [
    # lines that say what they are
    ("goal: Ship the memory server", [(GOAL, "Ship the memory server")]),
    ("- Goal:  ship   it", [(GOAL, "ship it")]),
    ("constraint: no Redis", [(CONSTRAINT, "no Redis")]),
    ("Constraint reminder: no Redis", [(CONSTRAINT, "no Redis")]),
    ("decision: use SQLite", [(DECISION, "use SQLite")]),
    ("open question: which port?", [(QUESTION, "which port?")]),
    ("status: half done", [(PROGRESS, "half done")]),
    ("progress: half done", [(PROGRESS, "half done")]),
    ("todo: write the docs", []),
    ("risk: the disk is full", []),
    ("目标：六月上线", [(GOAL, "六月上线")]),
    ("约束：不用 Redis", [(CONSTRAINT, "不用 Redis")]),
    ("决定：用 SQLite", [(DECISION, "用 SQLite")]),
    ("问题：用哪个端口", [(QUESTION, "用哪个端口")]),
    ("进展：完成一半", [(PROGRESS, "完成一半")]),
    # goals in free words
    ("I'm trying to learn Spanish before June.", [(GOAL, "learn Spanish before June")]),
    ("We want to ship v1.2 in May.", [(GOAL, "ship v1.2 in May")]),
    ("I need to find a flat", [(GOAL, "find a flat")]),
    ("My goal is to run a marathon.", [(GOAL, "run a marathon")]),
    ("We are looking to move north.", [(GOAL, "move north")]),
    ("How can I speed up the index?", [(GOAL, "speed up the index"), (QUESTION, "How can I speed up the index?")]),
    (
        "What is the best way to cook rice?",
        [(GOAL, "cook rice"), (QUESTION, "What is the best way to cook rice?")],
    ),
    ("我们的目标是减少延迟", [(GOAL, "减少延迟")]),
    ("我想在六月前学会西班牙语。", [(GOAL, "在六月前学会西班牙语")]),
    ("如何提高检索速度？", [(GOAL, "提高检索速度"), (QUESTION, "如何提高检索速度？")]),
    # constraints in free words
    ("I prefer window seats.", [(CONSTRAINT, "prefer window seats")]),
    ("I'm looking for a quiet hotel.", [(CONSTRAINT, "looking for a quiet hotel")]),
    ("I don't want meetings on Friday.", [(CONSTRAINT, "avoid meetings on Friday")]),
    ("Make it not too long.", [(CONSTRAINT, "avoid long")]),
    ("Do it without Docker, please.", [(CONSTRAINT, "avoid Docker")]),
    ("Please avoid new dependencies.", [(CONSTRAINT, "avoid new dependencies")]),
    ("我们更喜欢短的会议。", [(CONSTRAINT, "偏好短的会议")]),
    ("不要加班。", [(CONSTRAINT, "避免加班")]),
    # decisions
    ("We decided to use SQLite v3.4 for it.", [(DECISION, "We decided to use SQLite v3.4 for it")]),
    ("We will move on Monday.", [(DECISION, "We will move on Monday")]),
    ("Agreed, the port stays.", [(DECISION, "Agreed, the port stays")]),
    ("我们决定用 SQLite。", [(DECISION, "我们决定用 SQLite")]),
    # what is not decided is none
    ("Nobody has decided it. They have not agreed.", [(DECISION, "Nobody has decided it")]),
    ("还没决定用哪个。", []),
    # questions
    ("Which port is free?", [(QUESTION, "Which port is free?")]),
    ("要不要加缓存？", [(QUESTION, "要不要加缓存？")]),
    # who somebody is and how far they are
    ("I'm a beginner in Rust.", [(PROGRESS, "I'm a beginner in Rust")]),
    ("我已经写完第一章。", [(PROGRESS, "我已经写完第一章")]),
    ("The weather is fine.", []),
]


@pytest.mark.parametrize(("line", "expected"), LINES, ids=[line for line, _ in LINES])
def test_a_line_is_read(line: str, expected: list[tuple[str, str]]) -> None:
    assert list(read(line)) == expected


def test_two_characters_that_mean_a_line_end_count_as_one() -> None:
    assert list(read("goal: ship\\nconstraint: no Redis\r\ndecision: SQLite")) == [
        (GOAL, "ship"),
        (CONSTRAINT, "no Redis"),
        (DECISION, "SQLite"),
    ]


def test_a_sentence_may_say_two_things() -> None:
    assert list(read("I want to build a server without Redis and ship it.")) == [
        (GOAL, "build a server without Redis and ship it"),
        (CONSTRAINT, "avoid Redis"),
    ]


def test_a_long_line_is_kept_short_and_a_long_text_is_not_read_to_its_end() -> None:
    (found,) = read("goal: " + "x" * 1_000)
    assert len(found[1]) == 300
    assert list(read("filler " * 10_000 + "\ngoal: late")) == []


def test_what_an_assistant_said_is_told_by_its_mark() -> None:
    assert is_reply("Assistant reply: Current goal: ship.")
    assert is_reply("  assistant reply: x")
    assert not is_reply("The assistant reply: was late")
