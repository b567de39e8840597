"""When two statements are the same, and when one cannot stand beside the other."""

from __future__ import annotations

import pytest

from memory.facts.rules.compare import contradicts, fold_object, related_slots, same_statement
from memory.facts.rules.draft import Draft
from tests.memory.facts.rules_told import told


def statement(slot: str | None, value: str, *, negated: bool = False, entity: str = "master") -> Draft:
    return Draft(text="…", language="en", slot=slot, object=fold_object(value), negated=negated, entity=entity)


def test_folding_takes_case_width_articles_and_marks_away() -> None:
    assert fold_object("The Ｂｌｕｅ Cat!") == "blue cat"
    assert fold_object("A型") == "a型"
    assert fold_object("《星际穿越》") == "星际穿越"


def test_wordings_of_one_value_are_the_same_statement() -> None:
    assert same_statement(statement("pet", "a cat"), statement("pet", "cats"))
    assert not same_statement(statement("pet", "a cat"), statement("pet", "a dog"))
    assert not same_statement(statement("pet", "two cats"), statement("pet", "three cats and 1 dog"))


def test_polarity_slot_and_subject_tell_statements_apart() -> None:
    one = statement("preference", "tea")
    assert not same_statement(one, statement("preference", "tea", negated=True))
    assert not same_statement(one, statement("fear", "tea"))
    assert not same_statement(one, statement("preference", "tea", entity="neko"))


def test_statements_without_a_slot_or_value_are_never_compared() -> None:
    assert not same_statement(statement(None, "tea"), statement(None, "tea"))
    assert not contradicts(statement("home", ""), statement("home", "Rome"))


def test_another_value_in_a_slot_for_one_contradicts() -> None:
    assert contradicts(statement("home", "Rome"), statement("home", "Oslo"))
    assert contradicts(statement("favourite:color", "red"), statement("favourite:color", "blue"))
    assert not contradicts(statement("favourite:color", "red"), statement("favourite:food", "pizza"))
    assert not contradicts(statement("pet", "a cat"), statement("pet", "a dog"))


def test_a_more_exact_value_does_not_contradict() -> None:
    assert not contradicts(statement("home", "上海浦东"), statement("home", "上海"))
    assert not contradicts(statement("birthday", "05"), statement("birthday", "05-02"))


def test_a_name_is_no_part_of_another() -> None:
    assert contradicts(statement("name", "王明"), statement("name", "王小明"))


def test_opposite_polarity_contradicts() -> None:
    assert contradicts(statement("preference", "coffee", negated=True), statement("preference", "coffee"))
    assert contradicts(statement("preference", "coffee"), statement("preference", "coffee", negated=True))


def test_to_deny_the_general_denies_the_particular_but_not_the_other_way_round() -> None:
    assert contradicts(statement("pet", "cat", negated=True), statement("pet", "a cat named Momo"))
    assert not contradicts(statement("pet", "a cat named Momo", negated=True), statement("pet", "cat"))


def test_a_denied_value_does_not_contradict_another_one() -> None:
    assert not contradicts(statement("home", "Rome", negated=True), statement("home", "Oslo"))


def test_what_one_does_may_be_told_in_several_slots() -> None:
    assert contradicts(statement("diet", "alcohol", negated=True), statement("habit", "drink alcohol"))
    assert related_slots("habit") == {"habit", "diet", "hobby", "skill"}
    assert related_slots("home") == {"home"}
    assert related_slots(None) == frozenset()


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I live in Rome", "I just moved to Naples"),
        ("I live in Rome", "I don't live in Rome anymore"),
        ("I work at Ford", "I got a new job at Tesla"),
        ("I'm a nurse", "I'm a doctor now"),
        ("I love coffee", "I can't stand coffee these days"),
        ("My favorite food is pizza", "tacos are my favorite food now"),
        ("I'm 20", "I just turned 21"),
        ("I'm vegan", "I'm not vegan anymore"),
        ("I have a dog named Rex", "I don't have a dog anymore"),
        ("I smoke", "I quit smoking"),
        ("I play the guitar", "I don't play the guitar anymore"),
        ("我住在北京", "我搬到上海了"),
        ("我住在北京", "我不在北京了"),
        ("我在百度上班", "我从百度离职了"),
        ("我是老师", "我不是老师了"),
        ("我喜欢喝咖啡", "我现在不爱喝咖啡了"),
        ("我单身", "我有女朋友了"),
        ("我养了一只狗", "我不养狗了"),
        ("我抽烟", "我戒烟了"),
        ("我每天跑步", "我不跑步了"),
        ("我对花生过敏", "我对花生不过敏"),
    ],
)
def test_a_later_statement_contradicts_the_earlier_one(earlier: str, later: str) -> None:
    assert any(contradicts(new, old) for new in told(later) for old in told(earlier))


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I have a cat", "I also have a dog"),
        ("I like tea", "I like coffee"),
        ("my sister lives in Dallas", "my brother lives in Rome"),
        ("我养了一只猫", "我还养了一只狗"),
        ("我住在上海", "我住在上海浦东"),
    ],
)
def test_statements_that_can_stand_together_do(earlier: str, later: str) -> None:
    assert not any(contradicts(new, old) for new in told(later) for old in told(earlier))
