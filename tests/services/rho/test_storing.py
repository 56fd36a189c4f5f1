"""Envelopes taken in and given back: to the byte, once each, whole or not at all (M6-M11)."""

from __future__ import annotations

import asyncio
import copy
import hashlib
import json
import random
import re
from typing import Any
from uuid import uuid4

import pytest

from app.domain.problems import Forbidden, NotFound
from app.domain.rho.envelope import canonical_json
from app.domain.rho.json_text import write_json
from app.domain.rho.normalize import prepare
from app.domain.rho.problems import Refused
from app.domain.rho.profiles import Profile
from app.domain.rho.vocabulary import EDGE_KINDS
from app.services.rho.importing import SyncIdConflict
from app.services.rho.reading import IntegrityError
from app.services.rho.rho import Rho
from app.services.rho.upload_request import UploadRequest
from app.services.viewer import ALL_SCOPES, Viewer
from app.store.connection import Store
from app.store.rho import retention, writing
from tests.conformance.test_rho import CASES, expanded
from tests.domain.rho.envelopes import accepted, edge, envelope, event, node, session, uploaded
from tests.grown import CLOCK_MS, soon
from tests.store.contents import raw

ACCEPTED = accepted()
UPLOADED = uploaded()
HARD = 'a"\\\b\f\n\r\t\x00\x1f<>& é～😀￿'


@pytest.fixture
def rho(store: Store) -> Rho:
    return Rho.on(store, lambda: CLOCK_MS, 20)


@pytest.fixture
def viewer() -> Viewer:
    return somebody()


def somebody() -> Viewer:
    return Viewer(account=f"acc{uuid4().hex}", scopes=ALL_SCOPES, key_id="key")


async def imported(rho: Rho, viewer: Viewer, document: Any, project: str | None = None) -> str:
    """Takes an envelope in; gives its snapshot's key."""
    return (await rho.imports.import_envelope(viewer, document, project, soon())).snapshot.key


async def mirroring(store: Store, viewer: Viewer) -> list[str]:
    """For each of the account's nodes that stand for something else (M12) the key of its snapshot."""
    of = "MATCH (s:RhoSnapshot {account: $account})-[:RHO_NODE]->(n) WHERE n.mirrors IS NOT NULL RETURN s.key AS key"
    return [row["key"] for row in await raw(store, of, account=viewer.account)]


async def taken_in(rho: Rho, viewer: Viewer, profile: Profile, document: Any, project: str) -> None:
    """Takes an envelope in by a profile's door."""
    if profile is Profile.CLOUD:
        await rho.imports.sync(viewer, upload(document, project=project), soon())
    else:
        await rho.imports.import_envelope(viewer, document, None, soon())


def upload(document: Any, sync_id: str = "sync-1", project: str = "orchard", session_id: str | None = None) -> UploadRequest:
    return UploadRequest(sync_id, project, session_id, document)


@pytest.mark.parametrize("name", [name for name, (_, profile, _) in ACCEPTED.items() if profile is Profile.PORTABLE])
async def test_what_is_taken_in_comes_back_to_the_byte(rho: Rho, viewer: Viewer, name: str) -> None:
    """M7, M10: import, import again, export: `C(E)`, whose hash the case knows; the export imported again changes nothing."""
    document, _, sha256 = ACCEPTED[name]
    first = await rho.imports.import_envelope(viewer, json.dumps(document).encode(), None, soon())
    second = await rho.imports.import_envelope(viewer, document, None, soon())
    assert (first.created, second.created) == (True, False)
    assert first.snapshot == second.snapshot
    text = await rho.reading.export(viewer, first.snapshot.key, soon())
    assert first.snapshot.key == f"{viewer.account} {sha256}"
    case = CASES[name.partition("[")[0]]["expect"]
    if "canonical" in case:
        assert text == case["canonical"]
    third = await rho.imports.import_envelope(viewer, text.encode(), None, soon())
    assert not third.created
    assert third.snapshot == first.snapshot
    assert await rho.reading.export(viewer, first.snapshot.key, soon()) == text
    assert await left_behind(rho, viewer) == (1, first.valid.facts)


