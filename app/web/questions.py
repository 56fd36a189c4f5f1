"""What pages and commands ask: GraphQL documents, and the words for what comes back."""

from __future__ import annotations

from typing import Any

GRAPHS = """query Graphs($first: Int!, $after: String) {
  graphs(first: $first, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes { id title source created lastEvent live retention { eventCount firstEventId lastEventId } }
  }
}"""

TREE = """query Tree($id: ID!, $asOf: AsOf, $first: Int!, $after: String) {
  graph(id: $id, asOf: $asOf) {
    id title source live asOfEventId asOfTime lastEvent
    retention { eventCount firstEventId lastEventId }
    counts { nodes sessions agents stale blocked }
    nodes(first: $first, after: $after, order: TREE) {
      pageInfo { hasNextPage endCursor }
      nodes {
        id providerRef provider kind parentId depth state stale attention title headline purpose agentType background
        created ended lastEvent taskCounts { total completed }
        blocked { onIds starting nodeCount cycle }
      }
    }
  }
}"""


_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"))
"""Of spans of time: seconds and name."""


def node_name(node: dict[str, Any]) -> str:
    """The shortest thing that tells a person which node this is."""
    if node["kind"] == "SESSION":
        return str(node["title"] or node["providerRef"])
    return str(node["title"] or node["purpose"] or node["agentType"] or node["providerRef"])


def node_kind(node: dict[str, Any]) -> str:
    """What it is: its provider for a session, its type for an agent."""
    if node["kind"] == "SESSION":
        return str(node["provider"])
    return ("background " if node["background"] else "") + str(node["agentType"] or "agent")


def node_remarks(node: dict[str, Any]) -> list[str]:
    """What a person should notice about a node."""
    remarks = []
    blocked = node["blocked"]
    if blocked is not None:
        on = f"blocked on {blocked['nodeCount']}"
        on += " (in a loop)" if blocked["cycle"] else ""
        remarks.append(on + (f", {blocked['starting']} starting" if blocked["starting"] else ""))
    if node["attention"]:
        remarks.append(f"asks: {node['attention']}")
    if node["stale"]:
        remarks.append("stale")
    return remarks


def age(ms: int) -> str:
    """A span of time in its largest unit: `40 s`, `3 min`, `5 h`, `2 d`."""
    seconds = max(ms, 0) // 1000
    for unit, name in _UNITS:
        if seconds >= unit:
            return f"{seconds // unit} {name}"
    return f"{seconds} s"


def left(ms: int) -> str:
    """A span that is left, to the nearest of its largest unit, one that is nearly whole included: of 30 days `30 d` a minute later too."""
    seconds = max(ms, 0) / 1000
    for unit, name in _UNITS:
        if seconds > 0.95 * unit:
            return f"{round(seconds / unit)} {name}"
    return f"{round(seconds)} s"
