"""`agw follow`: event files into one graph, and then whatever is appended to them, until stopped (O6)."""

from __future__ import annotations

import asyncio
import sys
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

from app.cli.event_files import STANDARD_INPUT, batches, named
from app.cli.event_log import Log
from app.cli.gateway import Appended, Gateway, Gone, asked
from app.cli.importing import BATCH, BATCH_BYTES, as_object, counted, new_graph, title_of
from app.cli.output import note
from app.cli.positions import Followed, Memory, memory
from app.cli.reaching import Reach, reach
from app.cli.settings import settings_for
from app.cli.signals import signals
from app.cli.stop import Stop, one_line
from app.cli.tails import Tails
from app.cli.watching import Changes
from app.settings import Settings

_LOOK_EVERY = 2.0
"""Seconds after which files are looked at even if nobody told of a change, and an opened store is left to others."""

_THERE = "query($id: ID!) { graph(id: $id) { id } }"


def follow(paths: list[str], *, graph: str | None, title: str | None, keep: int, as_json: bool, data_dir: Path | None) -> None:
    """Runs until SIGINT or SIGTERM, which end it well."""
    settings = settings_for(data_dir=data_dir)
    if STANDARD_INPUT in paths:
        raise Stop("agw follow takes files and folders: agw import - reads standard input.", 2)
    found = [named(text).absolute() for text in dict.fromkeys(paths)]
    with memory(settings, found) as remembered, suppress(asyncio.CancelledError):
        following = Following(remembered, found, graph, (title or title_of(paths), keep), as_json=as_json)
        asyncio.run(_until_told(settings, following))


async def _until_told(settings: Settings, following: Following) -> None:
    task = asyncio.current_task()
    assert task is not None
    with signals(lambda: _stop(task)):
        async with reach(settings) as way:
            await following.run(way)


def _stop(task: asyncio.Task[None]) -> None:
    task.cancel()


class Following:
    """One run: reads what is new, appends it, keeps how far it came, and waits for more."""

    def __init__(self, remembered: Memory, paths: list[Path], graph: str | None, new: tuple[str, int], *, as_json: bool) -> None:
        before = remembered.recall()
        self._remembered = remembered
        self._paths = paths
        self._named = graph is not None
        self._graph = graph or (before.graph if before else None)
        self._new = new
        self._as_json = as_json
        self._tails = Tails(paths, before.read) if before and before.graph == self._graph else Tails(paths)
        self._told = False

    async def run(self, way: Reach) -> None:
        """Goes on until it is cancelled, in a new graph if its own is deleted. Raises: Stop."""
        await way.doing(self._look_for_graph)
        changes = Changes(self._paths)
        async with changes.watched():
            while True:
                try:
                    await self._round(way)
                except Gone as gone:  # deleted, or expired in a quiet time
                    self._begin_anew(gone)
                    continue
                if not await changes.come(_LOOK_EVERY):
                    await way.idle()

    async def _look_for_graph(self, through: Gateway) -> None:
        """The graph of the run before, unless it was deleted since. Raises: Stop where one was named that is not there."""
        if self._graph is None:
            return
        try:
            await asked(through, _THERE, {"id": self._graph})
        except Gone as gone:
            self._begin_anew(gone)

    def _begin_anew(self, gone: Gone) -> None:
        """The graph is there no more. Raises: Gone, where it was named."""
        if self._named:
            raise gone
        note(f"{self._graph} is there no more: everything goes into a new graph.")
        self._graph, self._tails, self._told = None, Tails(self._paths), False

    async def _round(self, way: Reach) -> None:
        before = self._tails.so_far.positions
        with closing(Log(carried_on=any(position.offset for position in before))) as log:
            read = await asyncio.to_thread(self._tails.read, log)
            for said in (*log.unreadable, *log.faults):
                note(one_line(f"Left out: {said}"))
            if log.base or len(log):
                done = await self._taken_in(way, log)
                self._tell(Appended(done.accepted, log.duplicates + done.duplicates, log.skipped + done.invalid))
        self._tails.keep(read)
        if self._graph is not None and read.positions != before:
            self._remember()

    async def _taken_in(self, way: Reach, log: Log) -> Appended:
        graph = self._graph
        if graph is None:
            self._graph = graph = await way.doing(lambda through: new_graph(through, *self._new))
            self._remember()
        accepted = duplicates = invalid = 0
        most = await way.doing(lambda through: through.most_bytes())
        for batch in batches(log.base, log.lines(), BATCH, BATCH_BYTES if most is None else min(BATCH_BYTES, most)):
            size = sum(map(len, batch))
            if most is not None and size > most:
                note(f"Left out: {size:,} bytes, of which the gateway takes at most {most:,} at once (its AGW_WRITE_BODY_BYTES).")
                invalid += len(batch)
                continue
            taken = await way.doing(partial(_appended, graph, batch))
            accepted, duplicates, invalid = accepted + taken.accepted, duplicates + taken.duplicates, invalid + taken.invalid
        return Appended(accepted, duplicates, invalid)

    def _remember(self) -> None:
        assert self._graph is not None
        self._remembered.keep(Followed(self._graph, [str(path) for path in self._paths], self._tails.so_far))

    def _tell(self, done: Appended) -> None:
        """The graph and the first counts for people; everything for programs."""
        assert self._graph is not None
        if self._as_json:
            sys.stdout.write(f"{as_object(self._graph, done)}\n")
        elif not self._told:
            sys.stdout.write(f"{self._graph}\n{counted(done)}\n")
        self._told = True
        sys.stdout.flush()


async def _appended(graph: str, batch: list[bytes], through: Gateway) -> Appended:
    return await through.append(graph, batch)
