"""Taking text out of bytes that hold it: JSON values, lines of them, and whatever else lies in a directory.

What is to go is told by ids and by texts. Ids, times, hashes and the words of a closed list are structure: they
are never taken for text, or the word ``fact`` could not be erased without breaking every line.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

# Keys whose values in our own lines and files name a kind, a time, a place or a fingerprint.
STRUCTURE = frozenset(
    {
        "id", "event_id", "op_id", "type", "kind", "status", "at", "ts", "was", "session", "hash", "key", "body",
        "method", "source", "entity", "created_at", "utc_offset", "event_start_at", "event_end_at", "by", "of", "turn",
        "unit", "locale", "language", "memo_id", "memo_method", "embedding_text_sha256", "embedding_model_id",
        "relation_type", "temporal_scope", "salt", "sha256", "from", "to", "token_count_text_sha256",
        "token_count_tokenizer", "rewrite_text_sha256", "entity_key", "archive_shard_path",
        "created", "updated", "due", "sent", "owner", "reason", "retired_at", "retired_reason", "stage", "template",
    }
)  # fmt: skip
_VECTOR = "embedding"                 # base64, in which any short word may turn up by chance
_ENVELOPE = frozenset({"event_id", "op_id", "type", "status", "ts", "at", "seq", "attempts", "commit", "done"})
_REFERENCES = ("turn", "turn_id", "fact_id", "reflection_id", "entry_id", "candidate_id", "existing_id")

_WORD = re.compile(r"[a-z][a-z0-9_./:+-]{0,79}")
_HEX = re.compile(r"[0-9a-f]{8,64}")
_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[+-]\d\d:?\d\d|Z)?)?|[+-]\d{4}")
_ID = re.compile(
    r"(?:fact|turn|event|op|session|memo|ref|reflection|prom|card|legacy|manual|entry|persona|correction|checkpoint|version|handoff|reminder|digest|scope)"
    r"(?:_[a-z]+)*(?:_[0-9a-f]{1,40}){1,2}"
)


def fold(text: str) -> str:
    """The text without differences of case and width, for finding it whatever it was typed like."""
    return text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What became of some bytes."""

    data: bytes
    lines_removed: int = 0


