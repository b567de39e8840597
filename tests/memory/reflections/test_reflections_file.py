"""``reflections.json`` and its small neighbours: read, edited by hand, written back, whoever wrote them."""

from __future__ import annotations

from typing import Any

import orjson

from memory.facts.pairs import PendingPairs
from memory.reflections.backoff import SynthesisBackoff
from memory.reflections.record import public, to_record
from memory.reflections.reflection import CONFIRMED, reflection_id
from memory.reflections.surfaced import SurfacedTopics
from memory.reflections.view import Reflections
from memory.store.events import Event
from memory.store.view import FileView
from tests.fakes import MORNING, FixedClock
from tests.memory.mind_world import reflection

CLOCK = FixedClock()
THEIRS: dict[str, Any] = {
    "id": "ref_a", "text": "likes tea", "entity": "user", "status": "confirmed", "created_at": "2026-04-01T08:00:00",
    "confirmed_at": "2026-04-02T08:00:00", "reinforcement": 1.2, "rein_last_signal_at": "2026-04-02T08:00:00",
    "auto_confirmed": True, "something_new": [1, 2], "recent_mentions": ["2026-04-03T08:00:00", 5],
}  # fmt: skip


def reflections(*rows: object) -> Reflections:
    view = Reflections(CLOCK)
    view.read(orjson.dumps(list(rows)), CLOCK)
    return view


def written(view: FileView) -> Any:
    return orjson.loads(b"".join(view.render()()))


def folded(view: FileView, *changes: tuple[str, Any]) -> None:
    for seq, (type_, data) in enumerate(changes, start=view.seq + 1):
        view.fold(Event(seq=seq, id=f"e{seq}", type=type_, at=MORNING, data=data, payload={}))


def test_the_id_does_not_depend_on_the_order_of_the_facts() -> None:
    # the published vector
    assert reflection_id(["fact_b", "fact_a"]) == "ref_f26f7aa43c39d51c"
    assert reflection_id(["fact_a", "fact_b"]) == "ref_f26f7aa43c39d51c"


def test_a_row_of_another_program_keeps_what_we_do_not_know() -> None:
    view = reflections(THEIRS)
    one = view.get("ref_a")
    assert one is not None
    assert (one.entity, one.status, one.schema_version) == ("master", CONFIRMED, 1)
    row = written(view)[0]
    assert row["something_new"] == [1, 2]
    assert row["auto_confirmed"] is True
    assert row["confirmed_at"] == "2026-04-02T08:00:00"


def test_writing_and_reading_again_changes_nothing() -> None:
    first = written(reflections(THEIRS, to_record(reflection("ref_b", "likes cats", MORNING))))
    assert written(reflections(*first)) == first


def test_rows_that_are_no_reflections_stay_where_they_are() -> None:
    assert written(reflections({"text": "no id"}, 7, THEIRS))[1:] == [{"text": "no id"}, 7]


def test_a_second_row_with_the_same_id_is_not_lost() -> None:
    twice = {**THEIRS, "text": "likes coffee"}
    view = reflections(THEIRS, twice)
    assert view.get("ref_a") is not None
    assert [row["text"] for row in written(view)] == ["likes tea", "likes coffee"]


def test_adoption_brings_back_the_same_file() -> None:
    view, fresh = reflections(THEIRS, 7), Reflections(CLOCK)
    folded(fresh, *view.adoption())
    assert written(fresh) == written(view)


def test_an_edit_by_hand_changes_only_what_it_changed() -> None:
    base, present = reflections(THEIRS), reflections({**THEIRS, "reinforcement": 2.0, "later": 1})
    edited = reflections({**THEIRS, "text": "likes green tea"})
    folded(present, *present.edits(base, edited, CLOCK))
    row = written(present)[0]
    assert (row["text"], row["reinforcement"], row["later"]) == ("likes green tea", 2.0, 1)


def test_an_edit_by_hand_may_add_and_remove() -> None:
    base = reflections(THEIRS)
    present = reflections(THEIRS)
    folded(present, *present.edits(base, reflections({**THEIRS, "id": "ref_new"}), CLOCK))
    assert [one.id for one in present] == ["ref_new"]


def test_an_edit_of_what_we_removed_meanwhile_does_not_bring_it_back() -> None:
    base, present = reflections(THEIRS), reflections()
    assert present.edits(base, reflections({**THEIRS, "text": "edited"}), CLOCK) == []


def test_vectors_are_no_part_of_a_reflection() -> None:
    view = reflections({**THEIRS, "embedding": "zThmOg==", "embedding_model_id": "m"})
    one, without = view.get("ref_a"), reflections(THEIRS).get("ref_a")
    assert one == without
    assert one is not None
    assert not [key for key in public(one) if key.startswith("embedding")]


def test_topics_offered_by_another_program_are_understood() -> None:
    view = SurfacedTopics(CLOCK)
    row = {"reflection_id": "ref_a", "text": "t", "surfaced_at": "2026-04-01T08:00:00", "feedback": None, "x": 1}
    view.read(orjson.dumps([row]), CLOCK)
    assert [one.reflection_id for one in view.open()] == ["ref_a"]
    assert written(view)[0]["x"] == 1


def test_failures_of_a_synthesis_written_in_the_old_form_are_understood() -> None:
    view = SynthesisBackoff(CLOCK)
    view.read(b'{"old": 5, "new": {"n": 5, "at": "2026-05-04T09:00:00"}}', CLOCK)
    assert (view.failures("old"), view.failures("new")) == (5, 5)
    assert view.blocked("new", MORNING)
    assert not view.blocked("old", MORNING)  # nobody knows since when


def test_a_pair_is_one_question_in_both_directions() -> None:
    view = PendingPairs(CLOCK)
    row = {"candidate_id": "fact_b", "existing_id": "fact_a", "cosine": 0.9, "queued_at": "2026-04-01T08:00:00"}
    view.read(orjson.dumps([row, {**row, "candidate_id": "fact_a", "existing_id": "fact_b"}]), CLOCK)
    assert len(view) == 1
