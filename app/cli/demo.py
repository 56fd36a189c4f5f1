"""`agw demo`: a gateway with a fleet in it that goes on working (O4)."""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import structlog

from app.cli.gateway import DEMO
from app.cli.output import note
from app.cli.serving import PortTaken, Serving, listening, refuse_second, run_until_stopped
from app.cli.settings import settings_for
from app.cli.stop import Stop
from app.demo.fleet import fleet
from app.demo.replay import replay
from app.domain.problems import Problem
from app.services.bundle import Services
from app.services.viewer import ALL_SCOPES, Viewer
from app.settings import Settings
from app.store.access import LOCAL
from app.store.deadline import Deadline

TITLE = "Demo fleet"

_BATCH = 1_000
_SECONDS = 25.0
_MORE_PORTS = range(8081, 8100)
_LATER_EVENTS = 100
_log = structlog.get_logger("demo")


def demo(*, host: str | None, port: int | None, data_dir: Path | None, events: int, seed: int) -> None:
    """Serves a data directory of its own, `demo` in the usual one if none is named, until it is told to stop."""
    settings = settings_for(host=host, port=port)
    settings = settings.model_copy(update={"data_dir": data_dir or settings.data_dir / DEMO, "workers": 1})
    refuse_second(settings)
    show = Show(events, seed)
    with ExitStack() as stack:
        listener = _listener(stack, settings, given=port is not None)
        note(f"Starting a demo fleet in {settings.data_dir} …")
        run_until_stopped(Serving(settings, listener, prepare=show.prepare, beside=show.go_on).run())


def _listener(stack: ExitStack, settings: Settings, *, given: bool) -> socket.socket:
    try:
        return stack.enter_context(listening(settings.host, settings.port))
    except PortTaken:
        if given:
            raise
    for port in (*_MORE_PORTS, 0):
        try:
            listener = stack.enter_context(listening(settings.host, port))
        except PortTaken:
            continue
        note(f"Port {settings.port} is taken: the demo takes {listener.getsockname()[1]}.")
        return listener
    raise Stop(f"No port is free at {settings.host}: choose one with --port.")


class Show:
    """The fleet's graph: its log, which ends in a state with something of everything, and then sessions that never stop."""

    def __init__(self, events: int, seed: int) -> None:
        self._events = events
        self._seed = seed
        self._viewer = Viewer(LOCAL, ALL_SCOPES)
        self._graph = ""
        self._coming: Iterator[tuple[int, dict[str, Any]]] = iter(())
        self._next: tuple[int, dict[str, Any]] | None = None

    async def prepare(self, services: Services) -> str:
        """Makes the graph, or takes up the one of an earlier start with a fresh crew; the path of its page."""
        now = services.clock()
        graphs = await services.graphs.list(self._viewer, Deadline.after(_SECONDS))
        before = next((graph for graph in graphs if graph.title == TITLE), None)
        if before is None:
            made = await services.graphs.create(self._viewer, TITLE, "watch", 0, Deadline.after(_SECONDS))
            self._graph = made.id
            self._coming = replay(fleet(self._events, self._seed, keyframe=False), now, past=1.0)
        else:
            self._graph = before.id
            seed = secrets.randbelow(2**31)
            self._coming = replay(fleet(_LATER_EVENTS, seed, keyframe=False), now, past=0.0, seed=seed)
        while due := self._due(now):
            await self._append(services, due)
        return f"/l/{self._graph.removeprefix('gph_')}"

    async def go_on(self, services: Services) -> None:
        """Appends each event when its time has come."""
        while True:
            if self._next is not None:
                await asyncio.sleep(max(self._next[0] - services.clock(), 0) / 1000)
            due = self._due(services.clock())
            try:
                await self._append(services, due)
            except Problem as problem:
                _log.warning("demo events lost", code=problem.code)

    def _due(self, now: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while len(found) < _BATCH:
            at, event = self._next or next(self._coming)
            if at > now:
                self._next = at, event
                break
            self._next = None
            found.append(event)
        return found

    async def _append(self, services: Services, events: list[dict[str, Any]]) -> None:
        if events:
            await services.appends.append(self._viewer, self._graph, events, Deadline.after(_SECONDS))
