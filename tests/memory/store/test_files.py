"""Bytes on disk: replacement, durable appending, modes, and threads that cannot be stopped."""

from __future__ import annotations

import asyncio
import os
import stat
import threading
from pathlib import Path

import pytest

from memory.store.files import Disk, look, to_its_end


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def disk() -> Disk:
    return Disk()


def test_appending_to_a_file_without_a_last_line_end_begins_a_line(tmp_path: Path, disk: Disk) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one")
    assert disk.append(path, b"two\n", "x") == 8
    assert path.read_bytes() == b"one\ntwo\n"


def test_a_failed_append_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    def full(point: str) -> None:
        if point == "x.appended":
            raise OSError(28, "no space left on device")

    path = tmp_path / "lines"
    path.write_bytes(b"one\n")
    with pytest.raises(OSError, match="no space"):
        Disk(full).append(path, b"two\n", "x")
    assert path.read_bytes() == b"one\n"


def test_appending_never_makes_a_directory(tmp_path: Path, disk: Disk) -> None:
    with pytest.raises(FileNotFoundError):
        disk.append(tmp_path / "gone" / "lines", b"one\n", "x")


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_what_we_make_is_for_its_owner_alone_whatever_the_umask(tmp_path: Path, disk: Disk) -> None:
    before = os.umask(0)
    try:
        disk.make_directory(tmp_path / "a" / "b")
        disk.append(tmp_path / "a" / "lines", b"one\n", "x")
        disk.replace(tmp_path / "a" / "whole", [b"one"], "x")
    finally:
        os.umask(before)
    assert [mode_of(tmp_path / "a" / name) for name in (".", "b", "lines", "whole")] == [0o700, 0o700, 0o600, 0o600]


@pytest.mark.skipif(os.name == "nt", reason="symbolic links")
def test_nothing_is_appended_through_a_symbolic_link(tmp_path: Path, disk: Disk) -> None:
    (tmp_path / "target").write_bytes(b"")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(OSError, match=r"[Ss]ymbolic"):
        disk.append(tmp_path / "link", b"one\n", "x")


def test_a_replacement_that_expected_another_file_leaves_this_one(tmp_path: Path, disk: Disk) -> None:
    path = tmp_path / "whole"
    path.write_bytes(b"one")
    seen = look(path)
    path.write_bytes(b"edited")
    assert disk.replace(path, [b"two"], "x", unless_changed=seen) is None
    assert path.read_bytes() == b"edited"
    assert [found.name for found in tmp_path.iterdir()] == ["whole"]


def test_a_replacement_that_expected_no_file_leaves_one_that_came_meanwhile(tmp_path: Path, disk: Disk) -> None:
    path = tmp_path / "whole"
    path.write_bytes(b"theirs")
    assert disk.replace(path, [b"ours"], "x", unless_changed=None) is None
    assert path.read_bytes() == b"theirs"


def test_a_file_that_is_gone_is_replaced_whatever_was_expected(tmp_path: Path, disk: Disk) -> None:
    path = tmp_path / "whole"
    path.write_bytes(b"one")
    seen = look(path)
    path.unlink()
    assert disk.replace(path, [b"two"], "x", unless_changed=seen) == look(path)


def test_a_replacement_tells_how_our_file_looks_even_if_another_stands_there_by_then(tmp_path: Path) -> None:
    path = tmp_path / "whole"

    def edit(point: str) -> None:
        if point == "x.replaced":
            path.write_bytes(b"somebody else's")

    assert Disk(edit).replace(path, [b"ours"], "x") != look(path)


def test_a_failed_replacement_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    def full(point: str) -> None:
        raise OSError(28, "no space left on device")

    path = tmp_path / "whole"
    path.write_bytes(b"one")
    with pytest.raises(OSError, match="no space"):
        Disk(full).replace(path, [b"two"], "x")
    assert [(found.name, found.read_bytes()) for found in tmp_path.iterdir()] == [("whole", b"one")]


def test_setting_aside_never_overwrites_what_was_set_aside_before(tmp_path: Path, disk: Disk) -> None:
    for text in (b"one", b"two"):
        (tmp_path / "file").write_bytes(text)
        disk.set_aside(tmp_path / "file", tmp_path / "aside")
    assert sorted(found.read_bytes() for found in tmp_path.iterdir()) == [b"one", b"two"]


async def test_a_cancelled_caller_waits_for_its_thread_and_is_cancelled_then(disk: Disk) -> None:
    begun, go_on, done = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        go_on.wait(10)
        done.set()

    caller = asyncio.create_task(disk.run(work))
    while not begun.is_set():  # noqa: ASYNC110 - a thread's event
        await asyncio.sleep(0)
    caller.cancel()
    for _ in range(10):
        await asyncio.sleep(0)
    assert not caller.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert done.is_set()
    disk.close()


async def test_a_cancellation_that_comes_as_the_work_ends_is_not_swallowed() -> None:
    ended = asyncio.get_running_loop().create_future()
    caller = asyncio.create_task(to_its_end(ended))
    await asyncio.sleep(0)
    ended.set_result(None)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
