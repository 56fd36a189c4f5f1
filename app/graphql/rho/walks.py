"""Walks over one snapshot's edges, which are read whole: above and below a node, and the loops that it is in (M15, M16, M18)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from app.domain.problems import BadUserInput
from app.graphql.limits import TooDeep
from app.graphql.rho.reading import Fact, RhoRead

MOST_LEVELS = 64


def levels_of(max_depth: int | None, default: int = 16) -> int:
    """How many levels a walk goes. Raises: BadUserInput, TooDeep (M15)."""
    levels = default if max_depth is None else max_depth
    if levels < 1:
        raise BadUserInput("maxDepth", "maxDepth is at least 1.")
    if levels > MOST_LEVELS:
        raise TooDeep(f"maxDepth is {levels:,}; {MOST_LEVELS} levels are allowed.", limit=MOST_LEVELS)
    return levels


async def above(rho: RhoRead, node: Fact, max_depth: int | None) -> list[str]:
    """Ids of the nodes that contain a node, directly or not, by id."""
    levels = levels_of(max_depth)
    pairs = [(to, source) for source, to in await _pairs(rho, node.snapshot, "contains")]
    return sorted(reached(node.id, neighbours(pairs), levels))


async def below(rho: RhoRead, node: Fact, max_depth: int | None) -> list[str]:
    """Ids of the nodes that a node contains, directly or not, by id."""
    levels = levels_of(max_depth)
    return sorted(reached(node.id, neighbours(await _pairs(rho, node.snapshot, "contains")), levels))


async def blocking_cycle(rho: RhoRead, node: Fact) -> list[str] | None:
    """Ids of the shortest closed walk of dependencies through a node, the smallest first; None if there is none."""
    return shortest_cycle(node.id, neighbours(await _pairs(rho, node.snapshot, "depends_on")))


def neighbours(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Where edges lead to from each node, each end once, by id."""
    found: dict[str, set[str]] = {}
    for source, target in pairs:
        found.setdefault(source, set()).add(target)
    return {source: sorted(targets) for source, targets in found.items()}


def reached(start: str, next_of: Mapping[str, list[str]], levels: int) -> set[str]:
    """What can be reached in 1 to `levels` steps, without the start itself."""
    found, ring = {start}, [start]
    for _ in range(levels):
        ring = [each for each in dict.fromkeys(target for id in ring for target in next_of.get(id, ())) if each not in found]
        if not ring:
            break
        found.update(ring)
    return found - {start}


def shortest_cycle(start: str, next_of: Mapping[str, list[str]]) -> list[str] | None:
    """The shortest closed walk through `start`, of equal ones the first by the ids after it, turned so that the smallest id is first."""
    came: dict[str, str] = {}
    queue = deque([start])
    while queue:
        id = queue.popleft()
        for target in next_of.get(id, ()):
            if target == start:
                walk = [id]
                while walk[-1] != start:
                    walk.append(came[walk[-1]])
                walk.reverse()
                first = walk.index(min(walk))
                return walk[first:] + walk[:first]
            if target not in came:
                came[target] = id
                queue.append(target)
    return None


async def _pairs(rho: RhoRead, snapshot: str, kind: str) -> list[tuple[str, str]]:
    edges = await rho.whole("edges", snapshot)
    return [(edge.value["from"]["id"], edge.value["to"]["id"]) for edge in edges if edge.value["kind"] == kind]
