"""`agw serve`: the gateway, from its address to its last answer (O3, O19, O20)."""

from __future__ import annotations

import asyncio
import errno
import socket
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, TypeAlias, TypeVar

import uvicorn

from app.cli.announcing import announce, served_at
from app.cli.gateway import running_on
from app.cli.heads import heads_of
from app.cli.output import note
from app.cli.settings import settings_for
from app.cli.signals import signals
from app.cli.stop import Stop
from app.embedded.problems import FolderInUse
from app.main import create_app
from app.services.bundle import Services
from app.services.garbage import settle_garbage
from app.settings import Settings

DRAIN_SECONDS = 10

PATIENCE = 5
"""Seconds to wait for a command that has the embedded store."""

UNTAKEN_SECONDS = 120
"""A connection that takes nothing for so long is dropped, where the system can do that: it would keep what waits for it for ever."""

_PAUSE = 0.2

T = TypeVar("T")

Prepare: TypeAlias = Callable[[Services], Awaitable[str]]
"""What to do before the doors open; gives the path that the login link leads to."""

Beside: TypeAlias = Callable[[Services], Awaitable[None]]
"""What to do while they are open."""


def serve(*, host: str | None, port: int | None, data_dir: Path | None, workers: int | None) -> None:
    """Serves until it is told to stop."""
    settings = settings_for(host=host, port=port, data_dir=data_dir, workers=workers)
    if settings.workers > 1 and sys.platform == "win32":  # a listening socket cannot be handed on like this
        raise Stop("On Windows there is one worker: leave out --workers and AGW_WORKERS.")
    refuse_second(settings)
    with listening(settings.host, settings.port) as listener:
        run_until_stopped(_several(settings, listener) if settings.workers > 1 else Serving(settings, listener).run())


def _several(settings: Settings, listener: socket.socket) -> Coroutine[Any, Any, None]:
    from app.cli.workers import Workers

    return Workers(settings, listener).run()


def refuse_second(settings: Settings) -> None:
    """Raises Stop if a gateway runs on the data directory already."""
    other = running_on(settings.data_dir)
    if other is not None:
        who = f"A gateway at {other.url} (process {other.pid})"
        raise Stop(f"{who} runs on {settings.data_dir}: stop it, or choose another directory with --data-dir.")


class PortTaken(Stop):
    """Somebody else listens there, or it may not be listened at."""


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket at the address, taken before anything is started. Raises: PortTaken, Stop."""
    nowhere = Stop(f"{host} is no address of this machine: choose another with --host or AGW_HOST.")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise nowhere from error
    family, kind, protocol, _, address = found[0]
    with socket.socket(family, kind, protocol) as listener:
        if sys.platform != "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if sys.platform == "linux":
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNTAKEN_SECONDS * 1_000)
        try:
            listener.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                raise nowhere from error
            why = f"Cannot listen at {host}:{port} ({error.strerror})"
            raise PortTaken(f"{why}: choose another with --port or AGW_PORT (0 takes a free one).") from error
        yield listener


def run_until_stopped(work: Coroutine[Any, Any, None]) -> None:
    """Runs `work` on the fastest event loop there is; being stopped is no error."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        try:
            runner.run(work)
        except asyncio.CancelledError:
            note("Stopped before it was ready.")


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    if sys.platform == "win32":
        return asyncio.new_event_loop
    import uvloop

    return uvloop.new_event_loop


async def opened(stack: AsyncExitStack, opening: Callable[[], AbstractAsyncContextManager[T]], settings: Settings) -> T:
    """Enters what `opening` makes. A command that has the store may be about to end. Raises: Stop, FolderInUse."""
    until, told = monotonic() + PATIENCE, False
    while True:
        try:
            return await stack.enter_async_context(opening())
        except FolderInUse as problem:
            if monotonic() > until:
                raise
            if not told:
                note(f"Waiting up to {PATIENCE} s. {problem}")
            told = True
        await asyncio.sleep(_PAUSE)
        refuse_second(settings)


class Serving(uvicorn.Server):
    """One run of the gateway: services, then doors, then, at a signal, draining and the store's clean end."""

    def __init__(self, settings: Settings, listener: socket.socket, prepare: Prepare | None = None, beside: Beside | None = None) -> None:
        host, port = listener.getsockname()[:2]
        self._host, self._port = str(host), int(port)
        settings = settings.model_copy(update={"port": self._port})
        self._application = create_app(settings)
        super().__init__(
            uvicorn.Config(
                self._application,
                http=heads_of(settings.head_bytes),
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=DRAIN_SECONDS,
            )
        )
        self._settings = settings
        self._listener = listener
        self._prepare = prepare
        self._beside = beside

    async def run(self) -> None:  # type: ignore[override]  # a coroutine: our own loop, our own end
        """Serves until a signal comes. Raises what keeps the gateway from starting."""
        self._task = asyncio.current_task()
        with signals(self._told_to_stop):
            async with AsyncExitStack() as stack:
                lifespan = self._application.router.lifespan_context
                await opened(stack, lambda: lifespan(self._application), self._settings)
                services: Services = self._application.state.services
                self._target = await self._prepare(services) if self._prepare else "/"
                settle_garbage()
                work = asyncio.create_task(self._work(services))
                try:
                    await self.serve(sockets=[self._listener])
                finally:
                    work.cancel()
                    await asyncio.gather(work, return_exceptions=True)
                    served_at(self._host, self._port).forget(self._settings.data_dir)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Opens the doors, and says where they are."""
        await super().startup(sockets)
        if self.started:
            await self._announce(self._application.state.services)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are heard from the very beginning, not only while serving."""
        yield

    def _told_to_stop(self) -> None:
        if self.started:
            self.force_exit = self.should_exit
            self.should_exit = True
        elif self._task is not None:
            self._task.cancel()

    async def _work(self, services: Services) -> None:
        if self._beside is not None:
            await self._beside(services)

    async def _announce(self, services: Services) -> None:
        await announce(self._settings, services, self._host, self._port, self._target)
