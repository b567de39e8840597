"""What waits to be done, and what was given up, over the spaces of a user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from memory.dead_letters import count_kinds
from memory.engine import Engine
from memory.errors import MemoryServiceError
from memory.history.record import UPDATE_WORKING
from memory.state.digest_jobs import DIGEST, REBUILD
from memory.state.working_update import REFINE_WORKING
from memory.thinking import LETTER

# Owed jobs, and questions to a model, by the queue that they count for.
KINDS: Mapping[str, frozenset[str]] = {
    "digest": frozenset({DIGEST, REBUILD}),
    "workingMemory": frozenset({UPDATE_WORKING, REFINE_WORKING}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """How many jobs of a kind are performed now, wait, and failed for good."""

    active: int = 0
    waiting: int = 0
    failed: int = 0


async def queues(engine: Engine, names: Collection[str]) -> dict[str, Queue]:
    """The queues over these spaces. Only those that owe something are opened."""
    active: Counter[str] = Counter()
    waiting: Counter[str] = Counter()
    for name in names:
        entry = engine.catalogue.get(name)
        if entry is None or not entry.owed:
            continue
        try:
            async with engine.spaces.use(name) as space:
                for op in space.outbox.pending.values():
                    (active if op.id in engine.worker.running else waiting)[op.kind] += 1
        except MemoryServiceError:
            continue        # it is gone or damaged, which others tell of
    failed = await engine.run(_failed, engine, list(names))
    return {
        queue: Queue(active=_sum(active, kinds), waiting=_sum(waiting, kinds), failed=_sum(failed, kinds))
        for queue, kinds in KINDS.items()
    }


def _sum(counts: Counter[str], kinds: Collection[str]) -> int:
    return sum(count for kind, count in counts.items() if kind.removeprefix(LETTER) in kinds)


def _failed(engine: Engine, names: Sequence[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for name in names:
        found.update(count_kinds(engine.spaces.directory(name)))
    return found
