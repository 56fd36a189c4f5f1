"""Rho graphs in GraphQL: fields against a walk over the envelope, pages, schedules, uploads, who sees what (M13-M19, Q49, Q50)."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio

from app.domain.rho.envelope import canonical_document, canonical_json, canonical_sha256, graph_digest
from app.domain.rho.normalize import prepare
from app.store.connection import Store
from tests.conformance.test_rho import CASES, many_facts, many_tasks
from tests.graphql.live import PATIENCE, calling
from tests.graphql.rho import IMPORT, SYNC, Fields, RhoDoor, rho_door
from tests.listening import listening
from tests.served import account

SESSION: Fields = CASES["validate-session-graph"]["input"]["envelope"]
TELLING: Fields = copy.deepcopy(SESSION)
TELLING["nodes"][0]["attributes"]["url"] = "https://orchard.example/plan"
MISSION: Fields = CASES["validate-mission-graph"]["input"]["envelope"]
VALIDATE = "query($e: JSON!) { rhoValidate(envelope: $e) { ok } }"


@pytest_asyncio.fixture(scope="module")
async def rho(store: Store) -> AsyncIterator[RhoDoor]:
    async with rho_door(store) as found:
        yield found


def tangled() -> Fields:
    """Tasks in loops, hierarchies that cross, ids beyond U+FFFF."""
    names = ["a", "b", "c", "d", "\uffff", "\U0001f350", "lone"]
    pairs = [("contains", 0, 1), ("contains", 1, 2), ("contains", 0, 3), ("contains", 3, 2), ("contains", 2, 4), ("contains", 0, 5)]
    pairs += [
        ("depends_on", 1, 2),
        ("depends_on", 2, 3),
        ("depends_on", 3, 1),
        ("depends_on", 2, 1),
        ("depends_on", 5, 5),
        ("depends_on", 4, 1),
    ]
    envelope = copy.deepcopy(many_facts(len(names), len(pairs), 2))
    ids = [f"rho/task/{name}" for name in names]
    for node, id in zip(envelope["nodes"], ids, strict=True):
        node["id"] = id
        node["attributes"]["status"] = "pending"
    for edge, (kind, source, target) in zip(envelope["edges"], pairs, strict=True):
        edge |= {"kind": kind, "from": {"kind": "execution", "id": ids[source]}, "to": {"kind": "execution", "id": ids[target]}}
    for event, id in zip(envelope["events"], ids, strict=False):
        event["subject"]["id"] = id
    return envelope


NODE = """id kind entity status createdAt effectiveAt attributes { key value } provenance { producer producerVersion sourceId evidence }
  out(first: 250) { nodes { id kind from { id } to { id } createdAt attributes { key value } provenance { producer } } }
  in(first: 250) { edges { node { id } } totalCount }
  contains(first: 250) { nodes { id } totalCount } containedBy { id } ancestors { id } descendants(first: 250) { nodes { id } totalCount }
  dependsOn { id } dependents { id } references { id } produced { id } governedBy { id } validatedBy { id }
  events { id type subject { id } occurredAt correlationId causationId causation { id } idempotencyKey } snapshot { id }"""
WHOLE = f"""query($k: ID!) {{ rhoSnapshot(id: $k) {{ id digest schemaVersion generatedAt scope {{ projectId repositoryId }}
  counts {{ nodes edges events }} nodes(first: 250) {{ nodes {{ {NODE} }} totalCount }} roots {{ id }}
  edges(first: 250) {{ nodes {{ id }} }} events(first: 250) {{ nodes {{ id }} }} envelope canonicalJson }} }}"""


def pairs_of(attributes: Fields) -> list[Fields]:
    return [{"key": key, "value": attributes[key]} for key in sorted(attributes)]


def ids(found: list[Fields]) -> list[str]:
    return [each["id"] for each in found]


def beyond(start: str, step: Callable[[str], set[str]]) -> list[str]:
    found: set[str] = set()
    left = {start}
    while left:
        left = {each for id in left for each in step(id)} - found
        found |= left
    return sorted(found - {start})


@pytest.mark.parametrize("envelope", [SESSION, MISSION, tangled()], ids=["session", "mission", "tangled"])
async def test_every_field_says_what_the_envelope_says(rho: RhoDoor, envelope: Fields) -> None:
    """M13, M16: each list by id in the order of code points; texts and times as they came."""
    key = await rho.imported(envelope)
    found = (await rho.ask(WHOLE, k=key))["rhoSnapshot"]
    whole = canonical_document(envelope)
    assert found["canonicalJson"] == canonical_json(envelope)
    assert found["envelope"] == whole
    assert (found["id"], found["digest"], found["generatedAt"]) == (key, graph_digest(envelope), whole["generated_at"])
    assert found["counts"] == {name: len(whole[name]) for name in ("nodes", "edges", "events")}
    assert found["scope"] == {"projectId": None, "repositoryId": "orchard"}
    for name in ("edges", "events"):
        assert ids(found[name]["nodes"]) == ids(whole[name])
    edges = whole["edges"]

    def ends(id: str, kind: str, mine: str, other: str) -> set[str]:
        return {edge[other]["id"] for edge in edges if edge["kind"] == kind and edge[mine]["id"] == id}

    assert ids(found["roots"]) == [node["id"] for node in whole["nodes"] if not ends(node["id"], "contains", "to", "from")]
    assert ids(found["nodes"]["nodes"]) == ids(whole["nodes"])
    for node, said in zip(found["nodes"]["nodes"], whole["nodes"], strict=True):
        id, attributes = said["id"], said.get("attributes", {})
        assert (node["kind"].lower(), node["createdAt"]) == (said["kind"], said["created_at"])
        assert (node["entity"], node["status"]) == (attributes.get("entity_type", attributes.get("entity")), attributes.get("status"))
        effective = said.get("effective_at")
        assert node["effectiveAt"] == (None if effective == "0001-01-01T00:00:00Z" else effective)
        assert node["attributes"] == pairs_of(attributes)
        evidence = [each["uri"] for each in said["provenance"].get("evidence", [])]
        assert (node["provenance"]["producer"], node["provenance"]["evidence"]) == (said["provenance"]["producer"], evidence)
        leaving = [edge for edge in edges if edge["from"]["id"] == id]
        assert [(each["id"], each["from"]["id"], each["to"]["id"]) for each in node["out"]["nodes"]] == [
            (edge["id"], id, edge["to"]["id"]) for edge in leaving
        ]
        assert [each["attributes"] for each in node["out"]["nodes"]] == [pairs_of(edge.get("attributes", {})) for edge in leaving]
        assert [each["node"]["id"] for each in node["in"]["edges"]] == [edge["id"] for edge in edges if edge["to"]["id"] == id]
        for name, kind, mine, other in (
            ("containedBy", "contains", "to", "from"),
            ("dependsOn", "depends_on", "from", "to"),
            ("dependents", "depends_on", "to", "from"),
            ("references", "references", "from", "to"),
            ("produced", "produced", "from", "to"),
            ("governedBy", "governed_by", "from", "to"),
            ("validatedBy", "validated_by", "from", "to"),
        ):
            assert ids(node[name]) == sorted(ends(id, kind, mine, other)), name
        assert ids(node["contains"]["nodes"]) == sorted(ends(id, "contains", "from", "to"))
        assert ids(node["ancestors"]) == beyond(id, lambda each: ends(each, "contains", "to", "from"))
        assert ids(node["descendants"]["nodes"]) == beyond(id, lambda each: ends(each, "contains", "from", "to"))
        happened = [event for event in whole["events"] if event["subject"]["id"] == id]
        assert [(each["id"], each["occurredAt"], each["causationId"]) for each in node["events"]] == [
            (event["id"], event["occurred_at"], event.get("causation_id")) for event in happened
        ]
        known = {event["id"] for event in whole["events"]}
        for each in node["events"]:
            assert each["causation"] == ({"id": each["causationId"]} if each["causationId"] in known else None)
        assert node["snapshot"] == {"id": key}


async def test_loops_are_told(rho: RhoDoor) -> None:
    """M17, M18: the shortest loop through each node, smallest id first; a snapshot with one is not scheduled, and that is data."""
    key = await rho.imported(tangled())
    query = (
        "query($k: ID!) { rhoSnapshot(id: $k) { nodes { nodes { id blockingCycle { id } } } schedule { ok waves ready error { kind } } } }"
    )
    found = (await rho.ask(query, k=key))["rhoSnapshot"]
    loops = {node["id"].removeprefix("rho/task/"): node["blockingCycle"] for node in found["nodes"]["nodes"]}
    told = {name: loop and [each["id"].removeprefix("rho/task/") for each in loop] for name, loop in loops.items()}
    assert told == {
        "a": None, "b": ["b", "c"], "c": ["b", "c"], "d": ["b", "c", "d"], "\uffff": None, "\U0001f350": ["\U0001f350"], "lone": None
    }  # fmt: skip
    assert found["schedule"] == {"ok": False, "waves": [], "ready": [], "error": {"kind": "self_dependency"}}


async def test_schedules(rho: RhoDoor) -> None:
    """M17, G61-G71: of a snapshot's tasks, and of tasks that are given."""
    key = await rho.imported(SESSION)
    found = (await rho.ask("query($k: ID!) { rhoSnapshot(id: $k) { schedule { ok waves ready } } }", k=key))["rhoSnapshot"]["schedule"]
    assert found["ok"]
    assert sum(map(len, found["waves"])) > 1
    query = "query($t: [RhoTaskInput!]!) { rhoSchedule(tasks: $t) { ok waves ready error { kind task message } } }"
    tasks = many_tasks("layers", left=2, right=2)
    found = (await rho.ask(query, t=tasks))["rhoSchedule"]
    assert found == {"ok": True, "waves": [["a0000", "a0001"], ["b0000", "b0001"]], "ready": ["b0000", "b0001"], "error": None}
    tasks[2]["dependencies"][0]["targetId"] = "gone"
    error = (await rho.ask(query, t=tasks))["rhoSchedule"]["error"]
    assert (error["kind"], error["task"]) == ("missing_blocker", "b0000")


