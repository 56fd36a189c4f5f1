"""Late events (E10, E12, R68): the store has what a fold of the whole log in order gives, whatever order the events came in."""

from __future__ import annotations

import random
from typing import Any

import pytest

from app.domain.problems import StoreUnavailable, TooLate
from app.services import appending as service
from app.services import marks
from app.store.connection import Store
from tests.grown import reader, soon
from tests.services.test_appending import FIRST, SECOND, THIRD, VIEWER, Dying, process
from tests.store.contents import check, contents, new_graph
from tests.strategies.logs import random_log


@pytest.mark.parametrize("every", [6, 256], ids=["from marks", "from the beginning"])
async def test_events_in_any_order(store: Store, long: bool, every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """E12: alone and in batches, before all others, between them and after them, in this process and after another has written."""
    monkeypatch.setattr(marks, "MARK_EVERY", every)
    monkeypatch.setattr(marks, "MARK_BEFORE", every // 2)
    monkeypatch.setattr(marks, "MOST_MARKS", 3)
    for seed in range(100 if long else 4):
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
        late = at(100 + number, 5_999 - number)  # each right before the one that came last
        assert (await one.append([late])).accepted == 1
        sent.append(late)
    many = [at(1_000 + number, 9_001 + number % 900) for number in range(1_500)]
    assert (await one.append(many)).accepted == 1_500
    await check(store, graph_id, sent + many)


async def test_readers_and_writers_put_an_odd_revision_in_order(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever dies while history is rewritten: it is rewritten wholly or not at all, and the next one, reader or writer, goes on."""
    monkeypatch.setattr(service, "PATIENCE", 0.05)
    log = [*FIRST, *SECOND, *THIRD]
    late = {**FIRST[1], "id": "0" * 26, "type": "status", "data": {"state": "idle"}}
    for lives in range(1, 12):
        for commits in (False, True):
            graph_id = await new_graph(store)
            await process(store, graph_id).append(log)
            dying = process(Dying(store, lives, commits=commits), graph_id)
            try:
                await dying.append([late])
                died = False
            except StoreUnavailable:
                died = True
            at = await reader(store).at(VIEWER, graph_id, None, soon())
            assert at.info.standing.revision % 2 == 0
            done = await process(store, graph_id).append([late])
            assert done.accepted + done.duplicates == 1
            await check(store, graph_id, [*log, late])
            if not died:
                return
    raise AssertionError("it died every time")


async def test_what_is_too_late_is_refused_whole(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is half written where a late event would change more than one transaction holds."""
    monkeypatch.setattr(service, "MOST_CHANGED", 2)
    graph_id = await new_graph(store)
    one = process(store, graph_id)
    await one.append([*SECOND, *THIRD])
    before = await contents(store, graph_id)
    with pytest.raises(TooLate):
        await one.append(FIRST)
    assert await contents(store, graph_id) == before


@pytest.mark.parametrize("repeated", [[0], [4], [8], [0, 4, 8]])
async def test_an_id_that_is_held_is_a_duplicate_whatever_else_it_says(store: Store, repeated: list[int]) -> None:
    """E9, I35: also where it comes with late events and names a time after all others; before, at and after the late one's place."""
    graph_id = await new_graph(store)
    log = [*FIRST, *SECOND]
    one = process(store, graph_id)
    await one.append(log)
    late = {**log[4], "id": "0" * 26}
    again = [{**log[place], "ts": "2030-01-01T00:00:00.000Z"} for place in repeated]
    done = await one.append([late, *again, *THIRD])
    assert (done.accepted, done.duplicates) == (2, len(repeated))
    await check(store, graph_id, [*log, late, *THIRD])
