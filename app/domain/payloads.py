"""An event as doors show it: its payload and source (R57, R70)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

HIDDEN: Mapping[str, frozenset[str]] = {"session.started": frozenset(("process", "ancestors", "transcript_path"))}
"""By type of event, the members that no door shows: what could tell of a machine's processes and files (R70)."""


class Source(NamedTuple):
    """Where an event came from (R57)."""

    provider: str
    provider_version: str | None
    adapter: str | None


def shown_payload(envelope: Mapping[str, Any]) -> Any:
    """The envelope's `data` as sent, without what is hidden; an empty object if there is none."""
    data = envelope.get("data")
    if data is None:
        return {}
    hidden = HIDDEN.get(envelope["type"])
    if hidden is None or not isinstance(data, dict):
        return data
    return {name: value for name, value in data.items() if name not in hidden}


def shown_source(envelope: Mapping[str, Any]) -> Source:
    """The envelope's source; without one the provider that the ref begins with."""
    source = envelope.get("source")
    if source is None:
        return Source(envelope["node"].partition(":")[0], None, None)
    return Source(source["provider"], source.get("provider_version"), source.get("adapter"))
