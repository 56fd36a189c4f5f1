"""Sessions of Agent Graph as Rho graphs: at an event and now, with what was noted of them, after a trim (M24, M25, M30)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.domain.rho.captured import permission
from app.domain.rho.journal import file_name
from app.domain.rho.timestamps import canonical
from app.services.journals import Journals
from app.services.rho.sessions import ProjectionError, SessionExports
from app.services.viewer import ALL_SCOPES, Viewer
from app.store.access import LOCAL
from app.store.connection import Store
from tests.domain.rho.test_agent_graph import edges, nodes
from tests.grown import CLOCK_MS, Grown, event, grow, reader, soon
from tests.services.test_appending import process
from tests.services.test_retention import VIEWER, keeping

SESSION = "acme:one"
EVENTS = [
    event(1, "session.started", "one", 1_000, title="Ship it"),
    event(2, "spawn.requested", "one", 2_000, call_id="c1", purpose="Look"),
    event(
        3,
        "tasks.updated",
        "one",
        3_000,
        items=[{"id": "a", "text": "A", "status": "pending"}, {"id": "b", "text": "B", "status": "pending"}],
    ),
    event(4, "tasks.updated", "one", 4_000, items=[{"id": "b", "text": "B", "status": "pending"}]),
    event(5, "task.upserted", "one", 5_000, id="b", status="completed"),
    event(6, "status", "one", 5_500, state="working"),
    event(7, "activity", "one", 6_000, tool="Bash", label="rm", may_ask=True),
]


async def grown(store: Store, account: str | None = None) -> Grown:
    found = await grow(store, [])
    if account is not None:
        found.viewer = Viewer(account=account, scopes=ALL_SCOPES, key_id="key")
        found.graph_id = (await found.graphs.create(found.viewer, None, "watch", 0, soon())).id
    await found.append(EVENTS)
    return found


async def exported(store: Store, of: Grown, journals: Journals | None = None) -> dict[str, Any]:
    at = await reader(store).at(of.viewer, of.graph_id, None, soon())
    return (await SessionExports(store, journals).at_event(at, [SESSION], soon()))[SESSION].envelope


async def test_an_export_is_of_its_event(store: Store) -> None:
    """M24, M25, E113: what the clock adds later is not in it; a task that moved has not changed."""
    of = await grown(store)
    envelope = await exported(store, of)
    assert envelope["generated_at"] == "2027-01-01T00:00:06Z"
    found = nodes(envelope)
    assert found["rho/session/acme.one"]["attributes"]["status"] == "working"
    times = {id: (node["created_at"], node["effective_at"]) for id, node in found.items() if "/task/" in id}
    assert times == {"rho/task/acme.one.b": ("2027-01-01T00:00:03Z", "2027-01-01T00:00:05Z")}
    at = await reader(store).at(of.viewer, of.graph_id, None, soon())
    now = (await SessionExports(store).now(at, [SESSION], CLOCK_MS, soon()))[SESSION].envelope
    assert now["generated_at"] == "2030-03-17T17:46:40.999Z"
    assert nodes(now)["rho/session/acme.one"]["attributes"]["status"] == "input_required"
    assert await SessionExports(store).at_event(at, ["acme:nobody"], soon()) == {}


async def test_what_was_noted_of_a_session_is_merged(store: Store, tmp_path: Path) -> None:
    """M30, G24.6: on the call that it names; into graphs of the operator's account alone, and never in silence left out."""
    journals = Journals(tmp_path)
    verdict = permission("acme.one", "c1", "permission", "2027-01-01T00:00:02.5Z", allowed=False, reason="No")
    assert verdict is not None
    assert await journals.append(verdict)
    own, other = await grown(store, LOCAL), await grown(store)
    joined = ("rho/tool-call/acme.one/c1", "governed_by", f"rho/policy/{verdict['id']}")
    assert edges(await exported(store, own, journals)) - edges(await exported(store, own)) == {joined}
    assert await exported(store, other, journals) == await exported(store, other)
    (tmp_path / file_name("acme.one")).write_bytes(b"{\n")
    with pytest.raises(ProjectionError):
        await exported(store, own, journals)


async def test_after_a_trim_the_beginning_stands_for_what_is_gone(store: Store) -> None:
    """M25: a task whose events are no longer held is as old as what is held."""
    one = process(store, await keeping(store, 2))
    for start in range(0, len(EVENTS), 2):
        await one.append(EVENTS[start : start + 2])
        await one.retention.settled()
    at = await reader(store).at(VIEWER, one.graph_id, None, soon())
    envelope = (await SessionExports(store).at_event(at, [SESSION], soon()))[SESSION].envelope
    node = nodes(envelope)["rho/task/acme.one.b"]
    begun = EVENTS[[each["id"] for each in EVENTS].index(str(at.info.first_event_id)) - 1]["ts"]
    assert (node["created_at"], node["effective_at"]) == (canonical(begun), "2027-01-01T00:00:05Z")
