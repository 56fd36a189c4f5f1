"""Canonical form, digests and preparation of generated envelopes (G3, G13, G14, G40, G45, G52)."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from time import monotonic
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.rho.envelope import canonical_json, canonical_sha256, graph_digest
from app.domain.rho.json_text import read_json, write_fact, write_json
from app.domain.rho.normalize import normalized, prepare
from app.domain.rho.problems import Refused
from app.domain.rho.profiles import Profile
from app.domain.rho.timestamps import canonical, read_ns, written
from app.domain.rho.validate import validate
from tests.strategies.rho import envelopes, times

Fields = dict[str, Any]


def shuffled(value: Any, data: st.DataObject, *, arrays: tuple[str, ...] = ("nodes", "edges", "events")) -> Any:
    """The same document: keys in another order, and the three arrays."""
    if isinstance(value, list):
        return [shuffled(item, data) for item in value]
    if not isinstance(value, dict):
        return value
    found = {name: shuffled(value[name], data) for name in data.draw(st.permutations(list(value)))}
    return {name: data.draw(st.permutations(each)) if name in arrays and isinstance(each, list) else each for name, each in found.items()}


@settings(max_examples=40)
@given(envelopes())
def test_canonicalizing_twice_changes_nothing(envelope: Fields) -> None:
    """G14: C(C(E)) = C(E); the input is valid, stays as it was, and its canonical form is as valid."""
    before = copy.deepcopy(envelope)
    facts = validate(envelope, Profile.PORTABLE, closed=True).facts
    text = canonical_json(envelope)
    assert envelope == before
    again = read_json(text.encode())
    assert canonical_json(again) == text
    assert validate(again, Profile.PORTABLE, closed=True).facts == facts


@settings(max_examples=40)
@given(envelopes(), st.data())
def test_order_does_not_matter(envelope: Fields, data: st.DataObject) -> None:
    """G13, G52: neither the order of keys nor that of facts is part of what a document says."""
    other = shuffled(envelope, data)
    assert canonical_sha256(other) == canonical_sha256(envelope)
    assert graph_digest({**other, "query_sha256": "0" * 64}) == graph_digest(envelope)


@settings(max_examples=40)
@given(envelopes())
def test_encoder_only_adds_escapes(envelope: Fields) -> None:
    """G14: what is written reads back as it was; keys by UTF-8 bytes, no raw character that must be escaped."""
    text = write_json(envelope)
    assert json.loads(text) == envelope
    assert not set("<>&\u2028\u2029") & set(text)
    keys = list(json.loads(text))
    assert keys == sorted(keys, key=str.encode)


@settings(max_examples=40)
@given(envelopes())
def test_facts_are_written_as_everything_is(envelope: Fields) -> None:
    """G14: the faster encoder gives the same text, controls and both planes included."""
    for fact in (*envelope["nodes"], *envelope["edges"], *envelope["events"], {"".join(map(chr, range(0x2100))): "\U0001f600\uffff"}):
        assert write_fact(fact) == write_json(fact)


@settings(max_examples=40)
@given(envelopes())
def test_preparing_twice_gives_the_same_id(envelope: Fields) -> None:
    """G40, G45: normalizing again changes nothing, and the id comes out again; the input is not changed."""
    before = copy.deepcopy(envelope)
    try:
        found = prepare(envelope)
    except Refused as refused:
        assert refused.kind in ("attribute_collision", "attribute_key_length", "too_many_attributes")
        return
    assert envelope == before
    assert normalized(found.document) == found.document
    assert prepare(found.document).sync_id == found.sync_id
    assert found.document["query_sha256"] == found.query_sha256


@given(times())
def test_canonical_times_are_the_same_moment(text: str) -> None:
    """G3: to the nanosecond; compared with what the library reads, down to its microseconds."""
    ns = read_ns(text)
    assert ns is not None
    assert written(ns) == canonical(text)
    assert read_ns(canonical(text)) == ns
    library = datetime.fromisoformat(text)
    assert (library - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() == pytest.approx(ns / 1e9, abs=1)
    assert library.astimezone(UTC).isoformat()[:19] == canonical(text)[:19]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-10-01T08:00:00Z", "2026-10-01T08:00:00Z"),
        ("2026-10-01T08:00:00.100000000+00:00", "2026-10-01T08:00:00.1Z"),
        ("2026-10-01T08:00:00.123456789-23:59", "2026-10-02T07:59:00.123456789Z"),
        ("0000-12-31T23:30:00-01:00", "0001-01-01T00:30:00Z"),
        ("0001-01-01T00:00:00-00:00", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"),
        ("0004-02-29T00:00:00Z", "0004-02-29T00:00:00Z"),
    ],
)
def test_times_that_are_allowed(text: str, expected: str) -> None:
    """G3."""
    assert read_ns(text) is not None
    assert canonical(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-10-01T08:00:00",
        "2026-10-01t08:00:00Z",
        "2026-10-01T08:00:00z",
        "2026-10-01 08:00:00Z",
        "2026-10-01T08:00:60Z",
        "2026-10-01T24:00:00Z",
        "2026-02-29T08:00:00Z",
        "2026-10-01T08:00:00.Z",
        "2026-10-01T08:00:00.1234567890Z",
        "2026-10-01T08:00:00,5Z",
        "2026-10-01T08:00:00+24:00",
        "2026-10-01T08:00:00+01:60",
        "2026-10-01T08:00:00+0100",
        "2026-10-01T08:00:00Z\n",
        "٢٠٢٦-10-01T08:00:00Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "0000-12-31T23:30:00Z",
    ],
)
def test_times_that_are_refused(text: str) -> None:
    """G3."""
    assert read_ns(text) is None


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b'{"a": 1, "a": 1}',
        b'[{"x": {"a": 1, "b": 2, "\\u0061": 1}}]',
        b'"\\ud800"',
        b'{"\\udc00": 1}',
        b"\xff",
        b"\xef\xbb\xbf{}",
        b"NaN",
        b"1e999",
        b"{} {}",
        b"'x'",
        b"[" * 100_000,
        b"1" * 5_000,
    ],
)
def test_texts_that_are_no_json(text: bytes) -> None:
    """G14: refused as `invalid_json`, whatever is wrong."""
    with pytest.raises(Refused, match="invalid_json"):
        read_json(text)


def mutated(envelope: Fields, data: st.DataObject) -> Any:
    """The document with one value somewhere replaced, taken out or put in."""
    places: list[tuple[Any, Any]] = []

    def walk(value: Any) -> None:
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            places.append((value, key))
            if isinstance(each, (dict, list)):
                walk(each)

    walk(envelope)
    holder, key = data.draw(st.sampled_from(places))
    change = data.draw(st.sampled_from(["replace", "remove", "repeat", "add"]))
    odd = st.sampled_from([None, True, 0, 1.5, "", " ", "x" * 300, [], {}, ["x"], {"id": "x"}, "0001-01-01T00:00:00Z"])
    if change == "replace":
        holder[key] = data.draw(odd)
    elif change == "remove":
        del holder[key]
    elif change == "repeat" and isinstance(holder, list):
        holder.append(holder[key])
    elif isinstance(holder, dict):
        holder["extra"] = data.draw(odd)
    return envelope


PIECES = [
    *(bytes([byte]) for byte in b'{}[]:,"\\ 0-e.'),
    b'"nodes"',
    b'"id"',
    b"null",
    b"1e999",
    b"NaN",
    b"\\u0000",
    b"\\ud83d",
    b"\xef\xbb\xbf",
    b"\xc3",
]
"""What JSON and its faults are made of."""


def damaged(text: bytes, data: st.DataObject) -> bytes:
    """The text with a stretch of it repeated, taken out or written over; or, half the time, as it is."""
    if data.draw(st.booleans()):
        return text
    start = data.draw(st.integers(0, len(text) - 1))
    end = min(start + data.draw(st.integers(0, 40)), len(text))
    middle = data.draw(st.sampled_from([b"", text[start:end] * 2, *PIECES]))
    return text[:start] + middle + text[end:]


def check_any(text: bytes) -> None:
    """Whatever is given: a result or a refusal with a path; what is valid can be hashed, and is valid by the laxer profile."""
    for profile in Profile:
        try:
            document = read_json(text)
            validate(document, profile)
        except Refused as refused:
            assert refused.path is not None
            continue
        assert canonical_json(read_json(canonical_json(document).encode())) == canonical_json(document)
    try:
        prepare(read_json(text))
    except Refused as refused:
        assert refused.path is not None


LONG_SECONDS = 600
"""How long the long form of the fuzzing takes."""


def test_fuzz(long: bool) -> None:
    """G32: bytes of any kind, and documents with something wrong, are refused by name and never fail otherwise."""

    @settings(max_examples=1_000 if long else 100, deadline=None)
    @given(
        st.one_of(
            st.binary(max_size=60),
            st.text(max_size=60).map(lambda text: text.encode(errors="surrogatepass")),
            st.lists(st.sampled_from(PIECES), max_size=20).map(b"".join),
        )
    )
    def bytes_of_any_kind(text: bytes) -> None:
        check_any(text)

    @settings(max_examples=400 if long else 100, deadline=None)
    @given(envelopes(max_facts=3), st.data())
    def something_wrong(envelope: Fields, data: st.DataObject) -> None:
        for _ in range(data.draw(st.integers(1, 3))):
            envelope = mutated(envelope, data)
        check_any(damaged(json.dumps(envelope).encode(), data))

    until = monotonic() + (LONG_SECONDS if long else 0)
    while True:
        bytes_of_any_kind()
        something_wrong()
        if monotonic() >= until:
            break
