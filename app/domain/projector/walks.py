"""The walks of E118, of many nodes at once.

A walk comes upon nodes from above, or by a wait. So only the ends of waits and the nodes that wait need a look: what else lies below one of
them, down to the next, is met together with it. These *stations*, with their steps to each other and the sums of what is met with each,
are a small graph in which all walks are taken.

A walk does not go on through the node that it is for. That matters only to a node on a loop, and there only to the stations right below it:
unless it waits on them itself, they may be met through it alone. All other walks meet just what can be reached.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from app.domain.projector.state import Node, Sums

_FEW, _MANY = 3, 1_000
"""So few walks are taken one by one; so many at a time together, which takes a bit for every pair of stations."""
_MOST_STATIONS = 20_000
"""Where more can be reached, all walks are taken one by one."""


def walks(starts: Collection[Node]) -> Iterator[tuple[Node, Sums]]:
    """What the walk of each of these nodes comes to."""
    every = list(starts)
    for first in range(0, len(every), _MANY):
        some = every[first : first + _MANY]
        stations = _Stations(some)
        one_by_one = len(some) <= _FEW or len(stations.steps) > _MOST_STATIONS
        walk = stations.walk if one_by_one else _Reach(stations).walk
        for start in some:
            yield start, walk(start)


class _Stations:
    """All stations that walks from some nodes can come to. `weights` are unfinished nodes and open tasks met with each."""

    def __init__(self, starts: Collection[Node]) -> None:
        self.steps: dict[Node, list[Node]] = {end: [] for start in starts for end in start.edges}
        self.weights: dict[Node, tuple[int, int]] = {}
        self.below: dict[Node, list[Node]] = {}
        self._find()
        for node in self.steps:
            self.weights[node] = node.tree_unfinished, node.tree_open_tasks
        for node, steps in self.steps.items():
            steps.extend(node.edges)
            above = node.parent
            while above is not None and above not in self.steps:
                above = above.parent
            if above is not None:
                self.steps[above].append(node)
                self.below.setdefault(above, []).append(node)
                unfinished, open_tasks = self.weights[above]
                self.weights[above] = unfinished - node.tree_unfinished, open_tasks - node.tree_open_tasks

    def _find(self) -> None:
        entered: set[Node] = set()
        stack = list(self.steps)
        while stack:
            node = stack.pop()
            if node in entered:
                continue
            entered.add(node)
            stack.extend(node.waiting_children.values())
            if node.edges:
                self.steps.setdefault(node, [])
                for end in node.edges:
                    if end not in self.steps:
                        self.steps[end] = []
                        stack.append(end)

    def walk(self, start: Node) -> Sums:
        """One walk, step by step."""
        steps, weights = self.steps, self.weights
        met: set[Node] = set()
        stack = list(start.edges)
        unfinished = open_tasks = 0
        cycle = False
        while stack:
            node = stack.pop()
            if node is start:
                cycle = True
            elif node not in met:
                met.add(node)
                weight = weights[node]
                unfinished += weight[0]
                open_tasks += weight[1]
                stack.extend(steps[node])
        return unfinished, open_tasks, cycle


class _Reach:
    """What can be reached from each station, as the bits of a number: bit n stands for the n-th station."""

    def __init__(self, stations: _Stations) -> None:
        self._stations = stations
        self._places: dict[Node, int] = {}
        self._reach: dict[Node, int] = {}
        self._sums: dict[int, tuple[int, int]] = {}
        for loop in _loops(stations.steps):
            found = (1 << len(loop)) - 1 << len(self._places)
            for node in loop:
                self._places[node] = len(self._places)
                for step in stations.steps[node]:
                    found |= self._reach.get(step, 0)
            self._reach.update(dict.fromkeys(loop, found))
        self._unfinished = _planes(stations.weights[node][0] for node in self._places)
        self._open_tasks = _planes(stations.weights[node][1] for node in self._places)

    def walk(self, start: Node) -> Sums:
        """One walk: step by step only where its start may stand in its own way."""
        found = 0
        for end in start.edges:
            found |= self._reach[end]
        unfinished, open_tasks = self._sum(found)
        place = self._places.get(start)
        if place is None or not found >> place & 1:
            return unfinished, open_tasks, False
        if all(node in start.edges for node in self._stations.below.get(start, ())):
            own = self._stations.weights[start]
            return unfinished - own[0], open_tasks - own[1], True
        return self._stations.walk(start)

    def _sum(self, found: int) -> tuple[int, int]:
        known = self._sums.get(found)
        if known is None:
            known = self._sums[found] = _weigh(found, self._unfinished), _weigh(found, self._open_tasks)
        return known


def _loops(steps: dict[Node, list[Node]]) -> Iterator[list[Node]]:
    """Stations that can be reached from each other, together (Tarjan); each such group after all that it leads to."""
    entered: dict[Node, int] = {}
    earliest: dict[Node, int] = {}
    grouped: set[Node] = set()
    pending: list[Node] = []
    for first in steps:
        path = [] if first in entered else [(first, iter(steps[first]))]
        while path:
            node, ahead = path[-1]
            if node not in entered:
                entered[node] = earliest[node] = len(entered)
                pending.append(node)
            for step in ahead:
                if step not in entered:
                    path.append((step, iter(steps[step])))
                    break
                if step not in grouped:
                    earliest[node] = min(earliest[node], entered[step])
            else:
                path.pop()
                if path:
                    earliest[path[-1][0]] = min(earliest[path[-1][0]], earliest[node])
                if earliest[node] == entered[node]:
                    loop: list[Node] = []
                    while not loop or loop[-1] is not node:
                        loop.append(pending.pop())
                    grouped.update(loop)
                    yield loop


def _planes(weights: Iterable[int]) -> list[tuple[int, int]]:
    """Weights as bits: for each power of two, in which weights it is."""
    planes: dict[int, int] = {}
    for place, weight in enumerate(weights):
        while weight:
            power = weight & -weight
            planes[power] = planes.get(power, 0) | 1 << place
            weight -= power
    return list(planes.items())


def _weigh(found: int, planes: list[tuple[int, int]]) -> int:
    total = 0
    for power, places in planes:
        total += power * (found & places).bit_count()
    return total
