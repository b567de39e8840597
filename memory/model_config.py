"""The model settings of a data root, read again whenever a file changes; and what models cost today."""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Mapping
from pathlib import Path

import orjson

from memory.models.chat import Chat
from memory.models.tiers import ModelSettings, read_settings
from memory.store import layout
from memory.store.files import Disk, Print, look, read
from memory.store.view import Unreadable, parse_object

log = logging.getLogger(__name__)


class ModelConfig:
    """The settings as they stand now; read again whenever a file changes. An unreadable file keeps the last ones."""

    def __init__(self, root: Path, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self._toml = root / layout.CONFIG / "models.toml"
        self._core = root / layout.CONFIG / "core_config.json"
        self._seen: tuple[Print | None, Print | None] | None = None
        self._settings = ModelSettings()

    def current(self) -> ModelSettings:
        """The settings of this moment."""
        seen = (look(self._toml), look(self._core))
        if seen != self._seen:
            self._seen = seen
            try:
                self._settings = self._read()
            except (tomllib.TOMLDecodeError, UnicodeDecodeError, Unreadable, ValueError) as error:
                log.warning("the model settings are unreadable (%s); keeping the last ones", type(error).__name__)
        return self._settings

    def _read(self) -> ModelSettings:
        data, core = read(self._toml), read(self._core)
        return read_settings(
            tomllib.loads(data.decode()) if data is not None else {},
            self._environment,
            parse_object(core) if core is not None else {},
        )


class Usage:
    """Keeps a day's count of calls and tokens over a restart, so that a budget holds for the whole day."""

    def __init__(self, root: Path, disk: Disk, chat: Chat) -> None:
        self._path = root / layout.MODEL_USAGE
        self._disk = disk
        self._chat = chat
        self._saved: dict[str, object] = {}

    async def load(self) -> None:
        """Go on with the count of today. A file that cannot be read counts as none."""
        try:
            data = await self._disk.run(read, self._path)
            value = parse_object(data) if data is not None else {}
        except (OSError, Unreadable) as error:
            log.warning("%s is unreadable (%s)", self._path.name, type(error).__name__)
            return
        self._chat.resume(value)
        self._saved = self._chat.usage()

    async def save(self) -> None:
        """Write what changed. Raises nothing for the file's sake."""
        usage = self._chat.usage()
        if not usage.get("calls") or usage == self._saved:
            return
        try:
            lines = [orjson.dumps(usage, option=orjson.OPT_APPEND_NEWLINE)]
            await self._disk.run(self._disk.replace, self._path, lines, "root")
        except OSError as error:
            log.warning("%s could not be written (%s)", self._path.name, type(error).__name__)
            return
        self._saved = usage
