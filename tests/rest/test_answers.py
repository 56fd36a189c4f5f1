"""What REST answers: the same with kept answers and without, and the same facts as GraphQL (design, section 9)."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from app.services.keys import hashed
from app.services.viewer import ALL_SCOPES, Viewer
from app.store.connection import Store
from app.store.deadline import Deadline
from tests.served import Served, account, served, written_down
from tests.strategies.logs import random_log

LOG = random_log(311, 160)
PATHS = (
    "", "/nodes", "/nodes?order=tree&limit=7", "/nodes?state=working&stale=false", "/nodes?expand=data.parent&expand=data.tasks",
    "/nodes/search?query=depth>0&limit=3", "/events?limit=9", "/events?order=asc&type=status&expand=data.node",
)  # fmt: skip

MEMBERS = {
    "id": "id", "as_of_event_id": "asOfEventId", "graph_id": "graphId", "provider_ref": "providerRef", "provider": "provider",
    "parent_id": "parentId", "root_id": "rootId", "session_id": "sessionId", "requested_by_id": "requestedById", "depth": "depth",
    "stale": "stale", "attention": "attention", "title": "title", "summary": "summary", "headline": "headline", "purpose": "purpose",
    "agent_type": "agentType", "background": "background", "link_method": "linkMethod", "spawn_call_id": "spawnCallId", "cwd": "cwd",
    "created": "created", "ended": "ended", "last_event": "lastEvent", "child_count": "childCount",
    "descendant_count": "descendantCount", "background_agent_count": "backgroundAgentCount",
}  # fmt: skip


@pytest_asyncio.fixture(scope="module")
async def door(store: Store) -> AsyncIterator[Served]:
    async with served(store, lambda settings: settings.model_copy(update={"rate_limit": 0.0})) as found:
        yield found


async def ask(door: Served, key: str, path: str) -> tuple[int, Any]:
    answer = await door.client.get(f"/api/v1/graphs/{path}", headers={"Authorization": f"Bearer {key}"})
    return answer.status_code, answer.json()


async def test_kept_answers_are_never_old(store: Store, door: Served) -> None:
    """O40, Q5: while events come in, late ones too, a door that keeps answers says what one says that keeps none."""
    rng = random.Random(8)
    key = await door.key(account())
    graph = await door.graph(key, LOG[:60])
    late = [each for number, each in enumerate(LOG[60:]) if number % 9 == 4]
    coming = [each for each in LOG[60:] if each not in late]
    async with served(store, lambda settings: settings.model_copy(update={"rate_limit": 0.0, "answer_cache_bytes": 0})) as plain:
        for start in range(0, len(coming), 12):
            await door.append(key, graph, coming[start : start + 12] + late[start // 12 : start // 12 + 1])
            plain.clock.ms = door.clock.ms = door.clock.ms + rng.choice([0, 400, 2_000_000])
            event = rng.choice(LOG[:60])["id"]
            for path in (*PATHS, f"?as_of=evt_{event}", f"/nodes?as_of=evt_{event}", f"/events/evt_{event}"):
                first = await ask(door, key, graph + path)
                assert first[0] == 200
                assert first == await ask(door, key, graph + path) == await ask(plain, key, graph + path)


async def test_a_kept_answer_is_not_read_again(door: Served) -> None:
    """O40: only the graph's own row is looked at, and the key."""
    key = await door.key(account())
    graph = await door.graph(key, LOG[:80])
    path = f"{graph}/nodes?as_of=evt_{LOG[50]['id']}&expand=data.messages"
    with capture_logs() as lines:
        for _ in range(3):
            assert (await ask(door, key, path))[0] == 200
    spent = [line["statements"] for line in lines if line.get("door") == "rest"]
    assert spent[1] == spent[2] < spent[0]


async def test_equal_requests_at_once_are_one_piece_of_work(store: Store, door: Served) -> None:
    """Twelve who ask for the same answer just after a change: the graph is read once, and they are told the same."""
    key = await door.key(account())
    graph = await door.graph(key, LOG[:90])
    names: list[str] = []
    with written_down(store, names):
        answers = await asyncio.gather(*(ask(door, key, f"{graph}/nodes?expand=data.tasks&limit=50") for _ in range(12)))
    assert answers == [answers[0]] * 12
    assert answers[0][0] == 200
    assert (names.count("read/nodes_now_full"), names.count("read/tasks_of_now")) == (1, 1)


