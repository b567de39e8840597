"""What users chose: ``accounts.json``, in a space that the service keeps for itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.store import layout
from memory.store.entries import Entries
from memory.store.events import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One user. Who never chose anything has no row."""

    id: str
    active: str | None = None                   # id of the active scope
    pack: Mapping[str, Any] | None = None       # a facet pack that an operator installed


def to_row(account: Account) -> dict[str, Any]:
    return {"id": account.id, "active": account.active, "pack": account.pack}


class Accounts(Entries[Account]):
    """Users by id."""

    file = layout.ACCOUNTS
    kind = "accounts"

    def of(self, user_id: str) -> Account:
        """The account of a user, whether or not there is a row."""
        return self.get(user_id) or Account(id=user_id)

    def from_row(self, row: Mapping[str, Any]) -> Account | None:
        own, active, pack = row.get("id"), row.get("active"), row.get("pack")
        if not isinstance(own, str) or not own:
            return None
        return Account(
            id=own,
            active=active if isinstance(active, str) else None,
            pack=pack if isinstance(pack, Mapping) else None,
        )

    def to_row(self, entry: Account) -> dict[str, Any]:
        return to_row(entry)

    def key_of(self, entry: Account) -> str:
        return entry.id

    def take(self, event: Event) -> None:
        if event.type == "account.changed":
            self.put(event.data["account"])
