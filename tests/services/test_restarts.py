"""Restart keyframes on a graph that holds something (E132, I12, I31): wholly before or wholly after, in one call or in many."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from app.domain import keyframe
from app.domain.envelope import parse_object
from app.domain.keyframe import Keyframe
from app.domain.moments import AsOf
from app.domain.problems import DeadlineExceeded, NoSuchEvent, OutsideRetentionWindow, StoreUnavailable
from app.services import appending as service
from app.services.appending import Appended
from app.services.graphs import Graphs
from app.store import deleting, pieces
from app.store.connection import Store
from app.store.deadline import Deadline
from tests.grown import reader, soon
from tests.services.test_appending import FIRST, SECOND, THIRD, VIEWER, Dying, Process, process
from tests.services.test_bases import base_of
from tests.store.contents import check, contents, generation, new_graph, raw
from tests.strategies.logs import random_log

Lines = list[dict[str, Any]]


def restart_of(events: Lines, parts: int = 1) -> tuple[Keyframe, Lines]:
    """The keyframe of the state after these events, and its lines as a restart, cut into so many parts."""
    base, _ = base_of(events)
    last = max(events, key=lambda event: parse_object(event).order)
    text = "".join(keyframe.packed(base.state))
    size = -(-len(text) // parts)
    cuts = [text[at : at + size] for at in range(0, len(text), size)]
    assert len(cuts) == parts
    return base, list(keyframe.part_lines(cuts, last["id"], last["ts"], restart=True))


async def send(one: Process, lines: Lines, deadline: Deadline | None = None) -> Appended:
    """A call that may restart."""
    return await one.appends.append(VIEWER, one.graph_id, lines, deadline or soon(), restart=True)


async def incomplete(store: Store, graph_id: str) -> bool:
    """Whether the graph is marked so."""
    [row] = await raw(store, "MATCH (g:Graph {id: $id}) RETURN coalesce(g.incomplete, false) AS marked", id=graph_id)
    return bool(row["marked"])


async def nothing_left(store: Store, graph_id: str) -> None:
    """Old generations are cleaned away, without a trace."""
    for gone in await deleting.left(store, soon()):
        if gone.id.startswith(graph_id):
            async for _ in deleting.clean(store, gone):
                pass
    assert not [gone for gone in await deleting.left(store, soon()) if gone.id.startswith(graph_id)]


async def test_events_up_to_the_keyframe_are_gone_and_later_ones_apply_on_it(
    store: Store, long: bool, share: Callable[[range], range]
) -> None:
    """I31, E133: whatever is sent after it, late or not, in this process and in others; ids that are gone are new again (E132)."""
    for seed in share(range(60 if long else 4)):
        rng = random.Random(seed)
        log = sorted(random_log(seed, 60), key=lambda event: parse_object(event).order)
        cut = rng.randrange(10, 40)
        behind = rng.choice((0, 0, 7))
        base, said = restart_of(log[:cut], rng.choice((1, 3)))
        graph_id = await new_graph(store)
        two = process(store, graph_id), process(store, graph_id)
        sent = log[rng.randrange(cut) : cut + behind]
        await send(two[0], sent)
        done = await send(two[rng.randrange(2)], said)
        assert (done.accepted, done.duplicates, done.invalid, done.restarted) == (0, 0, [], True)
        held, gone = log[cut : cut + behind], len(sent) - behind
        await check(store, graph_id, held, base, gone)
        rest = log[cut + behind :] + log[:3]
        rng.shuffle(rest)
        while rest:
            batch = [rest.pop() for _ in range(min(len(rest), 7))]
            done = await send(two[rng.randrange(2)], batch)
            assert done.accepted == len(batch)
            held = held + batch
            await check(store, graph_id, held, base, gone)
        await nothing_left(store, graph_id)
        await check(store, graph_id, held, base, gone)


async def test_a_keyframe_comes_in_many_calls(store: Store) -> None:
    """I31: its lines are kept in the store; another process goes on with them, and lines that come twice count once."""
    log = [*FIRST, *SECOND]
    base, said = restart_of(log, 5)
    graph_id = await new_graph(store)
    await send(process(store, graph_id), log)
    revision = (await reader(store).at(VIEWER, graph_id, None, soon())).moment.revision
    for upto, part in enumerate(said[:4]):
        again = said[:upto] if upto % 2 else []
        done = await send(process(store, graph_id), [*again, part])
        assert (done.accepted, done.restarted, done.moment.event) == (0, False, log[-1]["id"])
        await check(store, graph_id, log)
    assert await incomplete(store, graph_id)
    one = process(store, graph_id)
    done = await send(one, [said[4], *THIRD])
    assert (done.accepted, done.restarted, done.moment.revision) == (1, True, revision + 2)
    await check(store, graph_id, THIRD, base, len(log))
    assert not await incomplete(store, graph_id)
    again = await send(one, [said[4], *THIRD])
    assert (again.accepted, again.duplicates, again.restarted) == (0, 1, False)
    await nothing_left(store, graph_id)


async def test_the_first_keyframe_may_come_in_many_calls_too(store: Store) -> None:
    """I31: for a graph that has had nothing it need not say restart, nor does the caller need leave to restart."""
    base, said = restart_of([*FIRST, *SECOND], 4)
    for part in said:
        part["data"].pop("restart")
    graph_id = await new_graph(store)
    for part in said[:3]:
        assert (await process(store, graph_id).append([part])).invalid == []
    await process(store, graph_id).append([said[3], *THIRD])
    await check(store, graph_id, THIRD, base)
    assert not await raw(store, "MATCH (x:Checkpoint {g: $g}) WHERE x.seq < 1 RETURN x", g=await generation(store, graph_id))


async def test_the_same_restart_again_changes_nothing(store: Store) -> None:
    """A call whose answer was lost is sent again."""
    base, said = restart_of(FIRST)
    one = process(store, await new_graph(store))
    await send(one, [*FIRST, *SECOND])
    first = await send(one, [*said, *THIRD])
    assert (first.accepted, first.restarted) == (1, True)
    before = await contents(store, one.graph_id)
    for who in (one, process(store, one.graph_id)):
        again = await send(who, [*said, *THIRD])
        assert (again.accepted, again.duplicates, again.restarted) == (0, 1, False)
    assert await contents(store, one.graph_id) == before
    await check(store, one.graph_id, [*SECOND, *THIRD], base, len(FIRST))


async def test_another_restart_at_the_same_event_takes_the_place_of_the_first(store: Store) -> None:
    """I17, I31: its lines have the same ids; what was late when the first was sent is in it, and nowhere else if it was never a line."""
    log = [*FIRST, *SECOND]
    graph_id = await new_graph(store)
    await send(process(store, graph_id), log)
    _, said = restart_of([*FIRST, SECOND[-1]])
    await send(process(store, graph_id), said)
    base, anew = restart_of(log)
    assert [part["id"] for part in anew] == [part["id"] for part in said]
    done = await send(process(store, graph_id), [*anew, *THIRD])
    assert (done.accepted, done.restarted) == (1, True)
    await check(store, graph_id, THIRD, base, len(log))


async def test_whoever_may_not_restart_is_told(store: Store) -> None:
    """I35: the line is invalid, and everything else of the call counts."""
    _, said = restart_of([*FIRST, *SECOND], 2)
    one = process(store, await new_graph(store))
    await one.append(FIRST)
    done = await one.append([SECOND[0], *said, *SECOND[1:]])
    assert (done.accepted, done.duplicates, [found.index for found in done.invalid]) == (6, 0, [1])
    await check(store, one.graph_id, [*FIRST, *SECOND])
    other = process(store, await new_graph(store))
    with_base = await other.append([*said, *THIRD])  # nothing was there: it is no restart (E132)
    assert (with_base.accepted, with_base.invalid) == (1, [])


@pytest.mark.parametrize("spoilt", ["no base64", "a part is missing", "an event comes first", "another comes first", "a lie"])
async def test_what_cannot_be_decoded_leaves_the_graph_as_it_is(store: Store, spoilt: str) -> None:
    """I31: and marks it; the next restart that is whole takes the mark away."""
    log = [*FIRST, *SECOND]
    base, said = restart_of(log, 2)
    spoil = {"text": "?" + said[1]["data"]["text"][1:]}
    calls: dict[str, list[Lines]] = {
        "no base64": [[said[0], {**said[1], "data": {**said[1]["data"], **spoil}}]],
        "a part is missing": [[said[0]]],
        "an event comes first": [[said[0]], THIRD, [said[1]]],
        "another comes first": [[said[0], THIRD[0], said[1]]],
        "a lie": [list(keyframe.lines(base.state.replace(b'"processes":{', b'"processes":{"p":"acme:x"', 1), "x", "2027", restart=True))],
    }
    one = process(store, await new_graph(store))
    await send(one, log)
    for call in calls[spoilt]:
        assert not (await send(one, call)).restarted
    held = [*log, *(THIRD if "comes first" in spoilt else [])]
    await check(store, one.graph_id, held)
    assert await incomplete(store, one.graph_id)
    assert (await send(process(store, one.graph_id), said)).restarted
    assert not await incomplete(store, one.graph_id)
    kept = held[len(log) :]
    await check(store, one.graph_id, kept, base, len(log))


@pytest.mark.parametrize("commits", [False, True], ids=["before a commit", "after a commit"])
async def test_whoever_dies_in_a_restart(store: Store, commits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """O40: it is there wholly or not at all; the next writer gives up what is half written, and it is cleaned away."""
    monkeypatch.setattr(service, "PATIENCE", 0.05)
    monkeypatch.setattr(service, "BUILDING_PATIENCE", 0.05)
    monkeypatch.setattr(pieces, "PIECE", 8)
    log = [*FIRST, *SECOND]
    base, said = restart_of(FIRST)
    for lives in range(1, 40):
        graph_id = await new_graph(store)
        await send(process(store, graph_id), log)
        died = False
        try:
            await send(process(Dying(store, lives, commits=commits), graph_id), said)
        except StoreUnavailable:
            died = True
        at = await reader(store).at(VIEWER, graph_id, None, soon())
        there = at.moment.revision > 0
        assert at.info.event_count == (len(SECOND) if there else len(log))
        third = await process(store, graph_id).append(THIRD)
        assert third.accepted == 1
        if there:
            await check(store, graph_id, [*SECOND, *THIRD], base, len(FIRST))
        else:
            await check(store, graph_id, [*log, *THIRD])
        await nothing_left(store, graph_id)
        assert (await send(process(store, graph_id), said)).restarted is not there
        await check(store, graph_id, [*SECOND, *THIRD], base, len(FIRST))
        if not died:
            return
    raise AssertionError("it died every time")


async def test_a_restart_outlasts_its_caller(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large one takes longer than a call may: it goes on, and whoever sends it again finds it done."""
    base, said = restart_of(FIRST)
    one = process(store, await new_graph(store))
    await send(one, [*FIRST, *SECOND])
    going_on = asyncio.Event()
    restarted = one.appends._generations.restart

    async def slow(*args: Any) -> Any:
        await going_on.wait()
        return await restarted(*args)

    monkeypatch.setattr(one.appends._generations, "restart", slow)
    with pytest.raises(DeadlineExceeded):
        await send(one, said, Deadline.after(1))
    waiting = asyncio.create_task(send(one, [*said, *THIRD]))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    going_on.set()
    done = await waiting
    assert (done.accepted, done.restarted) == (1, False)
    await check(store, one.graph_id, [*SECOND, *THIRD], base, len(FIRST))


