"""`agw serve`: the gateway, from its address to its last answer (O3, O19, O20)."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import shlex
import socket
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, TypeAlias

import uvicorn

from app.cli.gateway import Served, running_on
from app.cli.output import note
from app.cli.settings import settings_for
from app.cli.signals import signals
from app.cli.stop import Stop
from app.embedded.problems import FolderInUse
from app.main import create_app
from app.services.bundle import Services
from app.services.garbage import settle_garbage
from app.services.operator_key import FILE
from app.settings import Settings
from app.store.deadline import Deadline
from app.version import VERSION
from app.web.login import login_link

DRAIN_SECONDS = 10

PATIENCE = 5
"""Seconds to wait for a command that has the embedded store."""

UNTAKEN_SECONDS = 120
"""A connection that takes nothing for so long is dropped, where the system can do that: it would keep what waits for it for ever."""

_PAUSE = 0.2

Prepare: TypeAlias = Callable[[Services], Awaitable[str]]
"""What to do before the doors open; gives the path that the login link leads to."""

Beside: TypeAlias = Callable[[Services], Awaitable[None]]
"""What to do while they are open."""


def serve(*, host: str | None, port: int | None, data_dir: Path | None, workers: int | None) -> None:
    """Serves until it is told to stop."""
    settings = settings_for(host=host, port=port, data_dir=data_dir, workers=workers)
    if settings.workers > 1:
        raise Stop("More than one worker is not possible yet: leave out --workers and AGW_WORKERS.")
    refuse_second(settings)
    with listening(settings.host, settings.port) as listener:
        run_until_stopped(Serving(settings, listener).run())


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
                await self._open(stack)
                services: Services = self._application.state.services
                self._target = await self._prepare(services) if self._prepare else "/"
                settle_garbage()
                work = asyncio.create_task(self._work(services))
                try:
                    await self.serve(sockets=[self._listener])
                finally:
                    work.cancel()
                    await asyncio.gather(work, return_exceptions=True)
                    self._served().forget(self._settings.data_dir)

    async def _open(self, stack: AsyncExitStack) -> None:
        """Starts the services. A command that has the store may be about to end. Raises: Stop, FolderInUse."""
        until, told = monotonic() + PATIENCE, False
        while True:
            try:
                await stack.enter_async_context(self._application.router.lifespan_context(self._application))
            except FolderInUse as problem:
                if monotonic() > until:
                    raise
                if not told:
                    note(f"Waiting up to {PATIENCE} s. {problem}")
                told = True
            else:
                return
            await asyncio.sleep(_PAUSE)
            refuse_second(self._settings)

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
        served = self._served()
        served.note(self._settings.data_dir)
        base = (self._settings.public_url or served.url).rstrip("/")
        code = await services.logins.code_for(services.operator.id, Deadline.after(DRAIN_SECONDS))
        lines = [
            f"Agent Graph Gateway {VERSION}",
            f"  Address  {base}",
            f"  Sign in  {login_link(base, code, self._target)}",
            f"           (good once, for ten minutes; agw open --data-dir {shlex.quote(str(self._settings.data_dir))} makes another)",
        ]
        kept = self._settings.data_dir / FILE
        if services.operator.made:
            lines += [f"  Key      {services.operator.secret}", f"           (the operator's; shown this once, kept in {kept})"]
        elif services.operator.secret is not None:
            lines.append(f"  Key      in {kept}")
        sys.stdout.write("\n".join(lines) + "\n")
        sys.stdout.flush()
        if services.operator.secret is None:
            note(f"The operator's key is not in {self._settings.data_dir}: set AGW_ADMIN_KEY, or AGW_KEY for commands.")
        warning = exposure(self._host, self._port, self._settings.public_url)
        if warning is not None:
            note(warning)

    def _served(self) -> Served:
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self._host, self._host)  # noqa: S104 - what to call it, not to bind it
        return Served.here(f"http://{f'[{host}]' if ':' in host and not host.startswith('[') else host}:{self._port}")


def exposure(host: str, port: int, public_url: str | None) -> str | None:
    """What to warn of where others can reach the gateway without encryption (O20); `host` is an IP address."""
    if ipaddress.ip_address(host).is_loopback or (public_url or "").startswith("https://"):
        return None
    return (
        f"Warning: {host}:{port} can be reached from other machines and AGW_PUBLIC_URL does not begin with https://: keys, logins and all "
        "graphs cross the network unencrypted. Put a proxy with TLS in front and set AGW_PUBLIC_URL, or use AGW_HOST=127.0.0.1."
    )
