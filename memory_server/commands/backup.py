"""``backup`` and ``restore``."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from memory.backup import InTheWay
from memory.clock import SystemClock
from memory.errors import BadInput, RootLocked, UnknownSpace
from memory.ids import RandomIds
from memory.restore import BadArchive
from memory.restore import restore as put_back
from memory.store.files import Disk
from memory_server import exclusive
from memory_server.commands.reach import (
    Refused,
    data_root_option,
    exits,
    json_option,
    memories_of,
    print_json,
    resolve_root,
    server_option,
)


@click.command()
@click.argument("destination", type=click.Path(path_type=Path))
@click.option("--character", "names", multiple=True, help="Only this one; may be given several times.")
@data_root_option
@server_option
@json_option
@exits
def backup(
    destination: Path, names: Sequence[str], data_root: Path | None, server: str | None, as_json: bool
) -> None:
    """Write everything into one archive at DESTINATION: a new file, or a directory for one.

    A server may go on serving meanwhile. Each character is copied at one moment.
    """
    if destination.is_dir():
        destination /= f"companion-memory-{SystemClock().now():%Y%m%d-%H%M%S}.tar.gz"
    if destination.exists() or destination.is_symlink():
        raise Refused(f"{destination} exists already; nothing is written over it")
    if not destination.parent.is_dir():
        raise Refused(f"there is no directory {destination.parent}")
    with memories_of(data_root, server) as memories:
        done = memories.ask("backup", characters=list(names) if names else None)
    made = Path(done["path"])
    shutil.move(made, destination)
    if not any(made.parent.iterdir()):
        made.parent.rmdir()
    done["path"] = str(destination)
    if as_json:
        print_json(done)
        return
    click.echo(
        f"backed up {len(done['characters'])} characters, {done['files']} files, {done['bytes'] / 1e6:.1f} MB, "
        f"to {destination}"
    )


@click.command()
@click.argument("archive", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--character", "name", help="Only this one, beside what is there.")
@click.option("--as", "new_name", help="Give that character another name.")
@data_root_option
@json_option
@exits
def restore(archive: Path, name: str | None, new_name: str | None, data_root: Path | None, as_json: bool) -> None:
    """Put an ARCHIVE back: into a root without memories, or one character of it into any.

    The archive is checked to its end before anything is written, and nothing is ever written over.
    """
    root = resolve_root(data_root)
    try:
        lock = exclusive.lock_root(root)
    except RootLocked:
        raise Refused(f"a memory server is using {root}; stop it first") from None
    disk = Disk()
    try:
        done = put_back(archive, root, disk, RandomIds(), character=name, as_name=new_name)
    except (BadArchive, InTheWay, UnknownSpace, BadInput) as error:
        raise Refused(str(error)) from None
    finally:
        disk.close()
        lock.release()
    answer: dict[str, Any] = {"data_root": str(root), "characters": list(done.characters), "files": done.files}
    if as_json:
        print_json(answer)
        return
    click.echo(f"restored {', '.join(done.characters) or 'nothing'} into {root}, {done.files} files")
