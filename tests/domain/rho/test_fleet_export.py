"""Every session of the demo fleet as a Rho graph (M21-M32), against what the oracle knows of it."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

from app.demo.fleet import fleet
from app.domain.rho.agent_graph import SessionExport, export_session
from app.domain.rho.envelope import canonical_json
from app.domain.rho.names import agent_name, part_name, session_name
from app.domain.rho.normalize import prepare
from app.domain.rho.profiles import Profile
from app.domain.rho.schedule import graph_tasks, schedule
from app.domain.rho.validate import validate
from tests.demo.logs import last_state
from tests.domain.rho.graphs import node_states
from tests.domain.rho.test_agent_graph import MARK, marked

Fields = dict[str, Any]

AT = "2026-06-01T10:00:00Z"
EVENTS = 1_000
SAMPLE = 12
"""Every so many-th session is exported a second time."""


@cache
def log() -> tuple[Fields, ...]:
    return tuple(fleet(EVENTS))


@cache
def exports() -> dict[str, SessionExport]:
    states = node_states(list(log()))
    return {ref: export_session(ref, states, AT) for ref, state in states.items() if state.row.kind == "session"}


def records(ref: str, state: dict[str, Fields]) -> tuple[set[str], set[str]]:
    """What belongs to a session: itself with its agents, and the sessions started from there."""
    inside, left = {ref}, [ref]
    while left:
        agents = [child for child in state[left.pop()]["children"] if state[child]["kind"] == "agent"]
        inside.update(agents)
        left += agents
    return inside, {each for each, node in state.items() if node["kind"] == "session" and node["parent"] in inside and each != ref}


def test_every_session_has_exactly_its_records() -> None:
    """M23, M27-M29, M32: one node for each, one edge for each relation whose other end is there; the rest is counted."""
    state = last_state(log())
    kinds: Counter[str] = Counter()
    for ref, found in exports().items():
        inside, started = records(ref, state)
        sid = session_name(ref)
        names = {each: sid if each == ref else agent_name(each, sid) for each in inside}
        calls = {part_name(spawn["call_id"]) for each in inside for spawn in state[each]["spawns"]}
        assert {node["id"] for node in found.envelope["nodes"]} == {
            f"rho/session/{sid}",
            *(f"rho/runtime-task/{names[each]}" for each in inside - {ref}),
            *(f"rho/session/{session_name(each)}" for each in started),
            *(f"rho/task/{names[each]}.{part_name(task['id'])}" for each in inside for task in state[each]["tasks"]),
            *(f"rho/tool-call/{sid}/{call}" for call in calls),
        }
        there = inside | started
        waits = [wait["on"] in there for each in inside for wait in state[each]["waits"]]
        spawns = [spawn["child"] in there for each in inside for spawn in state[each]["spawns"]]
        sent = [message["peer"] in there for each in inside for message in state[each]["messages"] if message["direction"] == "sent"]
        got = [message["peer"] in there for each in inside for message in state[each]["messages"] if message["direction"] != "sent"]
        edges = Counter((edge["id"].split("/")[2], edge["kind"]) for edge in found.envelope["edges"])
        assert edges["wait", "depends_on"] == sum(waits)
        assert edges["spawn", "references"] == sum(spawns)
        assert edges["message", "references"] == sum(sent)
        assert edges["start", "references"] == len(started)
        assert found.outside == [*waits, *spawns, *sent, *got].count(False)
        kinds += Counter(edges.keys())
    assert {kind for _, kind in kinds} == {"contains", "references", "depends_on"}
    assert {name for name, _ in kinds} >= {"wait", "spawn", "message", "start"}


def test_every_session_is_fit_for_upload() -> None:
    """M17, M32: portable and closed without a warning; after preparation the cloud profile; its tasks can be scheduled."""
    for found in exports().values():
        envelope = found.envelope
        assert validate(envelope, Profile.PORTABLE, closed=True).warnings == ()
        prepared = prepare(envelope)
        assert validate(prepared.document, Profile.CLOUD).facts == prepared.facts
        assert sum(map(len, schedule(graph_tasks(envelope)).waves)) == len(graph_tasks(envelope))


def test_the_same_event_gives_the_same_bytes() -> None:
    """M24: whatever came after it, and in whatever order the nodes are looked at."""
    states = node_states(list(log()))
    backwards = dict(reversed(states.items()))
    for ref in sorted(exports())[::SAMPLE]:
        again = export_session(ref, backwards, AT)
        assert canonical_json(again.envelope) == canonical_json(exports()[ref].envelope)
        assert prepare(again.envelope).sync_id == prepare(exports()[ref].envelope).sync_id


def test_nothing_private_leaves_the_fleet() -> None:
    """M31: a marker in every text of every event of the fleet, and none in the bytes of any session."""
    states = node_states(marked(list(log())))
    assert MARK in repr(states)
    for ref, state in states.items():
        if state.row.kind == "session":
            envelope = export_session(ref, states, AT).envelope
            assert MARK not in json.dumps(envelope)
            assert MARK not in prepare(envelope).json