@pytest.mark.parametrize("name", [name for name, (_, profile, _) in ACCEPTED.items() if profile is Profile.CLOUD])
async def test_what_is_uploaded_comes_back_to_the_byte(rho: Rho, viewer: Viewer, name: str) -> None:
    """M10 for uploads, `query_sha256` included."""
    document, _, sha256 = ACCEPTED[name]
    first, second = [await rho.imports.sync(viewer, upload(document), soon()) for _ in range(2)]
    assert (first.status, second.status) == (202, 200)
    assert first.snapshot == second.snapshot == f"{viewer.account} {sha256}"
    text = await rho.reading.export(viewer, first.snapshot, soon())
    again = await rho.imports.sync(viewer, upload(json.loads(text), "sync-2"), soon())
    assert again.snapshot == first.snapshot
    assert await rho.reading.export(viewer, first.snapshot, soon()) == text


@pytest.mark.parametrize("name", UPLOADED)
async def test_what_the_upload_cases_send_comes_back_to_the_byte(rho: Rho, viewer: Viewer, name: str) -> None:
    """M10: what is accepted as an upload can be imported, twice, and what is given back has the digest that the case knows (G52)."""
    document, digest = UPLOADED[name]
    done = [await rho.imports.import_envelope(viewer, document, None, soon()) for _ in range(2)]
    assert [one.created for one in done] == [True, False]
    text = await rho.reading.export(viewer, done[0].snapshot.key, soon())
    assert text == canonical_json(document)
    bare = re.sub(r',?"query_sha256":"[0-9a-f]{64}"', "", text, count=1)
    assert hashlib.sha256(bare.encode()).hexdigest() == digest


async def test_texts_of_every_kind_survive(rho: Rho, viewer: Viewer) -> None:
    """M10: control characters, both planes, long ids and values; M16: order by code point, beyond U+FFFF too."""
    ids = ["rho/session/😀", "rho/session/￿", "rho/session/z", "rho/task/" + "x" * 20_000]
    facts = [node(id, status=HARD, **{HARD: HARD, "big": "y" * 300_000 if id == ids[0] else ""}) for id in ids]
    document = envelope(*facts, *(edge(f"e{n}{HARD}", "references", ids[0], id) for n, id in enumerate(ids)))
    found = await rho.imports.import_envelope(viewer, document, None, soon())
    text = await rho.reading.export(viewer, found.snapshot.key, soon())
    assert [one["id"] for one in json.loads(text)["nodes"]] == sorted(ids)
    assert json.loads(text)["nodes"][1]["attributes"] == facts[1]["attributes"]
    nodes = (await rho.reading.facts(viewer, "nodes", [found.snapshot.key], soon()))[found.snapshot.key]
    assert [id for id, _ in nodes] == sorted(ids, key=str.encode)


async def test_a_prepared_upload_still_has_its_id(rho: Rho, viewer: Viewer) -> None:
    """M10: what is stored of a prepared document derives its `query_sha256` and sync id again."""
    document = expanded(CASES["normalize-whole-envelope"]["input"]["envelope"])
    prepared = prepare(document)
    found = await rho.imports.sync(viewer, upload(prepared.document, prepared.sync_id), soon())
    again = prepare(json.loads(await rho.reading.export(viewer, found.snapshot, soon())))
    ordered = prepared.json == write_json(json.loads(await rho.reading.export(viewer, found.snapshot, soon())))
    assert (again.sync_id == prepared.sync_id) == ordered
    assert again.query_sha256 == prepared.query_sha256 or not ordered


