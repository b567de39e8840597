"""What sets one state of the published document apart from another: what breaks callers, and what is only more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_UPPER, _LOWER = ("maxLength", "maximum", "maxItems"), ("minLength", "minimum", "minItems")
# What a value is held to besides; put on a body or a parameter later, it refuses what used to be right.
_DEMANDS = {
    **dict.fromkeys(("pattern", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems")),
    "additionalProperties": True,
}
_WORDS = frozenset({"summary", "description", "title", "example", "tags"})


def breaks(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Places at which the new document takes back what the old one promised."""
    return list(_breaks(old, new))


def _breaks(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for path, methods in old["paths"].items():
        for method, operation in methods.items():
            where = f"{method} {path}"
            present = new["paths"].get(path, {}).get(method)
            if present is None:
                yield f"{where} is gone"
                continue
            yield from _parameters(where, operation.get("parameters", ()), present.get("parameters", ()))
            yield from _bodies(where, operation, present)
            for status, response in operation["responses"].items():
                if status not in present["responses"]:
                    yield f"{where} no longer answers {status}"
                else:
                    yield from _schema(
                        f"{where} {status}", _of(response), _of(present["responses"][status]), answers=True
                    )
            if operation.get("security") != present.get("security"):
                yield f"{where} asks for another identity"


def _bodies(where: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    before, after = old.get("requestBody"), new.get("requestBody")
    if before is None and after is not None:
        yield f"{where} now needs a body"
    elif before is not None and after is None:
        yield f"{where} no longer reads a body"
    elif before is not None and after is not None:
        if after.get("required", False) and not before.get("required", False):
            yield f"{where} now needs its body"
        yield from _schema(f"{where} body", _of(before), _of(after), answers=False)


def _parameters(where: str, old: Any, new: Any) -> Iterator[str]:
    before, after = ({(one["name"], one["in"]): one for one in listed} for listed in (old, new))
    for key, one in before.items():
        if key not in after:
            yield f"{where} parameter {key[0]} is gone"
            continue
        if not one["required"] and after[key]["required"]:
            yield f"{where} parameter {key[0]} is required now"
        yield from _schema(f"{where} parameter {key[0]}", one["schema"], after[key]["schema"], answers=False)
    for key, one in after.items():
        if key not in before and one["required"]:
            yield f"{where} parameter {key[0]} is required and new"


def _of(holder: Mapping[str, Any]) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = holder["content"]["application/json"]["schema"]
    return schema


def _schema(where: str, old: Mapping[str, Any], new: Mapping[str, Any], *, answers: bool) -> Iterator[str]:
    for key in ("type", "format", "nullable"):
        if old.get(key) != new.get(key):
            yield f"{where} {key} changed"
    if missing := set(map(str, old.get("enum", ()))) - set(map(str, new.get("enum", ()))):
        yield f"{where} lost {sorted(missing)}"
    if "enum" not in old and "enum" in new:
        yield f"{where} is narrower"
    before, after = old.get("properties", {}), new.get("properties", {})
    for name, schema in before.items():
        if name not in after:
            yield f"{where} {name} is gone"
        else:
            yield from _schema(f"{where} {name}", schema, after[name], answers=answers)
    was, now = set(old.get("required", ())), set(new.get("required", ()))
    if not answers and now - was:
        yield f"{where} now requires {sorted(now - was)}"
    if answers and (lost := was - now):
        yield f"{where} no longer promises {sorted(lost)}"
    if answers and (fresh := (now - was)):
        yield f"{where} newly requires {sorted(fresh)}"
    if "items" in old:
        yield from _schema(f"{where}[]", old["items"], new.get("items", {}), answers=answers)
    if not answers:
        for key, usual in _DEMANDS.items():
            if new.get(key, usual) not in (usual, old.get(key, usual)):
                yield f"{where} {key} is narrower"
    for bound in () if answers else (*_UPPER, *_LOWER):
        before_it, after_it = old.get(bound), new.get(bound)
        if after_it is None or after_it == before_it:
            continue
        if before_it is None or (after_it < before_it) == (bound in _UPPER):
            yield f"{where} {bound} is narrower"


def version_fits(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether the version says what kind of change there is.

    The middle goes up with additions, the end where only words differ, the front never.
    """
    before, after = (tuple(map(int, one["info"]["version"].split("."))) for one in (old, new))
    if after[0] != before[0]:
        return False
    if _shape(old) != _shape(new):
        return after[:2] > before[:2]
    return after > before if _wordless(new) != _wordless(old) else after >= before


def _shape(document: Mapping[str, Any]) -> Any:
    """The document without its version and its words."""
    return _without({key: value for key, value in document.items() if key != "info"}, _WORDS)


def _wordless(document: Mapping[str, Any]) -> Any:
    """The document without its version."""
    return {**document, "info": {key: value for key, value in document["info"].items() if key != "version"}}


def _without(value: Any, keys: frozenset[str], *, names: bool = False) -> Any:
    """The value without what stands under the keys. Directly below ``properties`` they are names of fields."""
    if isinstance(value, list):
        return [_without(one, keys) for one in value]
    if not isinstance(value, Mapping):
        return value
    return {
        key: _without(one, keys, names=key == "properties" and not names)
        for key, one in value.items()
        if names or key not in keys
    }
