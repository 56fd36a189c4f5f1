"""`agw import --all`: every graph of an export, with its id, title and source (O37)."""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO

import orjson

from app.cli.backup import Entry, Index, check_files, read_index
from app.cli.event_files import batches
from app.cli.gateway import CutOff, Gateway, gateway
from app.cli.importing import BATCH, BATCH_BYTES
from app.cli.output import progress_bar
from app.cli.settings import settings_for
from app.cli.stop import Stop
from app.domain import keyframe
from app.domain.card import Card
from app.domain.envelope import Malformed, parse_line
from app.settings import Settings


def import_all(text: str, *, as_json: bool, data_dir: Path | None) -> None:
    """Looks at every file before it writes anything. What is there already of these graphs is left as it is, so that it can be repeated."""
    folder, index = read_index(text)
    settings = settings_for(data_dir=data_dir)
    with progress_bar() as progress:
        checking = progress.add_task("Checking", total=sum(entry.bytes for entry in index.graphs))
        check_files(folder, index, lambda size: progress.advance(checking, size))
        progress.remove_task(checking)
        writing = progress.add_task("Writing", total=sum(entry.lines for entry in index.graphs))
        written, there = asyncio.run(_all(settings, folder, index, lambda count: progress.advance(writing, count)))
    if as_json:
        sys.stdout.write(orjson.dumps({"graphs": len(index.graphs), "written": written, "there": there}).decode() + "\n")
    else:
        before = f" ({there:,} were there)" if there else ""
        sys.stdout.write(f"{len(index.graphs):,} graphs, {written + there:,} lines{before}\n")


async def _all(settings: Settings, folder: Path, index: Index, advance: Callable[[int], None]) -> tuple[int, int]:
    written = there = 0
    async with gateway(settings) as through:
        most = await through.most_bytes()
        for entry in index.graphs:
            with (folder / entry.file).open("rb") as file:
                try:
                    await through.restore(Card(**{name: getattr(entry, name) for name in Card.__struct_fields__}))
                    held = await _held(through, entry, file)
                    advance(held)
                    await _rest(through, entry.id, file, most, advance)
                except (Stop, CutOff) as error:
                    why = str(error) or "it is being written to while it is compared with the export. Import again when nobody does."
                    raise Stop(f"{entry.id}: {why} Of {len(index.graphs):,} graphs {index.graphs.index(entry):,} are complete.") from error
            written, there = written + entry.lines - held, there + held
    return written, there


async def _held(through: Gateway, entry: Entry, file: BinaryIO) -> int:
    """How many of the file's first lines are there already; the file stands after them. Raises: Stop where there are others."""
    lines = 0
    async with through.exporting(entry.id) as exporting:
        async for piece in exporting.pieces:
            if file.read(len(piece)) != piece:
                raise Stop("this graph is there with other events. Import into another store, or delete it there first.")
            lines += piece.count(b"\n")
    return lines


async def _rest(through: Gateway, graph_id: str, file: BinaryIO, most: int | None, advance: Callable[[int], None]) -> None:
    lines = (line.rstrip(b"\n") for line in file)
    base, others = _base(lines)
    for batch in batches(base, others, BATCH, BATCH_BYTES if most is None else min(BATCH_BYTES, most)):
        size = sum(map(len, batch)) + len(batch)
        if most is not None and size > most:
            what = "its keyframe" if batch is base else "one event"
            raise Stop(
                f"{what} has {size:,} bytes, and the gateway at {through.where} takes at most {most:,} at once: "
                "raise its AGW_WRITE_BODY_BYTES, or stop it while you import."
            )
        taken = await through.take_in(graph_id, batch)
        if taken.invalid:
            raise Stop(f"{taken.invalid:,} lines of its file are no events.")
        advance(len(batch))


def _base(lines: Iterable[bytes]) -> tuple[list[bytes], Iterable[bytes]]:
    """The leading keyframe's lines, which go as one, and the rest."""
    found: list[bytes] = []
    rest = iter(lines)
    for line in rest:
        try:
            leading = parse_line(line).type == keyframe.TYPE
        except Malformed:
            leading = False
        if not leading:
            return found, itertools.chain([line], rest)
        found.append(line)
    return found, ()