async def test_the_newest_snapshot_is_current(rho: Rho, viewer: Viewer) -> None:
    """M6.4: by `generated_at` to the nanosecond, then by hash, in whatever order they come; M11: also at a time."""
    times = ["2026-10-01T08:00:00Z", "2026-10-01T08:00:00.000000001Z", "2026-10-01T10:00:00.5+01:00", "9999-12-31T23:59:59Z"]
    several = [session("a", at) for at in times] + [session("a", times[3], status="idle")]
    random.Random(7).shuffle(several)
    for document in several:
        await imported(rho, viewer, document)
    (graph,) = await rho.reading.graphs(viewer, soon())
    assert (graph.subject_kind, graph.subject_id, graph.project_id) == ("session", "rho/session/a", None)
    rows = (await rho.reading.snapshots_of(viewer, [graph.key], soon()))[graph.key]
    assert len(rows) == 5
    assert rows[0].key == graph.current
    assert rows[0].body_sha256 == max(row.body_sha256 for row in rows[:2])
    at = await rho.reading.snapshot_at(viewer, graph.key, "2026-10-01T08:30:00Z", soon())
    assert at is not None
    assert at.generated_at == "2026-10-01T08:00:00.000000001Z"
    assert await rho.reading.snapshot_at(viewer, graph.key, "2025-01-01T00:00:00Z", soon()) is None


async def test_graphs_are_found_by_what_they_are_about(rho: Rho, viewer: Viewer) -> None:
    """M4, Q50: by the session's name, in a project or in none; another account's are not there."""
    own = await imported(rho, viewer, session("a"))
    theirs = await imported(rho, viewer, session("a", "2027-01-01T00:00:00Z"), "p1")
    await imported(rho, viewer, session("b", "2027-01-01T00:00:00Z"), "p1")
    newest = await imported(rho, viewer, session("b", "2027-01-01T00:00:01Z"), "p2")
    found = [await rho.reading.graph_about(viewer, "session", "a", project, soon()) for project in (None, "", "p1", "p2")]
    assert [graph and graph.current for graph in found] == [own, own, theirs, None]
    other = await rho.reading.graph_about(viewer, "session", "b", None, soon())
    assert other is not None
    assert other.current == newest
    assert await rho.reading.graph_about(viewer, "mission", "a", None, soon()) is None
    stranger = somebody()
    assert await rho.reading.graphs(stranger, soon()) == []
    assert await rho.reading.snapshots(stranger, [own], soon()) == {}
    assert await rho.reading.graphs_by_key(stranger, [other.key], soon()) == {}
    with pytest.raises(NotFound):
        await rho.reading.export(stranger, own, soon())
    assert await imported(rho, stranger, session("a")) != own


async def test_restricted_keys_see_none(rho: Rho, viewer: Viewer) -> None:
    """Q50, O17."""
    key = await imported(rho, viewer, session("a"))
    restricted = Viewer(account=viewer.account, scopes=ALL_SCOPES, key_id="key", graph_ids=frozenset(("gph_x",)))
    assert await rho.reading.graphs(restricted, soon()) == []
    assert await rho.reading.snapshots(restricted, [key], soon()) == {}
    with pytest.raises(Forbidden):
        await rho.imports.import_envelope(restricted, session("a"), None, soon())
    reader = Viewer(account=viewer.account, scopes=frozenset(("read",)), key_id="key")
    with pytest.raises(Forbidden):
        await rho.imports.sync(reader, upload(session("a")), soon())
    assert await rho.reading.export(reader, key, soon())
    with pytest.raises(Forbidden):
        await rho.reading.graphs(Viewer(account=viewer.account, scopes=frozenset(("write",)), key_id="key"), soon())


async def test_many_at_once_make_one(rho: Rho, store: Store, viewer: Viewer) -> None:
    """M7, G50: of simultaneous imports one creates the snapshot, of simultaneous uploads exactly one is 202, whoever else there is."""
    document = session("a")
    other = Rho.on(store, lambda: CLOCK_MS, 20)
    done = await asyncio.gather(
        *(each.imports.import_envelope(viewer, copy.deepcopy(document), None, soon()) for each in (rho, other) for _ in range(4)),
    )
    assert sorted(one.created for one in done) == [False] * 7 + [True]
    synced = await asyncio.gather(*(each.imports.sync(viewer, upload(document), soon()) for each in (rho, other) for _ in range(4)))
    assert sorted(one.status for one in synced) == [200] * 7 + [202]
    assert await left_behind(rho, viewer) == (1, 1)


