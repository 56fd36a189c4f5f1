"""`agw import`: event files into one graph (O5)."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import orjson

from app.cli.event_files import batches, files_in, read_log
from app.cli.event_log import Log
from app.cli.gateway import Appended, Gateway, asked, gateway
from app.cli.output import note, progress_bar
from app.cli.settings import settings_for
from app.cli.stop import Stop, one_line
from app.domain import keyframe
from app.domain.envelope import parse_line
from app.domain.keyframe import KeyframeRefused
from app.domain.projector import Projector
from app.settings import Settings

BATCH = 1_000
BATCH_BYTES = 4_000_000
"""Half of what a gateway takes from a key that may write (Q33)."""

_CREATE = "mutation($input: CreateGraphInput!) { createGraph(input: $input) { graph { id } } }"
_TITLE = 200


def import_files(paths: list[str], *, graph: str | None, title: str | None, keep: int, as_json: bool, data_dir: Path | None) -> None:
    """Reads everything first, then writes: input that is no use leaves nothing behind."""
    settings = settings_for(data_dir=data_dir)
    files = files_in(paths)
    with progress_bar() as progress:
        sizes = [file.stat().st_size for file in files if file is not None]
        reading = progress.add_task("Reading", total=sum(sizes) if len(sizes) == len(files) else None)
        log = read_log(files, lambda size: progress.advance(reading, size))
        progress.remove_task(reading)
        for said in log.unreadable:
            note(one_line(f"left out: {said}"))
        graph_id, done = asyncio.run(_write(settings, log, graph, title or title_of(paths), keep, progress))
    _tell_what_was_skipped(log)
    if log.base and graph is None:
        note(one_line(_of_the_keyframe(log.base)))
    whole = Appended(done.accepted, log.duplicates + done.duplicates, log.skipped + done.invalid)
    sys.stdout.write(f"{as_object(graph_id, whole)}\n" if as_json else f"{graph_id}\n{counted(whole)}\n")


def counted(done: Appended) -> str:
    """What became of events, for people."""
    return f"{done.accepted} accepted, {done.duplicates} duplicates, {done.invalid} skipped"


def as_object(graph_id: str, done: Appended) -> str:
    """The same for programs, on one line."""
    return orjson.dumps({"graph": graph_id, "accepted": done.accepted, "duplicates": done.duplicates, "skipped": done.invalid}).decode()


async def _write(settings: Settings, log: Log, graph: str | None, title: str, keep: int, progress: Any) -> tuple[str, Appended]:
    task = progress.add_task("Writing", total=len(log.base) + len(log))
    async with gateway(settings) as through:
        most = await through.most_bytes()
        _refuse_too_long(log, most, through.where)
        graph_id = await new_graph(through, title, keep) if graph is None else graph
        accepted = duplicates = invalid = 0
        for batch in batches(log.base, log.lines(), BATCH, BATCH_BYTES if most is None else min(BATCH_BYTES, most)):
            try:
                taken = await through.append(graph_id, batch)
            except Stop as stop:
                there = accepted + duplicates
                so_far = (
                    f" {there:,} of {len(log):,} events are in {graph_id}; import again with --graph {graph_id} to go on." if there else ""
                )
                raise Stop(f"{graph_id}: {stop}{so_far}") from stop
            except asyncio.CancelledError:  # Ctrl-C
                note(f"Cut off: import again with --graph {graph_id} to go on.")
                raise
            accepted, duplicates, invalid = accepted + taken.accepted, duplicates + taken.duplicates, invalid + taken.invalid
            progress.advance(task, len(batch))
        return graph_id, Appended(accepted, duplicates, invalid)


def _tell_what_was_skipped(log: Log) -> None:
    for said in log.faults:
        note(one_line(said))
    more = log.skipped - len(log.faults)
    if more:
        note(f"… and {more:,} more lines that are no event." if more > 1 else "… and one more line that is no event.")


def _of_the_keyframe(base: list[bytes]) -> str:
    """What became of the keyframe that a new graph's log starts from (E130, E135)."""
    parts = [parse_line(line) for line in base]
    try:
        projector, _ = Projector.from_keyframe(keyframe.merge(keyframe.leading(parts)), 1)
    except KeyframeRefused as error:
        return f"The keyframe that this log starts from is of no use ({error}): its events apply from nothing."
    return f"The graph starts from the log's keyframe: {projector.node_count:,} nodes before the first event."


def _refuse_too_long(log: Log, most: int | None, where: str) -> None:
    sizes = [("The keyframe that this log starts from", sum(map(len, log.base)), "")]
    longest = log.longest
    if longest is not None:
        sizes.append((f"{longest.place}: this event", longest.size, ", or take the line out"))
    for what, size, otherwise in sizes:
        if most is not None and size > most:
            said = f"{what} has {size:,} bytes; the gateway at {where} takes at most {most:,} at once (its AGW_WRITE_BODY_BYTES)"
            raise Stop(f"{said}: raise that{otherwise}. Nothing was imported.")


async def new_graph(through: Gateway, title: str, keep: int) -> str:
    """Makes a graph that REST lists (R39), and that keeps `keep` events (0: all); its id. Raises: Stop."""
    title = title.encode("utf-8", "replace").decode()  # names of files may be no UTF-8
    made = await asked(through, _CREATE, {"input": {"title": title[:_TITLE], "source": "WATCH", "retentionEvents": keep}})
    return str(made["createGraph"]["graph"]["id"])


def title_of(paths: list[str]) -> str:
    """What a graph is called that nobody gave a title: the first path's name."""
    first = Path(paths[0])
    return "Imported" if paths[0] == "-" else first.resolve().stem or "Imported"
