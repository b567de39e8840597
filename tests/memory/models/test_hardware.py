"""What the machine is asked."""

from __future__ import annotations

import sys

import pytest

from memory.models.hardware import free_memory, probe


def test_this_machine_has_some_memory() -> None:
    found = probe().memory
    assert found is None or found > 64 << 20


@pytest.mark.skipif(sys.platform != "linux", reason="told by other means elsewhere")
def test_what_is_free_is_less_than_what_there_is() -> None:
    free, all_of_it = free_memory(), probe().memory
    assert free is not None
    assert all_of_it is not None
    assert 0 < free < all_of_it
