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

# The words of the document, apart from those of the code: a change of them is a change of the document.
_SUMMARIES: Mapping[str, str] = {
    "POST /scopes": "Make a scope; it becomes the active one",
    "GET /scopes": "The caller's scopes, the newest first",
    "DELETE /scopes/:id": "Erase a scope with everything in it",
    "POST /scopes/:id/active": "Make a scope the active one",
    "GET /state": "The caller's active scope",
    "POST /memory/events": "Take in a raw event",
    "POST /memory/retrieve":
        "The last digest, facts and events, for a question or the newest, within a number of characters",
    "POST /memory/answer": "Answer a question from what is remembered",
    "POST /memory/digest": "Ask for a digest of what came since the last one",
    "GET /memory/digests/:digestId/selection": "What a digest kept, and what it left out with reasons",
    "POST /memory/runtime/turn": "Answer one message of a conversation, and remember it",
    "GET /memory/facts": "Facts under their headings, without what was forgotten",
    "GET /memory/facts/:factId/provenance": "A fact's whole chain of versions, and the evidence that is still held",
    "POST /memory/facts/forget": "Retire a fact, keep back its evidence, and let no wording of it return",
    "GET /facet-pack": "The facets that hold for a scope, or for the account",
    "POST /memory/notes": "Note a statement for good",
    "POST /memory/handoff": "Record where a session stopped, or that nothing is handed over any more",
    "GET /memory/relationship-context/:scopeId": "What is needed to open a conversation that sounds like it remembers",
    "POST /reminders": "Make a reminder",
    "GET /reminders": "The caller's reminders of all scopes, the earliest due first",
    "POST /reminders/:id/cancel": "Cancel a reminder that was not sent yet",
    "GET /health": "That this server is there",
}  # fmt: skip


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
    told: dict[str, Any] = {
        "operationId": _id_of(one),
        "summary": _SUMMARIES[f"{one.method} {one.path}"],
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
