"""Keys by GraphQL (Q20, Q21, Q40, O17, O18)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from app.services.keys import hashed
from app.store.connection import Store
from tests.served import START_MS, Served, account, served

MEMBERS = "id account name scopes graphIds shown created lastUsed expires"
CREATE = f"mutation($input: CreateKeyInput!) {{ createKey(input: $input) {{ secret key {{ {MEMBERS} }} }} }}"
REVOKE = "mutation($id: ID!) { revokeKey(id: $id) { id } }"
MINE = f"{{ viewer {{ key {{ {MEMBERS} }} keys {{ id name }} }} }}"


@pytest_asyncio.fixture(scope="module")
async def door(store: Store) -> AsyncIterator[Served]:
    async with served(store) as found:
        yield found


async def create(door: Served, key: str, **members: Any) -> dict[str, Any]:
    """The answer to making a key."""
    return await door.ask(key, CREATE, {"input": {"name": "nightly", "scopes": ["READ"], **members}})


def error_of(answer: dict[str, Any]) -> tuple[str, str | None]:
    """Code and argument of the only error; the payload is null with it (Q41)."""
    assert list(answer["data"].values()) == [None]
    (error,) = answer["errors"]
    return error["extensions"]["code"], error["extensions"].get("argument")


async def test_a_key_is_made_shown_once_and_listed(door: Served) -> None:
    """Q21, R9: its record has all of what was asked for, and nothing of it is the key."""
    admin = await door.key(account(), ("admin",))
    made = (await create(door, admin, scopes=["WRITE", "READ", "READ"], expires=START_MS + 60_000))["data"]["createKey"]
    record, secret = made["key"], made["secret"]
    assert record == {
        "id": hashed(secret), "account": record["account"], "name": "nightly", "scopes": ["READ", "WRITE"], "graphIds": None,
        "shown": f"ag_sk_live_****{secret[-4:]}", "created": START_MS, "lastUsed": None, "expires": START_MS + 60_000,
    }  # fmt: skip
    mine = (await door.ask(secret, MINE))["data"]["viewer"]
    assert {**mine["key"], "lastUsed": None} == record
    assert mine["keys"] is None
    listed = (await door.ask(admin, MINE))["data"]["viewer"]
    assert {key["name"] for key in listed["keys"]} == {"nightly", "test"}
    assert listed["key"]["id"] == hashed(admin)


async def test_a_restricted_key_reads_its_graphs_alone(door: Served) -> None:
    """Q21, R10."""
    name = account()
    admin, writer = await door.key(name, ("admin",)), await door.key(name)
    inside, outside = await door.graph(writer, []), await door.graph(writer, [])
    made = (await create(door, admin, graphIds=[inside]))["data"]["createKey"]
    assert made["secret"].startswith("ag_rk_live_")
    assert made["key"]["graphIds"] == [inside]
    query = "query($id: ID!) { graph(id: $id) { id } }"
    assert (await door.ask(made["secret"], query, {"id": inside}))["data"]["graph"] == {"id": inside}
    assert error_of(await door.ask(made["secret"], query, {"id": outside})) == ("FORBIDDEN", None)


async def test_what_a_key_cannot_be_is_named_by_its_path(door: Served) -> None:
    """Q21, Q40, R12."""
    name = account()
    admin, writer = await door.key(name, ("admin",)), await door.key(name)
    graph = await door.graph(writer, [])
    for members, argument in (
        ({"name": " "}, "input.name"),
        ({"scopes": []}, "input.scopes"),
        ({"expires": START_MS}, "input.expires"),
        ({"graphIds": []}, "input.graphIds"),
        ({"graphIds": ["nonsense"]}, "input.graphIds"),
        ({"graphIds": [graph], "scopes": ["ADMIN"]}, "input.scopes"),
    ):
        assert error_of(await create(door, admin, **members)) == ("BAD_USER_INPUT", argument)
    assert error_of(await create(door, admin, graphIds=["gph_AAAAAAAAAAAA"])) == ("NOT_FOUND", None)


async def test_making_and_revoking_need_admin_and_the_own_account(door: Served) -> None:
    """Q21, O18: other accounts' keys are the operator's business; a key that is not there and another account's are the same."""
    own, other = await door.key(account(), ("admin",)), await door.key(account(), ("admin",))
    reader = await door.key(account())
    assert error_of(await create(door, reader)) == ("FORBIDDEN", None)
    assert error_of(await door.ask(reader, REVOKE, {"id": hashed(reader)})) == ("FORBIDDEN", None)
    assert error_of(await create(door, own, account=account())) == ("FORBIDDEN", None)
    for key_id in (hashed(other), "0" * 64, "nonsense"):
        assert error_of(await door.ask(own, REVOKE, {"id": key_id})) == ("NOT_FOUND", None)
    assert (await door.ask(other, MINE))["data"]["viewer"]["keys"] == [{"id": hashed(other), "name": "test"}]


async def test_a_revoked_key_is_refused_from_the_next_request_on(door: Served) -> None:
    """Q21, R9."""
    admin = await door.key(account(), ("admin",))
    secret = (await create(door, admin))["data"]["createKey"]["secret"]
    assert "errors" not in await door.ask(secret, MINE)
    assert (await door.ask(admin, REVOKE, {"id": hashed(secret)}))["data"] == {"revokeKey": {"id": hashed(secret)}}
    refused = await door.ask(secret, MINE)
    assert [error["extensions"]["code"] for error in refused["errors"]] == ["UNAUTHENTICATED"]


@pytest.mark.parametrize("scopes", [("read",), ("write",), ("read", "write")])
async def test_keys_are_not_listed_without_admin(door: Served, scopes: tuple[Any, ...]) -> None:
    """Q21: null, and no error, so that a page may ask whoever is there."""
    answer = await door.ask(await door.key(account(), scopes), MINE)
    assert "errors" not in answer
    assert answer["data"]["viewer"]["keys"] is None


async def test_nothing_is_written_where_what_it_comes_to_may_not_be_shown(door: Served) -> None:
    """Q20: a key that only writes hears so before anything is done; what shows no graph is done."""
    name = account()
    reader, writer = await door.key(name), await door.key(name, ("write",))
    graph = await door.graph(reader, [])
    event = {"v": 1, "id": "01KJPWD6M0ESYXM8847ZA00001", "ts": "2026-03-02T09:00:00.000Z", "type": "session.started", "node": "acme:a"}
    for declared, mutation in (
        ("", 'createGraph(input: {title: "made"}) { ...on CreateGraphPayload { made: graph { id } } }'),
        ("", f'updateGraph(input: {{id: "{graph}", title: "changed"}}) {{ graph {{ id }} }}'),
        ("($e: [JSON!]!)", f'appendEvents(graphId: "{graph}", events: $e) {{ accepted graph {{ id }} }}'),
    ):
        answer = await door.ask(writer, f"mutation{declared} {{ {mutation} }}", {"e": [event]} if declared else {})
        assert error_of(answer) == ("FORBIDDEN", None)
    listed = await door.ask(reader, "{ graphs { nodes { id title retention { eventCount } } } }")
    assert listed["data"]["graphs"]["nodes"] == [{"id": graph, "title": None, "retention": {"eventCount": 0}}]
    done = await door.ask(
        writer, f'mutation($e: [JSON!]!) {{ appendEvents(graphId: "{graph}", events: $e) {{ accepted }} }}', {"e": [event]}
    )
    assert done["data"] == {"appendEvents": {"accepted": 1}}
