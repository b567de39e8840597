from __future__ import annotations

import json
import logging
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import BadInput
from memory.history.turn import AI, HUMAN, SYSTEM, Message
from memory_server.neko.wire import WireError, decode_history, read_history

ZONE = timezone(timedelta(hours=8))


class ZoneClock:
    """Stands still, eight hours east of Greenwich."""

    def now(self) -> datetime:
        return datetime(2026, 5, 1, 12, tzinfo=ZONE)

    def local(self, moment: datetime) -> datetime:
        return moment.replace(tzinfo=ZONE) if moment.tzinfo is None else moment.astimezone(ZONE)

    def monotonic(self) -> float:
        return 0.0


def decode(value: object) -> list[Message]:
    return decode_history(json.dumps(value), ZoneClock())


def one(value: object) -> Message:
    (message,) = decode([value])
    return message


@pytest.mark.parametrize(
    ("element", "kind", "content"),
    [
        ({"role": "user", "content": "hi"}, HUMAN, "hi"),
        ({"role": "assistant", "content": "hi"}, AI, "hi"),
        ({"role": "system", "content": "hi"}, SYSTEM, "hi"),
        ({"role": "tool", "content": "hi"}, HUMAN, "hi"),
        ({"role": None, "content": "hi"}, HUMAN, "hi"),
        ({"role": ["user"], "content": "hi"}, HUMAN, "hi"),
        ({"type": "human", "data": {"content": "hi"}}, HUMAN, "hi"),
        ({"type": "ai", "data": {"content": "hi", "id": "x", "tool_calls": [], "example": False}}, AI, "hi"),
        ({"type": "system", "data": {"content": "hi"}}, SYSTEM, "hi"),
        ({"type": "tool", "data": {"content": "hi"}}, HUMAN, "hi"),
        ({"type": "ai", "data": "hi"}, AI, "hi"),
        ({"type": "ai", "data": ["a", "b"]}, AI, ["a", "b"]),
        ({"type": "ai", "data": None}, AI, ""),
        ({"type": "ai", "data": 5}, AI, "5"),
        ({"type": "ai", "data": {}}, AI, ""),
        ({"type": "ai", "data": {"text": "hi"}}, AI, '{"text":"hi"}'),
        ({"role": "user"}, HUMAN, '{"role":"user"}'),
        ({"text": "你好", "n": 1}, HUMAN, '{"text":"你好","n":1}'),
        ({}, HUMAN, "{}"),
        ("hi", HUMAN, "hi"),
        ("", HUMAN, ""),
        ({"role": "user", "content": [{"type": "image"}, "b"]}, HUMAN, [{"type": "image"}, "b"]),
        ({"role": "user", "content": None}, HUMAN, ""),
        ({"role": "user", "content": True}, HUMAN, "true"),
        ({"role": "user", "content": {"type": "text", "text": "a"}}, HUMAN, [{"type": "text", "text": "a"}]),
    ],
)
def test_every_shape_of_a_message_is_read(element: object, kind: str, content: object) -> None:
    assert one(element) == Message(kind=kind, content=content)  # type: ignore[arg-type]


@pytest.mark.parametrize("element", [1, 1.5, True, None, [], [{"role": "user", "content": "hi"}]])
def test_an_element_that_is_no_message_refuses_the_whole_batch(element: object) -> None:
    with pytest.raises(BadInput, match="element 1"):
        decode([{"role": "user", "content": "secret"}, element])


@pytest.mark.parametrize("raw", ['{"role":"user"}', '"text"', "5", "null", "true"])
def test_a_history_that_is_no_array_is_refused(raw: str) -> None:
    with pytest.raises(BadInput, match="not an array"):
        decode_history(raw, ZoneClock())


@pytest.mark.parametrize("raw", ["", " ", "[", "[}", "nothing", '[{"role":"user","content":"secret"', "[1,]", "[] []"])
def test_a_history_that_is_no_json_is_refused_without_repeating_it(raw: str) -> None:
    with pytest.raises(BadInput, match="not valid JSON") as caught:
        decode_history(raw, ZoneClock())
    assert "secret" not in str(caught.value)


def test_an_empty_array_is_no_messages() -> None:
    assert decode([]) == []


def test_a_lone_surrogate_becomes_a_replacement_character_everywhere() -> None:
    message = one({"role": "user", "content": [{"type": "text", "text": "a\ud800b", "\udc00": "\udfff"}]})
    assert message.content == [{"type": "text", "text": "a\ufffdb", "\ufffd": "\ufffd"}]


def test_two_halves_of_a_character_become_whole() -> None:
    # One half escaped in the outer JSON, the other in the inner one.
    body = read_history(b'{"input_history": "[\\"\\ud83d\\ude00\\", \\"\\\\ud83d\\\\ude00\\"]"}')
    assert [message.content for message in decode_history(body.input_history, ZoneClock())] == ["😀", "😀"]


def test_numbers_that_json_does_not_have_are_repaired() -> None:
    digits = "9" * 6_000
    numbers = f"NaN,Infinity,-Infinity,1e999,{digits},{2**64 - 1},{-(2**63)},-{2**63 + 1}"
    raw = '[{"role":"user","content":[{"v":[' + numbers + "]}]}]"
    (message,) = decode_history(raw, ZoneClock())
    assert message.content == [{"v": [None, None, None, None, digits, 2**64 - 1, -(2**63), f"-{2**63 + 1}"]}]


@pytest.mark.parametrize("depth", [70, 5_000, 200_000])
def test_a_history_nested_too_deeply_is_refused(depth: int) -> None:
    raw = '[{"role":"user","content":' + "[" * depth + "]" * depth + "}]"
    with pytest.raises(BadInput, match="nested"):
        decode_history(raw, ZoneClock())


