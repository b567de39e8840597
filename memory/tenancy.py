"""Users and their scopes: who may reach which space under which id.

A scope's space is named by a hash of its owner and id, so somebody else's id names a space that is
not there. The local user also reaches the companion's characters and what agents keep.
"""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memory import characters
from memory.catalogue import Entry
from memory.clock import Clock
from memory.engine import Engine
from memory.errors import BadInput, MemoryServiceError, UnknownSpace
from memory.names import check_name
from memory.scoped import name_scope, shown_id
from memory.scopes import CHARACTER, RECALLNEST, collapsed, derived_id, read_scope, reserved
from memory.space import MemorySpace
from memory.state.accounts import Account, to_row
from memory.state.card import Card
from memory.state.facets import PERSONAL, Resolved, read_pack, resolve
from memory.store import layout
from memory.store.files import read_head
from memory.store.segment import lines

log = logging.getLogger(__name__)

STATECORE = "statecore"
ACCOUNTS = reserved("accounts")

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_HEAD = 64 * 1024       # bytes in which a journal's first event is looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """Somebody who asks."""

    id: str                 # a UUID
    is_local: bool          # whose companion this is


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A scope that its user may reach."""

    id: str                 # a UUID
    space: str              # for ``Spaces.use``

    @property
    def character(self) -> str | None:
        return None if self.space.startswith("@") else self.space


def user_of(identity: str, *, is_local: bool) -> User:
    """The user that an identity is. Nothing needs to be written down for that."""
    return User(id=derived_id("user", identity), is_local=is_local)


def public_id(own: str) -> str:
    """An id as a UUID, whatever form it has here."""
    shown = shown_id(own)
    return shown if _UUID.fullmatch(shown) else derived_id("id", own)


def character_id(name: str) -> str:
    """The scope id of a character, or of another space that was not made here, by the name of the space."""
    return derived_id(CHARACTER, name)


def resolve_scope(engine: Engine, user: User, scope_id: str) -> Place:
    """The scope of an id, or of ``character:<name>``. Raises UnknownSpace for anything else, and for another's."""
    asked = collapsed(scope_id)
    kind, colon, rest = asked.partition(":")
    if colon and kind.casefold() == CHARACTER:
        return _character(engine, user, rest)
    own = asked.lower()
    if _UUID.fullmatch(own):
        space = _space_of(user, own)
        if engine.spaces.exists(space):
            return Place(id=own, space=space)
        if user.is_local:
            shared = (*_characters(engine), *_agents(engine))
            name = next((name for name in shared if character_id(name) == own), None)
            if name is not None:
                return Place(id=own, space=name)
    raise UnknownSpace("scope")


def _character(engine: Engine, user: User, text: str) -> Place:
    try:
        name = check_name(text)
    except BadInput:
        raise UnknownSpace("scope") from None
    if not user.is_local or not (engine.spaces.exists(name) or name in _characters(engine)):
        raise UnknownSpace("scope")
    return Place(id=character_id(name), space=name)


def _characters(engine: Engine) -> list[str]:
    """The companion's characters: those that have a memory, and those that are configured and have none yet."""
    return sorted({*engine.spaces.names(), *engine.characters()})


def _agents(engine: Engine) -> dict[str, str]:
    """Scopes in which agents keep memories: spaces with their names. They have no user but the local one."""
    entries = ((name, engine.catalogue.get(name)) for name in engine.spaces.scopes())
    return {
        name: entry.scope.name
        for name, entry in entries
        if entry is not None and entry.scope is not None and entry.scope.dialect == RECALLNEST
    }


def _space_of(user: User, scope_id: str) -> str:
    return read_scope(scope_id, dialect=STATECORE, owner=user.id).space


@asynccontextmanager
async def using(engine: Engine, user: User, scope_id: str) -> AsyncIterator[tuple[Place, MemorySpace]]:
    """The space of a scope; a character's is made by the first write. Raises UnknownSpace."""
    place = resolve_scope(engine, user, scope_id)
    async with engine.spaces.use(place.space, create=place.character is not None) as space:
        yield place, space


# scopes


@dataclass(frozen=True, slots=True, kw_only=True)
class NewScope:
    """What a scope is to be."""

    name: str
    goal: str | None
    stage: str
    template: str


async def create_scope(engine: Engine, user: User, wanted: NewScope) -> Card:
    """Make a scope and let it be the user's active one."""
    scope_id = public_id(engine.ids.new("scope"))
    scope = read_scope(scope_id, dialect=STATECORE, owner=user.id)
    async with engine.spaces.use(scope.space, create=True) as space, space.journal.write() as batch:
        card = Card(
            id=scope_id,
            name=wanted.name,
            created_at=engine.clock.now(),
            goal=wanted.goal,
            stage=wanted.stage,
            template=wanted.template,
        )
        name_scope(space, scope, batch)
        batch.add("scope_card.set", {"card": card.to_json()})
    await _change(engine, user, active=scope_id)
    log.info("scope %s made", scope_id)
    return card


