"""Everything that takes long to import, and the opening of the engine. Imported once the port answers."""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import Callable
from datetime import datetime

from starlette.types import ASGIApp

from memory.clock import SystemClock
from memory.engine import Engine
from memory.models.onnx import OnnxEmbedder
from memory.settings import Settings
from memory_server.app import dialects
from memory_server.options import ServeOptions
from memory_server.service import Service

log = logging.getLogger(__name__)

HOLIDAY_DELAY = 1.0         # seconds after start before the calendar is loaded


async def open_service(options: ServeOptions, service: Service) -> ASGIApp:
    """Open the data root, put its engine into the service, and make the routes. Raises RootTooNew, or OSError."""
    app = dialects(service)
    clock = SystemClock()
    embedder = OnnxEmbedder(options.data_root, clock=clock, profile=options.embedding_profile)
    settings = Settings(data_root=options.data_root, master_name=options.master_name)
    service.engine = await Engine.open(settings, clock=clock, embedder=embedder)
    return app


async def close_engine(engine: Engine) -> None:
    """Save what can be saved and let go of every file."""
    await engine.close()
    await engine.embedder.close()


async def load_holidays(service: Service) -> None:
    """The calendar takes a moment to import and is in no hurry; until it is there, there is no holiday."""
    await asyncio.sleep(HOLIDAY_DELAY)
    try:
        module = await asyncio.to_thread(importlib.import_module, "memory.holiday")
    except ImportError as error:
        log.warning("holidays are not told (%s)", type(error).__name__)
        return
    name: Callable[[datetime, str, str], str | None] = module.holiday_name
    service.holiday = name
