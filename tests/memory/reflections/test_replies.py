"""Telling yes from no and from neither, in English and Chinese."""

from __future__ import annotations

import pytest

from memory.reflections.replies import read_reply, wishes_to_avoid

NO = (
    "No.", "No, I don't.", "Nope", "nah, that was my sister", "Not really.", "That's not true", "I don't!",
    "That's wrong, I never liked it", "No no, you got it wrong", "no, not anymore", "You're mistaken about that",
    "I don't think so", "oh no, not at all", "不是", "不是的，我不喜欢", "不对，你记错了", "没有啊", "才不喜欢",
    "记错了", "你搞错了吧", "没有，我从来不喝", "不，我早就不喝了", "哪有", "才没有呢", "不對，你記錯了",
)  # fmt: skip
YES = (
    "Yes!", "Yeah I do", "Exactly.", "right, every morning", "You remembered!", "of course", "that's right",
    "I do, I love it", "yes, still do", "yep", "对", "对啊", "是的", "没错", "嗯嗯", "嗯，是的。", "你还记得啊", "当然",
    "对对对，每天都喝",
)  # fmt: skip
NEITHER = (
    "no problem", "no worries", "no way!", "No idea", "no thanks", "No, thanks", "right now I'm busy", "Really?",
    "I don't know what to do today", "That's true?", "hello there", "not bad", "I did my homework", "i am tired",
    "对了，我今天去了公园", "对不起", "对于这个我不清楚", "是吗？", "没关系", "没问题", "不客气", "不知道", "我不知道",
    "嗯？",
    "没事", "不好意思", "真的吗", "就是说", "不过我觉得还行", "> no", "She said “no”.", "",
)  # fmt: skip


@pytest.mark.parametrize("text", NO)
def test_a_no_is_heard(text: str) -> None:
    reply = read_reply(text)
    assert reply.denies
    assert not reply.affirms


@pytest.mark.parametrize("text", YES)
def test_a_yes_is_heard(text: str) -> None:
    reply = read_reply(text)
    assert reply.affirms
    assert not reply.denies


@pytest.mark.parametrize("text", NEITHER)
def test_what_only_sounds_like_one_is_neither(text: str) -> None:
    reply = read_reply(text)
    assert not reply.denies
    assert not reply.affirms


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("Well, I don't drink coffee anymore", ("i don't drink coffee anymore",)),
        ("其实我已经不喝茶了", ("其实我已经不喝茶了",)),
        ("I never said I like tea", ("i never said i like tea",)),
        ("I don't like rain", ()),           # no mistake pointed out, nothing taken back
        ("Don't I drink coffee anymore?", ()),
    ],
)
def test_a_denial_is_found_where_it_names_what_it_denies(text: str, clauses: tuple[str, ...]) -> None:
    assert read_reply(text).denying() == clauses


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("Please don't talk about my ex again", "my ex"),
        ("stop bringing up coffee", "coffee"),
        ("let's not talk about work today", "work"),
        ("Don't mention the exam, please", "the exam"),
        ("别再提我前男友了", "我前男友"),
        ("不要说工作的事了", "工作"),
        ("不想聊考试", "考试"),
        ("drop it", None),
        ("I don't want to talk about it", None),
        ("换个话题吧", None),
        ("别说了", None),
    ],
)
def test_a_wish_to_leave_something_is_heard(text: str, topic: str | None) -> None:
    wish = wishes_to_avoid(text)
    assert wish is not None
    assert wish.topic == topic


@pytest.mark.parametrize("text", ["don't talk to strangers", "我不想说话", "Let's talk about work", "聊聊考试吧"])
def test_other_sentences_about_talking_are_no_such_wish(text: str) -> None:
    assert wishes_to_avoid(text) is None


@pytest.mark.parametrize("piece", ["哈", "no ", "嗯", "不", "u", "对", "don't ", "别", "haha"])
def test_a_very_long_message_is_read_in_no_time(piece: str) -> None:
    # A pattern that backtracks would not come back from this within the test's limit.
    read_reply(piece * 5_000)
    wishes_to_avoid(piece * 5_000)