async def test_rest_and_graphql_tell_the_same(door: Served) -> None:
    """Design, section 9: at any event, the same nodes in the same order with the same members."""
    key = await door.key(account())
    graph = await door.graph(key, LOG)
    query = (
        "query($g: ID!, $e: ID!) { graph(id: $g, asOf: {event: $e}) { nodes(first: 1000) { nodes { state kind "
        + " ".join(MEMBERS.values())
        + " taskCounts { total pending completed open } blocked { onIds starting nodeCount openTasks cycle } } } } }"
    )
    for place in (0, 40, 99, len(LOG) - 1):
        event = f"evt_{LOG[place]['id']}"
        _, listed = await ask(door, key, f"{graph}/nodes?limit=1000&as_of={event}")
        body = await door.ask(key, query, {"g": graph, "e": event})
        nodes = body["data"]["graph"]["nodes"]["nodes"]
        assert listed["data"]
        assert [{name: each[name] for name in MEMBERS} for each in listed["data"]] == [
            {name: each[camel] for name, camel in MEMBERS.items()} for each in nodes
        ]
        for shown, node in zip(listed["data"], nodes, strict=True):
            assert (shown["state"], shown["kind"]) == (node["state"].lower(), node["kind"].lower())
            assert {name: shown["task_counts"][name] for name in node["taskCounts"]} == node["taskCounts"]
            blocked = shown["blocked"]
            assert (blocked and list(blocked.values())) == (node["blocked"] and list(node["blocked"].values()))


@pytest.mark.parametrize("path", ["/{}/events?limit=2&expand=data.node.parent", "/{}/nodes?limit=9&expand=data.parent.waits", ""])
async def test_history_that_changes_under_a_reading(store: Store, door: Served, path: str) -> None:
    """R61, R68: whichever statement of a reading a late event comes before, the answer is one from before it or one from after it."""
    key = await door.key(account())
    graph = await door.graph(key, [spawned(second) for second in range(0, 60, 10)])
    late = iter(spawned(second) for second in range(60) if second % 10)
    query = f'{{ graph(id: "{graph}") {{ events(last: 2) {{ nodes {{ id node {{ lastEvent parent {{ childCount }} }} }} }} }} }}'

    async def both(asked: Served) -> list[Any]:
        answer = await asked.client.get(f"/api/v1/graphs{path.format(graph)}", headers={"Authorization": f"Bearer {key}"})
        assert answer.status_code == 200, answer.text
        return [answer.json(), await asked.ask(key, query)]

    async with served(store, lambda settings: settings.model_copy(update={"answer_cache_bytes": 0, "snapshot_cache_nodes": 0})) as plain:
        plain.clock.ms = door.clock.ms
        for place in count(1):
            before, written = await both(door), list[str]()
            with changed_before(store, place, written, lambda: door.append(key, graph, [next(late)])):
                found = await both(plain)
            after = await both(door)
            for told, *allowed in zip(found, before, after, strict=True):
                assert told in allowed
            if len(written) < place:
                assert place > 5
                return


def spawned(second: int) -> dict[str, Any]:
    """An agent more under the one session, at a second."""
    event = {"id": f"01KJ{second:022}", "ts": f"2026-03-02T09:00:{second:02}.000Z", "type": "agent.spawned", "node": f"acme:all/{second}"}
    return {"v": 1, "source": {"provider": "acme"}, "data": {}, **event}


@contextmanager
def changed_before(store: Store, place: int, names: list[str], change: Callable[[], Awaitable[None]]) -> Iterator[None]:
    """Something else is done just before the statement at a place, counted from 1, is sent. `names`: the statements sent."""
    plain = store.read

    async def read(name: str, *args: Any, **params: Any) -> Any:
        names.append(name)
        if len(names) == place:
            patched.undo()
            await change()
            patched.setattr(store, "read", read)
        return await plain(name, *args, **params)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "read", read)
        yield


async def test_a_poll_sees_what_was_appended_and_a_revoked_key_sees_nothing(store: Store, door: Served) -> None:
    """R9, R24, R30: of polls that overlap in every way, whoever asks after an append through another process is told of it, and whoever
    asks after the key was revoked is refused; a tag is good for as long as nothing came."""
    owner = account()
    key, writer = await door.key(owner), await door.key(owner)
    graph = await door.graph(writer, LOG[:40])
    acknowledged, revoked = 40, False
    statuses: Counter[int] = Counter()

    async def poll() -> None:
        tag, held = "", 0
        while True:
            least, refused = acknowledged, revoked
            answer = await door.client.get(f"/api/v1/graphs/{graph}", headers={"Authorization": f"Bearer {key}", "If-None-Match": tag})
            statuses[answer.status_code] += 1
            if answer.status_code == 401:
                return
            if answer.status_code == 200:
                tag, held = answer.headers["ETag"], answer.json()["retention"]["event_count"]
            assert held >= least
            assert not refused

    async with served(store) as other, asyncio.TaskGroup() as group:
        for _ in range(12):
            group.create_task(poll())
        for end in range(44, 84, 4):
            await other.append(writer, graph, LOG[end - 4 : end])
            acknowledged = end
            await asyncio.sleep(0.03)
        await other.services.keys.revoke(Viewer(owner, ALL_SCOPES, key_id="own"), hashed(key), Deadline.after(30))
        revoked = True
    assert statuses[401] == 12
    assert statuses[304] > 0
