"""The kinds of values in requests, and sentences for what is wrong with one.

Texts are compared and counted with one blank between words. Writes are strict: what is wrong is
refused, all of it at once. Reads are lenient where nothing can go wrong: a limit out of range is
drawn into it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from memory.errors import BadInput
from memory.scopes import SCOPE_LIMIT

TEXT_LIMIT = 16_000

_BLANKS = re.compile(r"\s+")
_INTEGER = re.compile(r"\s*([+-]?\d{1,9})")
_NUMBER = re.compile(r"\s*([+-]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}))")
_NAMES = {str: "string", bool: "boolean", int: "number", float: "number", list: "array", dict: "object"}


def collapsed(value: object) -> object:
    """A text with one blank between words; anything else as it is."""
    return _BLANKS.sub(" ", value).strip() if isinstance(value, str) else value


def trimmed(value: object) -> object:
    """A text as its author set it, without blanks around it."""
    return value.strip() if isinstance(value, str) else value


def question(value: object) -> str:
    """A text without blanks around it; what is no text, or blank, is as good as missing."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("is required")
    return value.strip()


def _of_text_length(value: str) -> str:
    if len(_BLANKS.sub(" ", value)) > TEXT_LIMIT:
        raise ValueError(f"must be at most {TEXT_LIMIT} characters")
    return value


def distinct(value: object) -> object:
    """A list of texts, each once whatever its case, in order; anything else as it is."""
    if not isinstance(value, list):
        return value
    kept: dict[object, object] = {}
    for place, item in enumerate(value):
        plain = collapsed(item)
        # What is no text is left for the check of the items, and must not be lost here.
        kept.setdefault(plain.casefold() if isinstance(plain, str) else ("odd", place), plain)
    return list(kept.values())


def moment(value: object) -> datetime:
    """An ISO 8601 time with an offset, as a moment."""
    if not isinstance(value, str) or len(value) > 64:
        raise ValueError("Invalid datetime")
    try:
        read = datetime.fromisoformat(value.strip())
    except ValueError:
        raise ValueError("Invalid datetime") from None
    if read.tzinfo is None or not 1 < read.year < 9999:
        raise ValueError("Invalid datetime")
    return read.astimezone(UTC)


LINE = BeforeValidator(collapsed)       # a text on one line
EACH_ONCE = BeforeValidator(distinct)   # a list of such texts


Text = Annotated[
    str,
    BeforeValidator(trimmed),
    Field(min_length=1, json_schema_extra={"maxLength": TEXT_LIMIT}),
    AfterValidator(_of_text_length),
]
Moment = Annotated[datetime, BeforeValidator(moment, json_schema_input_type=str)]
ScopeName = Annotated[str, LINE, Field(min_length=1, max_length=SCOPE_LIMIT)]
Importance = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


def whole(default: int, least: int, most: int) -> BeforeValidator:
    """A number of things, drawn into its range; anything else is the default."""

    def read(value: object) -> int:
        if isinstance(value, str):
            found = _INTEGER.match(value)
            value = int(found[1]) if found else None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            return default
        return min(max(int(value), least), most)

    return BeforeValidator(read, json_schema_input_type=int)


def share(default: float) -> BeforeValidator:
    """A number from 0 to 1, drawn into that range; anything else is the default."""

    def read(value: object) -> float:
        if isinstance(value, str):
            found = _NUMBER.match(value)
            value = float(found[1]) if found else None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            return default
        return min(max(float(value), 0.0), 1.0)

    return BeforeValidator(read, json_schema_input_type=float)


ONLY_TRUE = BeforeValidator(lambda value: value is True, json_schema_input_type=bool)
Switch = Annotated[bool, ONLY_TRUE]


def _none_if_blank(value: object) -> object:
    plain = collapsed(value)
    return None if plain == "" else plain


# A value of a read, where a blank one is as good as none.
BLANK_IS_NONE = BeforeValidator(_none_if_blank)


class Request(BaseModel):
    """A body or query. Fields nobody knows are passed over, null is as good as absent."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _without_null(cls, value: object) -> object:
        return {key: item for key, item in value.items() if item is not None} if isinstance(value, Mapping) else value


Model = TypeVar("Model", bound=BaseModel)
Prepare = Callable[[dict[str, Any]], dict[str, Any]]


def read_body(raw: bytes, model: type[Model], prepare: Prepare = dict) -> Model:
    """The body of a request. Raises BadInput whose reason says everything that is wrong with it."""
    return validated(prepare(_json(raw)), model)


def read_query(values: Mapping[str, str], model: type[Model]) -> Model:
    """The query of a request. Raises BadInput."""
    return validated(dict(values), model)


def validated(value: Any, model: type[Model]) -> Model:
    """The value as a model. Raises BadInput."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        problems = [
            sentence(one["loc"], one["type"], one["msg"], one.get("ctx", {}), one.get("input"))
            for one in error.errors()
        ]
        raise BadInput("body", "; ".join(dict.fromkeys(problems))) from None


def _json(raw: bytes) -> dict[str, Any]:
    if not raw.strip():
        return {}
    try:
        value = json.loads(raw, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise BadInput("body", "Request body must be a JSON object") from None
    if not isinstance(value, dict):
        raise BadInput("body", "Request body must be a JSON object")
    body: dict[str, Any] = _encodable(value)
    return body


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _encodable(value: Any) -> Any:
    """The value with halves of characters replaced, which no file and no answer could hold."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return value
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    return value


def sentence(place: tuple[int | str, ...], kind: str, message: str, context: Mapping[str, Any], given: object) -> str:
    """What is wrong with a value, for a person."""
    path = _path(place)
    if isinstance(given, str) and kind in ("too_short", "too_long"):
        kind = f"string_{kind}"
    match kind:
        case "missing" | "string_too_short":
            return f"{path} is required"
        case "string_too_long":
            return f"{path} must be at most {context['max_length']} characters"
        case "too_long":
            return f"{path} must contain at most {context['max_length']} items"
        case "too_short":
            return f"{path} must contain at least {context['min_length']} item{'s' * (context['min_length'] > 1)}"
        case "literal_error":
            shown = f"'{given}'" if isinstance(given, str) else _NAMES.get(type(given), "something else")
            return f"{path}: Invalid enum value. Expected {_or(context['expected'])}, received {shown[:120]}"
        case "greater_than_equal":
            return f"{path}: Number must be greater than or equal to {context['ge']:g}"
        case "less_than_equal":
            return f"{path}: Number must be less than or equal to {context['le']:g}"
        case "finite_number":
            return f"{path}: Number must be finite"
        case "value_error":
            why = str(context.get("error", message))
            if not place:
                return why
            return f"{path} {why}" if why.startswith(("must ", "is ")) else f"{path}: {why}"
    expected = _EXPECTED.get(kind)
    if expected is not None:
        return f"{path}: Expected {expected}, received {_NAMES.get(type(given), 'null')}"
    return f"{path}: {message}"


_EXPECTED = {
    "string_type": "string", "float_type": "number", "int_type": "number", "int_from_float": "whole number",
    "bool_type": "boolean", "list_type": "array", "dict_type": "object", "model_type": "object",
    "model_attributes_type": "object",
}  # fmt: skip


def _or(expected: str) -> str:
    """``'a', 'b' or 'c'`` with bars between them."""
    return expected.replace(" or ", ", ").replace(", ", " | ")


def _path(place: tuple[int | str, ...]) -> str:
    path = ""
    for part in place:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path or "body"
