"""What stands in a node's way (E116-E119), kept up to date with every event.

`Node.blocked` remembers what a node's walk comes to, and three questions tell what an event does to that:

- Which nodes add more or less to the walks that meet them (`GraphState.shifted`; a new node begins at nothing)? A search backwards
  finds these walks, and the difference is added to what they came to.
- Which edges came or went (`GraphState.turned`)? Only walks that may come to where such an edge begins can be others than before. And of
  those, one that meets the edge's end without any edge that came or went is the same: what it met through them it meets still. One whose
  own wait came or went, on a node that leads no further, gained or lost just that node.
- What is left is walked anew, all together (`walks`).

So an event costs what it changes and a search backwards through those who wait, however many nodes lie about.
"""

from __future__ import annotations

from collections.abc import Set

from app.domain.projector.graph import GraphState
from app.domain.projector.state import Node
from app.domain.projector.walks import walks

_MOST_SEARCHES = 16
"""Where an event would need more searches than this, all that may have changed is walked anew instead."""

_BLOCKED = frozenset({109, 116, 117, 118})
_NOTHING_MET = (0, 0, False)


def refresh(graph: GraphState) -> None:
    """Brings `blocked` up to date with what the event did."""
    for node in graph.waiters:
        _refresh_own(graph, node)
    if graph.turned or (graph.wait_edges and graph.shifted):
        _refresh_walks(graph)


def _refresh_own(graph: GraphState, node: Node) -> None:
    """What a node's own waits are on; its walk is as it was."""
    awaited = node.awaited
    if awaited is None or not (awaited.on or awaited.starting):
        node.blocked = None
    else:
        node.blocked = (awaited.on, len(awaited.starting), *(_NOTHING_MET if node.blocked is None else node.blocked[2:]))
        graph.met.update(_BLOCKED)
    graph.recounted[node] = None


def _refresh_walks(graph: GraphState) -> None:
    shifted = {node: by for node, by in graph.shifted.items() if by != (0, 0)}
    begins = {begin for begin, _, _ in graph.turned}
    ends = {end for _, end, _ in graph.turned}
    backwards = _Backwards(graph)
    anew = dict.fromkeys(node for node in graph.waiters if node in graph.made)  # it may wait on itself, or on a node made with it
    if len(shifted) + len(begins) + len(ends) > _MOST_SEARCHES:
        anew |= _behind(graph, begins.union(shifted))
        shifted = {}
    elif ends:
        other = {begin for begin, _, by_wait in graph.turned if by_wait}.union(*map(backwards.meeting, begins))
        other.difference_update(set(other).intersection(*map(backwards.meeting, ends)))
        for waiter in other:
            if waiter not in anew:
                by = _by_leaves(graph, waiter, begins, [end for end in ends if waiter not in backwards.meeting(end)])
                if by is None:
                    anew[waiter] = None
                else:
                    _add(graph, waiter, by)
    for node, by in shifted.items():
        for waiter in backwards.meeting(node):
            if waiter not in anew:
                _add(graph, waiter, by)
    for waiter, sums in walks(anew):
        if waiter.blocked is not None:
            waiter.blocked = (*waiter.blocked[:2], *sums)
            graph.recounted[waiter] = None
            if sums[2]:
                graph.met.add(119)


def _add(graph: GraphState, waiter: Node, by: tuple[int, int]) -> None:
    if waiter.blocked is not None:
        on, starting, node_count, open_tasks, cycle = waiter.blocked
        waiter.blocked = on, starting, node_count + by[0], open_tasks + by[1], cycle
        graph.recounted[waiter] = None


def _by_leaves(graph: GraphState, waiter: Node, begins: set[Node], ends: list[Node]) -> tuple[int, int] | None:
    """What a waiter's walk gained and lost with these ends, which it does not meet otherwise: unfinished nodes and open tasks.

    None unless its own waits are the only edges to them that came or went, and they lead no further, neither before nor now.
    """
    node_count = all_open_tasks = 0
    of_others = {end for begin, end, by_wait in graph.turned if begin is not waiter or not by_wait}
    for end in ends:
        if end.children or end.edges or end in begins or end in of_others:
            return None
        unfinished, open_tasks = end.tree_unfinished, end.tree_open_tasks
        if graph.turned[waiter, end, True]:
            node_count, all_open_tasks = node_count + unfinished, all_open_tasks + open_tasks
        else:
            shift = graph.shifted.get(end, (0, 0))
            node_count, all_open_tasks = node_count - unfinished + shift[0], all_open_tasks - open_tasks + shift[1]
    return node_count, all_open_tasks


def _behind(graph: GraphState, nodes: Set[Node]) -> dict[Node, None]:
    """Waiters whose walks may meet one of these nodes, or whose own edges came or went."""
    found = {begin: None for begin, _, by_wait in graph.turned if by_wait}
    seen = set(nodes)
    stack = list(seen)
    while stack:
        node = stack.pop()
        for waiter in node.waited_by:
            found[waiter] = None
            if waiter not in seen:
                seen.add(waiter)
                stack.append(waiter)
        above = node.parent
        if above is not None and above not in seen:
            seen.add(above)
            stack.append(above)
    return found


class _Backwards:
    """Searches for the waiters whose walks meet a node, leaving out the edges that came with this event.

    A search goes from a node to those that wait on it and to the one above it. A waiter's walk meets the node if a way leads there from
    one of its waits that does not pass the waiter itself: so it does where the waiter is found by a wait before it was passed. Nodes found
    only as being above others are therefore passed last. Of what is found after one of these, all ways lead through it, if it was the only
    one left. If it was not, and turns out to be a waiter, a search of its own tells.
    """

    def __init__(self, graph: GraphState) -> None:
        self._came = {edge for edge, came in graph.turned.items() if came}
        self._known: dict[Node, dict[Node, None]] = {}

    def meeting(self, node: Node) -> dict[Node, None]:
        """The waiters whose walks meet the node."""
        known = self._known.get(node)
        if known is None:
            known = self._known[node] = self._search(node)
        return known

    def _search(self, node: Node) -> dict[Node, None]:
        came = self._came
        found: dict[Node, None] = {}
        doubtful: dict[Node, None] = {}
        left: dict[Node, None] = {}
        passed = {node: False}
        stack = [node]
        while stack or left:
            if stack:
                at = stack.pop()
            else:
                at = left.popitem()[0]
                passed[at] = bool(left)
            for waiter in at.waited_by:
                if waiter in found or (came and (waiter, at, True) in came):
                    continue
                if waiter in passed:
                    if passed[waiter]:
                        doubtful[waiter] = None
                    continue
                left.pop(waiter, None)
                found[waiter] = None
                stack.append(waiter)
            above = at.parent
            if above is not None and above not in found and above not in passed and not (came and (above, at, False) in came):
                left[above] = None
        found.update((waiter, None) for waiter in doubtful if self._is_met_without(node, waiter))
        return found

    def _is_met_without(self, node: Node, waiter: Node) -> bool:
        """Whether a way leads to the node from one of the waiter's waits that does not pass the waiter."""
        came = self._came
        seen = {node}
        stack = [node]
        while stack:
            at = stack.pop()
            for other in at.waited_by:
                if (other, at, True) not in came:
                    if other is waiter:
                        return True
                    if other not in seen:
                        seen.add(other)
                        stack.append(other)
            above = at.parent
            if above is not None and above is not waiter and above not in seen and (above, at, False) not in came:
                seen.add(above)
                stack.append(above)
        return False
