"""What the tests of the demo fleet share: a log as lines, and its last state by the oracle."""

import json
import re
from collections.abc import Iterable
from typing import Any

from tests.oracle import Log, read_log, state_after
from tests.oracle.shown import Shown

ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
REF = re.compile(r"[a-z][a-z0-9-]*:[^/\s]+(/[^/\s]+)*")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def line(event: dict[str, Any]) -> bytes:
    return json.dumps(event, ensure_ascii=False).encode() + b"\n"


def read(events: Iterable[dict[str, Any]]) -> Log:
    return read_log(b"".join(map(line, events)))


def last_state(events: Iterable[dict[str, Any]]) -> dict[str, Shown]:
    log = read(events)
    assert log.skipped == 0
    return state_after(log, len(log.events))


def assert_in_contract(event: dict[str, Any]) -> None:
    """E4, E138: the published contract, and lines within 4 KB. A keyframe has an id and a node of its own (E127)."""
    assert event["v"] == 1
    assert TIME.fullmatch(event["ts"])
    assert isinstance(event["type"], str)
    assert isinstance(event["data"], dict)
    assert len(line(event)) <= 4096
    if event["type"] == "keyframe":
        assert event["node"] == "agent-graph:keyframe"
        assert ULID.fullmatch(event["id"].removesuffix("~000000"))
        return
    assert ULID.fullmatch(event["id"])
    for ref in (event["node"], event.get("parent"), event["data"].get("child")):
        assert ref is None or REF.fullmatch(ref)
    assert event["source"]["provider"] == event["node"].partition(":")[0]
    assert set(event) <= {"v", "id", "ts", "type", "node", "parent", "source", "data"}
