"""``settings.json``, in which companions kept what they knew before there was a persona. Only read, never written."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from memory.space import MemorySpace
from memory.store import layout
from memory.store.files import read
from memory.store.view import Unreadable, parse_object

log = logging.getLogger(__name__)


async def legacy_settings(space: MemorySpace) -> dict[str, Mapping[str, object]]:
    """Section → key → value; empty where there is no such file, or none that can be read."""
    try:
        data = await space.disk.run(read, space.directory / layout.SETTINGS)
        value = parse_object(data) if data is not None else {}
    except (OSError, Unreadable) as error:
        log.warning("%s: %s is passed over (%s)", space.name, layout.SETTINGS, type(error).__name__)
        return {}
    return {section: entries for section, entries in value.items() if isinstance(entries, dict)}
