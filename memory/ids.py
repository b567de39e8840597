"""Identifiers: the only module that makes one up."""

from __future__ import annotations

import uuid
from typing import Protocol


class Ids(Protocol):
    """Makes identifiers."""

    def new(self, kind: str) -> str:
        """A fresh id such as ``fact_3f…`` (kind, underscore, 32 hex digits)."""
        ...


class RandomIds:
    """Ids from 122 random bits."""

    def new(self, kind: str) -> str:
        return f"{kind}_{uuid.uuid4().hex}"