async def test_filters_and_pages(rho: RhoDoor) -> None:
    """M13: by kind, entity, status and attributes, joined by AND; pages concatenated are the whole list."""
    key = await rho.imported(SESSION)
    nodes = canonical_document(SESSION)["nodes"]

    async def listed(arguments: str) -> list[str]:
        data = await rho.ask(f"query($k: ID!) {{ rhoSnapshot(id: $k) {{ nodes({arguments}) {{ nodes {{ id }} totalCount }} }} }}", k=key)
        assert data["rhoSnapshot"]["nodes"]["totalCount"] == len(data["rhoSnapshot"]["nodes"]["nodes"])
        return ids(data["rhoSnapshot"]["nodes"]["nodes"])

    def wanted(keeps: Callable[[Fields, Fields], bool]) -> list[str]:
        return [node["id"] for node in nodes if keeps(node, node.get("attributes", {}))]

    assert await listed("kind: [POLICY, QUALITY]") == wanted(lambda node, _: node["kind"] in ("policy", "quality")) != []
    assert await listed('entity: ["task"]') == wanted(lambda _, said: said.get("entity_type") == "task") != []
    assert await listed('entity: ["task"], status: ["completed"]') == wanted(
        lambda _, said: said.get("entity_type") == "task" and said.get("status") == "completed"
    )
    assert await listed('attribute: [{key: "status"}]') == wanted(lambda _, said: "status" in said)
    assert await listed('attribute: [{key: "entity_type", value: "task"}, {key: "status", value: "nothing"}]') == []
    assert await listed("kind: []") == []
    pages: list[str] = []
    after = None
    query = """query($k: ID!, $a: String) { rhoSnapshot(id: $k) {
      nodes(first: 2, after: $a) { nodes { id } pageInfo { hasNextPage hasPreviousPage endCursor } } } }"""
    while True:
        page = (await rho.ask(query, k=key, a=after))["rhoSnapshot"]["nodes"]
        assert page["pageInfo"]["hasPreviousPage"] is (after is not None)
        pages += ids(page["nodes"])
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert pages == ids(nodes)
    other = "query($k: ID!, $a: String) { rhoSnapshot(id: $k) { edges(after: $a) { nodes { id } } } }"
    assert (await rho.refused(other, k=key, a=after))["code"] == "CURSOR_INVALID"
    for size in (-1, 251):
        extensions = await rho.refused(f"query($k: ID!) {{ rhoSnapshot(id: $k) {{ nodes(first: {size}) {{ totalCount }} }} }}", k=key)
        assert (extensions["code"], extensions["argument"]) == ("BAD_USER_INPUT", "first")


