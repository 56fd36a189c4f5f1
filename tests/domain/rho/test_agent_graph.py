"""Agent Graph sessions as Rho graphs (M21-M32)."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings

from app.domain.rho.agent_graph import export_session
from app.domain.rho.envelope import canonical_json
from app.domain.rho.journal import entry
from app.domain.rho.names import agent_name, base_name, find_session, hashed_name, part_name, session_name, session_names
from app.domain.rho.normalize import prepare
from app.domain.rho.profiles import Profile
from app.domain.rho.schedule import graph_tasks, schedule
from app.domain.rho.validate import validate
from tests.domain.rho.graphs import node_states
from tests.strategies.logs import logs

Fields = dict[str, Any]

NOW = "2026-03-02T10:00:00Z"
SESSION = "claude-code:s"
PRIVATE = ("title", "purpose", "summary", "text", "active_text", "body", "reason", "label", "transcript_path", "outcome", "tool", "secret")
"""Fields of payloads whose words must not leave; so must a directory's upper parts."""
MARK = "MARKER-"


def marks() -> Iterator[str]:
    return (f"{MARK}{n}" for n in itertools.count())


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def event(n: int, kind: str, node: str, data: Fields, parent: str | None = None) -> Fields:
    return {
        "v": 1,
        "id": f"01KJPWD6M0ESYXM8847Z{n:06d}",
        "ts": f"2026-03-02T09:00:{n:02d}.500Z",
        "type": kind,
        "node": node,
        "parent": parent,
        "source": {"provider": "claude-code"},
        "data": data,
    }


def fleet() -> list[Fields]:
    """One of everything."""
    return [
        event(1, "session.started", SESSION, {"title": "Ship it", "cwd": "/home/dev/orchard"}),
        event(2, "spawn.requested", SESSION, {"call_id": "c1", "purpose": "Read the notes", "agent_type": "Explore"}),
        event(3, "agent.spawned", f"{SESSION}/a", {"call_id": "c1", "purpose": "Read the notes", "agent_type": "Explore"}, SESSION),
        event(4, "tasks.updated", f"{SESSION}/a", {"items": [{"id": "1", "text": "Look", "status": "pending"}]}),
        event(5, "task.upserted", f"{SESSION}/a", {"id": "1", "status": "completed"}),
        event(6, "task.upserted", SESSION, {"id": "t/2", "text": "Wrap up", "status": "pending", "active_text": "Wrapping"}),
        event(7, "message.sent", f"{SESSION}/a", {"message_id": "m1", "to": SESSION, "summary": "Half", "body": "Half way there"}),
        event(8, "message.sent", f"{SESSION}/a", {"message_id": "m2", "to": "somebody", "body": "Hello?"}),
        event(9, "wait.started", f"{SESSION}/a", {"wait_id": "w1", "on": SESSION, "reason": "Needs a key"}),
        event(10, "wait.started", f"{SESSION}/a", {"wait_id": "w2", "on": "codex:gone"}),
        event(11, "session.started", "codex:t", {"title": "Another", "link_method": "env"}, SESSION),
        event(12, "agent.finished", f"{SESSION}/a", {"status": "failed", "summary": "no key"}),
    ]


def nodes(envelope: Fields) -> dict[str, Fields]:
    return {node["id"]: node for node in envelope["nodes"]}


def edges(envelope: Fields) -> set[tuple[str, str, str]]:
    return {(edge["from"]["id"], edge["kind"], edge["to"]["id"]) for edge in envelope["edges"]}


def test_every_record_has_its_facts() -> None:
    """M26-M29: nodes, edges and events of the tables, with real times and digests for texts."""
    found = export_session(SESSION, node_states(fleet()), NOW)
    envelope, sid = found.envelope, "claude-code.s"
    assert found.sid == sid
    top, agent = f"rho/session/{sid}", f"rho/runtime-task/{sid}.a"
    first, second = f"rho/task/{sid}.a.1", f"rho/task/{sid}.{part_name('t/2')}"
    call, other = f"rho/tool-call/{sid}/c1", "rho/session/codex.t"
    assert nodes(envelope).keys() == {top, agent, first, second, call, other}
    assert nodes(envelope)[top]["attributes"] == {
        "entity_type": "rho_session",
        "data_classification": "metadata_only",
        "provider": "claude-code",
        "status": "idle",
        "message_count": "1",
        "agent_count": "1",
        "name_sha256": sha("Ship it"),
    }
    assert nodes(envelope)[agent]["attributes"] == {
        "entity_type": "runtime_task",
        "data_classification": "metadata_only",
        "kind": "agent",
        "status": "failed",
        "state": "failed",
        "agent_type": "Explore",
        "background": "false",
        "label_sha256": sha("Read the notes"),
    }
    assert nodes(envelope)[first]["attributes"]["subject_sha256"] == sha("Look")
    assert (nodes(envelope)[first]["created_at"], nodes(envelope)[first]["effective_at"]) == (
        "2026-03-02T09:00:04.5Z",
        "2026-03-02T09:00:05.5Z",
    )
    assert edges(envelope) == {
        (top, "contains", agent),
        (agent, "contains", first),
        (top, "contains", second),
        (top, "contains", call),
        (call, "references", agent),
        (agent, "references", top),
        (agent, "depends_on", top),
        (top, "depends_on", agent),
        (top, "references", other),
    }
    assert found.outside == 2
    assert {each["id"] for each in envelope["events"]} == {
        f"rho/event/session/{sid}/created",
        f"rho/event/runtime-task/{sid}.a/created",
        f"rho/event/runtime-task/{sid}.a/transitioned",
        f"rho/event/task/{sid}.a.1/created",
        f"rho/event/task/{sid}.a.1/transitioned",
        f"rho/event/task/{sid}.{part_name('t/2')}/created",
        f"rho/event/tool-call/{sid}/c1/observed",
    }
    assert envelope["scope"] == {"repository_id": "orchard"}


