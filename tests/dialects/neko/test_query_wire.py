from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import get_args

import pytest

from memory.recall.document import FACT, TIERS, TURN, Document
from memory.recall.query import Answer, Explanation, Hit
from memory.recall.when import TimeWindow
from memory_server.neko.wire import Tier, WireError, answer_to_json, failed_recall, hit_to_json, read_query
from tests.fakes import FixedClock

ZONE = timezone(timedelta(hours=8))
CLOCK = FixedClock(datetime(2026, 5, 4, 10, tzinfo=ZONE))
START = datetime(2026, 5, 1, tzinfo=ZONE)
WINDOW = TimeWindow(start=START, end=START + timedelta(days=1))


def document(
    id_: str = "fact_1", *, tier: str = FACT, text: str = "Alice likes tea", speaker: str | None = None
) -> Document:
    return Document(
        id=id_, tier=tier, text=text, entity="master", created_at=datetime(2026, 5, 2, 10, tzinfo=ZONE), start=START,
        speaker=speaker, sources=("turn_1",),
    )  # fmt: skip


def test_the_tiers_of_a_request_are_those_of_recall() -> None:
    assert get_args(Tier) == TIERS


@pytest.mark.parametrize("raw", [b"{}", b'{"query": null, "time": null, "limit": null, "tiers": null}', b'{"x": [1]}'])
def test_every_field_may_be_left_out(raw: bytes) -> None:
    body = read_query(raw)
    assert (body.query, body.time, body.limit, body.tiers, body.context, body.explain) == (None,) * 5 + (False,)


def test_every_field_is_read() -> None:
    body = read_query(
        b'{"query": "tea", "time": "2026-05", "limit": 50, "tiers": ["turn", "fact"], "context": 2, "explain": true}'
    )
    assert (body.query, body.time, body.limit, body.context, body.explain) == ("tea", "2026-05", 50, 2, True)
    assert body.tiers == ["turn", "fact"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("query", 5), ("query", ["tea"]), ("query", True), ("time", 2026), ("time", {}), ("limit", 0), ("limit", 51),
        ("limit", "8"), ("limit", 8.5), ("limit", True), ("tiers", []), ("tiers", "fact"), ("tiers", ["facts"]),
        ("tiers", [5]), ("context", -1), ("context", 11), ("context", "2"), ("explain", 1), ("explain", "yes"),
    ],
)  # fmt: skip
def test_a_field_of_another_type_is_unprocessable_and_named(field: str, value: object) -> None:
    with pytest.raises(WireError) as caught:
        read_query(json.dumps({field: value}).encode())
    assert caught.value.status == 422
    assert isinstance(caught.value.detail, list)
    assert caught.value.detail[0]["loc"][:2] == ["body", field]


@pytest.mark.parametrize("raw", [b"", b"[]", b'"tea"', b"{"])
def test_a_body_that_is_no_object_is_unprocessable(raw: bytes) -> None:
    with pytest.raises(WireError):
        read_query(raw)


def test_a_lone_surrogate_in_a_question_is_repaired() -> None:
    assert read_query(b'{"query": "a\\ud800"}').query == "a\ufffd"


def test_a_hit_has_exactly_the_published_fields_and_its_sources() -> None:
    assert hit_to_json(Hit(document=document(), score=2 / 61), CLOCK) == {
        "id": "fact_1",
        "text": "Alice likes tea",
        "tier": "fact",
        "entity": "master",
        "score": 0.032787,
        "created_at": "2026-05-02T10:00:00",
        "event_start_at": "2026-05-01T00:00:00",
        "event_end_at": None,
        "sources": ["turn_1"],
    }


def test_a_found_turn_names_its_speaker_and_shows_its_neighbours() -> None:
    near = document("turn_0", tier=TURN, text="hi", speaker="Neko")
    shown = hit_to_json(Hit(document=document("turn_1", tier=TURN, speaker="Alice"), score=0.5, before=(near,)), CLOCK)
    assert shown["speaker"] == "Alice"
    assert shown["before"] == [{"id": "turn_0", "text": "hi", "speaker": "Neko", "created_at": "2026-05-02T10:00:00"}]
    assert shown["after"] == []


def test_an_explanation_is_shown_where_there_is_one() -> None:
    why = Explanation(terms=("tea",), ranks={"words": 1}, parts={"words": 1.5}, total=1.5)
    shown = hit_to_json(Hit(document=document(), score=0.5, explanation=why), CLOCK)
    assert shown["explain"] == {"terms": ["tea"], "ranks": {"words": 1}, "parts": {"words": 1.5}, "total": 1.5}


def test_an_answer_to_words_does_not_repeat_the_time() -> None:
    answer = Answer(hits=(Hit(document=document(), score=0.5),), candidates_total=12, window=WINDOW, text="tea")
    shown = answer_to_json(answer, CLOCK, time="2026-05-01", elapsed_ms=7.449)
    assert list(shown) == ["results", "query", "candidates_total", "elapsed_ms"]
    assert (shown["query"], shown["candidates_total"], shown["elapsed_ms"]) == ("tea", 12, 7.4)


def test_an_answer_to_a_time_repeats_it_and_has_no_scores() -> None:
    answer = Answer(hits=(Hit(document=document(), score=None),), candidates_total=3, window=WINDOW)
    shown = answer_to_json(answer, CLOCK, time=" 2026-05-01 ", elapsed_ms=0.04)
    assert (shown["time"], shown["query"], shown["elapsed_ms"]) == ("2026-05-01", "", 0.0)
    assert shown["results"][0]["score"] is None


def test_an_answer_to_nothing_is_empty() -> None:
    nothing = {"results": [], "query": "", "candidates_total": 0, "elapsed_ms": 0.0}
    assert answer_to_json(Answer(), CLOCK, time="someday", elapsed_ms=3.0) == nothing


def test_a_broken_recall_repeats_the_question_and_nothing_more() -> None:
    assert failed_recall(" tea") == {
        "results": [], "query": " tea", "candidates_total": 0, "elapsed_ms": 0.0, "error_code": "hybrid_recall_failed",
    }  # fmt: skip
    assert failed_recall(None)["query"] == ""
