"""Operations for operators and inspectors: served without the prefix alone, and free to change."""

from __future__ import annotations

from memory_server.statecore.frozen import Operation

INTERNAL: tuple[Operation, ...] = ()
