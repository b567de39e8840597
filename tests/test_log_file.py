"""The log file: for its owner alone, rotated, and silent about what exceptions say."""

from __future__ import annotations

import logging
import stat
from collections.abc import Iterator
from logging.handlers import RotatingFileHandler
from pathlib import Path

import pytest

from memory_server import log_file


@pytest.fixture
def logger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[logging.Logger]:
    logger = logging.getLogger("test of the log file")
    monkeypatch.setattr(logger, "propagate", False)
    logger.setLevel(logging.INFO)
    handler = log_file.open_log(tmp_path / "root")
    logger.addHandler(handler)
    yield logger
    logger.removeHandler(handler)
    handler.close()


def test_it_is_for_its_owner_alone(logger: logging.Logger, tmp_path: Path) -> None:
    logger.info("42 facts of fact_1")
    file = tmp_path / "root" / "logs" / "memory-server.log"
    assert "42 facts of fact_1" in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_an_exception_is_told_by_kind_and_place_and_not_by_what_it_says(logger: logging.Logger, tmp_path: Path) -> None:
    try:
        raise ValueError("I live in Zanzibar")
    except ValueError:
        logger.exception("learning failed")
    (line,) = (tmp_path / "root" / "logs" / "memory-server.log").read_text().splitlines()
    assert "Zanzibar" not in line
    assert "learning failed" in line
    assert "ValueError at test_log_file.py:" in line


def test_a_line_end_in_a_message_makes_no_line(logger: logging.Logger, tmp_path: Path) -> None:
    logger.info("one\n2026-01-01 ERROR forged")
    assert len((tmp_path / "root" / "logs" / "memory-server.log").read_text().splitlines()) == 1


def test_it_is_rotated_and_stays_private(
    logger: logging.Logger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (handler,) = (one for one in logger.handlers if isinstance(one, RotatingFileHandler))
    monkeypatch.setattr(handler, "maxBytes", 500)
    for number in range(100):
        logger.info("line %d of many", number)
    files = sorted((tmp_path / "root" / "logs").iterdir())
    assert len(files) == 1 + log_file.KEPT
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)
    assert "line 99" in files[0].read_text()


def test_it_is_not_written_through_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging, "raiseExceptions", False)
    logs = tmp_path / "root" / "logs"
    logs.mkdir(parents=True)
    (logs / "memory-server.log").symlink_to(tmp_path / "elsewhere")
    handler = log_file.open_log(tmp_path / "root")
    handler.handle(logging.makeLogRecord({"msg": "x"}))
    handler.close()
    assert not (tmp_path / "elsewhere").exists()