async def test_graphs_and_their_snapshots(rho: RhoDoor) -> None:
    """M4, M11, M16: one graph for what changes; at a time, by key, by name, by project; uploads by their ids."""
    later = {**SESSION, "generated_at": "2027-01-01T00:00:00Z"}
    first, second = await rho.imported(SESSION, "p-1"), await rho.imported(later, "p-1")
    sid = next(node["id"] for node in SESSION["nodes"] if node["id"].startswith("rho/session/")).removeprefix("rho/session/")
    fields = "key subjectKind subject { id } current { id } snapshots { nodes { id } totalCount }"
    query = f"query($s: String, $p: String) {{ rhoGraph(sessionId: $s, projectId: $p) {{ {fields} at: snapshot(at: %s) {{ id }} }} }}"
    found = (await rho.ask(query % '"2026-12-31T23:59:59.999999999Z"', s=sid, p="p-1"))["rhoGraph"]
    assert (found["subjectKind"], found["subject"]["id"]) == ("SESSION", f"rho/session/{sid}")
    assert found["current"] == {"id": second}
    assert found["at"] == {"id": first}
    assert ids(found["snapshots"]["nodes"]) == sorted([first, second])
    assert (await rho.ask(query % '"2000-01-01T00:00:00Z"', s=sid, p="p-1"))["rhoGraph"]["at"] is None
    assert (await rho.refused(query % '"yesterday"', s=sid, p="p-1"))["argument"] == "at"
    by_key = "query($k: ID) { rhoGraph(key: $k) { key } }"
    assert (await rho.ask(by_key, k=found["key"]))["rhoGraph"] == {"key": found["key"]}
    assert (await rho.ask(by_key, k="nobody|p|x"))["rhoGraph"] is None
    assert (await rho.ask(query % "null", s=sid, p="p-9"))["rhoGraph"] is None
    listed = (await rho.ask('{ rhoGraphs(projectId: "p-1", subjectKind: SESSION) { nodes { key } totalCount } }'))["rhoGraphs"]
    assert listed == {"nodes": [{"key": found["key"]}], "totalCount": 1}
    for wrong in (
        "rhoGraph { key }",
        f'rhoGraph(key: "a", sessionId: "{sid}") {{ key }}',
        'rhoSnapshot(syncId: "a") { id }',
        "rhoSnapshot { id }",
    ):
        assert (await rho.refused(f"{{ {wrong} }}"))["code"] == "BAD_USER_INPUT"


