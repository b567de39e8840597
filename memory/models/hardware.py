"""What the machine offers a model: memory and fast 8-bit arithmetic."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_CGROUP_LIMITS: Final = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
_CPUINFO: Final = Path("/proc/cpuinfo")
_FAST_FLAGS: Final = frozenset({"avx2", "avx_vnni", "avx512_vnni", "asimddp"})
_WINDOWS_AVX2: Final = 40       # PF_AVX2_INSTRUCTIONS_AVAILABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardware:
    """What was found; None = could not be told."""

    memory: int | None          # bytes this process may hope for
    fast_int8: bool | None      # SIMD dot products


def probe() -> Hardware:
    """Look at this machine. Reads a few small system files."""
    return Hardware(memory=_memory(), fast_int8=_fast_int8())


def _memory() -> int | None:
    total = _windows_memory() if sys.platform == "win32" else _posix_memory()
    if total is None:
        return None
    # In a container the group's limit is what counts; "max" and absurdly large numbers mean none.
    limits = [limit for limit in map(_read_number, _CGROUP_LIMITS) if limit is not None]
    return min([total, *limits])


def _posix_memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None


def _windows_memory() -> int | None:
    class Status(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_ulong), ("load", ctypes.c_ulong), ("total", ctypes.c_ulonglong),
            *((f"rest{number}", ctypes.c_ulonglong) for number in range(6)),
        )

    status = Status()
    status.length = ctypes.sizeof(status)
    kernel = getattr(ctypes, "windll").kernel32     # noqa: B009 - absent from the types elsewhere
    return int(status.total) if kernel.GlobalMemoryStatusEx(ctypes.byref(status)) else None


def _fast_int8() -> bool | None:
    if sys.platform == "win32":
        if platform.machine().lower() in ("arm64", "aarch64"):
            return None
        return bool(getattr(ctypes, "windll").kernel32.IsProcessorFeaturePresent(_WINDOWS_AVX2))    # noqa: B009
    if sys.platform == "darwin":
        # Every arm64 Mac has dot products; of the others it cannot be told cheaply.
        return True if platform.machine() == "arm64" else None
    try:
        text = _CPUINFO.read_text("utf-8", "replace")
    except OSError:
        return None
    flags = {flag for line in text.splitlines() if line.startswith(("flags", "Features")) for flag in line.split()}
    return bool(flags & _FAST_FLAGS) if flags else None


def _read_number(path: Path) -> int | None:
    try:
        return int(path.read_text("ascii"))
    except (OSError, ValueError):
        return None
