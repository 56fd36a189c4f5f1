"""Property maps: fields of the domain's rows by name, what is null left out."""

from __future__ import annotations

from app.domain.envelope import parse_object
from app.domain.history import Ended, Recorded, State
from app.domain.rho.names import hashed_name
from app.domain.rows import Cell, EdgeRow, NodeRow, TaskRow, WaitRow
from app.store import records
from app.store.intervals import OPEN, STEP, slots
from app.store.keys import cell_key, event_key, mirror_key, node_key

NODE = NodeRow(
    provider="acme", kind="session", parent=None, root="acme:a", session="acme:a", requested_by=None, depth=0, state="working",
    attention=None, title=None, summary="", headline=None, purpose=None, agent_type=None, background=False, link_method=None,
    spawn_call_id=None, cwd=None, created=1, ended=None, last_event=2, child_count=0, descendant_count=0, background_agent_count=0,
    tasks_total=0, tasks_pending=0, tasks_in_progress=0, tasks_completed=0, blocked_on=("acme:b", "acme:c"), blocked_starting=0,
    blocked_node_count=2, blocked_open_tasks=0, blocked_cycle=False, created_text="2027", placed=0, active_ns=2, asking_ns=None,
)  # fmt: skip


def test_a_nodes_row_has_its_fields_and_leaves_out_null() -> None:
    """Null is no property; false, 0 and the empty text are values."""
    row = records.current("g", Cell("node", "acme:a"), State(5, NODE))
    wanted = {name: value for name, value in NODE._asdict().items() if value is not None}
    wanted |= {"blocked_on": ["acme:b", "acme:c"], "key": node_key("g", "acme:a"), "g": "g", "ref": "acme:a", "since": 5}
    wanted |= {"rho": mirror_key("rho/session/acme.a"), "rho_hashed": mirror_key(f"rho/session/{hashed_name('acme:a')}")}
    assert row == wanted


def test_a_wait_is_stored_with_its_target_and_position() -> None:
    """`on` is a word of Cypher's: the property is `target`; a part has its position, and the key of its node."""
    cell = Cell("wait", "acme:a", 3)
    row = records.current("g", cell, State(5, WaitRow("w", "explicit", "acme:b", None, True, 7, None)))
    assert row == {
        "id": "w", "kind": "explicit", "target": "acme:b", "open": True, "started": 7,
        "position": 3, "node": node_key("g", "acme:a"), "key": cell_key("g", cell), "g": "g", "ref": "acme:a", "since": 5,
    }  # fmt: skip


def test_an_ended_state_has_its_span_and_its_slots() -> None:
    """A past state has the key of its thing and place, `of` its thing, and the slots that old moments look for."""
    cell = Cell("task", "acme:a", 0)
    row = records.ended("g", Ended(cell, STEP, 5 * STEP, TaskRow("1", "Do it", None, "pending")))
    right, left = slots(STEP, 5 * STEP)
    assert row == {
        "id": "1", "text": "Do it", "status": "pending", "position": 0, "g": "g", "ref": "acme:a", "since": STEP, "until": 5 * STEP,
        "node": node_key("g", "acme:a"),
        "of": cell_key("g", cell), "key": f"{cell_key('g', cell)}|{STEP:016d}", "right": f"g|{right}", "left": f"g|{left}",
    }  # fmt: skip


def test_edges_run_from_parent_to_child_and_from_waiter_to_target() -> None:
    """So that E118's walk has one direction."""
    parent = records.edge("g", Cell("parent", "acme:child"), 5, EdgeRow("acme:top"))
    wait = records.edge("g", Cell("waits_on", "acme:waiter", 2), 5, EdgeRow("acme:target"), 9)
    assert (parent["a"], parent["b"], parent["until"]) == (node_key("g", "acme:top"), node_key("g", "acme:child"), OPEN)
    assert (wait["a"], wait["b"], wait["until"]) == (node_key("g", "acme:waiter"), node_key("g", "acme:target"), 9)


def test_an_events_row_holds_its_text_as_sent() -> None:
    """An event keeps its line and change list as text, and its place in the order, in the bucket, among its node's."""
    event = parse_object({"v": 1, "id": "e1", "ts": "2027-01-01T00:00:00.0015Z", "type": "é", "node": "acme:a"})
    row = records.event("g", Recorded(event, 70 * STEP, b"[]", 4), 12)
    assert row == {
        "key": event_key("g", "e1"), "g": "g", "seq": 70 * STEP, "bucket": 1, "arrival": 12, "id": "e1", "type": "é", "ref": "acme:a",
        "by_ref": f"{node_key('g', 'acme:a')}|{70 * STEP:016d}", "ts": "2027-01-01T00:00:00.0015Z", "time_ms": 1798761600001,
        "time_ns": 1798761600001500000, "line": event.line.decode(), "changes": "[]", "nodes": 4,
    }  # fmt: skip


def test_times_that_64_bits_cannot_hold_are_kept_as_text() -> None:
    """E11 reads times up to the year 9999; in nanoseconds they are larger than the store's integers."""
    late = 253_402_300_799_999_999_999
    row = records.current("g", Cell("node", "acme:a"), State(5, NODE._replace(active_ns=late, asking_ns=2**63 - 1)))
    assert (row["active_ns"], row["asking_ns"]) == (str(late), 2**63 - 1)
    assert int(row["active_ns"]) == late