async def test_several_of_one_graph_at_once(rho: Rho, store: Store, viewer: Viewer) -> None:
    """M6.4: of different snapshots of one graph that come at once the newest is current, and its nodes alone stand for others (M12)."""
    documents = [session("a", f"2026-10-01T08:00:{second:02d}Z") for second in range(8)]
    others = (rho, Rho.on(store, lambda: CLOCK_MS, 20))
    await asyncio.gather(*(others[n % 2].imports.import_envelope(viewer, documents[n], None, soon()) for n in (3, 7, 0, 5, 1, 6, 2, 4)))
    (graph,) = await rho.reading.graphs(viewer, soon())
    assert graph.current is not None
    assert json.loads(await rho.reading.export(viewer, graph.current, soon())) == json.loads(canonical_json(documents[7]))
    assert await left_behind(rho, viewer) == (8, 8)
    assert await mirroring(store, viewer) == [graph.current]


async def test_a_sync_id_names_one_graph_in_one_project(rho: Rho, viewer: Viewer) -> None:
    """G51: the same id for another graph is refused and stores nothing; another project, and another account, may use it."""
    first = await rho.imports.sync(viewer, upload(session("a")), soon())
    with pytest.raises(SyncIdConflict):
        await rho.imports.sync(viewer, upload(session("b")), soon())
    assert await left_behind(rho, viewer) == (1, 1)
    assert (await rho.imports.sync(viewer, upload(session("b"), project="other"), soon())).status == 202
    assert (await rho.imports.sync(somebody(), upload(session("b")), soon())).status == 202
    row = await rho.reading.snapshot_synced(viewer, "orchard", "sync-1", soon())
    assert row is not None
    assert row.key == first.snapshot
    assert await rho.reading.snapshot_synced(viewer, "orchard", "sync-2", soon()) is None
    assert [sync.sync_id for sync in await rho.reading.syncs_of(viewer, "orchard", soon())] == ["sync-1"]


async def test_old_snapshots_go_but_for_those_of_uploads(store: Store, viewer: Viewer) -> None:
    """M9: the newest are kept, and those that uploads point to; nothing of the others is left, and what was dropped can come again."""
    rho = Rho.on(store, lambda: CLOCK_MS, 3)
    documents = [session("a", f"2026-10-01T08:00:{second:02d}Z") for second in range(8)]
    await rho.imports.sync(viewer, upload(documents[0]), soon())
    for document in documents[1:]:
        await imported(rho, viewer, document, "orchard")
    (graph,) = await rho.reading.graphs(viewer, soon())
    rows = (await rho.reading.snapshots_of(viewer, [graph.key], soon()))[graph.key]
    assert [row.generated_at[-3:-1] for row in rows] == ["07", "06", "05", "00"]
    assert await left_behind(rho, viewer) == (4, 4)
    again = await rho.imports.import_envelope(viewer, documents[2], "orchard", soon())
    assert again.created  # it stays until the next one comes
    await imported(rho, viewer, session("a", "2026-10-01T09:00:00Z"), "orchard")
    assert await left_behind(rho, viewer) == (4, 4)


async def test_a_snapshot_of_two_graphs_stays_while_one_has_it(store: Store, viewer: Viewer) -> None:
    """M9: the same envelope in two projects is one snapshot; it goes with the last graph that holds it."""
    rho = Rho.on(store, lambda: CLOCK_MS, 1)
    shared = await imported(rho, viewer, session("a"), "p1")
    assert await imported(rho, viewer, session("a"), "p2") == shared
    for project, left in (("p1", True), ("p2", False)):
        await imported(rho, viewer, session("a", "2027-01-01T00:00:00Z", status=project), project)
        await imported(rho, viewer, session("a", "2027-01-01T00:00:01Z", status=project), project)
        assert (shared in await rho.reading.snapshots(viewer, [shared], soon())) == left


