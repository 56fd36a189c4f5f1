"""`agw export`: graphs as JSON Lines (O7, O37)."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import msgspec
import orjson

from app.cli.backup import Entry, Index, Written, new_folder, write_index, written
from app.cli.gateway import CutOff, Exporting, Gateway, Gone, gateway
from app.cli.output import note, progress_bar
from app.cli.settings import settings_for
from app.cli.stop import Stop, one_line
from app.domain.card import Card
from app.domain.ids import graph_id
from app.services.clock import system_clock
from app.settings import Settings

_TIMES = 5
"""Attempts at a graph whose history keeps changing."""


def export_graph(graph: str, *, data_dir: Path | None) -> None:
    """One graph on standard output, which hears nothing of it before all of it has come."""
    known = graph_id(graph)
    if known is None:
        raise Stop(f"{graph} is no graph's id: agw graphs lists them.")
    settings = settings_for(data_dir=data_dir)
    with TemporaryFile() as file:
        asyncio.run(_one(settings, known, Written(file)))
        file.seek(0)
        shutil.copyfileobj(file, sys.stdout.buffer)
        sys.stdout.buffer.flush()


def export_all(text: str, *, as_json: bool, data_dir: Path | None) -> None:
    """Every graph, into a folder of its own files; nothing is left of an export that fails."""
    settings = settings_for(data_dir=data_dir)
    folder = new_folder(text)
    made: list[Path] = []
    try:
        index = asyncio.run(_all(settings, folder, made))
        write_index(folder, index)
    except BaseException:
        for path in made:
            path.unlink(missing_ok=True)
        raise
    lines = sum(entry.lines for entry in index.graphs)
    if as_json:
        sys.stdout.write(orjson.dumps({"folder": str(folder), "graphs": len(index.graphs), "lines": lines}).decode() + "\n")
    else:
        sys.stdout.write(f"{len(index.graphs):,} graphs, {lines:,} lines\n")


async def _one(settings: Settings, graph: str, file: Written) -> None:
    async with gateway(settings) as through:
        with progress_bar() as progress:
            await _exported(through, graph, file, _Bar(progress))


async def _all(settings: Settings, folder: Path, made: list[Path]) -> Index:
    exported = system_clock()
    entries: list[Entry] = []
    async with gateway(settings) as through:
        cards = await through.cards()
        with progress_bar() as progress:
            graphs = progress.add_task("Graphs", total=len(cards))
            bar = _Bar(progress)
            for number, card in enumerate(cards, 1):
                # ids differ in upper and lower case alone, which some file systems do not tell apart: the number does
                path = folder / f"{number:06d}-{card.id}.jsonl"
                made.append(path)
                try:
                    entries.append(await _saved(through, card, path, bar))
                except Gone:
                    path.unlink(missing_ok=True)
                    note(one_line(f"left out: {card.id} was deleted meanwhile."))
                progress.advance(graphs)
    return Index(exported=exported, graphs=entries)


async def _saved(through: Gateway, card: Card, path: Path, bar: _Bar) -> Entry:
    with written(path) as file:
        await _exported(through, card.id, file, bar)
    return Entry(**msgspec.structs.asdict(card), file=path.name, lines=file.lines, bytes=file.bytes, sha256=file.sha256)


async def _exported(through: Gateway, graph: str, file: Written, bar: _Bar) -> None:
    """All of a graph in `file`; begun again where its history was changed meanwhile. Raises: Gone, Stop."""
    for _ in range(_TIMES):
        file.restart()
        try:
            async with through.exporting(graph) as exporting:
                bar.begin(graph, exporting.lines)
                await _copied(exporting, file, bar)
            return
        except CutOff:
            continue
    raise Stop(
        f"{graph}: the export broke off {_TIMES} times, as its history is being changed or {through.where} ends it: try again later."
    )


async def _copied(exporting: Exporting, file: Written, bar: _Bar) -> None:
    async for piece in exporting.pieces:
        file.write(piece)
        bar.advance(piece.count(b"\n"))
    if file.lines != exporting.lines:
        raise CutOff


class _Bar:
    """How far the graph at hand is."""

    def __init__(self, progress: Any) -> None:
        self._progress = progress
        self._task = progress.add_task("Lines", total=None)

    def begin(self, graph: str, lines: int) -> None:
        """A graph, from its first line."""
        self._progress.reset(self._task, total=lines, description=graph)

    def advance(self, lines: int) -> None:
        """So many lines more."""
        self._progress.advance(self._task, lines)