async def test_uploads(rho: RhoDoor) -> None:
    """G47-G53, Q49: outcomes are data, as HTTP would say them."""
    prepared = prepare(SESSION)
    ask = {"s": prepared.sync_id, "p": "p-2", "g": prepared.document}

    async def sent(**changes: Any) -> Fields:
        found: Fields = (await rho.ask(SYNC, **{**ask, **changes}))["rhoSync"]
        return found

    digest = graph_digest(prepared.document)
    accepted = {"status": 202, "accepted": True, "duplicate": False, "graphDigest": digest, "facts": prepared.facts, "code": None}
    assert await sent() == accepted
    assert await sent() == {**accepted, "status": 200, "duplicate": True, "facts": None}
    assert await sent(p="p-3") == accepted
    other = {**prepared.document, "generated_at": "2027-01-01T00:00:00Z"}
    scoped = {**prepared.document, "scope": {"project_id": "p-9"}}
    for changes, status, code in (
        ({"g": other}, 409, "sync_id_conflict"),
        ({"g": scoped, "s": "new"}, 409, "project_scope_mismatch"),
        ({"g": TELLING, "s": "new"}, 400, "sensitive_attribute"),
        ({"s": "a b"}, 400, "invalid_sync_id"),
        ({"p": ""}, 400, "invalid_project_id"),
        ({"i": "x" * 129}, 400, "invalid_session_id"),
        ({"s": "new", "g": {**other, "schema_version": "x" * 1_048_576}}, 413, "body_too_large"),
    ):
        refused = await sent(**changes)
        assert (refused["status"], refused["code"], refused["accepted"]) == (status, code, False)
    query = "query($s: String, $p: String) { rhoSnapshot(syncId: $s, projectId: $p) { prepared { syncId facts error { kind } } } }"
    found = (await rho.ask(query, s=prepared.sync_id, p="p-2"))["rhoSnapshot"]["prepared"]
    assert found == {"syncId": prepared.sync_id, "facts": prepared.facts, "error": None}
    assert (await rho.ask(query, s="new", p="p-2"))["rhoSnapshot"] is None


