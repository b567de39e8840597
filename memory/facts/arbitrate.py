"""Facts that may say the same, put to a model where rules were not sure. A wrong merge is worse than a repeat."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from memory.facts.dedup import KEEP_BOTH, MERGE, REPLACE, merged
from memory.facts.pairs import Pair
from memory.facts.record import to_record
from memory.locale import detect
from memory.models.chat import Chat
from memory.models.jobs import DEDUP
from memory.models.prompt import Wording, ask, one_line
from memory.recall.grounded import numbers
from memory.space import MemorySpace
from memory.thinking import Unfit, as_list, choose, place, think, worked

log = logging.getLogger(__name__)

_AT_ONCE = 20
_CHARS = 400

_WORDING: Wording = {
    "en": (
        "Each line is a pair of statements about one person, an older and a newer one. Say for each whether they state "
        "the very same thing: merge (keep the older), replace (the newer says it all and more), or keep_both. "
        "When in doubt, or when one denies what the other says, or numbers, names or times differ: keep_both. "
        'Answer with a JSON array: [{"index": number of the pair, "action": "merge|replace|keep_both"}]'
    ),
    "zh": (
        "每行是关于同一个人的一对陈述，一旧一新。判断两者说的是否完全是同一件事：merge（保留旧的）、replace（"
        "新的说了同样的事而且更完整，"
        "保留新的）或 keep_both。拿不准、互相否定，或数字、名字、时间不同时一律 keep_both。"
        '用 JSON 数组回答：[{"index": 编号, "action": "merge|replace|keep_both"}]'
    ),
}


async def arbitrate(space: MemorySpace, chat: Chat) -> int:
    """Have a model decide up to twenty queued pairs. Returns how many were settled; the others stay."""
    queue = [pair for pair in space.views.pending_pairs if pair.needs_model][:_AT_ONCE]
    waiting = choose(space, chat, DEDUP, queue, _id)
    if not waiting:
        return 0
    lines = [
        f"[{at}] {one_line(pair.existing_text, _CHARS)} || {one_line(pair.candidate_text, _CHARS)}"
        for at, pair in enumerate(waiting, start=1)
    ]
    locale = detect(" ".join(lines))
    answer = await think(
        space, chat, DEDUP, [*map(_id, waiting)], ask(_WORDING, locale, {}, pairs=lines), _reader(len(waiting))
    )
    if answer is None:
        return 0
    settled = 0
    async with space.journal.write() as batch:
        changed: set[str] = set()
        view = space.views.pending_pairs
        for at, action in answer.value.items():
            pair = waiting[at]
            key = view.key_of(pair)
            old, new = space.facts.get(pair.existing_id), space.facts.get(pair.candidate_id)
            if key not in view or {pair.existing_id, pair.candidate_id} & changed:
                continue
            if old is None or new is None:
                action = "gone"
            elif (old.text, new.text) != (pair.existing_text, pair.candidate_text):
                continue        # one of them was changed while the model thought
            elif action != KEEP_BOTH and (
                old.entity != new.entity or old.negated != new.negated or numbers(old.text) != numbers(new.text)
            ):
                action = KEEP_BOTH
            elif action != KEEP_BOTH:
                kept, dropped = (old, new) if action == MERGE else (new, old)
                changed |= {kept.id, dropped.id}
                row = to_record(merged(kept, dropped, bump=action == MERGE))
                batch.add("fact.merged", {"fact": row, "gone": dropped.id, "rule": answer.method})
            batch.add("pair.resolved", {"key": key, "action": action, "rule": answer.method})
            settled += 1
        worked(space, batch, answer)
    log.info("%s: %d pairs of facts settled", space.name, settled)
    return settled


def _id(pair: Pair) -> str:
    return f"{pair.existing_id} {pair.candidate_id}"


def _reader(count: int) -> Callable[[Any], dict[int, str]]:
    def read(value: Any) -> dict[int, str]:
        found = {
            at: str(row["action"])
            for row in as_list(value, "pairs")
            if (at := place(row.get("index"), count)) is not None and row.get("action") in (MERGE, REPLACE, KEEP_BOTH)
        }
        if not found:
            raise Unfit("no pair is decided")
        return found

    return read
