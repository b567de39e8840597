"""What a handler of this dialect is given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from memory.engine import Engine
from memory.people import Names
from memory.scopes import RECALLNEST, Scope
from memory_server.recallnest.wire.requests import Source
from memory_server.service import Service

Asked = TypeVar("Asked", bound=BaseModel)
Answer = Mapping[str, Any]
