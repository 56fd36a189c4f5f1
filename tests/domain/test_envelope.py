"""Reading envelopes (E1-E6)."""

from __future__ import annotations

import json

import pytest

from app.domain.envelope import Malformed, parse_line, parse_object

GOOD = {"v": 1, "id": "a", "ts": "2027-03-04T09:00:00Z", "type": "status", "node": "acme:n", "data": {"id": "inner", "ts": "x"}}


def line(**changes: object) -> bytes:
    return json.dumps({**GOOD, **changes}).encode()


def nested(levels: int) -> object:
    """Lists in lists."""
    value: object = {"id": 1}
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "text",
    [
        line(),
        line(v=4294967295),
        line(ts="no time"),
        line(type="", id="", node=""),
        line(parent=None, source=None, data=None, trace=None),
        line(source={"provider": "p", "adapter": None}),
        line(data={"v": 1, "id": 1, "type": {"id": 2}}),
        line(data='"id": "id"'),
        line(data=nested(125)),
        line(data=[nested(60), "[{" * 200, *[[]] * 200]),
        line().replace(b" ", b""),
        b'{"v":1,"id":"a","ts":"t","type":"\\u0073tatus","node":"n","more":{"id":1,"id":2}}',
    ],
)
def test_what_is_read(text: bytes) -> None:
    """E3: what fits the table is read, whatever else is in it."""
    event = parse_line(text)
    assert json.loads(event.line) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"null",
        b"[1]",
        b'"text"',
        line()[:-1],
        line() + b",",
        b'{"v":1,}',
        b'{"v":NaN}',
        line(v=4294967296),
        line(v=-1),
        line(v=1.0),
        line(v=True),
        line(v="1"),
        line(v=None),
        line(id=None),
        line(id=1),
        line(ts=5),
        line(type=None),
        line(node={}),
        line(parent=5),
        line(source="p"),
        line(source={"adapter": "a"}),
        line(source={"provider": "p", "provider_version": 1}),
        b'{"v":1,"id":"a","ts":"t","type":"t","node":"n","id":"b"}',
        b'{"v":1,"id":"a","ts":"t","type":"t","node":"n","\\u0069d":"b"}',
        b'{"v":1,"id":"a","ts":"t","type":"t","node":"n","data":{"id":1},"data":{"id":2}}',
        b'{"v":1,"id":"a\\ud800","ts":"t","type":"t","node":"n"}',
        b"[" * 2_000,
        *(line(data=nested(levels)) for levels in (126, 254, 900)),
    ],
)
def test_what_is_malformed(text: bytes) -> None:
    """E2, E3: what is no JSON object, does not fit the table, repeats one of the envelope's own keys, or is nested too deep."""
    with pytest.raises(Malformed):
        parse_line(text)


def test_bytes_that_are_not_utf8_are_read_as_replacement_characters() -> None:
    """E1."""
    assert parse_line(line(node="acme:NAME").replace(b"NAME", b"\xff")).node == "acme:\ufffd"


def test_objects_are_read_as_lines_are() -> None:
    """E3: an envelope that was JSON already."""
    event = parse_object(GOOD)
    assert (event.id, event.node, event.data) == ("a", "acme:n", GOOD["data"])
    with pytest.raises(Malformed, match="v must"):
        parse_object({**GOOD, "v": 1.0})
    for data in (nested(126), nested(254), 2**64):
        with pytest.raises(Malformed, match="JSON"):
            parse_object({**GOOD, "data": data})
    with pytest.raises(Malformed, match="too large"):
        parse_object({**GOOD, "data": [None, float("inf")]})
    assert parse_object({**GOOD, "data": [None, "null", 1e308]}).data == [None, "null", 1e308]
