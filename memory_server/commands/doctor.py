"""``doctor``: what is the matter with the memories, and what can be done about it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import click

from memory.checks.finding import Finding
from memory.clock import SystemClock
from memory.doctor import Report, check_root, repair_root
from memory.errors import RootLocked
from memory.settings import Settings
from memory.store import layout
from memory.store.files import Disk
from memory_server import exclusive
from memory_server.commands.reach import (
    FAILED,
    Refused,
    data_root_option,
    exits,
    json_option,
    print_json,
    resolve_root,
)


@click.command()
@click.option("--character", "name", help="Only this one.")
@click.option("--repair", is_flag=True, help="Do what can be done without losing anything.")
@data_root_option
@json_option
@exits
def doctor(name: str | None, repair: bool, data_root: Path | None, as_json: bool) -> None:
    """Check every file of the memories. The server must not be running.

    Ends with 0 when all is well, 1 when something needs attention.
    """
    root = resolve_root(data_root)
    if not layout.memory_directory(root).is_dir():
        raise Refused(f"there are no memories in {root}; say where they are with --data-root")
    if name is not None and not (layout.memory_directory(root) / Path(name).name).is_dir():
        raise Refused(f"there is no memory named {name!r}")
    try:
        lock = exclusive.lock_root(root)
    except RootLocked:
        raise Refused(f"a memory server is using {root}; stop it first") from None
    try:
        report = _examine(root, name, repair)
    finally:
        lock.release()
    if as_json:
        print_json(_to_json(report))
    else:
        _print(report, repair)
    if not report.healthy:
        sys.exit(FAILED)


def _examine(root: Path, name: str | None, repair: bool) -> Report:
    settings, clock = Settings(data_root=root, background=False), SystemClock()
    if not repair:
        return check_root(settings, clock, only=name)
    disk = Disk()
    try:
        return asyncio.run(repair_root(settings, clock, disk, only=name))
    finally:
        disk.close()


def _print(report: Report, repair: bool) -> None:
    for finding in report.repaired:
        click.echo(f"repaired  {_place(finding)}: {finding.sentence}")
    for finding in report.findings:
        click.echo(f"{finding.level.value:<9} {_place(finding)}: {finding.sentence}")
    click.echo(f"{report.spaces} characters looked over, {len(report.findings)} findings")
    repairable = sum(finding.repair is not None for finding in report.findings)
    if repairable and not repair:
        click.echo(f"{repairable} of them can be repaired: run this again with --repair")


def _place(finding: Finding) -> str:
    return finding.space or "data root"


def _to_json(report: Report) -> dict[str, Any]:
    return {
        "healthy": report.healthy,
        "characters": report.spaces,
        "findings": [_row(finding) for finding in report.findings],
        "repaired": [_row(finding) for finding in report.repaired],
    }


def _row(finding: Finding) -> dict[str, Any]:
    return {
        "character": finding.space,
        "code": finding.code,
        "level": finding.level.value,
        "sentence": finding.sentence,
        "repairable": finding.repair is not None,
    }
