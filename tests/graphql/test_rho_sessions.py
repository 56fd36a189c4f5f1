"""Agent Graph sessions as Rho graphs and back, in GraphQL (M12, M14, M21-M32)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest_asyncio

from app.demo.fleet import fleet
from app.domain.rho.envelope import canonical_json, graph_digest
from app.domain.rho.names import agent_name, session_name
from app.domain.rho.normalize import prepare
from app.domain.rho.profiles import Profile
from app.domain.rho.validate import validate
from app.store.connection import Store
from tests.demo.logs import last_state
from tests.domain.rho.graphs import node_states
from tests.domain.rho.test_fleet_export import records
from tests.graphql.rho import SESSIONS, Fields, RhoDoor, envelope_of, rho_door


@dataclass
class Fleet:
    """A graph of the demo fleet, every session of which has been imported as a Rho graph."""

    rho: RhoDoor
    graph_id: str
    log: list[Fields]
    exports: dict[str, Fields]


@pytest_asyncio.fixture(scope="module")
async def demo(store: Store) -> AsyncIterator[Fleet]:
    async with rho_door(store) as rho:
        log = list(fleet(260, seed=11, keyframe=False))
        graph_id = await rho.door.graph(rho.key, log)
        exports = await rho.exports(graph_id)
        for export in exports.values():
            await rho.imported(envelope_of(export))
        yield Fleet(rho, graph_id, log, exports)


def test_exports_are_fit_for_upload(demo: Fleet) -> None:
    """M24, M32: canonical, portable, and after preparation of the cloud profile; made at the time of the newest event."""
    assert len(demo.exports) > 15
    for export in demo.exports.values():
        envelope = envelope_of(export)
        assert canonical_json(envelope) == export["snapshotJson"]
        assert graph_digest(envelope) == export["digest"]
        assert validate(envelope, Profile.PORTABLE, closed=True).warnings == ()
        prepared = prepare(envelope)
        assert validate(prepared.document, Profile.CLOUD).facts == prepared.facts
        assert envelope["generated_at"].removesuffix("Z") == demo.log[-1]["ts"].rstrip("Z0").rstrip(".")


async def test_the_same_event_gives_the_same_bytes(demo: Fleet) -> None:
    """M24: whatever came after it, and whenever that is asked; times of tasks are those of their events."""
    cut = 160
    early = await demo.rho.exports(demo.graph_id, event=f"evt_{demo.log[cut - 1]['id']}")
    demo.rho.door.clock.ms += 3_600_000
    shorter = await demo.rho.door.graph(demo.rho.key, demo.log[:cut])
    assert await demo.rho.exports(shorter) == early
    assert await demo.rho.exports(demo.graph_id) == demo.exports
    assert {ref for ref, export in early.items() if export != demo.exports[ref]}
    tasks = [state for state in node_states(demo.log).values() if state.tasks]
    assert any(task.changed_ms > task.created_ms for state in tasks for task in state.tasks)


async def test_a_snapshot_mirrors_exactly_the_records_that_it_came_from(demo: Fleet) -> None:
    """M12, M32: sessions and agents both ways; nothing else stands for anything."""
    state = last_state(demo.log)
    query = """query($s: String) { rhoGraph(sessionId: $s) { subject { id } current {
      nodes(first: 250) { totalCount nodes { id entity agentGraphNode { providerRef state graphId } } } } } }"""
    for ref, export in demo.exports.items():
        inside, started = records(ref, state)
        sid = session_name(ref)
        found = (await demo.rho.ask(query, s=sid))["rhoGraph"]
        assert found["subject"]["id"] == f"rho/session/{sid}"
        nodes = found["current"]["nodes"]["nodes"]
        assert len(nodes) == found["current"]["nodes"]["totalCount"] == len(envelope_of(export)["nodes"])
        mirrored = {node["agentGraphNode"]["providerRef"]: node for node in nodes if node["agentGraphNode"]}
        assert mirrored.keys() == inside | started
        assert {node["entity"] for node in mirrored.values()} <= {"rho_session", "runtime_task"}
        assert {node["agentGraphNode"]["graphId"] for node in mirrored.values()} == {demo.graph_id}
    rows = await demo.rho.ask(
        "query($g: ID!) { graph(id: $g) { nodes(first: 1000) { nodes { providerRef kind session { providerRef } rho { id } } } } }",
        g=demo.graph_id,
    )
    for node in rows["graph"]["nodes"]["nodes"]:
        ref = node["providerRef"]
        if node["kind"] == "SESSION":
            assert node["rho"]["id"] == f"rho/session/{session_name(ref)}"
        else:
            assert node["rho"]["id"] == f"rho/runtime-task/{agent_name(ref, session_name(node['session']['providerRef']))}"


WALK = """rho { id contains(first: 250) { nodes { id
  governedBy { id } validatedBy { id } dependsOn { id } agentGraphNode { providerRef } } } }"""


async def test_statements_do_not_grow_with_rows(demo: Fleet) -> None:
    """M14: from one session, or from all of them, through `rho` down and back: a statement for each field and level."""
    state = last_state(demo.log)
    ref = max(demo.exports, key=lambda each: len(records(each, state)[0]))
    one = await demo.rho.statements(
        f"query($g: ID!, $r: String) {{ graph(id: $g) {{ node(ref: $r) {{ {WALK} }} }} }}", g=demo.graph_id, r=ref
    )
    every = await demo.rho.statements(SESSIONS % WALK, g=demo.graph_id)
    rho = [name for name in one if name.startswith("rho/")]
    assert [name for name in every if name.startswith("rho/")] == sorted(rho)
    assert rho.count("rho/out_of") == 4  # contains, and below it the three
    assert len(rho) <= 8
    assert len(every) <= len(one) + 1
    data = (await demo.rho.ask(SESSIONS % WALK, g=demo.graph_id))["graph"]["nodes"]["nodes"]
    assert sum(len(node["rho"]["contains"]["nodes"]) for node in data) > 2 * len(data)
    agents = [node for each in data for node in each["rho"]["contains"]["nodes"] if "/runtime-task/" in node["id"]]
    assert agents
    assert all(node["agentGraphNode"] for node in agents)
    assert any(child["dependsOn"] for node in data for child in node["rho"]["contains"]["nodes"])


async def test_what_an_export_is_made_of_is_read_once(demo: Fleet) -> None:
    """M14: all sessions of a moment in as many statements as one."""
    one = await demo.rho.statements(
        "query($g: ID!, $r: String) { graph(id: $g) { node(ref: $r) { rhoExport { digest } } } }",
        g=demo.graph_id,
        r=next(iter(demo.exports)),
    )
    every = await demo.rho.statements(SESSIONS % "rhoExport { digest }", g=demo.graph_id)
    assert len(every) <= len(one) + 3
    assert len(every) <= 14


async def test_the_scope_can_be_chosen(demo: Fleet) -> None:
    """M26, G84."""
    ref = next(iter(demo.exports))
    query = "query($g: ID!, $r: String, $s: String) { graph(id: $g) { node(ref: $r) { rhoExport(repository: $s) { snapshotJson } } } }"
    found = await demo.rho.ask(query, g=demo.graph_id, r=ref, s="  orchard ")
    assert envelope_of(found["graph"]["node"]["rhoExport"])["scope"] == {"repository_id": "orchard"}
    for wrong in ("a\nb", "é" * 129):
        assert (await demo.rho.refused(query, g=demo.graph_id, r=ref, s=wrong))["argument"] == "repository"


async def test_an_agent_is_no_session(demo: Fleet) -> None:
    """M21: an export is a session's."""
    query = "query($g: ID!) { graph(id: $g) { nodes(filter: {kind: AGENT}, first: 3) { nodes { rhoExport { digest } } } } }"
    nodes: list[Any] = (await demo.rho.ask(query, g=demo.graph_id))["graph"]["nodes"]["nodes"]
    assert nodes == [{"rhoExport": None}] * 3