def test_waits_never_enter_the_task_schedule() -> None:
    """M17, M28: waits show who blocks whom, and a loop of them is no circle of tasks."""
    envelope = export_session(SESSION, node_states(fleet()), NOW).envelope
    assert len(schedule(graph_tasks(envelope)).waves) == 1


def test_a_journal_is_merged() -> None:
    """M30, G24.6: a verdict hangs on the call that it names."""
    verdict = entry("claude-code.s", "policy", {"allowed": True, "risk": 0, "confidence": 1}, NOW, tool_call_id="c1", stage="permission")
    assert verdict is not None
    envelope = export_session(SESSION, node_states(fleet()), NOW, journal=[verdict]).envelope
    assert ("rho/tool-call/claude-code.s/c1", "governed_by", f"rho/policy/{verdict['id']}") in edges(envelope)


def marked(log: list[Fields]) -> list[Fields]:
    """The log with words of its own in every field that must not leave."""
    words = marks()

    def walk(value: Any) -> Any:
        if isinstance(value, list):
            return [walk(item) for item in value]
        if not isinstance(value, dict):
            return value
        found = {name: next(words) if name in PRIVATE and isinstance(each, str) else walk(each) for name, each in value.items()}
        if isinstance(found.get("cwd"), str):
            found["cwd"] = f"/{next(words)}/{next(words)}/repository"
        return found

    def data(value: Any) -> Any:
        return {**walk(value), "secret": next(words)} if isinstance(value, dict) else value

    return [{**each, "data": data(each["data"])} if "data" in each else each for each in log]


def exported(log: list[Fields]) -> Iterator[tuple[str, Fields]]:
    states = node_states(log)
    for ref in sorted(ref for ref, state in states.items() if state.row.kind == "session"):
        yield ref, export_session(ref, states, NOW).envelope


def test_nothing_private_leaves() -> None:
    """M31: a marker in every field that may not be exported is nowhere in the bytes, before and after preparation."""
    more = [
        event(14, "spawn.requested", SESSION, {"call_id": "c9", "kind": "session", "title": "z", "purpose": "p"}),
        event(15, "activity", SESSION, {"tool": "Bash", "label": "rm", "may_ask": True}),
        event(16, "session.started", "codex:u", {"title": "v", "transcript_path": "/home/dev/t"}),
        event(17, "spawn.returned", SESSION, {"call_id": "c1", "outcome": "o"}),
        event(18, "status", SESSION, {"state": "input_required", "summary": "x", "title": "y"}),
    ]
    log = marked([*fleet(), *more])
    states = repr(node_states(log))
    for member in ("title", "cwd", "summary", "headline", "attention", "purpose", "text", "body", "reason"):
        assert re.search(rf"\b{member}='[^']*{MARK}", states), member
    for name in PRIVATE:
        assert any(name in json.dumps(each) for each in log), name
    for _, envelope in exported(log):
        assert MARK not in json.dumps(envelope)
        assert MARK not in prepare(envelope).json


@settings(max_examples=60, deadline=None)
@given(logs(max_events=50))
def test_any_session_can_be_exported(log: list[Fields]) -> None:
    """M31, M32: portable, closed, the same every time, without a private word."""
    for ref, envelope in exported(marked(log)):
        assert validate(envelope, Profile.PORTABLE, closed=True).warnings == ()
        text = canonical_json(envelope)
        assert MARK not in text
        assert export_session(ref, node_states(marked(log)), NOW).envelope == envelope
        if all(len(fact["id"]) <= 256 for name in ("nodes", "edges", "events") for fact in envelope[name]):
            validate(prepare(envelope).document, Profile.CLOUD)


@pytest.mark.parametrize(
    ("ref", "name"),
    [
        ("rho:abc", "abc"),
        ("rho:a b", hashed_name("rho:a b")),
        ("codex:abc", "codex.abc"),
        ("codex:a:b", hashed_name("codex:a:b")),
        ("nocolon", hashed_name("nocolon")),
        ("rho:..", "rho..."),
        ("codex:" + "x" * 122, "codex." + "x" * 122),
        ("codex:" + "x" * 123, hashed_name("codex:" + "x" * 123)),
    ],
)
def test_session_names(ref: str, name: str) -> None:
    """M21."""
    assert session_name(ref) == name


def test_names_that_meet() -> None:
    """M21, M22, M26: the later of two sessions is hashed; agents' parts hold no dot; only a directory's last part leaves."""
    assert session_names(["rho:codex.x", "codex:x"]) == {"rho:codex.x": "codex.x", "codex:x": hashed_name("codex:x")}
    assert agent_name("codex:x/a/b", "codex.x") == "codex.x.a.b"
    assert agent_name("codex:x/a.b", "codex.x") == hashed_name("codex:x/a.b")
    assert agent_name("codex:x/", "codex.x") == hashed_name("codex:x/")
    assert [base_name(path) for path in ("/a/b/", "C:\\a\\b", "b", "/", None)] == ["b", "b", "b", None, None]


def test_a_request_finds_a_session_by_any_of_its_names() -> None:
    """M21: the three forms in their order."""
    refs = ["codex:x", "rho:codex.x", "rho:y"]
    assert find_session("codex.x", refs) == "rho:codex.x"
    assert find_session("codex.x", refs[:1]) == "codex:x"
    assert find_session("rho.y", refs) == find_session("y", refs) == find_session(hashed_name("rho:y"), refs) == "rho:y"
    assert find_session("z", refs) is None