async def test_preparing_says_why_it_cannot(rho: RhoDoor) -> None:
    """M13, M19: importing takes local graphs as they are; the error of preparing one is data."""
    envelope = many_facts(251, 0, 0)
    key = await rho.imported(envelope)
    query = "query($k: ID!) { rhoSnapshot(id: $k) { prepared { json bytes facts error { kind message } } } }"
    found = (await rho.ask(query, k=key))["rhoSnapshot"]["prepared"]
    assert found == {"json": "", "bytes": 0, "facts": 251, "error": {"kind": "too_many_nodes", "message": "too_many_nodes: nodes"}}


async def test_importing_again_changes_nothing_and_refusals_name_their_kind(rho: RhoDoor) -> None:
    """M6, M7, Q49: `extensions.kind` has G's name."""
    assert (await rho.ask(IMPORT, e=MISSION))["rhoImport"]["created"] in (True, False)
    assert not (await rho.ask(IMPORT, e=MISSION))["rhoImport"]["created"]
    for change, kind, path in (
        ({"extra": 1}, "unknown_field", "extra"),
        ({"nodes": None}, "wrong_type", "nodes"),
        ({"schema_version": "flux.graph/v1"}, "unsupported_schema_version", "schema_version"),
    ):
        extensions = await rho.refused(IMPORT, e={**MISSION, **change})
        assert extensions == {"code": "BAD_USER_INPUT", "kind": kind, "path": path, "argument": "envelope"}
    assert (await rho.refused(IMPORT, e=MISSION, p="a b"))["argument"] == "projectId"


