"""Agent Graph's sessions and agents and the nodes of Rho graphs find each other by exact names, whichever came first (M12, Q50)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from app.domain.rho.names import hashed_name
from app.services.rho.mirrors import RhoMirrors
from app.services.rho.rho import Rho
from app.store import deleting
from app.store.connection import Store
from app.store.keys import mirror_key
from app.store.records import mirror_keys
from tests.domain.rho.envelopes import envelope, node, session
from tests.grown import CLOCK_MS, Grown, event, grow, soon

REFS = ["acme:s1", "acme:s1/a", "acme:s1/a/b", "acme:s1/a.b", "rho:s2", "acme:x y", "acme:x y/a", "rho:acme.s1"]
"""Refs of sessions and agents with plain and with awkward names."""


@pytest.fixture
def rho(store: Store) -> Rho:
    return Rho.on(store, lambda: CLOCK_MS, 20)


def created(ref: str, number: int) -> dict[str, Any]:
    """The event that makes a session or an agent."""
    parent = ref.rpartition("/")[0] or None
    made = event(number, "started", "", number * 1_000)
    return {**made, "node": ref, **({} if parent is None else {"parent": parent}), "source": {"provider": ref.partition(":")[0]}}


def ids_of(ref: str) -> list[str]:
    """What Rho graphs may call it: from the rules alone (M21, M22)."""
    session_ref, *parts = ref.split("/")
    provider, _, rest = session_ref.partition(":")
    sid = rest if provider == "rho" else f"{provider}.{rest}"
    sid = hashed_name(session_ref) if " " in sid else sid
    found = []
    for name in (sid, hashed_name(session_ref)):
        if not parts:
            found.append(f"rho/session/{name}")
        else:
            dotted = any("." in part for part in parts)
            found.append(f"rho/runtime-task/{hashed_name(ref) if dotted else '.'.join([name, *parts])}")
    return found


@pytest.mark.parametrize("ref", REFS)
def test_names_are_those_of_the_export(ref: str) -> None:
    """M21, M22: the usual name, and the one with the session's hash."""
    assert mirror_keys(ref) == tuple(map(mirror_key, ids_of(ref)))


def agents(ids: list[str], at: str) -> dict[str, Any]:
    """An envelope of sessions and agents."""
    made = [node(id) for id in ids]
    for one in made:
        if one["id"].startswith("rho/runtime-task/"):
            one["attributes"]["kind"] = "agent"
    return envelope(*made, at=at)


async def both_ways(mirrors: RhoMirrors, grown: Grown, snapshot: str, place: int = 0) -> tuple[dict[str, str], dict[str, str]]:
    """What each ref's node stands for, and what stands for each ref."""
    nodes = {(snapshot, ids_of(ref)[place]): agents([ids_of(ref)[place]], "")["nodes"][0] for ref in REFS}
    there = await mirrors.agent_graph_nodes(grown.viewer, nodes, soon())
    back = await mirrors.rho_nodes(grown.viewer, REFS, soon())
    assert {one.graph.id for one in there.values()} <= {grown.graph_id}
    assert {one.snapshot for one in back.values()} <= {snapshot}
    return {id: one.ref for (_, id), one in there.items()}, {ref: json.loads(one.body)["id"] for ref, one in back.items()}


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("agent_graph_first", [True, False])
async def test_whichever_comes_first(store: Store, rho: Rho, agent_graph_first: bool, place: int) -> None:
    """M12: made at import if the node exists, and when it first appears later; a missing counterpart is normal."""
    grown = await grow(store, [])
    events = [created(ref, number) for number, ref in enumerate(REFS, 1)]
    ids = list(dict.fromkeys(ids_of(ref)[place] for ref in REFS))

    async def take_in() -> str:
        return (await rho.imports.import_envelope(grown.viewer, agents(ids, "2026-10-01T08:00:00Z"), None, soon())).snapshot.key

    if agent_graph_first:
        await grown.append(events)
        assert await rho.mirrors.rho_nodes(grown.viewer, REFS, soon()) == {}
        snapshot = await take_in()
    else:
        snapshot = await take_in()
        assert (await both_ways(rho.mirrors, grown, snapshot, place))[0] == {}
        await grown.append(events)
    there, back = await both_ways(rho.mirrors, grown, snapshot, place)
    unclear = {"rho:acme.s1", "acme:s1"} if not place else set()  # both are called acme.s1
    assert {id: ref for id, ref in there.items() if ref not in unclear} == {ids_of(ref)[place]: ref for ref in REFS if ref not in unclear}
    assert back == {ref: ids_of(ref)[place] for ref in REFS}


