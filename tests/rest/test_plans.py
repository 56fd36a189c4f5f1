"""Addresses are read once (R18-R23), and what is kept of them is bounded."""

from __future__ import annotations

import pytest

from app.rest import plans
from app.rest.errors import Refused
from app.rest.plans import LONGEST, Planned, Plans, operation_or_refused

PATH = "/graphs/gph_7QmZ2kT9dLxA/nodes"


def planned(found: Plans, path: str, query: bytes) -> Planned:
    return found.kept(path, query) or found.made(path, query, *operation_or_refused(path))


def test_the_same_address_is_read_once_and_others_are_not_taken_for_it() -> None:
    """What tells addresses apart is every byte of them, and which graph they name, however its id is written (R15)."""
    found = Plans("https://graphs.example")
    one = planned(found, PATH, b"limit=5")
    assert planned(found, PATH, b"limit=5") is one
    others = [
        planned(found, *each) for each in ((PATH, b"limit=6"), (PATH, b"limit=05"), (PATH, b""), (f"{PATH}/search", b"query=depth:1"))
    ]
    assert len({one.name, *(each.name for each in others)}) == 5
    bare = planned(found, PATH.replace("gph_", ""), b"limit=5")
    assert bare is not one
    assert bare.name == one.name


def test_what_is_wrong_is_wrong_again() -> None:
    """R7: an address that is refused is not kept."""
    found = Plans("https://graphs.example")
    for _ in range(2):
        with pytest.raises(Refused, match="limit"):
            planned(found, PATH, b"limit=0")
        assert found.kept(PATH, b"limit=0") is None


def test_long_addresses_and_too_many_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory for them is bounded: by their number and the length of each."""
    monkeypatch.setattr(plans, "_MOST", 10)
    found = Plans("https://graphs.example")
    long = b"provider=" + b"x" * 200 + b"&state=idle" * (LONGEST // 11)
    assert planned(found, PATH, long) is not planned(found, PATH, long)
    for limit in range(1, 31):
        planned(found, PATH, b"limit=%d" % limit)
    assert sum(found.kept(PATH, b"limit=%d" % limit) is not None for limit in range(1, 31)) == 10
