"""The model settings of a data root, read again whenever a file changes."""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Mapping
from pathlib import Path

from memory.models.tiers import ModelSettings, read_settings
from memory.store import layout
from memory.store.files import Print, look, read
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
