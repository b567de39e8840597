"""Running the server: lock, sockets, engine, and a clean end.

The port answers at once; what takes long to import follows in a thread, and requests that need it wait for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import logging
import os
import signal
import socket
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType

import uvicorn

from memory.work.gate import StorageGate
from memory_server.entrance import Entrance
from memory_server.exclusive import BACKLOG, LOOPBACK, PortTaken, bind_loopback, lock_root
from memory_server.guard import Guard
from memory_server.log_file import open_log
from memory_server.options import ServeOptions
from memory_server.service import Service

log = logging.getLogger(__name__)

DONE = 0

# Together below the five seconds in which the process is gone after being asked to stop.
ANSWERS_WAIT = 2            # seconds for answers under way
CLOSE_WAIT = 2.0            # seconds for saving what can be saved; what is not saved follows from the journal

# Seconds. A client that keeps connections for a while must not find one closed by us just when it uses it.
KEEP_ALIVE = 75

# Seconds until a thread that computes hands over to one that waits. A request takes the interpreter back some ten
# times, and a file that is written in a thread meanwhile should not cost it the usual 5 ms each time.
SWITCH = 0.0005

# Objects made between two collections of the young, and how many of those lie between two of the older. Nearly all is
# let go of without the collector; a full collection looks at everything and keeps everybody waiting for it.
COLLECTIONS = (10_000, 10, 50)


def run(options: ServeOptions) -> int:
    """Serve until a signal or an allowed /shutdown. Returns the exit code.

    Raises RootLocked, PortTaken, RootTooNew, or OSError, when it could not begin.
    """
    os.umask(0o077)
    _set_up_logging()
    lock = lock_root(options.data_root)
    _log_to_file(options.data_root)
    try:
        sockets = _bind(options)
        try:
            with asyncio.Runner(loop_factory=_loop_factory()) as runner:
                runner.run(_serve(options, sockets))
        finally:
            for bound in sockets:
                bound.close()
    finally:
        lock.release()
    return DONE


def _set_up_logging() -> None:
    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    logging.getLogger("httpx2").setLevel(logging.WARNING)   # it tells addresses, and a webhook's may be a secret


def _log_to_file(root: Path) -> None:
    try:
        handler = open_log(root)
    except OSError as error:
        log.warning("there will be no log file (%s)", type(error).__name__)
        return
    logging.getLogger().addHandler(handler)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """uvloop where the platform has it."""
    try:
        factory: Callable[[], asyncio.AbstractEventLoop] = importlib.import_module("uvloop").new_event_loop
    except ImportError:
        return asyncio.new_event_loop
    return factory


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
    """uvicorn without its handling of signals, which would end the process before the engine is closed."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def _serve(options: ServeOptions, sockets: Sequence[socket.socket]) -> None:
    sys.setswitchinterval(SWITCH)
    gc.set_threshold(*COLLECTIONS)
    service = Service(
        instance_id=options.instance_id or uuid.uuid4().hex,
        early_gate=StorageGate(options.data_root),
        local_token=options.statecore.local_token,
        feature_llm=options.statecore.feature_llm,
        statecore_body_limit=options.statecore.body_limit,
        default_scope=options.recallnest.default_scope,
        any_source=options.recallnest.any_source,
    )
    entrance = Entrance(service)
    server = _Server(
        uvicorn.Config(
            Guard(entrance, service),
            lifespan="off",
            ws="none",
            access_log=False,
            log_config=None,
            proxy_headers=False,
            server_header=False,
            backlog=BACKLOG,
            timeout_keep_alive=KEEP_ALIVE,
            timeout_graceful_shutdown=ANSWERS_WAIT,
        )
    )

    def stop() -> None:
        server.should_exit = True

    if options.enable_shutdown:
        service.stop = stop
    tasks: list[asyncio.Task[None]] = []
    try:
        with _stopping(stop):
            opening = asyncio.create_task(_open(options, service, entrance, tasks), name="open the data root")
            service.opening = opening
            tasks.append(opening)
            opening.add_done_callback(lambda ended: stop() if not ended.cancelled() and ended.exception() else None)
            await server.serve(sockets=list(sockets))
        if opening.done():
            opening.result()  # what kept it from opening ends the process with its own exit code
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await _close(service)


async def _open(
    options: ServeOptions, service: Service, entrance: Entrance, tasks: list[asyncio.Task[None]]
) -> None:
    heavy = await asyncio.to_thread(_heavy)
    entrance.open(heavy.make_app(options, service))
    await heavy.start(service)
    tasks.append(asyncio.create_task(heavy.load_holidays(service), name="load holidays"))
    gc.freeze()     # what was imported stays
    print(  # noqa: T201 - for the person or program that started us
        f"listening on http://{LOOPBACK}:{options.port}, memory in {options.data_root}", file=sys.stderr, flush=True
    )


def _heavy() -> ModuleType:
    return importlib.import_module("memory_server.opening")


async def _close(service: Service) -> None:
    if service.engine is None:
        return
    try:
        async with asyncio.timeout(CLOSE_WAIT):
            await _heavy().close_engine(service.engine)
    except TimeoutError:
        log.warning("closing took too long; what was not saved is made from the journal at the next start")


@contextlib.contextmanager
def _stopping(stop: Callable[[], None]) -> Iterator[None]:
    """Obey requests to stop while the block runs, instead of dying of them."""
    wanted = [signal.SIGINT, signal.SIGTERM]
    if sys.platform == "win32":
        wanted.append(signal.SIGBREAK)
    loop = asyncio.get_running_loop()
    for number in wanted:
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))
    try:
        yield
    finally:
        # Whoever asks once more while we close is not in so much of a hurry that a save should be torn.
        for number in wanted:
            signal.signal(number, signal.SIG_IGN)