@pytest.mark.parametrize("value", ["1e999", "9" * 30], ids=["beyond all bounds", "beyond 64 bits"])
async def test_numbers_that_are_too_large_are_refused(rho: RhoDoor, value: str) -> None:
    """G14, Q40: in documents written into the query, which no JSON reader has seen."""
    frame = 'schema_version: "rho.graph/v1", generated_at: "2026-10-01T08:00:00Z", nodes: [], edges: [], events: []'
    envelope = f"{{{frame}, x: {value}}}"
    assert (await rho.refused(f"mutation {{ rhoImport(envelope: {envelope}) {{ created }} }}"))["kind"] in ("invalid_json", "unknown_field")
    done = await rho.ask(f'mutation {{ rhoSync(syncId: "s", projectId: "p", graph: {envelope}) {{ status code }} }}')
    assert done["rhoSync"]["status"] == 400
    found = (await rho.ask(f"{{ rhoValidate(envelope: {envelope}) {{ ok error {{ kind }} }} }}"))["rhoValidate"]
    assert found["ok"] or found["error"]["kind"] == "invalid_json"


async def test_deep_and_large_documents_are_refused(rho: RhoDoor) -> None:
    """G44, M8, Q40: whichever mutation they come by."""
    deep: Any = []
    for _ in range(600):
        deep = [deep]
    for document, kind in (({**MISSION, "x": deep}, "invalid_json"), ({**MISSION, "x": "y" * 2**20}, "body_too_large")):
        assert (await rho.refused(IMPORT, e=document))["kind"] == kind
        assert (await rho.ask(SYNC, s="s", p="p", g=document))["rhoSync"]["code"] == kind


@pytest.mark.parametrize("query", [IMPORT, 'mutation($e: JSON!) { rhoSync(syncId: "s", projectId: "p", graph: $e) { status } }', VALIDATE])
async def test_a_key_that_stands_twice_is_refused(rho: RhoDoor, query: str) -> None:
    """G14, M6: the last of them alone would be another document. By POST, by GET where nothing is stored, and by WebSocket."""
    twice = f'{{"e": {json.dumps(MISSION)[:-1]}, "events": []}}}}'
    key = await rho.door.key(account())
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    body = f'{{"query": {json.dumps(query)}, "variables": {twice}}}'
    answers = [await rho.door.client.post("/graphql", content=body, headers=headers)]
    if query == VALIDATE:
        answers.append(await rho.door.client.get("/graphql", params={"query": query, "variables": twice}, headers=headers))
    for answer in answers:
        assert (answer.status_code, answer.json()["errors"][0]["extensions"]["code"]) == (400, "BAD_REQUEST")
    async with listening(rho.door.application) as address, calling(address, key) as caller:
        caller.waiting["1"] = asyncio.Queue()
        await caller.say(f'{{"type": "subscribe", "id": "1", "payload": {body}}}')
        told = await asyncio.wait_for(caller.waiting["1"].get(), PATIENCE)
    assert (told["type"], told["payload"][0]["extensions"]["code"]) == ("error", "BAD_REQUEST")
    assert "errors" not in await rho.door.ask(key, query, {"e": MISSION})
    assert (await rho.door.ask(key, "{ rhoGraphs { nodes { snapshots { totalCount } } } }"))["data"]["rhoGraphs"]["nodes"] == [
        {"snapshots": {"totalCount": 1}}
    ] * (query != VALIDATE)


async def test_validation_is_data(rho: RhoDoor) -> None:
    """G25-G32: by either profile; nothing is stored."""
    query = """query($e: JSON!, $c: RhoProfile) { rhoValidate(envelope: $e, profile: $c) {
      ok facts canonicalSha256 digest warnings { kind path } error { kind path message } } }"""
    found = (await rho.ask(query, e=SESSION))["rhoValidate"]
    assert (found["ok"], found["canonicalSha256"], found["digest"]) == (True, canonical_sha256(SESSION), graph_digest(SESSION))
    error = (await rho.ask(query, e=TELLING, c="CLOUD"))["rhoValidate"]["error"]
    assert error["kind"] == "sensitive_attribute"
    assert (await rho.ask(query, e=[1]))["rhoValidate"]["error"]["kind"] == "not_object"


