"""The store itself, opened for as long as a command runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from app.cli.gateway import Appended, CutOff, Exporting, ending, told
from app.cli.stop import Stop
from app.domain.card import Card
from app.domain.problems import Problem
from app.domain.rho.problems import Refused
from app.running import running
from app.services.bundle import Services
from app.services.clock import system_clock
from app.services.moving import Export
from app.services.rho.session_graphs import SessionGraphs
from app.services.rho.sessions import ProjectionError
from app.services.viewer import ALL_SCOPES, Viewer
from app.settings import Settings
from app.store.access import LOCAL
from app.store.deadline import Deadline
from app.store.reading import Overtaken
from app.telemetry import set_up_logs

_APPEND_SECONDS = 25.0


class DirectGateway:
    """Calls the services in this process, as the operator."""

    def __init__(self, services: Services, where: str) -> None:
        self._services = services
        self._viewer = Viewer(LOCAL, ALL_SCOPES, key_id=services.operator.id, operator=True)
        self.where = where

    @classmethod
    @asynccontextmanager
    async def opened(cls, settings: Settings) -> AsyncIterator[DirectGateway]:
        """Opens the store of these settings, and closes it again. Standard output is for facts: what is logged goes elsewhere."""
        set_up_logs(settings.log_format, "warning" if settings.log_level == "info" else settings.log_level)
        async with running(settings, system_clock) as services:
            yield cls(services, settings.neo4j_uri or str(settings.data_dir))

    async def answer(self, query: str, variables: dict[str, Any]) -> dict[str, Any]:
        """One GraphQL operation, carried out here."""
        from app.graphql import execute

        return await execute(self._services, self._viewer, query, variables)

    async def most_bytes(self) -> int | None:
        """No request's body is in between."""
        return None

    async def append(self, graph_id: str, lines: Sequence[bytes]) -> Appended:
        """The events, through the append service."""
        with _stopping():
            taken = await self._services.appends.append(self._viewer, graph_id, lines, Deadline.after(_APPEND_SECONDS))
        return Appended(taken.accepted, taken.duplicates, len(taken.invalid))

    async def login_link(self) -> str:
        """There are no pages without a gateway. Raises: Stop."""
        raise Stop("No gateway is running here: start one with agw serve, which prints a link.")

    async def cards(self) -> list[Card]:
        """The graphs of every account."""
        return await self._services.moving.cards(self._viewer, Deadline.after(_APPEND_SECONDS))

    @asynccontextmanager
    async def exporting(self, graph_id: str) -> AsyncIterator[Exporting]:
        """The lines, page by page from the store."""
        with _stopping():
            export = await self._services.moving.export(self._viewer, graph_id, Deadline.after(_APPEND_SECONDS))
        yield Exporting(export.lines, _pieces(export))

    async def restore(self, card: Card) -> None:
        """The graph, through the service."""
        with _stopping():
            await self._services.moving.restore(self._viewer, card, Deadline.after(_APPEND_SECONDS))

    async def take_in(self, graph_id: str, lines: Sequence[bytes]) -> Appended:
        """The lines, through the service."""
        with _stopping():
            taken = await self._services.moving.take_in(self._viewer, graph_id, lines, Deadline.after(_APPEND_SECONDS))
        return Appended(taken.accepted, taken.duplicates, len(taken.invalid))

    async def rho_import(self, envelope: bytes, project: str | None) -> dict[str, Any]:
        """The graph, through the service."""
        imports = self._services.rho.imports
        with _stopping():
            return (await imports.import_envelope(self._viewer, envelope, project, Deadline.after(_APPEND_SECONDS))).told()

    async def rho_session(self, name: str | None, repository: str | None, *, upload: bool) -> bytes:
        """The session, through the service."""
        services = self._services
        graphs = SessionGraphs(services.store, services.clock, services.graphs, services.rho.reading, services.rho.sessions)
        with _stopping():
            try:
                return (await graphs.envelope(self._viewer, name, repository, Deadline.after(_APPEND_SECONDS), upload=upload)).encode()
            except ProjectionError as error:
                raise Stop(f"The session cannot be made a graph: {error.__cause__ or error}.") from error


async def _pieces(export: Export) -> AsyncIterator[bytes]:
    try:
        async for page in export.pages:
            yield b"".join(line + b"\n" for line in page)
    except Overtaken as error:
        raise CutOff from error


@contextmanager
def _stopping() -> Iterator[None]:
    """A problem ends the command with its message."""
    try:
        yield
    except Refused:
        raise
    except Problem as problem:
        raise ending(problem.code, told(problem.message, {"code": problem.code, **problem.extra})) from problem
