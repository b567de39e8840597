"""How often an agent's tools were used today, as they wrote it down: ``mcp-usage-log/usage-YYYY-MM-DD.jsonl``.

The tools write the file; here it is only read. Whatever is no record of a use is passed over.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from datetime import date
from pathlib import Path

import orjson

from memory.store import layout

_NAMES = ("tool", "tool_name", "toolName", "name")
_LONGEST_NAME, _MOST_NAMES = 100, 1_000
_LONGEST_LINE = 64 * 1024       # bytes
_MOST = 64 * 1024 * 1024        # bytes that are read of one day


def count_tools(root: Path, day: date) -> dict[str, int]:
    """Uses by tool, the most used first. Blocks; reads only. Empty where there is no file, or none that can be read."""
    counts: Counter[str] = Counter()
    path = root / layout.TOOL_USAGE / f"usage-{day.isoformat()}.jsonl"
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return {}
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        return {}
    with os.fdopen(fd, "rb") as file:
        read = 0
        while read < _MOST and (line := file.readline(_LONGEST_LINE)):
            read += len(line)
            tool = _tool(line)
            if tool is not None and (tool in counts or len(counts) < _MOST_NAMES):
                counts[tool] += 1
    return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def _tool(line: bytes) -> str | None:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(value, dict):
        return None
    name = next((one for key in _NAMES if isinstance(one := value.get(key), str) and one.strip()), None)
    return name.strip() if name is not None and len(name) <= _LONGEST_NAME else None
