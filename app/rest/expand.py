"""The paths of `expand` (R47, R48, R51)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from app.rest.errors import Refused, quoted
from app.rest.grammar import invalid

MOST_PATHS: Final = 20
MOST_SEGMENTS: Final = 4

_SEGMENT: Final = re.compile(r"[a-z_]+", re.ASCII)

NODE_STEPS: Final = {
    "parent": "node",
    "root": "node",
    "session": "node",
    "requested_by": "node",
    "blocked": "blocked",
    "children": "node",
    "descendants": "",
    "tasks": "",
    "spawns": "",
    "waits": "",
    "messages": "",
}
STEPS: Final[Mapping[str, Mapping[str, str]]] = {"node": NODE_STEPS, "blocked": {"on": "node"}, "event": {"node": "node"}, "": {}}
"""What can follow what, and where it leads (R48)."""

Tree: TypeAlias = dict[str, "Tree"]
"""What is expanded: under each segment what is expanded there."""


@dataclass(frozen=True, slots=True)
class Form:
    """Where paths begin: at a node or an event, of a list or alone."""

    start: str
    in_list: bool = False

    def read(self, paths: Iterable[str]) -> Tree:
        """The paths as a tree. Raises: Refused."""
        listed = list(paths)
        if len(listed) > MOST_PATHS:
            raise invalid("expand", f"expand: at most {MOST_PATHS} paths.")
        tree: Tree = {}
        for path in listed:
            here = tree
            for segment in self._segments(path):
                here = here.setdefault(segment, {})
        return tree

    def _segments(self, path: str) -> list[str]:
        segments = path.split(".")
        shown = quoted(path)
        if not all(map(_SEGMENT.fullmatch, segments)):
            raise _refused("invalid", f"{shown} is not a path.")
        if self.in_list:
            if segments[0] != "data" or len(segments) == 1:
                raise _refused("invalid", f"In a list a path begins with data. and names what to expand: {shown} does not.")
            segments = segments[1:]
        if len(segments) > MOST_SEGMENTS:
            raise _refused("too_deep", f"A path has at most {MOST_SEGMENTS} segments.")
        at = self.start
        for place, segment in enumerate(segments):
            first_of_node = self.start == "node" and place == 0
            if (segment == "descendants" and (self.in_list or not first_of_node)) or (segment == "children" and self.in_list):
                raise _refused("not_allowed", f"{segment} cannot be expanded here.")
            if segment not in STEPS[at]:
                raise _refused("invalid", f"{segment} cannot be expanded here.")
            at = STEPS[at][segment]
        if at == "blocked":
            raise _refused("invalid", "blocked is expanded as blocked.on.")
        return segments


def _refused(what: str, message: str) -> Refused:
    return Refused(f"expand_{what}", message, "expand")
