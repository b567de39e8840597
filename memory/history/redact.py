"""The working window without what is erased. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory.history.memo import METHOD, Memo, MemoItem
from memory.history.recent import Entry
from memory.history.turn import SYSTEM
from memory.history.wording import sentences_of

_MEMO_KEYS = ("memo", "memo_id", "memo_rows", "memo_method")


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What ``recent.json`` and ``recent_meta.json`` hold."""

    entries: Sequence[Entry]
    meta: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """What is to go from a window."""

    ids: Collection[str]                     # of turns
    rows: Collection[int]                    # of the same turns
    holds: Callable[[str], bool]             # whether a text has in it what is to go
    finds: Callable[[Any], bool]             # the same for a JSON value


def redact(window: Window, gone: Gone, new_id: Callable[[], str]) -> Window:
    """The window without the turns, and with a memo that does not tell of them.

    A memo that changed, or that stands for a turn that is gone, gets a new id: a summary of the old
    one that a model is writing just now then finds nothing that it could replace. What a model
    wrote about turns of which one is gone is given up for the excerpts, since nobody can tell
    which of its words came from where.
    """
    kept = [entry for entry in window.entries if not _is_gone(entry, gone)]
    if not kept or kept[0].kind != SYSTEM:
        return Window(entries=kept, meta=_meta_alone(window.meta, gone))
    memo, *rest = kept
    rest = [shown for entry in rest if (shown := _foreign(entry, gone)) is not None]
    if memo.id is not None and window.meta.get("memo_id") == memo.id:
        return _with_own_memo(memo, rest, window.meta, gone, new_id)
    shown = _foreign(memo, gone)
    return Window(entries=[shown, *rest] if shown is not None else rest, meta=_meta_alone(window.meta, gone))


def _is_gone(entry: Entry, gone: Gone) -> bool:
    return entry.id in gone.ids or (entry.kind != SYSTEM and gone.finds(entry.to_json()))


def _with_own_memo(
    entry: Entry, rest: Sequence[Entry], meta: Mapping[str, Any], gone: Gone, new_id: Callable[[], str]
) -> Window:
    try:
        memo = Memo.from_json(meta["memo"])
    except (KeyError, TypeError, ValueError):
        memo = Memo(locale="en")
    items = tuple(item for item in memo.items if not _is_item_gone(item, gone))
    rows: Sequence[int] = meta.get("memo_rows") or []
    concerned = len(rows) == 2 and any(rows[0] <= row <= rows[1] for row in gone.rows)
    if len(items) == len(memo.items) and not concerned and not gone.holds(entry.text):
        return Window(entries=[entry, *rest], meta=meta)
    memo = replace(memo, items=items)
    if not memo.text or gone.holds(memo.text):
        return Window(entries=rest, meta=_without_memo(meta))
    changed = replace(entry, id=new_id(), content=memo.text, extra={})
    fresh = {**meta, "memo": memo.to_json(), "memo_id": changed.id, "memo_method": METHOD}
    return Window(entries=[changed, *rest], meta=fresh)


def _is_item_gone(item: MemoItem, gone: Gone) -> bool:
    return item.turn_id in gone.ids or gone.holds(item.line)


def _meta_alone(meta: Mapping[str, Any], gone: Gone) -> Mapping[str, Any]:
    """What is known of a memo that no longer stands there, unless it tells of what is gone."""
    told = meta.get("memo")
    items = told.get("items") if isinstance(told, Mapping) else None
    of_gone = isinstance(items, list) and any(
        isinstance(item, Mapping) and item.get("turn") in gone.ids for item in items
    )
    return _without_memo(meta) if of_gone or meta.get("memo_id") in gone.ids or gone.finds(meta) else meta


def _without_memo(meta: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: value for key, value in meta.items() if key not in _MEMO_KEYS}


def _foreign(entry: Entry, gone: Gone) -> Entry | None:
    """A system message of somebody else's without the sentences that hold something; None if nothing is left."""
    if not gone.finds(entry.to_json()):
        return entry
    if not isinstance(entry.content, str) or gone.finds(entry.extra):
        return None
    lines: list[str] = []
    for line in entry.content.splitlines():
        kept = line if not gone.holds(line) else " ".join(one for one in sentences_of(line) if not gone.holds(one))
        if kept or not line:
            lines.append(kept)
    text = "\n".join(lines)
    return None if gone.holds(text) or not text.strip() else replace(entry, content=text)
