"""Releasing a character to whoever moves its files, and taking it back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence

from memory.engine import Engine
from memory.errors import ClaimWithdrawn, MemoryServiceError
from memory.history.review import cancel_review

log = logging.getLogger(__name__)

BUDGET = 2.0  # seconds for all waiting of one release; below the tightest caller's patience


class ReleaseFailed(MemoryServiceError):
    """The space could not be closed in time; its claim was withdrawn and it is open again."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name!r} could not be released: {why}")


class ReloadFailed(MemoryServiceError):
    """Some memories could not be read again; they are as they were."""

    def __init__(self, count: int) -> None:
        super().__init__(f"{count} memories could not be read again and stay as they were; the log says which")
        self.count = count


async def release(engine: Engine, name: str, token: str, generation: int, *, hold: bool) -> int:
    """Claim a name, stop its background work and let go of its files.

    Returns how many background jobs were stopped. The claim stays until :func:`reload` ends it.
    Raises ClaimWithdrawn if the token is or gets withdrawn (nothing is closed then), ReleaseFailed
    when the space is not free within the budget.
    """
    engine.claims.register(name, token, generation, hold=hold)
    try:
        async with asyncio.timeout(BUDGET):
            stopped = await engine.worker.cancel(name) + await stop_review(engine, name)
            was_open = engine.spaces.is_open(name)
            async with engine.spaces.closed(name, unless=lambda: not engine.claims.active(name, token)):
                if engine.claims.active(name, token):
                    engine.catalogue.forget(name)
                    engine.released(name, anew=was_open)
    except Exception as error:  # whatever it was, the name must not stay closed for it
        if not engine.claims.active(name, token):
            raise ClaimWithdrawn(token) from error
        engine.claims.withdraw(name, token)
        log.warning("%s: could not be released (%s)", name, type(error).__name__)
        why = "it is still in use" if isinstance(error, TimeoutError) else "its files could not be closed"
        raise ReleaseFailed(name, why) from error
    if not engine.claims.active(name, token):
        raise ClaimWithdrawn(token)
    log.info("%s: released under a claim of generation %d", name, generation)
    return stopped


async def stop_review(engine: Engine, name: str) -> bool:
    """Stop the review of a character's recent window. Returns whether one was running. Opens nothing."""
    for space in engine.spaces.open_spaces:
        if space.name == name:
            return await cancel_review(space)
    return False


async def reload(
    engine: Engine,
    *,
    resume: Mapping[str, int | None],
    release_claims: Mapping[str, Sequence[str]],
) -> None:
    """Read what changed on disk again, end the listed claims, and publish the listed identities.

    ``resume`` maps each name to the generation that is published, None where nobody says which.
    The claims are dealt with even if reading fails (BadInput for the companion's own files,
    ReloadFailed for a memory); then what could not be read stays as it was.
    """
    try:
        engine.cast.check()
        failed = await engine.reread()
    finally:
        await _settle_claims(engine, resume, release_claims)
    if failed:
        raise ReloadFailed(len(failed))


async def _settle_claims(
    engine: Engine, resume: Mapping[str, int | None], release_claims: Mapping[str, Sequence[str]]
) -> None:
    """First the tokens, then the identities: one step for every observer, up to what is written in the root."""
    published = engine.cast.published()
    for name, tokens in release_claims.items():
        for token in tokens:
            engine.claims.withdraw(name, token)
    for name, generation in resume.items():
        engine.claims.publish(name, generation)
        engine.worker.resume(name)
    gone = set(engine.claims.names())
    if published is not None:
        gone |= release_claims.keys() - published
    await engine.tombstones.update(lift=resume, bury=gone - resume.keys())
