"""Whether storage may be used, as the companion's two state files say."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from memory.errors import StorageBlocked, WriteFenced
from memory.store.files import Disk
from memory.work.gate import FENCED, StorageGate
from tests.conftest import OpenEngine
from tests.fakes import MORNING

PLACES = ("", "state", "config")


@pytest.fixture
def gate(tmp_path: Path) -> StorageGate:
    gate = StorageGate(tmp_path)
    gate.initialised = True
    return gate


def put(root: Path, name: str, value: object, place: str = "") -> None:
    directory = root / place
    directory.mkdir(parents=True, exist_ok=True)
    aside = directory / f"{name}.new"
    aside.write_text(value if isinstance(value, str) else json.dumps(value))
    aside.replace(directory / name)


def test_without_files_everything_is_served(gate: StorageGate) -> None:
    assert (gate.reason, gate.storage_reason, gate.fence, gate.paused) == (None, None, None, False)
    gate.check_write()


@pytest.mark.parametrize("place", PLACES)
def test_the_files_are_found_in_the_root_and_in_two_directories(
    gate: StorageGate, tmp_path: Path, place: str
) -> None:
    put(tmp_path, "storage_policy.json", {"selection_required": True}, place)
    put(tmp_path, "root_state.json", {"mode": "maintenance_readonly"}, place)
    assert (gate.reason, gate.fence) == ("selection_required", "maintenance_readonly")


def test_the_first_place_that_has_a_file_decides(gate: StorageGate, tmp_path: Path) -> None:
    put(tmp_path, "storage_policy.json", {"migration_pending": True}, "config")
    put(tmp_path, "storage_policy.json", {}, "state")
    assert gate.reason is None
    (tmp_path / "state" / "storage_policy.json").unlink()
    assert gate.reason == "migration_pending"


def test_what_changes_counts_at_once(gate: StorageGate, tmp_path: Path) -> None:
    seen = []
    for required in (True, False):
        put(tmp_path, "storage_policy.json", {"selection_required": required})
        seen.append(gate.reason)
    put(tmp_path, "root_state.json", {"mode": "bootstrap_importing"})
    seen.append(gate.fence)
    (tmp_path / "root_state.json").unlink()
    seen.append(gate.fence)
    assert seen == ["selection_required", None, "bootstrap_importing", None]


def test_of_several_reasons_the_gravest_is_told(gate: StorageGate, tmp_path: Path) -> None:
    gate.initialised, gate.blocked, gate.start_failed = False, True, True
    flags = {"selection_required": True, "recovery_required": True, "migration_pending": True}
    told = []
    for reason in ("migration_pending", "recovery_required", "selection_required"):
        put(tmp_path, "storage_policy.json", flags)
        told.append(gate.reason)
        flags[reason] = False
    put(tmp_path, "storage_policy.json", flags)
    told.append(gate.reason)
    gate.start_failed = False
    told.append(gate.reason)
    gate.blocked = False
    told.append(gate.reason)
    assert told == [
        "migration_pending", "recovery_required", "selection_required", "startup_release_failed",
        "storage_startup_blocked_after_init", "runtime_initializing",
    ]  # fmt: skip


@pytest.mark.parametrize("value", ["{", "", "[]", "7", '"x"', "\x00"])
def test_a_policy_nobody_can_read_keeps_everything_closed(gate: StorageGate, tmp_path: Path, value: str) -> None:
    put(tmp_path, "storage_policy.json", value)
    assert gate.reason == "storage_policy_unavailable"


@pytest.mark.parametrize("value", [{"selection_required": "yes"}, {"migration_pending": 1}, {"unknown": True}])
def test_only_a_plain_true_closes_anything(gate: StorageGate, tmp_path: Path, value: object) -> None:
    put(tmp_path, "storage_policy.json", value)
    assert gate.reason is None


def test_an_unreadable_policy_does_not_stand_for_what_it_said_before(gate: StorageGate, tmp_path: Path) -> None:
    put(tmp_path, "storage_policy.json", {"selection_required": True})
    assert gate.reason == "selection_required"
    put(tmp_path, "storage_policy.json", "{")
    assert gate.reason == "storage_policy_unavailable"


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links")
def test_a_policy_the_file_system_does_not_show_keeps_everything_closed(gate: StorageGate, tmp_path: Path) -> None:
    loop = tmp_path / "storage_policy.json"
    loop.symlink_to(loop)
    assert gate.reason == "storage_status_unavailable"
    loop.unlink()
    assert gate.reason is None


def test_a_file_where_a_directory_should_be_is_no_trouble(gate: StorageGate, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    assert gate.reason is None


@pytest.mark.parametrize("mode", sorted(FENCED))
def test_four_modes_refuse_writing(gate: StorageGate, tmp_path: Path, mode: str) -> None:
    put(tmp_path, "root_state.json", {"mode": mode})
    assert (gate.fence, gate.paused) == (mode, True)
    with pytest.raises(StorageBlocked) as raised:
        gate.check_write()
    assert isinstance(raised.value, WriteFenced) is (mode != "deferred_init")     # that one closes everything
    assert (gate.refused_writes, gate.reason) == (1, "recovery_required" if mode == "deferred_init" else None)


@pytest.mark.parametrize("value", ["{", "[]", {}, {"mode": 7}, {"mode": "normal"}, {"mode": "something new"}])
def test_any_other_root_state_refuses_nothing(gate: StorageGate, tmp_path: Path, value: object) -> None:
    put(tmp_path, "root_state.json", value)
    assert not gate.paused


# --- After a start --------------------------------------------------------------------------------------------


async def started(gate: StorageGate) -> None:
    disk = Disk()
    gate.opened()
    await gate.declare_normal(disk, MORNING)
    disk.close()


async def test_a_mode_somebody_left_behind_is_normal_after_a_good_start(gate: StorageGate, tmp_path: Path) -> None:
    put(tmp_path, "root_state.json", {"mode": "maintenance_readonly", "owner": {"id": 7}}, "state")
    await started(gate)
    assert json.loads((tmp_path / "state" / "root_state.json").read_bytes()) == {
        "mode": "normal", "owner": {"id": 7}, "last_good_boot_at": "2026-05-04T10:00:00",
    }  # fmt: skip
    assert not gate.paused


@pytest.mark.parametrize("flag", ["migration_pending", "recovery_required", "selection_required"])
async def test_while_something_is_pending_the_mode_stays(gate: StorageGate, tmp_path: Path, flag: str) -> None:
    put(tmp_path, "root_state.json", {"mode": "bootstrap_importing"})
    put(tmp_path, "storage_policy.json", {flag: True})
    await started(gate)
    assert json.loads((tmp_path / "root_state.json").read_bytes()) == {"mode": "bootstrap_importing"}


@pytest.mark.parametrize("value", ['{"mode": "deferred_init"}', "{", "[]"])
async def test_a_root_that_waits_for_recovery_or_cannot_be_read_is_left_alone(
    gate: StorageGate, tmp_path: Path, value: str
) -> None:
    put(tmp_path, "root_state.json", value)
    await started(gate)
    assert (tmp_path / "root_state.json").read_text() == value


async def test_no_root_state_is_made_where_there_is_none(open_engine: OpenEngine, root: Path) -> None:
    await (await open_engine()).declare_normal()
    assert not [path for place in PLACES if (path := root / place / "root_state.json").exists()]


async def test_opening_an_engine_alone_declares_nothing(open_engine: OpenEngine, root: Path) -> None:
    """A person's tool opens one too, and has no say in who may write."""
    put(root, "root_state.json", {"mode": "bootstrap_readonly"})
    engine = await open_engine()
    assert engine.gate.fence == "bootstrap_readonly"
    await engine.declare_normal()
    assert engine.gate.fence is None


async def test_a_state_that_changes_while_it_is_written_is_not_overwritten(tmp_path: Path) -> None:
    gate = StorageGate(tmp_path)
    put(tmp_path, "root_state.json", {"mode": "maintenance_readonly"})

    def meanwhile(point: str) -> None:
        if point == "amend.before_replace":
            put(tmp_path, "root_state.json", {"mode": "deferred_init"})

    disk = Disk(meanwhile)
    await gate.declare_normal(disk, MORNING)
    disk.close()
    assert json.loads((tmp_path / "root_state.json").read_bytes()) == {"mode": "deferred_init"}


async def test_a_state_that_cannot_be_written_stops_nobody(gate: StorageGate, tmp_path: Path) -> None:
    def refuse(point: str) -> None:
        if point == "amend.before_replace":
            raise PermissionError(13, "Permission denied")

    put(tmp_path, "root_state.json", {"mode": "maintenance_readonly"})
    disk = Disk(refuse)
    await gate.declare_normal(disk, MORNING)
    disk.close()
    assert gate.fence == "maintenance_readonly"
