"""A character whose directory is about to be damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.damaged.character import Character


@pytest.fixture
def mia(root: Path) -> Character:
    return Character(root)