@pytest.mark.parametrize(("nodes", "edges", "events"), [(1_100, 2_200, 500), (700, 0, 700), (700, 700, 0), (1, 6, 1), (1, 0, 0), (0, 0, 0)])
async def test_what_joins_facts_has_the_ends_it_names(rho: Rho, store: Store, viewer: Viewer, nodes: int, edges: int, events: int) -> None:
    """M2: in the store each edge runs between the nodes that its body names, itself included, and each event is about its subject."""
    chance, kinds = random.Random(nodes), sorted(EDGE_KINDS)
    ids = [f"rho/task/{number:x}" for number in range(nodes)]
    joins = [
        edge(f"e{number}", kinds[number % 6], *(chance.choices(ids, k=2) if number % 5 else [chance.choice(ids)] * 2))
        for number in range(edges)
    ]
    told = [event(f"v{number}", chance.choice(ids)) for number in range(events)]
    facts = [*map(node, ids), *joins, *told]
    chance.shuffle(facts)
    key = await imported(rho, viewer, envelope(*facts))
    of = "MATCH (:RhoSnapshot {key: $key})-[:RHO_NODE]->(n:RhoNode) "
    assert (await raw(store, of + "RETURN count(n) AS number", key=key))[0]["number"] == nodes
    rows = await raw(store, of + "MATCH (n)-[e]->(m:RhoNode) RETURN type(e) AS type, n.id AS a, m.id AS b, e.body AS body", key=key)
    named = [(json.loads(row["body"]), row) for row in rows]
    assert sorted(body["id"] for body, _ in named) == sorted(each["id"] for each in joins)
    assert [(body["from"]["id"], body["to"]["id"], f"RHO_{body['kind'].upper()}") for body, _ in named] == [
        (row["a"], row["b"], row["type"]) for _, row in named
    ]
    rows = await raw(store, of + "MATCH (v:RhoEvent)-[:RHO_SUBJECT]->(n) RETURN n.id AS a, v.id AS id, v.body AS body", key=key)
    assert sorted(row["id"] for row in rows) == sorted(each["id"] for each in told)
    assert [json.loads(row["body"])["subject"]["id"] for row in rows] == [row["a"] for row in rows]


async def test_what_a_dead_writer_left_is_finished(store: Store, rho: Rho, viewer: Viewer) -> None:
    """M7, M8: a snapshot that nobody was told of is seen by nobody, and by all after the next import; one half cleared is made anew."""
    document = envelope(node("rho/session/a"), node("rho/task/t"), edge("e", "contains", "rho/session/a", "rho/task/t"))
    key = await imported(rho, viewer, document)
    text = await rho.reading.export(viewer, key, soon())
    await raw(store, "MATCH (s:RhoSnapshot {key: $key}) SET s.state = $state", key=key, state=writing.WRITTEN)
    with pytest.raises(NotFound):
        await rho.reading.export(viewer, key, soon())
    assert not (await rho.imports.import_envelope(viewer, document, None, soon())).created
    assert await rho.reading.export(viewer, key, soon()) == text
    await raw(store, "MATCH (s:RhoSnapshot {key: $key}) SET s.state = $state", key=key, state=writing.RETIRED)
    await store.change("rho/drop_facts", lambda _: None, soon(), key=key, limit=1)
    assert (await rho.imports.import_envelope(viewer, document, None, soon())).created
    assert await rho.reading.export(viewer, key, soon()) == text
    (graph,) = await rho.reading.graphs(viewer, soon())
    assert graph.current == key
    await raw(store, "MATCH (s:RhoSnapshot {key: $key}) SET s.state = $state", key=key, state=writing.RETIRED)
    await retention.clear(store, key, soon())


