"""``/openapi.json``: the frozen operations of this dialect and nothing else, as OpenAPI 3.0."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from memory_server.statecore.frozen import OPERATIONS, PREFIX, VERSION, Operation
from memory_server.statecore.wire import replies

_PARAMETER = re.compile(r":(\w+)")
_NOT_SHOWN = frozenset({"title", "default", "$defs"})


@cache
def document() -> Mapping[str, Any]:
    """The same for every request."""
    paths: dict[str, dict[str, Any]] = {}
    for one in OPERATIONS:
        path = PREFIX + _PARAMETER.sub(r"{\1}", one.path)
        paths.setdefault(path, {})[one.method.lower()] = _operation(one)
    return {
        "openapi": "3.0.3",
        "info": {
            "title": "StateCore HTTP API",
            "version": VERSION,
            "description": "The operations that are promised not to change. Further fields and values may come.",
        },
        "security": [{"apiKey": []}],
        "paths": paths,
        "components": {"securitySchemes": {"apiKey": {"type": "apiKey", "in": "header", "name": "x-user-id"}}},
    }


def _operation(one: Operation) -> dict[str, Any]:
    said = one.handler.__doc__ if one.handler is not None else None
    summary = said or "That this server is there."
    told: dict[str, Any] = {
        "operationId": _id_of(one),
        "summary": summary.strip().split("\n", 1)[0].rstrip("."),
        "responses": {
            str(one.status): _json("Done", schema_of(one.reply)),
            "400": _json("The request is wrong", schema_of(replies.Problem)),
        },
    }
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in _PARAMETER.findall(one.path)
    ]
    parameters += [
        {
            "name": parameter.name,
            "in": "query",
            "required": parameter.required,
            "schema": {"type": "string", **({"format": parameter.format} if parameter.format else {})},
        }
        for parameter in one.query
    ]
    if parameters:
        told["parameters"] = parameters
    if one.reads is not None:
        schema = schema_of(one.reads)
        told["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    if one.handler is None:
        told["security"] = []
    return told


def _json(description: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _id_of(one: Operation) -> str:
    words = [word for word in re.split(r"[^A-Za-z0-9]+", _PARAMETER.sub(r"by \1", one.path)) if word]
    return one.method.lower() + "".join(word[0].upper() + word[1:] for word in words)


def schema_of(model: Any) -> dict[str, Any]:
    """The schema of a model in the words of OpenAPI 3.0, in one piece."""
    whole = model.model_json_schema()
    found: dict[str, Any] = _in_words_of_3_0(whole, whole.get("$defs", {}))
    return found


def _in_words_of_3_0(schema: Any, defined: Mapping[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_in_words_of_3_0(one, defined) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _in_words_of_3_0(defined[schema["$ref"].rpartition("/")[2]], defined)
    options = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if "anyOf" in schema:
        rest = {key: value for key, value in schema.items() if key != "anyOf"}
        base = options[0] if len(options) == 1 else {"anyOf": options}
        nullable = {"nullable": True} if len(options) < len(schema["anyOf"]) else {}
        return {**_in_words_of_3_0({**base, **rest}, defined), **nullable}
    told: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "properties":
            told[key] = {name: _in_words_of_3_0(one, defined) for name, one in value.items()}
        elif key == "const":
            told["enum"] = [value]
        elif key == "exclusiveMinimum":
            told |= {"minimum": value, "exclusiveMinimum": True}
        elif key == "required":
            told[key] = sorted(value)
        elif key not in _NOT_SHOWN and key != "description":
            told[key] = _in_words_of_3_0(value, defined)
    return told