def test_sixty_levels_are_fine() -> None:
    raw = '[{"role":"user","content":' + "[" * 60 + "]" * 60 + "}]"
    assert len(decode_history(raw, ZoneClock())) == 1


@pytest.mark.parametrize(
    ("stamp", "hour"),
    [
        ("2026-05-01T10:00:00", 10), ("2026-05-01 09:00", 9), ("2026-05-01T02:00:00Z", 10),
        ("2026-05-01T04:00:00+02:00", 10),
    ],
)  # fmt: skip
@pytest.mark.parametrize("shape", ["beside", "inside"])
def test_a_timestamp_is_read_as_local_time_unless_it_says_otherwise(shape: str, stamp: str, hour: int) -> None:
    element: dict[str, Any] = (
        {"role": "user", "content": "hi", "timestamp": stamp}
        if shape == "beside"
        else {"type": "human", "data": {"content": "hi", "timestamp": stamp}}
    )
    assert one(element).said_at == datetime(2026, 5, 1, hour, tzinfo=ZONE)


@pytest.mark.parametrize("stamp", ["yesterday", "", 5, True, ["2026"], "2026-13-01", "2" * 5_000, {}])
def test_an_unreadable_timestamp_is_left_out_and_counted(stamp: object, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        message = one({"role": "user", "content": "secret", "timestamp": stamp})
    assert message == Message(kind=HUMAN, content="secret")
    assert [record.getMessage() for record in caplog.records] == ["left out 1 unreadable timestamps of 1 messages"]


@pytest.mark.parametrize("shape", ["beside", "disk beside", "inside"])
def test_a_speaker_is_kept(shape: str) -> None:
    shapes: dict[str, dict[str, Any]] = {
        "beside": {"role": "user", "content": "hi", "speaker": "Bob"},
        "disk beside": {"type": "human", "speaker": "Bob", "data": {"content": "hi"}},
        "inside": {"type": "human", "data": {"content": "hi", "speaker": "Bob"}},
    }
    assert one(shapes[shape]).speaker == "Bob"


@pytest.mark.parametrize(
    ("speaker", "kept"),
    [
        ("  Bob\n\tSmith ", "Bob Smith"), ("B\x00o\u202eb\u200b", "Bob"), ("x" * 500, "x" * 100), ("", None),
        ("\u200b", None), (5, None), (None, None), (["Bob"], None), ("\ud800", "\ufffd"),
    ],
)  # fmt: skip
def test_a_speaker_is_one_short_line_or_nobody(speaker: object, kept: str | None) -> None:
    assert one({"role": "user", "content": "hi", "speaker": speaker}).speaker == kept


@pytest.mark.parametrize(
    ("raw", "kind", "loc"),
    [
        (b"", "missing", ["body"]),
        (b"{", "json_invalid", ["body", 1]),
        (b"[]", "model_type", ["body"]),
        (b"{}", "missing", ["body", "input_history"]),
        (b'{"input_history": 5}', "string_type", ["body", "input_history"]),
        (b'{"input_history": null}', "string_type", ["body", "input_history"]),
        (b'{"input_history": []}', "string_type", ["body", "input_history"]),
        (b"[" * 100_000, "json_invalid", ["body"]),
    ],
)
def test_a_body_of_the_wrong_form_is_unprocessable(raw: bytes, kind: str, loc: list[object]) -> None:
    with pytest.raises(WireError) as caught:
        read_history(raw)
    assert caught.value.status == 422
    assert isinstance(caught.value.detail, list)
    (detail,) = caught.value.detail
    assert (detail["type"], detail["loc"]) == (kind, loc)
    assert isinstance(detail["msg"], str)


def test_a_refused_body_is_not_repeated() -> None:
    with pytest.raises(WireError) as caught:
        read_history(b'{"input_history": ["secret"]}')
    assert "secret" not in json.dumps(caught.value.detail) + str(caught.value)


@pytest.mark.parametrize(
    ("language", "locale"), [("zh-TW", "zh-TW"), ("english", "en"), ("tlh", None), ("", None), (5, None), (None, None)]
)
def test_a_language_counts_only_if_it_is_ours(language: object, locale: str | None) -> None:
    assert read_history(json.dumps({"input_history": "[]", "language": language}).encode()).locale == locale


def test_unknown_fields_and_a_byte_order_mark_and_broken_utf8_do_not_matter() -> None:
    body = read_history(b'\xef\xbb\xbf{"input_history": "[\\"a\xff\\"]", "x": {"y": 1}}')
    assert [message.content for message in decode_history(body.input_history, ZoneClock())] == ["a\ufffd"]


def test_ten_thousand_messages_keep_their_order() -> None:
    messages = decode([{"role": "user", "content": [{"type": "text", "text": f"第{n}"}]} for n in range(10_000)])
    assert [message.text for message in messages] == [f"第{n}" for n in range(10_000)]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=[])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["role", "type", "data", "content",
        "timestamp", "speaker", "x"]), inner, max_size=5),
    max_leaves=20,
)  # fmt: skip


@given(st.lists(json_values, max_size=5))
def test_whatever_is_accepted_can_be_stored(value: list[object]) -> None:
    raw = json.dumps(value)
    try:
        messages = decode_history(raw, ZoneClock())
    except BadInput:
        assert not all(isinstance(each, str | dict) for each in value)
        return
    assert len(messages) == len(value)
    for message in messages:
        json.dumps(message.content, allow_nan=False, ensure_ascii=False).encode()
        assert message.said_at is None or message.said_at.tzinfo is not None
        assert message.kind in (HUMAN, AI, SYSTEM)


