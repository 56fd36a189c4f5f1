"""What one event changed (E137, R62-R66), in the API's names and ids."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from typing import Any

from tests.oracle.shown import Shown

AS_SHOWN = (
    *("provider", "kind", "depth", "state", "attention", "title", "summary", "headline", "purpose", "agent_type", "background"),
    *("link_method", "spawn_call_id", "cwd", "created", "ended", "last_event", "child_count", "descendant_count"),
    *("background_agent_count", "task_counts"),
)


def node_id(ref: str) -> str:
    """R16."""
    return "node_" + urlsafe_b64encode(ref.encode()).decode().rstrip("=")


def compared(node: Shown) -> dict[str, Any]:
    """R63: the members that are compared, under their API names and with API ids."""
    blocked = node["blocked"]
    if blocked is not None:
        blocked = {"on_ids": [node_id(ref) for ref in blocked["on"]], **{key: value for key, value in blocked.items() if key != "on"}}
    ids = {f"{name}_id": node[name] for name in ("parent", "root", "session", "requested_by")}
    return {
        **{name: node[name] for name in AS_SHOWN},
        **{name: None if ref is None else node_id(ref) for name, ref in ids.items()},
        "blocked": blocked,
    }


def changes_between(before: dict[str, Shown], after: dict[str, Shown], about: str) -> list[dict[str, Any]]:
    """R62-R65: the nodes that differ, that of the event (`about`) first, the others by ref."""
    found = []
    for ref in sorted(before.keys() | after.keys(), key=lambda ref: (ref != about, ref)):
        old = compared(before[ref]) if ref in before else {}
        new = compared(after[ref]) if ref in after else {}
        fields = {
            name: {"from": old.get(name), "to": new.get(name)} for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)
        }
        if fields:
            found.append({"node_id": node_id(ref), "ref": ref, "created": ref not in before, "fields": fields})
    return found
