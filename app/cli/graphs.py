"""`agw graphs`, `agw create`, `agw delete` and `agw open` (O8, O35)."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from app.cli.gateway import Gone, asked, asked_once, demo_on, gateway, running_on
from app.cli.output import note, print_json
from app.cli.settings import settings_for
from app.cli.stop import Stop, plain
from app.domain.ids import graph_id
from app.services.clock import system_clock
from app.settings import Settings
from app.web.questions import GRAPHS, age

_PAGE = 1_000
_PIPE_WIDTH = 500
_ONE = "query($id: ID!) { graph(id: $id) { id title retention { eventCount } } }"
_DELETE = "mutation($id: ID!) { deleteGraph(id: $id) { id } }"
_CREATE = "mutation($input: CreateGraphInput!) { createGraph(input: $input) { graph { id title } } }"


def list_graphs(*, as_json: bool, data_dir: Path | None) -> None:
    """Every graph of the account."""
    settings = settings_for(data_dir=data_dir)
    found = asyncio.run(_graphs(settings))
    if as_json:
        print_json(found)
        return
    if not found:
        note(f"No graphs yet. {demo_on(settings.data_dir) or 'agw import reads event files, agw demo shows a fleet.'}")
        return
    from rich.console import Console
    from rich.table import Table

    now = system_clock()
    table = Table(box=None, pad_edge=False)
    for heading in ("GRAPH", "EVENTS", "LAST EVENT", "TITLE"):
        table.add_column(heading, no_wrap=heading != "TITLE", justify="right" if heading == "EVENTS" else "left")
    for graph in found:
        when = f"{age(now - graph['lastEvent'])} ago" + (", live" if graph["live"] else "")
        table.add_row(graph["id"], f"{graph['retention']['eventCount']:,}", when, plain(graph["title"] or ""))
    Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH).print(table)


def create(*, title: str | None, keep: int | None, as_json: bool, data_dir: Path | None) -> None:
    """A new graph without events."""
    made = asyncio.run(asked_once(settings_for(data_dir=data_dir), _CREATE, {"input": {"title": title, "retentionEvents": keep}}))
    graph = made["createGraph"]["graph"]
    if as_json:
        print_json(graph)
    else:
        sys.stdout.write(f"{graph['id']}\n")


def delete(graphs: list[str], *, sure: bool, as_json: bool, data_dir: Path | None) -> None:
    """Deletes graphs, all of which must be there; a person is asked first."""
    deleted = asyncio.run(_delete(settings_for(data_dir=data_dir), list(dict.fromkeys(graphs)), sure=sure))
    if as_json:
        print_json({"deleted": deleted})
    else:
        sys.stdout.write("".join(f"{each}\n" for each in deleted))


def open_link(graph: str | None, *, browser: bool, as_json: bool, data_dir: Path | None) -> None:
    """A new one-time link, to a graph's page if one is named (O19)."""
    known = None if graph is None else graph_id(graph)
    if graph is not None and known is None:
        raise Stop(f"{graph} is no graph's id: agw graphs lists them.")
    settings = settings_for(data_dir=data_dir)
    if settings.url is None and running_on(settings.data_dir) is None:
        others = demo_on(settings.data_dir) or "Start one with agw serve, which prints a link."
        raise Stop(f"No gateway runs on {settings.data_dir}. {others}")
    link = asyncio.run(_link(settings))
    if known is not None:
        link += f"&next=/l/{known.removeprefix('gph_')}"
    if as_json:
        print_json({"url": link})
    else:
        sys.stdout.write(f"{link}\n")
    if browser and not as_json and sys.stdout.isatty():
        import webbrowser

        webbrowser.open(link)


async def _graphs(settings: Settings) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    after = None
    async with gateway(settings) as through:
        while True:
            page = (await asked(through, GRAPHS, {"first": _PAGE, "after": after}))["graphs"]
            found += page["nodes"]
            if not page["pageInfo"]["hasNextPage"]:
                return found
            after = page["pageInfo"]["endCursor"]


async def _delete(settings: Settings, graphs: list[str], *, sure: bool) -> list[str]:
    async with gateway(settings) as through:
        found: list[dict[str, Any]] = []
        for graph in graphs:
            try:
                found.append((await asked(through, _ONE, {"id": graph}))["graph"])
            except Gone as gone:
                raise Gone(f"{graph}: {gone} Nothing was deleted.") from gone
        if not sure:
            _confirm(found)
        for each in found:
            with suppress(Gone):  # somebody else was quicker
                await asked(through, _DELETE, {"id": each["id"]})
        return [each["id"] for each in found]


def _confirm(graphs: list[dict[str, Any]]) -> None:
    if not sys.stdin.isatty():
        raise Stop("agw delete: nobody can be asked here: add --yes to delete for good.", 2)
    for graph in graphs:
        note(f"{graph['id']}  {graph['retention']['eventCount']:,} events  {plain(graph['title'] or '')}")
    sys.stderr.write(f"Delete {'this graph' if len(graphs) == 1 else f'these {len(graphs):,} graphs'} for good? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Stop("Nothing was deleted.")


async def _link(settings: Settings) -> str:
    async with gateway(settings) as through:
        return await through.login_link()
