"""Releasing a character to whoever moves its files, and taking it back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence

from memory.engine import Engine
from memory.errors import ClaimWithdrawn, MemoryServiceError

log = logging.getLogger(__name__)

BUDGET = 2.0  # seconds for all waiting of one release; below the tightest caller's patience


class ReleaseFailed(MemoryServiceError):
    """The space could not be closed in time; its claim was withdrawn and it is open again."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name!r} could not be released: {why}")


async def release(engine: Engine, name: str, token: str, generation: int, *, hold: bool) -> int:
    """Claim a name, stop its background work and let go of its files.

    Returns how many background jobs were stopped. The claim stays until :func:`reload` ends it.
    Raises ClaimWithdrawn if the token is or gets withdrawn (nothing is closed then), ReleaseFailed
    when the space is not free within the budget.
    """
    engine.claims.register(name, token, generation, hold=hold)
    try:
        async with asyncio.timeout(BUDGET):
            stopped = await engine.worker.cancel(name)
            async with engine.spaces.closed(name, unless=lambda: not engine.claims.active(name, token)):
                engine.catalogue.forget(name)
    except (TimeoutError, OSError) as error:
        if not engine.claims.active(name, token):
            raise ClaimWithdrawn(token) from error
        engine.claims.withdraw(name, token)
        why = "it is still in use" if isinstance(error, TimeoutError) else "saving failed"
        raise ReleaseFailed(name, why) from error
    if not engine.claims.active(name, token):
        raise ClaimWithdrawn(token)
    log.info("%s: released under a claim of generation %d", name, generation)
    return stopped


async def reload(
    engine: Engine,
    *,
    resume: Mapping[str, int | None],
    release_claims: Mapping[str, Sequence[str]],
) -> None:
    """Read settings and changed files again, end the listed claims, and publish the listed identities.

    The claims are dealt with even if reading fails; then nothing else changes and the error is raised.
    """
    try:
        await engine.reread()
        published = engine.cast.published()
        for name, generation in resume.items():
            if published is None or name in published:
                engine.claims.publish(name, generation)
    finally:
        for name, tokens in release_claims.items():
            for token in tokens:
                engine.claims.withdraw(name, token)
        for name, generation in resume.items():
            engine.claims.publish(name, generation)
        await engine.tombstones.lift(resume)
        await engine.tombstones.bury(engine.claims.names())
