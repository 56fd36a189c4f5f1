"""`agw serve --workers N`: the process that has the store and the socket, and keeps N others running that answer (O3)."""

from __future__ import annotations

import asyncio
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from time import monotonic

import structlog
from pydantic import SecretStr

from app.cli.announcing import announce, served_at
from app.cli.serving import DRAIN_SECONDS, opened
from app.cli.signals import signals
from app.cli.stop import Stop
from app.cli.worker import READY, order
from app.opening import make_data_dir, started_store
from app.running import running
from app.services.bundle import Services
from app.services.clock import system_clock
from app.settings import Settings, StoreAddress
from app.telemetry import set_up_logs
from app.training import training

END_SECONDS = DRAIN_SECONDS + 5
"""A worker that has not ended so long after it was told to is killed."""

_YOUNG_SECONDS = 10.0
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0
_log = structlog.get_logger("workers")


class Workers:
    """One run of the gateway in several processes. What is to be done once, is done here: migrating, the operator's key, expiry."""

    def __init__(self, settings: Settings, listener: socket.socket) -> None:
        host, port = listener.getsockname()[:2]
        self._host, self._port = str(host), int(port)
        self._settings = settings.model_copy(update={"port": self._port})
        self._listener = listener
        self._running: set[Process] = set()
        self._keeping: list[asyncio.Task[None]] = []
        self._stopping = asyncio.Event()
        self._serving = False

    async def run(self) -> None:
        """Serves until a signal comes. Raises what keeps the gateway from starting."""
        set_up_logs(self._settings.log_format, self._settings.log_level)
        self._task = asyncio.current_task()
        with signals(self._told_to_stop):
            async with AsyncExitStack() as stack:
                settings, services = await opened(stack, lambda: _prepared(self._settings), self._settings)
                stack.push_async_callback(self._end)
                await self._start(settings)
                try:
                    await announce(settings, services, self._host, self._port)
                    self._serving = True
                    await asyncio.gather(*self._keeping)
                finally:
                    served_at(self._host, self._port).forget(settings.data_dir)

    async def _start(self, settings: Settings) -> None:
        """Starts all workers, and returns once each answers. Raises: Stop."""
        what = order(settings.model_copy(update={"expire_after": None, "workers": 1}), self._listener)
        ready = [asyncio.Event() for _ in range(self._settings.workers)]
        self._keeping = [asyncio.create_task(self._keep(what, each)) for each in ready]
        waiting = asyncio.create_task(_all(ready))
        try:
            await asyncio.wait([waiting, *self._keeping], return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
        for ended in self._keeping:
            if ended.done():
                ended.result()

    async def _keep(self, what: bytes, ready: asyncio.Event) -> None:
        """Keeps one worker running. Raises: Stop if the first does not start."""
        pause = _SHORTEST_PAUSE
        while not self._stopping.is_set():
            began = monotonic()
            worker = await self._worker(what)
            assert worker.stdout is not None
            if await worker.stdout.readline() == READY:
                ready.set()
            code = await worker.wait()
            self._running.discard(worker)
            if self._stopping.is_set():
                return
            if not ready.is_set():
                raise Stop(f"A worker did not start (exit code {code}).")
            _log.error("a worker ended, starting another", pid=worker.pid, code=code)
            pause = _SHORTEST_PAUSE if monotonic() - began > _YOUNG_SECONDS else min(2 * pause, _LONGEST_PAUSE)
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._stopping.wait()

    async def _worker(self, what: bytes) -> Process:
        worker = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "app.cli.worker", stdin=PIPE, stdout=PIPE, pass_fds=(self._listener.fileno(),),
            start_new_session=True,  # Ctrl-C is for the parent, which tells each worker
        )  # fmt: skip
        self._running.add(worker)
        _write(worker, what)
        if self._stopping.is_set():
            _write(worker, b"stop\n")
        return worker

    def _told_to_stop(self) -> None:
        if not self._serving:
            if self._task is not None:
                self._task.cancel()
            return
        if not self._stopping.is_set():
            self._stopping.set()
            self._listener.close()  # the workers leave theirs: nobody is to wait for an answer that does not come
            asyncio.get_running_loop().call_later(END_SECONDS, self._kill)
        for worker in self._running:
            _write(worker, b"stop\n")

    def _kill(self) -> None:
        for worker in self._running:
            with suppress(ProcessLookupError):
                worker.kill()

    async def _end(self) -> None:
        """Leaves no worker behind, whatever has happened."""
        self._stopping.set()
        while not all(each.done() for each in self._keeping):
            self._kill()
            await asyncio.wait(self._keeping, timeout=1)
        await asyncio.gather(*self._keeping, return_exceptions=True)


@asynccontextmanager
async def _prepared(settings: Settings) -> AsyncIterator[tuple[Settings, Services]]:
    """A store that runs, migrated, with the operator's key; the settings that lead to it."""
    make_data_dir(settings.data_dir)
    async with started_store(settings) as (address, embedded):
        settings = _at(settings, address)
        async with running(settings, system_clock, warm=True) as services, training(embedded):  # warm: no worker waits long for plans
            yield settings, services


async def _all(events: Iterable[asyncio.Event]) -> None:
    for event in events:
        await event.wait()


def _at(settings: Settings, address: StoreAddress) -> Settings:
    where = {"neo4j_uri": address.uri, "neo4j_username": address.username, "neo4j_database": address.database}
    return settings.model_copy(update={**where, "neo4j_password": SecretStr(address.password)})


def _write(worker: Process, line: bytes) -> None:
    assert worker.stdin is not None
    if not worker.stdin.is_closing():
        worker.stdin.write(line)