async def test_who_sees_what(rho: RhoDoor) -> None:
    """Q50: other accounts and restricted keys see none; taking in needs WRITE."""
    key = await rho.imported(MISSION)
    query = "query($k: ID!) { rhoSnapshot(id: $k) { id } rhoGraphs { totalCount } }"
    assert (await rho.ask(query, k=key))["rhoGraphs"]["totalCount"] > 0
    owner = (await rho.ask("{ viewer { account } }"))["viewer"]["account"]
    stranger = RhoDoor(rho.door, await rho.door.key(account()))
    restricted = RhoDoor(rho.door, await rho.door.key(owner, graph_ids=[await rho.door.graph(rho.key, [])]))
    for nobody in (stranger, restricted):
        assert await nobody.ask(query, k=key) == {"rhoSnapshot": None, "rhoGraphs": {"totalCount": 0}}
    reader = RhoDoor(rho.door, await rho.door.key(owner, ("read",)))
    assert (await reader.ask(query, k=key))["rhoSnapshot"] == {"id": key}
    for weak in (reader, restricted):
        assert (await weak.refused(IMPORT, e=MISSION))["code"] == "FORBIDDEN"
    assert await stranger.imported(MISSION) != key


def deep(levels: int) -> str:
    """A selection of so many levels under a Rho field, that field included."""
    return (
        'query($k: ID!) { rhoSnapshot(id: $k) { node(id: "x") { ' + "containedBy { " * (levels - 3) + "id" + " }" * (levels - 3) + " } } }"
    )


async def test_how_deep_a_selection_may_go(rho: RhoDoor) -> None:
    """M15, Q49: twelve levels from the Rho field on, fragments included; walks of 64."""
    key = await rho.imported(MISSION)
    assert await rho.ask(deep(12), k=key) == {"rhoSnapshot": {"node": None}}
    extensions = await rho.refused(deep(13), k=key)
    assert (extensions["code"], extensions["limit"]) == ("QUERY_TOO_DEEP", 12)
    parts = " ".join(f"fragment f{n} on RhoNode {{ containedBy {{ ...f{n + 1} }} }}" for n in range(10)) + " fragment f10 on RhoNode { id }"
    assert (await rho.refused('{ rhoSnapshot(id: "x") { node(id: "y") { ...f0 } } } ' + parts))["code"] == "QUERY_TOO_DEEP"
    root = MISSION["nodes"][0]["id"]
    walk = "query($k: ID!, $n: String!) { rhoSnapshot(id: $k) { node(id: $n) { ancestors(maxDepth: %d) { id } } } }"
    await rho.ask(walk % 64, k=key, n=root)
    assert (await rho.refused(walk % 65, k=key, n=root))["code"] == "QUERY_TOO_DEEP"
    assert (await rho.refused(walk % 0, k=key, n=root))["argument"] == "maxDepth"


async def test_how_much_one_answer_may_show(rho: RhoDoor) -> None:
    """M15: 5,000 facts; more is refused, by what pages could hold before rows are read, or by what there is."""
    key = await rho.imported(many_facts(250, 400, 250))
    asked = (
        "query($k: ID!) { rhoSnapshot(id: $k) { " + " ".join(f"n{n}: nodes(first: 250) {{ nodes {{ id }} }}" for n in range(20)) + " %s } }"
    )
    await rho.ask(asked % "", k=key)
    extensions = await rho.refused(asked % 'one: node(id: "rho/task/t0000") { id }', k=key)
    assert (extensions["code"], extensions["limit"]) == ("QUERY_TOO_COMPLEX", 5_000)
    level = "nodes(first: 250) { nodes { %s } }"
    wide = " ".join(f"c{n}: contains(first: 250) {{ nodes {{ id }} }}" for n in range(20))
    extensions = await rho.refused("query($k: ID!) { rhoSnapshot(id: $k) { " + level % wide + " } }", k=key)
    assert (extensions["code"], extensions["limit"]) == ("QUERY_TOO_COMPLEX", 100_000)
