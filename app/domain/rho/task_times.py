"""When tasks came about and when they last changed (M25, M27): their places in a list move, so they are told apart by their ids."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class TaskSpan(NamedTuple):
    """A state of the task `id` of the node `ref`, from the place `since` in the order of events on; `says` is all that it shows."""

    ref: str
    id: str
    since: int
    says: tuple[str | None, ...]


class TaskPlaces(NamedTuple):
    """Places of the events that a task came about with, and that last changed what it shows."""

    created: int
    changed: int


def task_places(spans: Iterable[TaskSpan]) -> dict[tuple[str, str], TaskPlaces]:
    """By the node's ref and the task's id. `spans`: every state up to the moment, in any order."""
    found: dict[tuple[str, str], TaskPlaces] = {}
    said: dict[tuple[str, str], tuple[str | None, ...]] = {}
    for span in sorted(spans, key=lambda span: span.since):
        key = span.ref, span.id
        before = found.get(key)
        if before is None or said[key] != span.says:
            found[key] = TaskPlaces(span.since if before is None else before.created, span.since)
            said[key] = span.says
    return found
