"""When the rules count as met that describe what is derived, rather than what events do (E110-E115, E121, E122)."""

from __future__ import annotations

from app.domain.envelope import Event
from app.domain.projector.graph import GraphState
from app.domain.projector.state import FINISHED
from app.domain.rows import NodeRow
from app.domain.shown import is_probably_asking, is_stale
from app.domain.times import NS_PER_S, read_ns

_STALE_AFTER_NS = 1_800 * NS_PER_S


def before(graph: GraphState, event: Event) -> None:
    """What an event finds. E122: a working node that would by then be shown as asking."""
    node = graph.nodes.get(event.node)
    if node is not None and node.state == "working" and is_probably_asking(node.asking_ns, event.time_ns):
        graph.met.add(122)


def after(graph: GraphState, event: Event) -> None:
    """What an event leaves behind. Every node is judged once for each time that it falls silent, at the first event more than half an hour
    after its last one. E115: it is stale. E114: it would be, but is shown as asking.
    """
    if {114, 115} <= graph.met:
        return
    silent = graph.silent
    node = graph.nodes.get(event.node)
    if node is not None:
        silent[node] = None
        silent.move_to_end(node)
    while silent:
        node = next(iter(silent))
        last_ns = read_ns(node.last_event)
        if last_ns is not None and event.time_ns - last_ns <= _STALE_AFTER_NS:
            return
        del silent[node]
        if is_stale(node.state, node.blocked is not None, last_ns, event.time_ns, _STALE_AFTER_NS):
            graph.met.add(114 if is_probably_asking(node.asking_ns, event.time_ns) else 115)


def shown(graph: GraphState, row: NodeRow, time_ns: int) -> None:
    """What a node's new row shows. E110: a headline made from tasks. E111: tasks to count. E112: a finished node with a headline. E113: a
    node shown as asking. E121: a root that is not the only one. (E120 counts as met where a node is put beside others, in `tree`.)
    """
    met = graph.met
    if row.headline is not None:
        if row.summary is None:
            met.add(110)
        if row.state in FINISHED:
            met.add(112)
    if row.tasks_total:
        met.add(111)
    if row.parent is None and row.descendant_count + 1 < len(graph.nodes):
        met.add(121)
    if is_probably_asking(row.asking_ns, time_ns):
        met.add(113)
