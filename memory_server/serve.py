"""Running the server: lock, sockets, engine, and a clean end."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import os
import signal
import socket
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

import uvicorn

from memory.clock import SystemClock
from memory.engine import Engine
from memory.models.onnx import OnnxEmbedder
from memory.settings import Settings
from memory_server.app import create_app
from memory_server.exclusive import BACKLOG, LOOPBACK, PortTaken, bind_loopback, lock_root
from memory_server.options import ServeOptions
from memory_server.service import Service

log = logging.getLogger(__name__)

DONE, FAILED = 0, 1

OPEN_WAIT = 0.5             # seconds after which the port opens before the data root is ready
# Together below the five seconds in which the process is gone after being asked to stop.
ANSWERS_WAIT = 2            # for answers under way
CLOSE_WAIT = 2.0            # for saving what can be saved; what is not saved follows from the journal
HOLIDAY_DELAY = 1.0         # seconds after start before the calendar is loaded

# A client that keeps connections open for a while must not find one closed by us just when it uses it.
KEEP_ALIVE = 75


def run(options: ServeOptions) -> int:
    """Serve until a signal or an allowed /shutdown. Returns the exit code.

    Raises RootLocked, PortTaken, RootTooNew, or OSError, when it could not begin.
    """
    os.umask(0o077)
    _set_up_logging()
    lock = lock_root(options.data_root)
    try:
        sockets = _bind(options)
        try:
            with asyncio.Runner(loop_factory=_loop_factory()) as runner:
                return runner.run(_serve(options, sockets))
        finally:
            for bound in sockets:
                bound.close()
    finally:
        lock.release()


def _set_up_logging() -> None:
    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("uvicorn").setLevel(logging.WARNING)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """uvloop where the platform has it."""
    try:
        factory = importlib.import_module("uvloop").new_event_loop
    except ImportError:
        return asyncio.new_event_loop
    assert callable(factory)
    return factory  # type: ignore[no-any-return]


def _bind(options: ServeOptions) -> list[socket.socket]:
    """The main port, which must be free, and those of the others that are."""
    sockets = [bind_loopback(options.port)]
    for port in options.also_listen:
        try:
            sockets.append(bind_loopback(port))
        except (PortTaken, OSError) as error:
            log.warning("not listening on port %d too: %s", port, error)
    return sockets


class _Server(uvicorn.Server):
    """uvicorn that says when it listens, without its handling of signals, which would leave the engine open."""

    def __init__(self, config: uvicorn.Config, listening: Callable[[], None]) -> None:
        super().__init__(config)
        self._listening = listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._listening()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def _serve(options: ServeOptions, sockets: Sequence[socket.socket]) -> int:
    service = Service(instance_id=options.instance_id or uuid.uuid4().hex)
    server = _Server(
        uvicorn.Config(
            create_app(service),
            lifespan="off",
            ws="none",
            access_log=False,
            log_config=None,
            proxy_headers=False,
            server_header=False,
            backlog=BACKLOG,
            timeout_keep_alive=KEEP_ALIVE,
            timeout_graceful_shutdown=ANSWERS_WAIT,
        ),
        listening=lambda: _announce(options),
    )

    def stop() -> None:
        server.should_exit = True

    if options.enable_shutdown:
        service.stop = stop
    opening = asyncio.create_task(_open(options, service), name="open the data root")
    calendar = asyncio.create_task(_load_holidays(service), name="load holidays")
    opening.add_done_callback(lambda _: stop() if not opening.cancelled() and opening.exception() else None)
    try:
        with _stopping(stop):
            await asyncio.wait({opening}, timeout=OPEN_WAIT)
            if opening.done():
                opening.result()  # what keeps it from opening keeps the port shut
            await server.serve(sockets=list(sockets))
            if opening.done():
                opening.result()
        return DONE if server.started else FAILED
    finally:
        for task in (calendar, opening):
            task.cancel()
        await asyncio.gather(calendar, opening, return_exceptions=True)
        await _close(service.engine)


def _announce(options: ServeOptions) -> None:
    print(  # noqa: T201 - for the person or program that started us
        f"listening on http://{LOOPBACK}:{options.port}, memory in {options.data_root}", file=sys.stderr, flush=True
    )


async def _open(options: ServeOptions, service: Service) -> None:
    clock = SystemClock()
    embedder = OnnxEmbedder(options.data_root, clock=clock, profile=options.embedding_profile)
    settings = Settings(data_root=options.data_root, master_name=options.master_name)
    service.engine = await Engine.open(settings, clock=clock, embedder=embedder)


async def _close(engine: Engine | None) -> None:
    if engine is None:
        return
    try:
        async with asyncio.timeout(CLOSE_WAIT):
            await engine.close()
            await engine.embedder.close()
    except TimeoutError:
        log.warning("closing took too long; what was not saved is made from the journal at the next start")


async def _load_holidays(service: Service) -> None:
    """The calendar takes a moment to import, so it comes once the port answers; until then there is no holiday."""
    await asyncio.sleep(HOLIDAY_DELAY)
    try:
        module = await asyncio.to_thread(importlib.import_module, "memory.holiday")
    except ImportError as error:
        log.warning("holidays are not told (%s)", type(error).__name__)
        return
    name: Callable[[datetime, str, str], str | None] = module.holiday_name
    service.holiday = name


@contextlib.contextmanager
def _stopping(stop: Callable[[], None]) -> Iterator[None]:
    """Obey requests to stop while the block runs, instead of dying of them."""
    wanted = [signal.SIGINT, signal.SIGTERM]
    if sys.platform == "win32":
        wanted.append(signal.SIGBREAK)
    loop = asyncio.get_running_loop()
    before = {number: signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop)) for number in wanted}
    try:
        yield
    finally:
        # Whoever asks once more while we close is not in so much of a hurry that a save should be torn.
        for number in before:
            signal.signal(number, signal.SIG_IGN)
