"""What can go wrong, in one tree.

MemoryServiceError
├─ BadInput (field, why)      ├─ StorageBlocked (reason)
├─ UnknownSpace (name)        ├─ DamagedSpace (path, line)
├─ KeyReused (key)            ├─ ModelFailed (tier, retryable)
├─ ClaimWithdrawn (token)     ├─ RootTooNew (found, known)
├─ JobFailed (code)           │
└─ RootLocked (root)          └─ SpaceClosed (name)

StorageBlocked also has WriteFenced (mode): reading goes on, only writing is refused. ModelFailed has NotAsked (no call
was made), BadAnswer (the model answered, but not what it was asked) and EmptyAnswer (it said nothing).

The engine raises; only a dialect decides what status and shape one of these has.
No message ever contains remembered text.
"""

from __future__ import annotations

from pathlib import Path


class MemoryServiceError(Exception):
    """Something this service refuses or cannot do."""


class BadInput(MemoryServiceError):
    """A value from outside is not acceptable; nothing was changed."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}")
        self.field = field
        self.why = why


class UnknownSpace(MemoryServiceError):
    """No space of that name exists."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no memory named {name!r}")
        self.name = name


class SpaceClosed(MemoryServiceError):
    """The space was released or removed while it was wanted."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the memory {name!r} has been released; ask again once it is published")
        self.name = name


class KeyReused(MemoryServiceError):
    """An idempotency key came back with another body."""

    def __init__(self) -> None:
        super().__init__("this Idempotency-Key was already used with a different body; use a new key")


class ClaimWithdrawn(MemoryServiceError):
    """A lifecycle claim was withdrawn before the work it guards was done."""

    def __init__(self, token: str) -> None:
        super().__init__(f"the claim {token} was withdrawn")
        self.token = token


class StorageBlocked(MemoryServiceError):
    """Storage is in limited mode or fenced against writing."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"storage does not accept this now: {reason}")
        self.reason = reason


class WriteFenced(StorageBlocked):
    """The data root is in a mode in which nothing may be written; what is there can be read."""

    def __init__(self, mode: str) -> None:
        super().__init__(mode)
        self.mode = mode


class DamagedSpace(MemoryServiceError):
    """A journal is damaged; the space can be read but not written."""

    def __init__(self, path: Path, line: int) -> None:
        super().__init__(
            f"{path} is damaged at line {line}; the memory is open for reading only. "
            "Restore the file from a backup, or run the doctor command on it."
        )
        self.path = path
        self.line = line


class ModelFailed(MemoryServiceError):
    """A model did not give a usable answer."""

    def __init__(self, tier: str, why: str, *, retryable: bool) -> None:
        super().__init__(f"model tier {tier}: {why}")
        self.tier = tier
        self.retryable = retryable


class NotAsked(ModelFailed):
    """No model is configured, it is being left alone, or the day's budget is spent: nothing was sent."""


class BadAnswer(ModelFailed):
    """A model answered, but not in the form or within the bounds that were asked for."""

    def __init__(self, tier: str, why: str) -> None:
        super().__init__(tier, why, retryable=True)


class EmptyAnswer(ModelFailed):
    """A model answered without a word."""

    def __init__(self, tier: str) -> None:
        super().__init__(tier, "the answer is empty", retryable=True)


class JobFailed(MemoryServiceError):
    """Owed work cannot be done, and trying it again would not help. The message is a code."""


class RootTooNew(MemoryServiceError):
    """The data root was written by a newer version."""

    def __init__(self, root: Path, found: int, known: int) -> None:
        super().__init__(
            f"{root} has layout version {found}, this program knows {known}; "
            "start the newer program, or restore a backup made by this one"
        )
        self.found = found
        self.known = known


class RootLocked(MemoryServiceError):
    """Another process serves this data root."""

    def __init__(self, root: Path) -> None:
        super().__init__(f"another memory server is using {root}; stop it or choose another --data-root")
        self.root = root
