"""Everything that takes long to import, and the opening of the engine. Imported once the port answers."""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
from collections.abc import Callable
from datetime import datetime

from starlette.types import ASGIApp

from memory.clock import SystemClock
from memory.courier import HttpCourier
from memory.engine import Engine
from memory.errors import MemoryServiceError
from memory.model_config import ModelConfig
from memory.models.chat_http import HttpChat
from memory.models.onnx import OnnxEmbedder
from memory.settings import Settings
from memory_server.app import dialects
from memory_server.options import ServeOptions
from memory_server.service import Service
from memory_server.statecore.call import FEATURE_TIERS

log = logging.getLogger(__name__)

HOLIDAY_DELAY = 1.0         # seconds after start before the calendar is loaded


class FeatureWithoutModel(MemoryServiceError):
    """Operations with a model were asked for, and none is configured."""

    def __init__(self) -> None:
        super().__init__("FEATURE_LLM is true and no model is configured; configure one, or leave FEATURE_LLM unset")


def make_app(options: ServeOptions, service: Service) -> ASGIApp:
    """The routes, and a service that knows how to open its engine."""

    async def open_engine() -> Engine:
        return await _open_engine(options, service)

    service.open_engine = open_engine
    return dialects(service)


async def start(service: Service) -> None:
    """Open the data root, unless storage is not ready: then wait to be told. Raises RootTooNew, or OSError."""
    if (reason := service.gate.storage_reason) is not None:
        log.warning("storage is not ready (%s); serving in limited mode until told to continue", reason)
        return
    await service.start()


async def _open_engine(options: ServeOptions, service: Service) -> Engine:
    clock = SystemClock()
    embedder = OnnxEmbedder(options.data_root, clock=clock, profile=options.embedding_profile)
    settings = Settings(
        data_root=options.data_root,
        master_name=options.master_name,
        facet_caps=options.statecore.facet_caps,
        working_enabled=options.statecore.working_enabled,
        working_llm=options.statecore.working_llm,
        working_turns=options.statecore.working_turns,
        working_items=options.statecore.working_items,
    )
    chat = HttpChat(ModelConfig(options.data_root, os.environ).current, clock)
    if options.statecore.feature_llm is True and not any(map(chat.configured, FEATURE_TIERS)):
        raise FeatureWithoutModel
    courier = HttpCourier(options.data_root, os.environ, clock)
    engine = await Engine.open(
        settings, clock=clock, embedder=embedder, chat=chat, gate=service.early_gate, courier=courier
    )
    engine.digesting.asked_for = options.statecore.feature_llm is not False
    await engine.declare_normal()
    return engine


async def close_engine(engine: Engine) -> None:
    """Save what can be saved and let go of every file."""
    await engine.close()


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