async def test_a_damaged_snapshot_is_not_given_back(store: Store, rho: Rho, viewer: Viewer) -> None:
    """M10: never a doubtful document."""
    key = await imported(rho, viewer, session("a"))
    await raw(store, "MATCH (s:RhoSnapshot {key: $key})-[:RHO_NODE]->(n) SET n.body = replace(n.body, 'rho', 'Rho')", key=key)
    with pytest.raises(IntegrityError):
        await rho.reading.export(viewer, key, soon())


async def test_parts_of_many_snapshots_are_read_at_once(rho: Rho, viewer: Viewer) -> None:
    """M14: nodes, events and edges by kind and direction, many at a time, each where it belongs."""
    a, b = "rho/session/a", "rho/task/b"
    facts = (node(a), node(b), edge("e1", "contains", a, b), edge("e2", "depends_on", b, b), event("v1", b), event("v2", b))
    one, two = [await imported(rho, viewer, envelope(*facts, at=at)) for at in ("2026-10-01T08:00:00Z", "2026-10-01T09:00:00Z")]
    keys = [(one, a), (one, b), (two, b), (two, "rho/task/none")]
    found = await rho.reading.facts_by_id(viewer, "nodes", keys, soon())
    assert {key: json.loads(body)["id"] for key, body in found.items()} == {key: key[1] for key in keys[:3]}
    assert list(await rho.reading.facts_by_id(viewer, "events", [(two, "v1"), (two, "x")], soon())) == [(two, "v1")]
    events = await rho.reading.events_of(viewer, keys, soon())
    assert {key: sorted(json.loads(body)["id"] for body in bodies) for key, bodies in events.items()} == {
        (one, b): ["v1", "v2"],
        (two, b): ["v1", "v2"],
    }

    async def ids(direction: Any, *kinds: str) -> Any:
        related = await rho.reading.related(viewer, keys, direction, kinds, soon())
        return {key: sorted((json.loads(e)["id"], json.loads(n)["id"]) for e, n in pairs) for key, pairs in related.items()}

    assert await ids("out_of", "contains") == {(one, a): [("e1", b)]}
    assert await ids("into", "contains") == {(one, b): [("e1", a)], (two, b): [("e1", a)]}
    assert await ids("into") == {key: [("e1", a), ("e2", b)] for key in ((one, b), (two, b))}
    assert await rho.reading.related(somebody(), keys, "out_of", ["contains"], soon()) == {}


def bad_inputs() -> dict[str, tuple[Any, str, str]]:
    """What is no envelope: the text or document, the kind of failure and its path."""
    deep = b"[" * 100_000 + b"]" * 100_000
    whole = json.dumps(session("a"))
    twice = whole[:-1] + ', "events": []}'
    a = "rho/session/a"
    return {
        "two keys": (twice.encode(), "invalid_json", ""),
        "deep": (deep, "invalid_json", ""),
        "deep in a field": (
            whole.replace('"metadata_only"', deep.decode()[:150_000] + deep.decode()[-150_000:]).encode(),
            "invalid_json",
            "",
        ),
        "huge number": (whole.replace('"metadata_only"', "1" * 5_000).encode(), "invalid_json", ""),
        "infinite number": (whole.replace('"metadata_only"', "1e999").encode(), "invalid_json", ""),
        "NaN": (whole.replace('"metadata_only"', "NaN").encode(), "invalid_json", ""),
        "NaN in a document": ({**session("a"), "x": float("nan")}, "invalid_json", ""),
        "not UTF-8": (whole.replace("metadata_only", "\xff").encode("latin-1"), "invalid_json", ""),
        "lone surrogate": (whole.replace("metadata_only", "\\ud800").encode(), "invalid_json", ""),
        "lone surrogate in a document": (session("a", status="\ud800"), "invalid_json", ""),
        "not whole": (whole[:-1].encode(), "invalid_json", ""),
        "empty": (b"", "invalid_json", ""),
        "list": (b"[]", "not_object", ""),
        "number": (session("a") | {"generated_at": 12}, "wrong_type", "generated_at"),
        "more than a mebibyte": (whole.encode() + b" " * (1_048_577 - len(whole)), "body_too_large", ""),
        "an object too large": (session("a", status="x" * 1_048_576), "body_too_large", ""),
        "unknown field": (envelope(node(a) | {"x": 1}), "unknown_field", "nodes[0].x"),
        "unknown field of the envelope": (envelope(node(a), x=1), "unknown_field", "x"),
        "dangling edge": (envelope(node(a), edge("e", "contains", a, "rho/task/b")), "dangling_edge_target", "edges[0].to"),
        "dangling event": (envelope(node(a), event("v", "rho/task/b")), "dangling_event_subject", "events[0].subject"),
        "same node twice": (envelope(node(a), node(a)), "duplicate_node", "nodes[1].id"),
    }


