"""Backups: whole and consistent while others write, and nothing restored from what is not as it was made."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import io
import os
import stat
import tarfile
from pathlib import Path

import orjson
import pytest

from memory.backup import InTheWay, back_up
from memory.engine import Engine
from memory.errors import BadInput, UnknownSpace
from memory.restore import BadArchive, restore, verify
from memory.settings import Settings
from memory.store import layout
from memory.store.files import Disk
from tests.conftest import OpenEngine
from tests.fakes import CountingIds, FixedClock
from tests.memory.remembered import NAME, facts_of, hashes, learn_all, rebuilt, say, texts_of_turns, whole


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "backups" / "memories.tar.gz"


def bring_back(archive: Path, root: Path, **options: str) -> None:
    disk = Disk()
    restore(archive, root, disk, CountingIds(), **options)
    disk.close()


@contextlib.asynccontextmanager
async def opened(root: Path):  # type: ignore[no-untyped-def]
    engine = await Engine.open(Settings(data_root=root, background=False), clock=FixedClock(), ids=CountingIds())
    try:
        yield engine
    finally:
        await engine.close()


async def test_a_root_comes_back_as_it_was(engine: Engine, root: Path, archive: Path, tmp_path: Path) -> None:
    await say(engine, "I live in Berlin.", "I like green tea.")
    await say(engine, "我叫小明。", name="小狐")
    await learn_all(engine)
    (root / layout.CONFIG).mkdir()
    (root / layout.CONFIG / "characters.json").write_text("{}")
    (root / layout.CONFIG / "core_config.json").write_text('{"key": "of a provider"}')
    done = await back_up(engine, archive)
    assert done.characters == (NAME, "小狐")
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600
    bring_back(archive, tmp_path / "other")
    async with opened(tmp_path / "other") as other:
        async with engine.spaces.use(NAME) as space, other.spaces.use(NAME) as copy:
            assert whole(copy.views) == whole(space.views)
            assert await texts_of_turns(copy) == await texts_of_turns(space)
            assert facts_of(copy)
        assert other.spaces.names() == [NAME, "小狐"]
    assert (tmp_path / "other" / layout.CONFIG / "characters.json").exists()
    assert not (tmp_path / "other" / layout.CONFIG / "core_config.json").exists()
    assert list(archive.parent.iterdir()) == [archive]


async def test_four_writers_are_kept_apart_from_the_moment_of_the_copy(
    engine: Engine, archive: Path, tmp_path: Path
) -> None:
    told: dict[str, int] = {}
    stop = asyncio.Event()

    async def write(name: str) -> None:
        number = 0
        while not stop.is_set():
            await say(engine, f"{name} says {number}", name=name)
            number += 1
            told[name] = number

    names = ("Ann", "Ben", "Cat", "Dan")
    for name in names:
        await say(engine, "Beginning", name=name)
    writers = [asyncio.create_task(write(name)) for name in names]
    await asyncio.sleep(0.1)
    before = dict(told)
    await back_up(engine, archive)
    after = dict(told)
    stop.set()
    await asyncio.gather(*writers)
    bring_back(archive, tmp_path / "other")
    async with opened(tmp_path / "other") as other:
        for name in names:
            async with other.spaces.use(name) as space:
                said = await texts_of_turns(space)
                # One whole moment of it: everything up to some message, nothing after that, nothing twice.
                assert said == ["Beginning", *(f"{name} says {number}" for number in range(len(said) - 1))]
                assert before.get(name, 0) <= len(said) - 1 <= after[name] + 1
                assert await rebuilt(space) == whole(space.views)
                assert space.journal.damage is None


async def test_one_character_is_restored_beside_others(
    engine: Engine, open_engine: OpenEngine, root: Path, archive: Path
) -> None:
    await say(engine, "Hello.")
    await say(engine, "Others.", name="Mio")
    await back_up(engine, archive)
    before = hashes(root / layout.MEMORY / "Mio")
    with pytest.raises(InTheWay):
        bring_back(archive, root, character=NAME)
    with pytest.raises(UnknownSpace):
        bring_back(archive, root, character="Nobody")
    bring_back(archive, root, character=NAME, as_name="Rin again")
    async with engine.spaces.use("Rin again") as space:
        assert await texts_of_turns(space) == ["Hello."]
    assert hashes(root / layout.MEMORY / "Mio") == before


async def test_a_backup_of_one_character_holds_nothing_else(engine: Engine, archive: Path) -> None:
    await say(engine, "Hello.")
    await say(engine, "Others.", name="Mio")
    await back_up(engine, archive, characters=["Mio"])
    with tarfile.open(archive) as tar:
        names = tar.getnames()
    assert names[0] == "manifest.json"
    assert all(name.startswith("memory/Mio/") for name in names[1:])
    with pytest.raises(UnknownSpace):
        await back_up(engine, archive.with_name("x.tar.gz"), characters=["Nobody"])


async def test_nothing_is_written_over(engine: Engine, root: Path, archive: Path, tmp_path: Path) -> None:
    await say(engine, "Hello.")
    archive.parent.mkdir()
    archive.write_bytes(b"something else")
    with pytest.raises(InTheWay):
        await back_up(engine, archive)
    assert archive.read_bytes() == b"something else"
    archive.unlink()
    await back_up(engine, archive)
    with pytest.raises(InTheWay):
        bring_back(archive, root)


async def test_a_damaged_archive_is_refused_and_leaves_nothing(engine: Engine, archive: Path, tmp_path: Path) -> None:
    await say(engine, "Hello.", "How are you?")
    await back_up(engine, archive)
    whole_bytes = archive.read_bytes()
    target = tmp_path / "other"
    cuts = (b"", whole_bytes[:20], whole_bytes[: len(whole_bytes) // 2], whole_bytes[:-30], b"not an archive at all")
    flipped = bytearray(whole_bytes)
    flipped[len(flipped) // 2] ^= 1
    for content in (*cuts, bytes(flipped)):
        archive.write_bytes(content)
        with pytest.raises(BadArchive):
            bring_back(archive, target)
        assert not target.exists() or not any((target / layout.MEMORY).glob("*"))
    archive.write_bytes(whole_bytes)
    assert verify(archive)["characters"] == [NAME]


@pytest.mark.parametrize(
    "name",
    ["../evil", "/etc/evil", "memory/../../evil", "memory/evil", "memory/Rin/a\\b", "memory//x/y", "memory/Rin/./x"],
)
async def test_an_archive_cannot_reach_outside(archive: Path, tmp_path: Path, name: str) -> None:
    make_archive(archive, manifest_of(["Rin"], {name: {"size": 1, "sha256": "x"}}), {name: b"x"})
    with pytest.raises(BadArchive):
        bring_back(archive, tmp_path / "other")
    assert not (tmp_path / "evil").exists()


async def test_links_and_unnamed_files_are_refused(archive: Path, tmp_path: Path) -> None:
    manifest = manifest_of(["Rin"])
    make_archive(archive, manifest, {"memory/Rin/extra": b"x"})
    with pytest.raises(BadArchive, match="does not name"):
        bring_back(archive, tmp_path / "other")
    link = tarfile.TarInfo("memory/Rin/link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    make_archive(archive, manifest, {}, link)
    with pytest.raises(BadArchive, match="no plain file"):
        bring_back(archive, tmp_path / "other")


async def test_hostile_character_names_in_a_manifest_are_refused(archive: Path, tmp_path: Path) -> None:
    for name in ("..", "a/b", "", "@", "@..", "@a/b"):
        make_archive(archive, manifest_of([name]), {})
        with pytest.raises(BadArchive):
            bring_back(archive, tmp_path / "other")
    make_archive(archive, manifest_of(["Rin"]), {})
    with pytest.raises(BadInput):
        bring_back(archive, tmp_path / "other", character="Rin", as_name="../x")


async def test_a_newer_backup_is_refused(archive: Path, tmp_path: Path) -> None:
    make_archive(archive, manifest_of([], layout=99), {})
    with pytest.raises(BadArchive, match="newer"):
        bring_back(archive, tmp_path / "other")
    make_archive(archive, manifest_of([], format="something/2"), {})
    with pytest.raises(BadArchive, match="format"):
        bring_back(archive, tmp_path / "other")


def manifest_of(characters: list[str], files: dict[str, object] | None = None, **other: object) -> dict[str, object]:
    head = {"format": "companion-memory-backup/1", "layout": 1, "characters": characters, "files": files or {}}
    return {**head, **other}


def make_archive(path: Path, manifest: object, files: dict[str, bytes], *more: tarfile.TarInfo) -> None:
    os.makedirs(path.parent, exist_ok=True)
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for name, data in {"manifest.json": orjson.dumps(manifest), **files}.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
        for member in more:
            tar.addfile(member)
    path.write_bytes(gzip.compress(raw.getvalue()))