async def list_scopes(engine: Engine, user: User) -> list[Card]:
    """The user's scopes, the newest first; the local user's characters and agents are among them."""
    found = [entry.card async for _, entry in _owned(engine, user) if entry.card is not None]
    if user.is_local:
        for name, shown in {**{one: f"{CHARACTER}:{one}" for one in _characters(engine)}, **_agents(engine)}.items():
            began = await engine.run(_began, engine.spaces.directory(name), engine.clock)
            found.append(Card(id=character_id(name), name=shown, created_at=began, template=PERSONAL))
    return sorted(found, key=lambda card: (card.created_at.timestamp(), card.id), reverse=True)


async def _owned(engine: Engine, user: User) -> AsyncIterator[tuple[str, Entry]]:
    """The spaces of the user's scopes, by what the catalogue knows of them."""
    for name in engine.spaces.scopes():
        entry = await entry_of(engine, name)
        scope = entry.scope if entry is not None else None
        if entry is not None and scope is not None and scope.dialect == STATECORE and scope.owner == user.id:
            yield name, entry


async def entry_of(engine: Engine, name: str) -> Entry | None:
    """What the catalogue knows of a space; one it does not know is looked into."""
    if name not in engine.catalogue:
        try:
            await engine.spaces.visit(name)
        except (MemoryServiceError, OSError):
            return None     # it is told of in the log, and by the doctor
    return engine.catalogue.get(name)


async def spaces_of(engine: Engine, user: User) -> list[str]:
    """Every space in which something of the user's may be."""
    found = [name async for name, _ in _owned(engine, user)]
    if user.is_local:
        found += [*engine.spaces.names(), *_agents(engine)]
    if engine.spaces.exists(ACCOUNTS):
        found.append(ACCOUNTS)
    return found


def _began(directory: Path, clock: Clock) -> datetime:
    """When the first thing was written down in a directory; the beginning of time where nobody says."""
    older = layout.segments(directory)
    data = read_head(older[0][1] if older else directory / layout.EVENTS, _HEAD)
    first = next((line.event for line in lines(data or b"") if line.event is not None), None)
    return first.at if first is not None else clock.local(datetime(1970, 1, 2))  # noqa: DTZ001 - made aware here


async def delete_scope(engine: Engine, user: User, scope_id: str) -> None:
    """Erase a scope with everything in it. Raises UnknownSpace, InUse, OSError."""
    place = resolve_scope(engine, user, scope_id)
    if place.character is not None:
        await characters.delete(engine, place.character)
    else:
        await characters.delete_space(engine, place.space)
    account = await _account(engine, user)
    if account.active == place.id:
        await _change(engine, user, active=None)


# what a user chose


async def activate(engine: Engine, user: User, scope_id: str) -> str:
    """Make a scope the user's active one; returns its id. Raises UnknownSpace."""
    place = resolve_scope(engine, user, scope_id)
    await _change(engine, user, active=place.id)
    return place.id


async def active_scope(engine: Engine, user: User) -> str | None:
    """The user's active scope, if there is one and it is still there."""
    active = (await _account(engine, user)).active
    if active is None:
        return None
    try:
        return resolve_scope(engine, user, active).id
    except UnknownSpace:
        return None


async def install_pack(engine: Engine, user: User, value: dict[str, Any] | None) -> None:
    """Give a user a facet pack of their own, or take it away: what an operator does. Raises BadInput."""
    if value is not None and read_pack(value) is None:
        raise BadInput("pack", "is no facet pack")
    await _change(engine, user, pack=value)


async def pack_of(engine: Engine, user: User, space: MemorySpace | None) -> Resolved:
    """The facet pack of a scope, or without one that of the account."""
    template = None
    if space is not None:
        card = space.views.card.card
        template = card.template if card is not None else PERSONAL
    return resolve(template, (await _account(engine, user)).pack, engine.settings.facet_caps)


async def _account(engine: Engine, user: User) -> Account:
    if not engine.spaces.exists(ACCOUNTS):
        return Account(id=user.id)
    async with engine.spaces.use(ACCOUNTS) as space:
        return space.views.accounts.of(user.id)


async def _change(engine: Engine, user: User, **changes: Any) -> None:
    async with accounts(engine) as space, space.journal.write() as batch:
        account = space.views.accounts.of(user.id)
        changed = replace(account, **changes)
        if changed != account:
            batch.add("account.changed", {"account": to_row(changed)})


@asynccontextmanager
async def accounts(engine: Engine) -> AsyncIterator[MemorySpace]:
    """The space in which the service keeps what belongs to users and to no scope."""
    async with engine.spaces.use(ACCOUNTS, create=True) as space:
        yield space
