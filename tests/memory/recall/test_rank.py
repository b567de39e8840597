"""What besides its words moves a document up or down, and what is no answer at all."""

from __future__ import annotations

from datetime import datetime, timedelta

from memory.people import Names
from memory.recall.document import TURN
from tests.fakes import MORNING, ZONE
from tests.memory.recall.samples import NAMES, ask, fact, facts, ids, indexed, texts, turn

# Enough unlike sentences that a word's rarity means something.
CROWD = [
    fact(100 + number, text)
    for number, text in enumerate((
        "The user works as a nurse in a children's hospital", "The user plays chess on Sundays",
        "The user has a grey cat called Sesame", "The user grew up in a village near the sea",
        "The user is learning Portuguese", "The user paints landscapes in oil", "主人喜欢在雨天散步",
        "主人的妹妹住在上海",
        "The user's brother owns a bakery", "The user dislikes loud restaurants",
    ))
]  # fmt: skip


def test_an_unrelated_question_finds_nothing() -> None:
    memory = indexed(CROWD)
    for question in (
        "How do quantum computers correct errors?", "What is the boiling point of helium?", "量子力学的基本原理是什么",
        "What does photosynthesis need besides light?", "株価の推移を教えてください", "환율은 얼마야?",
    ):  # fmt: skip
        assert texts(ask(memory, question)) == [], question


def test_sharing_only_stop_words_is_no_answer() -> None:
    assert texts(ask(indexed(CROWD), "What is it that we have been to, and why?")) == []
    assert texts(ask(indexed(CROWD), "你的是什么")) == []


def test_one_character_out_of_a_longer_word_is_no_answer() -> None:
    # 下雨 shares 雨 with 雨天; 海关税率 shares only 海 with 上海.
    assert texts(ask(indexed(CROWD), "海关税率调整")) == []


def test_a_single_chinese_character_finds_what_has_it() -> None:
    assert texts(ask(indexed([*CROWD, fact(1, "主人养了一只猫")]), "猫")) == ["主人养了一只猫"]


def test_traditional_characters_find_simplified_ones_and_the_other_way_round() -> None:
    assert texts(ask(indexed(facts("主人喜欢图书馆")), "圖書館")) == ["主人喜欢图书馆"]
    assert texts(ask(indexed(facts("主人喜歡圖書館")), "图书馆")) == ["主人喜歡圖書館"]


def test_what_was_replaced_stands_below_what_replaced_it_but_can_be_found() -> None:
    memory = indexed([fact(1, "The user lives in Munich", superseded=True), fact(9, "The user lives in Berlin now")])
    found = texts(ask(memory, "Where does the user live?"))
    assert found == ["The user lives in Berlin now", "The user lives in Munich"]
    assert texts(ask(memory, "Munich")) == ["The user lives in Munich"]


def test_near_repetitions_take_one_place() -> None:
    long = "The user spent a rainy week in Lisbon with an old friend from school and loved the trams there"
    memory = indexed([fact(1, long), fact(2, f"{long}!"), fact(3, long.replace("loved", "really loved")), *CROWD])
    assert ids(ask(memory, "rainy week in Lisbon")) == ["fact_1"]


def test_a_crowd_of_repetitions_does_not_hide_what_comes_after_it() -> None:
    same = [fact(number, "The user drinks black coffee in the morning") for number in range(1000, 1400)]
    others = [fact(number, f"Coffee in town {number} with friends of old and a long walk home") for number in range(20)]
    assert len(ids(ask(indexed([*same, *others]), "black coffee in the morning"))) == 8


def test_texts_that_differ_in_a_number_or_a_not_are_no_repetitions() -> None:
    memory = indexed(facts(
        "The user likes coffee", "The user does not like coffee",
        "The flight to Rome with the whole family and both dogs and all the luggage costs 210 euros in total",
        "The flight to Rome with the whole family and both dogs and all the luggage costs 340 euros in total",
    ))  # fmt: skip
    assert len(ids(ask(memory, "coffee"))) == 2
    assert len(ids(ask(memory, "flight to Rome"))) == 2


def test_the_same_statement_about_two_people_is_two_statements() -> None:
    memory = indexed([fact(1, "likes green tea", entity="master"), fact(2, "likes green tea", entity="neko")])
    assert set(ids(ask(memory, "green tea"))) == {"fact_1", "fact_2"}


def test_between_equals_the_newest_comes_first_and_then_the_id_decides() -> None:
    old, new = MORNING - timedelta(days=30), MORNING - timedelta(days=1)
    memory = indexed([
        fact(1, "coffee from Kenya", created_at=old), fact(2, "coffee from Peru", created_at=new),
        fact(4, "coffee from Java", created_at=new), fact(3, "coffee from Cuba", created_at=new),
    ])  # fmt: skip
    assert ids(ask(memory, "coffee")) == ["fact_2", "fact_3", "fact_4", "fact_1"]


def test_importance_and_evidence_decide_between_equals() -> None:
    memory = indexed([
        fact(1, "coffee from Kenya", created_at=MORNING, importance=5),
        fact(2, "coffee from Peru", created_at=MORNING, importance=9),
        fact(3, "coffee from Java", created_at=MORNING, evidence=4.0, importance=9),
    ])  # fmt: skip
    assert ids(ask(memory, "coffee")) == ["fact_3", "fact_2", "fact_1"]


def test_no_importance_outweighs_a_word() -> None:
    praised = fact(2, "coffee", importance=10, evidence=20.0)
    memory = indexed([fact(1, "coffee and cake", importance=1), praised, *CROWD])
    assert ids(ask(memory, "coffee with cake"))[0] == "fact_1"


