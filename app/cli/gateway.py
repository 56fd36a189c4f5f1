"""The gateway that a command works through: a running one by HTTP, or the store opened for as long as the command runs (O14)."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import orjson
import psutil

from app.cli.stop import Stop
from app.domain.card import Card
from app.settings import Settings

FILE = "gateway.json"

DEMO = "demo"
"""The folder in a data directory that `agw demo` takes for its own."""

PATIENCE = 15.0
"""Seconds that a command waits for a data directory that somebody else has just opened."""

_PAUSE = 0.2


@dataclass(frozen=True, slots=True)
class Appended:
    """What became of the events of one append."""

    accepted: int
    duplicates: int
    invalid: int


class Gone(Stop):
    """There is no such graph, or no longer."""


class Away(Stop):
    """The gateway or its store does not answer at the moment: later it may."""


_ENDINGS: dict[str, type[Stop]] = {
    "NOT_FOUND": Gone,
    "STORE_UNAVAILABLE": Away,
    "DEADLINE_EXCEEDED": Away,
    "RATE_LIMITED": Away,
}


class CutOff(Exception):  # noqa: N818 - not a fault of the program
    """An export ended early, or held history was changed under it: what came of it is of no use."""


@dataclass(frozen=True, slots=True)
class Exporting:
    """A graph on its way out: how many lines it has, and their bytes in pieces. `pieces` raises CutOff."""

    lines: int
    pieces: AsyncIterator[bytes]


class Gateway(Protocol):
    """What commands need of a gateway."""

    where: str

    async def answer(self, query: str, variables: dict[str, Any]) -> dict[str, Any]:
        """The whole answer to a GraphQL operation, errors included. Raises: Stop where there is none."""

    async def most_bytes(self) -> int | None:
        """How many bytes of events one append takes; None where nothing but the store bounds it. Raises: Stop."""

    async def append(self, graph_id: str, lines: Sequence[bytes]) -> Appended:
        """Takes in events, each a JSON text, whole or not at all. Raises: Stop."""

    async def login_link(self) -> str:
        """A new one-time link. Raises: Stop."""

    async def cards(self) -> list[Card]:
        """Every graph that can be taken away. Raises: Stop."""

    def exporting(self, graph_id: str) -> AbstractAsyncContextManager[Exporting]:
        """A graph's base and held events, as lines (O7). Raises: Gone, Stop."""

    async def restore(self, card: Card) -> None:
        """Makes a graph as it was elsewhere, without events, if it is not there. Raises: Stop."""

    async def take_in(self, graph_id: str, lines: Sequence[bytes]) -> Appended:
        """Appends lines of an export to a graph of any account, as they are. Raises: Stop."""

    async def rho_import(self, envelope: bytes, project: str | None) -> dict[str, Any]:
        """Takes a local Rho graph in (M6). Raises: Refused, Stop."""

    async def rho_session(self, name: str | None, repository: str | None, *, upload: bool) -> bytes:
        """A session's graph, the latest one's without a name; for an `upload` as of its own newest event (G46). Raises: Gone, Stop."""


async def asked(gateway: Gateway, query: str, variables: dict[str, Any]) -> dict[str, Any]:
    """The data of a GraphQL answer. Raises: Away, Gone, Stop with the first error's message."""
    answer = await gateway.answer(query, variables)
    if answer.get("errors"):
        raise refusal(answer)
    data: dict[str, Any] = answer["data"]
    return data


def refusal(answer: dict[str, Any]) -> Stop:
    """The end that a GraphQL answer with errors makes."""
    return ending(answer["errors"][0].get("extensions", {}).get("code"), first_error(answer))


def ending(code: str | None, message: str) -> Stop:
    """The end of a command that met a problem with this code (Q40)."""
    return _ENDINGS.get(code or "", Stop)(message)


def first_error(answer: dict[str, Any]) -> str:
    """What the first error of a GraphQL answer says."""
    error = answer["errors"][0]
    return told(error["message"], error.get("extensions", {}))


