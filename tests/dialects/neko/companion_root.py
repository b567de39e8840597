"""A data root as the companion app leaves it: its configuration and its state files; and what stands in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def configure(
    root: Path,
    *names: str,
    cards: Mapping[str, Mapping[str, Any]] | None = None,
    master: str | None = None,
    master_card: Mapping[str, Any] | None = None,
    **switches: bool,
) -> None:
    """A characters.json, and a core_config.json if there are switches."""
    value: dict[str, object] = {"猫娘": {**{name: {} for name in names}, **(cards or {})}}
    if master or master_card:
        value["主人"] = {**({"档案名": master} if master else {}), **(master_card or {})}
    config = root / "config"
    config.mkdir(parents=True, exist_ok=True)
    write(config / "characters.json", value)
    if switches:
        write(config / "core_config.json", switches)


def fence(root: Path, mode: str) -> None:
    """A root_state.json with a key that is nobody's business."""
    write(root / "root_state.json", {"mode": mode, "kept": [1]})


def policy(root: Path, **flags: bool) -> None:
    write(root / "storage_policy.json", flags)


def write(path: Path, value: object) -> None:
    """As another program would: whole, in one step, so that nobody mistakes it for the file before."""
    aside = path.with_name(path.name + ".new")
    aside.write_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), encoding="utf-8")
    aside.replace(path)


def everything_under(root: Path) -> list[Path]:
    return sorted(root.rglob("*"))


def bytes_under(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
