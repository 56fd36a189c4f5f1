"""Statements are warmed with what they are run with (O26)."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from typing import Any
from uuid import uuid4

import pytest

from app.demo.fleet import fleet
from app.domain.envelope import parse_object
from app.domain.projector import Projector
from app.domain.rho.vocabulary import EDGE_KINDS
from app.services.lists import Ask
from app.services.node_history import HistoryPage
from app.services.rho.rho import Rho
from app.services.rho.sessions import SessionExports
from app.services.rho.upload_request import UploadRequest
from app.services.viewer import ALL_SCOPES, Viewer
from app.settings import StoreAddress
from app.store import access, appending, chunks, deleting, generations, graphs, trims, warming
from app.store.access import KeyRow
from app.store.appending import Ground
from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.pieces import Piece
from app.store.server_secret import server_secret
from app.store.statements import in_one_go, statement, statement_names
from app.store.warming import SAMPLES, samples, warm
from tests.domain.rho.envelopes import edge, envelope, event, node
from tests.grown import grow, reader, soon
from tests.services.test_appending import VIEWER, process
from tests.services.test_bases import base_of
from tests.services.test_restarts import restart_of
from tests.store.contents import folded, new_graph, raw
from tests.store.profiles import Recorder, driver
from tests.store.rho.reads import rho_reads
from tests.timing import least

EMBEDDED_ONLY = {"read/node_latest", "read/nodes_of_past"}
NEO4J_ONLY = {"read/nodes_latest"}
ONCE = {"access/operator_set"}
"""Run by the first start on a store alone; another test may have been that."""

ANY_LENGTH = {"account", "name", "title"}


@pytest.mark.parametrize("name", statement_names())
def test_every_parameter_has_a_sample(name: str) -> None:
    """A name that is new must be given one, or its statement would be slow the first time."""
    assert set(samples(name)) <= set(SAMPLES)


async def test_what_is_run_is_of_the_kinds_that_were_warmed(store: Store, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """For other types and orders of size Neo4j makes other plans, which takes it long the first time."""
    seen: dict[str, list[dict[str, Any]]] = defaultdict(list)
    read, change, run = Store.read, Store.change, Transaction.run

    async def noted_read(self: Store, name: str, /, *args: Any, **params: Any) -> Any:
        seen[name].append(params)
        return await read(self, name, *args, **params)

    async def noted_change(self: Store, name: str, /, *args: Any, **params: Any) -> Any:
        seen[name].append(params)
        return await change(self, name, *args, **params)

    async def noted_run(self: Transaction, name: str, /, **params: Any) -> Any:
        seen[name].append(params)
        return await run(self, name, **params)

    monkeypatch.setattr(Store, "read", noted_read)
    monkeypatch.setattr(Store, "change", noted_change)
    monkeypatch.setattr(Transaction, "run", noted_run)
    await everything(store)
    monkeypatch.undo()
    assert set(seen) >= set(statement_names()) - ONCE - (EMBEDDED_ONLY if engine == "neo4j" else NEO4J_ONLY)
    for name in statement_names():
        for params in seen[name]:
            assert set(params) >= set(samples(name)), name
            for parameter, value in params.items():
                if parameter in SAMPLES and value is not None:
                    assert kind(parameter, value) == kind(parameter, SAMPLES[parameter]), f"{name}: {parameter} is {value!r}"


async def test_warming_leaves_nothing_behind(store: Store) -> None:
    """O26: what a statement would write is rolled back."""
    count = "MATCH (n) RETURN labels(n) AS label, count(*) AS number"

    async def counts() -> dict[str, int]:
        return {json.dumps(record["label"]): record["number"] for record in await raw(store, count)}

    before = await counts()
    await warm(store, soon())
    assert await counts() == before


@pytest.mark.alone
@pytest.mark.only("neo4j")
async def test_a_statement_that_was_warmed_is_not_planned_again(store: Store, store_address: StoreAddress) -> None:
    """O26: Neo4j's own record of the time it took to plan; what was planned before takes far less than a millisecond."""
    async with driver(store_address) as own, own.session() as session:
        await everything(store)  # statistics are there
        await (await session.run("CALL db.clearQueryCaches()")).consume()
        began = time.monotonic()
        await warm(store, Deadline.after(600))  # what it did not get to on a busy machine would be planned after all
        warmed = time.monotonic() - began
        for text in ("stop('QUERIES')", "clear('QUERIES')", "collect('QUERIES', {durationSeconds: 600})"):
            await (await session.run(f"CALL db.stats.{text}")).consume()
        await everything(store)
        found = await (await session.run("CALL db.stats.retrieve('QUERIES', {maxInvocations: 1}) YIELD data RETURN data")).data()
    # Of accounts and keys there are so few that one more is reason enough for Neo4j to plan again.
    names = {in_one_go(statement(name)): name for name in statement_names() if name.startswith(("append/", "read/"))}
    summaries = {names[each["data"]["query"]]: each["data"]["invocationSummary"] for each in found if each["data"]["query"] in names}
    assert len(summaries) > 0.8 * len(names)
    assert not set(summaries) & EMBEDDED_ONLY, "a record of what was before"
    slow = {name: summary["compileTimeInUs"] for name, summary in summaries.items() if summary["compileTimeInUs"]["max"] > 20_000}
    assert len(slow) <= len(summaries) // 10, f"planned after all: {slow} (warming took {warmed:.1f} s)"


