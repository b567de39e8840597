"""``persona.json`` and ``persona_corrections.json``: read, edited by hand, written back, whoever wrote them."""

from __future__ import annotations

from typing import Any

import orjson

from memory.persona.corrections import Corrections
from memory.persona.entry import card_id, inherited_id
from memory.persona.view import Persona
from memory.store.events import Event
from memory.store.view import FileView
from tests.fakes import MORNING, FixedClock

CLOCK = FixedClock()
TEA: dict[str, Any] = {"id": "prom_ref_a", "text": "likes tea", "source": "reflection", "reinforcement": 2.0, "new": 1}
THEIRS: dict[str, Any] = {
    "neko": {"facts": [{"id": "card_1", "text": "性格: 开朗", "source": "character_card", "protected": True}]},
    "user": {"dynamics": ["a bare string", TEA, {"text": "no id"}, 5], "note": "kept"},
    "__meta__": {"facts": [{"marker": True}]},
    "@subject/group:1": {"facts": [], "subject_kind": "group"},
    "odd": "not a section",
}


def persona(document: Any) -> Persona:
    view = Persona(CLOCK)
    view.read(orjson.dumps(document), CLOCK)
    return view


def written(view: FileView) -> Any:
    return orjson.loads(b"".join(view.render()()))


def folded(view: FileView, *changes: tuple[str, Any]) -> None:
    for seq, (type_, data) in enumerate(changes, start=view.seq + 1):
        view.fold(Event(seq=seq, id=f"e{seq}", type=type_, at=MORNING, data=data, payload={}))


def test_ids_are_the_published_ones() -> None:
    assert card_id("master", "昵称") == "card_80d7572b"
    assert card_id("neko", "性格") == "card_82353afb"


def test_the_first_version_is_read() -> None:
    view = persona(THEIRS)
    assert [one.text for one in view.section("master")] == ["a bare string", "likes tea", "no id"]
    assert view.section("master")[0].id == inherited_id("master", "a bare string")


def test_every_entry_has_an_id_that_stays() -> None:
    first = [one.id for one in persona(THEIRS)]
    assert all(first)
    assert [one.id for one in persona(written(persona(THEIRS)))] == first


def test_what_we_do_not_know_is_kept_in_its_place() -> None:
    document = written(persona(THEIRS))
    assert list(document) == ["neko", "master", "__meta__", "@subject/group:1", "odd"]
    assert document["__meta__"] == THEIRS["__meta__"]
    assert document["@subject/group:1"] == THEIRS["@subject/group:1"]
    assert document["odd"] == "not a section"
    assert document["master"]["note"] == "kept"
    assert document["master"]["facts"][-1] == 5
    assert document["master"]["facts"][1]["new"] == 1


def test_foreign_sections_are_never_looked_into() -> None:
    assert persona(THEIRS).sections == ("neko", "master")


def test_adoption_brings_back_the_same_file() -> None:
    view, fresh = persona(THEIRS), Persona(CLOCK)
    folded(fresh, *view.adoption())
    assert written(fresh) == written(view)


def test_one_entry_stands_on_one_line() -> None:
    lines = b"".join(persona(THEIRS).render()()).splitlines()
    assert sum(b'"likes tea"' in line for line in lines) == 1
    assert all(line.count(b'"text"') <= 1 for line in lines)


def test_an_edit_by_hand_changes_only_what_it_changed() -> None:
    base, present = persona(THEIRS), persona(THEIRS)
    grown = {**orjson.loads(orjson.dumps(written(base)["master"]["facts"][1])), "reinforcement": 3.0}
    folded(present, ("persona.evidence_updated", {"entity": "master", "entry": grown}))
    document = written(base)
    document["master"]["facts"][1]["text"] = "likes green tea"
    del document["master"]["facts"][0]
    document["master"]["facts"].append("typed by hand")
    folded(present, *present.edits(base, persona(document), CLOCK))
    assert [one.text for one in present.section("master")] == ["likes green tea", "no id", "typed by hand"]
    assert present.section("master")[0].evidence.reinforcement == 3.0


def test_an_edit_of_a_foreign_section_is_taken_in_whole() -> None:
    base, present = persona(THEIRS), persona(THEIRS)
    document = {**written(base), "__meta__": {"facts": []}}
    del document["odd"]
    folded(present, *present.edits(base, persona(document), CLOCK))
    assert written(present) == document


def test_no_edit_is_seen_where_there_is_none() -> None:
    assert persona(THEIRS).edits(persona(THEIRS), persona(written(persona(THEIRS))), CLOCK) == []


def test_the_same_contradiction_is_one_question() -> None:
    view = Corrections(CLOCK)
    row = {"old_text": "a", "new_text": "b", "entity": "master", "created_at": "2026-04-01T08:00:00", "x": 1}
    view.read(orjson.dumps([row, {**row, "entity": "neko"}]), CLOCK)
    assert len(view) == 2
    assert written(view)[0]["x"] == 1
    folded(view, ("correction.queued", {"correction": row}))
    assert len(view) == 2
