"""`agw tree`: a graph as text, states marked, blocked and waiting ones shown (O8)."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from app.cli.as_of import as_of
from app.cli.gateway import Gateway, asked, gateway
from app.cli.output import print_json
from app.cli.reaching import reach
from app.cli.settings import settings_for
from app.cli.stop import plain
from app.services.clock import system_clock
from app.settings import Settings
from app.web.questions import TREE, age, node_kind, node_name, node_remarks

_PAGE = 1_000
_WATCH_SECONDS = 1.0

MARKS = {
    "WORKING": ("●", "blue"),
    "INPUT_REQUIRED": ("?", "bold yellow"),
    "IDLE": ("○", "dim"),
    "COMPLETED": ("✓", "green"),
    "FAILED": ("✗", "bold red"),
    "CANCELED": ("–", "dim"),
}


def tree(graph: str, *, as_of_text: str | None, watch: bool, as_json: bool, data_dir: Path | None) -> None:
    """Prints the tree, or with `watch` each new state of it."""
    moment = as_of(as_of_text, system_clock())
    asyncio.run(_tree(settings_for(data_dir=data_dir), graph, moment, watch=watch, as_json=as_json))


async def _tree(settings: Settings, graph: str, moment: dict[str, Any] | None, *, watch: bool, as_json: bool) -> None:
    if not watch:
        async with gateway(settings) as through:
            _show(await whole_tree(through, graph, moment), as_json=as_json, clear=False)
        return
    shown = None
    async with reach(settings) as way:
        while True:
            found = await way.doing(lambda through: whole_tree(through, graph, moment))
            lines = list(tree_lines(found))
            if lines != shown:
                _show(found, as_json=as_json, clear=True)
                shown = lines
            await asyncio.sleep(_WATCH_SECONDS)


def _show(found: dict[str, Any], *, as_json: bool, clear: bool) -> None:
    print_json(found) if as_json else _print(list(tree_lines(found)), clear=clear)
    sys.stdout.flush()


async def whole_tree(through: Gateway, graph: str, moment: dict[str, Any] | None) -> dict[str, Any]:
    """The graph and all of its nodes in tree order, all of one moment. Raises: Stop."""
    after = None
    found: dict[str, Any] | None = None
    nodes: list[dict[str, Any]] = []
    while True:
        page = (await asked(through, TREE, {"id": graph, "asOf": moment, "first": _PAGE, "after": after}))["graph"]
        nodes += page["nodes"]["nodes"]
        found = found or page
        info = page["nodes"]["pageInfo"]
        if not info["hasNextPage"]:
            del found["nodes"]
            return {**found, "nodes": nodes}
        after = info["endCursor"]


def tree_lines(graph: dict[str, Any]) -> Iterator[Text]:
    """The lines: one for the graph, one for each node, one for what the marks mean."""
    counts = graph["counts"]
    head = Text(plain(graph["title"] or graph["id"]), style="bold")
    parts = [f"{counts['sessions']} sessions", f"{counts['agents']} agents"]
    parts += [f"{counts[name]} {name}" for name in ("blocked", "stale") if counts[name]]
    parts.append(f"as of {graph['asOfEventId'] or 'no event'}")
    yield head.append(f"  {graph['id']}  {', '.join(parts)}", style="not bold dim")
    nodes = graph["nodes"]
    names = {node["id"]: node_name(node) for node in nodes}
    for node, guide in zip(nodes, guides([node["depth"] for node in nodes]), strict=True):
        yield _node_line(node, guide, names, graph["asOfTime"])
    yield Text("  ".join(f"{mark} {state.lower().replace('_', ' ')}" for state, (mark, _) in MARKS.items()), style="dim")


def guides(depths: list[int]) -> list[str]:
    """For each node of a list in tree order, the lines drawn before it."""
    drawn: list[str] = []
    more: list[bool] = []  # for each level: whether another node of that level follows below
    for depth in reversed(depths):
        last = len(more) <= depth or not more[depth]
        del more[depth + 1 :]
        more += [False] * (depth + 1 - len(more))
        more[depth] = True
        before = "".join("│  " if level else "   " for level in more[1:depth])
        drawn.append(before + ("└─ " if last else "├─ ") if depth else "")
    return drawn[::-1]


def _node_line(node: dict[str, Any], guide: str, names: dict[str, str], now: int) -> Text:
    mark, style = MARKS[node["state"]]
    line = Text(guide, style="dim").append(f"{mark} ", style=f"not dim {style}")
    line.append(plain(node_name(node)), style="not dim").append(f"  {plain(node_kind(node))}")
    for remark in node_remarks(node):
        line.append(f"  {plain(remark)}", style="not dim bold magenta")
    if node["blocked"] is not None:
        on = [names.get(other, other) for other in node["blocked"]["onIds"]]
        line.append(f"  waits for {plain(', '.join(on[:3]))}" + (f" and {len(on) - 3} more" if len(on) > 3 else "") if on else "")
    tasks = node["taskCounts"]
    if tasks["total"]:
        line.append(f"  {tasks['completed']}/{tasks['total']} tasks")
    if node["state"] == "WORKING":
        line.append(f"  {age(now - node['created'])}")
    if node["headline"] and node["headline"] != node_name(node):
        line.append(f"  {plain(node['headline'])}")
    return line


def _print(lines: list[Text], *, clear: bool) -> None:
    console = Console(highlight=False)
    if clear and console.is_terminal:
        console.clear()
    for line in lines:
        if console.is_terminal:
            console.print(line, no_wrap=True, overflow="ellipsis")
        else:
            console.file.write(line.plain + "\n")