# -- people -------------------------------------------------------------------------------


def test_a_turn_of_the_person_named_comes_first() -> None:
    talk = indexed([
        turn(1, "I went hiking in the mountains", speaker="Bob"),
        turn(2, "I went hiking in the hills", speaker="Alice"),
        turn(3, "Alice told me about hiking", speaker="Bob"),
    ])  # fmt: skip
    assert ids(ask(talk, "Where did Alice go hiking?", tiers=[TURN]))[0] == "turn_2"
    assert ids(ask(talk, "Where did bob's hiking trip go?", tiers=[TURN]))[0] in ("turn_1", "turn_3")


def test_a_name_inside_another_word_is_no_name() -> None:
    talk = indexed([turn(1, "the hiking trip", speaker="Al"), turn(2, "the hiking trip was long", speaker="Bo")])
    assert ids(ask(talk, "also the hiking trip long", tiers=[TURN]))[0] == "turn_2"


def test_a_chinese_name_is_found_inside_the_text() -> None:
    talk = indexed([turn(1, "我昨天去了海边", speaker="王峰"), turn(2, "我也去了海边", speaker="李雪")])
    assert ids(ask(talk, "王峰去了海边吗", tiers=[TURN]))[0] == "turn_1"


def test_facts_about_the_named_one_of_the_pair_come_first() -> None:
    memory = indexed([
        fact(1, "likes green tea in the morning", entity="neko"),
        fact(2, "likes green tea in the evening", entity="master"),
    ])  # fmt: skip
    assert ids(ask(memory, "Does Alice like green tea?", names=NAMES))[0] == "fact_2"
    assert ids(ask(memory, "Does Mochi like green tea?", names=NAMES))[0] == "fact_1"
    aliases = Names(neko="Mochi", master="Alice", neko_aliases=("糯米",))
    assert ids(ask(memory, "糯米 green tea", names=aliases))[0] == "fact_1"


# -- time ---------------------------------------------------------------------------------


def at(month: int, day: int) -> datetime:
    return datetime(2025, month, day, 18, tzinfo=ZONE)


def test_a_date_in_the_question_brings_its_day_up() -> None:
    talk = indexed([
        turn(1, "I saw an exhibition of maps", at=at(5, 2)), turn(2, "I saw an exhibition of clocks", at=at(5, 9)),
        turn(3, "I saw an exhibition of vases", at=at(6, 2)),
    ])  # fmt: skip
    for question in ("Which exhibition did I see on May 2nd?", "5月2日 exhibition", "exhibition, 2 May 2025"):
        assert ids(ask(talk, question, tiers=[TURN]))[0] == "turn_1"
    assert ids(ask(talk, "exhibition in June 2025", tiers=[TURN]))[0] == "turn_3"


def test_a_day_alone_finds_what_was_said_that_day() -> None:
    talk = indexed([turn(1, "Maps are great", at=at(5, 2)), turn(2, "So are clocks", at=at(5, 9))])
    assert ids(ask(talk, "What did we speak of on May 9?", tiers=[TURN])) == ["turn_2"]


def test_the_first_conversation_can_be_asked_for() -> None:
    talk = indexed([
        turn(1, "Badminton is my favourite sport", at=at(4, 2)), turn(2, "Nice to meet you", at=at(4, 2)),
        turn(3, "I like clocks", at=at(5, 9)),
    ])  # fmt: skip
    for question in (
        "What was our first conversation about?", "我们第一次聊天聊了什么？", "最初の会話は何だった?",
        "우리 첫 대화는 뭐였어?",
    ):  # fmt: skip
        assert set(ids(ask(talk, question, tiers=[TURN]))) == {"turn_1", "turn_2"}, question


# -- conversation -------------------------------------------------------------------------


def test_the_answer_to_a_matching_question_comes_with_it_though_it_shares_no_word() -> None:
    talk = indexed([
        turn(1, "Which instrument does your brother play?"), turn(2, "The trombone, rather badly"), turn(3, "Ha"),
        turn(4, "My brother is tall"),
    ])  # fmt: skip
    assert ids(ask(talk, "Which instrument does the brother play?", tiers=[TURN]))[:2] == ["turn_1", "turn_2"]


def test_turns_of_another_conversation_are_no_neighbours() -> None:
    talk = indexed([
        turn(1, "Which instrument does your brother play?", at=at(5, 2)), turn(2, "The weather is lovely", at=at(5, 9)),
    ])  # fmt: skip
    assert ids(ask(talk, "Which instrument does the brother play?", tiers=[TURN])) == ["turn_1"]


def test_two_words_find_what_is_written_as_one_compound() -> None:
    memory = indexed([fact(1, "The user went on a road trip with her family"), *CROWD])
    assert ids(ask(memory, "roadtrip")) == ["fact_1"]


def test_in_a_small_memory_a_word_that_everything_has_is_still_a_word() -> None:
    memory = indexed(facts("went hiking in the Alps", "went hiking in the Andes", "went hiking at home"))
    assert len(ids(ask(memory, "the last hiking adventure"))) == 3


def test_the_human_without_a_name_is_no_word_but_a_person() -> None:
    memory = indexed([*CROWD, fact(1, "Likes green tea", entity="neko"), fact(2, "The user likes green tea")])
    assert texts(ask(memory, "What is the user's blood type?")) == []
    assert texts(ask(memory, "主人的血型是什么")) == []
    assert ids(ask(memory, "Does the user like green tea?", names=NAMES)) == ["fact_2", "fact_1"]
