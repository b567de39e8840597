"""What the machine offers a model: memory, free memory, and fast 8-bit arithmetic."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_GROUP: Final = Path("/sys/fs/cgroup")
_GROUP_LIMITS: Final = (_GROUP / "memory.max", _GROUP / "memory" / "memory.limit_in_bytes")
_CPUINFO, _MEMINFO, _STATUS = Path("/proc/cpuinfo"), Path("/proc/meminfo"), Path("/proc/self/status")
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


def free_memory() -> int | None:
    """Bytes this process could still get without anything being pushed out; None = could not be told."""
    if sys.platform == "win32":
        status = _windows_status()
        return None if status is None else status.free
    known = [size for size in (_free_in_system(), _free_in_group(), _free_in_process()) if size is not None]
    return max(min(known), 0) if known else None


def give_back_memory() -> None:
    """Return to the system what the C library keeps of freed memory: tens of megabytes after a load or a long batch.

    Milliseconds; call it in a thread. Does nothing where the C library offers no such call.
    """
    if sys.platform != "linux":
        return
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(ctypes.c_size_t(0))


def _free_in_system() -> int | None:
    for line in _read_lines(_MEMINFO):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _free_in_group() -> int | None:
    limit, used = _read_number(_GROUP / "memory.max"), _read_number(_GROUP / "memory.current")
    if limit is None or used is None:
        return None
    # Cached files count as used but are given back under pressure.
    cached = [int(line.split()[1]) for line in _read_lines(_GROUP / "memory.stat") if line.startswith("inactive_file ")]
    return limit - used + sum(cached)


def _free_in_process() -> int | None:
    """What a limit on the address space leaves; native libraries abort the process when they run into it."""
    if importlib.util.find_spec("resource") is None:
        return None
    resource: Any = importlib.import_module("resource")     # not on every platform
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    used = [int(line.split()[1]) * 1024 for line in _read_lines(_STATUS) if line.startswith("VmSize:")]
    return int(limit) - used[0] if limit != resource.RLIM_INFINITY and used else None


def _memory() -> int | None:
    total = _windows_memory() if sys.platform == "win32" else _posix_memory()
    if total is None:
        return None
    # In a container the group's limit is what counts; "max" and absurdly large numbers mean none.
    limits = [limit for limit in map(_read_number, _GROUP_LIMITS) if limit is not None]
    return min([total, *limits])


def _posix_memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None


class _MemoryStatus(ctypes.Structure):
    """What GlobalMemoryStatusEx fills in."""

    _fields_ = (
        ("length", ctypes.c_ulong), ("load", ctypes.c_ulong), ("total", ctypes.c_ulonglong),
        ("free", ctypes.c_ulonglong), *((f"rest{number}", ctypes.c_ulonglong) for number in range(5)),
    )
    length: int
    total: int
    free: int


def _windows_status() -> _MemoryStatus | None:
    status = _MemoryStatus()
    status.length = ctypes.sizeof(status)
    kernel = getattr(ctypes, "windll").kernel32     # noqa: B009 - absent from the types elsewhere
    return status if kernel.GlobalMemoryStatusEx(ctypes.byref(status)) else None


def _windows_memory() -> int | None:
    status = _windows_status()
    return None if status is None else status.total


def _fast_int8() -> bool | None:
    if sys.platform == "win32":
        if platform.machine().lower() in ("arm64", "aarch64"):
            return None
        return bool(getattr(ctypes, "windll").kernel32.IsProcessorFeaturePresent(_WINDOWS_AVX2))    # noqa: B009
    if sys.platform == "darwin":
        # Every arm64 Mac has dot products; of the others it cannot be told cheaply.
        return True if platform.machine() == "arm64" else None
    flags = {flag for line in _read_lines(_CPUINFO) if line.startswith(("flags", "Features")) for flag in line.split()}
    return bool(flags & _FAST_FLAGS) if flags else None


def _read_lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []


def _read_number(path: Path) -> int | None:
    try:
        return int(path.read_text("ascii"))
    except (OSError, ValueError):
        return None
