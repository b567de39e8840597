"""Chinese statements that become facts."""

from __future__ import annotations

import pytest

from memory.facts.fact import MASTER, NEKO, RELATIONSHIP
from tests.memory.facts.rules_told import Names, one, told

STATEMENTS = [
    ("我叫林小雨", "name", "林小雨", "主人叫林小雨。"),
    ("你可以叫我小雨", "alias", "小雨", "主人希望被叫做小雨。"),
    ("我住在上海", "home", "上海", "主人住在上海。"),
    ("我上周搬到杭州了", "home", "杭州", "主人上周搬到杭州了（2026-04-27那周）。"),
    ("我是湖南人", "origin", "湖南", "主人是湖南人。"),
    ("我今年二十五岁", "age", "25", "主人今年二十五岁。"),
    ("我生日是8月19号哦", "birthday", "08 19", "主人生日是8月19号。"),
    ("我是一名程序员", "job", "程序员", "主人是一名程序员。"),
    ("我在一家银行上班", "workplace", "银行", "主人在一家银行上班。"),
    ("我学的是土木工程", "major", "土木工程", "主人学的是土木工程。"),
    ("我对芒果过敏", "allergy", "芒果", "主人对芒果过敏。"),
    ("我吃素", "diet", "吃素", "主人吃素。"),
    ("我妈是老师", "family", "妈是老师", "主人的妈是老师。"),
    ("我养了一只猫叫咪咪", "pet", "猫咪咪", "主人养了一只猫叫咪咪。"),
    ("我超喜欢下雨天", "preference", "下雨天", "主人超喜欢下雨天。"),
    ("我最喜欢的颜色是蓝色", "favourite:颜色", "蓝色", "主人最喜欢的颜色是蓝色。"),
    ("我怕打雷", "fear", "打雷", "主人怕打雷。"),
    ("我每天早上跑步", "habit", "跑步", "主人每天早上跑步。"),
    ("我会弹钢琴", "skill", "弹钢琴", "主人会弹钢琴。"),
    ("最近在学吉他", "learning", "吉他", "主人最近在学吉他。"),
    ("我想当老师", "wish", "当老师", "主人想当老师。"),
    ("我最近压力好大", "state", "压力好大", "主人最近压力好大。"),
    ("我今天拿到驾照了", "event", "拿到驾照了", "主人今天拿到驾照了（2026-05-04）。"),
]


@pytest.mark.parametrize(("said", "slot", "value", "text"), STATEMENTS, ids=[row[0] for row in STATEMENTS])
def test_a_statement_about_oneself_becomes_a_fact(said: str, slot: str, value: str, text: str) -> None:
    draft = one(said)
    assert (draft.slot, draft.object, draft.text) == (slot, value, text)
    assert (draft.entity, draft.language, draft.negated) == (MASTER, "zh", False)


@pytest.mark.parametrize(
    ("said", "slot", "value"),
    [
        ("我不吃香菜！！", "diet", "香菜"),
        ("我不喜欢运动", "preference", "运动"),
        ("我不会开车", "skill", "开车"),
        ("我从来不熬夜", "habit", "熬夜"),
        ("我没有兄弟姐妹", "family", "兄弟姐妹"),
        ("我不是学生", "grade", "学生"),
    ],
)
def test_a_denial_keeps_its_polarity(said: str, slot: str, value: str) -> None:
    draft = one(said)
    assert (draft.slot, draft.object, draft.negated) == (slot, value, True)


@pytest.mark.parametrize(
    "said",
    [
        "其实我住在苏州",
        "我不喜欢咖啡了",
        "我不在腾讯上班了",
        "说错了，我生日是9月3号",
        "我是湖北人不是湖南人",
        "我戒烟了",
    ],
)
def test_a_cue_of_change_marks_a_correction(said: str) -> None:
    assert one(said).correction


def test_what_is_taken_back_in_the_same_breath_does_not_stand() -> None:
    draft = one("其实我不是老师，我是护士")
    assert (draft.slot, draft.object, draft.negated, draft.correction) == ("job", "护士", False, True)


def test_a_configured_name_is_used() -> None:
    (draft,) = told("我喜欢你做的饭团", names=Names(neko="小天", master="阿宁")) or (None,)
    assert draft is None or draft.text == "阿宁喜欢小天做的饭团。"
    (home,) = told("我住在成都", names=Names(neko="小天", master="阿宁"))
    assert home.text == "阿宁住在成都。"


def test_traditional_characters_are_read_and_kept() -> None:
    draft = one("我喜歡貓")
    assert (draft.text, draft.object) == ("主人喜歡貓。", "猫")


def test_clauses_without_a_subject_carry_on_the_speakers() -> None:
    drafts = told("我叫小明，今年25岁，住在上海，是一名程序员")
    assert [(draft.slot, draft.object) for draft in drafts] == [
        ("name", "小明"),
        ("age", "25"),
        ("home", "上海"),
        ("job", "程序员"),
    ]


@pytest.mark.parametrize("said", ["小王住在杭州，是个医生", "我妈在银行上班，喜欢跳舞", "她很漂亮。住在杭州"])
def test_clauses_without_a_subject_do_not_become_the_speakers_after_someone_else(said: str) -> None:
    assert not [draft for draft in told(said) if draft.slot in ("job", "home", "preference")]


def test_a_statement_before_a_question_counts() -> None:
    assert one("我对海鲜过敏，那能吃紫菜吗？").object == "海鲜"


def test_what_should_be_remembered_is_as_important_as_can_be() -> None:
    draft = one("记住，我的车牌尾号是528")
    assert (draft.slot, draft.importance) == ("remember", 10)
    assert one("别忘了我对花生过敏").importance == 10


def test_a_reminder_for_the_character_is_no_fact() -> None:
    assert told("记得早点睡哦") == []


def test_facts_about_the_character_and_the_bond_have_their_own_subjects() -> None:
    assert one("你是我最好的朋友").entity == NEKO
    bond = one("我们约好了每周五一起看电影")
    assert (bond.entity, bond.text) == (RELATIONSHIP, "主人和Luna约好了每周五一起看电影。")


def test_we_of_a_company_or_family_is_not_the_two_who_talk() -> None:
    assert told("我们公司明天一起团建") == []


def test_both_languages_of_one_message_are_read() -> None:
    drafts = told("我住在深圳。 I work for a robotics company here.")
    assert [(draft.language, draft.slot) for draft in drafts] == [("zh", "home"), ("en", "workplace")]
