"""OpenAPI documents, made from the models that requests are read by. One for each dialect."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

_PATH_FIELD = re.compile(r"\{(\w+)\}")
_REFERENCE = "#/components/schemas/{model}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path."""

    method: str
    path: str
    summary: str
    tag: str
    status: int
    reply: type[BaseModel] | UnionType
    body: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    problems: Mapping[int, str]             # other statuses, each with when it is answered


def document(
    operations: Sequence[Operation], *, title: str, version: str, description: str, problem: type[BaseModel]
) -> dict[str, Any]:
    """An OpenAPI 3.1 document. The same operations give the same document."""
    schemas, references = _schemas(operations, problem)
    paths: dict[str, dict[str, Any]] = {}
    for one in operations:
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, schemas, references, problem)
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": version, "description": description},
        "paths": paths,
        "components": {"schemas": dict(sorted(schemas.items()))},
    }


def _schemas(
    operations: Iterable[Operation], problem: type[BaseModel]
) -> tuple[dict[str, Any], dict[tuple[type[BaseModel], str], Any]]:
    wanted: dict[tuple[type[BaseModel], str], None] = {(problem, "serialization"): None}
    for one in operations:
        for model in (one.body, one.query):
            if model is not None:
                wanted[model, "validation"] = None
        for model in _models(one.reply):
            wanted[model, "serialization"] = None
    references, defined = models_json_schema(list(wanted), ref_template=_REFERENCE)  # type: ignore[arg-type]
    return dict(defined.get("$defs", {})), dict(references)  # type: ignore[arg-type]


def _models(reply: type[BaseModel] | UnionType) -> Sequence[type[BaseModel]]:
    return reply.__args__ if isinstance(reply, UnionType) else (reply,)


def _operation(
    one: Operation,
    schemas: Mapping[str, Any],
    references: Mapping[tuple[type[BaseModel], str], Any],
    problem: type[BaseModel],
) -> dict[str, Any]:
    replies = [references[model, "serialization"] for model in _models(one.reply)]
    told: dict[str, Any] = {
        "operationId": _id_of(one),
        "summary": one.summary,
        "tags": [one.tag],
        "responses": {
            str(one.status): _json("Done", replies[0] if len(replies) == 1 else {"oneOf": replies}),
            **{
                str(status): _json(when, references[problem, "serialization"])
                for status, when in sorted(one.problems.items())
            },
        },
    }
    parameters = _in_path(one.path)
    if one.query is not None:
        own = schemas[str(references[one.query, "validation"]["$ref"]).rpartition("/")[2]]
        parameters += [
            {"name": name, "in": "query", "required": name in own.get("required", ()), "schema": schema}
            for name, schema in own.get("properties", {}).items()
            if name not in _PATH_FIELD.findall(one.path)
        ]
    if parameters:
        told["parameters"] = parameters
    if one.body is not None:
        told["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": references[one.body, "validation"]}},
        }
    return told


def _in_path(path: str) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in _PATH_FIELD.findall(path)
    ]


def _json(description: str, schema: Any) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _id_of(one: Operation) -> str:
    plain = _PATH_FIELD.sub(lambda match: f"by {match[1]}", one.path)
    words = [word for word in re.split(r"[^A-Za-z0-9]+", plain) if word]
    return one.method.lower() + "".join(word[0].upper() + word[1:] for word in words)
