"""The Rho conformance cases, file by file: validation, normalization and scheduling by themselves, uploads over HTTP."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from app.domain.rho.envelope import canonical_json, canonical_sha256, graph_digest
from app.domain.rho.json_text import read_json
from app.domain.rho.normalize import normalized_attributes, prepare
from app.domain.rho.problems import Refused
from app.domain.rho.profiles import Profile
from app.domain.rho.schedule import read_tasks, ready_work, schedule
from app.domain.rho.validate import validate
from app.store.connection import Store
from tests.served import account, served

FOLDER = Path(__file__).parent / "data/rho"
Fields = dict[str, Any]


def read(path: Path) -> Fields:
    case: Fields = read_json(path.read_bytes())
    return case


CASES = {path.stem: read(path) for path in sorted(FOLDER.glob("*.json"))}
HERE = [name for name, case in CASES.items() if case["kind"] != "sync"]
SYNC = [name for name, case in CASES.items() if case["kind"] == "sync"]

PROJECT = "orchard-project-0001"
"""The project of steps that are sent as a client does."""


def expanded(value: Any) -> Any:
    """An input, generated where it is written as a recipe (the cases' README)."""
    if not isinstance(value, dict) or "generator" not in value:
        return value
    return many_facts(**without_name(value)) if value["generator"] == "envelope" else many_tasks(**without_name(value))


def without_name(value: Fields) -> Fields:
    return {name: each for name, each in value.items() if name != "generator"}


def many_facts(nodes: int, edges: int, events: int) -> Fields:
    at, common = "2026-10-01T08:00:00Z", {"provenance": {"producer": "rho"}}

    def task(i: int) -> str:
        return f"rho/task/t{i:04d}"

    def reference(i: int) -> Fields:
        return {"kind": "execution", "id": task(i % nodes)}

    attributes = {"data_classification": "metadata_only", "entity_type": "task"}
    return {
        "schema_version": "rho.graph/v1",
        "generated_at": at,
        "scope": {"repository_id": "orchard"},
        "nodes": [{"id": task(i), "kind": "execution", "created_at": at, "attributes": dict(attributes), **common} for i in range(nodes)],
        "edges": [
            {
                "id": f"rho/edge/e{i:04d}",
                "kind": "references",
                "from": reference(i),
                "to": reference(i + 1),
                "created_at": at,
                **common,
            }
            for i in range(edges)
        ],
        "events": [
            {"id": f"rho/event/v{i:04d}", "type": "observed", "subject": reference(i), "occurred_at": at, **common} for i in range(events)
        ],
    }


def many_tasks(shape: str, tasks: int = 0, left: int = 0, right: int = 0, extra: int = 0, repeat: int = 1) -> list[Fields]:
    if shape == "independent":
        return [{"id": f"t{i:04d}", "status": "pending", "dependencies": []} for i in range(tasks)]
    firsts = [{"id": f"a{i:04d}", "status": "completed", "dependencies": []} for i in range(left)]
    seconds = []
    for j in range(right):
        names = [f"a{i:04d}" for i in range(left)] + ([f"b{j - 1:04d}"] if 1 <= j <= extra else [])
        dependencies = [{"targetId": name, "type": "blocks"} for name in names] * repeat
        seconds.append({"id": f"b{j:04d}", "status": "pending", "dependencies": dependencies})
    return [*firsts, *seconds]


def validated(given: Fields) -> Fields:
    envelope = expanded(given["envelope"])
    found = validate(envelope, Profile(given["profile"]), project_id=given.get("project_id"))
    return {
        "facts": found.facts,
        "warnings": [warning.told() for warning in found.warnings],
        "canonical_sha256": canonical_sha256(envelope),
        "graph_digest": graph_digest(envelope),
        "canonical": canonical_json(envelope),
    }


def normalized(given: Fields) -> Fields:
    if "attributes" in given:
        return {"attributes": normalized_attributes(given["attributes"])}
    before = copy.deepcopy(given["envelope"])
    found = prepare(given["envelope"])
    assert given["envelope"] == before  # G40: the input is not changed
    return {
        "prepared": found.document,
        "prepared_json": found.json,
        "prepared_bytes": found.bytes,
        "query_sha256": found.query_sha256,
        "sync_id": found.sync_id,
        "facts": found.facts,
        "prepare_again_sync_id": prepare(found.document).sync_id,
    }


def scheduled(given: Fields) -> Fields:
    found = schedule(read_tasks(expanded(given["tasks"])))
    return {
        "waves": [list(wave) for wave in found.waves],
        "ready": list(found.ready),
        "unique_blocking_edges": found.unique_blocking_edges,
        "wave_sizes": [len(wave) for wave in found.waves],
        "ready_count": len(found.ready),
    }


KINDS = {"validate": validated, "normalize": normalized, "schedule": scheduled}


def check(kind: str, given: Fields, expected: Fields) -> None:
    try:
        found = {"ok": True, **KINDS[kind](given)}
    except Refused as refused:
        found = {"ok": False, "error": refused.told()}
        if kind == "schedule":
            found["ready_fallback"] = list(ready_work(read_tasks(expanded(given["tasks"]))))
    for name, value in expected.items():
        if name == "error":
            assert {part: found["error"].get(part) for part in value} == value
        elif name != "label":
            assert found[name] == value, name


@pytest.mark.parametrize("name", HERE)
def test_rho(name: str) -> None:
    """Each input of a case gives the result that it should."""
    case = CASES[name]
    given, expected = case["input"], case["expect"]
    if "items" not in given:
        given, expected = {"items": [given]}, {"items": [expected]}
    assert len(given["items"]) == len(expected["items"])
    for item, result in zip(given["items"], expected["items"], strict=True):
        assert item.get("label") == result.get("label")
        check(case["kind"], item, result)


def sent(step: Fields) -> tuple[bytes, str | None]:
    """The body of a step, and the sync id in it if it is a client's (the cases' README)."""
    if "envelope" not in step:
        body = json.dumps(expanded_in(step["body"])).encode()
        return body + b" " * (step.get("pad_body_to_bytes", len(body)) - len(body)), None
    prepared = prepare(expanded(step["envelope"]))
    sync_id = step.get("sync_id", prepared.sync_id)
    request = {"syncId": sync_id, "projectId": PROJECT, "graph": prepared.document}
    return json.dumps(request | ({"sessionId": step["session_id"]} if "session_id" in step else {})).encode(), sync_id


def expanded_in(body: Fields) -> Fields:
    return body | ({"graph": expanded(body["graph"])} if "graph" in body else {})


@pytest.mark.parametrize("name", SYNC)
async def test_rho_sync(store: Store, name: str) -> None:
    """Each step of an upload case is answered as it should be, by a server that starts empty: an account of its own (Q50)."""
    case = CASES[name]
    async with served(store) as door:
        headers = {"Authorization": f"Bearer {await door.key(account())}", "Content-Type": "application/json"}
        assert len(case["input"]["steps"]) == len(case["expect"]["steps"])
        for step, expected in zip(case["input"]["steps"], case["expect"]["steps"], strict=True):
            body, sync_id = sent(step)
            answer = await door.client.post("/v1/graph/sync", content=body, headers=headers)
            found = {"status": answer.status_code, "sync_id": sync_id, **answer.json()}
            assert {part: found.get(part) for part in expected} == expected
            assert ("facts" in found) == ("facts" in expected)


@pytest.mark.parametrize("name", SYNC)
def test_what_clients_send_has_the_id_it_should(name: str) -> None:
    """G45: the client's part of an upload, which needs no server: the id that it derives."""
    case = CASES[name]
    for step, expected in zip(case["input"]["steps"], case["expect"]["steps"], strict=True):
        if "envelope" in step and "sync_id" not in step:
            prepared = prepare(expanded(step["envelope"]))
            assert prepared.sync_id == expected["sync_id"]
            if "graphDigest" in expected:
                assert graph_digest(prepared.document) == expected["graphDigest"]


def test_every_file_is_run() -> None:
    """Nothing is left out, and nothing is there that no kind knows."""
    assert len(HERE) + len(SYNC) == len(CASES) == 50
    assert {CASES[name]["kind"] for name in HERE} == KINDS.keys()
    assert all(json.dumps(case["name"]) == json.dumps(name) for name, case in CASES.items())
