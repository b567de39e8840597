"""Characters as a whole: adding, renaming and deleting one, and keeping its background work still."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from memory.engine import Engine
from memory.erase import erase
from memory.errors import BadInput, MemoryServiceError, UnknownSpace
from memory.names import check_name
from memory.scopes import RECALLNEST, Scope, of_character
from memory.selection import Selection
from memory.sessions.save import CHECKPOINTS, ever_saved
from memory.store import layout
from memory.store.files import sync_directory

log = logging.getLogger(__name__)

PATIENCE = 10.0     # seconds until whoever uses the character must be done
_GONE = ".deleted-"  # before the name of a directory on its way out; listing characters passes it over


class InUse(MemoryServiceError):
    """The character is being used and could not be closed in time."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name!r} is in use and could not be closed; try again")


@asynccontextmanager
async def undisturbed(engine: Engine, name: str) -> AsyncIterator[None]:
    """Let no background work begin for a character while the block runs; what runs is stopped and stays owed."""
    token = engine.ids.new("claim")
    engine.claims.register(name, token, None, hold=False)
    try:
        await engine.worker.cancel(name)
        yield
    finally:
        engine.claims.withdraw(name, token)


async def add(engine: Engine, name: str) -> None:
    """Make an empty character. Raises BadInput for a name that is taken or not allowed."""
    name = _checked(name)
    if engine.spaces.exists(name):
        raise BadInput("name", f"{name!r} exists already")
    await engine.tombstones.lift([name])
    async with engine.spaces.use(name, create=True) as space, space.journal.write() as batch:
        batch.add("space.created", {})
    log.info("%s: added", name)


async def rename(engine: Engine, old: str, new: str) -> None:
    """Give a character another name: its directory moves, nothing in it changes.

    Raises UnknownSpace, BadInput for a name that is taken or not allowed, or that the companion has
    configured (which then has to rename it), InUse, OSError. After any of them the old name stands.
    """
    new = _checked(new)
    _check_known(engine, old)
    if old == new:
        raise BadInput("name", "the new name is the old one")
    if engine.spaces.exists(new):
        raise BadInput("name", f"{new!r} exists already")
    published = engine.cast.published() or frozenset()
    if old in published and new not in published:
        raise BadInput("name", f"{old!r} is configured in characters.json; rename it in the companion")
    async with _closed(engine, old, new):
        source, target = engine.spaces.directory(old), engine.spaces.directory(new)
        await engine.run(_move, source, target)
        try:
            await engine.tombstones.lift([new])
            await engine.tombstones.bury([old])
        except OSError:
            with contextlib.suppress(OSError):
                await engine.run(_move, target, source)
                await engine.tombstones.lift([old])
            raise
        engine.catalogue.forget(old)
    await engine.spaces.visit(new)
    log.info("%s: renamed to %s", old, new)


async def delete(engine: Engine, name: str) -> int:
    """Remove a character with everything in its directory. Returns the number of files removed.

    Nothing brings it back but a backup; its name stays closed until it is added or published
    again. Raises UnknownSpace, InUse, OSError.
    """
    _check_known(engine, name)
    async with _closed(engine, name):
        directory = engine.spaces.directory(name)
        count = await engine.run(_remove, directory)
        engine.catalogue.forget(name)
        await engine.tombstones.bury([name])
    await _erase_checkpoints(engine, of_character(name))
    log.info("%s: deleted, %d files", name, count)
    return count


async def _erase_checkpoints(engine: Engine, scope: Scope) -> None:
    """Where work on a character stood goes with it; checkpoints are kept apart from the memories."""
    if not engine.spaces.exists(CHECKPOINTS):
        return
    async with engine.spaces.use(CHECKPOINTS) as space:
        ids = await ever_saved(space, scope)
        if ids:
            await erase(space, Selection(ids=tuple(ids)), engine.cast.names(CHECKPOINTS))


async def delete_space(engine: Engine, name: str) -> int:
    """Remove a scope's space with everything in it. Returns the number of files removed.

    Whoever may use its name may make it anew, so it need not be kept closed. Raises UnknownSpace, InUse, OSError.
    """
    if not engine.spaces.exists(name):
        raise UnknownSpace(name)
    entry = engine.catalogue.get(name)
    scope = entry.scope if entry is not None else None
    async with _closed(engine, name):
        directory = engine.spaces.directory(name)
        if not directory.is_dir():      # somebody else was faster
            raise UnknownSpace(name)
        count = await engine.run(_remove, directory)
        engine.catalogue.forget(name)
    if scope is not None and scope.dialect == RECALLNEST:
        await _erase_checkpoints(engine, scope)
    log.info("%s: deleted, %d files", name, count)
    return count


def deleted_remains(root: Path) -> list[Path]:
    """Directories of deleted characters and scopes that a crash left behind."""
    places = (layout.memory_directory(root), layout.scopes_directory(root))
    return sorted(path for place in places for path in place.glob(f"{_GONE}*"))


def _checked(name: str) -> str:
    try:
        return check_name(name)
    except BadInput as error:
        raise BadInput("name", error.why) from None


def _check_known(engine: Engine, name: str) -> None:
    if name not in engine.spaces.names():
        raise UnknownSpace(name)


@asynccontextmanager
async def _closed(engine: Engine, *names: str) -> AsyncIterator[None]:
    """Keep everybody away from characters whose files are closed."""
    token = engine.ids.new("claim")
    try:
        async with contextlib.AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(PATIENCE):
                    await _close_all(engine, names, token, stack)
            except TimeoutError:
                raise InUse(names[0]) from None
            yield
    finally:
        for name in names:
            engine.claims.withdraw(name, token)


async def _close_all(engine: Engine, names: Sequence[str], token: str, stack: contextlib.AsyncExitStack) -> None:
    for name in names:
        engine.claims.register(name, token, None, hold=True)
        await engine.worker.cancel(name)
        await stack.enter_async_context(engine.spaces.closed(name))


def _move(source: Path, target: Path) -> None:
    if target.exists() or target.is_symlink():
        raise FileExistsError(target)
    os.rename(source, target)
    sync_directory(target.parent)


def _remove(directory: Path) -> int:
    """Out of sight in one step first, so that a crash leaves all of it or nothing."""
    gone = directory.with_name(f"{_GONE}{directory.name}")
    if gone.exists():
        shutil.rmtree(gone)
    os.rename(directory, gone)
    sync_directory(directory.parent)
    count = sum(len(files) for _, _, files in os.walk(gone))
    shutil.rmtree(gone)
    sync_directory(directory.parent)
    return count
