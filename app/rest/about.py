"""What each parameter asks for, in words for `openapi.json` and the reference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_EVERYWHERE: Final[Mapping[str, str]] = {
    "agent_type": "Agents of this type, exactly.",
    "ancestor_id": "Nodes anywhere below this one.",
    "as_of": "The moment: just after an event, or at a time in Unix milliseconds. Without it, now.",
    "blocked": "Nodes that wait for others, or do not.",
    "created": "A range of times of their beginning, Unix milliseconds.",
    "descendants_max_depth": "So many levels of an expanded `descendants`.",
    "ending_before": "The id of an item: the page just before it.",
    "expand": "What else to show of a node, as `parent`, `blocked.on` or `parent.tasks`.",
    "is_root": "Nodes without a parent, or with one.",
    "kind": "Sessions or agents.",
    "last_event": "A range of times of the latest event, Unix milliseconds.",
    "limit": "Items of a page.",
    "max_depth": "With `ancestor_id`: at most so many levels below that node.",
    "node_id": "Events about exactly this node.",
    "order": "`newest`: those that began last come first. `tree`: each root, then what is under it, oldest first.",
    "page": "The `next_page` of the page before.",
    "parent_id": "Nodes right below this one.",
    "provider": "Nodes of this provider, exactly.",
    "query": 'What to look for, as `state:"working" AND depth>0`.',
    "root_id": "Nodes whose tree has this root.",
    "session_id": "Nodes of this session, itself included.",
    "stale": "Nodes that have been silent for too long, or have not.",
    "starting_after": "The id of an item: the page just after it.",
    "state": "Nodes in any of these states.",
    "type": "Events of any of these types: one exactly, a family such as `task.*`, or `*`.",
}

_LISTED: Final = "What else to show of each node, as `data.parent` or `data.blocked.on`."

_IN: Final[Mapping[tuple[str, str], str]] = {
    ("listNodes", "expand"): _LISTED,
    ("searchNodes", "expand"): _LISTED,
    ("searchNodes", "as_of"): "The moment, as everywhere. With `page` it is the first page's.",
    ("listEvents", "expand"): "`data.node`: the node just after the event; and of it, as `data.node.parent`.",
    ("retrieveEvent", "expand"): "`node`: the node just after the event; and of it, as `node.parent`.",
    ("listEvents", "created"): "A range of times of the events, Unix milliseconds.",
    ("listEvents", "order"): "`desc`: the newest first. `asc`: the oldest first.",
    ("listEvents", "root_id"): "Events about this node, or about any below it in the graph as it is now.",
}


def about(operation: str, parameter: str) -> str:
    """What a parameter of an operation asks for. Raises: KeyError if nothing is said of it."""
    return _IN.get((operation, parameter)) or _EVERYWHERE[parameter]
