"""Late events (E10, E12, R68): the store has what a fold of the whole log in order gives, whatever order the events came in."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from app.domain.problems import StoreUnavailable
from app.services import appending as service
from app.services import late, marks
from app.store import graphs, pieces
from app.store.connection import Store
from tests.grown import reader, soon
from tests.services.test_appending import FIRST, SECOND, THIRD, VIEWER, Dying, process
from tests.services.test_restarts import nothing_left
from tests.store.contents import check, new_graph
from tests.strategies.logs import random_log


@pytest.mark.parametrize("every", [6, 256], ids=["from marks", "from the beginning"])
async def test_events_in_any_order(
    store: Store, long: bool, share: Callable[[range], range], every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E12: alone and in batches, before all others, between them and after them, in this process and after another has written."""
    monkeypatch.setattr(marks, "MARK_EVERY", every)
    monkeypatch.setattr(marks, "MARK_BEFORE", every // 2)
    monkeypatch.setattr(marks, "MOST_MARKS", 3)
    for seed in share(range(100 if long else 2)):
        rng = random.Random(seed)
        log = random_log(rng.randrange(1 << 30), 60)
        sent = log[: rng.randrange(20, 40)]
        rest = log[len(sent) :] + [sent.pop(rng.randrange(len(sent))) for _ in range(15)]
        rng.shuffle(rest)
        graph_id = await new_graph(store)
        two = process(store, graph_id), process(store, graph_id)
        await two[0].append(sent)
        while rest:
            batch = [rest.pop() for _ in range(min(len(rest), rng.choice((1, 1, 2, 5))))]
            again = rng.sample(sent, 2)
            done = await two[rng.randrange(30) // 29].append([*batch, *again])
            assert (done.accepted, done.duplicates) == (len(batch), 2)
            sent += batch
            await check(store, graph_id, sent)


async def test_a_full_gap_is_made_wider(store: Store) -> None:
    """Between two places there is room for ten halvings; after that the events to the right get other places."""
    graph_id = await new_graph(store)
    one = process(store, graph_id)

    def at(number: int, ms: int) -> dict[str, Any]:
        ts = f"2027-03-05T09:00:{ms // 1000:02}.{ms % 1000:03}Z"
        return {"v": 1, "id": f"{number:026}", "ts": ts, "type": "activity", "node": f"acme:n{number % 3}", "data": {"tool": f"t{number}"}}

    sent = [at(number, 1_000 * number) for number in range(1, 21)]
    await one.append(sent)
    for number in range(40):
        one_more = at(100 + number, 5_999 - number)  # each right before the one that came last
        assert (await one.append([one_more])).accepted == 1
        sent.append(one_more)
    many = [at(1_000 + number, 9_001 + number % 900) for number in range(1_500)]
    assert (await one.append(many)).accepted == 1_500
    await check(store, graph_id, sent + many)


async def test_readers_and_writers_put_an_odd_revision_in_order(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever dies while history is rewritten: it is rewritten wholly or not at all, and the next one, reader or writer, goes on."""
    monkeypatch.setattr(service, "PATIENCE", 0.05)
    log = [*FIRST, *SECOND, *THIRD]
    more = {**FIRST[1], "id": "0" * 26, "type": "status", "data": {"state": "idle"}}
    for lives in range(1, 12):
        for commits in (False, True):
            graph_id = await new_graph(store)
            await process(store, graph_id).append(log)
            dying = process(Dying(store, lives, commits=commits), graph_id)
            try:
                await dying.append([more])
                died = False
            except StoreUnavailable:
                died = True
            at = await reader(store).at(VIEWER, graph_id, None, soon())
            assert at.info.standing.revision % 2 == 0
            done = await process(store, graph_id).append([more])
            assert done.accepted + done.duplicates == 1
            await check(store, graph_id, [*log, more])
            if not died:
                return
    raise AssertionError("it died every time")


@pytest.fixture(params=["changed", "tail"])
def _deep(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Late events soon change more than one transaction holds, or have too much of history after them."""
    if request.param == "changed":
        monkeypatch.setattr(service, "MOST_CHANGED", 2)
    else:
        monkeypatch.setattr(late, "MOST_TAIL", 3)
        monkeypatch.setattr(marks, "MARK_EVERY", 1_000)
        monkeypatch.setattr(late, "_by_tape", late_by_store)


async def late_by_store(*_: Any) -> late.Late:
    raise late.TooDeepError


@pytest.mark.usefixtures("_deep")
async def test_what_changes_too_much_is_written_anew(store: Store, long: bool, share: Callable[[range], range]) -> None:
    """O40, E12: as a generation of its own, switched to at once; the old one is cleaned away."""
    for seed in share(range(30 if long else 2)):
        rng = random.Random(seed)
        log = random_log(rng.randrange(1 << 30), 50)
        graph_id = await new_graph(store)
        two = process(store, graph_id), process(store, graph_id)
        sent = [log.pop(rng.randrange(len(log))) for _ in range(25)]
        await two[0].append(sent)
        while log:
            batch = [log.pop() for _ in range(min(len(log), rng.choice((1, 5, 9))))]
            done = await two[rng.randrange(2)].append([*batch, sent[0]])
            assert (done.accepted, done.duplicates) == (len(batch), 1)
            sent += batch
            await check(store, graph_id, sent)
        row = await graphs.one(store, graph_id, soon())
        assert row is not None
        assert row.generation > 2
        await nothing_left(store, graph_id)
        await check(store, graph_id, sent)


@pytest.mark.parametrize("commits", [False, True], ids=["before a commit", "after a commit"])
async def test_whoever_dies_while_it_is_written_anew(store: Store, commits: bool, long: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """O40: it is there wholly or not at all, and sending it again completes it."""
    monkeypatch.setattr(service, "BUILDING_PATIENCE", 0.05)
    monkeypatch.setattr(service, "MOST_CHANGED", 0)
    monkeypatch.setattr(pieces, "PIECE", 12)
    log = [*SECOND, *THIRD]
    for lives in range(1 + commits, 30, 2 if long else 4):
        graph_id = await new_graph(store)
        await process(store, graph_id).append(log)
        died = False
        try:
            await process(Dying(store, lives, commits=commits), graph_id).append(FIRST)
        except StoreUnavailable:
            died = True
        at = await reader(store).at(VIEWER, graph_id, None, soon())
        assert at.info.event_count == (10 if at.moment.revision else 7)
        assert (await process(store, graph_id).append(FIRST)).accepted == (0 if at.moment.revision else 3)
        await check(store, graph_id, [*log, *FIRST])
        await nothing_left(store, graph_id)
        if not died:
            return
    raise AssertionError("it died every time")


@pytest.mark.parametrize("repeated", [[0], [4], [8], [0, 4, 8]])
async def test_an_id_that_is_held_is_a_duplicate_whatever_else_it_says(store: Store, repeated: list[int]) -> None:
    """E9, I35: also where it comes with late events and names a time after all others; before, at and after the late one's place."""
    graph_id = await new_graph(store)
    log = [*FIRST, *SECOND]
    one = process(store, graph_id)
    await one.append(log)
    more = {**log[4], "id": "0" * 26}
    again = [{**log[place], "ts": "2030-01-01T00:00:00.000Z"} for place in repeated]
    done = await one.append([more, *again, *THIRD])
    assert (done.accepted, done.duplicates) == (2, len(repeated))
    await check(store, graph_id, [*log, more, *THIRD])