def told(message: str, extensions: dict[str, Any]) -> str:
    """An error as a person reads it: with the argument that it is about, and what to do about a graph that is not there."""
    argument = extensions.get("argument")
    about = f"{argument}: " if argument and argument not in message else ""
    of_a_graph = extensions.get("code") == "NOT_FOUND" and "graph" in message
    return about + message + (" `agw graphs` lists those there are." if of_a_graph else "")


@dataclass(frozen=True, slots=True)
class Served:
    """What `gateway.json` in a data directory says about the gateway that runs on it."""

    url: str
    pid: int
    created: float

    @classmethod
    def here(cls, url: str) -> Served:
        """This process, serving at `url`."""
        return cls(url, os.getpid(), psutil.Process().create_time())

    def note(self, data_dir: Path) -> None:
        """Writes the file, for its owner alone."""
        from app.services.operator_key import write_private

        write_private(data_dir / FILE, orjson.dumps(asdict(self)).decode())

    def forget(self, data_dir: Path) -> None:
        """Removes the file, if it is still this gateway's."""
        if _noted(data_dir) == self:
            (data_dir / FILE).unlink(missing_ok=True)


def running_on(data_dir: Path) -> Served | None:
    """The gateway that runs on a data directory; a process that merely has the number of one that died is not taken for it."""
    served = _noted(data_dir)
    if served is None:
        return None
    try:
        same = abs(psutil.Process(served.pid).create_time() - served.created) < 1.0
    except psutil.Error:
        return None
    return served if same else None


def demo_on(data_dir: Path) -> str | None:
    """What to say of a demo that runs on its own folder of a data directory, to whoever looks in the directory itself."""
    folder = data_dir / DEMO
    return None if running_on(folder) is None else f"A demo runs on {folder}: add --data-dir {shlex.quote(str(folder))}."


def _noted(data_dir: Path) -> Served | None:
    try:
        return Served(**orjson.loads((data_dir / FILE).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


@asynccontextmanager
async def gateway(settings: Settings) -> AsyncIterator[Gateway]:
    """The gateway for a command: that of `AGW_URL`, else the one that runs on the data directory, else the store itself. Raises: Stop."""
    async with AsyncExitStack() as stack:
        yield await stack.enter_async_context(_remote(settings) or await _here(settings, stack))


async def asked_once(settings: Settings, query: str, variables: dict[str, Any]) -> dict[str, Any]:
    """The data of a GraphQL answer, for a command that asks for nothing else. Raises: Stop."""
    async with gateway(settings) as through:
        return await asked(through, query, variables)


def _remote(settings: Settings) -> AbstractAsyncContextManager[Gateway] | None:
    if settings.url is not None:
        if settings.key is None:
            raise Stop("AGW_URL is set but AGW_KEY is not: set it to a key of that gateway.")
        url, key = settings.url, settings.key.get_secret_value()
    else:
        served = running_on(settings.data_dir)
        if served is None:
            return None
        url, key = served.url, _own_key(settings)
    from app.cli.remote import RemoteGateway

    return RemoteGateway.at(url, key)


async def _here(settings: Settings, stack: AsyncExitStack) -> AbstractAsyncContextManager[Gateway]:
    """The store itself, opened; whoever has it now may be a gateway that is about to serve, or a command that is about to end."""
    from app.cli.direct import DirectGateway
    from app.embedded.problems import FolderInUse

    patience = monotonic() + PATIENCE
    while True:
        try:
            return nullcontext(await stack.enter_async_context(DirectGateway.opened(settings)))
        except FolderInUse:
            if monotonic() > patience:
                raise
        await asyncio.sleep(_PAUSE)
        remote = _remote(settings)
        if remote is not None:
            return remote


def _own_key(settings: Settings) -> str:
    from app.services.operator_key import kept_key

    given = settings.key or settings.admin_key
    key = given.get_secret_value() if given else kept_key(settings.data_dir)
    if key is None:
        raise Stop(f"The operator's key is not in {settings.data_dir}: set AGW_KEY to a key of the gateway.")
    return key
