"""What the pages show of graphs, and the reference (O36, O39, O21, R4, R36)."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from graphql import build_schema, parse, validate

from app.graphql import print_schema
from app.settings import StoreAddress
from app.web import pages
from tests.application import Opened, opened
from tests.cli.test_attention import event

NOW = 4_102_444_800_000
"""After all that other tests of the same account have: the newest comes first."""
ROOT = Path(__file__).parents[2]
FACTS = json.loads((ROOT / "tests" / "rest" / "data" / "openapi-facts.json").read_text())
APPEND = "mutation($g: ID!, $e: [JSON!]!) { appendEvents(graphId: $g, events: $e) { accepted } }"
HOSTILE = '<script>alert(1)</script>"&'


@pytest.fixture(scope="module")
async def gateway(store_address: StoreAddress, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Opened]:
    async with opened(store_address, tmp_path_factory.mktemp("graph-pages"), clock=lambda: NOW) as found:
        yield found


async def ask(gateway: Opened, query: str, **variables: Any) -> dict[str, Any]:
    body = (await gateway.client.post("/graphql", json={"query": query, "variables": variables})).json()
    assert "errors" not in body, body
    found: dict[str, Any] = body["data"]
    return found


async def graph(gateway: Opened, title: str, *events: dict[str, Any]) -> str:
    made = await ask(gateway, "mutation($t: String) { createGraph(input: {title: $t}) { graph { id } } }", t=title)
    graph_id: str = made["createGraph"]["graph"]["id"]
    await ask(gateway, APPEND, g=graph_id, e=list(events))
    return graph_id


@pytest.fixture(scope="module")
async def crew(gateway: Opened) -> str:
    """A graph in which somebody asks, by agents that would like to be HTML."""
    return await graph(
        gateway,
        HOSTILE,
        event(NOW - 300_000, 1, "session.started", "p:s", title=f"Asks {HOSTILE}"),
        event(NOW - 240_000, 2, "status", "p:s", state="input_required", summary=f"May I? {HOSTILE}"),
        event(NOW - 180_000, 3, "session.started", "p:t", title="Another"),
    )


def is_strict(answer: httpx.Response) -> None:
    """No inline script, nothing from elsewhere, no text of an agent's as HTML."""
    assert answer.status_code == 200
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "'unsafe-inline'" not in answer.headers["content-security-policy"]
    assert "<script>" not in answer.text
    assert not re.search(r'\son\w+="|(?:src|href)="(?!/)', answer.text)


async def test_the_first_page_lists_what_needs_a_person(gateway: Opened, crew: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """O39, O36: since when and for what, with the graph that it is in."""
    monkeypatch.setattr(pages, "LOOKED_SECONDS", 60.0)
    answer = await gateway.client.get("/")
    is_strict(answer)
    escaped = HOSTILE.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    assert f'<li>Asks {escaped} <span class="asks">asks for 4 min</span>: May I? {escaped} ' in answer.text
    assert answer.text.index("Needs you") < answer.text.index(f'<td><a href="/l/{crew.removeprefix("gph_")}">')


async def test_the_first_page_does_not_wait_for_long(gateway: Opened, crew: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """O39: graphs are there at once; that not all of them were looked through is told."""
    monkeypatch.setattr(pages, "LOOKED_SECONDS", 0.0)
    answer = await gateway.client.get("/")
    is_strict(answer)
    assert "agw attention" in answer.text
    assert f'href="/l/{crew.removeprefix("gph_")}"' in answer.text


async def test_watch_is_the_graph_with_the_latest_activity(gateway: Opened, crew: str) -> None:
    """O39, I4: and another one once something happens there."""
    later = await graph(gateway, "later", event(NOW - 1_000, 1, "session.started", "p:s"))
    answer = await gateway.client.get("/watch")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/l/{later.removeprefix('gph_')}")
    assert answer.headers["cache-control"] == "no-store"
    await ask(gateway, APPEND, g=crew, e=[event(NOW, 9, "activity", "p:t", tool="Read")])
    assert (await gateway.client.get("/watch")).headers["location"] == f"/l/{crew.removeprefix('gph_')}"
    assert (await gateway.nobody.get("/watch")).headers["location"] == "/login?next=/watch"


async def test_a_graphs_page_is_one_moment_and_its_script_chooses_others(gateway: Opened, crew: str) -> None:
    """O39, R36: the tree at any moment, its event beside it for the scrubber; scripts are files of ours."""
    path = f"/l/{crew.removeprefix('gph_')}"
    now = await gateway.client.get(path)
    is_strict(now)
    assert '<script type="module" src="/static/tree.js"></script>' in now.text
    assert f'data-graph="{crew}"' in now.text
    earlier = event(NOW - 300_000, 1, "", "")["id"]
    past = await gateway.client.get(f"{path}?as_of=evt_{earlier}")
    is_strict(past)
    assert f'data-event="evt_{earlier}"' in past.text
    assert "Another" in now.text
    assert "Another" not in past.text
    script = await gateway.nobody.get("/static/tree.js")
    assert "javascript" in script.headers["content-type"]


def test_the_scrubber_asks_what_the_api_answers() -> None:
    """O39: its documents fit the schema; it puts no text into the page as HTML but the page itself."""
    text = (ROOT / "app" / "web" / "static" / "tree.js").read_text()
    documents = re.findall(r"`((?:query|mutation)[^`]*)`", text)
    assert len(documents) == 4
    for document in documents:
        assert validate(build_schema(print_schema()), parse(document)) == []
    assert re.findall(r"innerHTML = ([^;]*);", text) == ["found.innerHTML"]
    assert "eval" not in text


async def test_the_reference_has_every_error_and_needs_no_key(gateway: Opened) -> None:
    """O39, R4, R5: where `doc_url` of any error leads to, a 401's too."""
    refused = (await gateway.nobody.get("/api/v1/graphs")).json()["error"]
    url = httpx.URL(refused["doc_url"])
    answer = await gateway.nobody.get(url.path)
    is_strict(answer)
    assert f'id="{url.fragment}"' in answer.text
    for error in FACTS["errors"]:
        row = re.search(rf'<tr id="{error["code"]}">(.*?)</tr>', answer.text)
        assert row is not None
        assert f"<td>{error['status']}</td>" in row[1]
        assert error["type"] in row[1]
    for path in FACTS["paths"]:
        _, found, rest = answer.text.partition(f"<dt><code>GET {FACTS['api']['base_path']}{path}</code></dt>")
        assert found
        told = dict(re.findall("<dt><code>([^<]*)</code></dt><dd>(.*?)</dd>", rest.partition("</dl>")[0]))
        assert told.keys() == {each["name"] for each in FACTS["paths"][path]["parameters"] if each["in"] == "query"}
        assert all(told.values())