async def test_current_snapshots_alone_stand_for_nodes(store: Store, rho: Rho) -> None:
    """M12, M2: of a session's snapshots the current one; of several graphs the one that is about it; other kinds of tasks never."""
    grown = await grow(store, [created("acme:s1", 1), created("acme:s1/a", 2)])

    async def take_in(document: dict[str, Any]) -> str:
        return (await rho.imports.import_envelope(grown.viewer, document, None, soon())).snapshot.key

    async def snapshot_of(ref: str) -> str | None:
        found = (await rho.mirrors.rho_nodes(grown.viewer, [ref], soon())).get(ref)
        return None if found is None else found.snapshot

    first = await take_in(session("acme.s1", "2026-10-01T08:00:00Z"))
    second = await take_in(session("acme.s1", "2026-10-01T09:00:00Z"))
    await take_in(session("acme.s1", "2026-10-01T07:00:00Z"))
    assert (await snapshot_of("acme:s1"), await snapshot_of("acme:s1/a")) == (second, None)
    await take_in(envelope(node("rho/mission/m"), node("rho/session/acme.s1"), at="2027-01-01T00:00:00Z"))
    assert await snapshot_of("acme:s1") == second
    shell = node("rho/runtime-task/acme.s1.a")
    shell["attributes"]["kind"] = "shell"
    await take_in(envelope(node("rho/mission/n"), shell, at="2027-01-01T00:00:00Z"))
    assert await snapshot_of("acme:s1/a") is None
    assert await rho.mirrors.agent_graph_nodes(grown.viewer, {(first, shell["id"]): shell}, soon()) == {}
    assert first != second


async def test_accounts_are_apart_and_the_latest_graph_counts(store: Store, rho: Rho) -> None:
    """Q50: never another account's; of several graphs with the session the one with the latest activity; a deleted one's is gone."""
    grown, stranger = await grow(store, [created("acme:s1", 1)]), await grow(store, [created("acme:s1", 1)])
    later = await grown.graphs.create(grown.viewer, None, "watch", 0, soon())
    await replace(grown, graph_id=later.id).append([created("acme:s1", 1), created("acme:s9", 9)])
    snapshot = (await rho.imports.import_envelope(grown.viewer, session("acme.s1"), None, soon())).snapshot.key
    key = (snapshot, "rho/session/acme.s1")
    assert await rho.mirrors.rho_nodes(stranger.viewer, ["acme:s1"], soon()) == {}

    async def graph_of(one: Grown) -> str | None:
        found = (await rho.mirrors.agent_graph_nodes(one.viewer, {key: node(key[1])}, soon())).get(key)
        return None if found is None else found.graph.id

    assert await graph_of(grown) == later.id
    assert await graph_of(stranger) == stranger.graph_id
    assert await deleting.delete(store, later.id, 1, soon())
    assert await graph_of(grown) == grown.graph_id
    restricted = replace(grown.viewer, graph_ids=frozenset((grown.graph_id,)))
    assert await rho.mirrors.agent_graph_nodes(restricted, {key: node(key[1])}, soon()) == {}
    assert await rho.mirrors.rho_nodes(restricted, ["acme:s1"], soon()) == {}
