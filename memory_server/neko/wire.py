"""Bodies of the companion dialect: bytes in, checked values out; and recall's answers as JSON.

Two kinds of refusal leave this module. ``WireError`` is a body of the wrong form and becomes its own status with a
``{"detail": …}``. ``BadInput`` is a well-formed body whose history cannot be read; the history endpoints answer it
with ``status: "error"``, and nothing of the batch has been kept.

What a careless client may send is repaired rather than refused, since it would only be sent again: lone surrogates
become U+FFFD, numbers that JSON does not have (``NaN``, ``Infinity``) null, integers beyond 64 bits the string of
their digits, and bytes that are no UTF-8 U+FFFD.
"""

from __future__ import annotations

import json
import logging
import math
import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, ValidationError

from memory.clock import Clock, naive_local
from memory.errors import BadInput
from memory.history.turn import AI, HUMAN, SYSTEM, Content, Message
from memory.locale import normalise
from memory.recall.document import TURN, Document
from memory.recall.query import Answer, Hit

logger = logging.getLogger(__name__)

DEPTH_LIMIT = 64                # arrays and objects within each other
SPEAKER_LIMIT = 100             # characters of a display name

_ROLES = {"user": HUMAN, "assistant": AI, "system": SYSTEM}
_KINDS = frozenset({HUMAN, AI, SYSTEM})
_BLANKS = re.compile(r"\s+")
_INT_MIN, _INT_MAX = -(2**63), 2**64 - 1

# Field names of the two message shapes that carry our additions.
_TIMESTAMP, _SPEAKER = "timestamp", "speaker"


class WireError(Exception):
    """A body of the wrong form: the status to answer with and the value of ``detail``."""

    def __init__(self, status: int, detail: list[dict[str, Any]] | str) -> None:
        super().__init__(f"body refused with status {status}")
        self.status = status
        self.detail = detail


class HistoryBody(BaseModel):
    """The body of /cache, /process, /renew and /settle."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    input_history: StrictStr
    language: Any = None

    @property
    def locale(self) -> str | None:
        """The language the client named, if it is one of ours."""
        return normalise(self.language)


Tier = Literal["fact", "reflection", "fact_archive", "turn", "persona"]


class QueryBody(BaseModel):
    """The body of /query_memory: the published ``query`` and ``time``, and what we add to them."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    query: StrictStr | None = None
    time: StrictStr | None = None
    limit: Annotated[StrictInt, Field(ge=1, le=50)] | None = None
    tiers: Annotated[list[Tier], Field(min_length=1)] | None = None
    context: Annotated[StrictInt, Field(ge=0, le=10)] | None = None      # neighbours to show around a hit
    explain: StrictBool = False


_Body = TypeVar("_Body", bound=BaseModel)


def read_history(raw: bytes) -> HistoryBody:
    """The body of a history write. Raises ``WireError``; the history itself is read by ``decode_history``."""
    return _validated(HistoryBody, raw)


def read_query(raw: bytes) -> QueryBody:
    """The body of /query_memory. Raises ``WireError``."""
    return _validated(QueryBody, raw)


def read_json(raw: bytes) -> Any:
    """Any JSON body, repaired. Raises ``WireError`` where it is missing, unreadable or too deep."""
    text = raw.decode("utf-8", errors="replace").removeprefix("\ufeff")
    if not text.strip():
        raise WireError(422, [{"type": "missing", "loc": ["body"], "msg": "Field required"}])
    try:
        return _repaired(_parsed(text), 0)
    except json.JSONDecodeError as error:
        detail = {"type": "json_invalid", "loc": ["body", error.pos], "msg": "JSON decode error"}
        raise WireError(422, [{**detail, "ctx": {"error": error.msg}}]) from None
    except RecursionError:
        raise WireError(422, [{"type": "json_invalid", "loc": ["body"], "msg": "JSON is nested too deeply"}]) from None


def decode_history(raw: str, clock: Clock) -> list[Message]:
    """The messages in an ``input_history`` string, in order; all of them or none.

    Both published shapes are read, each with an optional ``timestamp`` (ISO 8601; without an offset it is local time)
    and ``speaker``. A timestamp nobody can read is left out and counted in the log: refusing it would lose the
    message. Raises ``BadInput`` for what is not an array of messages.
    """
    try:
        elements = _repaired(_parsed(raw.removeprefix("\ufeff")), 0)
    except json.JSONDecodeError:
        raise BadInput("input_history", "is not valid JSON") from None
    except RecursionError:
        raise BadInput("input_history", f"is nested deeper than {DEPTH_LIMIT} levels") from None
    if not isinstance(elements, list):
        raise BadInput("input_history", "is not an array of messages")
    reader = _MessageReader(clock)
    messages = [reader.read(element, place) for place, element in enumerate(elements)]
    if reader.unreadable_times:
        logger.warning("left out %d unreadable timestamps of %d messages", reader.unreadable_times, len(messages))
    return messages


def answer_to_json(answer: Answer, clock: Clock, *, time: str | None, elapsed_ms: float) -> dict[str, Any]:
    """What /query_memory answers. ``time`` is the request's; it is shown where it alone was asked for."""
    results = [hit_to_json(hit, clock) for hit in answer.hits]
    if not answer.text and answer.window is None:
        # Nothing that could be understood was asked, and so nothing was done.
        return {"results": [], "query": "", "candidates_total": 0, "elapsed_ms": 0.0}
    shown: dict[str, Any] = {
        "results": results,
        "query": answer.text,
        "candidates_total": answer.candidates_total,
        "elapsed_ms": round(elapsed_ms, 1),
    }
    if not answer.text:
        shown["time"] = (time or "").strip()
    return shown