async def test_gone_events_are_no_points_any_more(store: Store) -> None:
    """E133, R25: nor is the keyframe, whose id must never show as an event's (I31.4)."""
    _, said = restart_of([*FIRST, *SECOND])
    one = process(store, await new_graph(store))
    await send(one, [*FIRST, *SECOND])
    done = await send(one, said)
    assert (done.moment.event, done.moment.revision) == (None, 2)
    at = await reader(store).at(VIEWER, one.graph_id, None, soon())
    assert (at.info.event_count, at.info.first_event_id, await at.node_count()) == (0, None, 3)
    for own_id in (FIRST[0]["id"], said[0]["id"]):
        with pytest.raises((OutsideRetentionWindow, NoSuchEvent)):
            await reader(store).at(VIEWER, one.graph_id, AsOf(event=own_id), soon())


async def test_a_graph_deleted_while_it_is_restarted_leaves_nothing(store: Store) -> None:
    """Q20: both generations are cleaned away; its id is free only then."""
    _, said = restart_of(FIRST)
    graph_id = await new_graph(store)
    await send(process(store, graph_id), [*FIRST, *SECOND])
    with pytest.raises(StoreUnavailable):
        await send(process(Dying(store, 3, commits=True), graph_id), said)
    assert await deleting.delete(store, graph_id, 1, soon())
    there = {gone.id for gone in await deleting.left(store, soon()) if gone.id.startswith(graph_id)}
    assert there == {graph_id, f"{graph_id} 2"}
    for gone in await deleting.left(store, soon()):
        if gone.id.startswith(graph_id):
            assert await deleting.is_left(store, graph_id, soon())
            async for _ in deleting.clean(store, gone):
                pass
            counts = await raw(store, "MATCH (n) WHERE n.g = $g AND NOT n:Deleted RETURN count(*) AS n", g=gone.g)
            assert counts[0]["n"] == 0
    assert not await deleting.is_left(store, graph_id, soon())


