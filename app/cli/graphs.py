"""`agw graphs`, `agw create` and `agw open` (O8, O35)."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from app.cli.gateway import asked, asked_once, demo_on, gateway, running_on
from app.cli.output import note, print_json
from app.cli.settings import settings_for
from app.cli.stop import Stop, plain
from app.domain.ids import graph_id
from app.services.clock import system_clock
from app.settings import Settings
from app.web.questions import GRAPHS, age

_PAGE = 1_000
_PIPE_WIDTH = 500
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


async def _link(settings: Settings) -> str:
    async with gateway(settings) as through:
        return await through.login_link()