def failed_recall(query: str | None) -> dict[str, Any]:
    """What /query_memory answers when recall broke: an empty success that says so and nothing else."""
    return {
        "results": [],
        "query": query or "",
        "candidates_total": 0,
        "elapsed_ms": 0.0,
        "error_code": "hybrid_recall_failed",
    }


def hit_to_json(hit: Hit, clock: Clock) -> dict[str, Any]:
    """One result: the published fields, ``sources`` (ids of what it rests on), and what was asked for besides.

    Times are local wall times without an offset, as this dialect writes them.
    """
    document = hit.document
    shown: dict[str, Any] = {
        "id": document.id,
        "text": document.text,
        "tier": document.tier,
        "entity": document.entity,
        "score": None if hit.score is None else round(hit.score, 6),
        "created_at": _local(document.created_at, clock),
        "event_start_at": _local(document.start, clock),
        "event_end_at": _local(document.end, clock),
        "sources": list(document.sources),
    }
    if document.tier == TURN:
        shown["speaker"] = document.speaker
    if hit.before or hit.after:
        shown["before"] = [_neighbour(each, clock) for each in hit.before]
        shown["after"] = [_neighbour(each, clock) for each in hit.after]
    if hit.explanation is not None:
        why = hit.explanation
        shown["explain"] = {
            "terms": list(why.terms), "ranks": dict(why.ranks), "parts": dict(why.parts), "total": why.total,
        }  # fmt: skip
    return shown


def _neighbour(document: Document, clock: Clock) -> dict[str, Any]:
    return {
        "id": document.id,
        "text": document.text,
        "speaker": document.speaker,
        "created_at": _local(document.created_at, clock),
    }


def _local(moment: datetime | None, clock: Clock) -> str | None:
    return None if moment is None else naive_local(clock.local(moment))


class _MessageReader:
    """Turns one element after another into a message."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.unreadable_times = 0

    def read(self, element: object, place: int) -> Message:
        if isinstance(element, str):
            return Message(kind=HUMAN, content=element)
        if not isinstance(element, dict):
            # Guessing here would half-read a batch that its sender meant differently.
            raise BadInput("input_history", f"element {place} is neither an object nor a string")
        kind, content, inner = _shape(element)
        time = element.get(_TIMESTAMP, inner.get(_TIMESTAMP))
        return Message(
            kind=kind,
            content=content,
            said_at=self._moment(time) if time is not None else None,
            speaker=_speaker(element.get(_SPEAKER, inner.get(_SPEAKER))),
        )

    def _moment(self, value: object) -> datetime | None:
        if isinstance(value, str) and len(value) <= 64:
            try:
                return self._clock.local(datetime.fromisoformat(value.strip()))
            except (ValueError, OverflowError):
                pass
        self.unreadable_times += 1
        return None


def _shape(element: Mapping[str, Any]) -> tuple[str, Content, Mapping[str, Any]]:
    """Kind and content of a message object, and the object inside it that may hold more fields."""
    if "role" in element and "content" in element:
        role = element["role"]
        return _ROLES.get(role, HUMAN) if isinstance(role, str) else HUMAN, _content(element["content"]), {}
    if "type" in element and "data" in element:
        kind, data = element["type"], element["data"]
        kind = kind if isinstance(kind, str) and kind in _KINDS else HUMAN
        if not isinstance(data, dict):
            return kind, _content(data), {}
        if "content" in data or not data:
            return kind, _content(data.get("content")), data
        return kind, _compact(data), data
    return HUMAN, _compact(element), {}


def _content(value: object) -> Content:
    """A message's content: text or parts as they are; anything else in the nearest of these two forms."""
    if isinstance(value, str | list):
        return value
    if value is None:
        return ""
    return [value] if isinstance(value, dict) else _compact(value)


def _speaker(value: object) -> str | None:
    """A display name on one line, without invisible characters; None where there is none."""
    if not isinstance(value, str):
        return None
    shown = _BLANKS.sub(" ", value[: 4 * SPEAKER_LIMIT])
    return "".join(char for char in shown if unicodedata.category(char)[0] != "C").strip()[:SPEAKER_LIMIT] or None


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _validated(model: type[_Body], raw: bytes) -> _Body:
    try:
        return model.model_validate(read_json(raw))
    except ValidationError as error:
        # The values are the sender's words: they stay out of the answer, and so out of anybody's log of it.
        found = error.errors(include_url=False, include_input=False, include_context=False)
        detail = [{"type": each["type"], "loc": ["body", *each["loc"]], "msg": each["msg"]} for each in found]
        raise WireError(422, detail) from None


def _parsed(text: str) -> Any:
    return json.loads(text, parse_int=_integer, parse_float=_number, parse_constant=_no_number)


def _integer(digits: str) -> int | str:
    # Beyond about 4,300 digits even the conversion is refused, so the length comes first.
    if len(digits) > 20:
        return digits
    value = int(digits)
    return value if _INT_MIN <= value <= _INT_MAX else digits


def _number(digits: str) -> float | None:
    value = float(digits)
    return value if math.isfinite(value) else None


def _no_number(_name: str) -> None:
    return None


def _repaired(value: Any, depth: int) -> Any:
    """The value with every string encodable; containers are changed in place. RecursionError when too deep."""
    if isinstance(value, str):
        return _encodable(value)
    if depth >= DEPTH_LIMIT and isinstance(value, list | dict):
        raise RecursionError
    if isinstance(value, list):
        for place, item in enumerate(value):
            if not isinstance(item, int | float):
                value[place] = _repaired(item, depth + 1)
    elif isinstance(value, dict):
        return {_encodable(key): _repaired(item, depth + 1) for key, item in value.items()}
    return value


def _encodable(text: str) -> str:
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        # By way of UTF-16, so that two halves that ended up side by side become their character again.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
