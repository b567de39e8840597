"""Whether an answer is what the published document says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}


def misfits(value: Any, schema: Mapping[str, Any], where: str = "") -> Iterator[str]:
    """Places at which a value is not as the schema says."""
    if value is None:
        if not schema.get("nullable"):
            yield f"{where} is null"
        return
    kind = schema.get("type")
    if kind is not None and (not isinstance(value, _TYPES[kind]) or (kind != "boolean" and isinstance(value, bool))):
        yield f"{where} is no {kind}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where} is none of {schema['enum']}"
    if schema.get("format") == "uuid" and not _UUID.fullmatch(value):
        yield f"{where} is no UUID"
    if schema.get("format") == "date-time" and not _MOMENT.fullmatch(value):
        yield f"{where} is no time"
    if "minimum" in schema and value < schema["minimum"]:
        yield f"{where} is too small"
    if kind == "array":
        for place, item in enumerate(value):
            yield from misfits(item, schema.get("items", {}), f"{where}[{place}]")
    if kind == "object":
        for name in schema.get("required", ()):
            if name not in value:
                yield f"{where} lacks {name}"
        for name, inner in schema.get("properties", {}).items():
            if name in value:
                yield from misfits(value[name], inner, f"{where}.{name}")