class Eraser:
    """Knows what is to go, and takes it out of values and bytes."""

    def __init__(self, *, ids: Collection[str] = (), parts: Iterable[str] = (), wholes: Iterable[str] = ()) -> None:
        """``parts`` are texts looked for inside others; ``wholes`` must be all there is of a string."""
        self.ids = frozenset(ids)
        self._as_given = tuple(dict.fromkeys(given for part in parts if fold(given := part.strip()).strip()))
        self._parts = tuple(dict.fromkeys(map(fold, self._as_given)))
        self._wholes = frozenset(folded for whole in wholes if (folded := fold(whole).strip()))
        # How they may stand in bytes that nobody can take apart.
        self.forms = tuple({form for part in (*self._as_given, *self._parts) for form in _forms(part)})

    @property
    def empty(self) -> bool:
        """Whether no text is to go."""
        return not self._parts and not self._wholes

    def of_texts(self) -> Eraser:
        """The same without ids, for finding out whether a text still stands somewhere."""
        return Eraser(parts=self._as_given, wholes=self._wholes)

    def holds(self, text: str) -> bool:
        """Whether the text is, or has in it, something that is to go."""
        folded = fold(text)
        return any(part in folded for part in self._parts) or folded.strip() in self._wholes

    def finds(self, value: Any, keep: Collection[str] = STRUCTURE) -> bool:
        """Whether anything in a JSON value is to go: a text, or a record by its id."""
        cleaned, held = self._walk(value, None, keep)
        return held or cleaned is not value or self._is_gone(value)

    def clean(self, value: Any, keep: Collection[str] = STRUCTURE) -> Any:
        """The value without what is to go; the same object when there was nothing.

        A record in a list goes as a whole, a text elsewhere becomes empty.
        """
        return self._walk(value, None, keep)[0]

    def takes(self, value: Mapping[str, Any], keep: Collection[str] = STRUCTURE) -> tuple[Any, bool]:
        """The cleaned value, and whether the value itself is a record that is to go."""
        cleaned, held = self._walk(value, None, keep)
        return cleaned, held or _string(value.get("id")) in self.ids

    def _is_gone(self, value: Any) -> bool:
        """By its own id, or where it has none by that of what it speaks of."""
        if not self.ids or not isinstance(value, dict):
            return False
        if _string(value.get("id")) is not None:
            return value["id"] in self.ids
        return any(_string(value.get(key)) in self.ids for key in _REFERENCES)

    def _walk(self, value: Any, key: str | None, keep: Collection[str]) -> tuple[Any, bool]:
        """The cleaned value, and whether a text of the record that it belongs to was taken."""
        if isinstance(value, str):
            if not self.holds(value) or _is_structure(key, value, keep):
                return value, False
            return "", True
        if isinstance(value, list):
            return self._walk_list(value, key, keep)
        if isinstance(value, dict):
            return self._walk_object(value, keep)
        return value, False

    def _walk_list(self, value: list[Any], key: str | None, keep: Collection[str]) -> tuple[Any, bool]:
        kept: list[Any] | None = None        # made once something differs: most lists stay as they are
        taken = False
        for place, item in enumerate(value):
            new, held = self._walk(item, key, keep)
            goes = held or self._is_gone(item)
            taken = taken or (goes and isinstance(item, str))
            if kept is None and (goes or new is not item):
                kept = value[:place]
            if kept is not None and not goes:
                kept.append(new)
        return (value if kept is None else kept), taken

    def _walk_object(self, value: Mapping[str, Any], keep: Collection[str]) -> tuple[Any, bool]:
        kept: dict[str, Any] | None = None
        taken = False
        for key, item in value.items():
            new, held = self._walk(item, key, keep)
            if self._is_gone(item):
                new, held = {}, True
            odd = not (key.isascii() and key.isidentifier()) and self.holds(key) and not _ID.fullmatch(key)
            if kept is None and (odd or new is not item):
                kept = dict(value)
            if kept is not None and odd:
                del kept[key]
            elif kept is not None:
                kept[key] = new
            taken = taken or held
        return (value if kept is None else kept), taken

    # bytes

    def clean_file(
        self, data: bytes, keep: Collection[str] = STRUCTURE, *, of_lines: bool = False
    ) -> Cleaned | None:
        """The content of a text file; None for one that holds what is to go and is no text.

        JSON is taken apart, lines that cannot be read and hold something are left out.
        """
        if of_lines:
            return self._clean_lines(data, keep)
        try:
            value = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
        except orjson.JSONDecodeError:
            return self._clean_lines(data, keep)
        cleaned = {} if self._is_gone(value) else self.clean(value, keep)
        if cleaned is value:
            return Cleaned(data)
        if isinstance(cleaned, str):
            cleaned = ""
        if isinstance(cleaned, list) and cleaned:
            body = b",\n".join(orjson.dumps(item) for item in cleaned)
            return Cleaned(b"[\n" + body + b"\n]\n")
        return Cleaned(orjson.dumps(cleaned, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))

    def _clean_lines(self, data: bytes, keep: Collection[str]) -> Cleaned | None:
        if b"\0" in data[:4096] or not _is_text(data):
            return None if self.in_bytes(data) else Cleaned(data)
        kept: list[bytes] = []
        removed = 0
        for line in data.splitlines(keepends=True):
            new = self.clean_line(line, keep)
            removed += bool(line) and not new
            kept.append(new)
        joined = b"".join(kept)
        if self._in_text(joined.decode("utf-8", "replace")) and not self._in_lines(joined, keep):
            return None  # it runs over the end of a line
        return Cleaned(joined, removed)

    def clean_line(self, line: bytes, keep: Collection[str] = STRUCTURE) -> bytes:
        """One line of a file of lines; empty when it cannot be read and holds something."""
        body = line.strip(b"\r\n \t,").removeprefix(b"\xef\xbb\xbf")
        try:
            value = orjson.loads(body)
        except orjson.JSONDecodeError:
            return b"" if self._in_text(_unescaped(line)) else line
        if isinstance(value, Mapping) and (value.keys() & {"event_id", "op_id"}):
            cleaned: Any = {
                key: item if key in _ENVELOPE else {} if self._is_gone(item) else self.clean(item, keep)
                for key, item in value.items()
            }
            same = all(cleaned[key] is item for key, item in value.items())
        else:
            new, held = self._walk(value, None, keep)
            if held or self._is_gone(value):
                return b""
            cleaned, same = new, new is value
        if same:
            return line
        end = b",\n" if line.rstrip().endswith(b",") else b"\n"
        return orjson.dumps(cleaned) + end

    def left_in(self, data: bytes, keep: Collection[str] = STRUCTURE) -> bool:
        """Whether anything that is to go still stands in the content of a file."""
        text = _unescaped(data)
        if not self._in_text(text) and not self._wholes and not self.ids:
            return False
        try:
            return self.finds(orjson.loads(data.removeprefix(b"\xef\xbb\xbf")), keep)
        except orjson.JSONDecodeError:
            pass
        if b"\0" in data[:4096] or not _is_text(data):
            return self.in_bytes(data)
        return self._in_lines(data, keep)

    def _in_lines(self, data: bytes, keep: Collection[str]) -> bool:
        return any(self.clean_line(line, keep) != line for line in data.splitlines(keepends=True))

    def in_bytes(self, data: bytes) -> bool:
        """Whether bytes of any kind have one of the texts in them, plainly or escaped as in JSON."""
        return any(form in data for form in self.forms) or self._in_text(data.decode("utf-8", "ignore"))

    def _in_text(self, text: str) -> bool:
        folded = fold(text)
        return any(part in folded for part in self._parts)


def _is_structure(key: str | None, value: str, keep: Collection[str]) -> bool:
    if key in keep and (_WORD.fullmatch(value) or _HEX.fullmatch(value)):
        return True
    if key == _VECTOR and keep:
        return True
    return len(value) < 80 and bool(_TIME.fullmatch(value) or _ID.fullmatch(value))


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")


def _unescaped(data: bytes) -> str:
    """The text of bytes with JSON's escapes resolved, as far as they are any."""
    text = data.decode("utf-8", "replace")
    if "\\" not in text:
        return text
    text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    text = text.replace('\\"', '"').replace("\\n", "\n").replace("\\t", "\t").replace("\\/", "/").replace("\\\\", "\\")
    # Two halves of a character beyond the basic plane come out as surrogates.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _forms(text: str) -> Iterable[bytes]:
    """How a text may stand in bytes: as UTF-8, and escaped as JSON writes it."""
    yield text.encode("utf-8", "surrogatepass")
    for ascii_only in (True, False):
        escaped = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
        yield escaped.encode("utf-8", "surrogatepass")
        if ascii_only:
            yield re.sub(r"\\u[0-9a-f]{4}", lambda match: "\\u" + match[0][2:].upper(), escaped).encode()
