"""The dialect in this process, with ids that look like real ones."""

from __future__ import annotations

import httpx2
import pytest

from memory.engine import Engine
from tests.dialects.recallnest.nest import HexIds, Nest
from tests.fakes import FixedClock


@pytest.fixture
def ids() -> HexIds:
    return HexIds()


@pytest.fixture
def nest(client: httpx2.AsyncClient, engine: Engine, clock: FixedClock) -> Nest:
    return Nest(client, engine, clock)