@pytest.mark.alone
async def test_warming_ends_at_its_deadline(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """O26: a slow store is not waited for; the statement is only slower the first time."""
    monkeypatch.setattr(warming, "samples", lambda _: {"lists": {}})
    await warm(store, soon())  # wrong parameters are no failure
    assert await least(lambda: warm(store, Deadline.after(-1)), 1) < 1


def kind(parameter: str, value: Any) -> Any:
    """What a plan is made for."""
    if isinstance(value, str) and parameter not in ANY_LENGTH:
        return len(str(len(value) - 1)) if len(value) > 1 else len(value)
    return "map" if isinstance(value, dict) else type(value)


async def everything(store: Store) -> None:
    """Every statement that serves a request, as its callers run it."""
    log = list(fleet(600, seed=3, keyframe=False))
    grown = await grow(store, log, pieces=3)
    await Recorder(store).all(grown, log)
    await reader(store).list(grown.viewer, soon())
    await graphs.page(store, "gph_------------", 10, soon())
    now = await reader(store).at(grown.viewer, grown.graph_id, None, soon())
    assert await SessionExports(store).at_event(now, [log[0]["node"]], soon())
    await left_half_done(store, grown.graph_id, log)
    await trimmed(store, log)
    await written_anew(store, log)
    assert await graphs.update(store, grown.graph_id, {"title": "T"}, soon())
    await shared(store)
    assert await deleting.delete(store, grown.graph_id, 1, soon())
    assert await deleting.is_left(store, grown.graph_id, soon())
    for gone in await deleting.left(store, soon()):
        async for _ in deleting.clean(store, gone):
            pass
    _, base = base_of(log[:20])
    on_base = await grow(store, [*base, *log[350:], *log[20:350]], pieces=2)  # and late
    await (await reader(store).at(on_base.viewer, on_base.graph_id, None, soon())).history(log[0]["node"], HistoryPage(Ask(500), False))
    await every_rho_statement(store)
    row = KeyRow(uuid4().hex * 2, access.LOCAL, "test", "ag_sk_live_…", ["read"], [grown.graph_id], "2026-09-01", 1, None, None)
    await access.claim_operator(store, row._replace(id=uuid4().hex * 2, graph_ids=None), replace=False, now=1, deadline=soon())
    await access.operator_id(store, soon())
    await access.add_key(store, row._replace(graph_ids=None), 1_000, 1, soon())
    await access.add_key(store, row, 1_000, 1, soon())
    await access.known_key(store, row.id, soon())
    await access.mark_used(store, row.id, 2, soon())
    code, login = uuid4().hex * 2, uuid4().hex * 2
    await access.add_code(store, code, row.id, now=1, expires=99, deadline=soon())
    assert await access.redeem_code(store, code, login, now=2, expires=99, deadline=soon())
    await access.known_login(store, [login], 3, soon())
    await access.remove_logins(store, [login], soon())
    assert await access.remove_key(store, row.id, soon())


async def shared(store: Store) -> None:
    """Chunks of a live share."""
    graph_id = await new_graph(store)
    hashed = uuid4().hex * 2
    for offset in (0, 5):
        assert await chunks.look(store, graph_id, offset, soon()) == await chunks.look_locked(store, graph_id, offset, soon())
        assert await chunks.record(store, graph_id, offset, 5, hashed, skipped=0, heard=1, deadline=soon())
    assert await chunks.offsets(store, graph_id, soon()) == [0, 5]
    await chunks.forget(store, graph_id, [0], 5, soon())
    await server_secret(store, "test", uuid4().hex, soon())


async def trimmed(store: Store, log: list[dict[str, Any]]) -> None:
    """A graph that keeps little, and forgets early."""
    graph_id = "gph_" + uuid4().hex[:12]
    await graphs.create(store, graph_id=graph_id, account="acc", title=None, source="watch", created=1, retention=100, deadline=soon())
    one = process(store, graph_id)
    await one.append(log[:250])
    await one.retention.settled()
    await process(store, graph_id).append(log[250:260])
    left = await trims.left(store, graph_id, soon())
    assert left is not None
    await trims.clear(store, graph_id, left, [left.trimmed], -1_000, soon())


async def written_anew(store: Store, log: list[dict[str, Any]]) -> None:
    """A graph that is restarted by a keyframe of two calls; one that remembers dropped ids; a new generation that is given up."""
    one = process(store, await new_graph(store))
    _, said = restart_of(log[:20], 2)
    for lines in (log[:40], said[:1], said[1:]):
        await one.appends.append(VIEWER, one.graph_id, lines, soon(), restart=True)
    look = await appending.look(store, one.graph_id, None, [], soon())
    assert look is not None
    ground = Ground(one.graph_id, look.g, look.standing, uuid4().hex)
    building = await generations.begin(store, ground, 1)
    await store.write(lambda tx: tx.run("generation/remember", rows=Piece(ids=[])), soon())
    await generations.put_remembered(store, building, [0])
    await generations.abandon(store, ground, building.number, 1, soon())


async def left_half_done(store: Store, graph_id: str, log: list[dict[str, Any]]) -> None:
    """Writers that die, and those who put things in order."""
    look = await appending.look(store, graph_id, None, [], soon())
    assert look is not None
    projector = Projector()
    folded(projector, [parse_object(event) for event in log])
    later = [{**event, "id": f"z{number:025d}"} for number, event in enumerate(log[-3:])]
    batch = folded(projector, [parse_object(event) for event in later])
    ground = Ground(graph_id, look.g, look.standing, uuid4().hex)
    ground = await appending.adds(store, ground, batch, soon())
    ground = await appending.places(store, ground, batch, soon(), again=True)
    await appending.head(store, ground, None, soon(), first=True)
    again = await appending.look(store, graph_id, None, [], soon())
    assert again is not None
    await raw(store, "MATCH (g:Graph {id: $id}) SET g.adding = $adding", id=graph_id, adding=again.standing.written + 1024)
    await appending.clear(store, Ground(graph_id, again.g, again.standing, uuid4().hex), again.standing.written + 1024, soon())


async def every_rho_statement(store: Store) -> None:
    """Rho graphs: taken in, read in every way, replaced and cleared away."""
    rho, viewer = Rho.on(store, lambda: 1, 1), Viewer(account=f"acc{uuid4().hex}", scopes=ALL_SCOPES, key_id="key")
    ends = [node("rho/session/h.none"), node("rho/task/t")]
    edges = [edge(f"e/{kind}", kind, "rho/session/h.none", "rho/task/t") for kind in EDGE_KINDS]
    key = graph = ""
    for second in range(3):
        document = envelope(*ends, *edges, event("v", "rho/task/t"), at=f"2026-10-01T08:00:0{second}Z")
        taken = await rho.imports.import_envelope(viewer, document, None, soon())
        key, graph = taken.snapshot.key, taken.graph
    older = await rho.imports.import_envelope(viewer, envelope(*ends, at="2026-10-01T07:00:00Z"), None, soon())
    await rho.imports.sync(viewer, UploadRequest("sync-1", "orchard", None, envelope(*ends)), soon())
    assert older.created
    await rho_reads(rho, viewer, graph, key)