BAD = bad_inputs()


@pytest.mark.parametrize("name", BAD)
async def test_what_is_refused_stores_nothing(rho: Rho, viewer: Viewer, name: str) -> None:
    """G16, G27-G32, M8: an exact failure, and the store is as it was."""
    given, kind, path = BAD[name]
    with pytest.raises(Refused) as refused:
        await rho.imports.import_envelope(viewer, given, None, soon())
    assert (refused.value.kind, refused.value.path) == (kind, path)
    assert await left_behind(rho, viewer) == (0, 0)


@pytest.mark.parametrize("profile", list(Profile))
async def test_every_refusal_of_the_cases_stores_nothing(rho: Rho, viewer: Viewer, profile: Profile) -> None:
    """G32: whatever a case refuses is refused by an import (portable) or an upload (cloud) with the same kind and path."""
    refused = 0
    for name, case in CASES.items():
        given, expected = case["input"], case["expect"]
        pairs = zip(given["items"], expected["items"], strict=True) if "items" in given else [(given, expected)]
        for item, result in pairs if case["kind"] == "validate" else ():
            if result["ok"] or item["profile"] != profile:
                continue
            document, project = expanded(item["envelope"]), item.get("project_id", "orchard")
            with pytest.raises(Refused) as found:
                await taken_in(rho, viewer, profile, document, project)
            assert found.value.kind == result["error"]["kind"], name
            assert found.value.path == result["error"].get("path", found.value.path), name
            refused += 1
    assert refused > 10
    assert await left_behind(rho, viewer) == (0, 0)


async def test_cycles_are_no_error(rho: Rho, viewer: Viewer) -> None:
    """G19: cycles and loops of edges are stored and read as they are."""
    ids = [f"rho/task/{n}" for n in range(3)]
    around = [edge(f"e{n}", "depends_on", ids[n], ids[(n + 1) % 3]) for n in range(3)]
    key = await imported(rho, viewer, envelope(*map(node, ids), *around, edge("loop", "contains", ids[0], ids[0])))
    assert len(json.loads(await rho.reading.export(viewer, key, soon()))["edges"]) == 4


async def left_behind(rho: Rho, viewer: Viewer) -> tuple[int, int]:
    """How many snapshots the account has in the store, and how many facts they have."""
    store = rho.reading._store
    found = await raw(store, "MATCH (s:RhoSnapshot) WHERE s.account = $account RETURN s.key AS key", account=viewer.account)
    keys = [record["key"] for record in found]
    counts = [
        await raw(store, f"MATCH (s:RhoSnapshot {{key: $key}}){pattern} RETURN count(*) AS number", key=key)
        for key in keys
        for pattern in ("-[:RHO_NODE]->()", "-[:RHO_EVENT]->()", "-[:RHO_NODE]->(:RhoNode)-[e]->(:RhoNode)")
    ]
    return len(keys), sum(record[0]["number"] for record in counts)