def wide_state(nodes: int, summary: str) -> bytes:
    """A state of so many nodes (a multiple of 100), each with this summary: sessions with 99 agents each."""
    ts = "2027-03-05T09:00:00.000Z"
    common = {"provider": "acme", "state": "working", "last_event_at": ts, "open_tasks": 0, "stale": False, "summary": summary}
    common |= {"tasks": [], "spawns": [], "waits": [], "messages": []}
    found: dict[str, Any] = {}
    for number in range(nodes // 100):
        session = f"acme:{summary if number % 2 else ''}{number}"  # half of them are in every such state, by their refs
        children = [f"{session}/{agent}" for agent in range(99)]
        found[session] = {"id": session, "kind": "session", "children": children, **common}
        found |= {ref: {"id": ref, "kind": "agent", "children": [], "parent": session, **common} for ref in children}
    return orjson.dumps({"nodes": found, "processes": {}, "requesters": {}, "ended": {}, "started": {}})


async def sent(one: Process, lines: Lines, deadline: Deadline) -> None:
    """A call that is sent until it is acknowledged, as a producer does: readers keep the store busy."""
    while True:
        try:
            await send(one, lines, deadline)
        except StoreUnavailable:
            await asyncio.sleep(0.1)
        else:
            return


async def test_readers_see_all_of_a_restart_or_nothing(store: Store, long: bool) -> None:
    """I31, Q5: four readers of whole graphs, trees and pages while it is replaced; their answers are wholly of before or of after."""
    nodes = 25_000 if long else 1_000
    one = process(store, await new_graph(store), most_nodes=100_000)
    ts = "2027-03-05T09:00:00.000Z"
    long_enough = Deadline.after(600)
    before, after = (list(keyframe.lines(wide_state(nodes, name), name, ts, restart=True)) for name in ("before", "zafter"))
    await sent(one, before, long_enough)
    await sent(one, [{**THIRD[0], "id": "c", "ts": ts, "node": "acme:late", "data": {"tool": "Bash"}}], long_enough)
    seen = [0, 0]
    over = False

    async def look(service: Graphs) -> None:
        while not over:
            try:
                at = await service.at(VIEWER, one.graph_id, None, long_enough)
                rows = (await at.snapshot()).rows
                count = await at.node_count()
            except StoreUnavailable:
                continue
            old = at.moment.revision == 0
            assert at.info.event_count == (1 if old else 0)
            assert len(rows) == count == (nodes + 1 if old else nodes)
            assert {row["summary"] for row in rows} == ({"before", None} if old else {"zafter"})
            seen[0 if old else 1] += 1

    readers = [asyncio.create_task(look(reader(store, snapshot_cache_nodes=number * 100_000))) for number in (0, 0, 0, 1)]
    try:
        await asyncio.sleep(0.2)
        await sent(one, after, long_enough)
        until = seen[1] + 8
        while seen[1] < until and not any(each.done() for each in readers):  # noqa: ASYNC110 - that is how one finds out
            await asyncio.sleep(0.02)
    finally:
        over = True
        await asyncio.gather(*readers)
    assert min(seen) > 0
    await nothing_left(store, one.graph_id)
